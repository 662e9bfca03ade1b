"""The months after a bill as a plan: its work and prices as billed, everything counted from where the bill ends."""

from datetime import date
from typing import Any

import pytest

from planner.money.plan import Plan
from planner.money.verdict.answer import build_answer
from planner.report.accounting.actual_words import Reforecast, actuals_of, reforecast
from planner.report.accounting.bill_file import BillError, read_bill
from planner.scenario.file import read_scenario, write_scenario
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from pricing.exchange import rates
from tests.facts import CATALOGUE, DAY

HEAD = "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,PricingCategory,PricingQuantity,PricingUnit,"
HEAD += "ServiceCategory,x_Option"
MONTHS = ("2026-12-01", "2026-12-25", "2027-01-25", "2027-02-25", "2027-03-25", "2027-04-25")


def made(**fields: Any) -> Plan:
    return planned(
        CATALOGUE, Scenario.model_validate({"years": 2, "ways": ("own", "on_demand", "reserved"), **fields}), DAY
    )


def rest(plan: Plan, usd: float, hours: float, kind: str = "Standard", option: str = "", months: int = 6) -> Reforecast:
    rows = [f"{usd},USD,Usage,{day},{kind},{hours},GPU-Hours,Compute,{option}" for day in MONTHS[:months]]
    bill = read_bill("\n".join((HEAD, *rows)).encode(), "bill", rates(CATALOGUE))
    return reforecast(plan, build_answer(plan), actuals_of(plan, bill))


def compute_usd(plan: Plan) -> float:
    """Return what hours on demand cost in the first month."""
    rent = next(option for option in plan.options if option.way == "on_demand")
    return sum(float(line.usd[1]) for line in rent.ledger.lines if line.part == "compute")


def test_the_first_month_of_the_rest_costs_what_the_last_month_of_the_bill_did() -> None:
    plan = made(work=({"accelerators": 8, "busy_share": 0.5},))
    taken = rest(plan, 9_000, 3_000)
    scenario = taken.saved.scenario
    assert (taken.saved.day, scenario.years) == (date(2027, 5, 21), 1.5)
    assert scenario.work[0].accelerator_hours_per_month == pytest.approx(3_000)
    assert scenario.rent.usd_per_accelerator_hour == 3.0
    assert compute_usd(planned(CATALOGUE, scenario, DAY)) == pytest.approx(9_000, rel=0.02)  # rents move within a month
    again = read_scenario(write_scenario(taken.saved).encode(), "rest.yaml", CATALOGUE)
    assert (again.scenario, again.day) == (scenario, taken.saved.day)
    assert "$54,000 are paid" in taken.sentences[0]


def test_growth_goes_on_from_where_the_bill_ends() -> None:
    plan = made(work=({"accelerators": 64, "busy_share": 0.25, "growth_per_year": 0.44},))
    grown = rest(plan, 1.0, 1.0).saved.scenario.work[0]
    hours = plan.setting.demand.all.busy_accelerator_hours
    assert grown.growth_per_year == 0.44
    assert hours > 0
    billed = [float(each) for each in plan.setting.demand.all.busy_hours[1:7]]
    later = rest(plan, 1.0, sum(billed) / 6).saved.scenario
    begins = float(planned(CATALOGUE, later, DAY).setting.demand.all.busy_hours[1])
    assert begins == pytest.approx(float(plan.setting.demand.all.busy_hours[7]), rel=0.02)


def test_what_is_counted_by_month_is_counted_from_then() -> None:
    jobs = ({"accelerators": 8, "hours": 100, "first_month": 9}, {"accelerators": 8, "hours": 1, "first_month": 2},
            {"accelerators": 8, "hours": 10, "first_month": 2, "every_months": 3})  # fmt: skip
    work = ({"busy_share": 0.5, "jobs": jobs}, {"label": "later", "first_month": 10, "last_month": 20},
            {"label": "over", "last_month": 6}, {"label": "people", "people": 4})  # fmt: skip
    orders = ({"from_month": 1, "accelerators": 8, "term": "reserved_1y"},
              {"from_month": 9, "accelerators": 8, "term": "reserved_1y"})  # fmt: skip
    taken = rest(made(work=work, reserve={"orders": orders}), 100, 50, "Committed", "reserved")
    first, later, people = taken.saved.scenario.work
    assert [(job.hours, job.first_month) for job in first.jobs] == [(100, 3), (10, 2)]
    assert (later.label, later.first_month, later.last_month) == ("later", 4, 14)
    assert people.people is None
    assert people.accelerator_hours_per_month
    assert [(each.from_month, each.accelerators) for each in taken.saved.scenario.reserve.orders] == [(3, 8)]
    assert taken.saved.scenario.reserve.usd_per_accelerator_hour == 2.0
    assert "Reservations that have begun are left out" in taken.sentences[-1]


def test_what_was_bought_is_kept_and_a_model_keeps_its_model() -> None:
    serve = {"serve": {"model": "Llama-3.1-8B", "requests_per_s": 10.0}}
    plan = made(work=({"accelerators": 8, **serve},))
    taken = rest(plan, 100.0, 100.0, "Standard", "own").saved.scenario
    bought = next(option for option in plan.options if option.way == "own")
    assert (taken.kept.accelerators, taken.kept.bought_year) == (bought.accelerators, 2026)
    assert taken.work[0].serve.model == "Llama-3.1-8B"
    rented = rest(plan, 100.0, 100.0, "Standard", "on_demand").saved.scenario
    assert rented.work[0].serve.requests_per_s != 10.0
    assert rented.kept is None


def test_too_few_months_are_refused() -> None:
    with pytest.raises(BillError, match="leaves 0 months of the plan: give a plan of 9 months or more"):
        rest(made(years=0.5), 1.0, 1.0)
    with pytest.raises(BillError, match="all work of the plan has ended by 21 May 2027"):
        rest(made(work=({"last_month": 6},)), 1.0, 1.0)
