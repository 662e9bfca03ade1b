"""What a cash flow amounts to: golden numbers of two published plans, and a spreadsheet's functions as oracle."""

from datetime import date
from typing import Any

import numpy as np
import pytest
import pyxirr
from hypothesis import given
from hypothesis import strategies as st

from planner.money.finance import days_since, flow_years
from planner.money.ledger import YOUR_INPUT, Ledger, LedgerInput, Line
from planner.money.measures import (
    cash_by_year_usd,
    compute_measures,
    cumulative_discounted_cost,
    discounted,
    present_usd,
)
from planner.money.setting import PlanContext
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from tests.examples import at_most
from tests.facts import CATALOGUE, DAY

TIMINGS = ("month_end", "month_middle", "year_end", "year_middle", "dated")


def setting(*, years: float, rate: float = 0.10, **terms: Any) -> PlanContext:
    scenario = Scenario(years=years, terms=FinancialTerms(discount_rate_per_year=rate, **terms))
    return PlanContext(CATALOGUE, scenario, DAY)


def flow(usd: Any, name: str = "flow", **line: Any) -> Line:
    """A line of given amounts."""
    return Line(
        name, line.pop("part", "compute"), "amount_usd", (LedgerInput("amount_usd", usd, "USD", YOUR_INPUT),), **line
    )


def today_then(today: float, month: float, months: int) -> Ledger:
    return Ledger("", (flow(np.array([today] + [month] * months)),))


HOURS = np.array([0.0] + [10_000.0] * 60)
# 80 accelerators for 800,000 and 5,000 a month, against 10,000 accelerator-hours a month at 2.00.
TOY_OWN, TOY_RENT = today_then(800_000, 5_000, 60), today_then(0, 20_000, 60)


@pytest.mark.parametrize(
    ("timing", "npv_usd"), [("year_end", -117_658), ("year_middle", -84_354), ("month_end", -86_922)]
)
def test_the_toy_under_each_convention(timing: str, npv_usd: float) -> None:
    """800,000 against 180,000 a year: 682,342 at year ends, times 1.1 ** 0.5 in their middle."""
    here = setting(years=5, timing=timing)
    assert compute_measures(here, TOY_OWN, HOURS, TOY_RENT).npv_usd == pytest.approx(npv_usd, abs=0.5)


def test_the_toy_in_all_measures() -> None:
    measures = compute_measures(setting(years=5, timing="year_end"), TOY_OWN, HOURS, TOY_RENT)
    assert measures.total_usd == 1_100_000
    assert measures.cash_today_usd == 800_000
    assert measures.simple_payback.months == pytest.approx(53.333, abs=1e-3)
    assert measures.simple_payback.month == 54
    assert measures.irr.value == pytest.approx(0.0406, abs=5e-5)
    assert measures.eac_usd_per_year == pytest.approx(271_038, abs=0.5)
    assert not measures.payback.is_found
    assert measures.usd_per_useful_hour.value == pytest.approx(271_038 / 120_000, rel=1e-5)


def test_the_toy_pays_back_in_todays_money_only_in_a_longer_plan() -> None:
    """15,000 a month at 0.7974 % a month: 800,000 are back in month 70 of 120, and never within 60."""
    hours = np.array([0.0] + [10_000.0] * 120)
    long = compute_measures(setting(years=10), today_then(800_000, 5_000, 120), hours, today_then(0, 20_000, 120))
    assert long.payback.month == 70


def test_a_year_ends_with_its_twelfth_month_and_day_one_is_in_the_first() -> None:
    """100 today, then as many dollars as the month has number: 1 to 12, 13 to 24, and 25 to 30 of a third year."""
    rising = Ledger("", (flow(np.array([100.0, *range(1, 31)])),))
    assert cash_by_year_usd(rising).tolist() == [100 + 78, 222, 165]


def test_a_year_holds_what_is_paid_and_neither_waits_nor_what_a_sale_would_fetch() -> None:
    """40 forgone today by keeping, 7 a month of waiting that nobody is paid, 20 that a sale brings in month 13."""
    months = np.arange(25)
    kept = flow(np.where(months == 0, 40.0, 0.0), "kept", treatment="forgone")
    sold = flow(np.where(months == 13, -20.0, 0.0), "sold", treatment="sale")
    waits = flow(np.where(months == 0, 0.0, 7.0), "waits", treatment="imputed")
    paid = flow(np.where(months == 0, 100.0, 10.0))
    assert cash_by_year_usd(Ledger("", (paid, kept, sold, waits))).tolist() == [100 + 120, 120 - 20]


@pytest.mark.parametrize(("timing", "npv_usd"), [("year_end", -9_440), ("month_end", 76_620), ("year_middle", 83_812)])
def test_a_published_plan_that_the_convention_turns(timing: str, npv_usd: float) -> None:
    """64 accelerators at 30,000, 728,681 to run them for 48 months, against 3,139,584 of rent."""
    own, rent = today_then(1_920_000, 728_681 / 48, 48), today_then(0, 3_139_584 / 48, 48)
    measures = compute_measures(setting(years=4, timing=timing), own, np.ones(49), rent)
    assert measures.npv_usd == pytest.approx(npv_usd, abs=5)
    if timing == "year_end":
        assert measures.irr.value == pytest.approx(0.0977, abs=5e-5)


