"""What a training step holds in memory on the fullest rank, part by part. GB are 1e9 bytes.

Two ranks are weighed: the first pipeline stage, which keeps the most micro-batches alive, and the last, which holds the
head and the logits. The fuller one counts.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from planner.speed.arrays import Num
from planner.speed.shape import Shape
from planner.speed.training.plan import Plan

GIGA = 1e9
# Logits in 16 bits, again in 32 for the softmax, and their gradient in 16; a chunked loss makes an eighth at a time.
LOGIT_BYTES, LOSS_CHUNKS = 8.0, 8.0
# What a layer keeps for its backward pass beside queries, keys, values and feed-forward: its input, the input of the
# feed-forward, and their normed copies, of which flash kernels and compilers spare one.
KEPT_WIDTHS = 3.0
# Beside which a stack without a compiler keeps: copies before and after each rotation, gate and cast.
UNCOMPILED = 1.3
SCORE_BYTES_KEPT = 5.0
# Libraries, communicators and their buffers; buckets of gradients; and what the allocator cannot reuse.
CONTEXT_GB, FRAGMENT_SHARE = 1.0, 0.04
# A driver keeps a little for itself.
USABLE_SHARE = 0.98
LARGEST_BUFFER_LAYERS = 2.0
WIDE_MOMENTS = 8.0


@dataclass(frozen=True)
class Memory:
    """GB of each part on the fullest rank. They add up to `total_gb`."""

    weights_gb: Num
    gradients_gb: Num
    states_gb: Num
    activations_gb: Num
    logits_gb: Num
    working_gb: Num
    context_gb: Num
    fragmentation_gb: Num

    @property
    def allocated_gb(self) -> Num:
        """What a framework's allocator counts: all but what the driver and the libraries hold."""
        return self.total_gb - self.context_gb

    @property
    def total_gb(self) -> Num:
        """All parts."""
        total: Num = 0.0
        for field in fields(self):
            total = total + getattr(self, field.name)
        return total


def peak_memory(shape: Shape, plan: Plan) -> Memory:
    """Memory of the fuller of the first and the last pipeline stage. [GB]"""
    first, last = _stage(shape, plan, last=False), _stage(shape, plan, last=True)
    fuller = np.asarray(first.total_gb) >= np.asarray(last.total_gb)
    parts = {
        field.name: np.where(fuller, getattr(first, field.name), getattr(last, field.name))[()]
        for field in fields(Memory)
    }
    return Memory(**parts)


def _stage(shape: Shape, plan: Plan, *, last: bool) -> Memory:
    dense, routed, table = _params(shape, plan)
    ranks, expert_ranks = _ranks(plan)
    at_rest = np.where(plan.shard >= 3, 1 / ranks, 1.0), np.where(plan.shard >= 3, 1 / expert_ranks, 1.0)
    grad = np.where(plan.shard >= 2, 1 / ranks, 1.0), np.where(plan.shard >= 2, 1 / expert_ranks, 1.0)
    state = np.where(plan.shard >= 1, 1 / ranks, 1.0), np.where(plan.shard >= 1, 1 / expert_ranks, 1.0)
    # Tables stay in 16 bits where the rest is quantised.
    weights = (plan.weight_bytes * (dense - table) + 2 * table) * at_rest[0] + plan.weight_bytes * routed * at_rest[1]
    one_layer = (dense - table + routed) * plan.pp / shape.layers + table
    gradients = (
        plan.grad_bytes
        * plan.trainable_share
        * ((1 - plan.update_in_backward) * (dense * grad[0] + routed * grad[1]) + plan.update_in_backward * one_layer)
    )
    wide = plan.wide_embedding_moments * np.maximum(WIDE_MOMENTS - plan.state_bytes, 0.0) * table * state[0]
    states = plan.state_bytes * (dense * state[0] + routed * state[1]) + wide
    states = states * plan.trainable_share * (1 - plan.offload)
    layer_bytes, kept_bytes = layer_activation_bytes(shape, plan), _kept_bytes(shape, plan)
    alive = np.where(last, 1.0, micro_batches_alive(plan)) * shape.layers / plan.pp
    activations = alive * kept_bytes * (1 - plan.activation_offload) + (plan.recompute > 0) * layer_bytes
    logits = plan.tokens * shape.vocab * shape.head_share / plan.tp * LOGIT_BYTES
    logits = logits / np.where(plan.chunked_loss > 0, LOSS_CHUNKS, 1.0) * np.where(last, 1.0, plan.pp <= 1)
    gathered = np.where(plan.shard >= 3, LARGEST_BUFFER_LAYERS * 2 * (one_layer - table), 0.0)
    # Plain PyTorch frees gradients after each update: with one micro-batch they grow only while activations go.
    shrinking = np.where((plan.eager > 0) & (plan.micro_batches <= 1), activations + logits, 0.0)
    gradients = np.maximum(gradients - shrinking, 0.0)
    fragments = FRAGMENT_SHARE * (activations + logits + gathered)
    sizes = (weights, gradients, states, activations, logits, gathered, CONTEXT_GB * GIGA, fragments)
    return Memory(*(size / GIGA for size in sizes))


