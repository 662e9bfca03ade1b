"""Hosted: tokens times their price, growing as the work does."""

from typing import Any

import pytest

from planner.money.ways import hosted
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from pricing import load_catalogue
from tests.facts import DAY
from tests.money.renting import amounts, built, plan, recomputes, setting, total, why, work

TOKENS = {"million_input_tokens_per_month": 1_000.0, "million_output_tokens_per_month": 200.0}
PRICES = {"usd_per_million_input_tokens": 2.0, "usd_per_million_output_tokens": 10.0}


def test_tokens_times_price() -> None:
    found = built(setting(plan(hosted={**TOKENS, **PRICES})), hosted.build)
    assert amounts(found) == pytest.approx({"Tokens in": 24_000, "Tokens out": 24_000})
    assert {line.part for line in found.lines} == {"tokens"}
    assert found.accelerators == 0
    assert found.useful_hours.sum() == pytest.approx(8 * 4_380)
    assert recomputes(found.lines)


def test_a_price_of_the_catalogue_and_yours_over_it() -> None:
    """GPT-4o costs 2.5 and 10 for a million tokens in and out."""
    found = built(setting(plan(hosted={**TOKENS, "price": "OpenAI/gpt-4o"})), hosted.build)
    assert total(found) == pytest.approx(12 * (1_000 * 2.5 + 200 * 10))
    yours = {**TOKENS, "price": "OpenAI/gpt-4o", "usd_per_million_output_tokens": 5.0}
    assert total(built(setting(plan(hosted=yours)), hosted.build)) == pytest.approx(12 * (2_500 + 1_000))


def test_tokens_grow_and_have_seasons_as_the_work_has() -> None:
    asked = {**TOKENS, **PRICES}
    grown = built(setting(plan(work(growth_per_year=1.0), years=2.0, hosted=asked)), hosted.build)
    assert grown.lines[0].usd[[1, 13]].tolist() == pytest.approx([2_000, 4_000])
    season = (0.5, *(1.0,) * 11)
    quiet = built(setting(plan(work(season=season), hosted=asked)), hosted.build)
    assert quiet.lines[0].usd[[1, 2]].tolist() == pytest.approx([1_000, 2_000])


def test_busier_work_sends_more_tokens() -> None:
    there = setting(plan(hosted={**TOKENS, **PRICES}))
    assert total(built(there.with_tried({"busy_factor": 1.5}), hosted.build)) == pytest.approx(72_000)


@pytest.mark.parametrize(("asked", "said"), [
    (None, "fill in hosted"),
    (TOKENS, "hosted.usd_per_million_input_tokens and hosted.usd_per_million_output_tokens"),
    ({**TOKENS, "usd_per_million_input_tokens": 1.0}, "enter hosted.usd_per_million_output_tokens"),
    ({**TOKENS, "price": "nobody/nothing"}, "there is no price 'nobody/nothing'"),
])  # fmt: skip
def test_reasons(asked: dict[str, Any] | None, said: str) -> None:
    assert said in why(setting(plan(hosted=asked)), hosted.build)


def test_no_tokens_out_need_no_price() -> None:
    asked = {**TOKENS, "million_output_tokens_per_month": 0.0, "usd_per_million_input_tokens": 2.0}
    assert total(built(setting(plan(hosted=asked)), hosted.build)) == pytest.approx(24_000)


SERVED = {"model": "llama-3-8b", "requests_per_s": 2.0, "input_tokens": 1_000, "output_tokens": 300}


def _month_by_the_token(asked: dict[str, Any]) -> float:
    """What the first month costs by the token, of a plan that serves a model."""
    scenario = Scenario.model_validate({"work": ({"serve": SERVED},), "hosted": asked, "ways": ("hosted",)})
    (option,) = planned(load_catalogue(), scenario, DAY).options
    return float(option.ledger.monthly_usd[1])


def test_requests_and_lengths_of_a_service_say_the_tokens() -> None:
    """Two requests a second are 5.256 million a month: 5,256 million tokens in, 1,576.8 million out."""
    prices = {"usd_per_million_input_tokens": 0.5, "usd_per_million_output_tokens": 1.5}
    assert _month_by_the_token(prices) == pytest.approx(5_256 * 0.5 + 1_576.8 * 1.5)
    some = {**prices, "million_output_tokens_per_month": 100.0}
    assert _month_by_the_token(some) == pytest.approx(5_256 * 0.5 + 100 * 1.5)


def test_a_named_price_takes_the_tokens_of_the_service_and_none_takes_the_cheapest_seller_too() -> None:
    assert _month_by_the_token({"price": "OpenAI/gpt-4o"}) == pytest.approx(5_256 * 2.5 + 1_576.8 * 10)
    unsaid = planned(
        load_catalogue(), Scenario.model_validate({"work": ({"serve": SERVED},), "ways": ("hosted",)}), DAY
    )
    assert _month_by_the_token({}) == pytest.approx(float(unsaid.options[0].ledger.monthly_usd[1]))


def test_without_a_service_the_tokens_have_to_be_entered() -> None:
    assert "enter hosted.million_input_tokens_per_month" in why(setting(plan(hosted=PRICES)), hosted.build)
