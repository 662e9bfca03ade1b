"""Presets: they load, name what the catalogue knows, and give the numbers they state."""

from __future__ import annotations

from datetime import date

import pytest

from planner.inputs.address import from_address, to_address
from planner.inputs.known import settle
from planner.inputs.presets import Preset, preset, presets
from planner.money.plan import plan
from pricing import load_catalogue

DAY = date(2026, 11, 21)
EACH = pytest.mark.parametrize("one", presets(), ids=lambda one: one.key)


@EACH
def test_a_preset_holds_only_what_the_catalogue_knows_and_fits_into_a_link(one: Preset) -> None:
    assert settle(one.scenario, load_catalogue()) == (one.scenario, [])
    assert from_address(to_address(one.scenario), load_catalogue(), ()) == (one.scenario, [])
    assert one.says
    assert one.scenario.name == one.title


def test_they_are_found_by_key_and_by_title() -> None:
    assert [one.key for one in presets()] == ["startup", "enterprise", "research-lab"]
    assert preset("Enterprise, 10,000 gpu-hours a month") is preset("ENTERPRISE")
    assert preset("chat") is None


def test_startup_is_paid_back_after_80_trainings() -> None:
    one = preset("startup")
    assert one is not None
    work, own, rent = one.scenario.work[0], one.scenario.own, one.scenario.rent
    assert own.capex_usd is not None
    assert rent.usd_per_accelerator_hour is not None
    hours = own.capex_usd / (rent.usd_per_accelerator_hour * work.accelerators)
    assert hours == 4_000.0  # 4,000 USD / 1 USD an hour for the pair
    assert hours / 50 == 80.0
    made = plan(load_catalogue(), one.scenario, DAY)
    own_option, rented = made.option("own"), made.option("on_demand")
    assert own_option is not None
    assert rented is not None
    assert own_option.ledger.total_usd == 4_000.0
    assert rented.ledger.total_usd == 36 * 200.0  # four trainings a month of 50 hours of the pair


def test_enterprise_gives_the_stated_cash_flow() -> None:
    one = preset("enterprise")
    assert one is not None
    made = plan(load_catalogue(), one.scenario, DAY)
    own, rented = made.option("own"), made.option("on_demand")
    assert own is not None
    assert rented is not None
    assert own.ledger.monthly_usd[0] == 800_000.0
    assert set(own.ledger.monthly_usd[1:]) == {5_000.0}
    assert rented.ledger.monthly_usd[1:] == pytest.approx(20_000.0)
    assert made.setting.demand.all.busy_share == pytest.approx(0.1712, abs=1e-4)  # what it says: 17 % busy
