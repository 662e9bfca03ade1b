"""What every record of inputs has in common, and the calendar they all reckon by."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pricing.marks import all_seen

HOURS_PER_YEAR = 8_760.0
MONTHS_PER_YEAR = 12
HOURS_PER_MONTH = HOURS_PER_YEAR / MONTHS_PER_YEAR  # 730, on every page and in every export
DAYS_PER_YEAR = 365
DAYS_PER_MONTH = DAYS_PER_YEAR / MONTHS_PER_YEAR
HOURS_PER_DAY = 24.0
SECONDS_PER_HOUR = 3_600.0
MILLION, GIGA, TERA = 1e6, 1e9, 1e12
MOST_ACCELERATORS = 16_384  # that a plan may have
ONE_MACHINE = 8  # accelerators: a job on more needs whole machines


class Inputs(BaseModel):
    """Checked on the way in, never changed afterwards."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


# Bounds are the widest that make sense; what lies outside is a slip of the finger, not a plan.
Label = Annotated[str, Field(min_length=1, max_length=120), AfterValidator(all_seen)]
Id = Annotated[str, Field(min_length=1, max_length=160), AfterValidator(all_seen)]
Count = Annotated[int, Field(ge=1, le=MOST_ACCELERATORS)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
UpTo10 = Annotated[float, Field(ge=0.0, le=10.0)]
ChangePerYear = Annotated[float, Field(ge=-0.6, le=0.5)]
RatePerYear = Annotated[float, Field(ge=0.0, le=0.5)]
Months = Annotated[float, Field(ge=0.0, le=120.0)]
Years = Annotated[float, Field(ge=0.25, le=10.0)]
Usd = Annotated[float, Field(ge=0.0, le=1e12)]
UsdPerHour = Annotated[float, Field(ge=0.0, le=1_000.0)]
Terabytes = Annotated[float, Field(ge=0.0, le=100_000.0)]
