"""Ranges of values in a grid: counted before any list of them is made, and never made where they are very many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, overload

from pydantic import Field, model_validator

from planner.scenario.base import ScenarioModel

MOST_LISTED = 1_000  # values of a range that are written out; of more, each is calculated on use
_DIGITS = 12  # of a value, without the dust of adding up
_APART = 10.0 ** (1 - _DIGITS)  # nearer to each other, relative to the largest, two values may be written alike
_UNCOUNTED = 10**18  # no more is counted than this


class ValueRange(ScenarioModel):
    """Values from one number to another, both in it: so many of them, or one every so much."""

    first: Annotated[float, Field(alias="from", ge=-1e15, le=1e15)]
    last: Annotated[float, Field(alias="to", ge=-1e15, le=1e15)]
    steps: Annotated[int, Field(ge=2)] | None = None
    by: Annotated[float, Field(gt=0.0, le=1e15)] | None = None
    scale: Literal["linear", "log"] = "linear"

    @model_validator(mode="after")
    def _agree(self) -> ValueRange:
        if (self.steps is None) == (self.by is None):
            raise ValueError("want one of steps and by: how many values, or how far apart")
        if self.scale == "log" and (self.by is not None or min(self.first, self.last) <= 0):
            raise ValueError("scale log wants steps, and from and to above 0")
        if self.by is not None and self.last < self.first:
            raise ValueError(f"from {self.first:g} to {self.last:g} goes down: swap them, or use steps")
        return self

    @property
    def count(self) -> int:
        """Return how many values there are."""
        if self.by is None:
            return min(self.steps or 0, _UNCOUNTED)
        return math.floor(min((self.last - self.first) / self.by, _UNCOUNTED) + 1e-9) + 1

    def value(self, place: int) -> float:
        """One of the values, counted from 0."""
        if self.by is not None:
            return _round_decimal(self.first + place * self.by)
        if place in (0, self.count - 1):
            return self.last if place else self.first
        part = place / (self.count - 1)
        if self.scale == "log":
            return _round_decimal(self.first * (self.last / self.first) ** part)
        return _round_decimal(self.first + (self.last - self.first) * part)

    @property
    def has_distinct_values(self) -> bool:
        """Return whether no two of the values can be written alike, without a look at them."""
        largest = max(abs(self.first), abs(self.last))
        if self.scale == "log":
            return abs(math.log(self.last / self.first)) / self.count > _APART
        return (self.by or abs(self.last - self.first) / self.count) > _APART * largest


def _round_decimal(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


@dataclass(frozen=True)
class LazyRange(Sequence[Any]):
    """Very many values of a range. `scale` of what is written make one of the input; whole numbers stay whole."""

    range: ValueRange
    scale: int = 1
    whole: bool = False

    def __len__(self) -> int:
        return self.range.count

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return tuple(self[index] for index in range(*place.indices(len(self))))
        if not 0 <= place < len(self):
            raise IndexError(place)
        return to_input_value(self.range.value(place), self.scale, whole=self.whole)


@dataclass(frozen=True)
class AxisSteps(Sequence[tuple[Any, ...]]):
    """Columns as long as each other, row by row."""

    columns: tuple[Sequence[Any], ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, place: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[tuple[Any, ...], ...]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return tuple(zip(*(column[place] for column in self.columns), strict=True))
        return tuple(column[place] for column in self.columns)


def to_input_value(value: Any, scale: int, *, whole: bool) -> Any:
    """A number that is written as an input takes it: 40 % as 0.4, 8.0 accelerators as 8; what is no number stays."""
    if whole:
        return int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return float(f"{value / scale:.15g}") if scale != 1 else float(value)
