"""Places in a scenario: what stands there, and the same with something else there. The one get and put by path."""

from typing import Any

PathStep = str | int
Path = tuple[PathStep, ...]


def format_path(path: Path) -> str:
    """work.0.busy_share"""
    return ".".join(str(step) for step in path)


def get_value(record: Any, path: Path) -> Any:
    """Return what stands at a path of a record; None where nothing does."""
    value = record
    for step in path:
        if isinstance(step, int):
            value = value[step] if value and step < len(value) else None
        else:
            value = getattr(value, step, None)
    return value


def with_value(record: Any, path: Path, value: object) -> Any:
    """The record with another value at a path where something stands; the value is not checked."""
    step, rest = str(path[0]), path[1:]
    if not rest:
        return record.model_copy(update={step: value})
    inner = getattr(record, step)
    if isinstance(rest[0], int):
        items = list(inner)
        items[rest[0]] = with_value(items[rest[0]], rest[1:], value)
        return record.model_copy(update={step: tuple(items)})
    return record.model_copy(update={step: with_value(inner, rest, value)})


def set_value(data: dict[str, Any], path: Path, value: Any) -> None:
    """Set the value at a path of plain data. What lies on the way is copied, so that nobody else's data changes.

    Something of another kind that stands in the way stays: whoever checks the data will refuse it.
    """
    step, rest = str(path[0]), path[1:]
    if not rest:
        data[step] = value
    elif isinstance(rest[0], int):
        _put_into_item(data, step, rest, value)
    elif isinstance(inner := data.get(step, {}), dict):
        data[step] = dict(inner)
        set_value(data[step], rest, value)


def _put_into_item(data: dict[str, Any], step: str, path: Path, value: Any) -> None:
    entries, place, rest = data.get(step, ({},)), int(path[0]), path[1:]
    if isinstance(entries, list | tuple) and place < len(entries):
        items = list(entries)
        if not rest:
            items[place] = value
        elif isinstance(items[place], dict):
            items[place] = dict(items[place])
            set_value(items[place], rest, value)
        data[step] = tuple(items)


def pop_value(data: dict[str, Any], path: Path) -> Any:
    """Take the value at a path out of plain data; None where it is not there."""
    here: Any = data
    for step in path[:-1]:
        here = here[step] if isinstance(step, int) else here.get(step)
        if not here:
            return None
    return here.pop(path[-1], None)
