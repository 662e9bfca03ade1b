"""Buy now or wait: published thresholds and gains, and every month what ordering in it costs."""

from collections.abc import Iterable
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.fleet import order_months
from planner.money.many_ledgers import build_ledger, option_builder
from planner.money.measures import monthly_discount_factors, present_usd
from planner.money.owning.inputs import ORDER
from planner.money.plan import Plan, plan, plan_from_context
from planner.report.answer.document import buy_or_wait_json
from planner.report.futures.counted import buy_or_wait_sentences, buy_or_wait_table, buy_or_wait_text
from planner.report.mix_report import buy_or_wait_chart
from planner.report.words import share_per_100
from planner.scenario.own import OwnInputs, PurchaseOrder
from planner.scenario.rent import MixInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from planner.study import buy_or_wait as module
from planner.study.buy_or_wait import (
    NO_FASTER,
    BuyOrWaitFutures,
    BuyOrWaitUnavailable,
    Waiting,
    buy_or_wait_futures,
    doubling_years,
    late_delivery,
    least_work_years,
    waiting,
)
from planner.study.mix.best_mix import BestMix, add_best_mix, best_mix
from planner.study.mix.mix_rates import BaseSchedule, OrderCosts, best_months, within
from planner.study.uncertainty.break_even_map import break_even_curve, utilization_years_map
from planner.study.uncertainty.draws import draw_inputs
from planner.study.uncertainty.futures import draw_futures
from planner.study.uncertainty.uncertain_inputs import uncertain_inputs
from pricing import load_catalogue
from tests.examples import at_most
from tests.facts import DAY
from tests.money.owning import EIGHTY, NOTHING, setting
from tests.money.owning import scenario as owning
from tests.money.renting import work
from tests.money.test_breakeven import toy
from tests.study.planned import planned
from tests.study.test_mix import OWN, made


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


def test_a_mix_that_needs_its_machines_at_once_says_why_they_cannot_come_later() -> None:
    """Its peaks go by the token, and no tokens are entered: none are needed while all is there from the first day."""
    own, mix = {"lead_time_months": 0.0, "accelerators": 24}, {"peaks": "hosted", "own_accelerators": 8}
    entered = Scenario.model_validate({"work": ({"accelerators": 8, "busy_share": 1.0},), "own": own, "mix": mix})
    never = waiting(plan(load_catalogue(), entered, DAY))
    assert isinstance(never, BuyOrWaitUnavailable)
    assert never.reason.startswith("no tokens are entered")


def test_what_cannot_come_in_time_cannot_be_put_off() -> None:
    late = waiting(of({"lead_time_months": 59.5}))
    assert isinstance(late, Waiting)
    assert late.months == (0,)
    never = waiting(of({"lead_time_months": 60.0}))
    assert isinstance(never, BuyOrWaitUnavailable)
    assert "come after 5 years, when the plan ends: too late" in never.reason
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


def of_of_waiting_futures(**changes: Any) -> tuple[Waiting, BuyOrWaitFutures]:
    """The curve of a plan and its futures; both must be there."""
    found = waiting(planned(**changes))
    assert isinstance(found, Waiting)
    there = buy_or_wait_futures(found)
    assert there is not None
    return found, there


@pytest.mark.slow
def test_each_future_is_a_plan_of_its_own() -> None:
    """Futures 0, 5 and 17, ordered in month 0 and in the last: what a ledger with these inputs comes to."""
    found, there = of_of_waiting_futures()
    setting, build = found.plan.setting, option_builder(found.option)
    inputs = uncertain_inputs(plan_from_context(setting.with_tried({ORDER: float(found.months[-1])})))
    draws = draw_inputs(inputs, there.count, setting.scenario.seed)
    usd = {}
    for future in range(there.count):
        for month in (0.0, 12.0):
            tried = {name: float(values[future]) for name, values in draws.items()}
            ledger = build_ledger(setting.with_tried({**tried, ORDER: month}), build)
            assert ledger is not None
            usd[future, month] = float(np.squeeze(present_usd(setting.with_tried(tried), ledger)))
    saved = np.array([usd[future, 0.0] - usd[future, 12.0] for future in range(there.count)])
    at = found.months.index(12)
    assert there.share_cheaper[at] == pytest.approx(float(np.mean(saved > 0)))
    assert there.value_low_usd[at] == pytest.approx(float(np.quantile(saved, 0.1)))
    assert there.value_high_usd[at] == pytest.approx(float(np.quantile(saved, 0.9)))


