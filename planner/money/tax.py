"""Tax and VAT of an option, as lines of its ledger; and the depreciation in its books, month by month.

A company with enough other profit saves tax on everything that may be deducted: running costs, rent and interest as
they are paid, hardware as its schedule writes it off, and what the tax books still hold when it is sold or scrapped.
With a profit of its own in the scenario, losses are kept until there is profit to set them against; limits on how much
of a loss may be used in one year are left out. Money moves at the end of each tax year of twelve months, the first of
which begins today. Money borrowed and paid back is no cost.

What keeping machines forgoes would have been taxed as a sale: that tax is no cash either, and has a line of its own.

In real terms what is written off loses worth with inflation, since schedules hold the price that was paid.

On an axis of tax years entry 0 is the first one, which starts today. Income, savings and tax paid are positive.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from planner.money.capital import TAX_SHARE
from planner.money.finance import with_time_axis
from planner.money.formula import Num
from planner.money.inflation import inflation_per_year
from planner.money.ledger import COMPUTED, YOUR_INPUT, InputSheet, Ledger, Line, Treatment
from planner.money.measures import cash_flow_years
from planner.money.setting import PlanContext
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.terms import TaxInputs
from pricing.caching import cached
from pricing.finance import DepreciationSchedule

Array = NDArray[np.float64]
_DisposalMonths = tuple[int, ...]  # the month in which what was placed in service in each month leaves
_Schedule = Callable[[_DisposalMonths], Array]  # shares of what was placed in service in each month (rows)

_NO_VAT = frozenset({"staff", "tax", "resale", "income"})  # the buyer pays the VAT on what is sold
_INTEREST = "interest"
DELIVERED = "delivered"
_USUAL_SCHEDULE = "straight-line-5-half-year"  # where nothing is known of the country
_NEARLY = 1e-9
_TAX_FORGONE = "Tax on the sale that keeping forgoes"


def with_tax(setting: PlanContext, ledger: Ledger) -> Ledger:
    """Return the ledger with lines for tax and VAT, where the scenario counts them."""
    tax = setting.scenario.tax
    if tax is None:
        return ledger
    put = setting.input_sheet()
    figure = setting.catalogue.site_figure(setting.scenario.site, TAX_SHARE)
    put.figure("tax_share", figure and figure[1], "1", tax.tax_share)
    put.add("vat_share", tax.vat_share, "1", YOUR_INPUT)
    put.add("vat_recovered_share", tax.vat_recovered_share, "1", YOUR_INPUT)
    vat = _vat_lines(put, setting, tax, ledger) if tax.vat_share else ()
    return ledger.with_lines((*vat, *_tax_lines(put, setting, tax, ledger)))


def schedule_in_use(setting: PlanContext, tax: TaxInputs) -> DepreciationSchedule:
    """Return the schedule that is named, else the usual one of the country on the plan's day, else a plain one."""
    schedules = setting.catalogue.schedules
    if tax.schedule is not None:
        return schedules[tax.schedule]
    usual = (
        schedule
        for place in setting.catalogue.around(setting.scenario.site)
        for schedule in schedules.values()
        if schedule.is_usual(place, setting.day)
    )
    return next(usual, schedules[_USUAL_SCHEDULE])


def tax_depreciation_usd(setting: PlanContext, ledger: Ledger) -> Array:
    """Return the depreciation in the tax books, each tax year's spread evenly over its months. [USD]

    What they still hold at the sale is not in it.
    """
    by_year, _ = _tax_book_amounts(setting, ledger)
    months = setting.timeline.last
    year = _tax_year(months)
    count = np.bincount(year[1:], minlength=by_year.shape[-1])
    return np.asarray((by_year / np.maximum(count, 1))[..., year] * (np.arange(months + 1) > 0))


def book_depreciation_usd(setting: PlanContext, ledger: Ledger, life_years: float) -> Array:
    """Return the depreciation in the company's own books: level over the life, until the sale. [USD]"""
    return _apply_schedule(setting, ledger, lambda disposal: _book_schedule(disposal, life_years))


def book_value_sold_usd(setting: PlanContext, ledger: Ledger, life_years: float) -> Array:
    """Return the value in those books of what leaves in a month. [USD]"""

    def remaining_share(disposal: _DisposalMonths) -> Array:
        rest = 1.0 - _book_schedule(disposal, life_years).sum(axis=-1)
        return np.asarray(rest[:, None] * (np.arange(len(disposal))[None, :] == np.array(disposal)[:, None]))

    return _apply_schedule(setting, ledger, remaining_share)


