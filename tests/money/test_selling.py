"""Idle hours sold on: what they bring in every way that has some, what they cost, and when they cannot be sold."""

from typing import Any

import numpy as np
import pytest

from planner.money.ledger import CASES, Ledger
from planner.money.option import Builder, OptionLedger
from planner.money.plan import plan, plan_from_context
from planner.money.tax import with_tax
from planner.money.ways import keep, lease, loan, mix, own, reserved
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.uncertain_inputs import uncertain_inputs
from pricing import load_catalogue
from tests.facts import DAY
from tests.money.owning import EIGHTY, built, by_line, scenario, setting, total

METER: dict[str, Any] = {**EIGHTY, "usd_per_kwh": 0.1, "busy_power_share": 0.8, "idle_power_share": 0.3}
SELL: dict[str, Any] = {"usd_per_accelerator_hour": 1.5, "share_sold": 0.7, "fee_share": 0.1}


def way(sell: dict[str, Any] | None = None, build: Builder = own.build, **plan: Any) -> OptionLedger:
    """Owning 80 for 40,000 hours of one's own, with the others sold on these terms."""
    return built(build, setting(scenario(METER, sell={**SELL, **(sell or {})}, **plan)))


def test_by_hand() -> None:
    """20,440 hours at 1.50 bring 30,660; a tenth is the fee; ten servers draw 50 kW more: 0.35 x 50 x 73 USD."""
    usd = by_line(way({"usd_per_month_to_sell": 2_000.0}))
    assert usd["Hours sold on"][1:] == pytest.approx(-30_660)
    assert usd["Fee for selling them"][1:] == pytest.approx(3_066)
    assert usd["People and billing to sell them"][1:] == pytest.approx(2_000)
    assert usd["Electricity of hours sold"][1:] == pytest.approx(0.5 * 0.7 * 50 * 730 * 0.1)
    assert usd["Hours sold on"][0] == 0


def test_what_is_sold_takes_the_electricity_of_a_busy_machine() -> None:
    """Who sells all idle hours pays what a fleet pays that is busy all the time."""
    sold, busy = by_line(way({"share_sold": 1.0})), by_line(way(busy_share=1.0))
    names = ("Electricity while working", "Electricity while idle", "Electricity of hours sold")
    assert sum(sold[name] for name in names) == pytest.approx(sum(busy[name] for name in names))


def test_from_a_month_on() -> None:
    usd = by_line(way({"first_month": 13}))
    assert not usd["Hours sold on"][:13].any()
    assert usd["Hours sold on"][13] == pytest.approx(-30_660)
    assert not usd["Electricity of hours sold"][:13].any()


def test_nothing_is_sold_before_the_machines_come() -> None:
    late = built(own.build, setting(scenario({**METER, "lead_time_months": 6.0}, sell=SELL)))
    assert not by_line(late)["Hours sold on"][:7].any()
    assert by_line(late)["Hours sold on"][7] == pytest.approx(-30_660)


@pytest.mark.parametrize(("change", "yours", "in_month_13"), [(-0.2, None, 0.8), (-0.2, 0.1, 1.1), (0.0, -0.5, 0.5)])
def test_the_price_moves_as_rents_unless_you_say_otherwise(
    change: float, yours: float | None, in_month_13: float
) -> None:
    terms = {"rent_change_per_year": change}
    usd = by_line(way({"price_change_per_year": yours}, terms=terms))["Hours sold on"]
    assert usd[13] / usd[1] == pytest.approx(in_month_13)


def test_in_a_future_it_strays_as_far_as_rents_do() -> None:
    """Rents were to stay and fall by a tenth: a price that was to rise by a tenth is 0.99 a year on."""
    at = setting(scenario(METER, sell={**SELL, "price_change_per_year": 0.1}))
    there = at.with_tried({"rent_change_per_year": np.array([[0.0], [-0.1]])})
    usd = by_line(built(own.build, there))["Hours sold on"]
    assert usd[:, 13] == pytest.approx([-30_660 * 1.1, -30_660 * 1.1 * 0.9])


def test_by_levels_too() -> None:
    usd = by_line(way(terms={"rent_by_year": (1.0, 0.5)}))["Hours sold on"]
    assert usd[13] == pytest.approx(usd[1] / 2)


def test_what_nobody_says_is_the_catalogues() -> None:
    """A marketplace keeps a tenth; half of the hours find a buyer, 30 % at the dear end and 70 % at the cheap one."""
    at = setting(scenario(METER, sell={"usd_per_accelerator_hour": 1.5}))
    hours = 80 * 0.5 * 730 * 1.5
    line = next(line for line in built(own.build, at).lines if line.name == "Hours sold on")
    sold = [line.at_end(case).usd[1] for case in CASES]
    assert sold == pytest.approx([-0.7 * hours, -0.5 * hours, -0.3 * hours])
    assert by_line(built(own.build, at))["Fee for selling them"][1] == pytest.approx(0.05 * hours)


