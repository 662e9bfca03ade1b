"""What a lease comes to, whoever owned the machines before: payments, what is left at its end, the rate of a quote."""

from dataclasses import dataclass

import numpy as np

from planner.money.demand.stream import Need
from planner.money.finance import implied_lease_rate
from planner.money.formula import Num
from planner.money.inflation import agreed
from planner.money.input_sheet import Basis
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.owning import Owned, owned
from planner.money.owning.inputs import say_left
from planner.money.owning.instalments import Instalments, level_payment, value, whole_months
from planner.money.owning.lines import Part
from planner.money.setting import Setting
from planner.money.stages.fleet import Make
from planner.money.timeline import Holding
from planner.money.ways.loan import LOAN_RATE
from planner.money.ways.own import first, orders_of
from planner.scenario.own import Order

LEASE_RATE = "owned-lease-rate"
_RATE, _MONTHS, _LEFT = "lease_rate_per_year", "lease_months", "left_share"


@dataclass(frozen=True, eq=False)
class LeaseTerms:
    """On which terms machines are leased."""

    usd_per_month: float | None  # a quote; else as the rate says
    rate_per_year: float | None  # None: the usual one
    years: Num | None  # None: as long as the machines are held
    in_advance: bool
    left_share: float | None  # of what the lessor paid; None: as the curve says
    buys_at_end: bool


def held_for(terms: LeaseTerms) -> Make:
    """What makes an order that is held for the lease's term; for the plan where it is bought or no term is said."""

    def held(setting: Setting, need: Need, part: Part | None) -> Owned | None:
        if terms.buys_at_end:
            return owned(setting, need, refreshed=False, part=part)
        whole = owned(setting, need, until_months=setting.timeline.months, refreshed=False, part=part)
        if whole is None or terms.years is None:
            return whole
        until = whole.held.ordered_months + whole.put.used["lead_time_months"].value + whole_months(terms.years, 0.0)
        return owned(setting, need, until_months=until, refreshed=False, part=part)

    return held


def orders_leased(setting: Setting, terms: LeaseTerms) -> tuple[Order, ...]:
    """In which orders machines are leased; at once where the quote is for all of them, or each goes back by itself."""
    goes_back = terms.years is not None and not terms.buys_at_end
    return () if goes_back or terms.usd_per_month is not None else orders_of(setting)


def say_terms(setting: Setting, put: Basis, held: Holding, terms: LeaseTerms) -> None:
    """Says when payments fall due, at which rate, and what is left at the end."""
    months = whole_months(terms.years, held.months)
    Instalments(held, months, in_advance=terms.in_advance).say(put, "lease")
    if terms.left_share is None:
        say_left(put, setting, _LEFT, months)
    else:
        put.say(_LEFT, terms.left_share, "share of the price", YOUR_INPUT)
    put.fact(_RATE, LEASE_RATE, terms.rate_per_year)
    if terms.usd_per_month is not None:
        put.say("lease_usd_per_month", terms.usd_per_month, "USD a month", YOUR_INPUT)


def payments(setting: Setting, put: Basis, held: Holding, terms: LeaseTerms, lent: str) -> tuple[Line, ...]:
    """The payments for what the lessor paid, a formula; and what is paid to own the machines in the end."""
    payment: str = f"{lent} * {level_payment(_RATE, _MONTHS, _LEFT, in_advance=terms.in_advance)}"
    since: Num = held.ordered_years
    if terms.usd_per_month is not None:
        payment, since = "lease_usd_per_month", 0.0  # a quote is in the dollars that are paid
    lines = (
        put.line("Lease payments", "finance", f"{payment} * pays"),
        put.line("Lease beyond the plan", "commitment", f"{payment} * ({_MONTHS} - payments_made) * sold"),
    )
    paid = agreed(setting, lines, since)
    if not terms.buys_at_end:
        return paid
    bought = put.line("Buying it at the end", "hardware", f"{lent} * {_LEFT} * settles", treatment="capital")
    return (*paid, *agreed(setting, (bought,), held.ordered_years))


def implied(setting: Setting, put: Basis, terms: LeaseTerms, lent: str, what: str) -> tuple[str, ...]:
    """The rate behind a quoted lease: what it is worth against the price, and what is given back or paid at its end."""
    if terms.usd_per_month is None or setting.case != "typical":
        return ()
    price = value(put, lent)
    rate = implied_lease_rate(
        price_usd=price,
        usd_per_month=put.used["lease_usd_per_month"].value,
        months=put.used[_MONTHS].value,
        balloon_usd=price * put.used[_LEFT].value,
        in_advance=terms.in_advance,
    )
    return (beside_a_loan(setting, what, first(rate.value), str(np.asarray(rate.reason).flat[0])),)


def beside_a_loan(setting: Setting, what: str, rate: float, reason: str) -> str:
    """What a quote costs as if it were a loan, beside what a loan costs."""
    yours = setting.scenario.loan.rate_per_year
    loan = setting.catalogue.facts[LOAN_RATE].figure.newest.typical if yours is None else yours
    if np.isnan(rate):
        return f"What the quoted {what} costs as a loan cannot be said: {reason}"
    return f"The quoted {what} costs as much as a loan at {rate:.2%} a year; a loan is reckoned at {loan:.2%}"
