"""Tax and VAT of an option, as lines of its ledger; and what its books write off, month by month.

A company with enough other profit saves tax on everything that may be deducted: running costs, rent and interest as
they are paid, hardware as its schedule writes it off, and what the tax books still hold when it is sold or scrapped.
With a profit of its own in the scenario, losses are kept until there is profit to set them against. Money moves at the
end of each tax year of twelve months, the first of which begins today. Money borrowed and paid back is no cost.

What keeping machines forgoes would have been taxed as a sale: that tax is no cash either, and has a line of its own.

In real terms what is written off loses worth with inflation, since schedules hold the price that was paid.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import Num
from planner.money.inflation import inflation_per_year
from planner.money.ledger import COMPUTED, YOUR_INPUT, InputSheet, Ledger, Line, Treatment
from planner.money.measures import cash_flow_years
from planner.money.setting import PlanContext
from planner.money.tax.books import at_year_ends, by_tax_year, tax_usd
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.terms import TaxInputs
from pricing.caching import cached

Array = NDArray[np.float64]
_Leaves = tuple[int, ...]  # the month in which what was placed in each month leaves
_Share = Callable[[_Leaves], Array]  # of what was placed in each month (rows)

TAX_SHARE = "corporate_tax_share"
_NO_VAT = frozenset({"staff", "tax", "resale", "income"})  # VAT on what is sold is paid by who buys it
_INTEREST = "interest"
_DELIVERED = "delivered"
_NEARLY = 1e-9
_TAX_FORGONE = "Tax on the sale that keeping forgoes"


def taxed(setting: PlanContext, ledger: Ledger) -> Ledger:
    """The ledger with lines for tax and VAT, where the scenario counts them."""
    tax = setting.scenario.tax
    if tax is None:
        return ledger
    put = setting.input_sheet()
    found = setting.catalogue.site_figure(setting.scenario.site, TAX_SHARE)
    put.figure("tax_share", found and found[1], "1", tax.tax_share)
    put.add("vat_share", tax.vat_share, "1", YOUR_INPUT)
    put.add("vat_recovered_share", tax.vat_recovered_share, "1", YOUR_INPUT)
    vat = _vat_lines(put, setting, tax, ledger) if tax.vat_share else ()
    return Ledger(ledger.title, (*ledger.lines, *vat, *_tax_lines(put, setting, tax, ledger)))


def tax_depreciation_usd(setting: PlanContext, ledger: Ledger) -> Array:
    """What the tax books write off, each tax year's amount spread evenly over its months. [USD]

    What they still hold at the sale is not in it.
    """
    by_year, _ = _tax_book_amounts(setting, ledger)
    months = setting.timeline.last
    year = _tax_year(months)
    count = np.bincount(year[1:], minlength=by_year.shape[-1])
    return np.asarray((by_year / np.maximum(count, 1))[..., year] * (np.arange(months + 1) > 0))


def book_depreciation_usd(setting: PlanContext, ledger: Ledger, life_years: float) -> Array:
    """What the company's own books write off: the same in each month of the life, until it is sold. [USD]"""
    return _apply_schedule(setting, ledger, lambda leaves: _in_books(leaves, life_years))


def book_value_sold_usd(setting: PlanContext, ledger: Ledger, life_years: float) -> Array:
    """What those books still hold of what leaves in a month. [USD]"""

    def held(leaves: _Leaves) -> Array:
        rest = 1.0 - _in_books(leaves, life_years).sum(axis=-1)
        return np.asarray(rest[:, None] * (np.arange(len(leaves))[None, :] == np.array(leaves)[:, None]))

    return _apply_schedule(setting, ledger, held)


def vat_in_books_usd(setting: PlanContext, ledger: Ledger) -> Array:
    """The VAT on what is bought and kept that does not come back: the books hold it as part of the price. [USD]"""
    tax = setting.scenario.tax
    return _months(setting, 0.0 if tax is None else _unrecovered_vat(tax, ledger, "capital"))


