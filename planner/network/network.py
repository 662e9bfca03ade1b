"""What a transformer is made of, as the counts that memory and speed need.

One type for a model of the catalogue, for one that a table describes and for one that is guessed from its size, in
training and in serving. Every field but the label is a number, or an array over many networks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.scenario.memo import cached_property

Num = float | NDArray[np.float64]
ENDLESS = 1e9  # no window: longer than any context
# Masked language models project only the positions that were masked out.
MASKED_SHARE = 0.15


@dataclass(frozen=True)
class Network:
    """A decoder or encoder stack. Parameters are counts, not billions; values are numbers, whatever their width.

    `attention_layers` have a score matrix; other mixers count as parameters. Of layers, `window_share` see no more
    than `window` tokens.
    """

    label: str
    layers: Num
    hidden: Num
    vocab: Num
    params: Num  # as stated
    table_params: Num  # embeddings and head: one table where they share it, else two
    causal: Num  # 1 where a token looks back only
    head_share: Num  # of the tokens that the head projects to the vocabulary in training

    attention_layers: Num
    attention_params: Num
    heads: Num
    kv_heads: Num  # of keys and values as they are computed
    qk_dim: Num
    v_dim: Num
    cache_values: Num  # kept of each token, in one layer
    cache_heads: Num  # parts into which tensor parallelism can divide the cache
    decode_dim: Num  # width of a key and a value as decoding reads them
    latent: Num  # 1 where keys and values come out of a shared latent vector
    window: Num
    window_share: Num

    ffn: Num
    dense_layers: Num
    dense_mlp_params: Num
    mlp_matrices: Num  # 3 with a gate, 2 without
    mixer_params: Num  # other mixers, a dense network beside the experts, routers, norms

    moe_layers: Num
    experts: Num  # in each of those layers; 0 where there are none
    experts_per_token: Num
    expert_params: Num  # of one expert in one layer
    expert_ffn: Num
    shared_params: Num  # of the shared experts of one layer
    expert_groups: Num = 0.0  # on nodes of their own, that one token may go to; 0: any

    @property
    def is_moe(self) -> Num:
        """1 for a mixture of experts."""
        return np.where(self.moe_layers > 0, 1.0, 0.0)[()]

    @property
    def is_hybrid(self) -> bool:
        """Whether other mixers take turns with attention. Of one network only."""
        return bool(self.attention_layers < self.layers)

    # ------------------------------------------------------------------------------------------------- parameters

    @cached_property
    def routed_params(self) -> Num:
        """All routed experts of all layers: what expert parallelism spreads."""
        return self.moe_layers * self.experts * self.expert_params

    @cached_property
    def routed_active_params(self) -> Num:
        """Parameters of routed experts that work on each token. [count]"""
        return self.moe_layers * self.experts_per_token * self.expert_params

    @cached_property
    def other_params(self) -> Num:
        """What every token goes through beside attention and head: dense networks, shared experts, other mixers."""
        return self.mixer_params + self.dense_mlp_params + self.moe_layers * self.shared_params

    @cached_property
    def linear_params(self) -> Num:
        """What every token goes through, without head and routed experts."""
        return self.attention_params + self.mixer_params + self.dense_mlp_params + self.moe_layers * self.shared_params

    @cached_property
    def head_params(self) -> Num:
        """The projection to the vocabulary."""
        return self.vocab * self.hidden

    @cached_property
    def embedding_params(self) -> Num:
        """Embeddings beside the head, where they are another table: a look-up, so stored but never streamed."""
        return self.table_params - self.head_params

    @cached_property
    def dense_params(self) -> Num:
        """What every step of an answer streams, whatever the batch."""
        return self.attention_params + self.other_params + self.head_params

    @cached_property
    def counted_params(self) -> Num:
        """All parameters as they are counted here, embeddings included."""
        return self.dense_params + self.embedding_params + self.routed_params

    @cached_property
    def active_params(self) -> Num:
        """What works on each token, the head included, the input table not."""
        return self.linear_params + self.routed_active_params + self.vocab * self.hidden

    # -------------------------------------------------------------------------------------------------- attention

    @cached_property
    def kv_width(self) -> Num:
        """Values of keys and values that one layer computes of a token."""
        return self.kv_heads * (self.qk_dim + self.v_dim)

    @cached_property
    def score_flops(self) -> Num:
        """Operations for each pair of a token and one that it sees: score and weighed sum, all layers. [FLOP]"""
        return 2 * self.heads * (self.qk_dim + self.v_dim) * self.attention_layers

    @cached_property
    def decode_flops(self) -> Num:
        """Attention of one new token over its cache, in the layers that see the whole context. [FLOP]"""
        return 2 * self.heads * self.decode_dim * self.full_layers

    @cached_property
    def full_layers(self) -> Num:
        """Layers that see the whole context."""
        return self.attention_layers * (1 - self.window_share)

    @cached_property
    def window_layers(self) -> Num:
        """Layers that see a window."""
        return self.attention_layers * self.window_share

    def without_window(self) -> Network:
        """This network as if every layer saw the whole context.

        What decoding computes stays that of the layers which saw all before: so the constants of serving were fitted.
        """
        decode_dim = self.decode_dim * (1 - self.window_share)
        return replace(self, window=ENDLESS, window_share=0.0, decode_dim=decode_dim)

    def cached_values(self, *, context: Num) -> Num:
        """Values that are kept of a context of so many tokens."""
        far, near = self.cache_values * self.full_layers, self.cache_values * self.window_layers
        return far * context + near * np.minimum(context, self.window)

    def prompt_flops(self, *, tokens: Num) -> Num:
        """Operations of attention for a whole prompt. [FLOP]"""
        return self.score_flops * tokens * self.seen_tokens(tokens=tokens)

    def seen_tokens(self, *, tokens: Num) -> Num:
        """How many tokens of a sequence of so many a token looks at, on average over tokens and layers. [token]

        Looking back, a token sees half of a sequence on average; the first ones see no more while a window fills.
        """
        window = np.minimum(tokens, self.window)
        full, near = tokens * (1 - 0.5 * self.causal), window * (1 - 0.5 * self.causal * window / tokens)
        return full * (1 - self.window_share) + near * self.window_share
