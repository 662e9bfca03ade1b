"""Prices of your own: what you pay below a seller's list, and quotes for a number, a term and a time."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from planner.scenario.base import Id, Label, ScenarioModel, unit, usd_per
from pricing.errors import QuoteError
from pricing.figure import Day, Whole
from pricing.quotes import Quotes

Bought = Literal[
    "on_demand", "spot", "reserved_1m", "reserved_3m", "reserved_6m", "reserved_1y", "reserved_2y", "reserved_3y"
]
LAST_DAY = Field(description="the last day on which it can be ordered; later it is not used")


class SellerDiscount(ScenarioModel):
    """What you pay below the list of a seller: 0.1 is 10 % below."""

    provider: Annotated[Id, Field(description="a seller of the catalogue")]
    discount_share: Annotated[float, Field(gt=0.0, le=0.99), unit("share: 0.1 is 10 %")]
    accelerator: Annotated[Id | None, Field(description="empty: all that it sells")] = None
    purchase: Annotated[Bought | None, Field(description="empty: on demand, on spot machines and reserved")] = None
    valid_until: Annotated[Day | None, LAST_DAY] = None


class RentalQuote(ScenarioModel):
    """A price that somebody offered you. It is taken where it asks no more than such an order typically pays.

    One that starts later is a rent agreed today (`on_demand`), or machines that are reserved from that day on.
    """

    seller: Annotated[Label, Field(description="whoever offered it")] = "your supplier"
    accelerator: Annotated[Id | None, Field(description="empty: that of the plan")] = None
    accelerators: Annotated[Whole | None, Field(description="how many it is for at most"), unit("accelerators")] = None
    purchase: Bought = "on_demand"
    usd_per_accelerator_hour: Annotated[float, Field(gt=0.0, le=1_000.0), usd_per("accelerator-hour")]
    valid_until: Annotated[Day | None, LAST_DAY] = None
    starts: Annotated[Day | None, Field(description="the day from which it holds; empty: today")] = None
    ends: Annotated[Day | None, Field(description="the last day of a block of machines, in place of a term")] = None

    @model_validator(mode="after")
    def _check_days(self) -> RentalQuote:
        if self.ends is not None and (self.starts is None or self.ends <= self.starts):
            raise ValueError("ends is the last day of a block: say the earlier day on which it starts, too")
        if self.is_block and self.accelerators is None:
            raise ValueError("accelerators: say how many are reserved from that day on")
        return self

    @property
    def is_block(self) -> bool:
        """Return whether it is for machines that are reserved from a later day on."""
        return self.starts is not None and (self.ends is not None or self.purchase not in ("on_demand", "spot"))


def quotes_for_later(quotes: Quotes) -> tuple[RentalQuote, ...]:
    """Return the rows of a file of quotes that start later; those that contradict themselves are a `QuoteError`."""
    rows = []
    for row in quotes.offers:
        if row.starts is None or row.price is None:
            continue
        try:
            rows.append(RentalQuote.model_validate({
                "seller": row.provider_label, "accelerator": row.accelerator, "accelerators": row.most_accelerators,
                "purchase": "on_demand" if row.purchase == "capacity_block" else row.purchase,
                "usd_per_accelerator_hour": row.price, "valid_until": row.valid_until, "starts": row.starts,
                "ends": row.ends,
            }))  # fmt: skip
        except ValidationError as error:
            raise QuoteError(f"{quotes.name}, line {row.line}: {error.errors()[0]['msg']}.") from error
    return tuple(rows)
