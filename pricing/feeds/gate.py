"""The gate: every price of a source is believed, or it is held with the reason, and the old one stays.

Every price is compared with the last one of an earlier day of the same product (kept, or the catalogue's), which may
move as prices of its class do, in a step, in 30 and in 90 days, and further where other sources moved so; with the
seller's own prices of the accelerator in other machines; and with the median price of all sellers. One that moves far
alone waits for a second reading on another day or of another source.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from typing import Annotated, get_args

from pydantic import Field

from pricing import strict_yaml
from pricing.belief.readings import Positive, constants, purchase_price_class
from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.choices import Purchase
from pricing.exchange import FACT, rates
from pricing.feeds.agreement import WINDOWS, Content, Dated, MarketMoves, Subject, Topic, anchors, near, within
from pricing.feeds.feed import (
    DOLLAR,
    AnyPriced,
    ExchangeRateObservation,
    GateReason,
    HostedPriceObservation,
    InterruptionObservation,
    Observation,
    ReasonKind,
    joined,
    split_observation,
)
from pricing.feeds.given import NameDecisions
from pricing.feeds.named import FeedNameResolver, OfferShapeIndex, ResolvedProduct, offer_shapes, shape_of
from pricing.feeds.store import JudgedPrice, LivePriceStore, PriorPrices
from pricing.figure import StrictModel, Text
from pricing.names import plain
from pricing.query import MILD, price
from pricing.quotes.records import MAX_USD_PER_ACCELERATOR_HOUR

FILE = Path(__file__).parent / "gate.yaml"

_Days = Annotated[int, Field(gt=0)]


class ValidationConstants(StrictModel):
    """All of them."""

    about: Text = Field(description="what the file holds, and where it came from")
    source: Text = Field(description="the decision that says why")
    jump_spreads: Positive = Field(description="half widths of a repricing of its class that a jump may have; log")
    jump_grows_days: _Days = Field(description="after so many days without a reading it may be twice as large")
    drift_of_jump: dict[int, Positive] = Field(description="jumps that a drift may have, by its days")
    far_spreads: Positive = Field(description="half widths from where on a move waits for a second reading")
    agree: Positive = Field(description="two readings that lie so close say the same; log")
    recent_days: _Days = Field(description="a reading of so many days is one of now")
    rate_spread: Positive = Field(description="the half width of an exchange rate; log")
    range_factor: Positive = Field(description="times the middle of the accelerator, or a part of it")
    near: Positive = Field(description="what lies so close to a factor is that factor; log")
    alike: Positive = Field(description="a price no further from another of its seller is no mistake; log")
    cents: Positive = Field(description="in a dollar")
    bids_may_be: Positive = Field(description="so many times below the middle, for what is no whole price")
    largest_count: _Days = Field(description="accelerators in one rented machine")
    largest_usd_per_mtoken: Positive = Field(description="nobody asks more for a million tokens")
    shrunk_share: Positive = Field(description="a source with less of its last prices has lost some")
    least_rows_to_shrink: _Days = Field(description="prices that a source must have had for that")
    old_days: _Days = Field(description="a reading of an older day is history")


@cached(1)
def gate_constants() -> ValidationConstants:
    """Return the numbers, read once."""
    return ValidationConstants.model_validate(strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name))


_PARTIAL_PRICE = frozenset({"minimum_bid", "component_only", "per_second_service", "rarely_available"})
MOVES: frozenset[ReasonKind] = frozenset({"jump", "drift", "alone"})  # of a price that others may still confirm
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
    moves: MarketMoves = field(default_factory=MarketMoves)

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
            catalogue, FeedNameResolver(catalogue, given), offer_shapes(catalogue),
            {DOLLAR: 1.0} | catalogue_rates | dict(usd_of or {}),
            {key: median(prices) for key, prices in by_chip.items()}, own,
        )  # fmt: skip

    def subject(self, observation: AnyPriced) -> Subject | None:
        """Return what a price is about. None: a name of it is unknown, or it is no price of a seller."""
        if isinstance(observation, Observation):
            resolved = self.names.placed(observation)
            if isinstance(resolved, GateReason):
                return None
            price_class = purchase_price_class(observation.purchase, self.catalogue.providers[resolved.provider])
            topic = Topic(resolved.accelerator, observation.purchase == "spot")
            return Subject(topic, resolved.provider, observation.purchase, price_class)
        vendor = self.names.vendor(observation.vendor) if isinstance(observation, HostedPriceObservation) else None
        if not isinstance(observation, HostedPriceObservation) or not isinstance(vendor, str):
            return None
        return Subject(Topic(f"{plain(observation.model)} {observation.tier}"), vendor, "hosted", "hosted")

    def covers(self, observation: AnyPriced) -> str:
        """Return which accelerator, vendor or currency a price is of; empty where its name is unknown."""
        if isinstance(observation, ExchangeRateObservation):
            return observation.code
        if isinstance(observation, HostedPriceObservation):
            vendor = self.names.vendor(observation.vendor)
            return vendor if isinstance(vendor, str) else ""
        if isinstance(observation, InterruptionObservation):
            return observation.accelerator
        resolved = self.names.placed(observation)
        return "" if isinstance(resolved, GateReason) else resolved.accelerator

    def remember(self, store: LivePriceStore, day: date) -> None:
        """Note what all sources said of late, believed and held."""
        oldest, late = day - timedelta(days=WINDOWS[-1] + 30), day - timedelta(days=gate_constants().recent_days)
        known: dict[tuple[str, str], list[Dated]] = {}
        lists: dict[str, list[Content]] = defaultdict(list)
        about = store.sources()
        for source, _, product, days in store.histories(oldest):
            key = source, split_observation(product)[1]
            known[key] = [(usd, date.fromisoformat(read)) for read, usd, _ in days]
            if about[source][0].via == "third_party":
                lists[source].append(content(product))
            if known[key][-1][1] >= late:
                self.note(source, product, known[key][-1][0], known[key], day)
        for source, every in lists.items():
            self.moves.collect(source, every)
        for held in store.held(day):
            if held.day >= late and held.usd is not None and held.usd > 0:
                product, before = joined(held.kind, held.what, held.observed), known.get((held.source, held.what), [])
                self.note(held.source, product, held.usd, before, day)

    def note(self, source: str, product: AnyPriced, usd: float, history: Sequence[Dated], day: date) -> None:
        """Note a price that was read."""
        if subject := self.subject(product):
            starts = [usd for usd, _ in anchors(history, day, self.listed(product))] or [usd] * len(WINDOWS)
            self.moves.add(subject, source, split_observation(product)[1], usd, starts)

    def listed(self, observation: AnyPriced) -> Dated | None:
        """Return the bundled catalogue's price of the same product, and its day."""
        if isinstance(observation, HostedPriceObservation):
            vendor = self.names.vendor(observation.vendor)
            named = replace(observation, vendor=vendor if isinstance(vendor, str) else "")
            return self.shapes.hosted_price(named, split_observation(observation)[2])
        if isinstance(observation, ExchangeRateObservation):
            fact = self.catalogue.facts.get(f"{FACT}{observation.code.casefold()}")
            return None if fact is None else (fact.figure.newest.typical, fact.figure.since)
        resolved = self.names.placed(observation) if isinstance(observation, Observation) else None
        if not isinstance(observation, Observation) or not isinstance(resolved, ResolvedProduct):
            return None
        offer = self.shapes.offer(shape_of(resolved, observation), observation.sku)
        figure = None if offer is None else offer.usd_per_accelerator_hour
        return None if figure is None or figure.newest.typical <= 0 else (figure.newest.typical, figure.checked)

    def median(self, accelerator: str, *, spot: bool) -> float | None:
        """Return the median price of an accelerator, or of all that an ambiguous name covers."""
        ambiguous = self.catalogue.ambiguous.get(accelerator)
        names = (accelerator, *(ambiguous.candidates if ambiguous else ()))
        prices = [self.medians[name, spot] for name in names if (name, spot) in self.medians]
        if prices:
            return median(prices)
        on_demand = self.median(accelerator, spot=False) if spot else None
        return None if on_demand is None else on_demand * constants().votes.spot_over_on_demand


