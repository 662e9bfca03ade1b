"""The bill of a plan is the machines' whole bill: idle hours, whole machines, rounding, disks and traffic included."""

from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.formula import formula
from planner.money.ledger import CASES, Ledger, Line
from planner.money.price_path import quotes, rent_path_warnings
from planner.money.renting.bill import OfferBills, bills, rank, renting
from planner.money.setting import PlanContext
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from pricing.figure import Figure
from pricing.records import Offer
from tests.examples import at_most
from tests.money import renting as market
from tests.money.renting import DAY, figure, offer, plan, recomputes, work, world
from tests.rows import each_row


def there(scenario: Scenario, offers: dict[str, Offer], **terms: Figure) -> PlanContext:
    """A setting in which nothing was chosen yet."""
    return PlanContext(world(offers, **terms), scenario, DAY)


def of_all(scenario: Scenario, offers: dict[str, Offer], **terms: Figure) -> OfferBills:
    setting = there(scenario, offers, **terms)
    return bills(setting, setting.demand.all, tuple(offers), money="bills")


def one(scenario: Scenario, sold: Offer, **terms: Figure) -> Ledger:
    return of_all(scenario, {"x": sold}, **terms).ledger_for("x", "P")


def lines_of(scenario: Scenario, sold: Offer | None = None, **terms: Figure) -> dict[str, Line]:
    """Renting from one offer with the scenario's own terms over it."""
    setting = there(scenario, {"x": sold or offer()}, **terms)
    return {line.name: line for line in renting(setting, setting.demand.all, "x")}


def amounts(ledger: Ledger) -> dict[str, float]:
    """What each line comes to."""
    return {line.name: float(line.total_usd) for line in ledger.lines}


def test_on_demand_pays_for_the_useful_hours_only() -> None:
    assert one(plan(), offer()).total_usd == pytest.approx(8 * 0.5 * 8_760 * 2.0)  # 70,080


def test_a_reservation_pays_for_the_idle_hours_too() -> None:
    bill = amounts(one(plan(), offer("reserved_1y", 1.79)))
    assert bill["Useful hours"] == pytest.approx(8 * 4_380 * 1.79)
    assert bill["Idle hours paid for"] == pytest.approx(8 * 4_380 * 1.79)
    assert bill["Reservation beyond the plan"] == pytest.approx(0.0)


def test_the_published_trap_of_ranking_by_sticker() -> None:
    """At 60 % busy a reservation at 1.79 costs 2.98 for a busy hour, more than 2.19 on demand."""
    rent = of_all(plan(work(busy_share=0.6)), {"a": offer("reserved_1y", 1.79), "b": offer("on_demand", 2.19)})
    assert rent.usd_per_busy_hour.tolist() == pytest.approx([1.79 / 0.6, 2.19])
    assert [rent.offers[i] for i in rent.ranking] == ["b", "a"]


def test_a_reservation_longer_than_the_plan_is_paid_to_its_end() -> None:
    bill = amounts(one(plan(), offer("reserved_3y", 1.0)))
    assert bill["Reservation beyond the plan"] == pytest.approx(8 * 24 * 730 * 1.0)


def test_machines_are_rented_whole() -> None:
    bill = amounts(one(plan(work(accelerators=9)), offer()))
    assert bill["Whole machines and minimums"] == pytest.approx(7 * 4_380 * 2.0)


def test_a_minimum_is_paid() -> None:
    bill = amounts(one(plan(work(accelerators=1)), offer(per_machine=1), minimum_accelerators=figure(8, "count")))
    assert bill["Whole machines and minimums"] == pytest.approx(7 * 4_380 * 2.0)


@pytest.mark.parametrize(
    ("session_hours", "increment_s", "factor"),
    [(0.5, 3_600, 2.0), (8.0, 3_600, 1.0), (1.5, 3_600, 4 / 3), (0.01, 60, 60 / 36), (0.5, 1, 1.0)],
)
def test_sessions_are_rounded_up(session_hours: float, increment_s: float, factor: float) -> None:
    bill = one(
        plan(rent={"hours_per_session": session_hours}), offer(), billing_increment_s=figure(increment_s, "second")
    )
    assert float(bill.total_usd) == pytest.approx(8 * 4_380 * 2.0 * factor)


def test_disk_and_traffic_are_billed_beside_it() -> None:
    bill = amounts(
        one(
            plan(work(storage_tb=2.0, egress_tb_per_month=3.0)),
            offer(),
            block_storage_usd_per_gb_month=figure(0.07, "USD/GB-month"),
            egress_usd_per_gb=figure(0.09, "USD/GB"),
            free_egress_gb_per_month=figure(100, "GB/month"),
        )
    )
    assert bill["Disk"] == pytest.approx(2_000 * 12 * 0.07)
    assert bill["Traffic out"] == pytest.approx(2_900 * 12 * 0.09)


