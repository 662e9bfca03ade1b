"""A refresh: every source read at once, each judged and kept by itself, so that one that is broken stops no other.

Sources are read in threads, since they mostly wait; what they said is judged and kept in the thread that asked for the
refresh, one transaction for each source, currencies first. Who cancels finds everything as it was.
"""

import csv
import os
import queue
import secrets
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Literal

from pricing.catalogue import Catalogue
from pricing.feeds.client import USUAL, Client, Limits
from pricing.feeds.database import alone, open_read_only, opened
from pricing.feeds.feed import ExchangeRateObservation, Feed, FeedError, FeedReply, Observation, UnreadableRow
from pricing.feeds.gate import Market, PriceValidator, lost_many_prices
from pricing.feeds.product import AnyPriced, first_malformed_field, split_observation
from pricing.feeds.reply import RefreshCancelled
from pricing.feeds.store import LivePriceStore, PriorPrices, Reading, RefreshState, SourceRefresh
from pricing.feeds.verdict import Reason, Verdict
from pricing.feeds.written import SourceInfo
from pricing.formulas import without_unseen
from pricing.load import load_catalogue
from pricing.names import plain

SourceState = Literal["waiting", "reading", "read", "shrunk", "failed", "skipped", "cancelled"]


@dataclass(frozen=True)
class Progress:
    """How far one source is."""

    source: str
    label: str
    state: SourceState
    rows: int = 0
    rows_per_s: float = 0.0
    seconds_left: float | None = None  # of the reply that is coming, where its size is known


@dataclass(frozen=True)
class SourceResult:
    """What became of one source."""

    source: str
    label: str
    state: SourceState
    seen: int = 0  # prices in it
    new: int = 0  # of them, not kept before
    verdicts: Mapping[Verdict, int] = field(default_factory=dict)  # of the new ones
    odd: int = 0  # rows that no price could be told from
    left: int = 0  # rows left to another source, which speaks first hand
    said: str = ""  # why it failed or was skipped
    seconds: float = 0.0


@dataclass(frozen=True)
class RefreshResult:
    """What became of a refresh."""

    run: str
    started: datetime
    dry: bool
    cancelled: bool
    sources: tuple[SourceResult, ...]


Tell = Callable[[Progress], None]


_TOLD_EVERY_S = 0.25
_KEPT_AS: dict[SourceState, RefreshState] = {"failed": "failed", "shrunk": "shrunk"}
_MOST_AT_ONCE = 32  # sources
# What code that takes a reply apart raises where the reply has another form than it had.
_ANOTHER_FORM = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, csv.Error,
                 zipfile.BadZipFile)  # fmt: skip


@dataclass(frozen=True)
class Ways:
    """How a refresh is done; all of it can be left as it is."""

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    limits: Limits = USUAL
    at: Mapping[str, str] | None = None  # servers of a test in the place of hosts
    tell: Tell = lambda progress: None
    cancelled: threading.Event = field(default_factory=threading.Event)
    day: date = field(default_factory=date.today)
    dry: bool = False
    person: str = "somebody"


@dataclass
class _Said:
    """What one source said."""

    feed: Feed
    rows: list[tuple[AnyPriced, str]] = field(default_factory=list)
    odds: list[str] = field(default_factory=list)
    left: int = 0
    why: str = ""
    state: SourceState = "read"
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    seconds: float = 0.0


def refresh(feeds: Sequence[Feed], catalogue: Catalogue | None = None, ways: Ways | None = None) -> RefreshResult:
    """Read these sources, and keep what they say. A dry one keeps nothing."""
    ways = Ways() if ways is None else ways
    facts = load_catalogue() if catalogue is None else catalogue
    database = open_read_only(ways.environ) if ways.dry else opened(ways.environ)
    with closing(database) if database is not None else nullcontext():
        locked = alone(database, ways.environ) if database is not None and not ways.dry else nullcontext()
        with locked:
            return _RefreshRun(tuple(feeds), facts, None if database is None else LivePriceStore(database), ways).done()


