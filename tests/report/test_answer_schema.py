"""What `plan`, `compare` and `sweep` print as JSON: the documents that `schema answer` describes, and nothing else."""

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator, FormatChecker
from pydantic import BaseModel

from planner.cli import main
from planner.cli.common import OK
from planner.money.plan import Plan
from planner.report.answer.document import answer_document, comparison_json
from planner.report.answer.plan_report import PlanReport, plan_text
from planner.report.answer.sentences import summarize_answer
from planner.report.files import answer_schema as schema
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.scenario import Scenario
from planner.study.buy_or_wait import BuyOrWaitUnavailable, buy_or_wait_futures, waiting
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from pricing import load_catalogue
from tests.evidence.golden import serving_rows
from tests.evidence.mine import as_csv
from tests.examples import at_most
from tests.facts import DAY
from tests.house import ROOT
from tests.money.anyplan import of, plans

pytestmark = pytest.mark.slow

KEYS = [preset.key for preset in load_presets()]
EACH = pytest.mark.parametrize("key", KEYS)
SNAKE = re.compile(r"[a-z][a-z0-9_]*")
UNIT = re.compile(
    r"usd|share|accelerators|seconds|_(per_year|per_month|months|hours|days|kg|kwh|liters)$"
    r"|^(years|month|best_month|count|futures|scenarios|were_there|seed|id|version|change_per_year)$"
)
GRID = """\
base: enterprise
outputs: [own, rent, npv_usd, payback_months, break_even_busy_share, present_usd, cash_today_usd, note, verdict,
          share_cheaper, low_usd]
vary:
  work.0.accelerators: [20, 80]
together:
  - site: [US, DE]
    own.usd_per_kwh: [0.08, null]
"""


@lru_cache(maxsize=1)
def validator() -> Draft202012Validator:
    """Of the schema as it is printed."""
    told_schema = schema.answer_schema()
    Draft202012Validator.check_schema(told_schema)
    return Draft202012Validator(told_schema, format_checker=FormatChecker())


def calculated(plan: Plan, name: str = "it", count: int = 64) -> PlanReport:
    """A plan with everything that the command line asks of it."""
    sure = decided(plan, count)
    waits = waiting(plan)
    later = None if isinstance(waits, BuyOrWaitUnavailable) else buy_or_wait_futures(waits)
    words = summarize_answer(plan, sure.answer, sure.futures)
    return PlanReport(name, plan, sure.answer, words, (), sure.futures, (waits, later))


@lru_cache(maxsize=8)
def preset_of(key: str) -> tuple[PlanReport, dict[str, Any]]:
    """A preset, calculated, and its document, to be read only."""
    found = find_preset(key)
    report = calculated(planned(load_catalogue(), found.scenario, DAY), key)
    return report, answer_document(report).model_dump(mode="json")


