"""The orders of a fleet in words and as a table: how many, when, what is paid, what is there then."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.owned_fleet import DeliveredOrder, owned_fleet, purchase_orders
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.table import Table
from planner.scenario.own import PurchaseOrder

_NAMED = 3  # orders that a sentence names; of more, the first ones and the rest together

USD_PAID, USD_FETCHED = "Machines, USD", "Fetch at the end, USD"


@dataclass(frozen=True, eq=False)
class FleetReport:
    """The machines of an option month by month, beside the demand."""

    way: EvaluatedOption
    orders: tuple[DeliveredOrder, ...]
    wanted: NDArray[np.float64]  # by month: the most at once
    busy: NDArray[np.float64]  # by month: on average
    owned: NDArray[np.float64]  # by month: that are there, on average over the month

    @property
    def rows(self) -> Table:
        """The orders, the first one first."""
        return Table.of(
            {
                "Ordered": order_date_text(order.ordered_after_months),
                "GPUs": order.accelerators,
                "What": order.what,
                "Spare boards": order.spare_accelerators,
                "There after, months": order.there_after_months,
                "GPUs then": order.fleet_accelerators,
                USD_PAID: order.usd,
                USD_FETCHED: order.resale_usd,
            }
            for order in self.orders
        )

    @property
    def finding(self) -> str:
        """Return the chart in a sentence."""
        name = WAYS[self.way.option.way].name
        most, last = f"{np.max(self.wanted):,.0f}", self.orders[-1]
        first = f"the work wants up to {float(self.wanted[1]):,.0f} GPUs in month 1 and {most} at the most"
        return f"{name}: {planned_orders_text(self.orders)}, {last.fleet_accelerators:,} in all; {first}."


def fleet_timeline(answer: Answer) -> FleetReport | None:
    """The fleet of the option that stands for owning, the answer's own first; None where nothing is bought."""
    ways = (answer.best, *(answer.pair or ()), answer.own)
    setting = answer.plan.setting
    for way in ways:
        fleet = None if way is None else owned_fleet(setting, way.option)
        if way is None or fleet is None or not fleet.comes:
            continue
        demand, months = setting.demand, setting.timeline.month.shape
        return FleetReport(
            way=way,
            orders=purchase_orders(setting, way.option),
            wanted=np.broadcast_to(demand.peak + demand.waiting_at_once, months),
            busy=np.broadcast_to(demand.all_hours / demand.plain.hours_per_month, months),
            owned=np.broadcast_to(fleet.stages.machines, months),
        )
    return None


def order_date_text(month: int) -> str:
    """Today; month 18."""
    return "today" if month == 0 else f"month {month}"


def order_schedule_text(orders: Sequence[PurchaseOrder]) -> str:
    """The orders of a plan: 16 today, 8 in month 18 and 18 more by month 48."""
    return _listed([(order.accelerators, order.month) for order in orders])


def planned_orders_text(orders: Sequence[DeliveredOrder]) -> str:
    """The same of orders that were calculated."""
    return _listed([(order.accelerators, order.ordered_after_months) for order in orders])


def _listed(orders: Sequence[tuple[int, int]]) -> str:
    named = orders if len(orders) <= _NAMED else orders[: _NAMED - 1]
    parts = [f"{many:,} {'today' if month == 0 else f'in month {month}'}" for many, month in named]
    rest = orders[len(named) :]
    if rest:
        parts.append(f"{sum(many for many, _ in rest):,} more by month {rest[-1][1]}")
    return words.listed(parts)