@dataclass
class _RefreshRun:
    feeds: tuple[Feed, ...]
    facts: Catalogue
    store: LivePriceStore | None
    ways: Ways
    run: str = field(default_factory=lambda: secrets.token_hex(8))
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    usd_of: dict[str, float] = field(default_factory=dict)
    _market: Market | None = None

    def done(self) -> RefreshResult:
        """All of it."""
        found: list[SourceResult] = []
        try:
            found.extend(self._kept(said) for said in self._in_order())
        except RefreshCancelled:
            self._undone()
        except KeyboardInterrupt:
            self.ways.cancelled.set()
            self._undone()
            raise
        cancelled = self.ways.cancelled.is_set()
        order = {feed.name: place for place, feed in enumerate(self.feeds)}
        found.sort(key=lambda one: order[one.source])
        return RefreshResult(self.run, self.started, self.ways.dry, cancelled, () if cancelled else tuple(found))

    def _undone(self) -> None:
        if self.store is not None and not self.ways.dry:
            self.store.undo(self.run, self.ways.person, datetime.now(UTC))

    def _in_order(self) -> Iterator[_Said]:
        """What the sources said as they come; currencies before all that may need them."""
        came: queue.Queue[_Said] = queue.Queue()
        turn = threading.Semaphore(_MOST_AT_ONCE)
        for feed in self.feeds:
            if _lacks_key(feed, self.ways):
                self.ways.tell(Progress(feed.name, feed.label, "skipped"))
        for feed in self.feeds:
            threading.Thread(target=_run_when_free, args=(feed, self.ways, turn, came), daemon=True).start()
        waiting: list[_Said] = []
        currencies = sum(feed.kind == "exchange" for feed in self.feeds)
        for _ in self.feeds:
            said = self._next(came)
            currencies -= said.feed.kind == "exchange"
            if said.feed.kind == "exchange":
                yield said
            else:
                waiting.append(said)
            if not currencies:
                yield from waiting
                waiting.clear()

    def _next(self, came: queue.Queue[_Said]) -> _Said:
        while True:
            if self.ways.cancelled.is_set():
                raise RefreshCancelled
            try:
                return came.get(timeout=_TOLD_EVERY_S)
            except queue.Empty:
                continue

    # One source

    def _kept(self, said: _Said) -> SourceResult:
        if said.state == "skipped":
            return SourceResult(said.feed.name, said.feed.label, "skipped", said=said.why)
        day = self.ways.day
        if self.store is None or self.ways.dry:
            return self._judged(said, day)[1]
        with self.store.writing():
            readings, found = self._judged(said, day)
            about = SourceInfo(said.feed.label, said.feed.page, said.feed.licence, said.feed.via)
            refreshed = SourceRefresh(
                self.run, said.feed.name, about, day, said.started, _KEPT_AS.get(found.state, "read"), said.why,
                found.seen, tuple(said.odds), tuple(sorted({reply for _, reply in said.rows})),
            )  # fmt: skip
            self.store.keep(refreshed, readings, datetime.now(UTC))
            if self.ways.cancelled.is_set():
                raise RefreshCancelled
        return found

    def _judged(self, said: _Said, day: date) -> tuple[list[Reading], SourceResult]:
        """What is new of what it said, with the verdicts; nothing of a source that failed."""
        feed, before = said.feed, PriorPrices() if self.store is None else self.store.before(said.feed.name, day)
        if said.state == "read" and not said.rows and not feed.may_be_empty:
            said.state, said.why = "failed", f"{feed.label} named no price at all: its old ones stay."
        if said.state == "failed":
            found = SourceResult(feed.name, feed.label, "failed", odd=len(said.odds), said=said.why,
                                seconds=said.seconds)  # fmt: skip
            return [], found
        gate = PriceValidator(self._known(), before, day)
        every = [gate.reading(one, reply) for one, reply in _once(said.rows)]
        self._update_rates(said, every)
        new = [one for one in every if before.last.get(one.told) != (one.day, one.asked)]
        verdicts: Counter[Verdict] = Counter(_verdict(one.reason) for one in new)
        state: SourceState = "shrunk" if lost_many_prices(len(every), before.seen) else "read"
        return new, SourceResult(
            feed.name, feed.label, state, len(every), len(new), dict(verdicts), len(said.odds), said.left,
            seconds=said.seconds,
        )  # fmt: skip

    def _known(self) -> Market:
        if self._market is None:
            given = None if self.store is None else self.store.given()
            self._market = Market.of(self.facts, self.usd_of, given)
        return self._market

    def _update_rates(self, said: _Said, readings: Sequence[Reading]) -> None:
        """Rates that are believed count at once for what comes after."""
        if said.feed.kind == "exchange":
            believed = {one.told for one in readings if one.reason is None}
            rates = [
                one
                for one, _ in said.rows
                if isinstance(one, ExchangeRateObservation) and split_observation(one)[1] in believed
            ]
            self.usd_of |= {one.code.upper(): one.usd for one in rates}
            self._market = None


