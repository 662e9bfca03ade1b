"""The verdict: the answer with how sure it is. Page, command line and files all take it from here.

Which way leads is decided from the ledgers at typical figures (planner.money.verdict.answer): sides, mixes, limits of
cash and what nobody prices. How sure that is, the futures say: how often it is cheaper than the best of the other
sides, and by how much in the middle. Where most futures speak for the other side, nothing is called. Of one side alone
its two best ways are held against each other.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.plan import Plan
from planner.money.verdict.answer import CLOSE_GAP, Answer, Verdict, answer, gap_share, verdict_for
from planner.money.verdict.weighed import Weighed
from planner.money.ways import WAYS
from planner.scenario.budget import FUTURES
from planner.study.uncertainty.futures import Futures, futures

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
    of = {one.option.key: _ranged(one, drawn) for one in found.ranked}

    def again(way: Weighed | None) -> Weighed | None:
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
    return _worded(told, drawn)


def rounded(share: float) -> float:
    """A share of futures as it is decided on: in steps of 2 of 100."""
    return round(round(share / STEP) * STEP, 2)


def _worded(found: Answer, drawn: Futures) -> Answer:
    best, against = found.best, found.against
    if best is None or against is None or found.verdict == "limited":
        return found
    keys = best.option.key, against.option.key
    if any(drawn.row(key) is None for key in keys):
        return found
    share = drawn.share_cheaper(*keys)
    cost = drawn.present(keys[0]).middle
    gap = gap_share(cost, cost + float(np.median(drawn.saved_usd(*keys))))
    return replace(found, verdict=verdict_of(best, rounded(share), gap), share_cheaper=share, gap_share=gap)


def verdict_of(best: Weighed, share: float, gap: float) -> Verdict:
    """The word for a way that is cheaper in such a share of futures, by such a share of its cost in the middle."""
    if share < LIKELY - STEP / 2 or gap < CLOSE_GAP:
        return "close"
    return verdict_for(WAYS[best.option.way].side, share > SURE - STEP / 2)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The range of a way as the futures have it."""

    low_usd: float
    high_usd: float
    low_cumulative_usd: NDArray[np.float64]
    high_cumulative_usd: NDArray[np.float64]


def _ranged(way: Weighed, drawn: Futures) -> Weighed:
    """A way with the ranges that eight of ten futures lie in; they always hold the typical cost that is told."""
    row = drawn.row(way.option.key)
    if row is None:
        return way
    band, over = drawn.present(way.option.key), drawn.over_time_usd[row]
    spread = _Drawn(
        low_usd=min(band.low, way.present_usd),
        high_usd=max(band.high, way.present_usd),
        low_cumulative_usd=np.minimum(over[0], way.cumulative_usd),
        high_cumulative_usd=np.maximum(over[2], way.cumulative_usd),
    )
    return replace(way, spread=spread)
