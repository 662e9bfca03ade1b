"""Lease: somebody else buys, you pay by the month. It goes back at the end, or you buy the remainder of its value."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from planner.money.demand.stream import DemandLayer
from planner.money.finance import SolveResult, implied_lease_rate
from planner.money.fleet import Fleet, Make, build_fleet
from planner.money.formula import Num, first_draw
from planner.money.inflation import deflate_lines
from planner.money.ledger import YOUR_INPUT, InputSheet, LeaseContract, Line
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.owning import Ownership, owned
from planner.money.owning.lines import SERVERS, FleetOrder
from planner.money.owning.machine import place_key
from planner.money.owning.machine_price import add_residual_share
from planner.money.owning.resale import Installments, level_payment, value, whole_months
from planner.money.setting import PlanContext
from planner.money.timeline import Holding
from planner.money.ways.loan import LOAN_RATE
from planner.money.ways.own import (
    cannot_buy_reason,
    fleet_size,
    fleet_with_rent_ledger,
    purchase_schedule,
    too_late_reason,
)  # fmt: skip
from planner.scenario.own import Lease

LEASE_RATE = "owned-lease-rate"
_RATE, _MONTHS, _LEFT = "lease_rate_per_year", "lease_months", "left_share"
ASK = "Most leases go on the balance sheet (ASC 842, IFRS 16), whatever their name: ask accounting"


@dataclass(frozen=True, eq=False)
class LeaseTerms:
    """The terms on which machines are leased."""

    usd_per_month: float | None  # a quote; else as the rate gives
    rate_per_year: float | None  # None: the usual one
    years: Num | None  # None: as long as the machines are held
    in_advance: bool
    left_share: float | None  # residual, of the lessor's price; None: as the curve gives
    buys_at_end: bool
    sold_share: float | None = None  # of a lease-back: what the lessor pays, of the price


def build_leased_fleet(setting: PlanContext, terms: LeaseTerms, consequence: str) -> Fleet | Unavailable:
    """Build a fleet whose orders are held for the lease's term; for the plan if bought at the end or without a term.

    Leased at once where the quote is for all of them, or where each order goes back by itself.
    """
    accelerators = fleet_size(setting)
    goes_back = terms.years is not None and not terms.buys_at_end
    orders = () if goes_back or terms.usd_per_month is not None else purchase_schedule(setting)
    fleet = build_fleet(setting, accelerators, orders, _order_builder(terms))
    if fleet is None:
        return cannot_buy_reason(setting, accelerators)
    return too_late_reason(fleet, consequence) or fleet


def _order_builder(terms: LeaseTerms) -> Make:
    def build_leased_order(setting: PlanContext, need: DemandLayer, part: FleetOrder | None) -> Ownership | None:
        if terms.buys_at_end:
            return owned(setting, need, refreshed=False, part=part)
        is_sold = setting.scenario.own.resale_month is not None or "resale_month" in setting.tried
        until_end = setting.timeline.months if is_sold else None  # none: the lines are those of buying, shared with it
        whole = owned(setting, need, until_months=until_end, refreshed=False, part=part)
        if whole is None or terms.years is None:
            return whole
        until = (
            whole.holding.ordered_months + whole.sheet.used["lead_time_months"].value + whole_months(terms.years, 0.0)
        )
        return owned(setting, need, until_months=until, refreshed=False, part=part)

    return build_leased_order


def add_lease_terms(setting: PlanContext, put: InputSheet, held: Holding, terms: LeaseTerms) -> None:
    """Add the due dates of payments, the rate, and the residual at the end."""
    months = whole_months(terms.years, held.months)
    Installments(held, months, in_advance=terms.in_advance).add_to(put, "lease")
    if terms.left_share is None:
        add_residual_share(put, setting, _LEFT, priced_months=held.ordered_months, sold_months=held.start + months,
                           age_months=months)  # fmt: skip
    else:
        put.add(_LEFT, terms.left_share, "share of the price", YOUR_INPUT)
    put.fact(_RATE, LEASE_RATE, terms.rate_per_year)
    if terms.usd_per_month is not None:
        put.add("lease_usd_per_month", terms.usd_per_month, "USD a month", YOUR_INPUT)


def payment_lines(
    setting: PlanContext, put: InputSheet, held: Holding, terms: LeaseTerms, lent: str
) -> tuple[Line, ...]:
    """Return the payments for the lessor's price, a formula; and the price of owning the machines in the end."""
    payment: str = f"{lent} * {level_payment(_RATE, _MONTHS, _LEFT, in_advance=terms.in_advance)}"
    since: Num = held.ordered_years
    if terms.usd_per_month is not None:
        payment, since = "lease_usd_per_month", 0.0  # a quote is in the dollars that are paid
    lines: tuple[Line, ...] = (
        put.line("Lease payments", "finance", f"{payment} * pays"),
        put.line("Lease beyond the plan", "commitment", f"{payment} * ({_MONTHS} - payments_made) * sold"),
    )
    lines = deflate_lines(setting, lines, since)
    if terms.buys_at_end:
        bought = put.line("Buying it at the end", "hardware", f"{lent} * {_LEFT} * settles", treatment="capital")
        lines = (*lines, *deflate_lines(setting, (bought,), held.ordered_years))
    contract = _contract(setting, put, terms, lent)
    return lines if contract is None else tuple(replace(line, contract=contract) for line in lines)


