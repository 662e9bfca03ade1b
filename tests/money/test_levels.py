"""Levels of demand: merged as they arise, they keep hours and peaks, and stay near every combination spelt out."""

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.demand.levels import DemandLevels, hourly_levels, on_off_levels, together
from planner.money.demand.stream import demand
from planner.scenario.budget import MOST_LEVELS
from planner.scenario.scenario import Scenario
from tests.examples import at_most

MEGABYTE = 1e6
GRID_ERROR = 1 / (4 * (MOST_LEVELS - 1))  # of the most at once, for each kind of work that takes a grid
SEASON = (1.0, 1.1, 0.9, 1.0, 1.0, 1.0, 0.7, 1.0, 1.2, 1.0, 1.0, 1.0)
DAY = (1.0, *(0.49 + hour / 100 for hour in range(1, 24)))


def ten_years_by_the_hour(*accelerators: int) -> Scenario:
    """Works with 24 levels a day each, that grow and have a season."""
    works = [{"accelerators": many, "growth_per_year": 2.0, "season": SEASON, "by_hour": DAY} for many in accelerators]
    return Scenario.model_validate({"years": 10.0, "work": tuple(works)})


def spelt_out(works: list[DemandLevels], fleets: np.ndarray[Any, Any], draw: int) -> tuple[Any, Any]:
    """What fleets do, and the peak, from every combination of patterns and levels: fleets x months, months."""
    each = [
        [
            (work.at_once[pattern, level], work.frequency[pattern, level] * shares[pattern])
            for pattern, level in product(range(work.frequency.shape[0]), range(work.frequency.shape[1]))
        ]
        for work in works
        for shares in [work.shares if work.shares.ndim == 2 else work.shares[draw]]
    ]
    done, peak = np.zeros(1), np.zeros(1)
    for combination in product(*each):
        wanted = sum(at_once for at_once, _ in combination)
        share = np.prod(np.broadcast_arrays(*(often for _, often in combination)), axis=0)
        done = done + np.minimum(wanted, fleets[:, None]) * share
        peak = np.maximum(peak, np.where(share > 0, wanted, 0.0))
    return done, peak


MONTHS = 3
MANY = st.lists(st.integers(1, 300), min_size=MONTHS, max_size=MONTHS).map(lambda many: np.array(many, dtype=float))
SHARES = st.lists(st.sampled_from([0.0, 0.01, 0.3, 0.625, 0.9, 1.0]), min_size=MONTHS, max_size=MONTHS).map(np.array)
FACTORS = np.array([[0.5], [1.0], [1.6]])
DAYS = st.lists(st.sampled_from([0.0, 0.1, 0.17, 0.31, 0.5, 0.77, 0.9]), min_size=5, max_size=5).map(
    lambda day: (1.0, *day)
)


@st.composite
def works(draw: st.DrawFn) -> DemandLevels:
    """One kind of work, by the hour or not, whose hours differ from draw to draw or do not."""
    many, share = draw(MANY), draw(SHARES)
    if draw(st.booleans()):
        share = np.minimum(share * FACTORS, 1.0)
    return hourly_levels(many, share, draw(DAYS)) if draw(st.booleans()) else on_off_levels(many, share)


@pytest.mark.slow
@at_most(60)
@given(st.lists(works(), min_size=1, max_size=3), st.lists(st.integers(0, 900), min_size=1, max_size=4))
def test_merged_levels_stay_near_every_combination(kinds: list[DemandLevels], sizes: list[int]) -> None:
    found, fleets = together(kinds), np.array([*sizes, 10_000], dtype=float)
    for draw in range(len(FACTORS)):
        done, peak = spelt_out(kinds, fleets, draw)
        rows = [np.broadcast_to(found.below(fleet), (len(FACTORS), MONTHS))[draw] for fleet in fleets]
        assert np.abs(np.stack(rows) - done).max() <= GRID_ERROR * len(kinds) * peak.max() + 1e-9
        assert rows[-1] == pytest.approx(np.broadcast_to(done[-1], MONTHS), rel=1e-12, abs=1e-12)
        assert np.broadcast_to(found.peak, (len(FACTORS), MONTHS))[draw] == pytest.approx(
            np.broadcast_to(peak, MONTHS), rel=1e-12
        )