def test_a_price_that_nobody_publishes_is_not_zero() -> None:
    bill = one(plan(work(storage_tb=2.0)), offer())
    assert bill.unpriced == ("Disk",)
    assert float(bill.total_usd) == pytest.approx(70_080)


def test_a_price_that_one_does_not_publish_is_what_the_others_ask() -> None:
    """Two terabytes for a year at the middle of 0.1 of one other; nothing is known of a range from one."""
    silent = {"x": offer(provider="q")}
    setting = there(plan(work(storage_tb=2.0)), silent, block_storage_usd_per_gb_month=figure(0.1, "USD/GB-month"))
    found = bills(setting, setting.demand.all, ("x",), money="bills")
    assert amounts(found.ledger_for("x", "X"))["Disk"] == pytest.approx(2_000 * 12 * 0.1)
    assert found.assumed == (("Disk",),)


def test_silence_about_the_disk_does_not_win() -> None:
    rent = of_all(
        plan(work(storage_tb=10.0)),
        {"open": offer(usd=1.99), "silent": offer(usd=2.0, provider="q")},
        block_storage_usd_per_gb_month=figure(0.1, "USD/GB-month"),
    )
    assert rent.assumed == ((), ("Disk",))
    assert [rent.offers[i] for i in rent.ranking] == ["open", "silent"]


def test_what_has_no_price_comes_last_and_is_never_zero() -> None:
    rent = of_all(plan(), {"a": offer(usd=None), "b": offer(usd=99.0)})
    assert np.isnan(rent.total_usd[0])
    assert [rent.offers[i] for i in rent.ranking] == ["b", "a"]


def test_offers_of_several_bills_are_ranked_as_one_the_same_price_by_id() -> None:
    first = of_all(plan(), {"d": offer(usd=1.0), "c": offer(usd=2.0), "x": offer(usd=None)})
    other = of_all(plan(), {"b": offer(usd=2.0 + 1e-8, provider="q"), "e": offer(usd=0.5, provider="q")})
    offers = (*first.offers, *other.offers)
    assert [offers[place] for place in rank((first, other))] == ["e", "d", "b", "c", "x"]


def test_no_offers_is_an_empty_bill() -> None:
    rent = of_all(plan(), {})
    assert rent.total_usd.shape == (0,)
    assert rent.ranking.tolist() == []


@each_row(("rent", "name", "usd"), [
    ({"usd_per_accelerator_hour": 3.0}, "Useful hours", 9 * 4_380 * 3.0),
    ({"accelerators_per_machine": 3}, "Support", 0.0),
    ({"accelerators_per_machine": 4}, "Whole machines and minimums", 3 * 4_380 * 2.0),
    ({"billing_increment_s": 7_200.0, "hours_per_session": 1.0}, "Sessions rounded up", 16 * 4_380 * 2.0),
    ({"usd_per_gb_month_of_disk": 0.2}, "Disk", 1_000 * 12 * 0.2),
    ({"usd_per_gb_of_egress": 0.3}, "Traffic out", 2_000 * 12 * 0.3),
    ({"support_share": 0.1}, "Support", 0.1 * 16 * 4_380 * 2.0),
])  # fmt: skip
def test_your_own_terms_win(rent: dict[str, Any], name: str, usd: float) -> None:
    scenario = plan(work(accelerators=9, storage_tb=1.0, egress_tb_per_month=2.0), rent=rent)
    lines = lines_of(scenario)
    assert float(lines[name].total_usd) == pytest.approx(usd)
    assert recomputes(tuple(lines.values()))


def test_whole_machines_can_be_no_line_at_all() -> None:
    assert "Whole machines and minimums" not in lines_of(plan(work(accelerators=9)), offer(per_machine=1))
    assert "Idle hours paid for" not in lines_of(plan())


def test_disks_are_billed_while_machines_are_stopped() -> None:
    season = (*(1.0,) * 6, *(0.0,) * 6)
    lines = lines_of(
        plan(work(season=season, storage_tb=1.0)), block_storage_usd_per_gb_month=figure(0.1, "USD/GB-month")
    )
    assert lines["Useful hours"].usd[7:].tolist() == [0.0] * 6
    assert lines["Disk"].usd[7:].tolist() == pytest.approx([100.0] * 6)