def test_your_share_has_as_wide_a_range_and_the_futures_draw_from_it() -> None:
    found = plan_from_context(setting(scenario(METER, sell={**SELL, "share_sold": 0.5})))
    drawn = {one.name: one for one in uncertain_inputs(found)}
    spread = drawn["sold_share"].spread
    assert (spread.low, spread.typical, spread.high) == pytest.approx((0.3, 0.5, 0.7))
    assert "our assumption" in drawn["sold_share"].reason
    assert "usd_per_hour_sold" not in drawn  # it moves with rents, which are drawn
    most = built(own.build, setting(scenario(METER, sell={**SELL, "share_sold": 0.9}))).lines
    line = next(line for line in most if line.name == "Hours sold on")
    assert line.at_end("low").usd[1] == pytest.approx(-80 * 0.5 * 730 * 1.5)  # never more than all of them


@pytest.mark.parametrize("build", [loan.build, lease.build])
def test_however_they_are_paid_for(build: Builder) -> None:
    assert by_line(way(build=build))["Hours sold on"][1] == pytest.approx(-30_660)


def test_what_is_kept_sells_at_its_speed() -> None:
    """160 of half the speed, 80 of them busy: 80 idle ones sell as 40."""
    kept = {"accelerators": 160, "relative_speed": 0.5, "power_w_each": 400.0, "idle_power_w_each": 100.0}
    usd = by_line(way(build=keep.build, kept=kept))
    assert usd["Hours sold on"][1] == pytest.approx(-40 * 730 * 0.7 * 1.5)
    assert usd["Electricity of hours sold"][1] == pytest.approx(80 * 0.3 * 730 * 0.1 * 0.7)


@pytest.mark.parametrize("prepaid", [False, True])
def test_of_a_reservation_only_where_the_contract_allows_it(prepaid: bool) -> None:
    held = {"reserve": {"usd_per_accelerator_hour": 1.8, "term": "reserved_1y", "prepaid": prepaid, "at_end": "roll"}}
    assert "Hours sold on" not in by_line(way(build=reserved.build, **held))
    usd = by_line(way({"reserved": True}, build=reserved.build, **held))
    assert usd["Hours sold on"][1:] == pytest.approx(-30_660)
    assert "Electricity of hours sold" not in usd  # the provider's


def test_of_a_mix_the_base_and_people_who_sell_are_paid_once() -> None:
    held = {"reserve": {"usd_per_accelerator_hour": 1.8, "term": "reserved_1y", "at_end": "roll"}}
    sell = {"reserved": True, "usd_per_month_to_sell": 2_000.0}
    layers = {"own_accelerators": 40, "reserve_accelerators": 40}
    usd = by_line(way(sell, build=mix.build, mix=layers, **held))
    assert usd["Base: hours sold on"][1] == pytest.approx(-30_660 / 2)
    assert usd["Reserved: hours sold on"][1] == pytest.approx(-30_660 / 2)
    assert [name for name in usd if "people and billing" in name] == ["Base: people and billing to sell them"]


def test_it_is_taxed_as_income_and_bears_no_vat_of_yours() -> None:
    tax = {"tax_share": 0.25, "vat_share": 0.2, "vat_recovered_share": 1.0, "vat_recovered_after_months": 0}
    at = setting(scenario(METER, sell={**SELL, "fee_share": 0.0}, tax=tax))
    without = setting(scenario(METER, tax=tax))
    with_it, bare = (with_tax(one, Ledger("", built(own.build, one).lines)) for one in (at, without))
    sold = by_line(built(own.build, at))
    more = float(sold["Hours sold on"].sum() + sold["Electricity of hours sold"].sum())
    assert float(with_it.total_usd - bare.total_usd) == pytest.approx(0.75 * more)
    assert with_it.part_usd("income") == pytest.approx(-30_660 * 48)


def test_the_sum_for_running_them_holds_their_electricity() -> None:
    usd = by_line(built(own.build, setting(scenario({**METER, "running_usd_per_month": 5_000.0}, sell=SELL))))
    assert "Electricity of hours sold" not in usd


def test_without_a_price_nothing_of_ones_own_is_reckoned_and_todays_rent_is_named() -> None:
    at = setting(scenario(METER, sell={"share_sold": 0.7}))
    reasons = {one.way: one.reason for one in plan_from_context(at).absent}
    assert reasons["own"] == reasons["lease"]
    assert reasons["own"].startswith("idle hours are to be sold on and no price is entered")
    assert "on_demand" in {option.key for option in plan_from_context(at).options}
    market = plan(load_catalogue(), Scenario.model_validate({"sell": {"share_sold": 0.7}}), DAY)
    assert "providers ask about 2.7" in next(one.reason for one in market.absent if one.way == "own")


def test_a_busy_fleet_has_nothing_to_sell() -> None:
    assert total(way(busy_share=1.0)) == pytest.approx(
        total(built(own.build, setting(scenario(METER, busy_share=1.0))))
    )
