"""Buy now, or rent now and buy later: the cost of a plan by the month of its order.

Until the machines come everything is rented, so waiting costs rent, less the running cost of owned machines. In return
prices may fall, and machines are younger at the end of the plan. All months are calculated in the ledger at once.

For futures, each is calculated for all months of the order at once, from the draws of the verdict. Waiting is compared
with ordering now within each future: a factor that makes both expensive says nothing about waiting. Last, the cost of
late delivery: rent until then, and less time to use the purchase.
"""

from dataclasses import dataclass

import numpy as np

from planner.money.finance import SolveResult, solve_result
from planner.money.formula import Num, first_draw
from planner.money.ledger import Treatment
from planner.money.many_ledgers import Array, InputColumns, option_builder
from planner.money.measures import monthly_discount_factors, present_usd
from planner.money.option import Option, SkippedOption, Unavailable, complete_ledger
from planner.money.owned_fleet import owned_fleet
from planner.money.owning.inputs import ORDER
from planner.money.plan import Plan, option, plan_from_context
from planner.money.setting import PlanContext
from planner.money.ways import on_demand, own
from planner.money.ways.own import LEAD_TIME
from planner.scenario.amounts import count
from planner.scenario.base import MONTHS_PER_YEAR
from planner.study.uncertainty.draws import draw_inputs
from planner.study.uncertainty.futures import plan_draws
from planner.study.uncertainty.uncertain_inputs import TAIL, uncertain_inputs

PRICE_CHANGE = "hardware_price_change_per_year"
COMPUTE_PRICE_CHANGE = "owned-hardware-price-change"
NO_FASTER = "none: machines do not become faster for the money"
_OF_HARDWARE: frozenset[Treatment] = frozenset({"capital", "sale"})


@dataclass(frozen=True, eq=False)
class Waiting:
    """The net present cost of the plan by the month of its order."""

    plan: Plan
    option: Option
    accelerators: int
    months: tuple[int, ...]  # of the order; 0 is now
    present_usd: Array  # by month of the order
    hardware_usd: Array  # of which machines: paid, less resale
    never: Option  # renting throughout
    lead_time_months: float
    price_change_per_year: float  # of new ones of the same product
    compute_price_change_per_year: float  # of the same rate, bought as whatever generation is the newest

    @property
    def title(self) -> str:
        """The title of the option to order."""
        return self.option.title

    @property
    def never_usd(self) -> float:
        """The cost of never ordering. [USD]"""
        return float(present_usd(self.plan.setting, self.never.ledger))

    @property
    def best_month(self) -> int | None:
        """The month in which to order; None where never buying costs less."""
        at = int(np.argmin(self.present_usd))
        return self.months[at] if float(self.present_usd[at]) < self.never_usd else None

    @property
    def now_usd(self) -> float:
        """The cost of ordering today. [USD]"""
        return float(self.present_usd[0])

    @property
    def best_usd(self) -> float:
        """The cost of the best month, or of never buying. [USD]"""
        return min(float(np.min(self.present_usd)), self.never_usd)

    @property
    def value_usd(self) -> Array:
        """The savings of waiting against ordering now, by month of the order; negative where it costs. [USD]"""
        return np.asarray(self.now_usd - self.present_usd)

    @property
    def gain_usd(self) -> Array:
        """The savings of waiting on machines, net of resale, by month of the order. [USD]"""
        return np.asarray(self.hardware_usd[0] - self.hardware_usd)

    @property
    def cost_usd(self) -> Array:
        """The cost of waiting in rent, less running costs not yet paid, by month of the order. [USD]"""
        return np.asarray(self.gain_usd - self.value_usd)

    @property
    def least_work_years(self) -> SolveResult:
        """The length of a computation above which waiting ends it sooner. [year]"""
        return least_work_years(doubling_years=doubling_years(price_change_per_year=self.compute_price_change_per_year))


@dataclass(frozen=True)
class BuyOrWaitUnavailable:
    """Why there is no order to delay."""

    reason: str


