"""Correction of predicted speed by runs of one's own, and the weight these runs get.

What is kept of their middle, as a logarithm, is n / (n + doubt x (scatter / usual scatter)^2): the more runs, and the
nearer they are to each other, the more. That is the weight of a normal mean against a normal prior of mean zero.

References
----------
B. Efron, C. Morris: Stein's Estimation Rule and Its Competitors. JASA 68 (1973), 117-130.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from planner.scenario.jobs import MeasuredLike, TrainingJob
from planner.scenario.measured import MeasuredRun
from planner.speed.bands import Band
from planner.speed.hardware import read_data
from planner.speed.match_model import find_model_record
from pricing import Catalogue, PricingError, names
from pricing.caching import cached
from pricing.figure import StrictModel, Text

ADAPTERS = ("lora", "qlora")
BITS = {"fp32": 32.0, "tf32": 32.0, "fp16": 16.0, "bf16": 16.0, "fp8": 8.0, "fp4": 4.0}
TENTH_SD = 1.2816  # standard deviations from the middle to the 90th percentile


class OwnRunWeights(StrictModel):
    """Weights of runs of one's own, and the width of the band that they leave."""

    about: Text = Field(description="what this file holds and where it came from")
    usual_scatter: float = Field(gt=0, description="how far a run lies from the middle of its like, as a logarithm")
    worth_runs: float = Field(gt=0, description="how many runs that scatter is worth, until runs themselves say more")
    doubt: dict[str, float] = Field(description="runs of the usual scatter until half of what they say is believed")
    band_left: dict[str, float] = Field(description="what is left of the band of serving, as a power of its ends")


@dataclass(frozen=True)
class SpeedCorrection:
    """Times what is predicted; after which runs, how many, to which power the ends of serving's band are taken."""

    ratio: float = 1.0
    like: MeasuredLike | None = None
    runs: int = 0
    width: float = 1.0
    kept: float = 0.0  # the share of the runs' deviation that is believed to be this team's own

    def narrowed(self, band: Band) -> Band:
        return band.scaled_by_power(self.width)


NO_RUNS = SpeedCorrection()


def training_correction(catalogue: Catalogue, job: TrainingJob, accelerator: str) -> SpeedCorrection:
    """Of a training job on that accelerator: runs of its like, else of others there, of which less is believed."""
    if job.measured_over_predicted is not None:
        return SpeedCorrection(job.measured_over_predicted, job.measured_like, 1, band_left("entered"), 1.0)
    return combine_runs(*matching_runs(catalogue, job, accelerator))


def matching_runs(
    catalogue: Catalogue, job: TrainingJob, accelerator: str
) -> tuple[Sequence[MeasuredRun], MeasuredLike]:
    """The measured factors of a scenario that speak of a job on an accelerator, and what each has in common with it."""
    here = [run for run in job.measured if run.kind == "training" and run.accelerator == accelerator]
    if not here:
        return (), "accelerator"
    model = canonical_model_name(catalogue, job.model)
    bits, method = min(BITS[job.precision], 16.0), "lora" if job.method in ADAPTERS else "full"
    same = [
        run
        for run in here
        if run.model is not None
        and canonical_model_name(catalogue, run.model) == model
        and (run.precision is None or BITS[run.precision] == bits)
        and (run.method is None or run.method == method)
    ]
    return (same, "job") if same else (here, "accelerator")


def canonical_model_name(catalogue: Catalogue, model: str) -> str:
    """A model as it is compared with another: the catalogue's name, else as it is written, loosely."""
    try:
        return find_model_record(catalogue, model)
    except PricingError:
        return names.plain(model)


def combine_runs(entries: Sequence[MeasuredRun], like: MeasuredLike) -> SpeedCorrection:
    """Return what is believed of all of them together."""
    if not entries:
        return NO_RUNS
    runs = np.array([entry.runs for entry in entries])
    logs = np.log([entry.ratio for entry in entries])
    middle = float(np.median(np.repeat(logs, runs)))
    within = np.array([_entry_scatter(entry) for entry in entries])
    scatter = float(np.sqrt(np.average(within**2 + (logs - middle) ** 2, weights=runs)))
    many = int(runs.sum())
    weight = credibility(many, prior_runs(like), scatter)
    return SpeedCorrection(exp(weight * middle), like, many, band_left(like), weight)


def _entry_scatter(entry: MeasuredRun) -> float:
    """Of the runs of an entry, as a logarithm; the usual where it does not say."""
    if entry.low is None or entry.high is None:
        return _own_run_weights().usual_scatter
    return max(log(entry.high / entry.low) / 2 / TENTH_SD, 1e-3)


def run_scatter(errors: ArrayLike) -> float:
    """Return how far runs lie from their middle, drawn to the usual where there are few. [1]"""
    off, weights = np.asarray(errors, dtype=np.float64), _own_run_weights()
    off = off - np.median(off)
    square = weights.worth_runs * weights.usual_scatter**2 + float(off @ off)
    return float(np.sqrt(square / (weights.worth_runs + len(off) - 1)))


def credibility(runs: int, doubt: float, scatter: float | None = None) -> float:
    """Return the weight of a ratio measured in so many runs: 1/2 with as many as `doubt`, of the usual scatter."""
    times = 1.0 if scatter is None else (scatter / _own_run_weights().usual_scatter) ** 2
    return float(runs / (runs + doubt * times))


def prior_runs(like: str) -> float:
    """Return how many runs it takes until half of what they say is believed."""
    return _own_run_weights().doubt[like]


def band_left(like: str) -> float:
    """Return what is left of the band of serving, as a power of its ends."""
    return _own_run_weights().band_left[like]


@cached(1)
def _own_run_weights() -> OwnRunWeights:
    return OwnRunWeights.model_validate(read_data("own_runs.yaml"))
