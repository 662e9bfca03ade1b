"""`held`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("held", help="live prices that are not believed yet, to accept or to refuse")
    verb.set_defaults(verb=_begin)
    verb.add_argument("--accept", action="append", default=[], metavar="ID", help="believe this one; may be said again")
    verb.add_argument("--refuse", action="append", default=[], metavar="ID", help="do not; may be said again")
    verb.add_argument("--name", action="append", default=[], metavar="NAME=ID", help=_NAME)
    verb.add_argument("--by", metavar="NAME", help="who decides; the name of this account")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write one row for each price that is held")


_NAME = "what a name that nobody knows is: an id, `new` for a new seller, `none` for nothing wanted; may be said again"


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.held import run  # only once the words are understood

    return run(wanted)
