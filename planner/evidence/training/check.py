"""Training runs beside their predictions, and jobs corrected by runs that somebody measured."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from planner.evidence.checked import (
    CheckedRun,
    CorrectedJob,
    OwnRun,
    check_rows,
    compared,
    empty_check,
    factors,
    with_factors,
)
from planner.evidence.plausible import memory_figure
from planner.evidence.table import TRAINING, Row, text
from planner.evidence.training.rows import TrainingRun, read_run
from planner.scenario.amounts import count
from planner.scenario.jobs import TrainingJob
from planner.speed.arrays import stack_records
from planner.speed.hardware import InvalidJobError
from planner.speed.pace import canonical_model_name, matching_runs
from planner.speed.training.constants import (
    GUESSED,
    TrainingCalibration,
    default_calibration,
    size_class,
    training_band,
    training_traits,
)
from planner.speed.training.fitting import reduce_to_fit
from planner.speed.training.step import step_s as step_seconds
from pricing import Catalogue, names

Array = NDArray[np.float64]


def check_training(
    catalogue: Catalogue, rows: Iterable[Row], *, calibration: TrainingCalibration | None = None
) -> list[CheckedRun]:
    """Every row with its prediction, in the order of the rows."""
    known = calibration or default_calibration()
    return check_rows(
        rows,
        read=lambda row: read_run(catalogue, row),
        predict=lambda runs: _predict(runs, known),
        told=lambda row, run, numbers: _told(row, run, numbers, known),
        skipped=lambda row, why: _row(row, "skipped").skipped(why),
    )


def _predict(runs: Sequence[TrainingRun], calibration: TrainingCalibration) -> Array:
    """Tokens a second, step time, memory and whether it fits: one line for each run."""
    shape, chip = stack_records([run.shape for run in runs]), stack_records([run.chip for run in runs])
    plan = stack_records([run.plan for run in runs])
    factor = np.array([calibration.chip_factor(run.chip_key, run.family) for run in runs])
    step_s = step_seconds(shape, chip, plan, calibration.constants, chip_factor=factor)
    free = {name: np.array([getattr(run, f"free_{name}") for run in runs]) for name in ("recompute", "shard")}
    # What a table leaves open, its run was free to choose.
    fitted = reduce_to_fit(shape, chip, plan, free=free)
    tokens = plan.tokens_per_step / plan.accelerators / step_s
    # Compared with what the tool behind the published figure counts.
    counted = np.select(
        [[run.counts == kind for run in runs] for kind in ("allocated", "reserved")],
        [fitted.memory.allocated_gb, fitted.memory.reserved_gb],
        fitted.memory.total_gb,
    )
    columns = (tokens, step_s, counted, fitted.fits)
    return np.stack([np.asarray(each, dtype=np.float64) for each in columns], axis=-1)


def _told(row: Row, run: TrainingRun, numbers: Array, known: TrainingCalibration) -> CheckedRun:
    *figures, fits = (float(number) for number in numbers)
    band = training_band(
        training_traits(run.shape, run.plan, run.family), layout_stated=run.layout_stated, calibration=known
    )
    band = (band.or_wider(GUESSED) if run.shape_guessed else band).widened(run.unsaid)
    made = _row(row, "skipped").with_band(dict(zip(TRAINING.predicts, figures, strict=True)), band)
    if made.rate is None:
        return made
    made = replace(
        made, kind=run.kind, accelerator=run.chip_key, chip=run.chip_key, model=run.model, guessed=run.shape_guessed,
        fits=bool(fits),
    )  # fmt: skip
    if not run.observed or not made.rate:
        return made
    off = made.rate / run.observed
    measured = [] if run.figure is None else [(run.figure, 1 / off)]
    if memory := memory_figure(row, run.chip, run.plan, run.chip_key):
        measured.append((memory, memory.value / made.predicted[memory.column]))
    return made.beside(made.rate_column, off).with_doubts(measured)


def _row(row: Row, kind: str) -> CheckedRun:
    return empty_check(row, TRAINING, kind=kind, scale=size_class)


_PRECISIONS = {16.0: "bf16", 8.0: "fp8", 4.0: "fp4"}
OTHER_SIZE = "its size is not that of the model it is called, so it says nothing of either; look at params_b"
NOTHING_MEASURED = "no speed is measured: want tokens_per_s_per_accelerator, or step_time_s with batch and length"


def anchored(
    catalogue: Catalogue, job: TrainingJob, rows: Sequence[Row], *, calibration: TrainingCalibration | None = None
) -> CorrectedJob[TrainingJob]:
    """The job, corrected by measured runs: those of its model and precision on its accelerator, else of others on it.

    What is kept of their median ratio grows with their number and as their spread falls.
    """
    key = names.accelerator(catalogue, job.accelerator)
    found = factors("training", own_training_runs(catalogue, rows, calibration=calibration), source="", day=None)
    there = sorted({one.said.accelerator for one in found.factors})
    if key not in there:
        named = ", ".join(there[:5]) or "none that can be compared"
        raise InvalidJobError(
            f"none of {count(len(found.runs), 'run')} was measured on {key}; want one at least; there are: {named}"
        )
    return with_factors(catalogue, job, key, found, matching_runs)


def own_training_runs(
    catalogue: Catalogue, rows: Sequence[Row], *, calibration: TrainingCalibration | None = None
) -> tuple[OwnRun, ...]:
    """Each row beside what is predicted of it, in tokens a second of each accelerator."""
    found = check_training(catalogue, rows, calibration=calibration)
    return tuple(_run(catalogue, row, one) for row, one in zip(rows, found, strict=True))


def _run(catalogue: Catalogue, row: Row, one: CheckedRun) -> OwnRun:
    said = text(row, "model")
    run = OwnRun(one.id, one.accelerator, said, unit="tokens/s each", guessed=one.guessed, doubt=one.doubt)
    if one.rate is not None and one.model is None and canonical_model_name(catalogue, said) in catalogue.models:
        return replace(run, unit="", doubt="", why_not=OTHER_SIZE)
    predicted = one.rate
    if predicted is None or one.error is None:
        return replace(run, unit="", doubt="", why_not=one.skipped_reason or one.doubt or NOTHING_MEASURED)
    plan = read_run(catalogue, row).plan
    like = {
        "accelerator": one.accelerator,
        "model": one.model or said,
        "precision": _PRECISIONS[min(float(plan.bits), 16.0)],
        "method": "lora" if plan.trainable_share < 1 else "full",
    }
    return compared(run, predicted=predicted, error=one.error, like=like)
