"""Cases of orders and rivals that once came out wrong, each with what must come out."""

from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from planner.money.plan import Plan
from planner.money.renting.order_market import RENTAL_DEPTH
from planner.money.ways import WAYS
from planner.report.answer.sentences import AnswerSummary, summarize_answer
from planner.scenario.latency import latency_classes
from planner.scenario.scenario import Scenario
from planner.study.market.survey import market
from planner.study.plan_any import planned, scenario_from_token_bill
from planner.study.uncertainty.sure_verdict import decided
from planner.study.uncertainty.uncertain_inputs import uncertain_inputs
from pricing.market.band import OrderBand
from pricing.market.depth import DAY_MONTHS, Purchase
from pricing.market.sellers import band_of, sellers
from pricing.orderable import Order, country, eu
from tests.frozen import live_catalogue
from tests.rows import each_row

CATALOGUE = live_catalogue()
DAY: date = CATALOGUE.day
H100, H200, B200 = "H100-SXM5-80GB", "H200-SXM-141GB", "B200-SXM-180GB"


def asked(**data: Any) -> Plan:
    return planned(CATALOGUE, Scenario.model_validate(data), DAY)


def told(plan: Plan) -> AnswerSummary:
    judged = decided(plan, 128)
    return summarize_answer(plan, judged.answer, judged.futures)


def order(chip: str, count: int, months: float, together: int = 1, **more: Any) -> OrderBand:
    purchase: Purchase = "on_demand" if months < 1 else "reserved"
    band = band_of(CATALOGUE, chip, Order(count, together, **more), DAY, purchase, months)
    assert band is not None
    return band


@pytest.mark.parametrize("months", [DAY_MONTHS, 3.0, 12.0])
def test_1_no_number_of_one_job_is_a_step(months: float) -> None:
    bands = [order(H100, count, months, together=count) for count in (512, 513, 520, 1024, 2000)]
    for smaller, larger in pairwise(bands):
        assert larger.typical == pytest.approx(smaller.typical, rel=0.05)


@each_row(("chip", "count", "months", "low", "high"), [
    (H200, 100, 6.0, 1.9, 5.2), (H200, 64, 12.0, 2.0, 5.0), (H100, 256, 12.0, 1.8, 4.2), (H100, 1024, 2.0, 2.0, 5.0),
    ("RTX-4090-24GB", 1, DAY_MONTHS, 0.2, 0.6), ("TPU-v6e", 16, 12.0, 0.8, 4.5), (B200, 8, 12.0, 2.8, 7.0),
])  # fmt: skip
def test_2_and_4_orders_have_a_band_of_several_sellers(
    chip: str, count: int, months: float, low: float, high: float
) -> None:
    band = order(chip, count, months)
    assert low < band.low < band.typical < band.high < high
    assert band.standing != "unavailable"


def test_3_twenty_thousand_are_not_available_on_demand_and_the_number_that_is_is_said() -> None:
    band = order(H100, 20_000, DAY_MONTHS)
    assert band.standing == "unavailable"
    assert 100 < band.even_chance_count < 5_000
    plan = asked(accelerator=H100, work=({"accelerators": 20_000, "busy_share": 0.8},))
    assert plan.option("on_demand") is None
    assert any("waits for machines" in warning for warning in plan.options[0].warnings)


def test_4_eight_h100_for_three_months_in_europe_come_from_there() -> None:
    band = order(H100, 8, 3.0, stay=eu(CATALOGUE))
    there = {seller.name for seller in sellers(CATALOGUE, H100, DAY, eu(CATALOGUE))}
    assert band.cheapest_seller is None or band.cheapest_seller in there
    assert there < {seller.name for seller in sellers(CATALOGUE, H100, DAY)}


def test_5_a_bill_is_an_option_beside_three_rivals_with_people() -> None:
    usual = next(iter(latency_classes().values()))
    paid = "OpenAI/gpt-4o"
    scenario = scenario_from_token_bill(CATALOGUE.hosted[paid], paid, 30_000.0, "Llama-3.3-70B", usual)
    plan = planned(CATALOGUE, scenario, DAY)
    usd = {way.option.key: way.present_usd for way in decided(plan, 128).answer.ranked}
    assert {"bill", "alike", "hosted", "on_demand", "own"} <= usd.keys()
    assert usd["hosted"] < usd["bill"] / 10
    rented = plan.option("on_demand")
    assert rented is not None
    assert any(line.name == "People who run them" for line in rented.ledger.lines)
    assert "GPT-4o of OpenAI" in told(plan).title


