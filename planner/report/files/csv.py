"""CSV that a spreadsheet reads as data: numbers stay numbers, and no text can become a formula (pricing.formulas)."""

import csv
import hashlib
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.finance import days_since
from planner.money.formula import Num
from planner.money.ledger import Ledger, LedgerInput, Line, Origin
from planner.money.measures import factors, paid_usd, rate_per_year
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.profit_and_loss import BOOK_LIFE
from planner.money.tax.lines import book_depreciation_usd, tax_depreciation_usd
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.evidence.own_runs_words import assumption_lines
from planner.report.files.document_parts import priced
from planner.report.forms import scalar_reason
from planner.report.speed.training_words import hours_to_train
from planner.report.table import Table
from planner.scenario.file import SCHEMA, SavedScenario, write_scenario
from planner.scenario.terms import Currency
from planner.study.measures import MEASURES, Measure, OptionResult, results_of
from planner.study.uncertainty.futures import Futures
from pricing.formulas import guarded

BYTE_ORDER_MARK = "\ufeff"  # so that spreadsheets read it as UTF-8


def to_csv(table: Table) -> bytes:
    """The table as UTF-8 CSV: all its rows and columns in the order shown, full precision, empty where unknown."""
    out = io.StringIO(BYTE_ORDER_MARK, newline="")
    out.seek(0, io.SEEK_END)
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow([guarded(str(name)) for name in table.columns])
    for row in table.rows():
        writer.writerow([_cell(value) for value in row])
    return out.getvalue().encode("utf-8")


def _cell(value: object) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return value
    return guarded(value.isoformat() if hasattr(value, "isoformat") else str(value))


ASSUMPTION_COLUMNS = (
    "option", "assumption_id", "name", "value", "unit", "low", "high", "source_url", "as_of", "verified_by", "note",
)  # fmt: skip


class AssumptionIds:
    """A name for every assumption: the input's own, and a number behind it where the same input has other values."""

    def __init__(self, plan: Plan) -> None:
        self.held: dict[tuple[str, str], tuple[Line, LedgerInput]] = {}  # by option and id: where it is first used
        self._values: dict[str, Num] = {}
        self._ids: dict[tuple[str, str, int], str] = {}
        for option, line, used in _inputs(plan):
            name = self._named(used)
            self._ids[option.key, used.name, id(line)] = name
            self.held.setdefault((option.key, name), (line, used))

    def _named(self, used: LedgerInput) -> str:
        """The id of an input, made up where it is new. Two options that share an id share the value."""
        number = 1
        while True:
            name = used.name if number == 1 else f"{used.name}#{number}"
            if _same(self._values.setdefault(name, used.value), used.value):
                return name
            number += 1

    def of(self, option: Option, line: Line) -> str:
        """The ids of everything a line rests on."""
        return " ".join(self._ids[option.key, used.name, id(line)] for used in line.used)


def _inputs(plan: Plan) -> Iterator[tuple[Option, Line, LedgerInput]]:
    for option in plan.options:
        for line in option.ledger.lines:
            for used in line.used:
                yield option, line, used


def _same(one: Num, other: Num) -> bool:
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    return first.shape == second.shape and bool(np.array_equal(first, second, equal_nan=True))


def assumptions_table(plan: Plan, sign: str) -> Table:
    """For each option every input of its lines once, with its range and its source; the conventions first.

    Conventions and measured speeds hold for every option, and stand with each: a row always has an option to join on.
    """
    setting = plan.setting
    conventions = [
        ("sign_convention", None, "", sign),
        ("timing", None, "", f"when money moves: {setting.terms.timing}; money is {setting.terms.money}"),
        ("discount_rate_per_year", float(np.asarray(rate_per_year(setting))), "1/year", "effective, not nominal"),
        ("hours_per_month", setting.terms.hours_per_month, "hours", "8,760 / 12 unless the scenario says otherwise"),
        ("catalogue", None, "", f"digest {setting.catalogue.digest}, of {setting.catalogue.day.isoformat()}"),
    ]
    shared: list[dict[str, Any]] = [
        {"assumption_id": f"convention.{name}", "name": name, "value": value, "unit": unit, "note": note}
        for name, value, unit, note in conventions
    ]
    shared += assumption_lines(plan)
    rows, held = [], AssumptionIds(plan).held
    for option in plan.options:
        rows += [{"option": option.key, **row} for row in shared]
        rows += [_assumption(option, name, *there) for (key, name), there in held.items() if key == option.key]
    return Table.of(rows or shared, ASSUMPTION_COLUMNS)


