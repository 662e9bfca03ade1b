"""The sheet of one option in the workbook: measures, months and ledger, every cell a formula of the inputs.

Measures and months stand in the same rows of every option's sheet, the lines of its ledger below them. In a formula
`{name}` is the number of a row and `{name_all}` the address of all its months.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger
from planner.money.measures import cash_flow_years, cash_paid_usd, monthly_discount_factors, saved_usd
from planner.money.profit_and_loss import profit_row
from planner.money.setting import PlanContext
from planner.money.tax import bears_vat
from planner.report.files.excel import (
    CASH,
    PROFIT_ROW,
    TODAY,
    TOTAL,
    TREATMENT,
    UNIT,
    VAT,
    MonthSheet,
    column,
    excel_formula,
    look,
)  # fmt: skip
from planner.study.measures import BASELINE, MEASURES, OptionResult

NONE = "none"
_HOURS = "SUMPRODUCT({hours_all}, {factor_all})"
LIVE: Mapping[str, str] = {
    "as_entered_usd": "SUM({worth_all})",
    "total_usd": "SUM({total_all})",
    "total_cash_usd": "SUM({cash_all})",
    "cash_today_usd": "{today}{cash}",
    "peak_cash_usd": "MAX({cash_so_far_all})",
    "peak_cash_discounted_usd": "INDEX({cash_worth_so_far_all}, MATCH(MAX({cash_so_far_all}), {cash_so_far_all}, 0))",
    "usd_per_useful_accelerator_hour": f'IF({_HOURS} > rounding, SUM({{worth_all}}) / {_HOURS}, "{NONE}")',
    "idle_usd": 'SUMIFS({totals}, {parts}, "idle")',
    "usd_per_year": "SUM({worth_all}) / IF(ABS({rate}) < rounding, plan_years, "
    "(1 - (1 + {rate}) ^ (-1 * plan_years)) / {rate})",
    "npv_usd": "SUMPRODUCT({saved_all}, {factor_all})",
    "payback_months": "IF(ISNUMBER($C{back_work}), $C{back_work}, $C{back_sale})",
    "payback_discounted_months": "IF(ISNUMBER($C{back_work_worth}), $C{back_work_worth}, $C{back_sale_worth})",
    "return_per_year": "IF(AND($C{change} = 1, {solved} < highest_return * (1 - tolerance)), {solved}, "
    f'"{NONE}")',
    "modified_return_per_year": "IF(AND(MAX({sign_all}) > 0, MIN({sign_all}) < 0), "
    "(SUMPRODUCT(({sign_all} > 0) * {saved_all} * {factor_all}) / "
    "(-1 * SUMPRODUCT(({sign_all} < 0) * {saved_all} * {factor_all}))) ^ (1 / MAX({years_all})) * (1 + {rate}) - 1, "
    f'"{NONE}")',
}  # fmt: skip
MEASURED = tuple(measure for measure in MEASURES if measure.name in LIVE)

_FLOWS = {
    "work": ("Saved without its sale", "§{saved} + §{brought}"),
    "sale": ("Saved with its sale", "§{saved}"),
    "work_worth": ("Saved without its sale, discounted", "(§{saved} + §{brought}) * §{factor}"),
    "sale_worth": ("Saved with its sale, discounted", "§{saved} * §{factor}"),
}


def _payback_rows(key: str, label: str, flow: str) -> Iterator[tuple[str, str, str, str, str]]:
    moved = f"SUMPRODUCT(ABS({{today}}{{flow_{key}}}:§{{flow_{key}}}))"
    month = f"MATCH(1, {{back_{key}_all}}, 0)"
    came, over = f"INDEX({{flow_{key}_all}}, {month})", f"INDEX({{balance_{key}_all}}, {month})"
    paid_back = f"{month} - 1 - MIN(1, MAX(0, {over} / IF({came} > 0, {came}, 1)))"
    yield f"flow_{key}", label, "USD", flow, "SUM({all})"
    yield f"balance_{key}", f"{label}, so far", "USD", f"¶{{balance_{key}}} + §{{flow_{key}}}", ""
    yield (
        *(f"debt_{key}", f"{label}: 1 while not all is back", "0 or 1"),
        *(f"IF(§{{balance_{key}}} < -1 * rounding * {moved}, 1, 0)", "SUM({all})"),
    )
    yield (
        *(f"back_{key}", f"{label}: 1 once all is back; the month of payback", "month"),
        f"IF(AND(SUM({{today}}{{debt_{key}}}:§{{debt_{key}}}) > 0, §{{debt_{key}}} = 0), 1, 0)",
        f'IF($C{{debt_{key}}} = 0, 0, IF(SUM({{all}}) = 0, "{NONE}", {paid_back}))',
    )


# Name, label, unit, formula of a month, formula of the column before the months.
ROWS: tuple[tuple[str, str, str, str, str], ...] = (
    ("years", "Years until money moves", "year", "{timeline}§{years_there}", ""),
    ("factor", "Discount factor", "1", "{timeline}§{factor_there}", ""),
    ("total", "All lines", "USD", "SUM(§{first}:§{last})", "SUM({all})"),
    ("cash", "Of it cash", "USD", "SUMPRODUCT({cash_flags}, §{first}:§{last})", "SUM({all})"),
    ("noncash", "Of it no cash", "USD", "§{total} - §{cash}", "SUM({all})"),
    ("worth", "All lines, discounted", "USD", "§{total} * §{factor}", "SUM({all})"),
    ("worth_so_far", "All lines, discounted, so far", "USD", "¶{worth_so_far} + §{worth}", ""),
    ("cash_so_far", "Cash so far", "USD", "¶{cash_so_far} + §{cash}", ""),
    ("cash_worth_so_far", "Cash so far, discounted", "USD", "¶{cash_worth_so_far} + §{cash} * §{factor}", ""),
    ("saved", "Saved against the baseline", "USD", "{baseline}§{total} - §{total}", "SUM({all})"),
    ("brought", "What its sale brings, negative", "USD",
     'SUMPRODUCT(({treatments} = "sale") * (§{first}:§{last} < 0) * §{first}:§{last})', "SUM({all})"),
    *(row for key, (label, flow) in _FLOWS.items() for row in _payback_rows(key, label, flow)),
    ("sign", "Sign of what is saved", "no.",
     "IF(ABS(§{saved}) <= rounding * MAX(MAX({saved_all}), -1 * MIN({saved_all})), 0, SIGN(§{saved}))", ""),
    ("last_sign", "Last sign that was not zero", "no.", "IF(§{sign} <> 0, §{sign}, ¶{last_sign})", ""),
    ("change", "1 where the sign changes", "0 or 1", "IF(§{last_sign} * ¶{last_sign} < 0, 1, 0)", "SUM({all})"),
    ("since", "Years since the change of sign", "year", "§{years} - SUMPRODUCT({change_all}, {years_all})", ""),
)  # fmt: skip
_FIRST = 7  # row of the first measure
_MONTHS = _FIRST + len(MEASURED) + 2
_LINES = _MONTHS + len(ROWS) + 3  # the useful hours stand between
MEASURE_ROWS = {measure.name: _FIRST + number for number, measure in enumerate(MEASURED)}
ROW_NUMBERS = {"hours": _MONTHS - 1} | {row[0]: _MONTHS + number for number, row in enumerate(ROWS)}


def first_line() -> int:
    """Return the row of the first line of a ledger."""
    return _LINES


def write_option(
    sheet: MonthSheet, result: OptionResult, baseline: OptionResult, cells: list[dict[str, str]], others: dict[str, Any]
) -> None:
    """Write the sheet of an option: `cells` are the inputs of each line, `others` addresses on other sheets."""
    option, setting = result.way.option, result.plan.setting
    first, last = sheet.lines = (_LINES, _LINES + len(option.ledger.lines) - 1)
    columns = {"parts": UNIT, "totals": TOTAL, "cash_flags": CASH, "treatments": TREATMENT}
    flags = {name: f"${column(place)}${first}:${column(place)}${last}" for name, place in columns.items()}
    places = {
        **ROW_NUMBERS, **{f"{name}_all": sheet.span(name) for name in ROW_NUMBERS}, **flags, **others,
        "first": first, "last": last, "today": f"${column(TODAY)}",
    }  # fmt: skip
    for row, text in ((_FIRST - 1, "Results"), (_MONTHS - 2, "By month"), (_LINES - 1, "Lines, costs above 0")):
        sheet.heading(row, text)
    _write_lines(sheet, option.ledger, cells)
    _write_rows(sheet, places, _known_months(setting, option.ledger, baseline.way.option.ledger))
    sheet.label(ROW_NUMBERS["hours"], "Useful hours", "hour", "SUM({all})".format(all=sheet.span("hours")))
    sheet.write_inputs(ROW_NUMBERS["hours"], option.useful_hours, "computed")
    for measure in MEASURED:
        row, number = MEASURE_ROWS[measure.name], measure.number(result)
        is_against_itself = measure.reason(result) == BASELINE
        formula = "" if is_against_itself else LIVE[measure.name].format(**places)
        sheet.label(
            row, f"{measure.name}: {measure.description}", measure.unit, formula, NONE if number is None else number
        )
        if is_against_itself:
            sheet.sheet.write_string(row - 1, TOTAL, BASELINE, sheet.styles["grey"])


def _known_months(setting: PlanContext, ledger: Ledger, baseline: Ledger) -> dict[str, NDArray[np.float64]]:
    """Return the months that the engine has calculated, for programs that show a workbook without calculating it."""
    usd, cash, factor = ledger.monthly_usd, cash_paid_usd(ledger), monthly_discount_factors(setting)
    return {
        "years": cash_flow_years(setting), "factor": factor, "total": usd, "cash": cash, "noncash": usd - cash,
        "worth": usd * factor, "worth_so_far": np.cumsum(usd * factor), "cash_so_far": np.cumsum(cash),
        "cash_worth_so_far": np.cumsum(cash * factor), "saved": saved_usd(ledger, baseline),
    }  # fmt: skip


def _write_rows(sheet: MonthSheet, places: Mapping[str, Any], known: Mapping[str, NDArray[np.float64]]) -> None:
    for name, label, unit, formula, total in ROWS:
        row = ROW_NUMBERS[name]
        sheet.write_months(row, formula.format(**places), known.get(name, np.nan), look(unit))
        sheet.label(row, label, unit, total.format(**places, all=sheet.span(name)), None)


def _write_lines(sheet: MonthSheet, ledger: Ledger, cells: list[dict[str, str]]) -> None:
    for row, (line, inputs) in enumerate(zip(ledger.lines, cells, strict=True), start=_LINES):
        formula = excel_formula(line.how, inputs)
        # A text stands where nobody publishes a price: such a line costs nothing until it gets one.
        is_unpriced = any(np.isnan(np.asarray(used.value)).any() for used in line.used)
        sheet.write_months(row, f"IFERROR({formula}, 0)" if is_unpriced else formula, line.priced_usd)
        sheet.label(row, line.name, line.part, f"SUM({sheet.row_span(row)})", float(line.priced_usd.sum()))
        has_vat = line.treatment in ("expense", "capital") and bears_vat(line)
        flags = {CASH: float(line.is_cash), TREATMENT: line.treatment, VAT: float(has_vat),
                 PROFIT_ROW: profit_row(line) if line.is_cash else ""}  # fmt: skip
        for place, flag in flags.items():
            sheet.sheet.write(row - 1, place, flag, sheet.styles["grey"])
