"""JSON schemas of the files that people write by hand, in the form that editors understand.

pydantic knows what a record may hold. Editors want it a little otherwise: in draft 7, which all of them read; without
the titles that only repeat a key; with a pattern for each day; with nothing beside a `$ref`; and with the one unit that
a figure may carry at its place.
"""

from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from pricing.figure import UNIT, Unit

DIALECT = "http://json-schema.org/draft-07/schema#"
DAY = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
_REF = "#/definitions/"
_ONE_UNIT = "what this figure is in; nothing is converted"

Schema = dict[str, Any]


class _EditorSchemaGenerator(GenerateJsonSchema):
    """The schema of a file, as an editor should offer it."""

    schema_dialect = DIALECT

    def field_title_should_be_set(self, schema: Any) -> bool:
        """No title made from a key: it would stand in front of what the field means."""
        return False

    def date_schema(self, schema: core_schema.DateSchema) -> Schema:
        """Return a day such as 2026-11-21."""
        return {"type": "string", "format": "date", "pattern": DAY}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        """Leave an absent value out: nothing is written as `null`."""
        inner = schema["schema"]
        if inner["type"] == "nullable" and schema.get("default", ...) is None:
            return self.generate_inner(inner["schema"])
        return super().default_schema(schema)

    def dict_schema(self, schema: core_schema.DictSchema) -> Schema:
        """Return a map whose keys have a form refuses all others."""
        schema_for_map = super().dict_schema(schema)
        names = schema_for_map.pop("propertyNames", {})
        names.pop("format", None)  # the pattern of the keys says it
        if "patternProperties" in schema_for_map:
            schema_for_map["additionalProperties"] = False
        return {**schema_for_map, "propertyNames": names} if names else schema_for_map


def editor_schema(record: Any, *, given: Mapping[str, str] | None = None, only: Collection[str] = ()) -> Schema:
    """Return the schema of a file that holds `record`.

    `given` names, for a kind of record, the field that the program fills in itself; `only` the keys of this file where
    a record is spread over several.
    """
    whole = TypeAdapter(record).json_schema(ref_template=_REF + "{model}", schema_generator=_EditorSchemaGenerator)
    named: Schema = {**whole.pop("$defs", {})}
    for name, field in (given or {}).items():
        _forget(named.get(name, whole), {field})
    if only:
        _forget(whole, whole["properties"].keys() - {*only})
    named |= _figure_definitions(named)
    named = {name: _to_draft_7(definition) for name, definition in named.items()}
    return _in_use({"$schema": DIALECT, **_to_draft_7(whole), "definitions": named})


def _forget(record: Schema, fields: Collection[str]) -> None:
    record["properties"] = {name: definition for name, definition in record["properties"].items() if name not in fields}
    record["required"] = [name for name in record["required"] if name not in fields]


def _figure_definitions(named: Schema) -> Schema:
    """Return a figure for each unit, so that an editor offers the one that its place wants."""
    if "Figure" not in named:
        return {}
    figures = {_figure_definition(unit): deepcopy(named["Figure"]) for unit in get_args(Unit)}
    for unit in get_args(Unit):
        figures[_figure_definition(unit)]["description"] = f"One number through time, in {unit}."
        figures[_figure_definition(unit)]["properties"]["unit"] = {
            "type": "string",
            "const": unit,
            "description": _ONE_UNIT,
        }
    return figures


def _figure_definition(unit: str) -> str:
    return "Figure_" + unit.replace("/", "_per_").replace("-", "_")


def _to_draft_7(node: Any) -> Any:
    """Draft 7 overlooks whatever stands beside a `$ref`; a figure with a unit is the figure of that unit."""
    if isinstance(node, list):
        return [_to_draft_7(item) for item in node]
    if not isinstance(node, dict):
        return node
    converted = {key: _to_draft_7(item) for key, item in node.items()}
    unit, ref = converted.pop(UNIT, None), converted.pop("$ref", None)
    if ref is None:
        return converted
    link = {"$ref": _REF + _figure_definition(unit) if unit else ref}
    return {"allOf": [link], **converted} if converted else link


def _in_use(whole: Schema) -> Schema:
    """Without the definitions that nothing in it leads to."""
    named = whole["definitions"]
    used: set[str] = set()
    open_ends = set(_refs({key: definition for key, definition in whole.items() if key != "definitions"}))
    while open_ends:
        used |= open_ends
        open_ends = {ref for name in open_ends for ref in _refs(named[name])} - used
    return {**whole, "definitions": {name: named[name] for name in sorted(used)}}


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _refs(item)
    elif isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix(_REF)
        yield from _refs([*node.values()])
