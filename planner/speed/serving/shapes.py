"""What a language model asks of a machine: what is read, computed and kept for each token. From its shape alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from planner.speed.refused import GapInShape, UnknownShape
from planner.speed.shape import ENDLESS, attention_counts, counted_params, expert_params, layers_seeing
from pricing.records import Model


@dataclass(frozen=True)
class Shape:
    """One model, counted. Parameters are counts; values are numbers in the cache, whatever their width."""

    label: str
    layers: float
    moe_layers: float
    hidden: float
    attention_params: float
    other_params: float  # every token reads them: dense feed-forward, shared experts, routers, other mixers
    head_params: float
    embedding_params: float  # beside the head; a look-up, so stored but never streamed
    expert_params: float  # all routed experts of all layers
    experts: float  # 1 where there are none
    experts_per_token: float
    kv_values: float  # kept for each token of context, over all layers that see everything
    kv_window_values: float  # the same for the layers that see a window
    window: float
    kv_heads: float  # what tensor parallelism can divide the cache by
    query_heads: float
    latent: bool
    hybrid: bool
    prefill_attention_flops: float  # times context squared: both matmuls of all full layers, half of them masked
    prefill_window_flops: float
    decode_attention_flops: float  # times context: for one new token

    @property
    def total_params(self) -> float:
        """All parameters, embeddings included."""
        return self.dense_params + self.embedding_params + self.expert_params

    @property
    def dense_params(self) -> float:
        """Parameters that every step streams, whatever the batch."""
        return self.attention_params + self.other_params + self.head_params

    @property
    def active_params(self) -> float:
        """Parameters that work on each token, without the embedding look-up."""
        return self.dense_params + self.expert_params * self.experts_per_token / self.experts


def shape_of(model: Model) -> Shape:
    """What the catalogue's record amounts to, or `UnknownShape`."""
    if model.modality != "text":
        kind = model.modality.replace("_", " ")
        raise UnknownShape(f"{model.label}: a {kind} network does not write tokens one by one")
    for name in ("layers", "hidden", "heads", "head_dim", "vocab"):
        if getattr(model, name) is None:
            raise GapInShape(f"{model.label}: the shape does not say {name}")
    layers, hidden = float(model.layers or 0), float(model.hidden or 0)
    full, windowed, window = layers_seeing(model)
    latent = _is_latent(model)
    mixing = (full + windowed) / layers  # hybrids have attention in some of their layers only
    experts, per_token = float(model.experts or 1), float(model.experts_per_token or 1)
    moe_layers = _moe_layers(model)
    routed = 0.0 if model.experts is None else experts * moe_layers * expert_params(model)
    attention = attention_counts(model, hidden, float(model.heads or 0))[0] * layers * mixing
    head = float(model.vocab or 0) * hidden
    embedding = 0.0 if model.tied_embeddings else head
    other = max(counted_params(model) - routed - attention - head - embedding, 0.0)
    values, width, decode = _cache(model)
    return Shape(
        label=model.label, layers=layers, moe_layers=moe_layers, hidden=hidden, attention_params=attention,
        other_params=other, head_params=head, embedding_params=embedding, expert_params=routed, experts=experts,
        experts_per_token=per_token, kv_values=values * full, kv_window_values=values * windowed, window=window,
        kv_heads=1.0 if latent else float(model.kv_heads or model.heads or 1),
        query_heads=float(model.heads or 1), latent=latent,
        hybrid=mixing < 1, prefill_attention_flops=2.0 * width * full, prefill_window_flops=4.0 * width * windowed,
        decode_attention_flops=decode * full,
    )  # fmt: skip


def _is_latent(model: Model) -> bool:
    return (model.attention or "").startswith("MLA")


def _moe_layers(model: Model) -> float:
    counted = re.search(r"(\d+) MoE", model.attention or "")
    if counted:
        return float(counted[1])
    return float(model.moe_layers or 0) if model.experts else 0.0


def _cache(model: Model) -> tuple[float, float, float]:
    """Of one layer: values kept for a token, width of prefill attention, FLOPs of decode attention for each token seen.

    Latent attention keeps one shared vector, and decodes straight on it: narrow to read, wide to compute.
    """
    heads, wide = float(model.heads or 0), float(model.head_dim or 0)
    if not _is_latent(model):
        return 2 * float(model.kv_heads or heads) * wide, heads * wide, 4 * heads * wide
    rope, latent = float(model.qk_rope_dim or 0), float(model.kv_lora or 0)
    width = heads * (float(model.qk_nope_dim or 0) + rope + float(model.v_head_dim or 0)) / 2
    return latent + rope, width, 2 * heads * (2 * latent + rope)


def without_window(shape: Shape) -> Shape:
    """The same model with every layer seeing the whole context."""
    return replace(
        shape,
        kv_values=shape.kv_values + shape.kv_window_values,
        kv_window_values=0.0,
        window=ENDLESS,
        prefill_attention_flops=shape.prefill_attention_flops + shape.prefill_window_flops / 2,
        prefill_window_flops=0.0,
    )
