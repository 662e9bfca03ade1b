"""Rent to own: payments from the delivery on, the rate behind them, and machines that are yours to sell."""

from typing import Any

import numpy as np
import pytest

from planner.money.finance import annuity_factor
from planner.money.option import OptionLedger, Unavailable
from planner.money.ways import rent_to_own
from tests.money.loans import monthly_rate
from tests.money.owning import EIGHTY, NOTHING, built, by_line, monthly, scenario, setting

OWN = {**EIGHTY, "running_usd_per_month": 5_000.0, "residual_share": 0.2}
QUOTE = {"usd_per_month": 30_000.0, "months": 24, "upfront_usd": 100_000.0, "final_usd": 50_000.0}


def way(own: dict[str, Any] = OWN, quote: dict[str, Any] = QUOTE, **plan: Any) -> OptionLedger:
    """800,000 worth on this quote."""
    return built(rent_to_own.build, setting(scenario(own, rent_to_own=quote, **plan)))


def test_payments_by_hand() -> None:
    """100,000, then 24 times 30,000 and 50,000 with the last; 160,000 come back after four years."""
    ledger = way()
    assert ledger.title == "Rent to own"
    assert monthly(ledger).tolist() == pytest.approx(
        [100_000] + [35_000] * 23 + [85_000] + [5_000] * 23 + [5_000 - 160_000]
    )


def test_they_begin_on_delivery() -> None:
    usd = by_line(way({**OWN, "lead_time_months": 2.0}))
    assert np.flatnonzero(usd["Paid on delivery"]).tolist() == [2]
    assert np.flatnonzero(usd["Monthly payments"]).tolist() == list(range(3, 27))
    assert np.flatnonzero(usd["Last payment"]).tolist() == [26]


def test_what_is_still_due_at_the_end_is_paid_before_they_are_sold() -> None:
    found = by_line(way(years=1.0))
    assert found["Payments still due at the end"][12] == 12 * 30_000
    assert found["Last payment"][12] == 50_000
    assert found["Resale"][12] == pytest.approx(-160_000)


def test_the_rate_behind_the_quote_stands_beside_what_a_loan_costs() -> None:
    """At 9 % 100,000 and 24 payments are worth the price: it is a loan at 9 %."""
    factor = annuity_factor(rate_per_period=monthly_rate(rate_per_year=0.09), periods=24, in_advance=False)
    quote = {"usd_per_month": float(700_000 / factor), "months": 24, "upfront_usd": 100_000.0}
    ledger = way(quote=quote, loan={"rate_per_year": 0.12})
    assert ledger.warnings[0] == (
        "The quoted rent-to-own costs as much as a loan at 9.00% a year; a loan is assumed at 12.00%"
    )


def test_what_never_comes_is_not_paid_for() -> None:
    late = rent_to_own.build(setting(scenario({**OWN, "lead_time_months": 60.0}, rent_to_own=QUOTE)))
    assert isinstance(late, Unavailable)
    assert late.reason == (
        "the machines come after 5 years, when the plan ends: nothing would ever be paid for, and all work would be"
        " rented"
    )


def test_it_needs_a_quote_and_a_price() -> None:
    unquoted = rent_to_own.build(setting(scenario(OWN)))
    unpriced = rent_to_own.build(setting(scenario(NOTHING, rent_to_own=QUOTE, accelerator="TPU-v5p")))
    assert isinstance(unquoted, Unavailable)
    assert isinstance(unpriced, Unavailable)
    assert unquoted.reason != unpriced.reason