def vat_in_books_usd(setting: PlanContext, ledger: Ledger) -> Array:
    """Return the unrecovered VAT on hardware: the books hold it as part of the price. [USD]"""
    tax = setting.scenario.tax
    return _by_month(setting, 0.0 if tax is None else _unrecovered_vat(tax, ledger, "capital"))


def _book_schedule(disposal: _DisposalMonths, life_years: float) -> Array:
    """Return the share of what was placed in service in a month (rows) that each month writes off. [1]"""
    month, life = np.arange(len(disposal)), life_years * MONTHS_PER_YEAR
    age = month[None, :] - month[:, None]
    part = np.clip(life - (age - 1), 0.0, 1.0) / life
    return np.asarray(part * ((age > 0) & (month[None, :] <= np.array(disposal)[:, None])))


def _tax_lines(put: InputSheet, setting: PlanContext, tax: TaxInputs, ledger: Ledger) -> tuple[Line, ...]:
    deducted = _tax_years(setting, _sum(ledger, "expense") + _unrecovered_vat(tax, ledger, "expense"))
    written_off, remaining = _tax_book_amounts(setting, ledger)
    sold_for = _tax_years(setting, -_sum(ledger, "sale"))
    forgone = _tax_years(setting, _sum(ledger, "forgone"))
    if tax.profit_usd_per_year is not None:
        return _as_profit_allows(put, setting, tax, deducted + written_off + remaining - sold_for, forgone)
    inputs = {"deducted_usd": deducted, "written_off_usd": written_off, "sold_for_usd": sold_for,
              "still_in_books_usd": remaining, "forgone_usd": forgone}  # fmt: skip
    for name, usd in inputs.items():
        put.add(name, at_year_ends(usd_by_year=usd, months=setting.timeline.last), "USD by month", COMPUTED)
    note = _written_off_by(setting, tax)
    lines = (
        put.line("Tax saved by running costs", "tax", "-1 * tax_share * deducted_usd", treatment="tax"),
        put.line("Tax saved by writing off", "tax", "-1 * tax_share * written_off_usd", note, "tax"),
        put.line("Tax on the sale", "tax", "tax_share * (sold_for_usd - still_in_books_usd)", treatment="tax"),
        put.line(_TAX_FORGONE, "tax", "-1 * tax_share * forgone_usd", treatment="forgone"),
    )
    return tuple(line for line in lines if line.has_amounts)


def _written_off_by(setting: PlanContext, tax: TaxInputs) -> str:
    if tax.shares_by_year:
        return "written off by shares of your own"
    schedule = schedule_in_use(setting, tax)
    return f"written off by: {schedule.label} ({schedule.jurisdiction})"


def _as_profit_allows(
    put: InputSheet, setting: PlanContext, tax: TaxInputs, deductible: Array, forgone: Array
) -> tuple[Line, ...]:
    """Return tax as one line for the whole ledger: where losses are kept, no cost has a saving of its own."""
    inflation = _at_tax_dates(_inflation_factors(setting))  # losses are kept in dollars, and so is your profit
    profit = by_tax_year(usd=setting.timeline.runs * (tax.profit_usd_per_year or 0.0) / MONTHS_PER_YEAR)
    for name, taxable in (
        ("taxed_without_usd", profit),
        ("taxed_with_usd", profit - deductible * inflation),
        ("taxed_with_forgone_usd", profit - (deductible + forgone) * inflation),
    ):
        taxed = tax_usd(taxable_usd=taxable, tax_share=1.0, losses_brought_usd=tax.losses_brought_usd) / inflation
        by_month = at_year_ends(usd_by_year=taxed, months=setting.timeline.last)
        put.add(name, by_month, "USD of profit by month", COMPUTED)
    how, rest = "tax_share * (taxed_with_usd - taxed_without_usd)", "taxed_with_forgone_usd - taxed_with_usd"
    saved = put.line("Tax saved, as profit allows", "tax", how, treatment="tax")
    forgoes = put.line(_TAX_FORGONE, "tax", f"tax_share * ({rest})", treatment="forgone")
    return (saved, forgoes) if np.any(forgone != 0) else (saved,)


def _vat_lines(put: InputSheet, setting: PlanContext, tax: TaxInputs, ledger: Ledger) -> tuple[Line, ...]:
    """Return VAT on purchases, and its recovery some months later; at the end of the plan at the latest."""
    months = setting.timeline.last
    bought = _by_month(setting, _vat_base(ledger, "expense") + _vat_base(ledger, "capital"))
    dollars = bought * _inflation_factors(setting)
    recovered = np.zeros_like(bought)
    in_time = max(months + 1 - tax.vat_recovered_after_months, 0)
    recovered[..., months + 1 - in_time :] = dollars[..., :in_time]
    recovered[..., months] += dollars[..., in_time:].sum(axis=-1)
    put.add("bought_usd", bought, "USD by month", COMPUTED)
    put.add("bought_earlier_usd", recovered / _inflation_factors(setting), "USD by month", COMPUTED)
    how = "-1 * vat_share * vat_recovered_share * bought_earlier_usd"
    return (
        put.line("VAT paid", "tax", "vat_share * bought_usd", treatment="tax"),
        put.line("VAT recovered", "tax", how, treatment="tax"),
    )


