"""The price of a machine through time: one path for later orders, refreshes and sales, in every future."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.ledger import CASES, Case
from planner.money.measures import monthly_discount_factors
from planner.money.owning.lines import owned
from planner.money.owning.machine_price import BOUGHT_USED, PATH, POSITION, lead_time, machine_path
from planner.money.plan import build_context, plan
from planner.money.setting import PlanContext
from planner.money.ways import own
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.futures import draw_futures
from planner.study.uncertainty.uncertain_inputs import uncertain_inputs
from pricing import load_catalogue
from pricing.figure import Figure
from pricing.finance import HardwareClass
from pricing.market.constants import constants
from pricing.market.hardware import new_price, used_share
from pricing.record import Delivery
from tests.facts import DAY
from tests.money.owning import EIGHTY, built, by_line, flow, scenario, setting

CHIPS = ("H100-SXM5-80GB", "B200-SXM-180GB", "RTX-4090-24GB", "RTX-6000-Ada-48GB", "L40S-48GB", "Apple-M2-Ultra-192GB")
FREE: dict[str, Any] = {**EIGHTY, "residual_share": None, "hardware_price_change_per_year": None}
Z80 = 1.2816


def h100(**own_inputs: Any) -> Scenario:
    work = ({"accelerators": 8, "busy_share": 0.9},)
    return Scenario.model_validate({"accelerator": "H100-SXM5-80GB", "years": 5.0, "work": work, "own": own_inputs})


def months(lines: dict[str, Any], name: str) -> dict[int, float]:
    return {int(month): float(lines[name][month]) for month in np.flatnonzero(lines[name])}


def test_a_refresh_costs_money() -> None:
    """A used machine brings less than a new one costs on the same day: it brought 162,043 where one cost 140,025."""
    at = setting(h100(refresh_years=2.0, lead_time_months=0.0, usd_per_server=290_000.0))
    lines = by_line(built(own.build, at))
    bought, sold = months(lines, "New servers at a refresh"), months(lines, "Resale of what is replaced")
    assert list(bought) == list(sold) == [24, 48]
    for month, usd in bought.items():
        assert 0.1 * usd < usd + sold[month] < 0.5 * usd
    age = 2026 + 324 / 365.25 - (2022 + 8.5 / 12)
    new = 290_000 * math.exp(-0.15 * 2 - 0.15 * (age + 2 - 5))  # 15 % a year, and as much again once five years old
    boards = 8 + 1 if at.catalogue.facts["owned-spare-nodes-share"].figure.newest.typical * 8 > 1.75 else 8
    assert bought[24] == pytest.approx(new * boards / 8)


def test_an_older_machine_brings_less_on_the_same_day() -> None:
    """Bought today, in month 12 at a quote, and in month 20: what is sold last was 13,966 for the oldest."""
    orders = ({"accelerators": 16, "month": 0}, {"accelerators": 8, "month": 12}, {"accelerators": 16, "month": 20})
    at = Scenario.model_validate({
        "accelerator": "H100-SXM5-80GB", "years": 4.0,
        "work": ({"accelerators": 16, "busy_share": 0.6, "growth_per_year": 0.5},),
        "own": {"lead_time_months": 3.0, "spare_share": 0.0, "orders": orders},
    })  # fmt: skip
    lines = by_line(built(own.build, setting(at)))
    each = [
        -lines[f"Order {number}, {when}: resale"].sum() / count
        for number, when, count in ((1, "today", 16), (2, "month 12", 8), (3, "month 20", 16))
    ]
    assert each == sorted(each)
    assert each[0] < each[-1]


def test_a_quote_for_a_later_order_is_the_price_of_that_day() -> None:
    """Three servers at 250,000 in month 24 are 750,000, whatever new ones do until then."""
    order = {"accelerators": 24, "month": 24, "usd_per_server": 250_000.0}
    orders = ({"accelerators": 8, "month": 0}, order)
    work = ({"accelerators": 8, "busy_share": 0.9, "growth_per_year": 1.0},)
    at = Scenario.model_validate({
        "accelerator": "H100-SXM5-80GB", "years": 4.0, "work": work,
        "own": {"spare_share": 0.0, "scarcity_premium_share": 0.0, "orders": orders},
    })  # fmt: skip
    context = setting(at)
    for tried in ({}, {PATH: 1.0}, {PATH: -1.0}):
        lines = by_line(built(own.build, context.with_tried(tried)))
        assert lines["Order 2, month 24: servers, with spares"].sum() == pytest.approx(750_000)


def test_a_future_moves_later_prices_and_sales_together() -> None:
    at = setting(scenario({**FREE, "refresh_years": 2.0}))
    spread = constants().hardware["sxm"].spread
    usual, high = (by_line(built(own.build, at.with_tried({PATH: position}))) for position in (0.0, 1.0))
    new = "New servers at a refresh"
    assert high[new][24] / usual[new][24] == pytest.approx(math.exp(Z80 * spread * math.sqrt(2)))
    assert high["Resale"].sum() / usual["Resale"].sum() == pytest.approx(math.exp(Z80 * spread * 2.0))


def test_your_own_change_is_the_whole_path_and_is_not_drawn() -> None:
    mine = {**FREE, "hardware_price_change_per_year": -0.2, "refresh_years": 2.0}
    assert flow(mine, "New servers at a refresh") == pytest.approx({24: 800_000 * 0.64})
    made = plan(load_catalogue(), scenario(mine, ways=("own", "on_demand")), DAY)
    names = {parameter.name for parameter in uncertain_inputs(made)}
    assert PATH not in names
    assert POSITION in names


PLANS = st.fixed_dictionaries({
    "refresh_years": st.none() | st.floats(1.0, 4.0), "lead_time_months": st.floats(0.0, 9.0),
    "order_month": st.integers(0, 24), "hardware_price_change_per_year": st.none() | st.floats(-0.5, 0.4),
})  # fmt: skip
POSITIONS = st.floats(-3.0, 3.0)


@pytest.mark.slow
@given(
    st.sampled_from(CHIPS), PLANS, st.floats(2.5, 8.0), st.booleans(),
    st.fixed_dictionaries({PATH: POSITIONS, POSITION: POSITIONS}),
)  # fmt: skip
def test_used_never_costs_more_than_new_on_the_same_day(
    chip: str, own_inputs: dict[str, Any], years: float, real: bool, future: dict[str, float]
) -> None:
    terms = {"money": "real", "inflation_per_year": 0.04} if real else {}
    terms = {"rent_change_per_year": 0.0, **terms}
    at = setting(scenario({**FREE, **own_inputs}, accelerator=chip, years=years, terms=terms))
    for case in CASES:
        check_sales(at, case)
    check_sales(at.with_tried(future))


def check_sales(context: PlanContext, case: Case = "typical") -> None:
    ownership = owned(context, context.demand.all)
    path, sheet = machine_path(context, ownership.sheet), ownership.sheet.used
    usd = {line.name: line.at_end(case).usd for line in ownership.lines}
    price = 80 * 10_000.0 / float(path.bought_share(0.0))  # of new ones, where used ones are bought
    if "residual_share_at_refresh" in sheet:
        bought, replaced = usd["New servers at a refresh"], -usd["Resale of what is replaced"]
        most = 1.0 if path.is_used else 0.95  # of new ones; used ones that come are younger than those that go
        assert np.all(replaced <= most * bought * 1.01 + 1e-6)  # in real terms the two are paid on one day
    held = ownership.holding
    new = price * path.nominal(float(np.asarray(held.stop)) / 12)
    nominal = -usd["Resale"].sum() * (1 + path.inflation_per_year) ** (float(np.asarray(held.stop)) / 12)
    assert nominal <= 0.95 * float(new) * 1.01


def test_in_no_future_of_a_plan_does_a_refresh_earn() -> None:
    """The draws of the verdict: what is replaced brings less than what replaces it costs, in each of a thousand."""
    made = plan(load_catalogue(), h100(refresh_years=2.0), DAY)
    drawn = draw_futures(made, 1_024)
    assert drawn is not None
    context = made.setting.with_tried({name: values[:, None] for name, values in drawn.draws.items()})
    lines = by_line(built(own.build, context))
    cost = lines["New servers at a refresh"] + lines["Resale of what is replaced"]
    assert np.all(cost.sum(axis=-1) > 0)
    assert np.all(cost * monthly_discount_factors(made.setting) >= 0)


def used_plan(accelerator: str, **own_inputs: Any) -> PlanContext:
    """One of it for 29 months, the RTX 4090 among what is made for private people."""
    facts = load_catalogue()
    card = facts.accelerators["RTX-4090-24GB"].model_copy(update={"consumer": True})
    facts = facts.model_copy(update={"accelerators": {**facts.accelerators, "RTX-4090-24GB": card}})
    at = {"accelerator": accelerator, "years": 29 / 12, "work": ({"accelerators": 1, "busy_share": 0.5},)}
    own_inputs = {"lead_time_months": 0.0, "place": "office", "most_kw": 50.0, "selling_cost_share": 0.0, **own_inputs}
    return build_context(facts, Scenario.model_validate({**at, "own": own_inputs}), DAY)


@pytest.mark.parametrize(("accelerator", "kind", "launched"), [
    ("A100-SXM4-80GB", "sxm", 2020 + 10.5 / 12), ("RTX-4090-24GB", "consumer", 2022 + 9.5 / 12),
])  # fmt: skip
def test_what_is_bought_used_starts_at_its_age(accelerator: str, kind: HardwareClass, launched: float) -> None:
    """An A100 at 11,500, used, kept 57 % after 29 months, as if it had been new; a 4090 at 1,650 kept 77 %."""
    at = used_plan(accelerator)
    product_age, held = 2026 + 324 / 365.25 - launched, 29 / 12
    age = 0.6 * product_age
    share = float(used_share(age + held, kind) / used_share(age, kind))
    left = float(new_price(1.0, held, kind, product_age=product_age, successor_in=-1.0)) * share
    ownership = owned(at, at.demand.all)
    assert ownership is not None
    assert BOUGHT_USED not in ownership.sheet.used  # its price is that of a used one
    assert ownership.sheet.used["residual_share"].value == pytest.approx(left)
    younger = owned(used_plan(accelerator, age_years=1.0), at.demand.all)
    assert younger is not None
    assert younger.sheet.used["residual_share"].value == pytest.approx(
        left / share * float(used_share(1 + held, kind) / used_share(1.0, kind))
    )


def test_a_used_one_of_a_product_that_is_sold_new_costs_its_share() -> None:
    new, used, typed = (
        owned(at, at.demand.all)
        for at in (used_plan("H100-SXM5-80GB"), used_plan("H100-SXM5-80GB", channel="used"),
                   used_plan("H100-SXM5-80GB", channel="used", usd_per_accelerator=20_000.0))
    )  # fmt: skip
    assert new is not None
    assert used is not None
    assert typed is not None
    age = 0.6 * (2026 + 324 / 365.25 - (2022 + 8.5 / 12))
    usd = [ownership.purchase_lines[0].total_usd for ownership in (new, used)]
    assert usd[1] / usd[0] == pytest.approx(float(used_share(age, "sxm")))
    assert BOUGHT_USED not in typed.purchase_lines[0].how


@pytest.mark.parametrize(("accelerator", "wanted", "months"), [
    ("H100-SXM5-80GB", None, 8.0), ("H100-SXM5-80GB", "used", 1.0), ("H100-SXM5-80GB", "priority", 3.0),
    ("RTX-6000-Ada-48GB", None, 0.25), ("RTX-A4000-16GB", "standard", 2.0), ("B200-SXM-180GB", None, 7.0),
    ("A100-SXM4-80GB", None, 1.0), ("A100-SXM4-80GB", "standard", 7.0), ("H100", None, 7.0),
])  # fmt: skip
def test_the_channel_decides_the_delivery(accelerator: str, wanted: str | None, months: float) -> None:
    """What names the chip wins over what names its class, and that over what is for all; A100 are bought used."""
    facts = load_catalogue()
    standard = facts.deliveries["any-standard"]

    def taking(months: float, **update: Any) -> Delivery:
        value = standard.lead_time_month.newest.model_copy(update={"low": None, "typical": months, "high": None})
        figure = Figure(unit="month", checked=DAY, values={DAY: value})
        return standard.model_copy(update={"lead_time_month": figure, **update})

    more = {
        "h100": taking(8.0, accelerators=("H100-SXM5-80GB",)),
        "workstations": taking(2.0, products=("workstation",)),
    }
    facts = facts.model_copy(update={"deliveries": {**facts.deliveries, **more}})
    scenario_of = {"accelerator": accelerator, "own": {"channel": wanted}}
    assert lead_time(build_context(facts, Scenario.model_validate(scenario_of), DAY)).newest.typical == months


def test_your_own_months_win_over_the_channel() -> None:
    at = used_plan("H100-SXM5-80GB", channel="standard", lead_time_months=2.5)
    ownership = owned(at, at.demand.all)
    assert ownership is not None
    assert ownership.sheet.used["lead_time_months"].value == 2.5
