"""Memory of a training step, and ways to reduce it, in order of what they cost in speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from planner.network.network import Network
from planner.scenario.base import GIGA
from planner.speed.arrays import Num
from planner.speed.hardware import Hardware
from planner.speed.training.plan import TrainingPlan

# A layer keeps the residual twice, for its two norms, and the two normed copies that matrices are multiplied with.
NORMS = 2.0
# Beside which a stack without a compiler keeps copies before and after each rotation, gate and cast.
UNCOMPILED = 1.3
SCORE_BYTES_KEPT = 5.0
# A process and its kernels, before and since they are loaded when first used; buffers of what joins several.
CONTEXT_GB, LAZY_CONTEXT_GB, LAZY_SINCE, JOINED_GB = 1.6, 0.6, 2023.0, 0.6
# What the allocator cannot reuse.
FRAGMENT_SHARE = 0.04
# A driver keeps a little for itself.
USABLE_SHARE = 0.98
# With sharded weights a layer is at work while the next arrives; gradients of one leave in 32 bits.
GATHERED_LAYERS, LEAVING_BYTES = 2.0, 4.0
# Quantised matrices kept what came in, though frozen, until bitsandbytes 0.43.2 of July 2024 (its CHANGELOG.md).
QUANTISED_FREE_SINCE = 2024.55
WIDE_MOMENTS = 8.0


@dataclass(frozen=True)
class TrainingMemory:
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
    def reserved_gb(self) -> Num:
        """Return what a framework's allocator took: all but what the driver and the libraries hold."""
        return self.total_gb - self.context_gb

    @property
    def allocated_gb(self) -> Num:
        """Return what is alive of that at the worst moment."""
        return self.reserved_gb - self.fragmentation_gb

    @property
    def total_gb(self) -> Num:
        total: Num = 0.0
        for field in fields(self):
            total = total + getattr(self, field.name)
        return total


def peak_memory(shape: Network, plan: TrainingPlan) -> TrainingMemory:
    """Memory of the fuller of the first and the last pipeline stage. [GB]"""
    first, last = _stage(shape, plan, last=False), _stage(shape, plan, last=True)
    fuller = np.asarray(first.total_gb) >= np.asarray(last.total_gb)
    parts = {
        field.name: np.where(fuller, getattr(first, field.name), getattr(last, field.name))[()]
        for field in fields(TrainingMemory)
    }
    return TrainingMemory(**parts)


def _stage(shape: Network, plan: TrainingPlan, *, last: bool) -> TrainingMemory:
    dense, routed, table = _params(shape, plan)
    spread = _ShardedParams.of(dense, routed, plan)
    one_layer = (dense - table + routed) * plan.pp / shape.layers
    # Tables stay in 16 bits where the rest is quantised.
    weights = plan.weight_bytes * spread.over(3) + np.maximum(2 - plan.weight_bytes, 0) * table * spread.share(3)
    weights = weights + plan.adapter_weight_bytes * plan.trainable_share * spread.over(3)
    weights = weights * (1 - plan.weight_offload)
    layer_bytes, inputs = layer_activation_bytes(shape, plan), _input_bytes(shape, plan)
    alive = np.where(last, 1.0, live_micro_batches(plan))
    stored = (
        alive
        * shape.layers
        / plan.pp
        * plan.kept_layers
        * layer_bytes_with_recompute(shape, plan)
        * (1 - plan.activation_offload)
    )
    # What a stage sends on lives as long as what it received.
    activations = stored + alive * inputs * (plan.pp > 1) + (plan.again > 0) * layer_bytes
    logits = plan.tokens * shape.vocab * shape.head_share / plan.tp * plan.logit_bytes
    logits = logits / plan.loss_chunks * np.where(last, 1.0, plan.pp <= 1)
    gathered = np.where(plan.weight_bytes < 1, plan.weight_bytes, 2.0) * GATHERED_LAYERS * one_layer + 2 * table
    gathered = gathered + LEAVING_BYTES * plan.trainable_share * one_layer
    # Some stacks fill every rank's shard from a whole copy: before the first step, and not beside activations.
    loading = plan.loads_whole * 2 * (dense + routed) - activations - logits
    gathered = np.where((plan.shard >= 3) & (plan.dp * plan.cp > 1), np.maximum(gathered, loading), 0.0)
    # Plain PyTorch frees gradients after each update: with one micro-batch they grow only while activations go.
    shrinking = np.where((plan.eager > 0) & (plan.micro_batches <= 1), activations + logits, 0.0)
    gradients = np.maximum(_gradients(plan, spread, one_layer + table) - shrinking, 0.0)
    working = gathered + plan.buckets_gb * GIGA + _dequantized_bytes(shape, plan)
    fragments = FRAGMENT_SHARE * (activations + logits + gathered)
    states = _states(plan, spread, table)
    # The driver, the kernels, and the libraries that join accelerators.
    context_gb = np.where(plan.year >= LAZY_SINCE, LAZY_CONTEXT_GB, CONTEXT_GB) + JOINED_GB * (plan.accelerators > 1)
    sizes = (weights, gradients, states, activations, logits, working, context_gb * GIGA, fragments)
    return TrainingMemory(*(size / GIGA for size in sizes))


