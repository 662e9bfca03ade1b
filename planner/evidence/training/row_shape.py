"""The model a table's row is about: from the row itself, the catalogue, or what such a size usually looks like."""

from __future__ import annotations

import re
from dataclasses import replace

from planner.evidence.cells import YES, Row, number, text, year
from planner.network.guess import MIXED, NEARLY, active_in_name, check_size, is_mixed, size_in_name, typical_model
from planner.network.network import ENDLESS, Network
from planner.network.record import network_of
from planner.network.refused import UnknownShape
from planner.network.stack import TYPICAL_HEAD_DIM, TYPICAL_VOCABULARY, LayerStack, stack_network, typical_stack
from pricing import Catalogue

# A network without a gate is four times as wide as the rest; with one, it is mostly narrower.
GATED_BELOW = 3.9
ENCODER_DECODER = "unknown shape: an encoder-decoder of which the table does not say what each half reads"
VIDEO = "unknown shape: a video model, whose tokens the table does not count"
PROXY = "unknown shape: a cut-down stand-in for another model"
_NOT_COUNTED = {r"\bm?t5\b": ENCODER_DECODER, "video": VIDEO, "proxy": PROXY}
# What runs "like Llama" are like, since it has been there; and how near in size one must be to be taken for it.
LLAMA_3, LLAMA_3_SINCE = ("Llama-3.2-1B", "Llama-3.2-3B", "Llama-3.1-8B", "Llama-3.1-70B"), 2024.75
UNKNOWN_SIZE = "unknown shape: neither the row nor the catalogue says it, nor the size"


def shape_of(catalogue: Catalogue, name: str | None, row: Row) -> tuple[Network, bool]:
    """The shape, and whether it was guessed from the size. `name` is the catalogue's model, if there is one."""
    said = text(row, "model")
    for words, why in _NOT_COUNTED.items():
        if re.search(words, said.lower()):
            raise UnknownShape(why)
    active_b = number(row, "active_params_b") or active_in_name(said)
    if active_b is None and number(row, "hidden") and (number(row, "vocab") or number(row, "layers")):
        return _stated_shape(row, name, catalogue), False
    if name is not None:
        return network_of(catalogue.models[name]), False
    return _guessed(catalogue, row, said, active_b), True


def _guessed(catalogue: Catalogue, row: Row, said: str, active_b: float | None) -> Network:
    """What a model of that size usually looks like."""
    if is_mixed(said):
        raise UnknownShape(MIXED)
    params_b = number(row, "params_b") or size_in_name(said)
    if params_b is None:
        raise UnknownShape(UNKNOWN_SIZE)
    check_size(params_b, active_b)
    if active_b is not None:
        return network_of(typical_model(said, params_b=params_b, active_params_b=active_b))
    params, vocab = params_b * 1e9, number(row, "vocab")
    return _like_llama(catalogue, row, params) or typical_stack(params=params, vocab=vocab)


def _like_llama(catalogue: Catalogue, row: Row, params: float) -> Network | None:
    """Something like a Llama of which only the size is said: the nearest Llama 3, filled up to that size."""
    if "llama" not in text(row, "model").lower() or (year(text(row, "published")) or 0) < LLAMA_3_SINCE:
        return None
    known = [network_of(catalogue.models[key]) for key in LLAMA_3]
    nearest = min(known, key=lambda shape: abs(float(shape.params) / params - 1))
    more = params - float(nearest.params)
    if abs(more) > NEARLY * params or more < -float(nearest.attention_params):
        return None
    # What is missing are heads of keys and values that the smaller ones share.
    return replace(nearest, params=params, attention_params=nearest.attention_params + more)


def _stated_shape(row: Row, name: str | None, catalogue: Catalogue) -> Network:
    known = network_of(catalogue.models[name]) if name is not None else None
    hidden, vocab = number(row, "hidden") or 0.0, number(row, "vocab") or TYPICAL_VOCABULARY
    same = known if known is not None and known.hidden == hidden else None
    heads = number(row, "heads") or (float(same.heads) if same else usual_heads(hidden))
    ffn = number(row, "ffn_hidden") or (float(same.ffn) if same else 4 * hidden)
    gated = _gated(row, same, ffn / hidden)
    kv_heads = number(row, "kv_heads") or (float(same.kv_heads) if same and same.heads == heads else heads)
    layers = number(row, "layers") or (float(same.layers) if same else None)
    params = (number(row, "params_b") or 0.0) * 1e9
    tied = _tied(row, name, catalogue, params, layers)
    if layers is None:
        one = stack_network(
            LayerStack(layers=1, hidden=hidden, heads=heads, ffn=ffn, vocab=0, kv_heads=kv_heads, gated=gated)
        )
        layers = max(1.0, round((params - vocab * hidden) / float(one.linear_params)))
    return stack_network(LayerStack(
        layers=layers, hidden=hidden, heads=heads, ffn=ffn, vocab=vocab, kv_heads=kv_heads, gated=gated, tied=tied,
        causal="bert" not in text(row, "model").lower(),
        head_dim=float(known.qk_dim) if known and known.heads == heads and known.hidden == hidden else None,
        window=float(known.near.tokens) if known else ENDLESS, window_share=_window_share(known),
    ))  # fmt: skip


def _window_share(known: Network | None) -> float:
    """The share of its attention that sees a window."""
    return 0.0 if known is None else float(known.near.score_flops) / max(float(known.score_flops), 1.0)


def _gated(row: Row, same: Network | None, widening: float) -> bool:
    """Whether the network has a gate: as stated, as the catalogue says, else by how much it widens."""
    if said := text(row, "gated_mlp"):
        return said.casefold() in YES
    return bool(same.mlp_matrices > 2) if same is not None else widening < GATED_BELOW


def usual_heads(hidden: float) -> float:
    """The number of heads nearest to 128 wide ones into which the width divides."""
    wanted = max(1.0, hidden / TYPICAL_HEAD_DIM)
    return min(
        (float(n) for n in range(1, int(2 * wanted) + 2) if hidden % n == 0), key=lambda n: abs(n - wanted), default=1.0
    )


def _tied(row: Row, name: str | None, catalogue: Catalogue, params: float, layers: float | None) -> bool:
    """Whether input and output share one table: as the catalogue says, else as the stated size is better met."""
    if name is not None and catalogue.models[name].tied_embeddings is not None:
        return bool(catalogue.models[name].tied_embeddings)
    hidden, vocab = number(row, "hidden") or 0.0, number(row, "vocab") or 0.0
    if not params or layers is None:
        return False
    matrices = 3.0 if text(row, "gated_mlp") == "1" else 2.0
    body = layers * (4 * hidden**2 + matrices * hidden * (number(row, "ffn_hidden") or 4 * hidden))
    return abs(body + vocab * hidden - params) < abs(body + 2 * vocab * hidden - params)
