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
from planner.report.files.excel import TODAY, MonthSheet, column
from planner.report.files.workbook_books import PROFIT
from planner.report.files.workbook_results import FX, OpenWorkbook

_FX_BY_MONTH = "usd_per_unit_by_month"


def currency_inputs(setting: PlanContext) -> Iterator[LedgerInput]:
    """Yield the rate of the reporting currency, and its months where they differ; none where that is the dollar."""
    today, months = (convert_to_plan_currency(usd, setting.currency) for usd in (1.0, _ones(setting)))
    if setting.currency is not None and setting.currency.usd_per_unit is not None:
        source, unit = Origin(today.source or "the plan", "rate", today.day), f"USD for one {today.code}"
        yield LedgerInput(FX, today.usd_per_unit, unit, source)
        if np.ndim(months.usd_per_unit):
            yield LedgerInput(_FX_BY_MONTH, months.usd_per_unit, unit, source)


def _ones(setting: PlanContext) -> np.ndarray:
    return np.ones(setting.timeline.last + 1)


def _spans(setting: PlanContext) -> dict[str, Periods]:
    """Return the periods of the sheets by the name of the row of the timeline that says which a month is in."""
    return {
        "cash_year": periods(setting), "cash_quarter": periods(setting, quarters=True),
        "profit_year": periods(setting, has_today=False),
    }  # fmt: skip


def write_period_labels(setting: PlanContext, timeline: MonthSheet, row: int) -> None:
    """Write the rows of the timeline that say which period a month is in."""
    labels = ("Year of the cash", "Quarter of the cash", "Year of profit and loss")
    for at, (label, (name, spans)) in enumerate(zip(labels, _spans(setting).items(), strict=True), start=row):
        timeline.rows[name] = at
        timeline.label(at, label, "")
        for month, period in enumerate(spans.of_month.tolist()):
            timeline.sheet.write_string(at - 1, TODAY + month, spans.labels[period], timeline.styles["text"])


def _currency(book: OpenWorkbook, timeline: MonthSheet) -> tuple[str, str, np.ndarray]:
    """Return the code of the reporting currency, how dollars of a month become it, and what each month's is worth."""
    converted = convert_to_plan_currency(_ones(book.plan.setting), book.plan.setting.currency)
    by_month = timeline.span(_FX_BY_MONTH, True) if _FX_BY_MONTH in timeline.rows else FX
    rate = f" / {by_month}" if FX in book.cells else ""
    return converted.code, rate, np.asarray(converted.amount)


def write_fiscal_periods(book: OpenWorkbook, timeline: MonthSheet) -> None:
    """Write the cash of every option by fiscal year and by quarter."""
    styles, (code, rate, per_usd) = book.styles, _currency(book, timeline)
    sheet = book.sheet("Fiscal periods", (30, *(18,) * len(book.options)))
    sheet.write_string(0, 0, "Cash paid by fiscal year and quarter", styles["title"])
    sheet.write_string(1, 0, "A month belongs to the period it ends in", styles["grey"])
    row = 3
    for name in ("cash_year", "cash_quarter"):
        spans, labels = _spans(book.plan.setting)[name], timeline.span(name, True)
        sheet.write_string(row, 0, code, styles["head"])
        sheet.write_row(row, 1, [result.way.option.title for result in book.results], styles["head_right"])
        sums = [spans.sums(cash_paid_usd(result.way.option.ledger) * per_usd) for result in book.results]
        for number, label in enumerate(spans.labels):
            row += 1
            sheet.write_string(row, 0, label, styles["text"])
            for place, option in enumerate(book.options):
                how = f"=SUMPRODUCT(({labels} = $A${row + 1}) * {option.span('cash', True)}{rate})"
                sheet.write_formula(row, 1 + place, how, styles["usd"], sums[place][number])
        row += 2
    sheet.freeze_panes(4, 1)


def write_profits(book: OpenWorkbook, timeline: MonthSheet) -> None:
    """Write profit and loss of every option by fiscal year, without the rows that are always 0."""
    spans, styles = _spans(book.plan.setting)["profit_year"], book.styles
    (code, rate, per_usd), years = _currency(book, timeline), len(spans.labels)
    labels = timeline.span("profit_year", True)
    sheet = book.sheet("Profit and loss", (44, *(14,) * (years + 1)))
    sheet.write_string(0, 0, "Profit and loss by year, income above 0", styles["title"])
    sheet.write_string(3, 0, code, styles["head"])
    sheet.write_row(3, 1, (*spans.labels, "All years"), styles["head_right"])
    row = 5
    for result, option in zip(book.results, book.options, strict=True):
        sheet.write_string(row, 0, result.way.option.title, styles["bold"])
        by_month = option_profit_and_loss(result.plan.setting, result.way).by_month
        for name in (name for name in ROWS if name in ALWAYS or by_month[name].any()):
            row += 1
            style = styles["sum" if name in ALWAYS else "usd"]
            known = spans.sums(by_month[name] * per_usd)
            sheet.write_string(row, 0, PROFIT_LABELS[name], styles["sum" if name in ALWAYS else "text"])
            months = option.span(PROFIT.format(name), True)
            for place, usd in enumerate(known, start=1):
                how = f"=SUMPRODUCT(({labels} = {column(place)}$4) * {months}{rate})"
                sheet.write_formula(row, place, how, style, usd)
            total = f"=SUM($B{row + 1}:${column(years)}{row + 1})"
            sheet.write_formula(row, years + 1, total, style, sum(known))
        row += 2
    sheet.freeze_panes(4, 1)
    sheet.repeat_rows(3)
