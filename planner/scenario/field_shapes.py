"""What each field of a scenario takes: kind, bounds, unit. Read off the records, so that no bound is written twice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from planner.scenario.scenario import Scenario

Step = str | int
Path = tuple[Step, ...]

_KINDS = {"integer": "whole", "number": "number", "string": "text", "boolean": "switch", "array": "list"}
_REPEATED = 0  # any item of a list stands for all of them


@dataclass(frozen=True)
class Shape:
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
    fields: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    @property
    def wish(self) -> str:
        """What is wanted, to follow "must be"."""
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
        """How many entries a list may have."""
        return f"{self.shortest or 0} to {self.longest}" if self.longest else "entries"

    @property
    def range(self) -> str:
        """Its bounds: `0.01 to 1`."""
        low = "" if self.low is None else f"{'above ' if self.above else ''}{number(self.low)}"
        return f"{low} to {number(self.high)}" if self.high is not None else f"{low} or more"

    def holds(self, value: float) -> bool:
        """Whether a number lies within the bounds."""
        if self.low is not None and (value < self.low or (self.above and value == self.low)):
            return False
        return self.high is None or value <= self.high


def number(value: float) -> str:
    """A bound as people write it: 16,384; 0.01."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.10g}"


@lru_cache(maxsize=512)
def shape(path: Path) -> Shape | None:
    """The field at a path such as ("work", 0, "busy_share"); None where there is none."""
    schema = _schema()
    node: Mapping[str, Any] = schema
    for step in path:
        node = _plain(node)
        inner = node.get("items") if isinstance(step, int) else node.get("properties", {}).get(step)
        if inner is None:
            return None
        node = inner
    return _shape(_plain(node))


@lru_cache(maxsize=1)
def leaves() -> tuple[Path, ...]:
    """Every field that holds a value of its own; the items of a list of records stand under 0."""
    return tuple(_leaves(()))


def nearest(word: str, path: Path) -> str | None:
    """The key of the record at `path` that a word was probably meant to be."""
    record = shape(path)
    near = get_close_matches(word.casefold(), record.fields if record else (), n=1, cutoff=0.6)
    return near[0] if near else None


def _leaves(path: Path) -> list[Path]:
    here = shape(path)
    assert here is not None
    if here.kind == "record":
        return [leaf for field in here.fields for leaf in _leaves((*path, field))]
    item = shape((*path, _REPEATED)) if here.kind == "list" else None
    return _leaves((*path, _REPEATED)) if item is not None and item.kind == "record" else [path]


@lru_cache(maxsize=1)
def _schema() -> dict[str, Any]:
    return Scenario.model_json_schema()


def _plain(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The node without references and without "or nothing"."""
    kept: Mapping[str, Any] = node
    while "$ref" in kept or "anyOf" in kept:
        if "$ref" in kept:
            kept = _schema()["$defs"][str(kept["$ref"]).rpartition("/")[2]]
        else:
            kept = next(one for one in kept["anyOf"] if one.get("type") != "null")
    told = node.get("description")
    return {**kept, "description": told} if told and "properties" not in kept else kept


def _shape(node: Mapping[str, Any]) -> Shape:
    told = str(node.get("description", ""))
    if "properties" in node:
        return Shape("record", help=told, fields=tuple(node["properties"]), required=tuple(node.get("required", ())))
    if "enum" in node:
        return Shape("choice", choices=tuple(node["enum"]), help=told)
    kind = "day" if node.get("format") == "date" else _KINDS[node["type"]]
    above = "exclusiveMinimum" in node
    return Shape(
        kind,
        low=node.get("exclusiveMinimum", node.get("minimum")),
        high=node.get("maximum"),
        above=above,
        shortest=node.get("minLength", node.get("minItems")),
        longest=node.get("maxLength", node.get("maxItems")),
        pattern=node.get("pattern"),
        help=told,
    )


# Units stand in names; these rules spell them out. The first that fits wins.
_PARTS = {
    "accelerator_hour": "accelerator-hour",
    "accelerator_year": "accelerator-year",
    "gb_month": "GB-month",
    "kw_month": "kW-month",
    "fte_year": "FTE-year",
    "kwh": "kWh",
    "kw": "kW",
    "gb": "GB",
    "tb": "TB",
    "waiting_hour": "hour that one job waits",
    "million_input_tokens": "million tokens",
    "million_output_tokens": "million tokens",
}
_SHARE = "share: 0.1 is 10 %"
_UNITS: tuple[tuple[str, str], ...] = (
    ("seed", "any whole number; the same draws the same futures"),
    ("usd_per_unit", "USD for one unit of it"),
    ("usd_per_month|running_usd_per_month", "USD a month"),
    ("profit_usd_per_year", "USD a year"),
    ("million_.*_tokens_per_month", "million tokens a month"),
    (".*_usd|.*_usd_.*|usd_today_if_sold|usd_at_end", "USD"),
    ("accelerator_hours_per_month", "accelerator-hours a month"),
    ("fte_per_accelerator", "full-time people per accelerator"),
    ("failures_per_accelerator_year", "failures of one accelerator in a year"),
    ("interruptions_per_hour", "per hour"),
    ("accelerators|accelerators_per_.*|.*_accelerators", "accelerators"),
    ("(.*_)?share_per_year", "share a year: 0.1 is 10 %"),
    (".*_per_year", "a year: 0.1 is 10 %"),
    (".*_share", _SHARE),
    ("(.*_)?years", "years"),
    ("resale_month|first_month|order_month", "number of the month"),
    ("(.*_)?months", "months"),
    ("(.*_)?days", "days"),
    ("hours_per_.*|(.*_)?hours", "hours"),
    ("(.*_)?requests_per_s", "requests a second"),
    (".*_s", "seconds"),
    (".*_tb_per_month", "TB a month"),
    (".*_tb", "TB"),
    (".*_w_per_server|.*_w_each", "W"),
    ("pue", "times what the machines draw"),
    ("tokens", "tokens of one run"),
    ("unique_tokens", "tokens"),
    ("images", "images of one run"),
    ("seq_len|input_tokens|output_tokens", "tokens"),
    ("runs_per_month", "runs a month"),
    ("lora_adapters", "adapters"),
    ("rise_per_minute", "requests a second more within a minute"),
    ("measured_over_predicted|ratio|low|high", "times what is predicted"),
    ("runs", "runs of your own"),
    (".*_ms", "milliseconds"),
    ("relative_speed", "times one of the plan's"),
    ("season", "times the usual hours, January first"),
    ("by_hour", "of the accelerators, hour by hour from midnight"),
    ("rent_by_year", "times today's rent, year by year"),
    ("shares_by_year", "share of the price, year by year"),
)


def priced(name: str) -> str:
    """What a price is for one of, from its name: kWh, server; empty where it is no price or has words of its own."""
    of = None if name in _OWN_WORDS else re.fullmatch(r"usd_per_(.+?)(?:_of_(.+))?", name)
    if of is None:
        return ""
    what = _PARTS.get(of[1], of[1].replace("_", " "))
    return what + (f" of {of[2].replace('_', ' ')}" if of[2] else "")


def unit(name: str) -> str:
    """The unit of a field in words, from its name; empty where it is no number."""
    what = priced(name)
    if what:
        return f"USD per {what}"
    return next((words for pattern, words in _UNITS if re.fullmatch(pattern, name)), "")


_OWN_WORDS = frozenset({"usd_per_unit", "usd_per_month"})
