"""Training: does a job fit, how fast is it, how long does it take."""

from planner.scenario.jobs import TrainingJob
from planner.speed.hardware import InvalidJobError
from planner.speed.training.constants import TrainingCalibration
from planner.speed.training.result import TrainingResult
from planner.speed.training.train import train

__all__ = ["InvalidJobError", "TrainingCalibration", "TrainingJob", "TrainingResult", "train"]
