"""The results of the workbook: comparison, ranges, checks, sources and cover, from the registry of measures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import numpy as np

from planner.money.ledger import COMPUTED, LedgerInput, Origin
from planner.money.plan import Plan
from planner.report.files.csv import SIGN, AssumptionIds, convert_to_plan_currency
from planner.report.files.excel import TODAY, TOTAL, MonthSheet, Styles, column, look, print_setup
from planner.report.files.workbook_books import TAX_MONEY
from planner.report.files.workbook_option import LIVE, MEASURE_ROWS, MEASURED, NONE, ROW_NUMBERS
from planner.study.measures import MEASURES, OptionResult
from planner.study.uncertainty.futures import Futures

FX = "usd_per_unit"  # the input that is the rate of the reporting currency
_LABELS = {"npv_usd": "Saved against the baseline (NPV), USD", "payback_months": "Payback, months",
           "modified_return_per_year": "Modified return (MIRR)"}  # fmt: skip
_COVERED = ("as_entered_usd", "total_cash_usd", "cash_today_usd", "npv_usd", "return_per_year",
            "modified_return_per_year", "payback_months")  # fmt: skip


@dataclass
class OpenWorkbook:
    """The workbook while it is written."""

    file: Any
    styles: Styles
    plan: Plan
    results: tuple[OptionResult, ...]
    baseline: OptionResult
    headline: Sequence[str]
    futures: Futures | None
    ids: AssumptionIds
    cells: dict[str, str] = field(default_factory=dict)  # by assumption: its name, or its place in a month
    options: list[MonthSheet] = field(default_factory=list)

    def sheet(self, name: str, widths: Sequence[float]) -> Any:
        """Return a new sheet with columns of these widths."""
        sheet = self.file.add_worksheet(name)
        for place, width in enumerate(widths):
            sheet.set_column(place, place, width)
        print_setup(sheet)
        return sheet

    def months(self, name: str) -> MonthSheet:
        """Return a new sheet with a column for each month."""
        return MonthSheet(self.file.add_worksheet(name), name, self.styles, self.plan.setting.timeline.last)


def write_day(book: OpenWorkbook, sheet: Any, row: int, place: int, day: date | None) -> None:
    if day is not None:
        sheet.write_datetime(row, place, day, book.styles["day"])


def write_comparison(book: OpenWorkbook) -> None:
    """Write the measures of every option that follow from the inputs, side by side."""
    sheet, styles = book.sheet("Comparison", (44, 10, *(16,) * len(MEASURED))), book.styles
    sheet.write_string(0, 0, "Comparison at the inputs of this workbook", styles["title"])
    sheet.write_string(
        1, 0, f"Baseline of savings, returns and paybacks: {book.baseline.way.option.title}", styles["text"]
    )
    heads = (f"{measure.name} [{measure.unit}]" for measure in MEASURED)
    sheet.write_row(3, 0, ("Option", "Key", *heads), styles["head"])
    for row, (result, option) in enumerate(zip(book.results, book.options, strict=True), start=4):
        sheet.write_string(row, 0, result.way.option.title, styles["bold"])
        sheet.write_string(row, 1, result.key, styles["grey"])
        for place, measure in enumerate(MEASURED, start=2):
            address = f"={option.prefix}${column(TOTAL)}${MEASURE_ROWS[measure.name]}"
            number = measure.number(result)
            sheet.write_formula(row, place, address, styles[look(measure.unit)], NONE if number is None else number)
    sheet.freeze_panes(4, 1)


def _compared(book: OpenWorkbook, measure: str) -> str:
    """Return the address of a measure of all options on the sheet that compares them."""
    place = column(2 + [it.name for it in MEASURED].index(measure))
    return f"Comparison!${place}$5:${place}${4 + len(book.options)}"


def write_ranges(book: OpenWorkbook) -> None:
    """Write what was simulated or solved at the export: low, middle, high and the share of futures of each option."""
    others = [measure for measure in MEASURES if measure not in MEASURED]
    sheet, styles = book.sheet("Low, middle, high", (44, 24, *(16,) * len(others))), book.styles
    sheet.write_string(0, 0, "Low, middle and high, with probabilities, as simulated at the export", styles["title"])
    count = 0 if book.futures is None else book.futures.count
    about = f"{count:,} futures. These figures do not follow the inputs. The case on Inputs takes the ends of ranges."
    sheet.write_string(1, 0, about, styles["text"])
    sheet.write_row(3, 0, ("Option", "Key", *(f"{it.name} [{it.unit}]" for it in others)), styles["head"])
    sheet.write_row(4, 0, ("", "", *(it.description for it in others)), styles["wrap"])
    for row, result in enumerate(book.results, start=5):
        sheet.write_string(row, 0, result.way.option.title, styles["bold"])
        sheet.write_string(row, 1, result.key, styles["grey"])
        for place, measure in enumerate(others, start=2):
            number = measure.number(result)
            sheet.write(row, place, measure.reason(result) if number is None else number, styles[look(measure.unit)])
    row = 7 + len(book.results)
    sheet.write_row(
        row, 0, ("Drawn in the futures", "Unit", "Low", "Typical", "High", "Kind", "Source"), styles["head"]
    )
    for at, it in enumerate(() if book.futures is None else book.futures.inputs, start=row + 1):
        cells = (it.name, it.unit, it.spread.low, it.spread.typical, it.spread.high, it.kind, it.source)
        sheet.write_row(at, 0, cells, styles["any"])
    sheet.freeze_panes(4, 1)


def write_checks(book: OpenWorkbook) -> None:
    """Write the checks: of sums always, of every figure against the engine while no input is changed."""
    sheet, styles = book.sheet("Checks", (70, 18, 18, 18, 9)), book.styles
    sheet.write_string(0, 0, "Checks", styles["title"])
    sheet.write_row(3, 0, ("Check", "This workbook", "Expected", "Scale", "Passes: 1"), styles["head"])
    row = 4
    for result, option in zip(book.results, book.options, strict=True):
        scale = max(abs(float(np.asarray(result.measures.present_usd))), 1.0)
        for label, value, expected in _sums(option):
            sheet.write_formula(row, 1, f"={value}", styles["usd"], "")
            sheet.write_formula(row, 2, f"={expected}", styles["usd"], "")
            row = _write_check(book, sheet, row, f"{result.key}: {label}", (scale, ""))
        if frozen := _frozen(result, option):
            sheet.write_formula(row, 1, f"={frozen}", styles["usd"], "")
            sheet.write_number(row, 2, 0, styles["usd"])
            label = "money computed before the ledger is that of these inputs"
            row = _write_check(book, sheet, row, f"{result.key}: {label}", (1.0, "changed_inputs = 0"))
        for measure in MEASURED:
            number = measure.number(result)
            sheet.write_formula(row, 1, f"={option.prefix}$C${MEASURE_ROWS[measure.name]}", styles["any"], "")
            sheet.write(row, 2, NONE if number is None else number, styles["any"])
            size = scale if measure.unit.startswith("USD") and measure.unit != "USD/hour" else 1.0
            row = _write_check(
                book, sheet, row, f"{result.key}: {measure.name} of the engine", (size, "changed_inputs > 0")
            )
    sheet.write_string(1, 0, "All checks pass: 1", styles["bold"])
    sheet.write_formula(1, 1, f"=IF(SUM($E$5:$E${row}) = ROWS($E$5:$E${row}), 1, 0)", styles["verdict"], 1)
    book.file.define_name("all_checks_pass", "=Checks!$B$2")
    sheet.freeze_panes(4, 1)


def _frozen(result: OptionResult, option: MonthSheet) -> str:
    """Return the sum of the lines that rest on money computed before, such as support; empty without any."""
    lines = enumerate(result.way.option.ledger.lines, start=option.lines[0])
    rows = [row for row, line in lines if any(map(_is_computed_money, line.used))]
    return " + ".join(f"ABS({option.prefix}$C${row})" for row in rows)


def _is_computed_money(used: LedgerInput) -> bool:
    is_computed = isinstance(used.origin, Origin) and used.origin.kind == COMPUTED.kind
    return is_computed and used.unit.startswith("USD") and used.name not in TAX_MONEY


def _sums(option: MonthSheet) -> Iterable[tuple[str, str, str]]:
    """Yield what adds up on the sheet of an option: label, sum, expected."""
    first, last = option.lines
    block = f"{option.prefix}${column(TODAY)}${first}:${option.columns[-1]}${last}"
    total = {name: f"{option.prefix}$C${MEASURE_ROWS[name]}" for name in LIVE}
    yield "totals of lines add up", f"SUM({option.prefix}$C${first}:$C${last})", total["total_usd"]
    no_cash = f"{option.prefix}$C${ROW_NUMBERS['noncash']}"
    yield "cash and no cash add up", f"{total['total_cash_usd']} + {no_cash}", total["total_usd"]
    discounted = f"SUMPRODUCT({block} * {option.span('factor', True)})"
    yield "discounted lines add up", discounted, total["as_entered_usd"]


def _write_check(book: OpenWorkbook, sheet: Any, row: int, label: str, how: tuple[float, str]) -> int:
    at, (scale, skipped) = row + 1, how
    sheet.write_string(row, 0, label, book.styles["text"])
    sheet.write_number(row, 3, scale, book.styles["usd"])
    near = f"IF(ABS(B{at} - C{at}) <= tolerance * MAX(D{at}, ABS(C{at})), 1, 0)"
    same = f"IF(ISNUMBER(C{at}), IF(ISNUMBER(B{at}), {near}, 0), IF(ISNUMBER(B{at}), 0, 1))"
    sheet.write_formula(row, 4, f"=IF({skipped}, 1, {same})" if skipped else f"={same}", book.styles["any"], 1)
    return row + 1


def write_sources(book: OpenWorkbook, inputs: Iterable[LedgerInput]) -> None:
    """Write every source once, with the number of inputs that rest on it."""
    counts: dict[Origin, int] = {}
    for used in inputs:
        origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
        source = replace(origin, note=None, figure=None)
        counts[source] = counts.get(source, 0) + 1
    sheet, styles = book.sheet("Sources", (60, 14, 12, 12, 60, 9)), book.styles
    sheet.write_string(0, 0, "Sources", styles["title"])
    sheet.write_row(3, 0, ("Source", "Kind", "Since", "Checked", "Link", "Inputs"), styles["head"])
    for row, (origin, count) in enumerate(counts.items(), start=4):
        sheet.write_string(row, 0, origin.source, styles["text"])
        sheet.write_string(row, 1, origin.kind, styles["text"])
        write_day(book, sheet, row, 2, origin.since)
        write_day(book, sheet, row, 3, origin.checked)
        sheet.write_string(row, 4, origin.url or "", styles["text"])
        sheet.write_number(row, 5, count, styles["any"])
    sheet.freeze_panes(4, 1)


def write_cover(book: OpenWorkbook, sheet: Any) -> None:
    """Write the answer in words, the option that is cheapest at the inputs as they are now, the options and charts."""
    setting, styles = book.plan.setting, book.styles
    sheet.write_string(0, 0, book.headline[0], styles["title"])
    facts = f"Prices as known on {setting.day.isoformat()}; facts {setting.catalogue.digest[:12]}."
    about = f"{setting.scenario.name}. {facts} {SIGN} US dollars. These words are of the export; what follows is live."
    for row, sentence in enumerate((about, *book.headline[1:]), start=1):
        sheet.merge_range(row, 0, row, 8, "", styles["wrap"])
        sheet.write_string(row, 0, sentence, styles["wrap"])
        sheet.set_row(row, 26)
    row = len(book.headline) + 2
    present, titles = _compared(book, "as_entered_usd"), f"Comparison!$A$5:$A${4 + len(book.options)}"
    best = min(book.results, key=lambda result: float(np.asarray(result.measures.present_usd)))
    for label, formula, value in (
        ("Cheapest at these inputs", f"INDEX({titles}, MATCH(MIN({present}), {present}, 0))", best.way.option.title),
        ("Inputs changed since the export", "changed_inputs", 0),
        ("All checks pass: 1", "all_checks_pass", 1),
    ):
        sheet.write_string(row, 0, label, styles["bold"])
        sheet.write_formula(row, 1, f"={formula}", styles["verdict"], value)
        row += 1
    _write_results(book, sheet, row + 1)
    _write_charts(book, sheet, row + 4 + len(book.results))


def _write_results(book: OpenWorkbook, sheet: Any, row: int) -> None:
    """Write the measures of every option, the cost in the reporting currency last where there is one."""
    shown, styles = [measure for measure in MEASURED if measure.name in _COVERED], book.styles
    code, has_rate = convert_to_plan_currency(1.0, book.plan.setting.currency).code, FX in book.cells
    heads = [it.label or _LABELS[it.name] for it in shown] + [f"Present cost, {code}"] * has_rate
    sheet.write_string(row, 0, "Option", styles["head"])
    sheet.write_row(row, 1, heads, styles["head_right"])
    sheet.set_row(row, 36)
    for at, result in enumerate(book.results, start=1):
        sheet.write_formula(row + at, 0, f"=Comparison!$A${4 + at}", styles["bold"], result.way.option.title)
        addresses = [_compared(book, it.name).split(":")[0].replace("$5", f"${4 + at}") for it in shown]
        numbers = [it.number(result) for it in shown]
        for place, (it, address, number) in enumerate(zip(shown, addresses, numbers, strict=True), start=1):
            sheet.write_formula(
                row + at, place, f"={address}", styles[look(it.unit)], NONE if number is None else number
            )
        if has_rate:
            present = addresses[[it.name for it in shown].index("as_entered_usd")]
            sheet.write_formula(row + at, len(shown) + 1, f"={present} / {FX}", styles["usd"], "")


def _write_charts(book: OpenWorkbook, sheet: Any, row: int) -> None:
    """Write the cost of each option, and how it adds up by month: where lines cross, one has paid back the other."""
    bars, lines = book.file.add_chart({"type": "bar"}), book.file.add_chart({"type": "line"})
    last, place = 3 + len(book.options), 2 + [it.name for it in MEASURED].index("as_entered_usd")
    bars.add_series({"categories": ["Comparison", 4, 0, last, 0], "values": ["Comparison", 4, place, last, place]})
    bars.set_title({"name": "Present cost, USD"})
    bars.set_legend({"none": True})
    bars.set_y_axis({"reverse": True})
    bars.set_x_axis({"min": 0, "num_format": "#,##0"})
    for place, option in enumerate(book.options):
        months = (TODAY, TODAY + option.months)
        at = option.rows["worth_so_far"] - 1
        lines.add_series({
            "name": ["Comparison", 4 + place, 0], "categories": ["Timeline", 3, months[0], 3, months[1]],
            "values": [option.name, at, months[0], at, months[1]],
        })  # fmt: skip
    lines.set_title({"name": "Present cost so far by month, USD"})
    lines.set_legend({"position": "bottom"})
    lines.set_y_axis({"num_format": "#,##0"})
    for chart, at in ((bars, 0), (lines, 5)):
        chart.set_size({"width": 620, "height": 360})
        sheet.insert_chart(row, at, chart)
