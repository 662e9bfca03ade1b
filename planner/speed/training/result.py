"""What `train` answers with."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from planner.speed.bands import Band
from planner.speed.training.fitting import TrainingMemory
from planner.speed.training.goodput import Reliability, TeamEfficiency
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.step import TrainingStepParts

NOT_SPREAD = "no layout is legal: batch, accelerators and model do not divide into each other"


@dataclass(frozen=True)
class Part:
    """One stair of the waterfall from a chip's peak to what is reached."""

    name: str
    words: str
    seconds: float
    share: float


@dataclass(frozen=True)
class TrainingLayout:
    """One way to spread the job, with what it reaches."""

    tp: int
    pp: int
    virtual_stages: int
    cp: int
    ep: int
    dp: int
    zero: int
    zero_within: int | None
    micro_batch: int
    recompute: str
    tokens_per_s_per_accelerator: float
    memory_gb: float


@dataclass(frozen=True)
class TrainingFitSuggestion:
    """Something that would make the job fit, and what is left of the speed."""

    words: str
    accelerators: int
    tokens_per_s_per_accelerator: float


@dataclass(frozen=True)
class Range:
    """Low, typical, high."""

    low: float
    typical: float
    high: float


@dataclass(frozen=True)
class TrainingSpeed:
    """How fast a job that fits runs, and for how long. Hours count all accelerators."""

    layout: TrainingLayout
    runners_up: tuple[TrainingLayout, ...]
    plan: TrainingPlan
    memory: TrainingMemory
    parts: TrainingStepParts
    waterfall: tuple[Part, ...]
    step_time_s: float
    tokens_per_s_per_accelerator: Range
    band: Band
    mfu: float
    hfu: float
    reliability: Reliability
    useful_share: float
    team: TeamEfficiency
    days: Range
    accelerator_hours: Range


@dataclass(frozen=True)
class TrainingResult:
    """Whether a job fits and how fast it is; or why it does not fit, and what would help."""

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
        """Whether any layout is legal. Where none is, there is no memory to speak of."""
        return math.isfinite(self.least_memory_gb)
