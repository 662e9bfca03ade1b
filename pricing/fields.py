"""What fields of records have in common: names, bounds, and the one unit that a figure may carry."""

from typing import Annotated, Any, Literal

from pydantic import Field

from pricing.figure import Strict, Text, Unit

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


class Usual(Strict):
    """Names that fit several records and usually mean this one."""

    names: tuple[Id, ...] = Field(min_length=1, description="names that fit other records too")
    why: Text = Field(description="why people mean this one")


UNIT = "x-unit"  # marks the field of a figure that has one unit


def in_unit(unit: Unit) -> dict[str, Any]:
    """What marks a field as that of a figure in this unit and no other."""
    return {UNIT: unit}


def figure(unit: Unit, description: str) -> Any:
    """The field of a figure that may be unknown."""
    return Field(default=None, description=description, json_schema_extra=in_unit(unit))
