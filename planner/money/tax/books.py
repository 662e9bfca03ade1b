"""Tax years: monthly amounts by tax year and back, and the tax of a year with losses kept for later.

Conventions of every function here: the last axis is tax years, entry 0 is the first one, which starts today. Income and
savings are positive, tax paid is positive. Limits on how much of a loss may be used in one year are left out.
"""

import numpy as np
from numpy.typing import NDArray

from planner.money.finance import with_time_axis
from planner.money.formula import Num
from planner.scenario.base import MONTHS_PER_YEAR


def by_tax_year(*, usd: NDArray[np.float64]) -> NDArray[np.float64]:
    """Monthly amounts (entry 0 today) summed into tax years of twelve months; today belongs to the first. [USD/year]"""
    months = np.asarray(usd).shape[-1] - 1
    starts = np.arange(1, max(months, 1) + 1, MONTHS_PER_YEAR)
    starts[0] = 0
    return np.asarray(np.add.reduceat(np.asarray(usd, dtype=np.float64), starts, axis=-1))


def at_year_ends(*, usd_by_year: NDArray[np.float64], months: int) -> NDArray[np.float64]:
    """Yearly amounts on the axis of months: at each tax year's last month, the last year's at the last month. [USD]"""
    usd_by_year = np.asarray(usd_by_year, dtype=np.float64)
    years = usd_by_year.shape[-1]
    if years != -(-months // MONTHS_PER_YEAR):
        raise ValueError(f"want one amount for each tax year of {months} months, got {years}")
    usd = np.zeros((*usd_by_year.shape[:-1], months + 1))
    usd[..., np.minimum(MONTHS_PER_YEAR * np.arange(1, years + 1), months)] = usd_by_year
    return usd


def tax_usd(*, taxable_usd: NDArray[np.float64], tax_share: Num, losses_brought_usd: Num) -> NDArray[np.float64]:
    """Tax of each year when losses are kept and used up against later profits. [USD/year]

    What has ever been taxed is the highest that the sum of all profits so far has reached, less the losses brought in:
    while it is below an earlier height, losses are still being used up. Tax is never paid back.
    """
    so_far = np.cumsum(taxable_usd, axis=-1) - with_time_axis(losses_brought_usd)
    taxed = np.maximum(np.maximum.accumulate(so_far, axis=-1), 0.0)
    return np.asarray(np.diff(taxed, axis=-1, prepend=0.0) * with_time_axis(tax_share))
