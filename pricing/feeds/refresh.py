"""A refresh: every source read at once, each judged and kept by itself, so that a broken one stops no other.

Sources are read in threads, since they mostly wait; their prices are judged and kept in the thread that started the
refresh, one transaction for each source, currencies first. Cancelling leaves everything as it was.
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
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from pricing.catalogue import Catalogue
from pricing.feeds.agreement import MarketMove
from pricing.feeds.client import USUAL, Client, ClientLimits
from pricing.feeds.database import alone, open_read_only, opened
from pricing.feeds.feed import (
    AnyPriced,
    ExchangeRateObservation,
    Feed,
    FeedError,
    Observation,
    OfflineError,
    UnreadableRow,
    Verdict,
    first_malformed_field,
    split_observation,
)
from pricing.feeds.folder import copies_dir
from pricing.feeds.gate import MarketPrices, PriceValidator, content, lost_many_prices
from pricing.feeds.machines import uncovered
from pricing.feeds.reply import DigestCollector, RefreshCancelled
from pricing.feeds.store import JudgedPrice, LivePriceStore, RefreshState, SourceRefresh
from pricing.feeds.written import SourceInfo
from pricing.formulas import without_unseen
from pricing.load import load_catalogue
from pricing.names import plain

SourceState = Literal["waiting", "reading", "read", "shrunk", "failed", "skipped", "cancelled"]


@dataclass(frozen=True)
class SourceProgress:
    source: str
    label: str
    state: SourceState
    rows: int = 0
    rows_per_s: float = 0.0
    seconds_left: float | None = None  # of the present reply, where its size is known
    megabytes: float = 0.0  # read so far


@dataclass(frozen=True)
class SourceResult:
    source: str
    label: str
    state: SourceState
    seen: int = 0  # prices in it
    new: int = 0  # prices not kept before
    verdicts: Mapping[Verdict, int] = field(default_factory=dict)  # of the new ones
    odd: int = 0  # rows without a readable price
    left: int = 0  # rows left to another source, which is first hand
    said: str = ""  # why it failed or was skipped
    seconds: float = 0.0


@dataclass(frozen=True)
class RefreshResult:
    run: str
    started: datetime
    dry: bool
    cancelled: bool
    sources: tuple[SourceResult, ...]
    offline: bool = False  # whether the first sources could not be reached and no other was waited for
    moves: tuple[MarketMove, ...] = ()  # of each accelerator in 30 days, held prices too; the furthest first


Tell = Callable[[SourceProgress], None]

_PROGRESS_EVERY_S = 0.25
_STORED_STATE: dict[SourceState, RefreshState] = {"failed": "failed", "shrunk": "shrunk"}
_MOST_AT_ONCE = 32  # sources
OFFLINE_AFTER = 5  # sources without a connection, and none with one: the others are not waited for
_NEXT_DAY = timedelta(days=1)  # it may be tomorrow already where a source is
_OLD_DAYS = 7  # a list of others that is older is read, and that is said
# What parsers raise where a reply has changed its form.
_CHANGED_FORM = (
    LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, csv.Error, zipfile.BadZipFile,
)  # fmt: skip


@dataclass(frozen=True)
class Ways:
    """Options of a refresh; all have defaults."""

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    limits: ClientLimits = USUAL
    at: Mapping[str, str] | None = None  # servers of a test in the place of hosts
    tell: Tell = lambda progress: None
    cancelled: threading.Event = field(default_factory=threading.Event)
    day: date = field(default_factory=date.today)
    dry: bool = False
    person: str = "somebody"

    def lacks_key(self, feed: Feed) -> bool:
        """Return whether the environment has no key for a feed that wants one."""
        if feed.key_name is None or feed.key_optional:
            return False
        return not self.environ.get(feed.key_name, "").strip()


@dataclass
class _SourceReading:
    """The prices that one source sent."""

    feed: Feed
    rows: list[tuple[AnyPriced, str]] = field(default_factory=list)  # with the digest of the reply
    bad_rows: list[str] = field(default_factory=list)
    why: str = ""
    state: SourceState = "read"
    offline: bool = False
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    seconds: float = 0.0

    def compare_clocks(self, day: date) -> list[str]:
        """Return a sentence where all prices are old; those of days to come have failed."""
        newest, label = max((row.day for row, _ in self.rows if row.day), default=day), self.feed.label
        if self.state == "read" and newest > day + _NEXT_DAY:
            self.state, self.why = "failed", f"{label} is dated {newest}, and this machine says that today is {day}."
        age = (day - newest).days
        is_old = self.state == "read" and age > _OLD_DAYS
        return [f"The newest price of {label} is of {newest}, {age:,} days ago by this machine's clock."] * is_old


def refresh(feeds: Sequence[Feed], catalogue: Catalogue | None = None, ways: Ways | None = None) -> RefreshResult:
    """Read these sources, and keep their prices. A dry run keeps nothing."""
    ways = Ways() if ways is None else ways
    facts = load_catalogue() if catalogue is None else catalogue
    database = open_read_only(ways.environ) if ways.dry else opened(ways.environ)
    with closing(database), nullcontext() if ways.dry else alone(database, ways.environ):
        return _RefreshRun(tuple(feeds), facts, LivePriceStore(database), ways).run_all()


@dataclass
class _RefreshRun:
    feeds: tuple[Feed, ...]
    facts: Catalogue
    store: LivePriceStore
    ways: Ways
    run: str = field(default_factory=lambda: secrets.token_hex(8))
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    usd_of: dict[str, float] = field(default_factory=dict)
    first_hand: set[tuple[str, str]] = field(default_factory=set)  # sellers and ways to buy, read in this refresh
    offline: bool = False
    _market: MarketPrices | None = None

    def run_all(self) -> RefreshResult:
        results: list[SourceResult] = []
        try:
            results.extend(map(self._keep, self._in_order()))
        except RefreshCancelled:
            self._undo()
        except KeyboardInterrupt:
            self.ways.cancelled.set()
            self._undo()
            raise
        cancelled = self.ways.cancelled.is_set()
        order = {feed.name: place for place, feed in enumerate(self.feeds)}
        results.sort(key=lambda result: order[result.source])
        moves = () if cancelled or self._market is None else self._market.moves.table()
        done = () if cancelled else tuple(results)
        return RefreshResult(self.run, self.started, self.ways.dry, cancelled, done, self.offline, moves)

    def _undo(self) -> None:
        if not self.ways.dry:
            self.store.undo(self.run, self.ways.person, datetime.now(UTC))

    def _in_order(self) -> Iterator[_SourceReading]:
        """Yield the sources as they end; currencies before all that may need them, and collectors last."""
        ended: queue.Queue[_SourceReading] = queue.Queue()
        turn = threading.Semaphore(_MOST_AT_ONCE)

        def read(feed: Feed) -> None:
            with turn:
                ended.put(_read(feed, self.ways))

        for feed in self.feeds:
            if self.ways.lacks_key(feed):
                self.ways.tell(SourceProgress(feed.name, feed.label, "skipped"))
        for feed in self.feeds:
            threading.Thread(target=read, args=(feed,), daemon=True).start()
        waiting: list[_SourceReading] = []
        collected: list[_SourceReading] = []
        currencies = sum(feed.kind == "exchange" for feed in self.feeds)
        for reading in self._as_they_end(ended):
            if reading.feed.kind == "exchange":
                currencies -= 1
                yield reading
            else:
                (collected if reading.feed.collects else waiting).append(reading)
            if not currencies:
                yield from waiting
                waiting.clear()
        yield from collected

    def _as_they_end(self, ended: queue.Queue[_SourceReading]) -> Iterator[_SourceReading]:
        """Yield the sources as they end; where the first ones have no connection, all others as failed at once."""
        left = {feed.name: feed for feed in self.feeds}
        without = 0
        while left:
            reading = self._next(ended)
            del left[reading.feed.name]
            without += reading.offline
            yield reading
            has_connection = reading.state in ("read", "shrunk") or (reading.state == "failed" and not reading.offline)
            without = -len(self.feeds) if has_connection else without
            if without == OFFLINE_AFTER:
                self.offline = True
                for feed in left.values():
                    self.ways.tell(SourceProgress(feed.name, feed.label, "failed"))
                yield from (_SourceReading(feed, state="failed", offline=True) for feed in left.values())
                return

    def _next(self, ended: queue.Queue[_SourceReading]) -> _SourceReading:
        while not self.ways.cancelled.is_set():
            try:
                return ended.get(timeout=_PROGRESS_EVERY_S)
            except queue.Empty:
                continue
        raise RefreshCancelled

    # One source

    def _keep(self, reading: _SourceReading) -> SourceResult:
        feed, day = reading.feed, self.ways.day
        if reading.state == "skipped":
            return SourceResult(feed.name, feed.label, "skipped", said=reading.why)
        if self.ways.dry:
            return self._judge(reading, day)[1]
        with self.store.database.writing():
            judged, result = self._judge(reading, day)
            about = SourceInfo(feed.label, feed.page, feed.licence, feed.via)
            refreshed = SourceRefresh(
                self.run, feed.name, about, day, reading.started, self.ways.person,
                _STORED_STATE.get(result.state, "read"), reading.why, result.seen + result.left,
                tuple(reading.bad_rows), tuple(sorted({digest for _, digest in reading.rows})),
            )  # fmt: skip
            self.store.keep(refreshed, judged, datetime.now(UTC))
            if self.ways.cancelled.is_set():
                raise RefreshCancelled
        return result

    def _judge(self, reading: _SourceReading, day: date) -> tuple[list[JudgedPrice], SourceResult]:
        """Return the new prices with their verdicts; none of a source that failed."""
        feed = reading.feed
        before = self.store.before(feed.name, day)
        if reading.state == "read" and not reading.rows and not feed.may_be_empty:
            reading.state, reading.why = "failed", f"{feed.label} named no price at all: its old ones stay."
        complaint = reading.compare_clocks(day)
        if reading.state == "failed":
            return [], SourceResult(
                feed.name, feed.label, "failed", odd=len(reading.bad_rows), said=reading.why, seconds=reading.seconds
            )
        if self._market is None:
            self._market = MarketPrices.of(self.facts, self.usd_of, self.store.given())
            self._market.remember(self.store, day)
        gate = PriceValidator(self._market, before, day, feed.name)
        if feed.via == "third_party":
            self._market.moves.collect(feed.name, (content(row) for row, _ in reading.rows))
        rows = [row for row in reading.rows if not self._is_first_hand(feed, row[0])]
        left = len(reading.rows) - len(rows)
        every = [gate.reading(observation, digest) for observation, digest in _distinct_products(rows)]
        lacks = self._uncovered(feed, reading, self._market)
        self._update_rates(reading, every)
        new = [price for price in every if before.last.get(price.what) != (price.day, price.observed)]
        verdicts = Counter[Verdict]("believed" if price.reason is None else price.reason.verdict for price in new)
        if lacks:
            complaint.append(f"{feed.label} was read, but without {', '.join(lacks)}: its old prices of them stay.")
        state: SourceState = "shrunk" if lost_many_prices(len(every) + left, before.seen) else "read"
        return new, SourceResult(
            feed.name, feed.label, state, len(every), len(new), dict(verdicts), len(reading.bad_rows),
            left, " ".join(complaint), reading.seconds,
        )  # fmt: skip

    def _uncovered(self, feed: Feed, reading: _SourceReading, market: MarketPrices) -> list[str]:
        names = {market.covers(row) for row, _ in reading.rows}
        return uncovered(feed.name, names, len({split_observation(row)[1] for row, _ in reading.rows}))

    def _is_first_hand(self, feed: Feed, row: AnyPriced) -> bool:
        """Return whether a collector's row is of a seller whose own feed was read; note those of such feeds."""
        if not isinstance(row, Observation):
            return False
        if feed.collects:
            return (plain(row.seller), row.purchase) in self.first_hand
        self.first_hand |= {(plain(seller), row.purchase) for seller in feed.sellers}
        return False

    def _update_rates(self, reading: _SourceReading, judged: Sequence[JudgedPrice]) -> None:
        """Rates that are believed count at once for all that comes after."""
        if reading.feed.kind == "exchange":
            believed = {price.what for price in judged if price.reason is None}
            for rate, _ in reading.rows:
                if isinstance(rate, ExchangeRateObservation) and split_observation(rate)[1] in believed:
                    self.usd_of[rate.code.upper()] = rate.usd
            self._market = None


