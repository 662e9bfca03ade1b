"""Electricity at a place: its price for a class of customer, its carbon intensity, and its use of water.

A household, a small firm and a large site pay different prices, and none follows from another. A place without one
takes the average of the places it names, else that of the country or union it lies in, else its own price for other
customers as these differ elsewhere, else the countries of its part of the world, each with a wider range.

Carbon is the yearly intensity of what is generated inside a country; life-cycle figures count more and are never mixed
in. A place without a figure takes that of the place it lies in, with a wider range. Of several possible countries it is
their mean, and eight of ten of them lie in the range.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.choices import Customer
from pricing.figure import Figure, FigureValue

FIELDS: dict[Customer, str] = {
    "household": "household_usd_per_kwh", "firm": "commercial_usd_per_kwh", "large": "usd_per_kwh",
}  # fmt: skip
WORDS: dict[Customer, str] = {"household": "a household", "firm": "a small firm", "large": "a large site"}
PRICE_STAND_IN, CARBON_STAND_IN = "electricity-stand-in", "grid-carbon-stand-in"  # facts: how far a range is widened
FEWEST = 2  # named places with a price: one alone says little of another
WORLD = "WORLD"
_NEAREST: dict[Customer, tuple[Customer, ...]] = {
    "household": ("firm", "large"), "firm": ("large", "household"), "large": ("firm", "household"),
}  # fmt: skip
_FEWEST_RATIOS = 8
# Parts of the world with few prices of their own take those of the next part too.
_BESIDE = {"south_america": ("north_america",), "oceania": ("asia",)}
_ENDS = (0.1, 0.9)


class ElectricityPrice(NamedTuple):
    """A price of electricity; `stands_in` says whose it is where it is not the place's own."""

    figure: Figure
    stands_in: str | None


@cached(4_096, same=lambda catalogue, *_: (catalogue.sites, catalogue.facts), equal=lambda _, *rest: rest)
def electricity(catalogue: Catalogue, site: str, customer: Customer) -> ElectricityPrice | None:
    """Return the price for such a customer at the site; None where not even the world has one."""
    own: Figure | None = getattr(catalogue.sites[site], FIELDS[customer])
    if own is not None:
        return ElectricityPrice(own, None)
    named = {key: getattr(catalogue.sites[key], FIELDS[customer]) for key in catalogue.sites[site].electricity_like}
    prices: dict[str, Figure] = {key: figure for key, figure in named.items() if figure is not None}
    if len(prices) < FEWEST:
        wider = catalogue.site_figure(site, FIELDS[customer])
        if wider is None or wider[0] == WORLD:
            stand_in = _of_other_customers(catalogue, site, customer) or _of_its_area(catalogue, site, customer)
            if stand_in is not None or wider is None:
                return stand_in
        prices = dict([wider])
    labels = [called(catalogue, key) for key in prices]
    basis = f"the average of {', '.join(labels[:-1])} and {labels[-1]}" if labels[1:] else f"that of {labels[0]}"
    words = f"no price of {catalogue.sites[site].label} for {WORDS[customer]}: {basis} stands in, with a wider range"
    return ElectricityPrice(_widened_mean(catalogue, list(prices.values()), words), words)


def _of_other_customers(catalogue: Catalogue, site: str, customer: Customer) -> ElectricityPrice | None:
    """Return a place's price for other customers times what the two differ by in the countries that have both."""
    record, field = catalogue.sites[site], FIELDS[customer]
    for other in (each for each in _NEAREST[customer] if getattr(record, FIELDS[each]) is not None):
        figure: Figure = getattr(record, FIELDS[other])
        both = (s for s in catalogue.sites.values() if s.kind == "country" and getattr(s, field) is not None)
        pairs = [(getattr(s, field), getattr(s, FIELDS[other])) for s in both]
        ratios = [a.newest.typical / b.newest.typical for a, b in pairs if b is not None]
        if len(ratios) < _FEWEST_RATIOS:
            continue
        low, middle, high = np.quantile(ratios, (_ENDS[0], 0.5, _ENDS[1])).tolist()
        basis = f"its price for {WORDS[other]} times {middle:.2f} stands in, as in {len(ratios)} countries"
        words = f"no price of {record.label} for {WORDS[customer]}: {basis}"
        value = figure.newest
        ends = (value.low or value.typical) * low, (value.high or value.typical) * high
        return _stand_in(figure, value.typical * middle, ends, value.source, words)
    return None


def _of_its_area(catalogue: Catalogue, site: str, customer: Customer) -> ElectricityPrice | None:
    """Return the middle of the prices in the countries of its part of the world, and the range of all of them."""
    land = catalogue.lands.get(site)
    areas = () if land is None else (land.area, *_BESIDE.get(land.area, ()))
    alike = (code for code, other in catalogue.lands.items() if other.area in areas)
    figures = [figure for code in alike if (figure := _priced(catalogue, code, customer)) is not None]
    if len(figures) < FEWEST:
        return None
    spread, usd = catalogue.facts[PRICE_STAND_IN].figure.newest, [each.newest.typical for each in figures]
    where = " and ".join(area.replace("_", " ").title() for area in areas)
    of = f"{catalogue.sites[site].label} for {WORDS[customer]}"
    words = f"no price of {of}: the middle of {len(figures)} countries in {where} stands in, with a wider range"
    ends = min(usd) * (spread.low or spread.typical), max(usd) * (spread.high or spread.typical)
    return _stand_in(min(figures, key=lambda each: each.checked), float(np.median(usd)), ends, spread.source, words)


