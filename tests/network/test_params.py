"""Parameters counted again from the shape on record: a stated count that does not agree was copied wrong."""

import contextlib

import pytest

from planner.network.record import ParameterCountError, active_parameter_count_b, parameter_count_b
from pricing import load_catalogue
from pricing.catalogue import Catalogue
from pricing.model import Model


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def recounted(catalogue: Catalogue) -> list[Model]:
    return [model for model in catalogue.models.values() if model.not_recounted is None]


def test_stated_counts_are_what_the_shapes_say(catalogue: Catalogue) -> None:
    off = {model.label: parameter_count_b(model) / model.params_b - 1 for model in recounted(catalogue)}
    assert len(off) >= 170
    assert {label: error for label, error in off.items() if abs(error) > 0.02} == {}
    assert sum(abs(error) <= 0.005 for error in off.values()) >= 160


def test_a_model_that_is_not_recounted_cannot_be(catalogue: Catalogue) -> None:
    for model in catalogue.models.values():
        if model.not_recounted is not None:
            with contextlib.suppress(ParameterCountError):
                error = parameter_count_b(model) / model.params_b - 1
                assert abs(error) > 0.02, f"{model.label} could be recounted after all"


def test_active_counts_agree_or_the_note_says_why_not(catalogue: Catalogue) -> None:
    mixtures = [model for model in recounted(catalogue) if model.experts is not None]
    assert len(mixtures) >= 25
    for model in mixtures:
        active = active_parameter_count_b(model)
        assert active is not None
        assert model.active_params_b is not None
        if abs(active / model.active_params_b - 1) > 0.05:
            assert "active" in (model.note or ""), f"{model.label}: {active:.2f} against {model.active_params_b}"


def test_a_dense_model_has_no_active_count(catalogue: Catalogue) -> None:
    assert active_parameter_count_b(catalogue.models["Llama-3-8B"]) is None


# By hand. 8B: 2*128256*4096 + 32*(2*4096*128*(32+8) + 3*4096*14336 + 2*4096) + 4096 = 8,030,261,248.
@pytest.mark.parametrize(("model", "count_b"), [
    ("Llama-3-8B", 8.030261248),
    ("Llama-3-70B", 70.553706496),  # the same with 80 layers, width 8192, 64 heads, feed-forward 28672
    ("Llama-2-7B", 6.738415616),  # as many KV heads as heads
    ("Mixtral-8x7B", 46.702792704),  # eight experts and a router of 8 x 4096 in each layer
])  # fmt: skip
def test_recount_to_the_last_parameter(catalogue: Catalogue, model: str, count_b: float) -> None:
    assert parameter_count_b(catalogue.models[model]) == pytest.approx(count_b, abs=1e-9)


@pytest.mark.parametrize(("model", "change", "word"), [
    ("Llama-3-8B", {"heads": None}, "heads"), ("Llama-3-8B", {"gated": None}, "gated"),
    ("Llama-3-8B", {"tied_embeddings": None}, "head shares"),
    ("Llama-3-8B", {"attention": "hybrid: something new"}, "hybrid"),
    ("Llama-3-8B", {"attention": None}, "does not say attention"),
    ("Mixtral-8x7B", {"moe_layers": None}, "moe_layers"), ("DeepSeek-V3", {"kv_lora": None}, "kv_lora"),
    ("Whisper-large-v3", {}, "speech"),
])  # fmt: skip
def test_what_cannot_be_counted_says_why(
    catalogue: Catalogue, model: str, change: dict[str, object], word: str
) -> None:
    with pytest.raises(ParameterCountError, match=word):
        parameter_count_b(catalogue.models[model].model_copy(update=change))
