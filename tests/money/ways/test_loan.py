"""Loan: level payments worth exactly what is lent, a balloon, and what is still owed when the machines go."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.finance import flow_years, npv_usd
from planner.money.option import OptionLedger, Unavailable
from planner.money.ways import loan, own
from tests.money.loans import loan_balance_usd, loan_payment_usd, monthly_rate
from tests.money.owning import EIGHTY, NOTHING, built, by_line, monthly, scenario, setting

OWN = {**EIGHTY, "running_usd_per_month": 5_000.0}


def way(terms: dict[str, Any], own_terms: dict[str, Any] = OWN, **plan: Any) -> OptionLedger:
    """Buying 800,000 worth on these terms of a loan."""
    return built(loan.build, setting(scenario(own_terms, loan={"loan_share": 1.0, **terms}, **plan)))


def lent(found: OptionLedger) -> dict[str, Any]:
    """The lines of the loan alone."""
    return {line.name: line.usd for line in found.lines if line.part == "finance"}


def test_a_published_payment() -> None:
    """800,000 over 48 months at 10 % effective: 20,125 a month (methods/finance.md section 4)."""
    ledger = way({"rate_per_year": 0.1, "years": 4.0})
    assert monthly(ledger)[0] == pytest.approx(0.0)
    assert monthly(ledger)[1:] - 5_000 == pytest.approx(np.full(48, 20_125), abs=0.5)
    parts = lent(ledger)
    assert parts["Interest"][1] == pytest.approx(800_000 * (1.1 ** (1 / 12) - 1))
    assert parts["Loan paid back"].sum() == pytest.approx(800_000)
    assert ledger.title == "Buy on credit"


def test_money_lent_and_repaid_is_no_cost_and_interest_is() -> None:
    treated = {line.name: line.treatment for line in way({}).lines if line.part == "finance"}
    assert treated == {
        "Money borrowed": "financing", "Interest": "expense", "Loan paid back": "financing",
        "Last payment of the loan": "financing",
    }  # fmt: skip


def test_without_interest_it_is_paid_back_in_equal_parts() -> None:
    ledger = way({"rate_per_year": 0.0, "years": 2.0, "balloon_share": 0.4})
    parts = lent(ledger)
    assert parts["Interest"].tolist() == [0.0] * 49
    assert parts["Loan paid back"][1:25].tolist() == pytest.approx([20_000.0] * 24)
    assert np.flatnonzero(parts["Loan paid back"]).tolist() == list(range(1, 25))
    assert np.flatnonzero(parts["Last payment of the loan"]).tolist() == [24]
    assert parts["Last payment of the loan"][24] == pytest.approx(320_000)


def test_a_balloon_is_due_with_the_last_payment() -> None:
    """400,000 of 800,000 over 3 years at 8 %, 30 % of it at the end: the textbook says the same."""
    parts = lent(way({"rate_per_year": 0.08, "years": 3.0, "balloon_share": 0.3, "loan_share": 0.5}))
    rate = monthly_rate(rate_per_year=0.08)
    terms = {"principal_usd": 400_000.0, "rate_per_period": rate, "in_advance": False}
    payment = loan_payment_usd(balloon_usd=120_000.0, periods=36, **terms)
    balance = loan_balance_usd(usd_per_period=payment, period=np.arange(37.0), **terms)
    assert parts["Money borrowed"][0] == -400_000
    assert (parts["Interest"] + parts["Loan paid back"])[1:37] == pytest.approx(np.full(36, payment))
    assert parts["Loan paid back"][1:37] == pytest.approx(-np.diff(balance))
    assert parts["Last payment of the loan"][36] == pytest.approx(120_000)


def test_what_is_owed_when_the_machines_are_sold_is_paid_then() -> None:
    """A loan of five years, sold after one: the balance after twelve payments."""
    ledger = way({"rate_per_year": 0.1, "years": 5.0}, {**OWN, "resale_month": 12, "residual_share": 0.7})
    terms = {"principal_usd": 800_000.0, "rate_per_period": monthly_rate(rate_per_year=0.1), "in_advance": False}
    payment = loan_payment_usd(balloon_usd=0.0, periods=60, **terms)
    owed = loan_balance_usd(usd_per_period=payment, period=12, **terms)
    parts = lent(ledger)
    assert parts["Last payment of the loan"][12] == pytest.approx(owed)
    assert not parts["Interest"][13:].any()
    assert ledger.warnings == (
        "The loan runs 60 months, the machines are yours for 12 of them: the rest is paid back at once",
    )


def test_it_is_paid_out_on_delivery() -> None:
    parts = lent(way({"years": 1.0}, {**OWN, "lead_time_months": 6.5, "deposit_share": 0.2}))
    assert np.flatnonzero(parts["Money borrowed"]).tolist() == [7]
    assert np.flatnonzero(parts["Interest"]).tolist() == list(range(8, 20))


def test_what_never_comes_is_not_borrowed_for() -> None:
    late = setting(scenario({**OWN, "lead_time_months": 60.0}, loan={"loan_share": 1.0, "years": 5.0}))
    found = loan.build(late)
    assert isinstance(found, Unavailable)
    assert "nothing would ever be lent" in found.reason
    tried = built(loan.build, late.with_tried({"lead_time_months": 60.0}))  # a break-even passes through it
    assert all(not usd.any() for usd in lent(tried).values())
    assert len(tried.warnings) == 1  # that it never comes, and nothing of a loan


def test_it_lasts_as_long_as_the_machines_unless_you_say_so_and_no_longer_than_they_live() -> None:
    assert np.flatnonzero(lent(way({}, years=2.5))["Interest"])[-1] == 30
    assert np.flatnonzero(lent(way({}, years=8.0))["Interest"])[-1] == 60


def test_without_a_price_there_is_nothing_to_borrow_for() -> None:
    assert isinstance(loan.build(setting(scenario(NOTHING, accelerator="TPU-v5p"))), Unavailable)


@given(
    rate=st.just(0.0) | st.floats(1e-4, 0.5),
    years=st.floats(0.25, 10.0),
    share=st.floats(0.0, 1.0),
    balloon=st.floats(0.0, 1.0),
    lead=st.floats(0.0, 47.9),
)
def test_at_the_loans_own_rate_it_is_worth_nothing(
    rate: float, years: float, share: float, balloon: float, lead: float
) -> None:
    """What is lent and what is paid for it are worth the same at its rate, however long, and wherever it is cut off."""
    terms = {"rate_per_year": rate, "years": years, "loan_share": share, "balloon_share": balloon}
    flow = np.asarray(sum(lent(way(terms, {**OWN, "lead_time_months": lead})).values()))
    times = flow_years(months=48, timing="month_end")
    assert npv_usd(usd=flow, rate_per_year=rate, years=times) == pytest.approx(0.0, abs=0.01)


def test_but_for_the_loan_it_is_owning() -> None:
    at = setting(scenario(OWN))
    owned, credit = by_line(built(own.build, at)), by_line(built(loan.build, at))
    assert set(credit) - set(owned) == set(lent(built(loan.build, at)))
    assert all(credit[name].tolist() == usd.tolist() for name, usd in owned.items())
