"""The verbs over HTTP, and their description as OpenAPI."""

import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from pydantic import BaseModel

from planner.api.records import RELEASE, MalformedError, RequestError, versioned
from planner.api.verbs import AS_OF, MOST_KEYS, MOST_PLANS, VERBS, Question, TooSlowError, Verb, answer
from planner.report.files.answer_schema import AnswerSchema, ComparisonSchema
from planner.report.files.csv import to_csv
from planner.scenario.file import file_schema
from planner.scenario.link import ALSO, LONGEST_ALSO
from planner.scenario.question import KEYS, LinkKey
from pricing import Catalogue, PricingError

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


JSON, CSV = "application/json", "text/csv; charset=utf-8"
NAMES = frozenset({"openapi.json", *VERBS, *(f"{name}.csv" for name in VERBS)})
_LARGEST_WHOLE, _PACKING = 2**53, 6
QUICK_S = 0.2  # what takes longer waits where it keeps nobody from a quick answer


class HttpRequest(NamedTuple):
    """A request: a verb with the form of its answer, the keys of a link or a file, the day."""

    name: str
    query: str
    body: bytes
    today: date
    base: str = ""  # the path of the server


class HttpAnswer(NamedTuple):
    """What is sent."""

    status: int
    kind: str
    body: bytes
    packed: bytes = b""  # the same by gzip


def refusal(status: int, sentence: str, choices: Mapping[str, str] | None = None) -> HttpAnswer:
    """Return a refusal: one shape for all, with one sentence that says what would do."""
    error = {"status": status, "what": HTTPStatus(status).phrase, "sentence": sentence, "choices": dict(choices or {})}
    return HttpAnswer(status, JSON, json.dumps(versioned({"error": error})).encode())


def respond(facts: Catalogue, request: HttpRequest, within_s: float) -> HttpAnswer | None:
    """Return the answer to a request; None where it takes longer than so many seconds."""
    name, _, form = request.name.partition(".")
    try:
        if name not in VERBS:
            return _answer(JSON, _text(openapi(request.base)))
        result = answer(VERBS[name], facts, request.today, *_parts(VERBS[name], request), within_s=within_s)
        return _answer(CSV, to_csv(result.table())) if form else _answer(JSON, _text(result.document()))
    except TooSlowError:
        return None
    except PricingError as error:
        refused = error if isinstance(error, RequestError) else RequestError(str(error))
        return refusal(refused.status, str(refused), refused.choices)


def _answer(kind: str, body: bytes) -> HttpAnswer:
    return HttpAnswer(200, kind, body, gzip.compress(body, _PACKING, mtime=0))


def _text(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def _parts(verb: Verb, request: HttpRequest) -> tuple[Sequence[Question], Mapping[str, Any]]:
    pairs = _pairs(request.query)
    values = {name: text for name, text in pairs if verb.most < 2 or name != "plan"}
    plans = [text for name, text in pairs if name not in values]
    if len(values) + len(plans) < len(pairs):
        raise MalformedError(f"{Counter(name for name, _ in pairs).most_common(1)[0][0]}: want it once.")
    if request.body and "charges" in verb.request.model_fields:  # the plan is in the link
        values["charges"] = request.body.decode("utf-8-sig", errors="replace")
        pairs, request = [pair for pair in pairs if pair[0] != "charges"], request._replace(body=b"")
    if not request.body:
        if verb.most == 1:
            link = {name: text for name, text in pairs if name not in verb.request.model_fields}
            plans = [urlencode(link)] if link or verb.fewest else []
            values = {name: text for name, text in values.items() if name not in link}
        return plans, values
    if verb.most == 1:
        return [request.body], values
    data = _json(request.body, verb)
    if verb.most:
        return data.pop("plans"), {**values, **data}
    return [], {**values, **data}


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_KEYS, errors="strict")
    except ValueError:
        raise MalformedError(f"want at most {MOST_KEYS} keys, in UTF-8.") from None


def _json(body: bytes, verb: Verb) -> dict[str, Any]:
    """Return the fields in a file; of a verb that takes several plans, with these as a list."""
    try:
        data = json.loads(body, parse_float=_number)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or (verb.most and not isinstance(data.get("plans"), list)):
        raise MalformedError('want {"plans": [...]} as JSON.' if verb.most else "want an object of fields as JSON.")
    return data


def _number(text: str) -> float | int:
    """Return a number as written; 8.0 is whole."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= _LARGEST_WHOLE else value