MONTHLY = st.lists(st.floats(-1e6, 1e6).filter(lambda usd: abs(usd) > 1e-3), min_size=12, max_size=12)


@at_most(50)
@given(MONTHLY, st.floats(0.0, 0.5), st.dates(date(2000, 1, 1), date(2100, 12, 31)))
def test_dated_money_is_worth_what_a_spreadsheet_says(usd: list[float], rate: float, day: date) -> None:
    amounts = np.array([0.0, *usd])
    there = PlanContext(
        CATALOGUE, Scenario(years=1, terms=FinancialTerms(discount_rate_per_year=rate, timing="dated")), day
    )
    days = [date.fromordinal(day.toordinal() + int(days)) for days in days_since(day=day, months=12)]
    want = pyxirr.xnpv(rate, days, amounts)
    assert present_usd(there, Ledger("", (flow(amounts),))) == pytest.approx(want, rel=1e-9, abs=1e-3)


@at_most(50)
@given(st.floats(1e3, 1e6), st.lists(st.floats(1.0, 1e5), min_size=24, max_size=24))
def test_the_rate_of_return_is_a_spreadsheets(price: float, savings: list[float]) -> None:
    own, rent = today_then(price, 0, 24), Ledger("", (flow(np.array([0.0, *savings])),))
    found = compute_measures(setting(years=2, timing="dated"), own, np.ones(25), rent).irr
    days = [date.fromordinal(DAY.toordinal() + int(days)) for days in days_since(day=DAY, months=24)]
    want = pyxirr.xirr(days, [-price, *savings])
    if want is not None and found.is_found:
        assert found.value == pytest.approx(want, rel=1e-6, abs=1e-8)


def test_a_month_is_counted_by_its_days() -> None:
    """The 31st, or the last day there is: 28 February, 31 March, 30 April."""
    assert days_since(day=date(2026, 1, 31), months=3).tolist() == [0, 28, 59, 89]
    assert days_since(day=date(2028, 1, 31), months=1).tolist() == [0, 29]
    with pytest.raises(ValueError, match="the day"):
        flow_years(months=1, timing="dated")


@pytest.mark.parametrize("timing", TIMINGS)
def test_without_discount_every_convention_is_a_plain_sum(timing: str) -> None:
    here = setting(years=5, rate=0.0, timing=timing)
    assert present_usd(here, TOY_OWN) == pytest.approx(1_100_000)
    assert cumulative_discounted_cost(here, TOY_OWN)[-1] == pytest.approx(1_100_000)


def test_draws_give_what_numbers_give() -> None:
    here = setting(years=5)
    rates, months = np.array([[0.0], [0.05], [0.3]]), np.array([[1.0], [2.0], [3.0]])
    many = Ledger("", (flow(months * TOY_OWN.monthly_usd),))
    found = compute_measures(here.with_tried({"discount_rate_per_year": rates}), many, HOURS, TOY_RENT)
    for at, (rate, times) in enumerate(zip(rates[:, 0], months[:, 0], strict=True)):
        measures = compute_measures(
            setting(years=5, rate=rate), Ledger("", (flow(times * TOY_OWN.monthly_usd),)), HOURS, TOY_RENT
        )
        for name in ("present_usd", "total_usd", "cash_today_usd", "eac_usd_per_year", "npv_usd"):
            assert np.asarray(getattr(found, name))[at] == pytest.approx(getattr(measures, name)), name
        assert np.asarray(found.usd_per_useful_hour.value)[at] == pytest.approx(measures.usd_per_useful_hour.value)
        assert found.irr.reason[at] == measures.irr.reason


def test_real_terms() -> None:
    """10 % nominal and 3 % inflation are 6.796 % real: money that grows with prices is worth the same either way."""
    monthly = 1_000 * 1.03 ** (np.arange(37) / 12)
    nominal = setting(years=3, money="nominal", inflation_per_year=0.03)
    real = setting(years=3, rate=1.10 / 1.03 - 1, money="real", inflation_per_year=0.03)
    worth = present_usd(nominal, Ledger("", (flow(monthly),)))
    assert present_usd(real, today_then(1_000, 1_000, 36)) == pytest.approx(worth)
    scenario = Scenario(terms=FinancialTerms(money="real", inflation_per_year=0.03))
    usual = PlanContext(CATALOGUE, scenario, DAY)
    factor = discounted(usual, today_then(1, 1, 36))[12]
    assert factor == pytest.approx(1.03 / (1 + usual.discount_rate_per_year))


def test_no_useful_hour_has_no_price() -> None:
    measures = compute_measures(setting(years=5), TOY_OWN, np.zeros(61), TOY_RENT)
    assert str(measures.usd_per_useful_hour.reason).startswith("none: there is no useful hour")


def test_what_is_not_priced_is_named_and_left_out() -> None:
    ledger = Ledger("", (*TOY_OWN.lines, flow(np.full(61, np.nan), "Disk", part="storage")))
    measures = compute_measures(setting(years=5), ledger, HOURS, TOY_RENT)
    assert measures.unpriced == ("Disk",)
    assert measures.present_usd == compute_measures(setting(years=5), TOY_OWN, HOURS, TOY_RENT).present_usd
