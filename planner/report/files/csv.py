"""CSV that a spreadsheet reads as data: numbers stay numbers, and no text can become a formula (pricing.formulas)."""

import csv
import io
import math

from planner.report.table import Table
from pricing.formulas import guarded

BYTE_ORDER_MARK = "\ufeff"  # so that spreadsheets read it as UTF-8


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
