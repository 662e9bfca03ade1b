"""Prices that move: flat, falling, rising, by schedule, and as two quotes imply."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money import price_path
from planner.money.outcome import FOUND

CHANGE = st.floats(-0.9, 3.0)
MONTHS = st.integers(0, 90)
STEP = st.sampled_from(["month", "year"])


@given(MONTHS, STEP)
def test_a_price_that_does_not_move_stays(months: int, step: price_path.Step) -> None:
    path = price_path.price_multipliers(change_per_year=0.0, months=months, step=step)
    assert path.tolist() == [1.0] * (months + 1)


@given(CHANGE, MONTHS, STEP)
def test_a_path_moves_one_way_and_starts_at_todays_price(change: float, months: int, step: price_path.Step) -> None:
    path = price_path.price_multipliers(change_per_year=change, months=months, step=step)
    assert path[:2].tolist() == [1.0] * min(2, months + 1)
    assert (np.diff(path) * np.sign(change) >= 0).all()


@given(CHANGE, STEP)
def test_after_each_year_both_steps_meet(change: float, step: price_path.Step) -> None:
    path = price_path.price_multipliers(change_per_year=change, months=37, step=step)
    assert path[[1, 13, 25, 37]] == pytest.approx((1 + change) ** np.arange(4.0))
    assert price_path.later_price_multiplier(change_per_year=change, years=3.0) == pytest.approx(path[37])


@given(CHANGE, st.integers(1, 7))
def test_a_schedule_of_equal_changes_is_the_path_in_yearly_steps(change: float, years: int) -> None:
    levels = price_path.levels_from_changes(changes_per_year=np.full(years - 1, change))
    months = 12 * years
    schedule = price_path.scheduled_multipliers(levels=levels, months=months, step="year")
    assert schedule == pytest.approx(price_path.price_multipliers(change_per_year=change, months=months, step="year"))


@given(st.lists(CHANGE, min_size=1, max_size=5), MONTHS, STEP)
def test_arrays_give_what_scalars_give(changes: list[float], months: int, step: price_path.Step) -> None:
    every = price_path.price_multipliers(change_per_year=np.array(changes), months=months, step=step)
    each = [price_path.price_multipliers(change_per_year=one, months=months, step=step) for one in changes]
    assert every.tolist() == [one.tolist() for one in each]
    levels = np.stack([1 + np.array(changes), np.ones(len(changes))], axis=-1)
    paths = price_path.scheduled_multipliers(levels=levels, months=months, step=step)
    assert paths.shape == (len(changes), months + 1)
    assert (paths[:, 0] == 1).all()


@given(st.floats(-0.6, 2.0), st.integers(1, 24), st.integers(2, 60))
def test_the_change_put_in_comes_out_of_the_quotes(change: float, short: int, more: int) -> None:
    """Each term costs the mean of the monthly prices it locks in."""
    path = price_path.price_multipliers(change_per_year=change, months=short + more, step="month")[1:]
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
        price_path.LONGER_COSTS_LESS,
        price_path.LONGER_COSTS_LESS,
        FOUND,
        price_path.OUT_OF_RANGE,
    ]
    assert got.at(2).value == pytest.approx(0.0, abs=1e-12)


@given(st.floats(0.2, 20.0))
def test_after_the_halving_time_half_is_left(years: float) -> None:
    change = price_path.change_from_halving(halving_years=years)
    assert price_path.later_price_multiplier(change_per_year=change, years=years) == pytest.approx(0.5)
