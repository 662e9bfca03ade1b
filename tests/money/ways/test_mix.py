"""Mix: a base of one's own, a reserved layer, rented peaks; its corners are the pure ways."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.setting import PlanContext
from planner.money.ways import mix, on_demand, own, reserved, spot
from tests.examples import at_most
from tests.money.owning import EIGHTY
from tests.money.renting import MARKET, amounts, built, offer, plan, recomputes, setting, total, why, work

LEVELS = (work(accelerators=8, busy_share=0.9), work(accelerators=16, busy_share=0.25))


def mixed(
    own_count: int = 0,
    reserve: int = 0,
    peaks: str = "on_demand",
    works: tuple[dict[str, Any], ...] = LEVELS,
    **more: Any,
) -> PlanContext:
    """A mix of these."""
    wanted = {"own_accelerators": own_count, "reserve_accelerators": reserve, "peaks": peaks}
    return setting(plan(*works, **{"mix": wanted, "own": EIGHTY, **more}))


def test_nothing_owned_and_nothing_reserved_is_on_demand() -> None:
    there = mixed()
    assert total(built(there, mix.build)) == pytest.approx(total(built(there, on_demand.build)))


def test_nothing_owned_and_nothing_reserved_is_spot() -> None:
    works = tuple({**level, "may_stop": True} for level in LEVELS)
    there = mixed(peaks="spot", works=works)
    assert total(built(there, mix.build)) == pytest.approx(total(built(there, spot.build)))


def test_everything_reserved_is_reserved() -> None:
    there = mixed(reserve=24)
    assert total(built(there, mix.build)) == pytest.approx(total(built(there, reserved.build)))


def test_a_base_and_peaks_are_a_fleet_too_small() -> None:
    there = mixed(own_count=8)
    assert total(built(there, mix.build)) == pytest.approx(total(built(there, own.fleet_builder(8))))


def test_three_layers_by_hand() -> None:
    """8 at 90 % and 16 at 25 %: above 0, 8 and 16 are busy 0.925, 0.25 and 0.225 of the time."""
    found = built(mixed(own_count=8, reserve=8), mix.build)
    parts = amounts(found)
    assert parts["Base: servers, with spares"] == 80_000
    assert parts["Reserved: useful hours"] == pytest.approx(8 * 0.25 * 8_760 * 1.5)
    assert parts["Reserved: idle hours paid for"] == pytest.approx(8 * 0.75 * 8_760 * 1.5)
    assert parts["Peaks: useful hours"] == pytest.approx(8 * 0.225 * 8_760 * 2.0)
    assert found.title == "Own 8, reserve 8 and rent the peaks"
    assert found.what == "own 8, reserve 8, peaks on demand"
    assert any("embedded lease" in warning for warning in found.warnings)
    assert recomputes(found.lines)


def test_until_the_base_comes_the_reservation_is_the_lowest_layer() -> None:
    """Three months without it: the reserved eight are busy 0.925 of the time, then 0.25."""
    found = built(mixed(own_count=8, reserve=8, own={**EIGHTY, "lead_time_months": 3.0}), mix.build)
    line = next(line for line in found.lines if line.name == "Reserved: useful hours")
    assert line.usd[[3, 4]].tolist() == pytest.approx([8 * 0.925 * 730 * 1.5, 8 * 0.25 * 730 * 1.5])
    waiting = next(line for line in found.lines if line.name == "Peaks until delivery: useful hours")
    assert waiting.usd[[3, 4]].tolist() == pytest.approx([(8 * 0.25 + 8 * 0.225) * 730 * 2.0, 0])


def test_a_reservation_that_is_let_go_leaves_its_layer_to_the_peaks() -> None:
    """Which are then all of the work: no machine is rented for the layer alone."""
    found = built(mixed_expiring(), mix.build)
    line = next(line for line in found.lines if line.name == "Peaks after the term: useful hours")
    everything = 8 * 0.9 + 16 * 0.25
    assert line.usd[[12, 13]].tolist() == pytest.approx([0, everything * 730 * 2.0])
    peaks = next(line for line in found.lines if line.name == "Peaks: useful hours")
    assert peaks.usd[[12, 13]].tolist() == pytest.approx([(everything - 8 * 0.925) * 730 * 2.0, 0])


def mixed_expiring() -> PlanContext:
    """Eight reserved for the first of two years."""
    wanted = {"reserve_accelerators": 8}
    return setting(plan(*LEVELS, years=2.0, mix=wanted, reserve={"term": "reserved_1y", "at_end": "expire"}))


def test_spot_peaks_take_what_may_stop_and_no_more() -> None:
    """Sixteen may stop a quarter of the time: 2,920 hours a month; the peaks above eight ask for 3,504 in all."""
    works = (LEVELS[0], {**LEVELS[1], "may_stop": True})
    found = built(mixed(own_count=4, peaks="spot", works=works), mix.build)
    parts = amounts(found)
    on_spot = parts["Peaks on spot: useful hours"] / 0.8
    on_request = parts["Peaks on demand: useful hours"] / 2.0
    above = 12 * 730 * (8 * 0.9 + 16 * 0.25 - 4 * 0.925)
    assert on_spot == pytest.approx(12 * 730 * 16 * 0.25)
    assert on_spot + on_request == pytest.approx(above)


def test_spot_peaks_of_work_that_may_not_stop_are_rented_on_demand() -> None:
    there = mixed(own_count=8, peaks="spot")
    found = built(there, mix.build)
    assert mix.NOTHING_STOPS in found.warnings
    assert total(found) == pytest.approx(total(built(mixed(own_count=8), mix.build)))


def test_reasons() -> None:
    assert "no mix is entered" in why(setting(plan()), mix.build)
    only_now = {"now": MARKET["now"]}
    assert "reserving" in why(setting(plan(mix={"reserve_accelerators": 8}), only_now), mix.build)
    stops = work(may_stop=True)
    assert "spot price" in why(setting(plan(stops, mix={"peaks": "spot"}), only_now), mix.build)
    assert "gone" in why(setting(plan(mix={}, rent={"offer": "gone"})), mix.build)
    assert "renting" in why(setting(plan(mix={}), {"year": offer("reserved_1y")}), mix.build)


@at_most(25)
@given(
    st.integers(0, 30),
    st.integers(0, 30),
    st.booleans(),
    st.floats(0.0, 10.0),
    st.floats(-0.5, 1.0),
    st.floats(0.5, 2.5),
)
def test_each_useful_hour_is_paid_once(
    base: int, layer: int, may_wait: bool, lead: float, growth: float, years: float
) -> None:
    """At 1 an hour for everything rented, and nothing for running one's own, the useful hours add up."""
    works = (work(accelerators=8, busy_share=0.9, growth_per_year=growth), work(accelerators=16, may_wait=may_wait))
    there = setting(
        plan(
            *works,
            years=years,
            mix={"own_accelerators": base, "reserve_accelerators": layer},
            own={**EIGHTY, "usd_per_accelerator": 0.0, "lead_time_months": lead},
        ),
        {"now": offer(usd=1.0, per_machine=1), "year": offer("reserved_1y", 1.0, per_machine=1)},
    )
    found = built(there, mix.build)
    rented = np.asarray(sum((line.usd for line in found.lines if line.part == "compute"), np.zeros(1)))
    asked = found.useful_hours
    assert np.all(rented <= asked + 1e-6)
    if base == 0:
        assert rented == pytest.approx(asked)
    assert rented[1 : int(min(lead, years * 12))].tolist() == pytest.approx(
        asked[1 : int(min(lead, years * 12))].tolist()
    )
    assert recomputes(found.lines)
