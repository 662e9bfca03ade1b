"""The JSON schemas of answers, and of the files that what reckons reads, made from its own records."""

from collections.abc import Callable
from functools import partial

from planner.evidence.constants_file import training_constants_schema
from planner.report.files.answer_schema import answer_schema
from planner.speed.hardware import Network
from planner.speed.pace import OwnRunWeights
from planner.speed.serving import chips as serving
from planner.speed.training.goodput import TeamEfficiencyData
from planner.speed.training.images import Known as ImageTrainingResult
from planner.speed.training.software_stacks import SoftwareStackData
from planner.study.data_files import FuturesAssumptions
from planner.study.market.gpu_guide import GpuUses
from planner.study.uncertainty.stress import StressTests
from pricing.belief.constants import EstimateConstants
from pricing.feeds.gate_constants import ValidationConstants
from pricing.schema import Schema, editor_schema

# One record holds what stands in two files: the fitted constants, and all else.
_FITTED = ("fit", "constants", "bands", "spread")
_NOT_FITTED = tuple(name for name in serving.Known.model_fields if name not in _FITTED)

SCHEMAS: dict[str, Callable[[], Schema]] = {
    "answer": answer_schema,
    "stress": partial(editor_schema, StressTests),
    "uses": partial(editor_schema, GpuUses),
    "futures": partial(editor_schema, FuturesAssumptions),
    "belief": partial(editor_schema, EstimateConstants),
    "gate": partial(editor_schema, ValidationConstants),
    "network": partial(editor_schema, Network),
    "goodput": partial(editor_schema, TeamEfficiencyData),
    "own_runs": partial(editor_schema, OwnRunWeights),
    "training_constants": training_constants_schema,
    "training_stacks": partial(editor_schema, SoftwareStackData),
    "vision_training": partial(editor_schema, ImageTrainingResult),
    "serving_constants": partial(editor_schema, serving.Known, only=("about", *_FITTED)),
    "serving_engines": partial(editor_schema, serving.Known, only=_NOT_FITTED),
}
