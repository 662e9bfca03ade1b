"""Load: how much of the time each accelerator would be busy, and what a busy or an idle hour of it costs each way.

The load-duration curve says for each slice of capacity, from the first accelerator up, in what share of the hours it
would have work. Beside it stand the screening lines: what an hour of capacity costs at each level of use. Where two
lines cross, one way takes over from another. Together they say how much to own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.queueing import least_busy_share_to_own
from planner.money.demand.stream import Demand
from planner.money.finance import SolveResult
from planner.money.setting import PlanContext
from pricing.caching import cached_property

Array = NDArray[np.float64]

FINEST = 256  # slices of a curve that is shown
_NEARLY = 1e-9


@dataclass(frozen=True, eq=False)
class LoadCurve:
    """Slices of capacity from the bottom up, and the share of the plan's hours in which each has work."""

    edges: Array  # accelerators: 0, and the top of each slice
    busy_share: Array  # of each slice
    plan_hours: float

    @cached_property
    def hours(self) -> Array:
        """Accelerator-hours of work in each slice, over the whole plan."""
        return np.asarray(np.diff(self.edges) * self.busy_share * self.plan_hours)

    @property
    def peak(self) -> float:
        """The most accelerators that are wanted at once."""
        return float(self.edges[-1])

    def units_busier_than(self, share: float) -> float:
        """How many accelerators are busy more than this share of the time: the newsvendor's answer. [count]"""
        idle = np.flatnonzero(self.busy_share <= share + _NEARLY)
        return float(self.edges[idle[0]] if idle.size else self.edges[-1])


@dataclass(frozen=True)
class Screen:
    """One way on the screening chart: what an hour of one accelerator's capacity costs, idle, and more when busy."""

    name: str
    usd_per_hour: float
    usd_per_busy_hour: float

    def at(self, busy_share: Array | float) -> Array:
        """The cost of an hour of capacity that is so busy. [USD]"""
        return np.asarray(self.usd_per_hour + self.usd_per_busy_hour * np.asarray(busy_share, dtype=np.float64))


@dataclass(frozen=True)
class Piece:
    """A part of the lower envelope: one way is the cheapest for use between two shares of the time."""

    name: str
    from_share: float
    to_share: float


def completed_hours(demand: Demand, fleets: Array, reach: Array | float = 1.0) -> Array:
    """What fleets of these sizes do in a whole month: fleets x months, in accelerator-hours."""
    hours = demand.plain.hours_per_month
    fixed = demand.levels.below(fleets) * hours
    room = np.maximum(fleets[:, None] * hours * np.reshape(reach, (-1, 1)) - fixed, 0.0)
    return np.asarray(fixed + np.minimum(demand.waiting_hours, room))


def load_curve(setting: PlanContext) -> LoadCurve:
    """The curve of a plan: what may wait fills the hours in which nothing else runs, lowest slices first."""
    demand, runs = setting.demand, setting.timeline.runs
    peak = max(float(np.max(demand.peak + demand.waiting_at_once)), 1.0)
    edges = np.unique(np.ceil(np.linspace(0.0, peak, min(int(peak), FINEST) + 1) - _NEARLY))
    done = np.broadcast_to(completed_hours(demand, edges), (len(edges), len(runs)))
    plan_hours = float(runs.sum()) * demand.plain.hours_per_month
    busy = np.diff((done * runs).sum(axis=-1)) / (np.diff(edges) * plan_hours)
    return LoadCurve(edges, np.clip(busy, 0.0, 1.0), plan_hours)


def threshold(own: Screen, rent: Screen) -> SolveResult:
    """The share of the time above which a unit of capacity is better owned than rented. [1]"""
    return least_busy_share_to_own(
        own_usd_per_hour=own.usd_per_hour - rent.usd_per_hour,
        running_usd_per_busy_hour=own.usd_per_busy_hour,
        rent_usd_per_busy_hour=rent.usd_per_busy_hour,
    )


def lower_envelope(screens: Sequence[Screen]) -> tuple[Piece, ...]:
    """Which way is the cheapest at which use, from capacity that is never busy to capacity that always is."""
    at, pieces = 0.0, []
    # Where several cost the same from here on, the flattest line wins as soon as it is busier.
    now = min(screens, key=lambda one: (one.usd_per_hour, one.usd_per_busy_hour), default=None)
    while now is not None:
        later = [(crossing(now, one), one.usd_per_busy_hour, one) for one in screens if one is not now]
        ahead = [found for found in later if found[0] is not None and at < found[0] < 1.0]
        soonest = min(ahead, key=lambda found: (found[0], found[1]), default=None)
        until = 1.0 if soonest is None else float(soonest[0] or 0.0)
        pieces.append(Piece(now.name, at, until))
        at, now = until, None if soonest is None else soonest[2]
    return tuple(pieces)


def crossing(one: Screen, other: Screen) -> float | None:
    """The use at which a line that is dearer when idle becomes the cheaper one; None where it never does. [1]"""
    steeper = one.usd_per_busy_hour - other.usd_per_busy_hour
    return (other.usd_per_hour - one.usd_per_hour) / steeper if steeper > 0 else None