def _sum(ledger: Ledger, treatment: Treatment) -> Num:
    return ledger.usd_by_treatment.get(treatment, 0.0)


def _vat_base(ledger: Ledger, treatment: Treatment) -> Num:
    """Return the purchases that bear VAT: everything bought but wages and interest. [USD]"""
    lines = (line for line in ledger.lines if line.treatment == treatment and bears_vat(line))
    return sum((line.priced_usd for line in lines), start=0.0)


def bears_vat(line: Line) -> bool:
    return line.part not in _NO_VAT and not (line.part == "finance" and _INTEREST in line.name.lower())


def _unrecovered_vat(tax: TaxInputs, ledger: Ledger, treatment: Treatment) -> Num:
    """Return the VAT that does not come back: it is part of what a thing costs. [USD]"""
    return tax.vat_share * (1 - tax.vat_recovered_share) * _vat_base(ledger, treatment)


def _by_month(setting: PlanContext, usd: Num) -> Array:
    """Return amounts with an axis of months, also where they were one number."""
    amounts = np.asarray(usd, dtype=np.float64)
    return np.array(np.broadcast_to(amounts, (*amounts.shape[:-1], setting.timeline.last + 1)))


def _tax_years(setting: PlanContext, usd: Num) -> Array:
    """Return amounts summed into tax years; in real terms, in the money of each year's end, when its tax is due."""
    inflation = _inflation_factors(setting)
    return np.asarray(by_tax_year(usd=_by_month(setting, usd) * inflation) / _at_tax_dates(inflation))


def _placed_in_service(setting: PlanContext, ledger: Ledger) -> Array:
    """Return hardware by the month it is put to use: what is paid before its delivery waits for it. [USD]"""
    tax, total = setting.scenario.tax, np.zeros(1)
    for line in ledger.lines:
        if line.treatment == "capital":
            usd = line.priced_by_order_usd
            if tax is not None and bears_vat(line):
                usd = usd * (1 + tax.vat_share * (1 - tax.vat_recovered_share))
            total = total + line.add_orders(_shift_to_delivery(usd, line, _inflation_factors(setting)))
    return _by_month(setting, total)


def _shift_to_delivery(usd: Array, line: Line, inflation: Array) -> Array:
    flag = next((used.value for used in line.used if used.name == DELIVERED), None)
    if flag is None:
        return usd
    delivered = np.asarray(flag, dtype=np.float64)
    before = np.cumsum(delivered, axis=-1) < 0.5
    prepaid = np.sum(usd * before * inflation, axis=-1, keepdims=True)
    return np.asarray(np.where(before, 0.0, usd) + delivered / inflation * prepaid)


def _apply_schedule(setting: PlanContext, ledger: Ledger, schedule: _Schedule) -> Array:
    """Return what was placed in service, month by month, times its share in each month or year.

    The shares depend on when things leave. Draws mostly agree on that, so each calendar is worked out only once.
    """
    placed = _placed_in_service(setting, ledger)
    sales = _by_month(setting, _sum(ledger, "sale")) != 0
    sales[..., -1] = True
    if sales.ndim == 1:
        return np.asarray(placed @ schedule(_disposal_months(sales)))
    draws = np.broadcast_shapes(placed.shape[:-1], sales.shape[:-1])
    rows, sales = (np.broadcast_to(each, (*draws, each.shape[-1])).reshape(-1, each.shape[-1])
                   for each in (placed, sales))  # fmt: skip
    packed = np.packbits(sales, axis=-1)
    _, first, calendar = np.unique(packed.view(f"V{packed.shape[-1]}")[:, 0], return_index=True, return_inverse=True)
    if len(first) == 1:
        return np.asarray(placed @ schedule(_disposal_months(sales[0])))
    parts = [rows[calendar == number] @ schedule(_disposal_months(sales[row])) for number, row in enumerate(first)]
    out = np.empty((len(rows), parts[0].shape[-1]))
    for number, part in enumerate(parts):
        out[calendar == number] = part
    return out.reshape(*draws, out.shape[-1])


