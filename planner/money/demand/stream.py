"""Demand: what the work of a scenario asks for, month by month, and what each layer of supply gets of it.

Work is told by levels (planner.money.demand.levels): how many accelerators are wanted at once, and in what share of the
hours. A fleet of q accelerators does the part of every level that lies below q; what lies above is left for others.
Work that may wait then fills the hours in which the fleet has nothing else to do.

Months are the last axis and have length one where all are alike. A factor on the share of busy hours may have one entry
for each draw, as (draws, 1): this is how the use at which two ways cost the same is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.levels import DemandLevels, hourly_levels, on_off_levels, together
from planner.money.formula import Num
from planner.money.timeline import Timeline, cached_timeline
from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, MONTHS_PER_YEAR
from planner.scenario.scenario import Scenario
from planner.scenario.work import ScheduledJob, Work
from pricing.caching import cached_property

JANUARY = 1
_ONE = 1e-9
_NO_WORK = 1e-100


@dataclass(frozen=True, eq=False)
class DemandLayer:
    """One layer of demand: so many at once, busy so much of the time. Numbers, or arrays by month (and by draw)."""

    accelerator: str
    accelerators: Num
    busy_share: Num
    years: float
    hours_per_session: float
    storage_tb: Num
    egress_tb_per_month: Num
    site: str
    hours_per_month: float = HOURS_PER_MONTH
    lost_share: Num = 0.0  # of the busy hours, known to go to failures, restarts and checkpoints

    @property
    def months(self) -> float:
        """Length of the plan."""
        return self.years * MONTHS_PER_YEAR

    @cached_property
    def timeline(self) -> Timeline:
        """The months of the plan."""
        return cached_timeline(self.months)

    @cached_property
    def busy_hours(self) -> NDArray[np.float64]:
        """Useful accelerator-hours, month by month, entry 0 (today) being none."""
        return np.asarray(self.accelerators * self.busy_share * self.hours_per_month * self.timeline.runs)

    def active_share(self, when: Num) -> NDArray[np.float64]:
        """The share of each month, `when`, in draws that have any hours in it; 0 in all months of the other draws."""
        return np.asarray(when * (self.busy_hours * when > 0).any(axis=-1, keepdims=True), dtype=np.float64)

    @cached_property
    def busy_accelerator_hours(self) -> float:
        """Useful accelerator-hours over the whole plan; of the first draw where there are several."""
        return float(np.atleast_2d(self.busy_hours.sum(axis=-1))[0, 0])

    @property
    def peak_accelerators(self) -> int:
        """The largest number at once, over the plan."""
        return int(np.ceil(np.max(self.accelerators) - _ONE))


@dataclass(frozen=True, eq=False)
class Demand:
    """All work of a scenario, month by month, perhaps in several draws. Its layers are cut once each."""

    plain: DemandLayer  # what does not change from layer to layer
    levels: DemandLevels  # of what may not wait
    waiting_hours: NDArray[np.float64]  # (draws x) months: accelerator-hours of work that may wait
    waiting_at_once: NDArray[np.float64]  # months: how many that work asks for at once
    job_accelerators: int  # the accelerators one job takes: of the work that may wait, where there is any
    work_level: NDArray[np.float64]  # (draws x) months: hours of the work, jobs aside, over its usual hours
    layers: dict[tuple[str, float, float], DemandLayer] = field(default_factory=dict)  # that were cut already

    @cached_property
    def peak(self) -> NDArray[np.float64]:
        """The most at once of what may not wait, by month."""
        return self.levels.peak

    @cached_property
    def all(self) -> DemandLayer:
        """All of the work as it was asked for: what is rented when nothing is owned."""
        return self.layer(self.all_hours, self.peak + self.waiting_at_once)

    def upto(self, fleet: float, reach: float = 1.0) -> DemandLayer:
        """What a fleet does: of each level the part that it has machines for, then what may wait, up to `reach`.

        It keeps all the data. What is rented beside it keeps the part that belongs to the work it does.
        """
        return self._cut("upto", fleet, reach, _upto)

    def between(self, low: int, high: int, reach: float = 1.0) -> DemandLayer:
        """What the next layer does, above a fleet of `low` and up to `high` in all."""
        hours = self.done(high, reach) - self.done(low, reach)
        return self.with_data(self.layer(hours, np.full(1, float(high - low))))

    def above(self, fleet: float, reach: float = 1.0) -> DemandLayer:
        """What is left for others: on as many at once as are asked for beyond the fleet, more where they are full."""
        return self.all if fleet == 0 else self._cut("above", fleet, reach, _above)

    def _cut(
        self, name: str, fleet: float, reach: float, cut: Callable[[Demand, float, float], DemandLayer]
    ) -> DemandLayer:
        """A layer, cut once. Kept here and not beside all demands: those of many futures are large and soon let go."""
        key = (name, fleet, reach)
        if key not in self.layers:
            self.layers[key] = cut(self, fleet, reach)
        return self.layers[key]

    @cached_property
    def all_hours(self) -> NDArray[np.float64]:
        """Accelerator-hours of a whole month, by month (and draw)."""
        return self._fixed_hours(np.inf) + self.waiting_hours

    def done(self, fleet: float, reach: float) -> NDArray[np.float64]:
        """Accelerator-hours of a whole month that such a fleet does."""
        return np.asarray(self._fixed_hours(float(fleet)) + self.deferred_hours(fleet, reach))

    def deferred_hours(self, fleet: float, reach: float) -> NDArray[np.float64]:
        """Accelerator-hours of a whole month of work that may wait, done in the hours that other work leaves free."""
        room = np.maximum(fleet * self.plain.hours_per_month * reach - self._fixed_hours(float(fleet)), 0.0)
        return np.asarray(np.minimum(self.waiting_hours, room))

    def _fixed_hours(self, high: float) -> NDArray[np.float64]:
        return np.asarray(self.levels.below(high) * self.plain.hours_per_month)

    def layer(self, hours: NDArray[np.float64], at_once: NDArray[np.float64]) -> DemandLayer:
        """A layer of so many accelerator-hours on so many accelerators at once."""
        busy = hours / (np.where(at_once > 0, at_once, 1.0) * self.plain.hours_per_month)
        return replace(self.plain, accelerators=in_short(at_once), busy_share=in_short(busy))

    def with_data(self, need: DemandLayer) -> DemandLayer:
        """A layer with the part of the data that belongs to its part of the work, over the whole plan."""
        hours = need.busy_hours.sum(axis=-1, keepdims=True)
        everything = self.all.busy_hours.sum(axis=-1, keepdims=True)
        part = in_short(hours / np.where(everything > 0, everything, 1.0))
        return replace(need, storage_tb=need.storage_tb * part, egress_tb_per_month=need.egress_tb_per_month * part)


def _upto(work: Demand, fleet: float, reach: float) -> DemandLayer:
    return work.layer(work.done(fleet, reach), np.full(1, float(fleet)))


def _above(work: Demand, fleet: float, reach: float) -> DemandLayer:
    hours = work.all_hours - work.done(fleet, reach)
    hours = np.where(hours > _ONE, hours, 0.0)
    at_once = np.maximum(work.peak + work.waiting_at_once - fleet, 0.0)
    full = hours / work.plain.hours_per_month
    if np.any(full > at_once + _ONE):
        at_once = np.maximum(at_once, np.ceil(full - _ONE))
    return work.with_data(work.layer(hours, at_once))


class LostTimeInput(Protocol):
    """What is lost of the hours of a kind of work."""

    @property
    def share(self) -> Num:
        """The share that is lost, perhaps by draw."""

    @property
    def is_counted(self) -> bool:
        """Whether its hours hold that for certain."""

    @property
    def times(self) -> float:
        """Its stated hours take so many times as long."""

    @property
    def slower(self) -> Num:
        """And in each draw so many times that."""


def demand(
    scenario: Scenario,
    *,
    busy_factor: Num = 1.0,
    hours_factor: Num = 1.0,
    predicted: tuple[Work, ...] = (),
    lost: Mapping[Work, LostTimeInput] | None = None,
    starts_in: int = JANUARY,
) -> Demand:
    """What the scenario's work asks for, its shares of busy hours multiplied by `busy_factor` (at most to 1).

    The work in `predicted` takes so many times its hours as `hours_factor` says, and asks for no more tokens by that.
    Stated hours that `lost` says something about take so many times as long. `starts_in` is the calendar's number of
    the plan's first month: seasons are told from January on.
    """
    timeline = cached_timeline(scenario.months)
    slower = {work: (hours_factor if work in predicted else 1.0) * _slower(work, lost) for work in scenario.work}
    around = (timeline, scenario)
    usually = [(work, _work_layer(work, *around, busy_factor, starts_in, lost)) for work in scenario.work]
    kinds = [
        (
            work,
            layer if _is_one(slower[work]) else _work_layer(work, *around, busy_factor * slower[work], starts_in, lost),
        )
        for work, layer in usually
    ]
    fixed = [
        hourly_levels(*layer, work.by_hour) if work.by_hour else on_off_levels(*layer)
        for work, layer in kinds
        if not work.may_wait
    ]
    waiting = [layer for work, layer in kinds if work.may_wait]
    jobs = [
        (work, _job_layer(job, timeline, scenario, slower[work] * _times(work, lost)))
        for work in scenario.work
        for job in work.jobs
    ]
    queue = [work for work in scenario.work if work.may_wait] or list(scenario.work)
    usual = max(
        sum(work.accelerators * _share(work, scenario) * _times(work, lost) for work in scenario.work), _NO_WORK
    )
    return Demand(
        plain=DemandLayer(
            accelerator=scenario.accelerator,
            accelerators=1.0,
            busy_share=0.0,
            years=scenario.years,
            hours_per_session=scenario.rent.hours_per_session,
            storage_tb=sum(work.effective_storage_tb for work in scenario.work),
            egress_tb_per_month=sum(work.effective_egress_tb_per_month for work in scenario.work),
            site=scenario.site,
            hours_per_month=scenario.terms.hours_per_month,
            lost_share=_lost_share([*kinds, *jobs], lost),
        ),
        levels=together([*fixed, *(on_off_levels(*layer) for _, layer in jobs)]),
        waiting_hours=_together([many * share * scenario.terms.hours_per_month for many, share in waiting]),
        waiting_at_once=_together([many for many, _ in waiting]),
        job_accelerators=max(job_size(work) for work in queue),
        work_level=_together([many * share / usual for _, (many, share) in usually]),
    )


def _is_one(factor: Num) -> bool:
    return bool(np.all(np.asarray(factor) == 1))


def _times(work: Work, lost: Mapping[Work, LostTimeInput] | None) -> float:
    return lost[work].times if lost and work in lost else 1.0


def _slower(work: Work, lost: Mapping[Work, LostTimeInput] | None) -> Num:
    return lost[work].slower if lost and work in lost else 1.0


def _lost_share(kinds: Sequence[tuple[Work, _Layer]], lost: Mapping[Work, LostTimeInput] | None) -> Num:
    """The share of all hours that is known to be lost, by month."""
    counted = {work for work, one in (lost or {}).items() if one.is_counted}
    if lost is None or not counted:
        return 0.0
    hours = [(work, many * share) for work, (many, share) in kinds]
    gone = _together([each * lost[work].share for work, each in hours if work in counted])
    every = _together([each for _, each in hours])
    return in_short(gone / np.where(every > 0, every, 1.0))


def job_size(work: Work) -> int:
    """What one job takes where the work does not say: one if it may be spread or comes and goes, else all at once."""
    return work.accelerators_per_job or (1 if work.may_wait or work.by_hour else work.accelerators)


def _together(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.asarray(sum(parts)) if parts else np.zeros(1)


# At once by month; share of hours, (draws x) months.
_Layer = tuple[NDArray[np.float64], NDArray[np.float64]]


def _work_layer(
    work: Work,
    timeline: Timeline,
    scenario: Scenario,
    factor: Num,
    starts_in: int,
    lost: Mapping[Work, LostTimeInput] | None,
) -> _Layer:
    """Growth asks for more at once; a season, for more hours, and for more at once only when the hours run out.

    What is tried out makes the same machines busier, never more of them: it stops at all hours.
    """
    asked = work.accelerators * _growth(work, timeline)
    busy = asked * _share(work, scenario) * _season(work, timeline, starts_in) * _times(work, lost)
    at_once = np.maximum(np.ceil(np.maximum(asked, busy) - _ONE), 1.0)
    return at_once, np.asarray(np.minimum(busy / at_once * factor, 1.0))


def _job_layer(job: ScheduledJob, timeline: Timeline, scenario: Scenario, slower: Num) -> _Layer:
    """A job from its month on until it is done: as few at once as its deadline allows, for as long as that takes.

    It runs on into the following months where one is too short. Where it comes again before it is done, so many more
    work at once, in all draws as many as in the slowest.
    """
    at_once, hours = job.accelerators, job.hours
    if job.within_days is not None:
        at_once = int(np.ceil(job.accelerators * job.hours / (job.within_days * HOURS_PER_DAY) - _ONE))
        hours = job.accelerators * job.hours / at_once
    every = job.every_months or timeline.last + 1
    starts = np.arange(job.first_month, timeline.last + 1, every)
    lasts = scenario.terms.hours_per_month * timeline.runs
    gone_by = np.cumsum(lasts)
    takes = hours * (slower[..., None] if isinstance(slower, np.ndarray) else slower)  # (draws x 1) x 1
    done_by = np.clip(gone_by - gone_by[starts - 1][:, None], 0.0, takes).sum(axis=-2)  # month 0 is before all starts
    share = np.diff(done_by, prepend=0.0, axis=-1) / np.where(lasts > 0, lasts, 1.0)
    times = np.maximum(np.ceil(share.reshape(-1, share.shape[-1]).max(axis=0) - _ONE), 1.0)
    return at_once * times, np.asarray(share / times)


def _share(work: Work, scenario: Scenario) -> float:
    """The usual share of busy hours, in a month of as many hours as the plan's convention has."""
    hours = work.stated_hours_per_month
    if hours is None:
        return work.effective_utilization
    return hours / (work.accelerators * scenario.terms.hours_per_month)


def _season(work: Work, timeline: Timeline, starts_in: int) -> NDArray[np.float64]:
    if not work.season:
        return np.ones(1)
    month = np.maximum(np.arange(timeline.last + 1) - 1, 0) + starts_in - JANUARY  # today asks for what month 1 does
    return np.asarray(np.take(work.season, month % MONTHS_PER_YEAR), dtype=np.float64)


def _growth(work: Work, timeline: Timeline) -> NDArray[np.float64]:
    """How many times as large as in month 1 the work is, by month."""
    if work.growth_per_year == 0:
        return np.ones(1)
    elapsed = np.maximum(np.arange(timeline.last + 1, dtype=np.float64) - 1, 0.0)
    return np.asarray((1 + work.growth_per_year) ** (elapsed / MONTHS_PER_YEAR))


def in_short(values: NDArray[np.float64]) -> Num:
    """A number where all months (and draws) are alike, so that a ledger prints 8 and not a row of eights."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim <= 1:
        return float(values.flat[0]) if np.all(values == values.flat[0]) else values
    return values
