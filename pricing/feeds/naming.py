"""A person says what a name is: the prices that waited under it go through the gate again, with the name in hand."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import NamedTuple

from pricing.catalogue import Catalogue
from pricing.feeds.feed import joined
from pricing.feeds.folder import StoreError
from pricing.feeds.gate import MarketPrices, PriceValidator
from pricing.feeds.given import Name, What, meaning
from pricing.feeds.store import HeldReading, LivePriceStore
from pricing.feeds.verdict import NAMES, GateReason, Verdict
from pricing.names import plain


@dataclass(frozen=True)
class NameInput:
    """What somebody says of a name: what it means as he spells it, or nothing to take an earlier word back."""

    called: str
    means: str
    person: str
    at: datetime
    what: What | None = None  # None: what the store asks about under this name


@dataclass(frozen=True)
class NameDecisionResult:
    """What became of the prices under a name."""

    name: Name
    verdicts: Mapping[Verdict, int]


def asked(held: HeldReading) -> What:
    """What sort of thing the name of a held price should be."""
    if held.reason.kind == "unknown_seller":
        return "vendor" if held.kind == "hosted" else "seller"
    return "accelerator"


class UnresolvedName(NamedTuple):
    """A name that nobody knows, and how many prices wait under it."""

    what: What
    called: str
    reason: GateReason
    prices: int


def unresolved_names(held: Iterable[HeldReading]) -> tuple[UnresolvedName, ...]:
    """Each name that is asked about, once; under which most wait first."""
    found: dict[tuple[What, str], list[GateReason]] = defaultdict(list)
    for one in held:
        if one.reason.kind in NAMES:
            found[asked(one), plain(one.reason.name)].append(one.reason)
    every = [UnresolvedName(what, reasons[0].name, reasons[0], len(reasons)) for (what, _), reasons in found.items()]
    return tuple(sorted(every, key=lambda one: (-one.prices, one.what, one.called.casefold())))


def say(store: LivePriceStore, live: Catalogue, word: NameInput) -> NameDecisionResult:
    """Keep what somebody says of a name, and judge what is held under it; all or nothing."""
    with store.writing():
        under = _under(store, word)
        name = _name(store, live, word, under)
        store.name(name)
        judged = _judged(store, live, [one for one in under if _matches_decision(one, name)], word.at.date())
        store.set_statuses(judged, word.person, word.at)
    return NameDecisionResult(name, Counter(verdict for _, verdict, _ in judged))


def _under(store: LivePriceStore, word: NameInput) -> list[HeldReading]:
    """What waits under the name, and what was refused since somebody wanted none of it."""
    held, refused = (store.held(word.at.date(), verdict) for verdict in _DECIDED)
    named = [one for one in (*held, *refused) if one.reason.kind in (*NAMES, "unwanted")]
    return [one for one in named if plain(one.reason.name) == plain(word.called)]


def _matches_input(what: What, called: str, word: NameInput) -> bool:
    return plain(called) == plain(word.called) and word.what in (None, what)


def _matches_decision(one: HeldReading, name: Name) -> bool:
    return one.reason.kind == "unwanted" or asked(one) == name.what


_DECIDED: tuple[Verdict, ...] = ("held", "refused")


def _name(store: LivePriceStore, live: Catalogue, word: NameInput, under: Sequence[HeldReading]) -> Name:
    """The word about it: of what is asked about now, or of what was said before."""
    known = next((one for one in store.given().every if _matches_input(one.what, one.called, word)), None)
    under = [one for one in under if one.reason.kind in NAMES and _matches_input(asked(one), one.reason.name, word)]
    if known is not None:
        what, called, refresh = known.what, known.called, known.refresh
    elif under:
        what, called, refresh = asked(under[0]), under[0].reason.name, int(under[0].id.split("-")[0])
    else:
        raise StoreError(
            f"No price waits under the name {word.called[:60]!r}: `held` lists those that are asked about."
        )
    return Name(what, called, meaning(live, what, word.means), word.person, word.at, refresh)


def _judged(
    store: LivePriceStore, live: Catalogue, held: Sequence[HeldReading], day: date
) -> list[tuple[HeldReading, Verdict, GateReason]]:
    """What the gate says now; of what it still cannot place, nothing."""
    market = MarketPrices.of(live, given=store.given())
    found: list[tuple[HeldReading, Verdict, GateReason]] = []
    gates: dict[str, PriceValidator] = {}
    for one in held:
        if one.source not in gates:
            before = replace(store.before(one.source, day), refused={})  # a name was refused, and not a price
            gates[one.source] = PriceValidator(market, before, one.day)
        reason = gates[one.source].reading(joined(one.kind, one.told, one.asked), "").reason
        if reason is None and one.usd is not None:
            found.append((one, "believed", one.reason))
        elif reason is not None and reason != one.reason:
            found.append((one, reason.verdict, reason))
    return found
