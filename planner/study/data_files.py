"""The one place where this room reads files: its own data, which lies beside it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from pricing import strict_yaml
from pricing.figure import Strict, Text

DATA = Path(__file__).parent / "data"


class Said(Strict):
    """Who says so, and why."""

    kind: Literal["assumption", "derived", "reported", "measured"]
    source: Text
    reason: Text


class Factor(Said):
    """A factor with its ends."""

    label: Text
    low: float
    typical: float
    high: float


class Listings(Strict):
    """What listings of the same seller and machine did in a year, over more years than one."""

    low: float
    typical: float
    high: float
    count: int
    least_years: float


class Rents(Said):
    """How rents may move."""

    listings: Listings


class Together(Said):
    """Two inputs that move together."""

    first: Text
    second: Text
    coefficient: Annotated[float, Field(gt=-1.0, lt=1.0)]


class Ranges(Strict):
    """How the range of a figure is read."""

    reason: Text
    source: Text


class Assumed(Strict):
    """What the futures are drawn from beside the catalogue's ranges."""

    ranges: Ranges
    use: Factor
    rents: Rents
    together: Together


def read_data(name: str) -> Any:
    """What stands in planner/study/data/`name`."""
    return strict_yaml.read((DATA / name).read_text(encoding="utf-8"), file=name)


@lru_cache(maxsize=1)
def assumed() -> Assumed:
    """The assumptions of the futures."""
    return Assumed.model_validate(read_data("futures.yaml"))
