"""`compare`: several scenarios side by side, and what they say differently."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from planner.cli.common import OK, as_json
from planner.cli.reckoned import reckoned
from planner.cli.scenarios import Opened
from planner.report.csv import to_csv
from planner.report.plan_text import compare_table, differing, plan_data
from planner.report.text_table import text_table


def run(scenarios: Sequence[Opened], wanted: argparse.Namespace) -> int:
    """Each scenario reckoned, then told beside the others."""
    plans = [reckoned(one) for one in scenarios]
    table, differences = compare_table(plans), differing(plans)
    if wanted.csv:
        wanted.csv.write_bytes(to_csv(table))
    if wanted.json:
        told = {"plans": [plan_data(it) for it in plans], "differences": differences.records()}
        sys.stdout.write(as_json(told) + "\n")
        return OK
    differ = text_table(differences) if len(differences) else "Nothing: the scenarios say the same."
    sys.stdout.write(f"{text_table(table)}\n\nWhat differs\n------------\n{differ}\n")
    return OK