def test_6_nobody_serves_ones_own_weights_by_the_token() -> None:
    tune = {"train": {"model": "Llama-3.1-8B", "method": "full", "tokens": 1e9, "runs_per_month": 4}}
    plan = asked(work=(tune, {"serve": {"model": "Llama-3.1-8B", "requests_per_s": 10}}))
    assert plan.option("hosted") is None
    assert "hosted" not in told(plan).title


@pytest.mark.slow
@each_row(("model", "requests_per_s"), [("Llama-3.1-405B", 1.0), ("DeepSeek-R1", 2.0), ("Llama-3.3-70B", 1.0)])
def test_7_any_names_a_chip_of_data_centres_that_is_rented(model: str, requests_per_s: float) -> None:
    plan = asked(accelerator="any", work=({"serve": {"model": model, "requests_per_s": requests_per_s}},))
    chip = CATALOGUE.accelerators[plan.setting.scenario.accelerator]
    assert chip.hardware_class != "desktop"
    assert chip.software_ended is None
    assert plan.option("on_demand") is not None or plan.option("reserved") is not None


@pytest.mark.slow
def test_8_no_year_of_a_thousand_is_recommended_for_a_run_of_a_day() -> None:
    work = {"train": {"model": "Llama-3-8B", "tokens": 1e12, "deadline_days": 1.0, "choose_count": True}}
    study = market(CATALOGUE, Scenario.model_validate({"accelerator": "any", "work": (work,)}), DAY)
    assert study.best is None or study.best.cost < 1e6
    assert all(
        candidate.cost < 1e7 for candidate in study.candidates if candidate.on_front and candidate.cost is not None
    )


def test_9_memory_is_known_and_405_billion_do_not_fit_one_mac() -> None:
    plan = asked(accelerator="Apple-M4-Pro-20c", work=({"serve": {"model": "Llama-3.1-405B", "requests_per_s": 0.01}},))
    assert plan.setting.resolved is not None
    needed = plan.setting.resolved.servings[0]
    assert not needed.fits or needed.accelerators_per_replica > 1


def test_10_a_run_of_an_hour_pays_for_no_disk_of_a_year() -> None:
    plan = asked(work=({"accelerators": 8, "train": {"model": "GPT-2-124M", "tokens": 2.5e9}},))
    rented = plan.option("on_demand")
    assert rented is not None
    assert rented.ledger.total_usd < 100


def test_11_one_card_for_private_people_stands_at_home_without_staff() -> None:
    own = asked(accelerator="RTX-4090-24GB", work=({"accelerators": 1, "busy_share": 0.6},)).option("own")
    assert own is not None
    assert not {"People", "Space, by contracted power"} & {line.name for line in own.ledger.lines if line.total_usd}
    assert own.ledger.total_usd < 8_000


def test_12_people_run_what_is_rented_and_none_what_is_hosted() -> None:
    plan = asked(work=({"serve": {"model": "Llama-3.3-70B", "requests_per_s": 5.0}},))
    for option in plan.options:
        people = any(line.part == "staff" and line.total_usd > 0 for line in option.ledger.lines)
        assert people is not WAYS[option.way].is_billed_by_token, option.way


def test_13_the_european_union_as_a_place_restricts_renting() -> None:
    work = ({"accelerators": 8, "busy_share": 0.6},)
    here, anywhere = (asked(site="EU", work=work, **more) for more in ({}, {"stay": "anywhere"}))
    assert here.setting.scenario.residency == "eu"
    rented = [plan.option("on_demand") for plan in (here, anywhere)]
    assert all(rented)
    assert country(CATALOGUE, "DE") != eu(CATALOGUE)


def test_buy_is_no_answer_where_one_option_has_a_price() -> None:
    assert told(asked(accelerator="RTX-3060-12GB", work=({"accelerators": 1, "busy_share": 0.5},))).title.startswith(
        "Only"
    )


