"""Runs of one's own: what they say of a job, how much of it to believe, and how sure one is then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.evidence.anchored import Anchored, with_factors
from planner.evidence.cells import Row, text
from planner.evidence.checked import Checked
from planner.evidence.factors import OwnRun, compared, factors
from planner.evidence.training.check import check_training
from planner.evidence.training.rows import read_run
from planner.scenario.amounts import count
from planner.scenario.training_job import TrainingJob
from planner.speed.pace import alike, called
from planner.speed.refused import BadJob
from planner.speed.training.constants import TrainingCalibration
from pricing import Catalogue, names

_PRECISIONS = {16.0: "bf16", 8.0: "fp8", 4.0: "fp4"}
OTHER_SIZE = "its size is not that of the model it is called, so it says nothing of either; look at params_b"
NOTHING_MEASURED = "no speed is measured: want tokens_per_s_per_accelerator, or step_time_s with batch and length"


def anchored(
    catalogue: Catalogue, job: TrainingJob, rows: Sequence[Row], *, calibration: TrainingCalibration | None = None
) -> Anchored[TrainingJob]:
    """The job, corrected by measured runs: those of its model and precision on its accelerator, else of others on it.

    What is kept of their median ratio grows with their number and as their spread falls.
    """
    key = names.accelerator(catalogue, job.accelerator)
    found = factors("training", training_runs(catalogue, rows, calibration=calibration), source="", day=None)
    there = sorted({one.said.accelerator for one in found.factors})
    if key not in there:
        named = ", ".join(there[:5]) or "none that can be compared"
        raise BadJob(
            f"none of {count(len(found.runs), 'run')} was measured on {key}; want one at least; there are: {named}"
        )
    return with_factors(catalogue, job, key, found, alike)


def training_runs(
    catalogue: Catalogue, rows: Sequence[Row], *, calibration: TrainingCalibration | None = None
) -> tuple[OwnRun, ...]:
    """Each row beside what is predicted of it, in tokens a second of each accelerator."""
    found = check_training(catalogue, rows, calibration=calibration)
    return tuple(_run(catalogue, row, one) for row, one in zip(rows, found, strict=True))


def _run(catalogue: Catalogue, row: Row, one: Checked) -> OwnRun:
    said = text(row, "model")
    run = OwnRun(one.id, one.accelerator, said, unit="tokens/s each", guessed=one.guessed, doubt=one.doubt)
    if one.rate is not None and one.model is None and called(catalogue, said) in catalogue.models:
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
