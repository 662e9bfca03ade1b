"""One run to be predicted, as plain numbers: scalars for one, arrays for many at once."""

from dataclasses import dataclass

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


@dataclass(frozen=True)
class ServingLayout:
    """Who works together: `group` accelerators share each step, `stages` follow each other, `replicas` stand apart."""

    group: Num
    stages: Num
    replicas: Num
    attention_ranks: Num  # 1: attention is split over the group; group: each accelerator attends for its own requests


@dataclass(frozen=True)
class ServingLimits:
    """What the engine allows itself. Defaults change with its version; see the data file."""

    step_s: Num  # between two steps, whatever is in them
    step_tokens: Num  # tokens of prompts and answers that one step takes at most
    most_requests: Num  # at once, for each rank that attends for itself
    memory_share: Num  # of the device's bytes
    cache_share: Num  # of what weights and working space leave free
    working_bytes: Num  # on each accelerator: activations, captured graphs, the runtime itself
    reserve_share: Num  # of the answer's tokens that is reserved when a request is let in
    polled_steps: Num = 0.0  # from one look for new requests to the next


@dataclass(frozen=True)
class ServingTraits:
    """What about engine, chip and format changes the rates. 1 where it holds, 0 where not."""

    native_scheduler: Num  # compiled, and planned ahead
    grace_host: Num
    hidden_scheduler: Num  # the next step is planned while this one runs
    eager: Num  # every kernel is launched by itself
    slot: Num  # no link but the slot
    power_share: Num  # of the watts of its generation's full-power part, for each unit of rate
    local: Num  # an engine for one user: llama.cpp, MLC, ExLlama
    fp4_stacked: Num  # 4-bit weights on chips with stacked memory that compute in them
    cdna3: Num
    dequantised: Num  # 4-bit weights on a chip that computes them in 16 bits
    fp8_experts: Num  # 8-bit experts in an engine whose kernels for them nobody tuned
    cdna3_experts: Num
    latent_blackwell: Num  # latent attention on Blackwell servers
    mxfp4_experts: Num  # experts in that format on a chip that computes in 4 bits
    young_experts: Num  # experts that the engine had not tuned for the newest chips yet
    old_grouped: Num  # kernels of before mid 2024, which read shared key and value heads again for each query head
    local_compiled: Num
    local_four_bit: Num
    local_stacked: Num
    local_unified_four_bit: Num
    local_two_dies: Num


@dataclass(frozen=True)
class ServingTraffic:
    """Tokens in and out of a request, and how many requests are worked on at once."""

    input_tokens: Num
    output_tokens: Num
    batch: Num  # by one replica; not a number where the engine fills its memory
    requests_in_run: Num  # by one replica; endless in steady state
    worked_share: Num  # of each prompt; the rest is found in the cache of an earlier one
    held_by_memory: Num  # 1 where a stated batch is what was asked for, 0 where it is what really ran
    draft_tokens: Num = 0.0  # guessed ahead of each step, which then checks them all at once
    accepted_share: Num = 0.0  # chance that a guess is right where those before it were


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
