"""The least of a penalised sum of squares, by Levenberg's and Marquardt's steps: constants in logarithms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_DAMPING = 1e-3  # to begin with
_LONGEST_STEP = 0.7


class Problem(Protocol):
    """What is to be made small."""

    def errors(self, place: Array) -> Array:
        """How far each run is off there, as the logarithm of predicted over published."""

    def cost(self, errors: Array, place: Array) -> float:
        """What is made small: errors with outliers held down, and the pull to what is expected."""

    def around(self, place: Array, errors: Array) -> tuple[Array, Array]:
        """Curvature and the way down there."""


@dataclass(frozen=True)
class Steps:
    """How long it is tried."""

    rounds: int
    tries: int  # of shorter and shorter steps in a round
    shorter: float  # how much more each try is damped
    least_damping: float
    enough: float = 0.0  # it ends with a round that gains less,
    enough_share: float = 0.0  # or less than this share of what is left


def least(problem: Problem, start: Array, steps: Steps) -> Array:
    """The place with the least cost that the steps find."""
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
