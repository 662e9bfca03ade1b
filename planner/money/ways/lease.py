"""Lease: somebody else buys, you pay by the month. It goes back at the end, or you buy what is left of it."""

from __future__ import annotations

from functools import partial

import numpy as np

from planner.money.demand.stream import Need
from planner.money.finance import implied_lease_rate
from planner.money.formula import Num
from planner.money.inflation import agreed
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.owning import Owned, owned
from planner.money.owning.inputs import say_left
from planner.money.owning.instalments import Instalments, level_payment, value, whole_months
from planner.money.owning.lines import Part
from planner.money.setting import Setting
from planner.money.stages.fleet import fleet_of
from planner.money.ways.ledger_of_way import Unavailable, WayLedger
from planner.money.ways.loan import LOAN_RATE
from planner.money.ways.own import first, fleet_size, left_out, not_owned, orders_of, with_rent
from planner.money.ways.record import Look, WayRecord

LEASE_RATE = "owned-lease-rate"
ASK = "A lease mostly stands on the balance sheet (ASC 842, IFRS 16), whatever it is called: ask accounting"

_RATE, _MONTHS = "lease_rate_per_year", "lease_months"


def build(setting: Setting) -> WayLedger | Unavailable:
    """The same fleet as where it is bought, but leased."""
    accelerators = fleet_size(setting)
    quoted = setting.scenario.lease.usd_per_month is not None  # for all of them, at once
    found = fleet_of(setting, accelerators, () if quoted else orders_of(setting), _held)
    if found is None:
        return not_owned(setting, accelerators)
    too_late = left_out(found, "nothing would ever be leased")
    if too_late is not None:
        return too_late
    after = "After it is sold" if setting.scenario.lease.buys_at_end else "After the lease"
    lines = found.lines(partial(_lines, setting))
    return with_rent(setting, "Lease", found, lines, *_implied(setting, found.parts[0]), ASK, after=after)


def _lines(setting: Setting, part: Owned) -> tuple[Line, ...]:
    kept = part.sale if setting.scenario.lease.buys_at_end else ()
    return (*_payments(setting, part), *part.beside, *part.running, *part.end, *kept)


def _held(setting: Setting, need: Need, part: Part | None) -> Owned | None:
    """The leased fleet, held for the lease's term; for the plan where it is bought out or no term is said."""
    if setting.scenario.lease.buys_at_end:
        return owned(setting, need, refreshed=False, part=part)
    whole = owned(setting, need, until_months=setting.timeline.months, refreshed=False, part=part)
    years = _years(setting)
    if whole is None or years is None:
        return whole
    until = whole.held.ordered_months + whole.put.used["lead_time_months"].value + whole_months(years, 0.0)
    return owned(setting, need, until_months=until, refreshed=False, part=part)


def _years(setting: Setting) -> Num | None:
    return setting.tried.get("lease_years", setting.scenario.lease.years)


def _payments(setting: Setting, found: Owned) -> tuple[Line, ...]:
    put, lease = found.put, setting.scenario.lease
    months = whole_months(_years(setting), found.held.months)
    Instalments(found.held, months, in_advance=lease.in_advance).say(put, "lease")
    if lease.left_share is None:
        say_left(put, setting, "left_share", months)
    else:
        put.say("left_share", lease.left_share, "share of the price", YOUR_INPUT)
    put.fact(_RATE, LEASE_RATE, lease.rate_per_year)
    payment = f"{found.paid} * {level_payment(_RATE, _MONTHS, 'left_share', in_advance=lease.in_advance)}"
    if lease.usd_per_month is not None:
        put.say("lease_usd_per_month", lease.usd_per_month, "USD a month", YOUR_INPUT)
        payment = "lease_usd_per_month"
    lines = (
        put.line("Lease payments", "finance", f"{payment} * pays"),
        put.line("Lease beyond the plan", "commitment", f"{payment} * ({_MONTHS} - payments_made) * sold"),
    )
    if not lease.buys_at_end:
        return agreed(setting, lines, found.held.ordered_years)
    bought = put.line("Buying it at the end", "hardware", f"{found.paid} * left_share * settles", treatment="capital")
    return agreed(setting, (*lines, bought), found.held.ordered_years)


def _implied(setting: Setting, found: Owned) -> tuple[str, ...]:
    """The rate behind a quoted lease: what it is worth against the price, and what is given back or paid at its end."""
    put, lease = found.put, setting.scenario.lease
    if lease.usd_per_month is None or setting.case != "typical":
        return ()
    price = value(put, found.paid)
    rate = implied_lease_rate(
        price_usd=price,
        usd_per_month=put.used["lease_usd_per_month"].value,
        months=put.used[_MONTHS].value,
        balloon_usd=price * put.used["left_share"].value,
        in_advance=lease.in_advance,
    )
    return (beside_a_loan(setting, "lease", first(rate.value), str(np.asarray(rate.reason).flat[0])),)


def beside_a_loan(setting: Setting, what: str, rate: float, reason: str) -> str:
    """What a quote costs as if it were a loan, beside what a loan costs."""
    yours = setting.scenario.loan.rate_per_year
    loan = setting.catalogue.facts[LOAN_RATE].figure.newest.typical if yours is None else yours
    if np.isnan(rate):
        return f"What the quoted {what} costs as a loan cannot be said: {reason}"
    return f"The quoted {what} costs as much as a loan at {rate:.2%} a year; a loan is reckoned at {loan:.2%}"


WAY = WayRecord(
    key="lease",
    place=3,
    side="own",
    build=build,
    name="Lease",
    advice="Lease",
    doing="leasing",
    said="with {count} leased",
    paid_for="leased",
    look=Look("#0f766e", "#5eead4", "dashdot", "pentagon"),
    inputs="lease",
    waits_for_delivery=True,
)
