"""What a transformer is made of, as the counts that memory and speed need.

Every field is a number, or an array over many models. Counts of parameters are plain numbers, not billions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from planner.speed.arrays import Num
from planner.speed.refused import UnknownShape
from pricing.records import Model
from pricing.shapes import CannotCount, parameter_count_b

# Hidden width over layers in published families of 1B to 540B parameters: what a shape of a size is guessed with.
TYPICAL_WIDTH_OVER_DEPTH = 128.0
TYPICAL_HEAD_DIM = 128.0
TYPICAL_VOCABULARY = 50_304.0


_WORD = {"three": 3, "four": 4, "five": 5, "six": 6}
_SOME_OF = re.compile(r"(three|five) of (four|six) layers")
_COUNTED = re.compile(r"(\d+) (?:gated )?GQA")
_ONE_IN_FOUR = "three Gated DeltaNet layers for each"
_CHUNK = re.compile(r"chunks of (\d+)")
# Networks whose parameters all lie in the one stack that a shape describes.
_ALL_OF_IT = ("text", "text_encoder")
ENDLESS = 1e9  # no window: longer than any context


@dataclass(frozen=True)
class Shape:
    """A decoder or encoder stack. `attention_layers` have a score matrix; other mixers count as parameters."""

    layers: Num
    hidden: Num
    heads: Num
    qk_dim: Num
    v_dim: Num
    kv_width: Num
    attention_layers: Num
    attention_params: Num
    mixer_params: Num
    ffn: Num
    dense_layers: Num
    dense_mlp_params: Num
    mlp_matrices: Num
    vocab: Num
    head_share: Num
    causal: Num
    window: Num
    window_share: Num
    moe_layers: Num
    experts: Num
    experts_per_token: Num
    expert_params: Num
    expert_ffn: Num
    expert_width: Num
    shared_params: Num
    params: Num
    embedding_params: Num
    expert_groups: Num = 0.0  # of experts, on nodes of their own, that one token may go to; 0: any

    @property
    def is_moe(self) -> Num:
        """1 for a mixture of experts."""
        return np.where(self.moe_layers > 0, 1.0, 0.0)[()]

    @property
    def kv_heads(self) -> Num:
        """Heads of keys and values; as many as queries have where they come out of a shared latent vector."""
        return self.kv_width / (self.qk_dim + self.v_dim)

    @property
    def routed_params(self) -> Num:
        """What expert parallelism spreads."""
        return self.moe_layers * self.experts * self.expert_params

    @property
    def linear_params(self) -> Num:
        """What every token goes through, without head and routed experts."""
        return self.attention_params + self.mixer_params + self.dense_mlp_params + self.moe_layers * self.shared_params

    @property
    def active_params(self) -> Num:
        """What works on each token, the head included, the input table not."""
        routed = self.moe_layers * self.experts_per_token * self.expert_params
        return self.linear_params + routed + self.vocab * self.hidden


@dataclass(frozen=True)
class Dense:
    """A stack of equal layers with grouped attention, as people describe it."""

    layers: float
    hidden: float
    heads: float
    ffn: float
    vocab: float
    kv_heads: float | None = None
    head_dim: float | None = None
    gated: bool = True
    tied: bool = False
    causal: bool = True
    window: float = 0.0
    window_share: float = 0.0
    params: float | None = None


def dense_shape(dense: Dense) -> Shape:
    """Its counts."""
    width = dense.head_dim or dense.hidden / dense.heads
    kv_heads = dense.kv_heads or dense.heads
    matrices = 3.0 if dense.gated else 2.0
    attention = dense.layers * 2 * dense.hidden * width * (dense.heads + kv_heads)
    mlp = dense.layers * matrices * dense.hidden * dense.ffn
    tables = dense.vocab * dense.hidden * (1 if dense.tied else 2)
    return Shape(
        layers=dense.layers,
        hidden=dense.hidden,
        heads=dense.heads,
        qk_dim=width,
        v_dim=width,
        kv_width=2 * kv_heads * width,
        attention_layers=dense.layers,
        attention_params=attention,
        mixer_params=0.0,
        ffn=dense.ffn,
        dense_layers=dense.layers,
        dense_mlp_params=mlp,
        mlp_matrices=matrices,
        vocab=dense.vocab,
        head_share=1.0 if dense.causal else MASKED_SHARE,
        causal=float(dense.causal),
        window=dense.window,
        window_share=dense.window_share,
        moe_layers=0.0,
        experts=0.0,
        experts_per_token=0.0,
        expert_params=0.0,
        expert_ffn=0.0,
        expert_width=dense.hidden,
        shared_params=0.0,
        params=dense.params or attention + mlp + tables,
        embedding_params=tables,
    )


# Masked language models project only the positions that were masked out.
MASKED_SHARE = 0.15


def model_shape(model: Model) -> Shape:
    """The counts of a catalogue model."""
    layers, hidden, heads = _need(model, "layers"), _need(model, "hidden"), _need(model, "heads")
    vocab = _need(model, "vocab")
    matrices = 2.0 if model.gated is False else 3.0
    mixers, moe_layers, attending = _hybrid(model, layers)
    per_layer, qk_dim, v_dim, kv_width = attention_counts(model, hidden, heads)
    attention = attending * per_layer
    dense_layers = float(model.dense_layers or 0) if mixers else layers - moe_layers
    ffn = float(model.ffn_hidden or model.moe_ffn_hidden or 0)
    if dense_layers > 0 and not ffn:
        raise UnknownShape(f"{model.label}: the shape does not say ffn_hidden")
    expert_ffn = float(model.moe_ffn_hidden or 0)
    expert = expert_params(model)
    mlp = dense_layers * matrices * hidden * ffn
    shared = matrices * hidden * _shared_width(model)
    tables = vocab * hidden * (1 if model.tied_embeddings else 2)
    counted = attention + mlp + tables + moe_layers * (shared + (model.experts or 0) * expert)
    window, window_share = _window(model)
    causal = model.modality != "text_encoder"
    return Shape(
        layers=layers,
        hidden=hidden,
        heads=heads,
        qk_dim=qk_dim,
        v_dim=v_dim,
        kv_width=kv_width,
        attention_layers=attending,
        attention_params=attention,
        # Other mixers, a dense network beside the experts, routers, norms: every token goes through them.
        mixer_params=max(0.0, counted_params(model) - counted) if mixers or model.modality in _ALL_OF_IT else 0.0,
        ffn=ffn or hidden * 4,
        dense_layers=dense_layers,
        dense_mlp_params=mlp,
        mlp_matrices=matrices,
        vocab=vocab,
        head_share=1.0 if causal else MASKED_SHARE,
        causal=float(causal),
        window=window,
        window_share=window_share,
        moe_layers=moe_layers,
        experts=float(model.experts or 0),
        experts_per_token=float(model.experts_per_token or 0),
        expert_params=expert,
        expert_ffn=expert_ffn,
        expert_width=hidden,
        shared_params=shared,
        params=model.params_b * 1e9,
        embedding_params=tables,
        expert_groups=_groups(model),
    )


def predicting(shape: Shape, extra: float) -> Shape:
    """The same model trained to predict `extra` further tokens: a layer and a pass through the head for each."""
    grown = (shape.layers + extra) / shape.layers
    layers = {
        name: getattr(shape, name) * grown
        for name in (
            *("layers", "attention_layers", "attention_params", "mixer_params", "dense_layers", "dense_mlp_params"),
            "moe_layers",
        )
    }
    body = shape.params - shape.embedding_params
    return replace(
        shape, **layers, head_share=shape.head_share * (1 + extra), params=body * grown + shape.embedding_params
    )


def typical_shape(*, params: float, vocab: float | None = None) -> Shape:
    """What a dense network of this size usually looks like: for runs of which only the size is known."""
    vocab = vocab or TYPICAL_VOCABULARY
    hidden = _round((params * TYPICAL_WIDTH_OVER_DEPTH / 12) ** (1 / 3))
    layers = max(1.0, round((params - 2 * vocab * hidden) / (12 * hidden**2)))
    heads = hidden / TYPICAL_HEAD_DIM
    return dense_shape(
        Dense(layers=layers, hidden=hidden, heads=heads, ffn=4 * hidden, vocab=vocab, gated=False, params=params)
    )


def _round(width: float) -> float:
    return max(TYPICAL_HEAD_DIM, TYPICAL_HEAD_DIM * round(width / TYPICAL_HEAD_DIM))


def _need(model: Model, name: str) -> float:
    value = getattr(model, name)
    if not value:
        raise UnknownShape(f"{model.label}: the shape does not say {name}")
    return float(value)


def _hybrid(model: Model, layers: float) -> tuple[bool, float, float]:
    """Whether other mixers take turns with attention; how many layers hold experts; how many attend."""
    said = model.attention or ""
    blocks = {kind: float(count) for count, kind in re.findall(r"(\d+) (MoE)", said)}
    moe_layers = 0.0 if model.experts is None else blocks.get("MoE", float(model.moe_layers or layers))
    if not said.startswith("hybrid"):
        return False, moe_layers, layers
    try:
        full, windowed, _ = layers_seeing(model)
    except UnknownShape:  # every layer attends, some to a window
        return False, moe_layers, layers
    return True, moe_layers, full + windowed


def counted_params(model: Model) -> float:
    """All parameters as the shape has them; as stated, where it says too little. [count]"""
    try:
        return 1e9 * parameter_count_b(model)
    except CannotCount:
        return 1e9 * model.params_b


def expert_params(model: Model) -> float:
    """Parameters of one routed expert in one layer."""
    matrices = 2.0 if model.gated is False else 3.0
    return matrices * float(model.hidden or 0) * float(model.moe_ffn_hidden or 0)


def attention_counts(model: Model, hidden: float, heads: float) -> tuple[float, float, float, float]:
    """Parameters of one layer's projections, widths of a head's query and value, and what is kept of each token."""
    if model.kv_lora and model.qk_rope_dim and model.qk_nope_dim and model.v_head_dim:
        query_key, value = float(model.qk_nope_dim + model.qk_rope_dim), float(model.v_head_dim)
        queries = heads * query_key
        count = hidden * queries if model.q_lora is None else model.q_lora * (hidden + queries)
        count += hidden * (model.kv_lora + model.qk_rope_dim)
        count += model.kv_lora * heads * (model.qk_nope_dim + value) + heads * value * hidden
        return count, query_key, value, heads * (query_key + value)
    width = float(model.head_dim or hidden / heads)
    kv_heads = float(model.kv_heads or heads)
    return 2 * hidden * width * (heads + kv_heads), width, width, 2 * kv_heads * width


def _shared_width(model: Model) -> float:
    """Width of the shared experts together; a note says where that is not so many of the routed ones."""
    wide = re.search(r"shared expert of width (\d+)", model.note or "")
    return float(wide.group(1)) if wide else float((model.shared_experts or 0) * (model.moe_ffn_hidden or 0))


def _groups(model: Model) -> float:
    """Groups of experts that routing allows a token; a note says where there is such a limit."""
    limit = re.search(r"at most (\d+) groups of experts", model.note or "")
    return float(limit.group(1)) if limit else 0.0


def _window(model: Model) -> tuple[float, float]:
    """Width of the sliding window and the share of attention layers that have one."""
    try:
        full, windowed, width = layers_seeing(model)
    except UnknownShape:  # kinds of attention that serving does not count: every layer, if there is a window
        full, windowed, width = 0.0, float(model.sliding_window is not None), float(model.sliding_window or 0)
    return (width, windowed / (full + windowed)) if windowed else (0.0, 0.0)


def layers_seeing(model: Model) -> tuple[float, float, float]:
    """Layers that see the whole context, layers that see a window, and how long that is."""
    says, layers = model.attention or "", float(model.layers or 0)
    if says.startswith(("hybrid", "mixed", "state", "compressed")):
        counted = _COUNTED.search(says)
        if counted:
            return float(counted[1]), 0.0, ENDLESS
        if _ONE_IN_FOUR in says:
            return layers / 4, 0.0, ENDLESS
        raise UnknownShape(f"{model.label}: attention of the kind {says!r} is not counted here")
    chunk = _CHUNK.search(says)
    window = float(chunk[1]) if chunk else float(model.sliding_window or ENDLESS)
    if window == ENDLESS:
        return layers, 0.0, window
    share = _window_share(f"{says}; {model.note or ''}")
    return layers * (1 - share), layers * share, window


def _window_share(says: str) -> float:
    """The share of layers that see a window only, from the words of the record; all of them if it says no more."""
    some = _SOME_OF.search(says)
    if some:
        return _WORD[some[1]] / _WORD[some[2]]
    if "five local layers for each global one" in says:
        return 5 / 6
    return 0.5 if "every second layer" in says or "local and global layers" in says else 1.0
