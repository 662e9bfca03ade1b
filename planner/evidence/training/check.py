"""Predicted beside published, row by row, and how far apart the two are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.evidence.cells import Row, number, text
from planner.evidence.checked import BEYOND, Checked
from planner.evidence.table import Skipped
from planner.evidence.training.calibration import Array
from planner.evidence.training.observed import observed_tokens_per_s
from planner.evidence.training.rows import Reader, TrainingRun
from planner.speed.arrays import stacked
from planner.speed.training.bands import GUESSED, band_for, kind_of, scale_of
from planner.speed.training.constants import TrainingCalibration, house_calibration
from planner.speed.training.fitting import made_to_fit
from planner.speed.training.step import step_parts
from pricing import Catalogue


@dataclass(frozen=True, kw_only=True)
class TrainingChecked(Checked):
    """What we say of a row beside what was published. Empty where it is skipped, and then it says why."""

    predicted_tokens_per_s_per_accelerator: float | None = None
    predicted_step_time_s: float | None = None
    predicted_peak_memory_gb: float | None = None


def check_training(
    catalogue: Catalogue, rows: Iterable[Row], *, calibration: TrainingCalibration | None = None
) -> list[TrainingChecked]:
    """Every row with its prediction, in the order of the rows."""
    known = calibration or house_calibration()
    reader, kept = Reader(catalogue), list[tuple[Row, TrainingRun | str]]()
    for row in rows:
        try:
            kept.append((row, reader.run(row)))
        except Skipped as reason:
            kept.append((row, str(reason)))
    runs = [run for _, run in kept if isinstance(run, TrainingRun)]
    if not runs:
        return [_skipped(row, str(reason)) for row, reason in kept]
    with np.errstate(all="ignore"):  # a row of somebody's own may be beyond all sense; it is skipped below
        numbers = iter(_predicted(runs, known))
    return [
        _checked(row, run, next(numbers), known) if isinstance(run, TrainingRun) else _skipped(row, run)
        for row, run in kept
    ]


def _predicted(runs: Sequence[TrainingRun], calibration: TrainingCalibration) -> Array:
    """Tokens a second, step time, memory and whether it fits: one line for each run."""
    shape, chip = stacked([run.shape for run in runs]), stacked([run.chip for run in runs])
    plan = stacked([run.plan for run in runs])
    factor = np.array([calibration.chip_factor(run.chip_key, run.family) for run in runs])
    step_s = step_parts(shape, chip, plan, calibration.constants, chip_factor=factor).total_s
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


def _checked(row: Row, run: TrainingRun, numbers: Array, known: TrainingCalibration) -> TrainingChecked:
    tokens, step_s, memory_gb, fits = (float(number) for number in numbers)
    if not np.isfinite(tokens) or tokens <= 0:
        return _skipped(row, BEYOND)
    moe = bool(run.shape.moe_layers)
    band = band_for(moe=moe, layout_stated=run.layout_stated, accelerators=run.plan.accelerators, calibration=known)
    band = (band.or_wider(GUESSED) if run.shape_guessed else band).widened(run.unsaid)
    observed = observed_tokens_per_s(row, run)
    return replace(
        _skipped(row, None), accelerator=run.chip_key, kind=kind_of(moe=moe, layout_stated=run.layout_stated),
        model=run.model, guessed=run.shape_guessed,
        predicted_tokens_per_s_per_accelerator=tokens, predicted_step_time_s=step_s,
        predicted_peak_memory_gb=memory_gb, fits=bool(fits), low=tokens * band.low, high=tokens * band.high,
        error=None if not observed else float(np.log(tokens / observed)),
    )  # fmt: skip


def _skipped(row: Row, reason: str | None) -> TrainingChecked:
    """The row itself, nothing predicted yet."""
    count = number(row, "n_accelerators") or 0.0
    return TrainingChecked(
        id=text(row, "id"), source=text(row, "source_key"), accelerator=text(row, "accelerator"), accelerators=count,
        engine=text(row, "framework"), precision=text(row, "precision"), kind="skipped", scale=scale_of(count),
        skipped_reason=reason,
    )  # fmt: skip
