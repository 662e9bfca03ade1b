"""Machines of one's own that are away for repair: meanwhile their work is rented. A rented machine is replaced."""

import numpy as np

from planner.money.ledger import Line
from planner.money.owning import Ownership
from planner.money.price_path import add_forward_rent, add_rent_path
from planner.money.renting.offer_inputs import PRICE, add_demand_inputs, add_offer_inputs
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN
from planner.scenario.base import HOURS_PER_YEAR

REPAIR_HOURS = "repair_hours"
FACT = "owned-repair-hours"
# A board that fails takes its server out of work.
OUT = f"min(failures_per_accelerator_year * accelerators_per_server * {REPAIR_HOURS} / {HOURS_PER_YEAR:.0f}, 1)"
ALL_IN = "running_usd_per_month"
NAME = "While they are repaired: work rented"


def repair_rent_lines(setting: PlanContext, found: Ownership) -> tuple[Line, ...]:
    """What the work of such a fleet costs on demand while its machines are away.

    None where nobody has a price, or your sum for running it holds everything.
    """
    need, own, offer, basis = found.layer, found.sheet.used, setting.offers.on_demand, setting.input_sheet()
    if ALL_IN in own:
        return ()
    add_demand_inputs(basis, setting, need)
    set_after = add_offer_inputs(basis, setting, () if offer is None else (offer,), setting.scenario.rent)
    if not np.all(np.isfinite(basis.used[PRICE].value)):
        return ()
    price = add_forward_rent(basis, setting, add_rent_path(basis, setting, set_after))
    basis.add_all(tuple(own[name] for name in ("failures_per_accelerator_year", "accelerators_per_server")))
    basis.fact(REPAIR_HOURS, FACT, setting.scenario.failures.repair_hours)
    basis.add("runs", found.holding.owns, "share of each month in which it runs", PLAN)
    hours = f"accelerators * busy_share * hours_per_month * runs * {OUT}"
    line = basis.line(NAME, "interruptions", f"{hours} * {price}")
    return (line,) if line.usd.any() else ()
