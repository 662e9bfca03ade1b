"""Versions of kept plans side by side, lists of plans, and what was billed for them."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np

from planner.money.accounting.fiscal import month_days
from planner.money.ledger import LedgerInput, Origin
from planner.money.plan import Plan
from planner.report import words
from planner.report.accounting.actual_words import actuals_of
from planner.report.accounting.bill_file import Bill, Charge, bill_by_month, joined_bill
from planner.report.answer.line_words import format_input, sourced_inputs
from planner.report.answer.plan_report import PlanReport, price_update_text, summarize_verdict
from planner.report.answer.side_by_side import scenario_differences_table
from planner.report.futures.input_words import formula_input_label
from planner.report.table import Table
from planner.scenario.file import SavedScenario, read_scenario, write_scenario
from planner.scenario.link import LinkTooLongError, scenario_to_link
from planner.scenario.scenario import Scenario
from planner.store.kept import KeptPlan, PlanStore, PlanVersion
from planner.study.measures import MEASURES, results_of
from planner.study.portfolio import PortfolioPlan
from pricing import Catalogue
from pricing.errors import PricingError

TRAIL_HEADS = ["When (UTC)", "Plan", "Who", "What", "Details"]


def plans_table(plans: Sequence[KeptPlan]) -> Table:
    """Return one row for each plan: name, folder, tags, version, when and by whom, its answer, whose it is."""
    rows = [
        (plan.name, plan.folder, ", ".join(plan.tags), plan.newest.number, f"{plan.newest.saved:%Y-%m-%d %H:%M}",
         plan.newest.person, plan.newest.result["title"], plan.author, plan.right.name.lower())
        for plan in plans
    ]  # fmt: skip
    heads = ("Plan", "Folder", "Tags", "Version", "Saved (UTC)", "By", "Answer", "Author", "You may")
    return Table.from_raw_rows(dict(zip(heads, row, strict=True)) for row in rows)


def monthly_bill(plan: Plan, bill: Bill) -> str:
    """Return what is kept of a bill: its sums by month of the plan; raise `BillError` where none falls into them."""
    actuals_of(plan, bill)
    monthly = bill_by_month(bill, month_days(plan.setting, plan.setting.timeline.last))
    return json.dumps(monthly._asdict(), default=date.isoformat, ensure_ascii=False)


def kept_actuals(store: PlanStore, kept: KeptPlan, number: int) -> Bill | None:
    """Return what was billed for a version of a plan, from all its imports; None where there are none."""
    return joined_bill([_bill(text, kept.name) for text in store.actuals(kept, number)])


def _bill(text: str, name: str) -> Bill:
    try:
        cells = json.loads(text)
        charges = tuple(Charge(date.fromisoformat(day), *rest) for day, *rest in cells["charges"])
        return Bill(cells["name"], charges, cells["rows"], tuple(cells["providers"]), cells["each"])
    except (ValueError, TypeError, KeyError) as error:
        raise PricingError(f"The database of plans is damaged: a bill of “{name}” cannot be read.") from error


_SAME = 0.005  # USD: results that print the same cents
_CALCULATED = ("computed", "convention")


class OpenedVersion(NamedTuple):
    """A version with the scenario and the facts that it was saved with."""

    plan: KeptPlan
    version: PlanVersion
    scenario: Scenario
    facts: Catalogue


def new_version(report: PlanReport, facts: Catalogue, person: str, at: datetime, release: str) -> PlanVersion:
    """Return what is kept of a plan: `facts` are those without the plan's own prices, which are in its file."""
    scenario, day = report.plan.setting.written, report.plan.setting.day
    try:
        link = urlencode(scenario_to_link(scenario))
    except LinkTooLongError:
        link = ""
    text = write_scenario(SavedScenario(scenario, day, facts.digest))
    return PlanVersion(day, facts.digest, text, link, result_of(report), release, at, person)


def result_of(report: PlanReport) -> dict[str, Any]:
    """Return title, best option and every measure of every option, as JSON holds them."""
    plan, answer = report.plan, report.answer
    verdict = summarize_verdict(plan, answer)
    return {
        "title": verdict.title,
        "best": "" if answer.best is None else answer.best.option.key,
        "usd": dict(verdict.usd),
        "options": {
            result.key: {
                "label": result.way.option.title, "measures": {measure.name: measure.of(result) for measure in MEASURES}
            }
            for result in results_of(plan, answer, report.futures)
        },
    }  # fmt: skip


def open_version(store: PlanStore, plan_name: str | int, number: int | None = None) -> OpenedVersion:
    """Return a version of a plan with its own facts."""
    plan = store.find(plan_name)
    version = store.version(plan, number)
    facts = store.facts(version.digest)
    if facts is None:
        raise PricingError(f"The figures of “{plan.name}”, version {version.number}, are gone.")
    saved = read_scenario(version.text.encode(), f"“{plan.name}”", facts)
    return OpenedVersion(plan, version, saved.scenario, facts)


