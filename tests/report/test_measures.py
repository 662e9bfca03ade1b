"""One registry of measures: every output has every measure of every option, with the same number or the same reason."""

import csv
import io
import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from planner.money.option import fleet_size_from_key
from planner.money.plan import Plan
from planner.report.answer.document import answer_document
from planner.report.answer.plan_report import PlanReport
from planner.report.answer.sentences import summarize_answer
from planner.report.answer.tables import options_table
from planner.report.files.csv import results_table, to_csv
from planner.report.files.sweep import RIGHT_SIZE, SweepColumns
from planner.scenario.file import SavedScenario
from planner.scenario.grid import OUTPUTS, SweepAxis, SweepGrid
from planner.scenario.presets import load_presets
from planner.study.measures import BASELINE, EMISSIONS, MEASURES, OptionResult, results_of
from planner.study.plan_any import planned
from planner.study.sweep.sweep import Sweep
from planner.study.uncertainty.sure_verdict import decided
from pricing import PricingError, load_catalogue
from tests.facts import DAY
from tests.report.plain_plans import plain_plan

pytestmark = pytest.mark.slow

RANDOM_PLANS, GROUPS = 150, 10
ALIASES = {
    "present_cost_usd": "present_usd", "present_cost_p10_usd": "present_p10_usd",
    "present_cost_p90_usd": "present_p90_usd", "irr": "return_per_year", "eac_usd_per_year": "usd_per_year",
    "discounted_payback_months": "payback_discounted_months", "break_even_utilisation": "break_even_busy_share",
    "break_even_hours_per_gpu_month": "break_even_hours_per_month",
    "break_even_rent_usd_per_gpu_hour": "break_even_usd_per_accelerator_hour",
    "usd_per_useful_gpu_hour": "usd_per_useful_accelerator_hour", "probability_cheapest": "cheapest_share",
    "operation_kg_co2e": "operation_kg", "making_kg_co2e": "making_kg",
}  # fmt: skip
# Read off the ledger by other code than the registry's.
BY_HAND = {
    "total_usd": lambda it: np.nansum([np.nansum(line.usd * np.ones(1)) for line in it.way.option.ledger.lines]),
    "cash_today_usd": lambda it: sum(
        float(np.broadcast_to(np.nan_to_num(line.usd), it.way.option.ledger.monthly_usd.shape)[0])
        for line in it.way.option.ledger.lines
        if line.is_cash
    ),
    "npv_usd": lambda it: it.answer.baseline.as_entered_usd - it.way.as_entered_usd,
}


def agree(plan: Plan, name: str) -> None:
    """The document, the results CSV and the table have each measure of each option alike."""
    judged = decided(plan, 64)
    found, futures = judged.answer, judged.futures
    words = summarize_answer(plan, found, futures)
    data = json.loads(
        json.dumps(
            answer_document(PlanReport(name, plan, found, words, (), futures)).model_dump(mode="json"), allow_nan=False
        )
    )
    text = to_csv(results_table(plan, found, futures)).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    table = options_table(found)
    results = list(results_of(plan, found, futures))
    assert [one["key"] for one in data["options"]] == [row["option"] for row in rows] == [it.key for it in results]
    for place, (it, option, row) in enumerate(zip(results, data["options"], rows, strict=True)):
        alike(it, option, row)
        for column, number in shown(it, table.columns):
            assert number == pytest.approx(finite(table[column][place])), (name, it.key, column)
        for alias, measure in ALIASES.items():
            assert row[alias] == row[measure], (name, it.key, alias)


def finite(cell: float | None) -> float | None:
    """A cell of a table: a column with decimals has not-a-number where there is none."""
    return None if cell is None or math.isnan(cell) else cell


def alike(it: OptionResult, option: dict[str, Any], row: dict[str, str]) -> None:
    """One option: a number that is the same everywhere, or one reason."""
    for measure in MEASURES:
        value = measure.of(it)
        printed = option[measure.part][measure.name] if measure.part else option[measure.name]
        if isinstance(value, str):
            assert value, measure.name
            assert measure.may_lack, measure.name
            assert (printed, row[measure.name], option["reasons"][measure.name]) == (None, "", value)
            assert value in row["note"]
        else:
            assert math.isfinite(value), measure.name
            assert (printed, float(row[measure.name])) == (value, value), measure.name
            assert measure.name not in option["reasons"]
    for name, by_hand in BY_HAND.items():
        assert option[name] == pytest.approx(by_hand(it), rel=1e-9, abs=1e-3), name
    if it.is_baseline:
        against = ("payback_months", "payback_discounted_months", "return_per_year", "break_even_busy_share",
                   "break_even_hours_per_month", "break_even_usd_per_accelerator_hour")  # fmt: skip
        assert {option["reasons"][name] for name in against} == {BASELINE}
        assert (option["payback_reason"], option["return_reason"]) == (BASELINE, BASELINE)