def _contract(setting: PlanContext, put: InputSheet, terms: LeaseTerms, lent: str) -> LeaseContract | None:
    """Return what the books have to know of the lease; None of many rows, of which nobody keeps books."""
    if setting.row_axes or put.stack is not None:
        return None
    usd, share = float(value(put, lent)), terms.sold_share
    begins, months = (int(np.asarray(put.used[name].value)) for name in ("delivery_month", _MONTHS))
    how = lent if share is None else f"({lent}) / sale_price_share" if share else ""
    machines = value(put, SERVERS) if "accelerators_per_server" in put.used else 1.0
    return LeaseContract(
        "lease" if share is None else "lease_back", ((begins, months),), "advance" if terms.in_advance else "arrears",
        usd / (share or 1.0), int(np.asarray(machines)), 0.0 if share is None else usd, terms.buys_at_end,
        how,
    )  # fmt: skip


def implied_rate_note(
    setting: PlanContext, put: InputSheet, terms: LeaseTerms, lent: str, subject: str
) -> tuple[str, ...]:
    """Return the rate behind a quoted lease: from its price and its residual, given back or paid at its end."""
    if terms.usd_per_month is None:
        return ()
    price = value(put, lent)
    rate = implied_lease_rate(
        price_usd=price,
        usd_per_month=put.used["lease_usd_per_month"].value,
        months=put.used[_MONTHS].value,
        balloon_usd=price * put.used[_LEFT].value,
        in_advance=terms.in_advance,
    )
    return (loan_comparison_note(setting, subject, rate),)


def loan_comparison_note(setting: PlanContext, subject: str, solved: SolveResult) -> str:
    """Return the rate of a quote as if it were a loan, beside the rate of a loan."""
    rate, reason = first_draw(solved.value), str(np.asarray(solved.reason).flat[0])
    yours = setting.scenario.loan.rate_per_year
    loan = setting.catalogue.facts[LOAN_RATE].figure.newest.typical if yours is None else yours
    if np.isnan(rate):
        return f"The rate of the quoted {subject} as a loan is not known: {reason}"
    return f"The quoted {subject} costs as much as a loan at {rate:.2%} a year; a loan is assumed at {loan:.2%}"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build the same fleet as bought, but leased."""
    scenario, lease = setting.scenario, setting.scenario.lease
    what = ["machine to a home"] * (place_key(setting) == "home") + ["used machine"] * (scenario.own.channel == "used")
    chip = setting.catalogue.accelerators.get(scenario.accelerator)
    what += ["card for players"] * bool(chip and chip.consumer)
    if what and lease == Lease() and "lease" not in scenario.ways:
        return Unavailable(f"no known lessor leases a {what[0]}: a quote goes under lease.usd_per_month")
    years = setting.tried.get("lease_years", lease.years)
    terms = LeaseTerms(
        lease.usd_per_month, lease.rate_per_year, years, lease.in_advance, lease.left_share, lease.buys_at_end
    )
    fleet = build_leased_fleet(setting, terms, "nothing would ever be leased")
    if isinstance(fleet, Unavailable):
        return fleet
    after = "After it is sold" if lease.buys_at_end else "After the lease"
    lines, first = fleet.lines(partial(_lines, setting, terms)), fleet.parts[0]
    warnings = (*implied_rate_note(setting, first.sheet, terms, first.paid, "lease"), ASK)
    return fleet_with_rent_ledger(setting, "Lease", fleet, lines, *warnings, after=after)


def _lines(setting: PlanContext, terms: LeaseTerms, part: Ownership) -> tuple[Line, ...]:
    add_lease_terms(setting, part.sheet, part.holding, terms)
    payments = payment_lines(setting, part.sheet, part.holding, terms, part.paid)
    return (
        *payments, *part.setup_lines, *part.operating_lines, *part.sold_hours_lines, *part.exit_lines,
        *(part.resale_lines if terms.buys_at_end else ()),
    )  # fmt: skip


WAY = OptionSpec(
    key="lease",
    place=3,
    side="own",
    build=build,
    name="Lease",
    verdict_text="Lease",
    gerund="leasing",
    result_text="with {count} leased",
    purchase_text="leased",
    style=ChartStyle("#0f766e", "#5eead4", "dashdot", "pentagon"),
    inputs="lease",
    waits_for_delivery=True,
)
