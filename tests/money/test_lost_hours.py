"""Time lost to failures: how much by size of job and regime, what it costs each way, and that it is counted once."""

from typing import Any

import numpy as np
import pytest

from planner.money.demand.lost_time import RATE, LostHours
from planner.money.plan import plan as calculated
from planner.money.renting.offer_inputs import PRICE
from planner.money.setting import PlanContext
from planner.money.verdict.answer import build_answer
from planner.money.ways import mix, on_demand, own, reserved
from planner.money.ways.own import REPAIRS
from planner.report.answer.other_measures import lost_time_sentences, other_measures
from planner.scenario.jobs import Failures
from planner.scenario.scenario import Scenario
from planner.speed.training.goodput import generic_reliability
from planner.study.plan_any import planned
from planner.study.uncertainty.uncertain_inputs import uncertain_inputs
from pricing import load_catalogue
from tests.money.owning import EIGHTY
from tests.money.renting import DAY, amounts, built, plan, recomputes, setting, total, work


def of(many: int, **failures: Any) -> PlanContext:
    """A year of one job on so many, half of the time."""
    return setting(plan(work(accelerators=many), failures=failures))


def lost(there: PlanContext) -> LostHours:
    found = there.lost_hours
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("checkpoint_minutes", "hours", "share"),
    # Young's interval, golden figures to first order: C / tau + tau / 2M.
    [(1.0, 3.09, 0.104), (2.0, 10.0, 0.082), (5.0, 24.0, 0.083), (5.0, 48.8, 0.058)],
)
def test_young_and_daly(checkpoint_minutes: float, hours: float, share: float) -> None:
    failures = Failures(
        hours_between_failures=1_000 * hours, checkpoint_minutes=checkpoint_minutes, restart_minutes=0.0
    )
    reliability = generic_reliability(load_catalogue(), 1_000, failures)
    interval = np.sqrt(2 * checkpoint_minutes / 60 * hours)
    assert float(reliability.checkpoint_interval_hours) == pytest.approx(interval)
    # what is lost of the whole time is a little less than to first order
    assert 1 - float(reliability.useful_share) == pytest.approx(share, rel=0.06)


@pytest.mark.parametrize(("regime", "many", "hours"), [
    ("calm", 16_384, 3.09),  # Llama 3: 419 in 54 days
    ("calm", 1_024, 49.5),
    ("rough", 8, 47.7 * 24),  # research clusters, as measured and, of the last, as projected
    ("rough", 1_024, 7.9),
    ("rough", 16_384, 1.8),
])  # fmt: skip
def test_both_published_regimes(regime: str, many: int, hours: float) -> None:
    usual = lost(of(many, regime=regime)).largest.usual
    assert float(np.asarray(usual.hours_between_stops)) == pytest.approx(hours, rel=2e-3)


def test_a_small_job_loses_next_to_nothing_and_a_large_one_much() -> None:
    shares = [lost(of(many)).share for many in (8, 64, 1_024, 16_384)]
    assert shares[0] < 0.01
    assert shares[-1] > 0.1
    assert shares == sorted(shares)
    assert lost(of(1_024, regime="rough")).share > 2 * shares[2]


def test_a_fleet_without_the_size_of_a_job_loses_no_more_than_the_largest_job_that_is_published() -> None:
    """Llama 3 405B had 16,384. A hundred thousand in one job, where somebody says so, lose over half."""
    fleet, largest, stated = (
        of(100_000),
        of(16_384),
        setting(plan(work(accelerators=100_000, accelerators_per_job=100_000))),
    )
    assert lost(fleet).share == pytest.approx(lost(largest).share)
    assert lost(fleet).largest.job == 16_384
    assert lost(stated).share > 4 * lost(fleet).share
    found = calculated(fleet.catalogue, fleet.scenario, fleet.day)
    (said,) = lost_time_sentences(found, build_answer(found))
    assert said.endswith("A job is taken to need 16,384 GPUs: yours goes under “GPUs per job”.")


def test_small_jobs_on_many_machines_stop_alone() -> None:
    """Of a thousand accelerators, jobs of eight lose as little as eight do."""
    there = setting(plan(work(accelerators=1_000, accelerators_per_job=8)))
    assert lost(there).share == pytest.approx(lost(of(8)).share)


def test_hours_that_are_stated_hold_what_is_lost() -> None:
    there = of(512)
    assert total(built(there, on_demand.build)) == pytest.approx(512 * 365 * 12 * 2.0)
    assert "Time lost to failures and restarts" not in amounts(built(there, on_demand.build))
    assert not lost(there).is_counted


@pytest.mark.parametrize("prepaid", [False, True])
@pytest.mark.parametrize("build", [on_demand.build, reserved.build])
def test_what_is_lost_comes_on_top_of_useful_hours(build: Any, prepaid: bool) -> None:
    """Half of the hours, useful ones: the machines are busy for longer, and the line says with what."""
    works = plan(work(accelerators=512), failures={"stated_hours": "useful"}, reserve={"prepaid": prepaid})
    there = setting(works)
    found, share = built(there, build), lost(there).share
    parts, usd = amounts(found), next(one.value for one in found.lines[0].used if one.name == PRICE)
    useful = 512 * 365 * 12 * float(usd)
    assert parts["Useful hours"] == pytest.approx(useful)
    assert parts["Time lost to failures and restarts"] == pytest.approx(useful * share / (1 - share))
    assert recomputes(found.lines)
    assert lost(there).is_counted


