"""A plan has the same figures, to the cent, on the page, in verbs and files, over HTTP, in Python and for agents.

`PARITY_PLANS=200 pytest -m slow tests/crawl/test_programs.py` tries so many random plans, workbooks as LibreOffice
calculates them; four are tried where nothing is said, and tests/report/test_workbook.py recalculates others.
"""

import logging
import os
from pathlib import Path

import pytest

from planner.api import plans, verbs
from planner.report.answer.plan_report import PlanReport, evaluate
from planner.report.files.workbook import workbook
from planner.report.files.workbook_option import MEASURED
from planner.scenario.link import LinkTooLongError, scenario_to_link
from planner.scenario.scenario import Scenario
from planner.study.measures import results_of
from planner.web import state
from planner.web.shared import key_of
from tests.crawl.engine import read_engine
from tests.crawl.figures import CENT, Figures
from tests.crawl.pages import PageReader
from tests.crawl.programs import read_programs
from tests.crawl.test_crawl import KEYS, example, random_plan
from tests.crawl.verbs import VerbReader
from tests.crawl.walk import opened
from tests.daily import of_today
from tests.facts import CATALOGUE, DAY
from tests.office import recalculated

USUAL, AT_ONCE = 4, 20  # plans; workbooks that one LibreOffice calculates
COUNT = int(os.environ.get("PARITY_PLANS", str(USUAL)))
FIRST = int(os.environ.get("PARITY_FIRST", "100"))  # others than those whose every tab is read
PLANS = range(FIRST, FIRST + COUNT)


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "today", lambda: DAY)
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)


@pytest.fixture(autouse=True)
def studied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Study equal plans once where hundreds are tried: half of the time goes there."""
    if COUNT <= USUAL:
        return
    study, known = plans.with_studies, dict[object, PlanReport]()

    def once(report: PlanReport) -> PlanReport:
        name = key_of(report.plan)
        known[name] = known.get(name) or study(report)
        return report._replace(waits=known[name].waits, also=known[name].also, bars=known[name].bars)

    for module in (plans, verbs):
        monkeypatch.setattr(module, "with_studies", once)


_VIEW = "Every option"


def checked(scenario: Scenario, folder: Path, capsys: pytest.CaptureFixture[str]) -> int:
    """Return how many figures stand beside another of their name, none of them different."""
    figures, result = Figures(), evaluate(CATALOGUE, scenario, DAY, with_details=True)
    read_engine(figures, result)
    VerbReader(figures, result, folder, lambda: capsys.readouterr().out).read_plan()
    read_programs(figures, result)
    PageReader(figures, result, "Answer", _VIEW).read(opened("Answer", scenario, look=_VIEW))
    differences = figures.differences()
    assert not differences, "\n".join(differences)
    return figures.compared


@pytest.mark.slow
@pytest.mark.parametrize("key", of_today(KEYS, 2))
def test_every_way_for_programs_says_the_same_of_an_example(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(example(key), tmp_path, capsys) > 200


@pytest.mark.slow
@pytest.mark.parametrize("number", PLANS)
def test_every_way_for_programs_says_the_same_of_any_plan(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = random_plan(number)
    try:
        scenario_to_link(scenario)
    except LinkTooLongError:
        pytest.skip("says more than a link can hold")
    compared = checked(scenario, tmp_path, capsys)
    assert compared > 50 or compared == 0  # of a plan that nothing can do


@pytest.mark.slow
@pytest.mark.skipif(COUNT <= USUAL, reason="tests/report/test_workbook.py recalculates thirty plans")
@pytest.mark.parametrize("first", PLANS[::AT_ONCE])
def test_libreoffice_calculates_what_every_other_way_says_of_any_plan(first: int, tmp_path: Path) -> None:
    results = {f"plan{number}": evaluate(CATALOGUE, random_plan(number), DAY, with_details=True)
               for number in PLANS if first <= number < first + AT_ONCE}  # fmt: skip
    books = {name: workbook(it.plan, it.answer, it.futures, (it.summary.title,)) for name, it in results.items()
             if it.answer.baseline is not None}  # fmt: skip
    figures = Figures()
    for name, sheets in recalculated(books, tmp_path).items():
        result = results[name]
        known = {each.key: each for each in results_of(result.plan, result.answer, result.futures)}
        for row in (row for row in sheets["Comparison"][4:] if len(row) > 1 and row[1] in known):
            for measure, cell in zip(MEASURED, row[2 : 2 + len(MEASURED)], strict=True):
                if isinstance(cell, float):
                    figures.add(f"{name} {row[1]}", measure.name, cell, "LibreOffice", CENT)
                    figures.add(f"{name} {row[1]}", measure.name, measure.number(known[str(row[1])]), "engine")
    assert not figures.differences(), "\n".join(figures.differences())
    assert figures.compared > 50 * len(books)
