"""`plan`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from planner.cli.verbs.arguments import add_facts


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("plan", help="rent, buy, or both: ledgers, answer, break-evens of a scenario")
    verb.set_defaults(verb=_begin)
    verb.add_argument("scenario", metavar="SCENARIO", help="a YAML file (docs/scenario.md), or the name of a preset")
    add_facts(verb)
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write every payment, month by month")
    verb.add_argument("--csv-assumptions", type=Path, metavar="FILE", help="write every assumption with its source")
    verb.add_argument("--csv-results", type=Path, metavar="FILE", help="write what each way comes to")
    verb.add_argument(
        "--csv-profit", type=Path, metavar="FILE", help="write profit and loss by year of the ways that sell idle hours"
    )


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.scenarios import scenario_called  # only once the words are understood

    opened = scenario_called(wanted.scenario, wanted)
    from planner.cli.plan import run  # only once there is something to reckon

    return run(opened, wanted)
