"""The three files of a plan are one set of tables: they join on `option`, and say the same totals."""

import io
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given

from planner.cli import main
from planner.money.plan import Plan
from planner.money.verdict.answer import build_answer
from planner.report.files.csv import SIGN, assumptions_table, cash_table, results_table, to_csv
from planner.report.table import Table
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.scenario import Scenario
from planner.scenario.task import TrainingTask
from planner.scenario.work import Work
from planner.study.plan_any import planned
from pricing import load_catalogue
from tests.examples import at_most
from tests.facts import DAY
from tests.money.anyplan import of, plans

pytestmark = pytest.mark.slow

EACH = pytest.mark.parametrize("key", [preset.key for preset in load_presets()])


def as_read(table: Table) -> pd.DataFrame:
    """A table as pandas reads its file."""
    return pd.read_csv(io.BytesIO(to_csv(table)), keep_default_na=False, na_values=[""], low_memory=False)


def files(plan: Plan) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Cash flow, assumptions, results, written and read again."""
    tables = cash_table(plan), assumptions_table(plan, SIGN), results_table(plan, build_answer(plan))
    cash, assumptions, results = (as_read(table) for table in tables)
    return cash, assumptions, results


@lru_cache(maxsize=8)
def files_of(key: str) -> tuple[Plan, pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The plan of a preset, and its files, to be read only."""
    found = find_preset(key)
    plan = planned(load_catalogue(), found.scenario, DAY)
    return plan, *files(plan)


def joined(plan: Plan, cash: pd.DataFrame, assumptions: pd.DataFrame, results: pd.DataFrame) -> None:
    """They hold the same options, each assumption that a payment names, and the same totals."""
    keys = {option.key for option in plan.options}
    assert set(cash["option"]) == set(assumptions["option"].dropna()) == set(results["option"]) == keys
    assert results["option"].is_unique
    assert not assumptions.duplicated(["option", "assumption_id"]).any()

    sums = cash.groupby("option", as_index=False)[["amount", "present_value"]].sum()
    both = sums.merge(results, on="option", how="outer", validate="one_to_one", indicator=True)
    assert (both["_merge"] == "both").all()
    for mine, theirs in (("amount", "total_usd"), ("present_value", "as_entered_usd")):
        assert both[mine].to_numpy() == pytest.approx(both[theirs].to_numpy(), rel=1e-9, abs=1e-3)

    named = cash[["option", "assumption_id"]].dropna().drop_duplicates()
    each = named.assign(assumption_id=named["assumption_id"].str.split()).explode("assumption_id").drop_duplicates()
    found = each.merge(assumptions, on=["option", "assumption_id"], how="left", indicator=True, validate="one_to_one")
    assert (found["_merge"] == "both").all()


@EACH
def test_the_files_of_a_preset_join(key: str) -> None:
    joined(*files_of(key))


@at_most(10)
@given(plans())
def test_the_files_of_any_plan_join(scenario: Scenario) -> None:
    plan = of(scenario)
    if plan.options:
        joined(plan, *files(plan))


@EACH
def test_an_option_is_called_the_same_on_the_answer(key: str) -> None:
    plan, cash, _, results = files_of(key)
    answer = build_answer(plan)
    assert results["option"].tolist() == [way.option.key for way in answer.ranked]
    assert results["baseline"].isin(results["option"]).all()
    assert set(cash["option"]) == {way.option.key for way in answer.ranked}


@EACH
def test_every_column_is_there_for_something(key: str) -> None:
    """A time to train stands where a model is trained, and is no column where none is."""
    plan, cash, _, results = files_of(key)
    assert "created_at_utc" not in cash
    assert set(cash["plan_day"]) == {DAY.isoformat()}
    trains = any(work.train is not None for work in plan.setting.written.work)
    assert ("time_to_train_hours" in results) is trains
    if trains:
        assert results["time_to_train_hours"].notna().all()


def test_the_time_to_train_is_that_of_the_run() -> None:
    plan, _, _, results = files_of("pre-train-7b")
    (training,) = plan.setting.resolved.trainings
    assert results["time_to_train_hours"].tolist() == pytest.approx([24 * training.speed.days.typical] * len(results))


def test_the_longest_of_several_runs_is_told_and_one_on_pictures_counts() -> None:
    tasks = (TrainingTask(model="llama-3-8b", tokens=1e9), TrainingTask(model="resnet-50"))
    hours = []
    for some in ((tasks[0],), (tasks[1],), tasks):
        work = tuple(Work(accelerators=8, train=task) for task in some)
        results = files(planned(load_catalogue(), Scenario(work=work), DAY))[2]
        hours.append(results["time_to_train_hours"].iloc[0])
    assert hours[2] == max(hours[:2]) > min(hours[:2]) > 0


def test_the_same_plan_is_the_same_bytes_whenever_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, *_ = files_of("startup")
    out = tmp_path / "cash.csv"
    assert main(["plan", "startup", "--day", DAY.isoformat(), "--csv", str(out)]) == 0
    assert capsys.readouterr().err == ""
    assert out.read_bytes() == to_csv(cash_table(plan))
