"""Break-evens: there both ways cost the same; where there is none, the reason stands; published ones come out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.money.many_ledgers import build_ledger, option_builder
from planner.money.measures import present_usd
from planner.money.owned_fleet import purchase_orders
from planner.money.plan import Plan, plan
from planner.money.verdict.answer import build_answer
from planner.money.verdict.breakeven import FOUND, HARDWARE_PRICES, NAMES, STEP, BreakEven, break_even
from planner.report.answer.other_measures import hours_rule_sentences
from planner.report.answer.sensitivity import sensitivity_sentences
from planner.report.answer.tables import break_even_table
from planner.scenario.own import OwnInputs, PurchaseOrder
from planner.scenario.rent import RentalInputs, ReservationInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from planner.scenario.work import Work
from tests.examples import at_most
from tests.facts import CATALOGUE, DAY

TRIED = {
    "usd_per_accelerator_hour": "usd_per_accelerator_hour", "usd_per_kwh": "usd_per_kwh",
    "residual_share": "residual_share", "lead_time_months": "lead_time_months",
}  # fmt: skip


def toy(
    *, accelerators: int = 80, running: float = 5_000, rate: float = 0.0, timing: Any = "year_end", **changes: Any
) -> Scenario:
    """So many accelerators at 10,000, against 2.00 an hour, for 10,000 accelerator-hours a month over five years."""
    own = {"usd_per_accelerator": 10_000.0, "running_usd_per_month": running, **changes.pop("own", {})}
    scenario: dict[str, Any] = {
        "years": 5.0,
        "work": (
            Work(accelerators=accelerators, accelerator_hours_per_month=10_000.0, storage_tb=0, egress_tb_per_month=0),
        ),
        "own": OwnInputs(**{**bare_own(), **own}),
        "rent": RentalInputs(usd_per_accelerator_hour=2.0, accelerators_per_machine=1, hours_per_session=8.0),
        "terms": FinancialTerms(discount_rate_per_year=rate, rent_change_per_year=0.0, timing=timing),
        "ways": ("own", "on_demand"),
        **changes,
    }
    return Scenario(**scenario)


def bare_own() -> dict[str, Any]:
    """Nothing on day one but the accelerators, and nothing left at the end."""
    names = (
        "host_share", "spare_share", "usd_per_accelerator_of_network", "usd_per_tb_of_disk", "install_share",
        "lead_time_months", "scarcity_premium_share", "deposit_share", "residual_share", "selling_cost_share",
        "decommissioning_share",
    )  # fmt: skip
    return dict.fromkeys(names, 0.0) | {"accelerators_per_server": 1}


def found(scenario: Scenario) -> dict[str, BreakEven]:
    made = plan(CATALOGUE, scenario, DAY)
    own, rent = made.option("own"), made.option("on_demand")
    assert own is not None
    assert rent is not None
    return {name: break_even(made, own, rent, name) for name in NAMES}


def saving_and_size(made: Plan, tried: dict[str, float]) -> tuple[float, float]:
    """What owning saves when an input has another value, as numbers and not as draws."""
    here = made.setting.with_tried(tried)
    usd = []
    for option in made.options:
        ledger = build_ledger(here, option_builder(option))
        assert ledger is not None
        usd.append(float(np.asarray(present_usd(here, ledger)).reshape(-1)[0]))
    by_way = dict(zip([option.way for option in made.options], usd, strict=True))
    return by_way["on_demand"] - by_way["own"], max(usd)


@pytest.mark.parametrize(
    ("rate", "busy"),
    [(0.0, 0.157), (0.10, 0.193)],  # 1,100,000 over five years of 80 at 2.00; 271,038 a year at 10 %
)
def test_how_busy_the_toy_has_to_be(rate: float, busy: float) -> None:
    one = found(toy(rate=rate))["busy_share"]
    assert one.you == pytest.approx(10_000 / (80 * 730))
    assert one.value == pytest.approx(busy, abs=5e-4)
    assert one.reason == FOUND


def test_what_the_toy_has_to_fetch_at_the_end() -> None:
    """117,658 lacking today are 189,490 in five years at 10 %."""
    one = found(toy(rate=0.10))["residual_share"]
    assert one.value is not None
    assert one.value * 800_000 == pytest.approx(189_490, abs=1)
    assert one.you == 0


def test_the_prices_at_which_the_toy_turns() -> None:
    """1,100,000 for 600,000 accelerator-hours; 15,000 a month for 60 months over 80 accelerators."""
    some = found(toy())
    assert some["usd_per_accelerator_hour"].value == pytest.approx(1.83333, abs=1e-5)
    assert some["hardware_price"].value == pytest.approx(11_250)
    assert (some["hardware_price"].you, some["hardware_price"].unit) == (10_000, "USD/accelerator")
    assert some["month"].value == pytest.approx(53.333, abs=1e-3)
    assert some["month"].you == 60


def test_power_is_in_the_running_costs_already() -> None:
    one = found(toy())["usd_per_kwh"]
    assert one.value is None
    assert one.reason.word in ("none", "always")


def test_always_and_never_have_a_reason() -> None:
    dear = found(toy(rent=RentalInputs(usd_per_accelerator_hour=50.0, accelerators_per_machine=1)))
    assert dear["residual_share"].value is None
    assert str(dear["residual_share"].reason) == "always: owning costs less all the way from 0 to 1 share"
    cheap = found(toy(rent=RentalInputs(usd_per_accelerator_hour=0.05, accelerators_per_machine=1)))
    assert cheap["busy_share"].value is None
    assert str(cheap["busy_share"].reason) == "never: renting costs less at every level of use"
    assert cheap["month"].value is None
    assert cheap["month"].reason.word == "never"


def test_a_break_even_that_queueing_does_not_allow_says_so() -> None:
    """Two slots of 40: with the catalogue's wait of a quarter of a job they are at most 0.45 busy."""
    rent = RentalInputs(usd_per_accelerator_hour=0.5, accelerators_per_machine=1)
    jobs = Work(accelerators=80, busy_share=0.2, accelerators_per_job=40, storage_tb=0, egress_tb_per_month=0)
    one = found(toy(rent=rent, work=(jobs,)))["busy_share"]
    assert one.value == pytest.approx(1_100_000 / (0.5 * 80 * 43_800))
    assert one.achievable == pytest.approx(0.447, abs=1e-3)
    assert str(one.reason) == "found, but jobs of 40 that come at random keep 80 at most 0.45 busy"


