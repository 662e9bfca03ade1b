"""A fleet bought in several orders: each at its own price and age, what is not there yet rented, and all in time."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.fleet import build_fleet, in_time, typical_lead_months
from planner.money.many_ledgers import InputColumns
from planner.money.owned_fleet import purchase_orders
from planner.money.plan import plan
from planner.money.ways import lease, loan, own
from planner.money.ways import mix as mixed
from planner.scenario.file import SavedScenario, read_scenario, write_scenario
from planner.scenario.own import PurchaseOrder
from planner.scenario.rent import MixInputs
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.examples import at_most
from tests.facts import DAY
from tests.money.owning import NOTHING, built, by_line, scenario, setting, total

# Two servers of eight: one today, one after a year, in a plan of four years; 24 wanted half of the time from then on.
EACH = {**NOTHING, "usd_per_accelerator": 10_000.0, "accelerators_per_server": 8}
TWO = ({"accelerators": 8}, {"accelerators": 8, "month": 12})


def ordered(orders: Any = TWO, /, accelerators: int = 24, **terms: Any) -> Any:
    return setting(scenario({**EACH, "orders": orders, **terms}, accelerators=accelerators))


def test_each_order_has_the_price_and_the_age_of_its_month() -> None:
    """Prices fall a fifth a year; a fifth of the price is left at the end whatever the age."""
    at = ordered(hardware_price_change_per_year=-0.2, residual_share=0.2)
    usd = by_line(built(own.build, at))
    assert usd["Order 1, today: servers, with spares"][0] == pytest.approx(80_000)
    assert usd["Order 2, month 12: servers, with spares"][12] == pytest.approx(64_000)
    assert usd["Order 1, today: resale"][48] == pytest.approx(-16_000)
    assert usd["Order 2, month 12: resale"][48] == pytest.approx(-12_800)


def test_what_is_not_there_yet_is_rented() -> None:
    """24 for half of 730 hours: 16 above the fleet in the first year, 8 after it, at 2 an hour."""
    usd = by_line(built(own.build, ordered()))
    rent = sum(usd[name] for name in usd if name.startswith("Above the fleet"))
    assert rent[1:13] == pytest.approx(np.full(12, 16 * 365 * 2.0))
    assert rent[13:] == pytest.approx(np.full(36, 8 * 365 * 2.0))


def test_an_order_may_have_terms_of_its_own() -> None:
    dearer = {"accelerators": 8, "month": 12, "usd_per_accelerator": 12_500.0, "residual_share": 0.5,
              "lead_time_months": 3.0, "deposit_share": 0.4}  # fmt: skip
    usd = by_line(built(own.build, ordered(({"accelerators": 8}, dearer))))
    paid = usd["Order 2, month 12: servers, with spares"]
    assert {month: paid[month] for month in np.flatnonzero(paid)} == pytest.approx({12: 40_000.0, 15: 60_000.0})
    assert usd["Order 2, month 12: resale"][48] == pytest.approx(-50_000)
    rent = sum(usd[name] for name in usd if name.startswith("Above the fleet"))
    assert rent[15] == pytest.approx(16 * 365 * 2.0)
    assert rent[16] == pytest.approx(8 * 365 * 2.0)


def first_payment(price: dict[str, float], month: int = 12, **terms: Any) -> float:
    """What the machines of a second order cost in its month, while prices of hardware fall a fifth a year."""
    orders = ({"accelerators": 8}, {"accelerators": 8, "month": month, **price})
    usd = by_line(built(own.build, ordered(orders, hardware_price_change_per_year=-0.2, **terms)))
    return float(usd[f"Order 2, month {month}: servers, with spares"][month])


def test_a_price_for_a_later_order_stays_as_typed() -> None:
    assert first_payment({"usd_per_server": 250_000.0}) == pytest.approx(250_000)
    assert first_payment({"usd_per_accelerator": 24_000.0}) == pytest.approx(8 * 24_000)
    assert first_payment({"usd_per_server": 250_000.0}, deposit_share=0.4, lead_time_months=3.0) == pytest.approx(1e5)


def test_a_price_that_is_not_typed_for_the_order_follows_the_path() -> None:
    assert first_payment({"residual_share": 0.5}) == pytest.approx(8 * 10_000 * 0.8)
    assert first_payment({}, usd_per_server=250_000.0) == pytest.approx(250_000 * 0.8)


def test_a_sum_for_all_of_day_one_follows_the_path_though_an_order_has_a_price() -> None:
    orders = ({"accelerators": 8}, {"accelerators": 8, "month": 12, "usd_per_accelerator": 24_000.0})
    usd = by_line(built(own.build, ordered(orders, hardware_price_change_per_year=-0.2, capex_usd=160_000.0)))
    assert usd["Order 2, month 12: all of day one"][12] == pytest.approx(80_000 * 0.8)


_PRICED = st.fixed_dictionaries(
    {"months": st.lists(st.integers(0, 36), min_size=1, max_size=4, unique=True).map(sorted)},
    optional={
        "hardware_price_change_per_year": st.floats(-0.6, 0.5),
        "deposit_share": st.floats(0, 1),
        "lead_time_months": st.floats(0, 6),
    },
)


@at_most(40)
@given(_PRICED, st.floats(1_000, 1e6), st.sampled_from(["usd_per_server", "usd_per_accelerator"]), st.booleans())
def test_any_typed_order_is_paid_at_its_price(terms: dict[str, Any], usd: float, name: str, in_a_mix: bool) -> None:
    """One server of eight each, in a mix as where all is bought: never more and never less than was typed."""
    months = terms["months"]
    own_terms = {key: value for key, value in terms.items() if key != "months"}
    orders = tuple({"accelerators": 8, "month": month, name: usd} for month in months)
    if in_a_mix:
        mix = {"own_accelerators": 8 * len(orders), "orders": orders}
        at, build = setting(scenario({**EACH, **own_terms}, accelerators=40, mix=mix)), mixed.build
    else:
        at, build = ordered(orders, 40, **own_terms), own.build
    bought = [line for line in built(build, at).lines if line.treatment == "capital"]
    paid = [spent for line in bought if (spent := float(line.total_usd)) != 0]
    each = usd * (1 if name == "usd_per_server" else 8)
    assert paid == pytest.approx([each] * len(months))


def test_what_replaces_a_later_order_costs_what_that_price_has_become() -> None:
    """250,000 in month 12, replaced in month 30: a year and a half of a fifth a year less; a fifth of each is left."""
    second = {"accelerators": 8, "month": 12, "usd_per_server": 250_000.0, "refresh_years": 1.5}
    terms = {"hardware_price_change_per_year": -0.2, "residual_share": 0.2, "resale_month": 40}
    usd = by_line(built(own.build, ordered(({"accelerators": 8}, second), **terms)))
    assert usd["Order 2, month 12: new servers at a refresh"][30] == pytest.approx(250_000 * 0.8**1.5)
    assert usd["Order 2, month 12: resale of what is replaced"][30] == pytest.approx(-50_000)
    assert usd["Order 2, month 12: resale"][40] == pytest.approx(-50_000 * 0.8**1.5)


def test_the_workstation_around_cards_with_a_price_follows_the_path() -> None:
    """Only the price of the card is typed for month 12: the workstation costs what its price has become by then."""
    second = {"accelerators": 2, "month": 12, "usd_per_accelerator": 1_500.0}
    terms: dict[str, Any] = {"place": "office", "most_kw": 10.0}
    terms |= {"orders": ({"accelerators": 2}, second), "spare_share": 0.0, "lead_time_months": 0.0}
    terms |= {"hardware_price_change_per_year": -0.2, "scarcity_premium_share": 0.0}
    at = setting(scenario(terms, accelerators=4, accelerator="RTX-4090-24GB"))
    lines = {line.name: line for line in built(own.build, at).lines}
    bought = lines["Order 2, month 12: servers, with spares"]
    host = next(one.value for one in bought.used if one.name == "usd_per_host")
    assert bought.usd[12] == pytest.approx(host * 0.8 + 2 * 1_500)


@pytest.mark.parametrize("way", [loan, lease])
def test_credit_for_a_later_order_goes_by_its_price(way: Any) -> None:
    """All of the typed price is lent; nothing of it follows the path of prices."""
    flat, falls = (
        built(way.build, ordered(
            ({"accelerators": 8, "usd_per_server": 2e5}, {"accelerators": 8, "month": 12, "usd_per_server": 3e5}),
            hardware_price_change_per_year=change, residual_share=0.2,
        ))
        for change in (0.0, -0.3)
    )  # fmt: skip
    assert total(falls) == pytest.approx(total(flat))


def test_in_every_future_it_is_that_price_and_put_off_it_follows_the_path_from_its_month() -> None:
    at = ordered(({"accelerators": 8}, {"accelerators": 8, "month": 12, "usd_per_server": 250_000.0}))
    tried = {"hardware_price_change_per_year": np.array([[-0.3], [0.0], [0.2]])}
    usd = by_line(built(own.build, at.with_tried(tried)))["Order 2, month 12: servers, with spares"]
    assert np.broadcast_to(usd, (3, 49))[:, 12] == pytest.approx(250_000)
    later = by_line(built(own.build, at.with_tried({**tried, "order_month": np.full((3, 1), 6.0)})))
    assert later["Order 2, month 12: servers, with spares"][:, 18] == pytest.approx(
        250_000 * np.array([0.7, 1.0, 1.2]) ** 0.5
    )


def test_one_order_of_today_is_a_fleet_that_is_bought_at_once() -> None:
    at_once, one = setting(scenario({**EACH, "accelerators": 24}, accelerators=24)), ordered(({"accelerators": 24},))
    assert total(built(own.build, one)) == pytest.approx(total(built(own.build, at_once)))
    assert total(built(loan.build, one)) == pytest.approx(total(built(loan.build, at_once)))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.02, 0.05, 0.1])
def test_orders_together_have_the_spares_of_the_whole_fleet(share: float) -> None:
    orders = tuple({"accelerators": 8, "month": 6 * number} for number in range(8))
    staged = purchase_orders(made := ordered(orders, 64, spare_share=share), plan_of(made).options[0])
    whole = setting(scenario({**EACH, "accelerators": 64, "spare_share": share}, accelerators=64))
    (at_once,) = purchase_orders(whole, plan_of(whole).options[0])
    assert sum(one.spare_accelerators for one in staged) == at_once.spare_accelerators
    boards = sum(one.accelerators + one.spare_accelerators for one in staged)
    assert sum(one.usd for one in staged) == pytest.approx(boards * 10_000)


def plan_of(at: Any) -> Any:
    return plan(load_catalogue(), at.scenario, DAY)


def test_the_network_is_that_of_the_fleet_it_becomes() -> None:
    at = ordered(usd_per_accelerator_of_network=1_000.0)
    usd = by_line(built(own.build, at))
    assert usd["Order 1, today: network between servers"][0] == pytest.approx(8_000)
    assert usd["Order 2, month 12: network between servers"][12] == pytest.approx(8_000)


def test_a_later_delivery_is_rent_for_longer() -> None:
    """One future delivers at once, one after six months: all work rented until then, then 8, then 16 are there."""
    there = InputColumns(ordered(), {"lead_time_months": np.array([0.0, 6.0])}).context()
    fleet = build_fleet(there, 16, there.scenario.own.orders)
    assert fleet.stages.machines[0, [1, 12, 13, 48]] == pytest.approx([8, 8, 16, 16])
    assert fleet.stages.machines[1, [6, 7, 18, 19]] == pytest.approx([0, 8, 8, 16])
    usd = by_line(built(own.build, there))
    rent = sum(usd[name] for name in usd if name.startswith(("Above the fleet", "Until delivery")))
    assert rent[1, [6, 7, 18, 19]] == pytest.approx(np.array([24, 16, 16, 8]) * 365 * 2.0)


@at_most(20)
@given(
    st.integers(1, 60),
    st.floats(0.1, 1.5),
    st.sampled_from([1, 3, 6, 12]),
    st.floats(0.0, 9.0),
    st.sampled_from([1.0, 3.0, 5.0]),
)
def test_in_time_there_are_always_as_many_as_the_work_wants(
    many: int, growth: float, every: int, lead: float, years: float
) -> None:
    work = ({"accelerators": many, "busy_share": 0.5, "growth_per_year": growth},)
    terms = {**EACH, "orders_every_months": every, "lead_time_months": lead}
    at = setting(scenario(terms, years=years, work=work))
    fleet = own.fleet_size(at)
    orders = in_time(at, fleet)
    found = build_fleet(at, fleet, orders)
    first = int(np.ceil((orders[0].month if orders else 0) + typical_lead_months(at))) + 1
    wanted = np.broadcast_to(at.demand.peak, at.timeline.month.shape)
    assert np.all(found.stages.machines[first:] >= wanted[first:] * at.timeline.runs[first:] - 1e-6)
    assert sum(order.accelerators for order in orders) in (0, fleet)
    assert all(order.accelerators % 8 == 0 for order in orders[:-1])


def test_work_that_does_not_grow_is_bought_for_at_once() -> None:
    at = setting(scenario(EACH))
    assert own.purchase_schedule(at) == ()


def test_how_many_you_say_are_bought_at_once() -> None:
    grown = ({"accelerators": 8, "growth_per_year": 1.0},)
    assert own.purchase_schedule(setting(scenario({**EACH, "accelerators": 40}, work=grown))) == ()
    assert own.purchase_schedule(setting(scenario({**EACH, "capex_usd": 1e6}, work=grown))) == ()
    assert len(own.purchase_schedule(setting(scenario(EACH, work=grown)))) > 1


@pytest.mark.parametrize(("own_terms", "said"), [
    ({"orders": ({"accelerators": 8, "month": 3},) * 2}, "each later than the one before"),
    ({"orders": TWO, "accelerators": 8}, "come to 16 accelerators"),
    ({"orders": TWO, "order_month": 2}, "order_month stands beside orders"),
    ({"orders": ({"accelerators": 8, "month": 48},)}, "the plan has 48 months"),
])  # fmt: skip
def test_orders_that_do_not_agree_are_refused(own_terms: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        scenario({**EACH, **own_terms})


def test_a_mix_may_be_ordered_in_stages_too() -> None:
    mix = {"own_accelerators": 16, "orders": TWO}
    at = setting(scenario(EACH, accelerators=24, mix=mix))

    usd = by_line(built(mixed.build, at))
    assert usd["Base: order 2, month 12: servers, with spares"][12] == pytest.approx(80_000)
    peaks = sum(usd[name] for name in usd if name.startswith("Peaks"))
    assert peaks[[12, 13]] == pytest.approx([16 * 365 * 2.0, 8 * 365 * 2.0])
    assert total(built(mixed.build, at)) == pytest.approx(total(built(own.build, ordered())))


@given(st.lists(st.integers(1, 64), max_size=5))
def test_a_mix_of_orders_needs_no_total(counts: list[int]) -> None:
    """As many as they come to; who says another number is asked about it, and who reads it back gets the same."""
    orders = [{"accelerators": count, "month": 6 * place} for place, count in enumerate(counts)]
    said = MixInputs.model_validate_json(json.dumps({"orders": orders}))
    assert said.own_accelerators == sum(counts)
    asked = Scenario(mix=said)
    text = write_scenario(SavedScenario(asked)).encode()
    assert read_scenario(text, "it", load_catalogue()).scenario.mix == said
    with pytest.raises(ValueError, match="own_accelerators says"):
        MixInputs.model_validate_json(json.dumps({"orders": [*orders, {"accelerators": 1, "month": 99}],
                                            "own_accelerators": sum(counts)}))  # fmt: skip


def test_an_order_says_what_differs_from_the_whole_fleet() -> None:
    assert PurchaseOrder(accelerators=8).terms == {}
    assert PurchaseOrder(accelerators=8, usd_per_server=1.0).terms == {
        "usd_per_server": 1.0,
        "usd_per_accelerator": None,
    }
