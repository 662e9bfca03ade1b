"""Parts of the printed documents that stand by themselves: what every part is, what a way emits, an order."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

Sentences = tuple[str, ...]


class Document(BaseModel):
    """A part of a document that is printed as JSON."""

    model_config = ConfigDict(
        frozen=True, allow_inf_nan=False, json_schema_serialization_defaults_required=True, defer_build=True
    )


class Emissions(Document):
    """What a way emits over the plan, in CO2 equivalent; null where nobody knows."""

    operation_kg: float | None = Field(description="kWh drawn x the grid's grams, at typical figures")
    operation_low_kg: float | None = Field(description="every figure at its low end")
    operation_high_kg: float | None = Field(description="every figure at its high end")
    making_kg: float | None = Field(description="of what is bought all; of what is rented a share of its service life")
    making_low_kg: float | None = Field(description="of what is bought only the share of its life that the plan uses")
    making_high_kg: float | None = Field(description="every figure at its high end")
    electricity_kwh: float | None = Field(description="drawn, with what cooling takes")
    water_liters: float | None = Field(description="of making that electricity, where a figure of the place is known")
    grid: str = Field(description="for people: where most of it is drawn")
    notes: Sentences = Field(description="what stands in for what is not known")


class Order(Document):
    """One order of machines, of a fleet that is bought at once or in stages."""

    accelerators: int = Field(description="in this order")
    ordered_after_months: int = Field(description="0 is today")
    there_after_months: float = Field(description="from today")
    what: str = Field(description="for people: 2 servers with 8 x H100 each")
    spare_accelerators: int = Field(description="boards on the shelf, bought with it")
    usd: float = Field(description="paid for the machines, their premium included, in the money of the day")
    resale_usd: float = Field(description="what they fetch when they are sold, costs of selling taken off")
    fleet_accelerators: int = Field(description="that there are with it")


class ProfitRow(Document):
    """One row of profit and loss, bills as they are paid: income positive, costs negative."""

    name: str = Field(description="revenue, selling, power ... ebitda, depreciation, interest, tax, profit, cash")
    label: str = Field(description="for people")
    by_year_usd: tuple[float, ...] = Field(description="each year of twelve months; day one is in the first")
    total_usd: float = Field(description="over the plan")


class ProfitAndLoss(Document):
    """Profit and loss of a way that sells idle hours, and where it breaks even."""

    rows: tuple[ProfitRow, ...] = Field(description="each sum stands below what it sums")
    break_even_usd_per_hour_sold: float | None = Field(description="at which the profits of all years sum to nought")
    break_even_usd_per_hour_sold_today: float | None = Field(description="the same in today's money")
    break_even_sold_share: float | None = Field(description="of idle hours; null: not even all of them are enough")
    break_even_sold_share_today: float | None = Field(description="the same in today's money")
