"""The What if page through the question bar, without a browser: asserted against the engine."""

from collections.abc import Mapping
from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

from planner.money.plan import Plan
from planner.report.futures import future_charts
from planner.report.futures.counted import buy_or_wait_sentences
from planner.report.futures.input_words import input_label
from planner.report.title import title
from planner.report.what_if import (
    ONLY_HERE,
    WHAT_INDICES_ARE,
    axis_label,
    compared_pair,
    headline,
    map_summary,
    no_comparison_summary,
    stress_label,
    tornado_table,
)
from planner.scenario.link import scenario_from_link
from planner.study.buy_or_wait import Waiting, buy_or_wait_futures, waiting
from planner.study.plan_any import planned
from planner.study.uncertainty.break_even_map import (
    BUSY,
    YEARS,
    break_even_map,
    has_scenario_field,
    map_axis,
    map_axis_names,
    scenario_with_inputs,
)
from planner.study.uncertainty.stress import stresses, with_stress_tests
from planner.study.uncertainty.sure_verdict import Judged, decided
from planner.study.uncertainty.tornado import TornadoBar, tornado
from planner.web.pages import what_if
from pricing import load_catalogue
from tests.facts import DAY
from tests.web.test_pages import SLOW, one_page, unfolded

pytestmark = pytest.mark.slow

NO_PRICE = {"gpu": "TPU-v3"}
SERVED = {"serve": "Llama-3.1-8B", "rps": "20"}
TRY, WINS = what_if.VIEWS[2], what_if.VIEWS[1]


def visit(held: Mapping[str, str | list[str]], view: str = "") -> AppTest:
    """A visitor on the What if page, by a link."""
    app = AppTest.from_function(one_page, args=("What if",), default_timeout=SLOW)
    for key, text in (dict(held) | ({"turn": view} if view else {})).items():
        app.query_params[key] = text
    app.run()
    assert not app.exception
    return app


def plain(text: str) -> str:
    return text.replace("\\", "")


def all_text(app: AppTest) -> str:
    return plain(" ".join(one.value for one in (*app.markdown, *app.header)))


def asked(held: Mapping[str, str]) -> Plan:
    catalogue = load_catalogue()
    return planned(catalogue, scenario_from_link(held, catalogue)[0], DAY)


def weighed(made: Plan) -> tuple[Judged, tuple[TornadoBar, ...]]:
    judged = decided(made)
    return judged, tornado(made, judged.answer.own.option, judged.answer.rent.option)


MADE = asked({})


@cache  # not when the file is read: `make quick` reads it and runs none of it
def judged_as_made() -> Judged:
    return weighed(MADE)[0]


@cache
def bars_as_made() -> tuple[TornadoBar, ...]:
    return weighed(MADE)[1]


def test_the_title_is_what_matters_most_and_where_it_turns() -> None:
    app = visit({})
    assert plain(app.title[0].value) == headline(bars_as_made())
    assert plain(app.title[0].value).startswith("Yearly change of rents matters most: both options cost the same at ")
    turning = sum(bar.flips_sign for bar in bars_as_made())
    assert f"{turning} of {len(bars_as_made())} uncertain inputs alone can make both cost the same" in all_text(app)


@pytest.mark.parametrize(("held", "said"), [
    ({"busy": "10"}, "; nothing alone makes both cost the same"),
])  # fmt: skip
def test_the_title_names_the_first_flip_or_that_there_is_none(held: dict[str, str], said: str) -> None:
    _, bars = weighed(asked(held))
    assert headline(bars).endswith(said)


def test_a_mix_that_is_the_answer_is_set_against_what_it_beats() -> None:
    held = {"busy": "95", "wait": "0", "also": '{"work": [{}, {"accelerators": 32, "busy_share": 0.1}]}'}
    plan = asked(held)
    found = decided(plan).answer
    assert found.verdict in ("mix", "probably mix")
    ways = compared_pair(found)
    assert [one.way for one in ways] == ["mix", "on_demand"]
    bars = tornado(plan, *ways)
    assert bars[0].saved_usd == pytest.approx(found.against.as_entered_usd - found.best.as_entered_usd)
    app = visit(held, WINS)
    assert plain(app.title[0].value) == headline(bars)
    assert "The mix costs less on" in all_text(app)


