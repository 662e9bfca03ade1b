"""A plan as tables for a finance team: every payment, every assumption, every result. For CSV, at full precision.

Costs are positive and money that comes back is negative. `amount` is in US dollars; what is shown in the scenario's own
currency stands beside it, converted once. One row a month and option says the hours and what the books write off: it
moves no cash, so sums over `amount` are the totals on the screen.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.finance import days_since
from planner.money.formula import Num
from planner.money.ledger import Line, Origin
from planner.money.measures import factors, paid_usd, rate_per_year
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.profit_and_loss import BOOK_LIFE
from planner.money.tax.lines import book_depreciation_usd, tax_depreciation_usd
from planner.money.ways import WAYS
from planner.report.files.assumptions_csv import Ids
from planner.report.files.quantities import priced
from planner.report.table import Table
from planner.scenario.file import SCHEMA, Saved, write_scenario
from planner.scenario.terms import Currency

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
    text = write_scenario(Saved(plan.setting.written))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def cash_table(plan: Plan) -> Table:
    """One row for each option, month and line; long form."""
    ids = Ids(plan)
    whole = _whole(plan)
    return Table.of((row | whole for option in plan.options for row in _option(plan, option, ids)), COLUMNS)


def _whole(plan: Plan) -> dict[str, Any]:
    """The cells that are the same in every row of the file."""
    setting, shown = plan.setting, in_currency(1.0, plan.setting.currency)
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


def _option(plan: Plan, option: Option, ids: Ids) -> Iterator[dict[str, Any]]:
    start = _periods(plan)
    same = {"option": option.key, **_seller(plan, option), **start}
    for place, line in enumerate(option.ledger.lines, start=1):
        yield from _by_period({**same, **_line(plan, option, line, place, ids)})
    yield from _by_period({**same, **_hours(plan, option)})


def _by_period(cells: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
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


def _line(plan: Plan, option: Option, line: Line, place: int, ids: Ids) -> dict[str, Any]:
    shape = option.ledger.monthly_usd.shape
    usd = np.broadcast_to(line.usd, shape) + 0.0  # no -0 in a file
    parts = priced(line)
    factor = factors(plan.setting)
    shown = np.asarray(in_currency(usd, plan.setting.currency).amount)
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
        "note": _note(line),
    }


def _note(line: Line) -> str:
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


def in_currency(usd: Num, currency: Currency | None) -> Shown:
    """US dollars in the scenario's currency, at its one dated rate; US dollars where it names none."""
    if isinstance(usd, Shown):
        raise TypeError(f"already in {usd.code}: an amount is converted once")
    if currency is None or currency.usd_per_unit is None:
        return Shown(usd, USD)
    return Shown(usd / currency.usd_per_unit, currency.code, currency.usd_per_unit, currency.day, currency.source)
