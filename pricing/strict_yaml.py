"""YAML without surprises: maps, lists and plain values, read once, each place known.

PyYAML's C parser does the scanning; what a plain word means is decided here, because YAML 1.1 decides it badly: there
`NO` is false, `12:30` is 750, `1e6` is text and a repeated key silently wins. Here

- only `true` and `false` are booleans, only `null` and `~` are nothing; `NO`, `on` and `12:30` are text;
- `8`, `1_000_000`, `0.35` and `1e6` are numbers, `2026-05-01` is a day;
- `.nan`, `.inf`, `010` and `0x1F` are refused, as are anchors, aliases, tags, merge keys, repeated keys, a second
  document, and marks that do not show.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import pydantic
import yaml
from yaml.events import (
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from pricing.errors import CatalogError, FilePosition
from pricing.formulas import NO_PLACE, unseen

MAX_BYTES = 1_000_000
MAX_DEPTH = 12
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*(_[0-9]+)*)")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TRAP = re.compile(r"[-+]?(\.inf|\.nan|0x[0-9a-f]+|0o?[0-9_]+)", re.IGNORECASE)
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_LONGEST_NUMBER = 40
_LINES = "\n\t"  # what text in quotes, or a block of it, may hold

Path = tuple[str, ...]


def read(text: str, *, file: str) -> Any:
    """The data in `text`: dicts, tuples, numbers, days, booleans, text or None. `file` only names it in errors."""
    return _Reader(text, file).document()


def lines(text: str, *, file: str) -> dict[Path, int]:
    """Return the line on which each key or list item of `text` stands, so that an error can point at it."""
    reader = _Reader(text, file)
    reader.where = {}
    reader.document()
    return reader.where


class _Reader:
    """Turns the parser's events into data, one event at a time."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.where: dict[Path, int] | None = None
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise CatalogError(FilePosition(file), f"want text, got half a character at {error.start}") from error
        if size > MAX_BYTES:
            raise CatalogError(FilePosition(file), f"want at most {MAX_BYTES:,} bytes")
        self.events = self._events(text)

    def _events(self, text: str) -> Iterator[Event]:
        try:
            yield from yaml.parse(text, Loader=yaml.CSafeLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark else None
            wish = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
            raise CatalogError(FilePosition(self.file, line), f"not YAML: {wish}") from error

    def document(self) -> Any:
        data: Any = None
        documents = 0
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._refuse(event, (), "want one document in a file, got a second one (---)")
                data = self._node(next(self.events), ())
            elif isinstance(event, StreamEndEvent):
                break
        return data

    def _node(self, event: Event, path: Path) -> Any:
        if type(event) is ScalarEvent:
            return self._scalar(event, path)
        if not isinstance(event, CollectionStartEvent):
            raise self._refuse(event, path, "aliases (*name) are not read here; write the value out")
        if event.anchor or event.tag:
            raise self._refuse(event, path, "anchors (&name) and tags (!name) are not read here")
        if len(path) >= MAX_DEPTH:
            raise self._refuse(event, path, f"want at most {MAX_DEPTH} levels")
        return self._mapping(path) if type(event) is MappingStartEvent else self._sequence(path)

    def _mapping(self, path: Path) -> dict[Any, Any]:
        data: dict[Any, Any] = {}
        while type(event := next(self.events)) is not MappingEndEvent:
            if type(event) is not ScalarEvent:
                raise self._refuse(event, path, "want a plain word as key")
            key = self._scalar(event, path)
            if key == "<<":
                raise self._refuse(event, path, "merge keys (<<) are not read here; write the values out")
            if key in data:
                raise self._refuse(event, path, f"the key {event.value!r} stands here twice")
            inner = (*path, event.value)
            if self.where is not None:
                self.where[inner] = _line(event)
            data[key] = self._node(next(self.events), inner)
        return data

    def _sequence(self, path: Path) -> tuple[Any, ...]:
        items: list[Any] = []
        while type(event := next(self.events)) is not SequenceEndEvent:
            inner = (*path, str(len(items)))
            if self.where is not None:
                self.where[inner] = _line(event)
            items.append(self._node(event, inner))
        return tuple(items)

    def _scalar(self, event: ScalarEvent, path: Path) -> Any:
        if event.anchor or event.tag:
            raise self._refuse(event, path, "anchors (&name) and tags (!name) are not read here")
        value = event.value
        if not value.isprintable() and (mark := unseen(value, _LINES if event.style else "")):
            raise self._refuse(event, path, f"{mark} {NO_PLACE}")
        if event.style:  # quoted or a block: text, whatever it looks like
            return value
        if value[:1].isalpha() and value not in _WORDS:  # most words end here
            return value
        return self._plain(event, value, path)

    def _plain(self, event: Event, value: str, path: Path) -> Any:
        if value in _WORDS:
            return _WORDS[value]
        if _DAY.fullmatch(value):
            try:
                return date.fromisoformat(value)
            except ValueError as error:
                raise self._refuse(event, path, f"{value} is not a day of the calendar") from error
        if _INTEGER.fullmatch(value) and len(value) <= _LONGEST_NUMBER:
            return int(value)
        if _TRAP.fullmatch(value):
            wish = f"{value} is a trap: write a plain finite number, or quote it if it is text"
            raise self._refuse(event, path, wish)
        if _DECIMAL.fullmatch(value) and len(value) <= _LONGEST_NUMBER:
            number = float(value)
            if number in (float("inf"), float("-inf")):
                raise self._refuse(event, path, f"{value} is too large for a number")
            return number
        return value

    def _refuse(self, event: Event, path: Path, wish: str) -> CatalogError:
        return CatalogError(FilePosition(self.file, _line(event), ".".join(path)), wish)


def _line(event: Event) -> int:
    """Counted from 1, as editors do; the parser marks every event it hands out."""
    return event.start_mark.line + 1 if event.start_mark else 1


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
    """Return a value from outside, cut short."""
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
    """Return the value that a pydantic error wants, to follow "want"; empty where it has a sentence of its own."""
    kind, about = str(error["type"]), error.get("ctx", {})
    if kind in _BOUNDS:
        values = {name: _number(value) for name, value in about.items()}
        return _BOUNDS[kind].format(**values).replace("'", "")
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


def first_error_message(error: pydantic.ValidationError) -> tuple[tuple[str | int, ...], str, Mapping[str, Any]]:
    """Return the place of the first thing that is wrong, what to say of it, and pydantic's own error.

    A value that may be read in several ways is refused once, with all its readings.
    """
    every = error.errors(include_url=False)
    first = every[0]
    place = tuple(step for step in first["loc"] if step != "[key]")
    same = [
        other for other in every if other["loc"][:-1] == first["loc"][:-1] and other["loc"][-1:] and _is_branch(other)
    ]
    if len(same) > 1 and _is_branch(first):
        ways = " or ".join(dict.fromkeys(filter(None, map(wanted, same))))
        return place[:-1], f"want {ways}, got {shown(first['input'])}", first
    return place, wish(first), first


def _is_branch(error: Mapping[str, Any]) -> bool:
    return bool(error["loc"]) and error["loc"][-1] in _BRANCHES
