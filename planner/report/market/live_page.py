"""Live prices on the page: when they were read, how far a refresh is, what came of it, and what waits for a person."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any, NamedTuple, get_args

from planner.report import words
from planner.report.market.live_words import (
    done_words,
    held_rows,
    name_decision_phrase,
    name_question_text,
    progress_text,
    refresh_rows,
    sources_done,
)
from planner.report.table import Table
from pricing import Catalogue
from pricing.feeds.given import NEW, UNWANTED, Name, What
from pricing.feeds.naming import Asked
from pricing.feeds.refresh import Progress, RefreshResult
from pricing.feeds.store import Held, ProductAvailability
from pricing.feeds.verdict import NAMES

OFFER = "No live prices were read this week. The sources can be asked for today's."
PROMISE = (
    "Sellers and public lists are asked over the network, only when you say so. What they say lies over the prices "
    "that ship with the program, each with its day and source; a price that looks wrong waits for a person."
)
CANCELLED = "Cancelled: everything is as it was."


def last_refresh_text(started: datetime | None, sources: int) -> str:
    """When prices were last read, and from how many sources."""
    if started is None:
        return "No prices were read yet: shown are those that ship with the program."
    return f"Prices were last read on {words.day(started.date())} at {started:%H:%M} UTC; {_from(sources)} are kept."


def _from(sources: int) -> str:
    return f"those of {words.count(sources, 'source')}"


class RefreshStatus(NamedTuple):
    """How far a refresh is."""

    share: float
    title: str
    lines: tuple[str, ...]  # the sources that answer now


def refresh_status(every: Sequence[Progress]) -> RefreshStatus:
    """How far a refresh is: what is done in one line, and one line for each source that answers now."""
    lines = tuple(progress_text(one) for one in every if one.state == "reading")
    done, asked = sources_done(every)
    return RefreshStatus(done / asked if asked else 0.0, done_words(every), lines)


class RefreshSummary(NamedTuple):
    """What came of a refresh."""

    title: str
    table: Table
    failed: tuple[str, ...]
    shrunk: tuple[str, ...]
    skipped: tuple[str, ...]


def summarize_refresh(found: RefreshResult) -> RefreshSummary:
    """What came of a refresh: the sum in a sentence, each source that was read, and why others were not."""
    rows, labels = refresh_rows(found), {one.source: one.label for one in found.sources}
    read = [row for row in rows if row["state"] in ("read", "shrunk")]
    said = {state: tuple(row["said"] for row in rows if row["state"] == state) for state in ("failed", "skipped")}
    shrunk = tuple(
        f"{labels[row['source']]} named less than half of the prices it had: its old ones stay."
        for row in rows
        if row["state"] == "shrunk"
    )
    table = Table.of([{"Source": labels[row["source"]]} | {_HEADS[key]: row[key] for key in _HEADS} for row in read])
    return RefreshSummary(
        _refresh_counts_text(read, len(said["failed"])), table, said["failed"], shrunk, said["skipped"]
    )


_HEADS = {
    "prices": "Prices", "new": "New", "believed": "Believed", "held": "Held", "refused": "Refused",
    "odd_rows": "Odd rows", "seconds": "Seconds",
}  # fmt: skip


def _refresh_counts_text(read: Iterable[Mapping[str, Any]], failed: int) -> str:
    rows = list(read)
    if not rows and failed:
        return f"No source could be read ({failed:,} asked): everything is as it was."
    prices, new, believed, held, refused = (
        sum(row[key] for row in rows) for key in ("prices", "new", "believed", "held", "refused")
    )
    broken = f"; {words.count(failed, 'source')} could not be read" if failed else ""
    return (
        f"{words.count(prices, 'price')} of {words.count(len(rows), 'source')}: {new:,} new, of which {believed:,} "
        f"believed, {held:,} held for a person and {refused:,} refused{broken}."
    )


class Waiting(NamedTuple):
    """One price that waits for a person."""

    id: str
    what: str
    why: str  # with before and after
    of: str  # the source, and the day on which it was read
    can_be_accepted: bool


class HeldPricesSummary(NamedTuple):
    """What waits for a person: prices to decide on, and all of it for a file."""

    title: str
    prices: tuple[Waiting, ...]
    table: Table


def held_words(held: Sequence[Held]) -> HeldPricesSummary:
    """What is held: prices with before and after; those under names that nobody knows are counted."""
    rows = held_rows(held)
    prices = tuple(
        Waiting(row["id"], row["what"], row["why"], f"{row['source']}, {words.day(row['day'])}", row["can_be_accepted"])
        for row in rows
        if row["reason"] not in NAMES
    )
    parts = (
        (len(prices), "to decide on"),
        (len(rows) - len(prices), "under names that the catalogue does not know"),
    )
    title = ", ".join(f"{words.count(number, 'price')} {what}" for number, what in parts if number)
    title = f"Held for a person: {title}."
    return HeldPricesSummary(title if rows else "Nothing is held.", prices, Table.from_raw_rows(rows))


class Question(NamedTuple):
    """A name that nobody knows, and what it may be, by how people call it."""

    what: What
    called: str
    words: str
    choices: Mapping[str, str]


def questions(catalogue: Catalogue, asked: Iterable[Asked]) -> tuple[Question, ...]:
    """The names that are asked about; what they may be, that which is spelt most alike first."""
    labels = {what: _labels(catalogue, what) for what in get_args(What)}
    return tuple(
        Question(one.what, one.called, name_question_text(one), _choices(labels[one.what], one)) for one in asked
    )


def _labels(catalogue: Catalogue, what: What) -> dict[str, str]:
    if what == "vendor":
        return {one.vendor: one.vendor for one in catalogue.hosted.values()}
    records = catalogue.accelerators if what == "accelerator" else catalogue.providers
    return {one.label: key for key, one in records.items()}


def _choices(labels: Mapping[str, str], one: Asked) -> dict[str, str]:
    near = get_close_matches(one.called, labels, n=_NEAR, cutoff=0.5)
    every = [*near, *sorted(labels.keys() - near, key=str.casefold)]
    new = {} if one.what == "accelerator" else {"A new seller, under this name": NEW}
    return {**new, "None of its prices is wanted": UNWANTED, **{label: labels[label] for label in every}}


_NEAR = 3  # names that are spelt alike, shown before all others


def name_decision_text(catalogue: Catalogue, one: Name) -> str:
    """What somebody said of a name, as a sentence."""
    records = catalogue.accelerators if one.what == "accelerator" else catalogue.providers
    return name_decision_phrase(one, records[one.means].label if one.means in records else one.means)


def availability_table(had: Sequence[ProductAvailability]) -> Table:
    """On how many days each was to be had, the rarest first."""
    rows = sorted(had, key=lambda one: (one.days / one.of, one.what.seller.casefold(), one.what.accelerator))
    return Table.of(
        {
            "Seller": one.what.seller,
            "GPU": one.what.accelerator,
            "Per machine": one.what.count,
            "Terms": words.PURCHASE[one.what.purchase],
            "Where": one.what.region or "everywhere",
            "To be had": f"on {one.days} of {words.count(one.of, 'day')}",
            "Source": one.source,
        }
        for one in rows
    )
