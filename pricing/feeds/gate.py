"""The gate: every price of a source is believed, or it is held with the reason, and the old one stays.

A price is compared, in this order, with the last believed price of the same product (kept, or the catalogue's), which
may move as prices of its class do; with the seller's own prices of the accelerator in other machines; and with the
median price of all sellers.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from statistics import median
from typing import Annotated, get_args

from pydantic import Field

from pricing import strict_yaml
from pricing.belief.readings import constants, purchase_price_class
from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.choices import Purchase
from pricing.exchange import rates
from pricing.feeds.feed import (
    DOLLAR,
    AnyPriced,
    ExchangeRateObservation,
    GateReason,
    HostedPriceObservation,
    Observation,
    ReasonKind,
    split_observation,
)
from pricing.feeds.given import NameDecisions
from pricing.feeds.named import FeedNameResolver, OfferShapeIndex, ResolvedProduct, shape_of
from pricing.feeds.store import JudgedPrice, PriorPrices
from pricing.figure import StrictModel, Text
from pricing.query import MILD, price
from pricing.quotes.records import MAX_USD_PER_ACCELERATOR_HOUR

FILE = Path(__file__).parent / "gate.yaml"

_Positive = Annotated[float, Field(gt=0)]
_Days = Annotated[int, Field(gt=0)]


class ValidationConstants(StrictModel):
    """All of them."""

    about: Text = Field(description="what the file holds, and where it came from")
    source: Text = Field(description="the decision that says why")
    jump_spreads: _Positive = Field(description="half widths of a repricing of its class that a jump may have; log")
    jump_grows_days: _Days = Field(description="after so many days without a reading it may be twice as large")
    rate_spread: _Positive = Field(description="the half width of an exchange rate; log")
    range_factor: _Positive = Field(description="times the middle of the accelerator, or a part of it")
    near: _Positive = Field(description="what lies so close to a factor is that factor; log")
    alike: _Positive = Field(description="a price no further from another of its seller is no mistake; log")
    cents: _Positive = Field(description="in a dollar")
    bids_may_be: _Positive = Field(description="so many times below the middle, for what is no whole price")
    largest_count: _Days = Field(description="accelerators in one rented machine")
    largest_usd_per_mtoken: _Positive = Field(description="nobody asks more for a million tokens")
    shrunk_share: _Positive = Field(description="a source with less of its last prices has lost some")
    least_rows_to_shrink: _Days = Field(description="prices that a source must have had for that")
    old_days: _Days = Field(description="a reading of an older day is history")


@cached(1)
def gate_constants() -> ValidationConstants:
    """Return the numbers, read once."""
    return ValidationConstants.model_validate(strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name))


_PARTIAL_PRICE = frozenset({"minimum_bid", "component_only", "per_second_service", "rarely_available"})
_FACT = "exchange-rate-"
_PURCHASES = frozenset(get_args(Purchase))


@dataclass(frozen=True)
class MarketPrices:
    """The prices of a catalogue, arranged to be compared with."""

    catalogue: Catalogue
    names: FeedNameResolver
    shapes: OfferShapeIndex
    usd_of: Mapping[str, float]  # a unit of each currency
    medians: Mapping[tuple[str, bool], float]  # of an accelerator, spot or not
    own: Mapping[tuple[str, str, bool], Sequence[float]]  # a seller's prices of an accelerator, spot or not

    @classmethod
    def of(
        cls, catalogue: Catalogue, usd_of: Mapping[str, float] | None = None, given: NameDecisions | None = None
    ) -> MarketPrices:
        """Return the market of this catalogue; `usd_of` are rates newer than its own."""
        given = NameDecisions() if given is None else given
        catalogue = given.add_new_providers(catalogue)
        own: dict[tuple[str, str, bool], list[float]] = defaultdict(list)
        for offer in catalogue.offers.values():
            usd = price(offer)
            if MILD.issuperset(offer.doubts) and math.isfinite(usd) and usd > 0:
                own[offer.provider, offer.accelerator, offer.purchase == "spot"].append(usd)
        by_chip: dict[tuple[str, bool], list[float]] = defaultdict(list)
        for (_, chip, spot), of_seller in own.items():  # one vote a seller, however many regions it has
            by_chip[chip, spot].append(median(of_seller))
        catalogue_rates = {code: rate.usd for code, rate in rates(catalogue).items()}
        return cls(
            catalogue, FeedNameResolver(catalogue, given), OfferShapeIndex(catalogue),
            {DOLLAR: 1.0} | catalogue_rates | dict(usd_of or {}),
            {key: median(prices) for key, prices in by_chip.items()}, own,
        )  # fmt: skip

    def median(self, accelerator: str, *, spot: bool) -> float | None:
        """Return the median price of an accelerator, or of all that an ambiguous name covers."""
        ambiguous = self.catalogue.ambiguous.get(accelerator)
        names = (accelerator, *(ambiguous.candidates if ambiguous else ()))
        prices = [self.medians[name, spot] for name in names if (name, spot) in self.medians]
        if prices:
            return median(prices)
        on_demand = self.median(accelerator, spot=False) if spot else None
        return None if on_demand is None else on_demand * constants().votes.spot_over_on_demand


@dataclass
class PriceValidator:
    """Judges the prices of one source on one day."""

    market: MarketPrices
    before: PriorPrices
    day: date

    def reading(self, observation: AnyPriced, reply: str) -> JudgedPrice:
        kind, product, price = split_observation(observation)
        day = min(observation.day or self.day, self.day)
        usd: float | None
        if isinstance(observation, Observation):
            usd, reason = self._rental(observation, product, day)
        elif isinstance(observation, HostedPriceObservation):
            usd, reason = observation.input_usd_per_mtoken, self._hosted(observation, product, day)
        else:
            usd, reason = observation.usd, self._rate(observation, product, day)
        finite = usd if usd is not None and math.isfinite(usd) else None
        return JudgedPrice(kind, product, price, finite, reply, day, reason)

    # Machines by the hour

    def _rental(self, observation: Observation, product: str, day: date) -> tuple[float | None, GateReason | None]:
        if not math.isfinite(observation.price) or observation.price <= 0:
            return None, GateReason("no_price")
        if not 1 <= observation.count <= gate_constants().largest_count or observation.purchase not in _PURCHASES:
            return None, GateReason("no_shape")
        rate = self.market.usd_of.get(observation.currency.strip().upper())
        per = observation.count if observation.per == "instance" else 1
        usd = None if rate is None else observation.price * rate / per
        resolved = self.market.names.placed(observation)
        if isinstance(resolved, GateReason):
            return usd, resolved
        if usd is None:
            return None, GateReason("unknown_currency", name=observation.currency[:20])
        return usd, self._rental_reason(observation, resolved, product, usd, day)

    def _rental_reason(
        self, observation: Observation, resolved: ResolvedProduct, product: str, usd: float, day: date
    ) -> GateReason | None:
        if usd > MAX_USD_PER_ACCELERATOR_HOUR:
            return GateReason("huge", usd, factor=MAX_USD_PER_ACCELERATOR_HOUR)
        if _same(self.before.refused.get(product), usd):
            return GateReason("as_refused", usd)
        last = self.before.believed.get(product) or self._listed(resolved, observation)
        if last is None:
            return self._compared_with_others(observation, resolved, usd)
        kind = purchase_price_class(observation.purchase, self.market.catalogue.providers[resolved.provider])
        return _moved(usd, last, day, constants().classes[kind].spread, observation.count)

    def _listed(self, resolved: ResolvedProduct, observation: Observation) -> tuple[float, date] | None:
        """Return the bundled catalogue's price of the same product, and its day."""
        offer = self.market.shapes.offer(shape_of(resolved, observation), observation.sku)
        figure = None if offer is None else offer.usd_per_accelerator_hour
        return None if figure is None or figure.newest.typical <= 0 else (figure.newest.typical, figure.checked)

    def _compared_with_others(
        self, observation: Observation, resolved: ResolvedProduct, usd: float
    ) -> GateReason | None:
        """Hold a price that is a usual mistake of one of its seller's, or far from the accelerator's median."""
        facts, spot = gate_constants(), observation.purchase == "spot"
        own = self.market.own.get((resolved.provider, resolved.accelerator, spot), ())
        if not observation.doubts and not any(abs(math.log(usd / other)) <= facts.alike for other in own):
            for other in own:
                if kind := _unit_mistake(usd, other, observation.count):
                    return GateReason(kind, usd, other)
        middle = self.market.median(resolved.accelerator, spot=spot)
        least = facts.range_factor if _PARTIAL_PRICE.isdisjoint(observation.doubts) else facts.bids_may_be
        if middle is None or middle / least <= usd <= middle * facts.range_factor:
            return None
        return GateReason("out_of_range", usd, middle, facts.range_factor)

    # Models by the token

    def _hosted(self, observation: HostedPriceObservation, product: str, day: date) -> GateReason | None:
        usd = observation.input_usd_per_mtoken
        prices = (usd, observation.output_usd_per_mtoken, observation.cached_input_usd_per_mtoken)
        given = [price for price in prices if price is not None]
        if not all(math.isfinite(price) and price >= 0 for price in given) or not usd > 0:
            return GateReason("no_price")
        if max(given) > gate_constants().largest_usd_per_mtoken:
            return GateReason("huge", max(given), factor=gate_constants().largest_usd_per_mtoken)
        if _same(self.before.refused.get(product), usd):
            return GateReason("as_refused", usd)
        vendor = self.market.names.vendor(observation.vendor)
        if isinstance(vendor, GateReason):
            return vendor
        listed = self.market.shapes.hosted_price(replace(observation, vendor=vendor), split_observation(observation)[2])
        last = self.before.believed.get(product) or listed
        return _moved(usd, last, day, constants().classes["hosted"].spread) if last else None

    # Currencies

    def _rate(self, observation: ExchangeRateObservation, product: str, day: date) -> GateReason | None:
        usd = observation.usd
        if not math.isfinite(usd) or usd <= 0:
            return GateReason("no_price")
        if _same(self.before.refused.get(product), usd):
            return GateReason("as_refused", usd)
        fact = self.market.catalogue.facts.get(f"{_FACT}{observation.code.casefold()}")
        if fact is None:
            return GateReason("unknown_currency", usd, name=observation.code[:20])
        last = self.before.believed.get(product) or (fact.figure.newest.typical, fact.figure.since)
        return _moved(usd, last, day, gate_constants().rate_spread)


