"""Walks through everything that shows a figure of one plan: pages with all tabs and boxes, reports, files, verbs."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from planner.cli import main
from planner.report.answer.plan_report import PlanReport, PlanResult
from planner.report.answer.side_by_side import compare_table
from planner.scenario.file import SavedScenario, write_scenario
from planner.scenario.link import scenario_to_link
from planner.scenario.scenario import Scenario
from planner.study.measures import MEASURES, results_of
from planner.web import show, state
from planner.web.pages import answer, speed, what_if
from tests.crawl.figures import HALF, PLAN, Figures
from tests.crawl.pages import PageReader
from tests.facts import CATALOGUE, DAY
from tests.web.test_pages import visit

WEB = Path(show.__file__).parent
COMPARE_VIEWS = ("Where the money goes", "Buy and run it", "Other GPUs", "Price history")
VIEWS = {"Answer": ("look", answer.VIEWS), "Speed": ("speed", speed.VIEWS), "What if": ("turn", what_if.VIEWS),
         "Compare": ("view", COMPARE_VIEWS), "Assumptions": ("", ("",))}  # fmt: skip
_BOXES = re.compile(r'(?:on_demand|table)\(\s*"([\w-]+)"')
BOXES = sorted({key for path in WEB.rglob("*.py") for key in _BOXES.findall(path.read_text())})
_COMPARED = {"present_usd": "today's money", "total_cash_usd": "all bills", "cash_today_usd": "cash on day one"}
Say = Callable[[], str]


def crawl(scenario: Scenario, folder: Path, say: Say) -> Figures:
    """Return all figures of a plan. `say` gives what a verb printed since it was last called."""
    figures, result = Figures(), state.shared_result(CATALOGUE, scenario, DAY, with_details=True)
    read_engine(figures, result)
    read_comparison(figures, result)
    read_verbs(figures, result, folder, say)
    for page, (key, views) in VIEWS.items():
        for view in views:
            app = opened(page, scenario, **({key: view} if key else {}))
            PageReader(figures, result, page, view).read(app)
    return figures


def opened(page: str, scenario: Scenario, **views: str) -> AppTest:
    """Return a page with one of its tabs and all its boxes open, and the drawer of its numbers."""
    app = visit(page)
    for key, text in {**scenario_to_link(scenario), **views}.items():
        app.query_params[key] = text
    for key in BOXES:
        app.session_state[key] = True
    app.run()
    if any(button.key == "explain" for button in app.button):
        app.button(key="explain").click().run()
    assert not app.exception, (page, views, app.exception)
    return app


def read_engine(figures: Figures, result: PlanResult) -> None:
    """Note what the engine says: every other place is compared with this."""
    found, futures = result.answer, result.futures
    for each in results_of(result.plan, found, futures):
        title = each.way.option.title
        for measure in MEASURES:
            figures.add(title, measure.name, measure.number(each), "measures")
        if futures is not None and each.present is not None:
            figures.add(title, "cheapest_per_100", 100 * futures.cheapest_share[each.key], "futures", HALF)
            figures.add(title, "present_usd", each.present.middle, "futures")
    if found.shares is not None and found.share_cheaper is not None:
        figures.add(PLAN, "lead_per_100", 100 * found.share_cheaper, "answer", HALF)
    figures.say("title", result.summary.title)
    for even in found.break_evens:
        if even.name != "month":
            figures.add(PLAN, f"even {even.name}", even.value, "break-evens")
    if found.pair is not None:
        figures.add(found.pair[0].option.title, "payback_discounted_months", found.payback.months, "answer")


def read_comparison(figures: Figures, result: PlanResult) -> None:
    """Note what plans side by side say of this one."""
    found = result.answer
    table = compare_table([PlanReport("plan", result.plan, found, result.summary, futures=result.futures)])
    cells: dict[str, Any] = dict(zip(table["Measure"], table[table.columns[1]], strict=True))
    figures.add(PLAN, "days of a run", cells.get("One run takes, days"), "compare table")
    for label, way in (("Best way", found.best), ("Own", found.own), ("Rent", found.rent)):
        for measure, text in _COMPARED.items() if way else ():
            figures.add(way.option.title if way else "", measure, cells[f"{label}, {text}, USD"], "compare table")


def read_verbs(figures: Figures, result: PlanResult, folder: Path, say: Say) -> None:
    """Note what `plan`, its files, `compare` and `cheapest` say."""
    path, rows, day = folder / "plan.yaml", folder / "results.csv", ("--day", DAY.isoformat())
    path.write_text(write_scenario(SavedScenario(result.scenario, DAY, CATALOGUE.digest)), "utf-8")
    say()
    assert main(["plan", str(path), *day, "--json", "--csv-results", str(rows)]) == 0
    titles = {way.option.key: way.option.title for way in result.answer.ranked}
    read_document(figures, json.loads(say()), titles, "plan --json")
    for row in csv.DictReader(io.StringIO(rows.read_text("utf-8-sig"), newline="")):
        for measure in MEASURES:
            if row.get(measure.name):
                figures.add(titles[row["option"]], measure.name, float(row[measure.name]), "results CSV", 0.006)
    assert main(["compare", str(path), str(path), *day, "--json"]) == 0
    read_document(figures, json.loads(say())["plans"][0], titles, "compare --json")
    work = result.scenario.work
    if work[0].train is not None and len(work) == 1 and work[0].train.runs_per_month is None:
        assert main(["cheapest", str(path), *day, "--json"]) == 0
        best = json.loads(say())["best"]
        if best is not None:
            figures.add("recommended", "usd", best["usd"]["typical"], "cheapest --json")


def read_document(figures: Figures, told: dict[str, Any], titles: dict[str, str], where: str) -> None:
    """Note an answer as JSON."""
    figures.say("title", told["title"])
    for option in told["options"]:
        for measure in MEASURES:
            cells = option.get(measure.part, {}) if measure.part else option
            figures.add(titles[option["key"]], measure.name, cells.get(measure.name), where)
    for even in told.get("break_evens", ()):
        if even["name"] != "month":
            figures.add(PLAN, f"even {even['name']}", even["value"], where)
