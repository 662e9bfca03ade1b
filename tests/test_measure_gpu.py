"""The script that is copied to a GPU, without one: what it counts, writes and survives; and the reader of its files."""

from __future__ import annotations

import contextlib
import csv
import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bench import measure_gpu as script
from bench import measure_jobs
from planner.cli.common import BAD_INPUT, OK
from planner.evidence.constants_file import serving_constants_in
from planner.speed.serving.chips import serving_data
from pricing import PricingError
from tests.facts import CATALOGUE
from tests.rows import each_row
from tools.check_gpu import constants_from_measurement, factors, main, measured_accelerator, read_measured

H100 = {
    "name": "NVIDIA H100 80GB HBM3", "count": 8, "memory_bytes": 85_520_809_984, "compute_capability": "9.0",
    "torch": "2.8.0", "python": "3.12.1", "cuda": "12.8",
}  # fmt: skip


def result(what: str, precision: str, shape: str, unit: str, value: float, seconds: float) -> script.Measurement:
    return script.Measurement(what, precision, shape, unit, value, seconds, 100)


FOUND = [
    result("matmul", "bf16", "8192x8192x8192", "TFLOP/s", 712.0, 1.5e-3),
    result("matmul", "bf16", "512x512x512", "TFLOP/s", 60.0, 4e-6),
    result("matmul", "fp8", "8192x8192x8192", "TFLOP/s", 1_300.0, 8e-4),
    script.Measurement("matmul", "fp16", "8192x8192x8192", "TFLOP/s", note="OutOfMemoryError: no"),
    result("memory read", "", "2147483648", "GB/s", 2_900.0, 7e-4),
    result("memory copy", "", "2147483648", "GB/s", 2_700.0, 1.6e-3),
    result("attention", "bf16", "4x32x4096x128", "TFLOP/s", 480.0, 1e-3),
    result("launch", "", "1", "us", 2.5, 2.5e-6),
    result("host to device", "", "536870912", "GB/s", 55.0, 1e-2),
    result("all-reduce", "bf16", "8x536870912", "GB/s", 370.0, 2.5e-3),
    result("all-reduce", "bf16", "8x16384", "GB/s", 1.1, 2.6e-5),
]


def written(**changed: Any) -> str:
    about = {**H100, **changed}
    return script.as_yaml(about, {"driver": "570.1", "power_w": "650"}, FOUND, "2026-11-21", quick=False)


class Fake(np.ndarray):
    """Just enough of a tensor."""

    def copy_(self, other: Any) -> Fake:
        self[...] = other
        return self

    def add_(self, other: float) -> Fake:
        self += other
        return self


def array(*shape: int, **_: Any) -> Fake:
    return np.ones(shape[0] if isinstance(shape[0], tuple) else shape, dtype=np.float32).view(Fake)


def product(left: Any, right: Any, out: Any) -> Any:
    return np.matmul(left, right, out=out)


def fake_torch() -> Any:
    """Numbers from numpy under the names the script calls."""
    attention = SimpleNamespace(
        scaled_dot_product_attention=lambda q, k, v, is_causal=False: q @ k.swapaxes(-1, -2) @ v
    )
    return SimpleNamespace(
        randn=array, ones=array, empty=array, zeros=array, empty_like=np.empty_like, matmul=product,
        float32="f", float16="h", bfloat16="b", inference_mode=contextlib.nullcontext, __version__="2.0",
        version=SimpleNamespace(cuda=None), nn=SimpleNamespace(functional=attention),
        backends=SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False))),
        cuda=SimpleNamespace(is_available=lambda: False),
    )  # fmt: skip


def test_operations_and_bytes_are_counted_as_by_hand() -> None:
    assert script.matmul_flops(2, 3, 4) == 48  # eight sums of three products
    assert script.attention_flops(1, 1, 4, 8) == 2 * 2 * 4 * 8 * 4 / 2
    assert script.ring_bytes(100.0, 4) == 150  # three quarters out, three quarters back
    assert script.value_of("TFLOP/s", 2e12, 0.5) == 4
    assert script.value_of("GB/s", 3e9, 1.5) == 2
    assert script.value_of("us", 0.0, 2e-6) == pytest.approx(2)


