"""The least of a penalized sum of squares, by Levenberg's and Marquardt's steps: constants in logarithms."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_DAMPING = 1e-3  # to begin with
_LONGEST_STEP = 0.7
_NUDGE = 1e-4


@dataclass(frozen=True)
class Loss:
    """Return the loss and the weight of an error, from its square in units of an outlier's."""

    cost: Callable[[Array], Array]
    pull: Callable[[Array], Array]


SOFT = Loss(lambda square: 2 * (np.sqrt(1 + square) - 1), lambda square: 1 / np.sqrt(1 + square))
CAUCHY = Loss(np.log1p, lambda square: 1 / (1 + square))  # far outliers pull hardly at all


@dataclass(frozen=True)
class LeastSquaresProblem:
    """Errors of runs to be made small, each constant drawn to its prior."""

    errors: Callable[[Array], Array]  # at a place: the logarithm of predicted over published, of each run
    weight: Array
    centre: Array
    sd: Array  # how far a constant may stray from there
    outlier: float  # an error beyond pulls less and less
    loss: Loss = SOFT
    slope: Callable[[Array], Array] | None = None  # of the errors, where it is had for less than a nudge of each

    def cost(self, errors: Array, place: Array) -> float:
        """Return what is to be made small: errors with outliers held down, and the pull to the priors."""
        loss = np.sum(self.weight * self.loss.cost((errors / self.outlier) ** 2)) * self.outlier**2
        return float(loss + np.sum(((place - self.centre) / self.sd) ** 2))

    def around(self, place: Array, errors: Array) -> tuple[Array, Array]:
        """Return the curvature and the way down at a place."""
        if self.slope is None:
            nudges = np.eye(len(place)) * _NUDGE
            slope = np.stack([(self.errors(place + nudge) - errors) / _NUDGE for nudge in nudges], axis=1)
        else:
            slope = self.slope(place)
        pull = self.weight * self.loss.pull((errors / self.outlier) ** 2)
        curve = slope.T @ (slope * pull[:, None]) + np.diag(self.sd**-2.0)
        return curve, -(slope.T @ (pull * errors) + (place - self.centre) / self.sd**2)


@dataclass(frozen=True)
class SolverSettings:
    """The limits of the iteration."""

    rounds: int
    tries: int  # of shorter and shorter steps in a round
    shorter: float  # how much more each try is damped
    least_damping: float
    enough: float = 0.0  # it ends with a round that gains less,
    enough_share: float = 0.0  # or less than this share of what is left


def minimize(problem: LeastSquaresProblem, start: Array, steps: SolverSettings) -> Array:
    """Return the place with the least cost that the steps find."""
    place, errors, damping = start, problem.errors(start), _DAMPING
    best = problem.cost(errors, place)
    for _ in range(steps.rounds):
        curve, downhill = problem.around(place, errors)
        for _ in range(steps.tries):
            move = np.linalg.solve(curve + damping * np.diag(np.diag(curve)), downhill)
            tried = place + np.clip(move, -_LONGEST_STEP, _LONGEST_STEP)
            tried_errors = problem.errors(tried)
            cost = problem.cost(tried_errors, tried)
            if cost < best:
                break
            damping *= steps.shorter
        else:
            break
        gained, place, errors, best = best - cost, tried, tried_errors, cost
        damping = max(damping / steps.shorter, steps.least_damping)
        if gained < max(steps.enough, steps.enough_share * best):
            break
    return place


BETWEEN_SD, WITHIN_SD = 0.1, 0.08  # of errors, in logarithms: levels of setups, and runs about their level


def within_setups(errors: Array, setup: NDArray[np.int_]) -> Array:
    """Return errors with most of each setup's mean taken off, so that a shared level weighs as one measurement.

    Of a random effect for each setup this is the whitening: what is left is independent and of equal size.
    """
    many = np.bincount(setup)
    total = np.zeros((len(many), *errors.shape[1:]))
    np.add.at(total, setup, errors)
    taken = 1 - np.sqrt(WITHIN_SD**2 / (WITHIN_SD**2 + many * BETWEEN_SD**2))
    share = taken / np.maximum(many, 1)
    return np.asarray(errors - (total.T * share).T[setup])
