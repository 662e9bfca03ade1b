"""Discounting, loans, rates of return: laws that hold for any numbers, and the corners where they bend."""

from datetime import date, timedelta
from typing import Any, get_args

import numpy as np
import pytest
import pyxirr
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.money import finance
from planner.money.finance import FOUND, root, solve_result
from planner.scenario.terms import Timing
from tests.money.loans import loan_payment_usd, monthly_rate
from tests.rows import each_row

RATE = st.floats(-0.5, 3.0)
USD = st.floats(-1e6, 1e6)
PRICE = st.floats(1.0, 1e6)
FLOWS = st.lists(USD, min_size=1, max_size=80).map(np.array)
TIMING = st.sampled_from(get_args(Timing))
PERIODS = st.integers(1, 120)
PER_PERIOD = st.one_of(st.just(0.0), st.floats(-0.2, 0.5))
YEAR_2026 = date(2026, 1, 1)


def close(got: Any, want: Any, rel: float = 1e-9, scale: float = 0.0) -> bool:
    return bool(np.allclose(got, want, rtol=rel, atol=rel * scale + 1e-12))


# Rates and times


@pytest.mark.parametrize(("timing", "years"), [
    ("month_end", [0, 1 / 12, 2 / 12, 12 / 12, 13 / 12]),
    ("month_middle", [0, 0.5 / 12, 1.5 / 12, 11.5 / 12, 12.5 / 12]),
    ("year_end", [0, 1, 1, 1, 2]),
    ("year_middle", [0, 0.5, 0.5, 0.5, 1.5]),
])  # fmt: skip
def test_when_money_moves(timing: Timing, years: list[float]) -> None:
    assert close(finance.flow_years(months=13, timing=timing)[[0, 1, 2, 12, 13]], years)


def test_a_plan_without_months_has_only_today() -> None:
    assert finance.flow_years(months=0, timing="year_end").tolist() == [0.0]


# Present value


@given(FLOWS, TIMING)
def test_discounting_at_zero_is_a_plain_sum(usd: Any, timing: Timing) -> None:
    years = finance.flow_years(months=len(usd) - 1, timing=timing, day=date(2026, 1, 31))
    assert close(finance.npv_usd(usd=usd, rate_per_year=0.0, years=years), usd.sum(), scale=np.abs(usd).sum())


@given(FLOWS, RATE)
def test_present_value_is_what_another_library_finds(usd: Any, rate: float) -> None:
    got = finance.npv_usd(usd=usd, rate_per_year=rate, years=np.arange(len(usd)))
    factors = finance.discount_factors(rate_per_year=rate, years=np.arange(len(usd)))
    assert close(got, pyxirr.npv(rate, usd, start_from_zero=True), scale=np.abs(usd * factors).sum())


@given(st.lists(st.tuples(st.integers(0, 4_000), USD), min_size=1, max_size=30), st.floats(-0.3, 2.0))
def test_dated_present_value_is_what_another_library_finds(flows: list[tuple[int, float]], rate: float) -> None:
    days = np.cumsum([0, *(day for day, _ in flows[1:])]) % 6_000
    days.sort()
    usd = np.array([amount for _, amount in flows])
    got = finance.npv_usd(usd=usd, rate_per_year=rate, years=finance.dated_years(days=days - days[0]))
    theirs = pyxirr.xnpv(rate, [YEAR_2026 + timedelta(days=int(day)) for day in days], usd)
    factors = finance.discount_factors(rate_per_year=rate, years=finance.dated_years(days=days - days[0]))
    assert close(got, theirs, scale=np.abs(usd * factors).sum())