def keys_of(data: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Every key of nested data, with the place it stands at."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield where, key
            yield from keys_of(value, f"{where}.{key}")
    elif isinstance(data, list):
        for value in data:
            yield from keys_of(value, where)


def described(data: dict[str, Any]) -> None:
    """It is what the schema says, has a version, and no key that is a word for people."""
    text = json.dumps(data, allow_nan=False)
    again = json.loads(text)
    assert list(validator().iter_errors(again)) == []
    assert again["version"] == schema.VERSION
    wrong = [(where, key) for where, key in keys_of(again) if not SNAKE.fullmatch(key)]
    assert wrong == []
    models: dict[str, type[BaseModel]] = {
        "answer": schema.AnswerSchema, "comparison": schema.ComparisonSchema, "sweep": schema.SweepSchema,
    }  # fmt: skip
    described = models[again["kind"]].model_validate(again).model_dump(mode="json")
    assert described == again  # no key that the schema does not describe


@EACH
def test_a_preset_is_answered_as_described(key: str) -> None:
    described(preset_of(key)[1])


@at_most(12)
@given(plans())
def test_any_plan_is_answered_as_described(scenario: Scenario) -> None:
    described(answer_document(calculated(of(scenario))).model_dump(mode="json"))


@pytest.mark.parametrize("scenario", [
    {"ways": ("hosted",)},
    {"ways": ("own",)},
    # Work that begins after the plan ends, so no machine and no line.
    {"years": 0.25, "ways": ("own",), "own": {"capex_usd": 1, "capex_per": "machine"}, "work": ({"first_month": 92},)},
    {"accelerator": "L4-24GB", "ways": ("on_demand",)},
    {"work": ({"accelerators": 1, "train": {"model": "llama-3.1-405b", "tokens": 1e9}},)},
    {"currency": {"code": "EUR", "usd_per_unit": 1.25, "day": date(2026, 11, 1), "source": "ECB"}},
    {"kept": {"accelerators": 4}, "rent_to_own": {"usd_per_month": 3, "months": 2}, "tax": {}},
])  # fmt: skip
def test_what_cannot_be_answered_is_described_too(scenario: dict[str, Any]) -> None:
    data = answer_document(calculated(planned(load_catalogue(), Scenario.model_validate(scenario), DAY))).model_dump(
        mode="json"
    )
    described(data)
    assert data["options"] or data["not_offered"]
    assert all(one["reason"] for one in data["not_offered"])


@EACH
def test_its_lines_sum_to_its_totals_and_its_words_are_those_of_the_page(key: str) -> None:
    one, data = preset_of(key)
    for option in data["options"]:
        assert sum(option["cash_by_year_usd"]) == pytest.approx(option["total_usd"])
        assert sum(line["total_usd"] or 0 for line in option["lines"]) == pytest.approx(option["total_usd"])
        for line in option["lines"]:
            assert line["total_usd"] is None or sum(line["by_year_usd"]) == pytest.approx(line["total_usd"])
        assert option["present_low_usd"] <= option["present_usd"] <= option["present_high_usd"]
    text = plan_text(one)
    assert data["title"] in text
    assert all(sentence in text for sentence in data["sentences"])
    assert data["share_cheaper"] == one.answer.share_cheaper
    options = {option["key"] for option in data["options"]}
    assert {data[name] for name in ("best", "against", "own", "rent", "baseline")} - {None} <= options


@EACH
def test_where_there_is_no_number_there_is_a_reason(key: str) -> None:
    data = preset_of(key)[1]
    for turn in data["break_evens"]:
        assert (turn["value"] is None) is bool(turn["reason"])
    assert all(option["is_complete"] is (not option["not_priced"]) for option in data["options"])


def test_what_is_rented_names_its_offer_and_its_days() -> None:
    one, data = preset_of("fine-tune-70b")
    option = next(option for option in data["options"] if option["way"] == "on_demand")
    offer = load_catalogue().offers[option["offer"]["id"]]
    assert one.plan.setting.offers.on_demand == option["offer"]["id"]
    assert option["offer"]["provider_id"] == offer.provider
    assert option["offer"]["price_checked"] == offer.usd_per_accelerator_hour.checked.isoformat()
    low, typical, high = (option["offer"][f"today_usd_{end}"] for end in ("low", "per_accelerator_hour", "high"))
    assert low <= typical <= high
    assert option["oldest_figure_checked"] <= data["catalogue_day"]


def test_plans_side_by_side_are_described_and_differ_in_what_was_entered() -> None:
    work = [{"accelerators": count, "label": "w"} for count in (8, 16)]
    scenarios = [Scenario.model_validate({"work": (one,), "ways": ("own", "on_demand")}) for one in work]
    both = [
        calculated(planned(load_catalogue(), scenario, DAY), f"{place}.yaml")
        for place, scenario in enumerate(scenarios)
    ]
    data = comparison_json(both)
    described(data)
    assert data["differences"] == [{"input": "work.0.accelerators", "values": [8, 16]}]
    assert [one["file"] for one in data["plans"]] == ["0.yaml", "1.yaml"]
    assert data["plans"][0] == answer_document(both[0]).model_dump(mode="json")


def swept(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """The document of a sweep, and the rows of its file."""
    grid, out = tmp_path / "grid.yaml", tmp_path / "rows.csv"
    grid.write_text(text, encoding="utf-8")
    arguments = ["sweep", str(grid), "--csv", str(out), "--jobs", "1", "--day", DAY.isoformat()]
    assert main([*arguments, "--json"]) == OK
    data = json.loads(capsys.readouterr().out)
    assert main([*arguments, "--json"]) == OK  # all rows stood there already
    again = json.loads(capsys.readouterr().out)
    assert again | {"were_there": 0, "seconds": 0} == data | {"seconds": 0}
    return data, list(csv.DictReader(io.StringIO(out.read_text("utf-8-sig"), newline="")))


def test_a_sweep_is_described_and_its_rows_are_those_of_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, rows = swept(tmp_path, capsys, GRID)
    described(data)
    assert len(data["rows"]) == len(rows) == data["scenarios"] == 4
    for mine, theirs in zip(data["rows"], rows, strict=True):
        assert {one["input"]: "" if one["value"] is None else str(one["value"]) for one in mine["inputs"]} == {
            name: theirs[name] for name in ("work.0.accelerators", "site", "own.usd_per_kwh")
        }
        assert (mine["verdict"], mine["npv_usd"]) == (theirs["verdict"], pytest.approx(float(theirs["npv_usd"])))
        costs = {option["key"]: option["present_usd"] for option in mine["options"]}
        assert costs == {
            name.removeprefix("present_usd_"): float(usd)
            for name, usd in theirs.items()
            if name.startswith("present_usd_") and usd
        }
        assert {mine["best"], mine["own"], mine["rent"]} <= set(costs)
        named = theirs["best"] if theirs["best"].startswith("own-") else theirs["own"]
        assert f"own-{mine['right_size_accelerators']}" in (named, "own-None")
        assert mine["gap_share"] is None  # not asked for
    shares = {one["value"]: one["share"] for one in data["verdicts"]}
    assert sum(shares.values()) == pytest.approx(1.0)
    assert data["leads"] is None


def test_a_sweep_over_words_and_refusals_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "ways: [own, on_demand]\nbase: {work: [{accelerator_hours_per_month: 2000, accelerators: 8}]}\n"
        "vary:\n  work.0.label: ['=1+1', \"'a\"]\n  work.0.accelerators: [4, 8]\n"
        "  work.0.accelerator_hours_per_month: [2000, 5000]\n"
    )
    data, rows = swept(tmp_path, capsys, text)
    described(data)
    assert [row["inputs"][0]["value"] for row in data["rows"]] == ["=1+1"] * 4 + ["'a"] * 4
    refused = [row for row in data["rows"] if row["leads"] == "refused"]
    assert len(refused) == 2
    assert all(row["note"] and row["best"] is None and row["options"] == [] for row in refused)
    assert [row["note"] or "" for row in data["rows"]] == [row["note"].removeprefix("'") for row in rows]


def test_every_key_of_the_documents_is_described_and_has_its_unit_in_its_name() -> None:
    told_schema = schema.answer_schema()
    kinds = {one["$ref"].rpartition("/")[2] for one in told_schema["oneOf"]}
    assert kinds == {"Answer", "Comparison", "Sweep"}
    for name, part in told_schema["$defs"].items():
        if name == "JsonValue":
            continue
        assert part["description"], name
        assert set(part["required"]) == set(part["properties"]), name
        for key, about in part["properties"].items():
            assert SNAKE.fullmatch(key), (name, key)
            assert about.get("description"), (name, key)
            numbers = re.search(r'"(number|integer)"', json.dumps(about))
            beside = "unit" in part["properties"] or name in ("Band", "SimulatedBreakEven")  # the unit stands beside it
            beside |= "additionalProperties" in about  # or in the keys of measures
            assert not numbers or beside or UNIT.search(key), (name, key)


def tables() -> str:
    """Every part of the documents as it stands in docs/answer.md: whole documents first, then what they hold."""
    parts = schema.answer_schema()["$defs"]
    order = ["Answer", "Comparison", "Sweep", *parts]
    told_parts = []
    for name in dict.fromkeys(one for one in order if one != "JsonValue"):
        rows = [f"| `{key}` | {about['description']} |" for key, about in parts[name]["properties"].items()]
        told_parts.append(
            "\n".join([f"## {name}", "", parts[name]["description"], "", "| Key | What |", "|---|---|", *rows])
        )
    return "\n\n".join(told_parts) + "\n"


def test_the_page_about_it_has_every_key() -> None:
    """Where this fails, put what it shows in place of the tables of docs/answer.md."""
    text = (ROOT / "docs" / "answer.md").read_text(encoding="utf-8")
    assert text[text.index("## Answer\n") :] == tables()


def test_the_schema_verb_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "answer"]) == OK
    assert json.loads(capsys.readouterr().out) == schema.answer_schema()


