"""How prices move: the yearly rate that two quoted terms imply."""

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import Num
from planner.money.outcome import Solved, root, solved
from planner.scenario.base import MONTHS_PER_YEAR

# Yearly factors between which an implied path is looked for.
_LEAST, _MOST = 1e-4, 1e4

LONGER_COSTS_LESS = "none: the longer term costs no more in all than the shorter one"
OUT_OF_RANGE = "none: no yearly change between -99.99 % and +999,900 % explains these quotes"


def implied_change_per_year(
    *, short_usd_per_hour: Num, short_months: Num, long_usd_per_hour: Num, long_months: Num
) -> Solved:
    """The yearly price change at which a long commitment costs as much as short ones in a row. [1/year]

    Not discounted. For 1 against 3 years: 3 * long = short * (1 + f + f ** 2), and f - 1 is the change. It is what the
    seller's two quotes say together, not a forecast: a discount for commitment is in it too.
    """
    ratio = np.asarray(np.divide(long_usd_per_hour, short_usd_per_hour))
    short, long = (np.asarray(months, dtype=np.float64) for months in (short_months, long_months))

    def mean_over_ratio(log_growth: NDArray[np.float64]) -> NDArray[np.float64]:
        per_month = log_growth / MONTHS_PER_YEAR
        return np.asarray(_mean_price(per_month, long) / _mean_price(per_month, short) - ratio)

    shape = np.broadcast(ratio, short, long).shape
    log_growth = root(mean_over_ratio, low=np.full(shape, np.log(_LEAST)), high=np.full(shape, np.log(_MOST)))
    change = np.expm1(log_growth)
    return solved(change, reasons={LONGER_COSTS_LESS: ratio * long <= short, OUT_OF_RANGE: np.isnan(change)})


def _mean_price(log_growth_per_month: NDArray[np.float64], months: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over the first `months` of a price that starts at 1, up to a factor that is the same for any length."""
    flat = log_growth_per_month == 0
    some = np.where(flat, 1.0, log_growth_per_month)
    return np.asarray(np.where(flat, 1.0, np.expm1(some * months) / (some * months)))
