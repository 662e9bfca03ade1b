"""The workbook: LibreOffice calculates what the engine calculates, and a changed input changes both alike."""

import csv
import io
import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from planner.cli.common import OK
from planner.money.ledger import CASES, Case, Line
from planner.money.measures import RATE, present_usd
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report.files.excel import TODAY, cell_name, column, excel_formula
from planner.report.files.workbook_option import MEASURED
from planner.scenario.presets import load_presets
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import CapitalInputs, TaxInputs
from planner.scenario.work import Work
from pricing import PricingError
from tests.daily import of_today
from tests.office import Sheets, recalculated, with_cells
from tests.report.workbooks import (
    FACTORS,
    NEAR,
    answered,
    book_complaints,
    changed,
    cheapest,
    complaints,
    input_cells,
    taxed_scenario,
    written,
)  # fmt: skip
from tests.shell import DAY as SHELL_DAY
from tests.shell import run

RANDOM = 3  # 30 take LibreOffice minutes
EVIL = '=HYPERLINK("http://x","y")'
EXAMPLES = {preset.key: preset.scenario for preset in load_presets()}
BUILT = Scenario(capital=CapitalInputs(equity_share=0.6), ways=("own", "on_demand"))
TAXED = Scenario(name=EVIL, years=1.5, tax=TaxInputs(tax_share=0.25), work=(Work(accelerators=8),))
TAX = TaxInputs(tax_share=0.25, schedule="macrs-5-half-year", vat_share=0.19, vat_recovered_share=0.9)
SUPPORTED = Scenario(ways=("own", "on_demand"), rent=RentalInputs(support_share=0.1))
CHANGED = "fine-tune-70b-taxed"
ENDS: tuple[Case, ...] = ("low", "high")
IN_CASES = (CHANGED, "chat-service")


@dataclass(repr=False)
class Calculated:
    """Workbooks with the plans that they are of, and what LibreOffice makes of all of them in one call."""

    plans: dict[str, tuple[Plan, Answer]]
    values: dict[str, float]  # of changed inputs
    sheets: dict[str, Sheets]


@pytest.fixture(scope="module")
def calculated(tmp_path_factory: pytest.TempPathFactory) -> Calculated:
    scenarios = {
        **{name: EXAMPLES[name] for name in ("chat-service", *of_today(tuple(EXAMPLES), 2))},
        CHANGED: EXAMPLES["fine-tune-70b"].model_copy(update={"tax": TAX}),
        **{f"taxed-{number}": taxed_scenario(number) for number in range(RANDOM)},
    }  # fmt: skip
    plans = {name: answered(scenario) for name, scenario in scenarios.items()}
    books = {name: written(*plan) for name, plan in plans.items()}
    of_cases = {f"{case}_{name}": with_cells(books[name], "Inputs", {"C2": 1.0 + CASES.index(case)})
                for name in IN_CASES for case in ENDS}  # fmt: skip
    cells = {name: input_cells(books[CHANGED], name) for name in FACTORS}
    values = {name: next(iter(cells[name].values())) * factor for name, factor in FACTORS.items()}
    of_cases["supported"] = with_cells(written(*answered(SUPPORTED)), "Inputs", {"D6": 0.2})
    typed = {f"{name}_changed": with_cells(books[CHANGED], "Inputs", dict.fromkeys(cells[name], value))
             for name, value in values.items()}  # fmt: skip
    return Calculated(plans, values, recalculated(books | of_cases | typed, tmp_path_factory.mktemp("office")))


@pytest.mark.slow
def test_libreoffice_calculates_what_the_engine_calculates(calculated: Calculated) -> None:
    for name, (plan, answer) in calculated.plans.items():
        sheets = calculated.sheets[name]
        wrong = [*complaints(sheets, plan, answer), *book_complaints(sheets, plan, answer)]
        assert not wrong, (name, wrong[:5])
        assert sheets["Checks"][1][1] == 1, [row for row in sheets["Checks"][4:] if row[4] != 1]
        texts = [cell for rows in sheets.values() for row in rows for cell in row if isinstance(cell, str)]
        assert not [text for text in texts if text.startswith(("#", "Err:"))]


