"""Renting in its forms: by the hour, reserved, spot, by the token; and a mix with what is owned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.scenario.base import (
    HOURS_PER_YEAR,
    MOST_ACCELERATORS,
    ONE_MACHINE,
    RENTING,
    WORK,
    Id,
    Label,
    ScenarioFieldError,
    ScenarioModel,
    Share,
    UpTo10,
    Usd,
    UsdPerHour,
    ask,
    unit,
    usd_per,
)
from planner.scenario.own import Orders, check_order_months
from pricing.market.rivals import Board

TermLength = Literal["reserved_1m", "reserved_3m", "reserved_6m", "reserved_1y", "reserved_2y", "reserved_3y"]
AtEnd = Literal["cheapest", "roll", "shorter", "expire"]
HostsOfOthers = Literal["one_machine", "always", "never"]
Peaks = Literal["on_demand", "spot", "hosted"]


def accepts_hosts(at_once: int, hosts: HostsOfOthers = "one_machine") -> bool:
    """Return whether an order of so many takes machines of others at a marketplace: one machine, unless stated."""
    return hosts == "always" or (hosts == "one_machine" and at_once <= ONE_MACHINE)


class RentalInputs(ScenarioModel):
    """On demand. Without an offer the plan takes the cheapest whole bill, each price as it is believed today.

    A price of your own carries your own terms and nothing of any provider, unless you name an offer too.
    """

    offer: Annotated[
        Id | None, ask("offer", "Rent from", "One offer, by its id.", usual="the cheapest credible one")
    ] = None
    usd_per_accelerator_hour: Annotated[UsdPerHour | None, ask("rent", "Rent, USD per GPU-hour",
        "Your price on demand; empty: the cheapest credible offer.",
        group=RENTING)] = None  # fmt: skip
    hosts_of_others: Annotated[HostsOfOthers, Field(description="whether machines of others, at a marketplace, are "
        "rented; a plan rents at most one machine of a host"), ask("hosts", "Rent from hosts of others?",
        "Marketplaces rent out machines of others: cheaper, with fewer promises.",
        group=RENTING, rare=True)] = "one_machine"  # fmt: skip
    hours_per_session: Annotated[float, Field(ge=0.01, le=HOURS_PER_YEAR), unit("hours"), ask("session",
        "Hours in one session", "How long machines run before you stop them. Providers round it up.",
        group=WORK)] = 8.0  # fmt: skip
    billing_increment_s: Annotated[float | None, Field(ge=1.0, le=2_628_000.0), unit("seconds")] = None
    accelerators_per_machine: Annotated[int | None, Field(ge=1, le=256), unit("accelerators")] = None
    minimum_accelerators: Annotated[
        int | None, Field(ge=1, le=MOST_ACCELERATORS, description="the fewest that are rented out at once"),
        unit("accelerators"),
    ] = None  # fmt: skip
    usd_per_gb_month_of_disk: Annotated[float | None, Field(ge=0.0, le=100.0), usd_per("GB-month of disk")] = None
    usd_per_gb_of_egress: Annotated[float | None, Field(ge=0.0, le=100.0), usd_per("GB of egress")] = None
    free_egress_gb_per_month: Annotated[float | None, Field(ge=0.0, le=1e9), unit("GB a month")] = None
    support_share: Annotated[
        UpTo10 | None, ask("support", "Support plan, % of the bill", group=RENTING, rare=True, percent=True)
    ] = None
    # agreed today
    forward_usd_per_accelerator_hour: Annotated[UsdPerHour | None, Field(description="what each hour on demand costs "
        "from `forward_from_month` on, in every future, wherever rents go"), ask("fwdrent",
        "Rent agreed today for later, USD per GPU-hour", "In place of the path of rents, in every future.",
        group=RENTING, rare=True, usual="the path of rents")] = None  # fmt: skip
    forward_from_month: Annotated[int, Field(ge=1, le=120, description="the first month that the agreed price holds "
        "for; 13 is the first of the second year"), unit("number of the month"), ask("fwdfrom",
        "Agreed from month", "13 is the first of the second year.", group=RENTING, rare=True)] = 1  # fmt: skip
    forward_fee_usd: Annotated[Usd | None, Field(description="paid today, once, by whoever rents at that price"),
        ask("fwdfee", "Fee for that agreement, USD", "Paid today, once.", group=RENTING, rare=True,
        usual="nothing")] = None  # fmt: skip

    @model_validator(mode="after")
    def _check_forward_fee(self) -> RentalInputs:
        if self.forward_fee_usd is not None and self.forward_usd_per_accelerator_hour is None:
            raise ValueError("forward_fee_usd is for forward_usd_per_accelerator_hour: say that too")
        return self


class VolumePrice(ScenarioModel):
    """A price for whoever reserves many: it holds for all of them, from so many accelerators on."""

    from_accelerators: Annotated[int, Field(ge=2, le=MOST_ACCELERATORS), unit("accelerators")]
    usd_per_accelerator_hour: UsdPerHour


class ReservedOrder(ScenarioModel):
    """One reservation that you have decided on: so many, busy or not, from the beginning of a month on."""

    from_month: Annotated[int, Field(ge=1, le=120), unit("month of the plan")] = 1
    accelerators: Annotated[int, Field(ge=1, le=MOST_ACCELERATORS), unit("accelerators")]
    term: TermLength


class ReservationInputs(ScenarioModel):
    """Bound for a term: idle hours are billed.

    At its end it is renewed at the price of that day (`roll`), renewed for shorter terms of the same seller
    (`shorter`), or let go and the rest is rented on demand (`expire`). Where nothing is said, the cheapest of these is
    found; as the work grows, more is then reserved step by step. `orders` fixes what is reserved when.
    """

    offer: Id | None = None
    term: Annotated[
        TermLength | None, ask("term", "Length of a reservation", group=RENTING, rare=True, usual="the cheapest")
    ] = None
    usd_per_accelerator_hour: Annotated[
        UsdPerHour | None, ask("reserved", "Reserved, USD per GPU-hour", group=RENTING, rare=True)
    ] = None
    prepaid: bool = False
    at_end: Annotated[AtEnd, ask("atend", "When a reservation ends", "Renew it (roll), renew it for shorter terms "
        "(shorter), rent on demand from there on (expire), or what costs least.",
        group=RENTING, rare=True)] = "cheapest"  # fmt: skip
    orders: Annotated[
        tuple[ReservedOrder, ...], Field(max_length=24, description="your own reservations, in place of those found")
    ] = ()
    volume: Annotated[
        tuple[VolumePrice, ...], Field(max_length=8, description="your prices from so many accelerators on")
    ] = ()

    @model_validator(mode="after")
    def _check_volume_prices(self) -> ReservationInputs:
        least, usd = 1, self.usd_per_accelerator_hour or float("inf")
        for price in self.volume:
            if price.from_accelerators <= least or price.usd_per_accelerator_hour >= usd:
                raise ValueError(
                    f"volume: from {price.from_accelerators} accelerators on at {price.usd_per_accelerator_hour:g} USD "
                    "an hour: want more accelerators and a lower price from entry to entry, below your usual price"
                )
            least, usd = price.from_accelerators, price.usd_per_accelerator_hour
        return self


class SpotInputs(ScenarioModel):
    """Machines that may be taken away: cheaper by the hour, longer by the lost work, more expensive near a deadline."""

    offer: Id | None = None
    usd_per_accelerator_hour: Annotated[
        UsdPerHour | None, ask("spot", "Spot, USD per GPU-hour", group=RENTING, rare=True)
    ] = None
    interruptions_per_hour: Annotated[float | None, Field(ge=0.0, le=60.0,
        description="of one job, not of one machine"), unit("per hour"), ask("taken",
        "Interruptions an hour, of one job", group=RENTING, rare=True)] = None  # fmt: skip
    checkpoint_hours: Annotated[float | None, Field(ge=0.0001, le=24.0), unit("hours")] = None
    checkpoint_every_hours: Annotated[float | None, Field(ge=0.001, le=720.0), unit("hours")] = None
    restart_hours: Annotated[float | None, Field(ge=0.0, le=24.0), unit("hours")] = None
    on_demand_share: Annotated[Share, Field(description="of the work, done on demand when a deadline nears")] = 0.0


class HostedModelInputs(ScenarioModel):
    """A model behind somebody else's door, paid by the token. Beside a work with `serve`, its requests say how many."""

    million_input_tokens_per_month: Annotated[float | None, Field(ge=0.0, le=1e9,
        description="empty: as the requests of `serve` say"), unit("million tokens a month")] = None  # fmt: skip
    million_output_tokens_per_month: Annotated[float | None, Field(ge=0.0, le=1e9,
        description="empty: as the requests of `serve` say"), unit("million tokens a month")] = None  # fmt: skip
    price: Id | None = None
    usd_per_million_input_tokens: Annotated[float | None, Field(ge=0.0, le=10_000.0), usd_per("million tokens")] = None
    usd_per_million_output_tokens: Annotated[float | None, Field(ge=0.0, le=10_000.0), usd_per("million tokens")] = None


