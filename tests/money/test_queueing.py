"""Waiting, interruption and what to own: against the textbook's recursion, and in the corners."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.demand import queueing
from planner.money.outcome import FOUND

BUSY = st.floats(0.001, 0.999)
SLOTS = st.integers(1, 300)


def by_recursion(slots: int, busy: float) -> float:
    """Erlang's waiting probability, one slot after the other."""
    load, blocked = slots * busy, 1.0
    for n in range(1, slots + 1):
        blocked = load * blocked / (n + load * blocked)
    return blocked / (1 - busy * (1 - blocked))


@given(SLOTS, BUSY)
def test_the_integral_is_the_recursion(slots: int, busy: float) -> None:
    assert queueing.waiting_probability(slots=slots, busy_share=busy) == pytest.approx(
        by_recursion(slots, busy), rel=1e-10
    )


@pytest.mark.parametrize("slots", [1_000, 4_096, 16_384])
@pytest.mark.parametrize("busy", [0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.999999])
def test_the_largest_clusters_neither_overflow_nor_drift(slots: int, busy: float) -> None:
    assert queueing.waiting_probability(slots=slots, busy_share=busy) == pytest.approx(
        by_recursion(slots, busy), rel=1e-10, abs=1e-250
    )


@pytest.mark.parametrize(("busy", "chance"), [(0.0, 0.0), (1.0, 1.0), (1.5, 1.0)])
@pytest.mark.parametrize("slots", [1, 16, 16_384])
def test_nobody_waits_for_idle_slots_and_everybody_for_full_ones(slots: int, busy: float, chance: float) -> None:
    assert queueing.waiting_probability(slots=slots, busy_share=busy) == pytest.approx(chance, abs=1e-12)


@given(BUSY)
def test_one_slot_waits_as_often_as_it_is_busy(busy: float) -> None:
    assert queueing.waiting_probability(slots=1, busy_share=busy) == pytest.approx(busy)


@given(SLOTS, BUSY, st.floats(0.0, 3.0))
def test_more_slots_at_the_same_load_wait_less(slots: int, busy: float, cv: float) -> None:
    wait = queueing.mean_wait_in_services(slots=np.array([slots, slots + 1]), busy_share=busy, service_cv=cv)
    assert wait.found.all()
    assert wait.at(1).value <= wait.at(0).value


def test_a_queue_that_grows_says_so() -> None:
    got = queueing.mean_wait_in_services(slots=4, busy_share=np.array([0.9, 1.0, 1.2]), service_cv=1.0)
    assert got.reason.tolist() == [FOUND, queueing.GROWS, queueing.GROWS]


@given(st.integers(1, 20_000), st.floats(0.001, 100.0), st.floats(0.0, 3.0))
def test_the_achievable_share_is_where_the_wait_is_the_target(slots: int, target: float, cv: float) -> None:
    busy = queueing.achievable_busy_share(slots=slots, wait_in_services=target, service_cv=cv)
    assert 0 < float(busy) < 1
    wait = queueing.mean_wait_in_services(slots=slots, busy_share=busy, service_cv=cv)
    assert wait.value == pytest.approx(target, rel=1e-6)


def test_more_slots_can_be_busier_and_arrays_give_what_scalars_give() -> None:
    slots = np.array([1, 2, 8, 64, 1_024, 16_384])
    every = queueing.achievable_busy_share(slots=slots, wait_in_services=0.1, service_cv=1.0)
    assert (np.diff(every) > 0).all()
    each = [queueing.achievable_busy_share(slots=int(n), wait_in_services=0.1, service_cv=1.0) for n in slots]
    assert np.asarray(every).tolist() == each


@given(st.floats(0.0, 0.995), st.floats(0.01, 10.0))
def test_one_slot_less_than_needed_waits_too_long(busy: float, target: float) -> None:
    need = queueing.slots_needed(busy_share=busy, wait_in_services=target, service_cv=1.0)
    assert need.reason == FOUND
    enough = queueing.mean_wait_in_services(slots=need.value, busy_share=busy, service_cv=1.0)
    assert float(enough.value) <= target
    if need.value > 1:
        fewer = queueing.mean_wait_in_services(slots=need.value - 1, busy_share=busy, service_cv=1.0)
        assert float(fewer.value) > target


