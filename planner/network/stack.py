"""A stack of equal layers: as a table describes a network that no catalogue has, or as its size lets one guess it."""

from dataclasses import dataclass

from planner.network.kinds import grouped_attention, reach
from planner.network.network import ENDLESS, MASKED_SHARE, Network

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
    """Its counts."""
    width, kv_heads = stack.head_dim or stack.hidden / stack.heads, stack.kv_heads or stack.heads
    one = grouped_attention(hidden=stack.hidden, heads=stack.heads, kv_heads=kv_heads, head_dim=width)
    matrices = 3.0 if stack.gated else 2.0
    attention, mlp = stack.layers * one.params, stack.layers * matrices * stack.hidden * stack.ffn
    tables = stack.vocab * stack.hidden * (1 if stack.tied else 2)
    windowed = stack.layers * stack.window_share
    return Network(
        label=label, layers=stack.layers, hidden=stack.hidden, vocab=stack.vocab,
        params=stack.params or attention + mlp + tables, table_params=tables, causal=float(stack.causal),
        head_share=1.0 if stack.causal else MASKED_SHARE, attention_layers=stack.layers, attention_params=attention,
        heads=one.heads, kv_heads=one.kv_heads, qk_dim=one.qk_dim, v_dim=one.v_dim,
        cache_heads=one.cache_heads, latent=0.0, far=reach(one, stack.layers - windowed),
        near=reach(one, windowed, tokens=stack.window), ffn=stack.ffn, dense_layers=stack.layers, dense_mlp_params=mlp,
        mlp_matrices=matrices, mixer_params=0.0, moe_layers=0.0, experts=0.0, experts_per_token=0.0, expert_params=0.0,
        expert_ffn=0.0, expert_hidden=stack.hidden, shared_params=0.0,
    )  # fmt: skip


def typical_stack(*, params: float, vocab: float | None = None) -> Network:
    """What a dense network of this size usually looks like: for runs of which only the size is known."""
    vocab = vocab or TYPICAL_VOCABULARY
    hidden = _round((params * TYPICAL_WIDTH_OVER_DEPTH / 12) ** (1 / 3))
    layers = max(1.0, round((params - 2 * vocab * hidden) / (12 * hidden**2)))
    heads = hidden / TYPICAL_HEAD_DIM
    return stack_network(
        LayerStack(layers=layers, hidden=hidden, heads=heads, ffn=4 * hidden, vocab=vocab, gated=False, params=params)
    )


def _round(width: float) -> float:
    return max(TYPICAL_HEAD_DIM, TYPICAL_HEAD_DIM * round(width / TYPICAL_HEAD_DIM))
