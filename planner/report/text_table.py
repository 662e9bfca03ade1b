"""A table as text for a terminal: numbers to the right, words to the left, long cells cut."""

from __future__ import annotations

import math
from typing import Any

from planner.report.table import Table

_WHOLE = 100.0  # dollars from which cents say nothing
_WIDEST = 44
_GAP = "  "


def text_table(table: Table) -> str:
    """A table as aligned text: numbers to the right, words to the left; only the last column may be long."""
    if not len(table):
        return ""
    *most, last = [str(name) for name in table.columns]
    columns = [_column(name, table[name], _WIDEST) for name in most]
    columns.append(_column(last, table[last], None))
    return "\n".join(_GAP.join(cells).rstrip() for cells in zip(*columns, strict=True))


def _column(name: str, values: list[Any], widest: int | None) -> list[str]:
    numbers = [isinstance(value, int | float) for value in values if value not in ("", None)]
    cells = [_cut(cell, widest) for cell in (name, *map(_cell, values))]
    width = max(len(cell) for cell in cells)
    return [cell.rjust(width) if numbers and all(numbers) else cell.ljust(width) for cell in cells]


def _cell(value: Any) -> str:
    if isinstance(value, int | float):
        if not math.isfinite(value):
            return "–"
        round_one = abs(value) >= _WHOLE or value == int(value)
        return f"{value + 0.0:,.0f}" if round_one else f"{value:,.3g}"
    return "–" if value is None else " ".join(str(value).split())


def _cut(text: str, widest: int | None) -> str:
    return text if widest is None or len(text) <= widest else text[: widest - 1] + "…"
