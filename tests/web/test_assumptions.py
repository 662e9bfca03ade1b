"""The Assumptions page: whose numbers they are, what they weigh, and changing them where they stand."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planner.report import words
from planner.report.facts.assumptions import (
    ALL,
    ASSUMED,
    STALE,
    YOURS,
    AssumptionRow,
    assumption_rows,
    checks,
    limits,
    method,
)
from planner.report.futures.input_words import input_label
from planner.report.glossary import entries_used_in
from planner.report.what_if import compared_pair
from planner.scenario.link import scenario_from_link
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from planner.study.uncertainty.tornado import tornado
from planner.web import show_assumptions
from pricing import load_catalogue
from tests.facts import DAY
from tests.web.test_pages import visit


def rows_for(scenario: Scenario) -> tuple[AssumptionRow, ...]:
    plan = planned(load_catalogue(), scenario, DAY)
    found = decided(plan).answer
    return assumption_rows(plan, tornado(plan, *compared_pair(found)) if found.pair else ())


def test_what_weighs_most_in_the_answer_comes_first_and_is_the_tornado_s() -> None:
    plan = planned(load_catalogue(), Scenario(), DAY)
    bars = tornado(plan, *compared_pair(decided(plan).answer))
    found = assumption_rows(plan, bars)
    assert [row.swing_usd for row in found] == sorted((row.swing_usd for row in found), reverse=True)
    assert found[0].swing_usd == bars[0].swing_usd
    assert {row.swing_usd for row in found} >= {bar.swing_usd for bar in bars}  # none is left out
    assert input_label(bars[0].input.name).startswith(found[0].label)


def test_what_is_entered_is_yours_and_the_catalogue_s_is_not() -> None:
    there, _ = scenario_from_link({"kwh": "0.2", "rate": "12"})
    yours = {row.key for row in rows_for(there) if row.is_in(YOURS)}
    assert yours == {"kwh"}  # the discount rate stands in no line
    assert not [row for row in rows_for(Scenario()) if row.is_in(YOURS)]


@pytest.mark.slow
@pytest.mark.parametrize("preset", load_presets(), ids=lambda preset: preset.short)
def test_every_row_says_what_it_is_and_who_says_so(preset) -> None:  # type: ignore[no-untyped-def]
    found = rows_for(preset.scenario)
    assert found
    for row in found:
        assert all((row.label, row.value, row.origin.source))
        assert "_" not in row.label + row.value + row.range
        assert not row.is_stale or (row.age_days or 0) > (row.limit_days or 0)


def test_the_groups_are_of_this_plan_and_counted() -> None:
    found = rows_for(Scenario())
    stale = [row for row in found if row.is_in(STALE)]
    assert 0 < len(stale) < len(found)
    assert all(row.is_in(ALL) for row in found)
    assert {row.origin.kind for row in found if row.is_in(ASSUMED)} == {"assumption"}


def shown(app: AppTest) -> list[dict[str, Any]]:
    (table,) = [each.value for each in app.dataframe if "Input" in each.value]
    return list(table.to_dict("records"))


def test_a_link_opens_the_stale_ones_and_nothing_else() -> None:
    app = visit("Assumptions")
    app.query_params[show_assumptions.GROUP] = STALE
    app.run()
    assert not app.exception
    assert shown(app)
    assert all("over its limit" in row["Read"] for row in shown(app))
    app.button_group(key=show_assumptions.GROUP).set_value(ASSUMED).run()
    assert app.query_params[show_assumptions.GROUP] == ASSUMED
    assert all(row["Link"] is None for row in shown(app))


def test_all_inputs_stand_in_one_table_until_one_is_found() -> None:
    app = visit("Assumptions").run()
    assert len(shown(app)) == len(rows_for(Scenario()))
    app.text_input(key=show_assumptions.FIND).set_value("electricity").run()
    assert not app.exception
    assert 0 < len(shown(app)) < 8
    assert all("electricity" in row["Input"].casefold() for row in shown(app))
    assert app.query_params["find"] == "electricity"


@pytest.mark.slow
def test_an_input_is_set_below_the_table_and_taken_back() -> None:
    app = visit("Assumptions").run()
    power = next(row for row in rows_for(Scenario()) if row.key == "kwh")
    box = app.selectbox(key="set_input")
    assert box.value is None
    box.set_value(power.id).run()
    app.number_input(key="change-kwh").set_value(0.2).run()
    assert not app.exception
    assert app.query_params["kwh"] == "0.2"
    (row,) = [row for row in shown(app) if row["Input"] == power.label]
    assert row["Source"] == "yours"
    assert row["Value"].startswith("$0.2")
    app.button(key="change-kwh-back").click().run()
    assert "kwh" not in app.query_params


def test_checks_method_and_limits_are_computed() -> None:
    plan = planned(load_catalogue(), Scenario(), DAY)
    judged = decided(plan)
    said = checks(plan, judged.answer)
    assert sum(one.endswith(": yes.") for one in said) == 3
    broken = plan.options[0].ledger
    broken.__dict__["total_usd"] = broken.total_usd + 1
    assert checks(plan, judged.answer)[0].endswith(": NO, tell us.")
    assert any(f"{plan.setting.terms.hours_per_month:g} hours" in one for one in method(plan, judged.futures))
    assert judged.answer.ranked[0].option.title in limits(judged.answer, rows_for(Scenario()))[0]


def test_the_words_are_the_glossary_s() -> None:
    found = {entry.word: entry.meaning for entry in entries_used_in(["Levelized cost figures of a ledger"])}
    assert set(found) >= {"Levelized cost", "Figure", "Ledger"}
    assert found["Levelized cost"].startswith("Discounted cost over discounted hours")
    assert words.markdown(found["Ledger"])
