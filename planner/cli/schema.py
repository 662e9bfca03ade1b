"""`schema`: what a file may hold, and what an answer is printed as, as JSON schema."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from planner.cli.common import OK, as_json
from planner.inputs.file import file_schema


def _answer_schema() -> dict[str, Any]:
    from planner.report.answer_schema import answer_schema  # only who asks for it waits until it is built

    return answer_schema()


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {"scenario": file_schema, "answer": _answer_schema}


def run(wanted: argparse.Namespace) -> int:
    """The schema that is wanted, as JSON."""
    sys.stdout.write(as_json(SCHEMAS[wanted.what]()) + "\n")
    return OK
