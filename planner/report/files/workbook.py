"""The workbook for a finance team: change an input and every total, return and payback follows.

Cover, inputs, timeline, a sheet for each option, returns, comparison, ranges, checks and sources. The inputs, their
origins and the formulas are those of the ledgers, the results those of the registry of measures. Simulated figures do
not follow: they stand on a sheet that says so.
"""

import io
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

import numpy as np

from planner.money.capital import HOW, HOW_BETA
from planner.money.finance import HIGHEST_RATE, LOWEST_RATE, days_since
from planner.money.ledger import CASES, COMPUTED, CONVENTION, LedgerInput, Origin
from planner.money.measures import RATE, cash_flow_years, monthly_discount_factors, plan_discount_rate
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report.files.csv import AssumptionIds
from planner.report.files.excel import LINE_HEADS, TODAY, TOTAL, MonthSheet, Styles, cell_name, column, excel_formula
from planner.report.files.workbook_accounting import (
    BORROWING,
    currency_inputs,
    lease_inputs,
    write_fiscal_periods,
    write_leases,
    write_period_labels,
    write_profits,
)
from planner.report.files.workbook_books import (
    INFLATION,
    TABLE,
    TAX_MONEY,
    WRITTEN_OFF,
    books_inputs,
    books_rows,
    write_books,
    write_tax_calendar,
)
from planner.report.files.workbook_option import ROW_NUMBERS, first_line, write_option
from planner.report.files.workbook_results import (
    OpenWorkbook,
    write_checks,
    write_comparison,
    write_cover,
    write_day,
    write_ranges,
    write_sources,
)
from planner.study.measures import results_of
from planner.study.uncertainty.futures import Futures
from pricing import PricingError

_HALVINGS = 64
_TOLERANCE = 1e-9
_TYPICAL_CASE = 2
_INPUT_HEAD = ("Name", "Unit", "In use", "Typical", "Low", "High", "As exported", "Changed", "Kind", "Source", "Day",
               "Link", "Note")  # fmt: skip
_INPUT_WIDTHS = (34, 24, 14, 14, 14, 14, 14, 9, 14, 50, 12, 40, 60)
_IN_USE, _TYPED, _LOW, _HIGH, _EXPORTED, _CHANGED = range(2, 8)
_FIRST_INPUT = 6  # row of the first input


def workbook(plan: Plan, answer: Answer, futures: Futures | None, headline: Sequence[str]) -> bytes:
    """Return the plan as a workbook: `headline` is its answer in words, the title first. Or raise `PricingError`."""
    from xlsxwriter import Workbook  # loaded where a workbook is written: few plans leave as one
    from xlsxwriter.worksheet import CellFormulaTuple, Worksheet

    class QuickSheet(Worksheet):  # type: ignore[misc]
        """A sheet that takes a formula as it is: a ledger has no array and no function newer than 2007."""

        def write_formula(self, row: int, col: int, formula: str, look: Any = None, value: Any = 0) -> None:
            self._check_dimensions(row, col)
            self.table[row][col] = CellFormulaTuple(formula.removeprefix("="), look, value)

    out, results = io.BytesIO(), tuple(results_of(plan, answer, futures))
    baseline = next((result for result in results if result.is_baseline), None)
    if baseline is None:
        raise PricingError("No option of this plan has a price, so there is nothing to put into a workbook.")
    text_only = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with Workbook(out, text_only) as file:
        file.worksheet_class = QuickSheet
        midnight = datetime.combine(plan.setting.day, time(tzinfo=UTC))  # the same plan is the same file
        file.set_properties({"title": headline[0], "created": midnight})
        book = OpenWorkbook(file, Styles(file), plan, results, baseline, headline, futures, AssumptionIds(plan))
        _write_sheets(book)
    return out.getvalue()


def _write_sheets(book: OpenWorkbook) -> None:
    """Write all sheets; the cover stands first and is written last."""
    cover, inputs = book.sheet("Cover", (34, *(15,) * 9)), book.sheet("Inputs", _INPUT_WIDTHS)
    timeline, used = book.months("Timeline"), _inputs(book)
    _write_inputs(book, inputs, {name: it for name, it in used.items() if np.size(it.value) == 1})
    _write_timeline(book, timeline, {name: it for name, it in used.items() if np.size(it.value) > 1})
    _write_options(book, timeline)
    write_fiscal_periods(book, timeline)
    write_profits(book, timeline)
    write_leases(book, timeline)
    _write_returns(book)
    write_comparison(book)
    write_ranges(book)
    write_checks(book)
    write_sources(book, used.values())
    write_cover(book, cover)


