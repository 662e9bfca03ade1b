"""The caches of the arithmetic: a value of a record, and a result of a function. Each declares on what it depends.

`cached_property` keeps a value in its record. It depends on the whole record, unless `cached_property.of(part)` names
the part; `derive` carries over exactly the values whose part stays the same.
`cached` keeps the last results of a function by its arguments, or by the parts of them that it declares.
Pages keep results for all sessions by `shared`; a sweep by what it reads of a scenario, `MemoizedQuery`.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import fields
from operator import is_
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast, overload

_P = ParamSpec("_P")
T = TypeVar("T")
_R = TypeVar("_R")
_R_co = TypeVar("_R_co", covariant=True)
Part = Callable[[Any], tuple[object, ...]]


class cached_property(Generic[T], functools.cached_property):  # type: ignore[type-arg]  # noqa: N801
    """A property that is calculated once per record.

    `functools.cached_property` holds one lock for all records of a class up to Python 3.11: the plan of one person
    would wait for that of another. Here two threads that read the same record at once may both calculate it.
    """

    def __init__(self, function: Callable[[Any], T], part: Part | None = None) -> None:
        """Keep what `function` gives; it reads nothing of the record but `part`, or anything where that is None."""
        super().__init__(function)
        self.part = part

    @staticmethod
    def of(part: Part) -> Callable[[Callable[[Any], _R]], cached_property[_R]]:
        """Return a decorator for a property that depends on a part of the record alone."""
        return lambda function: cached_property(function, part)

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached_property[T]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        """Return the value; the first read calculates it."""
        if instance is None:
            return self
        name, values = str(self.attrname), instance.__dict__
        if name not in values:
            values[name] = self.func(instance)
        return values[name]


def derive(record: _R, *first: str, **changes: Any) -> _R:
    """Return a copy with other fields, and with the cached values whose declared part stays the very same objects.

    The values in `first` are calculated before, so that all copies share them. Nothing is validated again.
    """
    for name in first:
        getattr(record, name)
    names_of_fields, parts = _fields_and_parts(type(record))
    values, copy = record.__dict__, object.__new__(type(record))
    copy.__dict__.update({name: values[name] for name in names_of_fields} | changes)
    for part, names in parts.items():
        kept = {name: values[name] for name in names if name in values}
        if kept and all(map(is_, part(record), part(copy))):
            copy.__dict__.update(kept)
    return copy


def with_cached(record: _R, **values: object) -> _R:
    """Return the record with values of cached properties that the caller has calculated already."""
    record.__dict__.update(values)
    return record


def without(record: object, *names: str) -> dict[str, Any]:
    """Return the fields and values of a record but for some: what another process needs of it."""
    return {name: value for name, value in record.__dict__.items() if name not in names}


def forget(record: object, *names: str) -> None:
    """Drop cached values, so that the memory is free before the record is."""
    for name in names:
        record.__dict__.pop(name, None)


class Cached(Protocol[_P, _R_co]):
    """A function that keeps its last results."""

    __name__: str

    def __call__(self, *args: _P.args, **named: _P.kwargs) -> _R_co:
        """Return the result, from the cache where it is there."""

    def cache_clear(self) -> None:
        """Drop all results."""


def cached(
    size: int | None,
    *,
    same: Callable[..., tuple[object, ...]] | None = None,
    equal: Callable[..., object] | None = None,
) -> Callable[[Callable[_P, _R]], Cached[_P, _R]]:
    """Return a decorator that keeps the last `size` results of a pure function.

    Without more a result depends on the values of all arguments. `same` names the objects on which it depends, such as
    parts of the facts: they count by identity, and are kept, so that no other object takes their address. `equal`
    names what else it depends on, by value.
    """

    def decorate(function: Callable[_P, _R]) -> Cached[_P, _R]:
        if same is None and equal is None:
            return cast("Cached[_P, _R]", functools.lru_cache(maxsize=size)(function))
        results: OrderedDict[object, tuple[tuple[object, ...], _R]] = OrderedDict()

        @functools.wraps(function)
        def call(*args: _P.args, **named: _P.kwargs) -> _R:
            kept = args if same is arguments else same(*args, **named) if same is not None else ()
            identity = tuple(map(id, kept))
            key = identity if equal is None else (identity, equal(*args, **named))
            entry = results.get(key)
            if entry is None:
                entry = results[key] = kept, function(*args, **named)
                while size is not None and len(results) > size:
                    results.popitem(last=False)
            return entry[1]

        call.cache_clear = results.clear  # type: ignore[attr-defined]
        return cast("Cached[_P, _R]", call)

    return decorate


def arguments(*args: object) -> tuple[object, ...]:
    """Return all arguments: for `same`, of a function whose arguments are distinguished by identity."""
    return args


def by_digest(facts: Any, *args: object, **named: object) -> tuple[object, ...]:
    """Return the digest of the facts and the other arguments: for `equal`, where any equal facts give the same."""
    return (facts.digest, args, *named.items())


@cached(64)
def _fields_and_parts(kind: type[Any]) -> tuple[tuple[str, ...], dict[Part, list[str]]]:
    """Return the fields of records of a kind, and the names of its cached properties by the part they depend on."""
    parts: dict[Part, list[str]] = {}
    for name in dir(kind):
        part = getattr(getattr(kind, name), "part", None)
        if part is not None:
            parts.setdefault(part, []).append(name)
    return tuple(field.name for field in fields(kind)), parts
