"""One cell of a table of runs."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

Row = Mapping[str, str]


def text(row: Row, column: str) -> str:
    """A cell without blanks around it; empty where there is none."""
    return (row.get(column) or "").strip()


def number(row: Row, column: str) -> float | None:
    """A cell as a positive number; None where it is empty or none. Nothing in a table of runs is measured in less."""
    try:
        value = float(text(row, column))
    except ValueError:
        return None
    return value if value > 0 and isfinite(value) else None
