"""`compare`: several scenarios side by side, and their differences."""

import argparse
from typing import Any

from planner.cli.common import UsageError, add_catalog_arguments, add_form_arguments, write_result

MOST = 8


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("compare", help="several scenarios side by side")
    verb.set_defaults(verb=run)
    verb.add_argument("scenarios", nargs="+", metavar="SCENARIO", help="two or more YAML files or names of presets")
    add_catalog_arguments(verb)
    add_form_arguments(verb)


def run(args: argparse.Namespace) -> int:
    """Load the scenarios before the engine, then print them side by side."""
    if not 2 <= len(args.scenarios) <= MOST:
        raise UsageError(f"want 2 to {MOST} scenarios to compare, got {len(args.scenarios)}.")
    from planner.cli.inputs import load_scenario

    scenarios = [load_scenario(name, args) for name in args.scenarios]
    from planner.api.plans import comparison, evaluate

    return write_result(args, comparison([evaluate(scenario) for scenario in scenarios]))
