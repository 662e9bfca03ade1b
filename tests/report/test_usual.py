"""Hints in empty fields: the figure the plan takes, written as people write it."""

from __future__ import annotations

from datetime import date

from planner.money.plan import plan
from planner.report.answer.hints import hints
from planner.scenario.scenario import Scenario
from pricing import load_catalogue


def test_hints_are_the_plan_s_own_figures_with_all_their_digits() -> None:
    told = hints(plan(load_catalogue(), Scenario(), date(2026, 11, 21)))
    assert told["price"] == "30,000"
    assert told["rent"] == "2.69"
    assert told["hours"] == "from busy %"
    assert not any("e+" in said for said in told.values())
