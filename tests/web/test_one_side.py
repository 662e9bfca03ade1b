"""Questions of one side, or with one way left: every page answers them."""

from typing import Any

import pytest

from planner.report import words
from planner.scenario.link import scenario_to_link
from planner.scenario.scenario import Scenario
from planner.web.pages.answer import FORMER
from tests.web.test_pages import told_of, visit


@pytest.mark.slow
@pytest.mark.parametrize("page", ["Answer", "What if", "Compare"])
@pytest.mark.parametrize("said", [
    {"ways": ("reserved", "on_demand"), "reserve": {"usd_per_accelerator_hour": 1.94}},
    {"accelerator": "A100-PCIe-80GB"},
    {"ways": ("own",), "accelerator": "T4-16GB"},
])  # fmt: skip
def test_a_question_of_one_side_has_its_pages(page: str, said: dict[str, Any]) -> None:
    asked = Scenario.model_validate(said)
    app = visit(page)
    for key, value in scenario_to_link(asked).items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    if page == "Answer":
        assert app.title[0].value == words.markdown(told_of(asked))
        assert len(app.metric) >= 3


@pytest.mark.parametrize("view", ["Why", "How sure", "Payback", "Every option", *FORMER])
def test_every_view_of_a_single_way_opens(view: str) -> None:
    app = visit("Answer")
    for key, value in (scenario_to_link(Scenario(ways=("on_demand",))) | {"look": view}).items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
