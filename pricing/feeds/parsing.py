"""Checked parsing that all sources share, since a reply may hold anything: values, rows and pages."""

import csv
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date
from functools import wraps
from typing import Any

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, FeedError, FeedReply, Fetcher, Observation, UnreadableRow

HOURS_OF: dict[str, float] = {"reserved_1y": 8_760.0, "reserved_3y": 26_280.0}  # hours of a term
HOURS_PER_MONTH = 730.0
TERMS: dict[str, Purchase] = {
    "1 Year": "reserved_1y", "3 Years": "reserved_3y", "1yr": "reserved_1y", "3yr": "reserved_3y",
}  # fmt: skip
CENTS = 100.0
BYTES, MB = 1024.0**3, 1024.0  # in a GB, as sellers count
_NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?([eE][-+]?\d+)?|[-+]?\.\d+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHOWN = 60
_PARTS_AT_ONCE = 4
_MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError)
_UNREADABLE = (*_MALFORMED, csv.Error, zipfile.BadZipFile, zlib.error, EOFError)

Row = Mapping[str, Any]
Observations = Iterator[tuple[FeedReply, AnyObservation]]
Following = Callable[[Any, Mapping[str, str]], Mapping[str, str] | None]  # the parameters of the page after one


def number(value: object) -> float | None:
    """Return a finite number, also from text with thousands commas or a dollar sign; else None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    digits = str(value).strip().removeprefix("$")
    return float(digits.replace(",", "")) if _NUMBER.fullmatch(digits) else None


def positive(value: object) -> float | None:
    """Return a number above zero. Sellers write zero for unknown, never for free."""
    parsed = number(value)
    return parsed if parsed is not None and parsed > 0 else None


def whole(value: object) -> int | None:
    """Return a whole number of at least one; None for a part of an accelerator and for none at all."""
    parsed = positive(value)
    return int(parsed) if parsed is not None and parsed == int(parsed) else None


def quantity(value: object) -> int | None:
    """Return how many there are, none too; None where nobody says it."""
    parsed = number(value)
    return None if parsed is None else int(parsed)


def parse_gigabytes(value: object, units_per_gb: float) -> float | None:
    """Return memory in GB from bytes (`BYTES`) or megabytes (`MB`), binary, as sellers count it."""
    parsed = positive(value)
    return None if parsed is None else round(parsed / units_per_gb, 1)


def leading(value: object) -> float | None:
    """Return the number at the head of a text such as `1,152 GiB`."""
    head = _NUMBER.match(text(value))
    return number(head[0]) if head else None


def without(words: str, prefixes: Iterable[str]) -> str:
    """Return a text without these prefixes, one after the other."""
    for prefix in prefixes:
        words = words.removeprefix(prefix)
    return words


def day(value: object) -> date | None:
    """Return the day at the head of a text such as `2026-11-20T06:21:55Z`."""
    head = str(value)[:10]
    try:
        return date.fromisoformat(head) if _DAY.fullmatch(head) else None
    except ValueError:
        return None


def text(value: object) -> str:
    """Return a text, trimmed; empty where there is none."""
    return value.strip() if isinstance(value, str) else ""


def offers(
    seller: str, accelerator: str, count: int | None, prices: Mapping[Purchase, object], **fields: Any
) -> Iterator[Observation]:
    """Yield an observation for each purchase that has a price; nothing for a part of an accelerator."""
    for purchase, text in prices.items():
        if count and (price := positive(text)):
            yield Observation(seller, accelerator, count, purchase, price, **fields)


# Asking


def first_reply(ask: Fetcher, urls: Iterable[str], **request: Any) -> FeedReply:
    """Return the reply of the first address that answers; raise the last error where none does."""
    *others, last = urls
    for url in others:
        try:
            reply = ask.get(url, **request)
            reply.content()
        except FeedError:
            continue
        return reply
    return ask.get(last, **request)


def pages(
    ask: Fetcher,
    url: str,
    params: Mapping[str, str] | None,
    following: Following,
    **request: Any,
) -> Iterator[tuple[FeedReply, Any]]:
    """Yield each page of a list; `following` returns the parameters of the next page, or None after the last."""
    while params is not None:
        reply = ask.get(url, params=params, **request)
        page = reply.json()
        yield reply, page
        params = following(page, params)


def read_parts(read: Callable[[str], Observations], *groups: Iterable[str]) -> Observations:
    """Read a source that comes in parts, a few of a group at once, one group after the other.

    A part that fails is a bad row as long as another can be read.
    """
    errors: list[tuple[str, FeedError]] = []
    last: FeedReply | None = None
    for parts in groups:
        with ThreadPoolExecutor(_PARTS_AT_ONCE) as pool:
            for part, reading in [(part, pool.submit(lambda part: list(read(part)), part)) for part in parts]:
                try:
                    observations = reading.result()
                except FeedError as error:
                    errors.append((part, error))
                    continue
                last = observations[-1][0] if observations else last
                yield from observations
    for part, why in errors:
        if last is None:
            raise why
        yield last, UnreadableRow(part, f"could not be read: {why}")


def lowest(observations: Iterable[tuple[FeedReply, AnyObservation]]) -> Observations:
    """Keep the lowest of a market's listings of like machines in one place: the price of the next one.

    `free` adds up. Fields that differ between listings (processors, main memory) are left out, so that the product
    stays the same on another day, whichever listing is the cheapest then.
    """
    groups: dict[Observation, list[tuple[FeedReply, Observation]]] = {}
    for reply, listing in observations:
        if not isinstance(listing, Observation):
            yield reply, listing
            continue
        memory = None if listing.memory_gb is None else float(round(listing.memory_gb))
        product = replace(listing, price=0.0, free=None, vcpus=None, ram_gb=None, memory_gb=memory, note="")
        groups.setdefault(product, []).append((reply, listing))
    for product, listings in groups.items():
        reply, cheapest = min(listings, key=lambda pair: pair[1].price)
        free = [listing.free for _, listing in listings if listing.free is not None]
        yield reply, replace(product, price=cheapest.price, free=sum(free) if free else None)


@dataclass
class ReplyRows:
    """Takes the rows of one source apart: one row without a field is a bad row, all rows without it are an error."""

    feed: str  # as people call the source
    _seen: int = 0
    _broken: int = 0
    _missing: dict[str, int] = field(default_factory=dict)
    _example: dict[str, str] = field(default_factory=dict)

    def wrong(self, what: str) -> FeedError:
        """Return the error, with the source's name in front."""
        return FeedError(f"{self.feed}'s reply has changed: {what}")

    def at(self, reply: object, *path: str) -> Any:
        """Return the value under a path of keys; raise an error that names the missing key and those present."""
        value, walked = reply, ""
        for key in path:
            if not isinstance(value, Mapping) or key not in value:
                keys = ", ".join(map(str, list(value)[:8])) if isinstance(value, Mapping) else shown(value)
                raise self.wrong(f"it has no {walked}{key} any more, but {keys or 'nothing'}")
            value, walked = value[key], f"{walked}{key}."
        return value

    def list_at(self, reply: object, *path: str) -> list[Row]:
        """Return the list of records under a path of keys, without entries that are no records."""
        value = self.at(reply, *path)
        if not isinstance(value, list):
            raise self.wrong(f"want a list at {'.'.join(path) or 'its top'}, got {shown(value)}")
        return [row for row in value if isinstance(row, Mapping)]

    def table_at(self, reply: object, *path: str) -> dict[str, Row]:
        """Return the records under a path of keys, each by its name."""
        value = self.at(reply, *path)
        if not isinstance(value, Mapping):
            raise self.wrong(f"want records by name at {'.'.join(path) or 'its top'}, got {shown(value)}")
        return {str(key): row for key, row in value.items() if isinstance(row, Mapping)}

    def columns(self, header: Iterable[str], needed: Iterable[str]) -> None:
        """Raise an error where a table lacks a column."""
        names = list(header)
        if missing := [name for name in needed if name not in names]:
            raise self.wrong(
                f"it has no column {', '.join(missing)} any more, but {', '.join(names[:12]) or 'nothing'}"
            )

    def read(
        self,
        reply: FeedReply,
        rows: Iterable[Row],
        needed: Iterable[str],
        parse: Callable[..., Iterable[AnyObservation]],
        *more: object,
    ) -> Observations:
        """Yield the observations of each row; a malformed row is a bad row, and stops nothing."""
        for row in rows:
            try:
                missing = self._missing_fields(row, needed)
                observations = list(parse(row, *more)) if missing is None else [missing]
            except _MALFORMED:
                self._broken += 1
                observations = [UnreadableRow(row_name(row), "is malformed")]
            yield from ((reply, observation) for observation in observations)

    def _missing_fields(self, row: Row, needed: Iterable[str]) -> UnreadableRow | None:
        self._seen += 1
        missing = [name for name in needed if row.get(name) is None]
        for name in missing:
            self._missing[name] = self._missing.get(name, 0) + 1
            self._example.setdefault(name, ", ".join(map(str, list(row)[:12])))
        return UnreadableRow(row_name(row), f"has no {' and no '.join(missing)}") if missing else None

    def check(self) -> None:
        """Raise an error, at the end of a source, where every row lacked a field, so that it was renamed."""
        for name, count in self._missing.items():
            if count == self._seen:
                raise self.wrong(f"it has no {name} any more, in none of {count:,} rows, but {self._example[name]}")
        if self._broken and self._broken >= self._seen:
            raise self.wrong(f"all its {self._broken:,} rows are malformed")


