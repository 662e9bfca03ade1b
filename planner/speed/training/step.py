"""Time of a training step, part by part, from the counts of the model and the rates of the hardware.

Every function works on single numbers and on arrays alike. Times are seconds of the slowest rank. The structure follows
the calculation by hand that the method note explains; what was fitted comes in as `Constants`.
"""

from dataclasses import dataclass, fields

import numpy as np

from planner.network.network import Network
from planner.scenario.base import GIGA, TERA
from planner.speed.arrays import Num
from planner.speed.hardware import Hardware
from planner.speed.training.constants import TrainingConstants
from planner.speed.training.plan import TrainingPlan, stage_slots

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
    """Return the rate of a ring over the data-parallel ranks: every rank of a node brings its own adapter. [GB/s]"""
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
    once = _exposed_s(k.data_exposed, _ring_pass_s(trained, plan.ranks, data_gb_s(chip, plan)), hides_s)
    once = once + _ring_s(k, trained, plan.ranks, depth)
    weights = 2 * plan.weight_bytes + 4.0 * plan.trainable_share
    each = _exposed_s(k.shard_exposed, weights * own * (group - 1) / group / rate, hides_s)
    each = (each + k.shard_ring_s * (group - 1) * depth) * plan.micro_batches
    # Each rank of a group evens out its own share of the gradients with the other groups, over its own adapter.
    share, groups, adapter = trained / group, plan.ranks / group, np.minimum(chip.link_gb_s, chip.nic_gb_s)
    between = _exposed_s(k.data_exposed, _ring_pass_s(share, groups, adapter), hides_s) + _ring_s(
        k, share, groups, depth
    )
    return np.where(plan.shard >= 3, each + between, once)


def _exposed_s(share: Num, seconds: Num, hides_s: Num) -> Num:
    """Return the visible part of an exchange: a share, or all that takes longer than what could hide it. [s]"""
    return np.maximum(share * seconds, seconds - hides_s)


def _ring_pass_s(params: Num, ranks: Num, gb_s: Num) -> Num:
    """Gradients of so many parameters going once round a ring. [s]"""
    return 6 * params * (ranks - 1) / ranks / (gb_s * GIGA)


def _ring_s(k: TrainingConstants, params: Num, ranks: Num, depth: Num) -> Num:
    """Return the latency of the ring, for each layer's gradients, or for each bucket of few of them. [s]"""
    return k.ring_s * (ranks - 1) * np.minimum(depth, np.maximum(params / BUCKET, 1.0))


