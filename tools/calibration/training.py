"""Fitting the constants of the training model to runs, and writing them with the bands that the fit leaves.

The fit is a penalised least squares on the logarithm of tokens a second: each constant is drawn to its prior, each chip
to its family and each family to 1; runs that no constant explains count less and less; a source with many runs counts
as the square root of their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.evidence.plausible import is_possible
from planner.evidence.table import Row, SkippedRunError, text
from planner.evidence.training.rows import TrainingRun, read_run
from planner.network.network import Network
from planner.speed.arrays import stack_records, take_entries
from planner.speed.bands import Band, ErrorSpread, Level
from planner.speed.hardware import Hardware, read_data
from planner.speed.pace import credibility, prior_runs, run_scatter
from planner.speed.training.constants import NAMES, TrainingCalibration, TrainingConstants, training_traits
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.step import tokens_per_s
from pricing import Catalogue
from tools.calibration.constants_text import constants_text, level_lines
from tools.calibration.cross_validation import (
    ErrorsWithout,
    band_from_errors,
    bands_by_group,
    check_enough_sources,
    leave_one_group_out_errors,
)
from tools.calibration.error_spread import FittedRuns
from tools.calibration.fit import KindFit
from tools.calibration.least_squares import Array, LeastSquaresProblem, SolverSettings, minimize
from tools.calibration.levels import fitted_levels, leveled
from tools.calibration.noise_floor import Measurement

Mask = NDArray[np.bool_]
_FEWEST = 30  # runs that a fit must be left with
CHIP_SD, FAMILY_SD = 0.10, 0.10
FEWEST = 25  # runs that tell how wide a band is
_ALWAYS = ("moe", "dense_layout_stated", "dense_layout_chosen")
COMMAND = "python -m tools.calibrate training"
# An error of this size is usual, in logarithms; beyond `OUTLIER` a run pulls no harder than one that size.
NOISE, OUTLIER = 0.15, 0.2
_NUDGE, _TRIES = 1e-4, 12
_ROUNDS, _ROUNDS_WITHOUT, _ROUNDS_FROM_ALL = 40, 15, 5  # of all runs, of some, and of some from a fit to all


@dataclass(frozen=True)
class TrainingSample:
    """Runs with what was measured, as arrays; `block` is what is left out together when the fit is judged."""

    runs: tuple[TrainingRun, ...]
    shape: Network
    chip: Hardware
    plan: TrainingPlan
    log_observed: Array
    source: NDArray[np.str_]
    block: NDArray[np.str_]
    usable: Mask
    level: NDArray[np.str_]  # by what its level is known
    setup: NDArray[np.int_]  # source, month of the software, chip and model, by number: what shares one level

    def at(self, index: Mask) -> TrainingSample:
        """Some of the runs."""
        runs = tuple(run for run, kept in zip(self.runs, index, strict=True) if kept)
        return replace(take_entries(self, index), runs=runs)


@dataclass(frozen=True)
class TrainingPrior:
    """Return the prior, in logarithms."""

    chips: tuple[str, ...]
    families: tuple[str, ...]
    centre: Array
    sd: Array


def build_sample(catalogue: Catalogue, rows: Iterable[Row]) -> TrainingSample:
    """The rows that can be predicted and compared."""
    runs, blocks, said = list[TrainingRun](), list[str](), read_data("training_constants.yaml")
    for row in rows:
        try:
            run = read_run(catalogue, row)
        except SkippedRunError:
            continue
        if run.observed is not None:
            runs.append(run)
            # A source that holds nearly all mixtures is left out model by model: without it nothing is known of them.
            whole = run.source not in said["left_out_by_model"]
            blocks.append(run.source if whole else f"{run.source}: {text(row, 'model')}")
    return TrainingSample(
        tuple(runs), stack_records([run.shape for run in runs]), stack_records([run.chip for run in runs]),
        stack_records([run.plan for run in runs]), np.log([run.observed or 0.0 for run in runs]),
        np.array([run.source for run in runs]), np.array(blocks),
        np.array(  # of a mixture of which only the sizes are known there is too little to learn
            [
                run.id not in said["not_fitted"]
                and (run.figure is None or is_possible(run.figure))
                and not (run.shape_guessed and float(run.shape.moe_layers) > 0)
                for run in runs
            ]
        ),
        np.array([run.level for run in runs]),
        np.unique([f"{run.source} {float(run.plan.year):.1f} {run.level}" for run in runs], return_inverse=True)[1],
    )  # fmt: skip


def refit(catalogue: Catalogue, rows: Iterable[Row]) -> TrainingCalibration:
    """Constants fitted to these rows; those the rows say nothing about stay at what is believed of them."""
    sample = build_sample(catalogue, rows)
    prior = build_prior(sample.runs)
    return to_calibration(fitted(sample, prior), prior)


def leave_source_out_errors(sample: TrainingSample, start: Array) -> Array:
    """Every run's error by a fit without its block, begun at one to all of them."""
    return leave_one_group_out_errors(sample.block, errors_without(sample, start))


