"""One run to be predicted, as plain numbers: scalars for one, arrays for many at once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from planner.network.network import Network
from planner.speed.arrays import Num


@dataclass(frozen=True)
class ByteWidths:
    """Bytes of one number."""

    weight: Num  # of the routed experts; in a dense network of its layers
    other: Num  # of what every token goes through beside attention and head
    attention: Num
    head: Num
    kv: Num


@dataclass(frozen=True)
class ServingMachine:
    """Peak rates of one accelerator in bytes, FLOPs and seconds."""

    flops: Num  # of the matmuls of these weights
    flops_16bit: Num
    bandwidth: Num
    memory_bytes: Num
    link_bytes_per_s: Num
    network_bytes_per_s: Num  # of each accelerator, beyond the domain that the link joins
    domain: Num  # accelerators that the link joins


@dataclass(frozen=True)
class ServingLayout:
    """Accelerators at work together: `group` share each step, `stages` follow each other, `replicas` stand apart."""

    group: Num
    stages: Num
    replicas: Num
    attention_ranks: Num  # 1: attention is split over the group; group: each accelerator attends for its own requests
    expert_ranks: Num = 1.0  # accelerators that hold whole experts each; 1: every expert is split over the group
    prompt_replicas: Num = 0.0  # that only work on prompts, for each that answers; 0: every one does both


@dataclass(frozen=True)
class ServingLimits:
    """Limits of the engine. Defaults change with its version; see the data file."""

    step_s: Num  # between two steps, whatever is in them
    step_tokens: Num  # tokens of prompts and answers that one step takes at most
    most_requests: Num  # at once, for each rank that attends for itself
    memory_share: Num  # of the device's bytes
    cache_share: Num  # of what weights and working space leave free
    working_bytes: Num  # on each accelerator: activations, captured graphs, the runtime itself
    reserve_share: Num  # of the answer's tokens that is reserved when a request is let in
    polled_steps: Num = 0.0  # from one look for new requests to the next
    whole_cache: Num = 0.0  # 1: layers that look back over a window still keep everything


@dataclass(frozen=True)
class ServingTraits:
    """Traits of engine, chip and format that change the rates: 1 where it holds, 0 where not."""

    native_scheduler: Num  # compiled, and planned ahead
    grace_host: Num
    hidden_scheduler: Num  # the next step is planned while this one runs
    eager: Num  # every kernel is launched by itself
    slot: Num  # no link but the slot
    level: Num  # how fast published runs of that engine, chip, model and format were, over what is predicted
    power_share: Num  # of the watts of its generation's full-power part, for each unit of rate
    local: Num  # an engine for one user: llama.cpp, MLC, ExLlama
    fp4_stacked: Num  # 4-bit weights on chips with stacked memory that compute in them
    cdna3: Num
    dequantised: Num  # 4-bit weights on a chip that computes them in 16 bits
    cdna3_experts: Num
    mxfp4_experts: Num  # experts in that format on a chip that computes in 4 bits
    mixture_years: Num  # of software for mixtures, from mid 2025 on
    old_grouped: Num  # kernels of before mid 2024, which read shared key and value heads again for each query head
    local_compiled: Num
    local_four_bit: Num
    local_stacked: Num
    local_unified_four_bit: Num
    local_two_dies: Num
    least_flop_s: Num = 0.0  # one operation of prompts' products beside experts takes at least, on one accelerator


@dataclass(frozen=True)
class ServingTraffic:
    """Tokens in and out of a request, and how many requests are worked on at once."""

    input_tokens: Num
    output_tokens: Num
    batch: Num  # by one replica; not a number where the engine fills its memory
    requests_in_run: Num  # by one replica; endless in steady state
    worked_share: Num  # of each prompt; the rest is found in the cache of an earlier one
    held_by_memory: Num  # 1 where a stated batch is the requested one, 0 where it is the one that ran
    draft_tokens: Num = 0.0  # guessed ahead of each step, which then checks them all at once
    accepted_share: Num = 0.0  # chance that a guess is right where those before it were
    all_at_once: Num = 0.0  # 1: every request is there from the beginning, and none follows
    arrival_cv: Num = 1.0  # spread of the times between requests over their mean: 1 at random, 0 steady


@dataclass(frozen=True)
class ServingCase:
    """One run, or as many as the arrays are long."""

    network: Network
    widths: ByteWidths
    machine: ServingMachine
    layout: ServingLayout
    limits: ServingLimits
    traits: ServingTraits
    traffic: ServingTraffic


@dataclass(frozen=True)
class ServingConstants:
    """Shares of peaks, and times that no peak explains. A set: fitted together, not to be mixed with others."""

    flops_share: float
    bandwidth_share: float
    link_share: float
    attention_share: float  # of flops_share at the 16-bit rate
    activation_bytes: float  # for each token, layer and hidden unit: norms, gates, conversions
    layer_us: float
    moe_layer_us: float
    allreduce_us: float
    slot_allreduce_us: float  # the same where accelerators meet in their slots only
    eager_layers: float  # times layer_us in engines that launch every kernel by itself
    native_sequence_us: float
    hidden_sequence_us: float
    inline_sequence_us: float
    request_ms: float
    grace_host: float  # times both on a host of Arm cores, where the engine's loop is Python
    expert_skew: float
    expert_tile: float  # rows that one tile of a grouped product takes: half of one is empty for each expert
    fullest_rank: float  # times the spread of work over ranks with whole experts, by which the fullest delays all
    permute_bytes: float  # for each copy of a token that goes to an expert, and hidden unit
    power: float  # exponent of a chip's watts over those of its generation's full-power part
    fp4_stacked: float
    cdna3: float
    dequantised: float
    cdna3_experts: float  # times layer_us and moe_layer_us of mixtures on CDNA3
    mxfp4_experts: float  # times moe_layer_us where chips compute in 4 bits: kernels that do it all at once
    expert_progress: float  # times as fast in a year: experts, and the small kernels around them
    old_grouped: float
    bubble: float  # share of a step that a stage waits for the others, in a pipeline of endlessly many
    local_bandwidth_share: float
    local_compiled: float  # kernels made for one model: MLC, ExLlama
    local_four_bit: float
    local_stacked: float
    local_unified_four_bit: float
    local_two_dies: float
    local_cache_reading: float  # times the bytes of the cache
    local_layer_us: float
    first_token_ms: float  # of the host before and after a prompt's pass
    prompt_layer_us: float  # of the host for each layer of that pass, whose kernels no graph holds together
    prompt_moe_layer_us: float  # the same on top for a layer with routed experts
    prompt_latent_layer_us: float  # and for one with latent attention
    steps_waited: float  # until a prompt's turn comes, where prompts go before answers
    compiled_steps_waited: float  # where prompts and answers share each step
    spread_steps_waited: float  # where every accelerator attends for its own requests, and all wait for each other
    local_stage_us: float  # handing over to the next accelerator where layers are split between them


NAMES = tuple(field.name for field in fields(ServingConstants))
FIXED = ("attention_share", "expert_skew")  # published runs do not tell them from others


@dataclass(frozen=True)
class ServingRates:
    """Shares of its peaks that the engine reaches on this machine, and the times it loses beside them."""

    flops_share: Num
    bandwidth_share: Num
    link_share: Num
    attention_share: Num
    bubble: Num  # times 1 - 1/stages: share of a step that a stage waits for the others
    cache_reading: Num  # times the bytes that have to be read
    activation_bytes: Num
    layer_s: Num
    moe_layer_s: Num
    allreduce_s: Num
    sequence_s: Num
    stage_s: Num
    request_s: Num
    skew: Num
    expert_tile: Num
    expert_work: Num
    fullest_rank: Num
    permute_bytes: Num
    first_token_s: Num
    prompt_layer_s: Num
    prompt_moe_layer_s: Num
    prompt_latent_layer_s: Num
    steps_waited: Num
    spread_steps_waited: Num

    def at_level(self, level: Num) -> ServingRates:
        """Return the same where everything is so many times as fast."""
        faster = {name: getattr(self, name) * level for name in ("flops_share", "bandwidth_share", "link_share")}
        times = (field.name for field in fields(self) if field.name.endswith("_s"))
        return replace(self, **faster, **{name: getattr(self, name) / level for name in times})


def serving_rates(constants: ServingConstants, traits: ServingTraits) -> ServingRates:
    c, local = constants, np.asarray(traits.local, dtype=np.float64)
    served_share = c.bandwidth_share ** (1 - local)
    local_share = (
        c.local_bandwidth_share**local
        * c.local_compiled**traits.local_compiled
        * c.local_four_bit**traits.local_four_bit
        * c.local_stacked**traits.local_stacked
        * c.local_unified_four_bit**traits.local_unified_four_bit
        * c.local_two_dies**traits.local_two_dies
    )
    hidden = np.where(np.asarray(traits.native_scheduler) > 0, c.native_sequence_us, c.hidden_sequence_us)
    sequence_us = np.where(np.asarray(traits.hidden_scheduler) > 0, hidden, c.inline_sequence_us)
    host = c.grace_host**traits.grace_host
    newer = c.expert_progress ** -np.asarray(traits.mixture_years)  # kernels, and fewer launches of them
    small = c.cdna3_experts**traits.cdna3_experts * newer
    served = 1 - local
    compiled = np.asarray(traits.native_scheduler) > 0
    plain = served * np.where(compiled, 0.0, 1.0)
    rates = ServingRates(
        flops_share=c.flops_share * traits.power_share**c.power * c.fp4_stacked**traits.fp4_stacked
        * c.cdna3**traits.cdna3 * c.dequantised**traits.dequantised, bandwidth_share=served_share * local_share,
        link_share=c.link_share, attention_share=c.attention_share,
        cache_reading=c.old_grouped**traits.old_grouped * c.local_cache_reading**local,
        activation_bytes=c.activation_bytes * served, bubble=c.bubble * served,
        layer_s=1e-6 * (small * c.layer_us * c.eager_layers**traits.eager * served + c.local_layer_us * local),
        moe_layer_s=1e-6 * small * c.mxfp4_experts**traits.mxfp4_experts * c.moe_layer_us * served,
        allreduce_s=1e-6 * np.where(np.asarray(traits.slot) > 0, c.slot_allreduce_us, c.allreduce_us),
        sequence_s=1e-6 * sequence_us * host * served, stage_s=1e-6 * c.local_stage_us * local,
        request_s=1e-3 * c.request_ms * host * served, skew=c.expert_skew, expert_tile=c.expert_tile,
        permute_bytes=c.permute_bytes * served, fullest_rank=c.fullest_rank,
        expert_work=newer,
        first_token_s=1e-3 * c.first_token_ms * plain, prompt_layer_s=1e-6 * c.prompt_layer_us * plain * newer,
        prompt_moe_layer_s=1e-6 * c.prompt_moe_layer_us * plain * newer,
        prompt_latent_layer_s=1e-6 * c.prompt_latent_layer_us * plain * newer,
        steps_waited=np.where(compiled, c.compiled_steps_waited, c.steps_waited),
        spread_steps_waited=c.spread_steps_waited,
    )  # fmt: skip
    return rates.at_level(np.asarray(traits.level, dtype=np.float64))
