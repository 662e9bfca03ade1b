"""Processors: the memory of their server is said or assumed, and a speed nobody measured is a wide range."""

import pytest

from planner.scenario.jobs import ServingJob, TrainingJob
from planner.speed.hardware import InvalidJobError
from planner.speed.serving import serve
from planner.speed.training import train
from planner.speed.training.across import unknown_speed
from tests.facts import CATALOGUE

XEON, H100 = "CPU-Xeon-8480plus", "H100-SXM5-80GB"


def test_a_processor_trains_slowly_and_over_a_wide_range() -> None:
    found = train(CATALOGUE, TrainingJob(model="Llama-3.2-1B", accelerator=XEON, accelerators=2, tokens=1e8))
    assert found.speed is not None
    rate = found.speed.tokens_per_s_per_accelerator
    assert rate.high / rate.low > 6
    peak_tokens = 229.4e12 / (6 * 1.24e9)
    assert 0.05 * peak_tokens < rate.typical < 0.25 * peak_tokens
    assert found.memory_gb == pytest.approx(256, rel=0.05)
    assert any("nobody has published how fast they train" in one and "256 GB" in one for one in found.warnings)


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