def errors_without(sample: TrainingSample, start: Array | None = None) -> ErrorsWithout:
    """The errors of some runs by a fit to all others, begun at `start` if that is one to all of them.

    Not numbers where too few are left.
    """
    prior, rounds = build_prior(sample.runs), _ROUNDS_WITHOUT if start is None else _ROUNDS_FROM_ALL

    def errors(out: Mask) -> Array:
        if start is None and int((sample.usable & ~out).sum()) < _FEWEST:
            return np.full(int(out.sum()), np.nan)
        place, held = fitted(sample, prior, out, start=start, rounds=rounds), sample.at(out)
        return leveled(
            _errors(place, held, prior), held.level, levels_of(sample.at(sample.usable & ~out), place, prior)
        )

    return errors


def levels_of(sample: TrainingSample, place: Array, prior: TrainingPrior) -> dict[str, Level]:
    """Return the levels that runs show beside the constants."""
    return fitted_levels(sample.level, sample.setup, _errors(place, sample, prior))


def traits_in(sample: TrainingSample) -> FittedRuns:
    """By what its runs are like each other."""
    traits = [training_traits(run.shape, run.plan, run.family) for run in sample.runs]
    return FittedRuns.of(traits, sample.block, sample.usable, sample.level)


def build_prior(runs: Sequence[TrainingRun]) -> TrainingPrior:
    """Beliefs about every constant, chip and family there is."""
    data = read_data("training_constants.yaml")
    chips = tuple(sorted({run.chip_key for run in runs}))
    families = tuple(sorted({run.family for run in runs}))
    believed: Mapping[str, float] = data["family_priors"]
    family_centre = [np.log(believed.get(family, 1.0)) for family in families]
    entries = [data["constants"][name] for name in NAMES]
    zeros = np.zeros(len(chips))
    return TrainingPrior(
        chips, families,
        centre=np.concatenate([np.log([entry["prior"] for entry in entries]), zeros, family_centre]),
        sd=np.concatenate([
            [entry["sd"] for entry in entries], zeros + CHIP_SD, np.full(len(families), FAMILY_SD)
        ]),
    )  # fmt: skip


def fitted(
    sample: TrainingSample,
    prior: TrainingPrior,
    out: Mask | None = None,
    *,
    start: Array | None = None,
    rounds: int = _ROUNDS,
) -> Array:
    """The constants with the least penalised error over the usable runs that are not left out."""
    kept = sample.at(sample.usable if out is None else sample.usable & ~out)
    steps = SolverSettings(rounds=rounds, tries=_TRIES, shorter=10, least_damping=1e-6, enough=1e-3)
    counts = Counter(kept.block.tolist())
    problem = LeastSquaresProblem(
        errors=lambda place: _errors(place, kept, prior), slope=lambda place: _slope(place, kept, prior),
        weight=np.array([counts[block] ** -0.5 for block in kept.block.tolist()]) / NOISE**2,
        centre=prior.centre, sd=prior.sd, outlier=OUTLIER,
    )  # fmt: skip
    return minimize(problem, prior.centre if start is None else start, steps)


