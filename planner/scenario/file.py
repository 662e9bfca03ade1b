"""A scenario as a file: YAML with what differs from the defaults, the day, and the catalogue it was made with.

`read_scenario(write_scenario(saved))` gives the same scenario. What comes from outside is read strictly: one document,
no aliases or tags, no key twice, at most 1 MB; every refusal says the line, the value and what would do.

A portfolio as a file: the plans that share fleets, whose they are, and when each begins.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any

import pydantic
from pydantic import Field

from planner.scenario.base import Label, ScenarioModel, unit
from planner.scenario.fields import field_spec
from planner.scenario.known_names import (
    NAMED,
    ScenarioError,
    accelerator_meant,
    first_error,
    format_errors,
    resolve_names,
)
from planner.scenario.path import Path, format_path, get_value
from planner.scenario.scenario import Scenario
from planner.scenario.typed_money import schema_with_amount_text, to_dollars, with_entered_amounts
from pricing import CatalogError, Catalogue, strict_yaml
from pricing.exchange import rates
from pricing.figure import parse_day
from pricing.formulas import escape_character
from pricing.near import near
from pricing.strict_yaml import shown

SCHEMA = 1
MOST_BYTES = 20_000_000  # of a pack; the plan itself is short
HEAD = ("schema", "day", "catalogue")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# From a schema number to the next: what the file says in the old words, in the new ones. A changed default is a new
# schema too, whose migration writes the old default out.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


@dataclass(frozen=True)
class SavedScenario:
    """A scenario with the day it is for and the digest of the catalogue it was made with; both may be unsaid."""

    scenario: Scenario
    day: date | None = None
    catalogue_digest: str | None = None
    schema: int = SCHEMA
    notes: tuple[str, ...] = field(default=(), compare=False)  # what was taken otherwise than it was written

    def is_from_other_catalogue(self, catalogue: Catalogue) -> bool:
        """Return whether it was made with another catalogue than this one."""
        return self.catalogue_digest is not None and self.catalogue_digest != catalogue.digest


def read_scenario(text: bytes, name: str, catalogue: Catalogue, base: Scenario | None = None) -> SavedScenario:
    """The scenario in a file: YAML, CSV or the zip of a pack; or a `ScenarioError` with the first thing wrong.

    A file of a few assumptions changes these fields of `base`.
    """
    changes: tuple[str, ...] = ()
    if text.startswith(_ZIP):
        from planner.scenario.plan_csv import unpack_plan  # few plans come in a pack

        text, name, changes = unpack_plan(text, name, MOST_BYTES)
    if name.casefold().endswith((".csv", ".tsv")):
        from planner.scenario.plan_csv import read_plan_csv  # few plans come as a table

        read, lines = read_plan_csv(text, name, None if base is None else changed_fields(base))
    else:
        read, lines = read_yaml(text, name)
    if not isinstance(read, dict):
        wish = "the file is empty" if read is None else f"{shown(read)} stands where keys and values are wanted"
        raise ScenarioError(name, None, f"{wish}; a first line could be `accelerator: H100-SXM5-80GB`")
    data = _migrate(read, name, lines)
    day, digest = _head(data, name, lines)
    amounts = to_dollars({key: value for key, value in data.items() if key not in HEAD}, rates(catalogue))
    if amounts.wrong:
        path, wish = min(amounts.wrong, key=lambda wrong: _line(lines, wrong[0]) or 0)
        raise ScenarioError(name, _line(lines, path), f"{format_path(path)}: {wish}", more=len(amounts.wrong) - 1)
    scenario = build_scenario(amounts.data, name, lines).with_typed(amounts.typed)
    settled, lost = resolve_names(scenario, catalogue)
    if lost:
        first = min(lost, key=lambda reference: _line(lines, reference.path) or 0)
        wish = f"{format_path(first.path)}: {str(first.error).rstrip('.')}"
        raise ScenarioError(name, _line(lines, first.path), wish, more=len(lost) - 1)
    return SavedScenario(settled, day, digest, notes=(*changes, *_notes(scenario, settled, catalogue)))


def build_scenario(data: Mapping[str, Any], name: str, lines: Mapping[tuple[str, ...], int]) -> Scenario:
    """The scenario in plain data, checked; `lines` says on which line of the file each key stands."""
    try:
        return Scenario.model_validate(data)
    except pydantic.ValidationError as error:
        wrong = format_errors(error)
        wrong.sort(key=lambda complaint: _line(lines, complaint[0]) or 0)
        path, wish = wrong[0]
        raise ScenarioError(name, _line(lines, path), wish, more=len(wrong) - 1) from error


def read_yaml(raw: bytes, name: str) -> tuple[Any, Mapping[tuple[str, ...], int]]:
    """Return the data of a YAML file, and the line of each of its keys; raise `ScenarioError` if unreadable."""
    if len(raw) > strict_yaml.MAX_BYTES:
        raise ScenarioError(name, None, f"too long: a scenario has at most {strict_yaml.MAX_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wish = f"not UTF-8 text: byte 0x{raw[error.start]:02x} at {error.start}; save it as UTF-8"
        raise ScenarioError(name, None, wish) from error
    try:
        return strict_yaml.read(text, file=name), strict_yaml.lines(text, file=name)
    except CatalogError as error:
        key = f"{error.place.key}: " if error.place.key else ""
        raise ScenarioError(name, error.place.line, f"{key}{error.wanted}") from error


def _migrate(data: dict[str, Any], name: str, lines: Mapping[tuple[str, ...], int]) -> dict[str, Any]:
    schema = data.get("schema", SCHEMA)
    line = _line(lines, ("schema",))
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise ScenarioError(name, line, f"schema: {shown(schema)} must be a whole number, 1 to {SCHEMA}")
    if schema > SCHEMA:
        wish = (
            f"schema: {schema} was written by a newer version of this program; "
            f"this one reads up to {SCHEMA}: update it, or save the scenario there for schema {SCHEMA}"
        )
        raise ScenarioError(name, line, wish)
    for step in range(schema, SCHEMA):
        data = MIGRATIONS[step](data)
    return data


def _head(data: Mapping[str, Any], name: str, lines: Mapping[tuple[str, ...], int]) -> tuple[date | None, str | None]:
    day, digest = file_day(data, name, _line(lines, ("day",))), data.get("catalogue")
    if digest is not None and not (isinstance(digest, str) and re.fullmatch("[0-9A-Za-z_-]{1,64}", digest)):
        wish = f"catalogue: {shown(digest)} must be a catalogue's digest, in quotes, or be left out"
        raise ScenarioError(name, _line(lines, ("catalogue",)), wish)
    for key in data:
        if not isinstance(key, str):
            raise ScenarioError(name, None, f"the key {shown(key)} must be a word")
        if key not in HEAD and key not in Scenario.model_fields:
            meant = near(key, (*HEAD, *Scenario.model_fields))
            hint = f"did you mean {meant[0]}?" if meant else f"there are {', '.join((*HEAD, *Scenario.model_fields))}"
            raise ScenarioError(name, _line(lines, (key,)), f"{key}: there is no such key; {hint}")
    return day, digest


def file_day(data: Mapping[str, Any], name: str, line: int | None) -> date | None:
    """The day that a file is for, if it says one."""
    value = data.get("day")
    try:
        day = parse_day(value)
    except ValueError as error:
        raise ScenarioError(name, line, f"day: {error}") from error
    if day is None or isinstance(day, date):
        return day
    raise ScenarioError(name, line, f"day: {shown(value)} must be a day such as 2026-11-21")


def _line(lines: Mapping[tuple[str, ...], int], path: Path) -> int | None:
    steps = tuple(str(step) for step in path)
    return next((lines[steps[:n]] for n in range(len(steps), 0, -1) if steps[:n] in lines), None)


def _notes(written: Scenario, settled: Scenario, catalogue: Catalogue) -> list[str]:
    """Each name that was taken for another spelling, and why where it fits several."""
    pairs = [(path, get_value(written, path), get_value(settled, path)) for path in NAMED]
    note = accelerator_meant(catalogue, written.accelerator).note
    notes = {NAMED[0]: f"accelerator: {note}"} if note else {}
    return [
        notes.get(path) or f"{format_path(path)}: {was} is taken for {now}." for path, was, now in pairs if was != now
    ]


def file_schema() -> dict[str, Any]:
    """The whole file as JSON schema: the scenario, with the three keys at its head; money may be text."""
    head = {
        "schema": {"type": "integer", "minimum": 1, "maximum": SCHEMA, "default": SCHEMA},
        "day": {"type": "string", "format": "date", "description": "prices and ages as they were known on this day"},
        "catalogue": {"type": "string", "description": "digest of the facts it was made with"},
    }
    scenario = schema_with_amount_text(Scenario.model_json_schema())
    return {**scenario, "properties": {**head, **scenario["properties"]}}


def changed_fields(scenario: Scenario) -> dict[str, Any]:
    """Return what a scenario says otherwise than the defaults, as plain data in the record's order; money as typed."""
    return with_entered_amounts(scenario, scenario.model_dump(exclude_defaults=True))