def _inputs(book: OpenWorkbook) -> dict[str, LedgerInput]:
    """Return every input by its id: the conventions, then those of the ledgers."""
    setting = book.plan.setting
    conventions = [
        LedgerInput(RATE, float(np.asarray(plan_discount_rate(setting))), "1/year", CONVENTION),
        LedgerInput("plan_years", setting.scenario.years, "year", CONVENTION),
        LedgerInput("rounding", 1e-12, "of all money moved", CONVENTION),
        LedgerInput("tolerance", _TOLERANCE, "of a figure", CONVENTION),
        LedgerInput("lowest_return", LOWEST_RATE, "1/year", CONVENTION),
        LedgerInput("highest_return", HIGHEST_RATE, "1/year", CONVENTION),
    ]
    conventions += setting.capital.parts if setting.capital else ()
    conventions += (*books_inputs(setting), *currency_inputs(setting), *lease_inputs(book))
    of_ledgers = {name: used for (_, name), (_, used) in book.ids.first_use.items() if used.name not in TAX_MONEY}
    return {book.ids.add(used): used for used in conventions} | of_ledgers


def _write_inputs(book: OpenWorkbook, sheet: Any, inputs: dict[str, LedgerInput]) -> None:
    """Write the inputs that are one number, each in a named cell, with its range and its source."""
    styles = book.styles
    sheet.write_string(0, 0, "Inputs: change a blue cell and what is calculated follows", styles["title"])
    sheet.write_string(1, 0, "Case of all ranges: 1 low (of cost), 2 typical, 3 high", styles["text"])
    sheet.write_number(1, _IN_USE, _TYPICAL_CASE, styles["input"])
    sheet.data_validation(1, _IN_USE, 1, _IN_USE, {"validate": "list", "source": [1, 2, 3]})
    book.file.define_name("case_number", f"=Inputs!${column(_IN_USE)}$2")
    sheet.write_string(2, 0, "Inputs that were changed since the export", styles["text"])
    end = _FIRST_INPUT + len(inputs) - 1
    spans = f"SUM({column(_CHANGED)}{_FIRST_INPUT}:{column(_CHANGED)}{end})"
    sheet.write_formula(
        2, _IN_USE, f"={spans} + IF(case_number = {column(_EXPORTED)}2, 0, 1) + Timeline!$D$3", styles["any"], 0
    )
    sheet.write_number(1, _EXPORTED, _TYPICAL_CASE, styles["grey"])
    book.file.define_name("changed_inputs", f"=Inputs!${column(_IN_USE)}$3")
    for at, head in enumerate(_INPUT_HEAD):
        style = "head_right" if _IN_USE <= at <= _CHANGED else "head"
        sheet.write_string(_FIRST_INPUT - 2, at, head, styles[style])
    for row, (name, used) in enumerate(inputs.items(), start=_FIRST_INPUT):
        book.cells[name] = cell_name(name)
        book.file.define_name(cell_name(name), f"=Inputs!${column(_IN_USE)}${row}")
        _write_input(book, sheet, row, name, used)
    if table := [row for row, name in enumerate(inputs, start=_FIRST_INPUT) if name.startswith(WRITTEN_OFF)]:
        place = column(_IN_USE)
        book.file.define_name(TABLE, f"=Inputs!${place}${table[0]}:${place}${table[-1]}")
    _print_inputs(sheet)


def _print_inputs(sheet: Any) -> None:
    """Set up the print of the inputs: values on one page, their sources on the next, names on both."""
    sheet.freeze_panes(_FIRST_INPUT - 1, 1)
    sheet.repeat_rows(_FIRST_INPUT - 2)
    sheet.repeat_columns(0)
    sheet.set_print_scale(65)
    sheet.set_v_pagebreaks([_CHANGED + 1])