def by_rows(label: str) -> Callable[[Callable[[Fetcher, ReplyRows], Observations]], Callable[[Fetcher], Observations]]:
    """Return a decorator for the reader of a source that people call so: it takes rows apart, checked at the end."""

    def decorate(read: Callable[[Fetcher, ReplyRows], Observations]) -> Callable[[Fetcher], Observations]:
        @wraps(read)
        def reading(ask: Fetcher) -> Observations:
            rows = ReplyRows(label)
            yield from read(ask, rows)
            rows.check()

        return reading

    return decorate


def row_name(row: Row) -> str:
    name = next((row[key] for key in ("name", "id", "gpu_name", "gpu", "slug", "label") if row.get(key)), None)
    return shown(name) if name is not None else "a row"


def shown(value: object) -> str:
    """Return a value for a sentence, cut short."""
    words = value if isinstance(value, str) else repr(value)
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"


def guarded(feed: Feed) -> Feed:
    """Return the feed with a reader that raises nothing but `FeedError`, whatever the reply holds."""

    def read(ask: Fetcher) -> Observations:
        priced = bad = 0
        try:
            for reply, observation in feed.read(ask):
                bad += isinstance(observation, UnreadableRow)
                priced += not isinstance(observation, UnreadableRow)
                yield reply, observation
        except _UNREADABLE as error:
            raise FeedError(f"{feed.label}'s reply cannot be read any more ({shown(str(error))}).") from error
        if not priced and not feed.may_be_empty:
            raise FeedError(f"{feed.label}'s reply has no readable price any more; {bad:,} rows are bad.")

    return replace(feed, read=read)
