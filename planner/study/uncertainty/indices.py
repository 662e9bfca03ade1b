"""Sobol indices: which share of the doubt about the saving comes from each input, alone and with all it works through.

References
----------
Saltelli, Annoni, Azzini, Campolongo, Ratto, Tarantola: Variance based sensitivity analysis of model output, Computer
Physics Communications 181, 2010, pp. 259-270: first-order by their equation (b) of table 2, total by Jansen's (f).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.money.many_ledgers import Columns
from planner.money.option import Option
from planner.money.plan import Plan
from planner.study.uncertainty.draws import distances
from planner.study.uncertainty.tornado import saved_usd
from planner.study.uncertainty.uncertain_inputs import at, doubtful

ROWS = 512


@dataclass(frozen=True)
class Index:
    """One input's part in the variance of what owning saves."""

    name: str
    first: float  # by itself
    total: float  # with everything it works through together with others


def indices(plan: Plan, own: Option, rent: Option, count: int = ROWS) -> tuple[Index, ...]:
    """The inputs by their total part, the largest first. All are taken to be independent here."""
    inputs = doubtful(plan)
    if not inputs:
        return ()
    z = distances(2 * len(inputs), count, plan.setting.scenario.seed)
    one, other = z[:, : len(inputs)], z[:, len(inputs) :]
    mixed = [np.where(np.arange(len(inputs)) == place, other, one) for place in range(len(inputs))]
    rows = Columns(plan.setting, at(inputs, np.concatenate([one, other, *mixed])))
    saved = saved_usd(plan, (own, rent), rows)
    of_one, of_other, *of_mixed = saved.reshape(-1, count)
    variance = float(np.var(np.concatenate([of_one, of_other]))) or 1.0
    found = [
        Index(
            name=each.name,
            first=float(np.mean(of_other * (swapped - of_one))) / variance,
            total=float(np.mean((of_one - swapped) ** 2)) / 2 / variance,
        )
        for each, swapped in zip(inputs, of_mixed, strict=True)
    ]
    return tuple(sorted(found, key=lambda index: (-index.total, index.name)))
