"""CSV that a spreadsheet reads as data: numbers stay numbers, and no text becomes a formula (pricing.formulas)."""

import csv
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from planner.money.accounting.fiscal import month_days, periods
from planner.money.formula import Num, first_draw
from planner.money.ledger import LedgerInput, Line, Origin
from planner.money.measures import cash_paid_usd, monthly_discount_factors, plan_discount_rate
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.profit_and_loss import BOOK_LIFE
from planner.money.tax import book_depreciation_usd, tax_depreciation_usd
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.files.csv_style import DEFAULT_STYLE, CsvStyle
from planner.report.files.document_parts import priced
from planner.report.forms import scalar_reason
from planner.report.speed.runs import assumption_lines
from planner.report.speed.training_words import hours_to_train
from planner.report.table import Table
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.file import SCHEMA, SavedScenario, plan_table_rows, write_scenario
from planner.scenario.plan_csv import OF_PLAN
from planner.scenario.terms import Currency
from planner.study.measures import MEASURES, Measure, OptionResult, results_of
from planner.study.uncertainty.futures import Futures

_EXACT = 2.0**53  # below it a float holds every whole number
BYTE_ORDER_MARK = "\ufeff"  # so that spreadsheets read it as UTF-8


def to_csv(table: Table, style: CsvStyle = DEFAULT_STYLE) -> bytes:
    """Return the table as CSV: rows and columns in the order shown, full precision, empty where unknown."""
    return b"".join(style.chunks(table.cells))


COLUMN_RECORDS = tuple(csv.DictReader(Path(__file__).with_name("columns.csv").read_text("utf-8").splitlines()))


def columns_of(file: str) -> tuple[str, ...]:
    """Return the columns of a file of the pack, in their order."""
    return tuple(record["column"] for record in COLUMN_RECORDS if record["file"] == file)


ASSUMPTION_COLUMNS = columns_of("assumptions")


class AssumptionIds:
    """An id for every assumption: the input's name, with a number where the same input has other values.

    Two options that share an id share the value.
    """

    def __init__(self, plan: Plan) -> None:
        self.first_use: dict[tuple[str, str], tuple[Line, LedgerInput]] = {}  # by option and id
        self._values: dict[str, dict[object, int]] = {}
        self._ids: dict[tuple[str, str, int], str] = {}
        for option in plan.options:
            for line, used in ((it, used) for it in option.ledger.lines for used in it.used):
                name = self.add(used)
                self._ids[option.key, used.name, id(line)] = name
                self.first_use.setdefault((option.key, name), (line, used))

    def add(self, used: LedgerInput) -> str:
        """Return the id of an input, new or of the same value."""
        value = np.asarray(used.value, dtype=np.float64) + 0.0  # -0 is 0
        same = self._values.setdefault(used.name, {})
        number = same.setdefault((value.shape, value.tobytes()), len(same) + 1)
        return used.name if number == 1 else f"{used.name}#{number}"

    def of(self, option: Option, line: Line) -> str:
        """Return the ids of all inputs of a line."""
        return " ".join(self.by_name(option, line).values())

    def by_name(self, option: Option, line: Line) -> dict[str, str]:
        """Return the id of each input of a line by the name in its formula."""
        return {used.name: self._ids[option.key, used.name, id(line)] for used in line.used}


