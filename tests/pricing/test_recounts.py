"""Models of 2025 and 2026, beside a count of their parameters that was made without our formulas.

`recounts.csv`: parameters in 1e9 from the class of each model in transformers 5.23.0, built without weights and
counted one by one (`class`), or by hand from its numbers where there is no class (`columns`); active ones with the
table of words; what the cache keeps of each token, what it keeps of a full window, and values of states, all layers
together.
"""

import csv
import math
from pathlib import Path

import pytest

from planner.network.record import active_parameter_count_b, build_text_decoder, parameter_count_b
from pricing.model import Model
from tests.frozen import live_catalogue

ROWS = list(csv.DictReader((Path(__file__).parent / "recounts.csv").read_text(encoding="utf-8").splitlines()))
NEAR = 0.01
# Why one of the counts is another.
ACTIVE_DIFFERS = {
    "Step-3.7-Flash": "the class has 64 heads where a window is seen, the release 96",
    "Inkling-2-Small": "the class has short convolutions that no field describes",
    "Inkling-975B-A41B": "the class has short convolutions that no field describes",
}
ALL_DIFFER = {"LFM3-1.7B": "the class has fewer convolutions than its default configuration says"}


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return live_catalogue().models


def off(mine: float, said: str) -> float:
    return mine / float(said) - 1 if said else mine


def test_there_are_enough() -> None:
    assert len(ROWS) >= 100


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_parameters_are_those_that_were_counted(models: dict[str, Model], row: dict[str, str]) -> None:
    model = models[row["model"]]
    assert (abs(off(parameter_count_b(model), row["params_b"])) <= NEAR) == (row["model"] not in ALL_DIFFER)
    shape = build_text_decoder(model)
    assert float(shape.counted_params) / 1e9 == pytest.approx(parameter_count_b(model), rel=1e-3)
    if row["active_params_b"]:
        active = active_parameter_count_b(model) or math.nan
        assert (abs(off(active, row["active_params_b"])) <= NEAR) == (row["model"] not in ACTIVE_DIFFERS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_a_cache_is_what_its_kinds_of_layers_keep(models: dict[str, Model], row: dict[str, str]) -> None:
    shape, long = build_text_decoder(models[row["model"]]), 1e8
    each = float(shape.cached_values(context=2 * long) - shape.cached_values(context=long)) / long
    assert each == pytest.approx(float(row["cache_values_per_token"]))
    window = float(shape.cached_values(context=long)) - each * long
    assert window == pytest.approx(float(row["window_values"] or 0), rel=1e-4, abs=1e4)
    assert float(shape.state_values) == float(row["state_values"] or 0)


def test_windows_and_chosen_tokens_cost_less_at_length(models: dict[str, Model]) -> None:
    """DeepSeek-V3.2 reads chosen tokens where V3 reads all; each is kept whole."""
    full, chosen = (build_text_decoder(models[name]) for name in ("DeepSeek-V3", "DeepSeek-V3.2"))
    assert chosen.cached_values(context=100_000) > full.cached_values(context=100_000)
    assert chosen.read_values(context=100_000) < 0.3 * full.read_values(context=100_000)
    assert chosen.prompt_flops(tokens=100_000) < 0.3 * full.prompt_flops(tokens=100_000)


def test_a_model_whose_experts_are_narrow_is_stored_by_parts(models: dict[str, Model]) -> None:
    said = {name: (models[name].weights, models[name].rest_weights) for name in ("Kimi-K2-Thinking", "gpt-oss-120b")}
    assert said == {"Kimi-K2-Thinking": ("int4", "bf16"), "gpt-oss-120b": ("mxfp4", "bf16")}
