"""From the store to its changes of a catalogue: the source that counts, since when, and for which offer."""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import count
from operator import itemgetter
from statistics import median_high
from typing import Any, get_args

from pydantic import ValidationError

from pricing.belief.readings import constants
from pricing.catalogue import Catalogue
from pricing.choices import Fabric
from pricing.feeds.feed import (
    DEAREST_HOURS,
    AnyPriced,
    ExchangeRateObservation,
    HostedPriceObservation,
    InterruptionObservation,
    Observation,
    ObservedPrice,
    split_observation,
)
from pricing.feeds.gate import gate_constants
from pricing.feeds.machines import counts_machines
from pricing.feeds.named import (
    LASTING,
    NOT_STATED,
    FeedNameResolver,
    OfferShape,
    OfferShapeIndex,
    ResolvedProduct,
    offer_shapes,
    shape_of,
)
from pricing.feeds.store import LivePriceStore
from pricing.feeds.written import SourceInfo
from pricing.names import plain
from pricing.records import ListingDoubt, Offer

Row = list[Any]
SHAPE = ("provider", "accelerator", "accelerators_per_instance", "region", "area", "purchase", "sku", "vcpus", "ram_gb",
         "countries", "doubts", "fabric")  # fmt: skip


@dataclass
class LivePriceOverlay:
    """All that live prices change."""

    offers: list[Row] = field(default_factory=list)
    hosted: list[Row] = field(default_factory=list)
    rates: list[Row] = field(default_factory=list)
    sources: dict[str, list[str]] = field(default_factory=dict)  # label, page, licence, via, day
    sellers: dict[str, list[str]] = field(default_factory=dict)  # label and note of those that the catalogue lacks
    digest: str = ""  # of all that


INTERRUPTIONS = "spot-interruptions-"  # of the ids of facts, before the accelerator
ANY_INTERRUPTIONS = f"{INTERRUPTIONS}per-hour"  # of an accelerator without a fact of its own
_RUN_HOURS = (730.0, 24.0, 4.0)  # of the runs of which such a share is taken back: as in the facts that ship
_NEARLY_AS_FRESH_DAYS = 1  # a first-hand price may be so much older than a second-hand one and still win
_FIRST_HAND = "price_api"
_DOUBTS = frozenset(get_args(ListingDoubt))
_FABRICS = frozenset(get_args(Fabric))
_PLAIN_ID = str.maketrans(dict.fromkeys(" ,;:'\"()[]{}*?&#%=@!|\\<>", "-"))
_LONGEST_ID = 150


@dataclass(slots=True)
class _ProductPrices:
    """The prices of one product of one source through time."""

    source: str
    product: Observation
    resolved: ResolvedProduct
    days: list[str]
    usd: list[float]
    free: int | None

    def on(self, day: str) -> float | None:
        """Return the price on a day between its first and its last."""
        if not self.days[0] <= day <= self.days[-1]:
            return None
        return next(usd for read, usd in zip(reversed(self.days), reversed(self.usd), strict=True) if read <= day)


Key = tuple[OfferShape, str]


def build_overlay(catalogue: Catalogue, store: LivePriceStore) -> LivePriceOverlay:
    """Return the changes of a catalogue by the store; products that its names no longer fit are left out."""
    sources, day, overlay = store.sources(), store.newest_day(), LivePriceOverlay()
    if day is None:
        return overlay
    decisions = store.given()
    catalogue = decisions.add_new_providers(catalogue)
    shapes = offer_shapes(catalogue)
    rented, hosted, rates = _read(FeedNameResolver(catalogue, decisions), store, day, sources)
    overlay.hosted = _best_hosted_rows(filter(None, (_hosted_row(catalogue, shapes, *it) for it in hosted)), sources)
    ids = set(catalogue.offers)
    for key, (shape, machine, among) in _by_key(_by_shape(_best_sources(rented, sources), shapes), shapes).items():
        if not isinstance(key, str) and shapes.is_vague(shape, machine) and not _is_first_hand(among, sources):
            continue
        row = _offer_row(catalogue, key, shape, machine, among)
        if row is not None:
            # Ids leave out some marks of regions and machines; where two become the same they are counted.
            numbered = (f"{row[0]}/{n}" if n > 1 else row[0] for n in count(1))
            row[0] = next(each for each in numbered if each not in ids) if row[-1] is not None else row[0]
            ids.add(row[0])
            overlay.offers.append(row)
    overlay.rates = _rate_rows(catalogue, rates)
    sold = {row[-1][0] for row in overlay.offers if row[-1] is not None}
    sellers = decisions.sellers().items()
    overlay.sellers = {key: [seller.label, seller.note or ""] for key, seller in sellers if key in sold}
    for name in sorted({row[1] for row in (*overlay.offers, *overlay.hosted, *overlay.rates)}):
        about, read_on = sources[name]
        overlay.sources[name] = [about.label, about.page, about.licence, about.via, read_on.isoformat()]
    every = [overlay.offers, overlay.hosted, overlay.rates, overlay.sources, overlay.sellers]
    overlay.digest = hashlib.sha256(json.dumps(every, separators=(",", ":"), sort_keys=True).encode()).hexdigest()
    return overlay


