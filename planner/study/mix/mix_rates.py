"""Rates of a mix: the monthly cost of each layer, taken from the ledgers of the plan.

A base is calculated in the ledger at every size at once, idle; the cost of its busy hours is kept beside it. Rent is a
cost per useful hour. A mix is fitted to these rates; its price is then the sum of its own ledger.

Each slice of a base is ordered in the month in which it costs least against paying for its work by the hour. Slices are
independent: the lowest has the most work and is ordered first. Without limits on money each takes its own best month;
with limits a mixed-integer program chooses all together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.fleet import is_steady, order_months
from planner.money.ledger import Ledger, Line
from planner.money.many_ledgers import Array, InputColumns
from planner.money.measures import monthly_discount_factors
from planner.money.option import Unavailable
from planner.money.owning import owned
from planner.money.owning.inputs import ORDER
from planner.money.owning.place import power_shortfall_reason
from planner.money.renting.bill import renting
from planner.money.renting.interruptions import demand_of, interruptible_work
from planner.money.renting.reservation import all_along, reserving
from planner.money.setting import PlanContext
from planner.money.sizing import NEARLY, server_size
from planner.money.tax import with_tax
from planner.money.ways import hosted, on_demand
from planner.money.ways.own import fleet_size
from planner.money.ways.reserved import no_reservation_reason
from planner.money.ways.spot import cap_at_on_demand, no_spot_price_reason, spot_bill
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.own import PurchaseOrder
from planner.scenario.rent import Peaks
from planner.study.mix.load_duration import completed_hours


@dataclass(frozen=True)
class BaseSchedule:
    """The best month to order each slice of a base, the lowest slice first."""

    tops: tuple[int, ...]  # accelerators up to the top of each slice
    months: tuple[int, ...]  # in which each slice is ordered; never before the one below it
    allowed_months: tuple[int, ...]  # in which machines may be ordered; the first is that of a single order

    def shifted_earlier(self) -> BaseSchedule:
        """Return the schedule with each slice one allowed month earlier: only the ledger knows the months between."""
        allowed = self.allowed_months
        return replace(self, months=tuple(allowed[max(allowed.index(month) - 1, 0)] for month in self.months))

    def orders_up_to(self, size: int) -> tuple[PurchaseOrder, ...]:
        """Return the orders of a base of this size; none where all of it is bought at once."""
        orders: dict[int, int] = {}
        below = 0
        for top, month in zip(self.tops, self.months, strict=True):
            if below < size:
                orders[month] = orders.get(month, 0) + min(top, size) - below
            below = top
        if set(orders) <= {self.allowed_months[0]}:
            return ()
        return tuple(PurchaseOrder.model_construct(accelerators=count, month=month) for month, count in orders.items())


@dataclass(frozen=True, eq=False)
class OrderCosts:
    """The cost of ordering a slice in a month against paying for its work by the hour, for one weighting of months."""

    usd: Array  # months of the order x slices
    most_usd: float = np.inf  # limit on their sum


def best_months(cost: OrderCosts, limits: Sequence[OrderCosts] = ()) -> NDArray[np.intp]:
    """Return the index of each slice's best month; of a slice that is best never ordered, its best alone."""
    alone = np.argmin(cost.usd, axis=0)
    slices = np.arange(len(alone))
    worth_it = cost.usd[alone, slices] < 0
    spent = (float(limit.usd[alone, slices][worth_it].sum()) - limit.most_usd for limit in limits)
    if all(over <= NEARLY for over in spent):
        return np.maximum.accumulate(alone)
    chosen = within(cost, limits)
    return np.maximum.accumulate(alone if chosen is None else np.where(chosen < 0, alone, chosen))


