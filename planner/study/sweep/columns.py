"""How an input can be told to the engine for many scenarios at once: asked of the engine, never kept in a list.

An input may hold a column, one value for each scenario; or be tried out under the name the formulas use; or be a number
of times as much work. Each is reckoned for a few values and held against the plans of those very scenarios. What agrees
with none of them to the cent is not put together: its scenarios are reckoned one after another.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from planner.money.many_ledgers import Array, InputColumns
from planner.money.option import Option
from planner.money.setting import BUSY_FACTOR, PlanContext
from planner.money.verdict.breakeven import (
    BUSY,
    LEAST_BUSY,
    grid,
    nearest_sign_change,
    pair_costs,
    plan_utilizations,
    saving_function,
    utilization_factor_bounds,
)
from planner.scenario.fields import shape
from planner.scenario.path import Path, get_value
from planner.scenario.scenario import Scenario

How = Literal["column", "tried", "busy"]
HOWS: tuple[How, ...] = ("column", "busy", "tried")
Hows = Mapping[Path, How]
Values = Mapping[Path, Array]  # of each input that is told as a column: one for each scenario
_NUMBERS = ("number", "whole")


def is_number(path: Path, value: Any) -> bool:
    """Whether an input is a number that could stand in a column."""
    found = shape(path)
    return found is not None and found.kind in _NUMBERS and value is not None and not isinstance(value, bool)


def as_columns(setting: PlanContext, values: Values, hows: Hows) -> InputColumns:
    """Scenarios as columns: the setting of the first, with the values of the inputs in which they differ."""
    fields = {path: column for path, column in values.items() if hows[path] == "column"}
    tried = {str(path[-1]): column for path, column in values.items() if hows[path] == "tried"}
    columns = InputColumns(setting, tried, fields)
    for path in (path for path in values if hows[path] == "busy"):
        columns = columns.with_tried(BUSY_FACTOR, values[path] / get_value(setting.scenario, path))
    return columns


Agrees = Callable[[Scenario, Path, Sequence[float], How], bool]


def hows(scenario: Scenario, values: Mapping[Path, Sequence[Any]], agrees: Agrees) -> dict[Path, How]:
    """How each input that varies can be told as a column; those that cannot be are left out.

    `agrees` says whether some values of one input, told that way, give what their own plans give.
    """
    found: dict[Path, How] = {}
    for path, every in values.items():
        numbers = sorted({value for value in every if is_number(path, value)})
        few = [numbers[0], numbers[-1], numbers[len(numbers) // 2]] if len(numbers) > 1 else []
        if not few:
            continue
        taken = {str(other[-1]) for other, how in found.items() if how == "tried"}
        for how in HOWS:
            # A factor of the work is a ratio to the first value, so none may be nothing.
            never = how == "busy" and ("busy" in found.values() or numbers[0] <= 0)
            free = not never and not (how == "tried" and str(path[-1]) in taken)
            if free and agrees(scenario, path, few, how):
                found[path] = how
                break
    return found


@dataclass(frozen=True)
class UtilizationBreakEven:
    """The share of hours at which two ways cost the same, for each scenario; and why there is none."""

    share: Array  # not-a-number where there is none
    says: tuple[str, ...]  # found, always, never, none


def utilization_break_even(
    columns: InputColumns, own: Option, rent: Option, utilization: Array
) -> UtilizationBreakEven:
    """The busy share of each scenario; `utilization` is the least share of busy hours before growth."""
    count = len(utilization)
    ones, places = np.ones(count), np.arange(count)
    you = np.broadcast_to(plan_utilizations(columns.with_tried(BUSY, ones).context()), count)
    low, high = utilization_factor_bounds(you, utilization)
    saving = saving_function(columns, BUSY, pair_costs(own, rent))
    factors = grid(low, ones, high)
    saved, _ = saving(places, factors)
    known = np.isfinite(saved).all(axis=-1) & (you >= LEAST_BUSY)
    pick = np.flatnonzero(known)
    turns, _ = nearest_sign_change(pick, factors[pick], saved[pick], 1.0, saving)
    found = pick[~np.isnan(turns)]
    share, says = np.full(count, np.nan), np.where(saved[:, 0] > 0, "always", "never")
    if len(found):
        share[found] = plan_utilizations(columns.take(found).with_tried(BUSY, turns[~np.isnan(turns)]).context())
    says[found] = "found"
    return UtilizationBreakEven(share, tuple(np.where(known, says, "none").tolist()))
