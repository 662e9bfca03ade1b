"""Records of numbers that are one thing or many at once: the same fields hold floats, or arrays of one length."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from planner.network.network import Num

__all__ = ["Num", "stack_records", "take_entries"]


class _Record(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


R = TypeVar("R", bound=_Record)


def stack_records(records: Sequence[R]) -> R:
    """One record whose fields are arrays over `records`, nested records included."""
    columns: dict[str, Any] = {}
    for field in fields(records[0]):
        column = [getattr(record, field.name) for record in records]
        columns[field.name] = stack_records(column) if is_dataclass(column[0]) else _column(column)
    return type(records[0])(**columns)


def _column(values: list[Any]) -> Any:
    """Names stay names; whatever else there is becomes a number."""
    return np.array(values) if isinstance(values[0], str) else np.array(values, dtype=np.float64)


def take_entries(record: R, index: Any) -> R:
    """A record of arrays at some of their entries. Fields that are single numbers stay as they are."""
    return type(record)(**{field.name: _entry(getattr(record, field.name), index) for field in fields(record)})


def _entry(value: Any, index: Any) -> Any:
    if isinstance(value, np.ndarray):  # the first test: most are, and a search has tens of thousands
        return value[index] if value.ndim else value
    return take_entries(value, index) if is_dataclass(value) and not isinstance(value, type) else value
