"""`compare`: several scenarios side by side, and their differences."""

import argparse
import sys
from pathlib import Path
from typing import Any

from planner.cli.common import OK, UsageError, add_catalog_arguments, to_json, write_file

MOST = 8


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("compare", help="several scenarios side by side")
    verb.set_defaults(verb=run)
    verb.add_argument("scenarios", nargs="+", metavar="SCENARIO", help="two or more YAML files or names of presets")
    add_catalog_arguments(verb)
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write the table")


def run(args: argparse.Namespace) -> int:
    """Load the scenarios before the engine, then print them side by side."""
    if not 2 <= len(args.scenarios) <= MOST:
        raise UsageError(f"want 2 to {MOST} scenarios to compare, got {len(args.scenarios)}.")
    from planner.cli.scenarios import evaluate, load_scenario

    scenarios = [load_scenario(name, args) for name in args.scenarios]
    from planner.report.answer.side_by_side import compare_table, differences_table, repeated
    from planner.report.files.csv import to_csv
    from planner.report.table import text_table

    plans = [evaluate(scenario) for scenario in scenarios]
    table = compare_table(plans)
    if args.csv:
        write_file(args.csv, to_csv(table))
    if args.json:
        from planner.report.answer.document import comparison_json  # only programs need its schema

        sys.stdout.write(to_json(comparison_json(plans)) + "\n")
        return OK
    differences = differences_table(plans)
    lines = "\n".join((*repeated(plans), *([text_table(differences)] if len(differences) else [])))
    sys.stdout.write(f"{text_table(table)}\n\nWhat differs\n------------\n{lines}\n")
    return OK
