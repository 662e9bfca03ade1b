"""Runs of one's own in the shell: `check` says how far off and what to write down; plans and searches go by them."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from planner.cli.common import BAD_INPUT, OK
from planner.scenario.durations import format_duration
from planner.scenario.file import read_scenario
from tests.evidence.mine import as_csv, own_rows
from tests.facts import CATALOGUE
from tests.shell import DAY, run

pytestmark = pytest.mark.slow

PLAN = "work: [{accelerators: 64, train: {model: llama-3-8b, tokens: 1e12}}]\nways: [on_demand]\n"
CHIPS = ["--accelerator", "H100-SXM5-80GB", "--accelerator", "H200-SXM-141GB"]


@pytest.fixture
def mine(tmp_path: Path) -> str:
    """Three runs that took a quarter longer than predicted, one with a slip in its units, and its file."""
    rows = own_rows(CATALOGUE, "training", (0.78, 0.8, 0.82))
    path = tmp_path / "=mine.csv"
    path.write_text(as_csv([*rows, rows[0] | {"id": "=1+1", "tokens_per_s_per_accelerator": "1e12"}]), encoding="utf-8")
    return str(path)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN, encoding="utf-8")
    return path


def test_check_ends_with_the_lines_of_a_scenario_that_says_the_same(
    mine: str, base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "check", "training", mine, *DAY)
    assert code == OK
    assert "Your 3 training runs reached 80% of the prediction for Llama 3 8B on H100 SXM5 80 GB." in out
    lines = out[out.index("\nmeasured:") :]
    base.write_text(PLAN + lines, encoding="utf-8")
    (one,) = read_scenario(base.read_bytes(), "plan.yaml", CATALOGUE).scenario.measured
    assert (one.ratio, one.runs, one.source) == (0.8, 3, "=mine.csv")
    code, written, _ = run(capsys, "plan", str(base), *DAY)
    base.write_text(PLAN, encoding="utf-8")
    code, brought, err = run(capsys, "plan", str(base), *DAY, "--runs", mine)
    assert code == OK
    assert brought == written
    assert "Uses 3 runs of yours of this model on H100 SXM5 80 GB: 81% of the prediction" in brought
    said, _, wish = err.partition(" times what one H100-SXM5-80GB can compute of such a model; want at most ")
    assert said.startswith("=mine.csv: 1 run not used. =1+1: tokens_per_s_per_accelerator: 1,000,000,000,000 is ")
    assert wish.endswith("; look at its unit.\n")
    assert json.loads(run(capsys, "check", "training", mine, *DAY, "--json")[1])["measured"][0]["ratio"] == 0.8


def test_plans_and_their_files_say_whose_speed_it_is(
    mine: str, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "assumptions.csv"
    hours = []
    for more in ([], ["--runs", mine]):
        code, said, _ = run(capsys, "plan", str(base), *DAY, *more, "--json", "--csv-assumptions", str(out))
        assert code == OK
        hours.append(json.loads(said)["options"][0]["present_usd"])
    assert hours[1] > 1.05 * hours[0]
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8-sig"), newline="")))
    (row,) = [row for row in rows if row["assumption_id"].startswith("measured.")]
    assert (row["value"], row["unit"], row["as_of"], row["verified_by"]) == (
        "0.8", "times what is predicted", "2026-11-21", "you",
    )  # fmt: skip
    assert "3 runs (=mine.csv)" in row["note"]


def test_searches_comparisons_and_sweeps_go_by_them(
    mine: str, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = tmp_path / "grid.yaml"
    grid.write_text("base: plan.yaml\nvary: {years: [2, 3]}\n", encoding="utf-8")
    calls = {
        "cheapest": ("cheapest", str(base), *DAY, *CHIPS, "--count", "64"),
        "compare": ("compare", str(base), str(base), *DAY),
        "sweep": ("sweep", str(grid), *DAY, "--jobs", "1"),
    }  # fmt: skip
    for name, call in calls.items():
        said = []
        for more in ([], ["--runs", mine]):
            out = tmp_path / f"{name}-{len(more)}.csv"
            code, told, _ = run(capsys, *call, *more, "--csv", str(out), "--json")
            assert code == OK
            said.append(out.read_text("utf-8-sig") if name == "sweep" else json.loads(told))
        assert said[0] != said[1], name
        if name == "cheapest":
            days = [{one["accelerator"]: one["days"] for one in each["tries"] if one.get("days")} for each in said]
            assert days[1]["H100-SXM5-80GB"] != days[0]["H100-SXM5-80GB"]
            assert days[1]["H200-SXM-141GB"] == days[0]["H200-SXM-141GB"]


ALONE = ["--model", "llama-3.1-8b", "--accelerator", "H100 SXM5", *DAY]
SERVICE = "accelerator: H100-SXM5-80GB\nwork: [{serve: {model: llama-3.1-8b, requests_per_s: 2}}]\nways: [on_demand]\n"
OTHERS = (
    {}, {"model": "qwen3-8b"}, {"engine": "SGLang"}, {"concurrency_or_batch": "4"}, {"accelerator": "A100-SXM4-80GB"},
)  # fmt: skip


@pytest.mark.parametrize("ratios", [(0.6,), (0.58, 0.6, 0.62), (1.3, 0.9), (1.4, 1.41, 1.39, 1.4)])
@pytest.mark.parametrize("kind", ["serving", "training"])
def test_serve_or_train_and_plan_give_one_number_for_one_file_of_runs(
    kind: str, ratios: tuple[float, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of this model, and of others, other engines, batches and accelerators, which say nothing or less."""
    plan, file = tmp_path / "plan.yaml", tmp_path / "mine.csv"
    changes = OTHERS if kind == "serving" else ({}, {"precision": "fp8"}, {"accelerator": "A100-SXM4-80GB"})
    rows = [row for at, other in enumerate(changes) for row in own_rows(CATALOGUE, kind, ratios, 10 * at, **other)]
    file.write_text(as_csv(rows), encoding="utf-8")
    if kind == "serving":
        plan.write_text(SERVICE, encoding="utf-8")
        verb = ["serve", *ALONE]
    else:
        plan.write_text("accelerator: H100-SXM5-80GB\n" + PLAN, encoding="utf-8")
        verb = ["train", *ALONE[2:], "--model", "llama-3-8b", "--tokens", "1e12", "--count", "64"]
    code, alone, _ = run(capsys, *verb, "--runs", str(file))
    assert code == OK
    code, planned, _ = run(capsys, "plan", str(plan), *DAY, "--runs", str(file))
    assert code == OK
    (sentence,) = re.findall(r"Uses .* of the prediction without them\.", alone)
    assert sentence in planned
    if kind == "serving":
        speed = re.findall(r": ([\d,]+) tokens/s written", alone)[0]
        assert f" {speed} tokens/s" in planned
        assert speed not in run(capsys, *verb)[1]
    else:
        (found,) = (json.loads(run(capsys, *verb, "--runs", str(file), "--json")[1])["speed"]["days"]["typical"],)
        assert format_duration(found) in planned


