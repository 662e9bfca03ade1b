"""`schema`: what a file may hold, and what an answer is printed as, as JSON schema."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from planner.cli.common import OK, as_json
from planner.inputs.file import file_schema
from planner.report.answer_schema import answer_schema

SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {"scenario": file_schema, "answer": answer_schema}


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser(
        "schema", help="what a scenario file may hold, and what answers are printed as: JSON schema"
    )
    verb.set_defaults(verb=_schema)
    verb.add_argument("what", choices=tuple(SCHEMAS))


def _schema(wanted: argparse.Namespace) -> int:
    sys.stdout.write(as_json(SCHEMAS[wanted.what]()) + "\n")
    return OK
