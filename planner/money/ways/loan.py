"""Loan: own, with part of the price borrowed. Level payments, perhaps a large last one."""

import numpy as np

from planner.money.fleet import build_fleet
from planner.money.inflation import agreed
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.owning import Ownership
from planner.money.owning.resale import Installments, first_principal_share, grown, outstanding_share, whole_months
from planner.money.setting import PlanContext
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable
from planner.money.ways.own import cannot_buy_reason, first, fleet_size, fleet_with_rent_ledger, left_out, orders_of
from planner.money.ways.record import Look, OptionSpec
from planner.scenario.amounts import count
from planner.scenario.base import MONTHS_PER_YEAR

LOAN_RATE = "owned-loan-rate"
LOAN_SHARE = "owned-loan-to-value"
LIFE = "owned-useful-life"

_RATE, _MONTHS = "loan_rate_per_year", "loan_months"
_PER_MONTH = f"((1 + {_RATE}) ** (1 / 12) - 1)"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """The same fleet as where it is bought, with money borrowed for it."""
    accelerators = fleet_size(setting)
    found = build_fleet(setting, accelerators, orders_of(setting))
    if found is None:
        return cannot_buy_reason(setting, accelerators)
    too_late = left_out(found, "nothing would ever be lent")
    if too_late is not None:
        return too_late
    lines = found.lines(lambda part: (*part.lines, *_loan_lines(setting, part)))
    return fleet_with_rent_ledger(setting, "Buy on credit", found, lines, *_outstanding_note(found.parts[0]))


def _loan_lines(setting: PlanContext, found: Ownership) -> tuple[Line, ...]:
    put, loan = found.sheet, setting.scenario.loan
    put.fact(_RATE, LOAN_RATE, loan.rate_per_year)
    put.fact("loan_share", LOAN_SHARE, loan.loan_share)
    put.add("balloon_share", loan.balloon_share, "share of the loan", YOUR_INPUT)
    life = setting.catalogue.facts[LIFE].figure.newest.typical * MONTHS_PER_YEAR
    years = put.tried.get("loan_years", loan.years)
    Installments(found.holding, whole_months(years, np.minimum(found.holding.months, life))).add_to(put, "loan")
    lent, repaid = f"{found.paid} * loan_share", first_principal_share(_RATE, _MONTHS)
    later, full = grown(_RATE), f"(1 + {_RATE}) ** ({_MONTHS} / 12)"
    owed = f"((1 - balloon_share) * ({full} - {later}) / max({full} - 1, 1e-9) + balloon_share)"
    rest = f"(balloon_share + (1 - balloon_share) * {outstanding_share(_RATE, _MONTHS, 'payments_made')})"
    lines = (
        put.line("Money borrowed", "finance", f"-1 * {lent} * delivered", treatment="financing"),
        put.line("Interest", "finance", f"{lent} * {_PER_MONTH} * ({owed} * pays)"),
        put.line(
            "Loan paid back",
            "finance",
            f"{lent} * (1 - balloon_share) * {repaid} * ({later} * pays)",
            treatment="financing",
        ),
        put.line("Last payment of the loan", "finance", f"{lent} * {rest} * settles", treatment="financing"),
    )
    return agreed(setting, lines, found.holding.ordered_years)


def _outstanding_note(found: Ownership) -> tuple[str, ...]:
    months, made = (first(found.sheet.used[name].value) for name in ("loan_months", "payments_made"))
    if made >= months or not np.any(np.asarray(found.holding.comes) > 0):
        return ()
    return (
        f"The loan runs {count(months, 'month')}, the machines are yours for {made:g} of them: the rest is paid back "
        "at once",
    )


WAY = OptionSpec(
    key="loan",
    place=2,
    side="own",
    build=build,
    name="Buy on credit",
    advice="Buy on credit",
    doing="owning",
    start="buying on credit",
    said="with {count} bought on credit",
    paid_for="bought on credit",
    look=Look("#6d28d9", "#c4b5fd", "longdash", "triangle-down"),
    inputs="loan",
    waits_for_delivery=True,
)
