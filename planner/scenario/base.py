"""What every record of inputs has in common, and the calendar they all reckon by."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pricing.marks import all_seen

HOURS_PER_YEAR = 8_760
MONTHS_PER_YEAR = 12
HOURS_PER_MONTH = HOURS_PER_YEAR / MONTHS_PER_YEAR  # 730, on every page and in every export


class Inputs(BaseModel):
    """Checked on the way in, never changed afterwards."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class OfField(ValueError):
    """What is wrong with a whole scenario, and the field that is named first."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(f"{field} {text}")
        self.path = tuple(field.split("."))


# Bounds are the widest that make sense; what lies outside is a slip of the finger, not a plan.
Label = Annotated[str, Field(min_length=1, max_length=120), AfterValidator(all_seen)]
Id = Annotated[str, Field(min_length=1, max_length=160), AfterValidator(all_seen)]
Count = Annotated[int, Field(ge=1, le=16_384)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
UpTo10 = Annotated[float, Field(ge=0.0, le=10.0)]
ChangePerYear = Annotated[float, Field(ge=-0.6, le=0.5)]
RatePerYear = Annotated[float, Field(ge=0.0, le=0.5)]
Months = Annotated[float, Field(ge=0.0, le=120.0)]
Years = Annotated[float, Field(ge=0.25, le=10.0)]
Usd = Annotated[float, Field(ge=0.0, le=1e12)]
UsdPerHour = Annotated[float, Field(ge=0.0, le=1_000.0)]
Terabytes = Annotated[float, Field(ge=0.0, le=100_000.0)]
