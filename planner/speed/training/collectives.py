"""What accelerators say to each other in a step, and the part of it that computing does not hide. [s]"""

import numpy as np

from planner.network.network import Network
from planner.scenario.base import GIGA
from planner.speed.arrays import Num
from planner.speed.hardware import Hardware
from planner.speed.training.constants import TrainingConstants
from planner.speed.training.plan import TrainingPlan

OPTIMIZER_BYTES, WEIGHT_BYTES = 30.0, 4.0
# Gradients are sent as soon as so many are there (Megatron-LM, distributed_data_parallel.py: at least 40 million).
BUCKET = 4e7
# Moments, master copy and update that cross to the host where the optimizer runs there; and how fast.
OFFLOAD_BYTES, HOST_LINK_GB_S = 16.0, 20.0


def tensor_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Tensor and sequence parallelism: two exchanges for each layer and pass. [s] for one micro-batch"""
    inside = plan.tp <= chip.domain
    rate = np.where(inside, chip.link_gb_s, chip.nic_gb_s) * GIGA
    moved = 4 * plan.tokens * shape.hidden * (plan.tp - 1) / plan.tp
    return k.tensor_exposed * shape.layers * 2 * plan.passes * moved / rate


def context_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Context parallelism: keys and values go round. [s] for one micro-batch"""
    inside = plan.tp * plan.cp <= chip.domain
    rate = np.where(inside, chip.link_gb_s, chip.nic_gb_s) * GIGA
    moved = 2 * plan.tokens * shape.kv_width / plan.tp * (plan.cp - 1) * shape.attention_layers
    return k.context_exposed * moved * plan.passes / rate


def all_to_all_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Expert parallelism: tokens go to their experts and back. [s] for one micro-batch

    A token crosses to another node once, however many of its experts live there, and is spread within. Two-way
    pipelines work on one micro-batch while another travels.
    """
    copies = shape.experts_per_token * (1 - 1 / np.maximum(plan.ep, 1.0))
    nodes = np.maximum(plan.ep / chip.domain, 1.0)
    reached = nodes * (1 - (1 - 1 / nodes) ** shape.experts_per_token)
    away = np.where(shape.expert_groups > 0, np.minimum(reached, shape.expert_groups), reached) * (1 - 1 / nodes)
    each = 8 * plan.tokens / plan.tp * shape.moe_layers * shape.expert_hidden
    seconds = k.expert_exposed * each * (copies / chip.link_gb_s + away / chip.nic_gb_s) / GIGA
    return seconds * (1 - plan.two_way)


def rank_params(shape: Network, plan: TrainingPlan) -> Num:
    """Parameters that one rank of a tensor, pipeline and expert group stands for. [count]"""
    routed = shape.routed_params
    return ((shape.params - routed) / plan.tp + routed / np.maximum(plan.ep, plan.tp)) / plan.pp


def data_gb_s(chip: Hardware, plan: TrainingPlan) -> Num:
    """What a ring over the data-parallel ranks reaches: every rank of a node in the ring brings its own adapter."""
    rails = np.maximum(1.0, chip.domain / plan.tp)
    inside = plan.tp * plan.cp * plan.dp <= chip.domain
    return np.where(inside, chip.link_gb_s, np.minimum(chip.link_gb_s, chip.nic_gb_s * rails))


def data_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants, busy_s: Num) -> Num:
    """Gradients and weights of data parallelism, the part that is not hidden, for the whole step. [s]

    `busy_s` is what a micro-batch computes: nothing hides behind more, and nothing at all where a stack waits.
    """
    own, group, depth = rank_params(shape, plan), plan.sharing, shape.layers / plan.pp
    hides_s, trained = busy_s * plan.overlaps, own * plan.trainable_share
    inside = plan.tp * group <= chip.domain
    rate = np.where(inside, chip.link_gb_s, data_gb_s(chip, plan)) * GIGA
    once = _exposed(k.data_exposed, _round_s(trained, plan.ranks, data_gb_s(chip, plan)), hides_s)
    once = once + _ring_s(k, trained, plan.ranks, depth)
    weights = 2 * plan.weight_bytes + 4.0 * plan.trainable_share
    each = _exposed(k.shard_exposed, weights * own * (group - 1) / group / rate, hides_s)
    each = (each + k.shard_ring_s * (group - 1) * depth) * plan.micro_batches
    # Each rank of a group evens out its own share of the gradients with the other groups, over its own adapter.
    share, groups, adapter = trained / group, plan.ranks / group, np.minimum(chip.link_gb_s, chip.nic_gb_s)
    between = _exposed(k.data_exposed, _round_s(share, groups, adapter), hides_s) + _ring_s(k, share, groups, depth)
    return np.where(plan.shard >= 3, each + between, once)


def _exposed(share: Num, seconds: Num, hides_s: Num) -> Num:
    """What is left to see of an exchange: a share of it, or all that takes longer than what could hide it. [s]"""
    return np.maximum(share * seconds, seconds - hides_s)


def _round_s(params: Num, ranks: Num, gb_s: Num) -> Num:
    """Gradients of so many parameters going once round a ring. [s]"""
    return 6 * params * (ranks - 1) / ranks / (gb_s * GIGA)


def _ring_s(k: TrainingConstants, params: Num, ranks: Num, depth: Num) -> Num:
    """What the ring itself takes, for each layer's gradients, or where those are few for each bucket of them. [s]"""
    return k.ring_s * (ranks - 1) * np.minimum(depth, np.maximum(params / BUCKET, 1.0))


def optimizer_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Updating the weights, and crossing to the host where the optimizer lives there. [s]"""
    own = rank_params(shape, plan) * plan.trainable_share
    split = np.where(plan.shard >= 1, plan.sharing, 1.0)
    update = k.optimizer * (OPTIMIZER_BYTES * own / split + WEIGHT_BYTES * own) / (chip.bandwidth_gb_s * GIGA)
    return update + plan.offload * k.offload * OFFLOAD_BYTES * own / split / (HOST_LINK_GB_S * GIGA)