DatedFact = tuple[str, ExchangeRateObservation | InterruptionObservation, str]  # with its source and its day
HostedHistory = tuple[str, HostedPriceObservation, list[tuple[str, ObservedPrice]]]


def _read(
    names: FeedNameResolver, store: LivePriceStore, day: date, sources: Sources
) -> tuple[list[_ProductPrices], list[HostedHistory], list[DatedFact]]:
    rented: list[_ProductPrices] = []
    hosted: list[HostedHistory] = []
    rates: list[DatedFact] = []
    for source, _, product, history in store.histories(day - timedelta(days=gate_constants().old_days)):
        if source not in sources:
            continue
        if isinstance(product, HostedPriceObservation):
            if isinstance(vendor := names.vendor(product.vendor), str):
                hosted.append((source, replace(product, vendor=vendor), [(read, price) for read, _, price in history]))
        elif isinstance(product, ExchangeRateObservation | InterruptionObservation):
            rates.append((source, product, history[-1][0]))
        elif isinstance(resolved := names.placed(product), ResolvedProduct):
            usd_on = {read: usd for read, usd, _ in history}
            free = history[-1][2].free
            rented.append(_ProductPrices(source, product, resolved, list(usd_on), list(usd_on.values()), free))
    return rented, hosted, rates


def best_products(
    catalogue: Catalogue, store: LivePriceStore, sources: Sources
) -> Iterator[tuple[str, AnyPriced, str]]:
    """Yield what these sources say of everything, each product of the source that counts, and the day it was read."""
    day, decisions = store.newest_day(), store.given()
    if day is None:
        return
    names = FeedNameResolver(decisions.add_new_providers(catalogue), decisions)
    rented, hosted, rates = _read(names, store, day, sources)
    for prices in _best_sources(rented, sources):
        yield prices.source, prices.product, prices.days[-1]
    by_tier: dict[tuple[str, str, str], dict[str, HostedHistory]] = defaultdict(dict)
    for history in hosted:
        by_tier[history[1].vendor, plain(history[1].model), history[1].tier][history[0]] = history
    for of in by_tier.values():
        source, product, days = of[_ranked({name: it[2][-1][0] for name, it in of.items()}, sources)[0]]
        yield source, product, days[-1][0]
    yield from {split_observation(fact[1])[1]: fact for fact in sorted(rates, key=itemgetter(2))}.values()


# Rented machines


def _by_shape(rented: Iterable[_ProductPrices], shapes: OfferShapeIndex) -> dict[Key, list[_ProductPrices]]:
    """Group by shape and machine; regions with the same price are one where the catalogue has one."""
    everywhere: dict[tuple[OfferShape, str, str], list[_ProductPrices]] = defaultdict(list)
    groups: dict[Key, list[_ProductPrices]] = defaultdict(list)
    for prices in rented:
        shape = shape_of(prices.resolved, prices.product)._replace(region="")
        everywhere[shape, prices.product.sku.strip(), prices.source].append(prices)
    for (shape, machine, _), among in everywhere.items():
        regions = {prices.resolved.where.region for prices in among}
        if shapes.is_only_location(shape, machine, regions) and _all_regions_agree(among):
            groups[shape._replace(region=NOT_STATED), machine] += among
            continue
        for prices in among:
            groups[shape._replace(region=prices.resolved.where.region), machine].append(prices)
    return groups


