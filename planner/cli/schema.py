"""`schema`: what a file may hold, and what an answer is printed as, as JSON schema."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from planner.cli.common import OK, BadInput, as_json
from planner.report.file_kinds import KINDS

_EACH = "\n".join(f"  {kind.name:<20}{kind.what}{f' ({kind.files})' if kind.files else ''}" for kind in KINDS)


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser(
        "schema",
        help="what a file may hold, and what answers are printed as: JSON schema",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"schemas, with the files they are for:\n{_EACH}",
    )
    verb.set_defaults(verb=_schema)
    verb.add_argument(
        "what", nargs="?", metavar="NAME", choices=tuple(kind.name for kind in KINDS), help="one of those below"
    )
    verb.add_argument("--write", metavar="FOLDER", type=Path, help="write all of them, as FOLDER/NAME.json")


def _schema(wanted: argparse.Namespace) -> int:
    if (wanted.what is None) is (wanted.write is None):
        raise BadInput("schema: want one NAME, or --write FOLDER for all of them; `schema --help` lists the names")
    if wanted.what is not None:
        sys.stdout.write(next(_text(kind.schema()) for kind in KINDS if kind.name == wanted.what))
        return OK
    wanted.write.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        (wanted.write / f"{kind.name}.json").write_text(_text(kind.schema()), encoding="utf-8")
    sys.stdout.write(f"{len(KINDS)} schemas written to {wanted.write}.\n")
    return OK


def _text(schema: dict[str, Any]) -> str:
    return as_json(schema) + "\n"
