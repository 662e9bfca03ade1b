"""What single sellers publish: how often spot machines are taken, what a new account gets."""

from planner.money.plan import plan
from planner.money.renting.interruptions import OF_MACHINE
from planner.report.answer.advice import _account_warning
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


def test_a_limit_of_new_accounts_is_said_where_the_order_is_larger() -> None:
    there = live_catalogue()

    def said(number: int) -> str:
        named = {"offer": "nebius/H100-SXM5-80GB/1x/all-regions/on_demand"}
        asked = {"accelerator": "H100-SXM5-80GB", "work": ({"accelerators": number},), "rent": named}
        scenario = Scenario.model_validate(asked)
        made = plan(there, scenario, there.day)
        return " ".join(_account_warning(made, made.setting.offers.on_demand or "", "Nebius"))

    assert said(16) == ""
    assert said(17) == "A new account at Nebius gets 16 of these until more is approved: ask early."
