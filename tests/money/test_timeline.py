"""Months: what starts, what runs, what ends, and that a part of a month is a part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from planner.money.ledger import YOUR_INPUT, Ledger, LedgerInput, Line
from planner.money.timeline import Holding, Timeline


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
    price = LedgerInput("price", np.array([[2.0], [np.nan]]), "USD", YOUR_INPUT)
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


WAIT = Holding(Timeline(12.0), lead_time_months=2.5, until_months=10.0, refresh_months=3.0)


def months(flag: NDArray[np.float64]) -> list[int]:
    return np.flatnonzero(flag).tolist()


def test_what_is_ordered_comes_is_replaced_and_is_sold() -> None:
    """Ordered today, delivered in the third month, replaced after 5.5 and 8.5 months, sold after 10."""
    assert WAIT.waits.tolist() == [0, 1, 1, 0.5] + [0.0] * 9
    assert WAIT.owns.tolist() == [0, 0, 0, 0.5] + [1.0] * 7 + [0, 0]
    assert WAIT.gone.tolist() == [0.0] * 11 + [1, 1]
    assert (months(WAIT.delivered), months(WAIT.sold), months(WAIT.refreshes)) == ([3], [10], [6, 9])
    assert WAIT.new_price_after_months[[6, 9]].tolist() == [5.5, 8.5]
    assert WAIT.old_price_after_months[[6, 9]].tolist() == [0.0, 5.5]  # the first was paid at the price of the order
    assert (WAIT.refresh_count, WAIT.last_price_after_months, WAIT.last_age_months) == (2, 8.5, 1.5)


def test_age_starts_again_with_each_replacement() -> None:
    """Older than two months: from 4.5 to 5.5 and from 7.5 to 8.5; the last lives for 1.5 only."""
    assert WAIT.beyond(2.0).tolist() == [0, 0, 0, 0, 0, 0.5, 0.5, 0, 0.5, 0.5, 0, 0, 0]
    assert Holding(Timeline(4.0)).beyond(1.5).tolist() == [0, 0, 0.5, 1, 1]


def test_nothing_to_wait_for_is_delivered_today() -> None:
    at_once = Holding(Timeline(3.0))
    assert at_once.delivered.tolist() == [1, 0, 0, 0]
    assert at_once.owns.tolist() == Timeline(3.0).runs.tolist()
    assert not at_once.waits.any()
    assert not at_once.refreshes.any()


@pytest.mark.parametrize(("lead", "until"), [(3.0, np.inf), (40.0, np.inf), (2.0, 2.0), (2.5, 1.0)])
def test_what_comes_at_the_end_or_later_never_comes(lead: float, until: float) -> None:
    never = Holding(Timeline(3.0), lead_time_months=lead, until_months=until, refresh_months=1.0)
    assert never.waits.tolist() == Timeline(3.0).runs.tolist()
    assert not any(flag.any() for flag in (never.owns, never.gone, never.delivered, never.sold, never.refreshes))


@given(
    months=st.floats(1.0, 60.0),
    lead=st.floats(0.0, 70.0),
    until=st.floats(1.0, 60.0),
    cycle=st.floats(12.0, 120.0) | st.just(np.inf),
    age=st.floats(0.0, 60.0),
)
def test_every_part_of_the_plan_is_one_of_three(
    months: float, lead: float, until: float, cycle: float, age: float
) -> None:
    """Waiting, owning and what comes after make up the plan; many leads at once are what each of them is alone."""
    one = Holding(Timeline(months), lead, until, cycle)
    assert one.waits + one.owns + one.gone == pytest.approx(Timeline(months).runs)
    assert one.delivered.sum() == one.sold.sum() == one.comes
    assert one.refreshes.sum() == one.refresh_count * one.comes
    assert 0 <= one.beyond(age).sum() <= one.owns.sum() + 1e-6
    both = Holding(Timeline(months), np.array([[lead], [0.0]]), until, cycle)
    for name in ("waits", "owns", "gone", "delivered", "sold", "refreshes", "old_price_after_months"):
        assert getattr(both, name)[0].tolist() == pytest.approx(getattr(one, name).tolist())
    assert both.beyond(age)[0] == pytest.approx(one.beyond(age))