class CurrentBill(ScenarioModel):
    """What is paid now for the work: by the token, or by a contract of any kind."""

    usd_per_month: Annotated[float, Field(gt=0.0, le=1e9), unit("USD a month"), ask("bill",
        "What you pay now, USD a month", "An API bill or a contract. It is always one of the options.",
        group=WORK, usual="nothing is paid now")]  # fmt: skip
    growth_per_year: Annotated[float, Field(ge=-0.9, le=9.0), unit("a year: 0.1 is 10 %"), ask("billgrowth",
        "Growth of what you pay now, % a year", "Beside the growth of the work.", group=WORK, rare=True,
        percent=True)] = 0.0  # fmt: skip
    label: Annotated[Label | None, Field(description="how it is called; empty: the model and its seller")] = None
    price: Annotated[Id | None, Field(description="the hosted model that is paid for"), ask("billfor",
        "The bill is for", "The model and its seller, as Assumptions list them.", group=WORK, rare=True,
        usual="no model is named")] = None  # fmt: skip
    like: Annotated[Board | None, Field(description="by which an open model counts as like the one paid for; empty: "
        "the first that has a score of it"), ask("like", "An open model counts as like it by",
        "Boards measure different tasks; none holds for yours. A few points less still count as like it.",
        group=WORK, rare=True, usual="the first board with a score of it")] = None  # fmt: skip


