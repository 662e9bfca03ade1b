"""Factors of one's own runs in a scenario: what is refused, and that files and links carry them."""

from datetime import date
from typing import Any

import pytest

from planner.scenario.file import SavedScenario, format_part, read_scenario, write_scenario
from planner.scenario.known_names import ScenarioError
from planner.scenario.link import ALSO, LONGEST_ALSO, scenario_from_link, scenario_to_link
from planner.scenario.measured import MOST_FACTORS, MeasuredRun
from planner.scenario.scenario import Scenario
from tests.facts import CATALOGUE

ONE = MeasuredRun(
    kind="training", accelerator="H100-SXM5-80GB", model="Llama-3-8B", precision="bf16", method="full", ratio=1.12,
    low=1.02, high=1.23, runs=6, day=date(2026, 11, 20), source="=our cluster",
)  # fmt: skip


def read(text: str) -> Scenario:
    return read_scenario(text.encode(), "mine.yaml", CATALOGUE).scenario


def test_a_file_and_a_link_hold_them() -> None:
    scenario = Scenario(
        measured=(ONE, MeasuredRun(kind="serving", accelerator="H200-SXM-141GB", engine="vllm", ratio=0.9))
    )
    text = write_scenario(SavedScenario(scenario))
    assert "ratio: 1.12  # times what is predicted" in text
    assert read(text) == scenario
    assert scenario_from_link(scenario_to_link(scenario), CATALOGUE) == (scenario, [])
    assert read(format_part({"measured": (ONE.model_dump(),)})).measured == (ONE,)


def test_as_many_as_a_plan_holds_go_into_a_link() -> None:
    longest = ONE.model_copy(update={"accelerator": max(CATALOGUE.accelerators, key=len), "source": "x" * 30})
    held = scenario_to_link(Scenario(measured=(longest,) * MOST_FACTORS))
    assert len(held[ALSO]) <= LONGEST_ALSO


def test_names_are_loose_and_unknown_ones_are_told() -> None:
    line = "measured: [{kind: training, accelerator: %s, ratio: 1.1}]"
    assert read(line % "h100 sxm").measured[0].accelerator == "H100-SXM5-80GB"
    with pytest.raises(ScenarioError, match=r"measured.0.accelerator: No accelerator .*h1000"):
        read(line % "h1000")
    held = {ALSO: '{"measured":[{"kind":"training","accelerator":"h1000","ratio":1.1}]}'}
    scenario, told = scenario_from_link(held, CATALOGUE)
    assert scenario == Scenario()
    assert "runs of your own on h1000" in told[0]
    assert "left out" in told[0]


@pytest.mark.parametrize(("change", "wish"), [
    ({"ratio": 1e12}, "measured.0.ratio: 1000000000000 must be 0.05 to 20"),
    ({"ratio": "fast"}, "measured.0.ratio: 'fast' must be a number, 0.05 to 20"),
    ({"runs": 0}, "measured.0.runs: 0 must be 1 to 10,000"),
    ({"kind": "tuning"}, "measured.0.kind: 'tuning' must be one of training, serving. Did you mean training"),
    ({"low": 1.2}, "ratio 1.12 must lie between low, 1.2, and high, 1.23"),
    ({"low": None}, "low and high come together"),
    ({"engine": "vllm"}, "engine is of serving"),
    ({"kind": "serving"}, "precision and method are of training"),
    ({"colour": "red"}, "measured.0.colour: there is no such key"),
])  # fmt: skip
def test_what_does_not_agree_is_refused_with_what_would_do(change: dict[str, Any], wish: str) -> None:
    data = ONE.model_dump() | change
    with pytest.raises(ScenarioError) as refusal:
        read(format_part({"measured": (data,)}))
    assert wish in str(refusal.value)
    assert "Line " in str(refusal.value)