def _in_books(leaves: _Leaves, life_years: float) -> Array:
    """Of what was placed in a month (rows): what each month writes off. [1]"""
    month, life = np.arange(len(leaves)), life_years * MONTHS_PER_YEAR
    age = month[None, :] - month[:, None]
    part = np.clip(life - (age - 1), 0.0, 1.0) / life
    return np.asarray(part * ((age > 0) & (month[None, :] <= np.array(leaves)[:, None])))


def _tax_lines(put: InputSheet, setting: PlanContext, tax: TaxInputs, ledger: Ledger) -> tuple[Line, ...]:
    months = setting.timeline.last

    def at_ends(by_year: Array) -> Array:
        return at_year_ends(usd_by_year=by_year, months=months)

    deducted = _by_year(setting, _sum(ledger, "expense") + _unrecovered_vat(tax, ledger, "expense"))
    written_off, held = _tax_book_amounts(setting, ledger)
    sold_for = _by_year(setting, -_sum(ledger, "sale"))
    forgone = _by_year(setting, _sum(ledger, "forgone"))
    if tax.profit_usd_per_year is not None:
        return _as_profit_allows(put, setting, tax, deducted + written_off + held - sold_for, forgone)
    put.add("deducted_usd", at_ends(deducted), "USD by month", COMPUTED)
    put.add("written_off_usd", at_ends(written_off), "USD by month", COMPUTED)
    put.add("sold_for_usd", at_ends(sold_for), "USD by month", COMPUTED)
    put.add("still_in_books_usd", at_ends(held), "USD by month", COMPUTED)
    put.add("forgone_usd", at_ends(forgone), "USD by month", COMPUTED)
    lines = (
        put.line("Tax saved by running costs", "tax", "-1 * tax_share * deducted_usd", treatment="tax"),
        put.line("Tax saved by writing off", "tax", "-1 * tax_share * written_off_usd", treatment="tax"),
        put.line("Tax on the sale", "tax", "tax_share * (sold_for_usd - still_in_books_usd)", treatment="tax"),
        put.line(_TAX_FORGONE, "tax", "-1 * tax_share * forgone_usd", treatment="forgone"),
    )
    return tuple(line for line in lines if np.any(line.usd != 0))


def _as_profit_allows(
    put: InputSheet, setting: PlanContext, tax: TaxInputs, deductible: Array, forgone: Array
) -> tuple[Line, ...]:
    """Tax as one line for the whole ledger: where losses are kept, no cost has a saving of its own."""
    months = setting.timeline.last
    inflation = _at_ends(_inflation_factors(setting))  # losses are kept in dollars, and so is your profit
    profit = by_tax_year(usd=setting.timeline.runs * (tax.profit_usd_per_year or 0.0) / MONTHS_PER_YEAR)
    deducted, all_deducted = deductible * inflation, (deductible + forgone) * inflation
    for name, taxable in (
        ("taxed_without_usd", profit),
        ("taxed_with_usd", profit - deducted),
        ("taxed_with_forgone_usd", profit - all_deducted),
    ):
        profit_taxed = tax_usd(taxable_usd=taxable, tax_share=1.0, losses_brought_usd=tax.losses_brought_usd)
        put.add(
            name, at_year_ends(usd_by_year=profit_taxed / inflation, months=months), "USD of profit by month", COMPUTED
        )
    how, rest = "tax_share * (taxed_with_usd - taxed_without_usd)", "taxed_with_forgone_usd - taxed_with_usd"
    saved = put.line("Tax saved, as profit allows", "tax", how, treatment="tax")
    forgoes = put.line(_TAX_FORGONE, "tax", f"tax_share * ({rest})", treatment="forgone")
    return (saved, forgoes) if np.any(forgone != 0) else (saved,)