def test_the_price_of_later_machines_is_drawn() -> None:
    """It touches no line of a plan that orders now, and is uncertain all the same."""
    found, there = of_of_waiting_futures()
    names = {
        one.name
        for one in uncertain_inputs(plan_from_context(found.plan.setting.with_tried({ORDER: float(found.months[-1])})))
    }
    assert "hardware_price_position" in names
    assert there.share_cheaper[0] == 0.0
    assert np.all(there.low_usd <= found.present_usd)
    assert np.all(there.high_usd >= found.present_usd)
    assert np.all(there.value_low_usd <= there.value_high_usd)


def test_never_buying_is_as_likely_as_the_verdict_says() -> None:
    """It is the very share: a page that says 72 of 100 in one place and 74 in another is believed in neither."""
    found, there = of_of_waiting_futures()
    drawn_here = draw_futures(found.plan)
    said = drawn_here.share_cheaper("on_demand", found.option.key)
    assert there.never_buy_share == said


def test_the_same_seed_is_the_same_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = of_of_waiting_futures()[1], of_of_waiting_futures()[1]
    assert first.share_cheaper.tobytes() == second.share_cheaper.tobytes()
    assert first.low_usd.tobytes() == second.low_usd.tobytes()
    monkeypatch.setattr(module, "_ROWS", 64)
    assert of_of_waiting_futures()[1].count == 64


def test_a_fall_of_prices_makes_waiting_likelier() -> None:
    terms = FinancialTerms(discount_rate_per_year=0.0, rent_change_per_year=0.0)
    still, falls = (
        of_of_waiting_futures(own=OwnInputs(hardware_price_change_per_year=change), terms=terms)[1]
        for change in (0.0, -0.6)
    )
    assert falls.share_cheaper[12] > still.share_cheaper[12]


def test_words_table_and_chart_hold_the_same_numbers() -> None:
    found, there = of_of_waiting_futures()
    table = buy_or_wait_table(found, there)
    assert len(table) == len(found.months)
    assert table["Cheaper than now, of 100 futures"] == [share_per_100(share) for share in there.share_cheaper]
    said = buy_or_wait_sentences(found, there)[1]
    assert said.startswith("Cheaper than ordering now: ordering in month ")
    assert "never buying in " in said
    traces = buy_or_wait_chart(found, False, there).to_dict()["data"]
    assert traces[0]["y"] == pytest.approx(tuple(there.low_usd))
    assert traces[1]["y"] == pytest.approx(tuple(there.high_usd))
    assert len(buy_or_wait_chart(found, False).to_dict()["data"]) == len(traces) - 2
    data = buy_or_wait_json(found, there)
    assert data.futures == there.count
    assert [month.cheaper_than_today_share for month in data.months] == there.share_cheaper.tolist()
    assert said in buy_or_wait_text(found, there)


MADE = plan(load_catalogue(), toy(own={"hardware_price_change_per_year": 0.0}), DAY)


def found_of_late_delivery() -> Waiting:
    there = waiting(MADE)
    assert isinstance(there, Waiting)
    return there


def test_a_year_of_rent_instead_of_running_costs() -> None:
    # 10,000 hours a month at 2.00, less 5,000 a month, for twelve months.
    late = late_delivery(found_of_late_delivery())
    assert (late.extra_usd, late.lead_time_months, late.is_delivered) == (pytest.approx(180_000), 0.0, True)
    assert late_delivery(found_of_late_delivery(), 0.0).extra_usd == 0


def test_machines_that_come_after_the_end_never_come() -> None:
    late = late_delivery(found_of_late_delivery(), 60.0)
    assert not late.is_delivered
    assert late.extra_usd == pytest.approx(
        60 * 20_000 - found_of_late_delivery().now_usd
    )  # all is rented and nothing is bought


