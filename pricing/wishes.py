"""What a checked record says is wrong, in the words of this house: what was wanted, and what stands there instead."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pydantic

LONGEST_SHOWN = 60
_PLAIN = {
    "int": "a whole number",
    "float": "a number",
    "finite_number": "a number",
    "string": "text",
    "bool": "true or false",
    "date": "a day such as 2026-11-21",
    "dict": "a group of keys",
    "model": "a group of keys",
    "mapping": "a group of keys",
    "tuple": "a list",
    "list": "a list",
    "none_required": "nothing",
}
_BOUNDS = {
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number, {ge} or more",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number, at most {le}",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "string_pattern_mismatch": "text like {pattern}",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
    "literal_error": "one of {expected}",
}
_KINDS = {"dict": "a group of keys", "tuple": "a list", "list": "a list"}
_BRANCHES = {"str", "float", "int", "bool"}  # as pydantic calls the ways to read one value


def shown(got: object) -> str:
    """A value from outside, cut short."""
    if isinstance(got, bool) or got is None:
        return {True: "true", False: "false", None: "nothing"}[got]
    if isinstance(got, int | float):
        text = f"{got:.15g}" if isinstance(got, float) else str(got)
    elif isinstance(got, date):
        text = got.isoformat()
    else:
        text = repr(got) if isinstance(got, str) else _KINDS.get(type(got).__name__, type(got).__name__)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


def wanted(error: Mapping[str, Any]) -> str:
    """What one of pydantic's errors wants, to follow "want"; empty where it says a sentence of its own."""
    kind, about = str(error["type"]), error.get("ctx", {})
    if kind in _BOUNDS:
        said = {name: _number(value) for name, value in about.items()}
        return _BOUNDS[kind].format(**said).replace("'", "")
    word = kind if kind in _PLAIN else kind.partition("_")[0]
    return _PLAIN.get(word, "")


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def wish(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors in words: `want a list, got a group of keys: write - before each entry`."""
    kind, got = error["type"], error.get("input")
    if kind == "missing":
        return "missing"
    if kind == "extra_forbidden":
        return "there is no such key"
    if kind == "value_error":
        return str(error["ctx"]["error"])
    if not (what := wanted(error)):
        return f"{shown(got)} cannot be used here"
    if what == _PLAIN["list"] and isinstance(got, Mapping):
        return f"want a list, got {shown(got)}: write - before each entry"
    many = f"{len(got):,}" if kind in ("too_short", "too_long") and isinstance(got, list | tuple | dict) else ""
    return f"want {what}, got {many or shown(got)}"


def first_wish(error: pydantic.ValidationError) -> tuple[tuple[str | int, ...], str, Mapping[str, Any]]:
    """The place of the first thing that is wrong, what to say of it, and pydantic's own error.

    A value that may be read in several ways is told once, with all that it may be.
    """
    every = error.errors(include_url=False)
    first = every[0]
    place = tuple(step for step in first["loc"] if step != "[key]")
    same = [one for one in every if one["loc"][:-1] == first["loc"][:-1] and one["loc"][-1:] and _is_branch(one)]
    if len(same) > 1 and _is_branch(first):
        ways = " or ".join(dict.fromkeys(filter(None, map(wanted, same))))
        return place[:-1], f"want {ways}, got {shown(first['input'])}", first
    return place, wish(first), first


def _is_branch(error: Mapping[str, Any]) -> bool:
    return bool(error["loc"]) and error["loc"][-1] in _BRANCHES