def _vat_lines(put: InputSheet, setting: PlanContext, tax: TaxInputs, ledger: Ledger) -> tuple[Line, ...]:
    """VAT on what is bought, and what of it comes back some months later; at the end of the plan at the latest."""
    months, later = setting.timeline.last, tax.vat_recovered_after_months
    bought = _months(setting, _bought(ledger, "expense") + _bought(ledger, "capital"))
    dollars = bought * _inflation_factors(setting)
    back = np.zeros_like(bought)
    kept = max(months + 1 - later, 0)
    back[..., months + 1 - kept :] = dollars[..., :kept]
    back[..., months] += dollars[..., kept:].sum(axis=-1)
    back /= _inflation_factors(setting)
    put.add("bought_usd", bought, "USD by month", COMPUTED)
    put.add("bought_earlier_usd", back, "USD by month", COMPUTED)
    recovered = "-1 * vat_share * vat_recovered_share * bought_earlier_usd"
    return (
        put.line("VAT paid", "tax", "vat_share * bought_usd", treatment="tax"),
        put.line("VAT recovered", "tax", recovered, treatment="tax"),
    )


def _sum(ledger: Ledger, treatment: Treatment) -> Num:
    return _total(line.priced_usd for line in ledger.lines if line.treatment == treatment)


def _bought(ledger: Ledger, treatment: Treatment) -> Num:
    """What bears VAT: everything bought but wages and interest."""
    lines = (line for line in ledger.lines if line.treatment == treatment and _bears_vat(line))
    return _total(line.priced_usd for line in lines)


def _bears_vat(line: Line) -> bool:
    return line.part not in _NO_VAT and not (line.part == "finance" and _INTEREST in line.name.lower())


def _unrecovered_vat(tax: TaxInputs, ledger: Ledger, treatment: Treatment) -> Num:
    """The VAT that does not come back: it is part of what a thing costs."""
    return tax.vat_share * (1 - tax.vat_recovered_share) * _bought(ledger, treatment)


def _total(amounts: Iterable[Array]) -> Num:
    return sum(amounts, start=0.0)


def _months(setting: PlanContext, usd: Num) -> Array:
    """Amounts with an axis of months, also where they were one number."""
    amounts = np.asarray(usd, dtype=np.float64)
    return np.array(np.broadcast_to(amounts, (*amounts.shape[:-1], setting.timeline.last + 1)))


def _by_year(setting: PlanContext, usd: Num) -> Array:
    """Amounts summed into tax years; in real terms, in the money of each year's end, when its tax is due."""
    return np.asarray(
        by_tax_year(usd=_months(setting, usd) * _inflation_factors(setting)) / _at_ends(_inflation_factors(setting))
    )


def _placed(setting: PlanContext, ledger: Ledger) -> Array:
    """What is bought and kept, by the month it is put to use: what is paid before its delivery waits for it."""
    tax = setting.scenario.tax
    total: Num = 0.0
    for line in ledger.lines:
        if line.treatment != "capital":
            continue
        usd = line.priced_usd
        if tax is not None and _bears_vat(line):
            usd = usd * (1 + tax.vat_share * (1 - tax.vat_recovered_share))
        total = total + _shift_to_delivery(usd, line, _inflation_factors(setting))
    return _months(setting, total)


def _shift_to_delivery(usd: Array, line: Line, dearer: Array) -> Array:
    flag = next((used.value for used in line.used if used.name == _DELIVERED), None)
    if flag is None:
        return usd
    delivered = np.asarray(flag, dtype=np.float64)
    before = np.cumsum(delivered, axis=-1) < 0.5
    return np.asarray(
        np.where(before, 0.0, usd) + delivered / dearer * np.sum(usd * before * dearer, axis=-1, keepdims=True)
    )


