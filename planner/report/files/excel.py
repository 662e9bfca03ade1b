"""The formulas of a ledger as a spreadsheet writes them, and sheets with a column for each month.

Time runs across: every sheet by month has today in the same column. A row has one formula: it is written once, with `§`
for the column of its month and `¶` for the one before, and is the same in every month.
"""

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pricing.caching import cached, cached_property

HERE, BEFORE = "§", "¶"
# Columns; running sums start from the empty one.
NAME, UNIT, TOTAL, CASH, TREATMENT, PROFIT_ROW, VAT, _EMPTY, TODAY = range(9)
LINE_HEADS = ("Cash: 1", "Tax books", "Profit row", "VAT: 1")
MONTHS_TO_A_PAGE = 12
_OPERATORS: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", 2), ast.Sub: ("-", 2), ast.Mult: ("*", 3), ast.Div: ("/", 3), ast.Pow: ("^", 4),
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "="}
_FUNCTIONS = {"where": "IF", "min": "MIN", "max": "MAX"}
_WHOLE = 9  # a number, a name or a call needs no brackets
_CELL = re.compile(r"[A-Za-z]{1,3}\d+|[RrCc]\d*|[Rr]\d*[Cc]\d*")


def cell_name(assumption_id: str) -> str:
    """Return the name of an assumption's cell; one that reads as an address gets a mark behind it."""
    name = assumption_id.replace("#", "__")
    return f"{name}_" if _CELL.fullmatch(name) else name


def excel_formula(how: str, cells: Mapping[str, str]) -> str:
    """Return a formula of a ledger as a spreadsheet writes it, each input as its cell."""
    return _written(ast.parse(how, mode="eval").body, cells)[0]


def _written(node: ast.expr, cells: Mapping[str, str]) -> tuple[str, int]:
    """Return a part of a formula, and how firmly it binds."""
    match node:
        case ast.Name() | ast.Constant():
            return cells[node.id] if isinstance(node, ast.Name) else repr(node.value), _WHOLE
        case ast.UnaryOp(operand=ast.Constant(value=number)):
            return f"-{number!r}", 3
        case ast.UnaryOp(operand=operand):  # a minus of a spreadsheet binds firmer than its powers
            return f"-1 * {_in_brackets(operand, cells, 4)}", 3
        case ast.Compare():
            return f"IF({_condition(node, cells)}, 1, 0)", _WHOLE
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, args, cells), _WHOLE
        case ast.BinOp():
            return _operation(node, cells)
    raise AssertionError(ast.unparse(node))  # a formula has no other parts


def _operation(node: ast.BinOp, cells: Mapping[str, str]) -> tuple[str, int]:
    sign, level = _OPERATORS[type(node.op)]
    if sign == "^" and isinstance(node.left, ast.Constant):  # a spreadsheet refuses a power that leaves nothing
        return f"EXP({_in_brackets(node.right, cells, 3)} * LN({node.left.value!r}))", _WHOLE
    first = level + 1 if sign == "^" else level  # powers of powers are read from left to right
    return f"{_in_brackets(node.left, cells, first)} {sign} {_in_brackets(node.right, cells, level + 1)}", level


def _in_brackets(node: ast.expr, cells: Mapping[str, str], level: int) -> str:
    text, binds = _written(node, cells)
    return text if binds >= level else f"({text})"


def _condition(node: ast.expr, cells: Mapping[str, str]) -> str:
    if not isinstance(node, ast.Compare):
        return _written(node, cells)[0]
    left, right = (_in_brackets(side, cells, 2) for side in (node.left, node.comparators[0]))
    return f"{left} {_COMPARISONS[type(node.ops[0])]} {right}"


def _call(name: str, args: Sequence[ast.expr], cells: Mapping[str, str]) -> str:
    first, *rest = (_condition(arg, cells) if name == "where" else _written(arg, cells)[0] for arg in args)
    return f"-1 * INT(-1 * ({first}))" if name == "ceil" else f"{_FUNCTIONS[name]}({', '.join((first, *rest))})"


def look(unit: str) -> str:
    """Return the style of a number by its unit; what has none, such as a line of a ledger, is money."""
    return {
        "1": "number",
        "0 or 1": "any",
        "no.": "any",
        "month": "number",
        "year": "number",
        "hour": "usd",
        "USD/hour": "number",
        "1/year": "share",
    }.get(unit, "usd")


@cached(2_000)  # a large workbook has half a million cells
def column(number: int) -> str:
    """Return the letters of a column: A is 0."""
    letters = ""
    while number >= 0:
        number, letter = divmod(number, 26)
        letters, number = chr(ord("A") + letter) + letters, number - 1
    return letters