def _distinct_products(rows: Sequence[tuple[AnyPriced, str]]) -> list[tuple[AnyPriced, str]]:
    """Keep each product once: of a machine listed twice the cheaper one that is free."""
    best: dict[str, tuple[tuple[bool, bool, float], AnyPriced, str]] = {}
    for observation, digest in rows:
        _, product, price = split_observation(observation)
        preference = price.free == 0, not price.price > 0, price.price
        if product not in best or preference < best[product][0]:
            best[product] = preference, observation, digest
    return [(observation, digest) for _, observation, digest in best.values()]


# In a thread of its own


def _read(feed: Feed, ways: Ways) -> _SourceReading:
    """Read one source to its end; errors are noted, not raised."""
    reading = _SourceReading(feed)
    if ways.lacks_key(feed):
        reading.state, reading.why = "skipped", f"{feed.label} is read with a key of yours: set {feed.key_name}."
        return reading
    start = time.monotonic()
    copies = None if ways.dry else copies_dir(ways.environ)
    client = Client(feed, ways.limits, ways.cancelled, ways.at, ways.environ, copies)
    try:
        _SourceReader(reading, client, ways.tell, start).read()
    except RefreshCancelled:
        reading.state = "cancelled"
    except FeedError as error:
        reading.state, reading.why = "failed", without_unseen(str(error))
        reading.offline = isinstance(error, OfflineError)
    except _CHANGED_FORM as error:
        what = f"{type(error).__name__}: {without_unseen(str(error))[:120]}"
        reading.state, reading.why = "failed", f"{feed.label} has changed the form of its prices ({what})."
    finally:
        client.close()
    reading.seconds = time.monotonic() - start
    rows = len(reading.rows)
    ways.tell(SourceProgress(feed.name, feed.label, reading.state, rows, _rate(rows, reading.seconds)))
    return reading


