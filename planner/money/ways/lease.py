"""Lease: somebody else buys, you pay by the month. It goes back at the end, or you buy what is left of it."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from planner.money.demand.stream import DemandLayer
from planner.money.finance import implied_lease_rate
from planner.money.fleet import Make, build_fleet
from planner.money.formula import Num
from planner.money.inflation import agreed
from planner.money.ledger import YOUR_INPUT, InputSheet, Line
from planner.money.owning import Ownership, owned
from planner.money.owning.inputs import add_residual_share
from planner.money.owning.lines import FleetOrder
from planner.money.owning.resale import Installments, level_payment, value, whole_months
from planner.money.setting import PlanContext
from planner.money.timeline import Holding
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable
from planner.money.ways.loan import LOAN_RATE
from planner.money.ways.own import cannot_buy_reason, first, fleet_size, fleet_with_rent_ledger, left_out, orders_of
from planner.money.ways.record import Look, OptionSpec
from planner.scenario.own import PurchaseOrder

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


def lease_order_builder(terms: LeaseTerms) -> Make:
    """What makes an order that is held for the lease's term; for the plan where it is bought or no term is said."""

    def held(setting: PlanContext, need: DemandLayer, part: FleetOrder | None) -> Ownership | None:
        if terms.buys_at_end:
            return owned(setting, need, refreshed=False, part=part)
        whole = owned(setting, need, until_months=setting.timeline.months, refreshed=False, part=part)
        if whole is None or terms.years is None:
            return whole
        until = (
            whole.holding.ordered_months + whole.sheet.used["lead_time_months"].value + whole_months(terms.years, 0.0)
        )
        return owned(setting, need, until_months=until, refreshed=False, part=part)

    return held


def lease_orders(setting: PlanContext, terms: LeaseTerms) -> tuple[PurchaseOrder, ...]:
    """In which orders machines are leased; at once where the quote is for all of them, or each goes back by itself."""
    goes_back = terms.years is not None and not terms.buys_at_end
    return () if goes_back or terms.usd_per_month is not None else orders_of(setting)


def add_lease_terms(setting: PlanContext, put: InputSheet, held: Holding, terms: LeaseTerms) -> None:
    """Says when payments fall due, at which rate, and what is left at the end."""
    months = whole_months(terms.years, held.months)
    Installments(held, months, in_advance=terms.in_advance).add_to(put, "lease")
    if terms.left_share is None:
        add_residual_share(put, setting, _LEFT, months)
    else:
        put.add(_LEFT, terms.left_share, "share of the price", YOUR_INPUT)
    put.fact(_RATE, LEASE_RATE, terms.rate_per_year)
    if terms.usd_per_month is not None:
        put.add("lease_usd_per_month", terms.usd_per_month, "USD a month", YOUR_INPUT)


def payments(setting: PlanContext, put: InputSheet, held: Holding, terms: LeaseTerms, lent: str) -> tuple[Line, ...]:
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


def implied(setting: PlanContext, put: InputSheet, terms: LeaseTerms, lent: str, what: str) -> tuple[str, ...]:
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
    return (loan_comparison_note(setting, what, first(rate.value), str(np.asarray(rate.reason).flat[0])),)


def loan_comparison_note(setting: PlanContext, what: str, rate: float, reason: str) -> str:
    """What a quote costs as if it were a loan, beside what a loan costs."""
    yours = setting.scenario.loan.rate_per_year
    loan = setting.catalogue.facts[LOAN_RATE].figure.newest.typical if yours is None else yours
    if np.isnan(rate):
        return f"What the quoted {what} costs as a loan cannot be said: {reason}"
    return f"The quoted {what} costs as much as a loan at {rate:.2%} a year; a loan is reckoned at {loan:.2%}"


ASK = "A lease mostly stands on the balance sheet (ASC 842, IFRS 16), whatever it is called: ask accounting"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """The same fleet as where it is bought, but leased."""
    accelerators, lease = fleet_size(setting), setting.scenario.lease
    terms = LeaseTerms(
        usd_per_month=lease.usd_per_month,
        rate_per_year=lease.rate_per_year,
        years=setting.tried.get("lease_years", lease.years),
        in_advance=lease.in_advance,
        left_share=lease.left_share,
        buys_at_end=lease.buys_at_end,
    )
    found = build_fleet(setting, accelerators, lease_orders(setting, terms), lease_order_builder(terms))
    if found is None:
        return cannot_buy_reason(setting, accelerators)
    too_late = left_out(found, "nothing would ever be leased")
    if too_late is not None:
        return too_late
    after = "After it is sold" if lease.buys_at_end else "After the lease"
    lines = found.lines(partial(_lines, setting, terms))
    first = found.parts[0]
    warnings = (*implied(setting, first.sheet, terms, first.paid, "lease"), ASK)
    return fleet_with_rent_ledger(setting, "Lease", found, lines, *warnings, after=after)


def _lines(setting: PlanContext, terms: LeaseTerms, part: Ownership) -> tuple[Line, ...]:
    add_lease_terms(setting, part.sheet, part.holding, terms)
    paid = payments(setting, part.sheet, part.holding, terms, part.paid)
    kept = part.resale_lines if terms.buys_at_end else ()
    return (*paid, *part.setup_lines, *part.operating_lines, *part.sold_hours_lines, *part.exit_lines, *kept)


WAY = OptionSpec(
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
