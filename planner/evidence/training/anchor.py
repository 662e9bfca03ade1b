"""Runs of one's own: what they say of a job, how much of it to believe, and how sure one is then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.evidence.cells import Row, text
from planner.evidence.checked import Checked
from planner.evidence.factors import OwnRun, compared, factors
from planner.evidence.training.check import check_training
from planner.evidence.training.rows import read_run
from planner.scenario.training_job import TrainingJob
from planner.speed.pace import Pace, alike, believed, called
from planner.speed.refused import BadJob
from planner.speed.training.constants import TrainingCalibration
from pricing import Catalogue, names

_PRECISIONS = {16.0: "bf16", 8.0: "fp8", 4.0: "fp4"}
OTHER_SIZE = "its size is not that of the model it is called, so it says nothing of either; look at params_b"
NOTHING_MEASURED = "no speed is measured: want tokens_per_s_per_accelerator, or step_time_s with batch and length"


@dataclass(frozen=True)
class Anchored:
    """The job with what its own runs add to it; which runs those were, and what they have in common with it."""

    job: TrainingJob
    pace: Pace
    runs: tuple[str, ...]
    unused: int
    words: str
    why_not: tuple[tuple[str, str], ...] = ()  # why a run cannot be gone by for any job, and its id


def anchored(
    catalogue: Catalogue, job: TrainingJob, rows: Sequence[Row], *, calibration: TrainingCalibration | None = None
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
    why_not = tuple((run.why_not, run.id) for run in found.runs if run.like is None)
    unused = len(found.runs) - len(ids)
    return Anchored(corrected, believed(said, like), ids, unused, f"{_WORDS[like]} {key}", why_not)


_WORDS = {
    "job": "of this model in this precision on",
    "accelerator": "of other models, or in other precisions, on",
}


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
