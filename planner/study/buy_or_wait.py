"""Buy now, or rent now and buy later: what a plan costs when the order is put off, month by month.

Until the machines come everything is rented, so waiting costs rent, less what running one's own would have cost. What
it brings is a lower price, where prices fall, and machines that are younger at the end of the plan. All months are
reckoned in the ledger at once.

In many futures each is worked out for all months of the order at once, from the same draws that the verdict rests on.
Waiting is compared with ordering now within each future: what makes both expensive says nothing about waiting. Last,
what machines cost that come later than promised: rent until then, and less time to use what was bought.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.finance import SolveResult, solve_result
from planner.money.formula import Num
from planner.money.ledger import Ledger, Treatment
from planner.money.many_ledgers import InputColumns, build_ledger, option_builder
from planner.money.measures import factors, present_usd
from planner.money.option import Option
from planner.money.owned_fleet import owned_fleet
from planner.money.owning.inputs import ORDER
from planner.money.plan import Plan, plan_from_context
from planner.money.setting import PlanContext
from planner.money.ways import on_demand, own
from planner.money.ways.ledger_of_way import Unavailable
from planner.money.ways.own import LEAD_TIME
from planner.scenario.amounts import count
from planner.scenario.base import MONTHS_PER_YEAR
from planner.study.uncertainty.draws import drawn
from planner.study.uncertainty.futures import futures
from planner.study.uncertainty.uncertain_inputs import TAIL, doubtful

Array = NDArray[np.float64]

PRICE_CHANGE = "hardware_price_change_per_year"
NO_FASTER = "none: machines do not become faster for the money"
_OF_HARDWARE: frozenset[Treatment] = frozenset({"capital", "sale"})


@dataclass(frozen=True, eq=False)
class Waiting:
    """What the plan costs if the machines are ordered after so many months, in today's money."""

    plan: Plan
    bought_as: Option
    accelerators: int
    months: tuple[int, ...]  # of the order; 0 is now
    present_usd: Array  # by month of the order
    hardware_usd: Array  # of which machines: paid, less what they fetch
    never_usd: float  # renting all along
    lead_time_months: float
    price_change_per_year: float

    @property
    def title(self) -> str:
        """What is bought: the title of its option."""
        return self.bought_as.title

    @property
    def best_month(self) -> int | None:
        """The month in which to order; None where never buying costs less."""
        at = int(np.argmin(self.present_usd))
        return self.months[at] if float(self.present_usd[at]) < self.never_usd else None

    @property
    def now_usd(self) -> float:
        """What ordering today costs. [USD]"""
        return float(self.present_usd[0])

    @property
    def best_usd(self) -> float:
        """What the best of all months, or never buying, comes to."""
        return min(float(np.min(self.present_usd)), self.never_usd)

    @property
    def value_usd(self) -> Array:
        """What waiting is worth against ordering now, by month of the order; negative where it costs."""
        return np.asarray(self.now_usd - self.present_usd)

    @property
    def gain_usd(self) -> Array:
        """What waiting saves on machines, all that they fetch set against it, by month of the order. [USD]"""
        return np.asarray(self.hardware_usd[0] - self.hardware_usd)

    @property
    def cost_usd(self) -> Array:
        """What waiting costs in rent, less the running costs that are not there yet, by month of the order. [USD]"""
        return np.asarray(self.gain_usd - self.value_usd)

    @property
    def least_work_years(self) -> SolveResult:
        """How long a computation would have to take today for waiting to end it sooner. [year]"""
        return least_work_years(doubling_years=doubling_years(price_change_per_year=self.price_change_per_year))


@dataclass(frozen=True)
class BuyOrWaitUnavailable:
    """Why there is nothing to put off."""

    reason: str


def waiting(plan: Plan) -> Waiting | BuyOrWaitUnavailable:
    """What ordering costs in each month in which machines would still come before the plan ends, and never ordering."""
    setting = plan.setting
    if setting.resolved is not None and setting.resolved.problems:
        return BuyOrWaitUnavailable("; ".join(setting.resolved.problems))
    bought_as = _cheapest(plan)
    never = on_demand.build(setting)
    if bought_as is None or isinstance(never, Unavailable):
        return BuyOrWaitUnavailable(never.reason if isinstance(never, Unavailable) else _why_not(plan))
    build, fleet = option_builder(bought_as), owned_fleet(setting, bought_as)
    assert fleet is not None  # it could be built
    said = fleet.parts[0].sheet.used
    lead = own.first(said[own.LEAD_TIME].value)
    until = min(setting.scenario.own.resale_month or np.inf, setting.scenario.months)
    last = int(np.ceil(until - lead - 1e-9)) - 1
    if last < 0:
        return BuyOrWaitUnavailable(f"what is ordered now comes after {count(lead, 'month')}, when the plan is over")
    months = np.arange(last + 1)
    there = InputColumns(setting, {ORDER: months.astype(np.float64)}).context()
    by_month = build_ledger(there, build)
    rented = build_ledger(setting, on_demand.build)
    assert by_month is not None  # it could be built for today
    assert rented is not None
    return Waiting(
        plan=plan,
        bought_as=bought_as,
        accelerators=fleet.accelerators,
        months=tuple(int(month) for month in months),
        present_usd=np.broadcast_to(np.asarray(present_usd(there, by_month)), months.shape),
        hardware_usd=_hardware_usd(there, by_month, len(months)),
        never_usd=float(present_usd(setting, rented)),
        lead_time_months=lead,
        price_change_per_year=own.first(said[PRICE_CHANGE].value),
    )


