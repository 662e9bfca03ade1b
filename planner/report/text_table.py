"""A table as text for a terminal: numbers to the right, words to the left, long cells cut."""

import math
from collections.abc import Collection, Sequence
from typing import Any

from planner.report.table import Table

_WHOLE = 100.0  # dollars from which cents say nothing
WIDEST = 44
_GAP = "  "


def text_table(table: Table) -> str:
    """A table as aligned text: numbers to the right, words to the left; only the last column may be long."""
    if not len(table):
        return ""
    columns = [(name, table[name]) for name in table.columns]
    right = {place for place, (_, values) in enumerate(columns) if _are_numbers(values)}
    cells = [[str(name), *map(_cell, values)] for name, values in columns]
    short = [[cut(cell, WIDEST) for cell in column] for column in cells[:-1]]
    return aligned(list(zip(*short, cells[-1], strict=True)), right)


def aligned(lines: Sequence[Sequence[str]], right: Collection[int]) -> str:
    """Lines of as many cells each, one below the other; the columns in these places stand to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        _GAP.join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _are_numbers(values: Sequence[Any]) -> bool:
    there = [isinstance(value, int | float) for value in values if value not in ("", None)]
    return bool(there) and all(there)


def _cell(value: Any) -> str:
    if isinstance(value, int | float):
        if not math.isfinite(value):
            return "–"
        round_one = abs(value) >= _WHOLE or value == int(value)
        return f"{value + 0.0:,.0f}" if round_one else f"{value:,.3g}"
    return "–" if value is None else " ".join(str(value).split())


def cut(text: str, widest: int) -> str:
    """The text, its end left out where it is too long."""
    return text if len(text) <= widest else text[: widest - 1] + "…"
