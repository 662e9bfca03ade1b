"""What the sources share: replies are taken apart without trust, and what is missing is told in a sentence."""

import csv
import math
import re
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, NamedTuple

from pricing.catalogue import Catalogue
from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, FeedError, FeedReply, Fetcher, Observation, UnreadableRow
from pricing.feeds.named import NOT_STATED, Placed
from pricing.feeds.product import ObservedPrice
from pricing.names import plain
from pricing.records import HostedPrice, Offer

HOURS_OF: dict[str, float] = {"reserved_1y": 8_760.0, "reserved_3y": 26_280.0}  # a term in hours, as all here count it
HOURS_PER_MONTH = 730.0
CENTS = 100.0
BYTES, MB = 1024.0**3, 1024.0  # of what sellers call a GB
_NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?([eE][-+]?\d+)?|[-+]?\.\d+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHOWN = 60

_BUILT_OTHERWISE = (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError)
_UNREADABLE = (*_BUILT_OTHERWISE, csv.Error, zipfile.BadZipFile, zlib.error, EOFError)

Row = Mapping[str, Any]
Told = Iterator[tuple[FeedReply, AnyObservation]]


def number(found: object) -> float | None:
    """A finite number, also one in quotes, with commas for thousands or a dollar sign; else None."""
    if isinstance(found, bool) or found is None:
        return None
    if isinstance(found, int | float):
        return float(found) if math.isfinite(found) else None
    text = str(found).strip().removeprefix("$")
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else None


def positive(found: object) -> float | None:
    """A number above zero; zero means unknown to all who sell, never free."""
    value = number(found)
    return value if value is not None and value > 0 else None


def whole(found: object) -> int | None:
    """A whole number of at least one; None for parts of an accelerator and for none at all."""
    value = positive(found)
    return int(value) if value is not None and value == int(value) else None


def parse_gigabytes(found: object, units_per_gb: float) -> float | None:
    """Memory from bytes (`BYTES`) or megabytes (`MB`), binary, as sellers count it."""
    value = positive(found)
    return None if value is None else round(value / units_per_gb, 1)


def leading(found: object) -> float | None:
    """The number at the head of a text such as `1,152 GiB`."""
    head = _NUMBER.match(text(found))
    return number(head[0]) if head else None


def without(word: str, heads: Iterable[str]) -> str:
    """A word without what stands before it."""
    for head in heads:
        word = word.removeprefix(head)
    return word


def day(found: object) -> date | None:
    """The day at the head of a text such as `2026-11-20T06:21:55Z`."""
    text = str(found)[:10]
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def text(found: object) -> str:
    """A text, trimmed; empty where there is none."""
    return found.strip() if isinstance(found, str) else ""


def first_reply(ask: Fetcher, urls: Iterable[str], **how: Any) -> FeedReply:
    """The reply of the first address that gives one; the last one's refusal where none does."""
    *others, last = urls
    for url in others:
        try:
            reply = ask.get(url, **how)
            reply.content()
        except FeedError:
            continue
        return reply
    return ask.get(last, **how)


def read_parts(parts: Iterable[str], read: Callable[[str], Told]) -> Told:
    """A source that comes in parts: one that cannot be read is odd, as long as another can."""
    refused: list[tuple[str, FeedError]] = []
    last: FeedReply | None = None
    for part in parts:
        try:
            found = list(read(part))
        except FeedError as error:
            refused.append((part, error))
            continue
        for reply, one in found:
            last = reply
            yield reply, one
    if refused and last is None:
        raise refused[0][1]
    for part, why in refused:
        if last is not None:
            yield last, UnreadableRow(part, f"could not be read: {why}")


def lowest(told: Iterable[tuple[FeedReply, AnyObservation]]) -> Told:
    """Of a market's listings of like machines in the same place, the lowest: what the next one costs.

    `free` adds up. What differs from one listing to the next (processors, main memory) is left out, so that it is the
    same product on another day, whoever is the cheapest then.
    """
    groups: dict[Observation, list[tuple[FeedReply, Observation]]] = {}
    for reply, one in told:
        if not isinstance(one, Observation):
            yield reply, one
            continue
        memory = None if one.memory_gb is None else float(round(one.memory_gb))
        same = replace(one, price=0.0, free=None, vcpus=None, ram_gb=None, memory_gb=memory, note="")
        groups.setdefault(same, []).append((reply, one))
    for same, listings in groups.items():
        reply, cheapest = min(listings, key=lambda pair: pair[1].price)
        said = [one.free for _, one in listings if one.free is not None]
        yield reply, replace(same, price=cheapest.price, free=sum(said) if said else None)