def within(cost: OrderCosts, limits: Sequence[OrderCosts]) -> NDArray[np.intp] | None:
    """Return the cheapest months within the limits, -1 for a slice that is never ordered; None if infeasible."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # takes longer to load than to solve

    months, slices = cost.usd.shape
    once = np.tile(np.eye(slices), (1, months))
    matrix = np.vstack([once, *(limit.usd.reshape(1, -1) for limit in limits)])
    most = np.array([*[1.0] * slices, *(limit.most_usd for limit in limits)])
    solution = milp(
        cost.usd.ravel() / max(float(np.max(np.abs(cost.usd))), 1.0),
        constraints=LinearConstraint(matrix, np.full(len(most), -np.inf), most),
        bounds=Bounds(0.0, 1.0),
        integrality=np.ones(months * slices),
        options={"mip_rel_gap": 1e-9},
    )
    if solution.x is None:
        return None
    ordered = solution.x.reshape(months, slices) > 1 / 2
    return np.where(ordered.any(axis=0), ordered.argmax(axis=0), -1)


MOST_SIZES = 128  # sizes of a base that are tried; a larger peak is tried in steps of several servers
_NO_HOURS = 1e-12


@dataclass(frozen=True, eq=False)
class BaseRates:
    """An owned base at every size: monthly cost while idle, and the extra cost of a busy hour."""

    sizes: Array  # accelerators, from none up
    idle_usd: Array  # sizes x months, as it is paid
    usd_per_busy_hour: Array  # months
    in_service: Array  # slices x months, or one row for all: share of each month in which it runs
    schedule: BaseSchedule | None = None  # when its slices are ordered; None: at once

    @property
    def mean_in_service(self) -> Array:
        """The share of each month in which an accelerator of the whole base runs, on average."""
        if len(self.in_service) == 1:
            return np.asarray(self.in_service[0])
        widths = np.diff(self.sizes)
        return np.asarray(widths @ self.in_service / widths.sum())


@dataclass(frozen=True, eq=False)
class HourlyRates:
    """A layer that is paid by the useful hour."""

    usd_per_hour: Array  # months
    most_hours: Array | None = None  # months: no more than these may go there


@dataclass(frozen=True, eq=False)
class ReservedRates:
    """A reserved layer, paid by the machine."""

    machine: int  # accelerators
    usd: Array  # months, for one machine, busy or idle
    usd_per_hour: Array  # months: data that goes with a useful hour
    bound_share: Array  # share of each month in which one is committed
    volume_from: tuple[int, ...] = ()  # machines from which on each price for a volume holds
    volume_usd: Array = field(default_factory=lambda: np.zeros((0, 1)))  # by that price: months, for one machine


@dataclass(frozen=True, eq=False)
class MixRates:
    """All layers of a mix; a layer without a price is None, with a reason in `missing`."""

    base: BaseRates | None
    reserved: ReservedRates | None
    bursts: dict[Peaks, HourlyRates]
    worth_today: Array  # present value of a dollar of each month
    missing: tuple[str, ...]


def rates_of(setting: PlanContext) -> MixRates:
    reserved, base = _reserved_rates(setting), _base_rates(setting)
    bursts, missing = _burst_rates(setting)
    if base is not None and bursts and not is_steady(setting):
        base = _staged_base(setting, base, bursts)
    worth = np.asarray(monthly_discount_factors(setting))
    if isinstance(reserved, Unavailable):
        return MixRates(base, None, bursts, worth, (reserved.reason, *missing))
    return MixRates(base, reserved, bursts, worth, missing)


def _monthly_cash_flow(setting: PlanContext, lines: Iterable[Line]) -> Array:
    usd = with_tax(setting, Ledger("", tuple(lines))).monthly_usd
    return np.array(np.broadcast_to(usd, (*np.shape(usd)[:-1], setting.timeline.last + 1)))


def _base_rates(setting: PlanContext) -> BaseRates | None:
    sizes, server = _base_sizes(setting), server_size(setting)
    months = setting.timeline.last + 1
    idle_usd, ownership = [np.zeros((1, months))], None
    # A single server needs no network and no spare.
    for group in (sizes[(sizes > 0) & (sizes <= server)], sizes[sizes > server]):
        if len(group):
            ownership = owned(setting, replace(setting.demand.plain, accelerators=group[:, None], busy_share=0.0))
            if ownership is None:
                return None
            idle_usd.append(np.broadcast_to(_monthly_cash_flow(setting, ownership.lines), (len(group), months)))
    if ownership is None:
        return None
    busy = owned(setting, replace(setting.demand.plain, accelerators=float(sizes[-1]), busy_share=1.0))
    assert busy is not None  # its idle twin had a price
    hours = sizes[-1] * setting.demand.plain.hours_per_month * ownership.holding.owns
    added = _monthly_cash_flow(setting, busy.lines) - idle_usd[-1][-1]
    usd_per_busy_hour = np.broadcast_to(_per_useful_hour(added, hours), hours.shape)
    return BaseRates(sizes, np.concatenate(idle_usd), usd_per_busy_hour, np.asarray(ownership.holding.owns)[None, :])


def _staged_base(setting: PlanContext, base: BaseRates, bursts: Mapping[Peaks, HourlyRates]) -> BaseRates:
    """Return the base with each slice ordered in its best month, against the price of its hours elsewhere."""
    months, columns = np.array(order_months(setting)), setting.timeline.last + 1
    most, server = base.sizes[-1], server_size(setting)
    context = InputColumns(setting, {ORDER: months.astype(np.float64)}).context()
    ownership = owned(context, replace(setting.demand.plain, accelerators=float(most), busy_share=0.0))
    if ownership is None or len(base.sizes) == 1 or setting.scenario.own.capex_usd is not None:
        return base
    servers = np.ceil(np.diff(base.sizes) / server)
    idle = np.broadcast_to(_monthly_cash_flow(context, ownership.lines), (len(months), columns))
    idle = idle / np.ceil(most / server)
    owns = np.broadcast_to(ownership.holding.owns, idle.shape)
    rent = (bursts.get("on_demand") or next(iter(bursts.values()))).usd_per_hour
    hours = np.diff(np.broadcast_to(completed_hours_by_size(setting, base.sizes), (len(base.sizes), columns)), axis=0)

    def order_costs(weights: Array, most_usd: float = np.inf) -> OrderCosts:
        savings = owns * (rent - base.usd_per_busy_hour) * weights
        usd = (idle @ weights)[:, None] * servers - savings @ hours.T
        return OrderCosts(usd, most_usd - float((hours.sum(axis=0) * setting.timeline.runs * rent) @ weights))

    worth = np.broadcast_to(np.asarray(monthly_discount_factors(setting)), idle.shape[1:])
    limits = [order_costs(weights, most) for _, weights, most in cash_limits(setting)]
    chosen = best_months(order_costs(worth), limits)
    schedule = BaseSchedule(
        tuple(int(top) for top in base.sizes[1:]), tuple(months[chosen].tolist()), tuple(months.tolist())
    )
    staged = np.concatenate([np.zeros((1, columns)), np.cumsum(idle[chosen] * servers[:, None], axis=0)])
    return replace(base, idle_usd=staged, in_service=owns[chosen], schedule=schedule)


def completed_hours_by_size(setting: PlanContext, sizes: Array) -> Array:
    """Return the work that fleets of these sizes do in a month; work that may wait, where a job fits on them."""
    demand = setting.demand
    reach = np.where(sizes < demand.job_accelerators, 0.0, 1.0) if np.any(demand.waiting_hours > 0) else 1.0
    return completed_hours(demand, sizes, reach)


def cash_limits(setting: PlanContext) -> Iterator[tuple[str, Array, float]]:
    """Return the limits on cash: name, months counted, and the most that may be paid in them."""
    months, terms = np.arange(setting.timeline.last + 1), setting.terms
    if terms.cash_on_day_one_usd is not None:
        yield "on day one", np.equal(months, 0).astype(np.float64), terms.cash_on_day_one_usd
    if terms.cash_per_year_usd is not None:
        year = np.maximum(months - 1, 0) // MONTHS_PER_YEAR
        for number in range(int(year[-1]) + 1):
            yield f"in year {number + 1}", np.equal(year, number).astype(np.float64), terms.cash_per_year_usd


def _per_useful_hour(usd: Array, hours: Array) -> Array:
    """Return money per useful hour, by month; a year's tax, which is paid at its end, is spread over its hours."""
    total = hours.sum()
    if total <= _NO_HOURS:
        return np.zeros_like(hours)
    positive = np.where(hours > _NO_HOURS, usd, 0.0)
    if np.isclose(positive.sum(), usd.sum()) and np.all(positive >= 0):
        return np.asarray(np.divide(positive, hours, out=np.zeros_like(hours), where=hours > _NO_HOURS))
    return np.full_like(hours, usd.sum() / total)


