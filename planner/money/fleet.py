"""An owned fleet, bought at once or in several orders: the cost of each order, its delivery, and orders just in time.

The machines of an order are put to work on top of those that were ordered before it, so that in each month the first
so many orders are there, and what they have no room for is left to others.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.formula import Num, OrderStack
from planner.money.ledger import Line
from planner.money.owning.inputs import ORDER
from planner.money.owning.lines import FleetOrder, Ownership, of_order, owned
from planner.money.owning.machine import Machine
from planner.money.owning.machine_price import lead_time
from planner.money.setting import PlanContext
from planner.money.sizing import NEARLY, deferrable_capacity_share, min_fleet_until, server_size
from planner.money.timeline import Holding
from planner.scenario.own import MOST_ORDERS, PurchaseOrder
from pricing.caching import cached, cached_property, derive

Make = Callable[[PlanContext, DemandLayer, FleetOrder | None], Ownership | None]


def bought(setting: PlanContext, need: DemandLayer, part: FleetOrder | None) -> Ownership | None:
    """Return the lines of a purchased order."""
    return owned(setting, need, part=part)


@dataclass(frozen=True)
class DeliveryTimeline:
    """The accelerators of a fleet, month by month. Equal where the same fleet is held alike, however it is paid for."""

    setting: PlanContext
    tops: tuple[int, ...]  # accelerators with each order
    holdings: tuple[tuple[int, Holding], ...]  # of so many orders each

    @property
    def waits(self) -> NDArray[np.float64]:
        """The share of each month before the first delivery."""
        return self.holdings[0][1].waits

    @property
    def owns(self) -> NDArray[np.float64]:
        """The share of each month in which any of it runs."""
        return self.holdings[0][1].owns

    @property
    def gone(self) -> NDArray[np.float64]:
        """The share of each month after it is sold."""
        return self.holdings[0][1].gone

    @cached_property
    def runs_from(self) -> NDArray[np.float64]:
        """Of each order, the share of each month in which it runs, with all that were ordered before it."""
        axes = self._fleets.ndim
        owns = [held.owns.reshape(*(1,) * (axes - held.owns.ndim), *held.owns.shape) for _, held in self.holdings]
        shape = np.broadcast_shapes(*(each.shape[1:] for each in owns))
        each = [np.broadcast_to(part, (orders, *shape)) for part, (orders, _) in zip(owns, self.holdings, strict=True)]
        runs = np.concatenate(each)
        for earlier, later in pairwise(runs):  # `accumulate` takes ten times as long
            np.minimum(earlier, later, out=later)
        return runs

    @cached_property
    def runs_alone(self) -> NDArray[np.float64]:
        """The share of each month in which the orders up to each are there and no later one."""
        return np.asarray(self.runs_from - np.concatenate([self.runs_from[1:], np.zeros_like(self.runs_from[:1])]))

    @cached_property
    def _fleets(self) -> NDArray[np.float64]:
        """The accelerators with each order, along the axis before those of rows and months."""
        return np.reshape(np.array(self.tops, dtype=np.float64), (-1, *(1,) * (self.setting.row_axes + 1)))

    @property
    def machines(self) -> NDArray[np.float64]:
        """Accelerators that are there, month by month."""
        return np.asarray((self._fleets * self.runs_alone).sum(axis=0))

    @property
    def busy_hours(self) -> NDArray[np.float64]:
        """Useful accelerator-hours that it does, month by month."""
        if len(self.tops) == 1:
            return np.asarray(work_of(self.setting, self.tops[0]).busy_hours * self.owns)
        return np.asarray((work_of(self.setting, self._fleets).busy_hours * self.runs_alone).sum(axis=0))

    def over(self, of: Callable[[Num], DemandLayer]) -> DemandLayer:
        """Return a layer that goes with the size of the fleet, over the months in which any of it runs."""
        if len(self.tops) == 1:
            return of(self.tops[0])
        shares = self.runs_alone / np.where(self.owns > 0, self.owns, 1.0)
        shares[0] = np.where(self.owns > 0, shares[0], 1.0)
        return blended(of(self._fleets), shares)

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
    parts: tuple[Ownership, ...]  # of each order, of many rows of all that are alike; of all at once, one

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
        return DeliveryTimeline(self.setting, tops, tuple((_orders_of(part), part.holding) for part in self.parts))

    def lines(self, of: Callable[[Ownership], Iterable[Line]]) -> tuple[Line, ...]:
        """Return lines of every order; with several orders, each under a heading."""
        if len(self.parts) == 1:
            return tuple(of(self.parts[0]))
        lines, number = [], 1
        for part in self.parts:
            month = self.orders[number - 1].month
            heading = f"Order {number}, {'today' if month == 0 else f'month {month}'}"
            named = ((line, f"{heading}: {line.name[0].lower()}{line.name[1:]}") for line in of(part))
            lines += [line.called(name, number) for line, name in named if line.has_amounts]
            number += _orders_of(part)
        return tuple(lines)


def _orders_of(part: Ownership) -> int:
    return 1 if part.sheet.stack is None else part.sheet.stack.orders


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
    """Build the first order, and all later ones that are alike in one go."""
    parts, before = list[Ownership](), 0
    for alike in _alike_orders(setting, orders):
        tops = tuple(accumulate((order.accelerators for order in alike), initial=before))
        context = _order_context(setting, alike, orders[0].month)
        stack = context.order_stack
        owned, fleet = (np.array(each, dtype=np.float64) for each in (tops[:-1], tops[1:]))
        less, more = (float(each[0]) if stack is None else stack.spread(each) for each in (owned, fleet))
        layer, layers = _added_work(setting, less, more)
        priced_month = alike[0].month if alike[0].has_price else 0
        part = make(context, layer, FleetOrder(less, accelerators, layers, priced_month))
        if part is None:
            return None
        each = stack is not None and not setting.row_axes and setting.shows_orders
        parts += [of_order(part, number) for number in range(len(alike))] if each else [part]
        before = tops[-1]
    return Fleet(setting, accelerators, orders, tuple(parts))


def _alike_orders(setting: PlanContext, orders: Sequence[PurchaseOrder]) -> Iterator[tuple[PurchaseOrder, ...]]:
    """Yield the first order, and later ones with the same terms together.

    An order with a price of its own stands alone. So do all where emissions are limited: they are counted by order.
    """
    first, *later = orders
    yield (first,)
    is_limited = setting.terms.most_t_co2e is not None
    for _, several in groupby(later, lambda order: tuple(order.terms.items())):
        together = tuple(several)
        if is_limited or together[0].has_price:
            yield from ((order,) for order in together)
        else:
            yield together


def _added_work(setting: PlanContext, before: Num, top: Num) -> tuple[DemandLayer, tuple[DemandLayer, ...]]:
    """Return the work that an order adds, and where power follows the load, the fleet with it and without it.

    The data are on the disks of the first.
    """
    if not np.any(before):
        return work_of(setting, top), ()
    demand, curved = setting.demand, bool(setting.scenario.own.power_at_load)
    with_it, without_it = (demand.done(each, deferrable_capacity_share(setting, each)) for each in (top, before))
    added = demand.layer(with_it - without_it, np.atleast_1d(top - before))
    fleets = (work_of(setting, top), work_of(setting, before)) if curved else ()
    return replace(added, storage_tb=0.0, egress_tb_per_month=0.0), fleets


def work_of(setting: PlanContext, accelerators: Num) -> DemandLayer:
    """Return the work that such a fleet does: first the part it has machines for, then deferrable work."""
    return setting.demand.upto(accelerators, deferrable_capacity_share(setting, accelerators))


def _order_context(setting: PlanContext, orders: tuple[PurchaseOrder, ...], first_month: int) -> PlanContext:
    key = (*(order.model_copy(update={"accelerators": 1}) for order in orders), first_month)
    if key not in setting.order_contexts:
        setting.order_contexts[key] = _with_terms(setting, orders, first_month)
    return setting.order_contexts[key]


def _with_terms(setting: PlanContext, orders: tuple[PurchaseOrder, ...], first_month: int) -> PlanContext:
    """The context of orders with the same terms: their months and terms. Where another month is tried, all move."""
    first, months = orders[0], None
    if len(orders) > 1:
        stack = OrderStack(len(orders), setting.row_axes + 2)
        months = stack.spread(np.array([order.month for order in orders], dtype=np.float64))
    own = setting.scenario.own.model_copy(update={"order_month": first.month, **first.terms})
    tried = setting.tried
    if ORDER in tried:
        after = first.month if months is None else months
        tried = {**tried, ORDER: np.asarray(tried[ORDER]) + (after - first_month)}
    scenario = setting.scenario.model_copy(update={"own": own})
    first_read = ("demand", "timeline", "usual_demand")
    return derive(setting, *first_read, scenario=scenario, tried=tried, order_months=months)


def blended(layers: DemandLayer, shares: NDArray[np.float64]) -> DemandLayer:
    """Return one layer in place of several along the first axis, each of which holds for a share of every month."""

    def mean(values: Num) -> NDArray[np.float64]:
        return np.asarray((values * shares).sum(axis=0))

    at_once = mean(layers.accelerators)
    hours = mean(layers.accelerators * layers.busy_share)
    return replace(
        layers, accelerators=at_once, busy_share=hours / np.where(at_once > 0, at_once, 1.0),
        storage_tb=mean(layers.storage_tb), egress_tb_per_month=mean(layers.egress_tb_per_month),
    )  # fmt: skip


def order_months(setting: PlanContext) -> tuple[int, ...]:
    """Return the months in which machines may be ordered, so that they still arrive before they would be sold."""
    own, wait = setting.scenario.own, typical_lead_months(setting)
    until = min(own.resale_month or np.inf, setting.scenario.months)
    last = max(int(np.ceil(until - wait - NEARLY)) - 1, own.order_month)
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
        until = last if later is None else min(int(np.ceil(later + wait - NEARLY)), last)
        needed = accelerators if later is None else min_fleet_until(setting, until)
        top = min(-(-needed // step) * step, accelerators)
        if top > before:
            # Not validated: an order may be larger than one that is entered.
            orders.append(PurchaseOrder.model_construct(accelerators=top - before, month=month))
            before = top
    return tuple(orders)
