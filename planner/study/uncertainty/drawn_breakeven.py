"""Break-evens in every future: the range in which the share of busy hours, or the rent, makes both ways cost the same.

Both ways are built at a few values of the input in each of some futures, all in one build; between two values where
the saving changes its sign the straight line is followed.
"""

from dataclasses import dataclass

import numpy as np

from planner.money.many_ledgers import Columns
from planner.money.verdict.breakeven import BUSY, RENT, busy_share, value_of
from planner.money.ways import WAYS
from planner.scenario.budget import STEPS, TURNS
from planner.study.uncertainty.futures import Futures, FuturesBand, band
from planner.study.uncertainty.tornado import saved_usd

_LEAST, _MOST_TIMES = 0.02, 3.0  # busy from so little to all hours; rents from nothing to three times today's


@dataclass(frozen=True)
class Turning:
    """Where both cost the same: the range of eight of ten futures that have such a value, and how many have one."""

    band: FuturesBand | None
    share: float  # of those futures in which there is one
    count: int  # of futures in which it was looked for: the first of all that were drawn


def turning(found: Futures, own: str, rent: str, name: str) -> Turning | None:
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
    saved = saved_usd(found.plan, (ways[0], ways[1]), Columns(found.plan.setting, draws, along=(tried, grid)))
    turns = (saved[:, 1:] > 0) != (saved[:, :-1] > 0)
    there = turns.any(axis=1)
    if not there.any():
        return Turning(None, 0.0, count)
    row, at = np.flatnonzero(there), turns[there].argmax(axis=1)
    before, after = saved[row, at], saved[row, at + 1]
    values = (grid[at] - before * (grid[at + 1] - grid[at]) / (after - before)) * scale
    return Turning(band(values), float(there.mean()), count)
