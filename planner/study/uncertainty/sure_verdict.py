"""The verdict, read from the futures. Page, command line and files all take it from here."""

from dataclasses import dataclass

import numpy as np

from planner.money.many_ledgers import InputColumns
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer, build_answer
from planner.money.verdict.breakeven import BUSY, RENT, ledger_input_value, plan_utilization
from planner.money.ways import WAYS
from planner.scenario.budget import STEPS, turns_count
from planner.study.uncertainty.futures import Futures, PercentileBand, draw_futures, percentile_band
from planner.study.uncertainty.tornado import saved_usd

_LEAST, _MOST_TIMES = 0.02, 3.0  # utilization from so little to all hours; rents from nothing to three times today's


@dataclass(frozen=True, eq=False)
class Judged:
    """An answer, and the futures that it rests on; none where there is nothing to draw."""

    answer: Answer
    futures: Futures | None


def decided(plan: Plan, count: int | None = None) -> Judged:
    """Return the answer of a plan, and the futures that it is read from."""
    futures = draw_futures(plan, count)
    return Judged(build_answer(plan, None if futures is None else futures.costs), futures)


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
    count = turns_count(drawn.count)
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