def _cheapest(plan: Plan) -> Option | None:
    """What would be bought: the cheapest fleet, or the mix with a base of one's own where that is cheaper."""
    mix = plan.setting.scenario.mix
    based = mix is not None and mix.own_accelerators > 0
    bought = [one for one in plan.options if one.way == "own" or (one.way == "mix" and based)]
    return min(bought, key=lambda one: (float(present_usd(plan.setting, one.ledger)), one.key), default=None)


def _why_not(plan: Plan) -> str:
    return next((one.reason for one in plan.absent if one.way == "own"), "buying was not asked for")


def _hardware_usd(setting: PlanContext, ledger: Ledger, months: int) -> Array:
    usd = sum((line.priced_usd for line in ledger.lines if line.treatment in _OF_HARDWARE), np.zeros(1))
    return np.asarray(np.broadcast_to((usd * factors(setting)).sum(axis=-1), months))


def doubling_years(*, price_change_per_year: Num) -> Num:
    """In how many years the same money buys twice as much. [year] Infinite where it buys no more."""
    change = np.log2(1 + np.asarray(price_change_per_year, dtype=np.float64))
    return np.where(change < 0, -1.0 / np.where(change < 0, change, -1.0), np.inf)[()]


def least_work_years(*, doubling_years: Num) -> SolveResult:
    """How long a fixed computation would have to take today for waiting to end it sooner. [year]

    References
    ----------
    C. Gottbrath, J. Bailin, C. Meakin, T. Thompson, J. J. Charfman: The effects of Moore's law and slacking on large
    computations, 1999.
    """
    doubling = np.asarray(doubling_years, dtype=np.float64)
    return solve_result(doubling / np.log(2), reasons={NO_FASTER: ~np.isfinite(doubling)})


_ROWS, _FEWEST, _MOST = 8_192, 64, 256  # futures x months; futures
_ENDS = (TAIL, 1 - TAIL)


@dataclass(frozen=True, eq=False)
class BuyOrWaitFutures:
    """Ordering in each month, and never, in some futures."""

    count: int
    low_usd: Array  # by month of the order: 10th percentile of the futures; holds the typical cost
    high_usd: Array  # and above
    value_low_usd: Array  # of what waiting is worth against ordering now, within each future
    value_high_usd: Array
    share_cheaper: Array  # of futures in which that month is cheaper than now; 0 for now itself
    share_never: float  # of futures in which never buying is cheaper than buying now


def buy_or_wait_futures(found: Waiting) -> BuyOrWaitFutures | None:
    """What ordering in each month costs in its futures; None where nothing about it is uncertain."""
    setting, months = found.plan.setting, np.array(found.months, dtype=np.float64)
    # What hardware costs later matters only where something is ordered later.
    inputs = doubtful(plan_from_context(setting.with_tried({ORDER: float(months[-1])})))
    if not inputs:
        return None
    count = int(np.clip(_ROWS // len(months), _FEWEST, _MOST))
    draws = drawn(inputs, count, setting.scenario.seed)
    every = (
        InputColumns(setting, draws)
        .take(np.repeat(np.arange(count), len(months)))
        .with_tried(ORDER, np.tile(months, count))
    )
    usd = every.present_usd([option_builder(found.bought_as)])[0].reshape(count, len(months))
    value = usd[:, :1] - usd
    low, high = np.quantile(usd, _ENDS, axis=0)
    value_low, value_high = np.quantile(value, _ENDS, axis=0)
    return BuyOrWaitFutures(
        count=count,
        low_usd=np.minimum(low, found.present_usd),
        high_usd=np.maximum(high, found.present_usd),
        value_low_usd=value_low,
        value_high_usd=value_high,
        share_cheaper=np.mean(value > 0, axis=0),
        share_never=_never_buy_share(found),
    )


def _never_buy_share(found: Waiting) -> float:
    """The share of futures in which never buying is cheaper than buying now, in the very draws of the verdict."""
    sure = futures(found.plan)
    if sure is None:
        return 0.0
    builders = [on_demand.build, option_builder(found.bought_as)]
    never, now = InputColumns(found.plan.setting, sure.draws).present_usd(builders)
    return float(np.mean(never < now))


@dataclass(frozen=True)
class LateDelivery:
    """What an order of today costs more in today's money if its delivery takes so many months longer."""

    months_late: float
    lead_time_months: float  # as it was promised
    extra_usd: float
    ever_comes: bool  # before the plan ends


def late_delivery(found: Waiting, months_late: float = MONTHS_PER_YEAR) -> LateDelivery:
    """The same order with a longer delivery, everything else as it was; rent fills the gap."""
    setting, lead = found.plan.setting, found.lead_time_months
    late = InputColumns(setting, {LEAD_TIME: np.array([lead, lead + months_late])})
    in_time, later = late.present_usd([option_builder(found.bought_as)])[0]
    until = min(setting.scenario.own.resale_month or np.inf, setting.scenario.months)
    return LateDelivery(months_late, lead, float(later - in_time), lead + months_late < until)
