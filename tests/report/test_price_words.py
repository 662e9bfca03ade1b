"""What an answer says of the price that it rests on: whether so many can be had, and how often they are taken back."""

import pytest

from planner.money.plan import plan
from planner.money.verdict.answer import build_answer
from planner.report.answer.advice import rests_on
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.facts import DAY


def said_of(accelerators: int, *ways: str) -> str:
    asked = {"ways": ways, "work": ({"accelerators": accelerators, "may_stop": True, "accelerators_per_job": 8},)}
    made = plan(load_catalogue(), Scenario.model_validate(asked), DAY)
    answer = build_answer(made)
    return " ".join(rests_on(made, answer.ranked))


def test_a_spot_machine_says_how_often_it_is_taken_back() -> None:
    assert "a machine is taken back about every 5.21 days" in said_of(8, "spot")
    assert "taken back" not in said_of(8, "on_demand")


@pytest.mark.parametrize(("accelerators", "is_asked"), [(8, False), (300, True)])
def test_an_order_that_no_listed_seller_likely_has_says_to_ask(accelerators: int, is_asked: bool) -> None:
    assert ("no listed seller likely has it: ask" in said_of(accelerators, "on_demand")) is is_asked