class Styles:
    """The formats of a workbook, each made once."""

    def __init__(self, book: Any) -> None:
        base = {"font_name": "Arial", "font_size": 9, "valign": "top"}
        typed = {"font_color": "#0000FF", "bg_color": "#FFF9DB", "locked": False}
        looks: dict[str, dict[str, Any]] = {
            "text": {}, "bold": {"bold": True}, "title": {"bold": True, "font_size": 14}, "wrap": {"text_wrap": True},
            "head": {"bold": True, "bottom": 1, "text_wrap": True}, "grey": {"font_color": "#666666"},
            "usd": {"num_format": "#,##0;-#,##0;0", "align": "right"},
            "number": {"num_format": "#,##0.00##", "align": "right"},
            "head_right": {"bold": True, "bottom": 1, "align": "right", "text_wrap": True},
            "share": {"num_format": "0.0%", "align": "right"}, "any": {}, "day": {"num_format": "yyyy-mm-dd"},
            "sum": {"num_format": "#,##0;-#,##0;0", "bold": True, "top": 1},
            "day_head": {"num_format": "yyyy-mm-dd", "bold": True, "bottom": 1},
            "input": typed | {"num_format": "#,##0.######"}, "computed": {"num_format": "#,##0.######", "italic": True},
            "verdict": {"bold": True, "font_size": 12, "bg_color": "#E8F3EC"},
        }  # fmt: skip
        self._formats = {name: book.add_format(base | look) for name, look in looks.items()}

    def __getitem__(self, name: str) -> Any:
        return self._formats[name]


@dataclass
class MonthSheet:
    """A sheet with a column for each month, and its rows by name, counted from 1 as addresses count them."""

    sheet: Any
    name: str
    styles: Styles
    months: int  # after today
    rows: dict[str, int] = field(default_factory=dict)
    lines: tuple[int, int] = (0, 0)  # the first and the last row of a ledger's lines

    @cached_property
    def columns(self) -> list[str]:
        """Return the letters of all months, the empty column before today first."""
        return [column(TODAY - 1 + number) for number in range(self.months + 2)]

    def span(self, name: str, is_elsewhere: bool = False) -> str:
        """Return the address of all months of a row, with the sheet where it is read from another."""
        return f"{self.prefix if is_elsewhere else ''}{self.row_span(self.rows[name])}"

    def row_span(self, row: int) -> str:
        """Return the address of all months of a row."""
        return f"${column(TODAY)}${row}:${self.columns[-1]}${row}"

    @property
    def prefix(self) -> str:
        """Return what stands before an address on this sheet that is read from another."""
        return f"'{self.name}'!"

    def write_months(self, row: int, template: str, values: ArrayLike, style: str = "usd") -> None:
        """Write the one formula of a row into every month, with its values as they are known now."""
        cells = np.broadcast_to(np.asarray(values, dtype=np.float64), (self.months + 1,)).tolist()
        before, *columns = self.columns
        look, write = self.styles[style], self.sheet.write_formula
        for number, (letter, value) in enumerate(zip(columns, cells, strict=True)):
            formula = template.replace(HERE, letter).replace(BEFORE, before)
            write(row - 1, TODAY + number, f"={formula}", look, "" if math.isnan(value) else value)
            before = letter

    def write_inputs(self, row: int, values: ArrayLike, style: str) -> None:
        """Write values that are inputs of a month, or were computed before the ledger."""
        cells = np.broadcast_to(np.asarray(values, dtype=np.float64), (self.months + 1,)).tolist()
        for number, value in enumerate(cells):
            self.sheet.write_number(row - 1, TODAY + number, value + 0.0, self.styles[style])

    def heading(self, row: int, text: str) -> None:
        """Write what the rows below are."""
        self.sheet.write_string(row - 1, NAME, text, self.styles["bold"])

    def label(self, row: int, label: str, unit: str, formula: str = "", value: float | str | None = None) -> None:
        """Write what stands before the months of a row: its label, its unit, and its total or result."""
        self.sheet.write_string(row - 1, NAME, label, self.styles["text"])
        self.sheet.write_string(row - 1, UNIT, unit, self.styles["grey"])
        if formula:
            style = self.styles[look(unit)]
            self.sheet.write_formula(row - 1, TOTAL, f"={formula}", style, "" if value is None else value)

    def head(self, title: str, what: str, timeline: str, more: tuple[str, ...] = ()) -> None:
        """Write the title, the heads of columns and the months with their last days; set up how it prints."""
        sheet, styles = self.sheet, self.styles
        sheet.write_string(0, 0, title, styles["title"])
        sheet.write_string(1, 0, what, styles["grey"])
        for place, text in enumerate(("", "Unit", "Total or result", *more)):
            sheet.write_string(3, place, text, styles["head"])
        for number, letters in enumerate(self.columns[1:]):
            for row, style in ((3, "head"), (4, "day_head")):
                address = f"={timeline}{letters}${row + 1}" if timeline else None
                if address:
                    sheet.write_formula(row, TODAY + number, address, styles[style], "")
        sheet.set_column(NAME, NAME, 56)
        sheet.set_column(UNIT, TOTAL, 15)
        sheet.set_column(CASH, CASH, 8 if more else 15)
        sheet.set_column(TREATMENT, VAT, 8 if more else 2)
        sheet.set_column(_EMPTY, _EMPTY, 2)
        sheet.set_column(TODAY, TODAY + self.months, 12)
        sheet.freeze_panes(5, TODAY)
        sheet.repeat_rows(3, 4)
        sheet.repeat_columns(NAME, TOTAL)
        print_setup(sheet, pages=-(-self.months // MONTHS_TO_A_PAGE))


def print_setup(sheet: Any, pages: int = 1) -> None:
    """Set up paper: A4 on its side, so many pages wide, and numbered pages."""
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.set_margins(left=0.4, right=0.4, top=0.6, bottom=0.6)
    sheet.set_footer("&L&A&RPage &P of &N")
    sheet.hide_gridlines(2)
    sheet.fit_to_pages(max(pages, 1), 0)
