"""A table: named columns of equal length. The same one is printed, written as CSV and as JSON, and shown on a page.

It is made of plain Python values, so that who prints it loads no library of tables.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.scenario.shown_money import shown_money
from pricing.exchange import DOLLAR

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, each its cells from the first row to the last; `ids` name rows that can be chosen."""

    cells: Mapping[str, Sequence[Any]]
    ids: tuple[str, ...] | None = None

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], columns: Iterable[str] | None = None) -> Table:
        """Make a table of rows by name, with one type of number in a column; by default with all columns."""
        return cls.from_columns(cls.from_raw_rows(rows, columns).cells)

    @classmethod
    def from_columns(cls, cells: Mapping[str, Iterable[Any]], ids: Iterable[str] | None = None) -> Table:
        """From columns, numbers evened: in one column all are whole, or all have decimals and nan is what lacks."""
        return cls(
            {name: _harmonize_column(column) for name, column in cells.items()}, None if ids is None else tuple(ids)
        )

    @classmethod
    def from_raw_rows(cls, rows: Iterable[Mapping[str, Any]], columns: Iterable[str] | None = None) -> Table:
        """From rows by name, every cell left alone; None is what a row lacks."""
        records = list(rows)
        names = dict.fromkeys(name for row in records for name in row) if columns is None else columns
        return cls({name: [row.get(name) for row in records] for name in names})

    @classmethod
    def listed(cls, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
        """From rows of as many cells as there are columns, numbers evened."""
        if len(set(columns)) < len(columns):
            raise ValueError(f"want every column under a name of its own, got {', '.join(columns)}")
        return cls.of((dict(zip(columns, row, strict=True)) for row in rows), columns)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in the order shown."""
        return list(self.cells)

    def __len__(self) -> int:
        return max(map(len, self.cells.values()), default=0)

    def __getitem__(self, name: str) -> list[Any]:
        return list(self.cells[name])

    def by_id(self, name: str) -> dict[str, Any]:
        """One column, by the ids of the rows."""
        return dict(zip(self.ids or (), self.cells[name], strict=True))

    def in_shown_money(self, *more: str) -> Table:
        """The table with its dollars in the money shown: columns called so, and more; all where the first says USD."""
        money = shown_money()
        if money.code == DOLLAR:
            return self
        are_all = DOLLAR in next(iter(self.cells), "")

        def converted(name: str, cells: Sequence[Any]) -> Sequence[Any]:
            is_money = are_all or DOLLAR in name or name in more
            return [money.amount(cell) if is_money and isinstance(cell, float) else cell for cell in cells]

        cells = {name.replace(DOLLAR, money.code): converted(name, each) for name, each in self.cells.items()}
        return Table(cells, self.ids)

    def is_empty(self, name: str) -> bool:
        """Return True if every cell of a column is empty."""
        return all(_finite_or_nan(cell) is None for cell in self.cells[name])

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The cells, row by row."""
        return zip(*self.cells.values(), strict=True)

    def records(self) -> list[dict[str, Any]]:
        """The rows by name, for JSON: None where there is no number."""
        return [dict(zip(self.cells, map(_finite_or_nan, row), strict=True)) for row in self.rows()]

    def without(self, *names: str) -> Table:
        """The table without these columns, where it has them."""
        return Table({name: column for name, column in self.cells.items() if name not in names}, self.ids)

    def only(self, mask: Iterable[bool]) -> Table:
        """The rows that are wanted."""
        places = [place for place, take in enumerate(mask) if take]
        cells = {name: [column[place] for place in places] for name, column in self.cells.items()}
        return Table(cells, None if self.ids is None else tuple(self.ids[place] for place in places))

    def to_pandas(self) -> pd.DataFrame:
        """The table as a page shows it: Streamlit asks every table that it does not know for this."""
        import pandas as pd  # takes longer to load than a plan to calculate, and only pages need it

        index = None if self.ids is None else pd.Index(self.ids, dtype="str")
        return pd.DataFrame(dict(self.cells), index=index)

    def to_arrow(self) -> pa.Table:
        """The table as it is sent to a browser, without its ids; through pandas it takes ten times as long."""
        import pyarrow as pa  # only pages need it

        columns = {}
        for name, cells in self.cells.items():
            try:
                columns[name] = pa.array(cells, from_pandas=True)
            except (pa.ArrowInvalid, pa.ArrowTypeError):  # words and numbers in one column
                columns[name] = pa.array([None if cell is None else str(cell) for cell in cells])
        return pa.table(columns)

    def rounded(self, columns: Iterable[str], places: int) -> Table:
        """The table with the numbers of these columns rounded."""
        return Table(
            {name: [round(cell, places) for cell in column] if name in columns else column
             for name, column in self.cells.items()}, self.ids
        )  # fmt: skip


def _harmonize_column(column: Iterable[Any]) -> list[Any]:
    cells = [cell.item() if hasattr(cell, "dtype") else cell for cell in column]
    kinds = {type(cell) for cell in cells}
    if (float in kinds and kinds <= {float, int, type(None)}) or kinds == {int, type(None)}:
        return [math.nan if cell is None else float(cell) for cell in cells]
    return cells


def _finite_or_nan(cell: Any) -> Any:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


_WHOLE = 100.0  # dollars from which cents say nothing
WIDEST = 44
_GAP = "  "


def text_table(table: Table) -> str:
    """A table as aligned text: numbers to the right, words to the left; only the last column may be long."""
    if not len(table):
        return ""
    table = table.in_shown_money()
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
    numeric = [isinstance(value, int | float) for value in values if value not in ("", None)]
    return bool(numeric) and all(numeric)


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