def assumptions_table(plan: Plan, sign: str) -> Table:
    """Return every input of every option once, with its range and its source, the conventions first; then the plan.

    The plan belongs to no option. Conventions and measured speeds hold for every option, and stand with each: such a
    row always has an option to join on.
    """
    setting = plan.setting
    conventions = [
        ("sign_convention", None, "", sign),
        ("timing", None, "", f"when money moves: {setting.terms.timing}; money is {setting.terms.money}"),
        ("discount_rate_per_year", float(np.asarray(plan_discount_rate(setting))), "1/year", "effective, not nominal"),
        ("years_until_money_moves", None, "year", "by month: a file of the pack"),
        ("hours_per_month", setting.terms.hours_per_month, "hours", "8,760 / 12 unless the scenario says otherwise"),
        ("catalogue", None, "", f"digest {setting.catalogue.digest}, of {setting.catalogue.day.isoformat()}"),
    ]
    shared: list[dict[str, Any]] = [
        {"assumption_id": f"convention.{name}", "name": name, "value": value, "unit": unit, "note": note}
        for name, value, unit, note in conventions
    ]
    shared += assumption_lines(plan)
    rows, first_use = [], AssumptionIds(plan).first_use
    for option in plan.options:
        rows += [{"option": option.key, **row} for row in shared]
        rows += [_assumption(option, name, *use) for (key, name), use in first_use.items() if key == option.key]
    return Table.of([*(rows or shared), *plan_assumptions(saved_scenario(plan))], ASSUMPTION_COLUMNS)


def saved_scenario(plan: Plan) -> SavedScenario:
    """Return the scenario of a plan as it is written into files, with its day and the digest of its facts."""
    return SavedScenario(plan.setting.written, plan.setting.day, plan.setting.catalogue.digest)


def plan_assumptions(saved: SavedScenario) -> Iterator[dict[str, Any]]:
    """Yield the plan itself, field by field: the file is read back from these rows; all others follow from them."""
    for name, value, unit, meaning in plan_table_rows(saved):
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _EXACT
        row = {"assumption_id": f"{OF_PLAN}{name}", "name": name, "unit": unit, "note": meaning}
        yield row | ({"value": value} if is_number else {"text": value})


def _assumption(option: Option, name: str, line: Line, used: LedgerInput) -> dict[str, Any]:
    origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
    is_single = np.size(used.value) == 1
    by_month = "" if is_single else words.value(np.asarray(used.value))
    return {
        "option": option.key,
        "assumption_id": name,
        "name": used.name,
        "value": first_draw(used.value) if is_single else None,
        "unit": used.unit,
        "low": first_draw(used.at_end("low").value) if is_single else None,
        "high": first_draw(used.at_end("high").value) if is_single else None,
        "source_url": origin.url,
        "as_of": origin.checked or origin.since,
        "verified_by": origin.source,
        "note": "; ".join(text for text in (by_month, origin.kind, origin.note or "") if text),
    }


def results_table(plan: Plan, answer: Answer, futures: Futures | None = None) -> Table:
    """Return each option's measures, with a reason for each missing number; then the names of last release."""
    hours = hours_to_train(plan.setting.resolved)
    to_train = {} if hours is None else {"time_to_train_hours": hours}
    baseline = None if answer.baseline is None else answer.baseline.option.key
    return Table.of(
        {
            "scenario_name": plan.setting.scenario.name,
            "option": result.key,
            "title": result.way.option.title,
            "baseline": baseline,
            **to_train,
            **{measure.name: measure.number(result) for measure in MEASURES},
            "not_priced": "; ".join(result.measures.unpriced),
            "note": _option_note(result),
            **{measure.was: _old_number(measure, result) for measure in MEASURES if measure.was},
        }
        for result in results_of(plan, answer, futures)
    )


def _option_note(result: OptionResult) -> str:
    """Return how the payback ended, and each reason for missing numbers once, with its columns."""
    columns: dict[str, list[str]] = {}
    for measure in MEASURES:
        reason = measure.reason(result)
        if reason is not None:
            columns.setdefault(reason, []).append(measure.name)
    payback = () if result.is_baseline else (f"payback: {scalar_reason(result.measures.simple_payback.reason)}",)
    return "; ".join((*payback, *(f"{', '.join(names)}: {reason}" for reason, names in columns.items())))


def _old_number(measure: Measure, result: OptionResult) -> float | None:
    """Return the number under its old name; `probability_own_wins` was given for owned options alone."""
    left_out = measure.was == "probability_own_wins" and not WAYS[result.way.option.way].owns
    return None if left_out else measure.number(result)


