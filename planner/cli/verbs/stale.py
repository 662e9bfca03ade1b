"""`stale`: its words."""

from __future__ import annotations

import argparse
from typing import Any

from planner.cli.verbs.arguments import add_output


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("stale", help="figures older than their limit, what moves the presets most first")
    verb.set_defaults(verb=_begin)
    add_output(verb, csv="write one row for each figure")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.stale import run  # only once the words are understood

    return run(wanted)
