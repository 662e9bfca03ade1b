"""On demand: at an offer, at your own price, or not at all."""

import pytest

from planner.money.ledger import CASES, Ledger
from planner.money.ways import on_demand
from tests.money.renting import MARKET, amounts, built, figure, offer, plan, recomputes, setting, total, why, work
from tests.rows import each_row


def test_everything_by_the_hour() -> None:
    found = built(setting(plan()), on_demand.build)
    assert total(found) == pytest.approx(70_080)
    assert found.what == "P"
    assert found.accelerators == 8
    assert recomputes(found.lines)


def test_your_own_price_needs_no_offer() -> None:
    there = setting(plan(rent={"usd_per_accelerator_hour": 3.0}), {})
    found = built(there, on_demand.build)
    assert total(found) == pytest.approx(105_120)
    assert found.what == "your price"


def test_your_own_price_on_the_terms_of_an_offer() -> None:
    named = {"usd_per_accelerator_hour": 3.0, "offer": "now"}
    found = built(setting(plan(work(accelerators=9), rent=named)), on_demand.build)
    assert found.what == "your price, on the terms of P"
    assert amounts(found)["Whole machines and minimums"] == pytest.approx(7 * 4_380 * 3.0)


def test_your_own_price_carries_nothing_of_any_provider() -> None:
    """Nine at 3.0 for half a year's hours: no machine of eight, no minimum of P's, no session rounded by P's step."""
    terms = {"minimum_accelerators": figure(64, "count"), "egress_usd_per_gb": figure(0.5, "USD/GB")}
    there = setting(plan(work(accelerators=9), rent={"usd_per_accelerator_hour": 3.0}), MARKET, **terms)
    found = built(there, on_demand.build)
    assert found.what == "your price"
    assert amounts(found)["Useful hours"] == pytest.approx(9 * 4_380 * 3.0)
    assert set(amounts(found)) <= {"Useful hours", "Support"}


@each_row(("term", "line", "usd"), [
    ({"accelerators_per_machine": 8}, "Whole machines and minimums", 7 * 4_380 * 3.0),
    ({"minimum_accelerators": 64}, "Whole machines and minimums", 55 * 4_380 * 3.0),
    ({"billing_increment_s": 10 * 3_600}, "Sessions rounded up", 9 * 4_380 * 0.25 * 3.0),
    ({"usd_per_gb_month_of_disk": 0.05}, "Disk", 2_000 * 12 * 0.05),
    ({"usd_per_gb_of_egress": 0.02}, "Traffic out", 1_000 * 12 * 0.02),
    ({"usd_per_gb_of_egress": 0.02, "free_egress_gb_per_month": 400}, "Traffic out", 600 * 12 * 0.02),
    ({"support_share": 0.0, "usd_per_gb_month_of_disk": 0.0, "usd_per_gb_of_egress": 0.0}, "Useful hours", 118_260),
])  # fmt: skip
def test_every_term_of_your_own_price_can_be_said(term: dict[str, float], line: str, usd: float) -> None:
    asked = work(accelerators=9, storage_tb=2.0, egress_tb_per_month=1.0)
    found = built(setting(plan(asked, rent={"usd_per_accelerator_hour": 3.0, **term})), on_demand.build)
    assert amounts(found)[line] == pytest.approx(usd)


def test_without_any_price_there_is_a_reason() -> None:
    assert "enter a price or a quote" in why(setting(plan(), {}), on_demand.build)


def test_an_offer_that_is_not_there_is_a_reason() -> None:
    assert "there is no offer 'gone'" in why(setting(plan(rent={"offer": "gone"})), on_demand.build)


def test_support_is_a_share_of_the_whole_bill() -> None:
    found = amounts(built(setting(plan(work(accelerators=9), rent={"support_share": 0.1})), on_demand.build))
    assert found["Support"] == pytest.approx(0.1 * 16 * 4_380 * 2.0)


def test_the_range_moves_with_rents() -> None:
    there = setting(plan(years=3.0))
    ledger = Ledger("", built(there, on_demand.build).lines)
    low, middle, high = (ledger.at_end(case).total_usd for case in CASES)
    assert low < middle < high


def test_a_path_that_quotes_do_not_imply_is_told() -> None:
    there = setting(plan(terms={"rent_as_quotes_imply": True}), {"now": MARKET["now"], "year": offer("reserved_1y")})
    assert "so the catalogue's is used" in built(there, on_demand.build).warnings[0]
