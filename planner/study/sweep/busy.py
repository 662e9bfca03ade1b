"""How busy both must be for owning and renting to cost the same, for many scenarios at once.

The same search as `money.breakeven` makes for one: the same grid, the same cuts, the same point at which it stops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.measures import present_usd
from planner.money.option import Option
from planner.money.setting import Setting
from planner.money.verdict.breakeven import LOWEST_BUSY, builder_of, ledger_at
from planner.study.sweep.columns import ToldColumns

Array = NDArray[np.float64]
_LEAST_BUSY = 1e-9
_NODES = 9
_CUTS = 7
_ROUNDS = 12
_NEARLY = 1e-7
_AT_ONCE = 1_024  # entries of one reckoning: they fit the processor's cache
Saving = Callable[[NDArray[np.intp], Array], tuple[Array, Array]]


@dataclass(frozen=True)
class Busy:
    """The share of hours at which two ways cost the same, for each scenario; and why there is none."""

    share: Array  # not-a-number where there is none
    says: tuple[str, ...]  # found, always, never, none


def busy_break_even(told: ToldColumns, own: Option, rent: Option, usual_busy_share: Array) -> Busy:
    """For scenarios told as one; `usual_busy_share` is each one's least share of busy hours before growth."""
    count = len(usual_busy_share)
    places = np.arange(count)
    you = _share(told.at(np.ones(count)), count)
    has_work = you >= _LEAST_BUSY
    low = np.minimum(LOWEST_BUSY / np.where(has_work, you, 1.0), 1.0)
    high = np.maximum(1.0 / np.maximum(usual_busy_share, _LEAST_BUSY), 1.0)
    saving = _saving(told, own, rent)
    grid = np.concatenate([np.linspace(low, np.ones(count), _NODES), np.linspace(np.ones(count), high, _NODES)]).T
    saved, _ = saving(places, grid)
    known = np.isfinite(saved).all(axis=-1) & has_work
    turns = (saved[:, 1:] > 0) != (saved[:, :-1] > 0)
    distance = np.maximum(np.maximum(grid[:, :-1] - 1.0, 1.0 - grid[:, 1:]), 0.0)
    at = np.argmin(np.where(turns, distance, np.inf), axis=-1)
    found = known & turns.any(axis=-1)
    factor = np.full(count, np.nan)
    pick = places[found]
    ends = np.stack([grid[pick, at[pick]], grid[pick, at[pick] + 1]], axis=-1)
    factor[pick] = _refined(pick, ends, np.stack([saved[pick, at[pick]], saved[pick, at[pick] + 1]], axis=-1), saving)
    share = np.full(count, np.nan)
    share[pick] = _share(told.take(pick).at(factor[pick]), len(pick)) if len(pick) else 0.0
    says = np.select([~known, found, saved[:, 0] > 0], ["none", "found", "always"], "never")
    return Busy(share, tuple(says.tolist()))


def _saving(told: ToldColumns, own: Option, rent: Option) -> Saving:
    """What owning saves and the larger of both costs, for some of the scenarios, each at some factors of its own."""
    builders = builder_of(own), builder_of(rent)

    def both(places: NDArray[np.intp], factors: Array) -> tuple[Array, Array]:
        there = told.take(np.repeat(places, factors.shape[1])).at(factors.reshape(-1))
        costs = []
        for build in builders:
            ledger = ledger_at(there, build)
            usd = np.nan if ledger is None else present_usd(there, ledger)
            costs.append(np.broadcast_to(np.asarray(usd), factors.size).reshape(factors.shape))
        return costs[1] - costs[0], np.maximum(np.abs(costs[0]), np.abs(costs[1]))

    def saving(places: NDArray[np.intp], factors: Array) -> tuple[Array, Array]:
        step = max(_AT_ONCE // max(factors.shape[1], 1), 1)
        parts = [both(places[at : at + step], factors[at : at + step]) for at in range(0, len(places), step)]
        return np.concatenate([one for one, _ in parts]), np.concatenate([other for _, other in parts])

    return saving


def _refined(places: NDArray[np.intp], ends: Array, saved: Array, saving: Saving) -> Array:
    """Follow the straight line inside each bracket, check, and cut it where it was not straight."""
    found = np.full(len(places), np.nan)
    left = np.arange(len(places))
    for _ in range(_ROUNDS):
        if not len(left):
            return found
        low, high = ends[:, 0], ends[:, 1]
        straight = low - saved[:, 0] * (high - low) / (saved[:, 1] - saved[:, 0])
        points = np.sort(np.concatenate([np.linspace(low, high, _CUTS).T, straight[:, None]], axis=-1), axis=-1)
        here, size = saving(places[left], points)
        rows = np.arange(len(left))
        best = np.argmin(np.abs(here), axis=-1)
        done = np.abs(here[rows, best]) <= _NEARLY * size[rows, best]
        found[left[done]] = points[rows, best][done]
        at = np.argmax((here[:, 1:] > 0) != (here[:, :-1] > 0), axis=-1)
        ends, saved = (np.stack([one[rows, at], one[rows, at + 1]], axis=-1)[~done] for one in (points, here))
        left = left[~done]
    found[left] = ends.mean(axis=-1)
    return found


def _share(there: Setting, count: int) -> Array:
    """The share of hours in which the accelerators asked for are busy, over the plan, for each scenario."""
    need = there.demand.all
    most = np.asarray(need.accelerators * need.hours_per_month * need.timeline.runs)
    most = np.broadcast_to(most, np.broadcast(most, need.busy_hours).shape).sum(axis=-1)
    return np.broadcast_to(np.asarray(need.busy_hours).sum(axis=-1) / np.where(most > 0, most, 1.0), count).copy()
