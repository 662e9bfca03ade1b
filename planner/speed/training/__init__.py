"""Training: does a job fit, how fast is it, how long does it take; and how far off we are on published runs."""

from planner.scenario.training_job import TrainingJob
from planner.speed.refused import BadJob
from planner.speed.training.anchor import Anchored, anchored
from planner.speed.training.calibration import leave_one_source_out, refit
from planner.speed.training.calibration_file import calibration_in
from planner.speed.training.check import TrainingChecked, check_training
from planner.speed.training.constants import TrainingCalibration
from planner.speed.training.result import Training
from planner.speed.training.train import train

__all__ = [
    "Anchored",
    "BadJob",
    "Training",
    "TrainingCalibration",
    "TrainingChecked",
    "TrainingJob",
    "anchored",
    "calibration_in",
    "check_training",
    "leave_one_source_out",
    "refit",
    "train",
]  # fmt: skip
