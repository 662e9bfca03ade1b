"""Parts of a page: charts with their finding as text, tables with their units and files, figures, links.

On the screen a table is a picture of the rows in sight, as wide as its columns like; on paper it would be cut. So for
print there is a table of text, every row and column, that a browser breaks into lines and sheets.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from html import escape
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
import streamlit as st

from planner.report import words
from planner.report.files.csv import to_csv
from planner.report.table import Table
from planner.report.words import Tile
from planner.scenario.shown_money import ShownMoney, shown_money, with_money
from planner.web import address, state
from planner.web.shared import memory
from pricing.exchange import DOLLAR

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
        st.html(_html([*names[:1], *rest[start : start + per_part]], labels, cells, numeric, alt))


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


WHOLE = "whole"  # in the address: whole=1
AS_TABLE = "Show as a table"
_CHART = {"displayModeBar": False, "scrollZoom": False}
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MIME = {"csv": "text/csv", "xlsx": _XLSX, "yaml": "application/yaml", "pdf": "application/pdf", "md": "text/markdown",
         "zip": "application/zip"}  # fmt: skip
_NO_LETTER = re.compile(r"\W+")
_NONE: Mapping[str, str] = MappingProxyType({})
_TRY_AGAIN = "Your plan is safe. Try again, or contact the administrator of this app."

SHARE = st.column_config.NumberColumn(format="percent")
WHOLE_SHARE = st.column_config.NumberColumn(format="percent")  # rounded to whole percents; files keep all digits
OPEN = st.column_config.LinkColumn(display_text="open")
OF_100 = st.column_config.NumberColumn(format="%.3g")  # 72, and 99.9 where it is not quite all
MONEY = st.column_config.NumberColumn(format="%,.0f")  # the head says USD; a sign before a dollar mark reads badly
CENTS = st.column_config.NumberColumn(format="$%,.2f")
DAY = st.column_config.DateColumn(format="D MMM YYYY")

Columns = Mapping[str, Any] | Callable[[Table], Mapping[str, Any]] | None


def chart(figure: go.Figure, finding: str, key: str, on_click: Callable[[], None] | None = None) -> None:
    """Show a chart, with its finding for those who cannot see it."""
    selection = {} if on_click is None else {"on_select": on_click, "selection_mode": "points"}
    st.plotly_chart(figure, config=_CHART, alt=finding, key=key, **selection)


def clicked_points(key: str) -> list[str]:
    """Return the ids of the points of a chart that were clicked."""
    points = st.session_state[key]["selection"]["points"]
    return [str(point["customdata"][0]) for point in points if point.get("customdata")]


def dataframe(data: Any, **options: Any) -> None:
    """Show a table of which ten rows are in sight and the rest is reached by scrolling; for print, the whole of it."""
    if address.text(WHOLE) in ("1", "true"):
        print_table(data, **options)
    else:
        st.dataframe(data.to_arrow() if isinstance(data, Table) else data, hide_index=True, **options)


def table(
    key: str, label: str, make: Table | Callable[[], Table], columns: Columns = None, file: str = "", **options: Any
) -> None:
    """Show a table with its file. With a label it stands in a box of its own and is made when that is opened."""
    if label:
        with on_demand(key, label) as is_open:
            if is_open:
                table(key, "", make, columns, file, **options)
        return
    data = make() if callable(make) else make
    config = in_shown_money(columns(data) if callable(columns) else columns or {})
    data = data.in_shown_money()
    shares = [name for name, column in config.items() if column is WHOLE_SHARE]
    dataframe(data.rounded(shares, 2) if shares else data, column_config=config, **options)
    if file:
        csv_button(data, file, f"csv-{key}")


def in_shown_money(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the formats of columns in the money shown."""
    money = shown_money()
    if money.code == DOLLAR:
        return dict(columns)
    return {name.replace(DOLLAR, money.code): _in_money(column, money) for name, column in columns.items()}


def is_money(column: Any) -> bool:
    """Return whether a column is shown with a dollar sign."""
    return isinstance(column, dict) and "$" in str((column.get("type_config") or {}).get("format"))


def _in_money(column: Any, money: ShownMoney) -> Any:
    """Return the format of a column with the mark of the money in place of a dollar sign."""
    if not is_money(column):
        return column
    look = column["type_config"]
    label = str(column.get("label") or "").replace("$", money.mark.strip()) or None
    return column | {"label": label, "type_config": look | {"format": look["format"].replace("$", money.mark)}}


def from_column(first: int, column: Any) -> Callable[[Table], Mapping[str, Any]]:
    """Return the columns of a table from the nth on, all shown alike."""
    return lambda data: dict.fromkeys(data.columns[first:], column)