def _base_sizes(setting: PlanContext) -> Array:
    """Return the sizes of the base: from nothing to everything, in whole servers, the last only up to the peak."""
    most, server = setting.demand.all.peak_accelerators, server_size(setting)
    if setting.scenario.own.capex_usd is not None:  # the price of one fleet says nothing of another
        return np.array([0.0, float(fleet_size(setting))])
    step = server * -(-most // (server * MOST_SIZES))
    sizes = np.unique(np.append(np.arange(0.0, most, step), float(most)))
    return np.array([size for size in sizes if size == 0 or not power_shortfall_reason(setting, int(size))])


def _reserved_rates(setting: PlanContext) -> ReservedRates | Unavailable:
    missing = no_reservation_reason(setting)
    if missing is not None:
        return missing
    offer, plain, runs = setting.offers.reserved, setting.demand.plain, setting.timeline.runs
    machine = setting.scenario.rent.accelerators_per_machine or (
        1 if offer is None else setting.catalogue.offers[offer].accelerators_per_instance
    )
    tiers = all_along(setting)
    bare = replace(plain, accelerators=float(machine), busy_share=1.0, storage_tb=0.0, egress_tb_per_month=0.0)

    def machine_usd(machines: int) -> Array:
        layer = replace(bare, accelerators=float(machine * machines))
        return _monthly_cash_flow(setting, reserving(setting, layer, tiers).lines) / machines

    usd = machine_usd(1)
    volume = tuple(-(-tier.from_accelerators // machine) for tier in setting.scenario.reserve.volume)
    loaded = replace(bare, storage_tb=plain.storage_tb, egress_tb_per_month=plain.egress_tb_per_month)
    data = _monthly_cash_flow(setting, reserving(setting, loaded, tiers).lines) - usd
    bound_share = np.asarray(runs - reserving(setting, bare, tiers).after)
    by_volume = np.array([machine_usd(machines) for machines in volume]).reshape(len(volume), len(usd))
    data_per_hour = _per_useful_hour(data, setting.demand.all_hours * runs)
    return ReservedRates(machine, usd, data_per_hour, bound_share, volume, by_volume)


def _burst_rates(setting: PlanContext) -> tuple[dict[Peaks, HourlyRates], tuple[str, ...]]:
    """Return the layers for the work above base and reservation, and why some are missing."""
    rates: dict[Peaks, HourlyRates] = {}
    missing: tuple[str, ...] = ()
    layer, runs = setting.demand.all, setting.timeline.runs
    by_hour = on_demand.build(setting)
    if isinstance(by_hour, Unavailable):
        missing = (by_hour.reason,)
    else:
        rates["on_demand"] = HourlyRates(_hourly_rate(setting, by_hour.lines, layer))
    works = interruptible_work(setting)
    if works and no_spot_price_reason(setting) is None and "on_demand" in rates:
        stops = demand_of(setting, works)
        spot = spot_bill(setting, stops.all)
        if not isinstance(spot, Unavailable):
            spot = cap_at_on_demand(setting, spot, renting(setting, stops.all, setting.offers.on_demand))
            most = np.asarray(np.broadcast_to(stops.all_hours * runs, runs.shape))
            rates["spot"] = HourlyRates(_hourly_rate(setting, spot.lines, stops.all), most)
    if setting.scenario.hosted is not None:
        by_token = hosted.build(setting)
        if not isinstance(by_token, Unavailable):
            rates["hosted"] = HourlyRates(_hourly_rate(setting, by_token.lines, layer))
    return rates, missing


def _hourly_rate(setting: PlanContext, lines: tuple[Line, ...], layer: DemandLayer) -> Array:
    """Return USD per useful hour, by month; with tax as a share of the whole bill."""
    hours = np.broadcast_to(layer.busy_hours, setting.timeline.runs.shape)
    bare = np.broadcast_to(Ledger("", lines).monthly_usd, hours.shape)
    rate = np.divide(bare, hours, out=np.zeros(hours.shape), where=hours > _NO_HOURS)
    worth = np.asarray(monthly_discount_factors(setting))
    net, gross = float((_monthly_cash_flow(setting, lines) * worth).sum()), float((bare * worth).sum())
    return np.asarray(rate * (net / gross if gross > 0 else 1.0))
