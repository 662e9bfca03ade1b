"""Textbook functions of loans, which the ledgers of loans and leases are compared with."""

from typing import Any

from planner.money.finance import annuity_factor


def monthly_rate(*, rate_per_year: float) -> float:
    """Return the rate per month that makes the yearly rate after twelve."""
    return (1 + rate_per_year) ** (1 / 12) - 1


def loan_payment_usd(
    *, principal_usd: Any, balloon_usd: Any, rate_per_period: Any, periods: Any, in_advance: bool
) -> Any:
    """Return the level payment that repays a loan; the balloon is due at the end of the last period."""
    owed = principal_usd - balloon_usd * (1 + rate_per_period) ** -periods
    return owed / annuity_factor(rate_per_period=rate_per_period, periods=periods, in_advance=in_advance)


def loan_balance_usd(
    *, principal_usd: Any, usd_per_period: Any, rate_per_period: Any, period: Any, in_advance: bool
) -> Any:
    """Return the debt at the end of a period."""
    paid = annuity_factor(rate_per_period=rate_per_period, periods=period, in_advance=in_advance)
    return (principal_usd - usd_per_period * paid) * (1 + rate_per_period) ** period
