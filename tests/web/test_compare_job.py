"""The Compare page where a model is named: the title is about the job, on the same GPU or on any."""

import pytest

from planner.report import words
from planner.scenario.link import scenario_to_link
from planner.scenario.presets import find_preset
from planner.study.market.survey import sized_accelerators
from planner.study.plan_any import planned
from planner.web.filters import ANY
from pricing import load_catalogue
from tests.facts import DAY
from tests.report.test_job_offers import compared
from tests.web.test_questions import visit

pytestmark = pytest.mark.slow


@pytest.mark.slow
def test_the_job_is_compared_on_the_same_gpu_and_then_on_any() -> None:
    scenario = find_preset("fine-tune-70b").scenario  # type: ignore[union-attr]
    app = visit("Compare", **scenario_to_link(scenario))
    assert not app.exception
    assert "a run, 2\\." in app.title[0].value
    assert set(app.dataframe[0].value["GPU"]) == {"H100 SXM5 80 GB"}
    app.button_group(key="across").set_value(ANY).run()
    assert not app.exception
    made = planned(load_catalogue(), scenario, DAY)
    assert app.title[0].value == words.markdown(compared(made, sized_accelerators(made.setting)).finding.title)
    assert len(set(app.dataframe[0].value["GPU"])) > 10
    before = len(app.dataframe[0].value)
    app.toggle(key="large").set_value(False).run()
    assert len(app.dataframe[0].value) > before


def test_plain_hours_are_compared_as_before() -> None:
    app = visit("Compare")
    assert "GPU" not in app.dataframe[0].value
    assert app.toggle(key="large").label == "Only providers with enough capacity: 8 GPUs at once"


def test_old_prices_are_a_switch_away_and_a_link_holds_it() -> None:
    app = visit("Compare")
    few = list(app.dataframe[0].value.index)
    assert app.toggle(key="old").label.endswith(" offers read more than 60 days ago: show")
    app.toggle(key="old").set_value(True).run()
    every = list(app.dataframe[0].value.index)
    assert f"{len(every) - len(few)} offers" in app.toggle(key="old").label
    assert set(few) < set(every)
    assert list(visit("Compare", old="true").dataframe[0].value.index) == every


def test_what_cannot_be_done_as_asked_is_said_and_any_gpu_may_do_it() -> None:
    app = visit("Compare", train="Llama-3.3-70B", method="lora", runs="8", tokens="1e8", gpu="T4-16GB")
    assert not app.exception
    assert "does not fit on 8 x" in app.title[0].value
    app.button_group(key="across").set_value(ANY).run()
    assert not app.exception
    assert "trains it for the least" in app.title[0].value
