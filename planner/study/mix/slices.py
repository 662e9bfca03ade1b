"""From the rates of a plan to the programme of its mix: the work in slices by month, and money counted over months."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.setting import Setting
from planner.scenario.rent import Peaks
from planner.study.mix.load_duration import Screen
from planner.study.mix.programme import Limit, Programme, Sum
from planner.study.mix.rates import Hourly, MixRates, cash_limits, done_by

Array = NDArray[np.float64]

_SLICES = 96  # where there is no base whose sizes would cut them
_WHOLE = 1e-9


def programme_of(setting: Setting, rates: MixRates, burst: Peaks, *, least_fleet: int = 0) -> Programme:
    """The programme of one kind of burst, from the rates of the plan."""
    sliced = _sliced(setting, rates)
    rest = rates.bursts["on_demand" if burst == "spot" else burst]
    spot = rates.bursts["spot"] if burst == "spot" else None
    counts = _Counting(rates, sliced, rest, spot)
    limits = [Limit(name, most, counts.sum(months)) for name, months, most in cash_limits(setting)]
    spots = (0.0, 0.0)
    if spot is not None and spot.most_hours is not None:
        first = sliced.owned[0]
        spots = (float((spot.most_hours * first).sum()), float((spot.most_hours * (1.0 - first)).sum()))
    machine = rates.held.machine if rates.held else 1
    return Programme(
        sizes=sliced.sizes,
        edges=sliced.edges,
        machine=machine,
        most_machines=int(-(-sliced.edges[-1] // machine)) if rates.held else 0,
        cost=counts.sum(rates.worth_today),
        least_fleet=least_fleet,
        limits=tuple(limits),
        hours=(sliced.of(sliced.owned), sliced.of(sliced.unowned)),
        held_hours=(sliced.of(sliced.owned * sliced.held), sliced.of(sliced.unowned * sliced.held)),
        spot_hours=spots,
        volume_from=rates.held.volume_from if rates.held else (),
    )


@dataclass(frozen=True, eq=False)
class _Sliced:
    """The work by slice and month, and what is there in each month."""

    sizes: Array
    edges: Array
    hours: Array  # slices x months
    owned: Array  # slices x months, or one row for all: share of each month
    held: Array

    @property
    def unowned(self) -> Array:
        return np.asarray(1.0 - self.owned)

    @property
    def months(self) -> int:
        return int(self.hours.shape[-1])

    def of(self, weights: Array) -> Array:
        """The hours of each slice, weighed by month."""
        return np.asarray((self.hours * weights).sum(axis=-1))


def _sliced(setting: Setting, rates: MixRates) -> _Sliced:
    runs, demand = setting.timeline.runs, setting.demand
    sizes = rates.base.sizes if rates.base else np.zeros(1)
    edges = rates.base.sizes if rates.base and len(sizes) > 2 else _even(demand.all.most_accelerators)
    edges = np.unique(np.append(edges, sizes))
    done = np.broadcast_to(done_by(setting, edges), (len(edges), len(runs))) * runs
    running = np.where(runs > 0, runs, 1.0)
    nothing = np.zeros(len(runs))
    return _Sliced(
        sizes=sizes,
        edges=edges,
        hours=np.diff(done, axis=0),
        owned=rates.base.there / running if rates.base else nothing[None, :],
        held=rates.held.there / running if rates.held else nothing,
    )


def _even(most: int) -> Array:
    return np.unique(np.ceil(np.linspace(0.0, most, min(most, _SLICES) + 1) - _WHOLE))


@dataclass(frozen=True, eq=False)
class _Counting:
    """Counts a kind of money: today's, or the cash of some months."""

    rates: MixRates
    sliced: _Sliced
    rest: Hourly
    spot: Hourly | None

    def sum(self, weights: Array) -> Sum:
        """What the parts of a mix come to, a dollar of each month counting so much."""
        rates, sliced, rent = self.rates, self.sliced, self.rest.usd_per_hour
        weights = np.asarray(weights, dtype=np.float64)
        base, saved = np.zeros(len(sliced.sizes)), np.zeros(len(sliced.edges) - 1)
        if rates.base is not None:
            base = rates.base.idle_usd @ weights
            saved = sliced.of(sliced.owned * (rent - rates.base.usd_per_busy_hour) * weights)
        covered = sliced.edges[None, 1:] <= sliced.sizes[:, None] + _WHOLE
        held = sliced.held * (rent - rates.held.usd_per_hour) * weights if rates.held else np.zeros(sliced.months)
        return Sum(
            base=base - covered @ saved,
            machine=float(rates.held.usd @ weights) if rates.held else 0.0,
            rest=float(sliced.of(rent * weights).sum()),
            beside=sliced.of(sliced.owned * held),
            alone=sliced.of(sliced.unowned * held),
            spot=(self._spot(sliced.owned[0], weights), self._spot(1.0 - sliced.owned[0], weights)),
            volume=rates.held.volume_usd @ weights if rates.held and rates.held.volume_from else np.zeros(0),
        )

    def _spot(self, when: Array, weights: Array) -> float:
        """What an hour on spot machines saves, on average over the hours that may stop."""
        if self.spot is None or self.spot.most_hours is None:
            return 0.0
        hours = self.spot.most_hours * when
        saved = float(((self.rest.usd_per_hour - self.spot.usd_per_hour) * hours * weights).sum())
        return saved / float(hours.sum()) if hours.sum() > 0 else 0.0


def screens_of(rates: MixRates, setting: Setting) -> tuple[Screen, ...]:
    """What an hour of capacity costs each way, levelised: cost and hours both in today's money."""
    worth, runs = rates.worth_today, setting.timeline.runs
    capacity = setting.demand.plain.hours_per_month
    found = []
    if rates.base is not None and len(rates.base.sizes) > 1:
        base, there = rates.base, rates.base.mean_there
        hours = float((there * worth).sum()) * capacity
        if hours > 0:
            idle = float(base.idle_usd[-1] @ worth) / (float(base.sizes[-1]) * hours)
            busy = float((base.usd_per_busy_hour * there * worth).sum()) * capacity / hours
            found.append(Screen("own", idle, busy))
    if rates.held is not None:
        held, hours = rates.held, float((rates.held.there * worth).sum()) * capacity
        found.append(
            Screen("reserved", float(held.usd @ worth) / (held.machine * hours), _mean(held.usd_per_hour, worth * runs))
        )
    for name, hourly in rates.bursts.items():
        found.append(Screen(name, 0.0, _mean(hourly.usd_per_hour, worth * runs)))
    return tuple(found)


def _mean(usd_per_hour: Array, weights: Array) -> float:
    weights = weights * (usd_per_hour > 0)
    return float((usd_per_hour * weights).sum() / weights.sum()) if weights.sum() > 0 else 0.0
