"""What attention keeps and computes, by hand, on networks small enough for it."""

from __future__ import annotations

from typing import Any

import pytest

from planner.network.network import ENDLESS
from planner.network.record import network_of, writer_of
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
    net = network_of(model(**SMALL))
    assert net.cached_values(context=7) == 10 * 7 * 2 * 2 * 16
    assert net.cache_heads == 2
    assert net.score_flops == 10 * 4 * (2 * 16 + 2 * 16)
    assert net.decode_flops == net.score_flops
    assert net.prompt_flops(tokens=6) == net.score_flops * 6 * 6 / 2
    assert net.attention_params == 10 * (64 * 64 + 64 * 32 + 64 * 32 + 64 * 64)


def test_latent_attention_keeps_a_narrow_vector_and_decodes_on_it() -> None:
    net = network_of(model(**{**SMALL, **LATENT}))
    assert net.cached_values(context=7) == 10 * 7 * (32 + 4)
    assert net.cache_heads == 1
    assert net.score_flops == 10 * 4 * 2 * ((12 + 4) + 10)
    assert net.decode_flops == 10 * 4 * 2 * ((32 + 4) + 32)
    down, up = 64 * 24 + 64 * (32 + 4), 24 * 4 * 16 + 32 * 4 * (12 + 10)
    assert net.attention_params == 10 * (down + up + 4 * 10 * 64)


@pytest.mark.parametrize(
    ("window", "share"), [({"tokens": 5}, 1.0), ({"tokens": 5, "layers": 3, "of": 5}, 0.6),
                          ({"tokens": 5, "layers": 7, "of": 8}, 0.875)]
)  # fmt: skip
def test_a_window_ends_what_its_layers_keep_and_see(window: dict[str, int], share: float) -> None:
    near, far = network_of(model(**SMALL, window=window)), network_of(model(**SMALL))
    assert near.cached_values(context=5) == pytest.approx(far.cached_values(context=5))
    kept = near.cached_values(context=20) / far.cached_values(context=20)
    assert kept == pytest.approx(1 - share + share * 5 / 20)
    assert near.seen_tokens(tokens=5) == far.seen_tokens(tokens=5) == 2.5
    assert near.seen_tokens(tokens=1_000) < far.seen_tokens(tokens=1_000) == 500
    assert near.without_window().cached_values(context=20) == far.cached_values(context=20)


def test_what_a_token_sees_is_counted_token_by_token() -> None:
    window = {"tokens": 5, "layers": 3, "of": 4}
    net, tokens = network_of(model(**SMALL, window=window)), 12
    far = sum(at for at in range(tokens)) + tokens / 2  # the diagonal counts half: a continuous mask
    near = sum(min(at, 5) for at in range(tokens)) + 5 / 2  # and is cut off where the window is full
    by_hand = (far / 4 + near * 3 / 4) / tokens
    assert net.seen_tokens(tokens=tokens) == pytest.approx(by_hand)
    assert net.prompt_flops(tokens=tokens) == pytest.approx(net.score_flops * tokens * by_hand)


def test_what_looks_both_ways_sees_all_of_its_window() -> None:
    net = network_of(model(**{**SMALL, "modality": "text_encoder"}, window={"tokens": 5}))
    assert net.seen_tokens(tokens=4) == 4
    assert net.seen_tokens(tokens=12) == 5


def test_pieces_are_counted_like_a_window_of_their_length() -> None:
    window = {"tokens": 5, "layers": 3, "of": 4}
    sliding, chunked = (network_of(model(**SMALL, window={**window, "kind": kind})) for kind in ("sliding", "chunked"))
    assert sliding == chunked


@pytest.mark.parametrize(
    ("others", "attending"),
    [({"linear_layers": 6}, 4), ({"recurrent_layers": 7}, 3), ({"linear_layers": 2, "recurrent_layers": 3}, 5),
     ({"attention_layers": 2, "recurrent_layers": 4}, 2), ({"attention_layers": 3}, 3)],
)  # fmt: skip
def test_layers_that_do_not_attend_keep_nothing_and_count_as_parameters(others: dict[str, int], attending: int) -> None:
    net = writer_of(model(**SMALL, **others))
    assert net.is_hybrid
    assert net.attention_layers == attending
    assert net.cached_values(context=3) == attending * 3 * 2 * 2 * 16
    assert net.score_flops == attending * 4 * 64
    assert net.counted_params == pytest.approx(1e6)  # as stated: what no field describes is in the other layers


def test_a_hybrid_with_latent_attention_is_both() -> None:
    net = writer_of(model(**{**SMALL, **LATENT}, linear_layers=8))
    assert (net.is_hybrid, net.latent) == (True, 1.0)
    assert net.cached_values(context=7) == 2 * 7 * 36


MIXTURE = {
    "ffn_hidden": 128, "experts": 8, "experts_per_token": 2, "shared_experts": 1, "moe_ffn_hidden": 32,
    "moe_layers": 7, "dense_layers": 3,
}  # fmt: skip


def test_a_mixture_has_leading_dense_layers_and_a_shared_expert() -> None:
    net = network_of(model(**{**SMALL, **MIXTURE}))
    assert (net.dense_layers, net.moe_layers) == (3, 7)
    assert net.routed_params == 7 * 8 * 3 * 64 * 32
    assert net.routed_active_params == 7 * 2 * 3 * 64 * 32
    assert net.shared_params == 3 * 64 * 32
    assert net.expert_groups == 0


def test_a_shared_expert_has_a_width_of_its_own_and_routing_a_limit_of_groups() -> None:
    net = network_of(model(**{**SMALL, **MIXTURE}, shared_ffn_hidden=48, expert_groups_per_token=2))
    assert net.shared_params == 3 * 64 * 48
    assert net.expert_groups == 2


def test_parameters_are_counted_to_the_last_one() -> None:
    net = network_of(model(**SMALL))
    norms = 10 * 2 * 64 + 64
    assert net.counted_params == 2 * 100 * 64 + 10 * (12_288 + 3 * 64 * 128) + norms
    assert net.embedding_params == net.head_params == 6_400
    assert network_of(model(**{**SMALL, "tied_embeddings": True})).embedding_params == 0


def test_a_network_without_a_window_has_an_endless_one() -> None:
    assert network_of(model(**SMALL)).window == ENDLESS
