"""Leases in the books: published worked examples to the cent or to their rounding, and the contracts of a plan."""

from typing import Any

import numpy as np
import pytest

from planner.money.accounting.fiscal import periods
from planner.money.accounting.leases import LeaseAccounts, lease_accounts, lease_back, lease_schedule
from planner.money.plan import plan_from_context
from planner.money.ways.lease import build as build_lease
from planner.money.ways.sale_and_lease_back import build as build_lease_back
from tests.money.owning import EIGHTY, built, scenario, setting
from tests.rows import each_row

OWN = {**EIGHTY, "running_usd_per_month": 5_000.0}


def test_hmrc_blm18010_ten_years_in_advance() -> None:
    """IFRS 16, HMRC Business Leasing Manual BLM18010: the whole table. Its closing liability is before the payment."""
    plan = lease_schedule(
        payments=[100_000.0] * 10 + [0.0], rate_per_period=0.05, periods=10, extra_asset=9_998, restoring=20_000
    )
    assert plan.liability[0] == pytest.approx(710_782, abs=0.5)
    assert plan.asset[0] == pytest.approx(840_780, abs=0.5)
    interest = [35_539, 32_316, 28_932, 25_379, 21_647, 17_730, 13_616, 9_297, 4_762, 0]
    closing = [746_321, 678_637, 607_569, 532_948, 454_595, 372_325, 285_941, 195_238, 100_000, 0]
    assert plan.interest[1:] == pytest.approx(interest, abs=1.0)
    assert (plan.liability + plan.paid)[1:] == pytest.approx(closing, abs=1.0)
    assert plan.depreciation[1:] == pytest.approx([84_078] * 10, abs=0.5)
    assert plan.asset[1:] == pytest.approx([84_078 * year for year in range(9, -1, -1)], abs=1.0)


def test_ifrs_16_illustrative_example_13() -> None:
    """Ten payments of 50,000 in advance at 5 %, costs of 20,000, an incentive of 5,000."""
    plan = lease_schedule(payments=[50_000.0] * 10 + [0.0], rate_per_period=0.05, periods=10, extra_asset=15_000.0)
    assert plan.liability[0] == pytest.approx(355_391.08, abs=0.01)
    assert plan.asset[0] == pytest.approx(420_391, abs=0.5)
    assert plan.interest[1:3] == pytest.approx([17_770, 16_158], abs=0.5)
    assert (plan.liability + plan.paid)[1:3] == pytest.approx([373_161, 339_319], abs=0.5)


def test_kaplan_sbr_example_2_in_arrears() -> None:
    """1.0, 1.0, 1.0 and 0.8 million at 10 %: 3.03 exactly, 3.04 as the sum of rounded values; costs of 0.1."""
    plan = lease_schedule(payments=[0.0, 1.0, 1.0, 1.0, 0.8], rate_per_period=0.1, periods=4, extra_asset=0.1)
    assert plan.liability[0] == pytest.approx(3.04, abs=0.01)
    assert plan.asset[0] == pytest.approx(3.14, abs=0.01)


def test_kaplan_f2_example_6_6_sale_and_lease_back() -> None:
    """Four payments of 100,000 at 10 % (factor 3.17) for what stood at 400,000 and is worth 520,000."""
    liability = lease_schedule(payments=[0.0] + [1e5] * 4, rate_per_period=0.1, periods=4).liability[0]
    assert liability == pytest.approx(317_000, abs=15)  # 316,987 with the exact factor
    kept = lease_back(carrying=400_000, fair_value=520_000, received=520_000, liability=317_000)
    assert kept == pytest.approx((243_846, 46_846), abs=0.5)


