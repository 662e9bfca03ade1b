"""Rates of a mix: what each layer costs by month, taken from the ledgers of the plan and from nothing else.

A base is reckoned in the ledger at every size at once, as if it stood idle; what its busy hours add is told beside it.
What is rented is told by the useful hour. Whoever fits a mix to these finds a good one; what it costs is then the sum
of its own ledger.

The slices of a base are ordered in the month in which each costs least against paying for its work by the hour. They do
not depend on each other: the lowest has the most work and is ordered first. So where nothing limits the money, each
takes its own best month; where something does, a mixed-integer programme chooses all together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.fleet import is_steady, order_months
from planner.money.ledger import Ledger, Line
from planner.money.many_ledgers import InputColumns
from planner.money.measures import factors
from planner.money.owning import owned
from planner.money.owning.inputs import ORDER
from planner.money.owning.place import power_shortfall_reason
from planner.money.renting.bill import renting
from planner.money.renting.interruptions import demand_of, interruptible_work
from planner.money.renting.reservation import all_along, reserving
from planner.money.setting import PlanContext
from planner.money.sizing import server_size
from planner.money.tax.lines import taxed
from planner.money.ways import hosted, on_demand
from planner.money.ways.ledger_of_way import Unavailable
from planner.money.ways.own import fleet_size
from planner.money.ways.reserved import no_reservation_reason
from planner.money.ways.spot import missing_price, no_dearer, on_spot
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.own import PurchaseOrder
from planner.scenario.rent import Peaks
from planner.study.mix.load_duration import completed_hours

Array = NDArray[np.float64]
_NEARLY = 1e-9


@dataclass(frozen=True)
class Schedule:
    """The best month to order each slice of a base, the lowest slice first."""

    tops: tuple[int, ...]  # accelerators up to the top of each slice
    months: tuple[int, ...]  # in which each slice is ordered; never before the one below it
    may: tuple[int, ...]  # the months in which machines may be ordered; in the first of them what is bought at once

    def earlier(self) -> Schedule:
        """Each slice a chance to order earlier: what lies between the months is known to the ledger alone."""
        return replace(self, months=tuple(self.may[max(self.may.index(month) - 1, 0)] for month in self.months))

    def upto(self, size: int) -> tuple[PurchaseOrder, ...]:
        """The orders of a base of such a size; none where all of it is bought at once."""
        orders: dict[int, int] = {}
        below = 0
        for top, month in zip(self.tops, self.months, strict=True):
            if below < size:
                orders[month] = orders.get(month, 0) + min(top, size) - below
            below = top
        if set(orders) <= {self.may[0]}:
            return ()
        return tuple(PurchaseOrder.model_construct(accelerators=count, month=month) for month, count in orders.items())


@dataclass(frozen=True, eq=False)
class OrderCosts:
    """What ordering a slice in a month comes to under one count of money, against paying for its work by the hour."""

    usd: Array  # months of the order x slices
    most_usd: float = np.inf  # that all of them together may come to


def best_months(cost: OrderCosts, limits: Sequence[OrderCosts] = ()) -> NDArray[np.intp]:
    """For each slice the place of its best month; as if alone where it is best never ordered."""
    alone = np.argmin(cost.usd, axis=0)
    if not limits or all(_is_within_limit(one, cost, alone) for one in limits):
        return np.maximum.accumulate(alone)
    chosen = within(cost, limits)
    return np.maximum.accumulate(alone if chosen is None else np.where(chosen < 0, alone, chosen))


def _is_within_limit(limit: OrderCosts, cost: OrderCosts, months: NDArray[np.intp]) -> bool:
    """Whether the slices that are worth it keep to a limit in their best months."""
    slices = np.arange(len(months))
    taken = cost.usd[months, slices] < 0
    return float(limit.usd[months, slices][taken].sum()) <= limit.most_usd + _NEARLY


def within(cost: OrderCosts, limits: Sequence[OrderCosts]) -> NDArray[np.intp] | None:
    """The months that cost least within the limits, -1 for a slice that is never ordered; None where there are none."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # takes longer to load than to solve

    months, slices = cost.usd.shape
    once = np.tile(np.eye(slices), (1, months))
    matrix = np.vstack([once, *(limit.usd.reshape(1, -1) for limit in limits)])
    most = np.array([*[1.0] * slices, *(limit.most_usd for limit in limits)])
    found = milp(
        cost.usd.ravel() / max(float(np.max(np.abs(cost.usd))), 1.0),
        constraints=LinearConstraint(matrix, np.full(len(most), -np.inf), most),
        bounds=Bounds(0.0, 1.0),
        integrality=np.ones(months * slices),
        options={"mip_rel_gap": 1e-9},
    )
    if found.x is None:
        return None
    taken = found.x.reshape(months, slices) > 1 / 2
    return np.where(taken.any(axis=0), taken.argmax(axis=0), -1)


