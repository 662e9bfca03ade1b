"""`stale`: which figures to look at again, the weightiest first."""

from __future__ import annotations

import argparse
from datetime import date

from planner.cli.common import with_own_prices
from planner.cli.told import stamp, told
from planner.report.facts.overdue import overdue_rows, overdue_table, overdue_text
from planner.study.uncertainty.overdue import overdue, usual_plans
from pricing.asof import as_of
from pricing.feeds.live import current


def run(wanted: argparse.Namespace) -> int:
    """Every overdue figure, weighed by the presets and the default."""
    day = wanted.day or date.today()
    catalogue = with_own_prices(as_of(current(), day), wanted.quotes, day)
    rows = overdue_rows(catalogue, overdue(catalogue, usual_plans(catalogue, day), day), day)
    return told(
        wanted,
        table=lambda: overdue_table(rows),
        data=lambda: stamp(catalogue, day) | {"figures": rows},
        text=lambda: overdue_text(rows, day),
    )