@dataclass
class _SourceReader:
    """Reads a source, and tells its progress."""

    reading: _SourceReading
    client: Client
    tell: Tell
    start: float
    last_progress: float = 0.0

    def read(self) -> None:
        feed = self.reading.feed
        self._progress()
        digests = DigestCollector()
        for reply, row in feed.read(self.client):
            if isinstance(row, UnreadableRow):
                self.reading.bad_rows.append(f"{without_unseen(row.what[:100])}: {without_unseen(row.why[:200])}")
            elif (wrong := first_malformed_field(row)) is not None:
                self.reading.bad_rows.append(f"{feed.label}: {wrong}")
            else:
                digests.add(reply, row)
            if time.monotonic() - self.last_progress >= _PROGRESS_EVERY_S:
                self._progress(len(digests.rows))
            if self.client.cancelled.is_set():
                raise RefreshCancelled
        digests.close()
        self.reading.rows = digests.rows

    def _progress(self, rows: int = 0) -> None:
        self.last_progress = time.monotonic()
        seconds, meter, feed = self.last_progress - self.start, self.client.meter, self.reading.feed
        left = None
        if meter.expected_bytes and meter.read_bytes:
            left = max(meter.expected_bytes - meter.reply_bytes, 0) / (meter.read_bytes / max(seconds, 1e-6))
        mb = meter.read_bytes / 1e6
        self.tell(SourceProgress(feed.name, feed.label, "reading", rows, _rate(rows, seconds), left, mb))


def _rate(rows: int, seconds: float) -> float:
    return rows / seconds if seconds > 0 else 0.0
