"""The kinds of attention, and how one layer of each is built: what it keeps, reads and computes, as numbers."""

from dataclasses import dataclass, replace
from typing import TypeVar

from planner.network.network import ENDLESS, Reach
from pricing import PricingError
from pricing.model import AttentionWindow, CompressedAttention, Model, SparseAttentionIndexer


class UnknownShape(PricingError):
    """The record does not say enough to count what the network does. The text says what is missing."""


class MissingShapeField(UnknownShape):
    """The record lacks one number of its shape; what its size usually is built like can stand in."""


class ParameterCountError(UnknownShape):
    """The parameters cannot be counted again from the shape on record. The text says why."""


GROUPED = ("MHA", "GQA", "MQA")
LATENT, COMPRESSED = "MLA", "compressed"
COUNTED = (*GROUPED, LATENT, COMPRESSED)
# Entries that overlap by one are made of two projections for the values and two for their weights; others of one each.
_CHOSEN_MAKERS, _WHOLE_MAKERS = 4, 2

T = TypeVar("T", CompressedAttention, SparseAttentionIndexer, AttentionWindow)


@dataclass(frozen=True)
class AttentionLayer:
    """One layer that attends."""

    params: float  # of its projections
    heads: float
    kv_heads: float
    qk_dim: float  # width of a head's query, and of its key
    v_dim: float
    cache_values: float  # numbers kept of each token
    cache_heads: float  # parts into which what is kept can be divided
    decode_dim: float  # width of a key and a value as decoding reads them


def check_attention_kind(model: Model) -> None:
    """Raise `UnknownShape` for a kind of attention that is not counted: none is taken for another."""
    if model.attention is None:
        raise MissingShapeField(f"{model.label}: the shape does not say attention; want one of {', '.join(COUNTED)}")
    if model.attention not in COUNTED:
        kinds = ", ".join(COUNTED)
        raise UnknownShape(
            f"{model.label}: attention of the kind {model.attention!r} is not counted here; want one of {kinds}"
        )


def attention_of(model: Model) -> AttentionLayer:
    """The layer that a record describes; `UnknownShape` names an unknown kind, or the number that is missing.

    Where layers with a window differ, it is one that sees everything.
    """
    check_attention_kind(model)
    if model.attention == LATENT:
        return _multi_head_latent(model)
    return _compressed_attention(model) if model.attention == COMPRESSED else _grouped_query(model)


def window_attention_layer(model: Model) -> AttentionLayer:
    window = model.window
    if window is None or not (window.heads or window.kv_heads or window.head_dim):
        plain = model if not model.keys_as_values else model.model_copy(update={"keys_as_values": False})
        return attention_of(plain)
    wide = model.v_head_dim if window.head_dim in (None, model.head_dim) else None
    own = {
        "heads": window.heads or model.heads, "kv_heads": window.kv_heads or model.kv_heads,
        "head_dim": window.head_dim or model.head_dim, "v_head_dim": wide, "keys_as_values": False,
    }  # fmt: skip
    return attention_of(model.model_copy(update=own))


def _grouped_query(model: Model) -> AttentionLayer:
    """Heads of keys and values that heads of queries share: both are kept as they are."""
    hidden, heads = need(model, "hidden"), need(model, "heads")
    width = float(model.head_dim or hidden / heads)
    keys = float(model.kv_heads or heads)
    layer = grouped_query_attention(
        hidden=hidden, heads=heads, kv_heads=keys, head_dim=width, v_dim=float(model.v_head_dim or width)
    )
    saved = hidden * keys * layer.v_dim if model.keys_as_values else 0.0
    return replace(layer, params=layer.params + _gate(model, layer) - saved)


def _gate(model: Model, layer: AttentionLayer) -> float:
    return need(model, "hidden") * layer.heads * {None: 0.0, "heads": 1.0, "values": layer.v_dim}[model.output_gate]


def grouped_query_attention(
    *, hidden: float, heads: float, kv_heads: float, head_dim: float, v_dim: float | None = None
) -> AttentionLayer:
    """A layer whose query heads share heads of keys and values, from its numbers."""
    both = head_dim + (head_dim if v_dim is None else v_dim)
    return AttentionLayer(
        params=hidden * both * (heads + kv_heads), heads=heads, kv_heads=kv_heads, qk_dim=head_dim,
        v_dim=both - head_dim, cache_values=kv_heads * both, cache_heads=kv_heads, decode_dim=both,
    )  # fmt: skip


def _multi_head_latent(model: Model) -> AttentionLayer:
    """Keys and values come out of a narrow shared vector, and so may queries.

    Only that vector is kept, and decoding works straight on it: narrow to read, wide to compute.

    References
    ----------
    DeepSeek-AI, DeepSeek-V2, 2024, section 2.1 (multi-head latent attention).
    """
    hidden, heads = need(model, "hidden"), need(model, "heads")
    latent, rope = need(model, "kv_lora"), float(model.qk_rope_dim or 0)
    key, value = need(model, "qk_nope_dim"), need(model, "v_head_dim")
    queries = heads * (key + rope)
    params = hidden * queries if model.q_lora is None else model.q_lora * (hidden + queries)
    params += hidden * (latent + rope)
    params += latent * heads * (key + value) + heads * value * hidden
    layer = AttentionLayer(
        params=params, heads=heads, kv_heads=heads, qk_dim=key + rope, v_dim=value, cache_values=latent + rope,
        cache_heads=1.0, decode_dim=2 * latent + rope,
    )  # fmt: skip
    return replace(layer, params=params + _gate(model, layer))