def in_usd(data: Table) -> dict[str, Any]:
    """Return the columns of a table whose name ends in USD, shown as money."""
    return {name: MONEY for name in data.columns if name.endswith("USD")}


def small_table(data: Table, file: str = "", key: str = "") -> None:
    """Show a small table, its first column as the heads of its rows. Its cells are text, never markup."""
    cells = {
        words.markdown(name): [words.markdown(cell) if isinstance(cell, str) else cell for cell in data[name]]
        for name in data.columns
    }
    shown = Table(cells)
    st.table(shown.to_pandas().set_index(shown.columns[0]))
    if file:
        csv_button(data, file, f"csv-{key}")


@contextmanager
def on_demand(key: str, label: str = AS_TABLE) -> Iterator[bool]:
    """Show a box whose content is made only when it is opened."""
    box = st.expander(label, key=key, on_change="rerun")
    with box:
        yield bool(box.open)


def csv_button(data: Table, file: str, key: str) -> None:
    """Show a button for a table as CSV."""
    download("Download this table (CSV)", file, lambda: to_csv(data), key)


def download(label: str, name: str, make: Callable[[], bytes], key: str) -> None:
    """Show a button that gives a file. Where the file cannot be made, the page says so.

    `make` runs when the button is pressed, in a thread of its own, where there is no session to ask: everything it
    needs must be there already.
    """
    failed: list[str] = memory().setdefault(f"{key}-failed", [])
    money = shown_money()

    def build() -> bytes:
        failed.clear()
        try:
            return with_money(money, make)
        except Exception:
            failed.append(name)  # Streamlit says so beside the button for five seconds, and the log has the traceback
            raise

    mime = _MIME[name.rpartition(".")[2]]
    st.download_button(label, build, file_name(name), mime, on_click="ignore", icon=":material/download:", key=key)
    if failed:
        st.error(words.markdown(f"{name} could not be made the last time. {_TRY_AGAIN}"))


def file_name(name: str) -> str:
    """Return the name of a file with that of the plan and the day of its prices: memo-fleet-2027-2026-11-25.pdf."""
    stem, _, ending = name.rpartition(".")
    return f"{stem}-{plan_and_day()}.{ending}"


def plan_and_day() -> str:
    """Return what the names of all files of this plan end in: fleet-2027-2026-11-25."""
    plan = _NO_LETTER.sub("-", (address.text("name") or "").casefold())[:40].strip("-")
    return "-".join(filter(None, (plan, state.day().isoformat())))


def views(
    key: str, labels: Sequence[str], renderers: Sequence[Callable[[], None]], former: Mapping[str, str] = _NONE
) -> None:
    """Show tabs. Only the open one is made: the others cost nothing until they are opened.

    `former` holds names of tabs in older links.
    """
    if (text := address.text(key)) in former:
        address.put({key: former[text]})
    address.choice(key, labels, labels[0])
    for tab, render in zip(st.tabs(labels, key=key, on_change="rerun"), renderers, strict=True):
        if tab.open:
            with tab:
                render()


def title(text: str, sentences: Sequence[str] = ()) -> None:
    """Show the title of a page and the sentences below it."""
    st.title(words.markdown(text), anchor=False)
    if sentences:
        paragraph(*sentences)


def paragraph(*sentences: str) -> None:
    """Show sentences as one paragraph."""
    st.markdown(words.markdown(" ".join(sentences)))


def refusal(key: str) -> None:
    """Show why the last action was refused, as the session keeps it."""
    if text := memory().get(key):
        st.error(words.markdown(text))


def bullets(lines: Sequence[str]) -> None:
    """Show a list of lines of markup."""
    st.markdown("\n".join(f"- {line}" for line in lines))


def next_page(name: str, label: str) -> None:
    """Show a link to another page, inside the page: on a phone the navigation is folded away."""
    st.page_link(state.session().pages[name], label=label, icon=":material/arrow_forward:")


def small(text: str, help_text: str | None = None) -> None:
    """Show a quiet line that still has the contrast to be read."""
    st.markdown(f":small[:gray[{text}]]", help=help_text)


def link(url: str) -> str:
    """Return a link to a source behind a sentence; empty where it is a page of ours."""
    return f" [Open the source]({url})" if url.startswith("http") else ""


def figures(tiles: Sequence[Tile], key: str = "tiles") -> None:
    """Show a few figures with their ranges in one row, two by two on a phone."""
    with st.container(key=key), st.grid(max(4, len(tiles)), min_column_width=150):
        for tile in tiles:
            st.metric(
                words.markdown(tile.label), tile.value, words.markdown(tile.range), delta_color="off",
                delta_arrow="off", border=True, height="stretch", help=words.markdown(tile.detail),
            )  # fmt: skip