def content(observation: AnyPriced) -> Content:
    """Return a price as lists have it, whatever else they say of it."""
    kind, product, price = split_observation(observation)
    if isinstance(observation, Observation):
        name = plain(observation.seller), plain(observation.accelerator), observation.count, observation.region
        return kind, *name, observation.purchase, price.price
    if isinstance(observation, HostedPriceObservation):
        return kind, plain(observation.vendor), plain(observation.model), observation.tier, price.price
    return kind, product, price.price


@dataclass
class PriceValidator:
    """Judges the prices of one source on one day."""

    market: MarketPrices
    before: PriorPrices
    day: date
    source: str = ""
    _allowed: dict[Subject, list[tuple[float, float]]] = field(default_factory=dict)

    def reading(self, observation: AnyPriced, reply: str) -> JudgedPrice:
        kind, product, price = split_observation(observation)
        day = min(observation.day or self.day, self.day)
        usd: float | None
        if isinstance(observation, Observation):
            usd, reason = self._rental(observation, product)
        elif isinstance(observation, HostedPriceObservation):
            usd, reason = observation.input_usd_per_mtoken, self._hosted(observation, product)
        elif isinstance(observation, ExchangeRateObservation):
            usd, reason = observation.usd, self._rate(observation, product)
        else:
            known = observation.accelerator in self.market.catalogue.accelerators
            usd, reason = observation.share, None if known and 0 < observation.share < 1 else GateReason("no_price")
        finite = usd if usd is not None and math.isfinite(usd) else None
        if finite is not None and finite > 0 and (reason is None or reason.kind in MOVES):
            self.market.note(self.source, observation, finite, self.before.history.get(product, ()), self.day)
        return JudgedPrice(kind, product, price, finite, reply, day, reason)

    # Machines by the hour

    def _rental(self, observation: Observation, product: str) -> tuple[float | None, GateReason | None]:
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
        return usd, self._rental_reason(observation, resolved, product, usd)

    def _rental_reason(
        self, observation: Observation, resolved: ResolvedProduct, product: str, usd: float
    ) -> GateReason | None:
        if usd > MAX_USD_PER_ACCELERATOR_HOUR:
            return GateReason("huge", usd, factor=MAX_USD_PER_ACCELERATOR_HOUR)
        if _same(self.before.refused.get(product), usd):
            return GateReason("as_refused", usd)
        others = self._compared_with_others(observation, resolved, usd)
        last = self._last(observation, product)
        if last is None:
            return others
        return self._moved(observation, product, usd, last) or (others if self._was_in_range(last, others) else None)

    def _last(self, observation: AnyPriced, product: str) -> Dated | None:
        """Return the price before this day: what was believed, else the catalogue's, else the first of this day."""
        today = self.before.history.get(product, ())[:1]
        last = self.before.believed.get(product) or self._listed(observation, product)
        return last or (today[0] if today else None)

    def _listed(self, observation: AnyPriced, product: str) -> Dated | None:
        """Return the bundled catalogue's price, unless a person accepted another since."""
        return None if product in self.before.accepted else self.market.listed(observation)

    def _was_in_range(self, last: Dated, others: GateReason | None) -> bool:
        """Return whether a price that is out of range was nearer before: else somebody has accepted it there."""
        if others is None or others.against is None or others.usd is None:
            return False
        now, before = (abs(math.log(usd / others.against)) for usd in (others.usd, last[0]))
        return now > before + gate_constants().agree

    def _moved(self, observation: AnyPriced, product: str, usd: float, last: Dated) -> GateReason | None:
        """Return a reason where a price moved in a step, or by and by, as neither its class nor the market does."""
        subject, facts = self.market.subject(observation), gate_constants()
        if subject is None:
            return None
        market, spread = self._market_of(subject), constants().classes[subject.price_class].spread
        step, gap = math.log(usd / last[0]), max((self.day - last[1]).days, 0)
        jump = facts.jump_spreads * spread
        if not within(step, _grown(jump, gap), market[0]):
            count = observation.count if isinstance(observation, Observation) else 1
            return GateReason(_unit_mistake(usd, last[0], count) or "jump", usd, last[0], math.exp(_grown(jump, gap)))
        starts = anchors(self.before.history.get(product, ()), self.day, self._listed(observation, product))
        for (before, since), window, moved in zip(starts, WINDOWS, market, strict=False):
            most = _grown(jump * facts.drift_of_jump[window], max((self.day - since).days - window, 0))
            if not within(math.log(usd / before), most, moved):
                return GateReason("drift", usd, before, math.exp(most))
        far = facts.far_spreads * spread
        if gap > WINDOWS[0] or within(step, far, market[0]) or self._said_again(product, usd, last[0], far):
            return None
        if self.market.moves.agrees(subject, self.source, usd, facts.agree):
            return None
        return GateReason("alone", usd, last[0], math.exp(far))

    def _said_again(self, product: str, usd: float, last: float, far: float) -> bool:
        """Return whether the reading of an earlier day said the same, or went far the same way."""
        earlier = self.before.earlier.get(product)
        if not earlier or earlier <= 0:
            return False
        move = math.log(earlier / last) * math.copysign(1.0, usd - last)
        return move > far or near(usd, earlier, gate_constants().agree)

    def _market_of(self, subject: Subject) -> list[tuple[float, float]]:
        """Return the moves of other sources, which are the same for all that this source says."""
        if subject not in self._allowed:
            self._allowed[subject] = self.market.moves.allowed(subject, self.source)
        return self._allowed[subject]

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

    def _hosted(self, observation: HostedPriceObservation, product: str) -> GateReason | None:
        usd = observation.input_usd_per_mtoken
        prices = (usd, observation.output_usd_per_mtoken, observation.cached_input_usd_per_mtoken)
        given = [price for price in prices if price is not None]
        if not all(math.isfinite(price) and price >= 0 for price in given) or not usd > 0:
            return GateReason("no_price")
        if max(given) > gate_constants().largest_usd_per_mtoken:
            return GateReason("huge", max(given), factor=gate_constants().largest_usd_per_mtoken)
        if _same(self.before.refused.get(product), usd):
            return GateReason("as_refused", usd)
        vendor, last = self.market.names.vendor(observation.vendor), self._last(observation, product)
        if isinstance(vendor, GateReason):
            return vendor
        return self._moved(observation, product, usd, last) if last else None

    # Currencies

    def _rate(self, observation: ExchangeRateObservation, product: str) -> GateReason | None:
        usd = observation.usd
        if not math.isfinite(usd) or usd <= 0:
            return GateReason("no_price")
        if _same(self.before.refused.get(product), usd):
            return GateReason("as_refused", usd)
        last = self._last(observation, product)
        if last is None:
            return GateReason("unknown_currency", usd, name=observation.code[:20])
        most = _grown(gate_constants().jump_spreads * gate_constants().rate_spread, max((self.day - last[1]).days, 0))
        if abs(math.log(usd / last[0])) <= most:
            return None
        return GateReason(_unit_mistake(usd, last[0], 1) or "jump", usd, last[0], math.exp(most))


def lost_many_prices(seen: int, before: int | None) -> bool:
    """Return whether a source has lost so many prices that it has rather broken than dropped them."""
    facts = gate_constants()
    return before is not None and before >= facts.least_rows_to_shrink and seen < facts.shrunk_share * before


def _grown(most: float, days: int) -> float:
    """Return a bound in logarithms that is twice as wide after so many days without a reading."""
    return most * (1 + days / gate_constants().jump_grows_days)


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
