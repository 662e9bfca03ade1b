"""One cell of a table of runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite

from planner.network.guess import Sizes

Row = Mapping[str, str]
LEAST = 1e-12  # nothing in a table of runs is measured in less
YES, NO = ("yes", "true", "1", "1.0"), ("no", "false", "0", "0.0")


def text(row: Row, column: str) -> str:
    """A cell without blanks around it; empty where there is none."""
    return (row.get(column) or "").strip()


def number(row: Row, column: str) -> float | None:
    """A cell as a positive number; None where it is empty or none."""
    try:
        value = float(text(row, column))
    except ValueError:
        return None
    return value if value >= LEAST and isfinite(value) else None


def is_yes(row: Row, column: str) -> bool:
    """Return whether a cell says yes."""
    return text(row, column).casefold() in YES


def sizes_of(row: Row) -> Sizes:
    """The sizes a row states beside its model's name."""
    return Sizes(number(row, "params_b"), number(row, "active_params_b"), year(text(row, "published")))


def year(published: str) -> float | None:
    """The decimal year of `2024-07`, `2024-07-15`, `2024` or the first of `2021-2024`."""
    found = re.match(r"(\d{4})(?:-(\d{2})(?!\d))?", published)
    if found is None:
        return None
    return int(found.group(1)) + (int(found.group(2) or 7) - 0.5) / 12
