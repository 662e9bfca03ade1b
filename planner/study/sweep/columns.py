"""Encodings of the inputs of many scenarios at once, and queries memoized by the fields they read.

An input may be a column, one value for each scenario; or be tried under the name that formulas use; or be a factor of
the work. Each encoding is tried for a few values and compared with the plans of those very scenarios; no list is kept.
An input that agrees under none of them to the cent is not batched: its scenarios are calculated one after another.

A query, such as the offers to rent from, runs on a scenario that records which of its fields are read. The result
depends on nothing else, so another scenario with the same values in those fields has the same one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Generic, Literal, TypeVar, cast

import numpy as np
from pydantic import BaseModel

from planner.money.many_ledgers import Array, InputColumns
from planner.money.option import Option
from planner.money.setting import BUSY_FACTOR, PlanContext
from planner.money.verdict.breakeven import (
    BUSY,
    LEAST_BUSY,
    nearest_sign_change,
    pair_costs,
    plan_utilizations,
    sample_grid,
    saving_function,
    utilization_factor_bounds,
)
from planner.scenario.fields import field_spec
from planner.scenario.path import Path, get_value
from planner.scenario.scenario import Scenario
from pricing import Catalogue

Encoding = Literal["column", "tried", "busy"]
ENCODINGS: tuple[Encoding, ...] = ("column", "busy", "tried")
Encodings = Mapping[Path, Encoding]


def is_number(path: Path, value: Any) -> bool:
    """Return whether an input is a number that could be a column."""
    field = field_spec(path)
    numeric = field is not None and field.kind in ("number", "whole")
    return numeric and value is not None and not isinstance(value, bool)


def as_columns(setting: PlanContext, values: Mapping[Path, Array], encodings: Encodings) -> InputColumns:
    """Return scenarios as columns: the context of the first, with the values of the inputs in which they differ."""
    fields = {path: column for path, column in values.items() if encodings[path] == "column"}
    tried = {str(path[-1]): column for path, column in values.items() if encodings[path] == "tried"}
    columns = InputColumns(setting, tried, fields)
    for path in (path for path in values if encodings[path] == "busy"):
        columns = columns.with_tried(BUSY_FACTOR, values[path] / get_value(setting.scenario, path))
    return columns


def find_encodings(
    values: Mapping[Path, Sequence[Any]], agrees: Callable[[Path, Sequence[float], Encoding], bool]
) -> dict[Path, Encoding]:
    """Return how each input that varies can be encoded as a column; those that cannot be are left out.

    `agrees` tells whether some values of one input, encoded so, give what their own plans give.
    """
    encodings: dict[Path, Encoding] = {}
    for path, inputs in values.items():
        numbers = sorted({value for value in inputs if is_number(path, value)})
        if len(numbers) < 2:
            continue
        few = [numbers[0], numbers[-1], numbers[len(numbers) // 2]]
        tried = {str(other[-1]) for other, encoding in encodings.items() if encoding == "tried"}
        # A factor of the work is a ratio to the first value, so none may be zero.
        excluded = {"busy"} if "busy" in encodings.values() or numbers[0] <= 0 else set()
        excluded |= {"tried"} if str(path[-1]) in tried else set()
        candidates = (each for each in ENCODINGS if each not in excluded and agrees(path, few, each))
        if encoding := next(candidates, None):
            encodings[path] = encoding
    return encodings


@dataclass(frozen=True)
class UtilizationBreakEven:
    """The utilization at which two options cost the same, for each scenario; and why there is none."""

    share: Array  # not-a-number where there is none
    says: tuple[str, ...]  # found, always, never, none


def utilization_break_even(
    columns: InputColumns, own: Option, rent: Option, utilization: Array
) -> UtilizationBreakEven:
    """Return the break-even of each scenario; `utilization` is the least before growth."""
    count = len(utilization)
    ones, indices = np.ones(count), np.arange(count)
    current = np.broadcast_to(plan_utilizations(columns.with_tried(BUSY, ones).context()), count)
    low, high = utilization_factor_bounds(current, utilization)
    saving, factors = saving_function(columns, BUSY, pair_costs(own, rent)), sample_grid(low, ones, high)
    savings_usd, _ = saving(indices, factors)
    known = np.isfinite(savings_usd).all(axis=-1) & (current >= LEAST_BUSY)
    pick = np.flatnonzero(known)
    turns, _ = nearest_sign_change(pick, factors[pick], savings_usd[pick], 1.0, saving)
    turning = pick[~np.isnan(turns)]
    share, says = np.full(count, np.nan), np.where(savings_usd[:, 0] > 0, "always", "never")
    if len(turning):
        share[turning] = plan_utilizations(columns.take(turning).with_tried(BUSY, turns[~np.isnan(turns)]).context())
    says[turning] = "found"
    return UtilizationBreakEven(share, tuple(np.where(known, says, "none").tolist()))


T = TypeVar("T")


class ReadTracker:
    """A record that notes its reads: a field's path, or its own where it is read as a whole."""

    def __init__(self, record: BaseModel, path: Path, reads: set[Path]) -> None:
        self._record, self._path, self._reads = record, path, reads

    def __getattr__(self, name: str) -> Any:
        value = self._read(name)
        setattr(self, name, value)  # the next read is noted already
        return value

    def _read(self, name: str) -> Any:
        kind = type(self._record)
        if name in kind.model_fields:
            return self._track(getattr(self._record, name), (*self._path, name))
        attribute = getattr(kind, name, None)
        if isinstance(attribute, property):
            assert attribute.fget is not None
            return attribute.fget(self)
        if name not in kind.__private_attributes__:  # those are no inputs: the points of a grid cannot differ in them
            self._reads.add(self._path)
        return getattr(self._record, name)

    def _track(self, value: Any, path: Path) -> Any:
        if isinstance(value, BaseModel):
            return ReadTracker(value, path, self._reads)
        if isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
            return tuple(ReadTracker(record, (*path, index), self._reads) for index, record in enumerate(value))
        self._reads.add(path)
        return value

    def __hash__(self) -> int:
        self._reads.add(self._path)
        return hash(self._record)

    def __eq__(self, other: object) -> bool:
        self._reads.add(self._path)
        return self._record == (other._record if isinstance(other, ReadTracker) else other)


class MemoizedQuery(Generic[T]):
    """The result of a query for each scenario of a sweep, those that vary in `paths`."""

    def __init__(
        self, catalogue: Catalogue, day: date, paths: tuple[Path, ...], query: Callable[[PlanContext], T]
    ) -> None:
        self._catalogue, self._day, self._paths, self._query = catalogue, day, paths, query
        self._results: dict[tuple[int, ...], dict[tuple[Any, ...], T]] = {}

    def get(self, scenario: Scenario, values: tuple[Any, ...]) -> T:
        """Return the result for a scenario in plain hours, which has these values at the paths."""
        for indices, results in self._results.items():
            key = tuple(values[index] for index in indices)
            if key in results:
                return results[key]
        reads: set[Path] = set()
        tracked = cast(Scenario, ReadTracker(scenario, (), reads))
        result = self._query(PlanContext(self._catalogue, tracked, self._day))
        read = (index for index, path in enumerate(self._paths) if any(path[: len(each)] == each for each in reads))
        indices = tuple(read)
        self._results.setdefault(indices, {})[tuple(values[index] for index in indices)] = result
        return result
