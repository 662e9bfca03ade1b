"""Hints in empty fields: the figure the plan takes, written as people write it."""

from datetime import date

from planner.money.plan import plan
from planner.report.answer.phrases import hints
from planner.scenario.scenario import Scenario
from pricing import load_catalogue


def test_hints_are_the_plan_s_own_figures_with_all_their_digits() -> None:
    made = plan(load_catalogue(), Scenario(), date(2026, 11, 21))
    told, taken = hints(made), made.setting.offers
    quote = taken.market_price(taken.on_demand)
    assert told["price"] == "30,000"
    assert told["rent"] == f"{quote.band.typical:.4g}"
    assert told["hours"] == "from utilization"
    assert not any("e+" in said for said in told.values())
