"""The cheapest hour that a job can use: whole machines, large enough, at a price that can be believed."""

from __future__ import annotations

from datetime import date

import pytest

from planner.money.renting.job_hour import hired
from pricing import load_catalogue
from pricing.query import may_be_cheapest

CATALOGUE = load_catalogue()
DAY = date(2026, 11, 21)
H100 = "H100-SXM5-80GB"


def test_machines_hold_the_job_and_are_rented_whole() -> None:
    for together in (1, 8, 512):
        found = hired(CATALOGUE, H100, accelerators=together, hours=100.0, together=together, day=DAY)
        assert found is not None
        offer = CATALOGUE.offers[found.offer]
        assert offer.accelerators_per_instance >= min(together, 8)
        assert offer.purchase in ("on_demand", "capacity_block")
        assert found.believed == may_be_cheapest(offer, DAY)
        assert found.usd_per_accelerator_hour >= found.list_usd_per_accelerator_hour * 0.999


def test_what_a_machine_has_too_many_is_paid_for() -> None:
    whole, nine = (hired(CATALOGUE, H100, accelerators=n, hours=100.0, together=8, day=DAY) for n in (8, 9))
    assert whole is not None
    assert nine is not None
    assert whole.usd_per_accelerator_hour == pytest.approx(whole.list_usd_per_accelerator_hour)
    assert nine.usd_per_accelerator_hour > 1.5 * whole.usd_per_accelerator_hour


def test_nobody_rents_it_out() -> None:
    assert hired(CATALOGUE, "TPU-v3", accelerators=8, hours=1.0, together=8, day=DAY) is None
