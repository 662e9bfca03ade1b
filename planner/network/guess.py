"""A model of which only the size is known, as its generation is usually built: better than no answer, and marked."""

import re
from dataclasses import dataclass

from planner.network.kinds import UnknownShape, grouped_query_attention, reach
from planner.network.network import ENDLESS, MASKED_SHARE, Network
from planner.network.record import parameter_count_b
from pricing.model import Model

# Assumptions, read off the catalogue's models of 2024 to 2026: width over depth, heads 128 wide of which eight keep
# keys and values, a gated network three and a half times as wide, and eight experts at work on a token.
WIDTH_OVER_DEPTH, HEAD_DIM, KV_HEADS, FFN_OVER_WIDTH = 128.0, 128, 8, 3.5
VOCABULARY = 128_000
# Before: every head had keys and values of its own but in the largest (Llama 2 70B was the first of note with groups,
# July 2023; Mistral 7B the first small one, Llama 3 of April 2024 has them in all), and 32,000 words were usual.
GROUPED_SINCE, GROUPED_FROM_B, FEWER_WORDS = 2024.0, 30.0, 32_000
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
# Billions of parameters between which a decoder can be; and at the least how much of it works on a token.
LEAST_B, MOST_B, LEAST_AT_WORK = 0.001, 100_000.0, 1e-4
# Wider ones grow in depth: a record's widths end at 100,000, and a network is three and a half times as wide.
_WIDEST = 27_648
_MOST_EXPERTS, _NARROWEST_EXPERT = 65_536, 8
_LONGEST_NAME = 200


@dataclass(frozen=True)
class ModelSizes:
    """Billions of parameters that a table states beside a model's name: all, and at work on each token."""

    params_b: float | None = None
    active_params_b: float | None = None
    year: float | None = None  # in which it ran, so that it is no younger


UNSAID = ModelSizes()


def size_in_name(name: str) -> float | None:
    """Billions of parameters that a name states, if it does."""
    match = _SIZE.search(name)
    return float(match[1]) * _BILLIONS[match[2].casefold()] or None if match else None


def active_in_name(name: str) -> float | None:
    """Billions at work on each token that a name states: `A3B`."""
    match = _ACTIVE.search(name)
    return float(match[1]) if match else None


def is_hybrid_name(name: str) -> bool:
    """Return whether a name is of a family that alternates attention with other layers."""
    return _MIXED.search(name) is not None


def check_size(params_b: float, active_params_b: float | None = None) -> None:
    """Raise `UnknownShape` for a size that no network has: there is nothing to guess a shape from."""
    if not LEAST_B <= params_b <= MOST_B:
        wish = f"want {LEAST_B:g} to {MOST_B:,.0f}"
        raise UnknownShape(f"unknown shape: no network has {params_b:g} billion parameters; {wish}")
    if active_params_b is None:
        return
    if active_params_b > params_b * (1 + NEARLY):
        raise UnknownShape(f"unknown shape: {active_params_b:g} billion parameters at work of {params_b:g} there are")
    if active_params_b < max(LEAST_B, LEAST_AT_WORK * params_b):
        few = f"{active_params_b:g} billion parameters at work of {params_b:g}"
        raise UnknownShape(f"unknown shape: {few} is fewer than any network has")