@pytest.mark.parametrize("busy", [0.5, 0.9])
def test_a_queue_is_no_limit_below_your_own_use(busy: float) -> None:
    """Two slots reach 0.45, you keep them busier: what the queue would allow is no news to you, above as below."""
    rent = RentalInputs(usd_per_accelerator_hour=0.5, accelerators_per_machine=1)
    jobs = Work(accelerators=80, busy_share=busy, accelerators_per_job=40, storage_tb=0, egress_tb_per_month=0)
    made = plan(CATALOGUE, toy(rent=rent, work=(jobs,)), DAY)
    there = build_answer(made)
    one = next(even for even in there.break_evens if even.name == "busy_share")
    assert one.value is not None
    assert one.achievable is not None
    assert one.value > one.achievable
    assert not one.is_out_of_reach
    assert str(one.reason) == "found"
    table = break_even_table(there).to_pandas().set_index("If only this changed")
    assert "reach" not in table.loc["Utilization, share of hours", "Why"]
    said = (*sensitivity_sentences(made, there), *hours_rule_sentences(made, there, None))
    assert not any("lets you reach" in one or "come at random" in one for one in said)


CARDS: dict[str, Any] = {"accelerator": "RTX-4090-24GB", "work": (Work(accelerators=2),)}


@pytest.mark.parametrize(("said", "months"), [
    (CARDS, 0.25),  # from stock: days
    ({**CARDS, "own": OwnInputs(lead_time_months=4.0)}, 4.0),
    (
        {
            "own": OwnInputs(
                orders=(PurchaseOrder(accelerators=8, lead_time_months=3.0), PurchaseOrder(accelerators=8, month=6))
            )
        },
        3.0,
    ),
])  # fmt: skip
def test_the_months_until_delivery_are_those_of_the_plan(said: dict[str, Any], months: float) -> None:
    made = plan(
        CATALOGUE, Scenario(rent=RentalInputs(usd_per_accelerator_hour=1.0), ways=("own", "on_demand"), **said), DAY
    )
    own, rent = made.option("own"), made.option("on_demand")
    assert own is not None
    assert rent is not None
    assert purchase_orders(made.setting, own)[0].there_after_months == months
    assert break_even(made, own, rent, "lead_time_months").you == months


def test_the_price_that_the_plan_uses_is_tried() -> None:
    """All of day one in one sum: then it is this sum that is solved for."""
    one = found(toy(own={"capex_usd": 800_000.0}))["hardware_price"]
    assert (one.you, one.value) == (800_000, pytest.approx(900_000))