def test_both_cost_the_same_along_the_curve() -> None:
    # 800,000 and 5,000 a month, against 2.00 x 80 x 730 x the share of hours: a year wants more than all hours.
    own, rent = MADE.option("own"), MADE.option("on_demand")
    assert own is not None
    assert rent is not None
    points = {one.years: one for one in break_even_curve(utilization_years_map(MADE, own, rent))}
    assert list(points) == [1, 2, 3, 4, 5, 6, 7]
    assert points[1].busy_share == pytest.approx((800_000 / 12 + 5_000) / (2 * 80 * 730), abs=1e-3)
    assert points[5].busy_share == pytest.approx((800_000 / 60 + 5_000) / (2 * 80 * 730), abs=1e-3)
    assert points[5].first_wins_when_full
    dear = plan(load_catalogue(), toy(own={"usd_per_accelerator": 100_000.0}), DAY)
    own, rent = dear.option("own"), dear.option("on_demand")
    assert own is not None
    assert rent is not None
    first = break_even_curve(utilization_years_map(dear, own, rent))[0]
    assert (first.busy_share, first.first_wins_when_full) == (None, False)


SMALL = st.integers(-20, 20)


def worth(cost: OrderCosts, months: Iterable[int]) -> float:
    """What slices come to that are ordered in these months; -1 is never."""
    return sum(float(cost.usd[month, place]) for place, month in enumerate(months) if month >= 0)


@at_most(60)
@given(st.lists(st.lists(SMALL, min_size=3, max_size=3), min_size=3, max_size=3), st.integers(0, 30))
def test_within_a_limit_it_is_the_best_of_all(costs: list[list[int]], most: int) -> None:
    """Three slices, three months, each month's machines paid from one purse."""
    cost = OrderCosts(np.array(costs, dtype=np.float64))
    price = OrderCosts(np.array([[9.0] * 3, [5.0] * 3, [2.0] * 3]), float(most))
    every = [one for one in product((-1, 0, 1, 2), repeat=3) if worth(price, one) <= most]
    chosen = within(cost, [price])
    assert chosen is not None
    assert worth(price, chosen) <= most
    assert worth(cost, chosen) == pytest.approx(min(worth(cost, one) for one in every))


def test_a_purse_too_small_for_today_orders_later() -> None:
    """Both slices are best ordered at once, for 9 each; with 11 one of them waits for 2."""
    cost = OrderCosts(np.array([[-10.0, -8.0], [-6.0, -5.0]]))
    price = OrderCosts(np.array([[9.0, 9.0], [2.0, 2.0]]), 11.0)
    assert best_months(cost).tolist() == [0, 0]
    assert best_months(cost, [price]).tolist() == [0, 1]


def test_slices_of_one_month_are_one_order() -> None:
    schedule = BaseSchedule((8, 16, 24, 31), (0, 0, 12, 18), (0, 6, 12, 18))
    assert schedule.orders_up_to(31) == (
        PurchaseOrder(accelerators=16),
        PurchaseOrder(accelerators=8, month=12),
        PurchaseOrder(accelerators=7, month=18),
    )
    assert schedule.orders_up_to(20) == (PurchaseOrder(accelerators=16), PurchaseOrder(accelerators=4, month=12))
    assert schedule.orders_up_to(16) == ()
    assert schedule.shifted_earlier().months == (0, 0, 6, 12)


@pytest.mark.parametrize(("growth", "busy", "price", "lead"), [
    (0.4, 0.6, 4_000.0, 4.0), (0.4, 0.9, 11_000.0, 0.0), (1.0, 0.5, 11_000.0, 6.0), (0.2, 0.7, 25_000.0, 0.0),
])  # fmt: skip
def test_it_is_about_what_trying_every_schedule_finds(growth: float, busy: float, price: float, lead: float) -> None:
    """Every size in servers, every month for each server, by the ledger."""
    terms = {**OWN, "usd_per_accelerator": price, "lead_time_months": lead, "hardware_price_change_per_year": -0.2}
    there = made(work(accelerators=8, busy_share=busy, growth_per_year=growth), own=terms)
    best = best_mix(there)
    assert isinstance(best, BestMix)
    months = order_months(there.setting)
    peak = best.search.max_accelerators
    tops = [*range(8, peak, 8), peak]
    mixes = [
        MixInputs(own_accelerators=size, orders=BaseSchedule(tuple(tops[:number]), chosen, months).orders_up_to(size))
        for number, size in enumerate(tops, 1)
        for chosen in combinations_with_replacement(months, number)
    ]
    least = min(best.search.at_most_usd(mixe) for mixe in mixes)
    assert best.at_most_usd <= least * 1.01
