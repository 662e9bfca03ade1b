"""What must never come out of the speed models: order, shares of peaks, sizes that are known, bands of the unseen."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from planner.report.speed.fit_words import evidence_text
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.speed.serving import serve
from planner.speed.training import train
from planner.speed.training.result import TrainingSpeed
from tests.facts import CATALOGUE
from tests.shell import run
from tests.speed.serving.test_serve import served

H100 = "H100-SXM5-80GB"
# Weights of published models as stored, without what writes nothing (pictures, guesses ahead), each with its source.
STORED_WEIGHTS = tuple(csv.DictReader((Path(__file__).parent / "stored_weights.csv").read_text("utf-8").splitlines()))


def speed_of(accelerator: str, count: int, **wish: Any) -> TrainingSpeed:
    """Llama 3 8B trained, unless wished otherwise."""
    job = TrainingJob(
        **{"model": "llama-3-8b", "accelerator": accelerator, "accelerators": count, "tokens": 1e12, **wish}
    )
    speed = train(CATALOGUE, job).speed
    assert speed is not None
    return speed


@pytest.mark.parametrize("stored", STORED_WEIGHTS, ids=lambda stored: stored["model"])
def test_weights_take_what_the_published_files_do(stored: Mapping[str, str]) -> None:
    assert stored["source"]
    job = ServingJob(model=stored["model"], accelerator="B300-SXM-288GB", tensor_parallel=8, attention_dp=False)
    assert serve(CATALOGUE, job).memory.weights_gb == pytest.approx(float(stored["gb"]), rel=0.0025)


@pytest.mark.parametrize(("accelerator", "method", "least"), [
    ("Apple-M3-Ultra-512GB", "full", 60), ("Apple-M3-Ultra-512GB", "lora", 80), ("DGX-Spark-GB10-128GB", "lora", 300),
    ("A10G-24GB", "qlora", 300),
])  # fmt: skip
def test_small_machines_train_and_say_that_nobody_measured_it(accelerator: str, method: str, least: float) -> None:
    speed = speed_of(accelerator, 1, method=method)
    assert least < speed.tokens_per_s_per_accelerator.typical < 20 * least
    assert speed.band.high / speed.band.low > 1.45


def test_apple_machines_fine_tune_as_fast_as_mlx_says() -> None:
    """475 tokens/s of a LoRA of half of the layers of Llama 7B on an M2 Ultra: three quarters of the work of all."""
    rate = speed_of("Apple-M2-Ultra-192GB", 1, model="llama-2-7b", method="lora").tokens_per_s_per_accelerator
    assert rate.low < 475 * 0.75 < rate.high


@pytest.mark.parametrize("accelerator", ["MI250X-128GB", "A100-SXM4-80GB", H100, "B200-SXM-180GB", "TPU-v5e"])
def test_no_chip_trains_at_more_than_three_fifths_of_its_peak(accelerator: str) -> None:
    assert 0.2 < speed_of(accelerator, 64).mfu < 0.6


def test_more_train_faster_and_each_a_little_slower() -> None:
    rates = [speed_of(H100, count).tokens_per_s_per_accelerator.typical for count in (8, 64, 512, 4_096)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] > 0.5 * rates[0]
    speeds = [
        speed_of(H100, 64, precision=each).tokens_per_s_per_accelerator.typical for each in ("fp32", "bf16", "fp8")
    ]
    assert speeds == sorted(speeds)


@pytest.mark.parametrize("batch", [1, 8, 64])
def test_no_answer_comes_faster_than_its_weights_are_read(batch: int) -> None:
    for name in (H100, "B200-SXM-180GB", "RTX-4090-24GB", "Apple-M3-Ultra-512GB"):
        figure = CATALOGUE.accelerators[name].memory_bandwidth_gb_s
        assert figure is not None
        engine = "local" if name.startswith("Apple") else "vllm"
        one = served(accelerator=name, batch=batch, engine=engine, input_tokens=16, weight_precision="fp8")
        steps_per_s = one.output_tokens_per_s / batch
        assert steps_per_s * one.memory.weights_gb < figure.newest.typical


def test_more_at_once_write_more_and_each_answer_comes_slower() -> None:
    several = [served(batch=batch) for batch in (1, 4, 16, 64)]
    assert [each.output_tokens_per_s for each in several] == sorted(each.output_tokens_per_s for each in several)
    gaps = [each.tpot.mean_ms for each in several if each.tpot]
    assert gaps == sorted(gaps)
    assert served(accelerators=4, batch=1).requests_at_once == 1


def test_guesses_far_ahead_are_seldom_right() -> None:
    """EAGLE and its like write 1.8 to 2.8 times as fast for one reader in print."""
    plain, *guessed = (
        served(model="llama-3.3-70b", accelerators=4, batch=1, draft_tokens=ahead).output_tokens_per_s
        for ahead in (0, 2, 4, 8, 16)
    )
    assert all(1.8 < each / plain < 3.0 for each in guessed)
    assert guessed[3] < guessed[2]


@pytest.mark.parametrize("start", ["random", "steady", "all_at_once"])
def test_above_capacity_the_wait_grows_without_end(start: str, capsys: pytest.CaptureFixture[str]) -> None:
    wish: dict[str, Any] = {"model": "llama-3.3-70b", "accelerators": 4, "load_start": start}
    most = served(**wish).requests_per_s
    above, below = (served(**wish, requests_per_s=most * share) for share in (1.01, 0.9))
    assert (above.grows_without_end, above.ttft, above.tpot) == (True, None, None)
    assert below.ttft is not None
    assert not below.grows_without_end
    assert not served(**{**wish, "accelerators": None}, requests_per_s=most * 1.01).grows_without_end
    asked = ("--accelerator", "h100 sxm", "--count", "4", "--requests-per-s", "200", "--load-start", start)
    _, text, _ = run(capsys, "serve", "--model", "llama-3.3-70b", *asked)
    assert "200 requests/s are more than the 8.66 that 4 can answer: the wait for the first token grows without" in text


@pytest.mark.parametrize("accelerator", ["MI250X-128GB", "T4-16GB", "L4-24GB"])
def test_an_accelerator_without_a_run_has_the_range_between_accelerators_and_says_so(accelerator: str) -> None:
    trained, band = speed_of(accelerator, 64).band, served(accelerator=accelerator, accelerators=8).band
    assert band is not None
    for each in (trained, band):
        assert each.low <= 0.8
        assert each.high >= 1.22
        assert "range is wider" in evidence_text(each)
