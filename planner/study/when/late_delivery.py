"""What it costs if machines come later than promised: rent until then, and less time to use what was bought."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.money.many_ledgers import Columns, builder_of
from planner.money.ways.own import LEAD_TIME
from planner.scenario.base import MONTHS_PER_YEAR
from planner.study.when.buy_or_wait import Waiting


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
    late = Columns(setting, {LEAD_TIME: np.array([lead, lead + months_late])})
    in_time, later = late.present_usd([builder_of(found.bought_as)])[0]
    until = min(setting.scenario.own.resale_month or np.inf, setting.scenario.months)
    return LateDelivery(months_late, lead, float(later - in_time), lead + months_late < until)
