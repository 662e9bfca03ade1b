"""Specifications of the fields of a scenario: kind, bounds, unit, and how the page and links ask for them.

All of it is read off the records: a field says everything about itself where it stands, and nothing of it twice.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from planner.scenario.path import Path
from planner.scenario.scenario import Scenario
from pricing.caching import cached
from pricing.near import near

_KINDS = {int: "whole", float: "number", str: "text", bool: "switch", date: "day", tuple: "list"}
_LIMITS = ("gt", "ge", "le", "min_length", "max_length", "pattern")
_REPEATED = 0  # any item of a list stands for all of them


@dataclass(frozen=True)
class FieldSpec:
    """One field: `kind` is whole, number, text, day, switch, choice, list or record."""

    kind: str
    low: float | None = None
    high: float | None = None
    above: bool = False  # the low end itself is not taken
    choices: tuple[str, ...] = ()
    shortest: int | None = None  # characters or items
    longest: int | None = None
    pattern: str | None = None
    help: str = ""
    unit: str = ""  # in words; empty where it is no number
    per: str = ""  # what a price is for one of: kWh
    page_field: Mapping[str, Any] | None = None  # how the page asks for it, if it does
    fields: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    @property
    def wish(self) -> str:
        """Return what is wanted, to follow "must be"."""
        match self.kind:
            case "whole" | "number":
                return ("a whole number, " if self.kind == "whole" else "a number, ") + self.range
            case "choice":
                return f"one of {', '.join(self.choices)}"
            case "text":
                return f"text like {self.pattern}" if self.pattern else f"text of 1 to {self.longest} characters"
            case "list":
                return f"a list of {self.entries}"
            case kind:
                return {"switch": "true or false", "day": "a day such as 2026-11-21"}.get(kind, "a group of keys")

    @property
    def entries(self) -> str:
        """Return how many entries a list may have."""
        return f"{self.shortest or 0} to {self.longest}" if self.longest else "entries"

    @property
    def range(self) -> str:
        """Its bounds: `0.01 to 1`."""
        low = "" if self.low is None else f"{'above ' if self.above else ''}{format_bound(self.low)}"
        return f"{low} to {format_bound(self.high)}" if self.high is not None else f"{low} or more"

    def holds(self, value: float) -> bool:
        """Return whether a number lies within the bounds."""
        if self.low is not None and (value < self.low or (self.above and value == self.low)):
            return False
        return self.high is None or value <= self.high


def format_bound(value: float) -> str:
    """A bound as people write it: 16,384; 0.01."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.10g}"


@cached(512)
def field_spec(path: Path) -> FieldSpec | None:
    """The field at a path such as ("work", 0, "busy_share"); None where there is none."""
    field: FieldInfo | None = FieldInfo.from_annotation(Scenario)
    for step in path:
        field = _part(_own_type(field), step) if field is not None else None
    return None if field is None else _spec(_own_type(field))


@cached(1)
def leaf_fields() -> tuple[Path, ...]:
    """Every field that holds a value of its own; the items of a list of records stand under 0."""
    return tuple(_leaves(()))


@cached(512)
def price_unit(name: str) -> str:
    """Return the unit that the fields called `name` are the price of; empty if they are no price."""
    return next(
        (spec.per for path in leaf_fields() if path[-1] == name and (spec := field_spec(path)) and spec.per), ""
    )


def nearest_key(word: str, path: Path) -> str | None:
    """The key of the record at `path` that a word was probably meant to be."""
    record = field_spec(path)
    meant = near(word.casefold().replace("gpu", "accelerator"), record.fields if record else ())
    return meant[0] if meant else None


def _leaves(path: Path) -> list[Path]:
    here = field_spec(path)
    assert here is not None
    if here.kind == "record":
        return [leaf for field in here.fields for leaf in _leaves((*path, field))]
    item = field_spec((*path, _REPEATED)) if here.kind == "list" else None
    return _leaves((*path, _REPEATED)) if item is not None and item.kind == "record" else [path]


def _part(field: FieldInfo, step: str | int) -> FieldInfo | None:
    """Return a field of a record by its name, or the items of a list by any number."""
    kind, annotation = _kind(field), cast("Any", field.annotation)
    if isinstance(step, int):
        return FieldInfo.from_annotation(get_args(annotation)[0]) if kind == "list" else None
    return annotation.model_fields.get(step) if kind == "record" else None


def _own_type(field: FieldInfo) -> FieldInfo:
    """Return the field without "or nothing"; what it says of itself wins over what its type says."""
    while get_origin(field.annotation) in (Union, UnionType):
        option = FieldInfo.from_annotation(next(each for each in get_args(field.annotation) if each is not NoneType))
        option.description = field.description or option.description
        option.json_schema_extra = {**_extra(option), **_extra(field)}
        option.metadata = [*option.metadata, *field.metadata]
        field = option
    return field


def _extra(field: FieldInfo) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", field.json_schema_extra or {})


def _kind(field: FieldInfo) -> str:
    kind = cast("Any", get_origin(field.annotation) or field.annotation)
    if kind is Literal:
        return "choice"
    return "record" if issubclass(kind, BaseModel) else _KINDS[kind]


def _spec(field: FieldInfo) -> FieldSpec:
    kind, said, annotation = _kind(field), _extra(field), cast("Any", field.annotation)
    if kind == "record":
        fields = annotation.model_fields
        required = tuple(name for name, each in fields.items() if each.is_required())
        return FieldSpec(kind, help=inspect.cleandoc(annotation.__doc__ or ""), fields=tuple(fields), required=required)
    description, page_field = field.description or "", said.get("asked")
    if kind == "choice":
        return FieldSpec(kind, choices=get_args(annotation), help=description, page_field=page_field)
    limits: dict[str, Any] = {}
    for each in field.metadata:
        limits |= {name: value for name in _LIMITS if (value := getattr(each, name, None)) is not None}
    return FieldSpec(
        kind, low=limits.get("gt", limits.get("ge")), high=limits.get("le"), above="gt" in limits,
        shortest=limits.get("min_length"), longest=limits.get("max_length"), pattern=limits.get("pattern"),
        help=description, unit=said.get("unit", ""), per=said.get("per", ""), page_field=page_field,
    )  # fmt: skip
