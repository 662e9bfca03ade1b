"""Prices that move: flat, falling, rising, by schedule, and as two quotes imply."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money import price_path
from planner.money.finance import FOUND


@given(st.floats(-0.6, 2.0), st.integers(1, 24), st.integers(2, 60))
def test_the_change_put_in_comes_out_of_the_quotes(change: float, short: int, more: int) -> None:
    """Each term costs the mean of the monthly prices it locks in."""
    path = (1 + change) ** (np.arange(short + more) / 12)
    got = price_path.implied_change_per_year(
        short_usd_per_hour=path[:short].mean(),
        short_months=short,
        long_usd_per_hour=path.mean(),
        long_months=short + more,
    )
    assert got.reason == FOUND
    assert got.value == pytest.approx(change, abs=1e-7)


def test_quotes_that_imply_nothing_say_why() -> None:
    got = price_path.implied_change_per_year(
        short_usd_per_hour=3.0, short_months=12, long_usd_per_hour=np.array([0.9, 1.0, 3.0, 3e9]), long_months=36
    )
    assert got.reason.tolist() == [
        price_path.LONGER_COSTS_LESS, price_path.LONGER_COSTS_LESS, FOUND, price_path.OUT_OF_RANGE,
    ]  # fmt: skip
    assert np.asarray(got.value)[2] == pytest.approx(0.0, abs=1e-12)
