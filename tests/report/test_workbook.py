"""The workbook: LibreOffice calculates what the engine calculates, and a changed input changes both alike."""

import csv
import io
import json
import re
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np
import openpyxl
import pytest

from bench.one_comparison import random_scenario
from planner.cli.common import OK
from planner.money.accounting.leases import LeaseAccounts, lease_accounts
from planner.money.ledger import CASES, Case, Line
from planner.money.measures import RATE, present_usd
from planner.money.plan import Plan, plan_from_context
from planner.money.verdict.answer import Answer, build_answer
from planner.money.verdict.contender import compared_options, evaluate_options
from planner.report.answer.sentences import summarize_answer
from planner.report.files.excel import TODAY, cell_name, column, excel_formula
from planner.report.files.workbook import NothingPriced, workbook
from planner.report.files.workbook_option import MEASURED, first_line
from planner.scenario.accounting import AccountingInputs
from planner.scenario.own import Lease
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.scenario.terms import CapitalInputs, TaxInputs
from planner.scenario.work import Work
from planner.study.measures import results_of
from planner.study.plan_any import planned
from tests.facts import CATALOGUE, DAY
from tests.office import Sheets, recalculated, with_cells
from tests.shell import DAY as SHELL_DAY
from tests.shell import run

RANDOM = 30
NEAR = 1e-9
NO_LEASES = LeaseAccounts((), 0.0, {})
EVIL = '=HYPERLINK("http://x","y")'
EXAMPLES = {preset.key: preset.scenario for preset in load_presets()}
BUILT = Scenario(capital=CapitalInputs(equity_share=0.6), ways=("own", "on_demand"))
TAXED = Scenario(name=EVIL, years=1.5, tax=TaxInputs(tax_share=0.25), work=(Work(accelerators=8),))
CHANGED = "fine-tune-70b"
ENDS: tuple[Case, ...] = ("low", "high")
IN_CASES = ("enterprise", "chat-service")
FACTORS = {  # inputs, and what each is multiplied by in the sheet and in the engine
    RATE: 1.5, "usd_per_kwh": 1.7, "pue": 1.1, "usd_per_accelerator_hour": 0.8, "usd_per_fte_year": 1.25,
    "insurance_share_per_year": 3.0, "usd_per_kw_month": 0.5, "selling_cost_share": 1.4, "lease_rate_per_year": 1.2,
    "loan_rate_per_year": 1.3,
}  # fmt: skip


def answered(scenario: Scenario) -> tuple[Plan, Answer]:
    plan = planned(CATALOGUE, scenario, DAY)
    return plan, build_answer(plan)


def written(plan: Plan, answer: Answer) -> bytes:
    summary = summarize_answer(plan, answer)
    return workbook(plan, answer, None, (summary.title, *summary.sentences))


def input_cells(data: bytes, name: str) -> dict[str, float]:
    """Return the cells somebody types an input into, with their values: one for each value it has in the plan."""
    rows = openpyxl.load_workbook(io.BytesIO(data))["Inputs"].iter_rows(min_row=6, values_only=True)
    return {f"D{row}": it[3] for row, it in enumerate(rows, start=6) if str(it[0]).split("#")[0] == name}


def complaints(sheets: Sheets, plan: Plan, answer: Answer) -> list[str]:
    """Return where a workbook differs from the engine: lines by month, and measures."""
    found = []
    months = plan.setting.timeline.last + 1
    for result in results_of(plan, answer):
        rows, lines = sheets[result.key], result.way.option.ledger.lines
        scale = max(abs(float(np.asarray(result.measures.present_usd))), 1.0)
        for row, line in zip(rows[first_line() - 1 :], lines, strict=True):
            usd = np.array(row[TODAY : TODAY + months], dtype=np.float64)
            if not np.allclose(usd, line.priced_usd, rtol=NEAR, atol=NEAR * scale):
                found.append(f"{result.key}: {line.name}: {usd} for {line.priced_usd}")
        compared = next(row for row in sheets["Comparison"][4:] if row[1] == result.key)[2:]
        for measure, cell in zip(MEASURED, compared, strict=True):
            number = measure.number(result)
            near = NEAR * (scale if measure.unit == "USD" else 1.0)
            is_same = isinstance(cell, str) if number is None else cell == pytest.approx(number, rel=NEAR, abs=near)
            if not is_same:
                found.append(f"{result.key}: {measure.name}: {cell} for {number}")
    return found


def changed(plan: Plan, answer: Answer, tried: dict[str, float]) -> tuple[Plan, Answer]:
    """Return the engine's plan with an input tried out, everything against the baseline that it had before."""
    assert answer.baseline is not None
    key, other = answer.baseline.option.key, plan_from_context(replace(plan.setting, tried=tried))
    compared = [it for option in other.options for it in compared_options(other.setting, option)]
    baseline = next(it for it in compared if it.option.key == key)
    ranked = evaluate_options(other.setting, compared, baseline.option.ledger, None)
    best = next(it for it in ranked if it.option.key == key)
    return other, replace(answer, plan=other, ranked=tuple(ranked), best=best, pair=None)


