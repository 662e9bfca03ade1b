"""Buy now or wait, in many futures: what ordering in each month costs when rents and prices turn out otherwise.

Each future is reckoned for all months of the order at once, from the same draws that the verdict rests on. Waiting is
compared with ordering now within each future: what makes both dear says nothing about waiting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.many_ledgers import Columns, builder_of
from planner.money.owning.inputs import ORDER
from planner.money.plan import plan_at
from planner.money.ways import on_demand
from planner.study.uncertainty.distributions import TAIL
from planner.study.uncertainty.draws import drawn
from planner.study.uncertainty.futures import futures
from planner.study.uncertainty.uncertain_inputs import doubtful
from planner.study.when.buy_or_wait import Waiting

Array = NDArray[np.float64]

_ROWS, _FEWEST, _MOST = 8_192, 64, 256  # futures x months; futures
_ENDS = (TAIL, 1 - TAIL)


@dataclass(frozen=True, eq=False)
class WaitingFutures:
    """Ordering in each month, and never, in some futures."""

    count: int
    low_usd: Array  # by month of the order: 10th percentile of the futures; holds the typical cost
    high_usd: Array  # and above
    value_low_usd: Array  # of what waiting is worth against ordering now, within each future
    value_high_usd: Array
    share_cheaper: Array  # of futures in which that month is cheaper than now; 0 for now itself
    share_never: float  # of futures in which never buying is cheaper than buying now


def waiting_futures(found: Waiting) -> WaitingFutures | None:
    """What ordering in each month costs in its futures; None where nothing about it is uncertain."""
    setting, months = found.plan.setting, np.array(found.months, dtype=np.float64)
    # What hardware costs later matters only where something is ordered later.
    inputs = doubtful(plan_at(setting.trying({ORDER: float(months[-1])})))
    if not inputs:
        return None
    count = int(np.clip(_ROWS // len(months), _FEWEST, _MOST))
    draws = drawn(inputs, count, setting.scenario.seed)
    every = Columns(setting, draws).take(np.repeat(np.arange(count), len(months))).trying(ORDER, np.tile(months, count))
    usd = every.present_usd([builder_of(found.bought_as)])[0].reshape(count, len(months))
    value = usd[:, :1] - usd
    low, high = np.quantile(usd, _ENDS, axis=0)
    value_low, value_high = np.quantile(value, _ENDS, axis=0)
    return WaitingFutures(
        count=count,
        low_usd=np.minimum(low, found.present_usd),
        high_usd=np.maximum(high, found.present_usd),
        value_low_usd=value_low,
        value_high_usd=value_high,
        share_cheaper=np.mean(value > 0, axis=0),
        share_never=_share_never(found),
    )


def _share_never(found: Waiting) -> float:
    """The share of futures in which never buying is cheaper than buying now, in the very draws of the verdict."""
    sure = futures(found.plan)
    if sure is None:
        return 0.0
    builders = [on_demand.build, builder_of(found.bought_as)]
    never, now = Columns(found.plan.setting, sure.draws).present_usd(builders)
    return float(np.mean(never < now))
