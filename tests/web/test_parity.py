"""One answer everywhere: the page, the command line, its files and a sweep say the same of the same scenario."""

import csv
import io
import json
from pathlib import Path

import pytest

from planner.cli import main
from planner.cli.common import OK
from planner.report.answer.plan_report import PlanResult
from planner.scenario.file import SavedScenario
from planner.scenario.grid import SweepAxis, SweepGrid
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.scenario import Scenario
from planner.study.sweep.sweep import Sweep
from planner.web import state
from pricing import Catalogue, load_catalogue
from tests.facts import DAY

pytestmark = pytest.mark.slow

KEYS = [preset.key for preset in load_presets()]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def scenario_of(key: str) -> Scenario:
    found = find_preset(key)
    return found.scenario


def page(catalogue: Catalogue, key: str) -> PlanResult:
    """What the pages draw on for a preset."""
    return state.shared_result(catalogue, scenario_of(key), DAY)


def cells(path: Path) -> list[dict[str, str]]:
    """A CSV file by its heads."""
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def test_every_preset_is_compared_in_the_words_of_its_page(
    catalogue: Catalogue, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "compare.csv"
    assert main(["compare", *KEYS, "--day", DAY.isoformat(), "--json", "--csv", str(out)]) == OK
    plans = json.loads(capsys.readouterr().out)["plans"]
    rows = {row["Measure"]: row for row in cells(out)}
    for key, told in zip(KEYS, plans, strict=True):
        shown = page(catalogue, key)
        found = shown.answer
        summary = shown.summary
        assert (told["title"], told["sentences"]) == (summary.title, [*summary.sentences, *summary.turns])
        assert (told["verdict"], told["share_cheaper"], told["gap_share"]) == (
            found.verdict, found.share_cheaper, found.gap_share,
        )  # fmt: skip
        assert [(one["key"], one["present_usd"]) for one in told["options"]] == [
            (way.option.key, pytest.approx(way.present_usd)) for way in found.ranked
        ]
        assert rows["Verdict"][key] == shown.summary.title


@pytest.mark.parametrize("key", KEYS)
def test_files_and_sweeps_say_what_the_page_says(
    catalogue: Catalogue, capsys: pytest.CaptureFixture[str], tmp_path: Path, key: str
) -> None:
    shown, out, scenario = page(catalogue, key), tmp_path / "results.csv", scenario_of(key)
    assert main(["plan", key, "--day", DAY.isoformat(), "--json", "--csv-results", str(out)]) == OK
    told, found, drawn = json.loads(capsys.readouterr().out), shown.answer, shown.futures
    assert (told["title"], told["verdict"]) == (shown.summary.title, found.verdict)
    assert drawn is not None
    for row, way in zip(cells(out), found.ranked, strict=True):
        assert float(row["present_usd"]) == pytest.approx(way.present_usd, abs=0.01)
        present = drawn.present(way.option.key)
        ends = float(row["present_p10_usd"]), float(row["present_p90_usd"])
        assert ends == pytest.approx((present.low, present.high), abs=0.01)
    grid = SweepGrid(SavedScenario(scenario), (SweepAxis((("years",),), ((scenario.years,),)),))
    (swept,) = Sweep(catalogue, grid, DAY, with_break_even=False, with_verdict=True).block(0, 1)
    best = found.best.option.key if found.best else ""
    assert (swept.verdict, swept.best, swept.share_cheaper) == (found.verdict, best, found.share_cheaper)
    assert {one: (way.present_usd, way.low_usd, way.high_usd) for one, way in swept.ways.items()} == {
        way.option.key: pytest.approx((way.present_usd, way.low_usd, way.high_usd)) for way in found.ranked
    }