def monthly(offers: str = "on_demand", years: float = 3.0, **terms: Any) -> np.ndarray[Any, Any]:
    """The price of a useful hour, month by month."""
    scenario = plan(years=years, terms=terms)
    line = one(scenario, offer(offers)).lines[0]
    runs = scenario_runs(scenario)
    return line.usd[runs > 0] / (8 * 0.5 * 730 * runs[runs > 0])


def scenario_runs(scenario: Scenario) -> np.ndarray[Any, Any]:
    """The share of each month in which the plan runs."""
    return PlanContext(world({}), scenario, DAY).timeline.runs


@pytest.mark.parametrize("change", [-0.2, 0.0, 0.3])
def test_rents_move_at_your_rate_in_both_directions(change: float) -> None:
    price = monthly(rent_change_per_year=change)
    assert price[[0, 12, 24]].tolist() == pytest.approx([2.0, 2.0 * (1 + change), 2.0 * (1 + change) ** 2])


def test_a_reservation_keeps_its_price_for_the_term() -> None:
    price = monthly("reserved_1y", rent_change_per_year=-0.2)
    assert price[[0, 11, 12, 35]].tolist() == pytest.approx([2.0, 2.0, 1.6, 1.28])


def test_levels_by_year_win_over_the_rate_and_the_last_holds_on() -> None:
    price = monthly(rent_by_year=(1.0, 0.7), rent_change_per_year=0.5, years=3.5)
    assert price[[0, 11, 12, 41]].tolist() == pytest.approx([2.0, 2.0, 1.4, 1.4])
    three = monthly("reserved_3y", rent_by_year=(1.0, 0.5, 0.4, 0.9), years=4.0)
    assert three[[0, 35, 36]].tolist() == pytest.approx([2.0, 2.0, 1.8])


def test_levels_are_printed_in_the_formula() -> None:
    line = one(plan(terms={"rent_by_year": (0.5,)}), offer()).lines[0]
    assert line.how.endswith("usd_per_accelerator_hour * rent_level")
    assert float(line.total_usd) == pytest.approx(35_040)


@pytest.mark.parametrize("terms", [{"rent_change_per_year": -0.1}, {"rent_by_year": (1.0, 0.9)}])
def test_the_ends_lie_as_far_as_the_catalogues(terms: dict[str, Any]) -> None:
    """The catalogue: -25 % to +30 % around 0. Year 2 at -10 % a year: 0.65 to 1.2 of today; of a level: 0.9 times.

    A price read today is known to a hundredth, in logs.
    """
    setting = there(plan(years=2.0, terms=terms), {"x": offer()})
    line = bills(setting, setting.demand.all, ("x",), money="bills").ledger.lines[0]
    year_two = [line.at_end(case).usd[..., 13].item() / 5_840 for case in CASES]
    rate = "rent_change_per_year" in terms
    paths = [0.65, 0.9, 1.2] if rate else [0.9 * 0.75, 0.9, 0.9 * 1.3]
    assert year_two == pytest.approx([paths[0] * np.exp(-0.01), paths[1], paths[2] * np.exp(0.01)])


def test_a_rate_that_is_tried_out_takes_the_place_of_levels() -> None:
    setting = there(plan(years=2.0, terms={"rent_by_year": (1.0, 3.0)}), {"x": offer()})
    tried = setting.with_tried({"rent_change_per_year": np.array([[0.0], [0.5]])})
    usd = renting(tried, setting.demand.all, "x")[0].usd
    assert usd[:, 13].tolist() == pytest.approx([5_840, 8_760])


QUOTED = {"now": offer(), "one": offer("reserved_1y", 2.0), "three": offer("reserved_3y", 1.5)}


def test_quotes_for_one_and_three_years_imply_a_change() -> None:
    """3 x 1.5 = 2 x (1 + f + f ** 2): f = 0.7247, the figure of the published correction."""
    setting = market.setting(plan(terms={"rent_as_quotes_imply": True}), QUOTED)
    found = quotes(setting)
    assert float(np.asarray(found.change.value)) == pytest.approx(-0.2753, abs=5e-5)
    used = {one.name: one for one in renting(setting, setting.demand.all, "now")[0].used}
    assert used["rent_change_per_year"].value == pytest.approx(-0.2753, abs=5e-5)
    origin = used["rent_change_per_year"].origin
    assert not callable(origin)
    assert origin.source == "quotes of P"
    assert "1.50 for three" in (origin.note or "")
    assert rent_path_warnings(setting) == ()