def waiting(plan: Plan) -> Waiting | BuyOrWaitUnavailable:
    """Return the cost by month of the order, while machines come before the plan ends, and of never ordering."""
    setting = plan.setting
    if setting.resolved is not None and setting.resolved.problems:
        return BuyOrWaitUnavailable("; ".join(setting.resolved.problems))
    delayed, never = _option_to_delay(plan), option(setting, "on_demand", on_demand.build)
    if isinstance(never, SkippedOption):
        return BuyOrWaitUnavailable(never.reason)
    if delayed is None:
        skipped = (each.reason for each in plan.absent if each.way == "own")
        return BuyOrWaitUnavailable(next(skipped, "buying was not chosen"))
    fleet = owned_fleet(setting, delayed)
    assert fleet is not None  # it could be built
    inputs = fleet.parts[0].sheet.used
    lead = first_draw(inputs[own.LEAD_TIME].value)
    last = int(np.ceil(_service_end(setting) - lead - 1e-9)) - 1
    if last < 0:
        return BuyOrWaitUnavailable(f"an order of today comes after {count(lead, 'month')}, when the plan is over")
    months = np.arange(last + 1)
    context = InputColumns(setting, {ORDER: months.astype(np.float64)}).context()
    built = option_builder(delayed)(context)
    if isinstance(built, Unavailable):  # a mix whose peaks nobody takes until the machines come
        return BuyOrWaitUnavailable(built.reason)
    by_month = complete_ledger(context, built.title, built.lines)
    lines = (line.priced_usd for line in by_month.lines if line.treatment in _OF_HARDWARE)
    hardware_usd = (sum(lines, np.zeros(1)) * monthly_discount_factors(context)).sum(axis=-1)
    return Waiting(
        plan=plan,
        option=delayed,
        accelerators=fleet.accelerators,
        months=tuple(months.tolist()),
        present_usd=np.broadcast_to(np.asarray(present_usd(context, by_month)), months.shape),
        hardware_usd=np.asarray(np.broadcast_to(hardware_usd, months.shape)),
        never=never,
        lead_time_months=lead,
        price_change_per_year=first_draw(inputs[PRICE_CHANGE].value),
        compute_price_change_per_year=setting.catalogue.facts[COMPUTE_PRICE_CHANGE].figure.newest.typical,
    )


def _service_end(setting: PlanContext) -> float:
    return min(setting.scenario.own.resale_month or np.inf, setting.scenario.months)


def _option_to_delay(plan: Plan) -> Option | None:
    """Return the cheapest fleet, or the mix with an owned base where that is cheaper."""
    mix = plan.setting.scenario.mix
    ways = {"own", "mix"} if mix is not None and mix.own_accelerators > 0 else {"own"}
    owned = (option for option in plan.options if option.way in ways)
    return min(owned, key=lambda option: (float(present_usd(plan.setting, option.ledger)), option.key), default=None)


def doubling_years(*, price_change_per_year: Num) -> Num:
    """Return in how many years the same money buys twice as much. [year] Infinite where it buys no more."""
    change = np.log2(1 + np.asarray(price_change_per_year, dtype=np.float64))
    return np.where(change < 0, -1.0 / np.where(change < 0, change, -1.0), np.inf)[()]


def least_work_years(*, doubling_years: Num) -> SolveResult:
    """Return how long a fixed computation would have to take today for waiting to end it sooner. [year]

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
    """The cost of ordering in each month, and of never ordering, over some futures."""

    count: int
    low_usd: Array  # by month of the order: 10th percentile
    high_usd: Array  # 90th percentile
    value_low_usd: Array  # savings of waiting against ordering now, within each future
    value_high_usd: Array
    share_cheaper: Array  # of futures in which that month is cheaper than now; 0 for now itself
    never_buy_share: float  # of futures in which never buying is cheaper than buying now


def buy_or_wait_futures(comparison: Waiting) -> BuyOrWaitFutures | None:
    """Return the cost by month of the order over futures; None where nothing about it is uncertain."""
    setting, months = comparison.plan.setting, np.array(comparison.months, dtype=np.float64)
    # The later price of hardware matters only where something is ordered later.
    inputs = uncertain_inputs(plan_from_context(setting.with_tried({ORDER: float(months[-1])})))
    if not inputs:
        return None
    count = int(np.clip(_ROWS // len(months), _FEWEST, _MOST))
    columns = InputColumns(setting, draw_inputs(inputs, count, setting.scenario.seed))
    columns = columns.take(np.repeat(np.arange(count), len(months))).with_tried(ORDER, np.tile(months, count))
    usd = columns.present_usd((comparison.option,))[0].reshape(count, len(months))
    value = usd[:, :1] - usd
    low, high = np.quantile(usd, _ENDS, axis=0)
    value_low, value_high = np.quantile(value, _ENDS, axis=0)
    return BuyOrWaitFutures(
        count=count,
        low_usd=low,
        high_usd=high,
        value_low_usd=value_low,
        value_high_usd=value_high,
        share_cheaper=np.mean(value > 0, axis=0),
        never_buy_share=_never_buy_share(comparison),
    )


def _never_buy_share(comparison: Waiting) -> float:
    """Return the share of futures in which never buying is cheaper than buying now, in the draws of the verdict."""
    columns = InputColumns(comparison.plan.setting, plan_draws(comparison.plan)[1])
    never, now = columns.present_usd((comparison.never, comparison.option))
    return float(np.mean(never < now))


@dataclass(frozen=True)
class LateDelivery:
    """The extra net present cost of an order of today if its delivery takes so many months longer."""

    months_late: float
    lead_time_months: float  # as promised
    extra_usd: float
    is_delivered: bool  # before the plan ends


def late_delivery(comparison: Waiting, months_late: float = MONTHS_PER_YEAR) -> LateDelivery:
    """Return the cost of the same order with a longer lead time; rent fills the gap."""
    setting, lead = comparison.plan.setting, comparison.lead_time_months
    columns = InputColumns(setting, {LEAD_TIME: np.array([lead, lead + months_late])})
    in_time, late = columns.present_usd((comparison.option,))[0]
    return LateDelivery(months_late, lead, float(late - in_time), lead + months_late < _service_end(setting))
