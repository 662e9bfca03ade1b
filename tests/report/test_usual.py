"""Hints in empty fields: the figure the plan takes, written as people write it."""

from datetime import date

from planner.money.plan import plan
from planner.report.answer.phrases import hints
from planner.scenario.scenario import Scenario
from pricing import load_catalogue


def test_hints_are_the_plan_s_own_figures_with_all_their_digits() -> None:
    made = plan(load_catalogue(), Scenario(), date(2026, 11, 21))
    told, taken = hints(made), made.setting.offers
    assert taken.prices is not None
    worth = taken.prices.of(taken.on_demand or "")
    assert told["price"] == "30,000"
    assert told["rent"] == f"{worth.typical:.4g}"
    assert told["hours"] == "from busy %"
    assert not any("e+" in said for said in told.values())
