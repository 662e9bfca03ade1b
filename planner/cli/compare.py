"""`compare`: several scenarios side by side, and what they say differently."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.arguments import add_catalog_arguments
from planner.cli.common import OK, UsageError, to_json, write_file

if TYPE_CHECKING:
    from planner.cli.scenarios import LoadedScenario


MOST = 8


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("compare", help="several scenarios side by side")
    verb.set_defaults(verb=run)
    verb.add_argument("scenarios", nargs="+", metavar="SCENARIO", help="two or more YAML files or names of presets")
    add_catalog_arguments(verb)
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write the table")


def run(args: argparse.Namespace) -> int:
    """Refuse what names nothing before the engine loads."""
    if not 2 <= len(args.scenarios) <= MOST:
        raise UsageError(f"want 2 to {MOST} scenarios to compare, got {len(args.scenarios)}.")
    from planner.cli.scenarios import scenario_called

    scenarios = [scenario_called(name, args) for name in args.scenarios]
    return _report(scenarios, args)


def _report(scenarios: Sequence[LoadedScenario], args: argparse.Namespace) -> int:
    """Each scenario reckoned, then told beside the others."""
    from planner.cli.scenarios import evaluate
    from planner.report.answer.side_by_side import compare_table, differences_table, repeated
    from planner.report.files.csv import to_csv
    from planner.report.table import text_table

    plans = [evaluate(one) for one in scenarios]
    table = compare_table(plans)
    if args.csv:
        write_file(args.csv, to_csv(table))
    if args.json:
        from planner.report.answer.document import comparison_json  # only programs wait for what describes it

        sys.stdout.write(to_json(comparison_json(plans)) + "\n")
        return OK
    differences = differences_table(plans)
    differ = "\n".join((*repeated(plans), *([text_table(differences)] if len(differences) else [])))
    sys.stdout.write(f"{text_table(table)}\n\nWhat differs\n------------\n{differ}\n")
    return OK