def _params(shape: Shape, plan: Plan) -> tuple[Num, Num, Num]:
    """Parameters of one stage on one rank: all but routed experts; routed experts; the table among the first."""
    tied_or_input = shape.vocab * shape.hidden
    tables = np.where(plan.pp > 1, tied_or_input, shape.embedding_params) / plan.tp
    body = (shape.params - shape.routed_params - shape.embedding_params) / plan.tp / plan.pp
    routed = shape.routed_params / np.maximum(plan.ep, 1.0) / np.where(plan.ep > 1, 1.0, plan.tp) / plan.pp
    return np.maximum(body, 0.0) + tables, routed, tables


def _ranks(plan: Plan) -> tuple[Num, Num]:
    """Over how many ranks dense and routed parameters can be sharded."""
    ranks = np.maximum(plan.dp * plan.cp, 1.0)
    return ranks, np.maximum(ranks * plan.tp / np.maximum(plan.ep, 1.0), 1.0)


def micro_batches_alive(plan: Plan) -> Num:
    """Micro-batches whose activations the first stage keeps: one for each stage behind it, more where interleaved."""
    alive = plan.pp * (1 + (plan.pp - 1) / (plan.pp * plan.vpp) * (plan.vpp > 1))
    return np.minimum(alive, np.maximum(plan.micro_batches, 1.0) * 1.0)


def layer_activation_bytes(shape: Shape, plan: Plan) -> Num:
    """What one layer keeps of one micro-batch without recompute. [B]

    References
    ----------
    V. Korthikanti et al., Reducing activation recomputation in large transformer models, 2022, section 4.
    """
    attending = shape.attention_layers / shape.layers
    values = attending * (shape.heads * (shape.qk_dim + shape.v_dim) + shape.kv_width)
    values = values + shape.dense_layers / shape.layers * shape.mlp_matrices * shape.ffn
    shared_width = shape.shared_params / np.maximum(shape.mlp_matrices * shape.hidden, 1.0)
    routed = shape.experts_per_token * (2 * shape.hidden + shape.mlp_matrices * shape.expert_ffn)
    values = values + shape.moe_layers / shape.layers * (routed + shape.mlp_matrices * shared_width)
    scores = SCORE_BYTES_KEPT * shape.heads * plan.seq_len * attending * (plan.fused_attention < 1)
    kept = 2 * values * np.where(plan.compiled > 0, 1.0, UNCOMPILED) + scores
    return plan.tokens * (kept / plan.tp + 2 * KEPT_WIDTHS * shape.hidden / _split(plan))


def _split(plan: Plan) -> Num:
    """Over how many ranks the layer's input is split."""
    return np.where(plan.sequence_parallel > 0, plan.tp, 1.0)


def _kept_bytes(shape: Shape, plan: Plan) -> Num:
    """The same with recompute: of what is recomputed, only the layer's input. [B]"""
    full = layer_activation_bytes(shape, plan)
    inputs = 2 * plan.tokens * shape.hidden / _split(plan)
    return full * (1 - plan.recompute) + inputs * plan.recompute
