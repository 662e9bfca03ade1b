"""What files of constants, and of what was measured on a machine, have in common: how they are read and written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import pydantic

from planner.evidence.table import BadTable
from planner.speed.bands import Band, Spread
from pricing.wishes import first_wish

Record = TypeVar("Record", bound=pydantic.BaseModel)


def read_as(record: type[Record], read: Any, *, file: str, writer: str) -> Record:
    """What was read as a record, or `BadTable` with what is wrong where; `writer` is what writes such files."""
    try:
        return record.model_validate(read)
    except pydantic.ValidationError as error:
        place, wish, _ = first_wish(error)
        where = ".".join(map(str, place)) or "the file"
        raise BadTable(f"{file}: {where}: {wish}; give what {writer} writes.") from error


def entry(name: str, **fields: object) -> str:
    """One line of a section."""
    return f"  {name}: {{{', '.join(f'{field}: {value}' for field, value in fields.items())}}}"


def band_lines(bands: Mapping[str, Band]) -> list[str]:
    """The section of bands."""
    return ["bands:", *(entry(name, low=band.low, high=band.high, rows=band.rows) for name, band in bands.items())]


_SPREAD_NOTE = (
    "# How wide the band of a run is: `below` and `above` are logarithms, multiplied by `wider` for each of its traits",
    "# and by `step` for each trait in which the nearest fitted runs, which stand under `seen`, differ from it.",
)


def spread_lines(spread: Spread | None) -> list[str]:
    """The section of what the band of a run goes by; nothing where too few runs were left out to tell."""
    if spread is None:
        return []
    ends = [
        f"    {name}: {{below: {one.below:.4g}, above: {one.above:.4g}, rows: {one.rows}}}"
        for name, one in spread.ends.items()
    ]
    wider = [
        f"    {name}: {{{', '.join(f'{_quoted(value)}: {times:.3f}' for value, times in found.items())}}}"
        for name, found in spread.wider.items()
    ]
    seen = [
        f"    - {{like: [{', '.join(map(_quoted, one.like))}], runs: {one.runs}, roots: {one.roots:.3g}}}"
        for one in spread.seen
    ]
    return [
        "", *_SPREAD_NOTE, "spread:", f"  traits: [{', '.join(spread.traits)}]", "  ends:", *ends,
        f"  step: {spread.step:.4g}", "  wider:", *wider, "  seen:", *seen,
    ]  # fmt: skip


def _quoted(word: str) -> str:
    """A word as YAML reads it as one: `16` would be a number."""
    return f'"{word}"' if word[:1].isdecimal() else word
