"""The gate: every price that a source says is believed, or it is held with the reason, and the old one stays.

What a price is held against, in this order: the last believed price of the same product (kept, or the catalogue's),
which may move as prices of its class do; what the seller itself asks for the accelerator in other machines; and the
middle of what all ask for it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import get_args

from pricing.belief.constants import constants
from pricing.belief.readings import purchase_price_class
from pricing.catalogue import Catalogue
from pricing.choices import Purchase
from pricing.exchange import rates
from pricing.feeds.feed import ExchangeRateObservation, HostedPriceObservation, Observation
from pricing.feeds.gate_constants import gate_constants
from pricing.feeds.given import NameDecisions
from pricing.feeds.named import FeedNameResolver, Placed
from pricing.feeds.parsing import OfferShapeIndex, Shape, shape_of
from pricing.feeds.product import DOLLAR, AnyPriced, split_observation
from pricing.feeds.store import PriorPrices, Reading
from pricing.feeds.verdict import Reason, ReasonKind
from pricing.query import MILD, price
from pricing.quotes.records import MAX_USD_PER_ACCELERATOR_HOUR

_NO_WHOLE_PRICE = frozenset({"minimum_bid", "component_only", "per_second_service", "rarely_available"})
_FACT = "exchange-rate-"
_PURCHASES = frozenset(get_args(Purchase))


@dataclass(frozen=True)
class Market:
    """What a catalogue knows of prices, arranged to be compared with."""

    catalogue: Catalogue
    names: FeedNameResolver
    shapes: OfferShapeIndex
    usd_of: Mapping[str, float]  # a unit of each currency
    middles: Mapping[tuple[str, bool], float]  # of an accelerator, spot or not
    own: Mapping[tuple[str, str, bool], Sequence[float]]  # what a seller asks for an accelerator

    @classmethod
    def of(
        cls, catalogue: Catalogue, usd_of: Mapping[str, float] | None = None, given: NameDecisions | None = None
    ) -> Market:
        """The market as this catalogue has it; `usd_of` are rates newer than its own."""
        given = NameDecisions() if given is None else given
        catalogue = given.add_new_providers(catalogue)
        own: dict[tuple[str, str, bool], list[float]] = defaultdict(list)
        for offer in catalogue.offers.values():
            asked = price(offer)
            if MILD.issuperset(offer.doubts) and math.isfinite(asked) and asked > 0:
                spot = offer.purchase == "spot"
                own[offer.provider, offer.accelerator, spot].append(asked)
        by_chip: dict[tuple[str, bool], list[float]] = defaultdict(list)
        for (_, chip, spot), of_seller in own.items():  # one vote a seller, however many regions it has
            by_chip[chip, spot].append(median(of_seller))
        known = {code: rate.usd for code, rate in rates(catalogue).items()}
        return cls(
            catalogue, FeedNameResolver(catalogue, given), OfferShapeIndex(catalogue),
            {DOLLAR: 1.0} | known | dict(usd_of or {}),
            {key: median(found) for key, found in by_chip.items()}, own,
        )  # fmt: skip

    def middle(self, accelerator: str, *, spot: bool) -> float | None:
        """The middle of what is asked for an accelerator, or for any that an ambiguous name covers."""
        wide = self.catalogue.ambiguous.get(accelerator)
        names = (accelerator, *(wide.candidates if wide else ()))
        found = [self.middles[name, spot] for name in names if (name, spot) in self.middles]
        if found:
            return median(found)
        if not spot:
            return None
        on_demand = self.middle(accelerator, spot=False)
        return None if on_demand is None else on_demand * constants().votes.spot_over_on_demand


@dataclass
class PriceValidator:
    """Judges what one source says on one day."""

    market: Market
    before: PriorPrices
    day: date

    def reading(self, one: AnyPriced, reply: str) -> Reading:
        """The observation, judged."""
        kind, told, asked = split_observation(one)
        day = min(one.day or self.day, self.day)
        if isinstance(one, Observation):
            usd, reason = self._validate_rental(one, told, day)
        elif isinstance(one, HostedPriceObservation):
            usd, reason = one.input_usd_per_mtoken, self._hosted(one, told, day)
        else:
            usd, reason = one.usd, self._rate(one, told, day)
        finite = usd if usd is not None and math.isfinite(usd) else None
        return Reading(kind, told, asked, finite, reply, day, reason)

    # Machines by the hour

    def _validate_rental(self, one: Observation, told: str, day: date) -> tuple[float | None, Reason | None]:
        rate = self.market.usd_of.get(one.currency.strip().upper())
        wrong = _malformed_kind(one)
        if wrong is not None:
            return None, Reason(wrong)
        usd = None if rate is None else one.price * rate / (one.count if one.per == "instance" else 1)
        placed = self.market.names.placed(one)
        if isinstance(placed, Reason):
            return usd, placed
        if usd is None:
            return None, Reason("unknown_currency", name=one.currency[:20])
        return usd, self._rental_reason(one, placed, told, usd, day)

    def _rental_reason(self, one: Observation, placed: Placed, told: str, usd: float, day: date) -> Reason | None:
        if usd > MAX_USD_PER_ACCELERATOR_HOUR:
            return Reason("huge", usd, factor=MAX_USD_PER_ACCELERATOR_HOUR)
        if _same(self.before.refused.get(told), usd):
            return Reason("as_refused", usd)
        shape = shape_of(placed, one)
        last = self.before.believed.get(told) or self._listed(shape, one)
        if last is not None:
            kind = purchase_price_class(one.purchase, self.market.catalogue.providers[placed.provider])
            spread = constants().classes[kind].spread
            return _moved(usd, last, day, spread, one.count)
        return self._own_price_reason(one, placed, usd) or self._range_reason(one, placed, usd)

    def _own_price_reason(self, one: Observation, placed: Placed, usd: float) -> Reason | None:
        """Whether it is none of its seller's prices for the accelerator, but just what a mistake makes of one."""
        own = self.market.own.get((placed.provider, placed.accelerator, one.purchase == "spot"), ())
        if one.doubts or any(abs(math.log(usd / other)) <= gate_constants().alike for other in own):
            return None
        found = ((_unit_mistake_reason(usd, other, one.count), other) for other in own)
        return next((Reason(kind, usd, other) for kind, other in found if kind is not None), None)

    def _listed(self, shape: Shape, one: Observation) -> tuple[float, date] | None:
        """What the catalogue that ships says of the same thing."""
        offer = self.market.shapes.offer(shape, one.sku)
        figure = None if offer is None else offer.usd_per_accelerator_hour
        return None if figure is None or figure.newest.typical <= 0 else (figure.newest.typical, figure.checked)

    def _range_reason(self, one: Observation, placed: Placed, usd: float) -> Reason | None:
        known = gate_constants()
        middle = self.market.middle(placed.accelerator, spot=one.purchase == "spot")
        if middle is None:
            return None
        least = known.range_factor if _NO_WHOLE_PRICE.isdisjoint(one.doubts) else known.bids_may_be
        if middle / least <= usd <= middle * known.range_factor:
            return None
        return Reason("out_of_range", usd, middle, known.range_factor)

    # Models by the token

    def _hosted(self, one: HostedPriceObservation, told: str, day: date) -> Reason | None:
        asked = [one.input_usd_per_mtoken, one.output_usd_per_mtoken, one.cached_input_usd_per_mtoken]
        given = [number for number in asked if number is not None]
        if not all(math.isfinite(number) and number >= 0 for number in given) or not one.input_usd_per_mtoken > 0:
            return Reason("no_price")
        dearest = max(given)
        if dearest > gate_constants().largest_usd_per_mtoken:
            return Reason("huge", dearest, factor=gate_constants().largest_usd_per_mtoken)
        if _same(self.before.refused.get(told), one.input_usd_per_mtoken):
            return Reason("as_refused", one.input_usd_per_mtoken)
        vendor = self.market.names.vendor(one.vendor)
        if isinstance(vendor, Reason):
            return vendor
        last = self.before.believed.get(told) or self.market.shapes.hosted_price(
            vendor, one.model, split_observation(one)[2]
        )
        return _moved(one.input_usd_per_mtoken, last, day, constants().classes["hosted"].spread) if last else None

    # Currencies

    def _rate(self, one: ExchangeRateObservation, told: str, day: date) -> Reason | None:
        if not math.isfinite(one.usd) or one.usd <= 0:
            return Reason("no_price")
        if _same(self.before.refused.get(told), one.usd):
            return Reason("as_refused", one.usd)
        fact = self.market.catalogue.facts.get(f"{_FACT}{one.code.casefold()}")
        if fact is None:
            return Reason("unknown_currency", one.usd, name=one.code[:20])
        last = self.before.believed.get(told) or (fact.figure.newest.typical, fact.figure.since)
        return _moved(one.usd, last, day, gate_constants().rate_spread)