@pytest.mark.slow
def test_a_quick_run_on_a_processor_measures_writes_and_survives_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", fake_torch())
    assert script.run(["--device", "cpu", "--quick", "--out", str(tmp_path / "mine")]) == 0
    assert "mine.csv" in capsys.readouterr().out
    with (tmp_path / "mine.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["what"] for row in rows} >= {"matmul", "memory copy", "memory read", "attention", "launch"}
    assert all(float(row["value"]) > 0 for row in rows if row["value"])
    failed = {(row["what"], row["precision"]) for row in rows if not row["value"]}
    assert failed == {("matmul", "fp8"), ("matmul", "tf32")}  # a processor has neither, and the rest went on
    read = read_measured((tmp_path / "mine.yaml").read_text(encoding="utf-8"), "mine.yaml")
    assert read.quick
    assert len(read.results) == len(rows)
    assert script.run(["--out", str(tmp_path / "none")]) == 1  # no GPU
    assert not (tmp_path / "none.csv").exists()


def test_a_day_in_quotes_is_a_day() -> None:
    plain = read_measured(written(), "mine.yaml")
    assert read_measured(written().replace("2026-11-21", "'2026-11-21'"), "mine.yaml") == plain


def test_a_full_disk_leaves_the_measurements_of_before_and_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "mine.csv"
    old.write_text("measured before")

    def full(path: Path, _: str, **__: str) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(SystemExit, match=r"mine\.csv: not written, No space left on device"):
        script.put(old, "measured now")
    assert [one.name for one in tmp_path.iterdir()] == ["mine.csv"]
    assert old.read_text() == "measured before"


def test_without_torch_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert script.run([]) == 1
    assert "pip install torch" in capsys.readouterr().err


def test_the_table_has_a_row_for_each_result() -> None:
    rows = list(csv.DictReader(io.StringIO(script.as_csv(FOUND))))
    assert tuple(rows[0]) == script.COLUMNS
    assert [row["what"] for row in rows] == [one.what for one in FOUND]


def test_measured_stands_beside_assumed() -> None:
    measured = read_measured(written(), "mine.yaml")
    found = {factor.what: factor for factor in factors(CATALOGUE, measured, "H100-SXM5-80GB")}
    ours = serving_data().values()
    assert found["products, bf16"].measured == 712.0  # the best shape
    assert found["products, bf16"].assumed == pytest.approx(989.5 * ours.flops_share)
    assert found["products, bf16"].share == pytest.approx(712 / 989.5)
    assert found["memory read"].ratio == pytest.approx(2_900 / (3_350 * ours.bandwidth_share))
    assert found["all-reduce"].share == pytest.approx(370 / 450)
    assert found["all-reduce, short"].measured == pytest.approx(26)
    assert found["launch of a kernel"].ratio is None
    assert "products, fp16" not in found


def test_constants_of_the_machine_are_what_was_measured_and_ours_for_the_rest() -> None:
    made = constants_from_measurement(factors(CATALOGUE, read_measured(written(), "mine.yaml"), "H100-SXM5-80GB"))
    assert made.flops_share == pytest.approx(712 / 989.5)
    assert made.bandwidth_share == pytest.approx(2_900 / 3_350)
    assert made.allreduce_us == pytest.approx(26)
    assert made.layer_us == serving_data().values().layer_us


@each_row(("before", "after", "wish"), [
    ("format: 1", "format: 2", "format"), ("value: 712.0", "value: 1.0e+300", "results.0.value"),
    ("value: 712.0", "value: .nan", "results.0.value"), ("value: 712.0", 'value: "712"', "results.0.value"),
    ("quick: false", "quick: false\nmore: 1", "more"), ("results:", "results: []\nold:", "results"),
])  # fmt: skip
def test_a_file_that_cannot_be_is_refused_in_one_sentence(before: str, after: str, wish: str) -> None:
    text = written()
    assert before in text
    with pytest.raises(PricingError, match=wish) as refusal:
        read_measured(text.replace(before, after, 1), "mine.yaml")
    assert str(refusal.value).count("\n") == 0


def test_a_device_that_nobody_knows_asks_which_it_is() -> None:
    measured = read_measured(written(name="Abacus 9"), "mine.yaml")
    with pytest.raises(PricingError, match="say --accelerator"):
        measured_accelerator(CATALOGUE, measured)
    assert measured_accelerator(CATALOGUE, measured, "h100 sxm5") == "H100-SXM5-80GB"


def test_check_gpu_prints_the_table_and_writes_constants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "mine.yaml", tmp_path / "constants.yaml"
    path.write_text(written(), encoding="utf-8")
    asked = [str(path), "--accelerator", "h100 sxm5"]
    assert main([*asked, "--out", str(out)]) == OK
    said = capsys.readouterr().out
    for word in (
        "products, bf16",
        f"{serving_data().values().flops_share:.0%} of 990",
        "driver 570.1",
        "OutOfMemoryError",
    ):
        assert word in said
    constants = serving_constants_in(out.read_text(encoding="utf-8"), file=out.name)
    assert constants.flops_share == pytest.approx(712 / 989.5, rel=1e-4)
    path.write_text("format: 1\n", encoding="utf-8")
    assert main([str(path)]) == BAD_INPUT
    assert capsys.readouterr().err.count("\n") == 1


def test_a_job_that_cannot_run_says_why_and_stops_nothing() -> None:
    def build() -> measure_jobs.Step:
        raise ImportError("No module named 'peft'")

    torch = SimpleNamespace(compiler=SimpleNamespace(reset=lambda: None))
    run = measure_jobs.measured(torch, "cpu", (measure_jobs.JobRun("lora", "any", 1, 8, ""), 8.0, build), 0.0)
    assert (run.rate, run.note) == (None, "ImportError: No module named 'peft'")
    timed = measure_jobs.measured(torch, "cpu", (measure_jobs.JobRun("train", "any", 1, 8, ""), 8.0, lambda: str), 0.0)
    assert timed.steps == measure_jobs.FEWEST
    assert timed.rate is not None
    assert timed.step_s is not None
    assert timed.rate == pytest.approx(8.0 / timed.step_s)
