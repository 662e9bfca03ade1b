"""What attention keeps and computes, by hand, on networks small enough for it."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from planner.network.kinds import UnknownShape
from planner.network.network import NOWHERE
from planner.network.record import build_network, build_text_decoder
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.speed.serving import serve
from planner.speed.training import train
from pricing import Catalogue, PricingError, load_catalogue
from pricing.model import Model
from tests.facts import CATALOGUE
from tests.network.models import model, reworded
from tests.rows import each_row

# Ten layers of 64 with four heads of 16, of which two keep keys and values; a hundred words.
SMALL: dict[str, Any] = {
    "params_b": 1e-3, "layers": 10, "hidden": 64, "heads": 4, "kv_heads": 2, "head_dim": 16, "ffn_hidden": 128,
    "gated": True, "vocab": 100, "tied_embeddings": False, "attention": "GQA",
}  # fmt: skip
LATENT = {
    "attention": "MLA", "kv_heads": 4, "q_lora": 24, "kv_lora": 32, "qk_nope_dim": 12, "qk_rope_dim": 4,
    "v_head_dim": 10,
}  # fmt: skip


def test_grouped_heads_keep_keys_and_values_and_compute_for_each_query() -> None:
    net = build_network(model(**SMALL))
    assert net.cached_values(context=7) == 10 * 7 * 2 * 2 * 16
    assert net.cache_heads == 2
    assert net.score_flops == 10 * 4 * (2 * 16 + 2 * 16)
    assert net.decode_flops(context=7) == 7 * net.score_flops
    assert net.prompt_flops(tokens=6) == net.score_flops * 6 * 6 / 2
    assert net.attention_params == 10 * (64 * 64 + 64 * 32 + 64 * 32 + 64 * 64)


def test_latent_attention_keeps_a_narrow_vector_and_decodes_on_it() -> None:
    net = build_network(model(**{**SMALL, **LATENT}))
    assert net.cached_values(context=7) == 10 * 7 * (32 + 4)
    assert net.cache_heads == 1
    assert net.score_flops == 10 * 4 * 2 * ((12 + 4) + 10)
    assert net.decode_flops(context=7) == 7 * 10 * 4 * 2 * ((32 + 4) + 32)
    down, up = 64 * 24 + 64 * (32 + 4), 24 * 4 * 16 + 32 * 4 * (12 + 10)
    assert net.attention_params == 10 * (down + up + 4 * 10 * 64)


@pytest.mark.parametrize(
    ("window", "share"), [({"tokens": 5}, 1.0), ({"tokens": 5, "layers": 3, "of": 5}, 0.6),
                          ({"tokens": 5, "layers": 7, "of": 8}, 0.875)]
)  # fmt: skip
def test_a_window_ends_what_its_layers_keep_and_see(window: dict[str, int], share: float) -> None:
    near, far = build_network(model(**SMALL, window=window)), build_network(model(**SMALL))
    assert near.cached_values(context=5) == pytest.approx(far.cached_values(context=5))
    kept = near.cached_values(context=20) / far.cached_values(context=20)
    assert kept == pytest.approx(1 - share + share * 5 / 20)
    assert near.mean_attended_tokens(tokens=5) == far.mean_attended_tokens(tokens=5) == 2.5
    assert near.mean_attended_tokens(tokens=1_000) < far.mean_attended_tokens(tokens=1_000) == 500
    assert near.without_window().cached_values(context=20) == far.cached_values(context=20)


def test_what_a_token_sees_is_counted_token_by_token() -> None:
    window = {"tokens": 5, "layers": 3, "of": 4}
    net, tokens = build_network(model(**SMALL, window=window)), 12
    far = sum(at for at in range(tokens)) + tokens / 2  # the diagonal counts half: a continuous mask
    near = sum(min(at, 5) for at in range(tokens)) + 5 / 2  # and is cut off where the window is full
    by_hand = (far / 4 + near * 3 / 4) / tokens
    assert net.mean_attended_tokens(tokens=tokens) == pytest.approx(by_hand)
    assert net.prompt_flops(tokens=tokens) == pytest.approx(net.score_flops * tokens * by_hand)


def test_what_looks_both_ways_sees_all_of_its_window() -> None:
    net = build_network(model(**{**SMALL, "modality": "text_encoder"}, window={"tokens": 5}))
    assert net.mean_attended_tokens(tokens=4) == 4
    assert net.mean_attended_tokens(tokens=12) == 5


def test_pieces_are_counted_like_a_window_of_their_length() -> None:
    window = {"tokens": 5, "layers": 3, "of": 4}
    sliding, chunked = (
        build_network(model(**SMALL, window={**window, "kind": kind})) for kind in ("sliding", "chunked")
    )
    assert sliding == chunked


def test_layers_with_a_window_may_have_other_heads() -> None:
    window = {"tokens": 5, "layers": 4, "of": 5, "heads": 8, "kv_heads": 4, "head_dim": 8}
    net = build_network(model(**SMALL, window=window, keys_as_values=True))
    assert net.cached_values(context=20) == 2 * 20 * 64 + 8 * 5 * 2 * 4 * 8
    assert net.score_flops == 2 * 4 * 64 + 8 * 8 * 32
    near, far = 64 * 16 * (8 + 4), 64 * 32 * (4 + 2) - 64 * 2 * 16  # far: values are made of keys
    assert net.attention_params == 8 * near + 2 * far
    assert (net.heads, net.qk_dim, net.cache_heads) == (8, 8, 2)  # widths are those of most layers


def test_values_may_be_narrower_than_keys_and_a_gate_beside_them() -> None:
    plain = build_network(model(**SMALL, v_head_dim=10))
    assert plain.cached_values(context=1) == 10 * 2 * (16 + 10)
    for gate, more in (("values", 64 * 4 * 10), ("heads", 64 * 4)):
        gated = build_network(model(**SMALL, v_head_dim=10, output_gate=gate))
        assert gated.attention_params - plain.attention_params == 10 * more


def test_layers_that_reuse_a_cache_keep_nothing_and_read_it() -> None:
    net = build_network(model(**SMALL, reusing_layers=4, window={"tokens": 5, "layers": 4, "of": 5}))
    assert net.cached_values(context=20) == 0.6 * (2 * 20 + 8 * 5) * 64
    assert net.read_values(context=20) == (2 * 20 + 8 * 5) * 64
    assert net.attention_params == 10 * 12_288 - 4 * 64 * 64


INDEXER = {"heads": 3, "head_dim": 8, "tokens": 6, "looking": 9, "layers": 5}


def test_an_indexer_scores_everything_narrowly_and_attention_what_it_chose() -> None:
    net, full = (build_network(model(**{**SMALL, **LATENT}, **more)) for more in ({"indexer": INDEXER}, {}))
    assert net.cached_values(context=20) == 10 * 20 * 36 + 5 * 20 * 8
    assert net.read_values(context=20) == (1 * 20 + 9 * 6) * 36 + 5 * 20 * 8
    assert net.read_values(context=6) == net.cached_values(context=6)
    one, index = 4 * 2 * (36 + 32), 3 * 2 * 8
    assert net.decode_flops(context=20) == one * (1 * 20 + 9 * 6) + index * 5 * 20
    chosen = 20 * (20 / 2 * 1 + (6 - 6 * 6 / 20 / 2) * 9) * 4 * 2 * 26
    assert net.prompt_flops(tokens=20) == pytest.approx(chosen + index * 5 * 20 * 20 / 2)
    assert net.attention_params - full.attention_params == 5 * (24 * 24 + 64 * 8 + 64 * 3)


COMPRESSED = {
    "attention": "compressed", "kv_heads": 1, "q_lora": 24, "window": {"tokens": 8}, "indexer": INDEXER,
    "compression": {
        "chosen_layers": 5, "chosen_tokens": 4, "whole_layers": 4, "whole_tokens": 16, "out_rank": 6, "out_groups": 2,
    },
}  # fmt: skip


def test_entries_for_several_tokens_are_kept_and_read_as_entries() -> None:
    net = build_network(model(**{**SMALL, **COMPRESSED}))
    assert net.cached_values(context=160) == 5 * 40 * (16 + 8) + 4 * 10 * 16 + 10 * 8 * 16
    assert net.read_values(context=160) == 5 * (6 * 16 + 40 * 8) + 4 * 10 * 16 + 10 * 8 * 16
    assert net.read_values(context=16) == 5 * 4 * (16 + 8) + 4 * 16 + 10 * 8 * 16
    assert net.cache_heads == 1


def test_a_mixer_keeps_a_state_that_is_no_cache() -> None:
    linear = {
        "kind": "gated_delta", "layers": 6, "key_heads": 2, "value_heads": 4, "key_dim": 8, "value_dim": 10, "kernel": 4
    }  # fmt: skip
    space = {"layers": 3, "heads": 6, "head_dim": 8, "state": 16, "groups": 2, "kernel": 4}
    net = build_network(model(**SMALL, linear=linear, state_space=space))
    assert net.state_values == 6 * 4 * 8 * 10 + 3 * 6 * 8 * 16
    assert net.mixer_values == 6 * 2 * (16 + 40) + 3 * 2 * (48 + 32)
    assert net.cached_values(context=20) == 20 * 64
    assert net.decode_flops(context=0) == 6 * net.state_values
    assert net.prompt_flops(tokens=20) == pytest.approx(net.score_flops * 20 * 10 + 6 * 20 * net.state_values)
    delta = (2 * 16 + 40) * (64 + 4) + 40 * 64 + 64 * (40 + 8)
    mamba = 64 * (3 * 48 + 64 + 6) + (48 + 64) * 4
    norms = 10 * 2 * 64 + 64
    assert net.mixer_params == 6 * delta + 3 * mamba + norms


def test_experts_may_be_narrower_than_the_stream() -> None:
    net = build_network(model(**{**SMALL, **MIXTURE}, moe_input=16))
    assert net.expert_params == 3 * 16 * 32
    assert net.expert_hidden == 16
    way = 7 * 2 * 64 * 16  # in and out of that width
    router, norms = 7 * 64 * 8, 10 * 2 * 64 + 64
    assert net.mixer_params == way + router + norms


def test_a_table_that_is_looked_up_is_stored_and_not_streamed() -> None:
    net, plain = (build_network(model(**SMALL, **more)) for more in ({"lookup_params_b": 1e-3}, {}))
    assert net.counted_params - plain.counted_params == 1e6
    assert net.dense_params == plain.dense_params


@pytest.mark.parametrize(
    ("others", "attending"),
    [({"recurrent_layers": 6}, 4), ({"recurrent_layers": 7}, 3),
     ({"attention_layers": 2, "recurrent_layers": 4}, 2), ({"attention_layers": 3, "recurrent_layers": 1}, 3)],
)  # fmt: skip
def test_layers_that_do_not_attend_keep_nothing_and_count_as_parameters(others: dict[str, int], attending: int) -> None:
    net = build_text_decoder(model(**SMALL, **others))
    assert net.is_hybrid
    assert net.attention_layers == attending
    assert net.cached_values(context=3) == attending * 3 * 2 * 2 * 16
    assert net.score_flops == attending * 4 * 64
    assert net.counted_params == pytest.approx(1e6)  # as stated: what no field describes is in the other layers


def test_a_hybrid_with_latent_attention_is_both() -> None:
    net = build_text_decoder(model(**{**SMALL, **LATENT}, recurrent_layers=8))
    assert (net.is_hybrid, net.latent) == (True, 1.0)
    assert net.cached_values(context=7) == 2 * 7 * 36


MIXTURE = {
    "ffn_hidden": 128, "experts": 8, "experts_per_token": 2, "shared_experts": 1, "moe_ffn_hidden": 32,
    "moe_layers": 7, "dense_layers": 3,
}  # fmt: skip


def test_a_mixture_has_leading_dense_layers_and_a_shared_expert() -> None:
    net = build_network(model(**{**SMALL, **MIXTURE}))
    assert (net.dense_layers, net.moe_layers) == (3, 7)
    assert net.routed_params == 7 * 8 * 3 * 64 * 32
    assert net.routed_active_params == 7 * 2 * 3 * 64 * 32
    assert net.shared_params == 3 * 64 * 32
    assert net.expert_groups == 0


def test_a_shared_expert_has_a_width_of_its_own_and_routing_a_limit_of_groups() -> None:
    net = build_network(model(**{**SMALL, **MIXTURE}, shared_ffn_hidden=48, expert_groups_per_token=2))
    assert net.shared_params == 3 * 64 * 48
    assert net.expert_groups == 2


def test_parameters_are_counted_to_the_last_one() -> None:
    net = build_network(model(**SMALL))
    norms = 10 * 2 * 64 + 64
    assert net.counted_params == 2 * 100 * 64 + 10 * (12_288 + 3 * 64 * 128) + norms
    assert net.embedding_params == net.head_params == 6_400
    assert build_network(model(**{**SMALL, "tied_embeddings": True})).embedding_params == 0


def test_a_network_without_a_window_has_an_endless_one() -> None:
    assert build_network(model(**SMALL)).near == NOWHERE


MODELS = load_catalogue().models
TEXT = [name for name, model in MODELS.items() if model.modality == "text"]
NEAR = 0.02
# More or fewer than stated, and why the record cannot say it better.
NOT_AS_STATED = {"Gemma-4-26B-A4B": "what its shape describes is 4.6 % less than stated"}
# What no stack of layers that attend describes.
NO_SHAPE = {"Mamba-2.8B"}


@each_row("name", sorted(set(TEXT) - NO_SHAPE))
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


# Bytes of the cache for each token at 16 bits, from the published configurations; windows as long as the context.
CACHE_BYTES = {
    "Llama-2-7B": 524_288, "Llama-2-13B": 819_200, "Llama-3-8B": 131_072, "Mixtral-8x7B": 131_072,
    "Llama-3-70B": 327_680, "Llama-3.1-405B": 516_096, "Mixtral-8x22B": 229_376, "Qwen3-32B": 262_144,
    "Qwen3-30B-A3B": 98_304, "Qwen3-235B-A22B": 192_512, "gpt-oss-20b": 49_152, "gpt-oss-120b": 73_728,
    "DeepSeek-V3": 70_272, "Kimi-K2": 70_272,
}  # fmt: skip


@each_row(("name", "size"), CACHE_BYTES.items())
def test_the_cache_is_counted_by_kind_of_attention(name: str, size: int) -> None:
    shape = build_text_decoder(MODELS[name])
    assert 2 * shape.cached_values(context=1) == size


@pytest.mark.parametrize("name", ["Llama-3-8B", "DeepSeek-V3", "gpt-oss-120b", "Qwen3-30B-A3B", "Mixtral-8x7B"])
def test_the_parts_sum_to_all_parameters(name: str) -> None:
    model, shape = MODELS[name], build_text_decoder(MODELS[name])
    assert shape.counted_params == pytest.approx(1e9 * model.params_b, rel=0.01)
    active = model.active_params_b or model.params_b
    # Stated active counts include one table of embeddings or two; a step streams none but the head.
    assert 1e9 * active - 2.1 * shape.head_params <= shape.active_params <= 1e9 * active * 1.01


@each_row(
    ("name", "share"),
    [("Gemma-3-27B", 5 / 6), ("Gemma-2-9B", 1 / 2), ("gpt-oss-20b", 1 / 2), ("Llama-4-Scout-17B-16E", 3 / 4),
     ("Mistral-7B-v0.1", 1), ("Llama-3-8B", 0)],
)  # fmt: skip
def test_layers_that_see_a_window_are_read_from_the_record(name: str, share: float) -> None:
    shape = build_text_decoder(MODELS[name])
    kept = shape.near.kept / (shape.near.kept + shape.far.kept)
    assert float(kept) == pytest.approx(share)


def test_a_hybrid_has_attention_in_some_layers_only() -> None:
    shape = build_text_decoder(MODELS["Qwen3-Next-80B-A3B"])
    assert shape.is_hybrid
    assert shape.cached_values(context=1) == 12 * 2 * 2 * 256


def test_a_window_can_be_dropped() -> None:
    shape = build_text_decoder(MODELS["Mistral-7B-v0.1"])
    assert shape.cached_values(context=10_000) == shape.cached_values(context=4_096)
    assert shape.without_window().cached_values(context=10_000) == 10_000 * 32 * 2 * 8 * 128


def test_an_encoder_reads_and_keeps_nothing() -> None:
    shape = build_text_decoder(MODELS["BERT-Base"])
    assert shape.cached_values(context=512) == shape.decode_flops(context=512) == 0
    assert shape.prompt_flops(tokens=512) == 12 * 2 * 2 * 768 * 512 * 512


def test_of_an_encoder_decoder_the_half_that_writes_is_read_for_each_token() -> None:
    config = MODELS["T5-11B"].model_copy(update={"decoder_layers": 24})
    shape = build_text_decoder(config)
    assert float(shape.counted_params) == pytest.approx(11.307e9, rel=1e-3)
    attention, feed_forward = 4 * 1024 * 128 * 128, 2 * 1024 * 65536
    assert shape.dense_params == 24 * (2 * attention + feed_forward) + 32128 * 1024
    assert shape.cached_values(context=10) == 10 * 24 * 2 * 128 * 128


@pytest.mark.parametrize(
    ("name", "why"), [("Whisper-base", "a speech network"), ("CLIP-ViT-L/14", "does not write tokens")]
)
def test_what_writes_no_tokens_is_refused_with_a_reason(name: str, why: str) -> None:
    with pytest.raises(UnknownShape, match=why):
        build_text_decoder(MODELS[name])


H100 = "H100-SXM5-80GB"


def x(model: Model) -> dict[str, Any]:
    """Every word of prose that a record has, replaced by one that means nothing."""
    return {name: "x" for name in ("note", "not_recounted", "locator") if getattr(model, name) is not None}


def misleading(_: Model) -> dict[str, Any]:
    """The words that facts were once read from, on every model alike."""
    words = "three of four layers see a sliding window, chunks of 64; 3 MoE and 2 GQA blocks; shared expert of width 7"
    return {"note": f"{words}; at most 2 groups of experts; five local layers for each global one"}


REWORDED = {"x": reworded(CATALOGUE, x), "misleading": reworded(CATALOGUE, misleading)}


def trained(catalogue: Catalogue, model: str) -> str:
    job = TrainingJob(model=model, accelerator=H100, accelerators=64, seq_len=32_768)
    return said(lambda: train(catalogue, job))


def served(catalogue: Catalogue, model: str) -> str:
    job = ServingJob(model=model, accelerator=H100, input_tokens=16_000, requests_per_s=2.0)
    return said(lambda: serve(catalogue, job))


def said(answer: Callable[[], object]) -> str:
    """Every figure of an answer, to the last digit; or why there is none."""
    try:
        return repr(answer())
    except PricingError as refusal:
        return f"{type(refusal).__name__}: {refusal}"


@pytest.mark.slow
@pytest.mark.parametrize("how", sorted(REWORDED))
@pytest.mark.parametrize("asked", [trained, served], ids=["trained", "served"])
def test_no_figure_of_any_model_is_read_from_prose(how: str, asked: Callable[[Catalogue, str], str]) -> None:
    known = answers(asked)
    assert [name for name, told in known.items() if asked(REWORDED[how], name) != told] == []
    assert sum("tokens_per_s" in told for told in known.values()) >= 150


@cache
def answers(asked: Callable[[Catalogue, str], str]) -> dict[str, str]:
    """What is said of every model as the notes stand."""
    return {name: asked(CATALOGUE, name) for name in CATALOGUE.models}


def test_no_count_of_any_model_is_read_from_prose() -> None:
    for name, record in CATALOGUE.models.items():
        for other in REWORDED.values():
            assert counted(other.models[name]) == counted(record), name


def counted(model: Model) -> str:
    try:
        return repr(build_network(model))
    except UnknownShape as refusal:
        return str(refusal)
