"""`check`: its words, and those of each kind of publication."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planner.cli.verbs.arguments import day


def add(verbs: Any) -> None:
    """The verb and its kinds."""
    check = verbs.add_parser("check", help="what was published beside what this engine gives")
    kinds = check.add_subparsers(required=True, metavar="KIND", parser_class=type(check))
    for kind in KINDS:
        kind(kinds)


def _add_training(kinds: Any) -> None:
    """`check training`."""
    _add_runs(kinds, "training", "how fast published training runs were, and how fast we say they are")


def _add_serving(kinds: Any) -> None:
    """`check serving`."""
    _add_runs(kinds, "serving", "the same for serving")


def _add_runs(kinds: Any, kind: str, about: str) -> None:
    verb = kinds.add_parser(kind, help=about)
    verb.set_defaults(verb=_runs, kind=kind)
    verb.add_argument(
        "runs",
        type=Path,
        nargs="?",
        metavar="RUNS.csv",
        help="your runs (docs/published-runs.md); without it, ours",
    )
    verb.add_argument("--day", type=day, default=None, metavar="YYYY-MM-DD", help="written beside factors; today")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write id and predictions of every run")


KINDS: tuple[Callable[[Any], None], ...] = (_add_training, _add_serving)


def _runs(wanted: argparse.Namespace) -> int:
    from planner.cli.check_speed import run  # only once the words are understood

    return run(wanted)