@pytest.mark.parametrize("held", [{}, SERVED, {"gpus": "64", "years": "1"}])
def test_on_a_phone_the_values_at_the_ends_of_the_bars_and_the_line_where_it_turns_are_on_the_chart(
    held: dict[str, str],
) -> None:
    """A chart of 334 pixels, in which a letter of the values takes about six."""
    plan = asked(held)
    figure = future_charts.tornado_chart(tornado(plan, *compared_pair(decided(plan).answer)), dark=False).to_dict()
    start, end = figure["layout"]["xaxis"]["range"]
    assert start <= 0 <= end
    values = [one for one in figure["layout"]["annotations"] if one.get("xref") != "paper"]
    assert values
    for one in values:
        at, wide = (one["x"] - start) / (end - start) * 334, 6 * len(one["text"])
        assert (at + 3 + wide <= 334) if one["xanchor"] == "left" else (at - 3 - wide >= 0), one["text"]


def test_buying_now_or_later_is_told_over_the_futures() -> None:
    found = waiting(MADE)
    assert isinstance(found, Waiting)
    said = buy_or_wait_sentences(found, buy_or_wait_futures(found))
    assert "simulated futures" in said[1]
    assert all(one in all_text(visit({}, what_if.VIEWS[3])) for one in said)


def test_the_table_behind_the_bars_holds_all_of_them() -> None:
    assert len(tornado_table(bars_as_made())) == len(bars_as_made()) > 20


def test_the_map_is_of_any_two_inputs_of_the_link() -> None:
    held = {"across": axis_label("rent_change_per_year"), "up": axis_label("usd_per_accelerator")}
    app = visit(held, WINS)
    own, rent = judged_as_made().answer.own, judged_as_made().answer.rent
    both = map_axis(MADE, "rent_change_per_year"), map_axis(MADE, "usd_per_accelerator")
    assert map_summary(break_even_map(MADE, own.option, rent.option, *both)) in all_text(app)
    assert app.selectbox(key="across").options == [input_label(name) for name in map_axis_names(MADE, bars_as_made())]
    app.selectbox(key="up").set_value(held["across"]).run()
    assert not app.exception
    assert "Choose two different inputs" in all_text(app)


def test_a_cell_of_the_map_becomes_the_plan() -> None:
    own, rent = judged_as_made().answer.own, judged_as_made().answer.rent
    found = break_even_map(MADE, own.option, rent.option, map_axis(MADE, BUSY), map_axis(MADE, YEARS))
    place = future_charts.clicked_values(found, "8,17")
    assert place == {BUSY: pytest.approx(0.9), YEARS: 5.0}
    after = scenario_with_inputs(MADE, place)
    assert after == scenario_from_link({"busy": "90", "years": "5"}, load_catalogue())[0]
    for wrong in ("13,0", "0,20", "x,1", "-1,0", ""):
        assert future_charts.clicked_values(found, wrong) is None
    chart = future_charts.break_even_map_chart(found, False)
    cells = next(trace for trace in chart.to_dict()["data"] if "customdata" in trace)
    assert len(cells["customdata"]) == found.saved_usd.size
    assert all(future_charts.clicked_values(found, cell[0]) for cell in cells["customdata"])


def test_what_has_no_field_stays_as_it_is() -> None:
    served = asked(SERVED)
    assert not has_scenario_field(served, BUSY)  # it follows from the requests
    assert not has_scenario_field(MADE, "residual_position")
    assert scenario_with_inputs(MADE, {"residual_position": 1.0}) is None
    assert scenario_with_inputs(MADE, {"lead_time_months": 1e6}) is None  # more than the field takes
    after = scenario_with_inputs(MADE, {"usd_per_accelerator": 27_123.4, "residual_position": 1.0})
    assert after == scenario_from_link({"price": "27100"}, load_catalogue())[0]
    assert "There is no field for utilization" in all_text(visit(SERVED, WINS))


