"""Who runs the GPUs of a plan: nobody is on call for work that may stop, and no room is built for cards of a desk."""

from typing import Any

import pytest

from planner.money.owning.machine import place_key
from planner.money.plan import Plan, plan
from planner.scenario.scenario import Scenario
from tests.facts import DAY
from tests.frozen import live_catalogue

SOUND = {"model": "Whisper-large-v3", "requests_per_s": 20.0}


def made(work: dict[str, Any], **said: Any) -> Plan:
    """A plan for one kind of work, by the facts of today."""
    return plan(live_catalogue(), Scenario.model_validate({**said, "work": (work,)}), DAY)


def lines(asked: Plan, way: str) -> set[str]:
    option = asked.option(way)
    assert option is not None, [one.reason for one in asked.absent]
    return {line.name for line in option.ledger.lines if line.total_usd.any()}


@pytest.mark.parametrize(("may_stop", "floor"), [(False, 0.4), (True, 0.05)])
def test_nobody_relies_on_work_that_may_stop(may_stop: bool, floor: float) -> None:
    asked = made({"serve": SOUND, "last_month": 1, "may_stop": may_stop}, years=0.25)
    option = asked.option("on_demand")
    assert option is not None
    floors = {float(used.value) for used in option.ledger.inputs if used.name == "run_floor_fte"}
    assert floors == {floor}


@pytest.mark.parametrize(("chip", "count", "place"), [
    ("RTX-PRO-6000-96GB", 2, "office"), ("RTX-4090-24GB", 1, "office"), ("RTX-4090-24GB", 4, "office"),
    ("H100-SXM5-80GB", 8, "own_room"), ("L40S-48GB", 4, "own_room"),
])  # fmt: skip
def test_cards_of_a_desk_stand_in_a_server_room_as_in_an_office(chip: str, count: int, place: str) -> None:
    room, there = (made({"accelerators": count}, accelerator=chip, own={"place": each}) for each in ("own_room", place))
    assert place_key(room.setting) == place
    assert lines(room, "own") == lines(there, "own")
    assert ("Building a room" in lines(room, "own")) == (place == "own_room")
