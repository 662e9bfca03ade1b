"""Draws go through in blocks, of which none is held on to."""

import gc
import weakref

import numpy as np
import pytest

from planner.money.demand.stream import Demand
from planner.money.many_ledgers import InputColumns
from planner.money.plan import build_context, plan_from_context
from planner.money.setting import BUSY_FACTOR
from planner.scenario.scenario import Scenario
from tests.facts import CATALOGUE, DAY


@pytest.mark.slow
def test_no_block_keeps_the_demand_of_another_in_memory() -> None:
    """What is kept by setting or by demand would add up: a demand of many futures takes tens of megabytes."""
    setting = build_context(CATALOGUE, Scenario(years=10.0), DAY)
    draws = {BUSY_FACTOR: np.linspace(0.5, 1.5, 4_000)}
    options = [one for one in plan_from_context(setting).options if one.key in ("own", "on_demand")]
    seen: list[weakref.ref[Demand]] = []
    for block in InputColumns(setting, draws).blocks(options):
        if block.option == 0:
            seen.append(weakref.ref(block.setting.demand))
        gc.collect()
        assert sum(one() is not None for one in seen) == 1
    assert len(seen) > 2
