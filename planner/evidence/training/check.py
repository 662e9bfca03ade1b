"""Training runs beside what is predicted of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from planner.evidence.cells import Row
from planner.evidence.checked import Checked, check_rows, unpredicted
from planner.evidence.table import TRAINING
from planner.evidence.training.plausible import memory_in
from planner.evidence.training.rows import TrainingRun, read_run
from planner.speed.arrays import stacked
from planner.speed.training.bands import GUESSED, band_for, scale_of, traits_of
from planner.speed.training.constants import TrainingCalibration, house_calibration
from planner.speed.training.fitting import made_to_fit
from planner.speed.training.step import step_s as step_seconds
from pricing import Catalogue

Array = NDArray[np.float64]


def check_training(
    catalogue: Catalogue, rows: Iterable[Row], *, calibration: TrainingCalibration | None = None
) -> list[Checked]:
    """Every row with its prediction, in the order of the rows."""
    known = calibration or house_calibration()
    return check_rows(
        rows,
        read=lambda row: read_run(catalogue, row),
        predict=lambda runs: _predicted(runs, known),
        told=lambda row, run, numbers: _told(row, run, numbers, known),
        skipped=lambda row, why: _row(row, "skipped").skipped(why),
    )


def _predicted(runs: Sequence[TrainingRun], calibration: TrainingCalibration) -> Array:
    """Tokens a second, step time, memory and whether it fits: one line for each run."""
    shape, chip = stacked([run.shape for run in runs]), stacked([run.chip for run in runs])
    plan = stacked([run.plan for run in runs])
    factor = np.array([calibration.chip_factor(run.chip_key, run.family) for run in runs])
    step_s = step_seconds(shape, chip, plan, calibration.constants, chip_factor=factor)
    free = {name: np.array([getattr(run, f"free_{name}") for run in runs]) for name in ("recompute", "shard")}
    # What a table leaves open, its run was free to choose.
    fitted = made_to_fit(shape, chip, plan, free=free)
    tokens = plan.tokens_per_step / plan.accelerators / step_s
    # Compared with what the tool behind the published figure counts.
    counted = np.select(
        [[run.counts == kind for run in runs] for kind in ("allocated", "reserved")],
        [fitted.memory.allocated_gb, fitted.memory.reserved_gb],
        fitted.memory.total_gb,
    )
    columns = (tokens, step_s, counted, fitted.fits)
    return np.stack([np.asarray(each, dtype=np.float64) for each in columns], axis=-1)


def _told(row: Row, run: TrainingRun, numbers: Array, known: TrainingCalibration) -> Checked:
    *figures, fits = (float(number) for number in numbers)
    band = band_for(traits_of(run.shape, run.plan, run.family), layout_stated=run.layout_stated, calibration=known)
    band = (band.or_wider(GUESSED) if run.shape_guessed else band).widened(run.unsaid)
    made = _row(row, "skipped").banded(dict(zip(TRAINING.predicts, figures, strict=True)), band)
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
    if memory := memory_in(row, run.chip, run.plan, run.chip_key):
        measured.append((memory, memory.value / made.predicted[memory.column]))
    return made.beside(made.rate_column, off).doubted(measured)


def _row(row: Row, kind: str) -> Checked:
    return unpredicted(row, TRAINING, kind=kind, scale=scale_of)
