"""Price histories, with gaps left as gaps; and the spread of prices per accelerator, PFLOP/s and GB."""

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
class PriceHistory:
    """One line of the chart: days and prices, None inside a gap."""

    key: str
    label: str
    purchase: str
    measure: str
    days: tuple[date, ...]
    usd: tuple[float | None, ...]

    @property
    def points(self) -> int:
        """The number of readings."""
        return sum(price is not None for price in self.usd)


def histories(catalogue: Catalogue, accelerator: str, most: int = 10) -> list[PriceHistory]:
    """Return the longest histories of an accelerator: indices and medians first, then offers, most readings first."""
    keys = {accelerator} | {key for key, wide in catalogue.ambiguous.items() if accelerator in wide.candidates}
    series_and_offers = [
        _history(key, series.label, series.purchase, series.measure, series.usd_per_accelerator_hour)
        for key, series in catalogue.series.items()
        if series.accelerator in keys
    ]
    for key, offer in catalogue.offers.items():
        figure = offer.usd_per_accelerator_hour
        if offer.accelerator == accelerator and figure is not None:
            product = offer.sku or f"{offer.accelerators_per_instance}x"
            label = f"{catalogue.providers[offer.provider].label} {product}, {offer.region}"
            series_and_offers.append(_history(key, label, offer.purchase, "list", figure))
    longest = (history for history in series_and_offers if history.points >= FEWEST_POINTS)
    return sorted(longest, key=lambda history: (history.measure != "index", -history.points, history.key))[:most]


def _history(key: str, label: str, purchase: str, measure: str, figure: Figure) -> PriceHistory:
    readings = sorted((day, value.typical) for day, value in figure.values.items())
    points: list[tuple[date, float | None]] = []
    for (day, price), (next_day, _) in pairwise([*readings, readings[-1]]):
        points.append((day, price))
        if (next_day - day).days > LONGEST_STEP_DAYS:
            points.append((day + (next_day - day) / 2, None))
    days, prices = zip(*points, strict=True)
    return PriceHistory(key, label, purchase, measure, days, prices)


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
    """The prices of one accelerator, and its median price per PFLOP/s and per GB."""

    accelerator: str
    offers: int
    lowest_usd: float
    median_usd: float
    highest_usd: float
    usd_per_pflop_hour: float | None
    usd_per_gb_hour: float | None


def dots(catalogue: Catalogue, offers: tuple[str, ...], day: date) -> list[PricedOffer]:
    """Return the priced offers among `offers`, each at its estimated price on a day."""
    prices = zip(offers, in_their_markets(catalogue, day, offers).typical.tolist(), strict=True)
    records = ((key, catalogue.offers[key], usd) for key, usd in prices if isfinite(usd))
    kinds = catalogue.providers
    return [PricedOffer(key, offer.accelerator, kinds[offer.provider].kind, usd) for key, offer, usd in records]


def worth(catalogue: Catalogue, offers: tuple[str, ...], day: date) -> list[PriceSpread]:
    """Return the price spread of each accelerator, and its median price for 1 PFLOP/s (16 bit, dense) and 1 GB.

    Each provider counts once, with the median of its offers, so that one with 200 regions does not drown the others.
    """
    prices: dict[str, dict[str, list[float]]] = {}
    for dot in dots(catalogue, offers, day):
        by_provider = prices.setdefault(dot.accelerator, {})
        by_provider.setdefault(catalogue.offers[dot.offer].provider, []).append(dot.usd_per_accelerator_hour)
    spreads = [_price_spread(catalogue, key, by_provider) for key, by_provider in prices.items()]
    return sorted(
        spreads, key=lambda row: (row.usd_per_pflop_hour is None, row.usd_per_pflop_hour or 0.0, row.accelerator)
    )


def _price_spread(catalogue: Catalogue, key: str, by_provider: dict[str, list[float]]) -> PriceSpread:
    prices = [price for provider_prices in by_provider.values() for price in provider_prices]
    middle = median(median(provider_prices) for provider_prices in by_provider.values())
    record = catalogue.accelerators.get(key)
    rate = record and (record.bf16_dense_tflops or record.fp16_dense_tflops)
    memory = record and record.memory_gb
    return PriceSpread(
        accelerator=key, offers=len(prices), lowest_usd=min(prices), median_usd=middle, highest_usd=max(prices),
        usd_per_pflop_hour=middle / (rate.newest.typical / TFLOP_PER_PFLOP) if rate else None,
        usd_per_gb_hour=middle / memory.newest.typical if memory else None,
    )  # fmt: skip