@given(st.integers(1, 5), st.integers(1, 40), st.data())
def test_arrays_give_what_scalars_give(draws: int, months: int, data: st.DataObject) -> None:
    cells = st.lists(USD, min_size=draws * (months + 1), max_size=draws * (months + 1))
    usd = np.array(data.draw(cells)).reshape(draws, months + 1)
    rates = np.array(data.draw(st.lists(RATE, min_size=draws, max_size=draws)))
    years = finance.flow_years(months=months, timing="month_middle")
    every = finance.npv_usd(usd=usd, rate_per_year=rates, years=years)
    each = [finance.npv_usd(usd=usd[i], rate_per_year=float(rates[i]), years=years) for i in range(draws)]
    assert np.asarray(every).tolist() == pytest.approx(each, rel=1e-12, abs=1e-9)
    lines = np.stack([usd, 2 * usd])
    assert close(finance.npv_usd(usd=lines, rate_per_year=rates, years=years), [each, [2 * one for one in each]])


def test_one_amount_at_many_rates() -> None:
    got = finance.npv_usd(usd=np.array([0.0, 121.0]), rate_per_year=np.array([0.1, 0.21]), years=[0, 1])
    assert close(got, [110.0, 100.0])


def test_a_rate_with_an_axis_of_time_is_refused() -> None:
    with pytest.raises(ValueError, match=r"want one number for each draw.*\(3, 1\)"):
        finance.npv_usd(usd=np.ones((3, 4)), rate_per_year=np.full((3, 1), 0.1), years=np.arange(4))


# Level streams, loans, leases


@given(PER_PERIOD, PERIODS)
def test_a_level_stream_is_the_sum_of_its_parts(rate: float, periods: int) -> None:
    parts = (1 + rate) ** -np.arange(1.0, periods + 1)
    assert close(finance.annuity_factor(rate_per_period=rate, periods=periods, in_advance=False), parts.sum())
    before = finance.annuity_factor(rate_per_period=rate, periods=periods, in_advance=True)
    assert close(before, parts.sum() * (1 + rate))


@given(PRICE, st.floats(0.0, 0.9), st.floats(-0.3, 2.0), st.integers(2, 120), st.booleans())
def test_the_implied_rate_is_the_one_the_lease_was_made_with(
    usd: float, left: float, rate: float, months: int, in_advance: bool
) -> None:
    per_month = monthly_rate(rate_per_year=rate)
    payment = loan_payment_usd(
        principal_usd=usd, balloon_usd=left * usd, rate_per_period=per_month, periods=months, in_advance=in_advance
    )
    # Only a lease: payments that go the other way have no rate to show.
    assume(payment > 1e-3 * usd)
    got = finance.implied_lease_rate(
        price_usd=usd, usd_per_month=payment, months=months, balloon_usd=left * usd, in_advance=in_advance
    )
    assert got.reason == FOUND
    assert close(got.value, rate, rel=1e-7)


@pytest.mark.parametrize(("quote", "reason"), [
    ({"usd_per_month": 0.0, "balloon_usd": 0.0, "in_advance": False}, finance.NO_PAYMENT),
    ({"usd_per_month": 1_000.0, "balloon_usd": 0.0, "in_advance": True}, finance.PAID_AT_ONCE),
    ({"usd_per_month": 1e-15, "balloon_usd": 0.0, "in_advance": False}, finance.RATE_OUT_OF_RANGE),
    ({"usd_per_month": 1_500.0, "balloon_usd": 0.0, "in_advance": False}, finance.RATE_OUT_OF_RANGE),
])  # fmt: skip
def test_a_quote_without_a_rate_says_why(quote: dict[str, Any], reason: str) -> None:
    got = finance.implied_lease_rate(price_usd=1_000.0, months=48, **quote)
    assert not got.is_found
    assert got.reason == reason


def test_payments_below_the_price_imply_a_negative_rate() -> None:
    got = finance.implied_lease_rate(
        price_usd=1_200.0, usd_per_month=np.array([100.0, 90.0]), months=12, balloon_usd=0.0, in_advance=False
    )
    assert got.is_found.all()
    assert close(np.asarray(got.value)[0], 0.0)
    assert np.asarray(got.value)[1] < 0


