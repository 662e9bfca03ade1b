"""The fitted constants, and what they make of the peaks of a machine. Their numbers stand in the data file.

Why some are there, and which published runs ask for them:

- `power`: a card of fewer watts clocks lower under products, as in training. MLPerf Inference 4.1 and 6.0 on H100
  NVL (400 W), H200 NVL (600 W) and MI350X (1,000 W), and MI300X beside MI325X: without it 20 to 60 % too fast.
- `cdna3_experts`: routing, sorting and small products of mixtures are a row of short kernels, and each takes longer
  there. DeepSeek-R1 on MI300X (InferenceX) and DeepSeek-V3.1 (SGLang cookbook): 19 to 24 ms a token alone, 9 to 10
  on H200 and MI355X.
- `latent_blackwell`, `mxfp4_experts`: kernels that do several of those at once. DeepSeek-R1 on B200 (InferenceX)
  takes 7 ms a token alone; gpt-oss-120b on B200 2.3 to 6.9 (SGLang cookbook, InferenceMAX), of which reading
  explains a third.
- `young_experts`: the same machines and settings became 1.3 to 2.4 times as fast from builds of 2025 to those of
  2026 (InferenceX, DeepSeek-R1 on B200 and MI355X); which engines and formats stands in serving_engines.yaml.
- `bubble`: micro-batches are never of one length, so a stage waits for the longest before it. TensorRT-LLM 1.0 on RTX
  PRO 6000 with 2 and 4 stages; that one host plans for all of them explains the larger part (step.py).
- `fp8_experts`: of vLLM in 2025 only; SGLang and TensorRT-LLM read 8-bit experts at the pace of others.
"""

from dataclasses import dataclass, fields

import numpy as np

from planner.speed.arrays import Num
from planner.speed.serving.cases import ServingTraits


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
    spread_expert_work: float  # arithmetic of experts spread whole over the group, over that of split ones
    power: float  # exponent of a chip's watts over those of its generation's full-power part
    fp4_stacked: float
    cdna3: float
    dequantised: float
    fp8_experts: float
    cdna3_experts: float  # times layer_us and moe_layer_us of mixtures on CDNA3
    latent_blackwell: float  # times both with latent attention on Blackwell servers
    mxfp4_experts: float  # times moe_layer_us where chips compute in 4 bits: kernels that do it all at once
    young_experts: float  # times both where an engine had not tuned such experts for the newest chips yet
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
    """What the engine on this machine reaches of its peaks, and what it loses beside them."""

    flops_share: Num
    bandwidth_share: Num
    link_share: Num
    attention_share: Num
    expert_reading_share: Num
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
    spread_expert_work: Num
    first_token_s: Num
    prompt_layer_s: Num
    prompt_moe_layer_s: Num
    prompt_latent_layer_s: Num
    steps_waited: Num
    spread_steps_waited: Num


def rates(constants: ServingConstants, traits: ServingTraits) -> ServingRates:
    """The constants that hold for these traits."""
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
    small = (
        c.cdna3_experts**traits.cdna3_experts
        * c.latent_blackwell**traits.latent_blackwell
        * c.young_experts**traits.young_experts
    )
    served = 1 - local
    compiled = np.asarray(traits.native_scheduler) > 0
    plain = served * np.where(compiled, 0.0, 1.0)
    return ServingRates(
        flops_share=c.flops_share
        * traits.power_share**c.power
        * c.fp4_stacked**traits.fp4_stacked
        * c.cdna3**traits.cdna3
        * c.dequantised**traits.dequantised,
        bandwidth_share=served_share * local_share,
        link_share=c.link_share,
        attention_share=c.attention_share,
        expert_reading_share=c.fp8_experts**traits.fp8_experts,
        cache_reading=c.old_grouped**traits.old_grouped * c.local_cache_reading**local,
        activation_bytes=c.activation_bytes * served,
        bubble=c.bubble * served,
        layer_s=1e-6 * (small * c.layer_us * c.eager_layers**traits.eager * served + c.local_layer_us * local),
        moe_layer_s=1e-6 * small * c.mxfp4_experts**traits.mxfp4_experts * c.moe_layer_us * served,
        allreduce_s=1e-6 * np.where(np.asarray(traits.slot) > 0, c.slot_allreduce_us, c.allreduce_us),
        sequence_s=1e-6 * sequence_us * host * served,
        stage_s=1e-6 * c.local_stage_us * local,
        request_s=1e-3 * c.request_ms * host * served,
        skew=c.expert_skew,
        spread_expert_work=c.spread_expert_work,
        first_token_s=1e-3 * c.first_token_ms * plain,
        prompt_layer_s=1e-6 * c.prompt_layer_us * plain,
        prompt_moe_layer_s=1e-6 * c.prompt_moe_layer_us * plain,
        prompt_latent_layer_s=1e-6 * c.prompt_latent_layer_us * plain,
        steps_waited=np.where(compiled, c.compiled_steps_waited, c.steps_waited),
        spread_steps_waited=c.spread_steps_waited,
    )
