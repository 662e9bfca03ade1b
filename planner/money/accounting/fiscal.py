"""The periods of accounts: years of the plan, or fiscal years and quarters from a month of the calendar.

The money of a month belongs to the period in which the month ends; today's to the one of today.
Bills beside the plan: the difference by price, volume and mix, and what the rest of the plan comes to.

A kind of supply is what is bought at one sort of price: machine hours on demand, committed or on spot. For hours the
difference is split in three parts that sum to it; what is billed otherwise is one part of its own.

References
----------
Horngren, Datar, Rajan: Cost Accounting, 16th ed. 2018, ch. 14: sales-quantity, sales-mix and price variances.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.money.finance import days_since
from planner.money.setting import PlanContext
from planner.scenario.base import MONTHS_PER_YEAR

TODAY = "Today"
_QUARTER = 3  # months


class Periods(NamedTuple):
    """Periods in their order, and the one that each month is in, entry 0 being today."""

    labels: tuple[str, ...]
    of_month: NDArray[np.intp]

    def sums(self, usd: NDArray[np.float64]) -> list[float]:
        """Return what moves in each period."""
        return list(np.bincount(self.of_month[: len(usd)], usd, len(self.labels)).astype(float))

    def ends(self, usd: NDArray[np.float64]) -> list[float]:
        """Return what there is at the end of each period."""
        last = np.searchsorted(self.of_month, np.arange(len(self.labels)), side="right") - 1
        return list(np.asarray(usd)[last])

    def by_label(self, usd: NDArray[np.float64]) -> dict[str, float]:
        """Return what moves in each period by its label."""
        return dict(zip(self.labels, self.sums(usd), strict=True))


def periods(
    setting: PlanContext, months: int | None = None, *, quarters: bool = False, has_today: bool = True
) -> Periods:
    """Return the periods of so many months after today: fiscal where the plan says when a fiscal year starts.

    Else they are years of twelve months; today stands before them, or in the first.
    """
    months = setting.timeline.last if months is None else months
    start = setting.scenario.accounting.fiscal_year_starts
    if start is not None:
        return _in_order([fiscal_label(day, start, quarters=quarters) for day in month_days(setting, months)])
    span, name = (_QUARTER, "Quarter") if quarters else (MONTHS_PER_YEAR, "Year")
    return _in_order([TODAY if has_today else f"{name} 1", *(f"{name} {1 + month // span}" for month in range(months))])


def month_days(setting: PlanContext, months: int) -> list[date]:
    """Return today and the last day of each month of the plan."""
    return [setting.day + timedelta(days=int(days)) for days in days_since(day=setting.day, months=months)]


def fiscal_label(day: date, start: int, *, quarters: bool) -> str:
    """Return the fiscal year of a day, named after the year it ends in, and its quarter: FY 2027 Q2."""
    year = day.year + int(start > 1 and day.month >= start)
    quarter = f" Q{1 + (day.month - start) % MONTHS_PER_YEAR // _QUARTER}" if quarters else ""
    return f"FY {year}{quarter}"


def _in_order(labels: list[str]) -> Periods:
    names = tuple(dict.fromkeys(labels))
    return Periods(names, np.array([names.index(label) for label in labels], dtype=np.intp))


Array = NDArray[np.float64]
_NO_HOURS = 1e-9  # fewer are none


@dataclass(frozen=True, eq=False)
class Spending:
    """What is paid by month, and the hours that are bought with it, by kind; hours only of what has them."""

    usd: dict[str, Array] = field(default_factory=dict)
    hours: dict[str, Array] = field(default_factory=dict)

    def add(self, kind: str, usd: Array, hours: Array | None = None) -> None:
        """Add amounts of a kind."""
        self.usd[kind] = self.usd.get(kind, np.zeros(1)) + usd
        if hours is not None:
            self.hours[kind] = self.hours.get(kind, np.zeros(1)) + hours

    @property
    def total_usd(self) -> Array:
        """What is paid for all kinds by month."""
        return np.asarray(sum(self.usd.values(), np.zeros(1)))

    def sums(self, until: int) -> tuple[dict[str, float], dict[str, float]]:
        """Return dollars and hours by kind over the first months, today being in the first."""
        usd, hours = (
            {kind: float(each[: until + 1].sum()) for kind, each in of.items()} for of in (self.usd, self.hours)
        )
        return usd, hours


class Variance(NamedTuple):
    """The actual cost less the planned one, and its parts. [USD] More than planned is positive."""

    planned_usd: float
    actual_usd: float
    price_usd: float
    volume_usd: float
    mix_usd: float
    other_usd: float  # of what has no hours


class Forecast(NamedTuple):
    """What the plan comes to, with what was paid in place of what was planned. [USD]"""

    planned_usd: float
    as_planned_usd: float  # the months that are left as planned
    at_rate_usd: float  # the same, hours at the cost that they have had so far


def variance(planned: Spending, actual: Spending, until: int) -> Variance:
    """Return the variance over the first months."""
    (plan_usd, plan_hours), (paid_usd, paid_hours) = planned.sums(until), actual.sums(until)
    kinds = plan_hours.keys() | paid_hours.keys()
    split = _split(
        {kind: (plan_hours.get(kind, 0.0), plan_usd.get(kind, 0.0)) for kind in kinds},
        {kind: (paid_hours.get(kind, 0.0), paid_usd.get(kind, 0.0)) for kind in kinds},
    )
    total, before = sum(paid_usd.values()), sum(plan_usd.values())
    return Variance(before, total, *split, total - before - sum(split))


def _split(
    planned: Mapping[str, tuple[float, float]], actual: Mapping[str, tuple[float, float]]
) -> tuple[float, float, float]:
    """Return the parts of a difference by price, volume and mix, from hours and dollars of each kind."""
    hours, usd = (sum(each[place] for each in planned.values()) for place in (0, 1))
    now, paid = (sum(each[place] for each in actual.values()) for place in (0, 1))
    if hours <= _NO_HOURS:  # nothing was planned: all of it is more volume
        return 0.0, paid - usd, 0.0
    mean = usd / hours
    prices = {kind: dollars / of if of > _NO_HOURS else mean for kind, (of, dollars) in planned.items()}
    at_plan = sum(of * prices[kind] for kind, (of, _) in actual.items())
    return paid - at_plan, (now - hours) * mean, at_plan - now * mean


def forecast(planned: Spending, actual: Spending, until: int) -> Forecast:
    """Return what the plan comes to after so many months of bills."""
    (plan_usd, _), (paid_usd, _) = planned.sums(until), actual.sums(until)
    whole, total = planned.total_usd, sum(paid_usd.values())
    of_hours = np.asarray(sum((planned.usd[kind] for kind in planned.hours), np.zeros(1)))
    before = sum(plan_usd[kind] for kind in planned.hours)
    rate = sum(paid_usd.get(kind, 0.0) for kind in planned.hours | actual.hours) / before if before > 0 else 1.0
    rest, rest_of_hours = float(whole[until + 1 :].sum()), float(of_hours[until + 1 :].sum())
    return Forecast(float(whole.sum()), total + rest, total + rest + (rate - 1) * rest_of_hours)
