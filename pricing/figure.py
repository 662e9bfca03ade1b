"""A figure: one dated, sourced number with its unit.

Everything this program knows about the world is a `Figure`. Each value in it says from which day it holds, what kind of
statement it is and who says so. A price that changes gets a new dated value; the old one stays.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pricing.caching import cached_property

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse_day(value: object) -> object:
    """Return the day in a quoted text, and any other value as it is; raise ValueError for a 31 November."""
    if not isinstance(value, str) or not _DAY.fullmatch(text := value.strip()):
        return value
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text} is not a day of the calendar") from error


Day = Annotated[date, BeforeValidator(parse_day)]

# One unit for each quantity, so that nothing is ever converted. Shares are 0.35, unit "1". 1 GB is 1e9 bytes.
Unit = Literal[
    "1", "count", "byte/parameter", "count/1000-node-day", "count/accelerator-year", "count/hour", "GB", "GB/month",
    "GB/s", "L/kWh", "TFLOP/s", "TOP/s", "U", "USD", "USD/GB", "USD/GB-month", "USD/Mtoken", "USD/TB", "USD/hour",
    "USD/accelerator", "USD/accelerator-hour", "USD/accelerator-year", "USD/kW", "USD/kW-month", "USD/kWh", "USD/node",
    "USD/rack", "USD/unit", "USD/year", "W", "kW", "day", "fte", "fte/accelerator", "g/kWh", "kg", "kg/GB", "hour",
    "minute", "month", "second", "year",
]  # fmt: skip

# How a number came to be. `assumption` is our own judgement and cites a decision in docs/decisions.
Kind = Literal["list_price", "quote", "measured", "spec", "reported", "derived", "assumption"]

# By which road a source reaches us; the trust badge on the screen is made from it.
Via = Literal["price_api", "official_page", "document", "third_party", "ours", "yours"]

Text = Annotated[str, Field(min_length=1, max_length=2_000)]


def _web_address(url: str) -> str:
    if not url.startswith(("https://", "http://", "docs/")):
        raise ValueError(f"want an address that starts with https:// (or docs/ for our own), got {url!r}")
    return url


Url = Annotated[
    str,
    Field(min_length=5, max_length=500, json_schema_extra={"pattern": "^(https?://|docs/)"}),
    AfterValidator(_web_address),
]
Note = Annotated[Text | None, Field(description="what somebody must know who uses it; for people, no program reads it")]
Locator = Annotated[Text | None, Field(description="where inside the source: page, table, row, address")]
SourceId = Annotated[str, Field(description="who says so: the id of a source that some file declares")]


def optional(description: str, unit: dict[str, Any] | None = None, **bounds: Any) -> Any:
    """Return a field that may be absent."""
    return Field(default=None, description=description, json_schema_extra=unit, **bounds)


class StrictModel(BaseModel):
    """Unknown keys, quoted numbers, NaN and later mutation are all errors."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        defer_build=True,
        ignored_types=(cached_property,),
    )


class Source(StrictModel):
    """Somebody who says so."""

    title: Text = Field(description="of the page, document or data set, as it calls itself")
    url: Url = Field(description="where it can be read: https://, or docs/ for a decision of ours")
    publisher: Text | None = optional("who answers for what it says")
    retrieved: Day = Field(description="the day we, or the collector we cite, read it")
    via: Via = Field(description="by which road it reaches us; the trust in a price is read from it")
    licence: Text = Field(description="SPDX name where there is one; 'facts cited' where only facts are quoted")
    attribution: Text | None = optional("the credit line the licence asks for")


class FigureValue(StrictModel):
    """The value of a figure from one day on. A posted price has only `typical`; a range adds `low`, `high` or both."""

    typical: float = Field(description="the number itself; of a range its middle, as the source has it")
    low: float | None = optional("low end of the range, at most `typical`; leave out if unknown")
    high: float | None = optional("high end, at least `typical`; leave out if unknown")
    kind: Kind = Field(
        description="what kind of statement it is; `assumption` is ours, `derived` says from what in `note`"
    )
    source: SourceId = Field(min_length=1)
    locator: Locator = None
    note: Note = None

    @model_validator(mode="after")
    def _in_order(self) -> FigureValue:
        low = self.typical if self.low is None else self.low
        high = self.typical if self.high is None else self.high
        if not low <= self.typical <= high:
            raise ValueError(f"want low <= typical <= high, got {self.low}, {self.typical}, {self.high}")
        return self


class Figure(StrictModel):
    """One number through time."""

    unit: Unit = Field(description='one for each quantity; shares have the unit "1", in quotes')
    checked: Day = Field(description="somebody looked, and the newest value still held, on this day")
    values: dict[date, FigureValue] = Field(
        min_length=1, description="since which day it is what; a new price is a new day, the old one stays"
    )
    note: Note = None

    @model_validator(mode="after")
    def _check_dates(self) -> Figure:
        if max(self.values) > self.checked:
            raise ValueError(f"want checked on or after the newest value {max(self.values)}, got {self.checked}")
        return self

    @cached_property
    def since(self) -> date:
        """The day from which the newest value holds."""
        return max(self.values)

    @cached_property
    def newest(self) -> FigureValue:
        return self.values[self.since]

    def age_days(self, day: date) -> int:
        """Days since somebody last looked."""
        return (day - self.checked).days


Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+/ ()-]*$", max_length=160)]
YearMonth = Annotated[str, Field(pattern=r"^\d{4}(-\d{2})?$", description='a month or a year, in quotes: "2026-05"')]
Label = Annotated[Text, Field(description="what people call it")]
Aliases = Annotated[tuple[Id, ...], Field(description="other names that people type for it")]
COUNT: dict[str, Any] = {"unit": "count"}
BILLIONS: dict[str, Any] = {"unit": "billions"}
Whole = Annotated[int, Field(ge=1, le=100_000, json_schema_extra=COUNT)]
Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$", description="two letters, as ISO 3166 has them: DE")]
Share = Annotated[float, Field(gt=0, le=1)]
Confidence = Annotated[
    Literal["high", "medium", "low"], Field(description="how far the record as a whole can be trusted")
]


class Usual(StrictModel):
    """Names that fit several records and usually mean this one."""

    names: tuple[Id, ...] = Field(min_length=1, description="names that fit other records too")
    why: Text = Field(description="why people mean this one")


UNIT = "x-unit"  # marks the field of a figure that has one unit


def unit_marker(unit: Unit) -> dict[str, Any]:
    """Return the mark of a field whose figure has this unit and no other."""
    return {UNIT: unit}


def figure(unit: Unit, description: str) -> Any:
    """Return the field of a figure that may be unknown."""
    return optional(description, unit_marker(unit))
