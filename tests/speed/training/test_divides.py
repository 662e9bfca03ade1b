"""Where the usual batch does not divide over the accelerators, one near it that does; a typed one is left alone."""

import pytest

from planner.scenario.jobs import TrainingJob
from planner.speed.training import train
from pricing import load_catalogue


def job(count: int, model: str = "Llama-3.1-8B", **more: object) -> TrainingJob:
    asked = {"model": model, "accelerator": "H100-SXM5-80GB", "accelerators": count, "tokens": 1e9, **more}
    return TrainingJob.model_validate(asked)


@pytest.mark.parametrize(("count", "batch"), [(96, 1_056), (100, 1_000), (7, 1_022), (24, 1_032), (64, 1_024)])
def test_the_batch_is_the_nearest_that_divides(count: int, batch: int) -> None:
    found = train(load_catalogue(), job(count))
    assert found.fits
    assert found.global_batch_sequences == batch
    assert any(f"a step takes {batch:,} sequences" in said for said in found.warnings) == (batch != 1_024)


def test_a_batch_that_is_asked_for_stays_and_its_neighbours_are_told() -> None:
    found = train(load_catalogue(), job(96, global_batch_sequences=1_000))
    assert not found.can_be_spread
    said = {way.words for way in found.ways_to_fit}
    assert said == {"a batch of 960 sequences", "a batch of 1,056 sequences", "80 accelerators", "128 accelerators"}
    for way in found.ways_to_fit:
        assert way.tokens_per_s_per_accelerator > 0


@pytest.mark.parametrize("count", range(1, 140, 3))
def test_no_number_of_accelerators_is_refused_for_its_divisors(count: int) -> None:
    assert train(load_catalogue(), job(count)).can_be_spread


def test_fewer_that_divide_are_named_where_they_are_faster() -> None:
    odd, even = (train(load_catalogue(), job(count, model="Llama-3.1-70B")) for count in (97, 96))
    assert odd.better is not None
    assert odd.better.accelerators == 96
    assert odd.speed is not None
    assert even.speed is not None
    assert odd.speed.days.typical > even.speed.days.typical
    assert any("97 divide badly: 96 accelerators are" in said for said in odd.warnings)
    assert even.better is None