def paid_by_the_token(
    stated: HostedModelInputs | None, served: Sequence[HostedModelInputs]
) -> HostedModelInputs | None:
    """Return what is paid by the token: as the scenario says, else as the services of its work need."""
    if stated is None or not served:
        return stated or next(iter(served), None)
    tokens = ("million_input_tokens_per_month", "million_output_tokens_per_month")
    tokens_needed = {
        name: sum(getattr(service, name) for service in served) for name in tokens if getattr(stated, name) is None
    }
    prices = (stated.price, stated.usd_per_million_input_tokens, stated.usd_per_million_output_tokens)
    return stated.model_copy(
        update=tokens_needed | ({} if any(price is not None for price in prices) else {"price": served[0].price})
    )


class MixInputs(ScenarioModel):
    """Own a base, reserve a layer above it, and give the peaks to rent, to spot machines or to a hosted model."""

    own_accelerators: Annotated[int, Field(ge=0, le=MOST_ACCELERATORS, description="left out: as many as the orders "
        "come to"), unit("accelerators")] = 0  # fmt: skip
    orders: Annotated[Orders, Field(description="the base in stages; empty: at once")] = ()
    reserve_accelerators: Annotated[int, Field(ge=0, le=MOST_ACCELERATORS), unit("accelerators")] = 0
    peaks: Peaks = "on_demand"

    @model_validator(mode="after")
    def _ordered(self) -> MixInputs:
        check_order_months(self.orders, "orders")
        total = sum(order.accelerators for order in self.orders)
        if "own_accelerators" not in self.model_fields_set:
            object.__setattr__(self, "own_accelerators", total)
        if self.orders and total != self.own_accelerators:
            raise ScenarioFieldError(
                "orders",
                f"come to {total:,} accelerators, own_accelerators says {self.own_accelerators:,}: want the same",
            )
        return self
