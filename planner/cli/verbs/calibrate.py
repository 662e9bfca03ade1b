"""`calibrate`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

from planner.cli.verbs.arguments import day
from planner.scenario.vocabulary import Kind


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("calibrate", help="fit the constants of the speed models to runs")
    verb.set_defaults(verb=_begin)
    verb.add_argument("kind", choices=get_args(Kind))
    verb.add_argument(
        "runs",
        type=Path,
        nargs="?",
        metavar="RUNS.csv",
        help="your runs (docs/published-runs.md); without it, ours",
    )
    verb.add_argument("--out", type=Path, metavar="FILE", help="write the constants, as planner/speed/data holds them")
    verb.add_argument("--day", type=day, default=None, metavar="YYYY-MM-DD", help="the day to sign it with; today")
    verb.add_argument("--json", action="store_true", help="print JSON")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.calibrate import run  # only once the words are understood

    return run(wanted)