def test_runs_of_other_work_are_said_to_say_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan, file = tmp_path / "plan.yaml", tmp_path / "mine.csv"
    plan.write_text(SERVICE, encoding="utf-8")
    file.write_text(as_csv(own_rows(CATALOGUE, "serving", (0.6,), model="qwen3-8b")), encoding="utf-8")
    said = "None of your serving runs is like this work on H100 SXM5 80 GB"
    assert said in run(capsys, "serve", *ALONE, "--runs", str(file))[1]
    assert said in run(capsys, "plan", str(plan), *DAY, "--runs", str(file))[1]


def test_tables_that_cannot_be_used_are_told_in_one_sentence(
    mine: str, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, large = tmp_path / "other.csv", tmp_path / "large.csv"
    other.write_text("id,model\n1,2\n", encoding="utf-8")
    large.write_bytes(b"x" * 20_000_001)
    (tmp_path / "twin.csv").write_bytes(Path(mine).read_bytes())
    for files, wish in (
        ([str(other)], "other.csv: line 1: no column says what was measured"),
        ([str(large)], "large.csv: want at most 20 MB"),
        ([mine, str(tmp_path / "twin.csv")], "=mine.csv and twin.csv are both training runs: put them into one table"),
    ):
        flags = [word for file in files for word in ("--runs", file)]
        code, out, err = run(capsys, "plan", str(base), *DAY, *flags)
        assert (code, out) == (BAD_INPUT, "")
        assert wish in err.splitlines()[-1]


BAD = (
    {"id": "huge", "model": "Kimi-K9", "params_b": "2800"},  # a size without a name that is known: guessed
    {"id": "slip", "params_b": "8030000000"},
    {"id": "word", "n_accelerators": "many"},
    {"id": "chip", "accelerator": "H1000"},
)


VERBS = {
    "check training": "training", "check serving": "serving", "plan plan.yaml --runs": "training",
    "train --model llama-3-8b --tokens 1e12 --accelerator h100-sxm5 --count 64 --runs": "training",
    "serve --model llama-3.1-8b --accelerator h100-sxm5 --requests-per-s 2 --runs": "serving",
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_no_row_stops_a_verb_and_each_that_is_not_used_is_told(
    verb: str, base: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(base.parent)
    rows = [one | {"params_b": ""} for one in own_rows(CATALOGUE, VERBS[verb], (0.8, 0.82))]
    Path("mixed.csv").write_text(as_csv([*(rows[0] | change for change in BAD), *rows]), encoding="utf-8")
    code, out, err = run(capsys, *verb.split(), "mixed.csv")
    assert code == OK
    checks = verb.startswith("check")
    told = out if checks else err
    for why in ("line 4, column n_accelerators: want a number, got 'many'", "8.03e+09 billion", "unknown accelerator"):
        assert why in told
    # The one of 2.8 trillion parameters says that it ran as fast as one of 8 billion: it is told, and not compared.
    guessed = "6 runs: 3 predicted, 2 of them beside a published figure, 1 by a shape guessed from the size, 3 skipped"
    assert (guessed if checks else "mixed.csv: 4 runs not used. ") in told
