"""Demand: the work of a scenario, month by month, and the part that each layer of supply does.

Work is described by levels (planner.money.demand.levels): the number of accelerators at once, and the share of hours in
which it is needed. A fleet of q accelerators does the part of every level below q; the rest is left for others.
Work that may wait then fills the hours in which the fleet has nothing else to do.

Months are the last axis and have length one where all are alike. A factor on the share of busy hours may have one entry
for each draw, as (draws, 1): break-even utilization is solved with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.levels import ONE, DemandLevels, hourly_levels, on_off_levels, together
from planner.money.formula import Num
from planner.money.timeline import Timeline, cached_timeline
from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, MONTHS_PER_YEAR
from planner.scenario.own import MOST_ORDERS
from planner.scenario.scenario import Scenario
from planner.scenario.work import ScheduledJob, Work
from pricing.caching import cached_property

JANUARY = 1
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
    disk_share: Num = 1.0  # of each month, in which the data are on rented disks
    run_share: Num = 1.0  # of each month, in which any of the work runs

    @property
    def months(self) -> float:
        return self.years * MONTHS_PER_YEAR

    @cached_property
    def timeline(self) -> Timeline:
        """The months of the plan."""
        return cached_timeline(self.months)

    @cached_property
    def busy_hours(self) -> NDArray[np.float64]:
        """Useful accelerator-hours, month by month, entry 0 (today) being none."""
        return np.asarray(self.accelerators * (self.hours_per_month * self.timeline.runs) * self.busy_share)

    def active_share(self, when: Num) -> NDArray[np.float64]:
        """The share of each month, `when`, in draws that have any hours in it; 0 in all months of the other draws."""
        hours = np.einsum("...m,...m->...", self.busy_hours, np.broadcast_to(when, np.shape(when) or 1))
        return np.asarray(when * (hours[..., None] > 0), dtype=np.float64)

    @cached_property
    def busy_accelerator_hours(self) -> float:
        """Useful accelerator-hours over the whole plan; of the first draw where there are several."""
        return float(np.atleast_2d(self.busy_hours.sum(axis=-1))[0, 0])

    @cached_property
    def peak_accelerators(self) -> int:
        """The largest number at once, over the plan."""
        return int(np.ceil(np.max(self.accelerators) - ONE))


@dataclass(frozen=True, eq=False)
class Demand:
    """All work of a scenario, month by month, perhaps in several draws. Its layers are cut once each.

    A fleet is a number, or several along the first axis, before those of draws and months.
    """

    plain: DemandLayer  # what does not change from layer to layer
    levels: DemandLevels  # of what may not wait
    waiting_hours: NDArray[np.float64]  # (draws x) months: accelerator-hours of work that may wait
    waiting_at_once: NDArray[np.float64]  # months: how many that work asks for at once
    job_accelerators: int  # the accelerators one job takes: of the work that may wait, where there is any
    work_level: NDArray[np.float64]  # (draws x) months: hours of the work, jobs aside, over its usual hours
    layers: dict[tuple[object, ...], DemandLayer] = field(default_factory=dict)  # cut once each

    @cached_property
    def peak(self) -> NDArray[np.float64]:
        """The most at once of what may not wait, by month."""
        return self.levels.peak

    @cached_property
    def all(self) -> DemandLayer:
        """All of the work as entered: the rental where nothing is owned."""
        return self.layer(self.all_hours, self.peak + self.waiting_at_once)

    def upto(self, fleet: Num, reach: Num = 1.0) -> DemandLayer:
        """Return the work of a fleet: the part of each level that fits, then deferrable work up to `reach`.

        It keeps all the data. Rental beside it keeps the part that belongs to its work.
        """
        return self._cut("upto", fleet, reach, self._upto)

    def _upto(self, fleet: Num, reach: Num) -> DemandLayer:
        return self.layer(self.done(fleet, reach), np.atleast_1d(np.asarray(fleet, dtype=np.float64)))

    def between(self, low: Num, high: Num, reach: Num = 1.0) -> DemandLayer:
        """Return the work of the next layer, above a fleet of `low` and up to `high` in all."""
        hours = self.done(high, reach) - self.done(low, reach)
        return self.with_data(self.layer(hours, np.atleast_1d(np.asarray(high - low, dtype=np.float64))))

    def above(self, fleet: Num, reach: Num = 1.0) -> DemandLayer:
        """Return the rest for others: as many at once as are needed beyond the fleet, more where they are full."""
        return self.all if np.all(fleet == 0) else self._cut("above", fleet, reach, self._above)

    def _above(self, fleet: Num, reach: Num) -> DemandLayer:
        hours = self.all_hours - self.done(fleet, reach)
        hours = np.where(hours > ONE, hours, 0.0)
        at_once = np.maximum(self.peak + self.waiting_at_once - fleet, 0.0)
        full = hours / self.plain.hours_per_month
        beyond = full > at_once + ONE
        if np.any(beyond):
            is_full = beyond.any(axis=tuple(range(1, beyond.ndim)) if np.ndim(fleet) else None, keepdims=True)
            at_once = np.where(is_full, np.maximum(at_once, np.ceil(full - ONE)), at_once)
        return self.with_data(self.layer(hours, at_once))

    def _cut(self, kind: str, fleet: Num, reach: Num, cut: Callable[[Num, Num], DemandLayer]) -> DemandLayer:
        if np.size(fleet) > MOST_ORDERS or np.size(reach) > MOST_ORDERS:
            return cut(fleet, reach)
        key = (kind, *((np.shape(each), np.asarray(each).tobytes()) for each in (fleet, reach)))
        if key not in self.layers:
            self.layers[key] = cut(fleet, reach)
        return self.layers[key]

    @cached_property
    def all_hours(self) -> NDArray[np.float64]:
        """Accelerator-hours of a whole month, by month (and draw)."""
        return self._fixed_hours(np.inf) + self.waiting_hours

    def done(self, fleet: Num, reach: Num) -> NDArray[np.float64]:
        """Accelerator-hours of a whole month that such a fleet does."""
        fixed = self._fixed_hours(fleet)
        return np.asarray(fixed + self._deferred_hours(fleet, reach, fixed))

    def deferred_hours(self, fleet: Num, reach: Num) -> NDArray[np.float64]:
        """Accelerator-hours of a whole month of work that may wait, done in the hours that other work leaves free."""
        return self._deferred_hours(fleet, reach, self._fixed_hours(fleet))

    def _deferred_hours(self, fleet: Num, reach: Num, fixed: NDArray[np.float64]) -> NDArray[np.float64]:
        if not self.waiting_hours.any():
            return self.waiting_hours
        room = np.maximum(fleet * self.plain.hours_per_month * reach - fixed, 0.0)
        return np.asarray(np.minimum(self.waiting_hours, room))

    def _fixed_hours(self, high: Num) -> NDArray[np.float64]:
        fleets = high[..., 0] if isinstance(high, np.ndarray) and high.ndim else float(high)
        return np.asarray(self.levels.below(fleets) * self.plain.hours_per_month)

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


class LostTimeInput(Protocol):
    """The hours of a kind of work that are lost to failures."""

    @property
    def share(self) -> Num:
        """The share that is lost, perhaps by draw."""

    @property
    def is_counted(self) -> bool:
        """Return whether its hours hold that for certain."""

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
    """Return the demand of a scenario's work, its shares of busy hours multiplied by `busy_factor` (at most to 1).

    The work in `predicted` takes `hours_factor` times its hours, without more tokens. Stated hours with an entry in
    `lost` take so many times as long. `starts_in` is the calendar number of the plan's first month: seasons start in
    January.
    """
    timeline, works, hours_per_month = cached_timeline(scenario.months), scenario.work, scenario.terms.hours_per_month
    lost_of = dict(lost or {})
    times = {work: lost_of[work].times if work in lost_of else 1.0 for work in works}
    slower: dict[Work, Num] = {
        work: (hours_factor if work in predicted else 1.0) * (lost_of[work].slower if work in lost_of else 1.0)
        for work in works
    }
    usually = [(work, _work_layer(work, scenario, busy_factor, starts_in, times[work])) for work in works]
    kinds = [
        (work, layer)
        if np.all(np.asarray(slower[work]) == 1)
        else (work, _work_layer(work, scenario, busy_factor * slower[work], starts_in, times[work]))
        for work, layer in usually
    ]
    fixed = [
        hourly_levels(*layer, work.by_hour) if work.by_hour else on_off_levels(*layer)
        for work, layer in kinds
        if not work.may_wait
    ]
    waiting = [layer for work, layer in kinds if work.may_wait]
    jobs = [(work, _job_layer(job, work, scenario, slower[work] * times[work])) for work in works for job in work.jobs]
    runs = [_run_share(work, scenario, timeline) for work in works]
    sizes = [work.effective_storage_tb for work in works]
    usual = max(sum(work.accelerators * _share(work, scenario) * times[work] for work in works), _NO_WORK)
    return Demand(
        plain=DemandLayer(
            accelerator=scenario.accelerator,
            accelerators=1.0,
            busy_share=0.0,
            years=scenario.years,
            hours_per_session=scenario.rent.hours_per_session,
            egress_tb_per_month=sum(work.effective_egress_tb_per_month for work in works),
            site=scenario.site,
            hours_per_month=hours_per_month,
            lost_share=_lost_share([*kinds, *jobs], lost_of),
            **_month_shares(runs, sizes, [work.data_kept == "runs" for work in works]),
        ),
        levels=together([*fixed, *(on_off_levels(*layer) for _, layer in jobs)]),
        waiting_hours=_total([many * share * hours_per_month for many, share in waiting]),
        waiting_at_once=_total([many for many, _ in waiting]),
        job_accelerators=max(job_size(work) for work in [work for work in works if work.may_wait] or works),
        work_level=_total([many * share / usual for _, (many, share) in usually]),
    )


def _lost_share(kinds: Sequence[tuple[Work, _Layer]], lost: Mapping[Work, LostTimeInput]) -> Num:
    """The share of all hours that is known to be lost, by month."""
    hours = [(work, many * share) for work, (many, share) in kinds]
    counted = [each * lost[work].share for work, each in hours if work in lost and lost[work].is_counted]
    if not any(item.is_counted for item in lost.values()):
        return 0.0
    total = _total([each for _, each in hours])
    return in_short(_total(counted) / np.where(total > 0, total, 1.0))


def _run_share(work: Work, scenario: Scenario, timeline: Timeline) -> NDArray[np.float64]:
    """The share of each month in which any of a kind of work runs: all of it, or while its jobs last."""
    if _share(work, scenario) > 0 or not work.jobs:
        return _active_months(work, timeline)
    return np.minimum(sum(_job_layer(job, work, scenario, 1.0)[1] for job in work.jobs), 1.0)


def _active_months(work: Work, timeline: Timeline) -> NDArray[np.float64]:
    """Return 1 in the months from its first to its last, 0 in the others; a single 1 where these are all."""
    if work.first_month == 1 and (work.last_month or timeline.last) >= timeline.last:
        return np.ones(1)
    month = np.maximum(np.arange(timeline.last + 1), 1)  # today is as month 1
    return ((month >= work.first_month) & (month <= (work.last_month or timeline.last))).astype(np.float64)


def _month_shares(
    runs: Sequence[NDArray[np.float64]], sizes: Sequence[float], follows: Sequence[bool]
) -> dict[str, Num]:
    """The data of these sizes, and the share of each month in which any work runs, and in which they are on disks.

    Data that follow their work are there while it runs, all others through the plan.
    """
    kept = [run if with_run else np.ones(1) for run, with_run in zip(runs, follows, strict=True)]
    disk = sum(size * share for size, share in zip(sizes, kept, strict=True)) / (sum(sizes) or 1.0)
    shares = {"run_share": in_short(np.max(np.broadcast_arrays(*runs), axis=0)), "storage_tb": sum(sizes)}
    return {**shares, "disk_share": in_short(np.asarray(disk)) if sum(sizes) else 1.0}


def job_size(work: Work) -> int:
    """Return the size of one job; by default one if it may be spread or comes and goes, else all at once. [count]"""
    return work.accelerators_per_job or (1 if work.may_wait or work.by_hour else work.accelerators)


def _total(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.asarray(sum(parts)) if parts else np.zeros(1)


# At once by month; share of hours, (draws x) months.
_Layer = tuple[NDArray[np.float64], NDArray[np.float64]]


def _work_layer(work: Work, scenario: Scenario, factor: Num, starts_in: int, times: float) -> _Layer:
    """Growth needs more at once; a season, more hours, and more at once only when the hours run out.

    An input that is tried out makes the same machines busier, never more of them: it stops at all hours.
    """
    timeline = cached_timeline(scenario.months)
    month = np.maximum(np.arange(timeline.last + 1) - 1, 0)  # today is as month 1
    growth, season, runs = np.ones(1), np.ones(1), _active_months(work, timeline)
    if work.growth_per_year != 0:
        since = np.maximum(month - (work.first_month - 1), 0).astype(np.float64)
        growth = np.asarray((1 + work.growth_per_year) ** (since / MONTHS_PER_YEAR))
    if work.season:
        season = np.take(np.asarray(work.season, dtype=np.float64), (month + starts_in - JANUARY) % MONTHS_PER_YEAR)
    needed = work.accelerators * growth
    busy = needed * _share(work, scenario) * season * times
    at_once = np.maximum(np.ceil(np.maximum(needed, busy) - ONE), 1.0)
    return at_once * runs, np.asarray(np.minimum(busy / at_once * factor, 1.0)) * runs


def _job_layer(job: ScheduledJob, work: Work, scenario: Scenario, slower: Num) -> _Layer:
    """A job from its month on until it is done: as few at once as its deadline allows, for as long as that takes.

    It runs on into the following months where one is too short. Where it comes again before it is done, so many more
    work at once, in all draws as many as in the slowest.
    """
    at_once, hours, timeline = job.accelerators, job.hours, cached_timeline(scenario.months)
    if job.within_days is not None:
        at_once = int(np.ceil(job.accelerators * job.hours / (job.within_days * HOURS_PER_DAY) - ONE))
        hours = job.accelerators * job.hours / at_once
    every = job.every_months or timeline.last + 1
    last = min(work.last_month or timeline.last, timeline.last)
    starts = np.arange(job.first_month + work.first_month - 1, last + 1, every)
    lasts = scenario.terms.hours_per_month * timeline.runs
    gone_by = np.cumsum(lasts)
    takes = hours * (slower[..., None] if isinstance(slower, np.ndarray) else slower)  # (draws x 1) x 1
    done_by = np.clip(gone_by - gone_by[starts - 1][:, None], 0.0, takes).sum(axis=-2)  # month 0 is before all starts
    share = np.diff(done_by, prepend=0.0, axis=-1) / np.where(lasts > 0, lasts, 1.0)
    times = np.maximum(np.ceil(share.reshape(-1, share.shape[-1]).max(axis=0) - ONE), 1.0)
    return at_once * times, np.asarray(share / times)


def _share(work: Work, scenario: Scenario) -> float:
    """The usual share of busy hours, in a month of as many hours as the plan's convention has."""
    hours = work.stated_hours_per_month
    if hours is None:
        return work.effective_utilization
    return hours / (work.accelerators * scenario.terms.hours_per_month)


def in_short(values: NDArray[np.float64]) -> Num:
    """A number where all months (and draws) are alike, so that a ledger prints 8 and not a row of eights."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim <= 1:
        return float(values.flat[0]) if np.all(values == values.flat[0]) else values
    return values