def lost_many_prices(seen: int, before: int | None) -> bool:
    """Whether a source has lost so many of its prices that it has rather broken than dropped them."""
    known = gate_constants()
    return before is not None and before >= known.least_rows_to_shrink and seen < known.shrunk_share * before


def _malformed_kind(one: Observation) -> ReasonKind | None:
    if not math.isfinite(one.price) or one.price <= 0:
        return "no_price"
    able = 1 <= one.count <= gate_constants().largest_count and one.purchase in _PURCHASES
    return None if able else "no_shape"


def _moved(usd: float, last: tuple[float, date], day: date, spread: float, count: int = 1) -> Reason | None:
    """Whether a price has moved further since it was last believed than prices of its class do."""
    known = gate_constants()
    gap = max((day - last[1]).days, 0)
    most = known.jump_spreads * spread * (1 + gap / known.jump_grows_days)
    if abs(math.log(usd / last[0])) <= most:
        return None
    return Reason(_unit_mistake_reason(usd, last[0], count) or "jump", usd, last[0], math.exp(most))


def _unit_mistake_reason(usd: float, against: float, count: int) -> ReasonKind | None:
    """Whether two prices lie apart by just what a mistake would make of them."""
    ways: Iterable[tuple[ReasonKind, float]] = (
        ("cents", gate_constants().cents),
        ("cents", 1 / gate_constants().cents),
    )
    if count > 1:
        ways = (("per_machine", count), ("per_accelerator", 1 / count), *ways)
    apart = math.log(usd / against)
    return next((kind for kind, factor in ways if abs(apart - math.log(factor)) <= gate_constants().near), None)


def _same(one: float | None, other: float) -> bool:
    return one is not None and abs(math.log(other / one)) <= constants().same_price
