"""Prices through time: every history of one accelerator, ready to be drawn, with gaps left as gaps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from pricing import Catalogue, Figure

# Two readings further apart than this say nothing about the time between them.
LONGEST_STEP_DAYS = 70
FEWEST_POINTS = 2


@dataclass(frozen=True)
class History:
    """One line of the chart: days and prices, None where nobody looked."""

    key: str
    label: str
    purchase: str
    measure: str
    days: tuple[date, ...]
    usd: tuple[float | None, ...]

    @property
    def points(self) -> int:
        """How many readings there are."""
        return sum(price is not None for price in self.usd)


def histories(catalogue: Catalogue, accelerator: str, most: int = 10) -> list[History]:
    """The longest histories of an accelerator: indices and medians first, then offers, most readings first."""
    chips = {accelerator} | {key for key, wide in catalogue.ambiguous.items() if accelerator in wide.candidates}
    found = [
        _history(key, series.label, series.purchase, series.measure, series.usd_per_accelerator_hour)
        for key, series in catalogue.series.items()
        if series.accelerator in chips
    ]
    for key, offer in catalogue.offers.items():
        figure = offer.usd_per_accelerator_hour
        if offer.accelerator == accelerator and figure is not None and len(figure.values) >= FEWEST_POINTS:
            product = offer.sku or f"{offer.accelerators_per_instance}x"
            label = f"{catalogue.providers[offer.provider].label} {product}, {offer.region}"
            found.append(_history(key, label, offer.purchase, "list", figure))
    found = [history for history in found if history.points >= FEWEST_POINTS]
    return sorted(found, key=lambda h: (h.measure != "index", -h.points, h.key))[:most]


def _history(key: str, label: str, purchase: str, measure: str, figure: Figure) -> History:
    readings = sorted((day, value.typical) for day, value in figure.values.items())
    days: list[date] = []
    prices: list[float | None] = []
    for (day, price), (next_day, _) in pairwise([*readings, readings[-1]]):
        days.append(day)
        prices.append(price)
        if (next_day - day).days > LONGEST_STEP_DAYS:
            days.append(day + (next_day - day) / 2)
            prices.append(None)
    return History(key, label, purchase, measure, tuple(days), tuple(prices))