def _write_input(book: OpenWorkbook, sheet: Any, row: int, name: str, used: LedgerInput) -> None:
    at, styles = row - 1, book.styles
    low, typical, high = (_number(used.at_end(case).value) for case in CASES)
    sheet.write_string(at, 0, name, styles["bold"])
    sheet.write_string(at, 1, used.unit, styles["grey"])
    low_cell, typed, high_cell = (f"{column(place)}{row}" for place in (_LOW, _TYPED, _HIGH))
    ends = (f"IF(ISNUMBER({cell}), {cell}, {typed})" for cell in (low_cell, high_cell))
    choose = "=CHOOSE(case_number, {}, {typed}, {})".format(*ends, typed=typed)
    sheet.write_formula(at, _IN_USE, choose, styles["any"], typical)
    for place, value in ((_TYPED, typical), (_LOW, low), (_HIGH, high)):
        is_value = place == _TYPED or value != typical
        sheet.write(at, place, value if is_value else "", styles[_input_style(used)])
    sheet.write(at, _EXPORTED, typical, styles["grey"])
    exported = f"{column(_EXPORTED)}{row}"
    if name == RATE and (how := _rate_formula(book)):
        sheet.write_formula(at, _TYPED, how, styles["computed"], typical)
    elif name == BORROWING and not used.is_yours:
        sheet.write_formula(at, _TYPED, f"=(1 + {RATE}) * (1 + {INFLATION}) - 1", styles["computed"], typical)
    elif name == "equity_beta" and used.origin == COMPUTED:
        sheet.write_formula(at, _TYPED, f"={excel_formula(HOW_BETA, _PART_CELLS)}", styles["computed"], typical)
    sheet.write_formula(at, _CHANGED, f"=IF({typed} = {exported}, 0, 1)", styles["any"], 0)
    _write_origin(book, sheet, at, _CHANGED + 1, used)


_PARTS = ("business_beta", "capital_tax_share", "equity_share", "risk_free_per_year", "equity_beta",
          "equity_premium_per_year", "debt_rate_per_year")  # fmt: skip
_PART_CELLS = {name: cell_name(name) for name in _PARTS}


def _rate_formula(book: OpenWorkbook) -> str:
    """Return the discount rate as a formula of its parts; empty where it is entered or the catalogue's."""
    setting = book.plan.setting
    is_built = setting.capital is not None and setting.terms.discount_rate_per_year is None
    return f"={excel_formula(HOW, _PART_CELLS)}" if is_built else ""


def _input_style(used: LedgerInput) -> str:
    """Return how an input looks: in italics where the planner computes it from others, which it does not follow."""
    return "computed" if isinstance(used.origin, Origin) and used.origin.kind == COMPUTED.kind else "input"


def _number(value: Any) -> float | str:
    number = float(np.asarray(value).flat[0])
    return number + 0.0 if np.isfinite(number) else "not published"


def _write_origin(book: OpenWorkbook, sheet: Any, at: int, place: int, used: LedgerInput) -> None:
    origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
    sheet.write_string(at, place, origin.kind, book.styles["text"])
    sheet.write_string(at, place + 1, origin.source, book.styles["text"])
    write_day(book, sheet, at, place + 2, origin.checked or origin.since)
    sheet.write_string(at, place + 3, origin.url or "", book.styles["text"])
    sheet.write_string(at, place + 4, origin.note or "", book.styles["text"])


