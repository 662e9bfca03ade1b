"""A person says what a name is: the prices that waited under it go through the gate again, with the name in hand.

Also who read, accepted, refused, undid or explained what of the live prices.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import NamedTuple

from pricing.catalogue import Catalogue
from pricing.feeds.database import Database
from pricing.feeds.feed import NAMES, GateReason, Verdict, joined
from pricing.feeds.folder import StoreError
from pricing.feeds.gate import MarketPrices, PriceValidator
from pricing.feeds.given import Name, What, meaning
from pricing.feeds.store import GATE, HeldReading, LivePriceStore
from pricing.names import plain


@dataclass(frozen=True)
class NameInput:
    """A person's word about a name: its meaning as typed, or nothing to take an earlier word back."""

    called: str
    means: str
    person: str
    at: datetime
    what: What | None = None  # None: what the store asks about under this name


@dataclass(frozen=True)
class NameDecisionResult:
    """The new verdicts of the prices under a name."""

    name: Name
    verdicts: Mapping[Verdict, int]


class UnresolvedName(NamedTuple):
    """A name that is unknown, and how many prices wait under it."""

    what: What
    called: str
    reason: GateReason
    prices: int


def question(held: HeldReading) -> What:
    """Return the sort of thing that the name of a held price should be."""
    if held.reason.kind == "unknown_seller":
        return "vendor" if held.kind == "hosted" else "seller"
    return "accelerator"


def unresolved_names(held: Iterable[HeldReading]) -> tuple[UnresolvedName, ...]:
    """Return each unknown name once; the one with most prices first."""
    reasons: dict[tuple[What, str], list[GateReason]] = defaultdict(list)
    for reading in held:
        if reading.reason.kind in NAMES:
            reasons[question(reading), plain(reading.reason.name)].append(reading.reason)
    names = [UnresolvedName(what, alike[0].name, alike[0], len(alike)) for (what, _), alike in reasons.items()]
    return tuple(sorted(names, key=lambda name: (-name.prices, name.what, name.called.casefold())))


def say(store: LivePriceStore, live: Catalogue, word: NameInput) -> NameDecisionResult:
    """Keep a word about a name, and judge the prices held under it, or refused as unwanted; all or nothing."""
    day = word.at.date()
    with store.database.writing():
        waiting = [*store.held(day), *store.held(day, "refused")]
        waiting = [reading for reading in waiting if reading.reason.kind in (*NAMES, "unwanted")]
        waiting = [reading for reading in waiting if plain(reading.reason.name) == plain(word.called)]
        name = _name(store, live, word, waiting)
        store.name(name)
        under = [reading for reading in waiting if reading.reason.kind == "unwanted" or question(reading) == name.what]
        judged = _judge(store, live, under, day)
        store.set_statuses(judged, word.person, word.at)
    return NameDecisionResult(name, Counter(verdict for _, verdict, _ in judged))


def _name(store: LivePriceStore, live: Catalogue, word: NameInput, waiting: Sequence[HeldReading]) -> Name:
    """Return the decision: about a name decided before, or about one that prices wait under now."""
    for old in store.given().every:
        if plain(old.called) == plain(word.called) and word.what in (None, old.what):
            what, called, refresh = old.what, old.called, old.refresh
            break
    else:
        open_names = [reading for reading in waiting if reading.reason.kind in NAMES]
        first = next((reading for reading in open_names if word.what in (None, question(reading))), None)
        if first is None:
            wish = "`held` lists the names that wait"
            raise StoreError(f"No price waits under the name {word.called[:60]!r}: {wish}.")
        what, called, refresh = question(first), first.reason.name, int(first.id.split("-")[0])
    return Name(what, called, meaning(live, what, word.means), word.person, word.at, refresh)


def _judge(
    store: LivePriceStore, live: Catalogue, held: Sequence[HeldReading], day: date
) -> list[tuple[HeldReading, Verdict, GateReason]]:
    """Return the gate's verdicts now; none for a price whose name is still unknown."""
    market = MarketPrices.of(live, given=store.given())
    verdicts: list[tuple[HeldReading, Verdict, GateReason]] = []
    gates: dict[str, PriceValidator] = {}
    for reading in held:
        if reading.source not in gates:
            before = replace(store.before(reading.source, day), refused={})  # a name was refused, and not a price
            gates[reading.source] = PriceValidator(market, before, reading.day, reading.source)
        reason = gates[reading.source].reading(joined(reading.kind, reading.what, reading.observed), "").reason
        if reason is None and reading.usd is not None:
            verdicts.append((reading, "believed", reading.reason))
        elif reason is not None and reason != reading.reason:
            verdicts.append((reading, reason.verdict, reason))
    return verdicts


def trail(database: Database) -> list[tuple[str, ...]]:
    """Return when, of which source, what, how many prices and who, the newest first."""
    rows = database.rows(
        "SELECT e.at, f.source, e.kind, COUNT(e.product), e.person FROM events e"
        " JOIN refreshes f ON f.id = e.refresh WHERE e.person <> ?"
        " GROUP BY e.at, f.source, e.kind, e.person ORDER BY MAX(e.id) DESC",
        (GATE,),
    )
    return [tuple(map(str, row)) for row in rows]
