"""What owning takes to run has prices that move, and draws power by its load."""

from typing import Any

import numpy as np
import pytest

from planner.money.owning import owned
from planner.money.plan import plan
from pricing import load_catalogue
from tests.facts import DAY
from tests.money.owning import EIGHTY, flow, scenario, setting


def test_power_is_billed_as_drawn_and_its_price_moves() -> None:
    """100 kW; half the time at 0.8 of it, half at 0.2; 0.1 a kWh through a PUE of 1.5, 10 % dearer a year."""
    own = {
        **EIGHTY, "usd_per_kwh": 0.1, "pue": 1.5, "busy_power_share": 0.8, "idle_power_share": 0.2,
        "power_price_change_per_year": 0.1,
    }  # fmt: skip
    working, idle = flow(own, "Electricity while working"), flow(own, "Electricity while idle")
    assert working[1] == pytest.approx(100 * 0.5 * 0.8 * 1.5 * 0.1 * 730)
    assert idle[1] == pytest.approx(100 * 0.5 * 0.2 * 1.5 * 0.1 * 730)
    assert working[13] == pytest.approx(working[1] * 1.1)
    assert working[48] == pytest.approx(working[1] * 1.1 ** (47 / 12))


METERED = {**EIGHTY, "usd_per_kwh": 0.1, "pue": 1.5}


def curve(*points: tuple[float, float]) -> tuple[dict[str, float], ...]:
    """A curve of power, as a plan says it."""
    return tuple({"load": load, "power_share": share} for load, share in points)


def test_power_is_read_between_the_points_of_your_curve() -> None:
    """100 kW at half load: a quarter of the way from 0.6 (at 0.4) to 0.8 (at 0.8) is 0.65; half the time waits."""
    own = {**METERED, "power_at_load": curve((0, 0.2), (0.4, 0.6), (0.8, 0.8), (1, 0.82))}
    working, idle = flow(own, "Electricity while working"), flow(own, "Electricity while idle")
    assert idle[1] == pytest.approx(100 * 0.2 * 0.5 * 1.5 * 0.1 * 730)
    assert working[1] + idle[1] == pytest.approx(100 * 0.65 * 1.5 * 0.1 * 730)


def test_at_a_growing_load_each_month_is_read_for_itself() -> None:
    """A load of 0.25 that doubles in a year: 0.2, then 0.4 of the rated power."""
    own = {**METERED, "power_at_load": curve((0, 0), (0.25, 0.2), (0.5, 0.4), (1, 0.5))}
    at = setting(scenario(own, work=({"accelerators": 20, "busy_share": 1.0, "growth_per_year": 1.0},)))
    ownership = owned(at, at.demand.upto(80))
    assert ownership is not None
    paid = {line.name: line.usd for line in ownership.operating_lines}["Electricity while working"]
    assert paid[1] == pytest.approx(0.2 * 100 * 1.5 * 0.1 * 730)
    assert paid[13] == pytest.approx(2 * paid[1])


def test_orders_share_the_load_of_the_fleet_that_is_there() -> None:
    """60 are wanted: 40 (50 kW) have no rest, then 80 (100 kW) share it at 0.75, and draw 0.7 of their rating."""
    orders = ({"accelerators": 40}, {"accelerators": 40, "month": 12})
    own = {**METERED, "orders": orders, "power_at_load": curve((0, 0.2), (0.5, 0.6), (1, 0.8))}
    work = ({"accelerators": 60, "busy_share": 1.0},)
    (option,) = plan(load_catalogue(), scenario(own, work=work, ways=("own",)), DAY).options
    lines = [line for line in option.ledger.lines if "lectricity" in line.name]
    assert len({line.name for line in lines}) == 3  # the first order never waits alone
    paid = sum(line.usd for line in lines)
    assert paid[[1, 13]] == pytest.approx(np.array([50 * 0.8, 100 * 0.7]) * 1.5 * 0.1 * 730)