@dataclass(frozen=True)
class _ShardedParams:
    """Parameters of a stage on a rank, and over how many ranks each ZeRO stage spreads what belongs to them."""

    dense: Num
    routed: Num
    ranks: Num
    expert_ranks: Num
    stage: Num

    @classmethod
    def of(cls, dense: Num, routed: Num, plan: TrainingPlan) -> _ShardedParams:
        """Hybrid sharding spreads over some of the ranks that hold the same weights."""
        expert_ranks = np.maximum(plan.ranks * plan.tp / np.maximum(plan.ep, 1.0), 1.0)
        return cls(dense, routed, plan.sharing, np.minimum(expert_ranks, plan.sharing), plan.shard)

    def share(self, since: float) -> Num:
        """Return what of a dense parameter's bytes a rank holds, where ZeRO spreads them from stage `since` on."""
        return np.where(self.stage >= since, 1 / self.ranks, 1.0)

    def over(self, since: float) -> Num:
        """Parameters whose bytes a rank holds."""
        return self.dense * self.share(since) + self.routed * np.where(self.stage >= since, 1 / self.expert_ranks, 1.0)


def _gradients(plan: TrainingPlan, spread: _ShardedParams, largest: Num) -> Num:
    """Bytes of gradients; where updates are done as they appear, only those of the largest part at a time."""
    size = plan.grad_bytes * spread.over(2) + plan.whole_grad_bytes * spread.over(3)
    at_once = (plan.grad_bytes + plan.whole_grad_bytes) * np.minimum(largest, spread.dense + spread.routed)
    size = size * (1 - plan.update_in_backward) + at_once * plan.update_in_backward
    return size * plan.trainable_share * (1 - plan.weight_offload)


def _states(plan: TrainingPlan, spread: _ShardedParams, table: Num) -> Num:
    """Bytes of master weights and moments; some keep those of the tables in 32 bits."""
    wide = plan.wide_embedding_moments * np.maximum(WIDE_MOMENTS - plan.state_bytes, 0.0) * table * spread.share(1)
    return (plan.state_bytes * spread.over(1) + wide) * plan.trainable_share * (1 - plan.offload)


def _dequantized_bytes(shape: Network, plan: TrainingPlan) -> Num:
    """The largest matrix in 16 bits, which a quantised one becomes while it is multiplied with. [B]"""
    largest = 2 * shape.hidden * np.maximum(shape.ffn * (shape.dense_layers > 0), shape.expert_ffn) / plan.tp
    return np.where(plan.weight_bytes < 1, largest, 0.0)


