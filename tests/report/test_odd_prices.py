"""Prices of one's own that look like slips: below all, of a machine, against each other. Asked about, never changed."""

import pytest

from planner.money.plan import plan
from planner.money.verdict.answer import build_answer
from planner.report.answer.advice import advice_lines
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.facts import DAY


def asked_about(**said: object) -> str:
    made = plan(load_catalogue(), Scenario.model_validate(said), DAY)
    return " ".join(advice_lines(made, build_answer(made), every=True))


@pytest.mark.parametrize(("rent", "said"), [
    ({"usd_per_accelerator_hour": 1.1}, "below every known on-demand price"),
    ({"usd_per_accelerator_hour": 22.0}, "Did you mean 2.75 (a price for a machine of eight typed as one for a GPU)?"),
    ({"usd_per_accelerator_hour": 269.0}, "Did you mean 2.69 (cents typed as dollars)?"),
])  # fmt: skip
def test_a_rent_that_nobody_asks_is_asked_about(rent: dict[str, float], said: str) -> None:
    assert said in asked_about(rent=rent)


def test_a_usual_rent_is_not() -> None:
    assert "Rent per GPU-hour is" in asked_about(rent={"usd_per_accelerator_hour": 1.1})
    assert "Rent per GPU-hour is" not in asked_about(rent={"usd_per_accelerator_hour": 2.7})


def test_prices_that_contradict_each_other() -> None:
    told = asked_about(
        rent={"usd_per_accelerator_hour": 2.0}, reserve={"usd_per_accelerator_hour": 2.5, "term": "reserved_1y"}
    )
    assert "Reserved at $2.50 costs more than on demand at $2.00, though it binds you" in told
    assert "costs more than on demand" not in asked_about(
        rent={"usd_per_accelerator_hour": 2.0}, reserve={"usd_per_accelerator_hour": 1.5, "term": "reserved_1y"}
    )
