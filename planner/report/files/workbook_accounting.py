"""The sheets of a controller in the workbook, all live: profit and loss, and cash, by fiscal year and quarter."""

from collections.abc import Iterator

import numpy as np

from planner.money.accounting.fiscal import Periods, periods
from planner.money.ledger import LedgerInput, Origin
from planner.money.measures import cash_paid_usd
from planner.money.profit_and_loss import ROWS
from planner.money.setting import PlanContext
from planner.report.books import ALWAYS, PROFIT_LABELS, option_profit_and_loss
from planner.report.files.csv import convert_to_plan_currency
from planner.report.files.excel import NAME, TODAY, MonthSheet, column
from planner.report.files.workbook_books import PROFIT
from planner.report.files.workbook_results import OpenWorkbook

FX = "usd_per_unit"
_YEARS, _QUARTERS, _PROFIT_YEARS, _FIRST = 6, 7, 8, 10  # rows
_PERIODS = "Fiscal periods"


def currency_inputs(setting: PlanContext) -> Iterator[LedgerInput]:
    """Yield the rate of the reporting currency, one number or one for each month; none where that is the dollar."""
    rate = convert_to_plan_currency(np.ones(setting.timeline.last + 1), setting.currency)
    if setting.currency is not None and setting.currency.usd_per_unit is not None:
        source = Origin(rate.source or "the plan", "rate", rate.day)
        yield LedgerInput(FX, rate.usd_per_unit, f"USD for one {rate.code}", source)


def _in_currency(book: OpenWorkbook) -> tuple[str, str]:
    """Return the code of the reporting currency, and how months of dollars are divided into it."""
    code, rate = convert_to_plan_currency(1.0, book.plan.setting.currency).code, book.cells.get(FX, "")
    return code, f" / {_over_months(book, rate)}" if rate else ""


def _over_months(book: OpenWorkbook, rate: str) -> str:
    sheet, _, row = rate.rpartition("§$")
    last = column(TODAY + book.plan.setting.timeline.last)
    return f"{sheet}${column(TODAY)}${row}:${last}${row}" if sheet else rate


def write_fiscal_periods(book: OpenWorkbook, timeline: MonthSheet) -> None:
    """Write the cash of every option by fiscal year and by quarter."""
    sheet, styles, (code, rate) = book.months(_PERIODS), book.styles, _in_currency(book)
    sheet.head("Cash by fiscal year and quarter", "A month belongs to the period it ends in", timeline.prefix)
    _write_labels(book, sheet, _PROFIT_YEARS, _profit_years(book.plan.setting))
    row, per_usd = _FIRST, _per_usd(book)
    for labels_row, quarters in ((_YEARS, False), (_QUARTERS, True)):
        spans = periods(book.plan.setting, quarters=quarters)
        _write_labels(book, sheet, labels_row, spans)
        titles = (result.way.option.title for result in book.results)
        sheet.sheet.write_row(row - 1, NAME, (code, *titles), styles["head"])
        sums = [spans.sums(cash_paid_usd(result.way.option.ledger) * per_usd) for result in book.results]
        for number, label in enumerate(spans.labels):
            row += 1
            sheet.sheet.write_string(row - 1, NAME, label, styles["text"])
            for place, option in enumerate(book.options):
                how = f"=SUMPRODUCT(({sheet.row_span(labels_row)} = $A${row}) * {option.span('cash', True)}{rate})"
                sheet.sheet.write_formula(row - 1, NAME + 1 + place, how, styles["usd"], sums[place][number])
        row += 2


def _profit_years(setting: PlanContext) -> Periods:
    return periods(setting, has_today=False)


def _per_usd(book: OpenWorkbook) -> np.ndarray:
    setting = book.plan.setting
    return np.asarray(convert_to_plan_currency(np.ones(setting.timeline.last + 1), setting.currency).amount)


def _write_labels(book: OpenWorkbook, sheet: MonthSheet, row: int, spans: Periods) -> None:
    for month, period in enumerate(spans.of_month.tolist()):
        sheet.sheet.write_string(row - 1, TODAY + month, spans.labels[period], book.styles["text"])


def write_profits(book: OpenWorkbook) -> None:
    """Write profit and loss of every option by fiscal year, without the rows that are always 0."""
    spans, styles, (code, rate) = _profit_years(book.plan.setting), book.styles, _in_currency(book)
    years = len(spans.labels)
    sheet = book.sheet("Profit and loss", (44, *(14,) * (years + 1)))
    sheet.write_string(0, 0, "Profit and loss by year, income above 0", styles["title"])
    sheet.write_row(3, 0, (code, *spans.labels, "All years"), styles["head"])
    first, last = TODAY, column(TODAY + book.plan.setting.timeline.last)
    labels = f"'{_PERIODS}'!${column(first)}${_PROFIT_YEARS}:${last}${_PROFIT_YEARS}"
    row, per_usd = 5, _per_usd(book)
    for result, option in zip(book.results, book.options, strict=True):
        sheet.write_string(row, 0, result.way.option.title, styles["bold"])
        by_month = option_profit_and_loss(result.plan.setting, result.way).by_month
        for name in (name for name in ROWS if name in ALWAYS or by_month[name].any()):
            row += 1
            style = "sum" if name in ALWAYS else "usd"
            known = spans.sums(by_month[name] * per_usd)
            sheet.write_string(row, 0, PROFIT_LABELS[name], styles["sum" if name in ALWAYS else "text"])
            for place, usd in enumerate(known, start=1):
                months = option.span(PROFIT.format(name), True)
                how = f"=SUMPRODUCT(({labels} = {column(place)}$4) * {months}{rate})"
                sheet.write_formula(row, place, how, styles[style], usd)
            total = f"=SUM($B{row + 1}:${column(years)}{row + 1})"
            sheet.write_formula(row, years + 1, total, styles[style], sum(known))
        row += 2
    sheet.freeze_panes(4, 1)
    sheet.repeat_rows(3)
