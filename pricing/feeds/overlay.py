"""From what the store holds to what it changes in a catalogue: which source speaks, since when, and of which offer."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import count
from typing import Any, get_args

from pydantic import ValidationError

from pricing.belief.constants import constants
from pricing.catalogue import Catalogue
from pricing.choices import Fabric
from pricing.feeds.feed import ExchangeRateObservation, HostedPriceObservation, Observation
from pricing.feeds.gate_constants import gate_constants
from pricing.feeds.named import NOT_STATED, FeedNameResolver, Placed
from pricing.feeds.parsing import OfferShapeIndex, Shape, shape_of
from pricing.feeds.product import ObservedPrice
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
    sellers: dict[str, list[str]] = field(default_factory=dict)  # label and note of those that the catalogue has not
    digest: str = ""  # of all that

    def with_digest(self) -> LivePriceOverlay:
        """The same with its digest."""
        every = [self.offers, self.hosted, self.rates, self.sources, self.sellers]
        told = json.dumps(every, separators=(",", ":"), sort_keys=True)
        self.digest = hashlib.sha256(told.encode()).hexdigest()
        return self


_NEARLY_AS_FRESH_DAYS = 7  # a first-hand price may be so much older than a second-hand one and still win
_FIRST_HAND = "price_api"
_DOUBTS = frozenset(get_args(ListingDoubt))
_FABRICS = frozenset(get_args(Fabric))
_PLAIN_ID = str.maketrans(dict.fromkeys(" ,;:'\"()[]{}*?&#%=@!|\\<>", "-"))
_LONGEST_ID = 150


@dataclass(slots=True)
class _Line:
    """The prices of one product of one source through time."""

    source: str
    one: Observation
    placed: Placed
    days: list[str]
    usd: list[float]
    free: int | None

    def on(self, day: str) -> float | None:
        """What it cost on a day between its first and its last."""
        if not self.days[0] <= day <= self.days[-1]:
            return None
        return next(usd for read, usd in zip(reversed(self.days), reversed(self.usd), strict=True) if read <= day)


Key = tuple[Shape, str]


def build_overlay(catalogue: Catalogue, store: LivePriceStore) -> LivePriceOverlay:
    """What the store changes in a catalogue."""
    sources, day = store.sources(), store.newest_day()
    found = LivePriceOverlay()
    if day is None:
        return found
    given = store.given()
    catalogue = given.add_new_providers(catalogue)
    names = FeedNameResolver(catalogue, given)
    lines, hosted, rates = _read(names, store, day)
    shapes, taken = OfferShapeIndex(catalogue), set(catalogue.offers)
    for (shape, machine), of_shape in _group_lines(lines, shapes).items():
        one = _chosen(of_shape, sources)
        row = _offer_row(catalogue, shapes, shape, machine, one)
        if row is not None:
            row[0] = _unique_id(row[0], taken) if row[-1] is not None else row[0]
            taken.add(row[0])
            found.offers.append(row)
    found.hosted = [row for source, one, days in hosted if (row := _hosted_row(catalogue, shapes, source, one, days))]
    found.rates = _rate_rows(catalogue, rates)
    sold = {row[-1][0] for row in found.offers if row[-1] is not None}
    found.sellers = {key: [one.label, one.note or ""] for key, one in given.sellers().items() if key in sold}
    used = {row[1] for row in (*found.offers, *found.hosted, *found.rates)}
    found.sources = {name: _source(*sources[name]) for name in sorted(used)}
    return found.with_digest()


def _source(about: SourceInfo, day: date) -> list[str]:
    return [about.label, about.page, about.licence, about.via, day.isoformat()]


def _read(
    names: FeedNameResolver, store: LivePriceStore, day: date
) -> tuple[
    list[_Line],
    list[tuple[str, HostedPriceObservation, list[tuple[str, ObservedPrice]]]],
    list[tuple[str, ExchangeRateObservation, str]],
]:
    """What the store holds, by what it is of; what the catalogue's names no longer place is left out."""
    lines: list[_Line] = []
    hosted: list[tuple[str, HostedPriceObservation, list[tuple[str, ObservedPrice]]]] = []
    rates: list[tuple[str, ExchangeRateObservation, str]] = []
    for source, _, one, history in store.histories(day - timedelta(days=gate_constants().old_days)):
        if isinstance(one, HostedPriceObservation):
            if isinstance(vendor := names.vendor(one.vendor), str):
                hosted.append((source, replace(one, vendor=vendor), [(read, asked) for read, _, asked in history]))
        elif isinstance(one, ExchangeRateObservation):
            rates.append((source, one, history[-1][0]))
        elif isinstance(placed := names.placed(one), Placed):
            days = {read: usd for read, usd, _ in history}
            lines.append(_Line(source, one, placed, list(days), list(days.values()), history[-1][2].free))
    return lines, hosted, rates


# Rented machines


def _group_lines(lines: Iterable[_Line], shapes: OfferShapeIndex) -> dict[Key, list[_Line]]:
    """The lines of one shape and machine together; regions that ask the same are one where the catalogue has one."""
    by_place: dict[tuple[Key, str], list[_Line]] = defaultdict(list)
    found: dict[Key, list[_Line]] = defaultdict(list)
    for line in lines:
        shape = shape_of(line.placed, line.one)
        everywhere = (shape._replace(region=""), _machine(line.one)), line.source
        by_place[everywhere].append(line)
    for ((anywhere, machine), _), among in by_place.items():
        shape = anywhere._replace(region=NOT_STATED)
        elsewhere = shapes.is_only_location(anywhere, machine, {line.placed.where.region for line in among})
        if elsewhere and _agree(among):
            found[shape, machine] += among
            continue
        for line in among:
            found[anywhere._replace(region=line.placed.where.region), machine].append(line)
    return found


