"""Fitting the constants to runs, and judging the fit by runs it has not seen.

The fit is a penalised least squares on the logarithm of tokens a second: each constant is drawn to its prior, each chip
to its family and each family to 1; runs that no constant explains count less and less; a source with many runs counts
as the square root of their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.evidence.cells import Row, text
from planner.evidence.table import Skipped
from planner.evidence.training.observed import observed_tokens_per_s
from planner.evidence.training.rows import Reader, TrainingRun
from planner.network.network import Network
from planner.speed.arrays import stacked, taken
from planner.speed.data_files import read_data
from planner.speed.hardware import Hardware
from planner.speed.training.constants import NAMES, TrainingCalibration, TrainingConstants
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.step import tokens_per_s
from pricing import Catalogue

Array = NDArray[np.float64]
HALVES, SEED = 10, 1  # draws of half of the sources
_FEWEST = 30  # runs that a fit must be left with
_ROUNDS_WITHOUT = 15  # of a fit without some of them
CHIP_SD, FAMILY_SD = 0.10, 0.10
# An error of this size is usual, in logarithms; beyond `OUTLIER` a run pulls no harder than one that size.
NOISE, OUTLIER = 0.15, 0.2
_STEP, _ROUNDS, _LONGEST_STEP = 1e-4, 40, 0.7
_GIVE_UP = 1e6


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
    usable: NDArray[np.bool_]

    def at(self, index: NDArray[np.bool_]) -> Sample:
        """Some of the runs."""
        runs = tuple(run for run, kept in zip(self.runs, index, strict=True) if kept)
        return Sample(
            runs, taken(self.shape, index), taken(self.chip, index), taken(self.plan, index),
            self.log_observed[index], self.source[index], self.block[index], self.usable[index],
        )  # fmt: skip


@dataclass(frozen=True)
class Prior:
    """What is believed before any run is seen, in logarithms."""

    chips: tuple[str, ...]
    families: tuple[str, ...]
    centre: Array
    sd: Array


def sample_of(catalogue: Catalogue, rows: Iterable[Row]) -> Sample:
    """The rows that can be predicted and compared."""
    reader, runs, observed, blocks = Reader(catalogue), list[TrainingRun](), list[float](), list[str]()
    for row in rows:
        try:
            run = reader.run(row)
        except Skipped:
            continue
        measured = observed_tokens_per_s(row, run)
        if measured is None:
            continue
        runs.append(run)
        observed.append(np.log(measured))
        # A source that holds nearly all mixtures is left out model by model: without it nothing is known of them.
        whole = run.source not in read_data("training_constants.yaml")["left_out_by_model"]
        blocks.append(run.source if whole else f"{run.source}: {text(row, 'model')}")
    odd = read_data("training_constants.yaml")["not_fitted"]
    return Sample(
        tuple(runs), stacked([run.shape for run in runs]), stacked([run.chip for run in runs]),
        stacked([run.plan for run in runs]), np.array(observed), np.array([run.source for run in runs]),
        np.array(blocks), np.array([run.id not in odd and not run.mixture_guessed for run in runs]),
    )  # fmt: skip


def refit(catalogue: Catalogue, rows: Iterable[Row]) -> TrainingCalibration:
    """Constants fitted to these rows; those the rows say nothing about stay at what is believed of them."""
    sample = sample_of(catalogue, rows)
    prior = prior_for(sample.runs)
    theta = fitted(sample.at(sample.usable), prior, prior.centre, rounds=_ROUNDS)
    return as_calibration(theta, prior)


def leave_one_source_out(catalogue: Catalogue, rows: Iterable[Row], *, by: str = "block") -> tuple[Sample, Array]:
    """Every run with its error ln(predicted / observed) from a fit without its source (`block`, `source`) or `chip`."""
    sample = sample_of(catalogue, rows)
    prior = prior_for(sample.runs)
    usable = sample.usable
    full = fitted(sample.at(usable), prior, prior.centre, rounds=_ROUNDS)
    chips = np.array([run.chip_key for run in sample.runs])
    groups = {"block": sample.block, "source": sample.source, "chip": chips}[by]
    errors = np.full(len(sample.runs), np.nan)
    for group in sorted(set(groups)):
        out = groups == group
        theta = fitted(sample.at(usable & ~out), prior, full, rounds=5)
        if by == "chip":
            theta[len(NAMES) + prior.chips.index(group)] = 0.0
        seen = sample.at(out)
        errors[out] = predicted(theta, seen, prior) - seen.log_observed
    return sample, errors


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


def fitted(sample: Sample, prior: Prior, start: Array, *, rounds: int) -> Array:
    """The constants with the least penalised error: Levenberg and Marquardt's steps, reweighted for outliers."""
    counts = Counter(sample.block.tolist())
    weight = np.array([counts[block] ** -0.5 for block in sample.block.tolist()])

    def predict(theta: Array) -> Array:
        return predicted(theta, sample, prior)

    def cost(theta: Array) -> float:
        far = (predict(theta) - sample.log_observed) / OUTLIER
        spread = 2 * OUTLIER**2 * (np.sqrt(1 + far**2) - 1) / NOISE**2
        return float(np.sum(weight * spread) + np.sum(((theta - prior.centre) / prior.sd) ** 2))

    theta, damping, least = start.copy(), 1e-3, cost(start)
    for _ in range(rounds):
        error, slope = predict(theta) - sample.log_observed, _slope(theta, sample, prior)
        pull = weight / np.sqrt(1 + (error / OUTLIER) ** 2) / NOISE**2
        curve = slope.T @ (slope * pull[:, None]) + np.diag(1 / prior.sd**2)
        gradient = slope.T @ (pull * error) + (theta - prior.centre) / prior.sd**2
        theta, damping, found = _down(theta, damping, least, cost, curve, gradient)
        if least - found < 1e-3:
            break
        least = found
    return theta


