"""`--config`: a model that is not on record, from its config.json."""

import json
from pathlib import Path
from typing import Any

import pytest

from planner.cli import BAD_INPUT, OK, main
from planner.network.config_file import own_model
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.speed.scenario_jobs import solved_jobs
from planner.speed.work_to_hours import convert_to_hours
from pricing import load_catalogue
from tests.web.test_own_model import CONFIG

LLAMA_3_8B = {**CONFIG, "num_hidden_layers": 32}
ON = ("--accelerator", "h100 sxm")


def file(folder: Path, config: dict[str, Any]) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    return str(path)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[Any, str]:
    assert main([*arguments, "--json"]) == OK
    said = capsys.readouterr()
    return json.loads(said.out), said.err


@pytest.mark.parametrize("verb", ["train", "serve"])
def test_a_file_of_a_known_shape_is_as_fast_as_that_model(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, said = told(capsys, verb, "--config", file(tmp_path, LLAMA_3_8B), *ON)
    known, _ = told(capsys, verb, "--model", "llama 3 8b", *ON)
    assert mine["model"] == "our-llama"
    of = {"train": lambda all_: all_["speed"]["layout"]["tokens_per_s_per_accelerator"],
          "serve": lambda all_: all_["output_tokens_per_s"]}[verb]  # fmt: skip
    assert of(mine) == pytest.approx(of(known))
    assert said.startswith("our-llama: 8.03 billion parameters; 32 layers of 4,096, 32 heads on 8; 65,536 values kept")


@pytest.mark.parametrize("verb", ["train", "serve"])
def test_what_is_wrong_is_one_sentence(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, *ON]) == BAD_INPUT
    assert "No model given. Name one with --model" in capsys.readouterr().err
    assert main([verb, "--config", file(tmp_path, {**CONFIG, "vocab_size": "many"}), *ON]) == BAD_INPUT
    assert "config.json: vocab_size: want a whole number" in capsys.readouterr().err
    assert main([verb, "--config", str(tmp_path / "none.json"), *ON]) != OK
    assert "Traceback" not in capsys.readouterr().err


def test_a_plan_carries_the_model_as_its_fields() -> None:
    catalogue, mine = load_catalogue(), own_model(json.dumps(CONFIG))
    work = (Work(serve=ServingTask(model="our-llama")), Work(train=TrainingTask(model="our-llama", tokens=1e9)))
    plan = convert_to_hours(catalogue, Scenario(accelerator="H100-SXM5-80GB", work=work, models=(mine,)))
    assert plan.problems == ()
    assert [one.found.model for one in solved_jobs(catalogue, plan)] == ["our-llama", "our-llama"]
    without = convert_to_hours(catalogue, Scenario(accelerator="H100-SXM5-80GB", work=work))
    assert all("our-llama" in why for why in without.problems)
