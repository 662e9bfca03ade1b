"""A transformer as the counts that memory and speed need.

One type for a model of the catalogue, for one that a table describes and for one that is guessed from its size, in
training and in serving. Every field but the label is a number, or an array over many networks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pricing.caching import cached_property

Num = float | NDArray[np.float64]
ENDLESS = 1e9  # no window: longer than any context
# A state is read, decayed, written to and read out: so many operations for each of its values and each token.
# Gated delta rule: S. Yang et al., Gated Delta Networks, 2024, arXiv:2412.06464, equation 10; Mamba-2 takes fewer.
STATE_FLOPS = 6.0
# Masked language models project only the positions that were masked out.
MASKED_SHARE = 0.15


@dataclass(frozen=True)
class Reach:
    """Attention that looks at no more than `tokens` tokens: sums over all layers that do, for each token seen."""

    tokens: Num = ENDLESS
    kept: Num = 0.0  # values of it that the cache holds
    read: Num = 0.0  # values that decoding reads; more than are kept where layers share a cache
    score_flops: Num = 0.0  # score and weighed sum, of keys and values as they are computed. [FLOP]
    decode_flops: Num = 0.0  # the same as decoding does it. [FLOP]


NOWHERE = Reach()


@dataclass(frozen=True)
class Network:
    """A decoder or encoder stack. Parameters are counts, not billions; values are numbers, whatever their width.

    `attention_layers` have a score matrix; other mixers count as parameters, and keep a state. Attention looks at
    everything (`far`), at chosen tokens of everything (`chosen`), or at the last ones (`near`).
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
    cache_heads: Num  # parts into which tensor parallelism can divide the cache
    latent: Num  # 1 where keys and values come out of one vector that all heads share
    far: Reach

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
    expert_hidden: Num  # width that an expert reads and writes
    shared_params: Num  # of the shared experts of one layer
    expert_groups: Num = 0.0  # on nodes of their own, that one token may go to; 0: any
    chosen: Reach = NOWHERE
    near: Reach = NOWHERE
    state_values: Num = 0.0  # that mixers without a cache keep of a request, all layers
    mixer_values: Num = 0.0  # between the matrices of such mixers, of a token, all layers
    lookup_params: Num = 0.0  # in tables of which a token takes a row: stored, not streamed

    @property
    def is_hybrid(self) -> bool:
        """Return whether other mixers take turns with attention. Of one network only."""
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
        """Return all that each token goes through beside attention and head: dense networks, shared experts, mixers."""
        return self.mixer_params + self.dense_mlp_params + self.moe_layers * self.shared_params

    @cached_property
    def linear_params(self) -> Num:
        """Return what every token goes through, without head and routed experts."""
        return self.attention_params + self.mixer_params + self.dense_mlp_params + self.moe_layers * self.shared_params

    @cached_property
    def head_params(self) -> Num:
        """The projection to the vocabulary."""
        return self.vocab * self.hidden

    @cached_property
    def embedding_params(self) -> Num:
        """Embeddings beside the head, where they are another table: a look-up, so stored but never streamed."""
        return self.table_params - self.head_params + self.lookup_params

    @cached_property
    def dense_params(self) -> Num:
        """Return what every step of an answer streams, whatever the batch."""
        return self.attention_params + self.other_params + self.head_params

    @cached_property
    def counted_params(self) -> Num:
        """All parameters as they are counted here, embeddings included."""
        return self.dense_params + self.embedding_params + self.routed_params

    @cached_property
    def active_params(self) -> Num:
        """Return what works on each token, the head included, the input table not."""
        return self.linear_params + self.routed_active_params + self.vocab * self.hidden

    # -------------------------------------------------------------------------------------------------- attention

    @cached_property
    def kv_width(self) -> Num:
        """Values of keys and values that one layer computes of a token."""
        return self.kv_heads * (self.qk_dim + self.v_dim)

    @cached_property
    def score_flops(self) -> Num:
        """Operations for each pair of a token and one that it sees: score and weighed sum, all layers. [FLOP]"""
        return self.far.score_flops + self.chosen.score_flops + self.near.score_flops

    def without_window(self) -> Network:
        """This network as if every layer saw the whole context."""
        return replace(self, near=replace(self.near, tokens=ENDLESS))

    def cached_values(self, *, context: Num) -> Num:
        """Values that are kept of a context of so many tokens. What is chosen from is kept whole."""
        return (self.far.kept + self.chosen.kept) * context + self.near.kept * np.minimum(context, self.near.tokens)

    def read_values(self, *, context: Num) -> Num:
        """Values that one more token reads of a context of so many tokens."""
        chosen = self.chosen.read * np.minimum(context, self.chosen.tokens)
        return self.far.read * context + chosen + self.near.read * np.minimum(context, self.near.tokens)

    def decode_flops(self, *, context: Num) -> Num:
        """Attention of one new token over its cache. [FLOP]

        What a window holds is left out: its few tokens are read, and hardly computed.
        """
        chosen = self.chosen.decode_flops * np.minimum(context, self.chosen.tokens)
        return self.far.decode_flops * context + chosen + STATE_FLOPS * self.state_values

    def prompt_flops(self, *, tokens: Num) -> Num:
        """Operations of attention for a whole prompt. [FLOP]"""
        return tokens * self._attention_flops_per_token(tokens)

    def mean_attended_tokens(self, *, tokens: Num) -> Num:
        """Return how many tokens of a sequence of so many a token looks at, on average over tokens and layers. [token]

        States count as the tokens whose scores would take as long.
        """
        return self._attention_flops_per_token(tokens) / np.maximum(self.score_flops, 1e-9)

    def _attention_flops_per_token(self, tokens: Num) -> Num:
        """Operations of attention for each token of a sequence, on average. [FLOP]"""
        far = self.far.score_flops * self._within(tokens, ENDLESS)
        chosen = self.chosen.score_flops * self._within(tokens, self.chosen.tokens)
        near = self.near.score_flops * self._within(tokens, self.near.tokens)
        return far + chosen + near + STATE_FLOPS * self.state_values

    def _within(self, tokens: Num, most: Num) -> Num:
        """Tokens that one sees on average, of the last `most`: looking back, half of all while they are fewer."""
        window = np.minimum(tokens, most)
        return window * (1 - 0.5 * self.causal * window / tokens)
