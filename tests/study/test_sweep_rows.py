"""Whole files of sweeps: every row equals the plan of its scenario, and few rows are calculated one by one."""

import csv
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import planner
import pricing
from planner.cli import main
from planner.cli.common import OK
from planner.cli.sweep_run import code_digest
from planner.money.verdict.answer import build_answer
from planner.money.ways import WAYS
from planner.report.files.sweep import RIGHT_SIZE, SweepColumns
from planner.scenario.file import SavedScenario
from planner.scenario.grid import SweepGrid, read_grid
from planner.study.plan_any import planned
from planner.study.sweep.sweep import PointAnswer, Sweep, _GridPoint
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row

MOST_ALONE = 0.11  # of the rows, those that prove the others included: each size of order has a market of its own
CENT = 0.0101  # the file rounds to cents
EACH = 3  # rows, of which one is planned alone: no last axis has a multiple of three steps, so all values are met
PAIR = ("npv_usd", "payback_months", "payback_discounted_months")
OUTPUTS = "outputs: [own, rent, npv_usd, payback_months, payback_discounted_months, present_usd, cash_today_usd]\n"
GRIDS = {
    "prices and utilization": """\
base: {work: [{accelerators: 16}]}
vary:
  work.0.busy_share: {from: 0.1, to: 1, steps: 8}
  own.usd_per_kwh: {from: 0.05, to: 0.25, steps: 4}
  terms.rent_change_per_year: {from: -0.3, to: 0.1, steps: 4}
  terms.discount_rate_per_year: {from: 0.04, to: 0.16, steps: 4}
""",
    "numbers of GPUs": """\
base: {years: 4}
vary:
  work.0.accelerators: [8, 16, 64]
  work.0.busy_share: {from: 0.2, to: 1, steps: 13}
  own.usd_per_kwh: {from: 0.05, to: 0.25, steps: 13}
""",
    "options, and an amount in euros": """\
base: {own: {usd_per_server: 240000 EUR}, loan: {loan_share: 0.8}}
ways: [own, loan, lease, on_demand, reserved]
vary:
  terms.discount_rate_per_year: {from: 0.02, to: 0.2, steps: 23}
  rent.usd_per_accelerator_hour: {from: 1.5, to: 4, steps: 22}
""",
    "cards at home, whose data go by their memory": """\
base: {accelerator: RTX-4090-24GB, work: [{accelerators: 2}]}
vary:
  terms.rent_change_per_year: {from: -0.3, to: 0.1, steps: 8}
  terms.discount_rate_per_year: {from: 0.02, to: 0.16, steps: 8}
  own.usd_per_kwh: {from: 0.05, to: 0.35, steps: 8}
""",
    "growth, reserved in steps": """\
base: {years: 4, work: [{accelerators: 24, growth_per_year: 0.4}]}
ways: [own, on_demand, reserved]
vary:
  work.0.busy_share: [0.4, 0.8]
  terms.rent_change_per_year: {from: -0.3, to: 0.1, steps: 16}
  terms.discount_rate_per_year: {from: 0.02, to: 0.16, steps: 16}
""",
    "countries": """\
base: {work: [{accelerators: 32, busy_share: 0.8}]}
vary:
  site: [US, DE]
  work.0.busy_share: {from: 0.3, to: 0.95, steps: 10}
  own.residual_share: {from: 0.05, to: 0.5, steps: 25}
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", GRIDS.values(), ids=GRIDS)
def test_every_row_of_a_file_is_its_plan_and_few_are_calculated_alone(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = []
    real = Sweep._alone

    def counted(sweep: Sweep, point: _GridPoint, *, is_complete: bool = False) -> PointAnswer:
        alone.append(point.values)
        return real(sweep, point, is_complete=is_complete)

    monkeypatch.setattr(Sweep, "_alone", counted)
    file, out = tmp_path / "grid.yaml", tmp_path / "rows.csv"
    file.write_text(text + OUTPUTS, encoding="utf-8")
    assert main(["sweep", str(file), "--csv", str(out), "--jobs", "1", "--day", DAY.isoformat()]) == OK
    grid = read_grid(file.read_bytes(), file.name, CATALOGUE, _no_other_base)
    with out.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == grid.count >= 500
    assert len(alone) <= MOST_ALONE * grid.count
    for number, row in list(enumerate(rows))[::EACH]:
        assert dict(_wrong_cells(row, grid, number)) == {}, number


def _no_other_base(name: object) -> SavedScenario:
    raise AssertionError(name)


def _wrong_cells(row: dict[str, str], grid: SweepGrid, number: int) -> Iterator[tuple[str, tuple[str, object]]]:
    """The cells of a row that differ from the plan of its scenario, whose offers are chosen anew."""
    told = build_answer(planned(CATALOGUE, grid.scenario(grid.values(number)), DAY))
    words: dict[str, object] = {"id": str(number), "best": told.best.option.key}
    if row["leads"] != "limited":
        words["leads"] = WAYS[told.best.option.way].side
    amounts: dict[str, float] = {}
    for way in told.ranked:
        column = way.option.key if way.option.key in WAYS else RIGHT_SIZE
        amounts[f"present_usd_{column}"] = way.present_usd
        amounts[f"cash_today_usd_{column}"] = float(np.asarray(way.measures.cash_today_usd))
    if told.pair:
        amounts["npv_usd"] = told.pair[1].present_usd - told.pair[0].present_usd
        amounts["payback_months"] = float(told.pair[0].measures.simple_payback.months)
        amounts["payback_discounted_months"] = float(told.payback.months)
    yield from ((name, (row[name], want)) for name, want in words.items() if row[name] != want)
    for name, cell in row.items():
        if name.startswith(("present_usd_", "cash_today_usd_")) or name in PAIR:
            want = amounts.get(name, math.nan)
            if not math.isclose(float(cell or "nan"), want, abs_tol=CENT) and (cell or not math.isnan(want)):
                yield name, (cell, want)


USUAL = ["own", "loan", "lease", "on_demand", "reserved", "spot"]


@each_row(("text", "options"), [
    ("vary: {years: [2, 3]}", USUAL),
    ("base: {kept: {accelerators: 4}}\nvary: {years: [2, 3]}", [*USUAL, "keep"]),
    ("vary: {kept.accelerators: [2, 3]}", [*USUAL, "keep"]),
    ("base: {own: {accelerators: 16}}\nways: [own, spot]\nvary: {years: [2, 3]}", ["own", RIGHT_SIZE, "spot"]),
    ("ways: [own, spot]\nvary: {own.accelerators: [2, 3]}", ["own", RIGHT_SIZE, "spot"]),
])  # fmt: skip
def test_a_file_has_columns_for_the_options_that_a_point_may_have(text: str, options: list[str]) -> None:
    columns = SweepColumns(read_grid(text.encode(), "grid.yaml", CATALOGUE, _no_other_base))
    assert sorted(columns.options) == sorted(options)


def test_another_version_of_any_module_or_constant_is_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[Path] = set()
    real = Path.read_bytes

    def noted(path: Path) -> bytes:
        read.add(path)
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", noted)
    code_digest()
    folders = [Path(package.__path__[0]) for package in (planner, pricing)]
    modules = {path for folder in folders for path in folder.rglob("*.py")}
    constants = set(folders[0].glob("speed/data/*.yaml")) | set(folders[0].glob("study/data/*.yaml"))
    assert len(constants) > 2
    assert modules | constants <= read