def _assumption(option: Option, name: str, line: Line, used: LedgerInput) -> dict[str, Any]:
    where = used.origin if isinstance(used.origin, Origin) else used.origin(0)
    alone = np.size(used.value) == 1
    by_month = "" if alone else words.value(np.asarray(used.value))
    return {
        "option": option.key,
        "assumption_id": name,
        "name": used.name,
        "value": _first(used.value) if alone else None,
        "unit": used.unit,
        "low": _end(option.low, line, used) if alone else None,
        "high": _end(option.high, line, used) if alone else None,
        "source_url": where.url,
        "as_of": where.checked or where.since,
        "verified_by": where.said_by,
        "note": "; ".join(text for text in (by_month, where.kind, where.note or "") if text),
    }


def _end(ledger: Ledger, line: Line, used: LedgerInput) -> float | None:
    """The value of an input of a line at the cheap or the dear end of its range."""
    same = (other for one in ledger.lines if one.name == line.name for other in one.used)
    found = next((other for other in same if other.name == used.name), None)
    return _first(found.value) if found is not None and np.size(found.value) == 1 else None


def _first(value: Num) -> float:
    return float(np.asarray(value).flat[0])


def results_table(plan: Plan, found: Answer, drawn: Futures | None = None) -> Table:
    """One row for each option: its measures, and why a number is missing; at the end the names of last release."""
    hours = hours_to_train(plan.setting.asked)
    to_train = {} if hours is None else {"time_to_train_hours": hours}
    baseline = None if found.baseline is None else found.baseline.option.key
    return Table.of(
        {
            "scenario_name": plan.setting.scenario.name,
            "option": it.key,
            "title": it.way.option.title,
            "baseline": baseline,
            **to_train,
            **{one.name: one.number(it) for one in MEASURES},
            "not_priced": "; ".join(it.measures.unpriced),
            "note": _option_note(it),
            **{one.was: _as_it_was(one, it) for one in MEASURES if one.was},
        }
        for it in results_of(plan, found, drawn)
    )


def _option_note(it: OptionResult) -> str:
    """How its payback ended, and why numbers are missing: each reason once, with the columns it holds for."""
    names: dict[str, list[str]] = {}
    for one in MEASURES:
        reason = one.reason(it)
        if reason is not None:
            names.setdefault(reason, []).append(one.name)
    ended = () if it.is_baseline else (f"payback: {scalar_reason(it.measures.simple_payback.reason)}",)
    return "; ".join((*ended, *(f"{', '.join(some)}: {reason}" for reason, some in names.items())))


def _as_it_was(one: Measure, it: OptionResult) -> float | None:
    """The number under its old name; that of `probability_own_wins` stood beside what is owned alone."""
    left_out = one.was == "probability_own_wins" and not WAYS[it.way.option.way].owns
    return None if left_out else one.number(it)


SIGN = "Costs are positive, money that comes back is negative."
COLUMNS = (
    "schema_version", "scenario_id", "scenario_name", "scenario_version", "engine_version", "plan_day", "created_by",
    "option", "provider", "sku", "region", "period_index", "period_start", "period_end", "line_code",
    "line_name", "cost_category", "capex_opex", "cash_or_noncash", "quantity", "unit", "unit_price", "price_type",
    "price_as_of", "price_source_url", "currency", "amount", "fx_rate", "fx_date", "reporting_currency",
    "amount_reporting", "nominal_or_real", "discount_convention", "discount_rate", "discount_factor", "present_value",
    "book_depreciation", "tax_depreciation", "tax_shield", "after_tax_cash_flow", "cumulative_cash",
    "gpu_hours_available", "gpu_hours_used", "utilisation", "probability_level", "assumption_id", "note",
)  # fmt: skip
SCHEMA_VERSION = "2"
USD = "USD"
CREATED_BY = "rent-or-buy"
_CAPEX = {"capital": "capex", "sale": "capex", "expense": "opex", "financing": "financing", "tax": "tax"}
_PRICE_TYPES = {"list_price": "list", "quote": "quote", "input": "quote", "yours": "quote"}
_MONTHLESS = "moves no cash: hours of the month, and what the books write off"


