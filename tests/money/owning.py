"""Plans for the tests of owning in which everything costs nothing but what a test names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger, Line
from planner.money.option import Builder, OptionLedger
from planner.money.owning import owning
from planner.money.plan import build_context
from planner.money.setting import PlanContext
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.facts import DAY

NOTHING: dict[str, Any] = {
    "host_share": 0.0, "spare_share": 0.0, "usd_per_accelerator_of_network": 0.0, "usd_per_tb_of_disk": 0.0,
    "install_share": 0.0, "lead_time_months": 0.0, "scarcity_premium_share": 0.0, "deposit_share": 0.0,
    "usd_per_kw_month": 0.0, "usd_per_kwh": 0.0, "power_price_change_per_year": 0.0, "space_price_change_per_year": 0.0,
    "wage_change_per_year": 0.0, "maintenance_change_per_year": 0.0, "pue": 1.0, "rated_w_per_server": 10_000.0,
    "fte_per_accelerator": 0.0, "maintenance_share_per_year": 0.0, "insurance_share_per_year": 0.0,
    "failures_per_accelerator_year": 0.0, "residual_share": 0.0, "selling_cost_share": 0.0,
    "decommissioning_share": 0.0, "hardware_price_change_per_year": 0.0,
}  # fmt: skip
# 80 for 10,000 each: 800,000.
EIGHTY: dict[str, Any] = {**NOTHING, "usd_per_accelerator": 10_000.0, "accelerators_per_server": 8}


def scenario(own: dict[str, Any], /, accelerators: int = 80, busy_share: float = 0.5, **changes: Any) -> Scenario:
    """A plan of four years with these terms of owning, at a rent of 2 an hour and nothing else."""
    rent = {
        "usd_per_accelerator_hour": 2.0, "hours_per_session": 1.0, "usd_per_gb_month_of_disk": 0.0,
        "usd_per_gb_of_egress": 0.0,
    }  # fmt: skip
    work = ({"accelerators": accelerators, "busy_share": busy_share},)
    plan = {"years": 4.0, "work": work, "rent": rent, "terms": {"rent_change_per_year": 0.0}}
    return Scenario.model_validate({**plan, "own": own, **changes})


def setting(plan: Scenario) -> PlanContext:
    """Its setting on the day, at the price of rent said in it, whatever is on offer."""
    return build_context(load_catalogue(), plan, DAY)


def built(build: Builder, at: PlanContext) -> OptionLedger:
    """What a way comes to; it must come to something."""
    found = build(at)
    assert isinstance(found, OptionLedger), found
    return found


def by_line(found: OptionLedger) -> dict[str, NDArray[np.float64]]:
    """The amounts of every line, month by month."""
    return {line.name: line.usd for line in found.lines}


def monthly(found: OptionLedger) -> NDArray[np.float64]:
    """The cash flow."""
    return Ledger(found.title, found.lines).monthly_usd


def total(found: OptionLedger) -> NDArray[np.float64]:
    return Ledger(found.title, found.lines).total_usd


def lines(at: PlanContext) -> dict[str, Line]:
    """The lines of owning a fleet for all of it."""
    found = owning(at, at.demand.all)
    assert found is not None
    return {line.name: line for line in found}


def whole(at: PlanContext) -> Any:
    """All of owning that has a price, for each draw."""
    return sum(np.nan_to_num(line.total_usd) for line in lines(at).values())


def flow(own: dict[str, Any], name: str, **plan: Any) -> dict[int, float]:
    """The months in which a line moves, and by how much."""
    usd = lines(setting(scenario(own, **plan)))[name].usd
    return {int(month): float(usd[month]) for month in np.flatnonzero(usd)}
