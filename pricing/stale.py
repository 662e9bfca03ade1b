"""Figures nobody has looked at for too long: `python -m pricing.stale DAY`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from pricing.catalogue import Catalogue, Placed, figures
from pricing.figure import Kind
from pricing.load import load_catalogue

# Prices move in weeks, quotes in a quarter, judgement in half a year; data sheets hardly move.
ALLOWED_DAYS: dict[Kind, int] = {
    "list_price": 30,
    "reported": 90,
    "quote": 90,
    "derived": 180,
    "assumption": 180,
    "spec": 365,
    "measured": 365,
}


class Stale(NamedTuple):
    """A figure, and by how many days it is over what its kind allows."""

    placed: Placed
    kind: Kind
    days_over: int


def stale(catalogue: Catalogue, day: date) -> Iterator[Stale]:
    """Every figure checked longer ago than its kind allows."""
    for placed in figures(catalogue):
        kind = placed.figure.newest.kind
        over = placed.figure.age_days(day) - ALLOWED_DAYS[kind]
        if over > 0:
            yield Stale(placed, kind, over)


def report(catalogue: Catalogue, day: date) -> str:
    """One line for each stale figure, the oldest first, and a count for each kind."""
    found = sorted(stale(catalogue, day), key=lambda s: (-s.days_over, s.placed.section, s.placed.record))
    lines = [f"{s.days_over:5d} days over  {s.kind:<10}  {'.'.join(s.placed[:3])}" for s in found]
    counts = ", ".join(f"{sum(s.kind == kind for s in found)} {kind}" for kind in ALLOWED_DAYS)
    return "\n".join([*lines, f"{len(found)} figures to look at again on {day}: {counts}."])


def main(arguments: list[str]) -> int:
    """Print the report for the day given; this room never asks what day it is."""
    try:
        (day,) = map(date.fromisoformat, arguments)
    except ValueError:
        sys.stderr.write(f"want one day, such as 2026-11-21, got {' '.join(arguments) or 'nothing'}\n")
        return 2
    sys.stdout.write(report(load_catalogue(), day) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
