"""`facts`: its words."""

from __future__ import annotations

import argparse
from typing import Any

from planner.cli.verbs.arguments import add_output


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("facts", help="everything known of an accelerator, provider, place, model or server")
    verb.set_defaults(verb=_begin)
    verb.add_argument("name", metavar="NAME", help="as you would type it: rtx 4090, runpod, germany, llama-3-8b")
    add_output(verb, csv="write one row for each statement")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.facts import run  # only once the words are understood

    return run(wanted)