def optimizer_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Updating the weights, and crossing to the host where the optimizer lives there. [s]"""
    own = rank_params(shape, plan) * plan.trainable_share
    split = np.where(plan.shard >= 1, plan.sharing, 1.0)
    update = k.optimizer * (OPTIMIZER_BYTES * own / split + WEIGHT_BYTES * own) / (chip.bandwidth_gb_s * GIGA)
    return update + plan.offload * k.offload * OFFLOAD_BYTES * own / split / (HOST_LINK_GB_S * GIGA)


# A flash-attention backward pass does 2.5 times the products of the forward one: it makes the scores again.
FLASH_BACKWARD = 2.5
# Bytes that move for each score where the matrix of scores is written out: 16-bit scores, mask, softmax, dropout.
SCORE_BYTES, SCORE_BYTES_AGAIN = 20.0, 6.0
HEAD_DIM_OF_EFFICIENCY = 32.0
TILE = 64.0
# No attention kernel does better than this share of the peak, forward and backward together.
BEST_ATTENTION = 0.7
# Adapters beside the projections of attention read what goes into queries, keys and values and into the output again,
# drop some of it, and add what they make: two widths into each, one out, one for the sum. Our count.
ADAPTER_WIDTHS = 8.0
# Quantised weights are unpacked in every pass. Llama 3.1 8B with 4,096 tokens at once on a card of 1 TB/s takes 0.37 s
# longer with them (torchtune's README, 2025: 2,413 tokens a second, 3,083 without): as moving so many bytes each.
UNPACK_BYTES = 26.0
SMALL_JOB = 8.0
# What mixers without scores make of a token is convolved, scanned, gated and normed, each reading or writing all of it.
MIXER_PASSES = 6.0
# Of the plain bubble, (p - 1)(F + B), where micro-batches enter at both ends and gradients of weights fill gaps:
# (p / 2 - 1)(F&B + B - 3 W) with B of two and W of one F (DeepSeek-V3 Technical Report, 2024, table 2).
TWO_WAY_BUBBLE = 1 / 3


@dataclass(frozen=True)
class TrainingStepParts:
    """Seconds of each part of a step. They add up to `total_s`."""

    linear_s: Num
    head_s: Num
    attention_s: Num
    elementwise_s: Num
    experts_s: Num
    permute_s: Num
    host_s: Num
    tensor_traffic_s: Num
    context_traffic_s: Num
    expert_traffic_s: Num
    bubble_s: Num
    data_traffic_s: Num
    optimizer_s: Num
    drag_s: Num

    @property
    def total_s(self) -> Num:
        total: Num = 0.0
        for field in fields(self):
            total = total + getattr(self, field.name)
        return total


@dataclass(frozen=True)
class _StepTimes:
    """A step before it is split into parts: what each micro-batch takes by part, and what comes beside them."""

    micro: dict[str, Num]
    bubble_s: Num
    data_traffic_s: Num
    optimizer_s: Num
    steady_s: Num  # of all that
    drag: Num  # the share that is lost on top

    @property
    def total_s(self) -> Num:
        """The whole step: as long as its parts together."""
        return self.steady_s * (1 + self.drag)


def step_parts(
    shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants, *, chip_factor: Num = 1.0, pace: Num = 1.0
) -> TrainingStepParts:
    """Return what a step takes, by part; all of it at a `pace` that runs of one's own showed. [s]"""
    step = _step(shape, chip, plan, k, chip_factor)
    each = {name: part / plan.pp * plan.micro_batches for name, part in step.micro.items()}
    each |= {"bubble_s": step.bubble_s, "data_traffic_s": step.data_traffic_s, "optimizer_s": step.optimizer_s}
    each["drag_s"] = step.steady_s * step.drag
    return TrainingStepParts(**{name: part / pace for name, part in each.items()})


def step_s(
    shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants, *, chip_factor: Num = 1.0, pace: Num = 1.0
) -> Num:
    """Return what a whole step takes, for those who do not ask by part: half the work where layouts are weighed. [s]"""
    return _step(shape, chip, plan, k, chip_factor).total_s / pace


def _step(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants, chip_factor: Num) -> _StepTimes:
    factor = chip_factor * chip.power_share**k.power
    inside = plan.tp * plan.cp <= chip.domain
    rate = np.where(inside, chip.link_gb_s, chip.nic_gb_s) * GIGA
    moved = 2 * plan.tokens * shape.kv_width / plan.tp * (plan.cp - 1) * shape.attention_layers
    micro: dict[str, Num] = {
        "linear_s": linear_s(shape, chip, plan, k, factor),
        "head_s": head_s(shape, chip, plan, k, factor),
        "attention_s": attention_s(shape, chip, plan, k, factor),
        "elementwise_s": elementwise_s(shape, chip, plan, k),
        "experts_s": experts_s(shape, chip, plan, k, factor),
        "permute_s": permute_s(shape, chip, plan, k),
        "host_s": host_s(shape, plan, k) * chip.launches,
        "tensor_traffic_s": tensor_s(shape, chip, plan, k),
        "context_traffic_s": (k.context_exposed * moved * plan.passes / rate),
        "expert_traffic_s": all_to_all_s(shape, chip, plan, k),
    }
    busy_s = sum(micro.values())
    waits_s = idle_s(shape, plan, k, busy_s) * chip.launches
    micro["host_s"] = micro["host_s"] + waits_s
    stages, count = plan.pp, plan.micro_batches
    fullest: Num = stage_slots(shape.layers, stages) / shape.layers
    stage_s: Num = (busy_s + waits_s) / stages * fullest
    # The fullest stage sets the pace; where all have as many layers, the last, which also holds the head.
    head_waits_s = 0.5 * micro["head_s"] * (1 - 1 / stages)
    uneven_s = np.where(fullest > 1, stage_s * (1 - 1 / fullest), head_waits_s) * count
    idle = 1 - (1 - TWO_WAY_BUBBLE) * plan.two_way
    bubble_s: Num = k.bubble * idle * stage_s * (stages - 1) / plan.vpp + uneven_s
    data_traffic_s = data_s(shape, chip, plan, k, stage_s + bubble_s)
    update_s = optimizer_s(shape, chip, plan, k)
    steady_s = stage_s / fullest * count + bubble_s + data_traffic_s + update_s
    drag = np.exp(k.scale * np.log2(np.maximum(plan.accelerators / SMALL_JOB, 1.0))) - 1.0
    return _StepTimes(micro, bubble_s, data_traffic_s, update_s, steady_s, drag)


