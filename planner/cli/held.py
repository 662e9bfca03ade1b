"""`held`: live prices that wait for a person."""

from __future__ import annotations

import argparse
import getpass
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.common import UsageError, emit

if TYPE_CHECKING:
    from pricing.feeds.given import NameDecisions
    from pricing.feeds.naming import NameDecisionResult
    from pricing.feeds.store import HeldReading


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("held", help="live prices that are not believed yet, to accept or to refuse")
    verb.set_defaults(verb=run)
    verb.add_argument("--accept", action="append", default=[], metavar="ID", help="believe this one; may be said again")
    verb.add_argument("--refuse", action="append", default=[], metavar="ID", help="do not; may be said again")
    verb.add_argument("--name", action="append", default=[], metavar="NAME=ID", help=_NAME)
    verb.add_argument("--by", metavar="NAME", help="who decides; the name of this account")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write one row for each price that is held")


_NAME = "what a name that nobody knows is: an id, `new` for a new seller, `none` for nothing wanted; may be said again"


def run(args: argparse.Namespace) -> int:
    """What is held; what is accepted, refused and named first."""
    from planner.report.market.live_prices import (
        held_rows,
        held_text,
        name_decision_outcome,
        name_decision_rows,
    )
    from planner.report.table import Table
    from pricing.feeds.naming import unresolved_names

    both = sorted({*args.accept} & {*args.refuse})
    if both:
        raise UsageError(f"--accept and --refuse both name {', '.join(both)}: want one of them")
    named = [_word(said) for said in args.name]
    decided = [_decided(args)] if args.accept or args.refuse else []
    came = [_said(called, means, who(args.by)) for called, means in named]
    held, given = _kept()
    rows = held_rows(held)
    return emit(
        args,
        table=lambda: Table.from_raw_rows(rows),
        data=lambda: {
            "accepted": args.accept, "refused": args.refuse, "held": rows, "names": name_decision_rows(given.every),
        },
        text=lambda: "\n".join([*decided, *map(name_decision_outcome, came), held_text(rows, unresolved_names(held))]),
    )  # fmt: skip


def who(name: str | None) -> str:
    """Who decides: as he says, else the name of this account."""
    try:
        return (name or getpass.getuser()).strip()[:100] or "somebody"
    except (KeyError, OSError):  # an account without a name, as in some containers
        return "somebody"


def _decided(args: argparse.Namespace) -> str:
    from planner.report import words
    from pricing.feeds.database import opened
    from pricing.feeds.store import LivePriceStore

    now, person = datetime.now(UTC), who(args.by)
    with closing(opened()) as database:
        LivePriceStore(database).decide({"believed": args.accept, "refused": args.refuse}, person, now)
    accepted, refused = len(set(args.accept)), len(set(args.refuse))
    return f"{words.count(accepted, 'price')} accepted, {refused:,} refused by {person}."


def _word(said: str) -> tuple[str, str]:
    called, sign, means = said.rpartition("=")
    if not sign or not called.strip():
        raise UsageError(f"--name {said!r}: want NAME=ID, as in 'H900 with 192 GB=B200'")
    return called.strip(), means.strip()


def _said(called: str, means: str, person: str) -> NameDecisionResult:
    from pricing.feeds.database import opened
    from pricing.feeds.live import current
    from pricing.feeds.naming import NameInput, say
    from pricing.feeds.store import LivePriceStore

    live = current()
    with closing(opened()) as database:
        return say(LivePriceStore(database), live, NameInput(called, means, person, datetime.now(UTC)))


def _kept() -> tuple[list[HeldReading], NameDecisions]:
    from pricing.feeds.database import open_read_only
    from pricing.feeds.given import NameDecisions
    from pricing.feeds.store import LivePriceStore

    database = open_read_only()
    if database is None:
        return [], NameDecisions()
    with closing(database):
        store = LivePriceStore(database)
        return store.held(date.today()), store.given()
