"""Where what owning saves changes its sign along one input, for many rows at once, each at values of its own.

The saving is reckoned at a grid of values, all in one build. Between two values where it changes its sign the straight
line is followed and the point checked; where it is not straight, the bracket is cut again until the saving is nothing
beside the cost. Two changes of sign between two values are not seen.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.money.many_ledgers import Array, Columns

Places = NDArray[np.intp]
Costs = Callable[[Columns], Sequence[Array] | Array]  # of owning and of renting, row by row
Saving = Callable[[Places, Array], tuple[Array, Array]]  # of some rows, each at some values: rows x values

_NODES = 9  # of the grid, on each side of where a row stands
_CUTS = 7
_ROUNDS = 12
_NEARLY = 1e-7  # of the larger cost: what counts as the same


def saving_along(columns: Columns, name: str, costs: Costs) -> Saving:
    """What owning saves, and the larger of both costs, where one input takes some values in some of the rows."""

    def saving(places: Places, values: Array) -> tuple[Array, Array]:
        rows = columns.take(np.repeat(places, values.shape[1])).trying(name, values.reshape(-1))
        own, rent = (usd.reshape(values.shape) for usd in costs(rows))
        return rent - own, np.maximum(np.abs(rent), np.abs(own))

    return saving


def grid(low: Array, middle: Array, high: Array) -> Array:
    """As many values below the middle of each row as above it: rows x values."""
    return np.concatenate([np.linspace(low, middle, _NODES), np.linspace(middle, high, _NODES)]).T


def nearest_turn(
    places: Places, values: Array, saved: Array, you: float, saving: Saving
) -> tuple[Array, NDArray[np.bool_]]:
    """For each row the value nearest to `you` at which the saving changes its sign, and whether it jumps there.

    `saved` is the saving at `values`. Not-a-number where it does not change its sign.
    """
    turns = (saved[:, 1:] > 0) != (saved[:, :-1] > 0)
    distance = np.maximum(np.maximum(values[:, :-1] - you, you - values[:, 1:]), 0.0)
    at = np.argmin(np.where(turns, distance, np.inf), axis=-1)
    found, jumps = np.full(len(places), np.nan), np.zeros(len(places), dtype=bool)
    pick = np.flatnonzero(turns.any(axis=-1))
    found[pick], jumps[pick] = _refined(
        places[pick], _between(values, pick, at[pick]), _between(saved, pick, at[pick]), saving
    )
    return found, jumps


def _between(points: Array, rows: Places, at: Places) -> Array:
    """The two points of each row that a change of sign lies between."""
    return np.stack([points[rows, at], points[rows, at + 1]], axis=-1)


def _refined(places: Places, ends: Array, saved: Array, saving: Saving) -> tuple[Array, NDArray[np.bool_]]:
    """Follow the straight line inside each bracket, check, and cut the bracket where it was not straight."""
    found, left = np.full(len(places), np.nan), np.arange(len(places))
    for _ in range(_ROUNDS):
        if not len(left):
            break
        low, high = ends.T
        straight = low - saved[:, 0] * (high - low) / (saved[:, 1] - saved[:, 0])
        points = np.sort(np.concatenate([np.linspace(low, high, _CUTS).T, straight[:, None]], axis=-1), axis=-1)
        here, size = saving(places[left], points)
        rows, best = np.arange(len(left)), np.argmin(np.abs(here), axis=-1)
        done = np.abs(here[rows, best]) <= _NEARLY * size[rows, best]
        found[left[done]] = points[rows, best][done]
        at = np.argmax((here[:, 1:] > 0) != (here[:, :-1] > 0), axis=-1)[~done]
        ends, saved = (_between(one, rows[~done], at) for one in (points, here))
        left = left[~done]
    jumps = np.isin(np.arange(len(places)), left)
    found[left] = ends.mean(axis=-1)
    return found, jumps