def _disposal_months(sales: NDArray[np.bool_]) -> _DisposalMonths:
    """Return when what was placed in service in each month leaves: at the next sale, or at the plan's end."""
    month = np.arange(len(sales))
    sold = month[sales]
    return tuple(sold[np.minimum(np.searchsorted(sold, month, side="right"), len(sold) - 1)].tolist())


def _tax_year(months: int) -> NDArray[np.int64]:
    """Return the tax year, from 0, of each month; today belongs to the first."""
    return np.maximum(np.arange(months + 1) - 1, 0) // MONTHS_PER_YEAR


def _tax_book_amounts(setting: PlanContext, ledger: Ledger) -> tuple[Array, Array]:
    """Return the tax depreciation of each tax year, and the tax book value of what leaves in that year. [USD]"""
    tax = setting.scenario.tax
    assert tax is not None
    shares = tax.shares_by_year or schedule_in_use(setting, tax).shares_by_year
    inflation = tuple(_inflation_factors(setting).tolist())
    both = _apply_schedule(setting, ledger, lambda disposal: _tax_schedule(disposal, shares, inflation))
    years = both.shape[-1] // 2
    return both[..., :years], both[..., years:]


@cached(200)
def _tax_schedule(disposal: _DisposalMonths, shares_by_year: tuple[float, ...], inflation: tuple[float, ...]) -> Array:
    """Return shares of what was placed in service in a month (rows): written off by tax year, left at disposal. [1]

    What is written off are dollars of the month in which it was placed, so they have lost worth by the year's end.
    """
    placed = _tax_year(len(disposal) - 1)
    left = placed[np.array(disposal)]
    year = np.arange(placed[-1] + 1)
    age = year[None, :] - placed[:, None]
    shares = np.append(shares_by_year, 0.0)
    in_year = np.where((age >= 0) & (year[None, :] <= left[:, None]), shares[np.clip(age, -1, len(shares) - 1)], 0.0)
    rest = 1.0 - in_year.sum(axis=-1)
    remaining = np.where(rest < _NEARLY, 0.0, rest)[:, None] * (year[None, :] == left[:, None])
    factors = np.array(inflation)
    return np.concatenate([in_year, remaining], axis=-1) * np.tile(factors[:, None] / _at_tax_dates(factors), 2)


def _inflation_factors(setting: PlanContext) -> Array:
    """Return the dollars of each month that a dollar of today is worth: 1, unless the plan is in real terms. [1]"""
    return np.asarray((1 + inflation_per_year(setting)) ** cash_flow_years(setting))


def _at_tax_dates(inflation: Array) -> Array:
    """Return inflation factors of the day the tax of each year is due: in its last month. [1]"""
    months = len(inflation) - 1
    return np.asarray(inflation[np.minimum(MONTHS_PER_YEAR * (np.arange(_tax_year(months)[-1] + 1) + 1), months)])


def by_tax_year(*, usd: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum monthly amounts (entry 0 today) into tax years of twelve months; today belongs to the first. [USD/year]"""
    months = np.asarray(usd).shape[-1] - 1
    starts = np.arange(1, max(months, 1) + 1, MONTHS_PER_YEAR)
    starts[0] = 0
    return np.asarray(np.add.reduceat(np.asarray(usd, dtype=np.float64), starts, axis=-1))


def at_year_ends(*, usd_by_year: NDArray[np.float64], months: int) -> NDArray[np.float64]:
    """Return yearly amounts by month: at each tax year's last month, the last year's at the last month. [USD]"""
    usd_by_year = np.asarray(usd_by_year, dtype=np.float64)
    years = usd_by_year.shape[-1]
    if years != -(-months // MONTHS_PER_YEAR):
        raise ValueError(f"want one amount for each tax year of {months} months, got {years}")
    usd = np.zeros((*usd_by_year.shape[:-1], months + 1))
    usd[..., np.minimum(MONTHS_PER_YEAR * np.arange(1, years + 1), months)] = usd_by_year
    return usd


def tax_usd(*, taxable_usd: NDArray[np.float64], tax_share: Num, losses_brought_usd: Num) -> NDArray[np.float64]:
    """Return the tax of each year when losses are kept and used up against later profits. [USD/year]

    What has ever been taxed is the highest that the sum of all profits so far has reached, less the losses brought in:
    while it is below an earlier height, losses are still being used up. Tax is never paid back.
    """
    so_far = np.cumsum(taxable_usd, axis=-1) - with_time_axis(losses_brought_usd)
    taxed = np.maximum(np.maximum.accumulate(so_far, axis=-1), 0.0)
    return np.asarray(np.diff(taxed, axis=-1, prepend=0.0) * with_time_axis(tax_share))