def _machine(one: Observation) -> str:
    return one.sku.strip()


def _agree(lines: Sequence[_Line]) -> bool:
    """Whether all regions ask the same today."""
    last = max(line.days[-1] for line in lines)
    today = [line.usd[-1] for line in lines if line.days[-1] == last]
    return max(today) / min(today) <= 1 + constants().same_price


def _chosen(lines: Sequence[_Line], sources: Mapping[str, tuple[SourceInfo, date]]) -> list[_Line]:
    """The lines of one source: first hand before second hand, unless that is a week fresher."""
    by_source: dict[str, list[_Line]] = defaultdict(list)
    for line in lines:
        by_source[line.source].append(line)
    last = {name: max(line.days[-1] for line in among) for name, among in by_source.items()}
    newest = date.fromisoformat(max(last.values()))
    nearly = (newest - timedelta(days=_NEARLY_AS_FRESH_DAYS)).isoformat()
    fresh = [name for name in by_source if last[name] >= nearly]
    best = max(fresh, key=lambda name: (sources[name][0].via == _FIRST_HAND, last[name], name))
    return by_source[best]


def _offer_row(
    catalogue: Catalogue, shapes: OfferShapeIndex, shape: Shape, machine: str, lines: list[_Line]
) -> Row | None:
    key = shapes.key(shape, machine)
    known = None if key is None else catalogue.offers[key].usd_per_accelerator_hour
    days, prices, last = _steps(lines)
    if known is not None:  # what is known already is not told again
        after = [n for n, day in enumerate(days) if date.fromisoformat(day) > known.since]
        if not after or date.fromisoformat(last) < known.checked:
            return None
        days, prices = [days[n] for n in after], [prices[n] for n in after]
    one = min(lines, key=lambda line: (line.days[-1] != last, line.usd[-1]))
    if key is not None:
        return [key, one.source, days, prices, last, None]
    told = _shape_row(shape, machine, one)
    return [_new_id(shape, machine), one.source, days, prices, last, told] if told else None


def _steps(lines: list[_Line]) -> tuple[list[str], list[float], str]:
    """The lowest price through time, where it changed; and the last day."""
    every = sorted({day for line in lines for day in line.days})
    days: list[str] = []
    prices: list[float] = []
    for day in every:
        usd = min(found for line in lines if (found := line.on(day)) is not None)
        if not prices or abs(usd / prices[-1] - 1) > constants().same_price:
            days.append(day)
            prices.append(round(usd, 6))
    return days, prices, every[-1]


def _shape_row(shape: Shape, machine: str, line: _Line) -> Row | None:
    """An offer that the catalogue has not. None: a source said what no offer can be."""
    one, where = line.one, line.placed.where
    doubts = {word for word in one.doubts if word in _DOUBTS}
    doubts |= {"accelerator_not_stated"} if line.placed.ambiguous else set()
    doubts |= {"rarely_available"} if line.free == 0 else set()
    fabric = one.fabric if one.fabric in _FABRICS else None
    told: dict[str, Any] = dict(zip(SHAPE, (
        shape.provider, shape.accelerator, shape.accelerators, shape.region, where.area, shape.purchase,
        machine or None, one.vcpus or None, one.ram_gb or None, where.countries, tuple(sorted(doubts)), fabric,
    ), strict=True))  # fmt: skip
    try:
        Offer(**told)
    except ValidationError:
        return None
    return list(told.values())


def _new_id(shape: Shape, machine: str) -> str:
    """As the catalogue makes its ids; the machine's name behind, since others may have the same shape."""
    parts = (shape.provider, shape.accelerator, f"{shape.accelerators}x", shape.region, shape.purchase,
             *sorted(shape.doubts), *([machine] if machine else []))  # fmt: skip
    return "/".join(part.translate(_PLAIN_ID) for part in parts)[:_LONGEST_ID]


def _unique_id(wanted: str, taken: set[str]) -> str:
    """Ids leave out what regions and machines are called with; where two become the same they are counted."""
    return next(name for n in count(1) if (name := f"{wanted}/{n}" if n > 1 else wanted) not in taken)


# Hosted models and currencies


def _hosted_row(
    catalogue: Catalogue,
    shapes: OfferShapeIndex,
    source: str,
    one: HostedPriceObservation,
    days: list[tuple[str, ObservedPrice]],
) -> Row | None:
    read, asked = days[-1]
    since = next(day for day, then in days if (then.price, then.output) == (asked.price, asked.output))
    key = shapes.hosted(one.vendor, one.model, asked)
    if key is None:
        new = f"{one.vendor}/{one.model}".translate(_PLAIN_ID)[:_LONGEST_ID]
        return [new, source, since, asked.price, asked.output, asked.cached, read, [one.vendor, one.model]]
    known = catalogue.hosted[key].input_usd_per_mtoken
    if date.fromisoformat(read) <= known.since:
        return None
    since = max(since, (known.since + timedelta(days=1)).isoformat())
    return [key, source, since, asked.price, asked.output, asked.cached, read, None]


def _rate_rows(catalogue: Catalogue, rates: Iterable[tuple[str, ExchangeRateObservation, str]]) -> list[Row]:
    found: dict[str, Row] = {}
    for source, one, read in sorted(rates, key=lambda rate: rate[2]):
        key = f"exchange-rate-{plain(one.code)}"
        fact = catalogue.facts.get(key)
        if fact is not None and date.fromisoformat(read) > fact.figure.since:
            found[key] = [key, source, read, one.usd]
    return list(found.values())