def test_waiting_longer_for_a_fleet_that_pays_is_worth_less() -> None:
    """16 that save 19,000 a month, for 160,000: with more than 51 of 60 months of waiting they never pay back."""
    scenario = toy(accelerators=16, running=1_000)
    one = found(scenario)["lead_time_months"]
    assert one.you == 0
    assert one.value == pytest.approx(60 - 160_000 / 19_000, abs=1e-3)


def test_the_price_of_a_reservation_is_not_the_price_on_demand() -> None:
    """Owning waits for delivery and rents on demand meanwhile: that price stays while the reservation's moves."""
    scenario = Scenario(
        own=OwnInputs(lead_time_months=6.0), reserve=ReservationInputs(usd_per_accelerator_hour=2.2, term="reserved_1y")
    )
    made = plan(CATALOGUE, scenario, DAY)
    own, reserved = made.option("own"), made.option("reserved")
    assert reserved is not None
    price = break_even(made, own, reserved, NAMES[1])
    assert (price.you, price.reason) == (2.2, FOUND)
    there = build_ledger(made.setting.with_tried({"usd_per_accelerator_hour": price.value}), option_builder(reserved))
    assert there is not None
    assert present_usd(made.setting, there) == pytest.approx(present_usd(made.setting, own.ledger), rel=1e-6)


SCENARIOS = st.builds(
    lambda busy, years, rate, timing, count, price, change, lead: Scenario(
        years=years,
        work=(Work(accelerators=count, busy_share=busy),),
        own=OwnInputs(lead_time_months=lead),
        rent=RentalInputs(usd_per_accelerator_hour=price),
        terms=FinancialTerms(discount_rate_per_year=rate, timing=timing, rent_change_per_year=change),
        ways=("own", "on_demand"),
    ),
    st.floats(0.05, 1.0),
    st.floats(0.5, 8.0),
    st.floats(0.0, 0.4),
    st.sampled_from(["month_end", "month_middle", "year_end", "year_middle", "dated"]),
    st.integers(1, 400),
    st.floats(0.5, 10.0),
    st.floats(-0.3, 0.3),
    st.floats(0.0, 12.0),
)


@pytest.mark.slow
@at_most(25)
@given(SCENARIOS)
def test_at_a_break_even_both_ways_cost_the_same(scenario: Scenario) -> None:
    assume((scenario.own.lead_time_months or 0.0) < 12 * scenario.years)  # later, they are no option
    made = plan(CATALOGUE, scenario, DAY)
    some = found(scenario)
    hardware = next(name for name, unit in HARDWARE_PRICES.items() if unit == some["hardware_price"].unit)
    for name, tried in (TRIED | {"hardware_price": hardware}).items():
        one = some[name]
        if one.value is not None and one.reason != STEP:
            saved, size = saving_and_size(made, {tried: one.value})
            assert abs(saved) <= 1e-6 * size, name


@pytest.mark.slow
@at_most(25)
@given(SCENARIOS)
def test_at_the_break_even_use_both_ways_cost_the_same(scenario: Scenario) -> None:
    assume((scenario.own.lead_time_months or 0.0) < 12 * scenario.years)  # later, they are no option
    one = found(scenario)["busy_share"]
    assume(one.value is not None)
    work = scenario.work[0].model_copy(update={"busy_share": one.value})
    made = plan(CATALOGUE, scenario.model_copy(update={"work": (work,)}), DAY)
    saved, size = saving_and_size(made, {})
    assert abs(saved) <= 1e-6 * size


@pytest.mark.slow
@at_most(15)
@given(st.floats(0.1, 50.0), st.floats(0.0, 0.3))
def test_all_prices_times_k_leave_the_use_and_the_month(times: float, rate: float) -> None:
    once, again = found(toy(rate=rate)), found(scaled(toy(rate=rate), times))
    for name in ("busy_share", "residual_share", "month"):
        if once[name].value is None:
            assert again[name].value is None
        else:
            assert again[name].value == pytest.approx(once[name].value, rel=1e-5)


def scaled(scenario: Scenario, times: float) -> Scenario:
    own, rent = scenario.own, scenario.rent
    assert own.usd_per_accelerator
    assert own.running_usd_per_month
    assert rent.usd_per_accelerator_hour
    prices = {
        "usd_per_accelerator": own.usd_per_accelerator * times,
        "running_usd_per_month": own.running_usd_per_month * times,
    }
    hour = {"usd_per_accelerator_hour": rent.usd_per_accelerator_hour * times}
    return scenario.model_copy(update={"own": own.model_copy(update=prices), "rent": rent.model_copy(update=hour)})
