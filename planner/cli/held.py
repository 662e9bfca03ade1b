"""`held`: live prices that wait for a person."""

from __future__ import annotations

import argparse
import getpass
from contextlib import closing
from datetime import UTC, date, datetime

from planner.cli.common import BadInput
from planner.cli.told import told
from planner.report import words
from planner.report.market.live_words import held_rows, held_table, held_text
from pricing.feeds.database import opened, opened_to_read
from pricing.feeds.store import Held, Store


def run(wanted: argparse.Namespace) -> int:
    """What is held; what is accepted and refused first."""
    both = sorted({*wanted.accept} & {*wanted.refuse})
    if both:
        raise BadInput(f"--accept and --refuse both name {', '.join(both)}: want one of them")
    decided = _decided(wanted) if wanted.accept or wanted.refuse else ""
    rows = held_rows(_held())
    return told(
        wanted,
        table=lambda: held_table(rows),
        data=lambda: {"accepted": wanted.accept, "refused": wanted.refuse, "held": rows},
        text=lambda: decided + held_text(rows),
    )


def who(name: str | None) -> str:
    """Who decides: as he says, else the name of this account."""
    try:
        return (name or getpass.getuser()).strip()[:100] or "somebody"
    except (KeyError, OSError):  # an account without a name, as in some containers
        return "somebody"


def _decided(wanted: argparse.Namespace) -> str:
    now, person = datetime.now(UTC), who(wanted.by)
    with closing(opened()) as database:
        Store(database).decide({"believed": wanted.accept, "refused": wanted.refuse}, person, now)
    accepted, refused = len(set(wanted.accept)), len(set(wanted.refuse))
    return f"{words.count(accepted, 'price')} accepted, {refused:,} refused by {person}.\n"


def _held() -> list[Held]:
    database = opened_to_read()
    if database is None:
        return []
    with closing(database):
        return Store(database).held(date.today())
