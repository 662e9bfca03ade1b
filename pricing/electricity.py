"""What a kilowatt-hour costs a class of customer at a place, and whose price stands in where the place has none.

A household, a small firm and a large site pay prices of their own, and none follows from another. A place without one
takes the average of the places it names, else that of the country, union or world it lies in, with a wider range.
"""

from typing import NamedTuple

from pricing.catalogue import Catalogue
from pricing.choices import Customer
from pricing.figure import Figure, FigureValue

FIELDS: dict[Customer, str] = {
    "household": "household_usd_per_kwh",
    "firm": "commercial_usd_per_kwh",
    "large": "usd_per_kwh",
}
WORDS: dict[Customer, str] = {"household": "a household", "firm": "a small firm", "large": "a large site"}
STAND_IN = "electricity-stand-in"
FEWEST = 2  # places that are named, and have a price: one alone says little of another


class ElectricityPrice(NamedTuple):
    """A price of electricity; `stands_in` says whose it is where it is not the place's own."""

    figure: Figure
    stands_in: str | None


def electricity(catalogue: Catalogue, site: str, customer: Customer) -> ElectricityPrice | None:
    """What such a customer pays at the site; None where nobody knows even for the world."""
    own: Figure | None = getattr(catalogue.sites[site], FIELDS[customer])
    if own is not None:
        return ElectricityPrice(own, None)
    known = _fallback_prices(catalogue, site, customer)
    if not known:
        return None
    labels = [called(catalogue, key) for key in known]
    who = f"the average of {', '.join(labels[:-1])} and {labels[-1]}" if labels[1:] else f"that of {labels[0]}"
    words = f"no price of {catalogue.sites[site].label} for {WORDS[customer]}: {who} stands in, with a wider range"
    return ElectricityPrice(_widened_mean(catalogue, list(known.values()), words), words)


def _fallback_prices(catalogue: Catalogue, site: str, customer: Customer) -> dict[str, Figure]:
    named = catalogue.sites[site].electricity_like
    found = {key: getattr(catalogue.sites[key], FIELDS[customer]) for key in named}
    found = {key: figure for key, figure in found.items() if figure is not None}
    if len(found) < FEWEST:
        wider = catalogue.site_figure(site, FIELDS[customer])
        found = dict([wider]) if wider else {}
    return found


def called(catalogue: Catalogue, site: str) -> str:
    """A place whose figure stands in, in words: Germany, the European Union, the world."""
    record = catalogue.sites[site]
    return f"the {record.label}" if record.kind == "bloc" else "the world" if record.kind == "world" else record.label


def _widened_mean(catalogue: Catalogue, figures: list[Figure], words: str) -> Figure:
    """The average, from somewhat below the lowest to somewhat above the highest."""
    spread = catalogue.facts[STAND_IN].figure.newest
    values = [figure.newest for figure in figures]
    lowest = min(value.typical if value.low is None else value.low for value in values)
    highest = max(value.typical if value.high is None else value.high for value in values)
    value = FigureValue(
        low=lowest * (spread.low or spread.typical),
        typical=sum(value.typical for value in values) / len(values),
        high=highest * (spread.high or spread.typical),
        kind="derived",
        source=spread.source,
        note=words,
    )
    checked = min(figure.checked for figure in figures)
    return Figure(unit="USD/kWh", checked=checked, values={min(figure.since for figure in figures): value})
