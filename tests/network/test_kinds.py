"""A kind of attention is one that is known, or it is refused by its name: never taken for another."""

import contextlib
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from planner.network.kinds import COUNTED, ParameterCountError, UnknownShape
from planner.network.record import build_network, parameter_count_b
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.speed.hardware import InvalidJobError
from planner.speed.serving import serve
from planner.speed.training import train
from pricing import CatalogError, load_catalogue
from pricing.catalogue import Catalogue
from pricing.load import build
from pricing.model import AttentionKind, Model
from tests.facts import CATALOGUE
from tests.network.models import active_parameter_count_b, model, with_models
from tests.rows import each_row

LLAMA = CATALOGUE.models["Llama-3.1-8B"]
H100 = "H100-SXM5-80GB"
WITHOUT_LAYERS = {"convolution", "none"}


def of_kind(kind: str | None) -> Model:
    """Llama with another attention, which the reader of the data files would not have let in."""
    return LLAMA.model_copy(update={"attention": kind})


def test_every_kind_that_a_record_may_have_is_counted_or_named_as_not() -> None:
    assert set(COUNTED) | WITHOUT_LAYERS == set(get_args(AttentionKind))


@pytest.mark.parametrize("kind", ["retention", "hybrid: something new", "MLA, sparse", "gqa", ""])
def test_an_unknown_kind_is_refused_by_its_name_with_those_that_are_known(kind: str) -> None:
    other = with_models(CATALOGUE, {**CATALOGUE.models, "Llama-3.1-8B": of_kind(kind)})
    with pytest.raises(InvalidJobError) as trained:
        train(other, TrainingJob(model="Llama-3.1-8B", accelerator=H100))
    with pytest.raises(UnknownShape) as served:
        serve(other, ServingJob(model="Llama-3.1-8B", accelerator=H100))
    with pytest.raises(ParameterCountError) as counted:
        parameter_count_b(of_kind(kind))
    for refusal in (trained, served, counted):
        assert all(name in str(refusal.value) for name in (repr(kind), *COUNTED))


@pytest.mark.parametrize("kind", sorted(WITHOUT_LAYERS))
def test_a_network_that_does_not_attend_is_not_taken_for_one_that_does(kind: str) -> None:
    with pytest.raises(UnknownShape, match=f"'{kind}' is not counted here"):
        build_network(of_kind(kind))


def test_a_record_that_does_not_say_its_attention_is_missing_a_number() -> None:
    with pytest.raises(UnknownShape, match="does not say attention"):
        build_network(of_kind(None))


def test_a_data_file_with_an_unknown_kind_is_refused_with_the_list() -> None:
    text = (
        "about: a model of a new kind\nmodels:\n"
        "  New: {label: New, family: New, modality: text, params_b: 1.0, source: s, confidence: low,\n"
        "    attention: retention}\n"
    )
    with pytest.raises(CatalogError, match=r"models\.New\.attention.*MHA, GQA, MQA, MLA.*got 'retention'"):
        build({"models/new.yaml": text.encode()}, "digest")


COMPRESSION = {
    "chosen_layers": 1, "chosen_tokens": 4, "whole_layers": 1, "whole_tokens": 128, "out_rank": 8, "out_groups": 2,
}  # fmt: skip
GQA: dict[str, Any] = {"params_b": 1.0, "layers": 32, "hidden": 512, "heads": 8, "attention": "GQA"}


@each_row(("wrong", "wish"), [
    ({"heads": 7}, "want heads that divide a hidden width of 512"),
    ({"kv_heads": 3}, "want kv_heads that divide the 8 heads, got 3"),
    ({"experts": 8}, "want all three or none"),
    ({"experts": 8, "experts_per_token": 9, "moe_ffn_hidden": 64}, "want at most the 8 experts there are"),
    ({"moe_layers": 33}, "got 33 moe_layers"),
    ({"convolution": {"layers": 20, "kernel": 3}, "recurrent_layers": 20}, "20 convolution \\+ 20 recurrent_layers"),
    ({"attention": "compressed"}, "needs compression, indexer, window and q_lora"),
    ({"compression": COMPRESSION}, "is of attention of the kind compressed, got GQA"),
    ({"window": {"tokens": 64, "layers": 5, "of": 4}}, "want at most 4 layers of 4 with a window, got 5"),
    ({"window": {"tokens": 0}}, "greater than or equal to 1"),
    ({"window": {"tokens": 64, "kind": "dilated"}}, "'sliding' or 'chunked'"),
    ({"attention": "MLA"}, "kv_lora, qk_nope_dim, qk_rope_dim, v_head_dim missing"),
    ({"kv_lora": 64}, "are of attention of the kind MLA, got GQA"),
])  # fmt: skip
def test_a_shape_that_cannot_exist_is_refused_as_it_is_read(wrong: dict[str, Any], wish: str) -> None:
    assert model(**GQA).attention == "GQA"
    with pytest.raises(ValidationError, match=wish):
        model(**{**GQA, **wrong})


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
    for record in catalogue.models.values():
        if record.not_recounted is not None:
            with contextlib.suppress(ParameterCountError):
                error = parameter_count_b(record) / record.params_b - 1
                assert abs(error) > 0.02, f"{record.label} could be recounted after all"


def test_active_counts_agree_or_the_note_says_why_not(catalogue: Catalogue) -> None:
    mixtures = [record for record in recounted(catalogue) if record.experts is not None]
    assert len(mixtures) >= 25
    for record in mixtures:
        active = active_parameter_count_b(record)
        assert active is not None
        assert record.active_params_b is not None
        if abs(active / record.active_params_b - 1) > 0.05:
            assert "active" in (record.note or ""), f"{record.label}: {active:.2f} against {record.active_params_b}"


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


@each_row(("model", "change", "word"), [
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
