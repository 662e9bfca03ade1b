"""From the peak of a chip down to what is reached: where the time of a step goes, and what a team then loses of it."""

from dataclasses import dataclass

from planner.network.network import Network
from planner.speed.hardware import Hardware
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.result import Part, TrainingSpeed
from planner.speed.training.step import TrainingStepParts

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


def waterfall(shape: Network, chip: Hardware, plan: TrainingPlan, parts: TrainingStepParts) -> tuple[Part, ...]:
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
    return tuple(Part(name, words, seconds, seconds / total_s) for name, words, seconds in [*first, *rest])


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


def stairs(speed: TrainingSpeed) -> tuple[WaterfallStep, ...]:
    """The peak first, then each loss. The last rate is what the length of the run is reckoned with."""
    step_s = sum(part.seconds for part in speed.waterfall)
    tokens = speed.tokens_per_s_per_accelerator.typical * step_s
    first, *losses = speed.waterfall
    spent, found = first.seconds, [WaterfallStep(PEAK, first.words, 0.0, tokens / first.seconds)]
    small = sum(part.seconds for part in losses if part.share < LEAST_SHARE)
    for part in losses:
        if part.share >= LEAST_SHARE:
            found.append(WaterfallStep(part.name, part.words, tokens / spent, tokens / (spent + part.seconds)))
            spent += part.seconds
    if small > 0:
        found.append(WaterfallStep(REST, "all smaller parts", tokens / spent, tokens / (spent + small)))
    running, useful, team = tokens / step_s, speed.useful_share, speed.team.typical
    found.append(WaterfallStep(STOPS, "stops, restarts and checkpoints", running, running * useful))
    found.append(
        WaterfallStep(TEAM, "what a team reaches of a published speed", running * useful, running * useful * team)
    )
    return tuple(found)