VERBS = [
    ["prices", "--accelerator", "h100"], ["facts", "runpod"], ["stale"],
    ["train", "--model", "llama-3-8b", "--accelerator", "h100-sxm5-80gb", "--tokens", "1B"],
    ["train", "--model", "llama-3-8b", "--accelerator", "h100-sxm5-80gb", "--tokens", "1B", "--method", "lora"],
    ["train", "--model", "llama-3.1-405b", "--accelerator", "l4-24gb", "--tokens", "1B", "--count", "1"],
    ["train", "--model", "resnet-50", "--accelerator", "h100-sxm5-80gb"],
    ["serve", "--model", "llama-3.1-8b", "--accelerator", "h100-sxm5-80gb", "--requests-per-s", "2"],
    ["serve", "--model", "llama-3.1-405b", "--accelerator", "l4-24gb"],
    ["serve", "--model", "whisper", "--accelerator", "h100-sxm5-80gb,a100-sxm4-80gb"],
    ["cheapest", "--model", "llama-3-8b", "--tokens", "1B", "--deadline-days", "3"],
    ["cheapest", "--model", "llama-3.1-8b", "--requests-per-s", "2"], ["cheapest"], ["check", "training"],
    ["check", "serving"], ["plan", "startup"], ["compare", "startup", "enterprise"],
]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_no_verb_has_a_word_for_people_as_a_key(
    verb: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "RUNS.csv").write_text(as_csv(serving_rows()), encoding="utf-8")  # to fit all takes two minutes
    assert main([*verb, "--json", "--day", DAY.isoformat()]) == OK
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert data["version"] == 1
    assert [(where, key) for where, key in keys_of(data) if not SNAKE.fullmatch(key)] == []
