"""Training: does a job fit, how fast is it, how long does it take."""

from planner.scenario.training_job import TrainingJob
from planner.speed.hardware import BadJob
from planner.speed.training.constants import TrainingCalibration
from planner.speed.training.result import Training
from planner.speed.training.train import train

__all__ = ["BadJob", "Training", "TrainingCalibration", "TrainingJob", "train"]
