"""What a person needs: how much computing, how busy, for how long, where."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

HOURS_PER_YEAR = 8_760
MONTHS_PER_YEAR = 12


class Inputs(BaseModel):
    """Checked on the way in, never changed afterwards."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Need(Inputs):
    """GPU-hours: an accelerator, how many at once, how busy, for how long. Bounds are the widest that make sense."""

    accelerator: str = Field(min_length=1, max_length=80)
    accelerators: Annotated[int, Field(ge=1, le=16_384)] = 8
    busy_share: Annotated[float, Field(ge=0.01, le=1.0)] = 0.60
    years: Annotated[float, Field(ge=0.25, le=10.0)] = 3.0
    hours_per_session: Annotated[float, Field(ge=0.01, le=8_760.0)] = 8.0
    storage_tb: Annotated[float, Field(ge=0.0, le=100_000.0)] = 10.0
    egress_tb_per_month: Annotated[float, Field(ge=0.0, le=100_000.0)] = 1.0
    site: str = Field(default="US", min_length=1, max_length=20)

    @property
    def months(self) -> float:
        """Length of the plan."""
        return self.years * MONTHS_PER_YEAR

    @property
    def hours_per_month(self) -> float:
        """One month of clock hours: 8,760 / 12 = 730, on every page and in every export."""
        return HOURS_PER_YEAR / MONTHS_PER_YEAR

    @property
    def busy_accelerator_hours(self) -> float:
        """Useful accelerator-hours over the whole plan."""
        return self.accelerators * self.busy_share * self.hours_per_month * self.months
