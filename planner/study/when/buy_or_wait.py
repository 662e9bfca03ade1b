"""Buy now, or rent now and buy later: what a plan costs when the order is put off, month by month.

Until the machines come everything is rented, so waiting costs rent, less what running one's own would have cost. What
it brings is a lower price, where prices fall, and machines that are younger at the end of the plan. All months are
reckoned in the ledger at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import Num
from planner.money.ledger import Ledger, Treatment
from planner.money.many_ledgers import Columns, builder_of, ledger_at
from planner.money.measures import factors, present_usd
from planner.money.option import Option
from planner.money.outcome import Solved, solved
from planner.money.owned_fleet import owned_fleet
from planner.money.owning.inputs import ORDER
from planner.money.plan import Plan
from planner.money.setting import Setting
from planner.money.ways import on_demand, own
from planner.money.ways.ledger_of_way import Unavailable
from planner.scenario.amounts import count

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
    def least_work_years(self) -> Solved:
        """How long a computation would have to take today for waiting to end it sooner. [year]"""
        return least_work_years(doubling_years=doubling_years(price_change_per_year=self.price_change_per_year))


@dataclass(frozen=True)
class NoWaiting:
    """Why there is nothing to put off."""

    reason: str


def waiting(plan: Plan) -> Waiting | NoWaiting:
    """What ordering costs in each month in which machines would still come before the plan ends, and never ordering."""
    setting = plan.setting
    if setting.asked is not None and setting.asked.problems:
        return NoWaiting("; ".join(setting.asked.problems))
    bought_as = _cheapest(plan)
    never = on_demand.build(setting)
    if bought_as is None or isinstance(never, Unavailable):
        return NoWaiting(never.reason if isinstance(never, Unavailable) else _why_not(plan))
    build, fleet = builder_of(bought_as), owned_fleet(setting, bought_as)
    assert fleet is not None  # it could be built
    said = fleet.parts[0].put.used
    lead = own.first(said[own.LEAD_TIME].value)
    until = min(setting.scenario.own.resale_month or np.inf, setting.scenario.months)
    last = int(np.ceil(until - lead - 1e-9)) - 1
    if last < 0:
        return NoWaiting(f"what is ordered now comes after {count(lead, 'month')}, when the plan is over")
    months = np.arange(last + 1)
    there = Columns(setting, {ORDER: months.astype(np.float64)}).at()
    by_month = ledger_at(there, build)
    rented = ledger_at(setting, on_demand.build)
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


def _hardware_usd(setting: Setting, ledger: Ledger, months: int) -> Array:
    usd = sum((line.priced_usd for line in ledger.lines if line.treatment in _OF_HARDWARE), np.zeros(1))
    return np.asarray(np.broadcast_to((usd * factors(setting)).sum(axis=-1), months))


def doubling_years(*, price_change_per_year: Num) -> Num:
    """In how many years the same money buys twice as much. [year] Infinite where it buys no more."""
    change = np.log2(1 + np.asarray(price_change_per_year, dtype=np.float64))
    return np.where(change < 0, -1.0 / np.where(change < 0, change, -1.0), np.inf)[()]


def least_work_years(*, doubling_years: Num) -> Solved:
    """How long a fixed computation would have to take today for waiting to end it sooner. [year]

    References
    ----------
    C. Gottbrath, J. Bailin, C. Meakin, T. Thompson, J. J. Charfman: The effects of Moore's law and slacking on large
    computations, 1999.
    """
    doubling = np.asarray(doubling_years, dtype=np.float64)
    return solved(doubling / np.log(2), reasons={NO_FASTER: ~np.isfinite(doubling)})
