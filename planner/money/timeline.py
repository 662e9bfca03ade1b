"""The months of a plan. Entry 0 is today, entry m is month m; what happens when is told by flags, not by cases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Origin, Used

PLAN = Origin("the months of the plan", "computed")
_NEARLY = 1e-9  # 36.0000000001 months are 36


@dataclass(frozen=True)
class Timeline:
    """A plan of `months`, which need not be whole: the last month then runs in part."""

    months: float

    @property
    def last(self) -> int:
        """The number of the last month."""
        return int(np.ceil(self.months - _NEARLY))

    @cached_property
    def runs(self) -> NDArray[np.float64]:
        """The share of each month in which the plan runs: 0 today, 1 in whole months, less in a last one cut short."""
        month = np.arange(self.last + 1, dtype=np.float64)
        return np.clip(self.months - (month - 1), 0.0, 1.0) * (month > 0)

    @cached_property
    def starts(self) -> NDArray[np.float64]:
        """1 today, 0 afterwards."""
        return np.equal(np.arange(self.last + 1), 0).astype(np.float64)

    @cached_property
    def ends(self) -> NDArray[np.float64]:
        """1 in the last month, 0 before."""
        return np.equal(np.arange(self.last + 1), self.last).astype(np.float64)

    @property
    def flags(self) -> tuple[Used, ...]:
        """The three flags as inputs of a ledger line."""
        return (
            Used("starts", self.starts, "1 today, else 0", PLAN),
            Used("runs", self.runs, "share of each month", PLAN),
            Used("ends", self.ends, "1 in the last month, else 0", PLAN),
        )