@at_most(30)
@given(st.lists(works(), min_size=2, max_size=2), st.integers(0, 600))
def test_few_levels_are_every_combination(kinds: list[DemandLevels], fleet: int) -> None:
    """Up to seven levels a kind: no two of them need a grid."""
    found = together(kinds)
    for draw in range(len(FACTORS)):
        done, _ = spelt_out(kinds, np.array([fleet], dtype=float), draw)
        row = np.broadcast_to(found.below(float(fleet)), (len(FACTORS), MONTHS))[draw]
        assert row == pytest.approx(np.broadcast_to(done[0], MONTHS), rel=1e-9, abs=1e-9)


def test_equal_levels_are_one_and_lose_nothing() -> None:
    """Eight works that want the same want nine numbers at once, in 256 combinations."""
    works = [on_off_levels(np.array([8.0]), np.array([0.3])) for _ in range(8)]
    found = together(works)
    assert found.sizes.tolist() == [8.0 * one for one in range(1, 9)]
    assert found.ever_used.sum() <= MOST_LEVELS
    done, _ = spelt_out(works, np.array([20.0]), 0)
    assert found.below(20.0) == pytest.approx(done[0], rel=1e-12)
    drawn = together([on_off_levels(np.array([8.0]), np.full((2, 1), 0.3)) for _ in range(8)])
    assert drawn.at_once.shape[0] <= MOST_LEVELS
    assert drawn.below(20.0)[0] == pytest.approx(done[0], rel=1e-12)


def test_what_is_tried_out_changes_how_often_a_pattern_holds_and_no_level() -> None:
    there = demand(ten_years_by_the_hour(100, 200), busy_factor=np.linspace(0.5, 1.5, 1_024)[:, None]).levels
    patterns, levels, months = there.frequency.shape
    assert patterns <= 9  # off, as the day goes, always: of each
    assert levels <= MOST_LEVELS
    assert there.shares.shape == (1_024, patterns, months)


def test_two_works_by_the_hour_over_ten_years_fit_in_little_memory() -> None:
    """As draws x every combination they would be 650 MB, several times over."""
    asked = ten_years_by_the_hour(100, 200)
    tracemalloc.start()
    there = demand(asked, busy_factor=np.linspace(0.5, 1.5, 1_024)[:, None])
    hours = there.all_hours
    most = tracemalloc.get_traced_memory()[1] / MEGABYTE
    tracemalloc.stop()
    assert most < 100
    alone = demand(asked, busy_factor=0.5)
    assert hours[0] == pytest.approx(alone.all_hours, rel=1e-9)
    assert there.peak[0] == pytest.approx(alone.peak, rel=1e-12)


def test_more_patterns_than_are_kept_go_onto_a_grid() -> None:
    """Eight services of different sizes, busier and less so: 256 patterns of one level each."""
    kinds = [on_off_levels(np.array([7.0 + 3.1**one]), np.array([[0.2], [0.4]])) for one in range(8)]
    found = together(kinds)
    assert found.shares.shape[-2] <= MOST_LEVELS
    assert found.shares.sum(axis=-2) == pytest.approx(1.0)
    whole = sum(7.0 + 3.1**one for one in range(8))
    assert found.peak[:, 0] == pytest.approx([whole, whole])
    assert found.below(np.inf)[:, 0] == pytest.approx([0.2 * whole, 0.4 * whole])
    done, _ = spelt_out(kinds, np.array([whole / 3]), 1)
    assert found.below(whole / 3)[1] == pytest.approx(done[0], abs=2 * GRID_ERROR * whole)
