"""The verdict with its certainty. Page, command line and files all take it from here.

The leading option is decided from the ledgers at typical figures (planner.money.verdict.answer): sides, mixes, limits
of cash and unknown prices. The futures give the certainty: how often it is cheaper than the best of the other sides,
and by how much in the middle. Where most futures favor the other side, the verdict is a close call. Of one side alone
its two best options are compared.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from planner.money.many_ledgers import InputColumns
from planner.money.plan import Plan
from planner.money.verdict.answer import CLOSE_GAP, Answer, Verdict, build_answer, gap_share, verdict_for
from planner.money.verdict.breakeven import BUSY, RENT, ledger_input_value, plan_utilization
from planner.money.verdict.contender import CostRange, EvaluatedOption
from planner.money.ways import WAYS
from planner.scenario.budget import FUTURES, STEPS, TURNS
from planner.study.uncertainty.futures import Futures, PercentileBand, draw_futures, percentile_band
from planner.study.uncertainty.tornado import saved_usd

SURE, LIKELY = 0.9, 0.7  # shares of futures: "Buy.", "Probably buy."
STEP = 0.02  # shares are shown, and decided on, in steps of 2 of 100
_LEAST, _MOST_TIMES = 0.02, 3.0  # busy from so little to all hours; rents from nothing to three times today's


@dataclass(frozen=True, eq=False)
class Judged:
    """An answer, and the futures that it rests on; none where there is nothing to draw."""

    answer: Answer
    futures: Futures | None


def decided(plan: Plan, count: int = FUTURES) -> Judged:
    """Return the answer of a plan with its certainty, and the futures that this rests on."""
    drawn = draw_futures(plan, count)
    return Judged(judged(build_answer(plan), drawn), drawn)


def judged(answer: Answer, drawn: Futures | None) -> Answer:
    """Return the answer of a plan with verdict, ranges and gap from the futures."""
    if drawn is None or answer.best is None:
        return answer
    ranged = {evaluated.option.key: _with_futures_range(evaluated, drawn) for evaluated in answer.ranked}

    def again(evaluated: EvaluatedOption | None) -> EvaluatedOption | None:
        return None if evaluated is None else ranged[evaluated.option.key]

    answer = replace(
        answer,
        ranked=tuple(ranged.values()),
        own=again(answer.own),
        rent=again(answer.rent),
        requested=again(answer.requested),
        pair=answer.pair and (ranged[answer.pair[0].option.key], ranged[answer.pair[1].option.key]),
        best=again(answer.best),
        against=again(answer.against),
    )
    best, against = answer.best, answer.against
    if best is None or against is None or answer.verdict == "limited":
        return answer
    keys = best.option.key, against.option.key
    if any(drawn.row(key) is None for key in keys):
        return answer
    share = drawn.share_cheaper(*keys)
    cost = drawn.present(keys[0]).middle
    gap = gap_share(cost, cost + float(np.median(drawn.saved_usd(*keys))))
    return replace(answer, verdict=verdict_from_share(best, rounded(share), gap), share_cheaper=share, gap_share=gap)


def rounded(share: float) -> float:
    """Return a share of futures as it is decided on: in steps of 2 of 100."""
    return round(round(share / STEP) * STEP, 2)


def verdict_from_share(best: EvaluatedOption, share: float, gap: float) -> Verdict:
    """Return the word for an option that is cheaper in such a share of futures, by such a gap in the middle."""
    if share < LIKELY - STEP / 2 or gap < CLOSE_GAP:
        return "close"
    return verdict_for(WAYS[best.option.way].side, share > SURE - STEP / 2)


def _with_futures_range(evaluated: EvaluatedOption, drawn: Futures) -> EvaluatedOption:
    """Return an option with the ranges that hold eight of ten futures; they always hold the typical cost shown."""
    key = evaluated.option.key
    row = drawn.row(key)
    if row is None:
        return evaluated
    band, cumulative = drawn.present(key), drawn.cumulative_usd_bands[row]
    cost_range = partial(
        CostRange,
        low_usd=min(band.low, evaluated.present_usd),
        high_usd=max(band.high, evaluated.present_usd),
        low_cumulative_usd=np.minimum(cumulative[0], evaluated.cumulative_usd),
        high_cumulative_usd=np.maximum(cumulative[2], evaluated.cumulative_usd),
    )
    return replace(evaluated, compute_range=cost_range)


@dataclass(frozen=True)
class BreakEvenBand:
    """The break-even of eight of ten futures that have one, and the share that has one."""

    band: PercentileBand | None
    share: float  # of those futures in which there is one
    count: int  # of futures in which it was looked for: the first of all that were drawn


def break_even_band(drawn: Futures, own_key: str, rent_key: str, name: str) -> BreakEvenBand | None:
    """Return the break-even of `busy_share` or of rents in all futures; None where the plan has no such input."""
    plan, own, rent = drawn.plan, drawn.plan.option(own_key), drawn.plan.option(rent_key)
    if own is None or rent is None:
        return None
    if name == "busy_share":
        utilization = plan_utilization(plan.setting, 1.0)
        if not utilization:
            return None
        tried, scale, grid = BUSY, utilization, np.linspace(_LEAST, 1.0, STEPS) / utilization
    else:
        price = ledger_input_value(RENT, rent.ledger)
        if price is None or rent.way != "on_demand" or WAYS[own.way].rents_machines:
            return None
        tried, scale, grid = RENT, 1.0, np.linspace(0.0, _MOST_TIMES * price[0], STEPS)
    count = min(TURNS, drawn.count)
    draws = {key: values[:count] for key, values in drawn.draws.items() if key != tried}
    saved = saved_usd(plan, (own, rent), InputColumns(plan.setting, draws, along=(tried, grid)))
    turns = (saved[:, 1:] > 0) != (saved[:, :-1] > 0)
    flips = turns.any(axis=1)
    if not flips.any():
        return BreakEvenBand(None, 0.0, count)
    row, at = np.flatnonzero(flips), turns[flips].argmax(axis=1)
    before, after = saved[row, at], saved[row, at + 1]
    values = (grid[at] - before * (grid[at + 1] - grid[at]) / (after - before)) * scale
    return BreakEvenBand(percentile_band(values), float(flips.mean()), count)
