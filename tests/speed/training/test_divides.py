"""Where the usual batch does not divide over the accelerators, one near it that does; a typed one is left alone."""

import math

import pytest

from planner.scenario.jobs import ServingJob, TrainingJob
from planner.speed.hardware import InvalidJobError
from planner.speed.serving import serve
from planner.speed.training import train
from planner.speed.training.across import Throughput, across, unknown_speed
from pricing import load_catalogue
from tests.facts import CATALOGUE
from tests.rows import each_row


def job(count: int, model: str = "Llama-3.1-8B", **more: object) -> TrainingJob:
    asked = {"model": model, "accelerator": "H100-SXM5-80GB", "accelerators": count, "tokens": 1e9, **more}
    return TrainingJob.model_validate(asked)


@pytest.mark.parametrize(("count", "batch"), [(96, 1_056), (100, 1_000), (7, 1_022), (24, 1_032), (64, 1_024)])
def test_the_batch_is_the_nearest_that_divides(count: int, batch: int) -> None:
    found = train(load_catalogue(), job(count))
    assert found.fits
    assert found.global_batch_sequences == batch
    assert any(f"a step takes {batch:,} sequences" in warning for warning in found.warnings) == (batch != 1_024)


def test_a_batch_that_is_asked_for_stays_and_its_neighbours_are_told() -> None:
    found = train(load_catalogue(), job(96, global_batch_sequences=1_000))
    assert not found.can_be_spread
    said = {way.words for way in found.ways_to_fit}
    assert said == {"a batch of 960 sequences", "a batch of 1,056 sequences", "80 accelerators", "128 accelerators"}
    for way in found.ways_to_fit:
        assert way.tokens_per_s_per_accelerator > 0


@each_row("count", range(1, 140, 3))
def test_no_number_of_accelerators_is_refused_for_its_divisors(count: int) -> None:
    assert train(load_catalogue(), job(count)).can_be_spread


def test_fewer_that_divide_are_named_where_they_are_faster() -> None:
    odd, even = (train(load_catalogue(), job(count, model="Llama-3.1-70B")) for count in (97, 96))
    assert odd.better.accelerators == 96
    assert odd.speed.days.typical > even.speed.days.typical
    assert any("97 divide badly: 96 accelerators are" in warning for warning in odd.warnings)
    assert even.better is None


XEON, H100 = "CPU-Xeon-8480plus", "H100-SXM5-80GB"


def test_a_processor_trains_slowly_and_over_a_wide_range() -> None:
    found = train(CATALOGUE, TrainingJob(model="Llama-3.2-1B", accelerator=XEON, accelerators=2, tokens=1e8))
    rate = found.speed.tokens_per_s_per_accelerator
    assert rate.high / rate.low > 6
    peak_tokens = 229.4e12 / (6 * 1.24e9)
    assert 0.05 * peak_tokens < rate.typical < 0.25 * peak_tokens
    assert found.memory_gb == pytest.approx(256, rel=0.05)
    assert any(
        "nobody has published how fast they train" in warning and "256 GB" in warning for warning in found.warnings
    )


def test_the_memory_of_a_server_is_ours_to_say() -> None:
    def trained(**said: float) -> float:
        job = TrainingJob.model_validate({"model": "Llama-3-8B", "accelerator": XEON, "accelerators": 1, **said})
        return train(CATALOGUE, job).memory_gb

    assert trained(memory_gb=1_024.0) > 900
    ask = ServingJob(model="Llama-3-70B", accelerator=XEON, accelerators=1)
    held = {gb: serve(CATALOGUE, ask.model_copy(update={"memory_gb": gb})) for gb in (64.0, 512.0)}
    assert (held[64.0].fits, held[512.0].fits) == (False, True)


def test_an_accelerator_brings_its_own() -> None:
    for ask in (
        lambda: train(CATALOGUE, TrainingJob(model="Llama-3-8B", accelerator=H100, memory_gb=64.0)),
        lambda: serve(CATALOGUE, ServingJob(model="Llama-3-8B", accelerator=H100, memory_gb=64.0)),
    ):
        with pytest.raises(InvalidJobError, match="has memory of its own; memory_gb is of a server's processors"):
            ask()


def test_the_market_leaves_out_what_nobody_measured() -> None:
    assert XEON in unknown_speed(CATALOGUE)


UNKNOWN = unknown_speed(CATALOGUE)
KEYS = tuple(key for key in CATALOGUE.accelerators if key not in UNKNOWN)
# One of each size of fast link, a card, and neither too few nor too many.
SOME = ("H100-SXM5-80GB", "RTX-4090-24GB", "Trainium1-32GB", "GB200-NVL72-186GB", "TPU-v5p", "MI300X-192GB")
JOBS = [
    (TrainingJob(model="llama-3-8b", accelerator="any", tokens=1e11), (8, 96)),
    (TrainingJob(model="llama-3-70b", accelerator="any", tokens=2e8, method="qlora"), (1, 4)),
    (TrainingJob(model="mixtral-8x7b", accelerator="any", tokens=1e11, precision="fp8", seq_len=8_192), (16,)),
    (TrainingJob(model="llama-3.1-405b", accelerator="any", tokens=1e12, team="ordinary"), (2, 4_096)),
]
LAYOUT = ("tp", "pp", "vpp", "cp", "ep", "dp", "micro_batch", "recompute", "selective")


@pytest.mark.slow
@pytest.mark.parametrize(("job", "counts"), JOBS, ids=lambda one: getattr(one, "model", ""))
def test_each_is_what_train_says(job: TrainingJob, counts: tuple[int, ...]) -> None:
    for row in across(CATALOGUE, job, SOME, counts):
        for found in row:
            assert_like_train(job, found)


def assert_like_train(job: TrainingJob, found: Throughput) -> None:
    there = {"accelerator": found.accelerator, "accelerators": found.accelerators}
    alone = train(CATALOGUE, job.model_copy(update=there))
    if alone.speed is None:
        assert found.days is None
        assert found.least_memory_gb == pytest.approx(alone.least_memory_gb, nan_ok=True)
        return
    assert found.days is not None
    assert found.layout is not None
    for end in ("low", "typical", "high"):
        assert math.isclose(getattr(found.days, end), getattr(alone.speed.days, end), rel_tol=1e-9)
    assert all(getattr(found.layout.plan, name) == getattr(alone.speed.layout.plan, name) for name in LAYOUT)
    assert found.tokens_per_s_per_accelerator == pytest.approx(alone.speed.tokens_per_s_per_accelerator.typical)


def test_a_chip_beside_others_is_what_it_is_alone() -> None:
    job, counts = JOBS[0][0], (8, 64)
    together = [next(one for one in row if one.accelerator == SOME[0]) for row in across(CATALOGUE, job, KEYS, counts)]
    assert together == [row[0] for row in across(CATALOGUE, job, SOME[:1], counts)]


def test_numbers_come_ascending_and_end_when_told() -> None:
    seen = [row[0].accelerators for row in across(CATALOGUE, JOBS[0][0], SOME[:1], (64, 8, 16, 8))]
    assert seen == [8, 16, 64]
    first = list(across(CATALOGUE, JOBS[0][0], SOME[:1], (8, 16), enough=lambda _: True))
    assert len(first) == 1


def test_what_lacks_for_a_speed_is_said() -> None:
    assert set(KEYS) | set(UNKNOWN) == set(CATALOGUE.accelerators)
    assert all("missing" in why or "not on record" in why for why in UNKNOWN.values())
