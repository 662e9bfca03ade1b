"""A plan has the same figures, to the cent, in the engine, verbs and files, over HTTP, in Python and for agents."""

from pathlib import Path

import pytest

from planner.report.answer.plan_report import evaluate
from planner.scenario.link import LinkTooLongError, scenario_to_link
from planner.scenario.scenario import Scenario
from tests.crawl.engine import read_engine
from tests.crawl.figures import Figures
from tests.crawl.programs import read_programs
from tests.crawl.test_crawl import KEYS, example, random_plan
from tests.crawl.verbs import VerbReader
from tests.facts import CATALOGUE, DAY

PLANS = range(100, 110)  # others than those whose pages are read


def checked(scenario: Scenario, folder: Path, capsys: pytest.CaptureFixture[str]) -> int:
    """Return how many figures stand beside another of their name, none of them different."""
    figures, result = Figures(), evaluate(CATALOGUE, scenario, DAY, with_details=True)
    read_engine(figures, result)
    VerbReader(figures, result, folder, lambda: capsys.readouterr().out).read_plan()
    read_programs(figures, result)
    differences = figures.differences()
    assert not differences, "\n".join(differences)
    return figures.compared


@pytest.mark.parametrize("key", ["startup", *(pytest.param(key, marks=pytest.mark.slow) for key in KEYS[1:])])
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
    assert checked(scenario, tmp_path, capsys) > 50
