"""Months: what starts, what runs, what ends, and that a part of a month is a part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.ledger import YOUR_INPUT, Ledger, Line, Used
from planner.money.timeline import Timeline


@pytest.mark.parametrize(
    ("months", "runs"),
    [(1.0, [0, 1]), (3.0, [0, 1, 1, 1]), (2.5, [0, 1, 1, 0.5]), (0.25, [0, 0.25]), (3.0000000001, [0, 1, 1, 1])],
)
def test_a_plan_runs_in_its_months(months: float, runs: list[float]) -> None:
    line = Timeline(months)
    assert line.runs.tolist() == pytest.approx(runs)
    assert line.starts.tolist() == [1.0] + [0.0] * (len(runs) - 1)
    assert line.ends.tolist() == [0.0] * (len(runs) - 1) + [1.0]


@given(st.floats(0.1, 240.0))
def test_the_months_that_run_are_the_months_of_the_plan(months: float) -> None:
    line = Timeline(months)
    assert line.runs.sum() == pytest.approx(months)
    assert line.starts.sum() == line.ends.sum() == 1.0
    assert ((line.runs >= 0) & (line.runs <= 1)).all()


def test_a_ledger_sums_over_lines_and_months_and_says_what_is_not_priced() -> None:
    flags = Timeline(2.0).flags
    price = Used("price", np.array([[2.0], [np.nan]]), "USD", YOUR_INPUT)
    lines = (
        Line("Rent", "compute", "runs * price", (flags[1], price)),
        Line("Deposit", "commitment", "starts * 5 - ends * 5", (flags[0], flags[2])),
    )
    both = Ledger("both", lines)
    assert both.monthly_usd.tolist() == [[5.0, 2.0, -3.0], [5.0, 0.0, -5.0]]
    assert both.total_usd.tolist() == [4.0, 0.0]
    assert both.unpriced == ("Rent",)
    assert both.at(0, "first").monthly_usd.tolist() == [5.0, 2.0, -3.0]
    assert both.at(0, "first").unpriced == ()
    assert both.at(1, "second").unpriced == ("Rent",)
    assert both.at(0, "first").part_usd("compute") == 4.0
    assert both.at(0, "first").part_usd("power") == 0.0
