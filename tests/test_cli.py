"""`python -m planner`: the table, JSON and CSV say the same, and bad input gets one clear sentence."""

import csv
import io
import itertools
import json
from pathlib import Path

import pytest

from planner.cli.common import BAD_INPUT, FAILED, OK
from tests.shell import DAY, run


def offers(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    """The offers of a JSON answer."""
    code, out, _ = run(capsys, "prices", *DAY, "--json", *arguments)
    assert code == OK
    found: list[dict[str, object]] = json.loads(out)["offers"]
    return found


def test_filters_hold_for_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    rows = offers(
        capsys, "--accelerator", "h100 sxm5 80gb", "--purchase", "on_demand", "--gpus", "8", "--max-age-days", "180"
    )
    assert rows
    for row in rows:
        assert row["accelerator"] == "H100-SXM5-80GB"
        assert row["purchase"] == "on_demand"
        assert int(str(row["most_at_once"])) >= 8
        assert row["age_days"] is None or int(str(row["age_days"])) <= 180
        if row["usd_per_accelerator_hour"] is not None:
            assert row["source_url"]
            each = int(str(row["accelerators_per_instance"])) * float(str(row["usd_per_accelerator_hour"]))
            assert row["usd_per_instance_hour"] == pytest.approx(each)


def test_names_are_matched_loosely_and_a_family_means_all_its_forms(capsys: pytest.CaptureFixture[str]) -> None:
    assert {row["accelerator"] for row in offers(capsys, "--accelerator", "NVIDIA GeForce RTX 4090")} == {
        "RTX-4090-24GB"
    }
    family = {row["accelerator"] for row in offers(capsys, "--accelerator", "h100", "--all")}
    assert {"H100-SXM5-80GB", "H100-PCIe-80GB", "H100-NVL-94GB", "H100-80GB"} <= family
    assert {row["provider"] for row in offers(capsys, "--provider", "core weave")} == {"CoreWeave"}


def test_reserved_means_every_term_and_an_area_is_a_region(capsys: pytest.CaptureFixture[str]) -> None:
    terms = {str(row["purchase"]) for row in offers(capsys, "--purchase", "reserved")}
    assert terms == {"reserved_1m", "reserved_3m", "reserved_6m", "reserved_1y", "reserved_2y", "reserved_3y"} & terms
    assert len(terms) >= 4
    rows = offers(capsys, "--region", "Europe")
    said = {str(row["region"]): row["where"] for row in rows}
    assert said["Canada/Norway/US"] == "Norway (of Canada/Norway/US)"
    assert said["India/EU"] == "European Union (of India/EU)"
    assert said["US/Iceland"] == "Iceland (of US/Iceland)"
    assert said["Finland/Iceland"] == "Finland/Iceland"
    assert said["global"] == "global (not stated where)"
    elsewhere = {row["provider"] for row in rows if row["area"] not in ("europe", "anywhere")}
    assert elsewhere == {"Crusoe", "Hyperstack", "Jarvis Labs"}
    assert "Lambda" not in {row["provider"] for row in rows}  # its "all regions" are in the United States
    assert {row["where"] for row in offers(capsys, "--region", "asia")} >= {"India (of India/EU)"}
    assert all("us-east" in str(row["region"]) for row in offers(capsys, "--region", "us-east"))


@pytest.mark.parametrize("by", ["price", "instance", "age", "provider", "accelerator", "region"])
def test_sorting_is_stable_and_the_unpriced_come_last(capsys: pytest.CaptureFixture[str], by: str) -> None:
    rows = offers(capsys, "--sort", by, "--accelerator", "b300")
    assert rows == offers(capsys, "--sort", by, "--accelerator", "b300")
    keys = {"price": "usd_per_accelerator_hour", "instance": "usd_per_instance_hour", "age": "age_days"}
    if by in keys:
        values = [row[keys[by]] for row in rows]
        known = [float(str(value)) for value in values if value is not None]
        assert known == sorted(known)
        assert values[len(known) :] == [None] * (len(values) - len(known))
        assert len(known) < len(values)


def test_csv_and_json_hold_the_same_rows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "offers.csv"
    rows = offers(capsys, "--accelerator", "l40s", "--csv", str(path))
    read = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    assert [row["id"] for row in read] == [row["id"] for row in rows]
    assert [float(row["usd_per_accelerator_hour"]) for row in read] == [row["usd_per_accelerator_hour"] for row in rows]


def test_the_table_shows_price_age_and_trust(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "prices", *DAY, "--accelerator", "b300", "--purchase", "on_demand")
    head, *lines = out.splitlines()
    assert code == OK
    assert head.split() == [
        "USD/GPU-h", "today", "provider", "accelerator", "GPUs", "at", "once", "terms", "region", "checked", "age",
        "trust", "notes",
    ]  # fmt: skip
    assert lines[-1].startswith("ask for a quote")
    assert "hidden:" in err
    assert "that is assumed is ours" in err


@pytest.mark.parametrize(("arguments", "said"), [
    (["prices", "--accelerator", "h1000"], "Did you mean"),
    (["prices", "--provider", "corweave"], "Did you mean coreweave"),
    (["prices", "--purchase", "ondemand"], "Did you mean on_demand?"),
    (["prices", "--gpus", "0"], "want a whole number from 1"),
    (["prices", "--gpus", "1e12"], "want a whole number from 1"),
    (["prices", "--day", "yesterday"], "want a day such as"), (["prices", "--sort", "colour"], "invalid choice"),
    (["price"], "invalid choice"), ([], "required"),
])  # fmt: skip
def test_bad_input_is_two_and_one_sentence(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == BAD_INPUT
    assert said in err
    assert out == ""
    assert len(err.strip().splitlines()) == 1


def test_a_file_that_is_not_there_is_a_failure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "prices", "--quotes", str(tmp_path / "none.csv"))
    assert code == FAILED
    assert "No such file" in err


def test_your_quotes_win(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "quotes.csv"
    path.write_text("kind,provider,purchase,discount_share\ndiscount,AWS,on_demand,0.18\ndiscount,AWS,on_demand,18\n")
    plain = {row["id"]: row for row in offers(capsys, "--provider", "aws", "--purchase", "on_demand")}
    quoted = offers(capsys, "--provider", "aws", "--purchase", "on_demand", "--quotes", str(path))
    assert quoted
    for row in quoted:
        assert row["yours"]
        before = float(str(plain[row["id"]]["usd_per_accelerator_hour"]))
        assert float(str(row["usd_per_accelerator_hour"])) == pytest.approx(0.82 * before)
    _, _, err = run(capsys, "prices", *DAY, "--provider", "aws", "--quotes", str(path))
    assert "Line 3" in err


RUN = ["cheapest", "--model", "llama-3-8b", "--tokens", "20B", "--count", "8", *DAY]
PLAN = """\
accelerator: any
work:
- accelerators: 8
  train: {model: llama-3-8b, tokens: 2.0e+10, choose_count: true}
"""


def test_the_front_the_recommendation_and_why_others_lost(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *RUN, "--deadline-days", "30")
    assert code == OK
    assert out.startswith("Train Llama 3 8B on 20 billion tokens\n")
    assert "the cheapest, what few sell aside, within 30 days" in out
    assert "recommended" in out
    for head in ("The front", "Runners-up", "Why candidates lost"):
        assert f"\n{head}" in out


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
    code, out, _ = run(capsys, "plan", str(plan), *DAY)
    assert code == OK
    assert "which accelerator is not said" not in out


@pytest.mark.slow
def test_a_service_and_its_accelerators(capsys: pytest.CaptureFixture[str]) -> None:
    some = ["--accelerator", "H100 SXM5", "--accelerator", "mi300x"]
    asked = ["--requests-per-s", "5", "--peak", "9", "--input-tokens", "500", "--output-tokens", "200"]
    code, out, _ = run(capsys, "cheapest", "--model", "llama-3-8b", *asked, *some, *DAY)
    assert code == OK
    assert "9 at the peak" in out
    assert "ms a token" in out


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
    code, out, told = run(capsys, "cheapest", *arguments, *DAY)
    assert (code, out) == (BAD_INPUT, "")
    assert sentence in told
    assert told.count("\n") == 1
