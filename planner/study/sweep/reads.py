"""A question about a scenario, such as which offers it rents from, asked once for all that agree on what it looks at.

It is asked of a scenario that writes down which of its fields are read. The answer depends on nothing else, so another
scenario with the same values in those fields has the same one. No list says which fields these are.
"""

from collections.abc import Callable
from datetime import date
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel

from planner.money.setting import PlanContext
from planner.scenario.path import Path
from planner.scenario.scenario import Scenario
from pricing import Catalogue

T = TypeVar("T")


class ReadTracker:
    """A record that notes what is read of it: a field's path, or its own where it is taken as a whole."""

    def __init__(self, record: BaseModel, path: Path, reads: set[Path]) -> None:
        self._record, self._path, self._reads = record, path, reads

    def __getattr__(self, name: str) -> Any:
        value = self._read(name)
        setattr(self, name, value)  # the next read finds it there: it is noted already
        return value

    def _read(self, name: str) -> Any:
        kind = type(self._record)
        if name in kind.model_fields:
            return self._track(getattr(self._record, name), (*self._path, name))
        known = getattr(kind, name, None)
        if isinstance(known, property):
            assert known.fget is not None
            return known.fget(self)
        if name not in kind.__private_attributes__:  # those are no inputs: the points of a grid cannot differ in them
            self._reads.add(self._path)
        return getattr(self._record, name)

    def _track(self, value: Any, path: Path) -> Any:
        if isinstance(value, BaseModel):
            return ReadTracker(value, path, self._reads)
        if isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
            return tuple(ReadTracker(one, (*path, place), self._reads) for place, one in enumerate(value))
        self._reads.add(path)
        return value

    def __hash__(self) -> int:
        self._reads.add(self._path)
        return hash(self._record)

    def __eq__(self, other: object) -> bool:
        self._reads.add(self._path)
        return self._record == (other._record if isinstance(other, ReadTracker) else other)


class MemoizedQuery(Generic[T]):
    """The answer for each scenario of a sweep, those that vary in `paths`."""

    def __init__(
        self, catalogue: Catalogue, day: date, paths: tuple[Path, ...], ask: Callable[[PlanContext], T]
    ) -> None:
        self._catalogue, self._day, self._paths, self._ask = catalogue, day, paths, ask
        self._known: dict[tuple[int, ...], dict[tuple[Any, ...], T]] = {}

    def of(self, scenario: Scenario, values: tuple[Any, ...]) -> T:
        """The answer for a scenario in plain hours, which has these values at the paths."""
        for places, known in self._known.items():
            key = tuple(values[place] for place in places)
            if key in known:
                return known[key]
        reads: set[Path] = set()
        watched = cast(Scenario, ReadTracker(scenario, (), reads))
        found = self._ask(PlanContext(self._catalogue, watched, self._day))
        places = tuple(
            place for place, path in enumerate(self._paths) if any(path[: len(read)] == read for read in reads)
        )
        self._known.setdefault(places, {})[tuple(values[place] for place in places)] = found
        return found
