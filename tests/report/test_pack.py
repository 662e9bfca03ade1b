"""The pack of CSV files: calculated again by code that shares nothing with the program, and read back."""

import io
import json
import math
import zipfile
from itertools import product
from pathlib import Path
from random import Random

import pytest

from bench.one_comparison import random_scenario
from planner.cli.common import OK
from planner.report.files.csv_style import DECIMALS, ENCODINGS, SEPARATORS, CsvStyle
from planner.report.handouts import pack_tables, write_pack
from planner.scenario.file import SavedScenario, read_scenario
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.scenario.terms import Currency, TaxInputs
from planner.scenario.work import Work
from tests.facts import CATALOGUE, DAY
from tests.recalculate import CsvPack
from tests.report.workbooks import answered
from tests.rows import slow_except
from tests.shell import DAY as SHELL_DAY
from tests.shell import run

RANDOM = 20
CENT = 0.005
EVIL = '=HYPERLINK("http://x","y")'
TAXED = Scenario(
    name=EVIL, years=1.5, tax=TaxInputs(tax_share=0.25, vat_share=0.2), work=(Work(accelerators=8),),
    currency=Currency(code="EUR", usd_per_unit=1.25, day=DAY, source="ECB"),
)  # fmt: skip
PLANS = {preset.key: preset.scenario for preset in load_presets()} | {
    "taxed": TAXED, **{f"random-{number}": random_scenario(Random(1_000 + number)) for number in range(RANDOM)},
}  # fmt: skip
STYLES = [CsvStyle(*style) for style in product(SEPARATORS, DECIMALS, ENCODINGS)]


def read(data: bytes, style: CsvStyle = CsvStyle()) -> CsvPack:  # noqa: B008 - it is frozen
    return CsvPack(data, style.separator, DECIMALS[style.decimal], style.encoding)


def wrong_cents(pack: CsvPack) -> list[str]:
    """Return where what follows from formulas and inputs is not what the pack says, to the cent."""
    wrong, amounts, factors = [], pack.amounts(), pack.discount_factors()
    for row in pack.tables["cash-flow"]:
        if row["line_code"] == "hours":
            continue
        month = int(row["period_index"])
        usd, said = amounts[row["option"], row["line_code"]][month], pack.number(row["amount"])
        worth = pack.number(row["present_value"])
        same = math.isnan(usd) == math.isnan(said) and (
            math.isnan(usd) or (abs(usd - said) < CENT and abs(usd * factors[month] - worth) < CENT)
        )
        if not same:
            wrong.append(f"{row['option']} {row['line_code']} {month}: {usd} for {said}")
    options = pack.by_option(amounts)
    worths = {key: math.fsum(map(math.prod, zip(usd, factors, strict=True))) for key, usd in options.items()}
    cash = [row for row in pack.tables["lines"] if row["cash_or_noncash"] == "cash"]
    for row in pack.tables["results"]:
        key = row["option"]
        paid = [usd for line in cash if line["option"] == key for usd in amounts[key, line["line_code"]]]
        expected = {
            "as_entered_usd": worths[key], "total_usd": math.fsum(options[key]),
            "npv_usd": worths[row["baseline"]] - worths[key],
            "total_cash_usd": math.fsum(usd for usd in paid if not math.isnan(usd)),
        }  # fmt: skip
        wrong += [f"{key}: {name}: {usd} for {row[name]}" for name, usd in expected.items()
                  if abs(usd - pack.number(row[name])) >= CENT]  # fmt: skip
    return wrong


@pytest.mark.parametrize("name", slow_except(("taxed",), PLANS))
def test_cash_totals_and_npv_follow_from_the_assumptions_alone(name: str) -> None:
    plan, answer = answered(PLANS[name])
    pack = read(write_pack(plan, answer, None, "Buy."))
    assert {row["option"] for row in pack.tables["lines"]} == {option.key for option in plan.options}
    wrong = wrong_cents(pack)
    assert not wrong, wrong[:5]
    other = pack.tables["assumptions-by-month"]
    rate = next(row for row in pack.tables["assumptions"] if row["name"] == "discount_rate_per_year")
    rate["value"] = "0.5"
    other.reverse()
    assert wrong_cents(pack), "it sees no change"


@pytest.mark.parametrize(
    "style", slow_except(STYLES[:1], STYLES), ids=lambda style: f"{style.separator}-{style.decimal}-{style.encoding}"
)
def test_every_style_is_calculated_and_read_back_alike(style: CsvStyle) -> None:
    plan, answer = answered(TAXED)
    data = write_pack(plan, answer, None, "Buy.", style)
    assert not wrong_cents(read(data, style))
    saved = SavedScenario(TAXED, DAY, CATALOGUE.digest)
    assert read_scenario(data, "pack.zip", CATALOGUE) == saved
    assumptions = zipfile.ZipFile(io.BytesIO(data)).read("assumptions.csv")
    assert read_scenario(assumptions, "assumptions.csv", CATALOGUE) == saved


def test_the_dictionary_has_every_column_of_every_file() -> None:
    plan, answer = answered(TAXED)
    data = write_pack(plan, answer, None, "Buy.")
    pack = read(data)
    described = {(row["file"], row["column"]): row for row in pack.tables["dictionary"]}
    columns = {(name, column) for name, rows in pack.tables.items() for column in (rows[0] if rows else ())}
    assert columns <= set(described)
    assert all(row["meaning"] and row["format"] for row in described.values())
    for name, rows in pack.tables.items():
        for column, cell in ((column, cell) for row in rows for column, cell in row.items() if cell):
            kind = described[name, column]["format"]
            if kind in ("number", "whole number"):
                assert math.isfinite(float(cell)), (name, column, cell)
            assert kind != "whole number" or float(cell).is_integer(), (name, column, cell)
    said = zipfile.ZipFile(io.BytesIO(data)).read("README.txt").decode("utf-8-sig")
    assert all(f"{name}.csv" in said for name in pack.tables)


def test_no_cell_of_a_pack_is_a_formula_and_the_same_plan_is_the_same_file() -> None:
    plan, answer = answered(TAXED)
    data = write_pack(plan, answer, None, "Buy.")
    assert write_pack(plan, answer, None, "Buy.") == data
    tables = read(data).tables
    for name, rows in tables.items():
        kinds = {row["column"]: row["format"] for row in tables["dictionary"] if row["file"] == name}
        for column, cell in ((column, cell) for row in rows for column, cell in row.items()):
            assert not cell.startswith(("=", "@", "\t", "+")), (name, column, cell)
            assert not cell.startswith("-") or "number" in kinds[column], (name, column, cell)
    assert read(data).tables["plan"][4]["value"] == f"'{EVIL}"
    assert set(pack_tables(plan, answer, None)) | {"files"} == set(read(data).tables)


@pytest.mark.slow
def test_a_pack_of_the_command_line_is_the_same_plan_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "pack.zip"
    style = ("--csv-separator", "semicolon", "--csv-decimal", "comma", "--csv-encoding", "utf-16")
    code, out, _ = run(capsys, "plan", "research-lab", *SHELL_DAY, "--json", "--pack", str(file), *style)
    assert code == OK
    before, (code, again, _) = json.loads(out), run(capsys, "plan", str(file), "--json")
    assert code == OK
    assert json.loads(again)["options"] == before["options"]
    results = {row["option"]: row for row in read(file.read_bytes(), CsvStyle(*style[1::2])).tables["results"]}
    for option in before["options"]:
        assert float(results[option["key"]]["npv_usd"].replace(",", ".")) == option["npv_usd"]
