"""The plan of a training run as published tables state it: its layout, its software stack, and what is usual beside."""

from dataclasses import dataclass, field
from math import ceil, gcd, log2
from typing import Literal

from pydantic import Field

from planner.network.network import Network
from planner.speed.hardware import Hardware, read_data
from planner.speed.training.plan import Layout, TrainingPlan
from pricing.caching import cached
from pricing.figure import StrictModel, Text

Counts = Literal["allocated", "reserved", "device"]


class SoftwareStack(StrictModel):
    """One stack of software. Bytes are for each trained parameter."""

    when: tuple[str, ...] = Field(
        description="words that all stand in the framework of a run, its precision among them"
    )
    gradients: float = Field(ge=0, description="bytes of a gradient, sharded from ZeRO 2 on")
    states: float = Field(ge=0, description="bytes of master weights, moments and whatever else ZeRO 1 spreads")
    counts: Counts = Field(description="what a printed peak holds: live tensors, the allocator's pool, or all of it")
    source: Text = Field(description="where that is read or printed")
    always: float = Field(default=0.0, ge=0, description="bytes of a gradient that no sharding below ZeRO 3 spreads")
    loss_chunks: float = Field(default=1.0, ge=1, description="pieces in which the loss is worked out")
    buckets_gb: float = Field(default=0.0, ge=0, description="set aside for exchanges")
    host_weights: bool = Field(default=False, description="what is moved to the host goes there with the weights")
    logits: float = Field(default=10.0, gt=0, description="bytes of a logit while the loss is worked out")
    fused_norms: bool = Field(default=False, description="norms are one kernel where the rest is not")
    loads_whole: bool = Field(default=False, description="every rank first holds the whole model")
    launched_ahead: bool | None = Field(
        default=None, description="work is launched many kernels at once; unless said, where it is compiled"
    )
    fused_attention: bool = Field(
        default=True,
        description="attention never writes scores out, once kernels for that are there; a run that says flash wins",
    )
    overlaps: bool = Field(default=True, description="exchanges of weights and gradients hide behind computing")
    ring_uneven: bool = Field(
        default=False, description="context parallelism splits a sequence as it comes, the last rank has the most to do"
    )
    recompute_when_sharded: bool = Field(
        default=False, description="layers are computed again where weights are sharded"
    )


class SoftwareStackData(StrictModel):
    """All of them; the first that fits counts."""

    about: Text = Field(description="what this file holds and where it came from")
    stacks: tuple[SoftwareStack, ...] = Field(description="the first counts of which every word of `when` fits")


@cached(1)
def _stacks() -> tuple[SoftwareStack, ...]:
    return SoftwareStackData.model_validate(read_data("training_stacks.yaml")).stacks


@cached(512)
def find_software_stack(framework: str, precision: str) -> SoftwareStack:
    """The first stack all of whose words stand in the framework's name and the precision of a run."""
    words = f"{framework} {precision}".lower()
    return next(stack for stack in _stacks() if all(word in words for word in stack.when))


# Bytes for each parameter with mixed-precision Adam, and with adapters on frozen weights; and how far beyond one
# accelerator's memory they may go before the model is split: recompute and sharded states make up for the rest.
TRAIN_BYTES, ADAPTER_BYTES, OVERFILL = 18.0, 2.5, 2.4
LAYERS_PER_CHUNK, MOST_STAGES = 2.0, 4
LONG_SEQUENCE = 16_384
USUAL_SEQUENCE, USUAL_ADAPTER_SEQUENCE = 2_048.0, 1_024.0
# Tokens of a micro-batch on one rank, for large models and for others.
MICRO_TOKENS_LARGE, MICRO_TOKENS, LARGE = 4_096.0, 8_192.0, 5e4
MICRO_BATCHES_PER_STAGE = 4.0
FLASH_SINCE, SEQUENCE_PARALLEL_SINCE, COMPILED_SINCE = 2023.0, 2022.4, 2025.3
EIGHT_BITS_SINCE = 2024.4
# Adapters of rank 16 beside every matrix of a model of 8B, their own weights in 16 bits.
ADAPTER_SHARE, ADAPTER_WEIGHT_BYTES = 0.005, 2.0
SHARDED_WEIGHTS = 3.0


