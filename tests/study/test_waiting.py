"""Buy now or wait: published thresholds and gains, and every month what ordering in it costs."""

from typing import Any

import numpy as np
import pytest

from planner.money.measures import monthly_discount_factors
from planner.money.plan import Plan, plan_from_context
from planner.scenario.scenario import Scenario
from planner.study.buy_or_wait import (
    NO_FASTER,
    BuyOrWaitUnavailable,
    Waiting,
    doubling_years,
    least_work_years,
    waiting,
)
from planner.study.mix.best_mix import add_best_mix
from tests.money.owning import EIGHTY, NOTHING, setting
from tests.money.owning import scenario as owning


@pytest.mark.parametrize(("doubling", "least"), [(2.07, 2.99), (2.46, 3.55), (2.95, 4.26)])
def test_the_published_lengths_of_work_that_justify_waiting(doubling: float, least: float) -> None:
    assert float(least_work_years(doubling_years=doubling).value) == pytest.approx(least, abs=5e-3)


def test_a_fall_of_prices_is_a_doubling_and_a_rise_is_none() -> None:
    assert doubling_years(price_change_per_year=-0.5) == pytest.approx(1.0)
    assert doubling_years(price_change_per_year=-0.246) == pytest.approx(2.46, abs=0.01)
    assert str(least_work_years(doubling_years=doubling_years(price_change_per_year=0.1)).reason) == NO_FASTER


# Sixteen for 10,000 each replace 20,000 a month of rent; running them costs 1,000 a month. 10 % a year.
SIXTEEN: dict[str, Any] = {**EIGHTY, "accelerators_per_server": 1, "running_usd_per_month": 1_000.0}
RENTED = {"work": ({"accelerators": 16, "accelerator_hours_per_month": 10_000.0},), "years": 5.0}
TERMS = {"discount_rate_per_year": 0.1, "rent_change_per_year": 0.0}


def of(own: dict[str, Any], **more: Any) -> Plan:
    """The plan of these sixteen."""
    return plan_from_context(setting(owning({**SIXTEEN, **own}, **{**RENTED, "terms": TERMS, **more})))


def found(there: Plan) -> Waiting:
    """When to buy; there must be something to put off."""
    waits = waiting(there)
    assert isinstance(waits, Waiting), waits
    return waits


@pytest.mark.parametrize(("change", "gain"), [(-0.209, 45_000), (-0.285, 56_000)])
def test_a_year_of_waiting_as_published(change: float, gain: float) -> None:
    """Twelve months gain 45,000 to 56,000 and cost 217,000: buy now."""
    waits = found(of({"hardware_price_change_per_year": change}))
    assert waits.gain_usd[12] == pytest.approx(gain, abs=500)
    assert waits.cost_usd[12] == pytest.approx(217_000, abs=500)
    assert waits.best_month == 0
    assert waits.value_usd[12] == pytest.approx(waits.gain_usd[12] - waits.cost_usd[12])


LATE = {
    "hardware_price_change_per_year": -0.3, "lead_time_months": 2.5, "deposit_share": 0.4, "residual_share": None,
    "maintenance_share_per_year": 0.05, "running_usd_per_month": None, "usd_per_kwh": 0.1,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("more", [
    {}, {"refresh_years": 1.5, "resale_month": 40}, {"capex_usd": 150_000.0},
    {"warranty_years": 1.0, "failures_per_accelerator_year": 0.2, "repair_share": 0.6},
])  # fmt: skip
@pytest.mark.parametrize("terms", [TERMS, {**TERMS, "money": "real", "inflation_per_year": 0.03}])
def test_each_month_costs_what_the_plan_that_orders_in_it_costs(more: dict[str, Any], terms: dict[str, Any]) -> None:
    own = {**LATE, **more}
    waits = found(of(own, terms=terms))
    for month in (0, 1, 7, 20):
        there = waiting(of({**own, "order_month": month}, terms=terms))
        assert isinstance(there, Waiting)
        option = there.plan.option("own")
        assert option is not None
        usd = float(np.sum(option.ledger.monthly_usd * monthly_discount_factors(there.plan.setting)))
        assert waits.present_usd[month] == pytest.approx(usd, rel=1e-9)


def test_an_order_that_is_put_off_pays_later_at_the_price_of_that_day() -> None:
    """160,000 that fall by 19 % a year: 129,600 after one, two fifths with the order and the rest three months on."""
    own = {"hardware_price_change_per_year": -0.19, "lead_time_months": 3.0, "deposit_share": 0.4, "order_month": 12}
    option = of({**own, "residual_share": 0.25}).option("own")
    assert option is not None
    lines = {line.name: line.usd for line in option.ledger.lines}
    bought = lines["Servers, with spares"]
    assert {int(month): float(bought[month]) for month in np.flatnonzero(bought)} == pytest.approx(
        {12: 0.4 * 129_600, 15: 0.6 * 129_600}
    )
    assert lines["Resale"][60] == pytest.approx(-0.25 * 129_600)
    assert lines["Until delivery: useful hours"][[15, 16]].tolist() == pytest.approx([20_000.0, 0.0])


def test_falling_rents_make_never_the_best() -> None:
    waits = found(of({"hardware_price_change_per_year": 0.0}, terms={**TERMS, "rent_change_per_year": -0.6}, work=(
        {"accelerators": 16, "accelerator_hours_per_month": 3_000.0},)))  # fmt: skip
    assert waits.best_month is None
    assert waits.best_usd == waits.never_usd < min(waits.present_usd)


def test_falling_prices_and_little_work_make_later_the_best() -> None:
    few = {"work": ({"accelerators": 16, "accelerator_hours_per_month": 2_900.0},)}
    waits = found(of({"hardware_price_change_per_year": -0.4}, **few))
    assert waits.best_month is not None
    assert waits.best_month > 0
    assert waits.best_usd < min(waits.now_usd, waits.never_usd)


def test_what_cannot_come_in_time_cannot_be_put_off() -> None:
    late = waiting(of({"lead_time_months": 59.5}))
    assert isinstance(late, Waiting)
    assert late.months == (0,)
    never = waiting(of({"lead_time_months": 60.0}))
    assert isinstance(never, BuyOrWaitUnavailable)
    assert "comes after 60 months" in never.reason
    unpriced = waiting(plan_from_context(setting(owning(NOTHING, accelerator="TPU-v5p"))))
    assert isinstance(unpriced, BuyOrWaitUnavailable)


def test_the_base_of_a_mix_is_put_off_where_the_mix_is_cheaper() -> None:
    works = ({"accelerators": 8, "busy_share": 0.95}, {"accelerators": 16, "busy_share": 0.05})
    mixed = add_best_mix(of({"accelerators_per_server": 8, "usd_per_accelerator": 20_000.0}, work=works))
    assert mixed.option("mix") is not None
    waits = found(mixed)
    assert (waits.title, waits.accelerators) == ("Own 8 and rent the peaks", 8)


def test_an_order_after_the_plan_is_refused() -> None:
    with pytest.raises(ValueError, match="order earlier"):
        Scenario.model_validate({"years": 1.0, "own": {"order_month": 12}})
