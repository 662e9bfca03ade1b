"""Payback: the month in which the money is back, or why there is none."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money import measures
from planner.money.finance import OutcomeReason
from tests.rows import each_row

SAVINGS = st.lists(st.floats(-1e4, 1e5), min_size=1, max_size=80).map(np.array)
PRICE = st.floats(1.0, 1e6)


def month(result: measures.Payback) -> float:
    """The month, later than any where there is none."""
    return float(np.nan_to_num(result.month, nan=np.inf))


@each_row(("usd", "when", "reason"), [
    ([0.0], 0.0, measures.ALWAYS),
    ([5.0, 1.0, -2.0], 0.0, measures.ALWAYS),
    ([-10.0], np.nan, measures.NEVER_SAVES),
    ([-10.0, 0.0, -1.0], np.nan, measures.NEVER_SAVES),
    ([5.0, -10.0], np.nan, measures.NEVER_SAVES),
    ([-10.0, 4.0, 4.0], np.nan, measures.NEVER_IN_TIME),
    ([-10.0, 10.0], 1.0, measures.REACHED),
    ([-10.0, 4.0, 4.0, 4.0], 2.5, measures.REACHED),
    ([-0.3, 0.1, 0.1, 0.1], 3.0, measures.REACHED),  # 0.3 - 0.1 - 0.1 - 0.1 is not 0 to a computer
    ([0.0, 0.0, -10.0, 5.0, 5.0], 4.0, measures.REACHED),  # paid for when it is delivered
    ([-10.0, 20.0, -15.0, 20.0], 0.5, measures.REACHED_AND_LOST),  # a refresh
])  # fmt: skip
def test_when_and_why(usd: list[float], when: float, reason: OutcomeReason) -> None:
    got = measures.simple_payback(usd=np.array(usd))
    assert measures.ENDINGS[int(got.ending)] == reason
    assert float(got.months) == pytest.approx(when, nan_ok=True)
    assert float(got.month) == pytest.approx(np.ceil(when), nan_ok=True)
    assert bool(got.is_found) is bool(np.isfinite(when))


@given(PRICE, SAVINGS, st.floats(1.0, 3.0))
def test_a_higher_price_is_not_paid_back_sooner(price: float, savings: Any, times: float) -> None:
    cheap, dear = (measures.simple_payback(usd=np.append(-usd, savings)) for usd in (price, times * price))
    assert month(cheap) <= month(dear)


@given(PRICE, SAVINGS, st.floats(0.0, 1e4))
def test_more_saved_is_not_paid_back_later(price: float, savings: Any, more: float) -> None:
    less, much = (measures.simple_payback(usd=np.append(-price, savings + extra)) for extra in (0.0, more))
    assert month(much) <= month(less)


@given(PRICE, SAVINGS)
def test_the_part_of_a_month_lies_within_the_month(price: float, savings: Any) -> None:
    got = measures.simple_payback(usd=np.append(-price, savings))
    if got.is_found:
        assert float(got.month) - 1 <= float(got.months) <= float(got.month)


@given(st.lists(st.lists(st.floats(-1e5, 1e5), min_size=6, max_size=6), min_size=1, max_size=6))
def test_arrays_give_what_scalars_give(rows: list[list[float]]) -> None:
    every = measures.simple_payback(usd=np.array(rows))
    for index, row in enumerate(rows):
        one, same = measures.simple_payback(usd=np.array(row)), every.at(index)
        assert one.reason == same.reason
        assert np.array_equal([one.month, one.months], [same.month, same.months], equal_nan=True)
