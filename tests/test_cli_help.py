"""The pages that are made: commands as the parser says them, fields as the records say them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.cli.common import BAD_INPUT, OK
from planner.network.config_file import own_model
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.speed.scenario_jobs import solved_jobs
from planner.speed.work_to_hours import convert_to_hours
from pricing import load_catalogue
from tests.house import ROOT
from tests.shell import run
from tests.test_cli_speed import H100
from tests.web.test_own_model import CONFIG
from tools import field_page
from tools.help_page import WRITE, help_page

PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n)*)", PAGE, flags=re.MULTILINE))


def help_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        main([*words, "--help"])
    return capsys.readouterr().out


def test_the_page_is_what_the_parser_says() -> None:
    assert help_page() == PAGE, f"docs/commands.md is not what --help says: run `{WRITE}`"


def test_the_page_of_fields_is_what_the_records_say() -> None:
    page = (ROOT / "docs" / "fields.md").read_text(encoding="utf-8")
    assert field_page.field_page() == page, f"docs/fields.md is not what the records say: run `{field_page.WRITE}`"


def test_every_verb_that_help_lists_has_its_section(capsys: pytest.CaptureFixture[str]) -> None:
    listed = set(re.findall(r"^    ([a-z-]+)\b", help_of([], capsys), flags=re.MULTILINE))
    assert listed
    assert listed == {title for title in SECTIONS if " " not in title}


@pytest.mark.parametrize("verb", SECTIONS)
def test_a_section_names_every_option_of_its_help_and_no_other(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = help_of(verb.split(), capsys)
    options = set(re.findall(r"^  (?:-h, )?(--[a-z][a-z0-9-]*)", told, flags=re.MULTILINE)) - {"--help"}
    rows = set(re.findall(r"^\| `(--[a-z][a-z0-9-]*)", SECTIONS[verb], flags=re.MULTILINE))
    assert rows == options
    for row in re.findall(r"^\| `-.*?`(?:, needed)? \| ([^;|]*)", SECTIONS[verb], flags=re.MULTILINE):
        assert "".join(row.split()) in "".join(told.split())


@pytest.mark.parametrize(("typed", "count"), [
    ("1048576", "1,048,576"), ("1,048,576", "1,048,576"), ("1M", "1,000,000"), ("128k", "128,000"),
    ("2e5", "200,000"),
])  # fmt: skip
def test_a_length_is_read_as_typed_and_shown_to_the_last_token(
    capsys: pytest.CaptureFixture[str], typed: str, count: str
) -> None:
    code, out, _ = run(capsys, "train", "--model", "llama-3-8b", *H100, "--count", "64", "--seq-len", typed)
    assert code == OK
    assert f"sequences of {count} tokens are longer than the 8,192 the model was made for" in out


@pytest.mark.parametrize(("verb", "typed", "wish"), [
    (("train", "--seq-len"), "16777217", "--seq-len: want a number, at most 16,777,216, got 16777217."),
    (("serve", "--input-tokens"), "20M", "--input-tokens: want a number, at most 16,777,216, got 20000000."),
    (("serve", "--output-tokens"), "1.5", "want a whole number of tokens such as 4096, 128k or 1,048,576, got '1.5'"),
])  # fmt: skip
def test_a_length_beyond_the_limit_is_refused_in_whole_numbers(
    capsys: pytest.CaptureFixture[str], verb: tuple[str, str], typed: str, wish: str
) -> None:
    code, _, err = run(capsys, verb[0], "--model", "llama-3-8b", *H100, verb[1], typed)
    assert code == BAD_INPUT
    assert wish in err


def test_a_service_takes_the_longest_text_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    """Llama 4 Scout was made for 10,485,760 tokens."""
    code, _, err = run(capsys, "serve", "--model", "llama-4-scout", *H100, "--input-tokens", "10,485,760")
    assert (code, err) == (OK, "")


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
    assert [one.result.model for one in solved_jobs(catalogue, plan)] == ["our-llama", "our-llama"]
    without = convert_to_hours(catalogue, Scenario(accelerator="H100-SXM5-80GB", work=work))
    assert all("our-llama" in why for why in without.problems)
