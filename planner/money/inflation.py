"""Plans in real terms: the same dollars as in a nominal plan, each in today's prices.

Your own rates and changes of prices are in the terms of the plan. The catalogue's are nominal, as quoted, and are taken
less inflation. Every amount is dollars, in both terms: a price that was set earlier than it is paid (a loan, a lease,
an order, a reservation, the share of a price that a resale brings) stays what it was in dollars, so it is worth less
when it is paid. What has no path of its own (disk, software, tokens, a sum that you type) costs the same dollars all
along.

So a plan gives the same present value in both terms, if its rates and paths are the same ones. Where the rate of the
currency that a plan is shown in moves, dollars of a later month count at the rate of that month.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from planner.money.finance import flow_years, real_rate
from planner.money.formula import Num
from planner.money.ledger import TRIED, YOUR_INPUT, InputSheet, Ledger, LedgerInput, Line, Origin
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN
from planner.scenario.base import MONTHS_PER_YEAR
from pricing.exchange import amount_in

WORTH = "worth_when_paid"
_UNIT = "dollars of the day its price was set"
CURRENCY_CHANGE = "currency_change_per_year"  # of the currency in dollars; above 0 a dollar buys less of it
_IN_CURRENCY = "dollar_in_currency"
LESS_INFLATION = "less inflation, the plan being in real terms"


def inflation_per_year(setting: PlanContext) -> float:
    """The rate at which dollars of an earlier day lose worth: 0 unless the plan is in real terms."""
    return setting.terms.inflation_per_year if setting.terms.money == "real" else 0.0


def to_plan_terms(setting: PlanContext, nominal_change_per_year: float) -> float:
    """A nominal change or rate, in the terms of the plan."""
    inflation = inflation_per_year(setting)
    if inflation == 0:
        return nominal_change_per_year
    return float(real_rate(nominal_rate_per_year=nominal_change_per_year, inflation_per_year=inflation))


def add_price_change(put: InputSheet, setting: PlanContext, name: str, fact: str, yours: float | None) -> None:
    """A yearly change of a price: yours as you say it, the catalogue's in the terms of the plan."""
    put.fact(name, fact, yours)
    change_input = put.used[name]
    if (
        inflation_per_year(setting) == 0
        or change_input.is_yours
        or change_input.origin == TRIED
        or callable(change_input.origin)
    ):
        return
    note = f"{change_input.origin.note}. {LESS_INFLATION}" if change_input.origin.note else LESS_INFLATION
    put.used[name] = change_input.map(
        lambda change: to_plan_terms(setting, float(change)), replace(change_input.origin, note=note)
    )


def deflators(setting: PlanContext, since_years: Num) -> NDArray[np.float64]:
    """What a dollar of the day a price was set is worth, in its money, when each month is paid. [1]"""
    years = flow_years(months=setting.timeline.last, timing=setting.terms.timing, day=setting.day)
    return np.asarray((1 + inflation_per_year(setting)) ** (since_years - years))


def deflate_lines(setting: PlanContext, lines: tuple[Line, ...], since_years: Num = 0.0) -> tuple[Line, ...]:
    """Lines whose dollars were agreed so long after today, as they are in the terms of the plan."""
    if inflation_per_year(setting) == 0:
        return lines
    worth = LedgerInput(WORTH, deflators(setting, since_years), _UNIT, PLAN)
    return tuple(replace(line, how=f"({line.how}) * {WORTH}", used=(*line.used, worth)) for line in lines)


def at_later_rates(setting: PlanContext, ledger: Ledger) -> Ledger:
    """Return a ledger whose dollars of each month count at the rate of that month, where a change of rates is tried.

    They are dollars of today's rate, so one rate turns all of them into the currency. A line that is paid in the
    currency, since all its prices were typed in it, stays as it is.
    """
    change, shown = setting.tried.get(CURRENCY_CHANGE), setting.scenario.currency
    if change is None or shown is None:
        return ledger
    years = np.arange(setting.timeline.last + 1) / MONTHS_PER_YEAR
    level = LedgerInput(_IN_CURRENCY, np.asarray((1.0 + change) ** -years), "times today's", TRIED)
    own = {entered.usd for entered in setting.scenario.typed if _code(entered.text) == shown.code}
    return Ledger(
        ledger.title,
        tuple(
            line if _is_paid_in_currency(line, own)
            else replace(line, how=f"({line.how}) * {_IN_CURRENCY}", used=(*line.used, level))
            for line in ledger.lines
        ),
    )  # fmt: skip


def _code(text: str) -> str | None:
    amount = amount_in(text)
    return None if amount is None else amount.code


def _is_paid_in_currency(line: Line, own_usd: set[float]) -> bool:
    prices = [used for used in line.used if used.unit.startswith("USD")]
    return bool(own_usd and prices) and all(
        isinstance(used.origin, Origin) and used.origin.kind == YOUR_INPUT.kind and used.is_number
        and float(used.value) in own_usd for used in prices
    )  # fmt: skip
