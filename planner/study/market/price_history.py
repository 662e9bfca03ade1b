"""Prices through time, ready to be drawn, with gaps left as gaps; and what the money buys.

The second: the spread of prices for each accelerator, and a price for what it can do and hold.
"""

from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from math import isfinite
from statistics import median

from pricing import Catalogue, Figure
from pricing.belief import in_their_markets

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


TFLOP_PER_PFLOP = 1_000.0


@dataclass(frozen=True)
class PricedOffer:
    """One offer as a dot."""

    offer: str
    accelerator: str
    provider_kind: str
    usd_per_accelerator_hour: float


@dataclass(frozen=True)
class PriceSpread:
    """What a typical offer of one accelerator costs for its arithmetic and for its memory."""

    accelerator: str
    offers: int
    lowest_usd: float
    median_usd: float
    highest_usd: float
    usd_per_pflop_hour: float | None
    usd_per_gb_hour: float | None


def dots(catalogue: Catalogue, offers: tuple[str, ...], day: date) -> list[PricedOffer]:
    """The priced offers among `offers`, each at what its price is worth on a day."""
    found = []
    for key, usd in zip(offers, in_their_markets(catalogue, day, offers).typical.tolist(), strict=True):
        offer = catalogue.offers[key]
        if isfinite(usd):
            found.append(PricedOffer(key, offer.accelerator, catalogue.providers[offer.provider].kind, usd))
    return found


def worth(catalogue: Catalogue, offers: tuple[str, ...], day: date) -> list[PriceSpread]:
    """For each accelerator among `offers`: the spread, and the median price for 1 PFLOP/s (16 bit, dense) and 1 GB.

    Each provider counts once, with the median of its offers, so that one with 200 regions does not drown the others.
    """
    prices: dict[str, dict[str, list[float]]] = {}
    for dot in dots(catalogue, offers, day):
        of_chip = prices.setdefault(dot.accelerator, {})
        of_chip.setdefault(catalogue.offers[dot.offer].provider, []).append(dot.usd_per_accelerator_hour)
    rows = [_worth(catalogue, chip, by_provider) for chip, by_provider in prices.items()]
    return sorted(
        rows, key=lambda row: (row.usd_per_pflop_hour is None, row.usd_per_pflop_hour or 0.0, row.accelerator)
    )


def _worth(catalogue: Catalogue, chip: str, by_provider: dict[str, list[float]]) -> PriceSpread:
    every = [price for prices in by_provider.values() for price in prices]
    middle = median(median(prices) for prices in by_provider.values())
    record = catalogue.accelerators.get(chip)
    rate = record and (record.bf16_dense_tflops or record.fp16_dense_tflops)
    memory = record and record.memory_gb
    return PriceSpread(
        accelerator=chip,
        offers=len(every),
        lowest_usd=min(every),
        median_usd=middle,
        highest_usd=max(every),
        usd_per_pflop_hour=middle / (rate.newest.typical / TFLOP_PER_PFLOP) if rate else None,
        usd_per_gb_hour=middle / memory.newest.typical if memory else None,
    )
