"""Draws: the points at which the futures are looked at, spread evenly by a scrambled Sobol sequence.

The same seed gives the same points, bit by bit, on every machine. Points of a Sobol sequence fill the space of all
inputs so evenly that a thousand of them tell as much as many thousands drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from planner.money.owning.inputs import POSITION
from planner.study.data_files import assumed
from planner.study.uncertainty.distributions import DistributionError
from planner.study.uncertainty.normal import ndtri
from planner.study.uncertainty.sobol import most_inputs, sobol
from planner.study.uncertainty.uncertain_inputs import RENTS, Doubtful, at

MOST_DRAWS = 65_536
_SMALLEST = 2.0**-32  # half a step of the sequence: no point lies on an edge


@lru_cache(maxsize=32)
def points(inputs: int, count: int, seed: int) -> NDArray[np.float64]:
    """Points between 0 and 1, draws x inputs. The first are the same whatever the count, up to a power of two."""
    if not 1 <= count <= MOST_DRAWS:
        raise DistributionError(f"want 1 to {MOST_DRAWS:,} futures, got {count:,}.")
    if inputs > most_inputs():
        raise DistributionError(f"want at most {most_inputs()} inputs that may turn out otherwise, got {inputs:,}.")
    made = sobol(inputs, math.ceil(math.log2(count)), seed)
    found: NDArray[np.float64] = np.clip(made[:count], _SMALLEST, 1 - _SMALLEST)
    found.flags.writeable = False
    return found


def normals(inputs: tuple[Doubtful, ...], count: int, seed: int) -> NDArray[np.float64]:
    """The draws as distances from the middle of each input. Those that move together are tied."""
    return tied(inputs, ndtri(points(len(inputs), count, seed)))


def tied(inputs: tuple[Doubtful, ...], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Independent distances with what is left of the price tied to where rents go: a Gaussian copula."""
    places = {one.name: place for place, one in enumerate(inputs)}
    rent = next((places[name] for name in RENTS if name in places), None)
    if rent is None or POSITION not in places:
        return z
    share = assumed().together.coefficient
    out = z.copy()
    out[:, places[POSITION]] = share * z[:, rent] + math.sqrt(1 - share**2) * z[:, places[POSITION]]
    return out


def drawn(inputs: tuple[Doubtful, ...], count: int, seed: int) -> Mapping[str, NDArray[np.float64]]:
    """So many values of every input, by name."""
    return at(inputs, normals(inputs, count, seed))
