"""A request of `/api/v1` as an answer: read, calculated and written in a worker process, never in the server's own."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from planner.api.openapi import openapi
from planner.api.records import MalformedError, RequestError, versioned
from planner.api.verbs import MOST_KEYS, VERBS, Question, TooSlowError, Verb, answer
from planner.report.files.csv import to_csv
from pricing import Catalogue, PricingError

JSON, CSV = "application/json", "text/csv; charset=utf-8"
NAMES = frozenset({"openapi.json", *VERBS, *(f"{name}.csv" for name in VERBS)})
_LARGEST_WHOLE, _PACKING = 2**53, 6
QUICK_S = 0.2  # what takes longer waits where it keeps nobody from a quick answer


class HttpRequest(NamedTuple):
    """What was asked: a verb with the form of its answer, the keys of a link or a file, the day."""

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


def respond(facts: Catalogue, asked: HttpRequest, within_s: float) -> HttpAnswer | None:
    """Return the answer to a request; None where it takes longer than so many seconds."""
    name, _, form = asked.name.partition(".")
    try:
        if name not in VERBS:
            return _answer(JSON, _text(openapi(asked.base)))
        result = answer(VERBS[name], facts, asked.today, *_parts(VERBS[name], asked), within_s=within_s)
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


def _parts(verb: Verb, asked: HttpRequest) -> tuple[Sequence[Question], Mapping[str, Any]]:
    """Return the plans of a request, and the fields of its verb."""
    pairs = _pairs(asked.query)
    values = {name: text for name, text in pairs if verb.most < 2 or name != "plan"}
    plans = [text for name, text in pairs if name not in values]
    if len(values) + len(plans) < len(pairs):
        raise MalformedError(f"{Counter(name for name, _ in pairs).most_common(1)[0][0]}: want it once.")
    if asked.body and "charges" in verb.request.model_fields:  # the plan is in the link
        values["charges"] = asked.body.decode("utf-8-sig", errors="replace")
        pairs, asked = [pair for pair in pairs if pair[0] != "charges"], asked._replace(body=b"")
    if not asked.body:
        if verb.most == 1:
            link = {name: text for name, text in pairs if name not in verb.request.model_fields}
            plans = [urlencode(link)] if link or verb.fewest else []
            values = {name: text for name, text in values.items() if name not in link}
        return plans, values
    if verb.most == 1:
        return [asked.body], values
    data = _json(asked.body, verb)
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
