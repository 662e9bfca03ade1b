"""How a price moves over the plan: by a yearly rate of either sign, by a schedule, or as two quoted terms imply.

A path is a multiplier of today's price. Entry 0 is today and is 1; entry m is the price in force during month m, fixed
at its beginning, so that month 1 still pays today's price. Axes before the last are draws.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.money.finance import over_time
from planner.money.formula import Num
from planner.money.outcome import Solved, root, solved
from planner.scenario.base import MONTHS_PER_YEAR

Step = Literal["month", "year"]  # how often the price is set anew

# Yearly factors between which an implied path is looked for.
_LEAST, _MOST = 1e-4, 1e4

LONGER_COSTS_LESS = "none: the longer term costs no more in all than the shorter one"
OUT_OF_RANGE = "none: no yearly change between -99.99 % and +999,900 % explains these quotes"


def price_multipliers(*, change_per_year: Num, months: int, step: Step) -> NDArray[np.float64]:
    """A price that changes by the same share each year, in monthly steps or once a year. [1]

    `change_per_year` is -0.2 for a price that falls by a fifth and 0.1 for one that rises by a tenth.
    """
    elapsed_months = np.maximum(np.arange(months + 1) - 1, 0)
    years = elapsed_months / MONTHS_PER_YEAR if step == "month" else elapsed_months // MONTHS_PER_YEAR
    return np.asarray((1 + over_time(change_per_year)) ** years)


def later_price_multiplier(*, change_per_year: Num, years: Num) -> Num:
    """What a price has become after so many years, for hardware bought then. [1]"""
    return (1 + change_per_year) ** years


def scheduled_multipliers(*, levels: ArrayLike, months: int, step: Step) -> NDArray[np.float64]:
    """A price that follows a schedule: one multiplier for each year, or each month, of the plan. [1]

    The last axis of `levels` is the schedule; its last entry holds from then on. Entry 0 of the path is today's price.
    """
    levels = np.asarray(levels, dtype=np.float64)
    elapsed_months = np.arange(months)
    place = elapsed_months if step == "month" else elapsed_months // MONTHS_PER_YEAR
    held = levels[..., np.minimum(place, levels.shape[-1] - 1)]
    return np.concatenate([np.ones((*levels.shape[:-1], 1)), held], axis=-1)


def levels_from_changes(*, changes_per_year: ArrayLike) -> NDArray[np.float64]:
    """The schedule of a price that starts at today's and changes by these shares at the end of each year. [1]"""
    changes = np.asarray(changes_per_year, dtype=np.float64)
    later = np.cumprod(1 + changes, axis=-1)
    return np.concatenate([np.ones((*changes.shape[:-1], 1)), later], axis=-1)


def change_from_halving(*, halving_years: Num) -> Num:
    """The yearly change of a price that halves in so many years. [1/year] Performance per dollar doubles as fast."""
    return 2.0 ** (-1 / halving_years) - 1


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
