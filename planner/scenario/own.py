"""Owning: what is bought, where it stands, how it is paid for, what is there already.

A field left empty takes the catalogue's figure; a field that is filled is yours and wins. The names are those the
formulas of the ledger print.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.scenario.base import (  # fmt: skip
    ChangePerYear,
    Count,
    Inputs,
    Label,
    Months,
    RatePerYear,
    Share,
    UpTo10,
    Usd,
    Years,
)

Place = Literal["colocation", "own_room"]


class Own(Inputs):
    """Buying, and running what was bought."""

    accelerators: Count | None = None
    # what it costs on day one
    usd_per_server: Usd | None = None
    usd_per_accelerator: Usd | None = None
    accelerators_per_server: Annotated[int, Field(ge=1, le=256)] | None = None
    host_share: UpTo10 | None = None
    spare_share: Share | None = None
    usd_per_accelerator_of_network: Usd | None = None
    usd_per_tb_of_disk: Usd | None = None
    install_share: UpTo10 | None = None
    capex_usd: Annotated[Usd | None, Field(description="all of day one in one sum: replaces the lines above")] = None
    # when
    order_month: Annotated[int, Field(ge=0, le=120, description="ordered after so many months, rented until then")] = 0
    lead_time_months: Months | None = None
    scarcity_premium_share: UpTo10 | None = None
    deposit_share: Share | None = None
    # what it costs to run
    place: Place = "colocation"
    usd_per_kw_month: Annotated[float, Field(ge=0.0, le=10_000.0)] | None = None
    usd_per_kw_of_room: Annotated[float, Field(ge=0.0, le=1_000_000.0)] | None = None
    room_life_years: Annotated[float, Field(ge=1.0, le=50.0)] | None = None
    room_upkeep_share_per_year: Share | None = None
    usd_per_kwh: Annotated[float, Field(ge=0.0, le=5.0)] | None = None
    power_price_change_per_year: ChangePerYear | None = None
    pue: Annotated[float, Field(ge=1.0, le=3.0)] | None = None
    rated_w_per_server: Annotated[float, Field(ge=1.0, le=1_000_000.0)] | None = None
    busy_power_share: Share | None = None
    idle_power_share: Share | None = None
    fte_per_accelerator: Annotated[float, Field(ge=0.0, le=10.0)] | None = None
    usd_per_fte_year: Usd | None = None
    maintenance_share_per_year: Share | None = None
    insurance_share_per_year: Share | None = None
    usd_per_accelerator_year_of_software: Usd | None = None
    failures_per_accelerator_year: UpTo10 | None = None
    repair_share: UpTo10 | None = None
    warranty_years: UpTo10 | None = None
    running_usd_per_month: Annotated[
        Usd | None, Field(description="all running costs in one sum: replaces space, power, people and upkeep")
    ] = None
    # the end
    resale_month: Annotated[int, Field(ge=1, le=120)] | None = None
    residual_share: Share | None = None
    selling_cost_share: Share | None = None
    decommissioning_share: Share | None = None
    refresh_years: Annotated[float, Field(ge=1.0, le=10.0)] | None = None
    hardware_price_change_per_year: ChangePerYear | None = None


class Loan(Inputs):
    """Buying with borrowed money: level payments, perhaps with a last large one."""

    rate_per_year: RatePerYear | None = None
    years: Years | None = None
    loan_share: Share | None = None
    balloon_share: Share = 0.0


class Lease(Inputs):
    """Hardware for a monthly payment; it goes back, or is bought, at the end. A quote shows its implied rate."""

    usd_per_month: Usd | None = None
    rate_per_year: RatePerYear | None = None
    years: Years | None = None
    in_advance: bool = True
    left_share: Annotated[Share | None, Field(description="of the price, owed or given back at the end")] = None
    buys_at_end: bool = False


class RentToOwn(Inputs):
    """Payments after which the hardware is yours."""

    usd_per_month: Usd
    months: Annotated[int, Field(ge=1, le=120)]
    upfront_usd: Usd = 0.0
    final_usd: Usd = 0.0


class Kept(Inputs):
    """Machines that are there already. What was paid for them is gone; what they would fetch today is not."""

    label: Label = "what we have"
    accelerators: Count
    relative_speed: Annotated[
        float, Field(gt=0.0, le=100.0, description="of one, against one accelerator of the plan")
    ] = 1.0
    usd_today_if_sold: Usd = 0.0
    usd_at_end: Usd = 0.0
    power_w_each: Annotated[float, Field(ge=0.0, le=50_000.0)] = 0.0
    idle_power_w_each: Annotated[float, Field(ge=0.0, le=50_000.0)] = 0.0
    running_usd_per_month: Usd = 0.0

    @model_validator(mode="after")
    def _idles_below(self) -> Kept:
        if self.idle_power_w_each > self.power_w_each:
            raise ValueError("idle_power_w_each is more than power_w_each")
        return self
