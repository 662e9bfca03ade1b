"""Where machines begin to beat paying by the token."""

from datetime import date, timedelta

import pytest

from planner.money.by_token import hosted_usd_per_request, token_break_even
from planner.money.plan import plan
from planner.money.verdict.answer import build_answer
from planner.report.answer.sensitivity import describe_token_price
from planner.report.answer.sentences import summarize_answer
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.work import Work
from planner.speed.kept_data import cheapest_hosted_price
from planner.speed.serving import serve
from planner.speed.work_to_hours import serving_job
from pricing import Figure
from tests.facts import CATALOGUE

CHAT = ServingTask(model="llama-3.3-70b", requests_per_s=5.0, peak_requests_per_s=15.0, weight_precision="fp8")
SCENARIO = Scenario(work=(Work(serve=CHAT, storage_tb=0.0, egress_tb_per_month=0.0),))
FOUND = serve(CATALOGUE, serving_job(SCENARIO, CHAT))


def test_a_request_costs_what_it_reads_and_writes() -> None:
    door = cheapest_hosted_price(CATALOGUE, CHAT)
    assert door is not None
    price = CATALOGUE.hosted[door]
    by_hand = (
        price.input_usd_per_mtoken.newest.typical * 1_000 + price.output_usd_per_mtoken.newest.typical * 300
    ) / 1e6
    assert hosted_usd_per_request(CATALOGUE, door, input_tokens=1_000, output_tokens=300) == pytest.approx(by_hand)


def test_who_embeds_is_paid_for_what_is_read_alone() -> None:
    door = "OpenAI/text-embedding-3-small"
    by_hand = CATALOGUE.hosted[door].input_usd_per_mtoken.newest.typical * 1_000 / 1e6
    assert hosted_usd_per_request(CATALOGUE, door, input_tokens=1_000, output_tokens=300) == pytest.approx(by_hand)


def test_at_the_break_even_both_cost_the_same() -> None:
    even = token_break_even(CATALOGUE, FOUND, CHAT, usd_per_accelerator_hour=2.0)
    usd_per_request = even.usd_per_million_output_tokens / 1e6 * CHAT.output_tokens
    assert even.requests_per_s * 3_600 * usd_per_request == pytest.approx(2.0 * FOUND.accelerators_per_replica)
    dearer = token_break_even(CATALOGUE, FOUND, CHAT, usd_per_accelerator_hour=400.0)
    assert not dearer.ever
    assert "costs more even if" in describe_token_price(dearer)


def test_a_model_that_nobody_sells_has_none() -> None:
    task = CHAT.model_copy(update={"model": "llama-2-7b"})
    assert (token_break_even(CATALOGUE, FOUND, task, usd_per_accelerator_hour=2.0) is None) == (
        cheapest_hosted_price(CATALOGUE, task) is None
    )


def test_the_answer_says_from_how_much_use_machines_win() -> None:
    made = plan(CATALOGUE, SCENARIO, date(2026, 11, 21))
    said = " ".join(summarize_answer(made, build_answer(made)).turns)
    assert said.count("By the token") == 1
    assert "renting" in said.partition("By the token")[2]
    assert "owning" in said.partition("By the token")[2]


def test_a_price_of_more_than_a_year_is_taken_only_where_there_is_no_other_and_says_its_month() -> None:
    def older(vendor: str) -> str | None:
        aged = {
            key: price.model_copy(update={"input_usd_per_mtoken": aged_by(price.input_usd_per_mtoken, 400)})
            if price.vendor == vendor else price
            for key, price in CATALOGUE.hosted.items()
        }  # fmt: skip
        return cheapest_hosted_price(CATALOGUE.model_copy(update={"hosted": aged}), CHAT)

    cheapest = CATALOGUE.hosted[cheapest_hosted_price(CATALOGUE, CHAT) or ""]
    assert CATALOGUE.hosted[older(cheapest.vendor) or ""].vendor != cheapest.vendor
    served = Work(serve=ServingTask(model="kimi-k2"), storage_tb=0.0, egress_tb_per_month=0.0)
    made = plan(CATALOGUE, Scenario(accelerator="MI300X-192GB", work=(served,)), date(2026, 11, 21))
    assert "of Groq at its price of August 2025" in " ".join(summarize_answer(made, build_answer(made)).sentences)


def aged_by(figure: Figure, days: int) -> Figure:
    return figure.model_copy(update={"checked": figure.checked - timedelta(days)})
