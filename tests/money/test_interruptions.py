"""How often spot machines are taken: of the accelerator where a seller publishes it."""

from planner.money.plan import plan
from planner.money.renting.interruptions import OF_MACHINE
from planner.scenario.scenario import Scenario
from tests.frozen import live_catalogue


def test_interruptions_are_those_of_the_accelerator_where_they_are_known() -> None:
    there, rates = live_catalogue(), {}
    for chip in ("A100-SXM4-80GB", "H100-SXM5-80GB", "L4-24GB", "B200-SXM-180GB"):
        work = {"accelerators": 8, "may_stop": True}
        made = plan(there, Scenario.model_validate({"accelerator": chip, "work": (work,)}), there.day).option("spot")
        assert made is not None
        rates[chip] = float(made.ledger.numbers[OF_MACHINE].value)
    usual = there.facts["spot-interruptions-per-hour"].figure.newest.typical
    assert rates["A100-SXM4-80GB"] < rates["H100-SXM5-80GB"] < usual < rates["L4-24GB"]
    assert rates["B200-SXM-180GB"] == usual
