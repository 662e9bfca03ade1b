"""What is tried out changes the inputs that it names, whether the others were said before or are said anew."""

from dataclasses import replace

import numpy as np
import pytest

from planner.money.ledger import InputSheet, Tried
from planner.money.owning.inputs import add_owning_inputs
from planner.money.owning.machine import fleet, machine
from planner.money.plan import build_context
from planner.money.renting.offer_inputs import BESIDE_FACTORS, PRICE_FACTORS, RESERVED_FACTOR, add_offer_inputs
from planner.money.setting import BUSY_FACTOR, PlanContext
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row

FACTORS = (*PRICE_FACTORS.values(), RESERVED_FACTOR, *BESIDE_FACTORS.values(), BUSY_FACTOR)


@pytest.fixture(scope="module", name="setting")
def _setting() -> PlanContext:
    work = Work(accelerators=8, busy_share=0.5, growth_per_year=0.5, storage_tb=4, egress_tb_per_month=2)
    return build_context(CATALOGUE, Scenario(work=(work,)), DAY)


def said(setting: PlanContext) -> InputSheet:
    """The inputs of a fleet of one's own, and of what is rented on demand and reserved."""
    put, what = setting.input_sheet(), machine(setting)
    assert what is not None
    add_owning_inputs(put, setting, setting.demand.all, what, fleet(setting))
    for key in (setting.offers.on_demand, setting.offers.reserved):
        assert key is not None
        offered = setting.input_sheet()
        add_offer_inputs(offered, setting, (key,), setting.scenario.rent)
        put.used.update({f"{key}: {name}": one for name, one in offered.used.items()})
    return put


def spelled(put: InputSheet) -> dict[str, object]:
    return {name: (repr(np.asarray(one.value)), one.unit, one.origin) for name, one in put.used.items()}


def names() -> list[str]:
    there = build_context(CATALOGUE, Scenario(), DAY)
    return sorted({*(name.split(": ")[-1] for name in said(there).used), *FACTORS})


@each_row("name", names())
@pytest.mark.slow
def test_what_is_tried_takes_its_place_and_no_other(setting: PlanContext, name: str) -> None:
    said(setting)  # said before, so that it might be taken from there
    tried: Tried = {name: np.array([[0.25], [0.75]])}
    anew = replace(setting, tried=tried)  # it does not know that setting
    assert spelled(said(setting.with_tried(tried))) == spelled(said(anew))
    assert spelled(said(setting)) == spelled(said(replace(setting)))
