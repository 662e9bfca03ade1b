"""A quote for machines, or for GPUs that one has, stands beside what such cost by the catalogue."""

from typing import Any

import pytest

from planner.money.owning.machine import buying
from planner.money.owning.resale import used_worth
from planner.money.plan import Plan, plan
from planner.money.verdict.answer import build_answer
from planner.report import words
from planner.report.answer.notes import kept_sentences, quote_sentences
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.facts import DAY

EIGHT = {"accelerator": "H200-SXM-141GB", "work": ({"accelerators": 8},)}


def made(**fields: Any) -> Plan:
    return plan(load_catalogue(), Scenario.model_validate({**EIGHT, **fields}), DAY)


def listed_usd() -> float:
    """What a server of eight costs by the catalogue."""
    bought = buying(made().setting)
    assert bought is not None
    assert bought.accelerators_per_server == 8
    return bought.usd[1]


@pytest.mark.parametrize(("times", "found"), [(1.2, "20% above"), (0.75, "25% below"), (1.0, "as much as")])
def test_the_price_of_a_server_is_set_against_the_catalogue(times: float, found: str) -> None:
    (said,) = quote_sentences(made(own={"usd_per_server": times * listed_usd()}))
    assert f"for a machine is {found} the {words.usd(listed_usd())}" in said


def test_a_sum_for_day_one_is_set_against_all_that_day_one_takes() -> None:
    (said,) = quote_sentences(made(own={"capex_usd": 1e6}))
    own = made().option("own")
    assert own is not None
    day_one = sum(float(line.total_usd) for line in own.ledger.lines if line.treatment == "capital")
    assert f"Your $1 million for day one is {words.percent(1e6 / day_one - 1)} above the {words.usd(day_one)}" in said


def test_nothing_is_said_where_no_price_is_typed() -> None:
    assert list(quote_sentences(made())) == []
    (said,) = quote_sentences(made(rent={"usd_per_accelerator_hour": 2.0}))
    assert said.startswith("Your $2.00 an hour is ")


def test_a_plan_without_work_has_nothing_to_set_a_sum_against() -> None:
    idle = ({"accelerators": 8, "first_month": 37, "storage_tb": 0.0},)
    assert list(quote_sentences(made(work=idle, own={"capex_usd": 1e5}))) == []


@pytest.mark.parametrize(("times", "found"), [(1.5, "50% above"), (0.5, "50% below")])
def test_an_offer_for_what_one_has_is_set_against_used_ones_of_its_age(times: float, found: str) -> None:
    kept = {"accelerators": 8, "accelerator": "H100-SXM5-80GB", "bought_year": 2024}
    there = made(kept=kept).setting
    assert there.scenario.kept is not None
    worth = used_worth(there, there.scenario.kept, 0.0)
    assert worth is not None
    offered = made(kept={**kept, "usd_today_if_sold": times * worth[1]})
    said = " ".join(kept_sentences(offered, build_answer(offered)))
    assert f"for them is {found} the {words.usd(worth[1])}" in said
