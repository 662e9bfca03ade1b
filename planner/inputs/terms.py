"""On which terms money and prices are reckoned: what money costs, when it moves, how rents change."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planner.inputs.need import Inputs

# When, within its month or year, the money of a month is taken to move.
Timing = Literal["month_end", "month_middle", "year_end", "year_middle"]


class Terms(Inputs):
    """Settings of finance. Printed with every result, since they can turn it."""

    discount_rate_per_year: Annotated[float, Field(ge=0.0, le=0.5)]
    rent_change_per_year: Annotated[float, Field(ge=-0.6, le=0.5)] = 0.0
    timing: Timing = "month_end"
