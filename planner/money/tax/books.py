"""Tax: what is written off when, what that saves, losses kept for later, and the tax on a sale.

Conventions of every function here: the last axis is tax years, entry 0 is the first one, which starts today. Income and
savings are positive, tax paid is positive. Depreciation is no cash; only the tax it saves is. Book depreciation is a
separate schedule and never enters. Limits on how much of a loss may be used in one year are left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.money.finance import over_time
from planner.money.formula import Num
from planner.scenario.base import MONTHS_PER_YEAR


def straight_line_shares(*, years: int) -> NDArray[np.float64]:
    """The same share of the cost in each year. [1]"""
    return np.full(years, 1.0 / years)


def half_year_shares(*, years: int) -> NDArray[np.float64]:
    """Straight line, as if everything were bought in the middle of the first year: half a share at either end. [1]

    References
    ----------
    IRS Publication 946, How To Depreciate Property, ch. 4, half-year convention.
    """
    shares = np.full(years + 1, 1.0 / years)
    shares[[0, -1]] /= 2
    return shares


def depreciation_usd(*, cost_usd: Num, shares_by_year: ArrayLike, years: int) -> NDArray[np.float64]:
    """What is written off in each of the first `years` tax years. [USD] What lies beyond them is `tax_basis_usd`.

    References
    ----------
    IRS Publication 946, How To Depreciate Property, appendix A: share of the table times cost.
    """
    shares = np.asarray(shares_by_year, dtype=np.float64)
    kept = np.zeros(years)
    kept[: len(shares)] = shares[:years]
    return over_time(cost_usd) * kept


def tax_basis_usd(*, cost_usd: Num, shares_by_year: ArrayLike, years: int) -> Num:
    """What the tax books still hold after so many whole years. [USD]"""
    return cost_usd * np.sum(np.asarray(shares_by_year, dtype=np.float64)[years:])


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
    so_far = np.cumsum(taxable_usd, axis=-1) - over_time(losses_brought_usd)
    taxed = np.maximum(np.maximum.accumulate(so_far, axis=-1), 0.0)
    return np.asarray(np.diff(taxed, axis=-1, prepend=0.0) * over_time(tax_share))


def tax_shield_usd(*, deductible_usd: NDArray[np.float64], tax_share: Num) -> NDArray[np.float64]:
    """Tax saved by what may be deducted, for a company with enough other profit to use it at once. [USD/year]

    References
    ----------
    Brealey, Myers, Allen: Principles of Corporate Finance, 13th ed. 2020, ch. 6, depreciation tax shields.
    """
    return np.asarray(deductible_usd * over_time(tax_share))


def deferred_tax_shield_usd(
    *,
    deductible_usd: NDArray[np.float64],
    other_profit_usd: NDArray[np.float64],
    tax_share: Num,
    losses_brought_usd: Num,
) -> NDArray[np.float64]:
    """Tax saved by the same, for a company whose other profit decides when it can be used. [USD/year]

    The tax without the deduction less the tax with it. Without any profit nothing is saved; what is not used is kept.
    """
    without = tax_usd(taxable_usd=other_profit_usd, tax_share=tax_share, losses_brought_usd=losses_brought_usd)
    taxable_usd = other_profit_usd - deductible_usd
    return without - tax_usd(taxable_usd=taxable_usd, tax_share=tax_share, losses_brought_usd=losses_brought_usd)


def tax_on_sale_usd(*, proceeds_usd: Num, tax_basis_usd: Num, tax_share: Num) -> Num:
    """Tax on what a sale brings above what the tax books still hold; negative, a relief, where it brings less. [USD]"""
    return tax_share * (proceeds_usd - tax_basis_usd)


def after_tax_usd(
    *, saving_usd: NDArray[np.float64], depreciation_usd: NDArray[np.float64], tax_share: Num
) -> NDArray[np.float64]:
    """What is left of a yearly saving (rent avoided less own running cost) after tax. [USD/year]

    For a company with enough other profit. Rent is deductible as it is paid, so avoiding it is taxed; depreciation
    gives its share of tax back.
    """
    kept = saving_usd * (1 - over_time(tax_share))
    return kept + tax_shield_usd(deductible_usd=depreciation_usd, tax_share=tax_share)
