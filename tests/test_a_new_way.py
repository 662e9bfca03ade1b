"""A new way of supply is one file: on a copy of the program, a file alone puts it wherever ways are."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from planner.money.option import Side
from planner.money.ways import WAYS
from planner.scenario.scenario import Scenario
from planner.scenario.ways import DECLARED, Way, read_option_declaration
from tests.house import ROOT, modules
from tests.money.test_properties import OF_A_SERVICE

BARTER = '''"""Barter: half of what renting costs, for whoever has something to give for it."""

from __future__ import annotations

from dataclasses import replace

from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.setting import PlanContext
from planner.money.ways import on_demand


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Every line of renting on demand, halved."""
    built = on_demand.build(setting)
    if isinstance(built, Unavailable):
        return built
    lines = tuple(replace(line, how=f"({line.how}) / 2") for line in built.lines)
    return replace(built, title="Give things for hours", lines=lines)


WAY = OptionSpec(
    key="barter",
    place=19,
    side="rent",
    build=build,
    name="Barter",
    verdict_text="Barter",
    gerund="bartering",
    result_text="bartered from {what}",
    purchase_text="bartered",
    style=ChartStyle("#123456", "#fedcba", "dot", "bowtie"),
    inputs="rent",
)
'''
TELL = """
import json
from datetime import date
import planner
import tests.conftest  # gives the frozen catalogue
from planner.money.plan import plan
from planner.report.answer.document import answer_document
from planner.report.answer.phrases import hints
from planner.report.answer.payback_chart import payback_chart
from planner.report.answer.plan_report import PlanReport
from planner.report.answer.sentences import summarize_answer
from planner.report.files.csv import assumptions_table, results_table
from planner.report.files.csv import cash_table
from planner.report.files.csv import to_csv
from planner.report.files.sweep import SweepColumns
from planner.scenario.fields import field_spec
from planner.scenario.file import SavedScenario
from planner.scenario.grid import SweepAxis, SweepGrid
from planner.scenario.scenario import Scenario
from planner.study.sweep.sweep import Sweep
from planner.study.uncertainty.sure_verdict import decided
from pricing import load_catalogue
from tests.money.test_properties import test_many_at_once_are_what_each_is_alone as of_every_way

catalogue, day = load_catalogue(), date(2026, 11, 21)
made = plan(catalogue, Scenario(), day)
judged = decided(made)
found, said = judged.answer, summarize_answer(made, judged.answer, judged.futures)
grid = SweepGrid(SavedScenario(Scenario()), (SweepAxis((("work", 0, "busy_share"),), ((0.3,), (0.6,))),))
columns, swept = SweepColumns(grid), Sweep(catalogue, grid, day).block(0, 2)
tables = cash_table(made), results_table(made, found, judged.futures), assumptions_table(made, "$")
print(json.dumps({
    "from": planner.__file__,
    "verdict": found.verdict,
    "title": said.title,
    "sentences": " ".join(said.sentences),
    "chart": [
        (one.get("name"), one.get("line", {}).get("color")) for one in payback_chart(found, False).to_dict()["data"]
    ],
    "columns": columns.names,
    "row": columns.row(0, swept[0]).decode(),
    "files": [to_csv(table).decode() for table in tables],
    "options": answer_document(
        PlanReport("", made, found, said, futures=judged.futures)
    ).model_dump(mode="json")["options"],
    "known": field_spec(("ways", 0)).choices,
    "hint": hints(plan(catalogue, Scenario(ways=("barter",)), day))["rent"],
    "properties": [list(mark.args[1]) for mark in of_every_way.pytestmark if mark.args[0] == "way"],
}))
"""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a copy of the program says that has one file more."""
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "planner", copy / "planner", ignore=shutil.ignore_patterns("*.pyc.*"))
    for beside in ("pricing", "tests"):
        (copy / beside).symlink_to(ROOT / beside)
    (copy / "planner" / "money" / "ways" / "barter.py").write_text(BARTER, encoding="utf-8")
    command = [sys.executable, "-c", TELL]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert Path(told["from"]).is_relative_to(copy)
    return told


@pytest.mark.slow
def test_a_file_alone_puts_a_way_into_the_verdict_and_its_words(there: dict[str, Any]) -> None:
    assert there["verdict"] == "rent"
    assert there["title"] == "Barter."
    assert "bartered from" in there["sentences"]
    assert "Renting is the cheapest in" in there["sentences"]


@pytest.mark.slow
def test_and_into_charts_files_and_sweeps(there: dict[str, Any]) -> None:
    assert ["Give things for hours", "#123456"] in there["chart"]
    assert [(one["way"], one["side"]) for one in there["options"] if one["key"] == "barter"] == [("barter", "rent")]
    assert all("barter" in file for file in there["files"])
    assert {"present_usd_barter", "cash_today_usd_barter"} <= set(there["columns"])
    assert "barter" in there["row"]


@pytest.mark.slow
def test_and_into_what_a_scenario_may_name_hints_and_the_properties_of_every_way(there: dict[str, Any]) -> None:
    assert there["known"] == [*WAYS, "barter"]
    assert float(there["hint"]) > 0  # what an hour costs, though renting on demand was not asked for
    assert there["properties"] == [[*(way for way in WAYS if way not in OF_A_SERVICE), "barter"]]


def test_what_the_scenario_reads_is_what_the_records_say() -> None:
    assert [(one.place, one.key, one.inputs, one.when_empty) for one in DECLARED] == [
        (one.place, one.key, one.inputs, one.when_empty) for one in WAYS.values()
    ]
    assert list(WAYS) == list(get_args(Way))
    assert [one.place for one in WAYS.values()] == list(range(1, len(WAYS) + 1))
    for one in WAYS.values():
        assert not one.inputs or one.inputs in Scenario.model_fields
        if one.when_empty != "usual":
            assert Scenario.model_fields[one.inputs].default is None


def test_a_helper_declares_no_way_and_a_record_in_the_middle_is_refused() -> None:
    assert read_option_declaration("helper", "WAYS = 3\n") is None
    with pytest.raises(SyntaxError):
        read_option_declaration("barter", BARTER + "\n\nLATER = 1\n")


def test_no_two_ways_look_or_are_called_alike() -> None:
    for alike in ("name", "verdict_text"):
        assert len({getattr(one, alike) for one in WAYS.values()}) == len(WAYS)
    styles = [one.style for one in WAYS.values()]
    assert len({style.light for style in styles}) == len({style.dark for style in styles}) == len(WAYS)
    for side in get_args(Side):
        shown = [(one.style.dash, one.style.symbol) for one in WAYS.values() if one.side == side]
        assert len(set(shown)) == len(shown)


# The one list that stays: a mix can give its peaks to three ways, as its arithmetic has it.
LISTS = {"planner/scenario/rent.py", "planner/money/renting/order_market.py", "pricing/market/depth.py"}


def lists_ways(node: ast.AST) -> bool:
    """Whether a collection names three ways or more; the words of the answers (own, keep, mix) alone are no ways."""
    inside = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
    ways = {one.value for one in inside if isinstance(one, ast.Constant) and one.value in WAYS}
    return len(ways) > 2 and not ways <= {*get_args(Side)}


@pytest.mark.slow
def test_nothing_keeps_a_list_of_ways_beside_their_records() -> None:
    assert {module.path for module in modules() if any(lists_ways(node) for node in module.nodes)} == LISTS
    wrong = ast.parse('LOOKS = {"own": 1, "lease": 2, "spot": 3}; ORDERED = ("own", "loan", "lease")')
    assert [type(node) for node in ast.walk(wrong) if lists_ways(node)] == [ast.Dict, ast.Tuple]


def test_the_glossary_lists_all_ways() -> None:
    text = " ".join((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").replace("`", "").split())
    assert ", ".join(WAYS) in text.replace(" or ", ", ")
