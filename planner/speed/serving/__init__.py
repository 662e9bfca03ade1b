"""How fast a model is served: from its shape and the machine's peaks, with few constants fitted to published runs."""

from planner.scenario.jobs import ServingJob
from planner.speed.hardware import InvalidJobError
from planner.speed.serving.cases import ServingConstants
from planner.speed.serving.cpu_sized import CpuAlternative, CpuFeasibility, ModelSizeLimit, largest_model, small_work
from planner.speed.serving.non_llm import (
    NonLlmRate,
    NonLlmServing,
    ScaledRun,
    carried_hours,
    carried_run,
    is_other_work,
    other_work,
    rate_on,
    work_called,
    work_names,
)
from planner.speed.serving.promise import replicas_ahead
from planner.speed.serving.result import LatencyPercentiles, MemoryParts, ServingFitSuggestion, ServingResult, TimeShare
from planner.speed.serving.serve import serve

__all__ = [
    "CpuAlternative",
    "CpuFeasibility",
    "InvalidJobError",
    "LatencyPercentiles",
    "MemoryParts",
    "ModelSizeLimit",
    "NonLlmRate",
    "NonLlmServing",
    "ScaledRun",
    "ServingConstants",
    "ServingFitSuggestion",
    "ServingJob",
    "ServingResult",
    "TimeShare",
    "carried_hours",
    "carried_run",
    "is_other_work",
    "largest_model",
    "other_work",
    "rate_on",
    "replicas_ahead",
    "serve",
    "small_work",
    "work_called",
    "work_names",
]  # fmt: skip