def _slope(place: Array, sample: TrainingSample, prior: TrainingPrior) -> Array:
    """Return the derivative of the logarithm of each prediction by each constant."""
    base = predicted(place, sample, prior)
    slope = np.zeros((len(base), len(place)))

    def moved(columns: int | slice) -> Array:
        there = place.copy()
        there[columns] += _NUDGE
        return (predicted(there, sample, prior) - base) / _NUDGE

    for column in range(len(NAMES)):
        slope[:, column] = moved(column)
    first = len(NAMES) + len(prior.chips)
    by_chip = moved(slice(len(NAMES), first))
    chip, family = _indices(sample, prior)
    rows = np.arange(len(base))
    slope[rows, len(NAMES) + chip] = by_chip
    slope[rows, first + family] = by_chip
    return slope


def _errors(place: Array, sample: TrainingSample, prior: TrainingPrior) -> Array:
    return predicted(place, sample, prior) - sample.log_observed


def predicted(theta: Array, sample: TrainingSample, prior: TrainingPrior) -> Array:
    """Logarithm of the predicted tokens a second."""
    constants = TrainingConstants(**dict(zip(NAMES, np.exp(theta[: len(NAMES)]), strict=True)))
    chip, family = _indices(sample, prior)
    first = len(NAMES) + len(prior.chips)
    factor = np.exp(theta[len(NAMES) : first][chip] + theta[first:][family])
    rate = tokens_per_s(sample.shape, sample.chip, sample.plan, constants, chip_factor=factor)
    return np.asarray(np.log(rate), dtype=np.float64)


def _indices(sample: TrainingSample, prior: TrainingPrior) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    chips = {name: index for index, name in enumerate(prior.chips)}
    families = {name: index for index, name in enumerate(prior.families)}
    return (
        np.array([chips[run.chip_key] for run in sample.runs]),
        np.array([families[run.family] for run in sample.runs]),
    )


def to_calibration(
    theta: Array, prior: TrainingPrior, levels: Mapping[str, Level] | None = None
) -> TrainingCalibration:
    """The fitted numbers under their names."""
    first, second = len(NAMES), len(NAMES) + len(prior.chips)
    values = np.exp(theta)
    return TrainingCalibration(
        TrainingConstants(**{name: float(value) for name, value in zip(NAMES, values[:first], strict=True)}),
        {name: float(value) for name, value in zip(prior.chips, values[first:second], strict=True)},
        {name: float(value) for name, value in zip(prior.families, values[second:], strict=True)},
        levels=levels or {},
    )


def fit_of(catalogue: Catalogue, rows: Iterable[Row]) -> KindFit:
    """Return the fit to all runs, beside each run's error by a fit without its source."""
    sample = build_sample(catalogue, rows)
    check_enough_sources("training", sample.source)
    prior = build_prior(sample.runs)
    best = fitted(sample, prior)
    errors = leave_source_out_errors(sample, best)
    seen = zip(sample.runs, errors, sample.usable, strict=True)
    bands = training_bands(sample, errors)
    return KindFit(
        traits_in(sample), errors_without(sample, best),
        [(run.kind, run.source, float(error)) for run, error, usable in seen if usable],
        lambda spread, on: training_file(
            to_calibration(best, prior, levels_of(sample.at(sample.usable), best, prior)), bands, spread, sample, on=on
        ),
        [
            _measurement(sample.runs[at], float(errors[at])) for at in np.flatnonzero(sample.usable).tolist()
        ],
    )  # fmt: skip


def _measurement(run: TrainingRun, error: float) -> Measurement:
    shape, plan = run.shape, run.plan
    same = replace(plan, seq_len=0.0, global_batch=0.0, micro_batch=0.0, year=0.0)
    return Measurement(
        run.kind, run.source, (shape.params, shape.layers, shape.hidden, run.chip_key, *map(str, astuple(same))),
        (float(plan.seq_len), float(plan.global_batch), float(plan.micro_batch)), float(np.log(run.observed or 0.0)),
        error,
    )  # fmt: skip


def training_bands(sample: TrainingSample, errors: Array) -> dict[str, Band]:
    """A band for each kind and each chip, and for what one's own runs leave of the errors."""
    names = [
        (run.kind, f"chip/{run.chip_key}") if usable else ()
        for run, usable in zip(sample.runs, sample.usable, strict=True)
    ]
    bands = bands_by_group(names, errors, tells=_is_informative)
    own = {f"own_runs/{like}": left for like, left in own_run_errors(sample, errors).items()}
    bands |= {name: band_from_errors(left) for name, left in own.items() if _is_informative(name, len(left))}
    return dict(sorted(bands.items()))