def test_who_is_busy_all_the_time_needs_more_machines_for_it() -> None:
    works = plan(work(accelerators=512, busy_share=1.0), failures={"stated_hours": "useful"})
    there = setting(works)
    assert there.demand.all.peak_accelerators == int(np.ceil(512 / (1 - lost(there).share)))


def test_waiting_for_slow_machines_is_lost_too() -> None:
    share = lost(of(64)).share
    assert lost(of(64, straggler_share=0.1)).share == pytest.approx(1 - 0.9 * (1 - share))


TRAIN = {
    "accelerator": "H100-SXM5-80GB",
    "years": 1.0,
    "work": ({"accelerators": 512, "train": {"model": "Llama 2 70B", "tokens": 1e12}},),
}


def trained(**changes: Any) -> PlanContext:
    """A training run of a model that is named."""
    return calculated(load_catalogue(), Scenario.model_validate({**TRAIN, **changes}), DAY).setting


def test_what_a_named_model_loses_is_in_its_hours_once() -> None:
    there = trained()
    speed = there.resolved.trainings[0].speed
    parts = amounts(built(there, on_demand.build))
    gone = parts["Time lost to failures and restarts"]
    assert gone / (gone + parts["Useful hours"]) == pytest.approx(1 - speed.useful_share)
    assert there.demand.all.busy_accelerator_hours == pytest.approx(speed.accelerator_hours.typical)
    assert lost(there).share == pytest.approx(1 - speed.useful_share)


def test_a_rougher_regime_takes_longer_and_costs_more() -> None:
    calm, rough = trained(), trained(failures={"regime": "rough"})
    ratio = rough.demand.all.busy_accelerator_hours / calm.demand.all.busy_accelerator_hours
    assert ratio == pytest.approx((1 - lost(calm).share) / (1 - lost(rough).share))
    assert ratio > 1.02


def test_futures_draw_how_often_it_fails() -> None:
    """Twice the failures take as long as twice the failures typed."""
    there = trained()
    found = {one.name: one for one in uncertain_inputs(calculated(load_catalogue(), there.written, DAY))}[RATE]
    assert 8_090 < 1 / found.spread.high < 9_160
    assert found.spread.low < found.spread.typical < found.spread.high
    drawn = there.with_tried({RATE: np.array([[found.spread.typical], [found.spread.high]])})
    typed = trained(failures={"hours_between_failures": 1 / found.spread.high})
    hours = drawn.demand.all.busy_hours.sum(axis=-1)
    assert hours[0] == pytest.approx(there.demand.all.busy_accelerator_hours)
    assert hours[1] == pytest.approx(typed.demand.all.busy_accelerator_hours)


def test_what_you_say_is_not_drawn() -> None:
    there = trained(failures={"hours_between_failures": 40_000.0})
    assert RATE not in {one.name for one in uncertain_inputs(calculated(load_catalogue(), there.written, DAY))}


FAILING = {**EIGHTY, "failures_per_accelerator_year": 0.09}


@pytest.mark.parametrize(("hours", "share"), [(24.0, 0.09 * 8 * 24 / 8760), (0.0, 0.0), (8760.0, 0.72)])
def test_the_work_of_machines_in_repair_is_rented(hours: float, share: float) -> None:
    there = setting(plan(work(), own=FAILING, failures={"repair_hours": hours}))
    found = built(there, own.build)
    assert amounts(found).get(REPAIRS, 0.0) == pytest.approx(8 * 0.5 * 730 * 12 * 2.0 * share)
    assert recomputes(found.lines)


def test_your_sum_for_running_holds_repairs() -> None:
    own_terms = {**FAILING, "running_usd_per_month": 1_000.0}
    found = built(setting(plan(work(), own=own_terms, failures={"repair_hours": 24.0})), own.build)
    assert REPAIRS not in amounts(found)


def test_of_a_mix_too() -> None:
    wanted = {"own_accelerators": 8}
    there = setting(plan(work(accelerators=16), own=FAILING, mix=wanted, failures={"repair_hours": 24.0}))
    parts = amounts(built(there, mix.build))
    assert parts[f"Base: {REPAIRS[0].lower()}{REPAIRS[1:]}"] == pytest.approx(
        8 * 0.5 * 730 * 12 * 2.0 * 0.09 * 8 * 24 / 8760
    )


def test_without_a_price_of_rent_nothing_is_said_of_it() -> None:
    there = setting(plan(work(), own=FAILING), {})
    found = built(there, own.build)
    assert REPAIRS not in amounts(found)
    assert total(found) > 0


def test_it_is_told_with_what_it_costs_each_way() -> None:
    scenario = Scenario.model_validate({"work": ({"accelerators": 1_024, "busy_share": 0.8},), "years": 3.0})
    there = planned(load_catalogue(), scenario, DAY)
    answer = build_answer(there)
    sentence = lost_time_sentences(there, answer)
    assert len(sentence) == 1
    assert sentence[0].startswith("Failures, restarts and checkpoints take about ")
    assert "of the hours you state" in sentence[0]
    told = other_measures(there, answer)
    assert told is not None
    rows = {(row.name, row.option): row.value for row in told.rows}
    ways = answer.pair or (answer.best,)
    for way in ways:
        assert rows["lost_usd", way.option.key] == pytest.approx(rows["lost_share", None] * way.present_usd)


def test_of_a_small_plan_no_sentence_is_made() -> None:
    scenario = Scenario.model_validate({"work": ({"accelerators": 8, "busy_share": 0.8},), "years": 3.0})
    there = planned(load_catalogue(), scenario, DAY)
    answer = build_answer(there)
    assert lost_time_sentences(there, answer) == ()
