"""`compare`: several scenarios side by side, and what they say differently."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from planner.cli.common import OK, BadInput, as_json
from planner.cli.files import write_file
from planner.cli.scenarios import add_facts, reckoned
from planner.report.answer_data import comparison_data
from planner.report.csv import to_csv
from planner.report.plan_text import compare_table, differing
from planner.report.text_table import text_table

MOST = 8


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("compare", help="several scenarios side by side")
    verb.set_defaults(verb=_compare)
    verb.add_argument("scenarios", nargs="+", metavar="SCENARIO", help="two or more YAML files or names of presets")
    add_facts(verb)
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write the table")


def _compare(wanted: argparse.Namespace) -> int:
    if not 2 <= len(wanted.scenarios) <= MOST:
        raise BadInput(f"want 2 to {MOST} scenarios to compare, got {len(wanted.scenarios)}.")
    plans = [reckoned(name, wanted) for name in wanted.scenarios]
    table = compare_table(plans)
    if wanted.csv:
        write_file(wanted.csv, to_csv(table))
    if wanted.json:
        sys.stdout.write(as_json(comparison_data(plans)) + "\n")
        return OK
    differences = differing(plans)
    differ = text_table(differences) if len(differences) else "Nothing: the scenarios say the same."
    sys.stdout.write(f"{text_table(table)}\n\nWhat differs\n------------\n{differ}\n")
    return OK
