"""Owning: what is bought, where it stands, how it is paid for, what is there already.

A field left empty takes the catalogue's figure; a field that is filled is yours and wins. The names are those the
formulas of the ledger print.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.scenario.base import (
    BUYING,
    MONEY,
    RUNNING,
    SELLING,
    ChangePerYear,
    Count,
    Id,
    Label,
    Months,
    RatePerYear,
    ScenarioFieldError,
    ScenarioModel,
    Share,
    UpTo10,
    Usd,
    UsdPerHour,
    Years,
    ask,
    unit,
    usd_per,
)
from pricing.choices import Channel

Place = Literal["home", "office", "own_room", "campus", "colocation", "data_centre"]
CapexPer = Literal["all", "machine"]
MOST_ORDERS = 24


_IN_ITS_MONTH = (
    "the price in the month of the order, as you would pay it then: it does not change until then. Empty: today's "
    "price, moved as new ones of the product move until then"
)


class PurchaseOrder(ScenarioModel):
    """One order of a fleet that is bought in stages. What is left empty is as for the whole fleet.

    A price that is typed here is the price in the month of the order. Any other price is today's, and moves as new
    ones of the product move until then: by `hardware_price_change_per_year` where that is typed.
    """

    accelerators: Count
    month: Annotated[int, Field(ge=0, le=120, description="from today to the order; each after the one before"),
        unit("number of the month")] = 0  # fmt: skip
    usd_per_server: Annotated[Usd | None, usd_per("server"), Field(description=_IN_ITS_MONTH)] = None
    usd_per_accelerator: Annotated[Usd | None, usd_per("accelerator"), Field(description=_IN_ITS_MONTH)] = None
    hardware_price_change_per_year: ChangePerYear | None = None
    lead_time_months: Months | None = None
    deposit_share: Share | None = None
    warranty_years: Annotated[UpTo10 | None, unit("years")] = None
    residual_share: Share | None = None
    refresh_years: Annotated[float | None, Field(ge=1.0, le=10.0), unit("years")] = None

    @property
    def terms(self) -> dict[str, float | None]:
        """Return what differs from the whole fleet, by the names that owning has for it."""
        stated = self.model_dump(exclude={"accelerators", "month"}, exclude_none=True)
        return {"usd_per_server": None, "usd_per_accelerator": None, **stated} if self.has_price else stated

    @property
    def has_price(self) -> bool:
        """Return whether its price is typed for it alone, and so is the price in its month."""
        return self.usd_per_server is not None or self.usd_per_accelerator is not None


Orders = Annotated[tuple[PurchaseOrder, ...], Field(max_length=MOST_ORDERS)]


def check_order_months(orders: tuple[PurchaseOrder, ...], field: str) -> None:
    """Refuses orders that do not come one after the other."""
    months = [order.month for order in orders]
    if any(later <= earlier for earlier, later in pairwise(months)):
        raise ScenarioFieldError(
            field, f"come in months {', '.join(map(str, months))}: want each later than the one before"
        )


class PowerCurvePoint(ScenarioModel):
    """A point of a curve of power, for machines that share their load evenly, as those that serve do.

    For jobs that run or wait none is needed: so many hours at `busy_power_share` and the others at `idle_power_share`
    is the straight line between the two.
    """

    load: Annotated[Share, Field(description="the busy share of a month: 0 while all wait, 1 while all do what they "
        "can")]  # fmt: skip
    power_share: Annotated[Share, Field(description="of the rated power; between two points it is read off the "
        "straight line. In place of `busy_power_share` and `idle_power_share`")]  # fmt: skip


class OwnInputs(ScenarioModel):
    """Buying, and running what was bought."""

    accelerators: Annotated[Count | None, ask("own", "How many to buy", "Empty: as many as the work needs at once.",
        group=BUYING, usual="what the work needs at once")] = None  # fmt: skip
    orders: Annotated[Orders, Field(description="the fleet in stages; empty: in time for work that grows, else at "
        "once")] = ()  # fmt: skip
    orders_every_months: Annotated[int, Field(ge=1, le=60), unit("months"), ask("every", "Orders every, months",
        "How often machines may be ordered where the work grows.", group=BUYING, rare=True)] = 6  # fmt: skip
    # what it costs on day one
    usd_per_server: Annotated[Usd | None, usd_per("server"), ask("server", "Server price, USD each",
        "A whole machine with its GPUs.", group=BUYING, rare=True)] = None  # fmt: skip
    usd_per_accelerator: Annotated[Usd | None, usd_per("accelerator"), ask("price", "GPU price, USD each",
        "Your quote wins over the catalogue.", group=BUYING)] = None  # fmt: skip
    accelerators_per_server: Annotated[int | None, Field(ge=1, le=256), unit("accelerators")] = None
    host_share: Annotated[
        UpTo10 | None,
        ask("extra", "Host around the GPUs, % of their price", group=BUYING, rare=True, percent=True),
    ] = None
    spare_share: Annotated[
        Share | None, ask("spares", "Spares, % of the fleet", group=BUYING, rare=True, percent=True)
    ] = None
    usd_per_accelerator_of_network: Annotated[Usd | None, usd_per("accelerator of network"), ask("net",
        "Network, USD per GPU", group=BUYING, rare=True)] = None  # fmt: skip
    usd_per_tb_of_disk: Annotated[Usd | None, usd_per("TB of disk")] = None
    install_share: Annotated[
        UpTo10 | None, ask("install", "Installation, % of the hardware", group=BUYING, rare=True, percent=True)
    ] = None
    capex_usd: Annotated[Usd | None, Field(description="all of day one in one sum: replaces the lines above"),
        ask("capex", "All of day one in one sum, USD", "Replaces servers, network, disks and installation.",
        group=BUYING, rare=True, usual="the lines it replaces")] = None  # fmt: skip
    capex_per: Annotated[CapexPer | None, Field(description="what that sum is for: `all` that is bought, or each "
        "`machine`"), ask("per", "That sum is for", "All that is bought, or each machine.", group=BUYING, rare=True,
        usual="all")] = None  # fmt: skip
    # when
    order_month: Annotated[int, Field(ge=0, le=120, description="ordered after so many months, rented until then"),
        unit("number of the month")] = 0  # fmt: skip
    channel: Annotated[Channel | None, Field(description="empty: the usual one for such machines"), ask("channel",
        "How it is bought", "From stock, used, ordered at the maker, or with priority: this decides the delivery more "
        "than the chip does.", group=BUYING, rare=True, usual="the usual one for such machines")] = None  # fmt: skip
    age_years: Annotated[float | None, Field(ge=0.0, le=15.0, description="of used machines on the day they are "
        "bought; empty: 0.6 of the years since the product came out"), unit("years")] = None  # fmt: skip
    lead_time_months: Annotated[
        Months | None, ask("wait", "Delivery, months", "You rent until the hardware is there.", group=BUYING)
    ] = None
    scarcity_premium_share: UpTo10 | None = None
    deposit_share: Share | None = None
    # what it costs to run
    place: Annotated[Place | None, Field(description="empty: one card for private people or small desktop at home, two "
        "to four of them (16 where each job takes one) or up to two workstation cards in an office, all others in a "
        "data centre"),
        ask("place", "Type of site",
        "Sets the price of electricity, the cooling, space and people, and what its circuits carry.",
        usual="usual for such machines")] = None  # fmt: skip
    most_kw: Annotated[float | None, Field(gt=0.0, le=1_000_000.0, description="that its machines may draw, without "
        "cooling; a MW is 1000"), unit("kW"), ask("kw", "Power there is for it, kW",
        "What the circuits or the contract carry. Machines that draw more are not bought.", group=RUNNING, rare=True,
        usual="the circuits of a home or an office; no limit elsewhere")] = None  # fmt: skip
    usd_per_kw_month: Annotated[float | None, Field(ge=0.0, le=10_000.0), usd_per("kW-month"), ask("colo",
        "Space and hosting, USD per kW a month", group=RUNNING, rare=True)] = None  # fmt: skip
    space_price_change_per_year: Annotated[ChangePerYear | None, ask("colos", "Space changes by, % a year",
        "What a contract for hosting raises its price by.", group=RUNNING, rare=True, percent=True)] = None  # fmt: skip
    usd_per_kw_of_room: Annotated[float | None, Field(ge=0.0, le=1_000_000.0), usd_per("kW of room")] = None
    room_life_years: Annotated[float | None, Field(ge=1.0, le=50.0), unit("years")] = None
    room_upkeep_share_per_year: Annotated[Share | None, unit("share a year: 0.1 is 10 %")] = None
    usd_per_kwh: Annotated[float | None, Field(ge=0.0, le=5.0), usd_per("kWh"), ask("kwh", "Electricity, USD per kWh",
        group=RUNNING)] = None  # fmt: skip
    power_price_change_per_year: Annotated[
        ChangePerYear | None,
        ask("kwhs", "Electricity changes by, % a year", group=RUNNING, rare=True, percent=True),
    ] = None
    pue: Annotated[float | None, Field(ge=1.0, le=3.0), unit("times what the machines draw"), ask("pue", "PUE",
        "What the building draws for each kW of the machines: 1.1 is new and large.", group=RUNNING,
        rare=True)] = None  # fmt: skip
    rated_w_per_server: Annotated[float | None, Field(ge=1.0, le=1_000_000.0), unit("W"), ask("watts",
        "Rated power of a server, W", group=RUNNING, rare=True)] = None  # fmt: skip
    busy_power_share: Share | None = None
    idle_power_share: Share | None = None
    fte_per_accelerator: Annotated[float | None, Field(ge=0.0, le=10.0), unit("full-time people per accelerator"),
        ask("people", "People per GPU, full-time", group=RUNNING, rare=True)] = None  # fmt: skip
    least_fte: Annotated[float | None, Field(ge=0.0, le=1_000.0, description="for the whole fleet, however small; "
        "empty: none where people for each accelerator are entered, or are those of the place"),
        unit("full-time people"), ask("leastpeople", "People for the fleet at least, full-time", group=RUNNING,
        rare=True, usual="a share of one")] = None  # fmt: skip
    usd_per_fte_year: Annotated[Usd | None, usd_per("FTE-year"), ask("salary", "Cost of one of them, USD a year",
        group=RUNNING, rare=True)] = None  # fmt: skip
    wage_change_per_year: Annotated[
        ChangePerYear | None, ask("pay", "Wages change by, % a year", group=RUNNING, rare=True, percent=True)
    ] = None
    maintenance_share_per_year: Annotated[Share | None, unit("share a year: 0.1 is 10 %"), ask("upkeep",
        "Maintenance, % of the price a year", group=RUNNING, rare=True, percent=True)] = None  # fmt: skip
    maintenance_change_per_year: Annotated[ChangePerYear | None, Field(description="from the order on, of maintenance, "
        "insurance, repairs and the upkeep of a room of your own"), ask("upkeeps", "Maintenance changes by, % a year",
        "With insurance, repairs and the upkeep of a room of your own.", group=RUNNING, rare=True,
        percent=True)] = None  # fmt: skip
    insurance_share_per_year: Annotated[Share | None, unit("share a year: 0.1 is 10 %")] = None
    usd_per_accelerator_year_of_software: Annotated[Usd | None, usd_per("accelerator-year of software")] = None
    failures_per_accelerator_year: Annotated[UpTo10 | None, unit("failures of one accelerator in a year"), ask("fail",
        "Failures, % of GPUs a year", group=RUNNING, rare=True, percent=True)] = None  # fmt: skip
    repair_share: UpTo10 | None = None
    warranty_years: Annotated[UpTo10 | None, unit("years")] = None
    running_usd_per_month: Annotated[Usd | None,
        Field(description="all running costs in one sum: replaces space, power, people and upkeep"),
        unit("USD a month"), ask("running", "All running costs in one sum, USD a month",
        "Replaces space, power, people and upkeep.", group=RUNNING, rare=True,
        usual="the lines it replaces")] = None  # fmt: skip
    # the end
    resale_month: Annotated[int | None, Field(ge=1, le=120), unit("number of the month")] = None
    residual_share: Annotated[Share | None, ask("resale", "Resale value at the end, % of price",
        "The most uncertain number here.", group=RUNNING, percent=True)] = None  # fmt: skip
    host_residual_share: Annotated[Share | None, Field(description="of what the machine around the GPUs cost: its "
        "price less theirs, else `host_share`"), ask("hostresale", "Resale value of the host, % of its price",
        "Chassis, processors, memory and network cards, where another share is left of them than of the GPUs.",
        group=RUNNING, rare=True, percent=True, usual="as the GPUs")] = None  # fmt: skip
    guaranteed_residual_share: Annotated[Share | None, Field(description="of the price; whatever the market pays, the "
        "sale brings at least this, selling costs taken off"), ask("floor", "Guaranteed resale, % of price",
        "Somebody pays you the difference where the market pays less.", group=RUNNING, rare=True, percent=True,
        usual="none")] = None  # fmt: skip
    guarantee_cost_share: Annotated[Share | None, Field(description="of the price, paid when the machines come"),
        ask("floorcost", "Cost of that guarantee, % of price", "Paid when the machines come.", group=RUNNING,
        rare=True, percent=True, usual="nothing")] = None  # fmt: skip
    forward_residual_share: Annotated[Share | None, Field(description="of the price: what a buyer agrees today to pay "
        "when they go, in every future and without selling costs"), ask("forward", "Resale agreed today, % of price",
        "Exactly this, whatever the market pays then. No selling costs.", group=RUNNING, rare=True, percent=True,
        usual="none")] = None  # fmt: skip
    selling_cost_share: Share | None = None
    decommissioning_share: Share | None = None
    refresh_years: Annotated[float | None, Field(ge=1.0, le=10.0), unit("years")] = None
    hardware_price_change_per_year: ChangePerYear | None = None
    power_at_load: Annotated[tuple[PowerCurvePoint, ...], Field(max_length=12)] = ()

    @model_validator(mode="after")
    def _check_resale(self) -> OwnInputs:
        others = ("residual_share", "host_residual_share", "guaranteed_residual_share")
        beside = [name for name in others if getattr(self, name) is not None]
        if self.forward_residual_share is not None and beside:
            raise ValueError(f"forward_residual_share is what the sale brings: leave {beside[0]} empty")
        if self.forward_residual_share is not None and any(order.residual_share is not None for order in self.orders):
            raise ValueError("forward_residual_share is what the sale brings: leave residual_share of the orders empty")
        if self.guarantee_cost_share is not None and self.guaranteed_residual_share is None:
            raise ValueError("guarantee_cost_share is the cost of guaranteed_residual_share: say that too")
        return self

    @model_validator(mode="after")
    def _check_power_curve(self) -> OwnInputs:
        points = self.power_at_load
        if not points:
            return self
        if self.busy_power_share is not None or self.idle_power_share is not None:
            raise ValueError("power_at_load says what they draw at every load: leave the other two shares empty")
        if len(points) < 2 or points[0].load != 0 or points[-1].load != 1:
            raise ValueError("power_at_load goes from a load of 0 to a load of 1")
        for point, next_point in pairwise(points):
            if next_point.load <= point.load or next_point.power_share < point.power_share:
                raise ValueError(f"power_at_load: after {point.load:g} want more load, and no less power")
        return self

    @model_validator(mode="after")
    def _ordered(self) -> OwnInputs:
        check_order_months(self.orders, "orders")
        total = sum(order.accelerators for order in self.orders)
        if self.orders and self.accelerators not in (None, total):
            raise ScenarioFieldError(
                "orders",
                f"come to {total:,} accelerators, accelerators says {self.accelerators:,}: leave one of the two out",
            )
        if self.orders and self.order_month:
            raise ScenarioFieldError(
                "order_month", "stands beside orders, each of which has its own month: leave it out"
            )
        return self


class Loan(ScenarioModel):
    """Buying with borrowed money: level payments, perhaps with a last large one."""

    rate_per_year: Annotated[
        RatePerYear | None, ask("loan", "Interest on a loan, % a year", group=MONEY, rare=True, percent=True)
    ] = None
    years: Years | None = None
    loan_share: Share | None = None
    balloon_share: Share = 0.0


class Lease(ScenarioModel):
    """Hardware for a monthly payment; it goes back, or is bought, at the end. A quote shows its implied rate."""

    usd_per_month: Annotated[
        Usd | None, unit("USD a month"), ask("lease", "Lease, USD a month", group=MONEY, rare=True)
    ] = None
    rate_per_year: RatePerYear | None = None
    years: Years | None = None
    in_advance: bool = True
    left_share: Annotated[Share | None, Field(description="of the price, owed or given back at the end")] = None
    buys_at_end: bool = False


class RentToOwn(ScenarioModel):
    """Payments after which the hardware is yours."""

    usd_per_month: Annotated[Usd, unit("USD a month")]
    months: Annotated[int, Field(ge=1, le=120), unit("months")]
    upfront_usd: Usd = 0.0
    final_usd: Usd = 0.0


class ExistingHardware(ScenarioModel):
    """Machines that are there already. What was paid for them is gone; what they would fetch today is not."""

    label: Label = "what we have"
    accelerators: Annotated[Count, ask("have", "GPUs you already have", "Of the plan's kind. You may keep them.",
        group=BUYING, usual="none")]  # fmt: skip
    accelerator: Annotated[Id | None, ask("havegpu", "Which GPUs you have", "If not the plan's, its "
        "16-bit rate sets the speed.", group=BUYING, usual="the plan's")] = None  # fmt: skip
    bought_year: Annotated[int | None, Field(ge=2000, le=2100), unit("year"), ask("havesince", "Year bought",
        "Sets what they would sell for, as used ones of that age.", group=BUYING,
        usual="three fifths of the age of the chip")] = None  # fmt: skip
    relative_speed: Annotated[float | None, Field(ge=0.001, le=100.0, description="of one, against one accelerator of "
        "the plan; empty: as their 16-bit rates"), unit("times one of the plan's")] = None  # fmt: skip
    usd_today_if_sold: Annotated[Usd | None, Field(description="empty: what used ones of that age fetch"),
        ask("havesold", "Sale value today, USD, all of them", "What keeping them gives up.", group=BUYING, rare=True,
        usual="as used ones of that age")] = None  # fmt: skip
    usd_at_end: Annotated[Usd | None, Field(description="empty: as today's, then older")] = None
    power_w_each: Annotated[float | None, Field(ge=0.0, le=50_000.0,
        description="empty: what such machines draw"), unit("W")] = None  # fmt: skip
    idle_power_w_each: Annotated[float | None, Field(ge=0.0, le=50_000.0,
        description="empty: what such machines draw"), unit("W")] = None  # fmt: skip
    running_usd_per_month: Annotated[Usd | None, Field(description="empty: people and space at that place"),
        unit("USD a month")] = None  # fmt: skip

    @property
    def speed(self) -> float:
        """How many times one of the plan's one of them is; as fast where nobody says."""
        return 1.0 if self.relative_speed is None else self.relative_speed

    @model_validator(mode="after")
    def _check_idle_power(self) -> ExistingHardware:
        busy, idle = self.power_w_each, self.idle_power_w_each
        if busy is not None and idle is not None and idle > busy:
            raise ValueError("idle_power_w_each is more than power_w_each")
        return self


