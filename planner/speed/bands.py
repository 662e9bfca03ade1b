"""How sure a prediction is: the spread of published over predicted for runs whose source was left out of the fit."""

from __future__ import annotations

from pydantic import Field

from pricing.figure import Strict

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
