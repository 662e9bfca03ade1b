"""A table for paper: every row and every column, as text that a browser breaks into lines and sheets.

What stands on the screen is a picture of the rows in sight, as wide as its columns like; on paper it would be cut.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st

from planner.report import words
from planner.report.table import Table

_MOST_COLUMNS = 14  # side by side on a sheet of A4 that lies on its side; more are printed in parts
_LARGEST_PT, _SMALLEST_PT, _ROOM_PT = 9, 6, 120
_LONG, _PIECE = re.compile(r"\S{19,}"), re.compile(r"[^/?&=_.-]{1,18}[/?&=_.-]?|[/?&=_.-]")
_FORMAT = re.compile(r"(.*?)%(,?)(\.\d+)?([dfg])(.*)")


def whole(
    data: Table | pd.DataFrame | pa.Table,
    column_config: Mapping[str, Any] | None = None,
    placeholder: str = "",
    alt: str = "",
    column_order: Sequence[str] | None = None,
    **_of_a_screen: Any,
) -> None:
    """The whole table. What only a screen can do, to scroll and to tick, is left out."""
    frame = data.to_pandas() if isinstance(data, (Table, pa.Table)) else data
    config = column_config or {}
    shown = [name for name in column_order or frame.columns if name in frame.columns]
    cells = {name: [_cell(one, config.get(name), placeholder) for one in frame[name]] for name in shown}
    heads = {name: str((config.get(name) or {}).get("label") or name) for name in shown}
    right = {name for name in shown if pd.api.types.is_numeric_dtype(frame[name])}
    for columns in _parts(shown):
        st.html(_table(columns, heads, cells, right, alt))


def _parts(columns: Sequence[str]) -> Iterator[list[str]]:
    """Columns that fit side by side; from the second part on the first column says again whose row it is."""
    first, rest = list(columns[:1]), list(columns[1:])
    parts = max(1, math.ceil(len(rest) / (_MOST_COLUMNS - 1)))
    each = max(1, math.ceil(len(rest) / parts))
    for start in range(0, max(1, len(rest)), each):
        yield [*first, *rest[start : start + each]]


def _table(
    columns: Sequence[str], heads: Mapping[str, str], cells: Mapping[str, Sequence[str]], right: set[str], alt: str
) -> str:
    size = min(_LARGEST_PT, max(_SMALLEST_PT, _ROOM_PT / max(1, len(columns))))
    head = "".join(f'<th scope="col"{_side(name, right)}>{_with_line_breaks(heads[name])}</th>' for name in columns)
    rows = (
        "".join(
            f"<td{_side(name, right)}>{_with_line_breaks(cell)}</td>" for name, cell in zip(columns, row, strict=True)
        )
        for row in zip(*(cells[name] for name in columns), strict=True)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="whole-table" style="font-size:{size:.1f}pt"><table aria-label="{escape(alt)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _with_line_breaks(text: str) -> str:
    """As markup; a word that is longer than a column, such as an address, may go on in the next line."""
    held = _LONG.sub(lambda word: "\0".join(_PIECE.findall(word[0])), text)
    return escape(held).replace("\0", "<wbr>")


def _side(name: str, right: set[str]) -> str:
    return ' class="number"' if name in right else ""


def _cell(cell: Any, column: Any, placeholder: str) -> str:
    """A cell as text, written as its column says."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, (list, tuple, np.ndarray)):
        return ", ".join(map(str, cell))
    if cell is None or cell is pd.NaT or (isinstance(cell, float) and math.isnan(cell)):
        return placeholder
    if isinstance(cell, date):
        return words.day(cell)
    if isinstance(cell, (int, float, np.number)):
        return number(float(cell), str(((column or {}).get("type_config") or {}).get("format") or ""))
    return str(cell)


def number(value: float, form: str) -> str:
    """A number in one of the forms that a column of numbers takes."""
    if form == "percent":
        return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"
    found = _FORMAT.fullmatch(form.replace("%%", "\0"))
    if found is None:
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    before, comma, decimals, kind, after = found.groups()
    digits = ".0f" if kind == "d" else (decimals or ("" if kind == "g" else ".6")) + kind
    return f"{before}{value:{comma}{digits}}{after}".replace("\0", "%")
