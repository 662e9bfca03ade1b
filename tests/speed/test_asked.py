"""From models to hours: what training and serving ask for, and what cannot be done as asked."""

from __future__ import annotations

from datetime import date

import pytest

from planner.inputs.address import from_address, to_address
from planner.inputs.file import Saved, read_scenario, write_scenario
from planner.inputs.scenario import Scenario
from planner.inputs.task import Serve, Train
from planner.inputs.work import Work
from planner.money.answer import answer
from planner.money.plan import plan
from planner.report.answer import told
from planner.speed.asked import asked, serving_job, training_job
from planner.speed.serving import serve
from planner.speed.training import train
from pricing import load_catalogue

CATALOGUE = load_catalogue()
DAY = date(2026, 11, 21)
TUNE = Train(model="llama-3-70b", method="lora", tokens=2e8, runs_per_month=20.0)
CHAT = Serve(model="llama-3-70b", requests_per_s=20.0, peak_requests_per_s=50.0, input_tokens=800, output_tokens=250)


def scenario(work: Work, accelerator: str = "H100-SXM5-80GB") -> Scenario:
    """A plan for one kind of work."""
    return Scenario(accelerator=accelerator, work=(work,))


def test_runs_that_come_every_month_are_hours_that_may_wait() -> None:
    work = Work(accelerators=8, train=TUNE)
    alone = train(CATALOGUE, training_job(scenario(work), work, TUNE))
    assert alone.speed is not None
    plain = asked(CATALOGUE, scenario(work)).scenario.work[0]
    assert plain.accelerator_hours_per_month == pytest.approx(20 * alone.speed.days.typical * 24 * 8)
    assert (plain.accelerators, plain.accelerators_per_job, plain.may_wait) == (8, 8, True)
    many = asked(CATALOGUE, scenario(Work(accelerators=8, train=TUNE.model_copy(update={"runs_per_month": 300.0}))))
    assert many.scenario.work[0].accelerators == 24  # 300 runs of five hours do not fit into one month on eight


def test_one_run_is_a_job_and_a_deadline_it_misses_is_told() -> None:
    once = Train(model="llama-2-7b", tokens=2e12, deadline_days=30.0)
    found = asked(CATALOGUE, scenario(Work(accelerators=256, train=once)))
    assert not found.problems
    assert found.scenario.work[0].jobs[0].hours == pytest.approx(found.trainings[0].speed.days.typical * 24)  # type: ignore[union-attr]
    late = asked(CATALOGUE, scenario(Work(accelerators=64, train=once)))
    assert "the deadline is 30 days" in late.problems[0]
    assert "of them would do" in late.problems[0]


def test_what_does_not_fit_says_what_would() -> None:
    made = plan(
        CATALOGUE,
        scenario(Work(accelerators=2, train=TUNE.model_copy(update={"method": "full"})), "RTX-4090-24GB"),
        DAY,
    )
    said = told(made, answer(made))
    assert said.title == "Not as asked."
    assert "does not fit on 2 x RTX-4090-24GB" in said.sentences[0]
    assert made.options == ()


def test_a_model_nobody_knows_is_told_and_not_guessed() -> None:
    found = asked(CATALOGUE, scenario(Work(train=Train(model="lama-9"))))
    assert "lama-9" in found.problems[0]


def test_a_service_wants_its_peak_and_could_be_bought_by_the_token() -> None:
    alone = serve(CATALOGUE, serving_job(scenario(Work(serve=CHAT)), CHAT))
    found = asked(CATALOGUE, scenario(Work(serve=CHAT)))
    plain, hosted = found.scenario.work[0], found.scenario.hosted
    assert plain.accelerators == alone.accelerators_at_peak
    assert plain.busy_share == pytest.approx(alone.accelerators_at_average / alone.accelerators_at_peak)  # type: ignore[operator]
    assert hosted is not None
    assert hosted.million_output_tokens_per_month == pytest.approx(20 * 3_600 * 730 * 250 / 1e6)
    assert hosted.price is not None
    assert CATALOGUE.hosted[hosted.price].model == "Llama-3-70B"


def test_a_plan_with_models_goes_out_and_comes_back_as_it_was_written() -> None:
    written = Scenario(work=(Work(accelerators=8, train=TUNE), Work(serve=CHAT)))
    made = plan(CATALOGUE, written, DAY)
    assert made.setting.written == written
    assert made.setting.scenario != written
    text = write_scenario(Saved(made.setting.written))
    assert read_scenario(text.encode(), "plan.yaml", CATALOGUE).scenario == written
    assert from_address(to_address(written), CATALOGUE) == (written, [])