def scenario_id(plan: Plan) -> str:
    """An id that is the same for the same scenario, whatever it is called in a file."""
    text = write_scenario(SavedScenario(plan.setting.written))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def cash_table(plan: Plan) -> Table:
    """One row for each option, month and line; long form."""
    ids = AssumptionIds(plan)
    whole = _whole(plan)
    return Table.of((row | whole for option in plan.options for row in _option(plan, option, ids)), COLUMNS)


def _whole(plan: Plan) -> dict[str, Any]:
    """The cells that are the same in every row of the file."""
    setting, shown = plan.setting, convert_to_plan_currency(1.0, plan.setting.currency)
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario_id": scenario_id(plan),
        "scenario_name": setting.scenario.name,
        "scenario_version": str(SCHEMA),
        "engine_version": f"catalogue {setting.catalogue.digest[:16]}",
        "plan_day": setting.day,  # and no moment of writing: the same plan is the same file
        "created_by": CREATED_BY,
        "currency": USD,
        "fx_rate": shown.amount,
        "fx_date": shown.day,
        "reporting_currency": shown.code,
        "nominal_or_real": setting.terms.money,
        "discount_convention": setting.terms.timing,
        "discount_rate": float(np.asarray(rate_per_year(setting))),
        "probability_level": "typical",
    }


def _option(plan: Plan, option: Option, ids: AssumptionIds) -> Iterator[dict[str, Any]]:
    start = _periods(plan)
    same = {"option": option.key, **_seller(plan, option), **start}
    for place, line in enumerate(option.ledger.lines, start=1):
        yield from _period_rows({**same, **_line(plan, option, line, place, ids)})
    yield from _period_rows({**same, **_hours(plan, option)})


