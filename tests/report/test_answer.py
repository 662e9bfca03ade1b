"""The answer in words: short, about the ways that are compared, and never about what the ledger does not hold."""

import re
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from planner.money.measures import discounted_ledger
from planner.money.plan import Plan
from planner.report.answer.advice import rests_on
from planner.report.answer.notes import deciding_people_sentences
from planner.report.answer.plan_report import PlanReport, doubt_text, plan_text
from planner.report.answer.sentences import AnswerSummary, summarize_answer
from planner.report.answer.tables import by_year
from planner.report.market.compare import by_the_token
from planner.report.words import usd
from planner.scenario.link import scenario_from_link
from planner.scenario.own import RentToOwn, SaleAndLeaseBack
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from tests.facts import CATALOGUE, DAY, options_of_side
from tests.rows import each_row


def said_of(scenario: Scenario) -> AnswerSummary:
    plan = planned(CATALOGUE, scenario, DAY)
    sure = decided(plan, 128)
    return summarize_answer(plan, sure.answer, sure.futures)


def case(name: str) -> AnswerSummary:
    preset = find_preset(name)
    return said_of(preset.scenario)


@each_row("name", [preset.key for preset in load_presets()])
def test_what_matters_is_said_first_and_without_powers_of_ten(name: str) -> None:
    summary = case(name)
    everything = " ".join((*summary.sentences, *summary.turns))
    assert len(summary.sentences) <= 8  # of spot and of what the peaks are done on: whose price, and how many there are
    assert len(" ".join(summary.sentences)) < 1_200
    assert "e+" not in everything
    assert "$0.00" not in everything
    assert summary.turns


def test_a_hosted_model_is_not_called_renting() -> None:
    summary = case("chat-service")
    assert "H100 SXM5 80 GB, busy" not in " ".join(summary.sentences)


def test_a_run_that_is_done_once_is_not_busy_on_average() -> None:
    summary = case("pre-train-7b")
    together = " ".join(summary.sentences)
    assert "on average" not in together
    assert summary.figures[2][:3] == ("Break-even work", "none", "not by use alone")


@pytest.mark.parametrize("way", [way for way in options_of_side("own") if way != "desk"])  # that serves, and is there
def test_what_comes_when_the_work_is_done_is_no_option(way: str) -> None:
    quote, sale = RentToOwn(usd_per_month=1_000.0, months=12), SaleAndLeaseBack(price_share=0.9)
    asked = {"rent_to_own": quote, "sale_and_lease_back": sale, "ways": (way, "on_demand")}
    late = find_preset("pre-train-7b").scenario.model_copy(update=asked)
    plan = planned(CATALOGUE, late, DAY)
    assert [option.key for option in plan.options] == ["on_demand"]
    assert "the machines come after 7 months, when the work is done" in plan.absent[0].reason
    here = late.model_copy(update={"own": late.own.model_copy(update={"lead_time_months": 0.0})})
    assert planned(CATALOGUE, here, DAY).options[0].key == way


def test_leasing_is_called_leasing() -> None:
    scenario = find_preset("pre-train-7b").scenario
    own = scenario.own.model_copy(update={"lead_time_months": 0.0})
    summary = said_of(scenario.model_copy(update={"own": own, "ways": ("lease", "on_demand")}))
    assert summary.figures[3].detail.startswith("What leasing takes today")


def test_a_disk_that_nobody_prices_here_costs_what_others_ask() -> None:
    link = "train=Llama-3.1-8B&tokens=100000000&gpus=1&gpu=RTX-4090-24GB&method=qlora&years=1&runs=4"
    summary = said_of(scenario_from_link(dict(parse_qsl(link)), CATALOGUE)[0])
    assert summary.title != "Not enough to answer yet."
    assert summary.figures


def test_a_table_of_years_begins_with_today_and_ends_each_year_with_its_twelfth_month() -> None:
    """100 today, then as many dollars as the month has number: 1 to 12, 13 to 24, and 25 to 30 of a third year."""
    assert by_year(np.array([100.0, *range(1, 31)])) == [100, 78, 222, 165]


def test_the_command_line_says_all_of_it() -> None:
    preset = find_preset("startup")
    plan = planned(CATALOGUE, preset.scenario, DAY)
    sure = decided(plan, 128)
    summary = summarize_answer(plan, sure.answer, sure.futures)
    text = plan_text(PlanReport("startup", plan, sure.answer, summary, (), sure.futures))
    assert all(one in text for one in (*summary.sentences, *summary.turns))
    assert summary.figures[1].range == "no range"


def test_compare_says_what_the_same_work_costs_by_the_token() -> None:
    preset = find_preset("chat-service")
    plan = planned(CATALOGUE, preset.scenario, DAY)
    hosted = next(option for option in plan.options if option.way == "hosted")
    judged = decided(plan, 128)
    median = float(np.median(judged.futures.costs.present_usd["hosted"]))
    assert by_the_token(judged.answer) == (f"By the token, {hosted.what}: {usd(median)}.",)
    total = usd(float(hosted.ledger.total_usd))
    assert by_the_token(judged.answer, "bills") == (f"By the token, {hosted.what}: {total}.",)
    assert by_the_token(decided(planned(CATALOGUE, Scenario(), DAY), 128).answer) == ()


