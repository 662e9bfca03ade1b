"""What an answer says of the price that it rests on: whether so many can be had, and how often they are taken back."""

import pytest

from planner.money.plan import plan
from planner.money.verdict.answer import build_answer
from planner.report.answer.advice import rests_on
from planner.scenario.scenario import USUAL_ACCELERATOR, Scenario
from pricing import load_catalogue
from tests.facts import DAY


def said_of(accelerators: int, *ways: str) -> str:
    asked = {"ways": ways, "work": ({"accelerators": accelerators, "may_stop": True, "accelerators_per_job": 8},)}
    return said(asked)


def said(asked: dict[str, object]) -> str:
    made = plan(load_catalogue(), Scenario.model_validate(asked), DAY)
    answer = build_answer(made)
    return " ".join(rests_on(made, answer.ranked))


def test_a_spot_machine_says_how_often_it_is_taken_back() -> None:
    assert "a machine is taken back about every 5.21 days" in said_of(8, "spot")
    assert "taken back" not in said_of(8, "on_demand")


A100 = "A100-SXM4-80GB"


@pytest.mark.parametrize(
    ("chip", "accelerators", "found"),
    [
        (USUAL_ACCELERATOR, 8, "from $"),
        (USUAL_ACCELERATOR, 300, "no one seller surely has it: ask"),
        (USUAL_ACCELERATOR, 700, "no listed seller likely has it: ask"),
        (A100, 8, "listed at $"),
        (A100, 16, "listed at $"),
    ],
)
def test_an_order_names_who_has_it_or_says_to_ask(chip: str, accelerators: int, found: str) -> None:
    """Work that fills whole machines goes to a seller of such machines, which is then named."""
    asked = {"accelerator": chip, "ways": ("on_demand",), "work": ({"accelerators": accelerators},)}
    assert found in said(asked)
