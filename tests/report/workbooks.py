"""Workbooks of plans, and where they differ from the engine once LibreOffice has calculated them."""

import io
from dataclasses import replace
from functools import lru_cache
from random import Random

import numpy as np
import openpyxl
import pytest

from bench.one_comparison import random_scenario
from planner.money.accounting.fiscal import periods
from planner.money.accounting.leases import lease_accounts
from planner.money.measures import RATE
from planner.money.plan import Plan, plan_from_context
from planner.money.verdict.answer import Answer, build_answer
from planner.money.verdict.contender import compared_options, evaluate_options
from planner.report.answer.sentences import summarize_answer
from planner.report.books import PROFIT_LABELS, option_profit_and_loss
from planner.report.files.csv import convert_to_plan_currency
from planner.report.files.excel import TODAY
from planner.report.files.workbook import workbook
from planner.report.files.workbook_accounting import LEASE_ROWS
from planner.report.files.workbook_option import MEASURED, first_line
from planner.scenario.own import Lease
from planner.scenario.scenario import Scenario
from planner.scenario.terms import AccountingInputs, Currency, FinancialTerms, TaxInputs
from planner.study.measures import OptionResult, results_of
from planner.study.plan_any import planned
from tests.facts import CATALOGUE, DAY
from tests.office import Cell, Sheets

NEAR = 1e-9
Rows = list[list[Cell]]
Results = dict[Cell, OptionResult]  # by the title of the option
FACTORS = {  # inputs, and what each is multiplied by in the sheet and in the engine
    RATE: 1.5, "usd_per_kwh": 1.7, "pue": 1.1, "usd_per_accelerator_hour": 0.8, "usd_per_fte_year": 1.25,
    "insurance_share_per_year": 3.0, "usd_per_kw_month": 0.5, "selling_cost_share": 1.4, "lease_rate_per_year": 1.2,
    "loan_rate_per_year": 1.3, "tax_share": 0.7,
}  # fmt: skip
_TABLES = ("macrs-5-half-year", "bonus-100", "straight-line-5-half-year", None)


def taxed_scenario(seed: int) -> Scenario:
    """Return a random plan with tax, fiscal years, leases and a currency, each drawn as well."""
    rng = Random(seed)
    scenario = random_scenario(rng)
    tax = TaxInputs(
        tax_share=rng.choice((0.15, 0.25, 0.3)), schedule=rng.choice(_TABLES),
        profit_usd_per_year=rng.choice((None, None, 2e5)), losses_brought_usd=rng.choice((0.0, 5e4)),
        vat_share=rng.choice((0.0, 0.19)), vat_recovered_share=rng.choice((0.5, 1.0)),
    )  # fmt: skip
    books = AccountingInputs(
        fiscal_year_starts=rng.choice((None, 1, 4, 10)), reservations_are_leases=rng.random() < 0.6,
        borrowing_rate_per_year=rng.choice((None, 0.06)), short_term_expensed=rng.random() < 0.5,
    )  # fmt: skip
    rates = rng.choice(((), (1.1, 1.2)))
    currency = Currency(code=rng.choice(("EUR", "GBP", "JPY")), usd_per_unit_by_year=rates)
    lease = Lease(years=rng.choice((None, 2.0, 6.0)), in_advance=rng.random() < 0.5, buys_at_end=rng.random() < 0.3)
    terms = scenario.terms.model_copy(update=rng.choice(({}, {"money": "real", "inflation_per_year": 0.03})))
    assert isinstance(terms, FinancialTerms)
    ways = ("own", "lease", "reserved", "on_demand", "loan")
    more = {"tax": tax, "accounting": books, "currency": currency, "lease": lease, "terms": terms, "ways": ways}
    return Scenario.model_validate(scenario.model_copy(update=more).model_dump())


@lru_cache(maxsize=16)
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
        for row, line in zip(rows[first_line() - 1 :], lines, strict=False):
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
    return rebased(plan_from_context(replace(plan.setting, tried=tried)), answer)


