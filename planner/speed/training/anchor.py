"""Runs of one's own: what they say of a job, how much of it to believe, and how sure one is then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.inputs.training_job import TrainingJob
from planner.speed.called import model_called
from planner.speed.cells import Row, text
from planner.speed.factors import OwnRun, compared, factors
from planner.speed.pace import Pace, alike, believed
from planner.speed.refused import BadJob
from planner.speed.training.check import TrainingChecked, check_training
from planner.speed.training.constants import Calibration
from planner.speed.training.rows import Reader
from pricing import Catalogue, names

_PRECISIONS = {16.0: "bf16", 8.0: "fp8", 4.0: "fp4"}
NOTHING_MEASURED = "no speed is measured: want tokens_per_s_per_accelerator, or step_time_s with batch and length"


@dataclass(frozen=True)
class Anchored:
    """The job with what its own runs add to it; which runs those were, and what they have in common with it."""

    job: TrainingJob
    pace: Pace
    runs: tuple[str, ...]
    unused: int
    words: str


def anchored(
    catalogue: Catalogue, job: TrainingJob, rows: Sequence[Row], *, calibration: Calibration | None = None
) -> Anchored:
    """The job, corrected by measured runs: those of its model and precision on its accelerator, else of others on it.

    What is kept of their median ratio grows with their number and as their spread falls.
    """
    key = names.accelerator(catalogue, job.accelerator)
    found = factors("training", training_runs(catalogue, rows, calibration=calibration), source="", day=None)
    here = [one for one in found.factors if one.said.accelerator == key]
    if not here:
        there = ", ".join(sorted({one.said.accelerator for one in found.factors})[:5]) or "none that can be compared"
        raise BadJob(f"none of {len(found.runs):,} runs was measured on {key}; want one at least; there are: {there}")
    corrected = job.model_copy(update={"measured": tuple(one.said for one in here)})
    said, like = alike(catalogue, corrected, key)
    ids = tuple(name for one in here if one.said in said for name in one.ids)
    return Anchored(corrected, believed(said, like), ids, len(found.runs) - len(ids), f"{_WORDS[like]} {key}")


_WORDS = {
    "job": "of this model in this precision on",
    "accelerator": "of other models, or in other precisions, on",
}


def training_runs(
    catalogue: Catalogue, rows: Sequence[Row], *, calibration: Calibration | None = None
) -> tuple[OwnRun, ...]:
    """Each row beside what is predicted of it, in tokens a second of each accelerator."""
    reader = Reader(catalogue)
    found = check_training(catalogue, rows, calibration=calibration)
    return tuple(_run(catalogue, reader, row, one) for row, one in zip(rows, found, strict=True))


def _run(catalogue: Catalogue, reader: Reader, row: Row, one: TrainingChecked) -> OwnRun:
    said = text(row, "model")
    run = OwnRun(one.id, one.accelerator, said, unit="tokens/s each")
    predicted = one.predicted_tokens_per_s_per_accelerator
    if predicted is None or one.error is None:
        return OwnRun(one.id, one.accelerator, said, why_not=one.skipped_reason or NOTHING_MEASURED)
    plan = reader.run(row).plan
    like = {
        "accelerator": one.accelerator,
        "model": model_called(catalogue, said) or said,
        "precision": _PRECISIONS[min(float(plan.bits), 16.0)],
        "method": "lora" if plan.trainable_share < 1 else "full",
    }
    return compared(run, predicted=predicted, error=one.error, like=like)
