"""All parameters, and those that work on a token, as they are stated: hybrids and mixtures among them."""

import pytest

from planner.network.kinds import UnknownShape
from planner.network.record import build_network, build_text_decoder
from pricing import load_catalogue

MODELS = load_catalogue().models
TEXT = [name for name, model in MODELS.items() if model.modality == "text"]
NEAR = 0.02
# More or fewer than stated, and why the record cannot say it better.
NOT_AS_STATED = {"Gemma-4-26B-A4B": "what its shape describes is 4.6 % less than stated"}
# What no stack of layers that attend describes.
NO_SHAPE = {"Mamba-2.8B"}


@pytest.mark.parametrize("name", sorted(set(TEXT) - NO_SHAPE))
def test_the_parameters_are_those_that_are_stated(name: str) -> None:
    total = float(build_network(MODELS[name]).counted_params) / (1e9 * MODELS[name].params_b)
    assert (abs(total - 1) <= NEAR) == (name not in NOT_AS_STATED)


@pytest.mark.parametrize("name", sorted(NO_SHAPE))
def test_what_has_no_shape_is_refused(name: str) -> None:
    for shape in (build_network, build_text_decoder):
        with pytest.raises(UnknownShape, match="does not say heads"):
            shape(MODELS[name])


def test_experts_of_a_hybrid_do_not_work_on_every_token() -> None:
    for name, active in {"Jamba-1.5-Large": 94e9, "Qwen3-Next-80B-A3B": 3.56e9, "Qwen3.5-397B-A17B": 16.3e9}.items():
        shape = build_network(MODELS[name])
        assert float(shape.active_params) == pytest.approx(active, rel=0.03)
        assert 0 < float(shape.attention_layers) < float(shape.layers)
