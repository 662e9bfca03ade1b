"""How many are needed if the work may wait: the toy case of eighty at once for 125 hours, and the price of a queue."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.plan import plan_from_context
from planner.money.setting import PlanContext
from planner.money.sizing import (
    accepted_wait_in_services,
    deferrable_capacity_share,
    deferrable_fleet_size,
    deferral_advice,
    peak_utilization,
    right_size,
    utilization_within_wait,
    wait_in_services,
)
from planner.money.ways.own import FleetSizeResult, fleet_size_results
from tests.examples import at_most
from tests.money.owning import EIGHTY
from tests.money.renting import plan, setting, work


def toy(*, each: int = 8, asked: int | None = 80, **changes: Any) -> PlanContext:
    """80 GPUs wanted for 10,000 hours a month, at 10,000 each and 5,000 a month; rented at 2.00."""
    works = work(
        accelerators=80, busy_share=None, accelerator_hours_per_month=10_000.0, **{"may_wait": True, **changes}
    )
    own = {**EIGHTY, "accelerators": asked, "accelerators_per_server": each, "running_usd_per_month": 5_000.0}
    return setting(plan(works, years=5.0, own=own, rent={"usd_per_accelerator_hour": 2.0}))


def test_sixteen_do_the_work_of_eighty() -> None:
    there = toy()
    assert right_size(there) == 16
    assert peak_utilization(there, 80) == pytest.approx(0.1712, abs=5e-5)
    assert peak_utilization(there, 16) == pytest.approx(0.8562, abs=5e-5)


def by_size(found: tuple[FleetSizeResult, ...]) -> dict[int, FleetSizeResult]:
    """The table by the number of accelerators."""
    return {size.accelerators: size for size in found}


def test_the_right_size_pays_back_within_a_year_and_eighty_do_not() -> None:
    """160,000 / (20,000 - 5,000) = 10.7 and / (20,000 - 1,000) = 8.4 months; twenty: 13.3 and 10.7; eighty: 53.3."""
    found = by_size(fleet_size_results(toy(each=1)))
    months = {n: (float(size.payback_scaled.months), float(size.payback.months)) for n, size in found.items()}
    assert months[16] == pytest.approx((8.42, 10.67), abs=0.01)
    assert months[20] == pytest.approx((10.67, 13.33), abs=0.01)
    assert months[80] == pytest.approx((53.33, 53.33), abs=0.01)
    assert found[80].day_one_usd == 800_000
    assert found[16].busy_share == pytest.approx(0.856, abs=0.001)


def test_sizes_are_whole_servers_and_end_with_what_was_asked() -> None:
    assert [size.accelerators for size in fleet_size_results(toy(each=8))] == [16, 24, 32, 40, 80]


def test_a_session_is_the_length_of_a_job_in_the_table() -> None:
    there = toy()
    wait = wait_in_services(there, 16)
    assert float(np.asarray(by_size(fleet_size_results(there))[16].wait_hours.value)) == pytest.approx(
        8 * float(wait.value)
    )
    assert 0 < float(wait.value) <= accepted_wait_in_services(there)


def test_the_plan_shows_the_right_size_beside_a_larger_fleet() -> None:
    found = plan_from_context(toy())
    option = found.option("own-16")
    assert (option.way, option.title, option.accelerators) == ("own", "Buy 16, the right size", 16)
    assert float(option.ledger.monthly_usd[0]) == 160_000
    assert option.useful_hours.sum() == pytest.approx(600_000)


@pytest.mark.parametrize("asked", [None, 16, 8])
def test_no_other_size_is_shown_where_the_fleet_is_not_too_large(asked: int | None) -> None:
    assert [option.key for option in plan_from_context(toy(asked=asked)).options if option.way == "own"] == ["own"]


def test_the_right_size_is_bought_where_nobody_says_how_many() -> None:
    own = plan_from_context(toy(asked=None)).option("own")
    assert own.accelerators == 16


def test_work_that_may_not_wait_has_no_right_size_but_advice() -> None:
    there = toy(may_wait=False)
    assert right_size(there) is None
    assert deferrable_capacity_share(there, 16) == 1.0
    assert fleet_size_results(there) == ()
    assert deferrable_fleet_size(there) == 16
    assert deferral_advice(there) == "If the work could be spread over the month, 16 would do it instead of 80"
    assert deferral_advice(toy()) is None


def test_jobs_of_many_accelerators_need_a_larger_fleet() -> None:
    """In jobs of 8, 16 accelerators are two slots: at 86 % busy they wait three times their length."""
    there = toy(accelerators_per_job=8)
    assert float(wait_in_services(there, 16).value) > 2
    assert float(wait_in_services(there, 24).value) <= accepted_wait_in_services(there)
    assert right_size(there) == 24


def test_a_fleet_smaller_than_a_job_does_nothing() -> None:
    assert deferrable_capacity_share(toy(accelerators_per_job=8), 7) == 0.0


def test_never_more_than_are_asked_for() -> None:
    there = setting(plan(work(accelerators=10, busy_share=0.99, may_wait=True)))
    assert right_size(there) == 10


def test_what_is_tried_out_does_not_change_the_fleet() -> None:
    there = toy()
    assert right_size(there.with_tried({"busy_factor": np.array([[0.1], [3.0]])})) == 16


@at_most(25)
@given(st.integers(2, 300), st.floats(0.05, 0.9), st.integers(1, 4))
def test_the_right_size_keeps_the_wait_and_one_server_less_does_not(count: int, busy: float, job: int) -> None:
    job = min(job, count)
    there = setting(
        plan(
            work(accelerators=count, busy_share=busy, may_wait=True, accelerators_per_job=job),
            own={**EIGHTY, "accelerators_per_server": 1},
        )
    )
    fewest, accepted = right_size(there), accepted_wait_in_services(there)
    assert fewest is not None
    if fewest < count:
        assert float(wait_in_services(there, fewest).value) <= accepted
        assert peak_utilization(there, fewest) <= utilization_within_wait(there, fewest) + 1e-9
    if fewest > job:
        fewer = wait_in_services(there, fewest - 1)
        assert not fewer.is_found or float(fewer.value) > accepted
