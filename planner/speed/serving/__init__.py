"""Serving speed from a model's shape and a machine's peaks, with few constants fitted to published runs."""

from planner.scenario.jobs import ServingJob
from planner.speed.hardware import InvalidJobError
from planner.speed.serving.cases import ServingConstants
from planner.speed.serving.cpu_sized import (
    CpuAlternative,
    CpuFeasibility,
    ModelSizeLimit,
    cpu_feasibility,
    max_model_size,
)
from planner.speed.serving.non_llm import (
    NonLlmRate,
    NonLlmServing,
    ScaledRun,
    is_non_llm_work,
    match_non_llm_work,
    non_llm_rate,
    non_llm_serving,
    scale_hours,
    scale_run,
)
from planner.speed.serving.promise import standby_replicas
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
    "cpu_feasibility",
    "is_non_llm_work",
    "match_non_llm_work",
    "max_model_size",
    "non_llm_rate",
    "non_llm_serving",
    "scale_hours",
    "scale_run",
    "serve",
    "standby_replicas",
]  # fmt: skip
