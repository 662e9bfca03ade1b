"""What the cash flow of an option amounts to: today's value, a year, an hour, and what it brings against another.

Costs are positive. Against a baseline (what would be done otherwise) a saving is positive: its net present value is the
baseline's present cost less the option's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.finance import (
    DUST,
    OutcomeReason,
    SolveResult,
    discount_factors,
    equivalent_annual_usd,
    flow_years,
    irr,
    levelised_usd_per_hour,
    modified_irr,
    real_rate,
)
from planner.money.formula import Num
from planner.money.ledger import COMPUTED, NONCASH, Ledger, LedgerInput
from planner.money.row_sums import first_month_usd, worth_usd
from planner.money.setting import PlanContext
from planner.scenario.base import MONTHS_PER_YEAR
from pricing.caching import cached, cached_property

ALWAYS = OutcomeReason("always", "never costs more than the baseline")
REACHED = OutcomeReason("found", "payback reached and not reversed")
REACHED_AND_LOST = OutcomeReason("found", "paid back, but a later expense exceeds what had come back by then")
BY_SALE = OutcomeReason("found", "paid back only with what the sale brings")
NEVER_SAVES = OutcomeReason("never", "once the money is out, no month brings any back")
NEVER_IN_TIME = OutcomeReason("never", "what comes back does not reach what went out", " within these months")
NOT_COMPARED = OutcomeReason("none", "there are no two ways to compare")
ENDINGS = (ALWAYS, REACHED_AND_LOST, REACHED, NEVER_SAVES, NEVER_IN_TIME, NOT_COMPARED, BY_SALE)
_WORDS = np.array(
    [
        f"no payback needed: {one.detail}" if one is ALWAYS else one.detail if one.word == "found" else str(one)
        for one in ENDINGS
    ]
)


@dataclass(frozen=True, eq=False)
class Payback:
    """The month in which the money is back, for each entry, and how that ended."""

    month: Num  # the first whole month with everything back, 0 where always; not-a-number where never
    months: Num  # the same to the part of a month, money moving evenly within it
    ending: NDArray[np.intp]  # its place in ENDINGS

    @property
    def reason(self) -> NDArray[np.str_]:
        """Why there is a month, or none, in words."""
        return np.asarray(_WORDS[self.ending])

    @property
    def is_by_sale(self) -> bool:
        """Whether only the sale brings the money back, of a single entry."""
        return bool(np.all(self.ending == ENDINGS.index(BY_SALE)))

    @property
    def is_found(self) -> NDArray[np.bool_]:
        """Whether the money comes back, for each entry."""
        return np.asarray(np.isfinite(self.month))

    def at(self, index: int) -> Payback:
        """The payback of one entry."""
        month, months = (float(np.asarray(number)[index]) for number in (self.month, self.months))
        return Payback(month, months, np.asarray(self.ending[index]))


def simple_payback(*, usd: NDArray[np.float64]) -> Payback:
    """The month by which the sum of all amounts is no longer negative. [month]

    Entry 0 is today, entry m is month m; money saved or coming in is positive, money paid out negative. Money that only
    goes out later (an order with a lead time) counts from then. Amounts are cash: taking depreciation off them as well
    would count the purchase twice. What comes after, and the price of waiting, are left out.

    References
    ----------
    Brealey, Myers, Allen: Principles of Corporate Finance, 13th ed. 2020, ch. 5, payback and discounted payback.
    """
    usd = np.asarray(usd, dtype=np.float64)
    balance = np.cumsum(usd, axis=-1)
    in_debt = balance < -DUST * np.cumsum(np.abs(usd), axis=-1)
    was_in_debt = np.logical_or.accumulate(in_debt, axis=-1)
    back = was_in_debt & ~in_debt
    month = np.argmax(back, axis=-1)
    ever, always = back.any(axis=-1), ~in_debt.any(axis=-1)
    lost = (in_debt & np.logical_or.accumulate(back, axis=-1)).any(axis=-1)
    saves = (was_in_debt[..., :-1] & (usd[..., 1:] > 0)).any(axis=-1)
    ended = {ALWAYS: always, REACHED_AND_LOST: ever & lost, REACHED: ever, NEVER_SAVES: ~saves}
    ending = np.select(list(ended.values()), [ENDINGS.index(name) for name in ended], ENDINGS.index(NEVER_IN_TIME))
    whole = np.where(always, 0.0, np.where(ever, month, np.nan))
    return Payback(whole[()], np.where(ever, month - _unused_month_share(usd, balance, month), whole)[()], ending)


def _unused_month_share(
    usd: NDArray[np.float64], balance: NDArray[np.float64], month: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The part of the last month that was not needed to get the money back."""
    came, over = (np.take_along_axis(array, month[..., None], axis=-1)[..., 0] for array in (usd, balance))
    return np.clip(over / np.where(came > 0, came, 1.0), 0.0, 1.0)


