"""The sheets of a controller in the workbook: cash by fiscal year and quarter, and leases under IFRS 16, both live."""

from typing import Any

import numpy as np

from planner.money.accounting.fiscal import periods
from planner.money.accounting.leases import BookedLease, lease_accounts
from planner.money.measures import cash_paid_usd
from planner.report.files.excel import CASH, NAME, TODAY, MonthSheet
from planner.report.files.workbook_results import OpenWorkbook

BORROWING = "borrowing_rate_per_year"
_YEARS, _QUARTERS, _FIRST = 6, 7, 9  # rows
# In whose months something is paid, by when a contract is paid: $D is the month it begins in, $E its months.
_DUE = {
    "arrears": "AND(§$4 > {begins}, §$4 <= {ends})", "advance": "AND(§$4 >= {begins}, §$4 < {ends})",
    "prepaid": "§$4 = {begins}",
}  # fmt: skip
# Each row with its label, its formula, and the row of the engine's schedule that it is.
_ROWS = (
    ("Lease payments", "IF({due}, {lines}, 0)", "paid"),
    ("Lease liability at the end", "IF({held}, SUMPRODUCT(({all} > §$4) * {paid_all} * "
     f"(1 + {BORROWING}) ^ ((§$4 - {{all}}) / 12)), 0)", "liability"),
    ("Interest", f"IF({{runs}}, ¶{{liability}} * ((1 + {BORROWING}) ^ (1 / 12) - 1), 0)", "interest"),
    ("Depreciation", "IF({runs}, $C{asset} / $E{paid}, 0)", "depreciation"),
    ("Right-of-use asset at the end", "IF({held}, $C{asset} * ({ends} - §$4) / $E{paid}, 0)", "asset"),
)  # fmt: skip


def write_fiscal_periods(book: OpenWorkbook, timeline: MonthSheet) -> None:
    """Write the cash of every option by fiscal year and by quarter."""
    sheet, styles = book.months("Fiscal periods"), book.styles
    sheet.head("Cash by fiscal year and quarter", "A month belongs to the period it ends in", timeline.prefix)
    row = _FIRST
    for labels_row, quarters in ((_YEARS, False), (_QUARTERS, True)):
        spans = periods(book.plan.setting, quarters=quarters)
        for month, period in enumerate(spans.of_month.tolist()):
            sheet.sheet.write_string(labels_row - 1, TODAY + month, spans.labels[period], styles["text"])
        titles = (result.way.option.title for result in book.results)
        sheet.sheet.write_row(row - 1, NAME, ("USD", *titles), styles["head"])
        sums = [spans.sums(cash_paid_usd(result.way.option.ledger)) for result in book.results]
        for number, label in enumerate(spans.labels):
            row += 1
            sheet.sheet.write_string(row - 1, NAME, label, styles["text"])
            for place, option in enumerate(book.options):
                how = f"=SUMIFS({option.span('cash', True)}, {sheet.row_span(labels_row)}, $A${row})"
                sheet.sheet.write_formula(row - 1, NAME + 1 + place, how, styles["usd"], sums[place][number])
        row += 2


def live_leases(book: OpenWorkbook) -> list[tuple[int, BookedLease]]:
    """Return the leases whose schedule follows the inputs, each with the place of its option.

    Leases that run beyond the plan, that end in buying, and lease-backs stand in the accounting file alone.
    """
    setting = book.plan.setting
    found: list[tuple[int, BookedLease]] = []
    for place, result in enumerate(book.results if setting.terms.money == "nominal" else ()):
        accounts = lease_accounts(setting, result.way.option.ledger)
        found += [(place, lease) for lease in (accounts.leases if accounts else ()) if _is_live(book, lease)]
    return found


def _is_live(book: OpenWorkbook, lease: BookedLease) -> bool:
    ends_within = lease.begins + lease.months <= book.plan.setting.timeline.last
    is_plain = lease.contract.kind != "lease_back" and not lease.contract.is_bought
    return lease.ifrs == "on_balance_sheet" and is_plain and ends_within


def write_leases(book: OpenWorkbook, timeline: MonthSheet, leases: list[tuple[int, BookedLease]]) -> None:
    """Write the schedule of each lease as formulas of the payments on its option's sheet and the borrowing rate."""
    sheet = book.months("Leases")
    sheet.head("Leases under IFRS 16", "Payments are those of the option's sheet", timeline.prefix)
    sheet.sheet.write_row(3, CASH, ("Begins in", "Months"), book.styles["head"])
    row = 7
    for place, lease in leases:
        option, result = book.options[place], book.results[place]
        sheet.sheet.write_string(row - 2, NAME, f"{result.way.option.title}: {lease.name}", book.styles["bold"])
        own = set(map(id, lease.lines))
        lines = [at for at, line in enumerate(result.way.option.ledger.lines, option.lines[0]) if id(line) in own]
        _write_lease(sheet, lease, row, " + ".join(f"{option.prefix}§{at}" for at in lines))
        row += len(_ROWS) + 2


def _write_lease(sheet: MonthSheet, lease: BookedLease, row: int, lines: str) -> None:
    begins, ends, paid = f"$D{row}", f"($D{row} + $E{row})", sheet.row_span(row)
    places: dict[str, Any] = {name: row + at for at, (_, _, name) in enumerate(_ROWS)}
    places |= {
        "begins": begins,
        "ends": ends,
        "lines": lines,
        "paid_all": paid,
        "all": sheet.row_span(4),
    }
    places["runs"] = f"AND(§$4 > {begins}, §$4 <= {ends})"
    places["held"] = f"AND(§$4 >= {begins}, §$4 < {ends})"
    places["due"] = _DUE[lease.contract.pays].format(**places)
    sheet.sheet.write_row(row - 1, CASH, (lease.begins, lease.months), sheet.styles["any"])
    for at, (label, how, name) in enumerate(_ROWS, start=row):
        known = np.zeros(sheet.months + 1)
        known[lease.begins : lease.begins + lease.months + 1] = getattr(lease.schedule, name)[: lease.months + 1]
        sheet.write_months(at, how.format(**places), known)
        is_asset, liability = name == "asset", sheet.row_span(places["liability"])
        first = f"INDEX({liability}, {begins} + 1) + INDEX({paid}, {begins} + 1)"
        total = first if is_asset else "" if name == "liability" else f"SUM({sheet.row_span(at)})"
        sheet.label(at, label, "USD", total, float(lease.schedule.asset[0]) if is_asset else float(known.sum()))
