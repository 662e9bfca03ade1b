"""Many chips and numbers at once say what `train` says of each."""

import math

import pytest

from planner.scenario.jobs import TrainingJob
from planner.speed.training import train
from planner.speed.training.across import Throughput, across, unknown_speed
from tests.facts import CATALOGUE

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
LAYOUT = ("tp", "pp", "virtual_stages", "cp", "ep", "dp", "micro_batch", "recompute")


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
    assert all(getattr(found.layout, name) == getattr(alone.speed.layout, name) for name in LAYOUT)
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