@pytest.mark.slow
@pytest.mark.parametrize("name", FACTORS)
def test_what_is_changed_in_the_sheet_changes_as_in_the_engine(calculated: Calculated, name: str) -> None:
    before, sheets = calculated.plans[CHANGED], calculated.sheets[f"{name}_changed"]
    assert complaints(sheets, *before), "it changes nothing"
    after = changed(*before, {name: calculated.values[name]})
    wrong = [*complaints(sheets, *after), *book_complaints(sheets, *after)]
    assert not wrong, wrong[:5]
    assert sheets["Checks"][1][1] == 1
    best = min(after[1].ranked, key=lambda way: float(np.asarray(way.measures.present_usd)))
    assert cheapest(sheets) == best.option.title


@pytest.mark.slow
def test_money_that_does_not_follow_a_change_fails_the_master_check(calculated: Calculated) -> None:
    checks = calculated.sheets["supported"]["Checks"]
    assert checks[1][1] == 0
    failed = {str(row[0]) for row in checks[4:] if row[4] != 1}
    assert failed
    assert all(label.endswith(": money computed before the ledger is that of these inputs") for label in failed)


@pytest.mark.slow
@pytest.mark.parametrize("case", ENDS)
@pytest.mark.parametrize("name", IN_CASES)
def test_the_case_takes_the_ends_of_all_ranges(calculated: Calculated, name: str, case: Case) -> None:
    (plan, _), rows = calculated.plans[name], calculated.sheets[f"{case}_{name}"]["Comparison"]
    place = 2 + [measure.name for measure in MEASURED].index("as_entered_usd")
    for option in plan.options:
        usd = next(row[place] for row in rows[4:] if row[1] == option.key)
        assert usd == pytest.approx(float(np.asarray(present_usd(plan.setting, option.at_end(case)))), rel=NEAR)


@pytest.fixture(scope="module")
def taxed() -> tuple[Plan, Answer, bytes]:
    plan, answer = answered(TAXED)
    return plan, answer, written(plan, answer)


def test_openpyxl_opens_it_without_a_warning_and_finds_the_known_values(taxed: tuple[Plan, Answer, bytes]) -> None:
    plan, answer, data = taxed
    values = openpyxl.load_workbook(io.BytesIO(data), data_only=True)  # a warning fails the test
    sheets = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in values}
    assert not complaints(sheets, plan, answer)
    assert list(sheets)[:3] == ["Cover", "Inputs", "Timeline"]
    assert len(values["Cover"]._charts) == 2


def test_a_row_has_one_formula_and_no_number_in_it(taxed: tuple[Plan, Answer, bytes]) -> None:
    plan, _, data = taxed
    book = openpyxl.load_workbook(io.BytesIO(data))
    rows = 0
    for sheet in (book[option.key] for option in plan.options):
        for row in sheet.iter_rows(min_row=6, min_col=TODAY + 1):
            cells = [cell for cell in row if isinstance(cell.value, str) and cell.value.startswith("=")]
            assert len({relative(cell.value, cell.column) for cell in cells}) <= 1
            rows += bool(cells)
            constants = {float(it) for cell in cells[:1] for it in re.findall(r"(?<![\w$.])\d[\d.e-]*", cell.value)}
            how = next((line.how for line in all_lines(plan) if line.name == sheet.cell(row[0].row, 1).value), "")
            assert constants <= {0.0, 1.0, 12.0, 1000.0} | {float(it) for it in re.findall(r"\d[\d.e-]*", how)}
    assert rows > 100


def all_lines(plan: Plan) -> list[Line]:
    return [line for option in plan.options for line in option.ledger.lines]


def relative(formula: str, number: int) -> str:
    """Return a formula with the columns that move with it as distances."""

    def distance(match: re.Match[str]) -> str:
        return f"[{openpyxl.utils.column_index_from_string(match[1]) - number}]{match[2]}"

    return re.sub(r"(?<![\w$'])([A-Z]{1,3})(\$?\d+)", distance, formula)