# Equal yearly and levelised cost


@given(PRICE, st.floats(0.01, 0.5))
def test_a_chain_of_replacements_costs_the_same_each_year(usd: float, rate: float) -> None:
    """Lives of 3 and 8 years, each replaced until year 24: the chain's yearly cost is that of one life."""
    for life in (3, 8):
        bought = np.arange(0, 24, life)
        chain = np.sum(usd * (1 + rate) ** -bought.astype(float))
        once = finance.equivalent_annual_usd(present_value_usd=usd, rate_per_year=rate, years=life)
        assert close(finance.equivalent_annual_usd(present_value_usd=chain, rate_per_year=rate, years=24), once)


@given(st.lists(st.tuples(st.floats(0, 1e5), st.floats(0.1, 1e4)), min_size=1, max_size=40), st.floats(0.0, 1.0))
def test_the_levelised_price_pays_for_it_all(months: list[tuple[float, float]], rate: float) -> None:
    usd, hours = (np.array(column) for column in zip(*months, strict=True))
    years = finance.flow_years(months=len(usd) - 1, timing="month_end")
    price = finance.levelised_usd_per_hour(usd=usd, useful_hours=hours, rate_per_year=rate, years=years)
    short = finance.npv_usd(usd=price.value * hours - usd, rate_per_year=rate, years=years)
    assert close(short, 0.0, scale=usd.sum())


def test_without_a_useful_hour_there_is_no_price_of_one() -> None:
    got = finance.levelised_usd_per_hour(
        usd=np.full((2, 3), 100.0), useful_hours=np.array([[0, 0, 0], [0, 10, 10]]), rate_per_year=0.0, years=[0, 1, 2]
    )
    assert got.is_found.tolist() == [False, True]
    assert got.reason.tolist() == [finance.NO_HOURS, FOUND]
    assert np.asarray(got.value)[1] == 15.0


# Rate of return


@given(st.lists(PRICE, min_size=1, max_size=5), st.lists(PRICE, min_size=1, max_size=60), st.booleans())
def test_one_change_of_sign_has_one_rate(out: list[float], back: list[float], borrowed: bool) -> None:
    usd = np.array([-x for x in out] + back) * (-1 if borrowed else 1)
    got = finance.irr(usd=usd, years=np.arange(len(usd)))
    if got.is_found:
        worth = finance.npv_usd(usd=usd, rate_per_year=got.value, years=np.arange(len(usd)))
        factors = finance.discount_factors(rate_per_year=got.value, years=np.arange(len(usd)))
        assert close(worth, 0.0, scale=np.abs(usd * factors).sum())
        if -0.9 < float(got.value) < 10:
            assert close(got.value, pyxirr.irr(usd), rel=1e-6, scale=1.0)
    else:
        assert got.reason == finance.RATE_OUT_OF_RANGE


@given(st.lists(PRICE, min_size=1, max_size=5), st.lists(PRICE, min_size=1, max_size=60), st.floats(-0.3, 1.0))
def test_the_modified_rate_is_that_of_another_library(out: list[float], back: list[float], rate: float) -> None:
    usd = np.array([-x for x in out] + back + [-out[0]])  # the sign changes twice: no one rate of return
    got = finance.modified_irr(usd=usd, rate_per_year=rate, years=np.arange(len(usd)))
    assert close(got.value, pyxirr.mirr(usd, rate, rate), rel=1e-9, scale=1.0)


def test_money_that_moves_one_way_has_no_modified_rate_and_each_draw_has_its_own() -> None:
    usd = np.array([[-120_000.0, 39_000, 30_000, 21_000, 37_000, 46_000], [1.0, 2, 3, 4, 5, 6]])
    got = finance.modified_irr(usd=usd, rate_per_year=np.array([0.1, 0.1]), years=np.arange(6))
    assert np.asarray(got.value)[0] == pytest.approx(0.11750925868492845)
    assert got.reason[1] == finance.ONE_WAY