def tokens_per_s(
    shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants, *, chip_factor: Num = 1.0, pace: Num = 1.0
) -> Num:
    """Tokens trained on each second by each accelerator. [token/s]"""
    seconds = step_s(shape, chip, plan, k, chip_factor=chip_factor, pace=pace)
    return plan.tokens_per_step / (plan.accelerators * seconds)


def linear_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants, factor: Num) -> Num:
    """Projections, dense feed-forward and shared experts of one micro-batch, all layers. [s]"""
    width = np.where(shape.dense_layers > 0, shape.ffn, shape.heads * shape.qk_dim) / plan.tp
    rate = chip.peak_tflops(plan.bits) * TERA * efficiency(plan, k) * factor * size_share(plan, width, k)
    rate = rate * aligned_share(shape, plan, k)
    return 2 * plan.tokens * plan.passes * shape.linear_params / plan.tp / rate


def efficiency(plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Share of the peak that a large matrix product reaches. [1]"""
    return np.where(plan.bits >= 16, k.e16, np.where(plan.bits == 8, k.e8, k.e4))[()]


def size_share(plan: TrainingPlan, width: Num, k: TrainingConstants) -> Num:
    """Return what is left of that in a product of so many tokens and such a width. [1]"""
    return plan.tokens / (plan.tokens + k.half_tokens) * width / (width + k.half_width)


def aligned_share(shape: Network, plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Return what is left where a head or a split layer is no multiple of the tensor cores' 64-wide tiles. [1]"""
    uneven = (shape.hidden / plan.tp) % TILE > 0
    return np.exp(-k.odd_head * (shape.qk_dim % TILE > 0) - k.odd_width * uneven)


def head_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants, factor: Num) -> Num:
    """The projection to the vocabulary: 16 bits always, never recomputed. [s]"""
    width = np.where(shape.dense_layers > 0, shape.ffn, shape.heads * shape.qk_dim) / plan.tp
    rate = chip.wide_tflops(plan.bits) * TERA * k.e16 * factor * size_share(plan, width, k)
    flops = 2 * plan.tokens * shape.vocab * shape.hidden / plan.tp * (1 + plan.backward) * shape.head_share
    return flops / rate


def attention_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants, factor: Num) -> Num:
    """Scores and their sums; 16 bits always. Fused kernels skip what a causal mask hides, others do not. [s]"""
    full = plan.tokens * shape.score_flops / plan.tp
    seen = shape.mean_attended_tokens(tokens=plan.seq_len)
    width = (shape.qk_dim + shape.v_dim) / 2
    share = k.attention * np.exp(k.attention_progress * _years(plan))
    share = share * np.where(plan.year < chip.attention_since, k.old_attention, 1.0)
    share = np.minimum(share * np.exp(-k.torch_attention * plan.eager), BEST_ATTENTION)
    share = share * 1.25 * width / (width + HEAD_DIM_OF_EFFICIENCY) * seen / (seen + k.half_context)
    fast = chip.wide_tflops(plan.bits) * TERA * share * factor
    fused_s = full * seen * (1 + FLASH_BACKWARD + plan.recompute) / fast
    fused_s = fused_s * np.where(plan.ring_uneven > 0, 2 - 1 / plan.cp, 1.0)
    plain = chip.wide_tflops(plan.bits) * TERA * k.e16 * factor
    score_bytes = plan.tokens * plan.seq_len * shape.heads / plan.tp * shape.attention_layers
    score_bytes = score_bytes * (SCORE_BYTES + SCORE_BYTES_AGAIN * plan.again) * k.unfused
    unfused_s = full * plan.seq_len * (1 + plan.backward + plan.again) / plain + score_bytes / (
        chip.bandwidth_gb_s * GIGA
    )
    return np.where(plan.fused_attention > 0, fused_s, unfused_s)


