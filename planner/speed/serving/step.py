"""Seconds of one step and of one prompt: a roofline whose parts add up, and what engines lose beside it.

Everything works on scalars and arrays alike. Reading weights and arithmetic are added, not overlapped: that is what
published runs look like.

References
----------
Pope et al., Efficiently scaling transformer inference, 2022, arXiv:2211.05102 (what decoding reads and computes).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from planner.network.network import Network
from planner.speed.arrays import Num
from planner.speed.serving.cases import ByteWidths, ServingCase, ServingRates

_ACTIVATION_BYTES = 2.0  # 16-bit, whatever the weights
# Engines keep the states of mixers without a cache in 32 bits: released configurations of Qwen3-Next and Nemotron 3
# ask for it (mamba_ssm_dtype, ssm_cache_dtype: float32), and each step reads and writes them.
_STATE_BYTES = 4.0
_READ_AND_WRITTEN = 2.0
# Within a machine engines gather every token everywhere; only wider groups send each where its experts are
# (moe-perf-guide.md of TensorRT-LLM, fused_moe of vLLM, read November 2026).
_GATHERED = 8.0
_DISPATCH_BYTES = 1.5  # there in 8 bits and back in 16, over the two halves of a layer
_TIGHT_SHARE = 0.08  # of the usable memory


@dataclass(frozen=True)
class ServingStepParts:
    """Seconds of a step, or of a prompt, by part."""

    weights_s: Num
    arithmetic_s: Num
    cache_s: Num
    traffic_s: Num
    layers_s: Num
    requests_s: Num

    @property
    def total_s(self) -> Num:
        """All of them one after the other."""
        work = self.weights_s + self.arithmetic_s + self.cache_s
        return work + self.traffic_s + self.layers_s + self.requests_s

    def times(self, factor: Num) -> ServingStepParts:
        return ServingStepParts(*(getattr(self, each.name) * factor for each in fields(self)))


def expert_coverage(case: ServingCase, *, tokens: Num, skew: Num) -> Num:
    """The share of routed experts that `tokens` tokens touch between them. [1] Routing is skewed: fewer than chance."""
    missed = 1 - case.network.experts_per_token / np.maximum(case.network.experts, 1.0)
    return 1 - np.maximum(missed, 0.0) ** (skew * tokens)


def weight_bytes_read(case: ServingCase, rates: ServingRates, *, tokens: Num) -> Num:
    """Bytes that a step of `tokens` tokens reads over the whole group. [byte]"""
    net, wide, layout = case.network, case.widths, case.layout
    attention = wide.attention * net.attention_params * layout.attention_ranks
    every = wide.other * net.other_params + wide.head * net.head_params
    experts = wide.weight * net.routed_params * expert_coverage(case, tokens=tokens, skew=rates.skew)
    return attention + every + experts


def cache_bytes(case: ServingCase, *, context: Num) -> Num:
    """Bytes of the cache of one request with so many tokens, on all accelerators that keep a copy of it. [byte]"""
    net = case.network
    whole = np.where(case.limits.whole_cache > 0, net.without_window().cached_values(context=context), 0.0)
    tokens = np.maximum(net.cached_values(context=context), whole) * case.widths.kv * cache_copies(case)
    return tokens + _STATE_BYTES * net.state_values


def cache_bytes_read(case: ServingCase, *, context: Num) -> Num:
    """Return what of it one more token reads; and writes, where it is a state. [byte]"""
    tokens = case.network.read_values(context=context) * case.widths.kv * cache_copies(case)
    return tokens + _READ_AND_WRITTEN * _STATE_BYTES * case.network.state_values


def cache_copies(case: ServingCase) -> Num:
    """Return how many accelerators of a group keep the same key and value heads. [1]"""
    sharing = case.layout.group / case.layout.attention_ranks  # accelerators that share one request's attention
    return np.maximum(sharing / case.network.cache_heads, 1.0)


def effective_bandwidth(case: ServingCase, rates: ServingRates) -> Num:
    return rates.bandwidth_share * case.machine.bandwidth * case.layout.group


def _effective_flops(case: ServingCase, rates: ServingRates) -> Num:
    return rates.flops_share * case.machine.flops * case.layout.group


def _effective_params(case: ServingCase, rates: ServingRates, *, tokens: Num) -> Num:
    """Active parameters of each of so many tokens, those of experts by the rows that the fullest rank works on.

    A grouped product works on whole tiles, and half a tile is empty for each expert on average. A step waits for
    the rank whose experts get the most tokens, by chance and because the router prefers some experts.
    """
    net = case.network
    copies = np.maximum(tokens * net.experts_per_token, 1.0)
    touched = net.experts * expert_coverage(case, tokens=tokens, skew=rates.skew)
    filled = 1 + touched * rates.expert_tile / 2 / copies
    ranks = np.asarray(case.layout.expert_ranks)
    uneven = rates.fullest_rank * np.sqrt(ranks * (1 / copies + 1 / np.maximum(net.experts, 1.0)))
    fullest = filled * np.where(ranks > 1, 1 + uneven, 1.0) * rates.expert_work
    return net.active_params + (fullest - 1) * net.routed_active_params


def _effective_attention_flops(case: ServingCase, rates: ServingRates) -> Num:
    return rates.attention_share * rates.flops_share * case.machine.flops_16bit * case.layout.group


def _elementwise_s(case: ServingCase, rates: ServingRates, *, tokens: Num) -> Num:
    """Seconds of norms, gates and conversions: read and written, hardly computed."""
    net, layout = case.network, case.layout
    spread = np.maximum(layout.attention_ranks, layout.expert_ranks)
    copies = rates.permute_bytes * net.moe_layers * net.experts_per_token * layout.group / spread
    bytes_moved = tokens * net.hidden * (rates.activation_bytes * net.layers + copies)
    return bytes_moved / effective_bandwidth(case, rates)


def _communication_s(case: ServingCase, rates: ServingRates, *, tokens: Num) -> Num:
    """Two all-reduces a layer; or tokens sent to experts and back where attention is not shared. [s]"""
    group, net = np.asarray(case.layout.group), case.network
    ring = 2 * (group - 1) / group * tokens * net.hidden * _ACTIVATION_BYTES
    sends = np.maximum(net.experts_per_token, 1.0)
    dispatched = (group - 1) * (1 - (1 - 1 / group) ** sends)  # other accelerators a token is sent to
    others = np.where(group <= _GATHERED, group - 1, dispatched)
    to_experts = others * tokens * net.expert_hidden * _DISPATCH_BYTES / group
    sent = np.where(np.asarray(case.layout.attention_ranks) > 1, to_experts, ring)
    machine = case.machine
    outside = 1 - np.minimum(machine.domain / group, 1.0)  # of what is sent, to accelerators that no link joins
    byte_s = (1 - outside) / machine.link_bytes_per_s + outside / machine.network_bytes_per_s
    seconds = 2 * net.layers * sent * byte_s / rates.link_share
    return np.where(group > 1, seconds, 0.0)


def layers_s(case: ServingCase, rates: ServingRates) -> Num:
    """Launches, norms and all-reduce latency: paid by every step, however few tokens are in it. [s]"""
    net = case.network
    together = np.where(np.asarray(case.layout.group) > 1, 2 * net.layers * rates.allreduce_s, 0.0)
    turns = rates.stage_s * (np.asarray(case.layout.stages) - 1)
    small = rates.layer_s * net.layers + rates.moe_layer_s * net.moe_layers
    return small + together + turns + case.limits.step_s


def decode_step(case: ServingCase, rates: ServingRates, *, batch: Num, context: Num) -> ServingStepParts:
    """One step of `batch` requests that have seen `context` tokens: one token each, and the checking of drafts. [s]"""
    cached = batch * cache_bytes_read(case, context=context) * rates.cache_reading / effective_bandwidth(case, rates)
    tokens = batch * (1 + case.traffic.draft_tokens)
    attention = tokens * case.network.decode_flops(context=context) / _effective_attention_flops(case, rates)
    matmuls = 2 * tokens * _effective_params(case, rates, tokens=tokens) / _effective_flops(case, rates)
    return ServingStepParts(
        weights_s=weight_bytes_read(case, rates, tokens=tokens) / effective_bandwidth(case, rates),
        arithmetic_s=matmuls + attention + _elementwise_s(case, rates, tokens=tokens),
        cache_s=cached,
        traffic_s=_communication_s(case, rates, tokens=tokens),
        layers_s=layers_s(case, rates),
        # One host plans for all stages: as many requests as there are in the whole pipeline.
        requests_s=rates.sequence_s * batch * case.layout.stages / case.layout.attention_ranks,
    )


def prefill(case: ServingCase, rates: ServingRates, *, prompts: Num, tokens: Num) -> ServingStepParts:
    """`prompts` prompts of `tokens` tokens each among other work: what each token costs, nothing that is shared. [s]"""
    squares = case.network.prompt_flops(tokens=tokens)
    at_once = np.minimum(prompts * tokens, case.limits.step_tokens * case.layout.attention_ranks)
    flops = _effective_flops(case, rates)
    matmuls = 2 * prompts * tokens * _effective_params(case, rates, tokens=at_once) / flops
    shared = np.asarray(case.layout.attention_ranks) <= 1  # who spreads attention takes kernels for many rows
    slower = np.where(shared, np.maximum(case.traits.least_flop_s / case.layout.group * flops, 1.0) - 1, 0.0)
    matmuls = matmuls + slower * 2 * prompts * tokens * case.network.linear_params / flops
    passing = _elementwise_s(case, rates, tokens=prompts * tokens)
    nothing = 0.0 * matmuls
    return ServingStepParts(
        weights_s=nothing, arithmetic_s=matmuls + prompts * squares / _effective_attention_flops(case, rates) + passing,
        cache_s=nothing, traffic_s=_communication_s(case, rates, tokens=prompts * tokens), layers_s=nothing,
        requests_s=rates.request_s * prompts / case.layout.attention_ranks,
    )  # fmt: skip


@dataclass(frozen=True)
class ServingMemory:
    """Bytes on one replica: all of its accelerators together."""

    weights_bytes: Num
    working_bytes: Num
    usable_bytes: Num

    @property
    def free_bytes(self) -> Num:
        """Return what is left for caches; negative where the weights alone do not fit."""
        return self.usable_bytes - self.weights_bytes - self.working_bytes

    @property
    def is_tight(self) -> bool:
        """Return whether little is left beside the weights: how much is uncertain, and the speed goes by it."""
        return 0 < float(self.usable_bytes) * _TIGHT_SHARE > float(self.free_bytes)


def weights_bytes(case: ServingCase) -> Num:
    """All weights of one replica, with copies of attention where each accelerator attends for itself. [byte]"""
    tables_kept = 1 - case.traits.local  # engines for one user leave the input table to the host
    experts, ranks = np.maximum(case.network.experts, 1.0), np.asarray(case.layout.expert_ranks)
    return stored_bytes(
        case.network, case.widths, attention_copies=case.layout.attention_ranks, tables_kept=tables_kept,
        expert_copies=np.ceil(experts / ranks) * ranks / experts,
    )  # fmt: skip


def stored_bytes(
    net: Network, wide: ByteWidths, *, attention_copies: Num = 1.0, tables_kept: Num = 1.0, expert_copies: Num = 1.0
) -> Num:
    """A sum over parts: tables, attention, experts, and what is beside them, each in its own format. [byte]"""
    attention = wide.attention * net.attention_params * attention_copies
    tables = wide.head * (net.head_params + net.embedding_params * tables_kept)
    return attention + tables + wide.other * net.other_params + wide.weight * net.routed_params * expert_copies


def memory_held(case: ServingCase, *, extra_bytes: Num = 0.0) -> ServingMemory:
    """Weights, adapters (`extra_bytes`) and working space against what the devices really have."""
    devices = case.layout.group * case.layout.stages
    return ServingMemory(
        weights_bytes=weights_bytes(case) + extra_bytes,
        working_bytes=case.limits.working_bytes * devices,
        usable_bytes=case.machine.memory_bytes * case.limits.memory_share * devices,
    )


def max_requests(case: ServingCase, *, input_tokens: Num, output_tokens: Num, extra_bytes: Num = 0.0) -> Num:
    """Requests that fit at once into one replica's memory. [count] Below 1: not even one."""
    context = input_tokens + output_tokens * case.limits.reserve_share
    free = np.maximum(memory_held(case, extra_bytes=extra_bytes).free_bytes, 0.0) * case.limits.cache_share
    return free / np.maximum(cache_bytes(case, context=context), 1.0)


def fits(case: ServingCase) -> NDArray[np.bool_]:
    """Return whether weights and at least one request fit; true where nobody knows how much memory there is."""
    most = max_requests(case, input_tokens=case.traffic.input_tokens, output_tokens=case.traffic.output_tokens)
    return np.asarray((np.asarray(most) >= 1) | (np.asarray(case.machine.memory_bytes) <= 0))