def _apply_schedule(setting: PlanContext, ledger: Ledger, share: _Share) -> Array:
    """What was placed, month by month, times the share of it that falls into each month or year.

    The shares depend on when things leave. Draws mostly agree on that, so each calendar is worked out only once.
    """
    placed = _placed(setting, ledger)
    sales = _months(setting, _sum(ledger, "sale")) != 0
    sales[..., -1] = True
    if sales.ndim == 1:
        return np.asarray(placed @ share(_leaves(sales)))
    draws = np.broadcast_shapes(placed.shape[:-1], sales.shape[:-1])
    rows, sales = (np.broadcast_to(one, (*draws, one.shape[-1])).reshape(-1, one.shape[-1]) for one in (placed, sales))
    packed = np.packbits(sales, axis=-1)
    _, first, of = np.unique(packed.view(f"V{packed.shape[-1]}")[:, 0], return_index=True, return_inverse=True)
    if len(first) == 1:
        return np.asarray(placed @ share(_leaves(sales[0])))
    parts = [rows[of == number] @ share(_leaves(sales[at])) for number, at in enumerate(first)]
    out = np.empty((len(rows), parts[0].shape[-1]))
    for number, part in enumerate(parts):
        out[of == number] = part
    return out.reshape(*draws, out.shape[-1])


def _leaves(sales: NDArray[np.bool_]) -> _Leaves:
    """The month in which what was placed in each month leaves: at the next sale, at the latest at the plan's end."""
    month = np.arange(len(sales))
    at = month[sales]
    return tuple(at[np.minimum(np.searchsorted(at, month, side="right"), len(at) - 1)].tolist())


def _tax_year(months: int) -> NDArray[np.int64]:
    """The tax year, from 0, of each month; today belongs to the first."""
    return np.maximum(np.arange(months + 1) - 1, 0) // MONTHS_PER_YEAR


def _tax_book_amounts(setting: PlanContext, ledger: Ledger) -> tuple[Array, Array]:
    """What the tax books write off in each tax year, and what they still hold of what leaves in that year."""
    tax = setting.scenario.tax
    assert tax is not None
    shares = tax.shares_by_year or setting.catalogue.schedules[tax.schedule].shares_by_year
    dearer = tuple(_inflation_factors(setting).tolist())
    both = _apply_schedule(setting, ledger, lambda leaves: _schedule(leaves, shares, dearer))
    years = both.shape[-1] // 2
    return both[..., :years], both[..., years:]


@cached(200)
def _schedule(leaves: _Leaves, shares_by_year: tuple[float, ...], dearer: tuple[float, ...]) -> Array:
    """Of what was placed in a month (rows): what each tax year writes off, then what is still held as it leaves. [1]

    What is written off are dollars of the month in which it was placed, so they have lost worth by the year's end.
    """
    placed = _tax_year(len(leaves) - 1)
    left = placed[np.array(leaves)]
    year = np.arange(placed[-1] + 1)
    age = year[None, :] - placed[:, None]
    shares = np.append(shares_by_year, 0.0)
    here = np.where((age >= 0) & (year[None, :] <= left[:, None]), shares[np.clip(age, -1, len(shares) - 1)], 0.0)
    rest = 1.0 - here.sum(axis=-1)
    held = np.where(rest < _NEARLY, 0.0, rest)[:, None] * (year[None, :] == left[:, None])
    placed_then = np.array(dearer)
    return np.concatenate([here, held], axis=-1) * np.tile(placed_then[:, None] / _at_ends(placed_then), 2)


def _inflation_factors(setting: PlanContext) -> Array:
    """How many dollars of each month a dollar of today is worth: one, unless the plan is in real terms. [1]"""
    return np.asarray((1 + inflation_per_year(setting)) ** cash_flow_years(setting))


def _at_ends(dearer: Array) -> Array:
    """The same when the tax of each year is due: in its last month. [1]"""
    months = len(dearer) - 1
    return np.asarray(dearer[np.minimum(MONTHS_PER_YEAR * (np.arange(_tax_year(months)[-1] + 1) + 1), months)])