def shown(it: OptionResult, columns: list[str]) -> Iterator[tuple[str, float | None]]:
    """The columns of the table, with the number that the measure has in the unit of the column."""
    for one in (measure for measure in MEASURES if measure.label):
        tonnes = f"t {one.label}" in columns
        column = (f"t {one.label}" if tonnes else f"kg {one.label}") if one.unit == "kg" else one.label
        number = one.number(it)
        assert column in columns or (one.hides_empty and number is None), one.name
        each = 1_000.0 if tonnes or column.endswith(", m3") else 1.0
        if column in columns:
            yield column, None if number is None else number / each


@pytest.mark.parametrize("key", [preset.key for preset in load_presets()])
def test_every_output_of_an_example_has_every_measure(key: str) -> None:
    job = next(one for one in load_presets() if one.key == key)
    agree(planned(load_catalogue(), job.scenario, DAY), key)


@pytest.mark.parametrize("key", [preset.key for preset in load_presets()])
def test_a_row_of_a_sweep_has_every_measure_that_it_is_asked_for(key: str) -> None:
    found, catalogue = next(one for one in load_presets() if one.key == key), load_catalogue()
    outputs = (*OUTPUTS[:2], *(one.name for one in MEASURES if one.name not in OUTPUTS))
    axis = SweepAxis((("years",),), ((found.scenario.years,), (found.scenario.years + 1,)))
    columns = SweepColumns(SweepGrid(SavedScenario(found.scenario), (axis,), outputs))
    others = tuple(measure for measure in MEASURES if measure.name in columns.measures)
    (point,) = Sweep(catalogue, columns.grid, DAY, with_break_even=False, measures=others).block(0, 1)
    head, row = (next(csv.reader([line.decode("utf-8-sig")])) for line in (columns.head, columns.row(0, point)))
    cells = dict(zip(head, row, strict=True))
    plan = planned(catalogue, found.scenario, DAY)
    judged = decided(plan)
    for it in results_of(plan, judged.answer, judged.futures):
        way = it.key if fleet_size_from_key(it.key) is None else RIGHT_SIZE
        for one in others:
            cell = cells[f"{one.name}_{way}"]
            assert (float(cell) if cell else None) == pytest.approx(one.number(it), abs=0.006), (it.key, one.name)


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_output_of_a_random_plan_has_every_measure(group: int) -> None:
    catalogue, compared = load_catalogue(), 0
    for seed in range(group, RANDOM_PLANS, GROUPS):
        try:
            plan = planned(catalogue, plain_plan(seed, catalogue), DAY)
        except PricingError:
            continue  # what has no plan has no measure
        agree(plan, str(seed))
        compared += 1
    assert compared > RANDOM_PLANS / GROUPS / 2


def test_names_are_unique_and_aliases_are_those_of_the_last_release() -> None:
    names = [measure.name for measure in MEASURES]
    old = {one.was: one.name for one in MEASURES if one.was}
    assert len(set(names)) == len(names)
    assert not set(old) & set(names)
    assert old == {**ALIASES, "probability_own_wins": "cheaper_than_baseline_share"}
    assert {one.part for one in MEASURES} == {"", EMISSIONS}


def test_a_payback_is_told_in_plain_words() -> None:
    enterprise = next(preset for preset in load_presets() if preset.key == "enterprise")
    plan = planned(load_catalogue(), enterprise.scenario, DAY)
    found = decided(plan, 64).answer
    rows = results_table(plan, found).to_pandas().set_index("option")
    assert "payback: payback reached and not reversed" in rows.loc["own-16", "note"]
    assert rows.loc["own-16", "payback_months"] < rows.loc["own-16", "payback_discounted_months"]
    assert rows.loc["on_demand", ["payback_months", "discounted_payback_months", "break_even_utilisation"]].isna().all()
