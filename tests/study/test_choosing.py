"""What a scenario leaves open is filled in; what is said stays."""

import pytest

from planner.money.plan import plan
from planner.scenario.scenario import ANY_ACCELERATOR, USUAL_ACCELERATOR, Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.study.market.survey import market
from planner.study.plan_any import chosen
from tests.facts import CATALOGUE, DAY

pytestmark = pytest.mark.slow

TUNE = TrainingTask(model="llama-3-8b", method="lora", tokens=1e8, deadline_days=3.0)


def test_nothing_open_is_the_same_scenario() -> None:
    for said in (Scenario(), Scenario(work=(Work(train=TUNE),))):
        assert chosen(CATALOGUE, said, DAY) is said


def test_any_accelerator_becomes_the_recommended_one_and_the_plan_can_be_made() -> None:
    said = Scenario(accelerator=ANY_ACCELERATOR, work=(Work(accelerators=2, train=TUNE),))
    filled = chosen(CATALOGUE, said, DAY)
    best = market(CATALOGUE, said, DAY, counts=(2,)).best
    assert filled.accelerator == best.accelerator
    assert filled.work[0].accelerators == 2
    made = plan(CATALOGUE, filled, DAY)
    assert not made.setting.resolved.problems
    assert made.options
    assert chosen(CATALOGUE, filled, DAY) is filled


def test_how_many_is_chosen_for_the_accelerator_that_is_named() -> None:
    task = TUNE.model_copy(update={"tokens": 2e9, "choose_count": True})
    said = Scenario(accelerator="H100-SXM5-80GB", work=(Work(accelerators=64, accelerators_per_job=64, train=task),))
    filled = chosen(CATALOGUE, said, DAY)
    assert filled.accelerator == "H100-SXM5-80GB"
    assert filled.work[0].accelerators < 64
    assert filled.work[0].accelerators_per_job is None
    assert not filled.work[0].train.choose_count
    best = market(CATALOGUE, said, DAY, accelerators=("H100-SXM5-80GB",)).best
    assert filled.work[0].accelerators == best.accelerators


@pytest.mark.slow
def test_a_service_gets_an_accelerator_even_where_tokens_are_cheaper() -> None:
    said = Scenario(
        accelerator=ANY_ACCELERATOR, work=(Work(serve=ServingTask(model="llama-3-8b", requests_per_s=0.01)),)
    )
    found = market(CATALOGUE, said, DAY)
    filled = chosen(CATALOGUE, said, DAY)
    assert found.best is not None
    assert filled.accelerator in CATALOGUE.accelerators
    assert filled.accelerator == (found.selected_accelerator and found.selected_accelerator.accelerator)
    assert not plan(CATALOGUE, filled, DAY).setting.resolved.problems  # type: ignore[union-attr]


def test_what_cannot_be_kept_or_known_is_left_for_the_plan_to_tell() -> None:
    late = TUNE.model_copy(update={"tokens": 1e12, "deadline_days": 0.01})
    filled = chosen(CATALOGUE, Scenario(accelerator=ANY_ACCELERATOR, work=(Work(train=late),)), DAY)
    assert filled.accelerator in CATALOGUE.accelerators
    assert "the deadline is 14.4 minutes" in plan(CATALOGUE, filled, DAY).setting.resolved.problems[0]  # type: ignore[union-attr]
    unknown = Scenario(accelerator=ANY_ACCELERATOR, work=(Work(train=TrainingTask(model="lama-9")),))
    filled = chosen(CATALOGUE, unknown, DAY)
    assert filled.accelerator == USUAL_ACCELERATOR
    assert "lama-9" in plan(CATALOGUE, filled, DAY).setting.resolved.problems[0]  # type: ignore[union-attr]


def test_the_first_work_decides_and_the_others_choose_their_number() -> None:
    second = TrainingTask(model="llama-3-8b", method="lora", tokens=5e9, deadline_days=5.0, choose_count=True)
    works = (Work(accelerators=1, train=TUNE), Work(accelerators=1, train=second))
    filled = chosen(CATALOGUE, Scenario(accelerator=ANY_ACCELERATOR, work=works), DAY)
    alone = Scenario(accelerator=filled.accelerator, work=(works[1],))
    taken = market(CATALOGUE, alone, DAY, accelerators=(filled.accelerator,)).selected
    assert filled.work[1].accelerators == taken.accelerators


def test_a_small_job_takes_few_gpus_that_many_sell() -> None:
    tuned = TrainingTask(model="Llama-3.1-8B", tokens=2e7, method="lora", choose_count=True)
    job = Scenario(accelerator=ANY_ACCELERATOR, work=(Work(train=tuned),))
    found = market(CATALOGUE, job, CATALOGUE.day).best
    assert found is not None
    assert found.band is not None
    assert found.accelerators == 1
    assert not found.band.has_few_sellers
    large = job.model_copy(update={"work": (Work(train=tuned.model_copy(update={"tokens": 2e10})),)})
    many = market(CATALOGUE, large, CATALOGUE.day).best
    assert many is not None
    assert many.accelerators > 1