def write_scenario(saved: SavedScenario) -> str:
    """The file: schema, day and digest, then what differs from the defaults, with units beside the values."""
    head = [
        "# A plan: rent, buy, or both? Only what differs from the defaults is written here; see docs/scenario.md.",
        f"schema: {saved.schema}",
    ]
    if saved.day is not None:
        head.append(f"day: {saved.day.isoformat()}  # prices and ages as they were known on this day")
    if saved.catalogue_digest is not None:
        head.append(f"catalogue: {_quote(saved.catalogue_digest)}  # digest of the facts it was made with")
    return "\n".join([*head, *_record(changed_fields(saved.scenario), (), "")]) + "\n"


def plan_table_rows(saved: SavedScenario) -> tuple[tuple[str, object, str, str], ...]:
    """Return the same as rows of a table: name, value, unit and meaning."""
    from planner.scenario.plan_csv import plan_csv_rows  # few plans leave as a table

    head = {"schema": saved.schema, "day": saved.day, "catalogue": saved.catalogue_digest}
    return tuple(plan_csv_rows(head, changed_fields(saved.scenario)))


def format_part(part: Mapping[str, Any]) -> str:
    """Some keys of a scenario as they stand in its file."""
    return "\n".join(_record(part, (), "")) + "\n"


def _record(data: Mapping[str, Any], path: Path, indent: str) -> list[str]:
    lines: list[str] = []
    for key, value in data.items():
        inner: Path = (*path, key)
        if isinstance(value, dict) and value:
            lines += [f"{indent}{key}:", *_record(value, inner, indent + "  ")]
        elif isinstance(value, tuple) and value and isinstance(value[0], dict):
            lines.append(f"{indent}{key}:")
            lines += [line for item in value for line in _item(item, (*inner, 0), indent + "  ")]
        else:
            lines.append(f"{indent}{key}: {_value(value)}{_comment(inner)}")
    return lines