MOST_SIZES = 128  # sizes of a base that are tried; a larger peak is tried in steps of several servers
_NO_HOURS = 1e-12


@dataclass(frozen=True, eq=False)
class BaseRates:
    """A base of one's own, at every size: money by size and month while idle, and what a busy hour adds."""

    sizes: Array  # accelerators, from none up
    idle_usd: Array  # sizes x months, as it is paid
    usd_per_busy_hour: Array  # months
    there: Array  # slices x months, or one row for all: share of each month in which it runs
    schedule: Schedule | None = None  # when its slices are ordered; None: at once

    @property
    def mean_in_service(self) -> Array:
        """The share of each month in which an accelerator of the whole base runs, on average."""
        if len(self.there) == 1:
            return np.asarray(self.there[0])
        widths = np.diff(self.sizes)
        return np.asarray(widths @ self.there / widths.sum())


@dataclass(frozen=True, eq=False)
class HourlyRates:
    """A layer that is paid by the useful hour."""

    usd_per_hour: Array  # months
    most_hours: Array | None = None  # months: no more than these may go there


@dataclass(frozen=True, eq=False)
class Held:
    """A layer that is reserved, paid by the machine."""

    machine: int  # accelerators
    usd: Array  # months, for one machine, busy or idle
    usd_per_hour: Array  # months: data that goes with a useful hour
    there: Array  # share of each month in which one is bound
    volume_from: tuple[int, ...] = ()  # machines from which on each price for a volume holds
    volume_usd: Array = field(default_factory=lambda: np.zeros((0, 1)))  # by that price: months, for one machine


@dataclass(frozen=True, eq=False)
class MixRates:
    """All that a mix can be made of; a layer without a price is None, and the reason is told."""

    base: BaseRates | None
    held: Held | None
    bursts: dict[Peaks, HourlyRates]
    worth_today: Array  # a dollar of each month
    missing: tuple[str, ...]


def rates_of(setting: PlanContext) -> MixRates:
    """The rates of a plan."""
    held = _held(setting)
    bursts, missing = _burst_rates(setting)
    reason = (held.reason,) if isinstance(held, Unavailable) else ()
    base = _base(setting)
    return MixRates(
        base=base if base is None or not bursts or is_steady(setting) else _staged_base(setting, base, bursts),
        held=None if isinstance(held, Unavailable) else held,
        bursts=bursts,
        worth_today=np.asarray(factors(setting)),
        missing=(*reason, *missing),
    )


def _monthly_cash_flow(setting: PlanContext, lines: Iterable[Line]) -> Array:
    """The cash flow of a way, with its tax, by month."""
    usd = taxed(setting, Ledger("", tuple(lines))).monthly_usd
    return np.array(np.broadcast_to(usd, (*np.shape(usd)[:-1], setting.timeline.last + 1)))


def _base(setting: PlanContext) -> BaseRates | None:
    sizes = _sizes(setting)
    server = server_size(setting)
    one, many = sizes[(sizes > 0) & (sizes <= server)], sizes[sizes > server]
    parts = [np.zeros((1, setting.timeline.last + 1))]
    found = None
    for some in (one, many):  # a single server needs no network and no spare
        if not len(some):
            continue
        need = replace(setting.demand.plain, accelerators=some[:, None], busy_share=0.0)
        found = owned(setting, need)
        if found is None:
            return None
        parts.append(np.broadcast_to(_monthly_cash_flow(setting, found.lines), (len(some), setting.timeline.last + 1)))
    if found is None:
        return None
    top = replace(setting.demand.plain, accelerators=float(sizes[-1]), busy_share=1.0)
    busy = owned(setting, top)
    assert busy is not None  # its idle twin had a price
    hours = sizes[-1] * setting.demand.plain.hours_per_month * found.holding.owns
    added = _monthly_cash_flow(setting, busy.lines) - parts[-1][-1]
    share = np.broadcast_to(_spread(added, hours), hours.shape)
    return BaseRates(sizes, np.concatenate(parts), share, np.asarray(found.holding.owns)[None, :])


