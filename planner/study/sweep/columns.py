"""How an input can be told to the engine for many scenarios at once: asked of the engine, never kept in a list.

An input may hold a column, one value for each scenario; or be tried out under the name the formulas use; or be a number
of times as much work. Each is reckoned for a few values and held against the plans of those very scenarios. What agrees
with none of them to the cent is not put together: its scenarios are reckoned one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.setting import Setting
from planner.money.verdict.breakeven import BUSY
from planner.scenario.fields import shape
from planner.scenario.path import Path, value_at, with_value
from planner.scenario.scenario import Scenario

How = Literal["column", "tried", "busy"]
HOWS: tuple[How, ...] = ("column", "busy", "tried")
Hows = Mapping[Path, How]
Values = Mapping[Path, NDArray[np.float64]]  # of each input that is told as a column: one for each scenario
_NUMBERS = ("number", "whole")


class Column(np.ndarray[tuple[int, ...], np.dtype[np.float64]]):
    """One value for each scenario, standing beside the months. Hashable by what it is, so that records may hold it."""

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


def column(values: NDArray[np.float64]) -> Column:
    """Values as the engine takes draws: (scenarios, 1)."""
    return np.asarray(values, dtype=np.float64).reshape(-1, 1).view(Column)


def is_number(path: Path, value: Any) -> bool:
    """Whether an input is a number that could stand in a column."""
    found = shape(path)
    return found is not None and found.kind in _NUMBERS and value is not None and not isinstance(value, bool)


@dataclass(frozen=True)
class ToldColumns:
    """Scenarios told as one: the first of them, with the values of the inputs in which they differ."""

    setting: Setting  # of the first scenario
    values: Values
    hows: Hows

    def take(self, places: NDArray[np.intp]) -> ToldColumns:
        """Some of them, in that order; the same may stand there several times."""
        return replace(self, values={path: values[places] for path, values in self.values.items()})

    def at(self, busy_factor: NDArray[np.float64] | None = None) -> Setting:
        """The setting that stands for all of them, perhaps with so many times the work."""
        scenario, tried = self.setting.scenario, dict(self.setting.tried)
        times: NDArray[np.float64] | float = 1.0 if busy_factor is None else busy_factor
        for path, values in self.values.items():
            how = self.hows[path]
            if how == "column":
                scenario = with_value(scenario, path, column(values))
            elif how == "tried":
                tried[str(path[-1])] = column(values)
            else:
                times = times * (values / value_at(self.setting.scenario, path))
        if np.ndim(times):
            tried[BUSY] = column(np.asarray(times))
        return replace(self.setting, scenario=scenario, tried=tried)


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
