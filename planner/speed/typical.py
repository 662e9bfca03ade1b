"""A model of which only the size is known, as its generation is usually built: better than no answer, and marked."""

from __future__ import annotations

import re

from pricing.records import Model
from pricing.shapes import parameter_count_b

# Assumptions, read off the catalogue's models of 2024 to 2026: width over depth, heads 128 wide of which eight keep
# keys and values, a gated network three and a half times as wide, and eight experts at work on a token.
WIDTH_OVER_DEPTH, HEAD_DIM, KV_HEADS, FFN_OVER_WIDTH = 128.0, 128, 8, 3.5
VOCABULARY = 128_000
EXPERTS_PER_TOKEN = 8
_GATED = 3
_COUNTED_EXPERTS = re.compile(r"(\d+)x\d", re.IGNORECASE)
_NAMED_EXPERTS = re.compile(r"\d+b?-(\d+)e\b", re.IGNORECASE)
_SIZE = re.compile(r"(?<![a-z\d.])(\d+(?:\.\d+)?)\s*([bmt])(?![a-z])", re.IGNORECASE)
_ACTIVE = re.compile(r"\ba(\d+(?:\.\d+)?)\s*b\b", re.IGNORECASE)
# Families that alternate attention with other layers: a size says too little of them.
_MIXED = re.compile(
    r"nemotron[-_ ]?(3|v3|h|nano)|mamba|zamba|jamba|falcon[-_ ]?h1|granite[-_ ]?4|hymba|rwkv", re.IGNORECASE
)
MIXED = "unknown shape: a model of other layers beside attention, which neither the row nor the catalogue describes"
_BILLIONS = {"b": 1.0, "m": 1e-3, "t": 1e3}


def size_in_name(name: str) -> float | None:
    """Billions of parameters that a name states, if it does."""
    found = _SIZE.search(name)
    return float(found[1]) * _BILLIONS[found[2].casefold()] if found else None


def active_in_name(name: str) -> float | None:
    """Billions at work on each token that a name states: `A3B`."""
    found = _ACTIVE.search(name)
    return float(found[1]) if found else None


def is_mixed(name: str) -> bool:
    """Whether a name is of a family that alternates attention with other layers."""
    return _MIXED.search(name) is not None


def typical_model(name: str, *, params_b: float, active_params_b: float | None = None) -> Model:
    """A decoder of that size; with fewer active parameters than there are, a mixture of experts."""
    active = active_params_b if active_params_b and active_params_b < _NEARLY_ALL * params_b else None
    body = (active or params_b) * 1e9
    hidden = _width(body)
    tied = params_b < _TIED_BELOW_B
    heads = max(1, hidden // HEAD_DIM)
    kv_heads = next(n for n in range(min(KV_HEADS, heads), 0, -1) if heads % n == 0)
    attention = 2 * hidden * HEAD_DIM * (heads + kv_heads)
    network = body - min(VOCABULARY * hidden * (1 if tied else 2), body / 2)
    layers = max(1, round(network / (attention + _GATED * FFN_OVER_WIDTH * hidden**2)))
    ffn = max(64, round((network / layers - attention) / (_GATED * hidden)))
    dense = Model(
        label=name or "a model of that size", family="typical", modality="text", params_b=params_b, layers=layers,
        hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=HEAD_DIM, ffn_hidden=ffn, gated=True,
        vocab=VOCABULARY, attention="GQA", tied_embeddings=tied, source="assumed", confidence="low",
    )  # fmt: skip
    return dense if active is None else _with_experts(dense, name, params_b * 1e9, body)


_TIED_BELOW_B, _NEARLY_ALL = 4.0, 0.9


def _width(body: float) -> int:
    """The usual width of so many parameters, in steps that heads and ranks divide."""
    wide = float(body * WIDTH_OVER_DEPTH / (2.5 + _GATED * FFN_OVER_WIDTH)) ** (1 / 3)
    step = next(size for size in (1024, 512, 256, HEAD_DIM) if wide > 3 * size or size == HEAD_DIM)
    return int(step * max(1, round(wide / step)))


def _with_experts(dense: Model, name: str, params: float, active: float) -> Model:
    """The same with its network split into experts: as many for each at work as the two sizes ask."""
    layers, hidden = dense.layers or 1, dense.hidden or HEAD_DIM
    at_work = layers * _GATED * hidden * (dense.ffn_hidden or 1)
    asleep = (params - active + at_work) / at_work
    counted = _COUNTED_EXPERTS.search(name) or _NAMED_EXPERTS.search(name)
    experts = int(counted[1]) if counted else round(EXPERTS_PER_TOKEN * asleep)
    per_token = max(1, min(round(experts / asleep), experts - 1)) if counted else EXPERTS_PER_TOKEN
    width = max(1, round(at_work * asleep / (layers * experts * _GATED * hidden)))
    record = dense.model_copy(
        update={
            "experts": experts, "experts_per_token": per_token, "shared_experts": 0, "moe_ffn_hidden": width,
            "moe_layers": layers, "dense_layers": 0, "ffn_hidden": None, "active_params_b": active / 1e9,
        }
    )  # fmt: skip
    return record.model_copy(update={"params_b": parameter_count_b(record)})
