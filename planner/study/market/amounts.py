"""Sums of money of a market study, as people say them."""

from __future__ import annotations

import math


def sum_of_money(usd: float) -> tuple[str, str]:
    """A sum, to three figures, as a number and what follows it."""
    size = float(f"{usd:.3g}")
    for unit, name in ((1e9, " billion"), (1e6, " million")):
        if size >= unit:
            return f"{size / unit:g}", name
    return (f"{size:,.0f}" if size >= 100 else f"{size:,.2f}"), ""


def usd_words(usd: float) -> str:
    """A sum as people say it, to three figures."""
    return "$" + "".join(sum_of_money(usd))


def enough_usd_words(usd: float) -> str:
    """A budget that a sum fits into, to three figures."""
    step = 10.0 ** max(math.floor(math.log10(max(usd, 1.0))) - 2, 0)
    return usd_words(math.ceil(usd / step) * step)
