"""How busy both must be for owning and renting to cost the same, for many scenarios at once.

Between the same ends, by the same search as the break-even of one plan.
"""

from dataclasses import dataclass

import numpy as np

from planner.money.many_ledgers import Array, Columns
from planner.money.option import Option
from planner.money.verdict.breakeven import BUSY, LEAST_BUSY, busy_factors, busy_shares, costs_of
from planner.money.verdict.sign_change import grid, nearest_turn, saving_along


@dataclass(frozen=True)
class Busy:
    """The share of hours at which two ways cost the same, for each scenario; and why there is none."""

    share: Array  # not-a-number where there is none
    says: tuple[str, ...]  # found, always, never, none


def busy_break_even(columns: Columns, own: Option, rent: Option, usual_busy_share: Array) -> Busy:
    """The busy share of each scenario; `usual_busy_share` is each one's least share of busy hours before growth."""
    count = len(usual_busy_share)
    ones, places = np.ones(count), np.arange(count)
    you = np.broadcast_to(busy_shares(columns.trying(BUSY, ones).at()), count)
    low, high = busy_factors(you, usual_busy_share)
    saving = saving_along(columns, BUSY, costs_of(own, rent))
    factors = grid(low, ones, high)
    saved, _ = saving(places, factors)
    known = np.isfinite(saved).all(axis=-1) & (you >= LEAST_BUSY)
    pick = np.flatnonzero(known)
    turns, _ = nearest_turn(pick, factors[pick], saved[pick], 1.0, saving)
    found = pick[~np.isnan(turns)]
    share, says = np.full(count, np.nan), np.where(saved[:, 0] > 0, "always", "never")
    if len(found):
        share[found] = busy_shares(columns.take(found).trying(BUSY, turns[~np.isnan(turns)]).at())
    says[found] = "found"
    return Busy(share, tuple(np.where(known, says, "none").tolist()))
