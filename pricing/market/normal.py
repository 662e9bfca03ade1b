"""The normal distribution, from a table right to 1e-7: importing scipy would slow every start of the program."""

import math

import numpy as np
from numpy.typing import NDArray

_END, _PER_UNIT = 9.0, 1_000
_BELOW = np.array([0.5 * (1 + math.erf(place / _PER_UNIT / math.sqrt(2))) for place in range(-9_000, 9_001)])
_STEP = np.append(np.diff(_BELOW), 0.0)


def normal_cdf(values: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of a standard normal distribution below each value."""
    place = (np.clip(values, -_END, _END) + _END) * _PER_UNIT
    cell = place.astype(np.intp)
    return np.asarray(_BELOW[cell] + _STEP[cell] * (place - cell))