def test_a_term_that_nobody_publishes_names_no_seller() -> None:
    work = ({"accelerators": 1, "busy_share": 1.0},)
    plan = asked(accelerator="RTX-4090-24GB", work=work, ways=("reserved", "own"))
    reserved = plan.option("reserved")
    assert reserved is not None
    text = " ".join((reserved.what, *told(plan).sentences))
    assert "by contract" in reserved.what
    assert "ask" in text
    assert "RunPod" not in text


def test_processors_are_an_option_with_a_price_beside_another_chip() -> None:
    small = asked(accelerator="T4-16GB", work=({"serve": {"model": "BERT-Base", "requests_per_s": 20.0}},))
    processors = small.option("processors")
    assert processors is not None
    assert processors.ledger.total_usd > 0
    assert asked(accelerator=H100, work=({"serve": {"model": "Llama-3.1-405B", "requests_per_s": 5.0}},)).option(
        "processors"
    ) is None  # fmt: skip


def test_a_machine_for_a_desk_is_an_option_for_small_work_beside_another_chip() -> None:
    small = asked(accelerator="L40S-48GB", work=({"serve": {"model": "Qwen3-8B", "requests_per_s": 0.05}},))
    desk, own = small.option("desk"), small.option("own")
    assert desk is not None
    assert own is not None
    assert desk.ledger.total_usd < own.ledger.total_usd / 3
    parts = {line.name: float(line.total_usd) for line in desk.ledger.lines}
    assert parts["Machine"] > 500
    assert -parts["Machine"] < parts["Resale"] < 0
    assert asked(accelerator="L40S-48GB", work=({"accelerators": 1},)).option("desk") is None
    busy = {"serve": {"model": "Qwen3-8B", "requests_per_s": 5.0}}
    assert asked(accelerator="L40S-48GB", work=(busy,)).option("desk") is None


def test_what_can_be_rented_beside_machines_is_drawn_where_the_order_may_be_more() -> None:
    few, many = (asked(accelerator=H100, work=({"accelerators": count},)) for count in (8, 512))
    names = [{parameter.name for parameter in uncertain_inputs(plan)} for plan in (few, many)]
    assert RENTAL_DEPTH not in names[0]
    assert RENTAL_DEPTH in names[1]
    own = WAYS["own"].build(many.setting.with_tried({RENTAL_DEPTH: -1.0}))
    usual = WAYS["own"].build(many.setting)
    assert own.useful_hours.sum() < usual.useful_hours.sum()


def test_few_independent_sellers_widen_a_band() -> None:
    known = {chip: order(chip, 8, DAY_MONTHS) for chip in (H100, "MI300X-192GB")}
    names = {chip: len({seller.name for seller in sellers(CATALOGUE, chip, DAY)}) for chip in known}
    assert names[H100] > 10
    spread = {chip: band.high / band.low for chip, band in known.items()}
    assert spread[H100] < spread["MI300X-192GB"] * 1.5


def test_7_where_other_accelerators_cost_less_to_own_the_answer_names_them() -> None:
    """What is rented decides the choice: one B200 for 32 billion at 10 a second, which is expensive to own."""
    said = told(asked(accelerator="any", work=({"serve": {"model": "Qwen3-32B", "requests_per_s": 10.0}},)))
    (text,) = [sentence for sentence in said.sentences if sentence.startswith("To own, ")]
    assert "cost least: about $" in text
    assert "H200 NVL" in text  # a card in a server for two, where a B200 has a server of eight
    named = told(asked(accelerator="B200-SXM-180GB", work=({"serve": {"model": "Qwen3-32B", "requests_per_s": 10.0}},)))
    assert not any(sentence.startswith("To own, ") for sentence in named.sentences)


def test_on_a_processor_no_card_is_bought_and_a_rented_server_has_its_price() -> None:
    plan = asked(accelerator="CPU-EPYC-9654", work=({"serve": {"model": "Llama-3.2-3B", "requests_per_s": 1.0}},))
    usd = {way.option.key for way in decided(plan, 128).answer.ranked}
    assert "processors" in usd
    assert "desk" not in usd