def portfolio_plan(plan: KeptPlan, facts: Catalogue) -> PortfolioPlan:
    """Return the newest version of a plan for a portfolio: its team is its folder or cost centre."""
    scenario = read_scenario(plan.newest.text.encode(), f"“{plan.name}”", facts).scenario
    return PortfolioPlan(plan.name, scenario, plan.folder, plan.tags)


def release_note(kept: Mapping[str, Any], now: Mapping[str, Any], release: str) -> str:
    """Return that this release calculates a kept plan otherwise than the one that saved it; empty where it does not."""
    moved = [row for row in _measure_rows(kept, now) if row[3] is not None and abs(row[3]) > _SAME]
    if not moved and kept["title"] == now["title"]:
        return ""
    count = words.count(len(moved), "measure")
    return f"Release {release} of the program saved “{kept['title']}”; this one calculates {count} otherwise."


def opening_sentences(opened: OpenedVersion, then: PlanReport, now: PlanReport) -> list[str]:
    """Return what a kept plan says when it is opened: its version, its figures, and its answer at today's."""
    version, changed = opened.version, len(figure_changes(then.plan, now.plan))
    head = (
        f"Version {version.number} of “{opened.plan.name}”, saved on {words.day(version.saved)} by {version.person}, "
        f"with the figures of {words.day(version.day)}."
    )
    if opened.facts.digest == now.plan.setting.catalogue.digest and version.day == now.plan.setting.day:
        return [head]
    verdicts = (summarize_verdict(report.plan, report.answer) for report in (then, now))
    count = f"{changed or 'None'} of its figures changed until today."
    note = release_note(version.result, result_of(then), version.release)
    return [*filter(None, [head, note, count, price_update_text(*verdicts)])]


def differences(older: OpenedVersion, newer: OpenedVersion, *, every: bool = False) -> tuple[Table, Table]:
    """Return the fields and the measures in which two versions differ; those of the options table, or every one."""
    names = [f"{each.plan.name} v{each.version.number}" for each in (older, newer)]
    fields = scenario_differences_table([older.scenario, newer.scenario], names)
    shown = {measure.name: measure.name if every else measure.label for measure in MEASURES if every or measure.label}
    rows = [
        (option, shown[measure], *map(_cell, (was, now)), change)
        for option, measure, (was, now), change in _measure_rows(older.version.result, newer.version.result)
        if measure in shown
    ]
    return fields, Table.listed(["Option", "Measure", *names, "Change"], rows)


def _cell(value: float | str | None) -> str:
    return "–" if value is None else f"{value:,.6g}" if isinstance(value, float | int) else value


Pair = tuple[float | str | None, float | str | None]


def _measure_rows(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str, Pair, float | None]]:
    for key in dict.fromkeys((*was["options"], *now["options"])):
        old, new = (side["options"].get(key, {"label": "", "measures": {}}) for side in (was, now))
        for name in dict.fromkeys((*old["measures"], *new["measures"])):
            values: Pair = old["measures"].get(name), new["measures"].get(name)
            if values[0] != values[1]:
                change = None if any(isinstance(value, str | None) for value in values) else values[1] - values[0]  # type: ignore[operator]
                yield new["label"] or old["label"], name, values, change


def figure_changes(then: Plan, now: Plan) -> Table:
    """Return the sourced figures of the ledgers that are others now, each once, with its source now."""
    before, after = (dict(_figures(plan)) for plan in (then, now))
    rows: dict[tuple[str, str, str], list[Any]] = {}
    options: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    for key, (used, origin) in after.items():
        old = before.get(key)
        if old is None or np.array_equal(np.asarray(old[0].value), np.asarray(used.value)):
            continue
        texts = format_input(old[0]), format_input(used)
        day: date | None = origin.checked or origin.since
        row = used.name, *texts
        rows[row] = [formula_input_label(used.name), *texts, origin.source, None if day is None else day.isoformat()]
        options[row][key[1]] = None
    cells = ([*row, ", ".join(options[key])] for key, row in rows.items())
    return Table.listed(["Figure", "Then", "Today", "Source", "Read", "Options"], cells)


FigureKey = tuple[str, str, str, str]


def _figures(plan: Plan) -> Iterator[tuple[FigureKey, tuple[LedgerInput, Origin]]]:
    for option in plan.options:
        for line in option.ledger.lines:
            for used in sourced_inputs(line):
                origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
                if origin.kind not in _CALCULATED:
                    yield (option.key, option.title, line.name, used.name), (used, origin)
