"""Results of `train`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from planner.network.network import Network
from planner.speed.bands import Band
from planner.speed.hardware import Hardware
from planner.speed.training.fitting import TrainingMemory
from planner.speed.training.goodput import Reliability, TeamEfficiency
from planner.speed.training.layout import LayoutCandidate
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.step import TrainingStepParts

NOT_SPREAD = "no layout is legal: batch, accelerators and model do not divide into each other"


@dataclass(frozen=True)
class WaterfallPart:
    """One stair of the waterfall from a chip's peak to what is reached."""

    name: str
    words: str
    seconds: float
    share: float


@dataclass(frozen=True)
class TrainingFitSuggestion:
    """Something that would make the job fit, and what is left of the speed."""

    words: str
    accelerators: int
    tokens_per_s_per_accelerator: float


@dataclass(frozen=True)
class Interval:
    """Low, typical, high."""

    low: float
    typical: float
    high: float


@dataclass(frozen=True)
class TrainingSpeed:
    """The speed of a job that fits, and its length. Hours count all accelerators."""

    layout: LayoutCandidate
    runners_up: tuple[LayoutCandidate, ...]
    memory: TrainingMemory
    parts: TrainingStepParts
    waterfall: tuple[WaterfallPart, ...]
    step_time_s: float
    tokens_per_s_per_accelerator: Interval
    band: Band
    mfu: float
    hfu: float
    reliability: Reliability
    useful_share: float
    team: TeamEfficiency
    days: Interval
    accelerator_hours: Interval


@dataclass(frozen=True)
class TrainingResult:
    """The result of a training job; where it does not fit, why, and what would help."""

    fits: bool
    model: str
    accelerator: str
    accelerators: int
    params: float
    active_params: float
    tokens: float
    fresh_tokens_worth: float
    global_batch_sequences: int
    memory_gb: float
    least_memory_gb: float
    speed: TrainingSpeed | None
    ways_to_fit: tuple[TrainingFitSuggestion, ...]
    layouts_evaluated: int
    layouts_fitting: int
    excluded: Mapping[str, int]
    warnings: tuple[str, ...]
    data_facts: tuple[str, ...] = ()
    mig_profile: str | None = None  # on a slice of the accelerator
    better: TrainingFitSuggestion | None = None  # fewer accelerators that are faster together, since they divide

    @property
    def can_be_spread(self) -> bool:
        """Return whether any layout is legal. Where none is, there is no memory to speak of."""
        return math.isfinite(self.least_memory_gb)


LEAST_SHARE = 5e-4  # of a step: what is less is not a stair of its own
PEAK, STOPS, TEAM, REST = "peak", "stops", "team", "rest"
_WORDS = {
    "elementwise_s": "norms, activations and casts, which only move bytes",
    "permute_s": "sorting tokens by expert",
    "host_s": "waiting for the host to launch work",
    "tensor_traffic_s": "tensor-parallel exchanges",
    "context_traffic_s": "keys and values going round",
    "expert_traffic_s": "tokens travelling to experts and back",
    "bubble_s": "pipeline stages waiting for each other",
    "data_traffic_s": "gradients and weights of data parallelism",
    "optimizer_s": "updating the weights",
    "drag_s": "stragglers and noise of many accelerators",
}


def flops_per_token(shape: Network, plan: TrainingPlan) -> tuple[float, float]:
    """Operations of the model for each token (6N without the input table, causal attention), and those really done."""
    linear = 2 * (shape.linear_params + shape.routed_active_params)
    head = 2 * shape.vocab * shape.hidden * shape.head_share * (1 + plan.backward)
    scores = shape.score_flops * shape.mean_attended_tokens(tokens=plan.seq_len)
    useful = (linear + scores) * (1 + plan.backward) + head
    return float(useful), float(useful + (linear + scores) * plan.recompute)


def waterfall(
    shape: Network, chip: Hardware, plan: TrainingPlan, parts: TrainingStepParts
) -> tuple[WaterfallPart, ...]:
    """The parts of a step in the order a reader follows; they add up to it."""
    total_s = float(parts.total_s)
    useful, done = flops_per_token(shape, plan)
    s_per_flop = float(plan.tokens_per_step / plan.accelerators) / (float(chip.peak_tflops(plan.bits)) * 1e12)
    products_s = float(parts.linear_s + parts.head_s + parts.experts_s + parts.attention_s)
    first = [
        ("peak", "the model's operations at the peak", useful * s_per_flop),
        ("recompute", "operations done again to save memory", (done - useful) * s_per_flop),
        ("below_peak", "products and attention below the peak", products_s - done * s_per_flop),
    ]
    rest = [(name.removesuffix("_s"), words, float(getattr(parts, name))) for name, words in _WORDS.items()]
    return tuple(WaterfallPart(name, words, seconds, seconds / total_s) for name, words, seconds in [*first, *rest])


@dataclass(frozen=True)
class WaterfallStep:
    """One loss: the rate before and after it."""

    name: str
    words: str
    before: float
    after: float

    @property
    def lost(self) -> float:
        """Tokens a second that are gone. [token/s]"""
        return self.before - self.after


def waterfall_steps(speed: TrainingSpeed) -> tuple[WaterfallStep, ...]:
    """The peak first, then each loss. The last rate gives the length of the run."""
    step_s = sum(part.seconds for part in speed.waterfall)
    tokens = speed.tokens_per_s_per_accelerator.typical * step_s
    first, *losses = speed.waterfall
    spent, steps = first.seconds, [WaterfallStep(PEAK, first.words, 0.0, tokens / first.seconds)]
    small = sum(part.seconds for part in losses if part.share < LEAST_SHARE)
    for part in losses:
        if part.share >= LEAST_SHARE:
            steps.append(WaterfallStep(part.name, part.words, tokens / spent, tokens / (spent + part.seconds)))
            spent += part.seconds
    if small > 0:
        steps.append(WaterfallStep(REST, "all smaller parts", tokens / spent, tokens / (spent + small)))
    running, useful, team = tokens / step_s, speed.useful_share, speed.team.typical
    steps.append(WaterfallStep(STOPS, "stops, restarts and checkpoints", running, running * useful))
    steps.append(
        WaterfallStep(TEAM, "what a team reaches of a published speed", running * useful, running * useful * team)
    )
    return tuple(steps)
