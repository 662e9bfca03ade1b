"""What attention keeps and computes, by hand, on networks small enough for it."""

from typing import Any

import pytest

from planner.network.network import NOWHERE
from planner.network.record import build_network, build_text_decoder
from tests.network.models import model

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