def _compressed_attention(model: Model) -> AttentionLayer:
    """One head that is key and value at once, narrow queries, and heads projected out in groups.

    What makes one entry of several tokens differs by layer, and is counted in `sparse_indexer_params`.

    References
    ----------
    Configuration and modelling code of DeepSeek-V4 in transformers 5.23.0 (models/deepseek_v4).
    """
    hidden, heads, width = need(model, "hidden"), need(model, "heads"), need(model, "head_dim")
    rank, how = need(model, "q_lora"), _stated(model.compression, model, "compression")
    out = heads * width * how.out_rank + how.out_rank * how.out_groups * hidden
    return AttentionLayer(
        params=rank * (hidden + heads * width) + hidden * width + out, heads=heads, kv_heads=1.0, qk_dim=width,
        v_dim=width, cache_values=width, cache_heads=1.0, decode_dim=2 * width,
    )  # fmt: skip


def sparse_indexer_params(model: Model) -> float:
    """Parameters, over all layers, of what chooses tokens and of what makes one entry of several."""
    total, hidden = 0.0, need(model, "hidden")
    if (how := model.compression) is not None:
        width = need(model, "head_dim")
        total = hidden * width * (_CHOSEN_MAKERS * how.chosen_layers + _WHOLE_MAKERS * how.whole_layers)
    if (indexer := model.indexer) is None:
        return total
    key = hidden * indexer.head_dim * (_CHOSEN_MAKERS if model.compression else 1)
    weights = 0.0 if model.attention in GROUPED else hidden * indexer.heads
    return total + indexer.layers * ((model.q_lora or hidden) * indexer.heads * indexer.head_dim + key + weights)


def reach(
    layer: AttentionLayer, layers: float, *, tokens: float = ENDLESS, kept: float = 1.0, entry: float = 1.0
) -> Reach:
    """So many such layers that see no more than `tokens`, `entry` of them in one entry; a share `kept` has a cache."""
    many, each = layers / entry, 2 * layer.heads
    return Reach(
        tokens=tokens if layers else ENDLESS, kept=many * kept * layer.cache_values, read=many * layer.cache_values,
        score_flops=many * each * (layer.qk_dim + layer.v_dim), decode_flops=many * each * layer.decode_dim,
    )  # fmt: skip


def reaches(model: Model, attending: float) -> tuple[Reach, Reach, Reach]:
    """Return what all layers that attend see: everything, chosen tokens, a window."""
    layer, indexer = attention_of(model), model.indexer
    share = 1 - (model.reusing_layers or 0) / attending if attending else 1.0
    if model.attention == COMPRESSED:
        return _compressed_spans(model, layer, attending)
    windowed = attending * (0.0 if model.window is None else model.window.layers / model.window.of)
    tokens = ENDLESS if model.window is None else float(model.window.tokens)
    near = reach(window_attention_layer(model), windowed, tokens=tokens, kept=share)
    if indexer is None:
        return reach(layer, attending - windowed, kept=share), Reach(), near
    far = _both(
        reach(layer, attending - windowed - indexer.looking, kept=share), reach(_index(indexer), indexer.layers)
    )
    return far, reach(layer, float(indexer.looking), tokens=float(indexer.tokens), kept=share), near


def _compressed_spans(model: Model, layer: AttentionLayer, attending: float) -> tuple[Reach, Reach, Reach]:
    how, indexer = _stated(model.compression, model, "compression"), _stated(model.indexer, model, "indexer")
    window = _stated(model.window, model, "window")
    index = reach(_index(indexer), indexer.layers, entry=float(how.chosen_tokens))
    far = _both(reach(layer, how.whole_layers, entry=float(how.whole_tokens)), index)
    span, entry = float(indexer.tokens * how.chosen_tokens), float(how.chosen_tokens)
    chosen = reach(layer, how.chosen_layers, tokens=span, entry=entry)
    return far, chosen, reach(layer, attending, tokens=float(window.tokens))


def _index(indexer: SparseAttentionIndexer) -> AttentionLayer:
    """The narrow attention that chooses: scores alone, of one key that all its heads share."""
    width = float(indexer.head_dim)
    return AttentionLayer(
        params=0.0, heads=float(indexer.heads), kv_heads=1.0, qk_dim=width, v_dim=0.0, cache_values=width,
        cache_heads=1.0, decode_dim=width,
    )  # fmt: skip


def _both(first: Reach, second: Reach) -> Reach:
    return Reach(
        kept=first.kept + second.kept,
        read=first.read + second.read,
        score_flops=first.score_flops + second.score_flops,
        decode_flops=first.decode_flops + second.decode_flops,
    )


def _stated(part: T | None, model: Model, name: str) -> T:
    if part is None:
        raise MissingShapeField(f"{model.label}: the shape does not say {name}")
    return part


def need(model: Model, name: str) -> float:
    """A number of the shape, or `MissingShapeField` with its name."""
    value = getattr(model, name)
    if not value:
        raise MissingShapeField(f"{model.label}: the shape does not say {name}")
    return float(value)
