"""Tax: everything is written off once, losses are used once, and no tax comes back before it was due."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money import tax
from pricing.load import load_catalogue

USD = st.floats(-1e6, 1e6)
YEARS = st.lists(USD, min_size=1, max_size=12).map(np.array)
SHARE = st.floats(0.0, 0.6)


def one_by_one(taxable: Any, share: float, losses: float) -> list[float]:
    """The same, year after year, as a tax form does it."""
    paid = []
    for profit in taxable:
        used = min(max(profit, 0.0), losses)
        losses = losses - used + max(-profit, 0.0)
        paid.append(share * max(profit - used, 0.0))
    return paid


def test_the_schedules_of_the_catalogue_write_off_everything() -> None:
    schedules = load_catalogue().schedules
    assert schedules
    for schedule in schedules.values():
        assert sum(schedule.shares_by_year) == pytest.approx(1, rel=1e-5)


@given(YEARS, SHARE, st.floats(0.0, 1e6))
def test_losses_are_used_as_a_tax_form_uses_them(taxable: Any, share: float, losses: float) -> None:
    got = tax.tax_usd(taxable_usd=taxable, tax_share=share, losses_brought_usd=losses)
    assert got == pytest.approx(one_by_one(taxable, share, losses), abs=1e-6)
    assert (got >= 0).all()


@given(st.lists(st.tuples(YEARS.filter(lambda years: len(years) == 1), SHARE), min_size=1, max_size=5))
def test_arrays_give_what_scalars_give(rows: list[tuple[Any, float]]) -> None:
    taxable, shares = np.array([row for row, _ in rows]), np.array([share for _, share in rows])
    every = tax.tax_usd(taxable_usd=taxable, tax_share=shares, losses_brought_usd=0.0)
    each = [tax.tax_usd(taxable_usd=row, tax_share=share, losses_brought_usd=0.0) for row, share in rows]
    assert every.tolist() == np.array(each).tolist()


@given(st.integers(1, 80))
def test_months_are_summed_into_years_and_paid_at_their_ends(months: int) -> None:
    usd = np.arange(months + 1, dtype=float)
    by_year = tax.by_tax_year(usd=np.stack([usd, 2 * usd]))
    assert by_year.shape == (2, -(-months // 12))
    assert by_year.sum(axis=-1) == pytest.approx([usd.sum(), 2 * usd.sum()])
    paid = tax.at_year_ends(usd_by_year=by_year, months=months)
    assert paid.shape == (2, months + 1)
    assert paid.sum(axis=-1) == pytest.approx(by_year.sum(axis=-1))
    assert set(np.flatnonzero(paid[0])) <= {*range(12, months + 1, 12), months}


def test_today_belongs_to_the_first_tax_year() -> None:
    usd = np.ones(26)
    assert tax.by_tax_year(usd=usd).tolist() == [13.0, 12.0, 1.0]
    assert tax.by_tax_year(usd=np.ones(1)).tolist() == [1.0]


def test_years_that_do_not_match_the_months_are_refused() -> None:
    with pytest.raises(ValueError, match="want one amount for each tax year of 25 months, got 2"):
        tax.at_year_ends(usd_by_year=np.ones(2), months=25)
