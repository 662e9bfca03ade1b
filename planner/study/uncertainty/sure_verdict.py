"""The verdict: the answer with how sure it is. Page, command line and files all take it from here.

Which way leads is decided from the ledgers at typical figures (planner.money.verdict.answer): sides, mixes, limits of
cash and what nobody prices. How sure that is, the futures say: how often it is cheaper than the best of the other
sides, and by how much in the middle. Where most futures speak for the other side, nothing is called. Of one side alone
its two best ways are held against each other.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.many_ledgers import InputColumns
from planner.money.plan import Plan
from planner.money.verdict.answer import CLOSE_GAP, Answer, Verdict, answer, gap_share, verdict_for
from planner.money.verdict.breakeven import BUSY, RENT, busy_share, value_of
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.scenario.budget import FUTURES, STEPS, TURNS
from planner.study.uncertainty.futures import Futures, PercentileBand, band, futures
from planner.study.uncertainty.tornado import saved_usd

SURE, LIKELY = 0.9, 0.7  # shares of futures: "Buy.", "Probably buy."
STEP = 0.02  # shares are told, and decided on, in steps of 2 of 100


@dataclass(frozen=True, eq=False)
class Judged:
    """An answer, and the futures that it rests on; none where there is nothing to draw."""

    answer: Answer
    futures: Futures | None


def decided(plan: Plan, count: int = FUTURES) -> Judged:
    """The answer of a plan with how sure it is, and the futures that this rests on."""
    drawn = futures(plan, count)
    return Judged(judged(answer(plan), drawn), drawn)


def judged(found: Answer, drawn: Futures | None) -> Answer:
    """The answer of a plan, with its verdict, ranges and gap as the futures have them."""
    if drawn is None or found.best is None:
        return found
    of = {one.option.key: _with_futures_range(one, drawn) for one in found.ranked}

    def again(way: EvaluatedOption | None) -> EvaluatedOption | None:
        return None if way is None else of[way.option.key]

    told = replace(
        found,
        ranked=tuple(of.values()),
        own=again(found.own),
        rent=again(found.rent),
        asked=again(found.asked),
        pair=None if found.pair is None else (of[found.pair[0].option.key], of[found.pair[1].option.key]),
        best=again(found.best),
        against=again(found.against),
    )
    return _with_verdict(told, drawn)


def rounded(share: float) -> float:
    """A share of futures as it is decided on: in steps of 2 of 100."""
    return round(round(share / STEP) * STEP, 2)


def _with_verdict(found: Answer, drawn: Futures) -> Answer:
    best, against = found.best, found.against
    if best is None or against is None or found.verdict == "limited":
        return found
    keys = best.option.key, against.option.key
    if any(drawn.row(key) is None for key in keys):
        return found
    share = drawn.share_cheaper(*keys)
    cost = drawn.present(keys[0]).middle
    gap = gap_share(cost, cost + float(np.median(drawn.saved_usd(*keys))))
    return replace(found, verdict=verdict_from_share(best, rounded(share), gap), share_cheaper=share, gap_share=gap)


def verdict_from_share(best: EvaluatedOption, share: float, gap: float) -> Verdict:
    """The word for a way that is cheaper in such a share of futures, by such a share of its cost in the middle."""
    if share < LIKELY - STEP / 2 or gap < CLOSE_GAP:
        return "close"
    return verdict_for(WAYS[best.option.way].side, share > SURE - STEP / 2)


@dataclass(frozen=True, eq=False)
class _FuturesCostRange:
    """The range of a way as the futures have it."""

    low_usd: float
    high_usd: float
    low_cumulative_usd: NDArray[np.float64]
    high_cumulative_usd: NDArray[np.float64]


def _with_futures_range(way: EvaluatedOption, drawn: Futures) -> EvaluatedOption:
    """A way with the ranges that eight of ten futures lie in; they always hold the typical cost that is told."""
    row = drawn.row(way.option.key)
    if row is None:
        return way
    band, over = drawn.present(way.option.key), drawn.over_time_usd[row]
    spread = _FuturesCostRange(
        low_usd=min(band.low, way.present_usd),
        high_usd=max(band.high, way.present_usd),
        low_cumulative_usd=np.minimum(over[0], way.cumulative_usd),
        high_cumulative_usd=np.maximum(over[2], way.cumulative_usd),
    )
    return replace(way, spread=spread)


_LEAST, _MOST_TIMES = 0.02, 3.0  # busy from so little to all hours; rents from nothing to three times today's


@dataclass(frozen=True)
class BreakEvenBand:
    """Where both cost the same: the range of eight of ten futures that have such a value, and how many have one."""

    band: PercentileBand | None
    share: float  # of those futures in which there is one
    count: int  # of futures in which it was looked for: the first of all that were drawn


def turning(found: Futures, own: str, rent: str, name: str) -> BreakEvenBand | None:
    """The break-even of busy hours (`busy_share`) or of rents in all futures; None where the plan has no such input."""
    ways = found.plan.option(own), found.plan.option(rent)
    if ways[0] is None or ways[1] is None:
        return None
    you = busy_share(found.plan.setting, 1.0) if name == "busy_share" else None
    price = value_of(RENT, ways[1].ledger)
    if name == "busy_share":
        if not you:
            return None
        tried, scale, grid = BUSY, you, np.linspace(_LEAST, 1.0, STEPS) / you
    else:
        if price is None or ways[1].way != "on_demand" or WAYS[ways[0].way].rents_machines:
            return None
        tried, scale, grid = RENT, 1.0, np.linspace(0.0, _MOST_TIMES * price[0], STEPS)
    count = min(TURNS, found.count)
    draws = {one: values[:count] for one, values in found.draws.items() if one != tried}
    saved = saved_usd(found.plan, (ways[0], ways[1]), InputColumns(found.plan.setting, draws, along=(tried, grid)))
    turns = (saved[:, 1:] > 0) != (saved[:, :-1] > 0)
    there = turns.any(axis=1)
    if not there.any():
        return BreakEvenBand(None, 0.0, count)
    row, at = np.flatnonzero(there), turns[there].argmax(axis=1)
    before, after = saved[row, at], saved[row, at + 1]
    values = (grid[at] - before * (grid[at + 1] - grid[at]) / (after - before)) * scale
    return BreakEvenBand(band(values), float(there.mean()), count)