def test_no_number_of_slots_helps_where_work_outruns_them_or_nobody_may_wait() -> None:
    got = queueing.slots_needed(busy_share=np.array([1.0, 0.5]), wait_in_services=np.array([9.0, 0.0]), service_cv=1.0)
    assert got.reason.tolist() == [queueing.GROWS, queueing.MORE_SLOTS]


# Interruption


@given(st.floats(0.001, 0.5), st.floats(0.0, 1.0), st.floats(0.001, 0.5))
def test_no_interval_is_better_than_the_best(cost: float, restart: float, rate: float) -> None:
    rates = {"checkpoint_cost_hours": cost, "restart_hours": restart, "interruptions_per_hour": rate}
    best = queueing.best_checkpoint_interval_hours(**rates)
    assert best.reason == FOUND
    least = queueing.preemption_stretch(checkpoint_interval_hours=best.value, **rates)
    others = queueing.preemption_stretch(checkpoint_interval_hours=best.value * np.array([0.5, 0.9, 1.1, 2.0]), **rates)
    assert (np.nan_to_num(others.value, nan=np.inf) >= float(least.value) * (1 - 1e-12)).all()


@given(st.floats(0.1, 5.0), st.floats(0.001, 0.1), st.floats(0.0, 0.5), st.floats(0.0, 0.3))
def test_interruptions_and_stretch_are_inverse(interval: float, cost: float, restart: float, rate: float) -> None:
    times = {"checkpoint_interval_hours": interval, "checkpoint_cost_hours": cost, "restart_hours": restart}
    stretch = queueing.preemption_stretch(interruptions_per_hour=rate, **times)
    assert stretch.found
    assert queueing.interruptions_at_stretch(stretch=stretch.value, **times) == pytest.approx(rate, abs=1e-9)


def test_corners_of_interruption() -> None:
    got = queueing.best_checkpoint_interval_hours(
        checkpoint_cost_hours=0.1, restart_hours=0.5, interruptions_per_hour=np.array([0.0, 0.1, 2.0])
    )
    assert got.reason.tolist() == [queueing.NO_INTERRUPTION, FOUND, queueing.STOPS]
    calm = queueing.preemption_stretch(
        checkpoint_interval_hours=1.0, checkpoint_cost_hours=0.0, restart_hours=0.5, interruptions_per_hour=0.0
    )
    assert calm.value == 1.0


@given(st.floats(0.001, 1.0), st.floats(1.0, 1e4))
def test_the_interval_of_young_balances_its_two_wastes(cost: float, between: float) -> None:
    interval = queueing.young_interval_hours(checkpoint_cost_hours=cost, hours_between_failures=between)
    assert cost / interval == pytest.approx(interval / (2 * between))


# What to own


@given(st.floats(0.1, 5.0), st.floats(0.0, 1.0), st.floats(0.1, 10.0), st.integers(1, 40), st.data())
def test_no_other_capacity_is_cheaper_than_the_rules(
    own: float, running: float, rent: float, levels: int, data: st.DataObject
) -> None:
    demand = np.array(data.draw(st.lists(st.integers(0, 50), min_size=levels, max_size=levels)), dtype=float)
    weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=levels, max_size=levels)), dtype=float)
    prices = {"own_usd_per_hour": own, "running_usd_per_busy_hour": running, "rent_usd_per_busy_hour": rent}
    share = queueing.least_busy_share_to_own(**prices)
    units = 0.0
    if share.found:
        units = queueing.units_to_own(demand=demand, weights=weights, least_busy_share=share.value)
    every = queueing.expected_usd_per_hour(units=np.arange(52.0), demand=demand, weights=weights, **prices)
    chosen = queueing.expected_usd_per_hour(units=units, demand=demand, weights=weights, **prices)
    assert chosen == pytest.approx(np.min(every), rel=1e-9)


def test_owning_that_never_pays_says_why() -> None:
    got = queueing.least_busy_share_to_own(
        own_usd_per_hour=1.0, running_usd_per_busy_hour=0.5, rent_usd_per_busy_hour=np.array([0.4, 0.5, 1.5, 2.5])
    )
    assert got.reason.tolist() == [
        queueing.NEVER_CHEAPER,
        queueing.NEVER_CHEAPER,
        queueing.NEVER_BUSY_ENOUGH,
        FOUND,
    ]
    assert got.at(3).value == 0.5
