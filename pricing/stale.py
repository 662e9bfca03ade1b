"""For how long a figure holds without another look, and which were looked at longer ago."""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from pricing.catalogue import Catalogue, Placed, figures
from pricing.figure import Figure, Kind

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
    days_over: int


def limit_days(figure: Figure) -> int:
    """For how many days a figure of its kind holds without another look."""
    return ALLOWED_DAYS[figure.newest.kind]


def days_over(figure: Figure, day: date) -> int:
    """By how many days it is older than that; 0 or less while it still holds."""
    return figure.age_days(day) - limit_days(figure)


def stale(catalogue: Catalogue, day: date) -> Iterator[Stale]:
    """Every figure checked longer ago than its kind allows."""
    for placed in figures(catalogue):
        over = days_over(placed.figure, day)
        if over > 0:
            yield Stale(placed, over)