@dataclass
class Rows:
    """Takes the rows of one source apart: a row that lacks a field is odd, a field that all lack is an error."""

    feed: str  # as people call the source
    _seen: int = 0
    _broken: int = 0
    _lacking: dict[str, int] = field(default_factory=dict)
    _example: dict[str, str] = field(default_factory=dict)

    def wrong(self, what: str) -> FeedError:
        """The error, with the source's name in front."""
        return FeedError(f"{self.feed}'s reply is not what it was: {what}")

    def at(self, reply: object, *path: str) -> Any:
        """What stands under a path of keys; an error that says where it ended, and what was there instead."""
        found, walked = reply, ""
        for key in path:
            if not isinstance(found, Mapping) or key not in found:
                there = ", ".join(map(str, list(found)[:8])) if isinstance(found, Mapping) else shown(found)
                raise self.wrong(f"it has no {walked}{key} any more, but {there or 'nothing'}")
            found, walked = found[key], f"{walked}{key}."
        return found

    def list_at(self, reply: object, *path: str) -> list[Row]:
        """The list of records under a path of keys; what is no record in it is left out."""
        found = self.at(reply, *path) if path else reply
        if not isinstance(found, list):
            raise self.wrong(f"want a list at {'.'.join(path) or 'its top'}, got {shown(found)}")
        return [one for one in found if isinstance(one, Mapping)]

    def table_at(self, reply: object, *path: str) -> dict[str, Row]:
        """The records under a path of keys, each by its name."""
        found = self.at(reply, *path) if path else reply
        if not isinstance(found, Mapping):
            raise self.wrong(f"want records by name at {'.'.join(path) or 'its top'}, got {shown(found)}")
        return {str(key): one for key, one in found.items() if isinstance(one, Mapping)}

    def columns(self, header: Iterable[str], wanted: Iterable[str]) -> None:
        """An error where a table lacks a column."""
        there = list(header)
        if missing := [one for one in wanted if one not in there]:
            raise self.wrong(
                f"it has no column {', '.join(missing)} any more, but {', '.join(there[:12]) or 'nothing'}"
            )

    def lacks(self, row: Row, *fields: str) -> UnreadableRow | None:
        """What is odd about a row that lacks a field, or None. Said of every row, it is an error: see `check`."""
        self._seen += 1
        missing = [name for name in fields if row.get(name) is None]
        for name in missing:
            self._lacking[name] = self._lacking.get(name, 0) + 1
            self._example.setdefault(name, ", ".join(map(str, list(row)[:12])))
        return UnreadableRow(row_name(row), f"has no {' and no '.join(missing)}") if missing else None

    def each(self, reply: FeedReply, told: Callable[..., Iterable[AnyObservation]], row: Row, *more: object) -> Told:
        """What is told of a row; one that is built otherwise than it should be is odd, and stops nothing."""
        try:
            found = list(told(self, row, *more))
        except _BUILT_OTHERWISE:
            self._broken += 1
            found = [UnreadableRow(row_name(row), "is built otherwise than it should be")]
        yield from ((reply, one) for one in found)

    def check(self) -> None:
        """At the end of a source: an error where a field was missing from every row, so that it was renamed."""
        for name, count in self._lacking.items():
            if count == self._seen:
                raise self.wrong(f"it has no {name} any more, in none of {count:,} rows, but {self._example[name]}")
        if self._broken and self._broken >= self._seen:
            raise self.wrong(f"all its {self._broken:,} rows are built otherwise")


def row_name(row: Row) -> str:
    """What to call a row in a sentence."""
    found = next((row[key] for key in ("name", "id", "gpu_name", "gpu", "slug", "label") if row.get(key)), None)
    return shown(found) if found is not None else "a row"


def shown(found: object) -> str:
    """A value for a sentence, cut short."""
    words = found if isinstance(found, str) else repr(found)
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"


def guarded(feed: Feed) -> Feed:
    """The feed, so that whatever its reply holds, what comes of it is an observation or a sentence."""

    def read(ask: Fetcher) -> Told:
        priced = odd = 0
        try:
            for reply, one in feed.read(ask):
                odd += isinstance(one, UnreadableRow)
                priced += not isinstance(one, UnreadableRow)
                yield reply, one
        except _UNREADABLE as error:
            raise FeedError(f"{feed.label}'s reply cannot be taken apart any more ({shown(str(error))}).") from error
        if not priced and not feed.may_be_empty:
            raise FeedError(f"{feed.label}'s reply has no price in it any more that can be read; {odd:,} rows are odd.")

    return replace(feed, read=read)


