"""Chargeback: what each of several users of an option pays of it, month by month, in whole cents.

A month's cost is what takes effect in it: what is bought, sold or borrowed is spread evenly over the months of the
plan, all else counts when it is paid. Each month is divided by weights: the hours that each has used, or its most at
once. What rounding leaves goes to the largest share, so that cents sum to the total.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger, Treatment

Rule = Literal["hours", "peak"]
SPREAD: frozenset[Treatment] = frozenset({"capital", "sale", "financing"})
Cents = NDArray[np.int64]


def effective_usd(ledger: Ledger, months: int) -> NDArray[np.float64]:
    """Return what takes effect in each month, from the first; together it is the total cash. [USD]"""
    total = np.zeros(months)
    for line in ledger.lines:
        if line.is_cash:
            usd = np.broadcast_to(line.priced_usd, (months + 1,))
            if line.treatment in SPREAD:
                total += usd.sum() / months
            else:
                total += usd[1:]
                total[0] += usd[0]  # what is paid today is in the first month
    return total


def chargeback_cents(usd: NDArray[np.float64], weights: NDArray[np.float64]) -> Cents:
    """Return the cents that each pays in each month, users x months; weights are users x months too.

    A month in which nobody has a weight is divided by the weights of all months.
    """
    monthly = in_cents(usd, round(float(usd.sum()) * 100))
    used = np.where(weights.sum(axis=0) > 0, weights, weights.sum(axis=1)[:, None])
    shares = used / used.sum(axis=0)
    columns = (in_cents(cents / 100 * share, int(cents)) for cents, share in zip(monthly, shares.T, strict=True))
    return np.stack(list(columns), axis=1)


def in_cents(usd: NDArray[np.float64], total: int) -> Cents:
    """Return amounts in cents that sum to a total; what rounding leaves goes to the largest."""
    cents = np.rint(usd * 100).astype(np.int64)
    cents[np.argmax(np.abs(usd))] += total - cents.sum()
    return cents
