"""Orders in time for the work: where it grows, a fleet is bought as it is needed and not for its last month at once."""

import numpy as np

from planner.money.owning.inputs import lead_time
from planner.money.setting import PlanContext
from planner.money.sizing import min_fleet_until, server_size
from planner.scenario.own import MOST_ORDERS, PurchaseOrder
from pricing.caching import cached

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
    found = _ordered(setting, accelerators)
    return () if len(found) == 1 and found[0].month == setting.scenario.own.order_month else found


def is_steady(setting: PlanContext) -> bool:
    """Whether the work wants as many in every month."""
    there = setting.usual_demand
    return bool(np.ptp(there.peak) == 0 and np.ptp(there.waiting_hours) == 0 and np.ptp(there.waiting_at_once) == 0)


@cached(8)
def _ordered(setting: PlanContext, accelerators: int) -> tuple[PurchaseOrder, ...]:
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
