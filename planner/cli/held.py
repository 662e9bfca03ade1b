"""`held`: live prices that wait for a person."""

from __future__ import annotations

import argparse
import getpass
from contextlib import closing
from datetime import UTC, date, datetime

from planner.cli.common import BadInput
from planner.cli.told import told
from planner.report import words
from planner.report.market.live_words import held_rows, held_table, held_text, name_said_words, named_rows
from pricing.feeds.database import opened, opened_to_read
from pricing.feeds.given import Given
from pricing.feeds.live import current
from pricing.feeds.naming import NameSaid, Word, asked_names, say
from pricing.feeds.store import Held, Store


def run(wanted: argparse.Namespace) -> int:
    """What is held; what is accepted, refused and named first."""
    both = sorted({*wanted.accept} & {*wanted.refuse})
    if both:
        raise BadInput(f"--accept and --refuse both name {', '.join(both)}: want one of them")
    named = [_word(said) for said in wanted.name]
    decided = [_decided(wanted)] if wanted.accept or wanted.refuse else []
    came = [_said(called, means, who(wanted.by)) for called, means in named]
    held, given = _kept()
    rows = held_rows(held)
    return told(
        wanted,
        table=lambda: held_table(rows),
        data=lambda: {
            "accepted": wanted.accept, "refused": wanted.refuse, "held": rows, "names": named_rows(given.every),
        },
        text=lambda: "\n".join([*decided, *map(name_said_words, came), held_text(rows, asked_names(held))]),
    )  # fmt: skip


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
    return f"{words.count(accepted, 'price')} accepted, {refused:,} refused by {person}."


def _word(said: str) -> tuple[str, str]:
    called, sign, means = said.rpartition("=")
    if not sign or not called.strip():
        raise BadInput(f"--name {said!r}: want NAME=ID, as in 'H900 with 192 GB=B200'")
    return called.strip(), means.strip()


def _said(called: str, means: str, person: str) -> NameSaid:
    live = current()
    with closing(opened()) as database:
        return say(Store(database), live, Word(called, means, person, datetime.now(UTC)))


def _kept() -> tuple[list[Held], Given]:
    database = opened_to_read()
    if database is None:
        return [], Given()
    with closing(database):
        store = Store(database)
        return store.held(date.today()), store.given()
