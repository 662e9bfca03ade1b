"""`schema`: what a file may hold, and what an answer is printed as, as JSON schema."""

import argparse
import sys
from pathlib import Path
from typing import Any

from planner.cli.common import OK, UsageError, named, to_json, write_file
from planner.report.files.file_kinds import KINDS

_EACH = "\n".join(f"  {kind.name:<20}{kind.what}{f' ({kind.files})' if kind.files else ''}" for kind in KINDS)


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser(
        "schema",
        help="what a file may hold, and what answers are printed as: JSON schema",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"schemas, with the files they are for:\n{_EACH}",
    )
    verb.set_defaults(verb=run)
    verb.add_argument(
        "what", nargs="?", metavar="NAME", choices=tuple(kind.name for kind in KINDS), help="one of those below"
    )
    verb.add_argument("--write", metavar="FOLDER", type=Path, help="write all of them, as FOLDER/NAME.json")


def run(args: argparse.Namespace) -> int:
    """The schema that is args, as JSON, or all of them as files of a folder."""
    if (args.what is None) is (args.write is None):
        raise UsageError("schema: want one NAME, or --write FOLDER for all of them; `schema --help` lists the names")
    if args.what is not None:
        sys.stdout.write(next(_text(kind.schema()) for kind in KINDS if kind.name == args.what))
        return OK
    _write_schemas(args.write)
    sys.stdout.write(f"{len(KINDS)} schemas written to {args.write}.\n")
    return OK


def _write_schemas(folder: Path) -> None:
    with named(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        write_file(folder / f"{kind.name}.json", _text(kind.schema()).encode("utf-8"))


def _text(schema: dict[str, Any]) -> str:
    return to_json(schema) + "\n"
