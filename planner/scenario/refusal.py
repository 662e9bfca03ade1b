"""What is wrong with a scenario from outside, in a sentence: what, where, what was wanted, what to do."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import pydantic
from pydantic_core import ErrorDetails

from planner.scenario.base import OfField
from planner.scenario.fields import Shape, nearest, shape
from planner.scenario.path import Path, dotted
from pricing import PricingError, wishes
from pricing.near import near
from pricing.wishes import shown

UNCHANGED = "nothing was changed"
_PERCENT = 100
PER_KWH, _LEAST_CENTS = "USD per kWh", 1.0


class ScenarioError(PricingError):
    """A scenario that cannot be used. `line` is where in the file, `wish` what is wrong and what would do."""

    def __init__(self, name: str, line: int | None, wish: str, *, more: int = 0, path: Path = ()) -> None:
        where = f"Line {line}: " if line else ""
        end = f" {UNCHANGED[0].upper()}{UNCHANGED[1:]}" if wish.endswith("?") else f"; {UNCHANGED}"
        others = f" ({more} more to look at)" if more else ""
        super().__init__(f"{where}{wish}{end}{others}.")
        self.name = name
        self.line = line
        self.wish = wish
        self.path = path  # of the field that is wrong by itself, where there is one


def unchanged(refusal: PricingError) -> str:
    """The refusal as a page says it: that nothing was changed stands in it, and stands in it once."""
    if isinstance(refusal, ScenarioError):  # its own words end with it
        return str(refusal)
    return f"{refusal} {UNCHANGED[0].upper()}{UNCHANGED[1:]}."


def where(error: Mapping[str, Any]) -> Path:
    """The path of one of pydantic's errors, without its own marks."""
    return tuple(step for step in error["loc"] if step != "[key]")


def complaint(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors as `work.0.busy_share: 1.6 must be 0.01 to 1`."""
    path = where(error)
    wish = _wish(error, path)
    return f"{dotted(path)}: {wish}" if path else wish


def _wish(error: Mapping[str, Any], path: Path) -> str:
    kind, got = error["type"], error.get("input")
    if kind == "extra_forbidden":
        return unknown(str(path[-1]), path[:-1])
    if kind == "missing":
        wanted = shape(path)
        return f"missing; it must be {wanted.wish}" if wanted else "missing"
    wanted = shape(path)
    if wanted is None or kind == "value_error":
        return wishes.wish(error)
    if kind in ("too_short", "too_long"):
        return f"{len(error['input']):,} entries must be {wanted.entries}"
    return f"{shown(got)} must be {_must(wanted, got)}"


def _must(wanted: Shape, got: object) -> str:
    if not isinstance(got, int | float) or isinstance(got, bool) or wanted.kind not in ("whole", "number"):
        word = got.casefold() if isinstance(got, str) else ""
        meant = near(word, wanted.choices) or get_close_matches(word, wanted.choices, n=1)  # few words: a hint is cheap
        return wanted.wish + (f". Did you mean {meant[0]}?" if meant else "")
    if wanted.holds(got):  # only its kind is wrong
        return wanted.wish
    if wanted.unit == PER_KWH and got > _LEAST_CENTS:
        return f"{wanted.range}. Did you mean cents? {got:.15g} cents are {got / _PERCENT:.15g}"
    is_share = wanted.kind == "number" and wanted.high is not None and wanted.high <= 1
    if is_share and 2 <= got <= _PERCENT:
        return f"{wanted.range}: {got:g} % is written {got / _PERCENT:g}"
    return wanted.range


def unknown(key: str, path: Path) -> str:
    """What to say of a key that nobody knows."""
    meant = nearest(key, path)
    hint = f"; did you mean {meant}?" if meant else ""
    record = shape(path)
    known = f"; there are {', '.join(record.fields)}" if record and record.fields and not meant else ""
    return f"there is no such key{hint}{known}" if path else f"there is no such key{hint or known}"


def complaints(error: pydantic.ValidationError) -> list[tuple[Path, str]]:
    """Every one of pydantic's errors: its path and its sentence."""
    return [(where(one) or _named(one), complaint(one)) for one in _kept(error)]


def first_complaint(error: pydantic.ValidationError) -> tuple[Path, str]:
    """The first of pydantic's errors; its path is that of the wrong value, empty where values disagree."""
    first = _kept(error)[0]
    return where(first), complaint(first)


def _kept(error: pydantic.ValidationError) -> list[ErrorDetails]:
    every = error.errors(include_url=False)
    # A list whose items are wrong is also said to be too short: that is no error of its own.
    lists = {where(one)[:-n] for one in every for n in range(1, len(where(one)))}
    return [one for one in every if not (one["type"] == "too_short" and where(one) in lists)]


def _named(error: Mapping[str, Any]) -> Path:
    """The field that an error about the whole scenario names."""
    said = error.get("ctx", {}).get("error")
    return said.path if isinstance(said, OfField) else ()