def _params(shape: Network, plan: TrainingPlan) -> tuple[Num, Num, Num]:
    """Parameters of one stage on one rank: all but routed experts; routed experts; the table among the first."""
    tied_or_input = shape.vocab * shape.hidden
    tables = np.where(plan.pp > 1, tied_or_input, shape.table_params) / plan.tp
    body = (shape.params - shape.routed_params - shape.table_params) / plan.tp / plan.pp
    routed = shape.routed_params / np.maximum(plan.ep, 1.0) / np.where(plan.ep > 1, 1.0, plan.tp) / plan.pp
    return np.maximum(body, 0.0) + tables, routed, tables


def live_micro_batches(plan: TrainingPlan) -> Num:
    """Micro-batches whose activations the first stage keeps: one for each stage behind it, more where interleaved."""
    alive = plan.pp * (1 + (plan.pp - 1) / (plan.pp * plan.vpp) * (plan.vpp > 1))
    return np.minimum(alive, np.maximum(plan.micro_batches, 1.0) * 1.0)


def layer_activation_bytes(shape: Network, plan: TrainingPlan) -> Num:
    """Return what one layer keeps of one micro-batch without recompute. [B]

    Matrices that are trained keep what they were multiplied with, in the bits they multiply in; frozen ones do not.

    References
    ----------
    V. Korthikanti et al., Reducing activation recomputation in large transformer models, 2022, section 4.
    """
    plain = np.asarray(plan.compiled) <= 0
    inner, multiplied, gated = _inner_widths(shape)
    # Quantised matrices are unpacked by functions of their own, which once kept what came in.
    unpacked_free = (plan.weight_bytes >= 1) | (plan.year >= QUANTISED_FREE_SINCE)
    frees = (plan.trainable_share < 1) & (plan.kept_layers >= 1) & unpacked_free
    operand = np.minimum(plan.bits / 8, 2.0)
    stored = 2 * (inner + gated * plain) + operand * multiplied * np.logical_not(frees)
    attending = shape.attention_layers / shape.layers
    stored = stored + SCORE_BYTES_KEPT * shape.heads * plan.seq_len * attending * (plan.fused_attention < 1)
    # Adapters sit beside the projections of attention and keep their input.
    normed = np.where(frees, 2.0, operand * NORMS)
    # Norms of gated stacks are written out in 32 bits where nothing fuses them.
    residual = np.where(plain & (shape.mlp_matrices > 2) & (plan.fused_norms <= 0), 4.0, 2.0)
    around = (residual * NORMS + normed) * shape.hidden / _split(plan)
    return plan.tokens * (stored / plan.tp + around) * np.where(plain, UNCOMPILED, 1.0)


def _inner_widths(shape: Network) -> tuple[Num, Num, Num]:
    """Values of a token between a layer's matrices: what activations need, what matrices multiply, what gates make."""
    attending, gates = shape.attention_layers / shape.layers, shape.mlp_matrices - 1
    shared = shape.shared_params / np.maximum(shape.mlp_matrices * shape.hidden, 1.0)
    wide = shape.dense_layers / shape.layers * shape.ffn
    wide = wide + shape.moe_layers / shape.layers * (shape.experts_per_token * shape.expert_ffn + shared)
    routed = shape.moe_layers / shape.layers * shape.experts_per_token * shape.expert_hidden
    attention = attending * (shape.heads * (shape.qk_dim + shape.v_dim) + shape.kv_width)
    return attention + gates * wide + routed, wide + routed, np.where(gates > 1, wide, 0.0)


def _split(plan: TrainingPlan) -> Num:
    """Over how many ranks the layer's input is split."""
    return np.where(plan.sequence_parallel > 0, plan.tp, 1.0)


def _input_bytes(shape: Network, plan: TrainingPlan) -> Num:
    return 2 * plan.tokens * shape.hidden / _split(plan)


def layer_bytes_with_recompute(shape: Network, plan: TrainingPlan) -> Num:
    """The same with recompute: of what is recomputed, only the layer's input; selective, what matrices put out. [B]"""
    inner, _, _ = _inner_widths(shape)
    chosen = plan.tokens * (2 * inner / plan.tp + 2 * NORMS * shape.hidden / _split(plan))
    full = np.where(plan.selective > 0, chosen, layer_activation_bytes(shape, plan))
    return full * (1 - plan.recompute) + _input_bytes(shape, plan) * plan.recompute