def test_a_break_even_says_so_where_costs_as_entered_are_far_from_the_medians_beside_it() -> None:
    """24 L40S on a campus: as entered buying costs what renting does, in the median of the futures a fifth more."""
    at = {"gpu": "L40S-48GB", "gpus": "24", "years": "5", "busy": "35", "place": "campus"}
    skewed, plain = (scenario_from_link(link)[0] for link in (at, {"gpus": "8"}))
    tile, other = (
        next(one for one in said_of(each).figures if one.label == "Break-even use") for each in (skewed, plain)
    )
    assert tile.range == "you: 35%, as planned"
    assert other.range == "own above; you: 60%"
    texts = [doubt_text(decided(planned(CATALOGUE, each, DAY), 128).answer) for each in (skewed, plain)]
    assert "As entered, renting costs less at rents below $" in texts[0]
    assert "Leasing costs less at rents above $" in texts[1]


def test_the_people_are_named_where_they_decide() -> None:
    """Eight for five years, busy nearly always: three people of one's own cost more than owning saves."""
    work = ({"accelerators": 8, "busy_share": 0.95},)
    few, many = (
        decided(planned(CATALOGUE, Scenario.model_validate({"years": 5.0, "work": work, "own": own}), DAY), 128).answer
        for own in ({"least_fte": 0.0}, {"least_fte": 3.0})
    )
    assert deciding_people_sentences(few.plan, few) == ()
    said = ("The people decide: without them buying would cost less than reserving.",)
    assert deciding_people_sentences(many.plan, many) == said


def test_people_that_buying_and_leasing_both_need_decide_nothing() -> None:
    work = ({"accelerators": 8, "busy_share": 1.0},)
    scenario = Scenario.model_validate({"accelerator": "B200-SXM-180GB", "years": 4.0, "work": work})
    answer = decided(planned(CATALOGUE, scenario, DAY), 128).answer
    assert min(answer.ranked, key=lambda way: way.as_entered_usd) is not answer.ranked[0]
    assert deciding_people_sentences(answer.plan, answer) == ()


@pytest.mark.parametrize(("count", "paid"), [(20, "machines of 8: 24 GPUs are paid for"), (16, "")])
def test_machines_that_are_rented_whole_are_said_where_one_is_not_full(count: int, paid: str) -> None:
    offer = next(
        key for key, offer in CATALOGUE.offers.items()
        if (offer.accelerator, offer.provider, offer.purchase) == ("H100-SXM5-80GB", "aws", "on_demand")
        and offer.accelerators_per_instance == 8
    )  # fmt: skip
    link = {"gpus": str(count), "gpu": "H100-SXM5-80GB", "offer": offer}
    found = decided(planned(CATALOGUE, scenario_from_link(link)[0], DAY), 128).answer
    text = " ".join(rests_on(found.plan, found.ranked))
    assert paid in text
    assert ("are paid for" in text) == bool(paid)


def _plan_of(**said: Any) -> tuple[AnswerSummary, Plan]:
    plan = planned(CATALOGUE, Scenario.model_validate(said), DAY)
    sure = decided(plan)
    return summarize_answer(plan, sure.answer, sure.futures), plan


def test_what_a_rent_holds_beside_its_hours_is_said_where_it_is_over_a_tenth() -> None:
    summary, plan = _plan_of(accelerator="H100-SXM5-80GB", work=({"accelerators": 8},), years=1.0, run_by_fte=0.3)
    totals = next(text for text in summary.sentences if "Discounted to today" in text)
    said = re.search(r"of it \$([\d,]+) for people and disks", totals)
    assert said is not None
    option = plan.option("on_demand")
    assert option is not None
    lines = discounted_ledger(plan.setting, option.ledger).lines
    beside = sum(float(np.sum(line.usd)) for line in lines if line.part in ("staff", "storage"))
    assert beside > 0.1 * sum(float(np.sum(line.usd)) for line in lines)
    assert float(said[1].replace(",", "")) == pytest.approx(beside, rel=0.05)  # its share of the median that is shown
    nobody, _ = _plan_of(
        accelerator="H100-SXM5-80GB", work=({"accelerators": 8, "busy_share": 1.0},), years=1.0, run_by_fte=0.0
    )  # fmt: skip
    assert not any("of it $" in text for text in nobody.sentences)


def test_cash_on_day_one_says_that_it_is_a_deposit() -> None:
    ways = ("own", "on_demand")
    summary, plan = _plan_of(accelerator="H100-SXM5-80GB", work=({"accelerators": 8},), ways=ways)
    tile = next(tile for tile in summary.figures if tile.label == "Cash on day one")
    option = plan.option("own")
    assert option is not None
    servers = next(np.asarray(line.usd) for line in option.ledger.lines if line.name.startswith("Servers"))
    assert servers[0] == pytest.approx(0.3 * servers.sum())  # 30 % with the order, 70 % when they are there
    assert tile.range.startswith("30% deposit, ")
    assert "The deposit is paid with the order, the rest at delivery" in tile.detail
    paid, _ = _plan_of(accelerator="H100-SXM5-80GB", work=({"accelerators": 8},), ways=ways, own={"deposit_share": 1.0})
    assert not any("deposit" in tile.range for tile in paid.figures)
