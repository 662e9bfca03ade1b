"""`facts`: everything known of one thing."""

from __future__ import annotations

import argparse
from datetime import date

from planner.cli.common import with_own_prices
from planner.cli.told import stamp, told
from planner.report.facts.known import known
from planner.report.facts.told import known_rows, known_table, known_text
from pricing.asof import as_of
from pricing.feeds.live import current


def run(wanted: argparse.Namespace) -> int:
    """Whatever is called so, with every statement about it."""
    day = wanted.day or date.today()
    catalogue = with_own_prices(as_of(current(), day), wanted.quotes, day)
    found = known(catalogue, wanted.name, day)
    return told(
        wanted,
        table=lambda: known_table(found),
        data=lambda: stamp(catalogue, day) | {"facts": known_rows(found)},
        text=lambda: known_text(found),
    )