def test_two_points_are_the_two_shares() -> None:
    by_shares = {**METERED, "busy_power_share": 0.76, "idle_power_share": 0.25}
    by_curve = {**METERED, "power_at_load": curve((0, 0.25), (1, 0.76))}
    for name in ("Electricity while working", "Electricity while idle"):
        assert flow(by_curve, name) == pytest.approx(flow(by_shares, name), rel=1e-12)


@pytest.mark.parametrize(("own", "says"), [
    ({"power_at_load": curve((0, 0.2))}, "from a load of 0 to a load of 1"),
    ({"power_at_load": curve((0.1, 0.2), (1, 0.8))}, "from a load of 0 to a load of 1"),
    ({"power_at_load": curve((0, 0.2), (0, 0.3), (1, 0.8))}, "after 0 want more load"),
    ({"power_at_load": curve((0, 0.8), (1, 0.2))}, "after 0 want more load, and no less power"),
    ({"power_at_load": curve((0, 0.2), (1, 0.8)), "busy_power_share": 0.7}, "leave the other two shares empty"),
])  # fmt: skip
def test_what_is_no_curve_of_power_is_refused(own: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        scenario({**METERED, **own})


def test_people_space_and_maintenance_have_prices_of_their_own_that_move() -> None:
    """80 / 100 people at 60,000 a year; 100 kW at 200 a month; (5 % + 1 %) of 800,000 a year: each at its own pace."""
    own = {
        **EIGHTY, "fte_per_accelerator": 0.01, "usd_per_fte_year": 60_000.0, "usd_per_kw_month": 200.0,
        "maintenance_share_per_year": 0.05, "insurance_share_per_year": 0.01, "wage_change_per_year": 0.05,
        "space_price_change_per_year": 0.03, "maintenance_change_per_year": 0.1,
    }  # fmt: skip
    for name, usd, rise in (
        ("People", 4_000, 1.05),
        ("Space, by contracted power", 20_000, 1.03),
        ("Maintenance and insurance", 4_000, 1.1),
    ):
        paid = flow(own, name)
        assert [paid[month] for month in (1, 13, 37)] == pytest.approx([usd, usd * rise, usd * rise**3]), name


def test_maintenance_rises_from_the_order_on() -> None:
    """A share of what the machines cost when they were ordered: 5 % of 800,000 in the first month that they run."""
    own = {**EIGHTY, "maintenance_share_per_year": 0.05, "maintenance_change_per_year": 0.1, "order_month": 12}
    paid = flow(own, "Maintenance and insurance")
    assert min(paid) == 13
    assert [paid[13], paid[25]] == pytest.approx([800_000 * 0.05 / 12, 800_000 * 0.05 / 12 * 1.1])


def test_repairs_and_a_room_rise_with_maintenance() -> None:
    """12,000 a year after three years; 3 % a year of 100 kW at 10,000."""
    own = {**EIGHTY, "failures_per_accelerator_year": 0.05, "repair_share": 0.3, "maintenance_change_per_year": 0.1}
    repairs = flow({**own, "warranty_years": 3.0}, "Repairs beyond what support covers")
    assert repairs[37] == pytest.approx(1_000 * 1.1**3)
    room = {**own, "place": "data_centre", "usd_per_kw_of_room": 10_000.0, "room_upkeep_share_per_year": 0.03}
    assert flow(room, "Upkeep of the room")[25] == pytest.approx(2_500 * 1.1**2)


def test_hours_sold_on_draw_what_is_left_of_the_curve() -> None:
    """Half busy at 0.6 of 100 kW; all idle hours sold would bring it to 0.8: a quarter of them draws 5 kW."""
    own = {**METERED, "power_at_load": curve((0, 0.2), (0.5, 0.6), (1, 0.8))}
    paid = flow(own, "Electricity of hours sold", sell={"usd_per_accelerator_hour": 1.0, "share_sold": 0.25})
    assert paid[1] == pytest.approx(0.25 * 20 * 1.5 * 0.1 * 730)
