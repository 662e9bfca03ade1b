"""A table for print: every row and every column, as text that a browser breaks into lines and sheets.

On the screen a table is a picture of the rows in sight, as wide as its columns like; on paper it would be cut.
"""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st

from planner.report import words
from planner.report.table import Table

_MOST_COLUMNS = 14  # side by side on a landscape sheet of A4; more are printed in parts
_LARGEST_PT, _SMALLEST_PT, _WIDTH_PT = 9, 6, 120
_LONG, _PIECE = re.compile(r"\S{19,}"), re.compile(r"[^/?&=_.-]{1,18}[/?&=_.-]?|[/?&=_.-]")
_FORMAT = re.compile(r"(.*?)%(,?)(\.\d+)?([dfg])(.*)")


def print_table(
    data: Table | pd.DataFrame | pa.Table,
    column_config: Mapping[str, Any] | None = None,
    placeholder: str = "",
    alt: str = "",
    column_order: Sequence[str] | None = None,
    **_of_a_screen: Any,
) -> None:
    """Show the whole table. Options that need a screen, to scroll and to tick, are ignored."""
    frame = data.to_pandas() if isinstance(data, (Table, pa.Table)) else data
    config = column_config or {}
    names = [name for name in column_order or frame.columns if name in frame.columns]
    cells = {name: [_cell(cell, config.get(name), placeholder) for cell in frame[name]] for name in names}
    labels = {name: str((config.get(name) or {}).get("label") or name) for name in names}
    numeric = {name for name in names if pd.api.types.is_numeric_dtype(frame[name])}
    rest = names[1:]  # from the second part on the first column is repeated: it names the row
    per_part = max(1, math.ceil(len(rest) / max(1, math.ceil(len(rest) / (_MOST_COLUMNS - 1)))))
    for start in range(0, max(1, len(rest)), per_part):
        part = [*names[:1], *rest[start : start + per_part]]
        st.html(_html(part, labels, cells, numeric, alt))


def _html(
    columns: Sequence[str], labels: Mapping[str, str], cells: Mapping[str, Sequence[str]], numeric: set[str], alt: str
) -> str:
    size = min(_LARGEST_PT, max(_SMALLEST_PT, _WIDTH_PT / max(1, len(columns))))
    side = {name: ' class="number"' if name in numeric else "" for name in columns}
    head = "".join(f'<th scope="col"{side[name]}>{_with_line_breaks(labels[name])}</th>' for name in columns)
    rows = (
        "".join(f"<td{side[name]}>{_with_line_breaks(cell)}</td>" for name, cell in zip(columns, row, strict=True))
        for row in zip(*(cells[name] for name in columns), strict=True)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="whole-table" style="font-size:{size:.1f}pt"><table aria-label="{escape(alt)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _with_line_breaks(text: str) -> str:
    """Return text as markup; a word longer than a column, such as an address, may go on in the next line."""
    return escape(_LONG.sub(lambda word: "\0".join(_PIECE.findall(word[0])), text)).replace("\0", "<wbr>")


def _cell(cell: Any, column: Any, placeholder: str) -> str:
    """Return a cell as text, in the format of its column."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, (list, tuple, np.ndarray)):
        return ", ".join(map(str, cell))
    if cell is None or cell is pd.NaT or (isinstance(cell, float) and math.isnan(cell)):
        return placeholder
    if isinstance(cell, date):
        return words.day(cell)
    config = (column or {}).get("type_config") or {}
    if isinstance(cell, (int, float, np.number)):
        return format_number(float(cell), str(config.get("format") or ""))
    label = re.search(config.get("display_text") or "$", str(cell))  # of a link, which may end in its words
    return label[1] if label and label.groups() else str(cell)


def format_number(value: float, form: str) -> str:
    """Return a number in one of the formats of a number column."""
    if form == "percent":
        return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"
    match = _FORMAT.fullmatch(form.replace("%%", "\0"))
    if match is None:
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    before, comma, decimals, kind, after = match.groups()
    digits = ".0f" if kind == "d" else (decimals or ("" if kind == "g" else ".6")) + kind
    return f"{before}{value:{comma}{digits}}{after}".replace("\0", "%")
