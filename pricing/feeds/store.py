"""All readings, refresh by refresh, and the decisions about them. Rows are added; none is ever changed or taken out.

A reading is believed unless an event says otherwise; the newest event about it counts. What a refresh brought is put
aside by one event more, and can be read there for ever.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeVar

from pricing.feeds import written
from pricing.feeds.database import AWAY, Database
from pricing.feeds.feed import AnyPriced, GateReason, Kind, Observation, ObservedPrice, Verdict
from pricing.feeds.folder import StoreError
from pricing.feeds.given import Name, NameDecisions
from pricing.feeds.written import SourceInfo
from pricing.formulas import without_unseen

RefreshState = Literal["read", "shrunk", "failed"]
GATE = "the gate"
_T = TypeVar("_T")
_ODDS_KEPT = 50
COMPARED_DAYS = 90  # a price that nobody has read for longer is compared with nothing

# Readings of refreshes that were not undone, each with the newest verdict about it.
_LIVE = """
WITH live AS (
  SELECT r.refresh, r.product, r.price, r.currency, r.output, r.cached, r.usd, r.free, r.day, f.source,
    f.day AS read_on, COALESCE((SELECT e.kind FROM events e WHERE e.refresh = r.refresh AND e.product = r.product
              ORDER BY e.id DESC LIMIT 1), 'believed') AS verdict
  FROM readings r JOIN refreshes f ON f.id = r.refresh
  WHERE r.day >= ? AND NOT EXISTS (
    SELECT 1 FROM events u WHERE u.refresh = f.id AND u.product IS NULL AND u.kind = 'undone'))
"""
# Of refreshes that were read and not undone.
_COUNTS = (
    "f.state <> 'failed' AND NOT EXISTS"
    " (SELECT 1 FROM events e WHERE e.refresh = f.id AND e.product IS NULL AND e.kind = 'undone')"
)
_ASKED = "l.price, l.currency, l.output, l.cached, l.free"


@dataclass(frozen=True)
class ProductAvailability:
    """The days on which a product was available, of those on which its source was read."""

    source: str
    what: Observation  # its price says nothing here
    days: int
    of: int


@dataclass(frozen=True)
class SourceRefresh:
    """One source, read once."""

    run: str
    source: str
    about: SourceInfo
    day: date
    started: datetime
    person: str = "somebody"  # who refreshed
    state: RefreshState = "read"
    said: str = ""  # why it failed, in a sentence
    seen: int = 0  # prices in it
    odds: tuple[str, ...] = ()  # rows without a readable price, in words
    replies: tuple[str, ...] = ()  # the digests of all that it sent, in order


@dataclass(frozen=True, slots=True)
class JudgedPrice:
    kind: Kind
    what: str  # is sold
    observed: ObservedPrice
    usd: float | None  # for an accelerator and hour, or as it is; None: no rate of its currency is known
    reply: str
    day: date
    reason: GateReason | None = None  # why it is not believed


@dataclass(frozen=True)
class PriorPrices:
    """The known prices of a source's products before it is read again."""

    believed: Mapping[str, tuple[float, date]] = field(default_factory=dict)  # the last of an earlier day, by product
    history: Mapping[str, Sequence[tuple[float, date]]] = field(default_factory=dict)  # all, by the days of refreshes
    earlier: Mapping[str, float] = field(default_factory=dict)  # the last of an earlier day, believed or held
    refused: Mapping[str, float] = field(default_factory=dict)  # by somebody
    last: Mapping[str, tuple[date, ObservedPrice]] = field(default_factory=dict)  # believed or not
    seen: int | None = None  # prices in its last refresh; None: it was never read
    accepted: Set[str] = frozenset()  # products of which a person accepted a price: history begins there


class HeldReading(NamedTuple):
    """A reading that waits for a person."""

    id: str
    source: str
    day: date
    kind: Kind
    what: str
    observed: ObservedPrice
    usd: float | None
    reason: GateReason


class ProductHistory(NamedTuple):
    """The believed prices of one product."""

    source: str
    kind: Kind
    one: AnyPriced  # as it costs now
    days: list[tuple[str, float, ObservedPrice]]  # with the price in dollars


class StoredRefresh(NamedTuple):
    run: str
    started: datetime
    sources: tuple[str, ...]
    readings: int


