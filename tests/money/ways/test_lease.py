"""Lease: published payments and implied rates, what comes after it, and what is owed beyond the plan."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.finance import flow_years, npv_usd
from planner.money.option import OptionLedger, Unavailable
from planner.money.ways import lease
from pricing.market.hardware import used_share
from tests.money.owning import EIGHTY, NOTHING, built, by_line, monthly, scenario, setting, total

OWN = {**EIGHTY, "running_usd_per_month": 5_000.0}
RENT = 80 * 0.5 * 730 * 2.0


def way(terms: dict[str, Any], own: dict[str, Any] = OWN, **plan: Any) -> OptionLedger:
    """Leasing 800,000 worth on these terms."""
    return built(lease.build, setting(scenario(own, lease={"left_share": 0.0, **terms}, **plan)))


def paid(found: OptionLedger, name: str = "Lease payments") -> dict[int, float]:
    """The months in which a line moves, and by how much."""
    usd = by_line(found)[name]
    return {int(month): float(usd[month]) for month in np.flatnonzero(usd)}


@pytest.mark.parametrize(("in_advance", "payment", "months"), [(False, 20_125, (1, 48)), (True, 19_966, (0, 47))])
def test_published_payments(in_advance: bool, payment: float, months: tuple[int, int]) -> None:
    """800,000, 48 months, 10 % effective (methods/finance.md section 4)."""
    ledger = way({"rate_per_year": 0.1, "in_advance": in_advance})
    expected = dict.fromkeys(range(months[0], months[1] + 1), payment)
    assert paid(ledger) == pytest.approx(expected, abs=0.5)
    assert ledger.title == "Lease"
    assert not {"Servers, with spares", "Resale"} & set(by_line(ledger))


def test_a_published_implied_rate_stands_beside_what_a_loan_costs() -> None:
    """21,000 a month in arrears for 800,000 is 12.49 % effective (methods/finance.md section 4)."""
    terms = {"usd_per_month": 21_000.0, "in_advance": False}
    ledger = way(terms, loan={"rate_per_year": 0.1})
    assert ledger.warnings[0] == (
        "The quoted lease costs as much as a loan at 12.49% a year; a loan is assumed at 10.00%"
    )
    assert paid(ledger) == dict.fromkeys(range(1, 49), 21_000.0)
    assert len(way({}).warnings) == 1  # its own rate needs no finding; to ask accounting remains


def test_a_quote_of_nothing_has_no_rate_and_says_why() -> None:
    assert "is not known: none: nothing is paid back" in way({"usd_per_month": 0.0}).warnings[0]


@pytest.mark.parametrize("in_advance", [False, True])
def test_what_is_given_back_is_part_of_the_rate(in_advance: bool) -> None:
    """What a lease at 13 % with 35 % left costs a month is, as a quote, a lease at 13 %."""
    terms = {"left_share": 0.35, "in_advance": in_advance}
    payment = max(paid(way({**terms, "rate_per_year": 0.13})).values())
    assert "a loan at 13.00% a year" in way({**terms, "usd_per_month": payment}).warnings[0]


def test_without_interest_it_is_the_price_less_what_is_left() -> None:
    assert paid(way({"rate_per_year": 0.0, "left_share": 0.4, "years": 2.0, "in_advance": False})) == pytest.approx(
        dict.fromkeys(range(1, 25), 20_000)
    )


def test_after_it_goes_back_the_work_is_rented() -> None:
    cash = monthly(way({"usd_per_month": 30_000.0, "years": 2.0, "in_advance": False}))
    assert cash[1:].tolist() == pytest.approx([35_000.0] * 24 + [RENT] * 24)


def test_what_runs_on_beyond_the_plan_is_owed() -> None:
    ledger = way({"usd_per_month": 20_000.0, "years": 5.0, "in_advance": True})
    assert paid(ledger) == dict.fromkeys(range(49), 20_000.0)
    assert paid(ledger, "Lease beyond the plan") == {48: 11 * 20_000}


def test_bought_at_the_end_it_is_yours_to_run_and_to_sell() -> None:
    """Two years of lease, then 40 % of the price; a tenth of it comes back at the end of the plan."""
    terms = {"usd_per_month": 20_000.0, "years": 2.0, "left_share": 0.4, "buys_at_end": True, "in_advance": False}
    cash = monthly(way(terms, {**OWN, "residual_share": 0.1}))
    assert cash[0] == 0
    assert cash[1:].tolist() == pytest.approx(
        [25_000.0] * 23 + [25_000 + 320_000] + [5_000.0] * 23 + [5_000 - 80_000.0]
    )


def test_sold_before_it_is_paid_everything_is_settled() -> None:
    terms = {"usd_per_month": 20_000.0, "years": 3.0, "left_share": 0.4, "buys_at_end": True, "in_advance": False}
    ledger = way(terms, {**OWN, "resale_month": 24})
    assert paid(ledger, "Lease beyond the plan") == {24: 12 * 20_000}
    assert paid(ledger, "Buying it at the end") == pytest.approx({24: 320_000})


def test_what_is_left_is_a_used_one_where_you_say_nothing() -> None:
    own, left = {**OWN, "residual_share": None}, float(used_share(2.0, "sxm"))
    terms = {"left_share": None, "rate_per_year": 0.0, "years": 2.0}
    assert paid(way(terms, own))[0] == pytest.approx((1 - left) * 800_000 / 24)


def test_payments_begin_on_delivery() -> None:
    ledger = way({"usd_per_month": 20_000.0}, {**OWN, "lead_time_months": 6.0, "deposit_share": 0.5})
    assert paid(ledger) == dict.fromkeys(range(6, 48), 20_000.0)
    assert monthly(ledger)[0] == 0  # the lessor orders, and pays the deposit


def test_what_never_comes_is_not_paid_for() -> None:
    late = setting(scenario({**OWN, "lead_time_months": 60.0}, lease={"usd_per_month": 20_000.0}))
    found = lease.build(late)
    assert isinstance(found, Unavailable)
    assert "after 5 years, when the plan ends: nothing would ever be leased" in found.reason
    tried = built(lease.build, late.with_tried({"lead_time_months": 60.0}))  # a break-even passes through it
    assert monthly(tried)[1:].tolist() == pytest.approx([RENT] * 48)


def test_without_a_price_there_is_nothing_to_lease() -> None:
    assert isinstance(lease.build(setting(scenario(NOTHING, accelerator="TPU-v5p"))), Unavailable)


@given(
    rate=st.just(0.0) | st.floats(1e-4, 0.5),
    left=st.floats(0.0, 1.0),
    years=st.floats(0.25, 4.0),
    in_advance=st.booleans(),
)
def test_at_its_own_rate_a_lease_is_worth_the_price(rate: float, left: float, years: float, in_advance: bool) -> None:
    terms = {"rate_per_year": rate, "left_share": left, "years": years, "in_advance": in_advance}
    usd = by_line(way(terms))["Lease payments"]
    months = np.ceil(years * 12 - 1e-9)
    worth = npv_usd(usd=usd, rate_per_year=rate, years=flow_years(months=48, timing="month_end"))
    assert worth + 800_000 * left * (1 + rate) ** (-months / 12) == pytest.approx(800_000)


def test_leased_machines_are_not_replaced_by_machines_that_somebody_buys() -> None:
    """Whoever replaces what is bought every year leases the same machines all along: the lease pays for them."""
    terms = {"usd_per_month": 20_000.0, "years": 5.0}
    plain, replacing = way(terms), way(terms, own={**OWN, "refresh_years": 1.0})
    assert by_line(replacing).keys() == by_line(plain).keys()
    assert total(replacing) == pytest.approx(total(plain))
