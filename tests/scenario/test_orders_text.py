"""Orders as people type them, and back."""

import pytest

from planner.scenario.own import Order
from planner.scenario.typed_lists import ORDERS_EXAMPLE, format_orders, parse_orders

THREE = (Order(accelerators=16), Order(accelerators=8, month=18), Order(accelerators=8, month=30))


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
    dear = Order(accelerators=8, month=18, usd_per_server=300_000.0)
    assert parse_orders("24, 16 in 18", (Order(accelerators=16), dear)) == (
        Order(accelerators=24),
        Order(accelerators=16, month=18, usd_per_server=300_000.0),
    )
