"""How fast a model is served: from its shape and the machine's peaks, with few constants fitted to published runs."""

from planner.scenario.serving_job import ServingJob
from planner.speed.refused import BadJob
from planner.speed.serving.calibrate import ServingCalibration, as_yaml, calibrate
from planner.speed.serving.check import ServingChecked, check_serving
from planner.speed.serving.constants import ServingConstants
from planner.speed.serving.cpu_sized import SmallWork, WithoutGpu, small_work
from planner.speed.serving.fit import leave_one_source_out, refit
from planner.speed.serving.likeness import with_one_run_known
from planner.speed.serving.non_llm import CarriedRun, OtherWork, carried_run, is_other_work, other_work
from planner.speed.serving.one_user import Largest, largest_model
from planner.speed.serving.own_anchor import OwnServingRuns, constants_yaml, own_runs, read_constants
from planner.speed.serving.result import Anchor, MemoryParts, ReplicaThatFits, Serving, Share, WaitingTimes
from planner.speed.serving.scale import accelerators_over_time, busy_share, replicas_ahead
from planner.speed.serving.serve import serve
from planner.speed.serving.work import WorkRate, carried_hours, rate_on, work_names

__all__ = [
    "Anchor",
    "BadJob",
    "CarriedRun",
    "Largest",
    "MemoryParts",
    "OtherWork",
    "OwnServingRuns",
    "ReplicaThatFits",
    "Serving",
    "ServingCalibration",
    "ServingChecked",
    "ServingConstants",
    "ServingJob",
    "Share",
    "SmallWork",
    "WaitingTimes",
    "WithoutGpu",
    "WorkRate",
    "accelerators_over_time",
    "as_yaml",
    "busy_share",
    "calibrate",
    "carried_hours",
    "carried_run",
    "check_serving",
    "constants_yaml",
    "is_other_work",
    "largest_model",
    "leave_one_source_out",
    "other_work",
    "own_runs",
    "rate_on",
    "read_constants",
    "refit",
    "replicas_ahead",
    "serve",
    "small_work",
    "with_one_run_known",
    "work_names",
]
