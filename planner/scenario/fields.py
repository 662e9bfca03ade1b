"""Specifications of the fields of a scenario: kind, bounds, unit, and how the page and links ask for them.

All of it is read off the records: a field says everything about itself where it stands, and nothing of it twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planner.scenario.path import Path
from planner.scenario.scenario import Scenario
from pricing.caching import cached
from pricing.near import near

_KINDS = {"integer": "whole", "number": "number", "string": "text", "boolean": "switch", "array": "list"}
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
    asked: Mapping[str, Any] | None = None  # how the page asks for it, if it does
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
    schema = _schema()
    node: Mapping[str, Any] = schema
    for step in path:
        node = _resolved_node(node)
        inner = node.get("items") if isinstance(step, int) else node.get("properties", {}).get(step)
        if inner is None:
            return None
        node = inner
    return _spec(_resolved_node(node))


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


@cached(1)
def _schema() -> dict[str, Any]:
    return Scenario.model_json_schema()


def _resolved_node(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The node without references and without "or nothing"."""
    resolved: Mapping[str, Any] = node
    while "$ref" in resolved or "anyOf" in resolved:
        if "$ref" in resolved:
            resolved = _schema()["$defs"][str(resolved["$ref"]).rpartition("/")[2]]
        else:
            resolved = next(option for option in resolved["anyOf"] if option.get("type") != "null")
    stated = {name: node[name] for name in _SAID_BY_THE_FIELD if name in node}
    return resolved if "properties" in resolved else {**resolved, **stated}


_SAID_BY_THE_FIELD = ("description", "unit", "per", "asked")  # they win over what its type says


def _spec(node: Mapping[str, Any]) -> FieldSpec:
    description = str(node.get("description", ""))
    if "properties" in node:
        return FieldSpec(
            "record", help=description, fields=tuple(node["properties"]), required=tuple(node.get("required", ()))
        )
    if "enum" in node:
        return FieldSpec("choice", choices=tuple(node["enum"]), help=description, asked=node.get("asked"))
    kind = "day" if node.get("format") == "date" else _KINDS[node["type"]]
    above = "exclusiveMinimum" in node
    return FieldSpec(
        kind, low=node.get("exclusiveMinimum", node.get("minimum")), high=node.get("maximum"), above=above,
        shortest=node.get("minLength", node.get("minItems")), longest=node.get("maxLength", node.get("maxItems")),
        pattern=node.get("pattern"), help=description, unit=node.get("unit", ""), per=node.get("per", ""),
        asked=node.get("asked"),
    )  # fmt: skip
