"""What a future costs does not depend on which other futures are used with it."""

import numpy as np
import pytest

from planner.money.many_ledgers import InputColumns
from planner.money.plan import plan
from planner.scenario.own import OwnInputs
from planner.scenario.rent import MixInputs
from planner.scenario.scenario import Scenario
from planner.scenario.work import ScheduledJob, Work
from tests.facts import CATALOGUE, DAY


@pytest.mark.parametrize("way", ["own", "mix"])
def test_a_layer_with_work_only_before_the_delivery_is_not_charged_because_of_its_neighbours(way: str) -> None:
    """Above the fleet there is one burst in month 4: who has machines only later has nothing there to keep data for."""
    burst = ScheduledJob(first_month=4, accelerators=16, hours=200.0)
    work = Work(accelerators=8, busy_share=0.5, storage_tb=50.0, jobs=(burst,))
    asked = Scenario(years=2.0, work=(work,), own=OwnInputs(accelerators=8), mix=MixInputs(own_accelerators=8))
    made = plan(CATALOGUE, asked, DAY)
    option = made.option(way)
    assert option is not None
    columns = InputColumns(made.setting, {"lead_time_months": np.array([1.0, 9.0])})
    alone = columns.take(slice(1, 2)).present_usd((option,))
    assert columns.present_usd((option,))[0, 1] == pytest.approx(alone[0, 0], rel=1e-12)