def _is_informative(name: str, runs: int) -> bool:
    return runs >= FEWEST or name in _ALWAYS


def own_run_errors(sample: TrainingSample, errors: Array) -> dict[str, list[float]]:
    """Return the rest of each error after correction by the other runs of its source, as own runs would correct it."""
    rows = [int(number) for number in np.flatnonzero(sample.usable & np.isfinite(errors))]
    groups: dict[tuple[object, ...], list[int]] = {}
    for number in rows:
        groups.setdefault(_setting(sample, number), []).append(number)
    left: dict[str, list[float]] = {}
    for members in groups.values():
        for number in members:
            same = [each for each in members if each != number and _job(sample, each) == _job(sample, number)]
            other = [each for each in members if _job(sample, each) != _job(sample, number)]
            for like, others in (("job", same), ("accelerator", other)):
                if others:
                    kept = credibility(len(others), prior_runs(like), run_scatter(errors[others]))
                    name = f"{like}/{sample.runs[number].kind}"
                    left.setdefault(name, []).append(float(errors[number] - kept * np.median(errors[others])))
    return left


def _setting(sample: TrainingSample, number: int) -> tuple[object, ...]:
    run = sample.runs[number]
    return run.source, run.chip_key, float(run.plan.bits)


def _job(sample: TrainingSample, number: int) -> tuple[object, ...]:
    shape, plan = sample.runs[number].shape, sample.runs[number].plan
    return float(shape.params), float(shape.layers), float(shape.hidden), plan.trainable_share < 1


def training_file(
    calibration: TrainingCalibration,
    bands: Mapping[str, Band],
    spread: ErrorSpread | None,
    sample: TrainingSample,
    *,
    on: date,
) -> str:
    """Return the whole of training_constants.yaml with these values; priors and meanings stay as they are."""
    data = read_data("training_constants.yaml")
    head = [
        "# yaml-language-server: $schema=../../../schemas/training_constants.json",
        f'about: "{data["about"]}"', "fitted:", f"  on: {on.isoformat()}", f"  runs: {int(sample.usable.sum())}",
        f"  sources: {len(set(sample.source.tolist()))}", f'  command: "{COMMAND}"',
        '  from: "published training runs of tiers A and B, planner/speed/data/training_runs.csv"', "",
    ]  # fmt: skip
    constants = {
        name: {
            "value": _plain(getattr(calibration.constants, name)), "prior": _plain(known["prior"]),
            "sd": _plain(known["sd"]), "meaning": f'"{known["meaning"]}"',
        }
        for name, known in ((name, data["constants"][name]) for name in NAMES)
    }  # fmt: skip
    lines = []
    for section, what in {"chips": "chip, on top of its family's", "families": "family of chips"}.items():
        lines += ["", f"# What each {what}, reaches of the constants, drawn hard to 1.", f"{section}:"]
        lines += [f"  {name}: {factor:.3f}" for name, factor in getattr(calibration, section).items()]
    lines += [
        "", "# Beliefs about families that data sheets flatter: what large products were measured to reach.",
        f"family_priors: {{{', '.join(f'{k}: {v}' for k, v in data['family_priors'].items())}}}",
        "", "# Judged by models instead of as a whole: without it hardly a mixture is left.",
        f"left_out_by_model: [{', '.join(data['left_out_by_model'])}]",
        "", "# Runs that contradict physics or themselves.", "not_fitted:",
        *(f"  {run}: {why}" for run, why in data["not_fitted"].items()),
        "", "# Published over predicted where its source was left out: 10th and 90th percentile.",
    ]  # fmt: skip
    lines += ["", *level_lines(calibration.levels)]
    return constants_text(head, constants, lines, bands=bands, spread=spread)


def _plain(value: float) -> str:
    text = f"{float(value):.4g}"
    return text if "e" not in text else f"{float(value):.12f}".rstrip("0")
