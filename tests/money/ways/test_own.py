"""Own: the fleet, and what is rented before it comes, above its size and after it is sold."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.option import OptionLedger, Unavailable
from planner.money.ways import mix, own
from planner.scenario.scenario import Scenario
from tests.money.owning import EIGHTY, NOTHING, built, by_line, monthly, scenario, setting, total

RENT = 80 * 0.5 * 730 * 2.0  # a month of everything rented


def way(terms: dict[str, Any], **plan: Any) -> OptionLedger:
    """Owning on these terms."""
    return built(own.build, setting(scenario(terms, **plan)))


def test_one_price_and_one_monthly_sum_are_all_it_costs() -> None:
    """80 x 10,000 today and 5,000 a month, to the cent."""
    ledger = way({**EIGHTY, "running_usd_per_month": 5_000.0})
    assert monthly(ledger).tolist() == [800_000.0] + [5_000.0] * 48
    assert ledger.title == "Buy 80 and run them"
    assert ledger.accelerators == 80
    assert ledger.useful_hours.tolist() == [0.0] + [80 * 0.5 * 730] * 48
    assert ledger.warnings == ()


def test_until_delivery_everything_is_rented() -> None:
    """2.5 months of rent, the machines in the third month, 5,000 a month from then on."""
    terms = {**EIGHTY, "running_usd_per_month": 5_000.0, "lead_time_months": 2.5, "deposit_share": 0.25}
    cash = monthly(way(terms))
    assert cash[:5].tolist() == pytest.approx([200_000, RENT, RENT, RENT / 2 + 600_000 + 2_500, 5_000])


def test_machines_that_come_after_the_plan_are_no_option() -> None:
    terms = {**EIGHTY, "running_usd_per_month": 5_000.0, "lead_time_months": 60.0, "deposit_share": 0.25}
    found = own.build(setting(scenario(terms)))
    assert found == Unavailable(
        "the machines come after 5 years, when the plan ends: too late to run, and all work would be rented"
    )
    sold = own.build(setting(scenario({**EIGHTY, "lead_time_months": 30.0, "resale_month": 24})))
    assert isinstance(sold, Unavailable)
    assert "when they would be sold" in sold.reason


def test_after_an_early_resale_the_work_is_rented_again() -> None:
    cash = monthly(way({**EIGHTY, "running_usd_per_month": 5_000.0, "resale_month": 24, "residual_share": 0.6}))
    assert cash[23:26].tolist() == pytest.approx([5_000, 5_000 - 480_000, RENT])
    assert cash[48] == pytest.approx(RENT)


def test_a_fleet_smaller_than_the_peak_rents_the_rest_while_it_is_there() -> None:
    """Half the time 80 are wanted and 48 are owned: 32 x 0.5 x 730 x 2; before delivery it is all 80."""
    terms = {**EIGHTY, "accelerators": 48, "running_usd_per_month": 1.0, "lead_time_months": 1.0}
    ledger = way(terms)
    assert monthly(ledger)[:3].tolist() == pytest.approx([0, RENT + 480_000, 32 * 0.5 * 730 * 2 + 1])
    assert ledger.title == "Buy 48 and run them"
    assert by_line(ledger)["Above the fleet: useful hours"][1] == 0
    assert float(ledger.useful_hours.sum()) == 48 * 80 * 0.5 * 730


def test_without_a_price_it_says_what_to_enter() -> None:
    found = own.build(setting(scenario(NOTHING, accelerator="TPU-v5p")))
    assert isinstance(found, Unavailable)
    assert "enter what you would pay" in found.reason


def test_the_wait_is_the_catalogues_where_you_say_nothing() -> None:
    found = built(own.build, setting(Scenario()))
    assert np.flatnonzero(by_line(found)["Until delivery: useful hours"]).tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_of_size_buys_another_number() -> None:
    at = setting(scenario(EIGHTY))
    assert float(monthly(built(own.fleet_builder(40), at))[0]) == 400_000


@given(st.lists(st.floats(0.0, 60.0), min_size=1, max_size=4))
def test_many_lead_times_are_what_each_is_alone(leads: list[float]) -> None:
    plan = setting(scenario({**EIGHTY, "running_usd_per_month": 5_000.0, "deposit_share": 0.2}))
    together = total(built(own.build, plan.with_tried({"lead_time_months": np.array(leads)[:, np.newaxis]})))
    alone = [float(total(built(own.build, plan.with_tried({"lead_time_months": lead})))) for lead in leads]
    assert np.broadcast_to(together, len(leads)) == pytest.approx(alone)


def test_a_longer_wait_costs_more_where_rent_costs_more_than_running() -> None:
    terms = {**EIGHTY, "running_usd_per_month": 5_000.0}
    costs = [float(total(way({**terms, "lead_time_months": lead}))) for lead in (0.0, 0.5, 6.0, 47.0)]
    assert costs == sorted(costs)
    assert costs[1] - costs[0] == pytest.approx((RENT - 5_000) / 2)


def test_work_that_may_wait_fills_the_fleet_and_the_wait_is_told() -> None:
    """Ten of their own for work that wants 9.9 all the time: all of it is done, and whoever does it waits."""
    patient = ({"accelerators": 10, "busy_share": 0.99, "may_wait": True},)
    terms = {**EIGHTY, "accelerators": 10, "running_usd_per_month": 1.0}
    found = built(own.build, setting(scenario(terms, work=patient)))
    assert monthly(found)[1] == pytest.approx(1)
    assert any("times as long as it runs" in warning for warning in found.warnings)
    mixed = built(mix.build, setting(scenario(terms, work=patient, mix={"own_accelerators": 10})))
    assert monthly(mixed) == pytest.approx(monthly(found))


def test_a_fleet_too_small_for_a_job_leaves_it_to_others() -> None:
    """Eight GPUs cannot run a job of ten, however long it may wait: all of it is rented."""
    patient = ({"accelerators": 10, "accelerators_per_job": 10, "busy_share": 0.5, "may_wait": True},)
    terms = {**EIGHTY, "accelerators": 8, "running_usd_per_month": 1.0}
    found = built(own.build, setting(scenario(terms, work=patient)))
    assert monthly(found)[1] == pytest.approx(1 + 0.5 * 10 * 730 * 2)


def test_rent_without_a_price_is_said_and_an_unknown_offer_refused() -> None:
    terms = {**EIGHTY, "lead_time_months": 3.0}
    unpriced = built(own.build, setting(scenario(terms, accelerator="MI210-64GB", rent={})))
    assert any("a price that is not published" in warning for warning in unpriced.warnings)
    unknown = own.build(setting(scenario(terms, rent={"offer": "nobody/nothing"})))
    assert isinstance(unknown, Unavailable)
    assert "nobody/nothing" in unknown.reason


@given(st.lists(st.floats(0.1, 3.0), min_size=1, max_size=4))
def test_many_uses_are_what_each_is_alone(factors: list[float]) -> None:
    plan = setting(scenario({**EIGHTY, "accelerators": 40, "usd_per_kwh": 0.1, "lead_time_months": 2.0}))
    together = total(built(own.build, plan.with_tried({"busy_factor": np.array(factors)[:, np.newaxis]})))
    alone = [
        float(total(built(own.build, plan.with_tried({"busy_factor": np.array([[factor]])}))).item())
        for factor in factors
    ]
    assert np.broadcast_to(together, len(factors)) == pytest.approx(alone)