RATE = "discount_rate_per_year"
WORTH = "worth_today"
_KEPT = 16  # settings


@dataclass(frozen=True, eq=False)
class Measures:
    """One option in the numbers a finance team asks for. Arrays where the ledger holds several draws."""

    present_usd: Num
    total_usd: Num  # the plain sum of all months
    bills_usd: Num  # of it what is paid: the total of the cash
    cash_today_usd: Num
    eac_usd_per_year: Num  # the level yearly cost that is worth as much: compares plans of different length
    usd_per_useful_hour: SolveResult  # levelised: cost and hours both discounted
    idle_usd: Num
    unpriced: tuple[str, ...]
    npv_usd: Num  # against the baseline
    setting: PlanContext
    ledger: Ledger
    baseline: Ledger

    @cached_property
    def peak(self) -> PeakCash:
        """The lowest point of its account, which a budget has to cover: a sale at the end pays for nothing before."""
        return peak_cash(self.setting, self.ledger)

    @cached_property
    def irr(self) -> SolveResult:
        """The rate of return against the baseline."""
        return irr(usd=saved_usd(self.ledger, self.baseline), years=cash_flow_years(self.setting))

    @cached_property
    def modified_irr(self) -> SolveResult:
        """The same, where what comes back earns the discount rate."""
        saved, years = saved_usd(self.ledger, self.baseline), cash_flow_years(self.setting)
        return modified_irr(usd=saved, rate_per_year=plan_discount_rate(self.setting), years=years)

    @cached_property
    def simple_payback(self) -> Payback:
        """The payback against the baseline, not discounted."""
        return payback_against(self.ledger, self.baseline)

    @cached_property
    def payback(self) -> Payback:
        """The discounted payback against the baseline."""
        return payback_against(self.ledger, self.baseline, monthly_discount_factors(self.setting))


def plan_discount_rate(setting: PlanContext) -> Num:
    """The rate everything is discounted at: yours as you say it; the catalogue's, nominal, less inflation if in real.

    Your own rate and your own changes of prices are taken to be in the terms of the plan, nominal or real.
    """
    tried = setting.tried.get(RATE)
    if tried is not None:
        array = np.asarray(tried, dtype=np.float64)
        return array[..., 0] if array.ndim > 1 else float(array)
    terms = setting.terms
    if terms.money == "real" and terms.discount_rate_per_year is None:
        return real_rate(
            nominal_rate_per_year=setting.discount_rate_per_year, inflation_per_year=terms.inflation_per_year
        )
    return setting.discount_rate_per_year


@cached(_KEPT)
def cash_flow_years(setting: PlanContext) -> NDArray[np.float64]:
    """When the money of each month moves, under the plan's convention. [year]"""
    return flow_years(months=setting.timeline.last, timing=setting.terms.timing, day=setting.day)


@cached(_KEPT)
def monthly_discount_factors(setting: PlanContext) -> NDArray[np.float64]:
    """What a dollar of each month is worth today. [1]"""
    return discount_factors(rate_per_year=plan_discount_rate(setting), years=cash_flow_years(setting))


def discounted(setting: PlanContext, ledger: Ledger) -> NDArray[np.float64]:
    """The cash flow discounted to today, month by month. [USD]"""
    return np.asarray(ledger.monthly_usd * monthly_discount_factors(setting))


def discounted_ledger(setting: PlanContext, ledger: Ledger) -> Ledger:
    """The same lines, each with what its months' money is worth today in its formula: it sums to `present_usd`."""
    worth = LedgerInput(WORTH, monthly_discount_factors(setting), "USD today for one of that month", COMPUTED)
    return replace(
        ledger,
        lines=tuple(replace(line, how=f"({line.how}) * {WORTH}", used=(*line.used, worth)) for line in ledger.lines),
    )


def saved_usd(option_ledger: Ledger, baseline_ledger: Ledger) -> NDArray[np.float64]:
    """What an option saves against a baseline, month by month: money out is negative, money saved positive. [USD]"""
    return np.asarray(baseline_ledger.monthly_usd - option_ledger.monthly_usd)


