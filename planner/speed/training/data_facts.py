"""What is known of so much data for such a model: what is best for a budget, and what repeats are worth, in words."""

from dataclasses import dataclass, field
from math import ceil, gcd, log2

from planner.network.network import Network
from planner.speed.hardware import Hardware
from planner.speed.training.goodput import BEST_TOKENS_PER_PARAM, effective_fresh_tokens
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.software_stacks import SoftwareStack, find_software_stack

# Within twice and half of what fits best nothing is said: the optimum is flat.
NEARLY_BEST = 2.0
# Passes over the same data up to which they are nearly as good as fresh, and from which on little is learnt.
GOOD_PASSES, FEW_LEFT = 4.0, 16.0
_UNITS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def data_facts(*, params: float, tokens: float, unique_tokens: float | None) -> tuple[str, ...]:
    """Sentences on how much data this is for the model, where there is something to say."""
    return (*_amount(params, tokens), *_repeats(tokens, unique_tokens))


def _amount(params: float, tokens: float) -> tuple[str, ...]:
    each, best = tokens / params, BEST_TOKENS_PER_PARAM * params
    if 1 / NEARLY_BEST <= tokens / best <= NEARLY_BEST:
        return ()
    said = (
        f"That is {_three_digits(each)} tokens for each parameter that works on a token; a given amount of computing "
        f"brings the lowest loss near {BEST_TOKENS_PER_PARAM:.0f}, which for this model is {_many(best)} tokens"
    )
    if tokens > best:
        return (f"{said}. Going on makes a better model of this size, which is cheaper to use than a larger one.",)
    return (f"{said}. A smaller model on more tokens would be better for the same bill.",)


def _repeats(tokens: float, unique_tokens: float | None) -> tuple[str, ...]:
    if unique_tokens is None or unique_tokens >= tokens:
        return ()
    passes = tokens / unique_tokens
    worth = float(effective_fresh_tokens(unique_tokens=unique_tokens, tokens=tokens))
    said = (
        f"{_many(unique_tokens)} tokens are seen {_three_digits(passes)} times: {_many(tokens)} teach as much as "
        f"{_many(worth)} fresh ones ({worth / tokens:.0%})"
    )
    if passes <= GOOD_PASSES:
        return (f"{said}. Up to {GOOD_PASSES:.0f} times, repeats are nearly as good as fresh data.",)
    if passes <= FEW_LEFT:
        return (f"{said}. Beyond {GOOD_PASSES:.0f} times, each repeat is worth less.",)
    return (f"{said}. Beyond {FEW_LEFT:.0f} times, hardly anything more is learnt.",)


def _many(number: float) -> str:
    """1.5 trillion, 400 billion, 12,000."""
    for limit, name in _UNITS:
        if number >= limit:
            return f"{_three_digits(number / limit)} {name}"
    return f"{number:,.0f}"


