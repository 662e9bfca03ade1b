"""What one's own machines bring beside their work: idle hours that are sold on, and machines sold and leased back."""

from typing import Annotated, Literal

from pydantic import Field

from planner.scenario.base import (
    MONEY,
    SELLING,
    ChangePerYear,
    Inputs,
    RatePerYear,
    Share,
    Usd,
    UsdPerHour,
    Years,
    asked,
    unit,
)

SoldBack = Literal["bought", "kept"]


class Sell(Inputs):
    """Idle hours of one's own machines, sold to others. Who has no work of his own sells all of them."""

    usd_per_accelerator_hour: Annotated[UsdPerHour | None, asked("sellat", "Idle hours sold at, USD per GPU-hour",
        "What a buyer pays you today. Providers ask more than a newcomer gets: enter your own.", group=SELLING,
        usual="nothing is sold")] = None  # fmt: skip
    share_sold: Annotated[Share | None, asked("sellshare", "Sold, % of idle hours",
        "Hours in which your own work leaves the machines idle. Futures draw more and less around it.",
        group=SELLING, percent=True)] = None  # fmt: skip
    fee_share: Annotated[Share | None, asked("sellfee", "Fee of who sells them, % of the price",
        "Of a marketplace or a broker; 0 where you sell by contract.", group=SELLING, percent=True)] = None  # fmt: skip
    usd_per_month_to_sell: Annotated[Usd, unit("USD a month"), asked("sellcost", "Selling them costs, USD a month",
        "People, billing, support for buyers.", group=SELLING, rare=True)] = 0.0  # fmt: skip
    price_change_per_year: Annotated[ChangePerYear | None, asked("sellchange", "What a buyer pays changes by, % a year",
        "Empty: as rents do. Either way it moves with rents in the futures.", group=SELLING, rare=True, percent=True,
        usual="as rents")] = None  # fmt: skip
    first_month: Annotated[int, Field(ge=1, le=120, description="the first month in which hours are sold"),
        unit("number of the month"), asked("sellfrom", "Sold from month", group=SELLING, rare=True)] = 1  # fmt: skip
    reserved: Annotated[bool, Field(description="whether idle hours of reserved machines are sold too, where the "
        "contract allows it"), asked("sellheld", "Idle hours of reserved machines too?",
        "Where the contract allows it.", group=SELLING, rare=True)] = False  # fmt: skip


class SaleAndLeaseBack(Inputs):
    """Machines of one's own, sold to a lessor on delivery (kept ones today) and used on for a monthly payment."""

    of: Annotated[SoldBack, Field(description="what is bought for the plan, or what stands under `kept`")] = "bought"
    price_share: Annotated[Share, Field(description="what the lessor pays, of the price; of kept ones, of what they "
        "would fetch today"), asked("slb", "Sold to a lessor for, % of price",
        "Sale and lease-back: on delivery he pays, from then on you do.", group=MONEY, rare=True, percent=True,
        usual="not sold")]  # fmt: skip
    usd_per_month: Annotated[Usd | None, unit("USD a month"), asked("slbmonth", "Leased back for, USD a month",
        group=MONEY, rare=True, usual="as the rate of a lease says")] = None  # fmt: skip
    rate_per_year: Annotated[RatePerYear | None, Field(description="empty: the usual rate of a lease")] = None
    years: Annotated[Years | None, Field(description="empty: as long as the plan")] = None
    in_advance: bool = True
    left_share: Annotated[Share | None, Field(description="of what the lessor paid, given back or owed at the end; "
        "empty: what is left of the price then")] = None  # fmt: skip
    buys_back: Annotated[bool, Field(description="whether what is left is bought back at the end")] = False
