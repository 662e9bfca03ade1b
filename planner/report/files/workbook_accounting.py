"""The workbook's sheets of a controller, all live: profit and loss, cash, and leases, by fiscal year and quarter.

Leases stand under IFRS 16 and ASC 842: payments are those of the option's sheet. Each lease has its terms, one a row,
its schedule by month, and the rows of both standards. Months run on beyond the plan where a contract does.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from planner.money.accounting.fiscal import Periods, periods
from planner.money.accounting.leases import BALANCES, MAJOR_PART, SUBSTANTIALLY_ALL, BookedLease
from planner.money.formula import FormulaError, Num, formula
from planner.money.ledger import CONVENTION, YOUR_INPUT, LedgerInput, Line, Origin
from planner.money.measures import cash_paid_usd
from planner.money.profit_and_loss import ROWS
from planner.money.setting import PlanContext
from planner.report.books import ALWAYS, LEASE_LABELS, PROFIT_LABELS, leases_of, option_profit_and_loss
from planner.report.files.csv import convert_to_plan_currency
from planner.report.files.excel import HERE, NAME, TODAY, TOTAL, MonthSheet, column, excel_formula
from planner.report.files.workbook_books import LIFE, PROFIT
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


BORROWING = "borrowing_rate_per_year"
_SAME = 1e-9  # nearer than this, a formula gives the price of the contract
_ASC = {"finance": 1, "operating": 2}
_LOW_VALUE, _MAJOR, _MOST = "low_value_usd", "lease_major_part", "lease_substantially_all"
_MONTHLY = f"((1 + {BORROWING}) ^ (1 / 12) - 1)"
_RUNS = "AND(§4 > {begins}, §4 <= {begins} + {months})"
# Each row of the schedule with its label, the formula of a month and its total.
_SCHEDULE = (
    ("paid", "Lease payments", "IF(AND(§4 >= {first_due}, §4 <= {last_due}), {due}, 0)", "SUM({all})"),
    ("liability", "Liability at the end", "IF(§4 >= {begins}, SUMPRODUCT(({months_all} > §4) * {paid_all} * "
     f"(1 + {BORROWING}) ^ ((§4 - {{months_all}}) / 12)), 0)", "INDEX({all}, {begins} + 1)"),
    ("interest", "Interest", f"¶{{liability}} * {_MONTHLY}", "SUM({all})"),
    ("depreciation", "Depreciation of the asset",
     "IF(AND(§4 > {begins}, §4 <= MIN({begins} + {life}, {until})), {first_asset} / {life}, 0)", "SUM({all})"),
    ("asset", "Asset at the end",
     "IF(§4 >= {begins}, {first_asset} * MAX(0, 1 - (MIN(§4, {until}) - {begins}) / {life}), 0)",
     "INDEX({all}, {begins} + 1)"),
    ("level_cost", "Level cost", f"IF({_RUNS}, (SUM({{paid_all}}) + {{extra}}) / {{months}}, 0)", "SUM({all})"),
    ("operating_asset", "Asset of an operating lease at the end",
     f"IF(§4 = {{begins}}, {{first_asset}}, IF({_RUNS}, ¶{{operating_asset}} + §{{interest}} - §{{level_cost}}, 0))",
     "INDEX({all}, {begins} + 1)"),
)  # fmt: skip
_ON, _FINANCE, _OPERATING = "{ifrs} = 1", "{us} = 1", "{us} = 2"
_STANDARDS = {  # the rows of the engine, in its order
    "expensed": f"IF({_ON}, 0, §{{level_cost}})",
    "interest": f"IF({_ON}, §{{interest}}, 0)",
    "depreciation": f"IF({_ON}, §{{depreciation}}, 0)",
    "liability": f"IF({_ON}, §{{liability}}, 0)",
    "asset": f"IF({_ON}, §{{asset}}, 0)",
    "ebitda": f"IF({_ON}, §{{level_cost}}, 0)",
    "us_interest": f"IF({_FINANCE}, §{{interest}}, 0)",
    "us_amortization": f"IF({_FINANCE}, §{{depreciation}}, 0)",
    "us_operating_cost": f"IF({_FINANCE}, 0, §{{level_cost}})",
    "us_liability": f"IF(OR({_FINANCE}, {_OPERATING}), §{{liability}}, 0)",
    "us_asset": f"IF({_FINANCE}, §{{asset}}, IF({_OPERATING}, §{{operating_asset}}, 0))",
    "us_ebitda": f"IF({_FINANCE}, §{{level_cost}}, 0)",
}
_STANDARD = "std_"
LEASE_ROWS = (*_SCHEDULE, *(
    (f"{_STANDARD}{name}", LEASE_LABELS[name], how, "" if name in BALANCES else "SUM({all})")
    for name, how in _STANDARDS.items()
))  # fmt: skip
_TERMS = {  # label and unit
    "begins": ("Begins in month", "no."), "months": ("Months", "no."),
    "first_due": ("First payment in month", "no."), "last_due": ("Last payment in month", "no."),
    "until": ("In these books until month", "no."), "items": ("Machines", "no."),
    "is_bought": ("Bought at the end: 1", "0 or 1"),
    "is_expensed": ("A service, or short: expensed as it runs: 1", "0 or 1"),
    "life": ("Months over which the asset is written off", "no."),
    "price": ("Price of the machines; 0 where none is stated", "USD"),
    "paid_share": ("Share of it that the lessor pays", "1"),
    "extra": ("Asset beside the payments (IFRS 16, 100)", "USD"), "worth": ("Payments at the borrowing rate", "USD"),
    "first_asset": ("Asset at the start", "USD"), "ifrs": ("IFRS 16: 1 on the balance sheet", "0 or 1"),
    "us": ("ASC 842: 1 finance, 2 operating, 0 expensed", "no."),
}  # fmt: skip
_LIVE_TERMS = {
    "life": f"IF({{is_bought}} = 1, ROUND({LIFE} * 12, 0), {{months}})",
    "extra": "{price} * (1 - {paid_share})",
    "worth": "INDEX({liability_all}, {begins} + 1) + INDEX({paid_all}, {begins} + 1)",
    "first_asset": "{worth} + {extra}",
    "ifrs": f"IF(OR({{is_expensed}} = 1, AND({{price}} > 0, {{price}} <= {_LOW_VALUE} * {{items}})), 0, 1)",
    "us": f"IF({{is_expensed}} = 1, 0, IF(OR({{is_bought}} = 1, {{months}} >= {_MAJOR} * {LIFE} * 12, "
    f"AND({{price}} > 0, {{worth}} >= {_MOST} * {{price}})), 1, 2))",
}
_Term = tuple[str, str, str, str, float]  # name, label, unit, formula if it has one, number as it is


def booked_leases(book: OpenWorkbook) -> list[tuple[int, BookedLease]]:
    """Return the leases of all options, each with the place of its option."""
    accounts = (leases_of(book.plan.setting, result.way) for result in book.results)
    return [(place, lease) for place, it in enumerate(accounts) for lease in (it.leases if it else ())]


def lease_inputs(book: OpenWorkbook) -> Iterator[LedgerInput]:
    """Yield the inputs of the leases; none where nothing is leased or reserved."""
    books = book.plan.setting.scenario.accounting
    accounts = next(filter(None, (leases_of(book.plan.setting, result.way) for result in book.results)), None)
    if accounts is not None:
        is_own = books.borrowing_rate_per_year is not None
        yield LedgerInput(BORROWING, accounts.rate_per_year, "1/year", YOUR_INPUT if is_own else CONVENTION)
        yield LedgerInput(_LOW_VALUE, books.low_value_usd, "USD for one machine", YOUR_INPUT)
        yield LedgerInput(_MAJOR, MAJOR_PART, "of the life, ASC 842-10-55-2", CONVENTION)
        yield LedgerInput(_MOST, SUBSTANTIALLY_ALL, "of the price, ASC 842-10-55-2", CONVENTION)


def write_leases(book: OpenWorkbook, timeline: MonthSheet) -> None:
    """Write every lease: its terms, its schedule, and what stands in the books under both standards."""
    leases = booked_leases(book)
    if not leases:
        return
    months = max(timeline.months, *(lease.begins + len(lease.schedule.paid) - 1 for _, lease in leases))
    sheet = MonthSheet(book.file.add_worksheet("Leases"), "Leases", book.styles, months)
    sheet.head("Leases under IFRS 16 and ASC 842", "Payments are those of the option's sheet, in dollars as billed", "")
    sheet.write_months(4, "IF(ISNUMBER(¶4), ¶4 + 1, 0)", np.arange(months + 1), "head")
    sheet.write_months(5, f"EDATE({timeline.prefix}${column(TODAY)}$5, §4)", np.nan, "day_head")
    row = 7
    for place, lease in leases:
        option, result = book.options[place], book.results[place]
        sheet.sheet.write_string(row - 1, NAME, f"{result.way.option.title}: {lease.name}", book.styles["bold"])
        own = set(map(id, lease.lines))
        lines = {at: line for at, line in enumerate(result.way.option.ledger.lines, option.lines[0]) if id(line) in own}
        due, last = _due(lease, lines, option, timeline), last_due(lease, timeline.months)
        row = write_lease(sheet, row + 1, lease, last, (due, *_prices(book, place, lease))) + 2


def _due(lease: BookedLease, lines: Mapping[int, Line], option: MonthSheet, timeline: MonthSheet) -> str:
    """Return what is paid in a month; what the ledger has in one sum is spread over the months beyond the plan."""
    is_prepaid, dollars = lease.contract.pays == "prepaid", f" * {timeline.prefix}§${timeline.rows['dollars']}"
    rows: dict[bool, list[str]] = {False: [], True: []}
    for row, line in lines.items():
        rows[line.part == "commitment" and not is_prepaid].append(f"{option.prefix}§{row}")
    within, beyond = (f"({' + '.join(rows[is_beyond]) or 0}){dollars}" for is_beyond in rows)
    if last_due(lease, option.months) <= option.months:
        return within
    last = f"${option.columns[-1]}"
    end = f"{timeline.prefix}{last}$4"
    return f"IF(§4 <= {end}, {within}, {beyond.replace(HERE, last)} / ({{last_due}} - {end}))"


def last_due(lease: BookedLease, last_month: int) -> int:
    """Return the last month in which something is paid."""
    contract, ends = lease.contract, lease.begins + lease.months
    if contract.pays == "prepaid":
        return lease.begins
    is_paid_at_end = contract.pays == "arrears" or (contract.is_bought and ends <= last_month)
    return ends if is_paid_at_end else ends - 1


def _prices(book: OpenWorkbook, place: int, lease: BookedLease) -> tuple[str, str]:
    """Return the price of the machines and the share that a lessor pays, as formulas; empty where no input says it."""
    option, contract = book.results[place].way.option, lease.contract
    cells, values = dict[str, str](), dict[str, Num]()
    for line in (*lease.lines, *(line for line in option.ledger.lines if line.order == lease.lines[0].order)):
        for used, key in zip(line.used, book.ids.by_name(option, line).values(), strict=True):
            cells.setdefault(used.name, book.cells.get(key, ""))
            values.setdefault(used.name, used.value)
    try:
        usd = float(np.asarray(formula(contract.price_how)(values)))
    except FormulaError:  # a quote says nothing of the price
        return "", ""
    is_it = abs(usd - (contract.price_usd or 0.0)) <= _SAME * usd
    return excel_formula(contract.price_how, cells) if is_it else "", cells.get("sale_price_share", "")


def _terms(lease: BookedLease, due: int, price: str, share: str) -> Iterator[_Term]:
    contract, known = lease.contract, lease.contract.price_usd or 0.0
    is_back = contract.kind == "lease_back" and not contract.is_bought and known > 0
    paid_share = contract.received_usd / known if is_back else 1.0
    numbers: dict[str, float] = {
        "begins": lease.begins, "months": lease.months,
        "first_due": lease.begins + int(contract.pays == "arrears"), "last_due": due,
        "until": lease.begins + len(lease.schedule.paid) - 1, "items": contract.items,
        "is_bought": float(contract.is_bought), "is_expensed": float(lease.us in ("service", "short_term")),
        "life": lease.life, "price": known, "paid_share": paid_share,
        "extra": known * (1 - paid_share), "worth": float(lease.schedule.liability[0] + lease.schedule.paid[0]),
        "first_asset": float(lease.schedule.asset[0]), "ifrs": float(lease.ifrs == "on_balance_sheet"),
        "us": _ASC.get(lease.us, 0),
    }  # fmt: skip
    live = _LIVE_TERMS | {"price": price, "paid_share": share if is_back else ""}
    for name, (label, unit) in _TERMS.items():
        yield name, label, unit, live.get(name, ""), numbers[name]


def write_lease(sheet: MonthSheet, row: int, lease: BookedLease, last: int, how: tuple[str, str, str]) -> int:
    """Write a lease from a row on and return the next: its last due month, its payment, price and lessor's share."""
    due, *prices = how
    names = (*_TERMS, *(name for name, *_ in LEASE_ROWS))
    numbers = {name: row + at for at, name in enumerate(names)}
    places: dict[str, Any] = {name: f"$C${at}" if name in _TERMS else at for name, at in numbers.items()}
    places |= {f"{name}_all": sheet.row_span(at) for name, at in numbers.items()} | {"months_all": sheet.row_span(4)}
    for name, label, unit, formula_of_term, known in _terms(lease, last, *prices):
        sheet.label(numbers[name], label, unit, formula_of_term.format(**places), known)
        if not formula_of_term:
            sheet.sheet.write_number(numbers[name] - 1, TOTAL, known, sheet.styles["any"])
    usd = vars(lease.schedule) | {f"{_STANDARD}{name}": months for name, months in lease.rows.items()}
    for name, label, month, total in LEASE_ROWS:
        values = np.zeros(sheet.months + 1)
        values[lease.begins : lease.begins + len(usd[name])] = usd[name]
        at = numbers[name]
        sheet.write_months(at, month.replace("{due}", due).format(**places), values)
        sheet.label(at, label, "USD", total.format(**places, all=sheet.row_span(at)), None)
    return row + len(names)