def _three_digits(number: float) -> str:
    """Three digits that matter."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


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


@dataclass(frozen=True)
class Stated:
    """What was said. None: nothing."""

    accelerators: float | None
    seq_len: float | None = None
    tp: float | None = None
    pp: float | None = None
    vpp: float | None = None
    cp: float | None = None
    ep: float | None = None
    dp: float | None = None
    micro_batch: float | None = None
    global_batch: float | None = None
    recompute: float | None = None
    shard: float | None = None
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


def plan_of(shape: Network, chip: Hardware, known: Stated) -> TrainingPlan:
    """A whole plan: what was said, and for the rest what is usual."""
    count = known.accelerators or 1.0
    seq_len = known.seq_len or (USUAL_ADAPTER_SEQUENCE if known.adapter else USUAL_SEQUENCE)
    year = known.year or 2025.0
    tp, pp, cp = _splits(shape, chip, known, count, seq_len)
    dp = max(1.0, count / (tp * pp * cp))
    if known.global_batch and known.global_batch < dp:
        # More ranks than sequences: the rest must have split the sequences.
        cp, dp = cp * dp / known.global_batch, known.global_batch
    micro = known.micro_batch or _micro_batch(shape, seq_len, cp, known.global_batch, dp)
    ep = known.ep or (min(8.0, count) if float(shape.experts) > 0 else 1.0)
    fused = known.fused if known.fused is not None else known.stack.fused_attention and year >= FLASH_SINCE
    bits = known.bits or default_bits(chip, year, mixture=float(shape.experts) > 0)
    shard = known.shard if known.shard is not None else (1.0 if chip.is_gpu else 3.0)
    return TrainingPlan(
        seq_len=seq_len,
        accelerators=count,
        tp=tp,
        pp=pp,
        vpp=known.vpp or _stages(shape, pp, known.interleaves),
        cp=cp,
        ep=ep,
        dp=dp,
        micro_batch=micro,
        global_batch=known.global_batch or MICRO_BATCHES_PER_STAGE * pp * dp * micro,
        recompute=_recompute(known, shard),
        shard=shard,
        bits=bits,
        backward=1.0 if known.adapter else 2.0,
        trainable_share=ADAPTER_SHARE if known.adapter else 1.0,
        weight_bytes=_weight_bytes(known, bits),
        fused_attention=float(fused),
        offload=known.offload,
        year=year,
        dropless=float(known.dropless),
        eager=float(known.eager),
        sequence_parallel=float(year >= SEQUENCE_PARALLEL_SINCE),
        compiled=is_compiled(known.compiled, eager=known.eager, year=year),
        launched_ahead=_launches_ahead(known, year),
        overlaps=float(known.stack.overlaps),
        ring_uneven=float(known.stack.ring_uneven),
        grad_bytes=known.stack.gradients,
        whole_grad_bytes=known.stack.always,
        state_bytes=known.stack.states,
        adapter_weight_bytes=ADAPTER_WEIGHT_BYTES if known.adapter else 0.0,
        loss_chunks=max(known.stack.loss_chunks, known.fused_loss * float(shape.vocab / shape.hidden)),
        buckets_gb=known.stack.buckets_gb,
        selective=float(known.selective),
        two_way=float(known.two_way),
        shard_ranks=float(gcd(int(count / (tp * pp)), int(max(1.0, chip.domain // tp)))) if known.hybrid else 0.0,
        weight_offload=known.offload * known.stack.host_weights,
        logit_bytes=known.stack.logits,
        fused_norms=float(known.stack.fused_norms),
        loads_whole=float(known.stack.loads_whole),
    )


def _recompute(known: Stated, shard: float) -> float:
    """The recompute of a row: as stated, else what its software does by default where weights are sharded."""
    by_itself = known.stack.recompute_when_sharded and shard >= SHARDED_WEIGHTS
    return float(by_itself) if known.recompute is None else known.recompute


def _weight_bytes(known: Stated, bits: float) -> float:
    """Frozen weights need no more bits than they are multiplied in; trained ones are kept in 16."""
    return min(known.weight_bytes, max(1.0, bits / 8)) if known.adapter else known.weight_bytes


SHARDED_WEIGHTS = 3.0


def is_compiled(said: bool | None, *, eager: bool, year: float) -> float:
    """Whether elementwise work is fused: makers' stacks do it by hand, plain PyTorch by compiler, of late."""
    return float(said if said is not None else not eager or year >= COMPILED_SINCE)


def _launches_ahead(known: Stated, year: float) -> float:
    """Whether much is launched at once: as is known of the stack, else where its work is compiled."""
    ahead = known.stack.launched_ahead
    return is_compiled(known.compiled, eager=known.eager, year=year) if ahead is None else float(ahead)


def _splits(shape: Network, chip: Hardware, known: Stated, count: float, seq_len: float) -> tuple[float, float, float]:
    """Tensor, pipeline and context ranks: as stated, else the least that holds the model and the batch."""
    if known.tp is not None and known.pp is not None:
        # More tensor ranks than the fast fabric holds: the table counts the cores of a chip, of which there are two.
        cores = 2.0 if known.tp > chip.domain and not chip.is_gpu else 1.0
        return known.tp / cores, known.pp, known.cp or 1.0
    per_param = ADAPTER_BYTES if known.adapter else TRAIN_BYTES
    params = float(shape.params)
    needed = per_param * params / (OVERFILL * float(chip.memory_gb) * 1e9)
    least = needed if known.adapter else 0.0
    if known.global_batch:
        needed = max(needed, count / known.global_batch)
    ranks = min(2.0 ** ceil(log2(max(1.0, needed))), count)
    # Adapters leave weights whole as long as they fit, and split sequences where there are too few.
    whole = 2.0 ** ceil(log2(max(1.0, least))) if known.adapter else ranks
    tp = known.tp or min(whole, 8.0 if chip.is_gpu else 4.0)
    rest = max(1.0, ranks / tp)
    if known.adapter or seq_len >= LONG_SEQUENCE:
        return tp, known.pp or 1.0, known.cp or rest
    return tp, known.pp or rest, known.cp or 1.0


def _stages(shape: Network, pp: float, interleaves: bool) -> float:
    """Virtual stages: where the engine interleaves them, chunks of about two layers, up to four to a rank."""
    if pp <= 1 or not interleaves:
        return 1.0
    return float(min(MOST_STAGES, max(1, int(float(shape.layers) / pp / LAYERS_PER_CHUNK))))


def _micro_batch(shape: Network, seq_len: float, cp: float, batch: float | None, dp: float) -> float:
    tokens = MICRO_TOKENS_LARGE if float(shape.layers * shape.hidden) > LARGE else MICRO_TOKENS
    micro = max(1.0, tokens * cp // seq_len)
    return min(micro, max(1.0, batch / dp)) if batch else micro


def default_bits(chip: Hardware, year: float, *, mixture: bool = False) -> float:
    """Where nothing is said: as few bits as the chip is faster with and software of the year could use."""
    if year >= chip.four_bits_since and not mixture:
        return 4.0
    return 8.0 if float(chip.tflops_8) > float(chip.tflops_16) and year >= EIGHT_BITS_SINCE else 16.0
