"""How sure a prediction is: the spread of published over predicted for runs whose source was left out of the fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from pricing.figure import Strict

TAIL = 0.1  # of runs outside the band on either side
WIDER = 0.2  # how much each thing that a table leaves open widens a band, found by leaving it open where it is stated


class Band(Strict):
    """Factors on a prediction: a tenth of runs lies below `low`, a tenth above `high`."""

    low: float = Field(gt=0, description="a tenth of runs lies below this factor")
    high: float = Field(gt=0, description="a tenth of runs lies above it")
    rows: int = Field(ge=0, description="runs that it was taken from")

    def or_wider(self, other: Band) -> Band:
        """The outer ends of both."""
        return Band(low=min(self.low, other.low), high=max(self.high, other.high), rows=self.rows)

    def widened(self, unsaid: float) -> Band:
        """The band where so much had to be guessed that published runs mostly say."""
        power = 1 + WIDER * unsaid
        return Band(low=self.low**power, high=self.high**power, rows=self.rows)


def band_of_errors(errors: ArrayLike, *, weights: ArrayLike | None = None) -> Band:
    """The band that runs with these errors leave; an error is the logarithm of predicted over published."""
    ratios = np.exp(-np.asarray(errors, dtype=np.float64))
    if weights is None:
        low, high = np.quantile(ratios, [TAIL, 1 - TAIL])
    else:
        order = np.argsort(ratios)
        share = np.cumsum(np.asarray(weights, dtype=np.float64)[order])
        low, high = np.interp([TAIL, 1 - TAIL], share / share[-1], ratios[order])
    return Band(low=round(float(low), 3), high=round(float(high), 3), rows=ratios.size)
