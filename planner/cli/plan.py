"""`plan`: one scenario, every way to supply it, and the answer."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime

from planner.cli.common import OK, as_json
from planner.cli.reckoned import reckoned
from planner.cli.scenarios import Opened
from planner.report.assumptions_csv import assumptions_table, results_table
from planner.report.cash_csv import SIGN, Stamp, cash_table
from planner.report.csv import to_csv
from planner.report.plan_text import Reckoned, plan_data, plan_text
from planner.study.waiting import NoWaiting, waiting
from planner.study.waiting_futures import waiting_futures


def run(opened: Opened, wanted: argparse.Namespace) -> int:
    """One scenario, reckoned and told."""
    it = reckoned(opened)
    waits = waiting(it.plan)
    it = it._replace(waits=(waits, None if isinstance(waits, NoWaiting) else waiting_futures(waits)))
    _write(it, wanted)
    if wanted.json:
        sys.stdout.write(as_json(plan_data(it)) + "\n")
    else:
        sys.stdout.write(plan_text(it))
    return OK


def _write(it: Reckoned, wanted: argparse.Namespace) -> None:
    if wanted.csv:
        stamp = Stamp(created_at_utc=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        wanted.csv.write_bytes(to_csv(cash_table(it.plan, stamp)))
    if wanted.csv_assumptions:
        wanted.csv_assumptions.write_bytes(to_csv(assumptions_table(it.plan, SIGN)))
    if wanted.csv_results:
        wanted.csv_results.write_bytes(to_csv(results_table(it.plan, it.found, it.futures)))