def _staged_base(setting: PlanContext, base: BaseRates, bursts: Mapping[Peaks, HourlyRates]) -> BaseRates:
    """The base with each slice ordered in its best month, by what the same hours cost elsewhere."""
    months = np.array(order_months(setting))
    most, server = base.sizes[-1], server_size(setting)
    there = InputColumns(setting, {ORDER: months.astype(np.float64)}).context()
    found = owned(there, replace(setting.demand.plain, accelerators=float(most), busy_share=0.0))
    if found is None or len(base.sizes) == 1 or setting.scenario.own.capex_usd is not None:
        return base
    servers = np.ceil(np.diff(base.sizes) / server)
    idle = np.broadcast_to(_monthly_cash_flow(there, found.lines), (len(months), setting.timeline.last + 1)) / np.ceil(
        most / server
    )
    owns = np.broadcast_to(found.holding.owns, idle.shape)
    rest = bursts.get("on_demand") or next(iter(bursts.values()))
    hours = np.diff(
        np.broadcast_to(completed_hours_by_size(setting, base.sizes), (len(base.sizes), idle.shape[1])), axis=0
    )

    def count(weights: Array, most_usd: float = np.inf) -> OrderCosts:
        saved = owns * (rest.usd_per_hour - base.usd_per_busy_hour) * weights
        usd = (idle @ weights)[:, None] * servers - saved @ hours.T
        return OrderCosts(
            usd, most_usd - float((hours.sum(axis=0) * setting.timeline.runs * rest.usd_per_hour) @ weights)
        )

    worth = np.broadcast_to(np.asarray(factors(setting)), idle.shape[1:])
    chosen = best_months(count(worth), [count(months, most) for _, months, most in cash_limits(setting)])
    schedule = Schedule(
        tuple(int(top) for top in base.sizes[1:]),
        tuple(months[chosen].tolist()),
        tuple(months.tolist()),
    )
    staged = np.concatenate([np.zeros((1, idle.shape[1])), np.cumsum(idle[chosen] * servers[:, None], axis=0)])
    return replace(base, idle_usd=staged, there=owns[chosen], schedule=schedule)


def completed_hours_by_size(setting: PlanContext, sizes: Array) -> Array:
    """What fleets of these sizes do in a whole month; work that may wait, where a job fits on them."""
    demand = setting.demand
    reach = np.where(sizes < demand.job_accelerators, 0.0, 1.0) if np.any(demand.waiting_hours > 0) else 1.0
    return completed_hours(demand, sizes, reach)


def cash_limits(setting: PlanContext) -> Iterator[tuple[str, Array, float]]:
    """The limits on money: what each is called, which months it counts, and how much may be paid in them."""
    months, terms = np.arange(setting.timeline.last + 1), setting.terms
    if terms.cash_on_day_one_usd is not None:
        yield "on day one", np.equal(months, 0).astype(np.float64), terms.cash_on_day_one_usd
    if terms.cash_per_year_usd is not None:
        year = np.maximum(months - 1, 0) // MONTHS_PER_YEAR
        for number in range(int(year[-1]) + 1):
            yield f"in year {number + 1}", np.equal(year, number).astype(np.float64), terms.cash_per_year_usd


def _spread(usd: Array, hours: Array) -> Array:
    """Money over useful hours, by month; tax of a year, which is paid at its end, spread over its hours."""
    total = hours.sum()
    if total <= _NO_HOURS:
        return np.zeros_like(hours)
    positive = np.where(hours > _NO_HOURS, usd, 0.0)
    if np.isclose(positive.sum(), usd.sum()) and np.all(positive >= 0):
        return np.asarray(np.divide(positive, hours, out=np.zeros_like(hours), where=hours > _NO_HOURS))
    return np.full_like(hours, usd.sum() / total)


