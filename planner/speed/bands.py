"""How sure a prediction is: the spread of published over predicted for runs whose source was left out of the fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from pricing.figure import Strict

TAIL = 0.1  # of runs outside the band on either side


class Band(Strict):
    """Factors on a prediction: a tenth of runs lies below `low`, a tenth above `high`."""

    low: float = Field(gt=0)
    high: float = Field(gt=0)
    rows: int = Field(ge=0)


def band_of_errors(errors: ArrayLike) -> Band:
    """The band that runs with these errors leave; an error is the logarithm of predicted over published."""
    ratios = np.exp(-np.asarray(errors, dtype=np.float64))
    low, high = np.quantile(ratios, [TAIL, 1 - TAIL])
    return Band(low=round(float(low), 3), high=round(float(high), 3), rows=ratios.size)
