"""What training and serving share when a fit is made and judged: nothing that is left out is seen."""

import numpy as np
import pytest

from planner.evidence.table import RunTableError
from tools.calibration.cross_validation import (
    bands_by_group,
    check_enough_sources,
    judged,
    leave_half_out_errors,
    leave_one_group_out_errors,
)
from tools.calibration.least_squares import CAUCHY, SOFT, Array, LeastSquaresProblem, Loss, SolverSettings, minimize

SOURCES = np.array(["a", "b", "a", "c", "d", "d"])
STEPS = SolverSettings(rounds=25, tries=6, shorter=5, least_damping=1e-5, enough_share=1e-9)


X, Y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 3.0, 5.0, 7.0])


def line(published: Array, loss: Loss = SOFT, sd: float = 1e4) -> LeastSquaresProblem:
    """Runs that lie on a line, with a weak pull to nothing."""
    return LeastSquaresProblem(
        errors=lambda place: np.asarray(place[0] + place[1] * X - published), weight=np.ones(len(X)),
        centre=np.zeros(2), sd=np.full(2, sd), outlier=0.5, loss=loss,
    )  # fmt: skip


@pytest.mark.parametrize("loss", [SOFT, CAUCHY])
def test_the_least_is_found_and_no_step_makes_it_worse(loss: Loss) -> None:
    start, problem = np.array([0.5, 0.5]), line(Y, loss)
    assert minimize(problem, start, STEPS) == pytest.approx([1.0, 2.0], abs=1e-3)
    one = minimize(problem, start, SolverSettings(rounds=1, tries=6, shorter=5, least_damping=1e-5))
    assert problem.cost(problem.errors(one), one) < problem.cost(problem.errors(start), start)


def test_an_outlier_is_held_down_and_harder_by_cauchy() -> None:
    wild = Y + np.array([0.0, 0.0, 0.0, 20.0])
    start = np.array([1.0, 2.0])
    soft, cauchy = (np.abs(minimize(line(wild, loss), start, STEPS) - start).max() for loss in (SOFT, CAUCHY))
    plain = np.abs(np.polyfit(X, wild, 1)[::-1] - start).max()
    assert cauchy < 0.5 < soft < plain


def test_a_constant_is_drawn_to_its_prior() -> None:
    assert minimize(line(Y, sd=1e-3), np.array([0.5, 0.5]), STEPS) == pytest.approx([0.0, 0.0], abs=1e-2)


def test_every_group_is_left_out_once_and_alone() -> None:
    seen: list[list[str]] = []

    def errors(out: np.ndarray) -> Array:
        seen.append(SOURCES[out].tolist())
        return np.arange(float(out.sum()))

    assert leave_one_group_out_errors(SOURCES, errors).tolist() == [0, 0, 1, 0, 0, 1]
    assert seen == [["a", "a"], ["b"], ["c"], ["d", "d"]]
    assert np.isnan(leave_one_group_out_errors(["a", "a"], errors)).all()  # nothing would be left to fit to


def test_half_of_the_sources_are_left_out_in_every_draw_and_the_draws_are_the_same_each_time() -> None:
    first, again = (leave_half_out_errors(SOURCES, lambda out: np.ones(int(out.sum()))) for _ in range(2))
    assert all(len(set(SOURCES[np.isfinite(line)])) == 2 for line in first)
    assert np.array_equal(first, again, equal_nan=True)


def test_a_band_holds_what_its_runs_were_and_needs_enough_of_them() -> None:
    errors, names = np.linspace(-0.1, 0.1, 6), [("x", "y")] * 5 + [("x",)]
    bands = bands_by_group(names, errors, tells=lambda _, runs: runs > 5)
    assert bands.keys() == {"x"}
    assert 0.9 < bands["x"].low < 1 < bands["x"].high < 1.11
    assert bands["x"].rows == 6


def test_a_fit_is_judged_by_all_then_kinds_then_sources_with_the_worst_first() -> None:
    groups = judged([("dense", "near", 0.01), ("dense", "far", 0.5), ("moe", "near", 0.02)])
    assert [(one.by, one.name) for one in groups] == [
        ("all", "all"), ("kind", "dense"), ("kind", "moe"), ("source", "far"), ("source", "near"),
    ]  # fmt: skip


def test_one_source_is_too_few_to_judge_a_fit() -> None:
    check_enough_sources("serving", ["a", "b"])
    with pytest.raises(RunTableError, match="serving: runs of 1 sources can be fitted to, want at least 2"):
        check_enough_sources("serving", ["a", "a"])
