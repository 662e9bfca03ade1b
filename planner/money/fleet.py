"""A fleet of one's own, bought at once or in several orders: what each order costs, and what is there when.

The machines of an order are put to work on top of those that were ordered before it, so that in each month the first
so many orders are there, and what they have no room for is left to others.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.formula import Num
from planner.money.ledger import Line
from planner.money.owning.inputs import ORDER, lead_time
from planner.money.owning.lines import FleetOrder, Ownership, owned
from planner.money.owning.machine import Machine
from planner.money.setting import PlanContext
from planner.money.sizing import min_fleet_until, reach, server_size
from planner.money.timeline import Holding
from planner.scenario.own import MOST_ORDERS, PurchaseOrder
from pricing.caching import cached, cached_property, derive

Make = Callable[[PlanContext, DemandLayer, FleetOrder | None], Ownership | None]


def bought(setting: PlanContext, need: DemandLayer, part: FleetOrder | None) -> Ownership | None:
    """The lines of an order that is bought."""
    return owned(setting, need, part=part)


@dataclass(frozen=True)
class DeliveryTimeline:
    """How many of a fleet are there, and when. Equal where the same fleet is held alike, however it is paid for."""

    setting: PlanContext
    tops: tuple[int, ...]  # how many there are with each order
    holdings: tuple[Holding, ...]  # of each order

    @property
    def waits(self) -> NDArray[np.float64]:
        """The share of each month before the first of it is there."""
        return self.holdings[0].waits

    @property
    def owns(self) -> NDArray[np.float64]:
        """The share of each month in which any of it runs."""
        return self.runs_from[0]

    @property
    def gone(self) -> NDArray[np.float64]:
        """The share of each month after it is sold."""
        return self.holdings[0].gone

    @cached_property
    def runs_from(self) -> tuple[NDArray[np.float64], ...]:
        """Of each order, the share of each month in which it runs, with all that were ordered before it."""
        return tuple(accumulate((held.owns for held in self.holdings), np.minimum))

    @cached_property
    def runs_alone(self) -> tuple[NDArray[np.float64], ...]:
        """The share of each month in which the orders up to each are there and no later one."""
        return tuple(now - later for now, later in zip(self.runs_from, (*self.runs_from[1:], np.zeros(1)), strict=True))

    @property
    def machines(self) -> NDArray[np.float64]:
        """Accelerators that are there, month by month."""
        return np.asarray(sum(top * share for top, share in zip(self.tops, self.runs_alone, strict=True)))

    @property
    def busy_hours(self) -> NDArray[np.float64]:
        """Useful accelerator-hours that it does, month by month."""
        work = (
            work_of(self.setting, top).busy_hours * share for top, share in zip(self.tops, self.runs_alone, strict=True)
        )
        return np.asarray(sum(work))

    def over(self, of: Callable[[int], DemandLayer]) -> DemandLayer:
        """The need of a layer that goes with the size of the fleet, over the months in which any of it is there."""
        if len(self.tops) == 1:
            return of(self.tops[0])
        owns = np.where(self.owns > 0, self.owns, 1.0)
        first, *later = (part / owns for part in self.runs_alone)
        return blended([of(top) for top in self.tops], [np.where(self.owns > 0, first, 1.0), *later])

    def left(self, held: int = 0) -> DemandLayer:
        """What it leaves for others, with so many held above it."""
        return self.over(lambda top: self.setting.demand.above(top + held, reach(self.setting, top + held)))


@dataclass(frozen=True, eq=False)
class Fleet:
    """A fleet, order by order, with the lines of each."""

    setting: PlanContext
    accelerators: int
    orders: tuple[PurchaseOrder, ...]  # empty: all at once
    parts: tuple[Ownership, ...]  # of each order; of all at once, one

    @property
    def machine(self) -> Machine:
        """What is bought."""
        return self.parts[0].machine

    @property
    def comes(self) -> bool:
        """Whether any of it ever runs, in any draw."""
        return any(bool(np.any(np.asarray(part.holding.comes) > 0)) for part in self.parts)

    @property
    def stages(self) -> DeliveryTimeline:
        """How many are there, and when."""
        tops = tuple(accumulate(order.accelerators for order in self.orders)) or (self.accelerators,)
        return DeliveryTimeline(self.setting, tops, tuple(part.holding for part in self.parts))

    def lines(self, of: Callable[[Ownership], Iterable[Line]]) -> tuple[Line, ...]:
        """Lines of every order; of several, each under a heading."""
        if len(self.parts) == 1:
            return tuple(of(self.parts[0]))
        return tuple(
            line.called(f"{_heading(number, order)}: {line.name[0].lower()}{line.name[1:]}", number)
            for number, (order, part) in enumerate(zip(self.orders, self.parts, strict=True), 1)
            for line in of(part)
            if line.usd.any()
        )


def _heading(number: int, order: PurchaseOrder) -> str:
    return f"Order {number}, {'today' if order.month == 0 else f'month {order.month}'}"


def build_fleet(
    setting: PlanContext, accelerators: int, orders: tuple[PurchaseOrder, ...], make: Make = bought
) -> Fleet | None:
    """A fleet with the lines of all its orders; None where no machine has a price."""
    if not orders:
        found = make(setting, work_of(setting, accelerators), None)
        return None if found is None else Fleet(setting, accelerators, (), (found,))
    if make is not bought:
        return _ordered(setting, accelerators, orders, make)
    key = (accelerators, orders)
    if key not in setting.fleets:
        setting.fleets[key] = _ordered(setting, accelerators, orders, make)
    made: Fleet | None = setting.fleets[key]
    if made is None:
        return None
    return replace(made, parts=tuple(replace(part, sheet=part.sheet.copy()) for part in made.parts))


def _ordered(setting: PlanContext, accelerators: int, orders: tuple[PurchaseOrder, ...], make: Make) -> Fleet | None:
    parts, before = [], 0
    for order in orders:
        there = _order_context(setting, order, orders[0].month)
        top = before + order.accelerators
        works = (work_of(setting, top), work_of(setting, before)) if before else ()
        part = make(
            there,
            _incremental_layer(setting, before, top),
            FleetOrder(before, accelerators, works, order.month if order.has_price else 0),
        )
        if part is None:
            return None
        parts.append(part)
        before = top
    return Fleet(setting, accelerators, orders, tuple(parts))


def work_of(setting: PlanContext, accelerators: int) -> DemandLayer:
    """The work that such a fleet does: first what it has machines for, then what may wait."""
    return setting.demand.upto(accelerators, reach(setting, accelerators))


def _incremental_layer(setting: PlanContext, before: int, top: int) -> DemandLayer:
    """What an order adds to the work that is done. The data are on the disks of the first."""
    if before == 0:
        return work_of(setting, top)
    demand = setting.demand
    hours = demand.done(top, reach(setting, top)) - demand.done(before, reach(setting, before))
    need = demand.layer(hours, np.full(1, float(top - before)))
    return replace(need, storage_tb=0.0, egress_tb_per_month=0.0)


def _order_context(setting: PlanContext, order: PurchaseOrder, first_month: int) -> PlanContext:
    """The setting of one order: its month and its terms. Where another month is tried out, all orders move with it."""
    key = (order.model_copy(update={"accelerators": 1}), first_month)
    if key not in setting.order_contexts:
        setting.order_contexts[key] = _with_terms(setting, order, first_month)
    return setting.order_contexts[key]


def _with_terms(setting: PlanContext, order: PurchaseOrder, first_month: int) -> PlanContext:
    own = setting.scenario.own.model_copy(update={"order_month": order.month, **order.terms})
    tried = setting.tried
    if ORDER in tried:
        tried = {**tried, ORDER: np.asarray(tried[ORDER]) + (order.month - first_month)}
    scenario = setting.scenario.model_copy(update={"own": own})
    return derive(setting, "demand", "timeline", "usual_demand", scenario=scenario, tried=tried)


def blended(needs: Sequence[DemandLayer], weights: Sequence[Num]) -> DemandLayer:
    """One need in place of several, each of which holds for a share of every month."""

    def together(each: Callable[[DemandLayer], Num]) -> NDArray[np.float64]:
        return np.asarray(sum(np.asarray(each(need)) * weight for need, weight in zip(needs, weights, strict=True)))

    at_once = together(lambda need: need.accelerators)
    hours = together(lambda need: need.accelerators * need.busy_share)
    return replace(
        needs[0],
        accelerators=at_once,
        busy_share=hours / np.where(at_once > 0, at_once, 1.0),
        storage_tb=together(lambda need: need.storage_tb),
        egress_tb_per_month=together(lambda need: need.egress_tb_per_month),
    )


_NEARLY = 1e-9


def order_months(setting: PlanContext) -> tuple[int, ...]:
    """The months in which machines may be ordered, so that they still come before they would be sold."""
    own, wait = setting.scenario.own, typical_lead_months(setting)
    until = min(own.resale_month or np.inf, setting.scenario.months)
    last = max(int(np.ceil(until - wait - _NEARLY)) - 1, own.order_month)
    every = max(own.orders_every_months, -(-(last - own.order_month + 1) // MOST_ORDERS))
    return tuple(range(own.order_month, last + 1, every))


def typical_lead_months(setting: PlanContext) -> float:
    """How long the delivery takes, at typical figures: orders are decided once."""
    yours = setting.scenario.own.lead_time_months
    return lead_time(setting).newest.typical if yours is None else yours


def in_time(setting: PlanContext, accelerators: int) -> tuple[PurchaseOrder, ...]:
    """Orders that bring a fleet up to so many as late as the work allows; none where all are wanted from the first on.

    Each order lasts until the machines of the next can come, in whole servers.
    """
    if is_steady(setting):
        return ()
    found = _orders_in_time(setting, accelerators)
    return () if len(found) == 1 and found[0].month == setting.scenario.own.order_month else found


def is_steady(setting: PlanContext) -> bool:
    """Whether the work wants as many in every month."""
    there = setting.usual_demand
    return bool(np.ptp(there.peak) == 0 and np.ptp(there.waiting_hours) == 0 and np.ptp(there.waiting_at_once) == 0)


@cached(8)
def _orders_in_time(setting: PlanContext, accelerators: int) -> tuple[PurchaseOrder, ...]:
    months, step, wait = order_months(setting), server_size(setting), typical_lead_months(setting)
    orders, before = [], 0
    for month, later in zip(months, (*months[1:], None), strict=True):
        until = setting.timeline.last if later is None else int(np.ceil(later + wait - _NEARLY))
        wanted = accelerators if later is None else min_fleet_until(setting, min(until, setting.timeline.last))
        top = min(-(-wanted // step) * step, accelerators)
        if top > before:
            orders.append(
                PurchaseOrder.model_construct(accelerators=top - before, month=month)
            )  # more than one may type
            before = top
    return tuple(orders)
