"""The functions for Python give what the command line prints, and refuse with one sentence."""

import doctest
import json
from pathlib import Path
from typing import Any

import pytest

from planner import api
from planner.api.records import MalformedError
from planner.api.verbs import VERBS, load
from planner.scenario.file import SavedScenario, write_scenario
from planner.scenario.link import scenario_to_link
from planner.scenario.presets import find_preset
from planner.scenario.scenario import Scenario
from pricing import PricingError
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row, slow_except
from tests.shell import run

BILL = (
    "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,PricingCategory,PricingQuantity,PricingUnit,"
    "ServiceCategory\n900,USD,Usage,2026-12-01T00:00:00Z,Standard,300,GPU-Hours,Compute\n"
)
CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "plan": ({"scenario": "startup"}, ["startup"]),
    "actuals": ({"scenario": "startup", "bill": BILL}, ["startup", "--actuals", "bill"]),
    "compare": ({"scenarios": ["startup", "enterprise"]}, ["startup", "enterprise"]),
    "ask": ({"line": "64 h100 in germany for 3 months"}, ["64 h100 in germany for 3 months"]),
    "cheapest": ({"scenario": "fine-tune-70b", "only": "h100 sxm,h200", "counts": "8,16"},
        ["fine-tune-70b", "--accelerator", "h100 sxm", "--accelerator", "h200", "--count", "8", "--count", "16"]),
    "prices": ({"accelerator": "h100", "purchase": "reserved", "gpus": 8, "region": "europe"},
        ["--accelerator", "h100", "--purchase", "reserved", "--gpus", "8", "--region", "europe"]),
    "train": ({"model": "llama-3-8b", "accelerator": "h100 sxm", "accelerators": 64, "tokens": 1e12},
        ["--model", "llama-3-8b", "--accelerator", "h100 sxm", "--count", "64", "--tokens", "1T"]),
    "serve": ({"model": "llama-3.1-8b", "accelerator": "h100 sxm", "requests_per_s": 5.0, "stay": "eu"},
        ["--model", "llama-3.1-8b", "--accelerator", "h100 sxm", "--requests-per-s", "5", "--stay", "eu"]),
}  # fmt: skip


@pytest.mark.slow
def test_the_examples_of_the_package_hold() -> None:
    failed, tried = doctest.testmod(api)
    assert tried > 4
    assert not failed


def test_every_verb_has_a_function_and_a_case() -> None:
    assert set(VERBS) == set(CASES)
    assert all(callable(getattr(api, name)) for name in VERBS)


@pytest.mark.parametrize("name", slow_except(("plan", "ask", "prices", "train", "serve", "cheapest"), CASES))
def test_a_function_returns_what_the_command_line_prints(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, arguments = CASES[name]
    monkeypatch.chdir(tmp_path)
    Path("bill").write_text(BILL)
    code, out, _ = run(capsys, "plan" if name == "actuals" else name, *arguments, "--day", DAY.isoformat(), "--json")
    assert code == 0
    assert getattr(api, name)(**asked, day=DAY) == json.loads(out)


@pytest.mark.slow
def test_a_plan_is_the_same_in_every_form(tmp_path: Path) -> None:
    preset = find_preset("startup")
    assert preset is not None
    text = write_scenario(SavedScenario(preset.scenario, DAY, CATALOGUE.digest))
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    link = "&".join(f"{key}={value}" for key, value in scenario_to_link(preset.scenario).items() if "&" not in value)
    forms = [preset.scenario, preset.key, text, path, preset.scenario.model_dump(mode="json", exclude_defaults=True),
        f"https://plans.example.com/answer?{link}&look=Payback&asof={DAY.isoformat()}"]  # fmt: skip
    first, *others = (api.plan(form, day=DAY) for form in forms)
    for other in others:
        assert {**other, "file": "", "about": []} == {**first, "file": "", "about": []}


@each_row(("asked", "sentence"), [
    (lambda: api.plan("startupp"), "No preset is called startupp; the presets are "),
    (lambda: api.plan("gpus=0"), "gpus = 0, outside 1 to 1,000,000."),
    (lambda: api.plan("gpuz=8"), "gpuz: no such key; did you mean gpu?"),
    (lambda: api.plan("gpu=h1000"), "No accelerator is called 'h1000'"),
    (lambda: api.plan("gpus=8&asof=yesterday"), "day: 'yesterday' must be a day such as 2026-11-21."),
    (lambda: api.plan({"yeers": 3}), "yeers: there is no such key; did you mean years?"),
    (lambda: api.plan("years: 99\nsite: US"), "Line 1: years: "),
    (lambda: api.compare(["startup"]), "compare: want 2 to 8 plans, got 1."),
    (lambda: api.ask("64 h100 and a cow moon"), ""),
    (lambda: api.prices(purchase="resrved_1y"), "Did you mean reserved_1y?"),
    (lambda: api.prices(gpus=0), "gpus: want "),
    (lambda: api.train("llama-3-8b", "h1000"), "No accelerator is called 'h1000'"),
    (lambda: api.train("llama-3-8b", "h100 sxm", epochs=3.0), "pictures, not llama-3-8b."),
    (lambda: api.serve("llama-3.1-8b", "h100 sxm,h200"), "accelerator: want one for llama-3.1-8b"),
    (lambda: api.cheapest(counts="8"), "need a job"),
    (lambda: api.prices(day="2026-13-01"), "day: "),
    (lambda: api.plan("startup", day=DAY.replace(year=2001)), "day: want one from 2022-01-01 to 2099-12-31"),
])  # fmt: skip
def test_a_refusal_says_what_was_wanted(asked: Any, sentence: str) -> None:
    if not sentence:
        asked()
        return
    with pytest.raises(PricingError) as refused:
        asked()
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_of_one_line_is_no_link() -> None:
    file, link, fields = (load(question, CATALOGUE, DAY, DAY) for question in ('name: "a=b"', "", {}))
    assert (file.name, file.scenario.name) == ("plan", "a=b")
    assert link.name == "link"
    assert link.scenario == fields.scenario == Scenario()


def test_an_open_question_comes_with_its_choices() -> None:
    with pytest.raises(PricingError, match="Which is meant by") as refused:
        api.ask("8 h100 in georgia")
    assert len(refused.value.choices) > 1  # type: ignore[attr-defined]
    assert all(api.ask(line)["answer"]["title"] for line in list(refused.value.choices.values())[:1])  # type: ignore[attr-defined]


def test_a_malformed_request_is_told_from_one_without_an_answer() -> None:
    with pytest.raises(MalformedError):
        api.plan("gpus=many")
    with pytest.raises(PricingError) as refused:
        api.plan("gpu=h1000")
    assert not isinstance(refused.value, MalformedError)
