"""The views of the best mix and of waiting on the Answer page: what the study finds, once they are open."""

import json

import pytest

from planner.money.plan import plan
from planner.report import words
from planner.report.answer.other_measures import other_measures
from planner.report.answer.sentences import summarize_answer
from planner.report.futures.counted import buy_or_wait_sentences
from planner.report.mix_report import mix_sentences
from planner.scenario.link import scenario_from_link
from planner.scenario.scenario import Scenario
from planner.study.buy_or_wait import Waiting, buy_or_wait_futures, waiting
from planner.study.mix.best_mix import add_best_mix, best_mix
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from pricing import load_catalogue
from tests.facts import DAY
from tests.web.test_pages import visit

pytestmark = pytest.mark.slow

BESIDE = [{}, {"accelerators": 32, "busy_share": 0.1}]
LEVELS = Scenario.model_validate(
    {
        "work": ({"accelerators": 8, "busy_share": 0.95}, {"accelerators": 32, "busy_share": 0.1}),
        "own": {"lead_time_months": 0.0},
    }
)


def shown(look: str, page: str = "Answer", key: str = "look", opened: str = "", **asked: str) -> tuple[str, list[str]]:
    """The title and the paragraphs of a page with one view and one box open."""
    app = visit(page)
    for name, value in {**asked, key: look}.items():
        app.query_params[name] = value
    if opened:
        app.session_state[opened] = True
    app.run()
    assert not app.exception
    return app.title[0].value, [one.value for one in app.markdown]


def test_the_best_mix_of_the_plan_is_shown() -> None:
    title, said = shown("Best mix", busy="95", wait="0", also=json.dumps({"work": BESIDE}))
    made = add_best_mix(plan(load_catalogue(), LEVELS, DAY))
    assert title == words.markdown("Probably own 8 and rent the peaks.")
    assert words.markdown(" ".join(mix_sentences(best_mix(made)))) in said


def test_buying_later_is_shown() -> None:
    _, said = shown("Buy now or wait", "What if", "turn", busy="95", wait="0", also=json.dumps({"work": BESIDE}))
    made = add_best_mix(plan(load_catalogue(), LEVELS, DAY))
    found = waiting(made)
    assert isinstance(found, Waiting)
    assert words.markdown(" ".join(buy_or_wait_sentences(found, buy_or_wait_futures(found)))) in said


def test_work_without_layers_has_no_view_of_a_mix() -> None:
    app = visit("Answer")
    app.query_params["look"] = "Best mix"
    app.run()
    assert not app.exception
    assert [tab.label for tab in app.tabs] == ["Every option", "Why", "How sure", "Payback"]


def test_a_budget_that_nothing_keeps_to_is_the_title_on_the_page_as_in_the_engine() -> None:
    """Typed into the bar; the other limit and the price of waiting are kept by the same link."""
    asked = {"gpus": "32", "busy": "95", "yearly": "500000", "cash": "400000", "waitcost": "5"}
    scenario, lost = scenario_from_link(asked, load_catalogue())
    assert lost == []
    assert scenario.terms.cash_per_year_usd == 500_000.0
    assert scenario.terms.usd_per_waiting_hour == 5.0
    made = planned(load_catalogue(), scenario, DAY)
    told_there = summarize_answer(made, decided(made).answer)
    title, said = shown("Why", **asked)
    assert title == words.markdown(told_there.title)
    assert title.replace("\\", "").startswith("Nothing keeps to what you can pay: the least that any way needs")
    assert any("Every year stays within" in one for one in said)


def test_the_other_numbers_are_shown() -> None:
    _, said = shown("Every option", opened="other-measures", busy="95")
    made = planned(load_catalogue(), Scenario.model_validate({"work": ({"busy_share": 0.95},)}), DAY)
    sure = decided(made)
    there = other_measures(made, sure.answer, sure.futures)
    assert words.markdown(" ".join(there.sentences)) in said


def test_the_curve_over_use_and_years_is_made_when_it_is_opened() -> None:
    app = visit("Answer")
    app.session_state["other-measures"] = True
    app.run()
    closed = len(app.dataframe)
    app.session_state["also-curve"] = True
    app.run()
    assert not app.exception
    assert len(app.dataframe) == closed + 1
    assert list(app.dataframe[-1].value.columns) == ["Years", "Hours a month of one GPU", "Share of hours"]
