"""What programs are told of a plan: Python, HTTP (links, files, JSON, CSV), agents, and the cells of the workbook."""

import io
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import openpyxl

from planner import api
from planner.api.http import HttpRequest, respond
from planner.cli.mcp import _answer
from planner.report.answer.plan_report import PlanResult
from planner.report.files.workbook import workbook
from planner.report.files.workbook_option import MEASURED
from planner.scenario.file import SavedScenario, write_scenario
from planner.scenario.link import scenario_to_link
from tests.crawl.figures import CENT, Figures
from tests.crawl.files import Titles, read_document, read_payments, read_results, rows_of
from tests.facts import CATALOGUE, DAY

_ENDS = {"low": "present_p10_usd", "value": "present_p50_usd", "high": "present_p90_usd"}


def read_programs(figures: Figures, result: PlanResult) -> None:
    """Note what each way for programs says of a plan."""
    titles = {way.option.key: way.option.title for way in result.answer.ranked}
    link = urlencode(scenario_to_link(result.scenario))
    file = write_scenario(SavedScenario(result.scenario, DAY, CATALOGUE.digest)).encode()
    read_document(figures, api.plan(result.scenario, day=DAY), titles, "Python")
    read_document(figures, json.loads(told("plan", link)), titles, "HTTP, a link")
    read_document(figures, json.loads(told("plan", "", file)), titles, "HTTP, a file")
    both = urlencode([("plan", link), ("plan", link)])
    read_document(figures, json.loads(told("compare", both))["plans"][1], titles, "HTTP compare")
    read_payments(figures, rows_of(told("plan.csv", link)), titles, "HTTP CSV")
    read_results(figures, rows_of(told("plan.csv", f"table=results&{link}")), titles, "HTTP CSV of results")
    _read_agent(figures, link, titles)
    _read_workbook(figures, result, titles)


def told(name: str, query: str, body: bytes = b"") -> bytes:
    """Return what HTTP sends, as a worker process makes it."""
    answer = respond(CATALOGUE, HttpRequest(name, f"day={DAY}&{query}".removesuffix("&"), body, DAY), float("inf"))
    assert answer is not None
    assert answer.status == 200, answer.body
    return answer.body


def _read_agent(figures: Figures, link: str, titles: Titles) -> None:
    text, small = _answer("plan", {"plan": link, "day": DAY.isoformat()})
    assert small is not None, text
    figures.say("title", small["title"])
    for figure in small["figures"]:
        assert figure["what"] in titles.values()
        is_drawn = figure["low"] is not None
        for end, measure in _ENDS.items() if is_drawn else [("value", "present_usd")]:
            figures.add(figure["what"], measure, figure[end], "MCP")


def _read_workbook(figures: Figures, result: PlanResult, titles: Mapping[str, str]) -> None:
    if result.answer.baseline is None:
        return
    words = (result.summary.title, *result.summary.sentences)
    data = workbook(result.plan, result.answer, result.futures, words)
    sheets = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
    for row in sheets["Comparison"].iter_rows(min_row=5, values_only=True):
        cells: Any = row[2 : 2 + len(MEASURED)]
        for measure, cell in zip(MEASURED, cells, strict=True):
            if isinstance(cell, int | float):
                figures.add(titles[str(row[1])], measure.name, cell, "workbook", CENT)
