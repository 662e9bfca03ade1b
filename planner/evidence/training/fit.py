"""Fitting the training constants to runs.

The fit is a penalised least squares on the logarithm of tokens a second: each constant is drawn to its prior, each chip
to its family and each family to 1; runs that no constant explains count less and less; a source with many runs counts
as the square root of their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.evidence.cells import Row, text
from planner.evidence.least_squares import Array, Steps, least
from planner.evidence.left_out import ErrorsWithout, without_each
from planner.evidence.table import Skipped
from planner.evidence.training.rows import TrainingRun, read_run
from planner.network.network import Network
from planner.speed.arrays import stacked, taken
from planner.speed.data_files import read_data
from planner.speed.hardware import Hardware
from planner.speed.training.constants import NAMES, TrainingCalibration, TrainingConstants
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.step import tokens_per_s
from pricing import Catalogue

Mask = NDArray[np.bool_]
_FEWEST = 30  # runs that a fit must be left with
CHIP_SD, FAMILY_SD = 0.10, 0.10
# An error of this size is usual, in logarithms; beyond `OUTLIER` a run pulls no harder than one that size.
NOISE, OUTLIER = 0.15, 0.2
_STEP, _TRIES = 1e-4, 12
_ROUNDS, _ROUNDS_WITHOUT, _ROUNDS_FROM_ALL = 40, 15, 5  # of all runs, of some, and of some from a fit to all


@dataclass(frozen=True)
class Sample:
    """Runs with what was measured, as arrays; `block` is what is left out together when the fit is judged."""

    runs: tuple[TrainingRun, ...]
    shape: Network
    chip: Hardware
    plan: TrainingPlan
    log_observed: Array
    source: NDArray[np.str_]
    block: NDArray[np.str_]
    usable: Mask

    def at(self, index: Mask) -> Sample:
        """Some of the runs."""
        runs = tuple(run for run, kept in zip(self.runs, index, strict=True) if kept)
        return replace(taken(self, index), runs=runs)


@dataclass(frozen=True)
class Prior:
    """What is believed before any run is seen, in logarithms."""

    chips: tuple[str, ...]
    families: tuple[str, ...]
    centre: Array
    sd: Array


def sample_of(catalogue: Catalogue, rows: Iterable[Row]) -> Sample:
    """The rows that can be predicted and compared."""
    runs, blocks, said = list[TrainingRun](), list[str](), read_data("training_constants.yaml")
    for row in rows:
        try:
            run = read_run(catalogue, row)
        except Skipped:
            continue
        if run.observed is not None:
            runs.append(run)
            # A source that holds nearly all mixtures is left out model by model: without it nothing is known of them.
            whole = run.source not in said["left_out_by_model"]
            blocks.append(run.source if whole else f"{run.source}: {text(row, 'model')}")
    return Sample(
        tuple(runs), stacked([run.shape for run in runs]), stacked([run.chip for run in runs]),
        stacked([run.plan for run in runs]), np.log([run.observed or 0.0 for run in runs]),
        np.array([run.source for run in runs]), np.array(blocks),
        np.array([run.id not in said["not_fitted"] and not run.mixture_guessed for run in runs]),
    )  # fmt: skip


def refit(catalogue: Catalogue, rows: Iterable[Row]) -> TrainingCalibration:
    """Constants fitted to these rows; those the rows say nothing about stay at what is believed of them."""
    sample = sample_of(catalogue, rows)
    prior = prior_for(sample.runs)
    return as_calibration(fitted(sample, prior), prior)


def without_its_source(sample: Sample, start: Array) -> Array:
    """Every run's error by a fit without its block, begun at one to all of them."""
    prior = prior_for(sample.runs)

    def errors(out: Mask) -> Array:
        return _errors(fitted(sample, prior, out, start=start, rounds=_ROUNDS_FROM_ALL), sample.at(out), prior)

    return without_each(sample.block, errors)


def errors_without(sample: Sample) -> ErrorsWithout:
    """The errors of some runs by a fit to all others; not numbers where too few are left."""
    prior = prior_for(sample.runs)

    def errors(out: Mask) -> Array:
        if int((sample.usable & ~out).sum()) < _FEWEST:
            return np.full(int(out.sum()), np.nan)
        return _errors(fitted(sample, prior, out, rounds=_ROUNDS_WITHOUT), sample.at(out), prior)

    return errors