@given(st.floats(-0.5, 3.0), st.integers(1, 60))
def test_the_rate_put_in_comes_out_of_months(rate: float, months: int) -> None:
    years = finance.flow_years(months=months, timing="month_end")
    usd = np.full(months + 1, 100.0)
    usd[0] = -finance.npv_usd(usd=np.append(0.0, usd[1:]), rate_per_year=rate, years=years)
    assert close(finance.irr(usd=usd, years=years).value, rate, rel=1e-8)


@given(PRICE, st.lists(st.tuples(st.integers(1, 200), PRICE), min_size=1, max_size=30))
def test_the_rate_of_dated_money_is_what_another_library_finds(usd: float, back: list[tuple[int, float]]) -> None:
    days = np.cumsum([0, *(wait for wait, _ in back)])
    flows = np.array([-usd, *(amount for _, amount in back)])
    got = finance.irr(usd=flows, years=finance.dated_years(days=days))
    if got.is_found and -0.9 < float(got.value) < 10:
        theirs = pyxirr.xirr([YEAR_2026 + timedelta(days=int(day)) for day in days], flows)
        assert close(got.value, theirs, rel=1e-6, scale=1.0)


@each_row(("usd", "reason"), [
    ([0.0, 0.0], finance.ONE_WAY),
    ([-1.0, -2.0, 0.0], finance.ONE_WAY),
    ([5.0], finance.ONE_WAY),
    ([-100.0, 230.0, -132.0], finance.SEVERAL_RATES),  # 10 % and 20 % both fit
    ([-100.0, 60.0, -40.0, 150.0], finance.SEVERAL_RATES),
    ([-1.0, 0.0, 1e10], finance.RATE_OUT_OF_RANGE),
    ([-1e9, 1.0], finance.RATE_OUT_OF_RANGE),
    ([-100.0, 0.0, 121.0, 0.0], FOUND),
    ([0.0, -100.0, 110.0], FOUND),
    ([-100.0, 110.0, -1e-12], FOUND),  # what rounding leaves behind is no change of sign
])  # fmt: skip
def test_a_rate_is_offered_only_where_there_is_one(usd: list[float], reason: str) -> None:
    got = finance.irr(usd=np.array(usd), years=np.arange(len(usd)))
    assert got.reason == reason
    assert bool(got.is_found) is (reason == FOUND)
    if got.is_found:
        assert close(got.value, 0.1)


def test_rates_of_many_draws_are_those_of_each() -> None:
    usd = np.array([[-100.0, 110.0, 0.0], [-100.0, 0.0, 121.0], [-1.0, -1.0, -1.0], [-100.0, 230.0, -132.0]])
    every = finance.irr(usd=usd, years=np.arange(3))
    each = [finance.irr(usd=row, years=np.arange(3)) for row in usd]
    assert every.reason.tolist() == [str(one.reason) for one in each]
    assert np.array_equal(np.asarray(every.value), [one.value for one in each], equal_nan=True)


# Numbers that may not exist


def test_the_first_reason_that_holds_is_given() -> None:
    got = solve_result(
        np.array([1.0, 2.0, 3.0]),
        reasons={"none: a": np.array([True, False, False]), "none: b": np.array([True, True, False])},
    )
    assert got.reason.tolist() == ["none: a", "none: b", FOUND]
    assert got.is_found.tolist() == [False, False, True]
    assert np.asarray(got.value)[2] == 3.0


def test_a_root_is_found_for_each_entry_and_missing_where_there_is_none() -> None:
    target = np.array([4.0, 0.25, 1e9, 0.0])
    got = root(lambda x: x**2 - target, low=np.zeros(4), high=np.full(4, 10.0))
    assert got == pytest.approx([2.0, 0.5, np.nan, 0.0], nan_ok=True, abs=1e-15)
    assert root(lambda x: np.asarray(x - 1.0), low=0.0, high=1.0) == pytest.approx(1.0)
