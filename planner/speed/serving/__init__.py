"""How fast a model is served: from its shape and the machine's peaks, with few constants fitted to published runs."""

from planner.scenario.serving_job import ServingJob
from planner.speed.hardware import BadJob
from planner.speed.serving.constants import ServingConstants
from planner.speed.serving.cpu_sized import Largest, SmallWork, WithoutGpu, largest_model, small_work
from planner.speed.serving.non_llm import CarriedRun, OtherWork, carried_run, is_other_work, other_work
from planner.speed.serving.promise import replicas_ahead
from planner.speed.serving.result import MemoryParts, ReplicaThatFits, Serving, Share, WaitingTimes
from planner.speed.serving.serve import serve
from planner.speed.serving.work import WorkRate, carried_hours, rate_on, work_called, work_names

__all__ = [
    "BadJob", "CarriedRun", "Largest", "MemoryParts", "OtherWork", "ReplicaThatFits", "Serving",
    "ServingConstants", "ServingJob", "Share", "SmallWork", "WaitingTimes", "WithoutGpu", "WorkRate",
    "carried_hours", "carried_run", "is_other_work", "largest_model",
    "other_work", "rate_on", "replicas_ahead", "serve", "small_work", "work_called", "work_names",
]  # fmt: skip
