"""The kinds of attention: which are counted in full, which only in part, and how one layer of each is built."""

from __future__ import annotations

from dataclasses import dataclass

from planner.network.refused import GapInShape, UnknownShape
from pricing.model import Model

GROUPED = ("MHA", "GQA", "MQA")
LATENT = "MLA"
COUNTED = (*GROUPED, LATENT)
# Of these a record does not say what their layers keep. What they compute is counted, from the heads that are stated
# and as if every layer saw the whole context, so they can be trained; their cache is not, so they cannot be served.
HALF_COUNTED = ("compressed", "mixed")


@dataclass(frozen=True)
class Attention:
    """One layer that attends."""

    params: float  # of its four projections
    heads: float
    kv_heads: float
    qk_dim: float  # width of a head's query, and of its key
    v_dim: float
    cache_values: float  # numbers kept of each token
    cache_heads: float  # parts into which what is kept can be divided
    decode_dim: float  # width of a key and a value as decoding reads them


def refuse_unknown_kind(model: Model, known: tuple[str, ...] = (*COUNTED, *HALF_COUNTED)) -> None:
    """Raise `UnknownShape` for a kind of attention that is not among the `known`: none is taken for another."""
    if model.attention is None:
        raise GapInShape(f"{model.label}: the shape does not say attention; want one of {', '.join(known)}")
    if model.attention not in known:
        kinds = ", ".join(known)
        raise UnknownShape(
            f"{model.label}: attention of the kind {model.attention!r} is not counted here; want one of {kinds}"
        )


def attention_of(model: Model) -> Attention:
    """The layer that a record describes; `UnknownShape` names an unknown kind, or the number that is missing."""
    refuse_unknown_kind(model)
    return _latent(model) if model.attention == LATENT else _grouped(model)


def _grouped(model: Model) -> Attention:
    """Heads of keys and values that heads of queries share: both are kept as they are."""
    hidden, heads = need(model, "hidden"), need(model, "heads")
    width = float(model.head_dim or hidden / heads)
    return grouped_attention(hidden=hidden, heads=heads, kv_heads=float(model.kv_heads or heads), head_dim=width)


def grouped_attention(*, hidden: float, heads: float, kv_heads: float, head_dim: float) -> Attention:
    """A layer whose query heads share heads of keys and values, from its numbers."""
    return Attention(
        params=2 * hidden * head_dim * (heads + kv_heads),
        heads=heads,
        kv_heads=kv_heads,
        qk_dim=head_dim,
        v_dim=head_dim,
        cache_values=2 * kv_heads * head_dim,
        cache_heads=kv_heads,
        decode_dim=2 * head_dim,
    )


def _latent(model: Model) -> Attention:
    """Keys and values come out of a narrow shared vector, and so may queries.

    Only that vector is kept, and decoding works straight on it: narrow to read, wide to compute.

    References
    ----------
    DeepSeek-AI, DeepSeek-V2, 2024, section 2.1 (multi-head latent attention).
    """
    hidden, heads = need(model, "hidden"), need(model, "heads")
    latent, rope = need(model, "kv_lora"), need(model, "qk_rope_dim")
    key, value = need(model, "qk_nope_dim"), need(model, "v_head_dim")
    queries = heads * (key + rope)
    params = hidden * queries if model.q_lora is None else model.q_lora * (hidden + queries)
    params += hidden * (latent + rope)
    params += latent * heads * (key + value) + heads * value * hidden
    return Attention(
        params=params,
        heads=heads,
        kv_heads=heads,
        qk_dim=key + rope,
        v_dim=value,
        cache_values=latent + rope,
        cache_heads=1.0,
        decode_dim=2 * latent + rope,
    )


def need(model: Model, name: str) -> float:
    """A number of the shape, or `GapInShape` with its name."""
    value = getattr(model, name)
    if not value:
        raise GapInShape(f"{model.label}: the shape does not say {name}")
    return float(value)
