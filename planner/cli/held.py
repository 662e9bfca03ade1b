"""`held`: live prices on hold for a person to review."""

from __future__ import annotations

import argparse
import getpass
from contextlib import closing
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from planner.cli.common import UsageError, add_form_arguments, emit

if TYPE_CHECKING:
    from pricing.feeds.naming import NameDecisionResult


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("held", help="review live prices on hold: accept or refuse them")
    verb.set_defaults(verb=run)
    verb.add_argument("--accept", action="append", default=[], metavar="ID", help="believe this one; may be said again")
    verb.add_argument("--refuse", action="append", default=[], metavar="ID", help="do not; may be said again")
    verb.add_argument("--name", action="append", default=[], metavar="NAME=ID", help=_NAME)
    verb.add_argument("--by", metavar="NAME", help="who decides; the name of this account")
    verb.add_argument("--trail", action="store_true", help="who read, accepted, refused, undid and explained what")
    add_form_arguments(verb, csv="write one row for each price that is held")


_NAME = "the meaning of an unknown name: an id, `new` for a new seller, `none` for unwanted prices; may be said again"


def run(args: argparse.Namespace) -> int:
    """Apply the decisions about prices and names, then print the prices on hold."""
    from planner.report.market.live_prices import held_rows, held_text, name_decision_outcome, name_decision_rows
    from planner.report.table import Table
    from pricing.feeds.database import open_read_only
    from pricing.feeds.naming import unresolved_names
    from pricing.feeds.store import LivePriceStore

    if args.trail:
        return _trail(args)
    both = sorted({*args.accept} & {*args.refuse})
    if both:
        raise UsageError(f"--accept and --refuse both name {', '.join(both)}: want one of them")
    names = [_parse_name(text) for text in args.name]
    decisions = [_decide(args)] if args.accept or args.refuse else []
    outcomes = [_assign_name(name, meaning, decision_maker(args.by)) for name, meaning in names]
    with closing(open_read_only()) as database:
        store = LivePriceStore(database)
        held, decided = store.held(date.today()), store.given()
    rows = held_rows(held)
    sentences = [*decisions, *map(name_decision_outcome, outcomes)]
    return emit(
        args,
        table=lambda: Table.from_raw_rows(rows),
        data=lambda: {
            "accepted": args.accept, "refused": args.refuse, "held": rows, "names": name_decision_rows(decided.every),
        },
        text=lambda: "\n".join([*sentences, held_text(rows, unresolved_names(held))]),
    )  # fmt: skip


def _trail(args: argparse.Namespace) -> int:
    from planner.report.market.live_prices import trail_table
    from planner.report.table import text_table
    from pricing.feeds.database import open_read_only
    from pricing.feeds.naming import trail

    with closing(open_read_only()) as database:
        table = trail_table(trail(database))
    return emit(args, table=lambda: table, data=lambda: {"trail": table.records()},
                text=lambda: f"{text_table(table)}\n")  # fmt: skip


def decision_maker(name: str | None) -> str:
    """Return the person who decides, the given name or that of this account, with the account."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as in some containers
        account = "without a name"
    return f"{(name or '').strip()[:100] or account} (account {account})"


def _decide(args: argparse.Namespace) -> str:
    from planner.report import words
    from pricing.feeds.database import opened
    from pricing.feeds.store import LivePriceStore

    person = decision_maker(args.by)
    with closing(opened()) as database:
        LivePriceStore(database).decide({"believed": args.accept, "refused": args.refuse}, person, datetime.now(UTC))
    accepted, refused = len(set(args.accept)), len(set(args.refuse))
    return f"{words.count(accepted, 'price')} accepted, {refused:,} refused by {person}."


def _parse_name(text: str) -> tuple[str, str]:
    name, sign, meaning = text.rpartition("=")
    if not sign or not name.strip():
        raise UsageError(f"--name {text!r}: want NAME=ID, as in 'H900 with 192 GB=B200'")
    return name.strip(), meaning.strip()


def _assign_name(name: str, meaning: str, person: str) -> NameDecisionResult:
    from pricing.feeds.database import opened
    from pricing.feeds.live import current
    from pricing.feeds.naming import NameInput, say
    from pricing.feeds.store import LivePriceStore

    live = current()
    with closing(opened()) as database:
        return say(LivePriceStore(database), live, NameInput(name, meaning, person, datetime.now(UTC)))
