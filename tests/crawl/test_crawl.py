"""One measure has one value wherever it stands: on every page and tab, in every box, file and verb."""

import logging
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from planner.scenario.presets import find_preset, load_presets
from planner.scenario.scenario import Scenario
from planner.web import state
from tests.crawl.walk import crawl
from tests.examples import at_most
from tests.facts import DAY


def checked(scenario: Scenario, folder: Path, capsys: pytest.CaptureFixture[str]) -> int:
    """Return how many figures stand beside another of their name, none of them different."""
    figures = crawl(scenario, folder, lambda: capsys.readouterr().out)
    assert not figures.differences(), "\n".join(figures.differences())
    with capsys.disabled():
        print(f"\n{figures.compared:,} figures compared")
    return figures.compared


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "today", lambda: DAY)
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)


KEYS = [preset.key for preset in load_presets()]
QUICK = ("startup", "pre-train-7b")


@pytest.mark.parametrize("key", [key if key in QUICK else pytest.param(key, marks=pytest.mark.slow) for key in KEYS])
def test_every_figure_of_an_example_has_one_value(key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    preset = find_preset(key)
    assert preset is not None
    assert checked(preset.scenario, tmp_path, capsys) > 300


def plans() -> st.SearchStrategy[Scenario]:
    """Plans as people ask for them: hours or one training, of some GPU, number, use, length, place and growth."""
    hours = st.fixed_dictionaries({
        "accelerators": st.sampled_from((1, 2, 8, 16, 64, 200)), "busy_share": st.sampled_from((0.05, 0.3, 0.6, 1.0)),
        "growth_per_year": st.sampled_from((0.0, 0.0, 0.3, 1.0)), "may_stop": st.booleans(),
    })  # fmt: skip
    training = st.fixed_dictionaries({
        "accelerators": st.sampled_from((8, 16, 64)),
        "train": st.fixed_dictionaries({
            "model": st.sampled_from(("Llama-3.1-8B", "Llama-3.3-70B")), "tokens": st.sampled_from((1e9, 1e11)),
            "method": st.sampled_from(("full", "lora")),
        }),
    })  # fmt: skip
    return st.fixed_dictionaries({
        "accelerator": st.sampled_from(("H100-SXM5-80GB", "A100-SXM4-80GB", "RTX-4090-24GB", "MI300X-192GB")),
        "years": st.sampled_from((0.5, 1.0, 3.0, 5.0)), "site": st.sampled_from(("US", "DE", "NO")),
        "work": st.tuples(st.one_of(hours, hours, training)),
    }).map(Scenario.model_validate)  # fmt: skip


@pytest.mark.slow
@at_most(15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(scenario=plans())
def test_every_figure_of_any_plan_has_one_value(
    scenario: Scenario, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(scenario, tmp_path_factory.mktemp("plan"), capsys)
