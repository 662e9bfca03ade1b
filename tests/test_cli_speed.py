"""`train`, `serve`, `check training|serving` and `tools.calibrate`: what they print, write and refuse."""

import csv
import json
import re
from pathlib import Path

import pytest

from planner.cli.common import BAD_INPUT, OK
from planner.speed.hardware import DATA
from pricing import strict_yaml
from tests.evidence.golden import serving_rows, training_rows
from tests.shell import run
from tools import calibrate

pytestmark = pytest.mark.slow

H100 = ["--accelerator", "H100 SXM5", "--day", "2026-11-21"]
ROWS = {"training": training_rows, "serving": serving_rows}
ADDED = {
    "training": ["predicted_tokens_per_s_per_accelerator", "predicted_step_time_s", "predicted_peak_memory_gb"],
    "serving": [
        "predicted_output_tokens_per_s_total", "predicted_requests_per_s", "predicted_ttft_ms", "predicted_tpot_ms",
    ],
}  # fmt: skip


def table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("kind", ROWS)
def test_every_row_comes_back_with_its_prediction(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, out = ROWS[kind](), tmp_path / "out.csv"
    code, said, _ = run(capsys, "check", kind, str(table(tmp_path / "runs.csv", rows)), "--csv", str(out))
    assert code == OK
    assert f"{len(rows):,} runs" in said
    with out.open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["id"] for row in written] == [row["id"] for row in rows]
    assert list(written[0])[:-2][: len(ADDED[kind]) + 3] == ["id", *ADDED[kind], "fits", "skipped_reason"]
    for row in written:
        assert row["fits"] in ("true", "false", "")
        assert bool(row["skipped_reason"]) == (not any(row[name] for name in ADDED[kind]))


def test_check_without_a_file_uses_ours_and_counts_skips(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "training", "--json")
    told = json.loads(out)
    assert code == OK
    whole = next(group for group in told["summary"] if group["by"] == "all")
    assert whole["skipped"] == sum(one["runs"] for one in told["skipped"]) > 0
    assert len(told["runs"]) > 1_000


@pytest.mark.parametrize(("text", "wish"), [
    ("", "empty"), ("id;model;accelerator;n_accelerators\n", "separated by commas"),
    ("id,model,accelerator,accelerators\n", "no column 'n_accelerators'"),
    ("id,model,model,accelerator,n_accelerators\n", "'model' stands there twice"),
    ('id,model,accelerator,"n_accelerators\n', "not a CSV table"), ("\xff", "UTF-8"),
])  # fmt: skip
@pytest.mark.parametrize("kind", ROWS)
def test_a_table_that_cannot_be_read_is_told_in_one_sentence(
    kind: str, text: str, wish: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(text.encode("latin-1"))
    code, out, err = run(capsys, "check", kind, str(path))
    assert (code, out) == (BAD_INPUT, "")
    assert wish in err
    assert err.startswith("mine.csv")
    assert err.count("\n") == 1


def test_a_training_run_is_told_with_time_cost_and_memory(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "train", "--model", "llama-3-8b", *H100, "--count", "64", "--tokens", "1T")
    assert code == OK
    for word in ("Layout and runners-up", "GPU-hours", "a GPU-hour", "optimizer states", "below the peak"):
        assert word in out


def test_training_says_the_same_as_json_and_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "layouts.csv"
    code, said, _ = run(
        capsys, "train", "--model", "llama-3-8b", *H100, "--tokens", "1e12", "--tp", "2", "--json", "--csv", str(out)
    )
    told = json.loads(said)
    assert code == OK
    assert told["speed"]["layout"]["tp"] == 2
    hours, hour = told["speed"]["accelerator_hours"]["typical"], told["offer"]["usd_per_accelerator_hour"]
    assert told["usd"]["typical"] == pytest.approx(hours * hour)
    with out.open(encoding="utf-8-sig", newline="") as file:
        best = next(csv.DictReader(file))
    assert float(best["usd"]) == pytest.approx(told["usd"]["typical"])


FP8_ON_A100 = """
name: fp8
accelerator: A100-SXM4-80GB
work:
  - label: the run
    accelerators: 8
    train: {model: Llama-3-8B, tokens: 1e10, precision: fp8}
"""


def test_every_verb_refuses_to_train_in_a_precision_that_the_chip_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "fp8.yaml"
    plan.write_text(FP8_ON_A100, encoding="utf-8")
    a100 = ["--model", "llama-3-8b", "--accelerator", "a100 sxm 80gb", "--tokens", "1e10", "--precision", "fp8"]
    fp4 = ["--model", "llama-3-8b", *H100, "--tokens", "1e10", "--precision", "fp4"]
    for arguments in (["train", *a100], ["train", *fp4], ["plan", str(plan)], ["cheapest", *fp4]):
        _, out, error = run(capsys, *arguments)
        assert re.search(r"no (fp8|fp4) units are on record, so it cannot train in \1; choose bf16", out + error)


def test_what_does_not_fit_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "train", "--model", "llama-3.1-70b", *H100, "--tokens", "1B")
    assert code == OK
    assert "does not fit" in out
    assert "16 accelerators" in out
    code, out, _ = run(capsys, "serve", "--model", "llama-3.3-70b", *H100, "--count", "1")
    assert code == OK
    assert "does not fit" in out
    assert "fp8" in out