def test_tests_change_the_words_alone_and_together() -> None:
    keys = ("rents-fall", "delivery-late")
    app = visit({"stress": [stress_label(key) for key in keys]}, TRY)
    there = with_stress_tests(MADE, keys)
    assert there is not None
    both = decided(there)
    assert plain(app.header[0].value) == f"{title(judged_as_made().answer).rstrip('.')} becomes: {title(both.answer)}"
    assert title(both.answer) != title(judged_as_made().answer)
    table = app.dataframe[0].value.set_index("Plan")
    assert list(table.index) == ["As entered", *(stresses()[key].label for key in keys), "All of these together"]
    alone = table.loc["As entered", "Owning is cheaper, of 100 futures"]
    together = table.loc["All of these together"]
    assert together["Owning, USD"] == pytest.approx(both.answer.own.present_usd)
    assert together["Owning is cheaper, of 100 futures"] < alone
    assert ONLY_HERE in all_text(app)
    as_entered = headline(bars_as_made())
    assert plain(app.title[0].value) == as_entered
    app.button_group(key=what_if.STRESS).set_value([]).run()
    assert not app.exception
    assert plain(app.header[0].value).startswith(f"As entered: {title(judged_as_made().answer)}")


def test_every_test_names_a_source_one_can_open() -> None:
    app = visit({"stress": [stress_label(key) for key in stresses()]}, TRY)
    for stresse in stresses().values():
        assert load_catalogue().sources[stresse.source].title in all_text(app)
        assert stresse.label in all_text(app)


def test_a_test_that_is_a_field_becomes_the_plan_and_is_tried_no_longer() -> None:
    app = visit({"stress": [stress_label("delivery-late"), stress_label("resale-halves")]}, TRY)
    assert not [one for one in app.button if one.key == "plan-resale-halves"]  # a factor on a curve has no field
    app.button(key="plan-delivery-late").click().run()
    assert not app.exception
    there = with_stress_tests(MADE, ("delivery-late",))
    assert unfolded(app).number_input(key="wait").value == there.setting.tried["lead_time_months"]
    assert app.button_group(key=what_if.STRESS).value == [stress_label("resale-halves")]


def test_a_later_test_starts_from_what_an_earlier_one_left() -> None:
    once = with_stress_tests(MADE, ("delivery-late",))
    twice = with_stress_tests(MADE, ("delivery-late", "delivery-late"))
    assert twice.setting.tried["lead_time_months"] == once.setting.tried["lead_time_months"] + 6


def test_who_asks_sees_where_the_doubt_comes_from() -> None:
    app = visit({})
    assert "of the uncertainty comes from" not in all_text(app)  # it takes a second, so only for those who open it
    app.session_state["doubt"] = True
    app.run()
    assert not app.exception
    assert "of the uncertainty comes from" in all_text(app)
    assert WHAT_INDICES_ARE in all_text(app)
    first = app.dataframe[0].value["By itself"]
    assert first.sum() == pytest.approx(1.0, abs=0.1)  # here inputs hardly work through each other


@pytest.mark.parametrize("view", what_if.VIEWS)
def test_without_two_ways_it_says_what_is_missing(view: str) -> None:
    app = visit(NO_PRICE, view)
    missing = no_comparison_summary(decided(asked(NO_PRICE)))
    assert plain(app.title[0].value) == missing.title == "Not enough to answer yet."
    assert "enter what you would pay for one" in all_text(app)
    assert not app.dataframe


@pytest.mark.parametrize("view", what_if.VIEWS)
@pytest.mark.parametrize("held", [SERVED, {"price": "30000", "years": "0.25"}])
def test_every_view_of_other_plans_opens(view: str, held: dict[str, str]) -> None:
    assert visit(held, view).title
