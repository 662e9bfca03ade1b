"""Tax and VAT as lines: published after-tax values, what a table writes off, losses, and books apart from tax."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.formula import formula
from planner.money.ledger import YOUR_INPUT, Ledger, LedgerInput, Line
from planner.money.measures import present_usd
from planner.money.setting import PlanContext
from planner.money.tax import book_depreciation_usd, tax_depreciation_usd, with_tax
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms, TaxInputs
from tests.examples import at_most
from tests.facts import CATALOGUE, DAY


def setting(tax: TaxInputs | None, *, years: float = 5, **terms: Any) -> PlanContext:
    terms = {"discount_rate_per_year": 0.10, "timing": "year_end", **terms}
    return PlanContext(CATALOGUE, Scenario(years=years, tax=tax, terms=FinancialTerms(**terms)), DAY)


def flow(name: str, usd: Any, part: str, treatment: str, **more: Any) -> Line:
    used = (
        LedgerInput("amount_usd", usd, "USD", YOUR_INPUT),
        *(LedgerInput(key, more[key], "1", YOUR_INPUT) for key in more),
    )
    how = "amount_usd" + "".join(f" + 0 * {key}" for key in more)
    return Line(name, part, how, used, None, treatment)  # type: ignore[arg-type]


def at(month: int, usd: float, months: int = 60) -> np.ndarray[Any, Any]:
    amounts = np.zeros(months + 1)
    amounts[month] = usd
    return amounts


def every(usd: float, months: int = 60) -> np.ndarray[Any, Any]:
    return np.array([0.0] + [usd] * months)


OWN = Ledger(
    "own", (flow("Servers", at(0, 800_000), "hardware", "capital"), flow("Running", every(5_000), "power", "expense"))
)
RENT = Ledger("rent", (flow("Useful hours", every(20_000), "compute", "expense"),))


def npv_usd(here: PlanContext, own: Ledger = OWN, rent: Ledger = RENT) -> float:
    return float(present_usd(here, with_tax(here, rent)) - present_usd(here, with_tax(here, own)))


def usd(here: PlanContext, ledger: Ledger) -> dict[str, float]:
    return {line.name: float(line.total_usd) for line in with_tax(here, ledger).lines}


@pytest.mark.parametrize(("schedule", "worth"), [
    ("straight-line-5", -136_612.3),
    ("bonus-100", -106_425.6),
    # These run into a sixth year; what is left, 5.76 and 10 %, is written off when the plan ends.
    ("macrs-5-half-year", -132_941.3),  # 200,000 * (0.7732604 + 0.0576 * (0.6209213 - 0.5644739)) - 288,243.8
    ("straight-line-5-half-year", -142_376.0),  # the same with 0.7236957 and 0.1
])  # fmt: skip
def test_the_toy_after_tax(schedule: str, worth: float) -> None:
    """-117,658 before tax; 0.75 * 180,000 * 3.790787 - 800,000 = -288,243.8 and a quarter of what is written off."""
    assert npv_usd(setting(None)) == pytest.approx(-117_658.4, abs=0.1)
    assert npv_usd(setting(TaxInputs(tax_share=0.25, schedule=schedule))) == pytest.approx(worth, abs=1.5)


def test_a_schedule_of_your_own() -> None:
    tax = TaxInputs(tax_share=0.25, shares_by_year=(0.2, 0.2, 0.2, 0.2, 0.2))
    assert npv_usd(setting(tax)) == pytest.approx(-136_612.3, abs=0.1)


def test_the_sites_tax_is_taken_where_you_say_none() -> None:
    here = setting(TaxInputs())
    found = CATALOGUE.site_figure("US", "corporate_tax_share")
    line = next(line for line in with_tax(here, RENT).lines if line.part == "tax")
    assert line.used[0].value == found[1].newest.typical


def test_the_lines_by_hand() -> None:
    """Sold for 100,000 in month 36 of 60: the table has written off 71.2 %, so 230,400 are still in the books."""
    sold = Ledger("own", (*OWN.lines, flow("Resale", at(36, -100_000), "resale", "sale")))
    found = usd(setting(TaxInputs(tax_share=0.25, schedule="macrs-5-half-year")), sold)
    assert found["Tax saved by running costs"] == pytest.approx(-0.25 * 300_000)
    assert found["Tax saved by writing off"] == pytest.approx(-0.25 * 569_600)
    assert found["Tax on the sale"] == pytest.approx(0.25 * (100_000 - 230_400))


def test_what_is_replaced_leaves_before_what_replaces_it() -> None:
    """Bought today and in month 24, sold in months 24 and 48, half each year: each is written off by itself."""
    half = TaxInputs(tax_share=0.5, shares_by_year=(0.5, 0.25, 0.25))
    own = Ledger(
        "own",
        (
            flow("Servers", at(0, 100, 48) + at(24, 80, 48), "hardware", "capital"),
            flow("Resale", at(24, -30, 48) + at(48, -20, 48), "resale", "sale"),
        ),
    )
    here = setting(half, years=4)
    lines = {line.name: line.usd for line in with_tax(here, own).lines}
    # year 1: 50; year 2: 25 + 40 of the second, which belongs to it, and 25 still in the books; year 3: 20; year 4: 20
    assert -2 * lines["Tax saved by writing off"][[12, 24, 36, 48]] == pytest.approx([50, 65, 20, 20])
    assert 2 * lines["Tax on the sale"][[12, 24, 36, 48]] == pytest.approx([0, 30 - 25, 0, 20])


def test_what_is_paid_before_delivery_is_written_off_from_then() -> None:
    months = 24
    delivered = at(14, 1.0, months)
    line = flow("Servers", at(0, 30, months) + at(14, 70, months), "hardware", "capital", delivered=delivered)
    here = setting(TaxInputs(tax_share=0.25, schedule="bonus-100"), years=2)
    lines = {one.name: one.usd for one in with_tax(here, Ledger("own", (line,))).lines}
    assert lines["Tax saved by writing off"][[12, 24]] == pytest.approx([0, -25])


def test_money_borrowed_is_no_cost_and_interest_is_one() -> None:
    loan = (
        flow("Loan", at(0, -800_000), "finance", "financing"),
        flow("Loan paid back", every(800_000 / 60), "finance", "financing"),
        flow("Interest", every(100), "finance", "expense"),
    )
    plain, borrowed = (
        usd(setting(TaxInputs(tax_share=0.25)), ledger) for ledger in (OWN, Ledger("loan", (*OWN.lines, *loan)))
    )
    assert borrowed["Tax saved by running costs"] == plain["Tax saved by running costs"] - 0.25 * 6_000
    assert borrowed["Tax saved by writing off"] == plain["Tax saved by writing off"]


def test_without_profit_nothing_is_saved_and_losses_wait() -> None:
    """240,000 of rent a year against 100,000 of profit: what is not used is kept, but there is never profit enough."""
    none = setting(TaxInputs(tax_share=0.25, profit_usd_per_year=0.0))
    assert npv_usd(none) == pytest.approx(-117_658.4, abs=0.1)
    some = setting(TaxInputs(tax_share=0.25, profit_usd_per_year=100_000.0))
    assert usd(some, RENT)["Tax saved, as profit allows"] == pytest.approx(-0.25 * 100_000 * 5)
    much = setting(TaxInputs(tax_share=0.25, schedule="macrs-5-half-year", profit_usd_per_year=1e9))
    assert npv_usd(much) == pytest.approx(-132_941.3, abs=1.5)


def test_a_loss_of_the_first_year_is_used_in_the_next() -> None:
    """300 in year 1 against 100 a year: 100 are used in each of three years."""
    here = setting(TaxInputs(tax_share=0.5, profit_usd_per_year=100.0), years=4)
    line = with_tax(here, Ledger("", (flow("Install", at(0, 300, 48), "hardware", "expense"),))).lines[-1]
    assert line.usd[[12, 24, 36, 48]] == pytest.approx([-50, -50, -50, 0])
    brought = setting(TaxInputs(tax_share=0.5, profit_usd_per_year=100.0, losses_brought_usd=150.0), years=4)
    line = with_tax(brought, Ledger("", (flow("Install", at(0, 300, 48), "hardware", "expense"),))).lines[-1]
    assert line.usd[[12, 24, 36, 48]] == pytest.approx([0, -25, -50, -50])


def test_vat_is_paid_on_what_is_bought_and_comes_back_later() -> None:
    """19 % on 800,000 and on 5,000 a month, not on wages and interest; all but the last comes back two months later."""
    own = Ledger(
        "own",
        (
            *OWN.lines,
            flow("People", every(1_000), "staff", "expense"),
            flow("Interest on the loan", every(1_000), "finance", "expense"),
            flow("Lease payments", every(1_000), "finance", "expense"),
        ),
    )
    here = setting(TaxInputs(tax_share=0.0, vat_share=0.19, vat_recovered_after_months=2))
    lines = {line.name: line.usd for line in with_tax(here, own).lines}
    assert lines["VAT paid"][:3] == pytest.approx([152_000, 1_140, 1_140])
    assert lines["VAT recovered"][:4] == pytest.approx([0, 0, -152_000, -1_140])
    assert lines["VAT recovered"].sum() == pytest.approx(-lines["VAT paid"].sum())
    assert lines["VAT recovered"][-1] == pytest.approx(-3 * 1_140)


def test_vat_that_is_lost_is_a_cost_and_deducted() -> None:
    here = setting(TaxInputs(tax_share=0.25, vat_share=0.2, vat_recovered_share=0.5, schedule="bonus-100"))
    found = usd(here, OWN)
    assert found["VAT paid"] + found["VAT recovered"] == pytest.approx(0.1 * 1_100_000)
    assert found["Tax saved by running costs"] == pytest.approx(-0.25 * 330_000)
    assert found["Tax saved by writing off"] == pytest.approx(-0.25 * 880_000)


def test_in_real_terms_what_is_written_off_loses_worth() -> None:
    """At 3 % inflation a plan in real terms is worth what the same plan is in nominal ones."""
    tax = TaxInputs(tax_share=0.25, schedule="straight-line-5")
    path = 1.03 ** (np.arange(61) / 12)
    nominal = Ledger("", (OWN.lines[0], flow("Running", every(5_000) * path, "power", "expense")))
    rent = Ledger("", (flow("Useful hours", every(20_000) * path, "compute", "expense"),))
    inflation = {"inflation_per_year": 0.03, "timing": "month_end"}
    in_real = npv_usd(setting(tax, money="real", **inflation | {"discount_rate_per_year": 1.1 / 1.03 - 1}))
    assert in_real == pytest.approx(npv_usd(setting(tax, **inflation), nominal, rent))


def test_books_and_tax_are_apart() -> None:
    here = setting(TaxInputs(tax_share=0.25, schedule="macrs-5-half-year"))
    book, of_tax = book_depreciation_usd(here, OWN, 4), tax_depreciation_usd(here, OWN)
    assert book[[0, 1, 48, 49]] == pytest.approx([0, 800_000 / 48, 800_000 / 48, 0])
    assert book.sum() == pytest.approx(800_000)
    assert of_tax[[0, 1, 12, 13]] == pytest.approx([0, 160_000 / 12, 160_000 / 12, 256_000 / 12])
    assert of_tax.sum() == pytest.approx(800_000 * (1 - 0.0576))


@at_most(40)
@given(
    st.lists(st.floats(0.0, 1e6), min_size=2, max_size=4),
    st.integers(1, 40),
    st.floats(0.25, 6.0),
    st.one_of(st.none(), st.floats(0.0, 1e6)),
    st.floats(0.0, 0.3),
)
def test_every_line_recomputes_and_draws_are_their_numbers(
    prices: list[float], sale: int, years: float, profit: float | None, vat: float
) -> None:
    tax = TaxInputs(tax_share=0.3, vat_share=vat, vat_recovered_share=0.4, profit_usd_per_year=profit)
    here = setting(tax, years=years)
    months = here.timeline.last
    sale = min(sale, months)

    def ledger(price: Any) -> Ledger:
        lines = (
            flow("Servers", price * at(0, 1.0, months), "hardware", "capital"),
            flow("Running", price * every(0.01, months), "power", "expense"),
            flow("Resale", price * at(sale, -0.3, months), "resale", "sale"),
        )
        return with_tax(here, Ledger("", lines))

    many = ledger(np.array(prices)[:, None])
    for line in many.lines:
        again = formula(line.how)({one.name: one.value for one in line.used})
        assert np.allclose(np.broadcast_to(again, line.usd.shape), line.usd, rtol=1e-9)
    for index, price in enumerate(prices):
        one = ledger(price)
        rows = np.broadcast_to(many.monthly_usd, (len(prices), months + 1))
        assert rows[index] == pytest.approx(one.monthly_usd, rel=1e-9, abs=1e-6)


@at_most(30)
@given(st.floats(0.0, 1e6), st.floats(0.0, 1e6), st.integers(1, 60))
def test_over_the_whole_plan_tax_is_a_share_of_what_it_cost(price: float, fetched: float, sale: int) -> None:
    """With enough profit and whatever schedule, every dollar of cost saves its tax sooner or later."""
    own = Ledger(
        "",
        (*OWN.lines, flow("S", at(0, price), "hardware", "capital"), flow("R", at(sale, -fetched), "resale", "sale")),
    )
    for schedule in ("macrs-5-half-year", "straight-line-5", "bonus-100"):
        here = setting(TaxInputs(tax_share=0.25, schedule=schedule))
        assert float(with_tax(here, own).total_usd) == pytest.approx(0.75 * float(own.total_usd), abs=1e-6)


def test_without_tax_the_ledger_stays_as_it_is() -> None:
    assert with_tax(setting(None), OWN) is OWN