def _priced(catalogue: Catalogue, code: str, customer: Customer) -> Figure | None:
    """Return the own price of a country, or one that follows from its price for other customers."""
    if code not in catalogue.sites:
        return None
    own: Figure | None = getattr(catalogue.sites[code], FIELDS[customer])
    other = _of_other_customers(catalogue, code, customer) if own is None else None
    return other.figure if other is not None else own


def _stand_in(figure: Figure, usd: float, ends: tuple[float, float], source: str, words: str) -> ElectricityPrice:
    value = FigureValue(low=ends[0], typical=usd, high=ends[1], kind="derived", source=source, note=words)
    return ElectricityPrice(Figure(unit="USD/kWh", checked=figure.checked, values={figure.since: value}), words)


def called(catalogue: Catalogue, site: str) -> str:
    """Return a place whose figure stands in, in words: Germany, the European Union, the world."""
    record = catalogue.sites[site]
    return f"the {record.label}" if record.kind == "bloc" else "the world" if record.kind == "world" else record.label


def _widened_mean(catalogue: Catalogue, figures: list[Figure], words: str) -> Figure:
    """Return the average, from somewhat below the lowest to somewhat above the highest."""
    spread = catalogue.facts[PRICE_STAND_IN].figure.newest
    values = [figure.newest for figure in figures]
    lowest = min(value.typical if value.low is None else value.low for value in values)
    highest = max(value.typical if value.high is None else value.high for value in values)
    value = FigureValue(
        low=lowest * (spread.low or spread.typical), typical=sum(value.typical for value in values) / len(values),
        high=highest * (spread.high or spread.typical), kind="derived", source=spread.source, note=words,
    )  # fmt: skip
    checked = min(figure.checked for figure in figures)
    return Figure(unit="USD/kWh", checked=checked, values={min(figure.since for figure in figures): value})


# Carbon and water


class GridIntensity(NamedTuple):
    """Grams of CO2 equivalent for a kilowatt-hour, `where` it is, and what stands in for an unknown figure."""

    low: float
    typical: float
    high: float
    where: str
    stands_in: str | None = None
    water_l_per_kwh: float | None = None


def _facts(catalogue: Catalogue, *_: object) -> tuple[object, ...]:
    return catalogue.sites, catalogue.facts, catalogue.lands


@cached(1_024, same=_facts, equal=lambda _, site: site)
def grid_intensity_at(catalogue: Catalogue, site: str) -> GridIntensity | None:
    """Return the intensity of the grid at a site; None where it is unknown even for the world."""
    nearest, water_figure = (catalogue.site_figure(site, name) for name in ("carbon_g_per_kwh", "water_l_per_kwh"))
    if nearest is None:
        return None
    land = catalogue.lands.get(site)
    alike = (code for code, other in catalogue.lands.items() if land is not None and other.area == land.area)
    if nearest[0] == WORLD and land is not None and len(values := _intensities(catalogue, alike)) >= FEWEST:
        label, area = catalogue.sites[site].label, land.area.replace("_", " ").title()
        words = f"no grid figure of {label}: the mean of {len(values)} countries in {area} stands in"
        return _mean(values, label, words)
    label, water = catalogue.sites[site].label, None if water_figure is None else water_figure[1].newest.typical
    value = nearest[1].newest
    low, high = (value.typical if end is None else end for end in (value.low, value.high))
    if nearest[0] == site:
        return GridIntensity(low, value.typical, high, label, None, water)
    spread = catalogue.facts[CARBON_STAND_IN].figure.newest
    words = f"no grid figure of {label}: that of {called(catalogue, nearest[0])} stands in, with a wider range"
    return GridIntensity(low * (spread.low or 1.0), value.typical, high * (spread.high or 1.0), label, words, water)


@cached(1_024, same=_facts, equal=lambda _, countries, area: (countries, area))
def mean_grid_intensity(catalogue: Catalogue, countries: frozenset[str], area: str) -> GridIntensity | None:
    """Return the intensity in one of these countries; with none given, in a part of the world or anywhere."""
    if len(countries) == 1:
        (only,) = countries
        if only in catalogue.sites:
            return grid_intensity_at(catalogue, only)
    if values := _intensities(catalogue, countries):
        where = f"one of {len(countries)} countries"
        return _mean(values, where, f"the seller says only that it is {where}: their mean stands in")
    if values := _intensities(catalogue, (code for code, land in catalogue.lands.items() if land.area == area)):
        where = area.replace("_", " ")
        return _mean(values, where, f"the seller names no country: the mean of {len(values)} countries there stands in")
    world, values = catalogue.sites[WORLD].carbon_g_per_kwh, _intensities(catalogue, catalogue.lands)
    if world is None or not values:
        return None
    words = "its location is not published: the world's average stands in, with the range of all countries"
    return _mean(values, "the world", words, world.newest.typical)


def _intensities(catalogue: Catalogue, countries: Iterable[str]) -> list[float]:
    sites = (catalogue.sites[code] for code in countries if code in catalogue.sites)
    return [site.carbon_g_per_kwh.newest.typical for site in sites if site.carbon_g_per_kwh is not None]


def _mean(values: list[float], where: str, words: str, typical: float | None = None) -> GridIntensity:
    low, high = np.quantile(values, _ENDS).tolist()
    mean = sum(values) / len(values) if typical is None else typical
    return GridIntensity(min(low, mean), mean, max(high, mean), where, words)