TERMS: dict[str, Purchase] = {
    "1 Year": "reserved_1y", "3 Years": "reserved_3y", "1yr": "reserved_1y", "3yr": "reserved_3y",
}  # fmt: skip


# Doubts about the price itself: a bid is no price for the same thing without one. The others pass with the day.
LASTING = frozenset({"component_only", "listed_not_sold", "minimum_bid", "per_second_service", "may_be_shared",
                     "modified_hardware"})  # fmt: skip


class Shape(NamedTuple):
    """What a price is of, but for the machine's name."""

    provider: str
    accelerator: str
    accelerators: int
    region: str
    purchase: str
    doubts: frozenset[str]


def shape_of(placed: Placed, one: Observation) -> Shape:
    """The shape of an observation."""
    doubts = LASTING.intersection(one.doubts)
    return Shape(placed.provider, placed.accelerator, one.count, placed.where.region, one.purchase, doubts)


class OfferShapeIndex:
    """The offers and the hosted models of a catalogue, to be found by what they are of."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Arranged once."""
        self._catalogue = catalogue
        self._offers: dict[Shape, list[str]] = defaultdict(list)
        self._anywhere: dict[Shape, list[str]] = defaultdict(list)
        for key, offer in catalogue.offers.items():
            shape = _of_offer(offer)
            self._offers[shape].append(key)
            self._anywhere[shape._replace(region="")].append(key)
        self._hosted: dict[tuple[str, str], list[str]] = defaultdict(list)
        for key in sorted(catalogue.hosted, key=lambda key: catalogue.hosted[key].tier is not None):  # base first
            one = catalogue.hosted[key]
            self._hosted[plain(one.vendor), plain(one.model)].append(key)

    def offer(self, shape: Shape, sku: str) -> Offer | None:
        """The one offer of this shape, and of this machine where both name one."""
        key = self.key(shape, sku)
        return None if key is None else self._catalogue.offers[key]

    def key(self, shape: Shape, sku: str) -> str | None:
        """Its id."""
        found = self._matching_machine(self._offers.get(shape, ()), sku)
        if found is None and shape.region == NOT_STATED:  # one price everywhere is that of the one place on the list
            found = self._matching_machine(self._anywhere.get(shape._replace(region=""), ()), sku)
        return found

    def is_only_location(self, shape: Shape, sku: str, regions: Set[str]) -> bool:
        """Whether the catalogue has just one offer of this shape, under a name of a place that none of these is."""
        key = self._matching_machine(self._anywhere.get(shape._replace(region=""), ()), sku)
        return key is not None and self._catalogue.offers[key].region not in regions

    def _matching_machine(self, keys: Iterable[str], sku: str) -> str | None:
        known = [(key, self._catalogue.offers[key].sku) for key in keys]
        same = [key for key, name in known if not (name and sku) or _machine(name) == _machine(sku)]
        return same[0] if len(same) == 1 else None

    def hosted(self, vendor: str, model: str, asked: ObservedPrice | None = None) -> str | None:
        """The id of a hosted model's record. Sources name no tier: the base record, unless the price is a tier's."""
        keys = self._hosted.get((plain(vendor), plain(model)), [])
        same = (key for key in keys if _asks(self._catalogue.hosted[key], asked))
        return next(same, next(iter(keys), None))

    def hosted_price(self, vendor: str, model: str, asked: ObservedPrice | None = None) -> tuple[float, date] | None:
        """What a hosted model asks for a million tokens, and when that was read."""
        key = self.hosted(vendor, model, asked)
        if key is None:
            return None
        figure = self._catalogue.hosted[key].input_usd_per_mtoken
        return (figure.newest.typical, figure.checked) if figure.newest.typical > 0 else None


def _asks(record: HostedPrice, asked: ObservedPrice | None) -> bool:
    """Whether a record has this price, to read and to write."""
    written = record.output_usd_per_mtoken
    has = record.input_usd_per_mtoken.newest.typical, None if written is None else written.newest.typical
    return asked is not None and has == (asked.price, asked.output)


def _of_offer(offer: Offer) -> Shape:
    doubts = LASTING.intersection(offer.doubts)
    return Shape(
        offer.provider, offer.accelerator, offer.accelerators_per_instance, offer.region, offer.purchase, doubts
    )


def _machine(name: str) -> str:
    """A machine's name without what a cloud puts in front of all of them."""
    return plain(name).removeprefix("standard")
