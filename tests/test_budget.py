"""The code stays within its budget, which a process of its own measures: caches that other tests filled hide calls."""

import subprocess
import sys

import pytest

from tests.budget import BUDGET, Walk, walk
from tests.house import ROOT


@pytest.mark.slow
def test_the_code_is_within_its_budget() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.budget"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == len(BUDGET) + 1


def test_a_walk_sees_the_names_of_a_value_in_the_program_only() -> None:
    from planner.scenario.file import changed_fields
    from planner.scenario.scenario import Scenario

    assert walk(lambda: len("abc"), "abc") == Walk()
    scenario = Scenario()
    taken = walk(lambda: changed_fields(scenario), scenario)
    assert "scenario" in taken.names
    assert taken.returns == 0