LOSS_CHUNKS = 8.0

R = TypeVar("R", TrainingPlan, TrainingMemory)


@dataclass(frozen=True)
class MemoryReduction:
    """One way to need less memory. `free` names what must not have been fixed for it to be open."""

    name: str
    words: str
    change: Callable[[TrainingPlan], TrainingPlan]
    free: str = ""


WAYS = (
    MemoryReduction("chunked_loss", "compute the loss in chunks",
        lambda plan: replace(plan, loss_chunks=np.maximum(plan.loss_chunks, LOSS_CHUNKS))),
    MemoryReduction("narrow_gradients", "keep gradients in 16 bits", lambda plan: replace(
        plan, grad_bytes=np.minimum(plan.grad_bytes, 2), whole_grad_bytes=plan.whole_grad_bytes * 0.0)),
    MemoryReduction("selective", "recompute norms and activations", lambda plan: replace(
        plan, selective=np.where(plan.recompute > 0, plan.selective, 1.0)[()]), "recompute"),
    MemoryReduction("recompute", "recompute whole layers",
        lambda plan: replace(plan, recompute=1.0, selective=0.0), "recompute"),
    MemoryReduction("shard_states", "shard optimizer states and gradients (ZeRO 2)",
        lambda plan: replace(plan, shard=np.maximum(plan.shard, 2)), "shard"),
    MemoryReduction("shard_weights", "shard the weights too (ZeRO 3, FSDP)",
        lambda plan: replace(plan, shard=np.maximum(plan.shard, 3)), "shard"),
    MemoryReduction("narrow_states", "keep optimizer states in 16 bits",
        lambda plan: replace(plan, state_bytes=np.minimum(plan.state_bytes, 4))),
    MemoryReduction("update_in_backward", "update weights while gradients appear",
        lambda plan: replace(plan, update_in_backward=1.0)),
    MemoryReduction("eight_bit_states", "keep optimizer states in 8 bits",
        lambda plan: replace(plan, state_bytes=np.minimum(plan.state_bytes, 2))),
    MemoryReduction("activation_offload", "move kept activations to the host",
        lambda plan: replace(plan, activation_offload=1.0)),
    MemoryReduction("offload", "keep optimizer states on the host", lambda plan: replace(plan, offload=1.0)),
)  # fmt: skip


@dataclass(frozen=True)
class FittedPlan:
    """The plan with the fewest changes that fits, what it needs, and how many ways were used; -1: none helps."""

    plan: TrainingPlan
    memory: TrainingMemory
    fits: NDArray[np.bool_]
    ways: NDArray[np.int64]


def fits(memory: TrainingMemory, chip: Hardware) -> NDArray[np.bool_]:
    """Return whether the fullest rank stays within what the driver leaves of the chip's memory."""
    return np.asarray(memory.total_gb <= chip.memory_gb * USABLE_SHARE)


def reduce_to_fit(shape: Network, chip: Hardware, plan: TrainingPlan, *, free: Mapping[str, Num]) -> FittedPlan:
    """The first of the ways, one on top of the other, with which each plan fits; `free` tells which are open to it."""
    memory = peak_memory(shape, plan)
    good = fits(memory, chip)
    used = np.where(good, 0, -1)
    best, tried = plan, plan
    for number, way in enumerate(WAYS, 1):
        if good.all():
            break
        open_to = np.asarray(free.get(way.free, 1.0) if way.free else 1.0) > 0
        tried = _chosen(open_to, way.change(tried), tried)
        needs = peak_memory(shape, tried)
        now = fits(needs, chip) & ~good
        best, memory = _chosen(now, tried, best), _chosen(now, needs, memory)
        used, good = np.where(now, number, used), good | now
    return FittedPlan(best, memory, good, used)


def _chosen(where: NDArray[np.bool_], yes: R, no: R) -> R:
    """Each entry from one of two records."""
    columns = {f.name: np.where(where, getattr(yes, f.name), getattr(no, f.name))[()] for f in fields(no)}
    return type(no)(**columns)
