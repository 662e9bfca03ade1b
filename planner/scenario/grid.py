"""A grid of scenarios: a base, and lists or ranges of values for some of its inputs. Read from a file, strictly.

Every combination of the lists is one point, numbered from 0; the last list turns fastest. Lists under `together` move
as one. No point is made before something needs it.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import pydantic

from planner.scenario.fields import field_spec, leaf_fields
from planner.scenario.file import SavedScenario, build_scenario, file_day, read_yaml
from planner.scenario.grid_range import MOST_LISTED, AxisSteps, LazyRange, ValueRange, to_input_value
from planner.scenario.known_names import NAMED, ScenarioError, first_error, resolve_names, unknown_key_message
from planner.scenario.path import Path, format_path, get_value, set_value
from planner.scenario.question import KEYS, PERCENT_PLACES
from planner.scenario.scenario import Scenario
from planner.scenario.typed_money import to_dollars
from pricing import Catalogue
from pricing.caching import cached_property
from pricing.exchange import rates
from pricing.strict_yaml import first_error_message, shown

MOST_POINTS = 10_000_000
MOST_PATHS = 40
_MOST_TRIED = 1_000
PERCENT = 10**PERCENT_PLACES
# What each row may tell; who leads and the best way always stand there.
_ALWAYS = ("leads", "best")
# These need futures, which each row draws for itself: only where the file wants one of them.
OF_FUTURES = ("verdict", "share_cheaper", "gap_share", "low_usd", "high_usd")
OUTPUTS = (
    *_ALWAYS, "verdict", "share_cheaper", "gap_share", "own", "rent", "npv_usd", "payback_months",
    "payback_discounted_months", "break_even_busy_share", "present_usd", "low_usd", "high_usd", "cash_today_usd",
    "note",
)  # fmt: skip
USUAL_OUTPUTS = tuple(output for output in OUTPUTS if output not in OF_FUTURES)
_HEAD = ("base", "vary", "together", "ways", "outputs")
Lines = Mapping[tuple[str, ...], int]
BaseOf = Callable[[str], SavedScenario]  # the scenario of a preset or of a file


@dataclass(frozen=True)
class SweepAxis:
    """Some inputs that move together: at each step one value for each of them."""

    paths: tuple[Path, ...]
    steps: Sequence[tuple[Any, ...]]


@dataclass(frozen=True)
class SweepGrid:
    """All points of a sweep. `saved` is the base, with its day."""

    saved: SavedScenario
    axes: tuple[SweepAxis, ...]
    outputs: tuple[str, ...] = USUAL_OUTPUTS

    @cached_property
    def count(self) -> int:
        """Return how many points there are."""
        return math.prod(len(axis.steps) for axis in self.axes)

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The inputs that vary, in the order of the file."""
        return tuple(path for axis in self.axes for path in axis.paths)

    def values(self, point: int) -> tuple[Any, ...]:
        """The values of the inputs that vary, at one point."""
        values: list[Any] = []
        for axis in reversed(self.axes):
            point, step = divmod(point, len(axis.steps))
            values[:0] = axis.steps[step]
        return tuple(values)

    def values_of_path(self, path: Path) -> tuple[Any, ...]:
        """All values that one input takes, each once, in their order; of very many the ends and the middle."""
        axis = next(axis for axis in self.axes if path in axis.paths)
        place = axis.paths.index(path)
        last = len(axis.steps) - 1
        steps = [axis.steps[at] for at in (0, last // 2, last)] if isinstance(axis.steps, AxisSteps) else axis.steps
        return tuple(dict.fromkeys(step[place] for step in steps))

    @cached_property
    def _base(self) -> dict[str, Any]:
        return self.saved.scenario.model_dump(exclude_defaults=True)

    def scenario(self, values: tuple[Any, ...]) -> Scenario:
        """The scenario with these values; a `ScenarioError` where they do not agree with each other."""
        data = dict(self._base)
        for path, value in zip(self.paths, values, strict=True):
            set_value(data, path, value)
        try:
            return Scenario.model_validate(data)
        except pydantic.ValidationError as error:
            path, wish = first_error(error)
            raise ScenarioError("point", None, wish, path=path) from error


def read_grid(text: bytes, name: str, catalogue: Catalogue, base_of: BaseOf, measures: Sequence[str] = ()) -> SweepGrid:
    """The grid in a file, or a `ScenarioError` with the first thing wrong, its line and what would do.

    `measures` are the other measures of an option that a row may have.
    """
    data, lines = read_yaml(text, name)
    if not isinstance(data, dict) or not data:
        raise ScenarioError(name, None, "want `base:`, a scenario, and `vary:`, inputs with lists of values")
    for key in data:
        if key not in _HEAD:
            raise ScenarioError(name, lines.get((str(key),)), f"{key}: no such key; there are {', '.join(_HEAD)}")
    base = to_dollars(data["base"], rates(catalogue)).data if isinstance(data.get("base"), dict) else data.get("base")
    saved = _base_scenario({**data, "base": base}, name, lines, base_of)
    axes = (*_varied_axes(data.get("vary"), name, lines), *_joint_axes(data.get("together"), name, lines))
    if not axes:
        raise ScenarioError(name, None, "nothing varies: want `vary:`, such as `vary: {years: [2, 3, 4, 5]}`")
    count = math.prod(len(axis.steps) for axis in axes)
    if count > MOST_POINTS:
        lengths = " x ".join(f"{len(axis.steps):,}" for axis in axes)
        raise ScenarioError(name, None, f"{lengths} = {_too_many(count)}")
    _check_unique(axes, name, lines)
    grid = SweepGrid(saved, axes, _outputs(data.get("outputs"), name, lines, measures))
    return _resolve_names(grid, name, lines, catalogue)


def _outputs(value: Any, name: str, lines: Lines, measures: Sequence[str]) -> tuple[str, ...]:
    chosen = USUAL_OUTPUTS if value is None else value
    allowed = (*OUTPUTS, *(measure for measure in measures if measure not in OUTPUTS))
    strange = (
        next((output for output in chosen if output not in allowed), None) if isinstance(chosen, tuple) else chosen
    )
    if strange is not None:
        wish = f"outputs: {shown(strange)} is none of {', '.join(allowed)}"
        raise ScenarioError(name, lines.get(("outputs",)), wish)
    return tuple(output for output in allowed if output in (*_ALWAYS, *chosen))


def _base_scenario(data: Mapping[str, Any], name: str, lines: Lines, base_of: BaseOf) -> SavedScenario:
    base = data.get("base")
    ways = {"ways": data["ways"]} if data.get("ways") else {}
    if isinstance(base, str):
        saved = base_of(base)
        fields = saved.scenario.model_dump(exclude_defaults=True)
        return replace(saved, scenario=build_scenario({**fields, **ways}, name, lines))
    if base is None or isinstance(base, dict):
        fields = dict(base or {})
        day = file_day(fields, name, lines.get(("base", "day")))
        fields.pop("day", None)
        under = {place[1:]: line for place, line in lines.items() if place[:1] == ("base",)}
        under |= {place: line for place, line in lines.items() if place[:1] == ("ways",)}
        return SavedScenario(build_scenario({**fields, **ways}, name, under), day)
    raise ScenarioError(
        name, lines.get(("base",)), f"base: {shown(base)} must be a scenario, or the name of a preset or of a file"
    )


def _varied_axes(vary: Any, name: str, lines: Lines) -> Iterable[SweepAxis]:
    if vary is None:
        return
    if not isinstance(vary, dict):
        raise ScenarioError(name, lines.get(("vary",)), "vary: want inputs with lists, such as `years: [2, 3]`")
    for key, values in vary.items():
        line = lines.get(("vary", str(key)))
        path, scale = _path(str(key), name, line)
        yield _axis((path,), [_values(values, path, scale, name, line)])


def _joint_axes(groups: Any, name: str, lines: Lines) -> Iterable[SweepAxis]:
    """Each group as one axis. One group may stand alone, without a list around it."""
    listed = (groups,) if isinstance(groups, dict) else groups or ()
    for number, group in enumerate(listed):
        place = ("together",) if isinstance(groups, dict) else ("together", str(number))
        line = lines.get(place)
        if not isinstance(group, dict) or not group:
            raise ScenarioError(name, line, "together: want groups of inputs with lists as long as each other")
        paths, columns = [], []
        for key, values in group.items():
            at = lines.get((*place, str(key)))
            path, scale = _path(str(key), name, at)
            paths.append(path)
            columns.append(_values(values, path, scale, name, at))
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(f"{key} has {len(column):,}" for key, column in zip(group, columns, strict=True))
            raise ScenarioError(name, line, f"together: lists must be as long as each other; {lengths}")
        yield _axis(tuple(paths), columns)


def _axis(paths: tuple[Path, ...], columns: Sequence[Sequence[Any]]) -> SweepAxis:
    steps = AxisSteps(tuple(columns))
    return SweepAxis(paths, steps if all(isinstance(column, LazyRange) for column in columns) else tuple(steps))


def _path(key: str, name: str, line: int | None) -> tuple[Path, int]:
    """Return the path of an input, and its scale: 100 for the percentages of a link."""
    if key in KEYS and (field_spec((key,)) is None or KEYS[key].path == (key,)):
        return KEYS[key].path, PERCENT if KEYS[key].percent else 1
    path: Path = tuple(int(step) if step.isdigit() else step for step in key.split("."))
    if tuple(0 if isinstance(step, int) else step for step in path) in leaf_fields() and field_spec(path) is not None:
        return path, 1
    depth = next((n for n in range(len(path), 0, -1) if field_spec(path[:n]) is not None), 0)
    if depth == len(path):
        raise ScenarioError(name, line, f"{key}: a whole group of inputs; name one of them, such as {key}.…")
    raise ScenarioError(name, line, f"{key}: {unknown_key_message(str(path[depth]), path[:depth])}")


def _values(entry: Any, path: Path, scale: int, name: str, line: int | None) -> Sequence[Any]:
    kind = field_spec(path)
    assert kind is not None
    whole = kind.kind == "whole"
    if isinstance(entry, dict):
        span = _range(entry, path, name, line)
        stretch = LazyRange(span, scale, whole)
        return stretch if span.count > MOST_LISTED else stretch[:]
    if not isinstance(entry, tuple) or not entry:
        wish = "must be a list such as [1, 2, 3], or a range such as {from: 1, to: 3, steps: 5}"
        raise ScenarioError(name, line, f"{format_path(path)}: {shown(entry)} {wish}")
    return (
        tuple(to_input_value(value, scale, whole=whole) for value in entry) if whole or kind.kind == "number" else entry
    )


def _range(entry: dict[str, Any], path: Path, name: str, line: int | None) -> ValueRange:
    numbers = {key: float(value) if type(value) is int and key != "steps" else value for key, value in entry.items()}
    try:
        span = ValueRange.model_validate(numbers)
    except pydantic.ValidationError as error:
        place, wish, first = first_error_message(error)
        keys = "; there are from, to, steps, by, scale" if first["type"] == "extra_forbidden" else ""
        raise ScenarioError(name, line, f"{format_path((*path, *place))}: {wish}{keys}") from error
    if span.count > MOST_POINTS:
        raise ScenarioError(name, line, f"{format_path(path)}: {_too_many(span.count)}")
    if span.count > MOST_LISTED and not span.has_distinct_values:
        ends = f"{span.first:.15g} to {span.last:.15g}"
        wish = f"{span.count:,} values from {ends} are too near to distinguish: use fewer"
        raise ScenarioError(name, line, f"{format_path(path)}: {wish}")
    return span


def _too_many(count: int) -> str:
    return (
        f"{count:,} scenarios are more than the limit of {MOST_POINTS:,}, and nothing was calculated: "
        "use fewer or shorter lists, or move some `together`"
    )


def _check_unique(axes: tuple[SweepAxis, ...], name: str, lines: Lines) -> None:
    """Refuses an input that varies twice, and a list that varies alone and says something twice."""
    paths = [path for axis in axes for path in axis.paths]
    twice = next((path for at, path in enumerate(paths) if path in paths[:at]), None)
    if twice is not None:
        raise ScenarioError(name, None, f"{format_path(twice)} varies twice: say it once")
    if len(paths) > MOST_PATHS:
        raise ScenarioError(name, None, f"{len(paths)} inputs vary; at most {MOST_PATHS} may")
    for axis in axes:
        if len(axis.paths) == 1 and not isinstance(axis.steps, AxisSteps):
            times = Counter(repr(step[0]) for step in axis.steps).most_common(1)
            if times[0][1] > 1:
                wish = f"{format_path(axis.paths[0])}: {times[0][0]} stands there twice; leave one out"
                raise ScenarioError(name, _axis_line(axis, lines), wish)


def _resolve_names(grid: SweepGrid, name: str, lines: Lines, catalogue: Catalogue) -> SweepGrid:
    """The grid with names as the catalogue writes them; a value that no scenario takes is refused."""
    base, lost = resolve_names(grid.saved.scenario, catalogue)
    if lost:
        raise ScenarioError(name, lines.get(("base", str(lost[0].path[0]))), str(lost[0].error).rstrip("."))
    grid = replace(grid, saved=replace(grid.saved, scenario=base))
    for path in grid.paths:
        _check_in_base(base, path, name, lines)
    return replace(grid, axes=tuple(_resolve_axis(grid, axis, name, lines, catalogue) for axis in grid.axes))


def _check_in_base(base: Scenario, path: Path, name: str, lines: Lines) -> None:
    """Refuses an axis over a kind of work, or a job, that the base does not have."""
    for at, step in enumerate(path):
        if isinstance(step, int) and step >= len(entries := get_value(base, path[:at]) or ()):
            what = format_path(path[:at])
            wish = (
                f"{format_path(path)}: the base has {len(entries)} under {what}, counted from 0; write it there first"
            )
            raise ScenarioError(name, _axis_line(SweepAxis((path,), ()), lines), wish)


def _resolve_axis(grid: SweepGrid, axis: SweepAxis, name: str, lines: Lines, catalogue: Catalogue) -> SweepAxis:
    """Each value is tried alone, the other inputs being at their first; what is out of bounds is refused here."""
    first = dict(zip(grid.paths, grid.values(0), strict=True))
    line = _axis_line(axis, lines)
    settled: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    refused: list[str] = []
    tried = _sample_steps(axis)
    for step in tried:
        changed = {**first, **dict(zip(axis.paths, step, strict=True))}
        try:
            scenario = grid.scenario(tuple(changed.values()))
        except ScenarioError as error:
            if error.path in axis.paths:
                raise ScenarioError(name, line, error.wish) from error
            refused.append(error.wish)  # not wrong by itself: its points say that it does not agree with the rest
            continue
        if set(axis.paths) & set(NAMED):
            scenario, lost = resolve_names(scenario, catalogue)
            mine = [reference for reference in lost if reference.path in axis.paths]
            if mine:
                raise ScenarioError(name, line, f"{format_path(mine[0].path)}: {str(mine[0].error).rstrip('.')}")
        settled[step] = tuple(get_value(scenario, path) for path in axis.paths)
    if len(refused) == len(tried):
        raise ScenarioError(name, line, refused[0])
    long = isinstance(axis.steps, AxisSteps)  # of numbers, which stay what they are
    return axis if long else SweepAxis(axis.paths, tuple(settled.get(step, step) for step in axis.steps))


def _sample_steps(axis: SweepAxis) -> Sequence[tuple[Any, ...]]:
    """The steps of an axis that are tried; of very many numbers the least and the largest, which bound the rest."""
    if isinstance(axis.steps, AxisSteps):  # the second tells whether a range of whole numbers goes by whole steps
        return tuple(axis.steps[at] for at in (0, 1, len(axis.steps) - 1))
    numbers = all(type(value) is float for step in axis.steps for value in step)
    if len(axis.steps) <= _MOST_TRIED or not numbers:
        return axis.steps
    ends = [end(axis.steps, key=itemgetter(place)) for place in range(len(axis.paths)) for end in (min, max)]
    return tuple(ends)


def _axis_line(axis: SweepAxis, lines: Lines) -> int | None:
    names = {format_path(path) for path in axis.paths} | {
        key for key, link_key in KEYS.items() if link_key.path in axis.paths
    }
    return next(
        (line for place, line in lines.items() if place[0] in ("vary", "together") and place[-1] in names), None
    )
