"""Levels of setups: how fast runs of one engine, chip, model and format are, over what the constants alone predict.

Constants are fitted to differences within setups; what is left is one offset for each setup. It is read from the rest
of the errors, drawn to nothing where few sources tell it.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from planner.speed.bands import Level
from tools.calibration.least_squares import Array

_PULL = 0.5  # setups that tell as much as the belief that the constants say all: teams differ less than setups do


def fitted_levels(names: NDArray[np.str_], setup: NDArray[np.int_], errors: Array) -> dict[str, Level]:
    """Return the level of each name; each of its setups, a source at a time, has one vote. Nameless runs have none."""
    levels = {}
    for name in np.unique(names[(names != "") & np.isfinite(errors)]):
        there = (names == name) & np.isfinite(errors)
        votes = [float(np.median(errors[there & (setup == each)])) for each in np.unique(setup[there])]
        offset = float(np.mean(votes)) * len(votes) / (len(votes) + _PULL)
        levels[str(name)] = Level(ratio=round(float(np.exp(-offset)), 4), setups=len(votes), runs=int(there.sum()))
    return levels


def leveled(errors: Array, names: NDArray[np.str_], levels: Mapping[str, Level]) -> Array:
    """Return errors as they are with these levels."""
    ratios = np.array([levels[name].ratio if name in levels else 1.0 for name in names.tolist()])
    return np.asarray(errors + np.log(ratios))