@dataclass(repr=False)
class Calculated:
    """Workbooks with the plans that they are of, and what LibreOffice makes of all of them in one call."""

    plans: dict[str, tuple[Plan, Answer]]
    values: dict[str, float]  # of changed inputs
    sheets: dict[str, Sheets]


@pytest.fixture(scope="module")
def calculated(tmp_path_factory: pytest.TempPathFactory) -> Calculated:
    random = {f"random-{number}": random_scenario(Random(number)) for number in range(RANDOM)}
    plans = {name: answered(scenario) for name, scenario in (EXAMPLES | random).items()}
    books = {name: written(*plan) for name, plan in plans.items()}
    of_cases = {f"{case}_{name}": with_cells(books[name], "Inputs", {"C2": 1.0 + CASES.index(case)})
                for name in IN_CASES for case in ENDS}  # fmt: skip
    cells = {name: input_cells(books[CHANGED], name) for name in FACTORS}
    values = {name: next(iter(cells[name].values())) * factor for name, factor in FACTORS.items()}
    of_cases["taxed"] = with_cells(written(*answered(TAXED)), "Inputs", {"D6": 0.2})
    typed = {f"{name}_changed": with_cells(books[CHANGED], "Inputs", dict.fromkeys(cells[name], value))
             for name, value in values.items()}  # fmt: skip
    return Calculated(plans, values, recalculated(books | of_cases | typed, tmp_path_factory.mktemp("office")))


@pytest.mark.slow
def test_libreoffice_calculates_what_the_engine_calculates(calculated: Calculated) -> None:
    for name, (plan, answer) in calculated.plans.items():
        sheets = calculated.sheets[name]
        assert not (wrong := complaints(sheets, plan, answer)), (name, wrong[:5])
        assert sheets["Checks"][1][1] == 1, [row for row in sheets["Checks"][4:] if row[4] != 1]
        texts = [cell for rows in sheets.values() for row in rows for cell in row if isinstance(cell, str)]
        assert not [text for text in texts if text.startswith(("#", "Err:"))]


@pytest.mark.slow
@pytest.mark.parametrize("name", FACTORS)
def test_what_is_changed_in_the_sheet_changes_as_in_the_engine(calculated: Calculated, name: str) -> None:
    before, sheets = calculated.plans[CHANGED], calculated.sheets[f"{name}_changed"]
    assert complaints(sheets, *before), "it changes nothing"
    wrong = complaints(sheets, *changed(*before, {name: calculated.values[name]}))
    assert not wrong, wrong[:5]
    assert sheets["Checks"][1][1] == 1


@pytest.mark.slow
def test_money_that_does_not_follow_a_change_fails_the_master_check(calculated: Calculated) -> None:
    checks = calculated.sheets["taxed"]["Checks"]
    assert checks[1][1] == 0
    assert {row[0] for row in checks[4:] if row[4] != 1} == {
        f"{option.key}: money computed before the ledger is that of these inputs"
        for option in answered(TAXED)[0].options
    }


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
    with pytest.raises(NothingPriced, match="No option of this plan has a price"):
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


@pytest.mark.slow
def test_leases_and_fiscal_years_follow_the_inputs(tmp_path: Path) -> None:
    books = AccountingInputs(fiscal_year_starts=4, reservations_are_leases=True)
    lease = Lease(years=2.0, in_advance=False)
    scenario = Scenario(ways=("own", "lease", "reserved", "on_demand"), lease=lease, accounting=books)
    plan, answer = answered(scenario)
    data = written(plan, answer)
    rate = dict.fromkeys(input_cells(data, RATE), 0.2)
    sheets = recalculated({"same": data, "dearer": with_cells(data, "Inputs", rate)}, tmp_path)
    terms = scenario.terms.model_copy(update={"discount_rate_per_year": 0.2})
    dearer = answered(scenario.model_copy(update={"terms": terms}))[0]
    for name, there in (("same", plan), ("dearer", dearer)):
        rows = {(row[0], number): row for number, row in enumerate(sheets[name]["Leases"])}
        assets = [row[2] for (label, _), row in rows.items() if label == "Right-of-use asset at the end"]
        interest = [row[2] for (label, _), row in rows.items() if label == "Interest"]
        booked = [lease for result in results_of(plan, answer) if (option := there.option(result.key))
                  for lease in (lease_accounts(there.setting, option.ledger) or NO_LEASES).leases]  # fmt: skip
        assert len(booked) == 2
        assert assets == pytest.approx([lease.schedule.asset[0] for lease in booked], rel=NEAR)
        assert interest == pytest.approx([lease.schedule.interest.sum() for lease in booked], rel=NEAR)
    years = [row for row in sheets["same"]["Fiscal periods"] if re.fullmatch("FY [0-9]{4}", str(row[0]))]
    assert len(years) == 4
    for place, result in enumerate(results_of(plan, answer), start=1):
        paid = float(np.asarray(result.measures.bills_usd))
        assert sum(row[place] for row in years) == pytest.approx(paid, rel=NEAR)
