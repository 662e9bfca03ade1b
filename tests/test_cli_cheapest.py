"""`cheapest`: what it prints and writes, what it takes from a file, and what it refuses."""

import csv
import itertools
import json
from pathlib import Path

import pytest

from planner.cli import BAD_INPUT, OK, main

DAY = ["--day", "2026-11-21"]
RUN = ["cheapest", "--model", "llama-3-8b", "--tokens", "20B", "--count", "8", *DAY]
PLAN = """\
accelerator: any
work:
- accelerators: 8
  train: {model: llama-3-8b, tokens: 2.0e+10, choose_count: true}
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    told = capsys.readouterr()
    return code, told.out, told.err


def test_the_front_the_recommendation_and_why_others_lost(capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run(capsys, *RUN, "--deadline-days", "30")
    assert code == OK
    assert said.startswith("Train Llama 3 8B on 20 billion tokens\n")
    assert "the cheapest within 30 days" in said
    assert "recommended" in said
    for head in ("The front", "Runners-up", "Why candidates lost"):
        assert f"\n{head}" in said


@pytest.mark.slow
def test_every_try_as_csv_and_data(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "tries.csv"
    code, said, _ = run(capsys, *RUN, "--json", "--csv", str(out), "--budget-usd", "1e9")
    assert code == OK
    data = json.loads(said)
    with out.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(data["tries"])
    assert [row["recommended"] for row in rows].count("true") == 1
    best = next(row for row in rows if row["recommended"] == "true")
    assert float(best["usd"]) == pytest.approx(data["best"]["usd"]["typical"])
    assert data["budget_usd"] == 1e9
    assert all(row["why_not"] or row["on_front"] == "true" or row is best for row in rows)


@pytest.mark.slow
def test_a_file_that_leaves_it_open_is_the_same_question(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN, encoding="utf-8")
    of_file = run(capsys, "cheapest", str(plan), "--count", "8", "--deadline-days", "30", *DAY)
    assert of_file == run(capsys, *RUN, "--deadline-days", "30")
    code, said, _ = run(capsys, "plan", str(plan), *DAY)
    assert code == OK
    assert "which accelerator is not said" not in said


@pytest.mark.slow
def test_a_service_and_its_accelerators(capsys: pytest.CaptureFixture[str]) -> None:
    some = ["--accelerator", "H100 SXM5", "--accelerator", "mi300x"]
    asked = ["--requests-per-s", "5", "--peak", "9", "--input-tokens", "500", "--output-tokens", "200"]
    code, said, _ = run(capsys, "cheapest", "--model", "llama-3-8b", *asked, *some, *DAY)
    assert code == OK
    assert "9 at the peak" in said
    assert "ms a token" in said


@pytest.mark.slow
def test_whoever_waits_sees_a_bar_that_goes_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(0.0, 0.9)  # every look at it is nearly a second later
    monkeypatch.setattr("planner.cli.cheapest.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    code, _, told = run(capsys, *RUN, "--count", "16")
    assert code == OK
    assert "] 35%" not in told  # within the first second nobody waits
    assert "#] 100%" in told
    assert told.endswith("\r\033[K")


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["--deadline-days", "3"], "--deadline-days needs a job: want --model NAME, or a SCENARIO"),
    (["startup", "--model", "llama-3-8b"], "and not both"),
    (["startup"], "no work names a model"),
    (["--model", "lama-9"], "No model is called 'lama-9'"),
    (["--model", "llama-3-8b", "--accelerator", "h1000"], "h1000"),
    (["--model", "llama-3-8b", "--deadline-days", "0"], "--deadline-days: want"),
    (["--model", "llama-3-8b", "--budget-usd", "-5"], "--budget-usd: want more than 0"),
    (["--model", "llama-3-8b", "--requests-per-s", "5", "--tokens", "1B"], "of a training run"),
    (["--model", "llama-3-8b", "--requests-per-s", "5", "--peak", "2"], "peak"),
])  # fmt: skip
def test_bad_input_is_one_sentence(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, told = run(capsys, "cheapest", *arguments, *DAY)
    assert (code, said) == (BAD_INPUT, "")
    assert sentence in told
    assert told.count("\n") == 1
