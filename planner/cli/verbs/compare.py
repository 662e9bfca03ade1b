"""`compare`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from planner.cli.common import BadInput
from planner.cli.verbs.arguments import add_facts

MOST = 8


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("compare", help="several scenarios side by side")
    verb.set_defaults(verb=_begin)
    verb.add_argument("scenarios", nargs="+", metavar="SCENARIO", help="two or more YAML files or names of presets")
    add_facts(verb)
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write the table")


def _begin(wanted: argparse.Namespace) -> int:
    if not 2 <= len(wanted.scenarios) <= MOST:
        raise BadInput(f"want 2 to {MOST} scenarios to compare, got {len(wanted.scenarios)}.")
    from planner.cli.scenarios import scenario_called  # only once the words are understood

    scenarios = [scenario_called(name, wanted) for name in wanted.scenarios]
    from planner.cli.compare import run  # only once there is something to reckon

    return run(scenarios, wanted)