def _sizes(setting: PlanContext) -> Array:
    """The sizes of the base: from nothing to everything, in whole servers, the last only as far as there is work."""
    most, server = setting.demand.all.peak_accelerators, server_size(setting)
    if setting.scenario.own.capex_usd is not None:  # one sum for one fleet says nothing of another
        return np.array([0.0, float(fleet_size(setting))])
    step = server * -(-most // (server * MOST_SIZES))
    sizes = np.unique(np.append(np.arange(0.0, most, step), float(most)))
    return np.array([size for size in sizes if size == 0 or not power_shortfall_reason(setting, int(size))])


def _held(setting: PlanContext) -> Held | Unavailable:
    missing = no_reservation_reason(setting)
    if missing is not None:
        return missing
    offer, plain = setting.offers.reserved, setting.demand.plain
    yours = setting.scenario.rent.accelerators_per_machine
    machine = yours or (1 if offer is None else setting.catalogue.offers[offer].accelerators_per_instance)
    tiers = all_along(setting)
    bare = replace(plain, accelerators=float(machine), busy_share=1.0, storage_tb=0.0, egress_tb_per_month=0.0)

    def of_one(machines: int) -> Array:
        many = replace(bare, accelerators=float(machine * machines))
        return _monthly_cash_flow(setting, reserving(setting, many, tiers).lines) / machines

    usd = of_one(1)
    volume = tuple(-(-one.from_accelerators // machine) for one in setting.scenario.reserve.volume)
    loaded = replace(bare, storage_tb=plain.storage_tb, egress_tb_per_month=plain.egress_tb_per_month)
    data = _monthly_cash_flow(setting, reserving(setting, loaded, tiers).lines) - usd
    runs = setting.timeline.runs
    there = np.asarray(runs - reserving(setting, bare, tiers).after)
    by_volume = np.array([of_one(machines) for machines in volume]).reshape(len(volume), len(usd))
    return Held(machine, usd, _spread(data, setting.demand.all_hours * runs), there, volume, by_volume)


def _burst_rates(setting: PlanContext) -> tuple[dict[Peaks, HourlyRates], tuple[str, ...]]:
    """The layers that the work above base and reservation can go to."""
    found: dict[Peaks, HourlyRates] = {}
    missing = []
    everything, runs = setting.demand.all, setting.timeline.runs
    by_hour = on_demand.build(setting)
    if isinstance(by_hour, Unavailable):
        missing.append(by_hour.reason)
    else:
        found["on_demand"] = HourlyRates(_rate(setting, by_hour.lines, everything))
    works = interruptible_work(setting)
    if works and missing_price(setting) is None and "on_demand" in found:
        stops = demand_of(setting, works)
        spot = on_spot(setting, stops.all)
        if not isinstance(spot, Unavailable):
            most = np.broadcast_to(stops.all_hours * runs, runs.shape)
            spot = no_dearer(setting, spot, renting(setting, stops.all, setting.offers.on_demand))
            found["spot"] = HourlyRates(_rate(setting, spot.lines, stops.all), np.asarray(most))
    if setting.scenario.hosted is not None:
        by_token = hosted.build(setting)
        if not isinstance(by_token, Unavailable):
            found["hosted"] = HourlyRates(_rate(setting, by_token.lines, everything))
    return found, tuple(missing)


def _rate(setting: PlanContext, lines: tuple[Line, ...], need: DemandLayer) -> Array:
    """USD for each useful hour, by month; with tax as a share of the whole bill."""
    hours = np.broadcast_to(need.busy_hours, setting.timeline.runs.shape)
    bare = np.broadcast_to(Ledger("", lines).monthly_usd, hours.shape)
    rate = np.divide(bare, hours, out=np.zeros(hours.shape), where=hours > _NO_HOURS)
    worth = np.asarray(factors(setting))
    net, gross = float((_monthly_cash_flow(setting, lines) * worth).sum()), float((bare * worth).sum())
    return np.asarray(rate * (net / gross if gross > 0 else 1.0))
