"""The value of a machine over time: depreciation schedules, residual values, prices of used ones."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field, model_validator

from pricing.figure import (
    Confidence,
    Day,
    Id,
    Label,
    Locator,
    Note,
    Share,
    SourceId,
    StrictModel,
    Text,
    YearMonth,
    optional,
)

# Among what a machine is bought and sold: boards and racks of data centres, cards for servers, for private people and
# for workstations, whole desktop machines. Prices of each move in their own way.
HardwareClass = Literal["sxm", "pcie", "consumer", "workstation", "desktop"]


class DepreciationSchedule(StrictModel):
    """Shares of a cost written off year by year. They sum to 1."""

    label: Label
    jurisdiction: Text = Field(description="whose tax office allows it: US, DE, any")
    shares_by_year: tuple[Share, ...] = Field(
        min_length=1, description="Part of the price written off in each year; they sum to 1"
    )
    valid_from: Day | None = optional("the law holds for what is bought from this day on")
    valid_to: Day | None = optional("and until this one")
    usual_from: Day | None = optional("plans there of this day or later start from it; without it they have to name it")
    source: SourceId
    locator: Locator = None
    note: Note = None

    @model_validator(mode="after")
    def _whole(self) -> DepreciationSchedule:
        if abs(sum(self.shares_by_year) - 1) > 1e-6:
            raise ValueError(f"want shares that sum to 1, got {sum(self.shares_by_year):.6f}")
        return self

    def is_usual(self, jurisdiction: str, day: date) -> bool:
        """Return whether a plan there of this day starts from it."""
        starts = max(filter(None, (self.valid_from, self.usual_from)), default=date.max)
        ends = self.valid_to or date.max
        return self.jurisdiction == jurisdiction and self.usual_from is not None and starts <= day <= ends


class ResidualCurve(StrictModel):
    """Share of the launch price that is left at an age. low / typical / high as three curves where known."""

    label: Label
    accelerators: tuple[Id, ...] = Field(default=(), description="empty: any accelerator")
    age_months: tuple[int, ...] = Field(min_length=1, description="Age since launch; each more than the one before")
    typical: tuple[float, ...] = Field(description="share of the launch price that is left, one for each age")
    low: tuple[float, ...] | None = optional("the same at the low end")
    high: tuple[float, ...] | None = optional("the same at the high end")
    kind: Literal["measured", "reported", "derived", "assumption"] = Field(description="what kind of statement it is")
    source: SourceId
    locator: Locator = None
    note: Note = None

    @model_validator(mode="after")
    def _check_share_per_age(self) -> ResidualCurve:
        if list(self.age_months) != sorted(set(self.age_months)):
            raise ValueError("want ages in months that rise")
        for name in ("typical", "low", "high"):
            shares = getattr(self, name)
            if shares is not None and len(shares) != len(self.age_months):
                raise ValueError(f"{name}: want {len(self.age_months)} shares, one for each age, got {len(shares)}")
        return self


class UsedPrice(StrictModel):
    """The price at which an accelerator of a given age was sold."""

    accelerator: Text = Field(description="what was sold, as the source calls it")
    age_months: int | None = optional("Age since it was bought new, or since launch", ge=0)
    price_usd: float | None = optional("what was paid for one", gt=0)
    launch_price_usd: float | None = optional("Price when it came out", gt=0)
    share_of_launch_price: float | None = optional("What a used one sold for, over its launch price", gt=0)
    on: YearMonth
    basis: Text = Field(description="what sort of price it is: a completed sale, a listing, a list")
    confidence: Confidence
    source: SourceId
    note: Note = None
