"""Demand: hours are neither made nor lost between layers; growth, seasons and jobs are as worked out by hand."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.demand.stream import demand
from planner.scenario.budget import MOST_LEVELS
from planner.scenario.scenario import Scenario
from tests.examples import at_most


def scenario(*works: dict[str, Any], years: float = 1.0, hours_per_month: float = 730.0) -> Scenario:
    """A plan of this work."""
    return Scenario.model_validate({"years": years, "work": works, "terms": {"hours_per_month": hours_per_month}})


def test_eighty_at_once_and_fourteen_all_month_are_the_same_hours_and_not_the_same_demand() -> None:
    hours = {"accelerators": 80, "accelerator_hours_per_month": 10_000.0}
    burst, spread = (demand(scenario({**hours, "may_wait": waits})) for waits in (False, True))
    assert burst.all.busy_accelerator_hours == pytest.approx(120_000)
    assert spread.all.busy_accelerator_hours == pytest.approx(120_000)
    assert burst.upto(16).busy_accelerator_hours == pytest.approx(120_000 * 16 / 80)
    assert spread.upto(16).busy_accelerator_hours == pytest.approx(120_000)
    assert spread.upto(16).busy_share == pytest.approx(10_000 / (16 * 730))


def test_waiting_work_keeps_a_fleet_no_busier_than_its_reach() -> None:
    there = demand(scenario({"accelerators": 80, "accelerator_hours_per_month": 10_000.0, "may_wait": True}))
    assert there.upto(16, 0.8).busy_share == pytest.approx(0.8)
    assert there.above(16, 0.8).busy_accelerator_hours == pytest.approx(12 * (10_000 - 16 * 730 * 0.8))


def test_two_kinds_of_work_meet_as_often_as_chance_has_it() -> None:
    """8 half of the time and 4 a quarter of it: above 8 are 4 an eighth of the time."""
    there = demand(scenario({"accelerators": 8, "busy_share": 0.5}, {"accelerators": 4, "busy_share": 0.25}))
    assert there.all.accelerators == 12
    assert there.above(8).busy_accelerator_hours == pytest.approx(12 * 730 * 4 * 0.125)
    assert there.upto(4).busy_share == pytest.approx(1 - 0.5 * 0.75)


def test_growth_asks_for_more_at_once() -> None:
    """10 that grow by half a year: 15 in month 13, and 11 in month 2 (10.34)."""
    there = demand(scenario({"accelerators": 10, "busy_share": 0.6, "growth_per_year": 0.5}, years=2.0))
    at_once = np.asarray(there.all.accelerators)
    assert at_once[[1, 2, 13]].tolist() == [10, 11, 15]
    assert there.all.busy_hours[13] == pytest.approx(15 * 0.6 * 730)
    assert there.all.busy_hours[2] == pytest.approx(10 * 1.5 ** (1 / 12) * 0.6 * 730)


def test_work_grows_from_its_first_month_and_ends_with_its_last() -> None:
    """From month 3 to 15, with 10 that grow by half a year: 11 in its second month, 15 in its thirteenth."""
    work = {"accelerators": 10, "busy_share": 0.6, "growth_per_year": 0.5, "first_month": 3, "last_month": 15}
    there = demand(scenario(work, years=2.0))
    assert there.peak[[0, 2, 3, 4, 15, 16, 24]].tolist() == [0, 0, 10, 11, 15, 0, 0]
    assert there.all.busy_hours[[2, 3, 15, 16]].tolist() == pytest.approx([0, 10 * 0.6 * 730, 15 * 0.6 * 730, 0])
    season = tuple(float(month) / 10 for month in range(1, 13))
    of_year = demand(scenario(work | {"growth_per_year": 0.0, "season": season}, years=2.0), starts_in=11)
    assert of_year.all.busy_hours[3] == pytest.approx(10 * 0.6 * 730 * 0.1)  # a January
    runs = scenario(job(first_month=2, every_months=4) | {"first_month": 3, "last_month": 9}, years=2.0)
    assert np.flatnonzero(demand(runs).all.busy_hours > 10).tolist() == [4, 8]


def test_a_season_fills_the_hours_first_and_then_asks_for_more() -> None:
    season = (1.0, 1.5, 3.0, *(1.0,) * 9)
    there = demand(scenario({"accelerators": 10, "busy_share": 0.6, "season": season}))
    assert np.asarray(there.all.accelerators)[1:4].tolist() == [10, 10, 18]
    assert there.all.busy_hours[1:4].tolist() == pytest.approx([4_380, 6_570, 13_140])


def test_seasons_follow_the_calendar() -> None:
    work = {"accelerators": 10, "busy_share": 0.5, "season": tuple(float(month) / 10 for month in range(1, 13))}
    there = demand(scenario(work), starts_in=11)
    assert there.all.busy_hours[1:4].tolist() == pytest.approx([3_650 * 1.1, 3_650 * 1.2, 3_650 * 0.1])
    assert there.all.peak_accelerators == 10


def test_waiting_work_grows_and_has_seasons_without_losing_hours() -> None:
    season = (2.0,) * 12
    work = {"accelerators": 10, "busy_share": 0.8, "season": season, "growth_per_year": 1.0, "may_wait": True}
    there = demand(scenario(work, years=2.0))
    assert there.all.busy_hours[[1, 13]].tolist() == pytest.approx([11_680, 23_360])
    assert np.asarray(there.all.accelerators)[[1, 13]].tolist() == [16, 32]


def job(**changes: Any) -> dict[str, Any]:
    """One accelerator hardly used, and a job of 64 for 100 hours."""
    one = {"accelerators": 64, "hours": 100.0, **changes}
    return {"accelerators": 1, "busy_share": 0.01, "jobs": (one,)}


def jobs_hours(*works: dict[str, Any], years: float = 1.0) -> np.ndarray[Any, Any]:
    """The hours of the jobs alone, by month."""
    there = demand(scenario(*works, years=years)).all
    return there.busy_hours - 7.3 * there.timeline.runs


def test_a_job_comes_again_and_stays_within_its_months() -> None:
    hours = jobs_hours(job(first_month=3, every_months=4))
    assert np.flatnonzero(hours > 1).tolist() == [3, 7, 11]
    assert hours[3] == pytest.approx(6_400)


def test_a_deadline_lets_fewer_do_it() -> None:
    """6,400 accelerator-hours within 10 days of 24 hours: 27 at once, for 237 hours."""
    there = demand(scenario(job(within_days=10.0)))
    assert there.peak[1] == 1 + 27
    assert there.all.busy_hours[1] == pytest.approx(7.3 + 6_400)


def test_a_job_longer_than_a_month_runs_on() -> None:
    hours = jobs_hours(job(hours=2_000.0, first_month=2))
    assert hours[1:6].tolist() == pytest.approx([0, 64 * 730, 64 * 730, 64 * 540, 0], abs=1e-6)


def test_jobs_that_come_before_the_last_is_done_run_side_by_side() -> None:
    there = demand(scenario(job(hours=1_000.0, every_months=1)))
    assert there.peak[1:4].tolist() == [65, 129, 129]
    assert there.all.busy_hours[3] == pytest.approx(7.3 + 64 * 1_000)


def test_a_job_fits_into_a_month_cut_short() -> None:
    """3.3 months: the last has 219 hours, enough for 100."""
    hours = jobs_hours(job(first_month=4), years=3.3 / 12)
    assert hours[4] == pytest.approx(6_400)


def test_the_last_month_of_a_plan_that_is_not_whole_runs_in_part() -> None:
    there = demand(scenario({"accelerators": 8, "busy_share": 0.5}, years=0.875))
    assert there.all.busy_hours[-1] == pytest.approx(8 * 0.5 * 730 * 0.5)
    assert there.all.busy_accelerator_hours == pytest.approx(8 * 0.5 * 730 * 10.5)


def test_hours_given_do_not_depend_on_the_length_of_a_month() -> None:
    work = {"accelerators": 8, "accelerator_hours_per_month": 5_700.0}
    there = demand(scenario(work, hours_per_month=672.0))
    assert there.all.busy_accelerator_hours == pytest.approx(12 * 5_700)
    assert there.all.accelerators == 9  # 8 x 672 hours are too few


def test_data_goes_with_the_work_and_a_fleet_keeps_all_of_it() -> None:
    there = demand(scenario({"accelerators": 10, "busy_share": 0.5, "storage_tb": 20.0, "egress_tb_per_month": 4.0}))
    assert there.above(5).storage_tb == pytest.approx(10)
    assert there.between(0, 5).egress_tb_per_month == pytest.approx(2)
    assert there.upto(5).storage_tb == 20
    assert there.above(0).storage_tb == 20


def test_a_fleet_of_none_does_nothing() -> None:
    there = demand(scenario({"accelerators": 8, "busy_share": 0.5}))
    assert there.upto(0).busy_accelerator_hours == 0
    assert there.upto(0).peak_accelerators == 0
    assert there.between(8, 8).peak_accelerators == 0


def test_the_level_of_the_work_leaves_jobs_out() -> None:
    there = demand(scenario({**job(), "growth_per_year": 1.0}, years=2.0))
    assert there.work_level[[1, 13]].tolist() == pytest.approx([1, 2])


def test_a_job_is_one_accelerator_of_work_that_may_be_spread() -> None:
    waits = {"accelerators": 80, "may_wait": True}
    assert demand(scenario(waits)).job_accelerators == 1
    assert demand(scenario({"accelerators": 80})).job_accelerators == 80
    assert demand(scenario({**waits, "accelerators_per_job": 8}, {"accelerators": 64})).job_accelerators == 8


JOBS = st.fixed_dictionaries({
    "accelerators": st.integers(1, 100), "hours": st.floats(1.0, 3_000.0), "first_month": st.integers(1, 30),
    "every_months": st.one_of(st.none(), st.integers(1, 6)),
    "within_days": st.one_of(st.none(), st.floats(130.0, 200.0)),
})  # fmt: skip
WORKS = st.fixed_dictionaries({
    "accelerators": st.integers(1, 200), "busy_share": st.floats(0.01, 1.0),
    "by_hour": st.one_of(st.just(()), st.tuples(st.just(1.0), *[st.sampled_from([0.0, 0.2, 0.6, 1.0])] * 23)),
    "may_wait": st.booleans(), "growth_per_year": st.floats(-0.9, 2.0),
    "season": st.one_of(st.just(()), st.tuples(*[st.sampled_from([0.0, 0.3, 0.9, 1.0, 1.7, 3.0])] * 12)),
    "jobs": st.lists(JOBS, max_size=2).map(tuple),
    "first_month": st.one_of(st.just(1), st.integers(1, 9)), "last_month": st.one_of(st.none(), st.integers(9, 60)),
})  # fmt: skip
WORKS = WORKS.map(lambda work: work | ({"by_hour": ()} if work["may_wait"] else {}))
SCENARIOS = st.builds(
    lambda works, years: scenario(*works, years=years), st.lists(WORKS, min_size=1, max_size=3), st.floats(0.25, 4.0)
)


@at_most(60)
@given(SCENARIOS, st.integers(0, 500), st.integers(0, 500), st.floats(0.0, 1.0), st.integers(1, 12))
def test_layers_together_do_all_the_work_once(
    plan: Scenario, one: int, more: int, reach: float, starts_in: int
) -> None:
    there = demand(plan, starts_in=starts_in)
    low, high = one, one + more
    everything = there.all.busy_hours
    near = {"rtol": 1e-9, "atol": 1e-6}
    assert np.allclose(there.upto(low, reach).busy_hours + there.above(low, reach).busy_hours, everything, **near)
    layers = there.upto(low, reach).busy_hours + there.between(low, high, reach).busy_hours
    assert np.allclose(layers + there.above(high, reach).busy_hours, everything, **near)
    for need in (there.all, there.upto(low, reach), there.between(low, high, reach), there.above(high, reach)):
        assert np.min(need.busy_share) >= -1e-12
        assert np.max(need.busy_share) <= 1 + 1e-9


@at_most(30)
@given(SCENARIOS, st.lists(st.floats(0.1, 3.0), min_size=2, max_size=4), st.integers(1, 300))
def test_draws_give_what_numbers_give(plan: Scenario, factors: list[float], fleet: int) -> None:
    """Beyond 64 levels the split above a fleet is near, not exact; the hours of all work are always exact."""
    together = demand(plan, busy_factor=np.array(factors)[:, None])
    levels = math.prod((len({*work.by_hour, 0.0}) if work.by_hour else 2) * 2 ** len(work.jobs) for work in plan.work)
    near = 1e-9 if levels <= MOST_LEVELS else 0.05
    for index, factor in enumerate(factors):
        alone = demand(plan, busy_factor=factor)
        whole = alone.all.busy_hours.max()
        for need, of_all, within in (
            (alone.all, together.all, 1e-9),
            (alone.above(fleet, 0.7), together.above(fleet, 0.7), near),
        ):
            rows = np.broadcast_to(of_all.busy_hours, (len(factors), need.timeline.last + 1))
            assert np.allclose(rows[index], need.busy_hours, rtol=1e-9, atol=1e-6 + within * whole)


@at_most(30)
@given(SCENARIOS, st.floats(1.0, 3.0))
def test_a_busier_fleet_is_not_a_larger_one(plan: Scenario, factor: float) -> None:
    usual, busier = demand(plan), demand(plan, busy_factor=factor)
    assert np.all(busier.all.busy_hours >= usual.all.busy_hours - 1e-6)
    assert np.array_equal(busier.all.accelerators, usual.all.accelerators)


def test_many_jobs_are_gathered_on_a_grid_and_keep_their_hours() -> None:
    """Twelve jobs in one month would make 8,192 levels."""
    many = tuple({"accelerators": 4 + k, "hours": 200.0 + k} for k in range(12))
    there = demand(scenario({"accelerators": 8, "busy_share": 0.5, "jobs": many}))
    assert there.levels.ever_used.sum() <= MOST_LEVELS
    assert (there.levels.frequency.sum(axis=-2) * there.levels.shares) == pytest.approx(1.0)
    hours = sum((4 + k) * (200 + k) for k in range(12))
    assert there.all.busy_hours[1] == pytest.approx(8 * 0.5 * 730 + hours)
    assert there.peak[1] == 8 + sum(4 + k for k in range(12))


def test_a_slow_draw_asks_for_no_machines_in_the_months_of_a_quick_one() -> None:
    """A run of 700 hours, or of 1,050: only the second reaches into the second month, and is reserved for it."""
    job = {"label": "run", "accelerators": 64, "hours": 700.0}
    plan = Scenario.model_validate_json(
        json.dumps({"years": 0.25, "work": [{"label": "a", "busy_share": 0.5, "accelerators": 1, "jobs": [job]}]})
    )
    factors = np.array([[1.0], [1.5]])
    both = demand(plan, hours_factor=factors, predicted=plan.work).all
    assert np.broadcast_to(both.accelerators, (2, 4))[:, 1:].tolist() == [[65, 1, 1], [65, 65, 1]]


OFFICE = (*(0.25,) * 8, *(1.0,) * 10, *(0.5,) * 6)  # from midnight: 2 of 8, then all, then 4


def test_a_day_is_levels_of_which_one_is_at_a_time() -> None:
    """2 for 8 hours, 8 for 10 and 4 for 6 are 120 of 192 accelerator-hours a day; above 4 are 4 for 10 hours."""
    there = demand(scenario({"accelerators": 8, "by_hour": OFFICE}))
    assert there.all.accelerators == 8
    assert there.all.busy_accelerator_hours == pytest.approx(12 * 730 * 120 / 24)
    assert there.above(4).busy_accelerator_hours == pytest.approx(12 * 730 * 4 * 10 / 24)
    assert there.upto(2).busy_share == pytest.approx(1.0)
    assert there.levels.sizes.tolist() == [2, 4, 8]


def test_a_day_with_other_hours_keeps_its_hours() -> None:
    """Fewer: each level is there less often. More: all are wanted for longer. Neither asks for a ninth."""
    for share in (0.2, 0.625, 0.9, 1.0):
        there = demand(scenario({"accelerators": 8, "by_hour": OFFICE, "busy_share": share}))
        assert there.all.busy_accelerator_hours == pytest.approx(12 * 730 * 8 * share)
        assert there.all.accelerators == 8
        assert np.all(there.levels.frequency >= 0)
        assert there.levels.frequency.sum(axis=-2) == pytest.approx(1.0)


def test_days_of_two_kinds_of_work_meet_as_chance_has_it() -> None:
    there = demand(scenario({"accelerators": 8, "by_hour": OFFICE}, {"accelerators": 4, "busy_share": 0.5}))
    assert there.all.accelerators == 12
    assert there.above(8).busy_accelerator_hours == pytest.approx(12 * 730 * 4 * (10 / 24) * 0.5)
    grown = demand(scenario({"accelerators": 8, "by_hour": OFFICE, "growth_per_year": 0.5}, years=2.0))
    assert grown.all.busy_hours[13] == pytest.approx(12 * 730 * 120 / 192)


@pytest.mark.parametrize(("work", "wish"), [
    ({"by_hour": (0.5,) * 23}, "want 24 shares by_hour"),
    ({"by_hour": (0.5,) * 24}, "wants 1 in its busiest hour"),
    ({"by_hour": OFFICE, "may_wait": True}, "work that comes by the clock"),
    ({"by_hour": (1.5,) * 24}, "less than or equal to 1"),
    ({"first_month": 5, "last_month": 4}, "ends with month 4, before it begins in month 5"),
])  # fmt: skip
def test_hours_and_months_that_cannot_be_are_refused(work: dict[str, Any], wish: str) -> None:
    with pytest.raises(ValueError, match=wish):
        scenario({"accelerators": 8, **work})