def _write_timeline(book: OpenWorkbook, sheet: MonthSheet, inputs: dict[str, LedgerInput]) -> None:
    """Write the months, when their money moves, what it is worth today, and the inputs that differ by month."""
    setting = book.plan.setting
    sheet.head("Timeline", f"Month 0 is today; when money moves: {setting.terms.timing}", "")
    days = [setting.day + timedelta(days=int(days)) for days in days_since(day=setting.day, months=sheet.months)]
    for number, day in enumerate(days):
        sheet.sheet.write_number(3, TODAY + number, number, book.styles["head"])
        write_day(book, sheet.sheet, 4, TODAY + number, day)
    first = 6
    rows = {"years": LedgerInput("years until money moves", cash_flow_years(setting), "year", CONVENTION), **inputs}
    for row, (name, used) in enumerate(rows.items(), start=first + 1):
        sheet.rows[name], book.cells[name] = row, f"Timeline!§${row}"
        values = np.asarray(used.value, dtype=np.float64)
        sheet.write_inputs(row, values, _input_style(used))
        sheet.label(row, name, used.unit, f"SUM({sheet.span(name)})", float(values.sum()))
        sheet.sheet.write_number(row - 1, TOTAL + 1, float(values.sum()), book.styles["grey"])
    sheet.rows["factor"] = first
    rate = f"(1 + {book.cells[RATE]}) ^ (-1 * §{sheet.rows['years']})"
    sheet.write_months(first, rate, monthly_discount_factors(setting), "number")
    sheet.label(first, "Discount factor", "1")
    sheet.sheet.write_string(2, 0, "Rows that were changed since the export", book.styles["text"])
    total, exported = (
        f"${column(place)}${first + 1}:${column(place)}${first + len(rows)}" for place in (TOTAL, TOTAL + 1)
    )
    differ = f"=SUMPRODUCT((ABS({total} - {exported}) > tolerance * ABS({exported})) * 1)"
    sheet.sheet.write_formula(2, TOTAL + 1, differ, book.styles["any"], 0)
    write_period_labels(setting, sheet, first + len(rows) + 1)
    write_tax_calendar(setting, sheet, first + len(rows) + 4)


def _write_options(book: OpenWorkbook, timeline: MonthSheet) -> None:
    for place, result in enumerate(book.results):
        option, sheet = result.way.option, book.months(result.key)
        sheet.head(option.title, option.what, timeline.prefix, LINE_HEADS)
        last = f"{column(2 + place)}${_HALVINGS + 6}"
        cells = [
            {name: book.cells.get(key, "") for name, key in book.ids.by_name(option, line).items()}
            for line in option.ledger.lines
        ]
        rows = books_rows(result, cells, first_line())
        below = enumerate((name for name, *_ in rows), start=first_line() + len(cells) + 1)
        sheet.rows.update(ROW_NUMBERS | {name: row for row, name in below})
        for inputs in cells:
            inputs.update({name: f"§{sheet.rows[name]}" for name in TAX_MONEY & inputs.keys()})
        others = {
            "timeline": timeline.prefix, "years_there": timeline.rows["years"], "factor_there": timeline.rows["factor"],
            "baseline": f"'{book.baseline.key}'!", "rate": book.cells[RATE],
            "solved": f"EXP(Return!${last}) - 1",
        }  # fmt: skip
        write_option(sheet, result, book.baseline, cells, others)
        write_books(sheet, rows, result, timeline)
        book.options.append(sheet)


def _write_returns(book: OpenWorkbook) -> None:
    """Write how each rate of return is found: the bracket of its logarithm is halved until nothing is left of it."""
    sheet, styles = book.sheet("Return", (10, 24, *(16,) * len(book.options))), book.styles
    sheet.write_string(
        0, 0, "Rates of return: the logarithm of 1 + the rate, its bracket halved step by step", styles["title"]
    )
    sheet.write_row(3, 0, ("Step", "Width", *(result.key for result in book.results)), styles["head"])
    sheet.write_string(4, 0, "Sign at the lowest rate", styles["text"])
    sheet.write_formula(5, 1, "=LN(1 + highest_return) - LN(1 + lowest_return)", styles["any"], "")
    for step in range(1, _HALVINGS + 1):
        sheet.write_number(5 + step, 0, step, styles["text"])
        sheet.write_formula(5 + step, 1, f"=B{5 + step} / 2", styles["any"], "")
    for place, option in enumerate(book.options, start=2):
        letter = column(place)
        saved, since = option.span("saved", True), option.span("since", True)
        worth = f"SIGN(SUMPRODUCT({saved}, EXP(-1 * ({{}}) * {since})))"
        sheet.write_formula(4, place, f"={worth.format(f'{letter}6')}", styles["any"], "")
        sheet.write_formula(5, place, "=LN(1 + lowest_return)", styles["any"], "")
        for row in range(7, _HALVINGS + 7):
            tried = f"{letter}{row - 1} + $B{row}"
            sheet.write_formula(
                row - 1,
                place,
                f"={letter}{row - 1} + IF({worth.format(tried)} = {letter}$5, $B{row}, 0)",
                styles["any"],
                "",
            )
    sheet.freeze_panes(4, 2)
