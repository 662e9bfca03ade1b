"""Pinned plans in charts and beside tiles: by letter, with their own amounts."""

from datetime import date

import numpy as np
import plotly.graph_objects as go
import pytest

from planner.money.renting.bill import TODAY
from planner.report import charts, words
from planner.report.answer.payback_chart import payback_chart
from planner.report.answer.plan_report import PlanReport as Told
from planner.report.answer.plan_report import PlanResult, evaluate
from planner.report.answer.side_by_side import (
    PinnedPlan,
    against,
    input_differences_table,
    others,
    repeated,
    saved_usd,
)
from planner.report.futures import future_charts
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import load_catalogue

DAY = date(2026, 11, 22)


@pytest.fixture(scope="module")
def plans() -> tuple[PlanResult, PlanResult]:
    """The plan on the screen, and one of two years and half as many that is pinned."""
    facts = load_catalogue()
    small = Scenario(years=2, work=(Work(accelerators=8, busy_share=0.9),), ways=("own", "on_demand"))
    return tuple(
        evaluate(facts, one, DAY, with_details=True) for one in (Scenario(work=(Work(accelerators=16),)), small)
    )  # type: ignore[return-value]


def drawn(figure: go.Figure) -> go.Figure:
    """The same chart, looked at by plotly's own validation."""
    return go.Figure(figure.to_dict())


def test_a_pinned_plan_has_its_line_to_its_own_end(plans: tuple[PlanResult, PlanResult]) -> None:
    shown, small = plans
    figure = drawn(payback_chart(shown.answer, False, pins=[PinnedPlan("A", small)]))
    line = next(one for one in figure.data if one.name is not None and one.name.startswith("A: "))
    best = small.answer.best
    assert list(line.y) == best.cumulative_usd.tolist()
    assert max(line.x) == 24
    assert figure.layout.xaxis.range[1] == 36
    named = [annotation for annotation in figure.layout.annotations if annotation.text.startswith("A: ")]
    assert [one.x for one in named] == [24]
    assert words.format_usd_short(best.present_usd) in named[0].text


def test_nothing_changes_where_nothing_is_pinned(plans: tuple[PlanResult, PlanResult]) -> None:
    shown, _ = plans
    assert not any((one.name or "").startswith("A") for one in drawn(payback_chart(shown.answer, False)).data)


def test_a_pinned_plans_futures_lie_below_the_dots(plans: tuple[PlanResult, PlanResult]) -> None:
    shown, small = plans
    its = future_charts.pinned_savings("A", small.answer, small.futures)
    assert shown.futures is not None
    figure = drawn(future_charts.futures_dots(shown.answer, shown.futures, False, [its]))  # type: ignore[arg-type]
    line, middle = (one for one in figure.data if one.name == "A")
    ordered = sorted(its[1].tolist())
    assert list(line.x) == [ordered[1], ordered[-2]]
    assert middle.x[0] == pytest.approx(float(np.median(ordered)))
    assert max(line.y) < 0


def test_a_pinned_plans_money_stands_below_the_others_in_the_same_money(plans: tuple[PlanResult, PlanResult]) -> None:
    _, small = plans
    best = small.answer.best
    today, bills = PinnedPlan("B", small).ledger(TODAY), PinnedPlan("B", small).ledger("bills")
    assert today.title.startswith("B: ")
    assert float(today.total_usd) == pytest.approx(best.as_entered_usd)
    assert float(bills.total_usd) == pytest.approx(float(best.option.ledger.total_usd))
    drawn(charts.cost_parts([today, bills], True))


def test_what_it_saves_is_a_line_over_the_tornado(plans: tuple[PlanResult, PlanResult]) -> None:
    _, small = plans
    usd = saved_usd(small.answer)
    pair = small.answer.pair
    assert usd is not None
    assert usd == pair[1].as_entered_usd - pair[0].as_entered_usd
    figure = drawn(future_charts.tornado_chart((), False, pins=[("A", usd)]))
    assert usd in [shape.x0 for shape in figure.layout.shapes]
    assert figure.layout.xaxis.range[0] <= usd <= figure.layout.xaxis.range[1]


def test_a_sentence_says_what_another_plan_comes_to(plans: tuple[PlanResult, PlanResult]) -> None:
    shown, small = plans
    pin = PinnedPlan("A", small)
    mine, other = shown.answer.best, small.answer.best
    more = mine.present_usd - other.present_usd
    (said,) = against(shown, [pin])
    amount, share = words.format_usd_short(more), words.percent(more / other.present_usd)
    assert said == f"The plan on the screen costs {amount} ({share}) more than A."
    (back,) = against(small, [PinnedPlan("B", shown)])
    assert " less than B." in back


def test_a_plan_is_not_compared_with_itself_under_any_name(plans: tuple[PlanResult, PlanResult]) -> None:
    shown, small = plans
    again = evaluate(
        load_catalogue(), shown.scenario.model_copy(update={"name": "Another name"}), DAY, with_details=True
    )
    pins = [PinnedPlan("A", shown), PinnedPlan("B", small), PinnedPlan("C", again)]
    first, other, third = against(shown, pins)
    assert (first, third) == ("The plan on the screen is A.", "The plan on the screen is C.")
    assert " than B." in other
    assert others(shown, pins) == (pins[1],)


def test_a_plan_that_is_entered_twice_is_named_as_the_same(plans: tuple[PlanResult, PlanResult]) -> None:
    shown, small = plans
    table = [
        Told(name, one.plan, one.answer, one.summary) for name, one in zip("xyz", (shown, small, shown), strict=True)
    ]
    assert repeated(table) == ("z is the same plan as x.",)
    assert repeated(table[:2]) == ()
    assert repeated([table[0], table[0]]) == ("x (2) is the same plan as x (1).",)


def test_what_was_left_empty_is_told_as_what_it_stands_for(plans: tuple[PlanResult, PlanResult]) -> None:
    told = [
        Told("A", plans[1].plan, plans[1].answer, plans[1].summary),
        Told("now", plans[0].plan, plans[0].answer, plans[0].summary),
    ]
    table = input_differences_table(told, [plans[1].hints, plans[0].hints])
    assert dict(zip(table["Input"], zip(table["A"], table["now"], strict=True), strict=True))[
        "Utilization, % of hours"
    ] == (
        "90",
        "60",
    )
