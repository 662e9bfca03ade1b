"""Sale and lease-back of what is bought and of what is kept: what the lessor pays and takes, what is left then."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.finance import flow_years, npv_usd
from planner.money.ledger import Ledger
from planner.money.measures import cash_today_usd
from planner.money.option import OptionLedger, Unavailable
from planner.money.tax import with_tax
from planner.money.ways import sale_and_lease_back as way
from tests.money.owning import EIGHTY, built, by_line, monthly, scenario, setting, total

OWN = {**EIGHTY, "running_usd_per_month": 5_000.0}
RENT = 80 * 0.5 * 730 * 2.0
BACK: dict[str, Any] = {"price_share": 0.9, "usd_per_month": 21_000.0, "in_advance": False, "left_share": 0.0}
KEPT = {
    "accelerators": 80, "usd_today_if_sold": 200_000.0, "usd_at_end": 50_000.0, "power_w_each": 0.0,
    "idle_power_w_each": 0.0, "running_usd_per_month": 3_000.0,
}  # fmt: skip
OF_KEPT = {"of": "kept", "price_share": 0.8, "usd_per_month": 4_000.0, "in_advance": False, "years": 2.0}


def sold(terms: dict[str, Any] | None = None, own: dict[str, Any] = OWN, **plan: Any) -> OptionLedger:
    """800,000 worth, sold on delivery and leased back on these terms."""
    return built(way.build, setting(scenario(own, sale_and_lease_back={**BACK, **(terms or {})}, **plan)))


def test_by_hand() -> None:
    """800,000 paid, 720,000 back on the same day; then 21,000 a month and 5,000 to run them."""
    assert monthly(sold()).tolist() == pytest.approx([80_000.0] + [26_000.0] * 48)
    assert sold().title == "Sell and lease back"
    assert "Resale" not in by_line(sold())


def test_at_the_whole_price_it_is_a_lease() -> None:
    """800,000 over 48 months at 10 % effective: 20,125 (methods of finance, section on leases)."""
    cash = monthly(sold({"price_share": 1.0, "usd_per_month": None, "rate_per_year": 0.1}))
    assert cash.tolist() == pytest.approx([0.0] + [25_125.0] * 48, abs=0.5)


def test_the_deposit_is_ones_own_until_the_delivery() -> None:
    cash = monthly(sold(own={**OWN, "deposit_share": 0.5, "lead_time_months": 6.0}))
    assert cash[0] == pytest.approx(400_000)
    assert cash[6] == pytest.approx(400_000 - 720_000 + RENT)
    assert cash[7] == pytest.approx(26_000)


def test_after_its_years_the_machines_are_gone() -> None:
    cash = monthly(sold({"years": 2.0}))
    assert cash[1:].tolist() == pytest.approx([26_000.0] * 24 + [RENT] * 24)


def test_bought_back_for_what_was_left_of_it() -> None:
    """Two years, then 40 % of 720,000; a tenth of the price comes back at the end of the plan."""
    cash = monthly(sold({"years": 2.0, "left_share": 0.4, "buys_back": True}, {**OWN, "residual_share": 0.1}))
    assert cash[1:].tolist() == pytest.approx(
        [26_000.0] * 23 + [26_000 + 288_000] + [5_000.0] * 23 + [5_000 - 80_000.0]
    )


def test_what_the_price_falls_short_of_is_deducted_at_once() -> None:
    at = setting(scenario(OWN, sale_and_lease_back=BACK, tax={"tax_share": 0.25}))
    found = built(way.build, at)
    assert float(with_tax(at, Ledger("", found.lines)).total_usd) == pytest.approx(0.75 * float(total(found)))


@pytest.mark.parametrize(("back", "told"), [(False, way.IS_A_SALE), (True, way.IS_A_LOAN)])
def test_it_says_what_accounting_will_ask(back: bool, told: str) -> None:
    assert told in sold({"buys_back": back}).warnings


def test_the_rate_behind_a_quote_is_told() -> None:
    """What a lease-back at 13 % with 35 % left costs a month is, as a quote, one at 13 %."""
    terms = {"left_share": 0.35}
    payment = by_line(sold({**terms, "usd_per_month": None, "rate_per_year": 0.13}))["Lease payments"].max()
    said = sold({**terms, "usd_per_month": float(payment)}).warnings[0]
    assert said.startswith("The quoted lease-back costs as much as a loan at 13.00% a year")


@given(rate=st.floats(1e-4, 0.5), left=st.floats(0.0, 1.0), share=st.floats(0.1, 1.0), years=st.floats(0.25, 4.0))
def test_at_its_own_rate_the_payments_are_worth_what_the_lessor_paid(
    rate: float, left: float, share: float, years: float
) -> None:
    terms = {"price_share": share, "usd_per_month": None, "rate_per_year": rate, "left_share": left, "years": years}
    found = by_line(sold({**terms, "buys_back": True}))
    usd = sum(found[name] for name in ("Lease payments", "Buying it at the end") if name in found)
    worth = npv_usd(usd=usd, rate_per_year=rate, years=flow_years(months=48, timing="month_end"))
    assert float(worth) == pytest.approx(800_000 * share)


def test_what_is_kept_is_sold_today_and_goes_after_its_years() -> None:
    """200,000 forgone and 160,000 received; 4,000 and 3,000 a month for two years; then all work is rented."""
    ledger = sold(OF_KEPT, kept=KEPT)
    assert monthly(ledger).tolist() == pytest.approx([40_000.0] + [7_000.0] * 24 + [RENT] * 24)
    assert float(cash_today_usd(Ledger("", ledger.lines))) == pytest.approx(-160_000)
    assert ledger.title == "Sell and lease back what we have"


def test_what_is_kept_is_bought_back_for_what_it_is_worth_then() -> None:
    """What is left is what it is worth at the end: 50,000 of 160,000; it is bought for that, and fetches it."""
    cash = monthly(sold({**OF_KEPT, "left_share": None, "buys_back": True}, kept=KEPT))
    assert cash.tolist() == pytest.approx(
        [40_000.0] + [7_000.0] * 23 + [57_000.0] + [3_000.0] * 23 + [3_000.0 - 50_000.0]
    )


def test_without_terms_or_machines_it_is_left_out() -> None:
    for said, why in ((None, "no sale and lease-back is entered"), ({**BACK, "of": "kept"}, "nothing is entered as")):
        found = way.build(setting(scenario(OWN, sale_and_lease_back=said)))
        assert isinstance(found, Unavailable)
        assert why in found.reason


def test_idle_hours_can_be_sold_on_as_of_any_other() -> None:
    ledger = sold(sell={"usd_per_accelerator_hour": 1.5, "share_sold": 0.7, "fee_share": 0.0})
    assert by_line(ledger)["Hours sold on"][1] == pytest.approx(-80 * 0.5 * 730 * 0.7 * 1.5)