SIGN = "Costs are positive, money that comes back is negative."
COLUMNS = columns_of("cash-flow")
SCHEMA_VERSION = "2"
USD = "USD"
CREATED_BY = "rent-or-buy"
_CAPEX = {"capital": "capex", "sale": "capex", "expense": "opex", "financing": "financing", "tax": "tax"}
_PRICE_TYPES = {"list_price": "list", "quote": "quote", "input": "quote", "yours": "quote"}


def scenario_id(plan: Plan) -> str:
    """Return an id that is the same for the same scenario, whatever its file is called."""
    return hashlib.sha256(write_scenario(SavedScenario(plan.setting.written)).encode()).hexdigest()[:16]


def cash_table(plan: Plan) -> Table:
    """Return one row for each option, month and line; long form."""
    ids, months = AssumptionIds(plan), plan.setting.timeline.last + 1
    common = {**_common_cells(plan), **_periods(plan)}
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for option in plan.options:
        same = {"option": option.key, **seller(plan, option), **common}
        for place, line in enumerate(option.ledger.lines, start=1):
            _add_months(columns, {**same, **_line(plan, option, line, place, ids)}, months)
        _add_months(columns, {**same, **_hours(plan, option)}, months)
    return Table.from_columns(columns)


def _add_months(columns: Mapping[str, list[Any]], cells: Mapping[str, Any], months: int) -> None:
    """Add a row for each month, of arrays and lists by month and of cells that are the same in all of them."""
    for name, column in columns.items():
        cell = cells.get(name)
        by_month = cell.tolist() if isinstance(cell, np.ndarray) else cell
        column.extend(by_month if isinstance(by_month, list) else repeat(cell, months))


def _common_cells(plan: Plan) -> dict[str, Any]:
    setting, rate = plan.setting, convert_to_plan_currency(1.0, plan.setting.currency)
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario_id": scenario_id(plan),
        "scenario_name": setting.scenario.name,
        "scenario_version": str(SCHEMA),
        "engine_version": f"catalogue {setting.catalogue.digest[:16]}",
        "plan_day": setting.day,  # and no time of writing: the same plan is the same file
        "created_by": CREATED_BY,
        "currency": USD,
        "fx_rate": convert_to_plan_currency(np.ones(setting.timeline.last + 1), setting.currency).amount,
        "fx_date": rate.day,
        "reporting_currency": rate.code,
        "nominal_or_real": setting.terms.money,
        "discount_convention": setting.terms.timing,
        "discount_rate": float(np.asarray(plan_discount_rate(setting))),
        "probability_level": "typical",
    }


def _periods(plan: Plan) -> dict[str, Any]:
    months = plan.setting.timeline.last
    days = month_days(plan.setting, months)
    years, quarters = (
        [spans.labels[place] for place in spans.of_month.tolist()]
        for spans in (periods(plan.setting), periods(plan.setting, quarters=True))
    )
    return {
        "period_index": np.arange(months + 1), "period_start": [plan.setting.day, *days[:-1]], "period_end": days,
        "fiscal_year": years, "fiscal_quarter": quarters,
    }  # fmt: skip


def line_code(line: Line, place: int) -> str:
    """Return the key of a line within its option."""
    return f"{line.part.replace(' ', '-')}-{place:02d}"


def _line(plan: Plan, option: Option, line: Line, place: int, ids: AssumptionIds) -> dict[str, Any]:
    shape = plan.setting.timeline.last + 1
    usd, parts = np.broadcast_to(line.usd, shape), priced(line)
    factor, is_taxed = monthly_discount_factors(plan.setting), plan.setting.scenario.tax is not None
    origin = parts.price.origin if parts.price else None
    dated = origin if isinstance(origin, Origin) else None
    unpriced = "not priced: left out of every total" if np.isnan(line.usd).any() else ""
    return {
        "line_code": line_code(line, place),
        "line_name": line.name,
        "cost_category": line.part,
        "capex_opex": _CAPEX.get(line.treatment, ""),
        "cash_or_noncash": "cash" if line.is_cash else "noncash",
        "quantity": np.broadcast_to(parts.quantity, shape),
        "unit": parts.unit,
        "unit_price": np.broadcast_to(parts.usd_per_unit, shape),
        "price_type": _PRICE_TYPES.get(dated.kind, "estimate") if dated else "estimate",
        "price_as_of": (dated.checked or dated.since) if dated else None,
        "price_source_url": dated.url if dated else None,
        "amount": usd,
        "amount_reporting": np.asarray(convert_to_plan_currency(usd, plan.setting.currency).amount),
        "discount_factor": factor,
        "present_value": usd * factor,
        "tax_shield": np.negative(usd) if line.treatment == "tax" else np.nan,
        "after_tax_cash_flow": usd if is_taxed and line.is_cash else np.nan,
        "cumulative_cash": np.cumsum(usd * line.is_cash),
        "assumption_id": ids.of(option, line),
        "note": "; ".join(text for text in (line.note or "", unpriced, line.how) if text),
    }