def test_ezlease_operating_lease() -> None:
    """ASC 842: 60 months at 5,000 and 60 at 6,000 in advance, 4 % a year in twelfths; after the first year."""
    plan = lease_schedule(payments=[5e3] * 60 + [6e3] * 60 + [0.0], rate_per_period=0.04 / 12, periods=120)
    assert plan.liability[0] + plan.paid[0] == pytest.approx(540_116.39, abs=0.01)
    assert plan.liability[12] + plan.paid[12] == pytest.approx(500_806, abs=0.5)
    assert plan.level_cost[1:] == pytest.approx([5_500.0] * 120)
    assert plan.operating_asset[12] == pytest.approx(494_805.54, abs=0.01)
    assert [plan.operating_asset[-1], plan.asset[-1], plan.liability[-1]] == pytest.approx([0, 0, 0], abs=1e-6)


def test_nakisa_one_month_of_an_operating_lease() -> None:
    """ASC 842, one month: interest 714.64, asset down by 14,920.93 (the page prints 0.03 less), liability 364,047.3."""
    opening, rate, paid = 381_143.08, 0.0225 / 12, 17_810.43
    plan = lease_schedule(
        payments=[0.0, paid, (opening * (1 + rate) - paid) * (1 + rate)], rate_per_period=rate, periods=2
    )
    assert plan.liability[0] == pytest.approx(opening)
    assert plan.interest[1] == pytest.approx(714.64, abs=0.005)
    assert 15_635.57 - plan.interest[1] == pytest.approx(14_920.93, abs=0.005)
    assert plan.liability[1] == pytest.approx(364_047.3, abs=0.02)


def test_ileasepro_48_months() -> None:
    """ASC 842: 5,000 in advance at 7 %. The page has 210,873; twelfths give 210,019.01, the effective rate this."""
    payments = [5_000.0] * 48 + [0.0]
    for rate, worth in ((0.07 / 12, 210_019.01), (1.07 ** (1 / 12) - 1, 210_858.93)):
        plan = lease_schedule(payments=payments, rate_per_period=rate, periods=48)
        assert plan.liability[0] + plan.paid[0] == pytest.approx(worth, abs=0.01)
    assert plan.paid.sum() == 240_000


def booked(lease: dict[str, Any] | None = None, **plan: Any) -> LeaseAccounts:
    """Return the books of 800,000 worth that is leased, at 10 %."""
    terms = {"left_share": 0.0, "rate_per_year": 0.1, **(lease or {})}
    context = setting(scenario(OWN, **{"terms": {"discount_rate_per_year": 0.1}, "lease": terms, **plan}))
    accounts = lease_accounts(context, built(build_lease, context))
    assert accounts is not None
    return accounts


@each_row("terms", [{"in_advance": False}, {"in_advance": True}])
def test_a_lease_at_its_own_rate_stands_in_the_books_at_its_price(terms: dict[str, Any]) -> None:
    accounts = booked(terms)
    (lease,) = accounts.leases
    assert lease.schedule.asset[0] == pytest.approx(800_000, abs=1)
    assert lease.schedule.liability[-1] == pytest.approx(0, abs=1e-6)
    total = {name: float(usd.sum()) for name, usd in accounts.rows.items()}
    assert total["interest"] + total["depreciation"] == pytest.approx(total["paid"])
    assert total["us_interest"] + total["us_amortization"] == pytest.approx(total["paid"])
    assert (lease.ifrs, lease.us) == ("on_balance_sheet", "finance")  # 48 of 60 months are four fifths of its life
    assert total["ebitda"] == pytest.approx(total["paid"])


@each_row(("terms", "books", "us", "ifrs"), [
    ({"years": 2.0, "left_share": 0.5}, {}, "operating", "on_balance_sheet"),
    ({"years": 1.0, "left_share": 0.5}, {}, "short_term", "short_term"),
    ({"years": 1.0}, {"short_term_expensed": False}, "finance", "on_balance_sheet"),
    ({"years": 1.0, "buys_at_end": True, "left_share": 0.2}, {}, "finance", "on_balance_sheet"),
    ({}, {"low_value_usd": 100_000.0}, "finance", "low_value"),
])  # fmt: skip
def test_how_each_standard_takes_it(terms: dict[str, Any], books: dict[str, Any], us: str, ifrs: str) -> None:
    accounts = booked(terms, accounting=books)
    assert (accounts.leases[0].us, accounts.leases[0].ifrs) == (us, ifrs)
    rows = accounts.rows
    cost = rows["us_interest"] + rows["us_amortization"] + rows["us_operating_cost"]
    if not terms.get("buys_at_end"):
        assert cost.sum() == pytest.approx(rows["paid"].sum())
    assert (rows["liability"].max() > 0) == (ifrs == "on_balance_sheet")
    assert (rows["us_ebitda"].sum() > 0) == (us == "finance")


