"""The cheapest hour that a job can use: of whoever has so many, joined as it needs, at what the price is worth."""

import pytest

from planner.money.renting.cheapest_offer import hired
from pricing.orderable import Order, refusal_reason
from tests.facts import CATALOGUE, DAY

H100 = "H100-SXM5-80GB"


def test_machines_hold_the_job_and_are_rented_whole() -> None:
    for together in (1, 8, 512):
        quote = hired(CATALOGUE, H100, accelerators=together, hours=100.0, together=together, day=DAY)
        offer = CATALOGUE.offers[quote.offer]
        assert refusal_reason(CATALOGUE, quote.offer, Order(together, together)) is None
        assert offer.purchase in ("on_demand", "capacity_block")
        assert quote.price.read_usd == quote.list_usd_per_accelerator_hour
        assert quote.usd_per_accelerator_hour >= quote.price.typical * 0.999


def test_what_a_machine_has_too_many_is_paid_for() -> None:
    whole, nine = (hired(CATALOGUE, H100, accelerators=n, hours=100.0, together=8, day=DAY) for n in (8, 9))
    assert whole.usd_per_accelerator_hour == pytest.approx(whole.price.typical)
    assert nine.usd_per_accelerator_hour >= whole.usd_per_accelerator_hour


def test_nobody_has_so_many_joined() -> None:
    assert hired(CATALOGUE, H100, accelerators=16_384, hours=10.0, together=16_384, day=DAY) is None


def test_nobody_rents_it_out() -> None:
    assert hired(CATALOGUE, "TPU-v3", accelerators=8, hours=1.0, together=8, day=DAY) is None