def elementwise_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Norms, activations, rotations, residuals, casts: work that only moves bytes. [s]"""
    both = 1 + (shape.mlp_matrices > 2)
    values = 10 * shape.layers * shape.hidden + shape.dense_layers * 2 * both * shape.ffn
    shared = shape.shared_params / np.maximum(shape.mlp_matrices * shape.hidden, 1.0)
    values = values + shape.moe_layers * 4 * (shape.experts_per_token * shape.expert_ffn + shared)
    values = values + ADAPTER_WIDTHS * shape.attention_layers * shape.hidden * (plan.adapter_weight_bytes > 0)
    values = values + MIXER_PASSES * shape.mixer_values
    casts = 1 + k.cast * chip.casts * (plan.bits < 16) * np.exp(k.torch_cast * plan.eager)
    casts = casts * np.exp(k.torch_elementwise * plan.eager * (1 - plan.compiled))
    # Selective recompute leaves out the residual stream, which is six of the ten widths around a layer.
    spared: Num = np.where(plan.selective > 0, 6 * shape.layers * shape.hidden / values, 0.0)
    passes: Num = plan.passes + (plan.again - plan.recompute) * (1 - spared)
    bytes_moved = k.elementwise * 2 * plan.tokens / plan.tp * values * passes * casts
    unpacked = UNPACK_BYTES * shape.linear_params / plan.tp * plan.passes * (plan.weight_bytes < 1)
    return (bytes_moved + unpacked) / (chip.bandwidth_gb_s * GIGA)


def experts_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants, factor: Num) -> Num:
    """The routed experts of one micro-batch, all layers. [s]"""
    each = plan.tokens * shape.experts_per_token * plan.ep / np.maximum(shape.experts, 1.0)
    share = each / (each + k.half_tokens) * shape.expert_ffn / (shape.expert_ffn + k.half_expert)
    share = share * shape.expert_hidden / (shape.expert_hidden + k.half_hidden) * k.expert
    share = share * np.exp(k.moe_progress / 2 * _mixture_years(plan))
    share = share * np.where(plan.bits < 16, k.expert_low, 1.0)
    rate = chip.peak_tflops(plan.bits) * TERA * efficiency(plan, k) * factor * np.maximum(share, 1e-9)
    work = shape.moe_layers * shape.experts_per_token * shape.expert_params / plan.tp
    return 2 * plan.tokens * plan.passes * work / rate


def permute_s(shape: Network, chip: Hardware, plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Sorting tokens by expert and back. [s]"""
    rows = plan.tokens / plan.tp * shape.moe_layers * shape.experts_per_token * shape.expert_hidden
    late = np.exp(-k.moe_progress * _mixture_years(plan))
    return late * k.elementwise * k.permute * 8 * rows * plan.passes / (chip.bandwidth_gb_s * GIGA)


def host_s(shape: Network, plan: TrainingPlan, k: TrainingConstants) -> Num:
    """Launching kernels, and waiting for the host; mixtures wait more, the less so the newer the software. [s]"""
    waits = k.moe_host_s * np.exp(-k.moe_progress * _mixture_years(plan)) * shape.moe_layers * plan.dropless
    launches = k.host_s * np.exp(-k.progress * _years(plan)) * shape.layers
    return (launches + waits) * plan.passes


def idle_s(shape: Network, plan: TrainingPlan, k: TrainingConstants, busy_s: Num) -> Num:
    """Return what an accelerator waits because its work is done before the host has launched all of it. [s]

    A layer's pass takes the host as long whatever its width. Both run at once, so the longer counts; where they
    take about as long, each now and then waits for the other, which rounds the corner.
    """
    launch_s = k.launch_s * np.where(plan.launched_ahead > 0, k.launched_ahead, 1.0) * shape.layers * plan.passes
    # The fourth root of the sum of fourth powers, by squares and roots: as exact, and several times as fast.
    return np.sqrt(np.sqrt((busy_s * busy_s) ** 2 + (launch_s * launch_s) ** 2)) - busy_s


REFERENCE_YEAR = 2026.0
# Nothing is known of software beyond these years before and after; kernels for mixtures are younger still.
OLDEST, NEWEST, OLDEST_MIXTURE = -5.0, 0.7, -0.5


def _years(plan: TrainingPlan) -> Num:
    """Years since the software that the constants speak of; negative before."""
    return np.clip(plan.year - REFERENCE_YEAR, OLDEST, NEWEST)


def _mixture_years(plan: TrainingPlan) -> Num:
    """Return the years that kernels for mixtures have matured; those that drop tokens were fast at once. [years]"""
    return np.maximum(_years(plan), OLDEST_MIXTURE) * plan.dropless
