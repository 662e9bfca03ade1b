"""Time against cost: what the chart shows, marks and says, and the table behind it."""

import re
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from planner.money.verdict.answer import build_answer
from planner.report.speed import time_cost_front
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.ways import Way
from planner.scenario.work import Work
from planner.speed.training.result import Interval
from planner.study.market.candidate import Rejection
from planner.study.market.survey import MarketCandidate, MarketStudy, market
from planner.study.plan_any import planned
from tests.facts import DAY
from tests.frozen import live_catalogue

H100 = "H100-SXM5-80GB"


def one_try(place: int, days: float, usd: float, way: Way = "on_demand", *, front: bool = False) -> MarketCandidate:
    return MarketCandidate(
        H100, 8 * 2**place, way, f"offer-{place}", "Somebody", Interval(days * 0.9, days, days * 1.2),
        Interval(usd * 0.9, usd, usd * 1.3), 9_000.0, "DP 8", None if front else Rejection("costs_more", "another"),
        front, label="H100",
    )  # fmt: skip


TRIES = (
    one_try(0, 100.0, 1_000.0, front=True), one_try(1, 50.0, 1_100.0, front=True),
    one_try(2, 25.0, 1_500.0, front=True), one_try(2, 25.0, 1_900.0, "reserved"), one_try(9, 24.0, 9e6),
    replace(one_try(3, 12.0, 900.0), age_days=90, why_not=Rejection("costs_more", "another")),
    replace(one_try(4, 1.0, 1.0), days=None, usd=None, why_not=Rejection("does_not_fit")),
)  # fmt: skip


@pytest.mark.parametrize(("low", "high", "told"), [
    (0.003, 0.4, ["10 min", "30 min", "1 h", "3 h", "8 h"]), (0.04, 300.0, ["1 h", "1 d", "10 d", "100 d"]),
    (1.0, 9.0, ["1 d", "3 d"]), (30.0, 900.0, ["30 d", "100 d", "300 d"]),
])  # fmt: skip
def test_time_is_marked_at_round_numbers_and_so_that_there_are_some(low: float, high: float, told: list[str]) -> None:
    assert list(time_cost_front._ticks_days(low, high).values()) == told


MARKET = MarketStudy(
    "Train", TRIES, TRIES[0], TRIES[2], 60.0, None, ("8 x H100 on demand: 100 days, 1,000 USD.", "More.")
)


def test_the_front_says_what_is_recommended_and_how_the_plan_stands_beside_it() -> None:
    plan = time_cost_front.plan_of(MARKET, H100, 32)
    assert plan is TRIES[2]
    assert time_cost_front.front_summary(MARKET, plan) == (
        "Recommended: 8 x H100 on demand: 100 days, 1,000 USD. Your plan, 32 x H100 on demand, costs 50% more "
        "($1,500) and is done 4 times as fast."
    )
    assert time_cost_front.front_summary(MARKET, TRIES[0]).endswith("1,000 USD. That is your plan.")


def test_a_plan_that_is_best_by_the_token_stands_at_what_its_gpus_cost() -> None:
    catalogue = live_catalogue()
    task = ServingTask(model="Llama-3.3-70B", requests_per_s=2.0)
    scenario = Scenario(work=(Work(serve=task),))
    answer = build_answer(planned(catalogue, scenario, DAY))
    assert answer.best is not None
    assert answer.best.option.way == "hosted"
    study = market(catalogue, scenario, DAY)
    plan = time_cost_front.plan_of(study, scenario.accelerator, 2, answer)
    assert plan is not None
    assert (plan.accelerators, plan.way) == (2, "reserved")
    assert re.search(
        r"^Recommended: by the token at .* Your plan, 2 x H100 SXM5 80 GB reserved .*, costs [\d.]+ times as much ",
        time_cost_front.front_summary(study, plan),
    )


def test_the_table_starts_with_the_front_and_says_why_others_lost() -> None:
    table = time_cost_front.front_table(MARKET).to_pandas()
    assert len(table) == len(TRIES)
    assert list(table["Why not"][:3]) == ["nothing beats it on both"] * 3
    assert table["Why not"].iloc[-1] == "does not fit"
    assert table.index.is_unique
    assert all(time_cost_front.by_id(MARKET)[key] in TRIES for key in table.index)


def test_the_chart_leaves_what_is_far_off_to_the_table() -> None:
    seen = time_cost_front.window(MARKET, None)
    assert {one.cost for one in seen} == {1_000.0, 1_100.0, 1_500.0, 1_900.0, 900.0}
    chart = time_cost_front.front_chart(MARKET, TRIES[2], False)
    names = [trace["name"] for trace in chart.to_dict()["data"]]
    assert names[-2:] == ["recommended", "your plan"]
    text = " ".join(note["text"] for note in chart.to_dict()["layout"]["annotations"])
    assert "<b>your plan</b>: 32 x H100" in text
    assert "<b>recommended</b>: 8 x H100" in text
    assert "due in 60 days" in text


def test_the_chart_has_few_points_first_and_all_when_they_are_wanted() -> None:
    front = [one_try(place, 100.0 / 2**place, 1_000.0 * 1.1**place, front=True) for place in range(20)]
    others = [replace(one_try(0, 90.0, 1_050.0 + place), accelerator=f"GPU-{place}") for place in range(9)]
    market = replace(MARKET, candidates=(*front, *others), best=front[3])
    shown = time_cost_front.nearest_to_front(market, others[8])
    assert len(shown) == time_cost_front.MOST_POINTS
    assert {id(one) for one in (front[0], front[3], front[-1], others[8])} <= {id(one) for one in shown}
    short = replace(market, candidates=(*front[:4], *others))
    assert [one.accelerator for one in time_cost_front.nearest_to_front(short, None)[-2:]] == ["GPU-6", "GPU-7"]
    drawn = [time_cost_front.front_chart(market, others[8], False, every=every).to_dict()["data"] for every in (0, 1)]
    few_ids, all_ids = ({id for trace in data for (id,) in trace["customdata"]} for data in drawn)
    assert few_ids < all_ids
    assert len(few_ids) <= time_cost_front.MOST_POINTS


def test_a_wide_span_is_drawn_in_powers_of_ten() -> None:
    assert time_cost_front.is_log([1.0, 21.0])
    assert not time_cost_front.is_log([1.0, 19.0])


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("market", [MARKET, replace(MARKET, is_service=True, monthly=True, budget_usd=1_200.0)])
def test_plotly_accepts_the_chart(market: MarketStudy, dark: bool) -> None:
    plan = None if market.is_service else TRIES[2]
    assert go.Figure(time_cost_front.front_chart(market, plan, dark).to_dict()).layout.height >= 200
