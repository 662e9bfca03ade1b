"""The periods of accounts: years of the plan, or fiscal years and quarters from a month of the calendar.

The money of a month belongs to the period in which the month ends; today's to the one of today.
"""

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
