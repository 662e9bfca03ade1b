"""`schema`: its words."""

from __future__ import annotations

import argparse
from typing import Any

SCHEMAS = ("scenario", "answer")


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser(
        "schema", help="what a scenario file may hold, and what answers are printed as: JSON schema"
    )
    verb.set_defaults(verb=_begin)
    verb.add_argument("what", choices=SCHEMAS)


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.schema import run  # only once the words are understood

    return run(wanted)