def _item(item: Mapping[str, Any], path: Path, indent: str) -> list[str]:
    if not item:
        return [f"{indent}- {{}}"]
    first, *rest = _record(item, path, indent + "  ")
    return [f"{indent}- {first.lstrip()}", *rest]


def _comment(path: Path) -> str:
    about = field_spec(path)
    if about is None or about.kind == "record":
        return ""
    parts = [text for text in (about.unit, about.help) if text]
    if about.kind == "choice":
        parts.append(" | ".join(about.choices))
    return f"  # {'; '.join(parts)}" if parts else ""


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < _WHOLE else repr(value)
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value.casefold() not in _MEANT else _quote(value)
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    return "{}" if value == {} else str(value)


_WHOLE = 1e15  # larger floats are not written digit by digit
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*")
# What some reader of YAML takes for something else than a word; Norway among them.
_MEANT = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def _quote(text: str) -> str:
    """Text in double quotes, whatever is in it: what does not print is written as its code."""
    return (
        '"'
        + "".join(_ESCAPES.get(mark) or (mark if mark.isprintable() else escape_character(mark)) for mark in text)
        + '"'
    )


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


MOST_PLANS = 24


class PortfolioEntry(ScenarioModel):
    """One plan of a portfolio."""

    plan: Annotated[str, Field(min_length=1, max_length=500, description="a file beside this one, the key of a preset, "
        "or the name of a kept plan")]  # fmt: skip
    name: Annotated[Label | None, Field(description="empty: the name in the plan")] = None
    team: Annotated[str, Field(max_length=120, description="or cost centre; empty: the folder of a kept plan")] = ""
    tags: Annotated[tuple[Label, ...], Field(max_length=20)] = ()
    starts_in_month: Annotated[
        int, Field(ge=1, le=120, description="of the portfolio"), unit("number of the month")
    ] = 1


class PortfolioFile(ScenarioModel):
    """The plans that share fleets; those of one kind of GPU and one place share one."""

    plans: Annotated[tuple[PortfolioEntry, ...], Field(min_length=2, max_length=MOST_PLANS)]


def read_portfolio(text: bytes, name: str) -> PortfolioFile:
    """Return the portfolio in a file, or raise `ScenarioError` with its line."""
    data, lines = read_yaml(text, name)
    try:
        return PortfolioFile.model_validate(data)
    except pydantic.ValidationError as error:
        path, wish = first_error(error)
        raise ScenarioError(name, _line(lines, path), wish) from error
