"""The load-duration curve: the utilization of each slice of capacity, and the cost of an idle or busy hour by option.

Beside the curve stand the screening lines: the cost of an hour of capacity at each utilization. Where two lines cross,
one option replaces another. Together they say how much to own.
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

FINEST = 256  # slices of a curve on screen
NEARLY = 1e-9


@dataclass(frozen=True, eq=False)
class LoadCurve:
    """Slices of capacity from the bottom up, and the utilization of each over the plan."""

    edges: Array  # accelerators: 0, and the top of each slice
    busy_share: Array  # of each slice
    plan_hours: float

    @cached_property
    def hours(self) -> Array:
        """Accelerator-hours of work in each slice, over the whole plan."""
        return np.asarray(np.diff(self.edges) * self.busy_share * self.plan_hours)

    @property
    def peak(self) -> float:
        """The most accelerators in demand at once."""
        return float(self.edges[-1])

    def units_busier_than(self, share: float) -> float:
        """Return how many accelerators are busy more than this share of the time: the newsvendor's answer. [count]"""
        idle = np.flatnonzero(self.busy_share <= share + NEARLY)
        return float(self.edges[idle[0]] if idle.size else self.edges[-1])


@dataclass(frozen=True)
class Screen:
    """A line of the screening chart: the cost of an hour of one accelerator's capacity, idle and extra when busy."""

    name: str
    usd_per_hour: float
    usd_per_busy_hour: float


@dataclass(frozen=True)
class EnvelopeSegment:
    """A segment of the lower envelope: the cheapest option between two utilizations."""

    name: str
    from_share: float
    to_share: float


def completed_hours(demand: Demand, fleets: Array, reach: Array | float = 1.0) -> Array:
    """Return the work that fleets of these sizes do in a month: fleets x months, in accelerator-hours."""
    hours = demand.plain.hours_per_month
    fixed = demand.levels.below(fleets) * hours
    room = np.maximum(fleets[:, None] * hours * np.reshape(reach, (-1, 1)) - fixed, 0.0)
    return np.asarray(fixed + np.minimum(demand.waiting_hours, room))


def load_curve(setting: PlanContext) -> LoadCurve:
    """Return the curve of a plan: work that may wait fills the idle hours, lowest slices first."""
    demand, runs = setting.demand, setting.timeline.runs
    peak = max(float(np.max(demand.peak + demand.waiting_at_once)), 1.0)
    edges = np.unique(np.ceil(np.linspace(0.0, peak, min(int(peak), FINEST) + 1) - NEARLY))
    done = np.broadcast_to(completed_hours(demand, edges), (len(edges), len(runs)))
    plan_hours = float(runs.sum()) * demand.plain.hours_per_month
    busy = np.diff((done * runs).sum(axis=-1)) / (np.diff(edges) * plan_hours)
    return LoadCurve(edges, np.clip(busy, 0.0, 1.0), plan_hours)


def threshold(own: Screen, rent: Screen) -> SolveResult:
    """Return the utilization above which owning a unit of capacity is cheaper than renting it. [1]"""
    return least_busy_share_to_own(
        own_usd_per_hour=own.usd_per_hour - rent.usd_per_hour,
        running_usd_per_busy_hour=own.usd_per_busy_hour,
        rent_usd_per_busy_hour=rent.usd_per_busy_hour,
    )


def lower_envelope(screens: Sequence[Screen]) -> tuple[EnvelopeSegment, ...]:
    """Return the cheapest option by utilization, from 0 to 1."""
    at, segments = 0.0, []
    # Where several cost the same from here on, the flattest line wins as soon as utilization rises.
    now = min(screens, key=lambda line: (line.usd_per_hour, line.usd_per_busy_hour), default=None)
    while now is not None:
        later = [(crossing(now, line), line.usd_per_busy_hour, line) for line in screens if line is not now]
        ahead = [turn for turn in later if turn[0] is not None and at < turn[0] < 1.0]
        soonest = min(ahead, key=lambda turn: (turn[0], turn[1]), default=None)
        until = 1.0 if soonest is None else float(soonest[0] or 0.0)
        segments.append(EnvelopeSegment(now.name, at, until))
        at, now = until, None if soonest is None else soonest[2]
    return tuple(segments)


def crossing(line: Screen, other: Screen) -> float | None:
    """Return the utilization at which a line that costs more when idle becomes cheaper; None if it never does. [1]"""
    steeper = line.usd_per_busy_hour - other.usd_per_busy_hour
    return (other.usd_per_hour - line.usd_per_hour) / steeper if steeper > 0 else None
