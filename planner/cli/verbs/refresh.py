"""`refresh`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("refresh", help="read today's prices from their sources, over the network")
    verb.set_defaults(verb=_begin)
    verb.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="NAME",
        help="only this one, or a published folder: https://HOST/FOLDER or DIR; may be said again; all of them",
    )
    verb.add_argument("--list", action="store_true", help="say which sources there are, and ask none")
    verb.add_argument("--dry-run", action="store_true", help="read and judge, and keep nothing")
    verb.add_argument("--undo", action="store_true", help="put aside what the last refresh brought")
    verb.add_argument("--by", metavar="NAME", help="who undoes it; the name of this account")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write one row for each source")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.refresh import run  # only once the words are understood

    return run(wanted)
