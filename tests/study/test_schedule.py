"""When to order what: the programme against every schedule there is, by its own numbers and by the ledger."""

from collections.abc import Iterable
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.fleet import order_months
from planner.scenario.own import PurchaseOrder
from planner.scenario.rent import MixInputs
from planner.study.mix.best_mix import BestMix, best_mix
from planner.study.mix.mix_rates import BaseSchedule, OrderCosts, best_months, within
from tests.examples import at_most
from tests.study.test_mix import OWN, made, work

SMALL = st.integers(-20, 20)


def worth(cost: OrderCosts, months: Iterable[int]) -> float:
    """What slices come to that are ordered in these months; -1 is never."""
    return sum(float(cost.usd[month, place]) for place, month in enumerate(months) if month >= 0)


@at_most(60)
@given(st.lists(st.lists(SMALL, min_size=3, max_size=3), min_size=3, max_size=3), st.integers(0, 30))
def test_within_a_limit_it_is_the_best_of_all(costs: list[list[int]], most: int) -> None:
    """Three slices, three months, each month's machines paid from one purse."""
    cost = OrderCosts(np.array(costs, dtype=np.float64))
    price = OrderCosts(np.array([[9.0] * 3, [5.0] * 3, [2.0] * 3]), float(most))
    every = [one for one in product((-1, 0, 1, 2), repeat=3) if worth(price, one) <= most]
    chosen = within(cost, [price])
    assert chosen is not None
    assert worth(price, chosen) <= most
    assert worth(cost, chosen) == pytest.approx(min(worth(cost, one) for one in every))


def test_a_purse_too_small_for_today_orders_later() -> None:
    """Both slices are best ordered at once, for 9 each; with 11 one of them waits for 2."""
    cost = OrderCosts(np.array([[-10.0, -8.0], [-6.0, -5.0]]))
    price = OrderCosts(np.array([[9.0, 9.0], [2.0, 2.0]]), 11.0)
    assert best_months(cost).tolist() == [0, 0]
    assert best_months(cost, [price]).tolist() == [0, 1]


def test_slices_of_one_month_are_one_order() -> None:
    schedule = BaseSchedule((8, 16, 24, 31), (0, 0, 12, 18), (0, 6, 12, 18))
    assert schedule.orders_up_to(31) == (
        PurchaseOrder(accelerators=16),
        PurchaseOrder(accelerators=8, month=12),
        PurchaseOrder(accelerators=7, month=18),
    )
    assert schedule.orders_up_to(20) == (PurchaseOrder(accelerators=16), PurchaseOrder(accelerators=4, month=12))
    assert schedule.orders_up_to(16) == ()
    assert schedule.shifted_earlier().months == (0, 0, 6, 12)


@pytest.mark.parametrize(("growth", "busy", "price", "lead"), [
    (0.4, 0.6, 4_000.0, 4.0), (0.4, 0.9, 11_000.0, 0.0), (1.0, 0.5, 11_000.0, 6.0), (0.2, 0.7, 25_000.0, 0.0),
])  # fmt: skip
def test_it_is_about_what_trying_every_schedule_finds(growth: float, busy: float, price: float, lead: float) -> None:
    """Every size in servers, every month for each server, by the ledger."""
    terms = {**OWN, "usd_per_accelerator": price, "lead_time_months": lead, "hardware_price_change_per_year": -0.2}
    there = made(work(accelerators=8, busy_share=busy, growth_per_year=growth), own=terms)
    best = best_mix(there)
    assert isinstance(best, BestMix)
    months = order_months(there.setting)
    peak = best.search.max_accelerators
    tops = [*range(8, peak, 8), peak]
    mixes = [
        MixInputs(own_accelerators=size, orders=BaseSchedule(tuple(tops[:number]), chosen, months).orders_up_to(size))
        for number, size in enumerate(tops, 1)
        for chosen in combinations_with_replacement(months, number)
    ]
    least = min(best.search.at_most_usd(one) for one in mixes)
    assert best.at_most_usd <= least * 1.01
