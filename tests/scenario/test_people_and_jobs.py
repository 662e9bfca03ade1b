"""How much work there is, said by people or by jobs a week in place of a share of the hours."""

from datetime import date

import pytest
from pydantic import ValidationError

from planner.money.plan import plan
from planner.report.answer.phrases import echo, question_text
from planner.scenario.link import scenario_from_link, scenario_to_link
from planner.scenario.question import HOURS
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.study.uncertainty.break_even_map import scenario_with_inputs
from pricing import load_catalogue

DAY = date(2026, 11, 22)


@pytest.mark.parametrize(("told", "hours"), [
    ({"people": 10}, 10 * 160),
    ({"people": 3, "hours_per_person": 300.0}, 900),
    ({"jobs_per_week": 4.0}, 4 * 730 / 168 * 8 * 8),  # eight hours on all eight
    ({"jobs_per_week": 20.0, "hours_per_job": 6.0, "accelerators_per_job": 2}, 20 * 730 / 168 * 6 * 2),
])  # fmt: skip
def test_people_and_jobs_come_to_hours(told: dict[str, float], hours: float) -> None:
    work = Work.model_validate({"accelerators": 8, **told})
    assert work.stated_hours_per_month == pytest.approx(hours)
    assert work.effective_utilization == pytest.approx(hours / (8 * 730))


def test_they_cost_what_the_same_hours_cost() -> None:
    facts = load_catalogue()
    by_people = plan(facts, Scenario(work=(Work(people=20),)), DAY)
    by_hours = plan(facts, Scenario(work=(Work(accelerator_hours_per_month=3_200.0),)), DAY)
    assert [float(one.ledger.total_usd) for one in by_people.options] == [
        float(one.ledger.total_usd) for one in by_hours.options
    ]


@pytest.mark.parametrize(("told", "said"), [
    ({"people": 10, "busy_share": 0.5}, "want one of busy_share and people"),
    ({"people": 10, "jobs_per_week": 5.0}, "want one of people and jobs_per_week"),
    ({"people": 50}, "8,000 accelerator-hours a month do not fit on 8 accelerators, which have 5,840"),
    ({"jobs_per_week": 30.0}, "do not fit on 8 accelerators"),
    ({"hours_per_person": 20.0}, "hours_per_person wants people beside it"),
    ({"hours_per_job": 20.0}, "hours_per_job wants jobs_per_week beside it"),
    ({"people": 0}, "greater than or equal to 1"),
    ({"people": 10**12}, "less than or equal to 1000000"),
])  # fmt: skip
def test_what_cannot_be_is_told(told: dict[str, float], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Work.model_validate({"accelerators": 8, **told})


@pytest.mark.parametrize(("held", "said", "sum_of_it"), [
    ({"team": "10"}, "a team of 10", "= 1,600 GPU-hours a month: 10 x 160 hours each."),
    ({"team": "1"}, "one person", "= 160 GPU-hours a month: 1 x 160 hours each."),
    (
        {"weekly": "20", "jobhours": "6", "job": "2"},
        "20 jobs a week of 6 hours",
        "= 1,040 GPU-hours a month: 20 jobs a week x 4.35 weeks x 6 hours x 2 GPUs.",
    ),
])  # fmt: skip
def test_the_sentence_says_it_and_the_line_below_adds_it_up(held: dict[str, str], said: str, sum_of_it: str) -> None:
    facts = load_catalogue()
    assert question_text(facts, HOURS, held).endswith(said)
    asked, told = scenario_from_link(held)
    assert not told
    assert scenario_to_link(asked) == held
    assert echo(plan(facts, asked, DAY), asked, HOURS.name) == sum_of_it


def test_another_share_that_is_tried_out_takes_their_place() -> None:
    tried = scenario_with_inputs(plan(load_catalogue(), Scenario(work=(Work(people=10),)), DAY), {"busy_share": 0.8})
    assert tried.work[0].people is None
    assert tried.work[0].busy_share == 0.8
