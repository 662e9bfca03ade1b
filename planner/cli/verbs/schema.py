"""`schema`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from planner.report.files.file_kinds import KINDS

_EACH = "\n".join(f"  {kind.name:<20}{kind.what}{f' ({kind.files})' if kind.files else ''}" for kind in KINDS)


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser(
        "schema",
        help="what a file may hold, and what answers are printed as: JSON schema",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"schemas, with the files they are for:\n{_EACH}",
    )
    verb.set_defaults(verb=_begin)
    verb.add_argument(
        "what", nargs="?", metavar="NAME", choices=tuple(kind.name for kind in KINDS), help="one of those below"
    )
    verb.add_argument("--write", metavar="FOLDER", type=Path, help="write all of them, as FOLDER/NAME.json")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.schema import run  # only once the words are understood

    return run(wanted)
