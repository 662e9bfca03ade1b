"""Orders as people type them, and back."""

import pytest

from planner.scenario.own import PurchaseOrder
from planner.scenario.typed_money import ORDERS_EXAMPLE, format_orders, parse_orders

THREE = (
    PurchaseOrder(accelerators=16), PurchaseOrder(accelerators=8, month=18), PurchaseOrder(accelerators=8, month=30),
)  # fmt: skip


@pytest.mark.parametrize("text", [ORDERS_EXAMPLE, "16,8 in month 18; 8 IN 30,", " 16 in 0 , 8 in 18, 8 in 30 "])
def test_orders_are_read(text: str) -> None:
    assert parse_orders(text) == THREE
    assert format_orders(THREE) == ORDERS_EXAMPLE


def test_nothing_typed_is_no_order() -> None:
    assert parse_orders("  ") == ()
    assert format_orders(()) == ""


@pytest.mark.parametrize("text", ["eight", "8 in 3, 8 in 3", "8 in 18, 8", "0", "8 in 500", "8, 8", "-8", "1e3"])
def test_what_is_no_list_of_orders_is_none(text: str) -> None:
    assert parse_orders(text) is None


def test_the_terms_of_an_order_stay_with_its_month() -> None:
    dear = PurchaseOrder(accelerators=8, month=18, usd_per_server=300_000.0)
    assert parse_orders("24, 16 in 18", (PurchaseOrder(accelerators=16), dear)) == (
        PurchaseOrder(accelerators=24),
        PurchaseOrder(accelerators=16, month=18, usd_per_server=300_000.0),
    )
