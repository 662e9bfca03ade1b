"""When to order each slice of a base: in the month in which it costs least against paying for its work by the hour.

Slices of capacity do not depend on each other: the lowest has the most work and is ordered first. So where nothing
limits the money, each takes its own best month; where something does, a mixed-integer programme chooses all together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.scenario.own import Order

Array = NDArray[np.float64]
_NEARLY = 1e-9


@dataclass(frozen=True)
class Schedule:
    """The best month to order each slice of a base, the lowest slice first."""

    tops: tuple[int, ...]  # accelerators up to the top of each slice
    months: tuple[int, ...]  # in which each slice is ordered; never before the one below it
    may: tuple[int, ...]  # the months in which machines may be ordered; in the first of them what is bought at once

    def earlier(self) -> Schedule:
        """Each slice a chance to order earlier: what lies between the months is known to the ledger alone."""
        return replace(self, months=tuple(self.may[max(self.may.index(month) - 1, 0)] for month in self.months))

    def upto(self, size: int) -> tuple[Order, ...]:
        """The orders of a base of such a size; none where all of it is bought at once."""
        orders: dict[int, int] = {}
        below = 0
        for top, month in zip(self.tops, self.months, strict=True):
            if below < size:
                orders[month] = orders.get(month, 0) + min(top, size) - below
            below = top
        if set(orders) <= {self.may[0]}:
            return ()
        return tuple(Order.model_construct(accelerators=count, month=month) for month, count in orders.items())


@dataclass(frozen=True, eq=False)
class Count:
    """What ordering a slice in a month comes to under one count of money, against paying for its work by the hour."""

    usd: Array  # months of the order x slices
    most_usd: float = np.inf  # that all of them together may come to


def best_months(cost: Count, limits: Sequence[Count] = ()) -> NDArray[np.intp]:
    """For each slice the place of its best month; as if alone where it is best never ordered."""
    alone = np.argmin(cost.usd, axis=0)
    if not limits or all(_keeps(one, cost, alone) for one in limits):
        return np.maximum.accumulate(alone)
    chosen = within(cost, limits)
    return np.maximum.accumulate(alone if chosen is None else np.where(chosen < 0, alone, chosen))


def _keeps(limit: Count, cost: Count, months: NDArray[np.intp]) -> bool:
    """Whether the slices that are worth it keep to a limit in their best months."""
    slices = np.arange(len(months))
    taken = cost.usd[months, slices] < 0
    return float(limit.usd[months, slices][taken].sum()) <= limit.most_usd + _NEARLY


def within(cost: Count, limits: Sequence[Count]) -> NDArray[np.intp] | None:
    """The months that cost least within the limits, -1 for a slice that is never ordered; None where there are none."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # takes longer to load than to solve

    months, slices = cost.usd.shape
    once = np.tile(np.eye(slices), (1, months))
    matrix = np.vstack([once, *(limit.usd.reshape(1, -1) for limit in limits)])
    most = np.array([*[1.0] * slices, *(limit.most_usd for limit in limits)])
    found = milp(
        cost.usd.ravel() / max(float(np.max(np.abs(cost.usd))), 1.0),
        constraints=LinearConstraint(matrix, np.full(len(most), -np.inf), most),
        bounds=Bounds(0.0, 1.0),
        integrality=np.ones(months * slices),
        options={"mip_rel_gap": 1e-9},
    )
    if found.x is None:
        return None
    taken = found.x.reshape(months, slices) > 1 / 2
    return np.where(taken.any(axis=0), taken.argmax(axis=0), -1)