def rebased(other: Plan, answer: Answer) -> tuple[Plan, Answer]:
    """Return another plan with its results against the baseline of an answer."""
    assert answer.baseline is not None
    key = answer.baseline.option.key
    compared = [it for option in other.options for it in compared_options(other.setting, option)]
    baseline = next(it for it in compared if it.option.key == key)
    ranked = evaluate_options(other.setting, compared, baseline.option.ledger, None)
    best = next(it for it in ranked if it.option.key == key)
    return other, replace(answer, plan=other, ranked=tuple(ranked), best=best, pair=None)


def cheapest(sheets: Sheets) -> object:
    """Return the option that the cover says is cheapest."""
    return next(row[1] for row in sheets["Cover"] if row[0] == "Cheapest at these inputs")


def book_complaints(sheets: Sheets, plan: Plan, answer: Answer) -> list[str]:
    """Return where profit and loss by year, and leases, differ from the engine."""
    titles = {str(row[1]): row[0] for row in sheets["Comparison"][4:] if row[1]}
    by_key = {result.key: result for result in results_of(plan, answer)}
    results = {title: by_key[key] for key, title in titles.items()}  # in the order of the workbook
    wrong = _profit_complaints(sheets["Profit and loss"], plan, results)
    return [*wrong, *_lease_complaints(sheets.get("Leases", []), plan, results)]


def _profit_complaints(rows: Rows, plan: Plan, results: Results) -> list[str]:
    spans, wrong = periods(plan.setting, has_today=False), list[str]()
    one = np.ones(plan.setting.timeline.last + 1)
    per_usd = np.asarray(convert_to_plan_currency(one, plan.setting.currency).amount)
    assert rows[3][1 : len(spans.labels) + 1] == list(spans.labels)
    for title, result in results.items():
        at = next(place for place in range(4, len(rows)) if rows[place][0] == title) + 1
        months = option_profit_and_loss(plan.setting, result.way).by_month
        usd = {
            PROFIT_LABELS[name]: [*spans.sums(usd * per_usd), float(np.sum(usd * per_usd))]
            for name, usd in months.items()
        }
        scale = max(abs(number) for numbers in usd.values() for number in numbers)
        shown = set()
        while at < len(rows) and rows[at][0] in usd:
            label, cells = str(rows[at][0]), rows[at][1 : len(spans.labels) + 2]
            shown.add(label)
            if cells != pytest.approx(usd[label], rel=NEAR, abs=NEAR * scale):
                wrong.append(f"{result.key}: {label}: {cells} for {usd[label]}")
            at += 1
        wrong += [f"{result.key}: no {label}" for label, numbers in usd.items() if label not in shown and any(numbers)]
    return wrong


def _lease_complaints(rows: Rows, plan: Plan, results: Results) -> list[str]:
    wrong = list[str]()
    starts = [place for place, row in enumerate(rows) if row[0] == "Begins in month"]
    accounts = (lease_accounts(plan.setting, result.way.option.ledger) for result in results.values())
    leases = [lease for it in accounts if it for lease in it.leases]
    assert len(leases) == len(starts)
    for start, lease in zip(starts, leases, strict=True):
        at = next(place for place in range(start, len(rows)) if rows[place][0] == LEASE_ROWS[0][1])
        usd = {**vars(lease.schedule), **{f"std_{name}": months for name, months in lease.rows.items()}}
        for row, (name, label, *_) in zip(rows[at : at + len(LEASE_ROWS)], LEASE_ROWS, strict=True):
            cells = np.array([0.0 if cell is None else cell for cell in row[TODAY + lease.begins :]], dtype=np.float64)
            months, scale = usd[name], max(float(np.abs(lease.schedule.paid).sum()), 1.0)
            if row[0] != label or not np.allclose(cells[: len(months)], months, rtol=NEAR, atol=NEAR * scale):
                wrong.append(f"{lease.name}: {label}: {cells} for {months}")
    return wrong
