"""Distributions: their quantiles are the ends they were told, and one that says nothing is refused in a sentence."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from planner.study.uncertainty.uncertain_inputs import Z_TAIL, DistributionError, InputDistribution

ENDS = st.tuples(st.floats(-1e3, 0.0) | st.floats(1e-6, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))


@given(ENDS)
def test_a_tenth_lies_beyond_each_end_and_half_on_either_side(ends: tuple[float, float, float]) -> None:
    low, up, more = ends
    spread = InputDistribution(low, low + up, low + up + more)
    values = spread.at([-Z_TAIL, 0.0, Z_TAIL])
    assert values == pytest.approx([spread.low, spread.typical, spread.high], rel=1e-9, abs=1e-9)
    many = spread.at(np.linspace(-4, 4, 50))
    assert np.all(np.diff(many) >= 0)
    assert low <= 0 or np.all(many > 0)


def test_the_quantiles_of_many_draws_are_the_ends() -> None:
    shares = (np.arange(100_000) + 0.5) / 100_000
    drawn = InputDistribution(50.0, 80.0, 300.0).at(ndtri(shares))
    assert np.quantile(drawn, [0.1, 0.5, 0.9]) == pytest.approx([50.0, 80.0, 300.0], rel=1e-3)


def test_bounds_hold_and_a_narrower_spread_keeps_its_middle() -> None:
    share = InputDistribution(0.5, 0.9, 0.99, least=0.0, most=1.0)
    assert share.at(10.0) == 1.0
    half = InputDistribution(-0.25, 0.0, 0.3).over(0.5)
    assert (half.low, half.typical, half.high) == pytest.approx((-0.125, 0.0, 0.15))


@pytest.mark.parametrize(("told", "wish"), [
    ((2.0, 1.0, 3.0), "want low <= typical <= high, got 2, 1, 3"), ((1.0, 2.0, 1.5), "want low <= typical <= high"),
    ((math.nan, 1.0, 2.0), "want three numbers"), ((1.0, 2.0, math.inf), "want three numbers"),
])  # fmt: skip
def test_a_contradictory_or_empty_distribution_is_refused(told: tuple[float, float, float], wish: str) -> None:
    with pytest.raises(DistributionError, match=wish):
        InputDistribution(*told)


def test_a_middle_outside_its_bounds_is_refused() -> None:
    with pytest.raises(DistributionError, match="within 0 to 1, got 2"):
        InputDistribution(1.0, 2.0, 3.0, least=0.0, most=1.0)