def typical_model(
    name: str, *, params_b: float, active_params_b: float | None = None, year: float | None = None
) -> Model:
    """A decoder of that size, as they were built by that year; a mixture where fewer parameters work than there are."""
    check_size(params_b, active_params_b)
    active = active_params_b if active_params_b and active_params_b < _NEARLY_ALL * params_b else None
    body = (active or params_b) * 1e9
    wide = float(body * WIDTH_OVER_DEPTH / (2.5 + _GATED * FFN_OVER_WIDTH)) ** (1 / 3)
    step = next(size for size in (1024, 512, 256, HEAD_DIM) if wide > 3 * size or size == HEAD_DIM)
    hidden = min(int(step * max(1, round(wide / step))), _WIDEST)
    tied = params_b < _TIED_BELOW_B
    tables = 1 if tied else 2
    early = year is not None and year < GROUPED_SINCE
    vocab = min(
        FEWER_WORDS if early else VOCABULARY, max(1, int(body / 2 / tables / hidden))
    )  # the smallest networks have few words
    heads = max(1, hidden // HEAD_DIM)
    grouped = next(n for n in range(min(KV_HEADS, heads), 0, -1) if heads % n == 0)
    kv_heads = heads if early and params_b < GROUPED_FROM_B else grouped
    attention = 2 * hidden * HEAD_DIM * (heads + kv_heads)
    network = body - vocab * hidden * tables
    layers = max(1, round(network / (attention + _GATED * FFN_OVER_WIDTH * hidden**2)))
    ffn = max(64, round((network / layers - attention) / (_GATED * hidden)))
    dense = Model(
        label=name[:_LONGEST_NAME] or "a model of that size", family="typical", modality="text", params_b=params_b,
        layers=layers, hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=HEAD_DIM, ffn_hidden=ffn, gated=True,
        vocab=vocab, attention="GQA" if kv_heads < heads else "MHA", tied_embeddings=tied, source="assumed",
        confidence="low",
    )  # fmt: skip
    return dense if active is None else _as_mixture_of_experts(dense, name, params_b * 1e9, body)


_TIED_BELOW_B, _NEARLY_ALL = 4.0, 0.9
NEARLY = 0.15  # sizes that differ by less are of one model


def _as_mixture_of_experts(dense: Model, name: str, params: float, active: float) -> Model:
    """A guessed network whose dense part is split into experts, as many at work as the two sizes ask."""
    layers, hidden = dense.layers or 1, dense.hidden or HEAD_DIM
    at_work = layers * _GATED * hidden * (dense.ffn_hidden or 1)
    asleep = (params - active + at_work) / at_work
    experts = _experts_in_name(name, asleep, dense.ffn_hidden or 1) or min(
        round(EXPERTS_PER_TOKEN * asleep), _MOST_EXPERTS
    )
    per_token = max(1, min(round(experts / asleep), experts - 1))
    width = max(1, round(at_work * asleep / (layers * experts * _GATED * hidden)))
    record = dense.model_copy(
        update={
            "experts": experts, "experts_per_token": per_token, "shared_experts": 0, "moe_ffn_hidden": width,
            "moe_layers": layers, "dense_layers": 0, "ffn_hidden": None, "active_params_b": active / 1e9,
        }
    )  # fmt: skip
    return record.model_copy(update={"params_b": parameter_count_b(record)})


def _experts_in_name(name: str, asleep: float, ffn: int) -> int | None:
    """The experts a name counts, `8x22B` or `17B-16E`; None where there are none, or the sizes allow none such."""
    match = _COUNTED_EXPERTS.search(name) or _NAMED_EXPERTS.search(name)
    if match is None:
        return None
    experts = float(match[1])
    return int(experts) if asleep <= experts <= min(_MOST_EXPERTS, ffn * asleep / _NARROWEST_EXPERT) else None


# Hidden width over layers in published families of 1B to 540B parameters: what a shape of a size is guessed with.
TYPICAL_WIDTH_OVER_DEPTH = 128.0
TYPICAL_HEAD_DIM = 128.0
TYPICAL_VOCABULARY = 50_304.0


@dataclass(frozen=True)
class LayerStack:
    """A dense network of equal layers with grouped attention, as people describe it."""

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
    window: float = ENDLESS
    window_share: float = 0.0
    params: float | None = None


def stack_network(stack: LayerStack, label: str = "") -> Network:
    width, kv_heads = stack.head_dim or stack.hidden / stack.heads, stack.kv_heads or stack.heads
    layer = grouped_query_attention(hidden=stack.hidden, heads=stack.heads, kv_heads=kv_heads, head_dim=width)
    matrices = 3.0 if stack.gated else 2.0
    attention, mlp = stack.layers * layer.params, stack.layers * matrices * stack.hidden * stack.ffn
    tables = stack.vocab * stack.hidden * (1 if stack.tied else 2)
    windowed = stack.layers * stack.window_share
    return Network(
        label=label, layers=stack.layers, hidden=stack.hidden, vocab=stack.vocab,
        params=stack.params or attention + mlp + tables, table_params=tables, causal=float(stack.causal),
        head_share=1.0 if stack.causal else MASKED_SHARE, attention_layers=stack.layers, attention_params=attention,
        heads=layer.heads, kv_heads=layer.kv_heads, qk_dim=layer.qk_dim, v_dim=layer.v_dim,
        cache_heads=layer.cache_heads, latent=0.0, far=reach(layer, stack.layers - windowed),
        near=reach(layer, windowed, tokens=stack.window), ffn=stack.ffn, dense_layers=stack.layers,
        dense_mlp_params=mlp, mlp_matrices=matrices, mixer_params=0.0, moe_layers=0.0, experts=0.0,
        experts_per_token=0.0, expert_params=0.0, expert_ffn=0.0, expert_hidden=stack.hidden, shared_params=0.0,
    )  # fmt: skip


def typical_stack(*, params: float, vocab: float | None = None) -> Network:
    """Return what a dense network of this size usually looks like: for runs of which only the size is known."""
    vocab = vocab or TYPICAL_VOCABULARY
    width = (params * TYPICAL_WIDTH_OVER_DEPTH / 12) ** (1 / 3)
    hidden = max(TYPICAL_HEAD_DIM, TYPICAL_HEAD_DIM * round(width / TYPICAL_HEAD_DIM))
    layers = max(1.0, round((params - 2 * vocab * hidden) / (12 * hidden**2)))
    heads = hidden / TYPICAL_HEAD_DIM
    return stack_network(
        LayerStack(layers=layers, hidden=hidden, heads=heads, ffn=4 * hidden, vocab=vocab, gated=False, params=params)
    )
