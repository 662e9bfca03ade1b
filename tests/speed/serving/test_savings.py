"""A service with one thing changed: what it holds then, and what that does to its speed."""

from typing import Any

import pytest

from planner.scenario.jobs import ServingJob
from planner.speed.serving import serve
from planner.speed.serving.serve import AS_IT_IS, serving_variants
from pricing import load_catalogue


def found(**said: Any) -> dict[str, Any]:
    job = ServingJob(**({"model": "Llama-3.1-8B", "accelerator": "H100-SXM5-80GB"} | said))
    return {variant.words: variant.result for variant in serving_variants(load_catalogue(), job)}


def test_the_first_is_the_service_itself_and_narrow_numbers_take_less() -> None:
    ways = found()
    job = ServingJob(model="Llama-3.1-8B", accelerator="H100-SXM5-80GB")
    assert ways[AS_IT_IS] == serve(load_catalogue(), job)
    now = ways[AS_IT_IS].memory
    assert ways["weights in 4 bits"].memory.weights_gb < ways["weights in 8 bits"].memory.weights_gb < now.weights_gb
    assert ways["cache in 8 bits"].memory.cache_gb_per_request == pytest.approx(now.cache_gb_per_request / 2)
    assert ways["twice as many share it"].accelerators_per_replica == 2


def test_what_does_not_fit_fits_with_what_it_says() -> None:
    ways = found(model="Llama-3.1-405B")
    assert not ways[AS_IT_IS].fits
    assert ways["weights in 8 bits"].fits
    assert ways["weights in 8 bits"].accelerators_per_replica == ways[AS_IT_IS].accelerators_per_replica
    assert ways["twice as many share it"].fits


def test_what_is_narrow_already_is_not_offered_again() -> None:
    assert "weights in 8 bits" not in found(weight_precision="fp8")
    assert "weights in 4 bits" not in found(weight_precision="int4")
    assert "cache in 8 bits" not in found(cache_precision="fp8")


def test_a_slice_shares_with_nobody() -> None:
    assert "twice as many share it" not in found(mig_profile="1g.10gb", model="Llama-3.2-1B")
