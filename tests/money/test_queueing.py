"""Waiting, interruption and what to own: against the textbook's recursion, and in the corners."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.demand import queueing
from planner.money.finance import FOUND
from tests.rows import each_row

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


@each_row("slots", [1_000, 4_096, 16_384])
@each_row("busy", [0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.999999])
def test_the_largest_clusters_neither_overflow_nor_drift(slots: int, busy: float) -> None:
    assert queueing.waiting_probability(slots=slots, busy_share=busy) == pytest.approx(
        by_recursion(slots, busy), rel=1e-10, abs=1e-250
    )


@each_row(("busy", "chance"), [(0.0, 0.0), (1.0, 1.0), (1.5, 1.0)])
@each_row("slots", [1, 16, 16_384])
def test_nobody_waits_for_idle_slots_and_everybody_for_full_ones(slots: int, busy: float, chance: float) -> None:
    assert queueing.waiting_probability(slots=slots, busy_share=busy) == pytest.approx(chance, abs=1e-12)


@given(BUSY)
def test_one_slot_waits_as_often_as_it_is_busy(busy: float) -> None:
    assert queueing.waiting_probability(slots=1, busy_share=busy) == pytest.approx(busy)


@given(SLOTS, BUSY, st.floats(0.0, 3.0))
def test_more_slots_at_the_same_load_wait_less(slots: int, busy: float, cv: float) -> None:
    wait = queueing.mean_wait_in_services(slots=np.array([slots, slots + 1]), busy_share=busy, service_cv=cv)
    assert wait.is_found.all()
    assert np.diff(np.asarray(wait.value)) <= 0


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


# Interruption


@given(st.floats(0.001, 0.5), st.floats(0.0, 1.0), st.floats(0.001, 0.5))
def test_no_interval_is_better_than_the_best(cost: float, restart: float, rate: float) -> None:
    rates = {"checkpoint_cost_hours": cost, "restart_hours": restart, "interruptions_per_hour": rate}
    best = queueing.best_checkpoint_interval_hours(**rates)
    assert best.reason == FOUND
    least = queueing.preemption_stretch(checkpoint_interval_hours=best.value, **rates)
    others = queueing.preemption_stretch(checkpoint_interval_hours=best.value * np.array([0.5, 0.9, 1.1, 2.0]), **rates)
    assert (np.nan_to_num(others.value, nan=np.inf) >= float(least.value) * (1 - 1e-12)).all()


def test_corners_of_interruption() -> None:
    got = queueing.best_checkpoint_interval_hours(
        checkpoint_cost_hours=0.1, restart_hours=0.5, interruptions_per_hour=np.array([0.0, 0.1, 2.0])
    )
    assert got.reason.tolist() == [queueing.NO_INTERRUPTION, FOUND, queueing.STOPS]
    calm = queueing.preemption_stretch(
        checkpoint_interval_hours=1.0, checkpoint_cost_hours=0.0, restart_hours=0.5, interruptions_per_hour=0.0
    )
    assert calm.value == 1.0


# What to own


def test_owning_that_never_pays_says_why() -> None:
    got = queueing.least_busy_share_to_own(
        own_usd_per_hour=1.0, running_usd_per_busy_hour=0.5, rent_usd_per_busy_hour=np.array([0.4, 0.5, 1.5, 2.5])
    )
    assert got.reason.tolist() == [
        queueing.NEVER_CHEAPER, queueing.NEVER_CHEAPER, queueing.NEVER_BUSY_ENOUGH, FOUND,
    ]  # fmt: skip
    assert np.asarray(got.value)[3] == 0.5
