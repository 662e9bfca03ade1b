"""`sweep`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from planner.cli.verbs.arguments import add_facts, whole


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("sweep", help="thousands of scenarios: lists and ranges over any input")
    verb.set_defaults(verb=_begin)
    verb.add_argument("grid", type=Path, metavar="GRID", help="a YAML file (docs/sweeps.md)")
    verb.add_argument("--csv", type=Path, metavar="FILE", required=True, help="write one row for each scenario")
    add_facts(verb)
    where = verb.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=whole, metavar="N", help="processes on this machine; all cores if not said")
    where.add_argument("--dask", metavar="ADDRESS", help="run on a Dask cluster, such as tcp://host:8786")
    verb.add_argument("--json", action="store_true", help="print what was found, and the rows, as JSON")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.scenarios import grid_in  # only once the words are understood

    grid = grid_in(wanted.grid)
    from planner.cli.sweep import run  # only once there is something to reckon

    return run(grid, wanted)
