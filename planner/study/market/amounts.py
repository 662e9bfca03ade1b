"""Lengths of time and sums of money of a market study, as people say them."""

from __future__ import annotations

import math

from planner.scenario.base import DAYS_PER_YEAR, HOURS_PER_DAY


def length_of_time(days: float) -> tuple[str, str]:
    """A length of time as a number and its unit."""
    if days >= 2 * DAYS_PER_YEAR:
        return f"{days / DAYS_PER_YEAR:,.1f}", " years"
    if days >= 10:
        return f"{days:,.0f}", " days"
    if days >= 1:
        shown = f"{round(days, 1):g}"
        return shown, " day" if shown == "1" else " days"
    hours = days * HOURS_PER_DAY
    return (f"{hours:.1f}", " hours") if hours >= 1 else (f"{hours * 60:.0f}", " minutes")


def sum_of_money(usd: float) -> tuple[str, str]:
    """A sum, to three figures, as a number and what follows it."""
    size = float(f"{usd:.3g}")
    for unit, name in ((1e9, " billion"), (1e6, " million")):
        if size >= unit:
            return f"{size / unit:g}", name
    return (f"{size:,.0f}" if size >= 100 else f"{size:,.2f}"), ""


def time_words(days: float) -> str:
    """A length of time as people say it."""
    return "".join(length_of_time(days))


def usd_words(usd: float) -> str:
    """A sum as people say it, to three figures."""
    return "$" + "".join(sum_of_money(usd))


def enough_usd_words(usd: float) -> str:
    """A budget that a sum fits into, to three figures."""
    step = 10.0 ** max(math.floor(math.log10(max(usd, 1.0))) - 2, 0)
    return usd_words(math.ceil(usd / step) * step)