def _down(
    theta: Array, damping: float, least: float, cost: Callable[[Array], float], curve: Array, gradient: Array
) -> tuple[Array, float, float]:
    """One step that lowers the cost, shortened until it does; or none."""
    while damping < _GIVE_UP:
        step = np.linalg.solve(curve + damping * np.diag(np.diag(curve)), -gradient)
        tried = theta + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        found = cost(tried)
        if found < least:
            return tried, max(damping / 10, 1e-6), found
        damping *= 10
    return theta, damping, least


def _slope(theta: Array, sample: Sample, prior: Prior) -> Array:
    """How the logarithm of each prediction moves with each constant."""
    base = predicted(theta, sample, prior)
    slope = np.zeros((len(base), len(theta)))
    for column in range(len(NAMES)):
        moved = theta.copy()
        moved[column] += _STEP
        slope[:, column] = (predicted(moved, sample, prior) - base) / _STEP
    moved = theta.copy()
    moved[len(NAMES) : len(NAMES) + len(prior.chips)] += _STEP
    by_chip = (predicted(moved, sample, prior) - base) / _STEP
    chip, family = _indices(sample, prior)
    rows = np.arange(len(base))
    slope[rows, len(NAMES) + chip] = by_chip
    slope[rows, len(NAMES) + len(prior.chips) + family] = by_chip
    return slope


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


def without_each(sample: Sample, groups: NDArray[np.str_]) -> Array:
    """Every run's error ln(predicted / observed) from a fit without its group; not a number where too few are left."""
    errors = np.full(len(sample.runs), np.nan)
    for group in sorted(set(groups.tolist())):
        out = np.asarray(groups == group)
        errors[out] = _without(sample, out)
    return errors


def without_halves(sample: Sample, *, times: int = HALVES) -> Array:
    """The same without half of the sources, drawn anew each time: one line for each draw."""
    draw, sources = np.random.default_rng(SEED), np.array(sorted(set(sample.source.tolist())))
    errors = np.full((times, len(sample.runs)), np.nan)
    for line in errors:
        out = np.isin(sample.source, draw.permutation(sources)[: len(sources) // 2])
        line[out] = _without(sample, out)
    return errors


def _without(sample: Sample, out: NDArray[np.bool_]) -> Array:
    kept = sample.usable & ~out
    if int(kept.sum()) < _FEWEST:
        return np.full(int(out.sum()), np.nan)
    prior = prior_for(sample.runs)
    theta = fitted(sample.at(kept), prior, prior.centre, rounds=_ROUNDS_WITHOUT)
    seen = sample.at(out)
    return predicted(theta, seen, prior) - seen.log_observed
