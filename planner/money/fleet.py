"""An owned fleet, bought at once or in several orders: the cost of each order, its delivery, and orders just in time.

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
from planner.money.owning.channel import lead_time
from planner.money.owning.inputs import ORDER
from planner.money.owning.lines import FleetOrder, Ownership, owned
from planner.money.owning.machine import Machine
from planner.money.setting import PlanContext
from planner.money.sizing import deferrable_capacity_share, min_fleet_until, server_size
from planner.money.timeline import Holding
from planner.scenario.own import MOST_ORDERS, PurchaseOrder
from pricing.caching import cached, cached_property, derive

_NEARLY = 1e-9

Make = Callable[[PlanContext, DemandLayer, FleetOrder | None], Ownership | None]


def bought(setting: PlanContext, need: DemandLayer, part: FleetOrder | None) -> Ownership | None:
    """Return the lines of a purchased order."""
    return owned(setting, need, part=part)


@dataclass(frozen=True)
class DeliveryTimeline:
    """The accelerators of a fleet, month by month. Equal where the same fleet is held alike, however it is paid for."""

    setting: PlanContext
    tops: tuple[int, ...]  # accelerators with each order
    holdings: tuple[Holding, ...]  # of each order

    @property
    def waits(self) -> NDArray[np.float64]:
        """The share of each month before the first delivery."""
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
        shares = zip(self.tops, self.runs_alone, strict=True)
        return np.asarray(sum(work_of(self.setting, top).busy_hours * share for top, share in shares))

    def over(self, of: Callable[[int], DemandLayer]) -> DemandLayer:
        """Return a layer that goes with the size of the fleet, over the months in which any of it runs."""
        if len(self.tops) == 1:
            return of(self.tops[0])
        owns = np.where(self.owns > 0, self.owns, 1.0)
        first, *later = (part / owns for part in self.runs_alone)
        return blended([of(top) for top in self.tops], [np.where(self.owns > 0, first, 1.0), *later])

    def left(self, held: int = 0) -> DemandLayer:
        """Return the work it leaves for other supply, with so many accelerators above it."""
        return self.over(
            lambda top: self.setting.demand.above(top + held, deferrable_capacity_share(self.setting, top + held))
        )


@dataclass(frozen=True, eq=False)
class Fleet:
    """A fleet, order by order, with the lines of each."""

    setting: PlanContext
    accelerators: int
    orders: tuple[PurchaseOrder, ...]  # empty: all at once
    parts: tuple[Ownership, ...]  # of each order; of all at once, one

    @property
    def machine(self) -> Machine:
        """The machine that is bought."""
        return self.parts[0].machine

    @property
    def comes(self) -> bool:
        """Return whether any of it ever runs, in any draw."""
        return any(bool(np.any(np.asarray(part.holding.comes) > 0)) for part in self.parts)

    @property
    def stages(self) -> DeliveryTimeline:
        """The accelerators delivered, month by month."""
        tops = tuple(accumulate(order.accelerators for order in self.orders)) or (self.accelerators,)
        return DeliveryTimeline(self.setting, tops, tuple(part.holding for part in self.parts))

    def lines(self, of: Callable[[Ownership], Iterable[Line]]) -> tuple[Line, ...]:
        """Return lines of every order; with several orders, each under a heading."""
        if len(self.parts) == 1:
            return tuple(of(self.parts[0]))
        lines = []
        for number, (order, part) in enumerate(zip(self.orders, self.parts, strict=True), 1):
            heading = f"Order {number}, {'today' if order.month == 0 else f'month {order.month}'}"
            named = ((line, f"{heading}: {line.name[0].lower()}{line.name[1:]}") for line in of(part))
            lines += [line.called(name, number) for line, name in named if line.has_amounts]
        return tuple(lines)


def build_fleet(
    setting: PlanContext, accelerators: int, orders: tuple[PurchaseOrder, ...], make: Make = bought
) -> Fleet | None:
    """Build a fleet with the lines of all its orders; None where no machine has a price."""
    if not orders:
        part = make(setting, work_of(setting, accelerators), None)
        return None if part is None else Fleet(setting, accelerators, (), (part,))
    if make is not bought:
        return _build_orders(setting, accelerators, orders, make)
    key = (accelerators, orders)
    if key not in setting.fleets:
        setting.fleets[key] = _build_orders(setting, accelerators, orders, make)
    fleet: Fleet | None = setting.fleets[key]
    if fleet is None:
        return None
    return replace(fleet, parts=tuple(replace(part, sheet=part.sheet.copy()) for part in fleet.parts))


def _build_orders(
    setting: PlanContext, accelerators: int, orders: tuple[PurchaseOrder, ...], make: Make
) -> Fleet | None:
    parts, before, demand = [], 0, setting.demand
    for order in orders:
        top = before + order.accelerators
        layer, layers = work_of(setting, top), tuple[DemandLayer, ...]()
        if before:  # the work that the order adds; the data are on the disks of the first
            layers = (layer, work_of(setting, before))
            hours = demand.done(top, deferrable_capacity_share(setting, top)) - demand.done(
                before, deferrable_capacity_share(setting, before)
            )
            layer = demand.layer(hours, np.full(1, float(top - before)))
            layer = replace(layer, storage_tb=0.0, egress_tb_per_month=0.0)
        tranche = FleetOrder(before, accelerators, layers, order.month if order.has_price else 0)
        part = make(_order_context(setting, order, orders[0].month), layer, tranche)
        if part is None:
            return None
        parts.append(part)
        before = top
    return Fleet(setting, accelerators, orders, tuple(parts))


def work_of(setting: PlanContext, accelerators: int) -> DemandLayer:
    """Return the work that such a fleet does: first the part it has machines for, then deferrable work."""
    return setting.demand.upto(accelerators, deferrable_capacity_share(setting, accelerators))


def _order_context(setting: PlanContext, order: PurchaseOrder, first_month: int) -> PlanContext:
    key = (order.model_copy(update={"accelerators": 1}), first_month)
    if key not in setting.order_contexts:
        setting.order_contexts[key] = _with_terms(setting, order, first_month)
    return setting.order_contexts[key]


def _with_terms(setting: PlanContext, order: PurchaseOrder, first_month: int) -> PlanContext:
    """The context of one order: its month and its terms. Where another month is tried out, all orders move with it."""
    own = setting.scenario.own.model_copy(update={"order_month": order.month, **order.terms})
    tried = setting.tried
    if ORDER in tried:
        tried = {**tried, ORDER: np.asarray(tried[ORDER]) + (order.month - first_month)}
    scenario = setting.scenario.model_copy(update={"own": own})
    return derive(setting, "demand", "timeline", "usual_demand", scenario=scenario, tried=tried)


def blended(layers: Sequence[DemandLayer], weights: Sequence[Num]) -> DemandLayer:
    """Return one layer in place of several, each of which holds for a share of every month."""

    def mean(values: Iterable[Num]) -> NDArray[np.float64]:
        return np.asarray(sum(np.asarray(value) * weight for value, weight in zip(values, weights, strict=True)))

    at_once = mean(layer.accelerators for layer in layers)
    hours = mean(layer.accelerators * layer.busy_share for layer in layers)
    return replace(
        layers[0], accelerators=at_once, busy_share=hours / np.where(at_once > 0, at_once, 1.0),
        storage_tb=mean(layer.storage_tb for layer in layers),
        egress_tb_per_month=mean(layer.egress_tb_per_month for layer in layers),
    )  # fmt: skip


def order_months(setting: PlanContext) -> tuple[int, ...]:
    """Return the months in which machines may be ordered, so that they still arrive before they would be sold."""
    own, wait = setting.scenario.own, typical_lead_months(setting)
    until = min(own.resale_month or np.inf, setting.scenario.months)
    last = max(int(np.ceil(until - wait - _NEARLY)) - 1, own.order_month)
    every = max(own.orders_every_months, -(-(last - own.order_month + 1) // MOST_ORDERS))
    return tuple(range(own.order_month, last + 1, every))


def typical_lead_months(setting: PlanContext) -> float:
    """Return the lead time at typical figures: orders are decided once. [month]"""
    yours = setting.scenario.own.lead_time_months
    return lead_time(setting).newest.typical if yours is None else yours


def in_time(setting: PlanContext, accelerators: int) -> tuple[PurchaseOrder, ...]:
    """Return orders that bring a fleet up to a size as late as the work allows; none where it is needed at once.

    Each order lasts until the machines of the next can arrive, in whole servers.
    """
    if is_steady(setting):
        return ()
    orders = _orders_in_time(setting, accelerators)
    return () if len(orders) == 1 and orders[0].month == setting.scenario.own.order_month else orders


def is_steady(setting: PlanContext) -> bool:
    """Return whether the work needs as many in every month."""
    demand = setting.usual_demand
    return bool(np.ptp(demand.peak) == np.ptp(demand.waiting_hours) == np.ptp(demand.waiting_at_once) == 0)


@cached(8)
def _orders_in_time(setting: PlanContext, accelerators: int) -> tuple[PurchaseOrder, ...]:
    months, step, wait = order_months(setting), server_size(setting), typical_lead_months(setting)
    orders, before, last = [], 0, setting.timeline.last
    for month, later in zip(months, (*months[1:], None), strict=True):
        until = last if later is None else min(int(np.ceil(later + wait - _NEARLY)), last)
        needed = accelerators if later is None else min_fleet_until(setting, until)
        top = min(-(-needed // step) * step, accelerators)
        if top > before:
            # Not validated: an order may be larger than one that is entered.
            orders.append(PurchaseOrder.model_construct(accelerators=top - before, month=month))
            before = top
    return tuple(orders)