def test_quotes_of_one_seller_go_before_cheaper_ones_of_two() -> None:
    offers = {**QUOTED, "cheap": offer("reserved_3y", 0.9, provider="q")}
    found = quotes(market.setting(plan(), offers))
    assert found.source == "quotes of P"
    apart = {"one": QUOTED["one"], "cheap": offers["cheap"]}
    found = quotes(market.setting(plan(), apart))
    assert found.source == "quotes of P and Q"


@pytest.mark.parametrize(("offers", "said"), [
    ({"now": offer()}, "prices for one and for three years are not published"),
    ({**QUOTED, "three": offer("reserved_3y", 0.6)}, "imply no change"),
    ({**QUOTED, "three": offer("reserved_3y", 0.7)}, "the plan stops at -60%"),
])  # fmt: skip
def test_quotes_that_imply_nothing_are_told(offers: dict[str, Offer], said: str) -> None:
    """0.6 for three years costs less than one year at 2: no path of rents explains it."""
    setting = market.setting(plan(terms={"rent_as_quotes_imply": True, "rent_change_per_year": 0.1}), offers)
    assert said in rent_path_warnings(setting)[0]


SCENARIOS = st.builds(
    lambda one, years, session: plan(one, years=years, rent={"hours_per_session": session}),
    st.fixed_dictionaries({
        "accelerators": st.integers(1, 16_384), "busy_share": st.floats(0.01, 1.0),
        "storage_tb": st.floats(0.0, 1e5), "egress_tb_per_month": st.floats(0.0, 1e5),
        "growth_per_year": st.sampled_from([0.0, 0.4]),
    }),
    st.floats(0.25, 10.0),
    st.floats(0.01, 8_760.0),
)  # fmt: skip


def real(scenario: Scenario) -> OfferBills:
    """The bills of every offer of the shipped catalogue."""
    catalogue = load_catalogue()
    setting = PlanContext(catalogue, scenario, date(2026, 11, 21))
    return bills(setting, setting.demand.all, tuple(catalogue.offers))


@at_most(20)
@given(SCENARIOS, st.integers(0, 10_000))
def test_every_line_recomputes_from_what_it_prints(scenario: Scenario, pick: int) -> None:
    rent = real(scenario)
    index = pick % len(rent.offers)
    ledger = rent.ledger_for(rent.offers[index], "picked")
    for line, together in zip(ledger.lines, rent.usd[:, index], strict=True):
        again = np.sum(formula(line.how)({used.name: used.value for used in line.used}))
        assert again == pytest.approx(together, rel=1e-9, abs=1e-9, nan_ok=True)


@at_most(20)
@given(SCENARIOS)
def test_no_cost_is_negative_and_no_bill_is_below_its_useful_hours(scenario: Scenario) -> None:
    rent = real(scenario)
    assert np.nanmin(rent.usd) >= -1e-6 * np.nanmax(rent.usd)
    known = ~np.isnan(rent.total_usd)
    assert (rent.total_usd[known] >= rent.usd[0][known] * (1 - 1e-9)).all()


@at_most(20)
@given(SCENARIOS, st.floats(1.0, 100.0))
def test_a_busy_hour_never_costs_more_when_more_of_them_are_used(scenario: Scenario, busier: float) -> None:
    usual = scenario.work[0]
    assert usual.busy_share is not None
    more = usual.model_copy(update={"busy_share": min(1.0, usual.busy_share * busier)})
    idle, busy = real(scenario).usd_per_busy_hour, real(scenario.model_copy(update={"work": (more,)})).usd_per_busy_hour
    known = ~np.isnan(idle)
    assert (busy[known] <= idle[known] * (1 + 1e-9)).all()


def test_each_offer_has_a_total_and_parts_of_its_own_and_offers_without_a_price_come_last() -> None:
    sold = {"ask": offer(usd=None), "dear": offer(usd=2.0), "year": offer("reserved_1y", 1.5), "cheap": offer(usd=1.25)}
    found = of_all(plan(), sold)
    busy, idle = 8 * 4_380, 8 * 4_380  # half of a year each
    assert found.total_usd == pytest.approx([float("nan"), busy * 2.0, (busy + idle) * 1.5, busy * 1.25], nan_ok=True)
    assert found.part_usd("compute")[1:] == pytest.approx([busy * 2.0, busy * 1.5, busy * 1.25])
    assert found.part_usd("idle")[1:] == pytest.approx([0.0, idle * 1.5, 0.0])
    assert found.usd_per_busy_hour[1:] == pytest.approx([2.0, 3.0, 1.25])
    assert [found.offers[place] for place in found.ranking] == ["cheap", "dear", "year", "ask"]
