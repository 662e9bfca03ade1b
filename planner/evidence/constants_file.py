"""What files of constants, and of what was measured on a machine, have in common: how they are read and written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import pydantic

from planner.evidence.table import BadTable
from planner.speed.bands import Band
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