def lost_many_prices(seen: int, before: int | None) -> bool:
    """Return whether a source has lost so many prices that it has rather broken than dropped them."""
    facts = gate_constants()
    return before is not None and before >= facts.least_rows_to_shrink and seen < facts.shrunk_share * before


def _moved(usd: float, last: tuple[float, date], day: date, spread: float, count: int = 1) -> GateReason | None:
    """Return a reason where a price has moved further since it was last believed than prices of its class do."""
    facts = gate_constants()
    gap = max((day - last[1]).days, 0)
    most = facts.jump_spreads * spread * (1 + gap / facts.jump_grows_days)
    if abs(math.log(usd / last[0])) <= most:
        return None
    return GateReason(_unit_mistake(usd, last[0], count) or "jump", usd, last[0], math.exp(most))


def _unit_mistake(usd: float, against: float, count: int) -> ReasonKind | None:
    """Return the mistake of units that would turn one price into the other."""
    cents, near = gate_constants().cents, gate_constants().near
    mistakes: list[tuple[ReasonKind, float]] = [("cents", cents), ("cents", 1 / cents)]
    if count > 1:
        mistakes[:0] = [("per_machine", count), ("per_accelerator", 1 / count)]
    ratio = math.log(usd / against)
    return next((kind for kind, factor in mistakes if abs(ratio - math.log(factor)) <= near), None)


def _same(refused: float | None, usd: float) -> bool:
    return refused is not None and abs(math.log(usd / refused)) <= constants().same_price
