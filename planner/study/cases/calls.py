"""The functions of the engine that a mapping may call, by name. A closed list: a new one is a row here.

Each is called by the names of its inputs, as it is in the engine. A few small ones, for lists and rounding, make the
inputs; they take them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.money import finance, payback, price_path
from planner.money.demand import queueing
from planner.money.formula import Num
from planner.money.tax import books
from pricing import Catalogue

ENGINE: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        *(finance.monthly_rate, finance.yearly_rate, finance.quoted_rate, finance.real_rate, finance.nominal_rate),
        *(finance.flow_years, finance.dated_years, finance.discount_factors, finance.npv_usd, finance.irr),
        *(finance.annuity_factor, finance.level_stream_usd, finance.equivalent_annual_usd),
        *(finance.loan_payment_usd, finance.loan_balance_usd, finance.implied_lease_rate),
        *(finance.levelised_usd_per_hour, payback.simple_payback, payback.discounted_payback),
        *(books.straight_line_shares, books.half_year_shares, books.depreciation_usd, books.tax_basis_usd),
        *(
            books.tax_usd,
            books.tax_shield_usd,
            books.deferred_tax_shield_usd,
            books.tax_on_sale_usd,
            books.after_tax_usd,
        ),
        *(price_path.price_multipliers, price_path.later_price_multiplier, price_path.scheduled_multipliers),
        *(price_path.levels_from_changes, price_path.change_from_halving, price_path.implied_change_per_year),
        *(queueing.waiting_probability, queueing.mean_wait_in_services, queueing.achievable_busy_share),
        *(queueing.slots_needed, queueing.preemption_stretch, queueing.interruptions_at_stretch),
        *(queueing.best_checkpoint_interval_hours, queueing.young_interval_hours, queueing.failure_waste_share),
        *(queueing.job_hours_between_failures, queueing.least_busy_share_to_own),
        *(queueing.expected_usd_per_hour, queueing.units_to_own),
    )
}


def flow(*, today: Num, then: Num, times: int, at_end: Num = 0.0) -> NDArray[np.float64]:
    """Money of today, the same amount so many times after it, and something more beside the last."""
    usd = np.full(times + 1, then, dtype=np.float64)
    usd[0] = today
    usd[-1] += at_end
    return usd


def periods(*, times: int) -> NDArray[np.float64]:
    """0, 1, 2 … so many: when the entries of a flow fall that has one for each period."""
    return np.arange(times + 1, dtype=np.float64)


def first_month(*, usd: NDArray[np.float64], rate_per_year: Num, years: ArrayLike) -> Any:
    """The first whole entry by which a flow has come back, at present values. Else the reason why it never does."""
    found = payback.discounted_payback(usd=usd, rate_per_year=rate_per_year, years=years)
    return float(found.month) if found.found else str(found.reason)


def days(since: str, until: str) -> float:
    """Days between two days of the calendar."""
    return float((date.fromisoformat(until) - date.fromisoformat(since)).days)


def at(numbers: Num, place: int) -> Num:
    """One entry of a list, counted from 1."""
    if not 1 <= place <= np.size(numbers):
        raise ValueError(f"there is no entry {place}, the list has {np.size(numbers)}")
    return float(np.ravel(numbers)[place - 1])


def total(numbers: Num) -> Num:
    """The sum of a list."""
    return float(np.sum(numbers))


def running_total(numbers: Num) -> Num:
    """The sums of a list so far."""
    return np.cumsum(numbers)


def mean(numbers: Num) -> Num:
    """The mean of a list."""
    return float(np.mean(numbers))


def largest(numbers: Num) -> Num:
    """The largest of a list."""
    return float(np.max(numbers))


def smallest(numbers: Num) -> Num:
    """The smallest of a list."""
    return float(np.min(numbers))


def floor(number: Num) -> Num:
    """The whole number below."""
    return np.floor(number)


def rounded(number: Num, digits: int = 0) -> Num:
    """Rounded to so many digits after the point, as sources print their steps."""
    return np.round(number, digits)


def log(number: Num) -> Num:
    """The natural logarithm."""
    return np.log(number)


def exp(number: Num) -> Num:
    """e to that power."""
    return np.exp(number)


HELPERS: dict[str, Callable[..., Any]] = {
    helper.__name__: helper
    for helper in (
        *(
            flow,
            periods,
            first_month,
            days,
            at,
            total,
            running_total,
            mean,
            largest,
            smallest,
            floor,
            rounded,
            log,
            exp,
        ),
    )
}


def calls(catalogue: Catalogue) -> Mapping[str, Callable[..., Any]]:
    """Everything a mapping may call, with the tax schedules of a catalogue."""

    def schedule(schedule: str) -> NDArray[np.float64]:
        """The shares of a cost that a schedule writes off, year by year."""
        known = catalogue.schedules
        if schedule not in known:
            raise ValueError(f"want one of {', '.join(known)}")
        return np.array(known[schedule].shares_by_year)

    return {**ENGINE, **HELPERS, "schedule": schedule}
