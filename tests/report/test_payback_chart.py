"""The chart of when it pays back: the two ways that are compared, named at their ends, with what happens when."""

from functools import lru_cache
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go
import pytest

from planner.money.verdict.answer import Answer, build_answer
from planner.report.answer.payback_chart import _apart, payback_chart, payback_summary, ticks, timeline_events
from planner.report.answer.sentences import summarize_answer
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from tests.facts import DAY
from tests.rows import each_row
from tests.study.planned import catalogue

CASES = {"": Scenario(), **{preset.key: preset.scenario for preset in load_presets()}}


@lru_cache(maxsize=16)
def found(name: str) -> Answer:
    return build_answer(planned(catalogue(), CASES[name], DAY))


def said(of: Answer, **more: Any) -> list[str]:
    return [str(one["text"]) for one in payback_chart(of, False, **more).to_dict()["layout"]["annotations"]]


@each_row("name", CASES)
def test_the_two_that_are_compared_are_drawn_and_named_at_their_ends(name: str) -> None:
    of = found(name)
    assert of.pair is not None
    drawn = payback_chart(of, False).to_dict()
    lines = {one["name"] for one in drawn["data"] if one["mode"] == "lines" and "name" in one}
    assert lines == {way.option.title for way in of.pair}
    assert sum(text.startswith("<b>") for text in said(of)) == len(of.pair)
    assert drawn["layout"]["showlegend"] is False
    every = payback_chart(of, False, every=True).to_dict()
    assert {one["name"] for one in every["data"] if one["mode"] == "lines" and "name" in one} == {
        one.option.title for one in of.ranked
    }
    go.Figure(drawn | {"layout": drawn["layout"] | {"template": None}})  # plotly's own validation
    go.Figure(every | {"layout": every["layout"] | {"template": None}})


@each_row("name", CASES)
def test_the_months_begin_today_and_end_with_the_last(name: str) -> None:
    of = found(name)
    last = of.plan.setting.timeline.last
    below = payback_chart(of, False).to_dict()["layout"]["xaxis"]
    assert list(below["range"]) == [0, last]
    assert (below["tickvals"][0], below["tickvals"][-1]) == (0, last)


@each_row("last", [1, 2, 3, 7, 12, 13, 24, 36, 37, 60, 120, 600])
def test_ticks_are_few_and_apart(last: int) -> None:
    shown = ticks(last)
    assert shown[0] == 0
    assert shown[-1] == last
    assert len(shown) <= 12
    assert shown == sorted(set(shown))


def test_what_happens_is_marked_and_said() -> None:
    bought = Scenario.model_validate({"ways": ("own", "on_demand")})
    of = build_answer(planned(catalogue(), bought, DAY))
    assert [(event.what, event.way.option.way) for event in timeline_events(of)] == [
        ("delivered", "own"),
        ("sold", "own"),
    ]
    arrives, last = timeline_events(of)[0].month, of.plan.setting.timeline.last
    assert f"delivered, month {arrives}" in said(of)
    assert f"sold, month {last}" in said(of)
    assert f"Delivered in month {arrives}, sold in month {last}." in payback_summary(of)
    assert payback_summary(of).startswith("At the inputs as entered, buying ")


def test_the_month_that_pays_back_stands_on_the_chart_and_in_the_sentence() -> None:
    of = found("enterprise")
    month = f"{float(of.payback.month):.0f}"
    assert f"pays back, month {month}" in said(of)
    assert payback_summary(of).startswith(f"At the inputs as entered, buying has paid back in month {month}: ")


def test_a_reservation_that_ends_is_marked() -> None:
    reserved = Scenario.model_validate({"ways": ("reserved", "on_demand")})
    of = build_answer(planned(catalogue(), reserved, DAY))
    assert [event.what for event in timeline_events(of)] == ["reservation ends"]
    assert f"reservation ends, month {timeline_events(of)[0].month}" in said(of)


def test_what_is_given_back_is_not_sold() -> None:
    leased = Scenario.model_validate({"ways": ("lease", "on_demand")})
    assert [event.what for event in timeline_events(build_answer(planned(catalogue(), leased, DAY)))] == ["delivered"]


@pytest.mark.parametrize("places", [[0.0, 1.0, 2.0, 2.0, 250.0], [290.0] * 7, [-5.0, 100.0, 101.0]])
def test_names_never_lie_on_each_other(places: list[float]) -> None:
    moved = sorted(_apart(places, [17.0] * len(places), 290))
    assert all(above - below >= 17 - 1e-9 for below, above in pairwise(moved))


def test_the_tile_does_not_say_that_cash_pays_nothing_back() -> None:
    work = ({"accelerators": 8, "busy_share": 0.5},)
    of = build_answer(planned(catalogue(), Scenario.model_validate({"work": work, "ways": ("own", "on_demand")}), DAY))
    tile = summarize_answer(of.plan, of).figures[-1]
    assert (tile.label, tile.range) == ("Cash on day one", "30% deposit, not earned back")


EIGHTY_PERCENT = ({"accelerators": 8, "busy_share": 0.8},)


def test_what_only_its_sale_pays_back_is_said_to() -> None:
    of = build_answer(
        planned(catalogue(), Scenario.model_validate({"work": EIGHTY_PERCENT, "ways": ("own", "on_demand")}), DAY)
    )
    assert of.pair[0].present_usd < of.pair[1].present_usd
    told = "At the inputs as entered, buying has paid back in month 36, with its sale: by month 36 it has cost $"
    assert payback_summary(of).startswith(told)
    assert summarize_answer(of.plan, of).figures[-1].range == "30% deposit, back in month 36, with its sale"
    assert of.payback_by_rent_change[0][1].is_by_sale