@dataclass
class LivePriceStore:
    """The operations; each that writes is one transaction."""

    database: Database

    def _read(self, where: str, read: Callable[..., _T], *cells: Any) -> _T:
        """Return the meaning of cells; raise a sentence where somebody has changed them."""
        try:
            return read(*cells)
        except written.UNSOUND as error:
            shown = without_unseen(", ".join(map(str, cells)))[:60]
            raise StoreError(f"{self.database.name} is damaged: {where} holds {shown!r}. {AWAY}") from error

    def before(self, source: str, day: date) -> PriorPrices:
        """Return the prices that the gate compares with."""
        since = (day - timedelta(days=COMPARED_DAYS + 30)).isoformat()
        rows = self.database.rows(
            f"{_LIVE} SELECT p.told, l.refresh, l.product, l.day, l.read_on, l.usd, l.verdict, {_ASKED} FROM live l"
            " JOIN products p ON p.id = l.product WHERE l.source = ? ORDER BY l.refresh",
            (since, source),
        )
        accepted = {*self.database.rows("SELECT refresh, product FROM events WHERE kind = 'believed'")}
        by_person, earlier = set[str](), dict[str, float]()
        history: dict[str, list[tuple[float, date]]] = defaultdict(list)
        refused: dict[str, float] = {}
        last: dict[str, tuple[date, ObservedPrice]] = {}
        for product, refresh, number, own_day, read, usd, verdict, *price in rows:
            price_read = self._read("readings.price", written.observed_price, *price)
            last[product] = self._read("readings.day", written.day, own_day), price_read
            read_on = self._read("refreshes.day", written.day, read)
            if (refresh, number) in accepted and verdict == "believed":  # what was before counts no more
                by_person.add(product)
                history[product].clear()
            if usd is not None and verdict == "believed":
                history[product].append((self._read("readings.usd", written.usd, usd), read_on))
            if verdict == "refused" and (self._read("readings.usd", written.number, usd) or 0.0) > 0:
                refused[product] = usd
            elif usd is not None and read_on < day:
                earlier[product] = self._read("readings.usd", written.number, usd) or 0.0
        rows = self.database.rows(
            f"SELECT f.seen FROM refreshes f WHERE f.source = ? AND {_COUNTS} ORDER BY f.id DESC LIMIT 1", (source,)
        )
        seen = self._read("refreshes.seen", int, rows[0][0]) if rows else None
        oldest = day - timedelta(days=COMPARED_DAYS)
        before = {product: [dated for dated in of if oldest <= dated[1] < day] for product, of in history.items()}
        believed = {product: of[-1] for product, of in before.items() if of}
        return PriorPrices(believed, history, earlier, refused, last, seen, frozenset(by_person))

    def keep(self, refreshed: SourceRefresh, readings: Sequence[JudgedPrice], ended: datetime) -> int:
        """Keep what a source said; the number of the refresh. To be called while `writing`."""
        digest = hashlib.sha256("\n".join(refreshed.replies).encode()).hexdigest()
        row = (
            refreshed.run, refreshed.source, json.dumps(asdict(refreshed.about)), refreshed.day.isoformat(),
            _at(refreshed.started), _at(ended), refreshed.state, refreshed.said, digest, refreshed.seen,
            len(refreshed.odds), json.dumps(refreshed.odds[:_ODDS_KEPT]),
        )  # fmt: skip
        refresh: int = self.database.rows(
            "INSERT INTO refreshes (run, source, about, day, started, ended, state, said, digest, seen, odd, odds)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            row,
        )[0][0]
        products = self._products(refreshed.source, readings)
        digests = sorted({reading.reply for reading in readings})
        self.database.many(
            "INSERT INTO replies (digest) VALUES (?) ON CONFLICT DO NOTHING", ((digest,) for digest in digests)
        )
        numbers = {
            digest: self.database.rows("SELECT id FROM replies WHERE digest = ?", (digest,))[0][0] for digest in digests
        }
        self.database.many(
            "INSERT INTO readings (refresh, product, reply, day, price, currency, output, cached, usd, free)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (refresh, products[reading.kind, reading.what], numbers[reading.reply], reading.day.isoformat(),
                 reading.observed.price, reading.observed.currency, reading.observed.output, reading.observed.cached,
                 reading.usd, reading.observed.free)
                for reading in readings
            ),
        )  # fmt: skip
        self._add_events(
            (_at(ended), reason.verdict, refresh, products[reading.kind, reading.what], reason.to_json(), GATE)
            for reading in readings
            if (reason := reading.reason) is not None
        )
        self._add_events([(_at(ended), "refreshed", refresh, None, "", refreshed.person)])
        return refresh

    def _products(self, source: str, readings: Sequence[JudgedPrice]) -> dict[tuple[Kind, str], int]:
        self.database.many(
            "INSERT INTO products (source, kind, told) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            ((source, *product) for product in dict.fromkeys((reading.kind, reading.what) for reading in readings)),
        )
        rows = self.database.rows("SELECT kind, told, id FROM products WHERE source = ?", (source,))
        return {(kind, product): number for kind, product, number in rows}

    def _add_events(self, events: Iterable[tuple[object, ...]]) -> None:
        self.database.many(
            "INSERT INTO events (at, kind, refresh, product, reason, person) VALUES (?, ?, ?, ?, ?, ?)", events
        )

    # What a person decides

    def held(self, day: date, verdict: Verdict = "held") -> list[HeldReading]:
        """Return the newest reading of each product where it is held (or refused)."""
        since = (day - timedelta(days=COMPARED_DAYS)).isoformat()
        rows = self.database.rows(
            f"{_LIVE} SELECT l.refresh, l.product, l.source, l.day, p.kind, p.told, l.usd, l.verdict,"
            " (SELECT e.reason FROM events e WHERE e.refresh = l.refresh AND e.product = l.product"
            f" AND e.kind = l.verdict ORDER BY e.id DESC LIMIT 1), {_ASKED} FROM live l"
            " JOIN products p ON p.id = l.product"
            " WHERE l.refresh = (SELECT MAX(m.refresh) FROM live m WHERE m.product = l.product)"
            " AND l.verdict = ? ORDER BY l.source, l.product",
            (since, verdict),
        )
        return [reading for row in rows if (reading := self._held(row)) is not None]

    def _held(self, row: tuple[Any, ...]) -> HeldReading | None:
        refresh, product, source, day, kind, description, usd, _, reason, *cells = row
        price = self._read("readings.price", written.observed_price, *cells)
        if self._read("products.told", written.observation, kind, description, price) is None:
            return None
        return HeldReading(
            f"{refresh}-{product}", self._read("refreshes.source", written.text, source),
            self._read("readings.day", written.day, day), kind, description, price,
            self._read("readings.usd", written.number, usd), self._read("events.reason", written.reason, reason),
        )  # fmt: skip

    def decide(self, verdicts: Mapping[Verdict, Iterable[str]], person: str, at: datetime) -> list[HeldReading]:
        """Accept and refuse held readings, by their ids; all of them or none."""
        with self.database.writing():
            waiting = {reading.id: reading for reading in self.held(at.date())}
            wishes = [(verdict, key) for verdict, ids in verdicts.items() for key in dict.fromkeys(ids)]
            chosen = [(_chosen(waiting, key, verdict), verdict) for verdict, key in wishes]
            self.set_statuses(((reading, verdict, reading.reason) for reading, verdict in chosen), person, at)
        return [reading for reading, _ in chosen]

    def given(self) -> NameDecisions:
        """Return the decisions about unknown names."""
        rows = self.database.rows("SELECT at, refresh, reason, person FROM events WHERE kind = 'named' ORDER BY id")
        return NameDecisions(self._read("events.reason", written.name, *row) for row in rows)

    def name(self, name: Name) -> None:
        """Keep what somebody says of a name. To be called while `writing`."""
        decision = json.dumps({"what": name.what, "called": name.called, "means": name.means})
        self._add_events([(_at(name.at), "named", name.refresh, None, decision, name.person)])

    def set_statuses(
        self, verdicts: Iterable[tuple[HeldReading, Verdict, GateReason]], person: str, at: datetime
    ) -> None:
        """Other verdicts about held readings. To be called while `writing`."""
        self._add_events(
            (_at(at), verdict, *map(int, reading.id.split("-")), reason.to_json(), person)
            for reading, verdict, reason in verdicts
        )

    def runs(self) -> list[StoredRefresh]:
        """Return the refreshes that count, the newest first."""
        rows = self.database.rows(
            "SELECT f.run, f.started, f.source, (SELECT COUNT(*) FROM readings r WHERE r.refresh = f.id)"
            f" FROM refreshes f WHERE {_COUNTS} ORDER BY f.id DESC"
        )
        runs: dict[str, StoredRefresh] = {}
        for run, started, source, count in rows:
            began = self._read("refreshes.started", written.moment, started)
            old = runs.get(run, StoredRefresh(run, began, (), 0))
            sources = (*old.sources, self._read("refreshes.source", written.text, source))
            runs[run] = StoredRefresh(run, min(old.started, began), sources, old.readings + count)
        return list(runs.values())

    def undo(self, run: str, person: str, at: datetime) -> None:
        """Put aside what a refresh brought."""
        with self.database.writing():
            rows = self.database.rows("SELECT id FROM refreshes WHERE run = ?", (run,))
            self._add_events((_at(at), "undone", refresh, None, "", person) for (refresh,) in rows)

    # What is laid over the catalogue

    def state(self) -> str:
        """Return a text that changes whenever anything here does."""
        rows = self.database.rows(
            "SELECT COALESCE((SELECT MAX(id) FROM refreshes), 0), COALESCE((SELECT MAX(id) FROM events), 0)"
        )
        return ".".join(map(str, rows[0]))

    def newest_day(self) -> date | None:
        day = self.database.rows("SELECT MAX(day) FROM readings")[0][0]
        return None if day is None else self._read("readings.day", written.day, day)

    def histories(self, since: date) -> Iterator[ProductHistory]:
        """Yield all that is believed, each product with its prices where they changed, the newest last."""
        products, sources = self.products(), self.sources()
        for number, rows in groupby(self.believed(since), key=itemgetter(0)):
            source, kind, description = self._read("readings.product", products.__getitem__, number)
            self._read("products.source", sources.__getitem__, source)
            days = sorted((self._believed(*row) for _, *row in rows), key=itemgetter(0))
            product = self._read("products.told", written.observation, kind, description, days[-1][2])
            if product is not None:
                yield ProductHistory(source, kind, product, days)

    def _believed(self, day: str, usd: float, *cells: Any) -> tuple[str, float, ObservedPrice]:
        self._read("readings.day", written.day, day)
        return day, self._read("readings.usd", written.usd, usd), self._read("readings.price", written.believed, *cells)

    def believed(self, since: date) -> list[tuple[Any, ...]]:
        """Product, day and price of all that is believed, where it changed and where it was read last."""
        return self.database.rows(
            f"{_LIVE}, steps AS (SELECT l.product, l.refresh, l.day, l.usd, {_ASKED},"
            " LAG(l.usd) OVER one AS usd_before, LAG(l.output) OVER one AS output_before,"
            " LEAD(l.refresh) OVER one AS later FROM live l WHERE l.verdict = 'believed' AND l.usd IS NOT NULL"
            " WINDOW one AS (PARTITION BY l.product ORDER BY l.refresh))"
            " SELECT product, day, usd, price, currency, output, cached, free FROM steps"
            " WHERE later IS NULL OR usd_before IS NULL OR usd_before <> usd OR output_before <> output"
            " ORDER BY product, refresh",
            (since.isoformat(),),
        )

    def products(self) -> dict[int, tuple[str, Kind, str]]:
        """Source, kind and description of every product, by its number."""
        return {
            number: (source, kind, description)
            for number, source, kind, description in self.database.rows("SELECT id, source, kind, told FROM products")
        }

    def sources(self) -> dict[str, tuple[SourceInfo, date]]:
        """Return the information about each source, and the day on which it was read last."""
        rows = self.database.rows(f"SELECT f.source, f.about, f.day FROM refreshes f WHERE {_COUNTS} ORDER BY f.id")
        return {source: self._read("refreshes.about", written.about, about, day) for source, about, day in rows}

    def availability_counts(self, since: date) -> dict[int, tuple[int, int]]:
        """Return by product the days on which it was available, of those on which its source was read."""
        rows = self.database.rows(
            f"{_LIVE} SELECT l.product, l.source, COUNT(DISTINCT l.day) FROM live l"
            " WHERE l.free IS NULL OR l.free > 0 GROUP BY l.product, l.source",
            (since.isoformat(),),
        )
        read = self.database.rows(
            "SELECT source, COUNT(DISTINCT day) FROM refreshes f WHERE f.state = 'read' AND day >= ?"
            f" AND {_COUNTS} GROUP BY source",
            (since.isoformat(),),
        )
        days = Counter(dict(read))
        return {product: (count, max(count, days[source])) for product, source, count in rows}

    def availability(self, since: date) -> list[ProductAvailability]:
        """Return rentable products and on how many days each was available since then."""
        products, available = self.products(), []
        for product, (days, of) in self.availability_counts(since).items():
            source, kind, description = self._read("readings.product", products.__getitem__, product)
            what = self._read("products.told", written.observation, kind, description, ObservedPrice(0.0))
            if isinstance(what, Observation):
                available.append(ProductAvailability(source, what, days, of))
        return available


def _chosen(waiting: Mapping[str, HeldReading], key: str, verdict: Verdict) -> HeldReading:
    reading = waiting.get(key)
    if reading is None:
        raise StoreError(f"Nothing that is held is called {key[:60]!r}: `held` lists what is.")
    if verdict == "believed" and not reading.reason.acceptable:
        raise StoreError(f"{key} cannot be accepted: its name or its currency is unknown.")
    return reading


def _at(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
