"""CSV that a spreadsheet reads as data: numbers stay numbers, and no text can become a formula.

A cell that starts with = + - @, a tab or a line end may run as a formula where it is opened. Such text gets an
apostrophe in front; numbers are typed floats and are never touched.
"""

from __future__ import annotations

import csv
import io
import math

from planner.report.table import Table

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
BYTE_ORDER_MARK = "\ufeff"  # so that spreadsheets read it as UTF-8


def guarded(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return "'" + text if text.lstrip(" \u00a0").startswith(_FORMULA_STARTS) else text


def unguarded(cell: str) -> str:
    """The text of a cell as it was before it was guarded."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell


def to_csv(table: Table) -> bytes:
    """The table as UTF-8 CSV: all its rows and columns in the order shown, full precision, empty where unknown."""
    out = io.StringIO(BYTE_ORDER_MARK, newline="")
    out.seek(0, io.SEEK_END)
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow([guarded(str(name)) for name in table.columns])
    for row in table.rows():
        writer.writerow([_cell(value) for value in row])
    return out.getvalue().encode("utf-8")


def _cell(value: object) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return value
    return guarded(value.isoformat() if hasattr(value, "isoformat") else str(value))