def prior_for(runs: Sequence[TrainingRun]) -> Prior:
    """Beliefs about every constant, chip and family there is."""
    data = read_data("training_constants.yaml")
    chips = tuple(sorted({run.chip_key for run in runs}))
    families = tuple(sorted({run.family for run in runs}))
    believed: Mapping[str, float] = data["family_priors"]
    family_centre = [np.log(believed.get(family, 1.0)) for family in families]
    entries = [data["constants"][name] for name in NAMES]
    zeros = np.zeros(len(chips))
    return Prior(
        chips, families,
        centre=np.concatenate([np.log([entry["prior"] for entry in entries]), zeros, family_centre]),
        sd=np.concatenate([
            [entry["sd"] for entry in entries], zeros + CHIP_SD, np.full(len(families), FAMILY_SD)
        ]),
    )  # fmt: skip


def fitted(
    sample: Sample, prior: Prior, out: Mask | None = None, *, start: Array | None = None, rounds: int = _ROUNDS
) -> Array:
    """The constants with the least penalised error over the usable runs that are not left out."""
    kept = sample.at(sample.usable if out is None else sample.usable & ~out)
    steps = Steps(rounds=rounds, tries=_TRIES, shorter=10, least_damping=1e-6, enough=1e-3)
    return least(_Problem(kept, prior), prior.centre if start is None else start, steps)


class _Problem:
    """The least squares to solve, in logarithms of constants, chips and families."""

    def __init__(self, sample: Sample, prior: Prior) -> None:
        self.sample, self.prior = sample, prior
        counts = Counter(sample.block.tolist())
        self.weight = np.array([counts[block] ** -0.5 for block in sample.block.tolist()])

    def errors(self, place: Array) -> Array:
        """How far off each run is there."""
        return _errors(place, self.sample, self.prior)

    def cost(self, errors: Array, place: Array) -> float:
        """What is made small."""
        spread = 2 * OUTLIER**2 * (np.sqrt(1 + (errors / OUTLIER) ** 2) - 1) / NOISE**2
        return float(np.sum(self.weight * spread) + np.sum(((place - self.prior.centre) / self.prior.sd) ** 2))

    def around(self, place: Array, errors: Array) -> tuple[Array, Array]:
        """Curvature and the way down there."""
        slope = self._slope(place)
        pull = self.weight / np.sqrt(1 + (errors / OUTLIER) ** 2) / NOISE**2
        curve = slope.T @ (slope * pull[:, None]) + np.diag(1 / self.prior.sd**2)
        return curve, -(slope.T @ (pull * errors) + (place - self.prior.centre) / self.prior.sd**2)

    def _slope(self, place: Array) -> Array:
        """How the logarithm of each prediction moves with each constant."""
        base = predicted(place, self.sample, self.prior)
        slope = np.zeros((len(base), len(place)))

        def moved(columns: int | slice) -> Array:
            there = place.copy()
            there[columns] += _STEP
            return (predicted(there, self.sample, self.prior) - base) / _STEP

        for column in range(len(NAMES)):
            slope[:, column] = moved(column)
        first = len(NAMES) + len(self.prior.chips)
        by_chip = moved(slice(len(NAMES), first))
        chip, family = _indices(self.sample, self.prior)
        rows = np.arange(len(base))
        slope[rows, len(NAMES) + chip] = by_chip
        slope[rows, first + family] = by_chip
        return slope


def _errors(place: Array, sample: Sample, prior: Prior) -> Array:
    return predicted(place, sample, prior) - sample.log_observed


def predicted(theta: Array, sample: Sample, prior: Prior) -> Array:
    """Logarithm of the predicted tokens a second."""
    constants = TrainingConstants(**dict(zip(NAMES, np.exp(theta[: len(NAMES)]), strict=True)))
    chip, family = _indices(sample, prior)
    first = len(NAMES) + len(prior.chips)
    factor = np.exp(theta[len(NAMES) : first][chip] + theta[first:][family])
    rate = tokens_per_s(sample.shape, sample.chip, sample.plan, constants, chip_factor=factor)
    return np.asarray(np.log(rate), dtype=np.float64)


def _indices(sample: Sample, prior: Prior) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    chips = {name: index for index, name in enumerate(prior.chips)}
    families = {name: index for index, name in enumerate(prior.families)}
    return (
        np.array([chips[run.chip_key] for run in sample.runs]),
        np.array([families[run.family] for run in sample.runs]),
    )


def as_calibration(theta: Array, prior: Prior) -> TrainingCalibration:
    """The fitted numbers under their names."""
    first, second = len(NAMES), len(NAMES) + len(prior.chips)
    values = np.exp(theta)
    return TrainingCalibration(
        TrainingConstants(**{name: float(value) for name, value in zip(NAMES, values[:first], strict=True)}),
        {name: float(value) for name, value in zip(prior.chips, values[first:second], strict=True)},
        {name: float(value) for name, value in zip(prior.families, values[second:], strict=True)},
    )
