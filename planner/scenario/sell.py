"""What one's own machines bring beside their work: idle hours that are sold on."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from planner.scenario.base import SELLING, ChangePerYear, Inputs, Share, Usd, UsdPerHour, asked, unit


class Sell(Inputs):
    """Idle hours of one's own machines, sold to others. Who has no work of his own sells all of them."""

    usd_per_accelerator_hour: Annotated[UsdPerHour | None, asked("sellat", "Idle hours sold at, USD per GPU-hour",
        "What a buyer pays you today. Providers ask more than a newcomer gets: enter your own.", group=SELLING,
        usual="nothing is sold")] = None  # fmt: skip
    share_sold: Annotated[Share | None, asked("sellshare", "Sold, % of idle hours",
        "Hours in which your own work leaves the machines idle. Futures draw more and less around it.",
        group=SELLING, percent=True, usual="50")] = None  # fmt: skip
    fee_share: Annotated[Share | None, asked("sellfee", "Fee of who sells them, % of the price",
        "Of a marketplace or a broker; 0 where you sell by contract.", group=SELLING, percent=True,
        usual="10")] = None  # fmt: skip
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
