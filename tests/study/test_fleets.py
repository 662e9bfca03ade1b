"""Fleets that are bought cost the same whatever is done on them but for electricity; what is kept is what is true."""

from datetime import date

import numpy as np
import pytest

from planner.money.demand.stream import DemandLayer
from planner.money.setting import PlanContext
from planner.scenario.own import OwnInputs
from planner.scenario.scenario import Scenario
from planner.scenario.task import TrainingTask
from planner.scenario.work import Work
from planner.study.market.candidate_costs import CASES, _cost, fleet_costs
from tests.facts import CATALOGUE

DAY = date(2026, 11, 20)
H100, A100 = "H100-SXM5-80GB", "A100-SXM4-80GB"


def of(scenario: Scenario, many: int = 16, chip: str = H100) -> tuple[list[float], list[float], float]:
    """What a fleet costs idle and what being busy adds, in the three cases, and how long it takes to come."""
    fleet = fleet_costs(CATALOGUE, scenario, {chip: {many}}, DAY)[chip][many]
    assert fleet is not None
    return list(fleet.idle_usd), list(fleet.busy_usd), fleet.lead_time_months


@pytest.mark.parametrize("busy", [0.0, 0.03, 0.37, 1.0])
def test_costs_grow_in_proportion_to_the_busy_hours(busy: float) -> None:
    scenario = Scenario(years=4.0, site="DE", accelerator=H100, own=OwnInputs(accelerators=16))
    idle, added, _ = of(scenario)
    need = DemandLayer(
        accelerator=H100, accelerators=np.array([[16.0]]), busy_share=np.array([[busy]]), years=4.0,
        hours_per_session=1.0, storage_tb=0.0, egress_tb_per_month=0.0, site="DE",
    )  # fmt: skip
    for at, case in enumerate(CASES):
        _, (usd,), _ = _cost(PlanContext(CATALOGUE, scenario, DAY).at_case(case), need, np.array([[16.0]]))
        assert usd == pytest.approx(idle[at] + added[at] * busy, rel=1e-12)


def test_another_model_or_name_finds_the_fleet_and_all_else_does_not() -> None:
    first = Scenario(accelerator=H100, work=(Work(train=TrainingTask(model="Llama-3-8B")),))
    again = first.model_copy(
        update={"name": "again", "work": (Work(train=TrainingTask(model="Llama-3-70B", tokens=1e12)),)}
    )
    one, other = (fleet_costs(CATALOGUE, asked, {H100: {16}}, DAY)[H100] for asked in (first, again))
    assert one is other
    fresh = fleet_costs(CATALOGUE.model_copy(), again, {H100: {16}}, DAY)[H100]
    assert fresh is not one
    for name in ("idle_usd", "busy_usd", "months"):
        assert np.array_equal(getattr(fresh[16], name), getattr(one[16], name))
    for changes in ({"years": 5.0}, {"site": "DE"}, {"own": OwnInputs(usd_per_accelerator=9_000.0)}):
        assert of(first.model_copy(update=changes)) != of(first)


def test_what_is_entered_for_one_accelerator_says_nothing_of_another() -> None:
    usual, dear = (Scenario(accelerator=H100, own=OwnInputs(usd_per_accelerator=price)) for price in (None, 90_000.0))
    assert of(dear) != of(usual)
    assert of(dear, chip=A100) == of(usual, chip=A100)


def test_numbers_are_added_to_those_that_are_known() -> None:
    scenario = Scenario(years=2.5)
    few = dict(fleet_costs(CATALOGUE, scenario, {H100: {8}}, DAY)[H100])
    more = fleet_costs(CATALOGUE, scenario, {H100: {8, 64}}, DAY)[H100]
    assert more[8] is few[8]
    assert more[64] is not None


def test_what_nobody_sells_is_no_fleet() -> None:
    assert fleet_costs(CATALOGUE, Scenario(), {"TPU-v5e": {8}}, DAY)["TPU-v5e"] == {8: None}
