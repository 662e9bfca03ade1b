"""Training runs compared with predictions, and jobs corrected by measured runs."""

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
    """Return every row with its prediction, in order."""
    calibration = calibration or default_calibration()
    return check_rows(
        rows,
        read=lambda row: read_run(catalogue, row),
        predict=lambda runs: _predict(runs, calibration),
        check=lambda row, run, numbers: _check(row, run, numbers, calibration),
        skipped=lambda row, reason: empty_check(row, TRAINING, kind="skipped", scale=size_class).skipped(reason),
    )


def _predict(runs: Sequence[TrainingRun], calibration: TrainingCalibration) -> Array:
    """Return tokens/s, step time, memory and whether it fits: one row for each run."""
    shape, chip = stack_records([run.shape for run in runs]), stack_records([run.chip for run in runs])
    plan = stack_records([run.plan for run in runs])
    factor = np.array([calibration.chip_factor(run.chip_key, run.family) for run in runs])
    level = np.array([calibration.level(run.level) for run in runs])
    step_s = step_seconds(shape, chip, plan, calibration.constants, chip_factor=factor, pace=level)
    free = {name: np.array([getattr(run, f"free_{name}") for run in runs]) for name in ("recompute", "shard")}
    fitted = reduce_to_fit(shape, chip, plan, free=free)  # a run was free to choose settings that are not stated
    tokens = plan.tokens_per_step / plan.accelerators / step_s
    # Compared with the count of the tool that measured the published figure.
    memory_gb = np.select(
        [[run.counts == kind for run in runs] for kind in ("allocated", "reserved")],
        [fitted.memory.allocated_gb, fitted.memory.reserved_gb],
        fitted.memory.total_gb,
    )
    columns = (tokens, step_s, memory_gb, fitted.fits)
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=-1)


def _check(row: Row, run: TrainingRun, numbers: Array, calibration: TrainingCalibration) -> CheckedRun:
    *figures, fits = numbers.tolist()
    traits = training_traits(run.shape, run.plan, run.family)
    band = training_band(traits, layout_stated=run.layout_stated, calibration=calibration, level=run.level)
    band = (band.or_wider(GUESSED) if run.shape_guessed else band).widened(run.unsaid)
    checked = empty_check(row, TRAINING, kind="skipped", scale=size_class)
    checked = checked.with_band(dict(zip(TRAINING.predicts, figures, strict=True)), band)
    if checked.rate is None:
        return checked
    checked = replace(
        checked, kind=run.kind, accelerator=run.chip_key, chip=run.chip_key, model=run.model,
        guessed=run.shape_guessed, fits=bool(fits),
    )  # fmt: skip
    if not run.observed or not checked.rate:
        return checked
    ratio = checked.rate / run.observed
    measured = [] if run.figure is None else [(run.figure, 1 / ratio)]
    if memory := memory_figure(row, run.chip, run.plan, run.chip_key):
        measured.append((memory, memory.value / checked.predicted[memory.column]))
    return checked.with_error(checked.rate_column, ratio).with_doubts(measured)


_PRECISIONS = {16.0: "bf16", 8.0: "fp8", 4.0: "fp4"}
OTHER_SIZE = "its size is not that of the model it names, so it tells nothing of either; check params_b"
NOTHING_MEASURED = "no speed is measured: want tokens_per_s_per_accelerator, or step_time_s with batch and length"


def anchored(
    catalogue: Catalogue, job: TrainingJob, rows: Sequence[Row], *, calibration: TrainingCalibration | None = None
) -> CorrectedJob[TrainingJob]:
    """Return the job corrected by measured runs: of its model and precision on its accelerator, else of others on it.

    The more runs and the less they spread, the more of their median ratio is applied.
    """
    key = names.accelerator(catalogue, job.accelerator)
    table = factors("training", own_training_runs(catalogue, rows, calibration=calibration), source="", day=None)
    measured = sorted({fitted.run.accelerator for fitted in table.factors})
    if key not in measured:
        others = ", ".join(measured[:5]) or "none that can be compared"
        raise InvalidJobError(
            f"none of {count(len(table.runs), 'run')} was measured on {key}; want at least one; available: {others}"
        )
    return with_factors(catalogue, job, key, table, matching_runs)


def own_training_runs(
    catalogue: Catalogue, rows: Sequence[Row], *, calibration: TrainingCalibration | None = None
) -> tuple[OwnRun, ...]:
    """Return each row with its prediction, in tokens/s of each accelerator."""
    checked = check_training(catalogue, rows, calibration=calibration)
    return tuple(_own_run(catalogue, row, run) for row, run in zip(rows, checked, strict=True))


def _own_run(catalogue: Catalogue, row: Row, checked: CheckedRun) -> OwnRun:
    model, rate = text(row, "model"), checked.rate
    run = OwnRun(
        checked.id, checked.accelerator, model, unit="tokens/s each", guessed=checked.guessed, doubt=checked.doubt
    )
    if rate is not None and checked.model is None and canonical_model_name(catalogue, model) in catalogue.models:
        return replace(run, unit="", doubt="", why_not=OTHER_SIZE)
    if rate is None or checked.error is None:
        return replace(run, unit="", doubt="", why_not=checked.skipped_reason or checked.doubt or NOTHING_MEASURED)
    plan = read_run(catalogue, row).plan
    like = {
        "accelerator": checked.accelerator,
        "model": checked.model or model,
        "precision": _PRECISIONS[min(float(plan.bits), 16.0)],
        "method": "lora" if plan.trainable_share < 1 else "full",
    }
    return compared(run, predicted=rate, error=checked.error, like=like)