def _all_regions_agree(among: Sequence[_ProductPrices]) -> bool:
    last = max(prices.days[-1] for prices in among)
    today = [prices.usd[-1] for prices in among if prices.days[-1] == last]
    return max(today) / min(today) <= 1 + constants().same_price


Sources = Mapping[str, tuple[SourceInfo, date]]


def _best_sources(rented: Iterable[_ProductPrices], sources: Sources) -> Iterator[_ProductPrices]:
    """Yield the prices of one source for what a seller asks for an accelerator, bought in one way.

    First hand and fresh before second hand and fresh before older. Second-hand sources complete each other, by size.
    """
    families: dict[tuple[str, str, str], dict[str, list[_ProductPrices]]] = defaultdict(lambda: defaultdict(list))
    for prices in rented:
        family = prices.resolved.provider, prices.resolved.accelerator, prices.product.purchase
        families[family][prices.source].append(prices)
    for by_source in families.values():
        ranked = _ranked({name: max(it.days[-1] for it in of) for name, of in by_source.items()}, sources)
        sizes: set[int] = set()
        for name in ranked:
            of = [prices for prices in by_source[name] if prices.product.count not in sizes]
            yield from of
            if sources[name][0].via == _FIRST_HAND:
                break
            sizes |= {prices.product.count for prices in of}


def _is_first_hand(among: Sequence[_ProductPrices], sources: Sources) -> bool:
    return any(sources[prices.source][0].via == _FIRST_HAND for prices in among)


def _ranked(last: Mapping[str, str], sources: Sources) -> list[str]:
    """Return the names of sources by the last day on which each was read, the best first."""
    nearly = (date.fromisoformat(max(last.values())) - timedelta(days=_NEARLY_AS_FRESH_DAYS)).isoformat()
    rank = {name: (day >= nearly, sources[name][0].via == _FIRST_HAND, day, name) for name, day in last.items()}
    return sorted(last, key=rank.__getitem__, reverse=True)


def _by_key(
    groups: Mapping[Key, list[_ProductPrices]], shapes: OfferShapeIndex
) -> dict[str | Key, tuple[OfferShape, str, list[_ProductPrices]]]:
    """Group by the catalogue's id; what it has not by shape and machine."""
    by_key: dict[str | Key, tuple[OfferShape, str, list[_ProductPrices]]] = {}
    for (shape, machine), among in groups.items():
        key = shapes.key(shape, machine) or (shape, machine)
        by_key.setdefault(key, (shape, machine, []))[2].extend(among)
    return by_key


def _offer_row(
    catalogue: Catalogue, known: str | Key, shape: OfferShape, machine: str, among: list[_ProductPrices]
) -> Row | None:
    key = known if isinstance(known, str) else None
    listed = None if key is None else catalogue.offers[key].usd_per_accelerator_hour
    (days, prices, last), free = _steps(among), _free(among)
    if listed is not None:  # the catalogue's own prices stay
        after = [n for n, day in enumerate(days) if date.fromisoformat(day) > listed.since]
        if not after or date.fromisoformat(last) < listed.checked:
            return None
        days, prices = [days[n] for n in after], [prices[n] for n in after]
    cheapest = min(among, key=lambda prices: (prices.days[-1] != last, prices.usd[-1]))
    if key is not None:
        doubts = sorted(LASTING.intersection(cheapest.product.doubts))
        return [key, cheapest.source, days, prices, last, doubts, free, None]
    cells = _shape_row(shape, machine, cheapest)
    parts = (shape.provider, shape.accelerator, f"{shape.accelerators}x", shape.region, shape.purchase,
             *([machine] if machine else []))  # fmt: skip
    new_id = "/".join(part.translate(_PLAIN_ID) for part in parts)[:_LONGEST_ID]  # as the catalogue's, and the machine
    return [new_id, cheapest.source, days, prices, last, [], free, cells] if cells else None