def _verdict(reason: Reason | None) -> Verdict:
    return "believed" if reason is None else reason.verdict


def _once(rows: Sequence[tuple[AnyPriced, str]]) -> list[tuple[AnyPriced, str]]:
    """Each product once: of a machine that is listed twice the cheaper that can be had."""
    found: dict[str, tuple[AnyPriced, str]] = {}
    for one, reply in rows:
        told = split_observation(one)[1]
        known = found.get(told)
        if known is None or _preference_key(one) < _preference_key(known[0]):
            found[told] = one, reply
    return list(found.values())


def _preference_key(one: AnyPriced) -> tuple[bool, bool, float]:
    asked = split_observation(one)[2]
    return asked.free == 0, not asked.price > 0, asked.price


# In a thread of its own


def _run_when_free(feed: Feed, ways: Ways, turn: threading.Semaphore, came: queue.Queue[_Said]) -> None:
    with turn:
        came.put(_read(feed, ways))


def _lacks_key(feed: Feed, ways: Ways) -> bool:
    return feed.key_name is not None and not ways.environ.get(feed.key_name, "").strip()


def _read(feed: Feed, ways: Ways) -> _Said:
    """One source, read to its end; what goes wrong is told, not raised."""
    said = _Said(feed)
    if _lacks_key(feed, ways):
        said.state, said.why = "skipped", f"{feed.label} is read with a key of yours: set {feed.key_name}."
        return said
    start = time.monotonic()
    client = Client(feed, ways.limits, ways.cancelled, ways.at, ways.environ)
    try:
        _SourceReader(said, client, ways.tell, start).listen()
    except RefreshCancelled:
        said.state = "cancelled"
    except FeedError as error:
        said.state, said.why = "failed", without_unseen(str(error))
    except _ANOTHER_FORM as error:
        what = f"{type(error).__name__}: {without_unseen(str(error))[:120]}"
        said.state, said.why = "failed", f"{feed.label} has changed the form of its prices ({what})."
    finally:
        client.close()
    said.seconds = time.monotonic() - start
    state = said.state
    ways.tell(Progress(feed.name, feed.label, state, len(said.rows), _rate(len(said.rows), said.seconds)))
    return said


@dataclass
class _SourceReader:
    """Takes down what a source says, and tells how far it is."""

    said: _Said
    client: Client
    tell: Tell
    start: float
    told: float = 0.0

    def listen(self) -> None:
        feed = self.said.feed
        self._progress()
        second_hand = frozenset(map(plain, feed.second_hand))
        digests = _DigestCollector()
        for reply, one in feed.read(self.client):
            if isinstance(one, UnreadableRow):
                self.said.odds.append(f"{without_unseen(one.what[:100])}: {without_unseen(one.why[:200])}")
            elif (wrong := first_malformed_field(one)) is not None:
                self.said.odds.append(f"{feed.label}: {wrong}")
            elif isinstance(one, Observation) and plain(one.seller) in second_hand:
                self.said.left += 1
            else:
                digests.add(reply, one)
            if time.monotonic() - self.told >= _TOLD_EVERY_S:
                self._progress(len(digests.rows))
            if self.client.cancelled.is_set():
                raise RefreshCancelled
        self.said.rows = digests.ended()

    def _progress(self, rows: int = 0) -> None:
        self.told = time.monotonic()
        seconds, meter = self.told - self.start, self.client.meter
        left = None
        if meter.expected_bytes and meter.read_bytes:
            left = max(meter.expected_bytes - meter.reply_bytes, 0) / (meter.read_bytes / max(seconds, 1e-6))
        feed = self.said.feed
        self.tell(Progress(feed.name, feed.label, "reading", rows, _rate(rows, seconds), left))


@dataclass
class _DigestCollector:
    """Rows with the digest of their reply, which is known once the reply was read to its end."""

    rows: list[tuple[AnyPriced, str]] = field(default_factory=list)
    open_from: int = 0
    reply: FeedReply | None = None

    def add(self, reply: FeedReply, one: AnyPriced) -> None:
        if reply is not self.reply:
            self._close()
            self.reply = reply
        self.rows.append((one, ""))

    def ended(self) -> list[tuple[AnyPriced, str]]:
        self._close()
        return self.rows

    def _close(self) -> None:
        if self.reply is not None:
            digest = self.reply.digest
            self.rows[self.open_from :] = [(one, digest) for one, _ in self.rows[self.open_from :]]
        self.open_from = len(self.rows)


def _rate(rows: int, seconds: float) -> float:
    return rows / seconds if seconds > 0 else 0.0