def _period_rows(cells: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A row for each period, of columns and of cells that are the same in all of them."""
    columns = [list(cell) if isinstance(cell, np.ndarray | list) else repeat(cell) for cell in cells.values()]
    for row in zip(*columns, strict=False):  # the same cell again and again has no end
        yield dict(zip(cells, row, strict=True))


def _periods(plan: Plan) -> dict[str, Any]:
    """Today as a period of no length, then one month after the other."""
    months = plan.setting.timeline.last
    days = [plan.setting.day + timedelta(days=int(n)) for n in days_since(day=plan.setting.day, months=months)]
    starts: list[date] = [plan.setting.day, *days[:-1]]
    return {"period_index": np.arange(months + 1), "period_start": starts, "period_end": days}


def _line(plan: Plan, option: Option, line: Line, place: int, ids: AssumptionIds) -> dict[str, Any]:
    shape = option.ledger.monthly_usd.shape
    usd = np.broadcast_to(line.usd, shape) + 0.0  # no -0 in a file
    parts = priced(line)
    factor = factors(plan.setting)
    shown = np.asarray(convert_to_plan_currency(usd, plan.setting.currency).amount)
    taxed = plan.setting.scenario.tax is not None
    return {
        "line_code": f"{line.part.replace(' ', '-')}-{place:02d}",
        "line_name": line.name,
        "cost_category": line.part,
        "capex_opex": _CAPEX.get(line.treatment, ""),
        "cash_or_noncash": "cash" if line.is_cash else "noncash",
        "quantity": np.broadcast_to(parts.quantity, shape),
        "unit": parts.unit,
        "unit_price": np.broadcast_to(parts.usd_per_unit, shape),
        **_price(parts.price.origin if parts.price else None),
        "amount": usd,
        "amount_reporting": shown,
        "discount_factor": factor,
        "present_value": usd * factor,
        "tax_shield": np.negative(usd) if line.treatment == "tax" else np.nan,
        "after_tax_cash_flow": usd if taxed and line.is_cash else np.nan,
        "cumulative_cash": np.cumsum(usd * line.is_cash),
        "assumption_id": ids.of(option, line),
        "note": _line_note(line),
    }


def _line_note(line: Line) -> str:
    unknown = "not priced: left out of every total" if np.isnan(line.usd).any() else ""
    return "; ".join(text for text in (line.note or "", unknown, line.how) if text)


def _price(where: object) -> dict[str, Any]:
    """Who says the price of a line, and since when."""
    if not isinstance(where, Origin):
        return {"price_type": "estimate", "price_as_of": None, "price_source_url": None}
    return {
        "price_type": _PRICE_TYPES.get(where.kind, "estimate"),
        "price_as_of": where.checked or where.since,
        "price_source_url": where.url,
    }


def _seller(plan: Plan, option: Option) -> dict[str, Any]:
    """Who supplies an option, what they call it, and where."""
    setting, catalogue = plan.setting, plan.setting.catalogue
    offer = WAYS[option.way].offer(setting.taken)
    if offer is None:
        return {"provider": None, "sku": option.what, "region": catalogue.sites[setting.scenario.site].label}
    record = catalogue.offers[offer]
    provider = catalogue.providers[record.provider].label
    return {"provider": provider, "sku": record.sku or record.accelerator, "region": record.region}


def _hours(plan: Plan, option: Option) -> dict[str, Any]:
    """The one row of a month that moves no cash."""
    setting = plan.setting
    months = option.ledger.monthly_usd.shape
    there = option.accelerators * setting.terms.hours_per_month * setting.timeline.runs
    used = np.broadcast_to(option.useful_hours, months)
    capital = any(line.treatment == "capital" for line in option.ledger.lines)
    return {
        "line_code": "hours",
        "line_name": "Hours and write-offs",
        "cost_category": "hours",
        "cash_or_noncash": "noncash",
        "unit": "accelerator-hour",
        "amount": np.zeros(months),
        "amount_reporting": np.zeros(months),
        "discount_factor": factors(setting),
        "present_value": np.zeros(months),
        "book_depreciation": _in_books(plan, option) if capital else np.nan,
        "tax_depreciation": _written_off(plan, option) if capital and setting.scenario.tax else np.nan,
        "cumulative_cash": np.cumsum(paid_usd(option.ledger)),
        "gpu_hours_available": there,
        "gpu_hours_used": used,
        "utilisation": np.divide(used, there, out=np.full(months, np.nan), where=there > 0),
        "note": _MONTHLESS,
    }


def _in_books(plan: Plan, option: Option) -> NDArray[np.float64]:
    life = plan.setting.catalogue.facts[BOOK_LIFE].figure.newest.typical
    return np.asarray(book_depreciation_usd(plan.setting, option.ledger, life))


def _written_off(plan: Plan, option: Option) -> NDArray[np.float64]:
    return np.asarray(tax_depreciation_usd(plan.setting, option.ledger))


@dataclass(frozen=True, eq=False)
class Shown:
    """An amount in the money it is shown in, with the rate that led there. No engine takes it: it is converted once."""

    amount: Num
    code: str
    usd_per_unit: float = 1.0
    day: date | None = None  # of the rate
    source: str | None = None


def convert_to_plan_currency(usd: Num, currency: Currency | None) -> Shown:
    """US dollars in the scenario's currency, at its one dated rate; US dollars where it names none."""
    if isinstance(usd, Shown):
        raise TypeError(f"already in {usd.code}: an amount is converted once")
    if currency is None or currency.usd_per_unit is None:
        return Shown(usd, USD)
    return Shown(usd / currency.usd_per_unit, currency.code, currency.usd_per_unit, currency.day, currency.source)
