"""`schema`: what a file may hold, and what an answer is printed as, as JSON schema."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from planner.cli.common import OK, BadInput, as_json
from planner.cli.files import named, write_file
from planner.report.files.file_kinds import KINDS


def run(wanted: argparse.Namespace) -> int:
    """The schema that is wanted, as JSON, or all of them as files of a folder."""
    if (wanted.what is None) is (wanted.write is None):
        raise BadInput("schema: want one NAME, or --write FOLDER for all of them; `schema --help` lists the names")
    if wanted.what is not None:
        sys.stdout.write(next(_text(kind.schema()) for kind in KINDS if kind.name == wanted.what))
        return OK
    _write_all(wanted.write)
    sys.stdout.write(f"{len(KINDS)} schemas written to {wanted.write}.\n")
    return OK


def _write_all(folder: Path) -> None:
    with named(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        write_file(folder / f"{kind.name}.json", _text(kind.schema()).encode("utf-8"))


def _text(schema: dict[str, Any]) -> str:
    return as_json(schema) + "\n"