def test_serving_is_told_with_latency_and_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wish = ["--requests-per-s", "20", "--peak-requests-per-s", "60", "--ttft-ms", "500", "--tpot-ms", "50"]
    code, said, _ = run(capsys, "serve", "--model", "llama-3.1-8b", *H100, *wish)
    assert code == OK
    for word in ("Needed at the peak", "first token, ms", "a million tokens", "reading weights"):
        assert word in said
    out = tmp_path / "one.csv"
    code, said, _ = run(
        capsys, "serve", "--model", "llama-3.1-8b", *H100, *wish, "--busy-share", "0.5", "--json", "--csv", str(out)
    )
    told = json.loads(said)
    hour, rate = told["offer"]["usd_per_accelerator_hour"], told["output_tokens_per_accelerator_hour"]
    assert told["usd_per_million_output_tokens"] == pytest.approx(hour / (rate * 0.5) * 1e6)
    assert out.read_bytes().count(b"\n") == 2


@pytest.mark.parametrize(("arguments", "wish"), [
    (["train", "--model", "llama3-8", *H100], "Did you mean"),
    (["train", "--model", "llama-3-8b", *H100, "--dp", "3"], "nearest: 2 or 4"),
    (["train", "--model", "llama-3-8b", *H100, "--tokens", "many"], "want a number of tokens"),
    (["train", "--model", "llama-3-8b", *H100, "--micro-batch", "70000"], "--micro-batch: want"),
    (["train", "--model", "llama-3-8b", *H100, "--network-gb-s", "nan"], "--network-gb-s: want"),
    (["train", "--model", "llama-3-8b", *H100, "--epochs", "3"], "are for networks that learn from pictures"),
    (["train", "--model", "resnet-50", *H100, "--tokens", "1B"], "--tokens: resnet-50 learns from pictures"),
    (["train", "--model", "resnet-50", *H100, "--images", "1", "--epochs", "1"], "want images or epochs"),
    (["train", "--model", "ViT-H/14", *H100], "no training speed of it is on record"),
    (["train", "--model", "llama-3-8b", *H100, "--mig-profile", "9g"], "has no slice '9g'; there are: 1g.10gb"),
    (["serve", "--model", "llama3-8", *H100], "Did you mean"),
    (["serve", "--model", "llama-3.1-8b", *H100, "--ttft-ms", "-3"], "--ttft-ms: want"),
    (["serve", "--model", "llama-3.1-8b", *H100, "--tp", "6"], "nearest: 4 or 8"),
    (["serve", "--model", "llama-3.1-8b", *H100, "--mig-profile", "9g"], "no slice"),
    (["serve", "--model", "llama-3.1-8b", *H100, "--requests-per-s", "9", "--peak-requests-per-s", "1"], "peak"),
])  # fmt: skip
def test_bad_input_gets_one_sentence(arguments: list[str], wish: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (BAD_INPUT, "")
    assert wish in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("kind", ["training", "serving"])
def test_constants_are_fitted_to_runs_of_ones_own_and_used(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, out = table(tmp_path / "runs.csv", ROWS[kind]()), tmp_path / "constants.yaml"
    assert calibrate.main([kind, str(runs), "--out", str(out), "--day", "2026-11-21"]) == OK
    assert "left out of the fit" in capsys.readouterr().out
    assert set(strict_yaml.read(out.read_text(encoding="utf-8"), file="c")) >= {"constants", "bands"}
    if kind == "training":  # those of serving: test_runs_and_constants_of_ones_own_are_gone_by
        usual, own = (json.loads(run(capsys, *TRAIN, *more, "--json")[1])["speed"]["tokens_per_s_per_accelerator"]
                      for more in ([], ["--constants", str(out)]))  # fmt: skip
        assert usual["typical"] != own["typical"]
    assert calibrate.main([kind, str(table(runs, ROWS[kind]()[:1]))]) == BAD_INPUT
    assert "want at least 2" in capsys.readouterr().err


def test_other_work_is_set_side_by_side_over_accelerators(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "work.csv"
    asked = ["serve", "--model", "sentiment", "--accelerator", "cpu-xeon-8480plus, rtx 4090, h100 sxm5"]
    asked += ["--requests-per-s", "400", "--peak-requests-per-s", "1000", "--day", "2026-11-21"]
    code, said, _ = run(capsys, *asked)
    assert code == OK
    for word in ("measured on this accelerator", "carried over from L4", "no offer of the catalogue rents it", "USD/M"):
        assert word in said
    code, said, _ = run(capsys, *asked, "--json", "--csv", str(out))
    told = json.loads(said)["work"]
    assert [one["accelerators_at_peak"] for one in told] == [2, 1, 1]
    assert told[0]["usd_per_million_requests"] is None
    hour, rate = told[2]["usd_per_accelerator_hour"], told[2]["requests_per_s"]
    assert told[2]["usd_per_million_requests"] == pytest.approx(hour / (rate * 3_600 * 0.6) * 1e6)
    assert out.read_bytes().count(b"\n") == 4
    even = [part for part in asked if part not in {"--peak-requests-per-s", "1000"}]
    code, said, _ = run(capsys, *even, "--json")
    assert [one["accelerators_at_peak"] for one in json.loads(said)["work"]] == [1, 1, 1]  # an even stream is its peak


def test_runs_and_constants_of_ones_own_are_gone_by(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = {
        "id": "mine", "model": "llama-3.1-8b", "accelerator": "H100 SXM5", "n_accelerators": "1", "engine": "vLLM",
        "input_tokens": "1000", "output_tokens": "300", "concurrency_or_batch": "64", "mode": "offline",
        "output_tokens_per_s_total": "3000",
    }  # fmt: skip
    runs, constants = table(tmp_path / "mine.csv", [mine]), tmp_path / "constants.yaml"
    job = ["serve", "--model", "llama-3.1-8b", *H100, "--batch", "64"]
    code, out, _ = run(capsys, *job, "--runs", str(runs))
    assert code == OK
    assert "Uses 1 run of yours of this model on H100 SXM5 80 GB" in out
    assert "They are mine." in out
    data = (DATA / "serving_constants.yaml").read_text(encoding="utf-8")
    constants.write_text(re.sub(r"(flops_share: {value: )[0-9.]+", r"\g<1>0.4", data, count=1), encoding="utf-8")
    rates = []
    for more in ([], ["--constants", str(constants)]):
        code, out, _ = run(capsys, *job, "--json", *more)
        rates.append(json.loads(out)["output_tokens_per_s"])
    assert rates[1] < 0.9 * rates[0]
    constants.write_text("about: 1\n", encoding="utf-8")
    code, out, err = run(capsys, *job, "--constants", str(constants))
    assert (code, out) == (BAD_INPUT, "")
    assert err.startswith("constants.yaml")


TRAIN = ["train", "--model", "llama-3-8b", "--count", "64", *H100]


def own_runs(tmp_path: Path, **changes: str) -> str:
    row = {"id": "mine-1", "model": "llama-3-8b", "accelerator": "H100 SXM5", "n_accelerators": "64", "tp": "1",
           "pp": "1", "precision": "bf16", "seq_len": "8192", "tokens_per_s_per_accelerator": "7000"}  # fmt: skip
    return str(table(tmp_path / "mine.csv", [row | changes]))


def test_ones_own_runs_move_a_training_answer_and_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *TRAIN, "--runs", own_runs(tmp_path))
    assert code == OK
    assert "Uses 1 run of yours of this model on H100 SXM5 80 GB" in out
    assert "They are mine-1." in out
    told = json.loads(run(capsys, *TRAIN, "--runs", own_runs(tmp_path), "--json")[1])
    plain = json.loads(run(capsys, *TRAIN, "--json")[1])
    assert "own_runs" not in plain
    ratio = told["own_runs"]["measured_over_predicted"]
    rate = [each["speed"]["tokens_per_s_per_accelerator"]["typical"] for each in (told, plain)]
    assert rate[0] < rate[1] if ratio < 1 else rate[0] > rate[1]


def test_bad_runs_and_constants_are_told_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("constants: {}\nchips: {}\nfamilies: {}\nbands: {}\n", encoding="utf-8")
    elsewhere = own_runs(tmp_path, accelerator="A100-SXM4-80GB")
    for more, wish in (
        (["--constants", str(wrong)], "wrong.yaml: constants: attention is missing"),
        (["--runs", elsewhere], "was measured on H100-SXM5-80GB"),
        (["--runs", elsewhere, "--measured-over-predicted", "0.9"], "mutually exclusive"),
    ):
        code, out, err = run(capsys, *TRAIN, *more)
        assert (code, out) == (BAD_INPUT, "")
        assert wish in err
        assert err.count("\n") == 1


TUNE = ["train", "--model", "llama-3-8b", *H100, "--method", "qlora", "--tokens", "20M", "--seq-len", "512"]


def test_one_slice_is_asked_about_and_its_bill_is_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *TUNE, "--global-batch", "8", "--mig-profile", "1g.10gb")
    assert code == OK
    assert "on 1 x H100-SXM5-80GB, slice 1g.10gb" in out
    assert "A slice is not rented alone" in out
    code, out, _ = run(capsys, "serve", "--model", "llama-3.1-8b", *H100, "--mig-profile", "2g.20gb")
    assert code == OK
    assert "H100-SXM5-80GB, slice 2g.20gb" in out.splitlines()[0]


def test_a_batch_that_does_not_divide_is_refused_or_told_without_numbers_that_are_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["train", "--model", "llama-3-8b", "--accelerator", "H100 SXM5", "--count", "64"]
    code, _, err = run(capsys, *asked, "--dp", "64", "--global-batch", "7")
    assert code == BAD_INPUT
    assert "does not divide into 64 replicas of micro-batches of 1; nearest: 64" in err
    _, out, _ = run(capsys, *asked, "--micro-batch", "3", "--global-batch", "64")
    assert "no layout is legal" in out.splitlines()[0]
    assert "nan" not in out


def test_what_would_make_it_fit_says_each_count_once(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "train", "--model", "gpt-3-175b", "--accelerator", "H100 SXM5", "--count", "8")
    ways = out.split("What would make it fit")[1].split("\n\n")[0].splitlines()[1:]
    assert ways[1].endswith("on the same 8 accelerators")
    assert ways[2] == "- 64 accelerators"


def test_training_on_pictures_is_told_as_text_json_and_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.csv"
    code, said, _ = run(capsys, "train", "--model", "resnet-50", *H100, "--csv", str(out))
    assert code == OK
    assert "2,760 images/s on each" in said
    assert "measured on this accelerator" in said
    row = next(csv.DictReader(out.read_text(encoding="utf-8-sig").splitlines()))
    code, said, _ = run(capsys, "train", "--model", "resnet-50", *H100, "--json")
    told = json.loads(said)
    assert told["images_per_s_each"]["typical"] == pytest.approx(float(row["images_per_s_each"]))
    assert told["usd"]["typical"] == pytest.approx(float(row["usd"]))


def test_old_software_and_a_cap_of_watts_are_slower(capsys: pytest.CaptureFixture[str]) -> None:
    def rate(*flags: str) -> float:
        told = json.loads(run(capsys, *TRAIN, "--json", *flags)[1])
        return float(told["speed"]["tokens_per_s_per_accelerator"]["typical"])

    assert rate("--no-fused-attention") < rate()
    assert rate("--power-cap-w", "400") < rate()
    assert rate("--engine", "pytorch", "--no-compiled") < rate("--engine", "pytorch", "--compiled")
