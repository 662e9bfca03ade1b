"""A plan that is late, or does not fit, keeps its numbers: marked, with the reason."""

import pytest

from planner.report.answer.sentences import summarize_answer
from planner.scenario.link import scenario_from_link
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from pricing import load_catalogue
from tests.facts import DAY
from tests.web.test_questions import visit

pytestmark = pytest.mark.slow


LATE = {"train": "Llama-3.3-70B", "tokens": "1e12", "gpus": "64", "due": "90"}


def test_a_late_plan_keeps_its_numbers_marked_as_late() -> None:
    app = visit("Answer", **LATE)
    assert not app.exception
    assert app.title[0].value.startswith("Too late")
    assert "days after the deadline" in app.warning[0].value
    undated, _ = scenario_from_link({key: text for key, text in LATE.items() if key != "due"}, load_catalogue())
    made = planned(load_catalogue(), undated, DAY)
    sure = decided(made)
    assert [one.value for one in app.metric] == [
        one.value for one in summarize_answer(made, sure.answer, sure.futures).figures
    ]


def test_compare_shows_the_offers_for_a_late_plan_all_the_same() -> None:
    app = visit("Compare", **LATE)
    assert not app.exception
    assert "days after the deadline" in app.warning[0].value
    assert len(app.dataframe[0].value) > 2


def test_what_does_not_fit_keeps_the_number_that_is_too_large() -> None:
    app = visit("Answer", train="Llama-3-70B", gpus="8")
    assert [one.label for one in app.metric] == ["Memory of each"]
