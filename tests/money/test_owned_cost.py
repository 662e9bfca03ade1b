"""What an owner's money goes into and how much of his time stands idle, and what a piece of work takes: by hand."""

from typing import Any

import pytest

from planner.money.measures import peak_cash, present_usd
from planner.money.option import Option
from planner.money.owned_fleet import USUAL_SHARES, idle, split, work_units
from planner.money.plan import Plan, plan
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.facts import DAY
from tests.money.owning import EIGHTY, scenario

# 80 kW: half of it while working, a quarter while idle, times 1.5 for cooling, at 0.10 a kWh.
POWERED: dict[str, Any] = {
    **EIGHTY,
    "rated_w_per_server": 8_000.0, "busy_power_share": 0.5, "idle_power_share": 0.25, "pue": 1.5, "usd_per_kwh": 0.1,
    "fte_per_accelerator": 0.01, "usd_per_fte_year": 100_000.0, "residual_share": 0.25,
}  # fmt: skip


def planned(own: dict[str, Any], **changes: Any) -> tuple[Plan, Option]:
    terms = {"rent_change_per_year": 0.0, "discount_rate_per_year": 0.0}
    made = plan(load_catalogue(), scenario(own, terms=terms, ways=("own", "on_demand"), **changes), DAY)
    option = made.option("own")
    assert option is not None
    return made, option


def test_the_money_of_eighty_machines_by_what_it_is_for() -> None:
    made, option = planned(POWERED)
    found = split(made.setting, option.ledger)
    assert found.hardware_usd == pytest.approx(600_000)  # 800,000, of which a quarter comes back
    assert found.power_usd == pytest.approx(157_680)  # (80 x 0.5 + 80 x 0.25) / 2 kW x 1.5 x 0.1 x 730 x 48
    assert found.people_usd == pytest.approx(320_000)  # 0.8 people for four years
    assert found.rest_usd == pytest.approx(0)
    assert list(found.shares.values()) == pytest.approx([0.5568, 0.1463, 0.2969], abs=1e-4)
    assert found.owned_usd == pytest.approx(float(present_usd(made.setting, option.ledger)))
    assert sum(USUAL_SHARES.values()) == 1


def test_all_of_any_way_is_split() -> None:
    made = plan(load_catalogue(), Scenario(), DAY)
    for way in ("own", "loan", "lease"):
        option = made.option(way)
        found = split(made.setting, option.ledger)
        whole = float(present_usd(made.setting, option.ledger))
        assert found.owned_usd + found.rented_usd == pytest.approx(whole)


def test_what_is_rented_until_the_machines_come_is_no_part_of_what_they_cost() -> None:
    made, option = planned({**POWERED, "lead_time_months": 12.0})
    found = split(made.setting, option.ledger)
    # At 2 an hour, half of 80 x 730 hours for twelve months; people for three years.
    rent = 40 * 730 * 12 * 2
    assert found.rented_usd == pytest.approx(rent, rel=0.15)  # with support
    assert found.rented_usd >= rent
    assert found.people_usd == pytest.approx(240_000)


def test_machines_that_are_busy_half_the_time_are_idle_the_other_half() -> None:
    made, option = planned(EIGHTY)
    time = idle(made.setting, option)
    assert (time.paid_hours, time.share) == (pytest.approx(80 * 730 * 48), pytest.approx(0.5))
    late, option = planned({**EIGHTY, "lead_time_months": 12.0})
    time = idle(late.setting, option)
    assert (time.paid_hours, time.idle_hours) == (pytest.approx(80 * 730 * 36), pytest.approx(40 * 730 * 36))
    rented = late.option("on_demand")
    assert rented is not None
    assert idle(late.setting, rented) is None


def test_the_most_money_is_out_before_the_sale_brings_some_back() -> None:
    made, option = planned(POWERED)
    cash = peak_cash(made.setting, option.ledger)
    a_month = 157_680 / 48 + 320_000 / 48
    assert (cash.month, cash.bills_usd) == (47, pytest.approx(800_000 + 47 * a_month))
    assert cash.present_usd == pytest.approx(cash.bills_usd)  # money of any month counts the same here
    dear = plan(load_catalogue(), made.setting.scenario.model_copy(update={"terms": Scenario().terms}), DAY)
    there = dear.option("own")
    assert peak_cash(dear.setting, there.ledger).present_usd < cash.bills_usd


def test_what_a_piece_of_work_takes() -> None:
    served = {"serve": {"model": "llama-3.1-8b", "requests_per_s": 2.0, "output_tokens": 500}}
    at = plan(load_catalogue(), Scenario.model_validate({"work": (served,)}), DAY).setting
    request, tokens = work_units(at)
    plain = at.scenario.work[0]
    assert request.accelerator_hours == pytest.approx(plain.accelerators * plain.effective_utilization / 7_200)
    assert (request.kind, tokens.kind) == ("request", "million_tokens")
    assert tokens.accelerator_hours == pytest.approx(2_000 * request.accelerator_hours)
    assert work_units(plan(load_catalogue(), Scenario(), DAY).setting) == ()


@pytest.mark.parametrize("runs_per_month", [None, 3.0])
def test_a_run_takes_as_long_once_as_it_does_every_month(runs_per_month: float | None) -> None:
    run = {"measured_on": "H100-SXM5-80GB", "hours": 100.0, "runs_per_month": runs_per_month}
    work = {"accelerators": 4, "run": run}
    said = {"accelerator": "H100-SXM5-80GB", "work": (work,)}
    (unit,) = work_units(plan(load_catalogue(), Scenario.model_validate(said), DAY).setting)
    assert (unit.kind, unit.accelerator_hours) == ("run", pytest.approx(100.0))


def test_cards_for_no_work_at_all_are_one_workstation() -> None:
    said = {"accelerator": "RTX-4090-24GB", "work": ({"season": (0.0,) * 12},)}
    made = plan(load_catalogue(), Scenario.model_validate(said), DAY)
    option = made.option("own")
    assert option.accelerators == 1