def seller(plan: Plan, option: Option) -> dict[str, Any]:
    """Return the seller of an option, its product and its region."""
    setting, catalogue = plan.setting, plan.setting.catalogue
    key = WAYS[option.way].offer(setting.offers)
    if key is None:
        return {"provider": None, "sku": option.what, "region": catalogue.sites[setting.scenario.site].label}
    offer = catalogue.offers[key]
    provider = catalogue.providers[offer.provider].label
    return {"provider": provider, "sku": offer.sku or offer.accelerator, "region": offer.region}


def _hours(plan: Plan, option: Option) -> dict[str, Any]:
    setting, ledger = plan.setting, option.ledger
    months = setting.timeline.last + 1  # also where no line has an amount
    available = option.accelerators * setting.terms.hours_per_month * setting.timeline.runs
    used = np.broadcast_to(option.useful_hours, months)
    has_capital = any(line.treatment == "capital" for line in ledger.lines)
    life = setting.catalogue.facts[BOOK_LIFE].figure.newest.typical
    is_taxed = has_capital and setting.scenario.tax
    return {
        "line_code": "hours",
        "line_name": "Hours and write-offs",
        "cost_category": "hours",
        "cash_or_noncash": "noncash",
        "unit": "accelerator-hour",
        "amount": np.zeros(months),
        "amount_reporting": np.zeros(months),
        "discount_factor": monthly_discount_factors(setting),
        "present_value": np.zeros(months),
        "book_depreciation": np.asarray(book_depreciation_usd(setting, ledger, life)) if has_capital else np.nan,
        "tax_depreciation": np.asarray(tax_depreciation_usd(setting, ledger)) if is_taxed else np.nan,
        "cumulative_cash": np.cumsum(np.broadcast_to(cash_paid_usd(ledger), months)),
        "gpu_hours_available": available,
        "gpu_hours_used": used,
        "utilisation": np.divide(used, available, out=np.full(months, np.nan), where=available > 0),
        "note": "moves no cash: hours of the month, and depreciation",
    }


@dataclass(frozen=True, eq=False)
class ConvertedAmount:
    """An amount in the reporting currency, with its rate. No calculation takes it: it is converted once."""

    amount: Num
    code: str
    usd_per_unit: Num = 1.0
    day: date | None = None  # of the rate
    source: str | None = None


def convert_to_plan_currency(usd: Num, currency: Currency | None) -> ConvertedAmount:
    """Convert US dollars to the scenario's currency, months at the rates of their years; dollars where it has none."""
    if isinstance(usd, ConvertedAmount):
        raise TypeError(f"already in {usd.code}: an amount is converted once")
    if currency is None or currency.usd_per_unit is None:
        return ConvertedAmount(usd, USD)
    rate: Num = currency.usd_per_unit
    if currency.usd_per_unit_by_year and np.ndim(usd):
        years = np.maximum(np.arange(np.size(usd)) - 1, 0) // MONTHS_PER_YEAR
        last = len(currency.usd_per_unit_by_year) - 1
        rate = np.take(currency.usd_per_unit_by_year, np.minimum(years, last))
    return ConvertedAmount(usd / rate, currency.code, rate, currency.day, currency.source)
