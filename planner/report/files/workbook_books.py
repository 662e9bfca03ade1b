"""Tax and profit of an option in the workbook: rows below its ledger, each cell a formula of the lines and the inputs.

Hardware is placed in service at its delivery, leaves at the next sale, and is written off by the table of the tax books
and level in the company's own. Tax moves at the end of each tax year. The rows that a line of tax rests on have the
names of its inputs.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from planner.money.inflation import inflation_per_year
from planner.money.ledger import COMPUTED, YOUR_INPUT, LedgerInput, Origin, origin
from planner.money.profit_and_loss import BOOK_LIFE, OPERATING, ROWS
from planner.money.setting import PlanContext
from planner.money.tax import DELIVERED, bears_vat, schedule_in_use
from planner.report.books import PROFIT_LABELS, option_profit_and_loss
from planner.report.files.excel import PROFIT_ROW, TODAY, TREATMENT, VAT, MonthSheet, column, look
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.terms import TaxInputs
from planner.study.measures import OptionResult

LIFE, INFLATION = "book_life_years", "inflation_in_use"
TABLE, WRITTEN_OFF = "written_off_by_year", "written_off_in_year_"
YEARLY = ("deducted_usd", "forgone_usd", "sold_for_usd")
TAX_MONEY = frozenset({*YEARLY, "written_off_usd", "still_in_books_usd", "bought_usd", "bought_earlier_usd",
                       "taxed_without_usd", "taxed_with_usd", "taxed_with_forgone_usd"})  # fmt: skip
_HEADS = ("Hardware in the books, and tax", "Profit and loss, income above 0")
PROFIT = "profit_{}"  # name of a row of profit and loss among the rows of a sheet
_CALENDAR = ("tax_year", "tax_due", "dollars", "table", "runs")  # rows of the timeline
_Row = tuple[str, str, str, str, str]  # name, label, unit, formula of a month, formula of the column before the months

_UNRECOVERED = "vat_share * (1 - vat_recovered_share)"
# What moves in a tax year, in the money of its last month.
_YEAR = "IF({{tax_due}} = 1, SUMPRODUCT(({{tax_year_all}} = {{tax_year}}) * {0} * {{dollars_all}}) / {{dollars}}, 0)"
_RUNS = "{life} * 12 - §4 + {months_all} + 1"  # months of its life that are left to what was placed, at a month's start
_HARDWARE: tuple[_Row, ...] = (
    ("placed", "Hardware placed in service", "USD", "{placed_groups}", "SUM({all})"),
    ("leaving", "1 where hardware leaves", "0 or 1",
     'IF(OR(§4 = {end}, SUMIFS(§{first}:§{untaxed}, {treatments}, "sale") <> 0), 1, 0)', "SUM({all})"),
    ("left_so_far", "How often some has left so far", "no.", "SUM({today}{leaving}:§{leaving})", ""),
    ("leaves", "What is placed now leaves in month", "no.",
     'MIN({end}, COUNTIF({left_so_far_all}, "<=" & §{left_so_far}))', ""),
    ("kept_share", "Its share in the books as it leaves", "1", "MAX(0, 1 - (§{leaves} - §4) / ({life} * 12))", ""),
    ("written_off", "Written off in the books", "USD",
     "SUMPRODUCT({placed_all} * ({months_all} < §4) * ({leaves_all} >= §4) * "
     f"(({_RUNS} >= 1) + ({_RUNS} > 0) * ({_RUNS} < 1) * ({_RUNS}))) / ({{life}} * 12)", "SUM({all})"),
    ("book_value", "Book value of what leaves", "USD",
     "SUMPRODUCT({placed_all} * ({leaves_all} = §4) * {kept_share_all})", "SUM({all})"),
)  # fmt: skip
_TAX: tuple[_Row, ...] = (
    ("expenses", "Deducted as it is paid", "USD", 'SUMIFS(§{first}:§{untaxed}, {treatments}, "expense"){vat_expensed}',
     "SUM({all})"),
    ("sale_forgone", "Sale that keeping forgoes", "USD", 'SUMIFS(§{first}:§{untaxed}, {treatments}, "forgone")',
     "SUM({all})"),
    ("sales", "Sales", "USD", '-1 * SUMIFS(§{first}:§{untaxed}, {treatments}, "sale")', "SUM({all})"),
    ("deducted_usd", "Deducted in the tax year", "USD", _YEAR.format("{expenses_all}"), "SUM({all})"),
    ("forgone_usd", "Sale forgone in the tax year", "USD", _YEAR.format("{sale_forgone_all}"), "SUM({all})"),
    ("sold_for_usd", "Sales in the tax year", "USD", _YEAR.format("{sales_all}"), "SUM({all})"),
    ("leaves_year", "What is placed now leaves in tax year", "no.", "MAX(1, ROUNDUP(§{leaves} / 12, 0))", ""),
    ("taxed_share", "Its share in the tax books as it leaves", "1",
     'MAX(0, 1 - SUMIF({months_all}, "<=" & (§{leaves_year} - {tax_year}), {table_all}))', ""),
    ("written_off_usd", "Written off in the tax year", "USD",
     "IF({tax_due} = 1, SUMPRODUCT({placed_all} * {dollars_all} * ({leaves_year_all} >= {tax_year}) * "
     "SUMIF({months_all}, {tax_year} - {tax_year_all}, {table_all})) / {dollars}, 0)", "SUM({all})"),
    ("still_in_books_usd", "Tax book value of what leaves in the tax year", "USD",
     "IF({tax_due} = 1, SUMPRODUCT({placed_all} * {dollars_all} * ({leaves_year_all} = {tax_year}) * "
     "{taxed_share_all}) / {dollars}, 0)", "SUM({all})"),
)  # fmt: skip
_VAT: tuple[_Row, ...] = (
    ("bought_usd", "Bought with VAT", "USD", "SUMIFS(§{first}:§{untaxed}, {vats}, 1)", "SUM({all})"),
    ("bought_dollars", "Bought with VAT, dollars of the month", "USD", "§{bought_usd} * {dollars}", "SUM({all})"),
    ("bought_earlier_usd", "Bought with VAT that comes back", "USD",
     "(SUMIFS({bought_dollars_all}, {months_all}, §4 - vat_recovered_after_months) + IF(§4 = {end}, "
     'SUMIFS({bought_dollars_all}, {months_all}, ">" & (§4 - vat_recovered_after_months)), 0)) / {dollars}',
     "SUM({all})"),
)  # fmt: skip
_DEDUCTIBLE = "(§{deducted_usd} + §{written_off_usd} + §{still_in_books_usd} - §{sold_for_usd}) * {dollars}"
_PROFITS = {  # what is taxed where losses are kept: its row, its label, and the profit of a tax year in dollars
    "taxed_without_usd": ("your profit alone", "§{own_profit}"),
    "taxed_with_usd": ("your profit less this option", f"§{{own_profit}} - {_DEDUCTIBLE}"),
    "taxed_with_forgone_usd": (
        "the same, less the sale forgone", f"§{{own_profit}} - {_DEDUCTIBLE} - §{{forgone_usd}} * {{dollars}}"),
}  # fmt: skip


def _kept_losses() -> Iterator[_Row]:
    """Yield the rows of tax where losses are kept until there is profit to set them against."""
    yield ("own_profit", "Your other profit in the tax year", "USD", "IF({tax_due} = 1, SUMPRODUCT(({tax_year_all} = "
           "{tax_year}) * {runs_all}) * profit_usd_per_year / 12, 0)", "SUM({all})")  # fmt: skip
    for name, (label, profit) in _PROFITS.items():
        how = f"IF(§4 = 0, -1 * losses_brought_usd, ¶{{so_far_{name}}}) + {profit}"
        yield f"so_far_{name}", f"Profit so far: {label}", "USD", how, ""
        how = f"MAX(0, ¶{{highest_{name}}}, §{{so_far_{name}}})"
        yield f"highest_{name}", f"Taxed so far: {label}", "USD", how, ""
        how = f"(§{{highest_{name}}} - ¶{{highest_{name}}}) / {{dollars}}"
        yield name, f"Taxed: {label}", "USD", how, "SUM({all})"


def books_inputs(setting: PlanContext) -> Iterator[LedgerInput]:
    """Yield the inputs of tax and profit that no line of a ledger has."""
    life = setting.catalogue.facts[BOOK_LIFE].figure
    yield LedgerInput(LIFE, life.newest.typical, "year", origin(setting.catalogue, life))
    yield LedgerInput(INFLATION, inflation_per_year(setting), "1/year", COMPUTED)
    if (tax := setting.scenario.tax) is not None:
        yield from _tax_inputs(setting, tax)


def _tax_inputs(setting: PlanContext, tax: TaxInputs) -> Iterator[LedgerInput]:
    schedule, source = schedule_in_use(setting, tax), YOUR_INPUT
    if not tax.shares_by_year:
        origin_of = setting.catalogue.sources[schedule.source]
        source = Origin(origin_of.title, "law", schedule.valid_from, None, origin_of.url, schedule.label)
    shares = tax.shares_by_year or schedule.shares_by_year
    years = -(
        -setting.timeline.last // MONTHS_PER_YEAR
    )  # later ones change nothing, and are written for a longer table
    for year in range(max(years, len(shares))):
        share = shares[year] if year < len(shares) else 0.0
        yield LedgerInput(f"{WRITTEN_OFF}{year + 1}", share, "share of the price", source)
    if tax.vat_share:
        yield LedgerInput("vat_recovered_after_months", tax.vat_recovered_after_months, "months", YOUR_INPUT)
    if tax.profit_usd_per_year is not None:
        yield LedgerInput("profit_usd_per_year", tax.profit_usd_per_year, "USD a year", YOUR_INPUT)
        yield LedgerInput("losses_brought_usd", tax.losses_brought_usd, "USD", YOUR_INPUT)


def write_tax_calendar(setting: PlanContext, sheet: MonthSheet, row: int) -> None:
    """Write the rows of the timeline that tax needs: tax years, when their tax is due, dollars, the table."""
    years, end = sheet.rows["years"], f"${sheet.columns[-1]}$4"
    rows = {
        "tax_year": ("Tax year", "no.", "MAX(1, ROUNDUP(§4 / 12, 0))"),
        "tax_due": ("1 in the last month of a tax year", "0 or 1", f"IF(§4 = MIN(12 * §{row}, {end}), 1, 0)"),
        "dollars": ("Dollars of the month for one of the plan's", "1", f"(1 + {INFLATION}) ^ §{years}"),
    }
    if setting.scenario.tax is not None:
        label = "Share written off when placed as many tax years ago as the number above says"
        rows["table"] = (label, "1", f"IFERROR(INDEX({TABLE}, §4 + 1), 0)")
        if setting.scenario.tax.profit_usd_per_year is not None:
            sheet.rows["runs"] = row + len(rows)
            sheet.write_inputs(row + len(rows), setting.timeline.runs, "computed")
            sheet.label(row + len(rows), "The plan runs", "share of each month")
    for at, (name, (label, unit, how)) in enumerate(rows.items(), start=row):
        sheet.rows[name] = at
        sheet.write_months(at, how, np.nan, look(unit))
        sheet.label(at, label, unit)


def books_rows(result: OptionResult, cells: list[dict[str, str]], first: int) -> tuple[_Row, ...]:
    """Return the rows of tax and profit of an option, whose ledger begins in a row: what is placed in service first."""
    tax, groups = result.plan.setting.scenario.tax, _paid_by_delivery(result, cells, first)
    placed = " + ".join(f"§{{placed_{number}}}" for number in range(1, len(groups) + 1)) or "0"
    service = [row for number, group in enumerate(groups.items(), start=1) for row in _placed_rows(number, *group)]
    of_tax: list[_Row] = []
    if tax is not None:
        losses = () if tax.profit_usd_per_year is None else _kept_losses()
        of_tax = [*_TAX, *(_VAT if tax.vat_share else ()), *losses]
    hardware = [
        (name, label, unit, how.replace("{placed_groups}", placed), total)
        for name, label, unit, how, total in _HARDWARE
    ]
    hardware_head, profit_head = ((text, text, "", "", "") for text in _HEADS)
    return (hardware_head, *service, *hardware, *of_tax, profit_head, *_profit_rows())


def _paid_by_delivery(result: OptionResult, cells: list[dict[str, str]], first: int) -> dict[str, str]:
    """Return what is paid for hardware, a formula, by the row of the timeline that says when it is delivered."""
    tax, paid = result.plan.setting.scenario.tax, dict[str, list[str]]()
    for row, (line, inputs) in enumerate(zip(result.way.option.ledger.lines, cells, strict=True), start=first):
        if line.treatment == "capital":
            vat = f" * (1 + {_UNRECOVERED})" if tax and tax.vat_share and bears_vat(line) else ""
            paid.setdefault(inputs.get(DELIVERED, ""), []).append(f"§{row}{vat}")
    return {delivered: " + ".join(lines) for delivered, lines in paid.items()}


def _placed_rows(number: int, delivered: str, paid: str) -> Iterator[_Row]:
    """Yield what is paid for hardware, and when it is placed in service: not before its delivery."""
    if not delivered:
        yield f"placed_{number}", "Hardware paid for", "USD", paid, "SUM({all})"
        return
    sheet, _, row = delivered.rpartition("§$")
    so_far, months = (f"{sheet}{{today}}${row}:{end}${row}" for end in ("§", "{last_month}"))
    yield f"paid_{number}", "Hardware paid for", "USD", paid, "SUM({all})"
    before = f"{{paid_{number}_all}} * {{dollars_all}} * ({{months_all}} < MATCH(1, {months}, 0) - 1)"
    how = f"IF(SUM({so_far}) = 0, 0, §{{paid_{number}}} + {delivered} * SUMPRODUCT({before}) / {{dollars}})"
    yield f"placed_{number}", "Placed in service", "USD", how, "SUM({all})"


def _profit_rows() -> Iterator[_Row]:
    less = {name: PROFIT.format(name) for name in ROWS}
    sums = {
        "ebitda": f"SUM(§{{{less[OPERATING[0]]}}}:§{{{less[OPERATING[-1]]}}})", "depreciation": "-1 * §{written_off}",
        "before_tax": " + ".join(f"§{{{less[name]}}}" for name in ("ebitda", "depreciation", "on_sale", "interest")),
        "profit": f"§{{{less['before_tax']}}} + §{{{less['tax']}}}", "cash": "-1 * §{cash}",
    }  # fmt: skip
    more = {"on_sale": " - §{book_value}", "tax": "{vat_in_books}"}
    for name in ROWS:
        how = f'-1 * SUMIFS(§{{first}}:§{{last}}, {{profit_rows}}, "{name}"){more.get(name, "")}'
        yield less[name], PROFIT_LABELS[name], "USD", sums.get(name, how), "SUM({all})"


def write_books(sheet: MonthSheet, rows: Iterable[_Row], result: OptionResult, timeline: MonthSheet) -> None:
    """Write the rows of tax and profit below the lines of an option."""
    lines, (first, last), tax = result.way.option.ledger.lines, sheet.lines, result.plan.setting.scenario.tax
    untaxed = [row for row, line in enumerate(lines, first) if not TAX_MONEY & line.names]
    flags = {"treatments": TREATMENT, "profit_rows": PROFIT_ROW, "vats": VAT}
    unrecovered = f' + {_UNRECOVERED} * SUMIFS(§{first}:§{untaxed[-1]}, {{treatments}}, "{{}}", {{vats}}, 1)'
    places: dict[str, Any] = {
        **sheet.rows, **{f"{name}_all": sheet.span(name) for name in sheet.rows},
        **{name: f"{timeline.prefix}§${row}" for name, row in timeline.rows.items() if name in _CALENDAR},
        **{f"{name}_all": timeline.span(name, True) for name in _CALENDAR if name in timeline.rows},
        "first": first, "untaxed": untaxed[-1], "last": last, "today": f"${column(TODAY)}", "life": LIFE,
        "last_month": f"${sheet.columns[-1]}", "end": f"${sheet.columns[-1]}$4", "months_all": sheet.row_span(4),
    }  # fmt: skip
    for name, place in flags.items():
        ends = last if name == "profit_rows" else untaxed[-1]
        places[name] = f"${column(place)}${first}:${column(place)}${ends}"
    for name, treatment in (("vat_expensed", "expense"), ("vat_in_books", "capital")):
        how = unrecovered.format(treatment, **places) if tax and tax.vat_share else ""
        places[name] = how
    known = _known_months(result)
    for name, label, unit, how, total in rows:
        row = sheet.rows[name]
        if not how:
            sheet.heading(row, label)
            continue
        sheet.write_months(row, how.format(**places), known.get(name, np.nan), look(unit))
        sheet.label(row, label, unit, total.format(all=sheet.span(name)), None)


def _known_months(result: OptionResult) -> dict[str, Any]:
    profits = option_profit_and_loss(result.plan.setting, result.way).by_month
    of_tax = {used.name: used.value for line in result.way.option.ledger.lines for used in line.used}
    return {name: of_tax[name] for name in TAX_MONEY & of_tax.keys()} | {
        PROFIT.format(name): usd for name, usd in profits.items()
    }