@dataclass(frozen=True)
class StatedPlan(Layout[float | None]):
    """What a run states of its plan; None if not stated."""

    accelerators: float | None = None
    seq_len: float | None = None
    global_batch: float | None = None
    bits: float | None = None
    adapter: bool = False
    weight_bytes: float = 2.0
    offload: float = 0.0
    year: float | None = None
    fused: bool | None = None
    dropless: bool = True
    eager: bool = False
    compiled: bool | None = None
    interleaves: bool = False
    stack: SoftwareStack = field(default_factory=lambda: find_software_stack("", ""))
    fused_loss: bool = False
    selective: bool = False
    hybrid: bool = False
    two_way: bool = False


def complete_plan(shape: Network, chip: Hardware, stated: StatedPlan) -> TrainingPlan:
    """Return a whole plan: what a run states, and what is usual for the rest."""
    count, stack = stated.accelerators or 1.0, stated.stack
    seq_len = stated.seq_len or (USUAL_ADAPTER_SEQUENCE if stated.adapter else USUAL_SEQUENCE)
    year = stated.year or 2025.0
    tp, pp, cp = _splits(shape, chip, stated, count, seq_len)
    dp = max(1.0, count / (tp * pp * cp))
    if stated.global_batch and stated.global_batch < dp:
        # More ranks than sequences: the rest must have split the sequences.
        cp, dp = cp * dp / stated.global_batch, stated.global_batch
    micro = stated.micro_batch or _micro_batch(shape, seq_len, cp, stated.global_batch, dp)
    fused = stated.fused if stated.fused is not None else stack.fused_attention and year >= FLASH_SINCE
    bits = stated.bits or default_bits(chip, year, mixture=float(shape.experts) > 0)
    # Frozen weights need no more bits than they are multiplied in; trained ones are kept in 16.
    weight_bytes = min(stated.weight_bytes, max(1.0, bits / 8)) if stated.adapter else stated.weight_bytes
    shard = stated.shard if stated.shard is not None else (1.0 if chip.is_gpu else 3.0)
    recompute = float(stack.recompute_when_sharded and shard >= SHARDED_WEIGHTS)
    compiled = is_compiled(stated.compiled, eager=stated.eager, year=year)
    return TrainingPlan(
        seq_len=seq_len, accelerators=count, tp=tp, pp=pp, vpp=stated.vpp or _stages(shape, pp, stated.interleaves),
        cp=cp, ep=stated.ep or _expert_ranks(shape, chip, count), dp=dp, micro_batch=micro,
        global_batch=stated.global_batch or MICRO_BATCHES_PER_STAGE * pp * dp * micro,
        recompute=recompute if stated.recompute is None else stated.recompute, shard=shard, bits=bits,
        backward=1.0 if stated.adapter else 2.0, trainable_share=ADAPTER_SHARE if stated.adapter else 1.0,
        weight_bytes=weight_bytes, fused_attention=float(fused), offload=stated.offload, year=year,
        dropless=float(stated.dropless), eager=float(stated.eager), compiled=compiled,
        sequence_parallel=float(year >= SEQUENCE_PARALLEL_SINCE),
        launched_ahead=compiled if stack.launched_ahead is None else float(stack.launched_ahead),
        overlaps=float(stack.overlaps), ring_uneven=float(stack.ring_uneven), grad_bytes=stack.gradients,
        whole_grad_bytes=stack.always, state_bytes=stack.states,
        adapter_weight_bytes=ADAPTER_WEIGHT_BYTES if stated.adapter else 0.0,
        loss_chunks=max(stack.loss_chunks, stated.fused_loss * float(shape.vocab / shape.hidden)),
        buckets_gb=stack.buckets_gb, selective=float(stated.selective), two_way=float(stated.two_way),
        shard_ranks=float(gcd(int(count / (tp * pp)), int(max(1.0, chip.domain // tp)))) if stated.hybrid else 0.0,
        weight_offload=stated.offload * stack.host_weights, logit_bytes=stack.logits,
        fused_norms=float(stack.fused_norms), loads_whole=float(stack.loads_whole),
    )  # fmt: skip


def _expert_ranks(shape: Network, chip: Hardware, count: float) -> float:
    """Return over how many ranks experts are spread: a machine; on a pod as far as their number divides."""
    if float(shape.experts) <= 0:
        return 1.0
    return min(8.0, count) if chip.launches else float(gcd(int(shape.experts), int(count)))


def is_compiled(stated: bool | None, *, eager: bool, year: float) -> float:
    """Return 1 where elementwise work is fused: vendors' stacks do it by hand, plain PyTorch by compiler, of late."""
    return float(stated if stated is not None else not eager or year >= COMPILED_SINCE)


def _splits(
    shape: Network, chip: Hardware, stated: StatedPlan, count: float, seq_len: float
) -> tuple[float, float, float]:
    """Return tensor, pipeline and context ranks: as stated, else the least that holds the model and the batch."""
    if stated.tp is not None and stated.pp is not None:
        # More tensor ranks than the fast fabric holds: the table counts the cores of a chip, of which there are two.
        cores = 2.0 if stated.tp > chip.domain and not chip.is_gpu else 1.0
        return stated.tp / cores, stated.pp, stated.cp or 1.0
    # Each chip has a sequence of its own, and room for what comes into every layer of it.
    kept_gb = 2 * float(shape.layers * shape.hidden) * seq_len / 1e9
    enough = (stated.global_batch or count) >= count and not stated.adapter and kept_gb < float(chip.memory_gb) / 2
    if not chip.launches and stated.tp is None and stated.pp is None and enough:
        return 1.0, 1.0, stated.cp or 1.0  # compilers of TPUs shard data and weights; memory is that of all
    needed = (ADAPTER_BYTES if stated.adapter else TRAIN_BYTES) * float(shape.params)
    needed = needed / (OVERFILL * float(chip.memory_gb) * 1e9)
    least = needed if stated.adapter else 0.0
    if stated.global_batch:
        needed = max(needed, count / stated.global_batch)
    ranks = min(2.0 ** ceil(log2(max(1.0, needed))), count)
    # Adapters leave weights whole as long as they fit, and split sequences where there are too few.
    whole = 2.0 ** ceil(log2(max(1.0, least))) if stated.adapter else ranks
    tp = stated.tp or min(whole, 8.0 if chip.is_gpu else 4.0)
    rest = max(1.0, ranks / tp)
    if stated.adapter or seq_len >= LONG_SEQUENCE:
        return tp, stated.pp or 1.0, stated.cp or rest
    return tp, stated.pp or rest, stated.cp or 1.0


def _stages(shape: Network, pp: float, interleaves: bool) -> float:
    """Return virtual stages: where the engine interleaves them, chunks of about two layers, up to four to a rank."""
    if pp <= 1 or not interleaves:
        return 1.0
    return float(min(MOST_STAGES, max(1, int(float(shape.layers) / pp / LAYERS_PER_CHUNK))))


def _micro_batch(shape: Network, seq_len: float, cp: float, batch: float | None, dp: float) -> float:
    tokens = MICRO_TOKENS_LARGE if float(shape.layers * shape.hidden) > LARGE else MICRO_TOKENS
    micro = max(1.0, tokens * cp // seq_len)
    return min(micro, max(1.0, batch / dp)) if batch else micro


def default_bits(chip: Hardware, year: float, *, mixture: bool = False) -> float:
    """Return the fewest bits that the chip is faster with and that software of the year could use."""
    if year >= chip.four_bits_since and not mixture:
        return 4.0
    return 8.0 if float(chip.tflops_8) > float(chip.tflops_16) and year >= EIGHT_BITS_SINCE else 16.0
