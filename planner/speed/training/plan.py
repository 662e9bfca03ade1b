"""The plan of a training step over accelerators: numbers only, for one plan or arrays of many."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from planner.speed.arrays import Num


def stage_slots(layers: Num, stages: Num) -> Num:
    """Places for layers where all stages have as many as the fullest one.

    Where only so they divide, embedding and head take a place each, and none is empty.
    """
    full = np.ceil(layers / stages) * stages
    return np.where((layers + 2) % stages == 0, layers, full)[()]


# Of `shard` and `recompute`, where a search is to choose within them: whole copies beyond the fast link, and what only
# moves bytes done again. A plan states them as `shard_ranks` and `selective`.
HYBRID, SELECTIVE = 3.5, 0.5
Degree = TypeVar("Degree", Num, float | None)


@dataclass(frozen=True)
class Layout(Generic[Degree]):
    """How a model is spread over accelerators. None, of a layout that is searched or stated in part: any legal degree.

    `recompute` is the share of a forward pass done again; `shard` the ZeRO stage, 3 FSDP.
    """

    tp: Degree
    pp: Degree
    vpp: Degree
    cp: Degree
    ep: Degree
    dp: Degree
    micro_batch: Degree
    shard: Degree
    recompute: Degree


ANY_LAYOUT = Layout[float | None](None, None, None, None, None, None, None, None, None)


@dataclass(frozen=True)
class TrainingPlan(Layout[Num]):
    """One way to run a step: its layout, and what it runs.

    `selective` is 1 where only what moves bytes is done again: norms, activations, and scores that were written out.

    `year` is when the software is from; `trainable_share` is what of the weights gets gradients; `backward` counts the
    matrix products of the backward pass for each of the forward one: 2, or 1 where weights are frozen.
    """

    seq_len: Num
    accelerators: Num
    global_batch: Num
    bits: Num
    backward: Num
    trainable_share: Num
    weight_bytes: Num
    fused_attention: Num
    offload: Num
    year: Num
    dropless: Num
    eager: Num
    # What only memory notices: bytes of a gradient and of master weights and moments for each trained parameter.
    grad_bytes: Num = 4.0
    whole_grad_bytes: Num = 0.0  # beside them, of gradients that only ZeRO 3 spreads
    state_bytes: Num = 12.0
    adapter_weight_bytes: Num = 0.0  # of adapters that stand beside the frozen weights, for each trained parameter
    # Pieces in which the loss is computed. Shares of 1: update done while gradients appear, activations kept by the
    # host, moments of the embeddings left in 32 bits where the others have 8.
    loss_chunks: Num = 1.0
    update_in_backward: Num = 0.0
    activation_offload: Num = 0.0
    wide_embedding_moments: Num = 0.0
    # Bytes of a logit while the loss is worked out over the whole batch: once in 16 bits, again in 32, and exponentials
    # that become the gradient.
    logit_bytes: Num = 10.0
    # Whether norms are one kernel where the rest is not; whether every rank first holds the whole model.
    fused_norms: Num = 0.0
    loads_whole: Num = 0.0
    # What a stack sets aside for exchanges.
    buckets_gb: Num = 0.0
    # The share of layers through which gradients flow; weights that live on the host and are fetched for each use.
    kept_layers: Num = 1.0
    weight_offload: Num = 0.0
    selective: Num = 0.0
    # Ranks over which ZeRO spreads; 0: all that hold the same weights. Fewer is hybrid sharding.
    shard_ranks: Num = 0.0
    # Whether what tensor parallelism does not split is split along the sequence; and how wasteful plain stacks are.
    sequence_parallel: Num = 1.0
    compiled: Num = 1.0
    # Whether a compiler, graphs or fused kernels launch much at once, instead of Python kernel by kernel.
    launched_ahead: Num = 1.0
    # Whether exchanges of weights and gradients hide behind computing; whether context parallelism splits a causal ring
    # as it comes, so that its last rank has the most to do.
    overlaps: Num = 1.0
    ring_uneven: Num = 0.0
    # Whether micro-batches enter the pipeline at both ends, so that one travels while another is worked on.
    two_way: Num = 0.0

    @property
    def micro_batches(self) -> Num:
        """Return how many micro-batches each pipeline works through in a step."""
        return np.maximum(1.0, np.divide(self.global_batch, self.dp * self.micro_batch))[()]

    @property
    def tokens(self) -> Num:
        """Tokens of a micro-batch on one rank."""
        return self.micro_batch * self.seq_len / self.cp

    @property
    def tokens_per_step(self) -> Num:
        return self.global_batch * self.seq_len

    @property
    def passes(self) -> Num:
        """Forward, backward and recomputed passes through the linear layers, in forward passes."""
        return 1.0 + self.backward + self.recompute

    @property
    def again(self) -> Num:
        """Return whether what only moves bytes is done again, in forward passes."""
        return np.maximum(self.recompute, self.selective)

    @property
    def ranks(self) -> Num:
        """Ranks that hold the same weights, and could share them out. [count]"""
        return np.maximum(self.dp * self.cp, 1.0)

    @property
    def sharing(self) -> Num:
        """Ranks over which ZeRO spreads: all that hold the same weights, or in hybrid sharding a group of them."""
        return np.where(self.shard_ranks > 0, np.minimum(self.shard_ranks, self.ranks), self.ranks)[()]