def test_text_that_looks_like_a_formula_is_text(taxed: tuple[Plan, Answer, bytes]) -> None:
    _, _, data = taxed
    book = openpyxl.load_workbook(io.BytesIO(data))
    formulas = [cell.value for sheet in book for row in sheet for cell in row if cell.data_type == "f"]
    texts = [str(cell.value) for sheet in book for row in sheet for cell in row if cell.data_type != "f"]
    assert not any("HYPERLINK" in str(formula) for formula in formulas)
    assert any(EVIL in text for text in texts)
    assert not any(sheet._hyperlinks for sheet in book)
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        assert not [name for name in parts.namelist() if "external" in name.lower() or "vba" in name.lower()]


def test_the_same_plan_is_the_same_file(taxed: tuple[Plan, Answer, bytes]) -> None:
    plan, answer, data = taxed
    assert written(plan, answer) == data


def test_json_workbook_and_focus_of_one_call_have_the_same_figures(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    book, charges = tmp_path / "plan.xlsx", tmp_path / "charges.csv"
    code, out, _ = run(capsys, "plan", "startup", *SHELL_DAY, "--json", "--xlsx", str(book), "--focus", str(charges))
    assert code == OK
    options = {option["key"]: option for option in json.loads(out)["options"]}
    rows = list(csv.DictReader(io.StringIO(charges.read_text("utf-8-sig"))))
    compared = list(openpyxl.load_workbook(book, data_only=True)["Comparison"].iter_rows(min_row=5, values_only=True))
    assert {row[1] for row in compared} == set(options) == {row["x_Option"] for row in rows}
    for row in compared:
        option = options[row[1]]
        for measure, cell in zip(MEASURED, row[2:], strict=True):
            number = option[measure.name]
            assert isinstance(cell, str) if number is None else cell == pytest.approx(number)
        billed = sum(float(it["BilledCost"]) for it in rows if it["x_Option"] == row[1])
        assert billed == pytest.approx(option["total_cash_usd"])


def test_a_plan_without_a_price_is_refused_with_a_sentence() -> None:
    plan, answer = answered(Scenario(ways=("hosted",)))
    with pytest.raises(PricingError, match="No option of this plan has a price"):
        written(plan, answer)


@pytest.mark.parametrize(("how", "formula"), [
    ("a * (b + 1) / 12", "A * (B + 1) / 12"),
    ("a - (b - c)", "A - (B - C)"),
    ("-a ** 2", "-1 * A ^ 2"),
    ("a ** b ** c", "A ^ (B ^ C)"),
    ("a ** (-1 * b / 12)", "A ^ (-1 * B / 12)"),
    ("where(a > b, a, min(b, c))", "IF(A > B, A, MIN(B, C))"),
    ("(a >= b) * c", "IF(A >= B, 1, 0) * C"),
    ("0.5 ** (a + b)", "EXP((A + B) * LN(0.5))"),
    ("ceil(a / b)", "-1 * INT(-1 * (A / B))"),
])  # fmt: skip
def test_a_formula_of_a_ledger_in_the_words_of_a_spreadsheet(how: str, formula: str) -> None:
    assert excel_formula(how, {"a": "A", "b": "B", "c": "C"}) == formula


def test_no_name_of_a_cell_reads_as_an_address() -> None:
    assert [cell_name(name) for name in ("usd_per_kwh#2", "w1", "r", "R1C1", "kwh")] == [
        "usd_per_kwh__2", "w1_", "r_", "R1C1_", "kwh",
    ]  # fmt: skip
    assert [column(number) for number in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


@pytest.mark.slow
def test_the_discount_rate_follows_its_parts(tmp_path: Path) -> None:
    plan, answer = answered(BUILT)
    data = written(plan, answer)
    share = dict.fromkeys(input_cells(data, "equity_share"), 0.9)
    sheets = recalculated({"built": data, "other": with_cells(data, "Inputs", share)}, tmp_path)
    assert not complaints(sheets["built"], plan, answer)
    other = answered(BUILT.model_copy(update={"capital": CapitalInputs(equity_share=0.9)}))[0]
    tried = {RATE: other.setting.discount_rate_per_year}
    assert complaints(sheets["other"], plan, answer), "it changes nothing"
    assert not complaints(sheets["other"], *changed(plan, answer, tried))
