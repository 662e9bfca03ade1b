"""`plan`: one scenario, every way to supply it, and the answer."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from planner.cli.common import OK, as_json
from planner.cli.files import write_file
from planner.cli.scenarios import add_facts, reckoned
from planner.report.answer_data import answer_data
from planner.report.assumptions_csv import assumptions_table, results_table
from planner.report.cash_csv import SIGN, cash_table
from planner.report.csv import to_csv
from planner.report.plan_text import Reckoned, plan_text
from planner.study.waiting import NoWaiting, waiting
from planner.study.waiting_futures import waiting_futures


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("plan", help="rent, buy, or both: ledgers, answer, break-evens of a scenario")
    verb.set_defaults(verb=_plan)
    verb.add_argument("scenario", metavar="SCENARIO", help="a YAML file (docs/scenario.md), or the name of a preset")
    add_facts(verb)
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write every payment, month by month")
    verb.add_argument("--csv-assumptions", type=Path, metavar="FILE", help="write every assumption with its source")
    verb.add_argument("--csv-results", type=Path, metavar="FILE", help="write what each way comes to")


def _plan(wanted: argparse.Namespace) -> int:
    it = reckoned(wanted.scenario, wanted)
    waits = waiting(it.plan)
    it = it._replace(waits=(waits, None if isinstance(waits, NoWaiting) else waiting_futures(waits)))
    _write(it, wanted)
    if wanted.json:
        sys.stdout.write(as_json(answer_data(it)) + "\n")
    else:
        sys.stdout.write(plan_text(it))
    return OK


def _write(it: Reckoned, wanted: argparse.Namespace) -> None:
    if wanted.csv:
        write_file(wanted.csv, to_csv(cash_table(it.plan)))
    if wanted.csv_assumptions:
        write_file(wanted.csv_assumptions, to_csv(assumptions_table(it.plan, SIGN)))
    if wanted.csv_results:
        write_file(wanted.csv_results, to_csv(results_table(it.plan, it.found, it.futures)))
