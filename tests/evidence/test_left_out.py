"""What training and serving share when a fit is made and judged: nothing that is left out is seen."""

from __future__ import annotations

import numpy as np
import pytest

from planner.evidence.table import RunTableError
from tools.calibration.least_squares import Array, SolverSettings, least
from tools.calibration.left_out import bands_of, enough_sources, judged, without_each, without_halves

SOURCES = np.array(["a", "b", "a", "c", "d", "d"])
STEPS = SolverSettings(rounds=25, tries=6, shorter=5, least_damping=1e-5, enough_share=1e-9)


class Line:
    """Runs that lie on a line, with a weak pull to nothing."""

    x = np.array([0.0, 1.0, 2.0, 3.0])
    y = np.array([1.0, 3.0, 5.0, 7.0])

    def errors(self, place: Array) -> Array:
        return np.asarray(place[0] + place[1] * self.x - self.y)

    def cost(self, errors: Array, place: Array) -> float:
        return float(errors @ errors + 1e-9 * place @ place)

    def around(self, place: Array, errors: Array) -> tuple[Array, Array]:
        slopes = np.stack([np.ones(4), self.x], axis=1)
        return slopes.T @ slopes + 1e-9 * np.eye(2), -(slopes.T @ errors + 1e-9 * place)


def test_the_least_is_found_and_no_step_makes_it_worse() -> None:
    start = np.array([0.5, 0.5])
    assert least(Line(), start, STEPS) == pytest.approx([1.0, 2.0], abs=1e-4)
    one = least(Line(), start, SolverSettings(rounds=1, tries=6, shorter=5, least_damping=1e-5))
    assert Line().cost(Line().errors(one), one) < Line().cost(Line().errors(start), start)


def test_every_group_is_left_out_once_and_alone() -> None:
    seen: list[list[str]] = []

    def errors(out: np.ndarray) -> Array:
        seen.append(SOURCES[out].tolist())
        return np.arange(float(out.sum()))

    assert without_each(SOURCES, errors).tolist() == [0, 0, 1, 0, 0, 1]
    assert seen == [["a", "a"], ["b"], ["c"], ["d", "d"]]
    assert np.isnan(without_each(["a", "a"], errors)).all()  # nothing would be left to fit to


def test_half_of_the_sources_are_left_out_in_every_draw_and_the_draws_are_the_same_each_time() -> None:
    first, again = (without_halves(SOURCES, lambda out: np.ones(int(out.sum()))) for _ in range(2))
    assert all(len(set(SOURCES[np.isfinite(line)])) == 2 for line in first)
    assert np.array_equal(first, again, equal_nan=True)


def test_a_band_holds_what_its_runs_were_and_needs_enough_of_them() -> None:
    errors, names = np.linspace(-0.1, 0.1, 6), [("x", "y")] * 5 + [("x",)]
    bands = bands_of(names, errors, tells=lambda _, runs: runs > 5)
    assert bands.keys() == {"x"}
    assert 0.9 < bands["x"].low < 1 < bands["x"].high < 1.11
    assert bands["x"].rows == 6


def test_a_fit_is_judged_by_all_then_kinds_then_sources_with_the_worst_first() -> None:
    groups = judged([("dense", "near", 0.01), ("dense", "far", 0.5), ("moe", "near", 0.02)])
    assert [(one.by, one.name) for one in groups] == [
        ("all", "all"), ("kind", "dense"), ("kind", "moe"), ("source", "far"), ("source", "near"),
    ]  # fmt: skip


def test_one_source_is_too_few_to_judge_a_fit() -> None:
    enough_sources("serving", ["a", "b"])
    with pytest.raises(RunTableError, match="serving: runs of 1 sources can be fitted to, want at least 2"):
        enough_sources("serving", ["a", "a"])
