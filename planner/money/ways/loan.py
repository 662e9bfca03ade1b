"""Loan: own, with part of the price borrowed. Level payments, perhaps a large last one."""

import numpy as np

from planner.money.fleet import build_fleet
from planner.money.formula import first_draw
from planner.money.inflation import deflate_lines
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.owning import Ownership
from planner.money.owning.machine import place_key
from planner.money.owning.resale import Installments, first_principal_share, grown, outstanding_share, whole_months
from planner.money.setting import PlanContext
from planner.money.ways.own import (
    cannot_buy_reason,
    fleet_size,
    fleet_with_rent_ledger,
    purchase_schedule,
    too_late_reason,
)  # fmt: skip
from planner.scenario.amounts import count
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.own import Loan

LOAN_RATE = "owned-loan-rate"
LOAN_SHARE = "owned-loan-to-value"
LIFE = "owned-useful-life"

_RATE, _MONTHS = "loan_rate_per_year", "loan_months"
_PER_MONTH = f"((1 + {_RATE}) ** (1 / 12) - 1)"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build the same fleet as bought, with money borrowed for it."""
    if place_key(setting) == "home" and setting.scenario.loan == Loan() and "loan" not in setting.scenario.ways:
        return Unavailable("a machine at home is paid for at once: the terms of a loan go under loan")
    accelerators = fleet_size(setting)
    fleet = build_fleet(setting, accelerators, purchase_schedule(setting))
    if fleet is None:
        return cannot_buy_reason(setting, accelerators)
    too_late = too_late_reason(fleet, "nothing would ever be lent")
    if too_late is not None:
        return too_late
    lines = fleet.lines(lambda part: (*part.lines, *_loan_lines(setting, part)))
    return fleet_with_rent_ledger(setting, "Buy on credit", fleet, lines, *_outstanding_note(fleet.parts[0]))


def _loan_lines(setting: PlanContext, part: Ownership) -> tuple[Line, ...]:
    put, loan = part.sheet, setting.scenario.loan
    put.fact(_RATE, LOAN_RATE, loan.rate_per_year)
    put.fact("loan_share", LOAN_SHARE, loan.loan_share)
    put.add("balloon_share", loan.balloon_share, "share of the loan", YOUR_INPUT)
    life = setting.catalogue.facts[LIFE].figure.newest.typical * MONTHS_PER_YEAR
    years = put.tried.get("loan_years", loan.years)
    Installments(part.holding, whole_months(years, np.minimum(part.holding.months, life))).add_to(put, "loan")
    lent, repaid = f"{part.paid} * loan_share", first_principal_share(_RATE, _MONTHS)
    later, full = grown(_RATE), f"(1 + {_RATE}) ** ({_MONTHS} / 12)"
    owed = f"((1 - balloon_share) * ({full} - {later}) / max({full} - 1, 1e-9) + balloon_share)"
    rest = f"(balloon_share + (1 - balloon_share) * {outstanding_share(_RATE, _MONTHS, 'payments_made')})"
    principal = f"{lent} * (1 - balloon_share) * {repaid} * ({later} * pays)"
    lines = (
        put.line("Money borrowed", "finance", f"-1 * {lent} * delivered", treatment="financing"),
        put.line("Interest", "finance", f"{lent} * {_PER_MONTH} * ({owed} * pays)"),
        put.line("Loan paid back", "finance", principal, treatment="financing"),
        put.line("Last payment of the loan", "finance", f"{lent} * {rest} * settles", treatment="financing"),
    )
    return deflate_lines(setting, lines, part.holding.ordered_years)


def _outstanding_note(part: Ownership) -> tuple[str, ...]:
    months, paid = (first_draw(part.sheet.used[name].value) for name in (_MONTHS, "payments_made"))
    if paid >= months or not np.any(np.asarray(part.holding.comes) > 0):
        return ()
    term = f"The loan runs {count(months, 'month')}, the machines are yours for {paid:g} of them"
    return (f"{term}: the rest is paid back at once",)


WAY = OptionSpec(
    key="loan",
    place=2,
    side="own",
    build=build,
    name="Buy on credit",
    verdict_text="Buy on credit",
    gerund="owning",
    start="buying on credit",
    result_text="with {count} bought on credit",
    purchase_text="bought on credit",
    style=ChartStyle("#6d28d9", "#c4b5fd", "longdash", "triangle-down"),
    inputs="loan",
    waits_for_delivery=True,
)
