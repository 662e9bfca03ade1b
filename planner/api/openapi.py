"""The interface of `/api/v1` for programs, made from the requests, the keys of links and the schema of answers."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from planner.api.records import RELEASE
from planner.api.verbs import AS_OF, MOST_PLANS, VERBS, Verb
from planner.report.files.answer_schema import AnswerSchema, ComparisonSchema
from planner.scenario.file import file_schema
from planner.scenario.link import ALSO, LONGEST_ALSO
from planner.scenario.question import KEYS, LinkKey

Schema = dict[str, Any]
_REFS = "#/components/schemas/{model}"
_ANSWERS: dict[str, type[BaseModel]] = {"plan": AnswerSchema, "actuals": AnswerSchema, "compare": ComparisonSchema}
_TEXT: Schema = {"type": "string"}
_ERROR: Schema = {
    "type": "object",
    "required": ["version", "error"],
    "properties": {
        "version": {"type": "integer"},
        "error": {
            "type": "object",
            "required": ["status", "what", "sentence", "choices"],
            "properties": {
                "status": {"type": "integer"},
                "what": _TEXT,
                "sentence": {"type": "string", "description": "what is wrong, where, what was wanted, what to do"},
                "choices": {"type": "object", "description": "what to ask instead", "additionalProperties": _TEXT},
            },
        },
    },
}
_STAMPED: Schema = {"type": "object", "required": ["version"], "properties": {"version": {"type": "integer"}}}
_REFUSALS = {
    "400": "a field that cannot be read", "403": "a name of this server that it does not answer to",
    "405": "another method than GET, HEAD and POST",
    "413": "a file that is too large", "422": "a request that is understood and has no answer",
    "429": "too many requests from this address: wait", "503": "no process is free to calculate it",
}  # fmt: skip


def openapi(base: str = "") -> Schema:
    """Return the document of a server that is reached below a path."""
    scenario = json.loads(json.dumps(file_schema()).replace("#/$defs/", _REFS.format(model="")))
    schemas: Schema = {"Error": _ERROR, "Stamped": _STAMPED, **scenario.pop("$defs"), "Scenario": scenario}
    for record in _ANSWERS.values():
        schema = record.model_json_schema(ref_template=_REFS, mode="serialization")
        schemas |= {**schema.pop("$defs", {}), record.__name__: schema}
    paths: Schema = {}
    for verb in VERBS.values():
        kind = _ANSWERS.get(verb.name)
        answer = {"$ref": _REFS.format(model="Stamped" if kind is None else kind.__name__)}
        paths[f"/api/v1/{verb.name}"] = _operations(verb, {"application/json": {"schema": answer}}, schemas)
        paths[f"/api/v1/{verb.name}.csv"] = _operations(verb, {"text/csv": {"schema": _TEXT}}, schemas)
    info = {"title": "Rent, buy, or both?", "version": RELEASE}
    servers = {"servers": [{"url": base}]} if base else {}
    return {"openapi": "3.1.0", "info": info, **servers, "paths": paths, "components": {"schemas": schemas}}


def _operations(verb: Verb, content: Schema, schemas: Schema) -> Schema:
    """Return what may be sent to a verb: keys, or a file."""
    request = verb.request.model_json_schema(ref_template=_REFS)
    schemas |= request.pop("$defs", {})
    fields = [_parameter(name, field, name in request.get("required", ())) for name, field in plain_fields(request)]
    plans = [] if not verb.most else _plans() if verb.most > 1 else [*map(_key, KEYS.values()), *_OTHERS]
    name = f"{verb.name}{'_csv' if 'text/csv' in content else ''}"
    responses: Schema = {
        code: {"description": what, "content": {"application/json": {"schema": {"$ref": _REFS.format(model="Error")}}}}
        for code, what in _REFUSALS.items()
    }
    responses = {"200": {"description": verb.what, "content": content}, **responses}
    get = {"operationId": f"get_{name}", "summary": verb.what, "parameters": [*plans, *fields], "responses": responses}
    scenario = {"$ref": _REFS.format(model="Scenario")}
    several = {"type": "array", "items": scenario, "minItems": verb.fewest, "maxItems": verb.most}
    both = {"type": "object", "required": ["plans"], "properties": {"plans": several}, "additionalProperties": False}
    body = request if not verb.most else scenario if verb.most == 1 else both
    kinds: tuple[str, ...] = ("application/json", "application/yaml") if verb.most == 1 else ("application/json",)
    posted = fields if verb.most else []
    if (bill := request["properties"].get("charges")) is not None:  # the plan is in the link
        body, kinds, posted = bill, ("text/csv",), [*plans, *(field for field in fields if field["name"] != "charges")]
    sent = {"required": True, "content": {kind: {"schema": body} for kind in kinds}}
    post = {**get, "operationId": f"post_{name}", "parameters": posted, "requestBody": sent}
    return {"get": get, "post": post}


_OF_PAGES = frozenset({"anyOf", "title", "default", "unit", "asked"})


def plain_fields(request: Schema) -> list[tuple[str, Schema]]:
    """Return the fields that fit into a link, without lists and records, and without what only pages need of them."""
    first = ((name, field, field.get("anyOf", [field])[0]) for name, field in request["properties"].items())
    return [
        (name, {key: value for key, value in {**field, **kind}.items() if key not in _OF_PAGES})
        for name, field, kind in first
        if kind.get("type") in ("string", "number", "integer", "boolean")
    ]


def _parameter(name: str, schema: Schema, required: bool) -> Schema:
    described = {"name": name, "in": "query", "required": required, "description": str(schema.get("description", ""))}
    return {**described, "schema": {key: value for key, value in schema.items() if key != "description"}}


def _key(key: LinkKey) -> Schema:
    """Return a short key of links as a parameter."""
    shape = key.shape
    kind = {"whole": "integer", "number": "number", "switch": "boolean"}.get(shape.kind, "string")
    low = "exclusiveMinimum" if shape.above else "minimum"
    bounds = {low: key.low, "maximum": key.high, "enum": list(shape.choices) or None, "pattern": shape.pattern}
    lengths = {"minLength": shape.shortest, "maxLength": shape.longest} if shape.kind == "text" else {}
    examples = {} if key.default is None or key.percent else {"examples": [key.default]}
    schema = {
        "type": kind,
        **examples,
        **{name: bound for name, bound in {**bounds, **lengths}.items() if bound is not None},
    }
    unit = f", {key.unit}" if key.unit else ""
    return _parameter(key.key, {**schema, "description": f"{key.label}{unit}"}, required=False)


_OTHERS = [
    _parameter(
        ALSO, {**_TEXT, "maxLength": LONGEST_ALSO, "description": "the rest of the plan, as links hold it"}, False
    ),
    _parameter(AS_OF, {**_TEXT, "format": "date", "description": "the day of the plan"}, required=False),
]


def _plans() -> list[Schema]:
    several = {"type": "array", "items": _TEXT, "minItems": 2, "maxItems": MOST_PLANS}
    described = {
        **several,
        "examples": [["startup", "gpus=8"]],
        "description": "the keys of each plan's link, or the name of a preset; several times",
    }
    return [{**_parameter("plan", described, required=True), "style": "form", "explode": True}]
