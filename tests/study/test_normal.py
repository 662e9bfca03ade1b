"""Our inverse of the normal distribution is scipy's, bit by bit, wherever futures are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri as scipys

from planner.study.uncertainty.draws import points
from planner.study.uncertainty.normal import NEAREST, ndtri


@pytest.mark.parametrize("seed", [7, 8, 2**40])
def test_draws_are_those_of_scipy(seed: int) -> None:
    drawn = points(40, 4_096, seed)
    assert ndtri(drawn).tobytes() == scipys(drawn).tobytes()
    assert ndtri(drawn).shape == drawn.shape


def test_ends_and_seams_are_those_of_scipy() -> None:
    seams = np.array([2.0**-32, NEAREST, np.exp(-2.0), 0.5, 1 - np.exp(-2.0), 1 - 2.0**-32])
    around = np.concatenate([seams, np.nextafter(seams, 0.5), np.linspace(1e-9, 1 - 1e-9, 100_001)])
    assert ndtri(around).tobytes() == scipys(around).tobytes()


@pytest.mark.parametrize("share", [0.0, 1.0, 1e-15, -0.1, np.nan])
def test_what_no_future_is_drawn_at_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="from 0 and from 1"):
        ndtri(np.array([0.5, share]))
