"""`stale`: which figures to look at again, the weightiest first."""

import argparse
from datetime import date
from typing import Any

from planner.api.records import stamp
from planner.cli.common import add_output_arguments, emit, with_quote_file


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("stale", help="figures older than their limit, what moves the presets most first")
    verb.set_defaults(verb=run)
    add_output_arguments(verb, csv="write one row for each figure")


def run(args: argparse.Namespace) -> int:
    """Every overdue figure, weighed by the presets and the default."""
    from planner.report.facts.assumptions import overdue_row, overdue_table, overdue_text
    from planner.study.uncertainty.futures import overdue_impacts, usual_plans
    from pricing.feeds.live import current
    from pricing.stale import as_of

    day = args.day or date.today()
    catalogue = with_quote_file(as_of(current(), day), args.quotes, day)
    impacts = overdue_impacts(catalogue, usual_plans(catalogue, day), day)
    rows = [overdue_row(catalogue, impact, day) for impact in impacts]
    return emit(
        args,
        table=lambda: overdue_table(rows),
        data=lambda: stamp(catalogue, day) | {"figures": rows},
        text=lambda: overdue_text(rows, day),
    )
