"""Fields that take one of a few words: who writes another one reads which there are."""

from typing import Any

import pydantic
import pytest

from planner.scenario.fields import field_spec, leaf_fields
from planner.scenario.file import read_scenario
from planner.scenario.known_names import ScenarioError, format_errors
from planner.scenario.link import scenario_from_link
from planner.scenario.path import Path, format_path
from planner.scenario.question import KEYS
from planner.scenario.scenario import Scenario
from pricing import load_catalogue


def _choice(path: Path) -> Path:
    """The path of a field, or of one entry where it takes a list."""
    found = field_spec(path)
    return (*path, 0) if found is not None and found.kind == "list" else path


CHOICES = [
    path for path in map(_choice, leaf_fields()) if (one := field_spec(path)) is not None and one.kind == "choice"
]


def _data(path: Path, value: Any) -> Any:
    """Plain data that holds nothing but a value at a path."""
    for step in reversed(path):
        value = (value,) if isinstance(step, int) else {step: value}
    return value


@pytest.mark.parametrize("wrong", ["no-such-word", 7, True, ""])
@pytest.mark.parametrize("path", CHOICES, ids=format_path)
def test_every_closed_choice_names_its_list(path: Path, wrong: object) -> None:
    with pytest.raises(pydantic.ValidationError) as refused:
        Scenario.model_validate(_data(path, wrong))
    (said,) = [wish for where, wish in format_errors(refused.value) if where == path]
    one = field_spec(path)
    assert one is not None
    assert ", ".join(one.choices) in said


def test_there_are_closed_choices_at_every_depth() -> None:
    assert {("stay",), ("own", "place"), ("ways", 0), ("work", 0, "train", "method")} <= set(CHOICES)


@pytest.mark.parametrize("key", [key for key, one in KEYS.items() if one.shape.kind == "choice"])
def test_every_closed_choice_of_a_link_names_its_list(key: str) -> None:
    beside = {"train": {"train": "x"}, "serve": {"serve": "x"}}.get(str(KEYS[key].path[2:3] or ("",)), {})
    (said,) = [one for one in scenario_from_link({**beside, key: "no-such-word"})[1] if f"{key} = " in one]
    assert ", ".join(KEYS[key].shape.choices) in said


def test_a_schedule_that_nobody_knows_names_all_and_the_closest() -> None:
    catalogue = load_catalogue()
    with pytest.raises(ScenarioError) as refused:
        read_scenario(b"tax: {schedule: macrs}\n", "plan.yaml", catalogue)
    assert f"there are {', '.join(catalogue.schedules)}. Did you mean macrs-5-half-year" in str(refused.value)
