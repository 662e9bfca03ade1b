"""Where the rate of the currency that a plan is shown in goes: what dollars of a later month are in it."""

from dataclasses import replace

import numpy as np

from planner.money.ledger import TRIED, YOUR_INPUT, Ledger, LedgerInput, Line, Origin
from planner.money.setting import PlanContext
from planner.scenario.base import MONTHS_PER_YEAR
from pricing.exchange import amount_in

CHANGE = "currency_change_per_year"  # of the currency in dollars; above 0 a dollar buys less of it
_LEVEL = "dollar_in_currency"


def at_later_rates(setting: PlanContext, ledger: Ledger) -> Ledger:
    """Return a ledger whose dollars of each month count at the rate of that month, where a change of rates is tried.

    They are dollars of today's rate, so one rate turns all of them into the currency. A line that is paid in the
    currency, since all its prices were typed in it, stays as it is.
    """
    change, shown = setting.tried.get(CHANGE), setting.scenario.currency
    if change is None or shown is None:
        return ledger
    years = np.arange(setting.timeline.last + 1) / MONTHS_PER_YEAR
    level = LedgerInput(_LEVEL, np.asarray((1.0 + change) ** -years), "times today's", TRIED)
    own = {entered.usd for entered in setting.scenario.typed if _code(entered.text) == shown.code}
    return Ledger(
        ledger.title,
        tuple(
            line if _is_paid_in_currency(line, own)
            else replace(line, how=f"({line.how}) * {_LEVEL}", used=(*line.used, level))
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