SoldBack = Literal["bought", "kept"]


class IdleSaleInputs(ScenarioModel):
    """Idle hours of one's own machines, sold to others. Who has no work of his own sells all of them."""

    usd_per_accelerator_hour: Annotated[UsdPerHour | None, ask("sellat", "Idle hours sold at, USD per GPU-hour",
        "What a buyer pays you today. Providers ask more than a newcomer gets: enter your own.", group=SELLING,
        usual="nothing is sold")] = None  # fmt: skip
    share_sold: Annotated[Share | None, ask("sellshare", "Sold, % of idle hours",
        "Hours in which your own work leaves the machines idle. Futures draw more and less around it.",
        group=SELLING, percent=True)] = None  # fmt: skip
    fee_share: Annotated[Share | None, ask("sellfee", "Marketplace fee, % of the price",
        "Or of a broker; 0 if you sell by contract.", group=SELLING, percent=True)] = None  # fmt: skip
    usd_per_month_to_sell: Annotated[Usd, unit("USD a month"), ask("sellcost", "Selling them costs, USD a month",
        "People, billing, support for buyers.", group=SELLING, rare=True)] = 0.0  # fmt: skip
    price_change_per_year: Annotated[ChangePerYear | None, ask("sellchange", "What a buyer pays changes by, % a year",
        "Empty: as rents do. Either way it moves with rents in the futures.", group=SELLING, rare=True, percent=True,
        usual="as rents")] = None  # fmt: skip
    first_month: Annotated[int, Field(ge=1, le=120, description="the first month in which hours are sold"),
        unit("number of the month"), ask("sellfrom", "Sold from month", group=SELLING, rare=True)] = 1  # fmt: skip
    reserved: Annotated[bool, Field(description="whether idle hours of reserved machines are sold too, where the "
        "contract allows it"), ask("sellheld", "Idle hours of reserved machines too?",
        "Where the contract allows it.", group=SELLING, rare=True)] = False  # fmt: skip