def gap_usd(usd: NDArray[np.float64], other_usd: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one cost less another; nothing where they differ by no more than rounding leaves. [USD]"""
    gap = usd - other_usd
    return np.where(np.abs(gap) <= DUST * np.maximum(np.abs(usd), np.abs(other_usd)), 0.0, gap)


def present_usd(setting: PlanContext, ledger: Ledger) -> Num:
    """The cash flow discounted to today. [USD] Costs positive; lines without a price are left out, and listed."""
    if ledger.has_rows:
        return worth_usd(ledger.lines, monthly_discount_factors(setting), setting.month_sums)
    present: Num = np.sum(discounted(setting, ledger), axis=-1)
    return present


def cumulative_discounted_cost(setting: PlanContext, ledger: Ledger) -> NDArray[np.float64]:
    """The cash flow discounted to today, summed up to each month. [USD]"""
    return np.cumsum(discounted(setting, ledger), axis=-1)


def cash_today_usd(ledger: Ledger) -> Num:
    """What has to be paid today. [USD]"""
    if ledger.has_rows:
        return first_month_usd(line for line in ledger.lines if line.is_cash)
    return cash_paid_usd(ledger)[..., 0][()]


def cash_paid_usd(ledger: Ledger) -> NDArray[np.float64]:
    """The cash, month by month, today first. [USD] What costs something and is paid to nobody is left out."""
    noncash = (usd for treatment, usd in ledger.usd_by_treatment.items() if treatment in NONCASH)
    return np.asarray(ledger.monthly_usd - sum(noncash, np.zeros(1)))


def cash_by_year_usd(ledger: Ledger) -> NDArray[np.float64]:
    """What has to be paid in each year of the plan, day one being in the first. [USD] Years along the last axis."""
    paid = cash_paid_usd(ledger)
    starts = [0, *range(MONTHS_PER_YEAR + 1, paid.shape[-1], MONTHS_PER_YEAR)]
    return np.asarray(np.add.reduceat(paid, starts, axis=-1))


@dataclass(frozen=True)
class PeakCash:
    """The lowest point of an account from which all bills are paid: when, and how far down it is."""

    month: int  # 0 is today
    bills_usd: float  # the plain sum of what was paid by then, less what came back: what has to be funded
    present_usd: float  # the same payments discounted to today


def peak_cash(setting: PlanContext, ledger: Ledger) -> PeakCash:
    """The most money that is out at one time. What a sale brings at the end was not there before."""
    paid = cash_paid_usd(ledger)
    out = np.cumsum(paid)
    month = int(np.argmax(out))
    return PeakCash(month, float(out[month]), float((paid * monthly_discount_factors(setting))[: month + 1].sum()))


def payback_against(option: Ledger, baseline: Ledger, worth: Num = 1.0) -> Payback:
    """Return when an option has covered its extra cost: by its work, or where that is not enough, with its sale.

    `worth` is what a dollar of each month is worth today; without it nothing is discounted.
    """
    saved = saved_usd(option, baseline)
    brought = [np.minimum(np.nan_to_num(line.usd), 0.0) for line in option.lines if line.treatment == "sale"]
    by_work = simple_payback(usd=(saved + sum(brought, np.zeros(1))) * worth)
    with_sale = simple_payback(usd=saved * worth)
    only_sale = with_sale.is_found & ~by_work.is_found
    return Payback(
        np.where(only_sale, with_sale.month, by_work.month)[()],
        np.where(only_sale, with_sale.months, by_work.months)[()],
        np.where(only_sale, ENDINGS.index(BY_SALE), by_work.ending),
    )


def compute_measures(
    setting: PlanContext, option_ledger: Ledger, useful_hours: NDArray[np.float64], baseline_ledger: Ledger
) -> Measures:
    """All measures of one option against a baseline."""
    rate, years = plan_discount_rate(setting), cash_flow_years(setting)
    own, saved = present_usd(setting, option_ledger), saved_usd(option_ledger, baseline_ledger)
    return Measures(
        present_usd=own,
        total_usd=option_ledger.total_usd[()],
        bills_usd=cash_paid_usd(option_ledger).sum(axis=-1)[()],
        cash_today_usd=cash_today_usd(option_ledger),
        eac_usd_per_year=equivalent_annual_usd(present_value_usd=own, rate_per_year=rate, years=setting.scenario.years),
        usd_per_useful_hour=levelised_usd_per_hour(
            usd=option_ledger.monthly_usd, useful_hours=useful_hours, rate_per_year=rate, years=years
        ),
        idle_usd=option_ledger.part_usd("idle")[()],
        unpriced=option_ledger.unpriced,
        npv_usd=np.sum(saved * monthly_discount_factors(setting), axis=-1),
        setting=setting,
        ledger=option_ledger,
        baseline=baseline_ledger,
    )
