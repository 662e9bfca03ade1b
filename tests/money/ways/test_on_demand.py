"""On demand: at an offer, at your own price, or not at all."""

from __future__ import annotations

import pytest

from planner.money.ways import on_demand
from tests.money.renting import MARKET, amounts, built, offer, plan, recomputes, setting, total, why, work


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
    found = built(setting(plan(work(accelerators=9), rent={"usd_per_accelerator_hour": 3.0})), on_demand.build)
    assert found.what == "your price, on the terms of P"
    assert amounts(found)["Whole machines and minimums"] == pytest.approx(7 * 4_380 * 3.0)


def test_without_any_price_there_is_a_reason() -> None:
    assert "enter a price or a quote" in why(setting(plan(), {}), on_demand.build)


def test_an_offer_that_is_not_there_is_a_reason() -> None:
    assert "there is no offer 'gone'" in why(setting(plan(rent={"offer": "gone"})), on_demand.build)


def test_support_is_a_share_of_the_whole_bill() -> None:
    found = amounts(built(setting(plan(work(accelerators=9), rent={"support_share": 0.1})), on_demand.build))
    assert found["Support"] == pytest.approx(0.1 * 16 * 4_380 * 2.0)


def test_the_range_moves_with_rents_and_support() -> None:
    there = setting(plan(years=3.0))
    low, middle, high = (total(built(there.at(case), on_demand.build)) for case in ("low", "typical", "high"))
    assert low < middle < high


def test_a_path_that_quotes_do_not_imply_is_told() -> None:
    there = setting(plan(terms={"rent_as_quotes_imply": True}), {"now": MARKET["now"], "year": offer("reserved_1y")})
    assert "so the catalogue's is used" in built(there, on_demand.build).warnings[0]
