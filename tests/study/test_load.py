"""The load-duration curve and the screening lines: published crossings, and what the demand itself says."""

from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.money.demand.stream import DemandLayer
from planner.money.ledger import CASES
from planner.money.setting import PlanContext
from planner.scenario.own import OwnInputs
from planner.scenario.scenario import Scenario
from planner.scenario.task import TrainingTask
from planner.scenario.work import Work
from planner.study.market.candidate_costs import _cost, fleet_costs
from planner.study.mix.load_duration import Screen, completed_hours, crossing, load_curve, lower_envelope, threshold
from tests.facts import CATALOGUE
from tests.money.renting import plan, setting, work
from tests.study.mixes import curve_of

OWN, ON_DEMAND = Screen("own", 0.90, 0.06), Screen("on_demand", 0.0, 2.00)
RESERVED, SPOT = Screen("reserved", 1.30, 0.0), Screen("spot", 0.0, 0.80 * 1.167)


def test_the_published_crossings() -> None:
    """Own against on demand 0.464, a reservation 0.65, own against spot 1.03: beyond all hours, so never."""
    assert crossing(ON_DEMAND, OWN) == pytest.approx(0.464, abs=5e-4)
    assert crossing(ON_DEMAND, RESERVED) == pytest.approx(0.65)
    assert crossing(SPOT, OWN) == pytest.approx(1.03, abs=5e-3)
    assert crossing(OWN, ON_DEMAND) is None
    assert float(threshold(OWN, ON_DEMAND).value) == pytest.approx(0.4639, abs=5e-5)
    assert not threshold(OWN, SPOT).is_found


def test_the_layers_of_the_published_lines() -> None:
    pieces = lower_envelope([ON_DEMAND, RESERVED, OWN])
    assert [piece.name for piece in pieces] == ["on_demand", "own"]
    assert pieces[0].to_share == pieces[1].from_share == pytest.approx(0.464, abs=5e-4)
    assert [piece.name for piece in lower_envelope([SPOT, ON_DEMAND, OWN])] == ["spot"]
    assert lower_envelope([]) == ()


@given(st.lists(st.tuples(st.floats(0.0, 5.0), st.floats(0.0, 5.0)), min_size=1, max_size=5))
def test_the_envelope_is_the_cheapest_everywhere(lines: list[tuple[float, float]]) -> None:
    screens = [Screen(str(number), idle, busy) for number, (idle, busy) in enumerate(lines)]
    pieces = lower_envelope(screens)
    assert (pieces[0].from_share, pieces[-1].to_share) == (0.0, 1.0)
    for piece in pieces:
        for share in np.linspace(piece.from_share, piece.to_share, 5):
            costs = {it.name: it.usd_per_hour + it.usd_per_busy_hour * share for it in screens}
            assert costs[piece.name] <= min(costs.values()) + 1e-9


def test_demand_all_at_once_is_all_or_nothing() -> None:
    """80 for 125 of 730 hours, 0.171 of the time: own all at 0.157, none at 0.193; spread, it is 13.7 all the time."""
    at_once = curve_of([0.0, 80.0], [1 - 125 / 730, 125 / 730])
    assert at_once.units_busier_than(0.157) == 80
    assert at_once.units_busier_than(0.193) == 0
    spread = load_curve(setting(plan(work(accelerators=80, accelerator_hours_per_month=10_000.0, may_wait=True,
                                          busy_share=None))))  # fmt: skip
    assert spread.units_busier_than(0.193) == 14
    assert spread.hours.sum() == pytest.approx(120_000)


WORKS = (
    (work(accelerators=8, busy_share=0.9), work(accelerators=16, busy_share=0.25)),
    (work(growth_per_year=0.5, season=(1.0, 2.0) * 6), work(accelerators=5, may_wait=True)),
    (work(jobs=({"accelerators": 24, "hours": 100.0, "first_month": 3, "every_months": 4},)),),
)


@pytest.mark.parametrize("works", WORKS)
def test_the_curve_holds_all_hours_and_falls(works: tuple[dict[str, Any], ...]) -> None:
    there = setting(plan(*works, years=1.4))
    curve = load_curve(there)
    assert curve.hours.sum() == pytest.approx(float(there.demand.all.busy_hours.sum()))
    assert np.all(np.diff(curve.busy_share) <= 1e-12)
    assert curve.peak == there.demand.all.peak_accelerators


@pytest.mark.slow
@settings(deadline=None)
@given(st.sampled_from(WORKS), st.lists(st.integers(0, 40), min_size=1, max_size=4), st.sampled_from([0.0, 0.7, 1.0]))
def test_many_fleets_at_once_do_what_each_does_alone(
    works: tuple[dict[str, Any], ...], fleets: list[int], reach: float
) -> None:
    demand = setting(plan(*works)).demand
    together = completed_hours(demand, np.array(fleets, dtype=np.float64), reach)
    for row, fleet in zip(together, fleets, strict=True):
        assert row == pytest.approx(np.broadcast_to(demand.done(fleet, reach), row.shape))


DAY = date(2026, 11, 20)
H100, A100 = "H100-SXM5-80GB", "A100-SXM4-80GB"


def of(scenario: Scenario, many: int = 16, chip: str = H100) -> tuple[list[float], list[float], float]:
    """What a fleet costs idle and what being busy adds, in the three cases, and how long it takes to come."""
    fleet = fleet_costs(CATALOGUE, scenario, {chip: {many}}, DAY)[chip][many]
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
        _, (usd,), _ = _cost(PlanContext(CATALOGUE, scenario, DAY), need, np.array([[16.0]]), case)
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
