"""Distributions: how likely each value of an input is, from the ends of its range.

A range of low, typical and high becomes a distribution in two pieces that meet in the middle: half of all futures lie
on either side of the typical value, the low end the 10th percentile and the high end the 90th. Where all three are
above nought the pieces are lognormal, so that nothing falls below nought; else they are normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pricing import PricingError

TAIL = 0.1  # of futures beyond each end of a range
Z_TAIL = 1.2815515655446004  # how many standard deviations that is


class DistributionError(PricingError):
    """A distribution that says nothing, or contradicts itself."""


@dataclass(frozen=True)
class Spread:
    """One input's distribution: `low` is the 10th percentile, `typical` the median, `high` the 90th."""

    low: float
    typical: float
    high: float
    least: float = -math.inf  # what lies beyond these counts as lying on them
    most: float = math.inf

    def __post_init__(self) -> None:
        told = (self.low, self.typical, self.high)
        if not all(map(math.isfinite, told)):
            raise DistributionError(f"want three numbers for a distribution, got {_told(told)}: enter the missing one.")
        if not self.low <= self.typical <= self.high:
            raise DistributionError(f"want low <= typical <= high, got {_told(told)}: put them in order.")
        if not self.least <= self.typical <= self.most:
            bounds = f"{self.least:g} to {self.most:g}"
            raise DistributionError(f"want the typical value within {bounds}, got {self.typical:g}: widen the bounds.")

    @property
    def certain(self) -> bool:
        """Whether there is nothing to draw."""
        return self.low == self.high

    def at(self, z: ArrayLike) -> NDArray[np.float64]:
        """The values so many standard deviations from the middle."""
        away = np.asarray(z, dtype=np.float64) / Z_TAIL
        if self.low > 0:
            down, up = math.log(self.typical) - math.log(self.low), math.log(self.high) - math.log(self.typical)
            values = self.typical * np.exp(away * np.where(away < 0, down, up))
        else:
            values = self.typical + away * np.where(away < 0, self.typical - self.low, self.high - self.typical)
        return np.asarray(np.clip(values, self.least, self.most))

    def over(self, times: float) -> Spread:
        """A distribution with this middle, whose ends lie so many times as far from it."""
        ends = (float(self.at(-Z_TAIL * times)), float(self.at(Z_TAIL * times)))
        return Spread(ends[0], self.typical, ends[1], self.least, self.most)


def _told(values: tuple[float, float, float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