def _free(among: list[_ProductPrices]) -> int | None:
    """Return how many machines were free at the last reading; None where a source does not count them."""
    last = max(prices.days[-1] for prices in among)
    counts = [it.free if counts_machines(it.source) or not it.free else None for it in among if it.days[-1] == last]
    return None if None in counts else sum(filter(None, counts))


def _steps(among: list[_ProductPrices]) -> tuple[list[str], list[float], str]:
    """Return the lowest price through time, where it changed; and the last day."""
    every = sorted({day for prices in among for day in prices.days})
    days: list[str] = []
    lowest: list[float] = []
    for day in every:
        usd = min(price for prices in among if (price := prices.on(day)) is not None)
        if not lowest or abs(usd / lowest[-1] - 1) > constants().same_price:
            days.append(day)
            lowest.append(round(usd, 6))
    return days, lowest, every[-1]


def _shape_row(shape: OfferShape, machine: str, prices: _ProductPrices) -> Row | None:
    """Return an offer that the catalogue lacks. None: a source said what no offer can be."""
    product, where = prices.product, prices.resolved.where
    doubts = {word for word in product.doubts if word in _DOUBTS}
    doubts |= {"accelerator_not_stated"} if prices.resolved.ambiguous else set()
    doubts |= {"rarely_available"} if prices.free == 0 else set()
    cells: dict[str, Any] = dict(zip(SHAPE, (
        shape.provider, shape.accelerator, shape.accelerators, shape.region, where.area, shape.purchase,
        machine or None, product.vcpus or None, product.ram_gb or None, where.countries, tuple(sorted(doubts)),
        product.fabric if product.fabric in _FABRICS else None,
    ), strict=True))  # fmt: skip
    try:
        Offer(**cells)
    except ValidationError:
        return None
    return list(cells.values())


# Hosted models and currencies


def _hosted_row(
    catalogue: Catalogue, shapes: OfferShapeIndex, source: str, product: HostedPriceObservation,
    history: list[tuple[str, ObservedPrice]],
) -> Row | None:  # fmt: skip
    read, price = history[-1]
    since = next(day for day, old in history if (old.price, old.output) == (price.price, price.output))
    key = shapes.hosted(product, price)
    if key is None:
        tier = "" if product.tier == DEAREST_HOURS else product.tier
        new = "/".join(filter(None, (product.vendor, product.model, tier))).translate(_PLAIN_ID)[:_LONGEST_ID]
        named = [product.vendor, product.model, tier or None]
        return [new, source, since, price.price, price.output, price.cached, read, named]
    listed = catalogue.hosted[key].input_usd_per_mtoken
    if date.fromisoformat(read) <= listed.since:
        return None
    since = max(since, (listed.since + timedelta(days=1)).isoformat())
    return [key, source, since, price.price, price.output, price.cached, read, None]


def _best_hosted_rows(rows: Iterable[Row], sources: Sources) -> list[Row]:
    """Return one row for each model and tier, of the best of the sources that name it."""
    by_key: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_key[row[0]][row[1]] = row
    return [of[_ranked({name: row[6] for name, row in of.items()}, sources)[0]] for of in by_key.values()]


def _rate_rows(catalogue: Catalogue, rates: Iterable[DatedFact]) -> list[Row]:
    """Return one row for each currency and for each accelerator on spot: low, typical and high."""
    rows: dict[str, Row] = {}
    shares: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for source, fact, read in sorted(rates, key=itemgetter(2)):
        if isinstance(fact, InterruptionObservation):
            shares[f"{INTERRUPTIONS}{fact.accelerator.lower()}", source, read].append(fact.share)
        elif (key := f"exchange-rate-{plain(fact.code)}") in catalogue.facts:
            rows[key] = [key, source, read, None, fact.usd, None]
    for (key, source, read), of in shares.items():
        ends = sorted(of)[len(of) // 10], median_high(of), sorted(of)[-1 - len(of) // 10]
        rows[key] = [
            key,
            source,
            read,
            *(-math.log(1 - it) / hours for it, hours in zip(ends, _RUN_HOURS, strict=True)),
        ]
    listed = {key: catalogue.facts.get(key, catalogue.facts[ANY_INTERRUPTIONS]).figure.since for key in rows}
    return [row for row in rows.values() if date.fromisoformat(row[2]) > listed[row[0]]]