def test_the_borrowing_rate_is_the_books_own() -> None:
    low, high = (booked(accounting={"borrowing_rate_per_year": rate}) for rate in (0.05, 0.2))
    assert low.leases[0].schedule.asset[0] > 800_000 > high.leases[0].schedule.asset[0]


def test_a_fiscal_year_ends_before_the_month_it_starts_in() -> None:
    context = setting(scenario(OWN, accounting={"fiscal_year_starts": 4}))
    spans = periods(context)
    usd = np.ones(context.timeline.last + 1)
    assert sum(spans.sums(usd)) == len(usd)
    assert spans.labels[0].startswith("FY ")
    assert len(spans.labels) == 5  # four years from within a fiscal year
    quarters = periods(context, quarters=True)
    assert sum(quarters.sums(usd)) == len(usd)
    assert {label[:7] for label in quarters.labels} == set(spans.labels)
    plain = periods(setting(scenario(OWN)))
    assert plain.labels == ("Today", "Year 1", "Year 2", "Year 3", "Year 4")
    assert plain.sums(usd) == [1, 12, 12, 12, 12]
    assert plain.ends(np.arange(49.0)) == [0, 12, 24, 36, 48]


def test_in_real_terms_payments_are_nominal_and_so_is_the_rate() -> None:
    nominal = booked(years=4.0)
    real = booked(years=4.0, terms={"discount_rate_per_year": 1.1 / 1.03 - 1, "money": "real",
                                    "inflation_per_year": 0.03})  # fmt: skip
    assert real.rate_per_year == pytest.approx(0.1)
    assert real.rows["paid"].sum() == pytest.approx(nominal.rows["paid"].sum())
    assert real.leases[0].schedule.asset[0] == pytest.approx(nominal.leases[0].schedule.asset[0])


def test_a_lease_back_below_the_price_holds_the_rest_as_rent_in_advance() -> None:
    deal = {"price_share": 0.9, "years": 2.0, "left_share": 0.5, "rate_per_year": 0.1}
    context = setting(scenario(OWN, terms={"discount_rate_per_year": 0.1}, sale_and_lease_back=deal))
    accounts = lease_accounts(context, built(build_lease_back, context))
    assert accounts is not None
    (lease,) = accounts.leases
    worth = lease.schedule.liability[0] + lease.schedule.paid[0]
    assert lease.contract.received_usd == pytest.approx(720_000)
    assert lease.schedule.asset[0] == pytest.approx(worth + 80_000)
    assert lease.us == "operating"
    assert accounts.rows["us_operating_cost"].sum() == pytest.approx(lease.schedule.paid.sum() + 80_000)


@pytest.mark.parametrize("years", [1.0, 2.0])
def test_a_reservation_that_is_paid_before_has_no_liability_and_is_paid_whole(years: float) -> None:
    names = {"reservations_are_leases": True, "short_term_expensed": False}
    plan = {"accounting": names, "reserve": {"usd_per_accelerator_hour": 2.0, "term": "reserved_2y", "prepaid": True}}
    found = plan_from_context(setting(scenario(OWN, years=years, ways=("own", "reserved"), **plan)))
    option = found.option("reserved")
    assert option is not None
    accounts = lease_accounts(found.setting, option.ledger)
    assert accounts is not None
    assert not accounts.rows["liability"].any()
    assert accounts.rows["asset"][0] == accounts.rows["paid"][0] == pytest.approx(accounts.rows["paid"].sum())
    assert accounts.rows["paid"][0] == pytest.approx(2.0 * option.accelerators * 730 * 24)
    assert accounts.rows["interest"].sum() == 0 < accounts.rows["depreciation"].sum()