class SaleAndLeaseBack(ScenarioModel):
    """Machines of one's own, sold to a lessor on delivery (kept ones today) and used on for a monthly payment."""

    of: Annotated[SoldBack, Field(description="what is bought for the plan, or what stands under `kept`")] = "bought"
    price_share: Annotated[Share, Field(description="what the lessor pays, of the price; of kept ones, of what they "
        "would fetch today"), ask("slb", "Sold to a lessor for, % of price",
        "Sale and lease-back: the lessor pays on delivery, you from then on.", group=MONEY, rare=True, percent=True,
        usual="not sold")]  # fmt: skip
    usd_per_month: Annotated[Usd | None, unit("USD a month"), ask("slbmonth", "Leased back for, USD a month",
        group=MONEY, rare=True, usual="as the rate of a lease says")] = None  # fmt: skip
    rate_per_year: Annotated[RatePerYear | None, Field(description="empty: the usual rate of a lease")] = None
    years: Annotated[Years | None, Field(description="empty: as long as the plan")] = None
    in_advance: bool = True
    left_share: Annotated[Share | None, Field(description="of what the lessor paid, given back or owed at the end; "
        "empty: what is left of the price then")] = None  # fmt: skip
    buys_back: Annotated[bool, Field(description="whether what is left is bought back at the end")] = False
