"""Runs of one's own: what they say of a job, how much of it to believe, and how sure one is then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.inputs.training_job import TrainingJob
from planner.speed.cells import Row, text
from planner.speed.refused import BadJob, Skipped
from planner.speed.training.bands import doubt_of, kept_share
from planner.speed.training.check import TrainingChecked, check_training
from planner.speed.training.constants import Calibration
from planner.speed.training.row_shape import model_name
from planner.speed.training.rows import Reader
from pricing import Catalogue, UnknownName, names

BITS = {"fp32": 32.0, "tf32": 32.0, "fp16": 16.0, "bf16": 16.0, "fp8": 8.0, "fp4": 4.0}
ADAPTERS = ("lora", "qlora")


@dataclass(frozen=True)
class Anchored:
    """The job with what its own runs add to it; which runs those were, and what they have in common with it."""

    job: TrainingJob
    runs: tuple[str, ...]
    unused: int
    words: str


def anchored(
    catalogue: Catalogue, job: TrainingJob, rows: Sequence[Row], *, calibration: Calibration | None = None
) -> Anchored:
    """The job, corrected by measured runs: those of its model and precision on its accelerator, else of others on it.

    What is kept of their median ratio grows with their number; how fast was found by leaving published runs out.
    """
    key = names.accelerator(catalogue, job.accelerator)
    found = check_training(catalogue, rows, calibration=calibration)
    measured = [(row, one) for row, one in zip(rows, found, strict=True) if one.error is not None]
    here = [(row, one) for row, one in measured if one.accelerator == key]
    if not here:
        there = ", ".join(sorted({one.accelerator for _, one in measured})[:5]) or "none that can be compared"
        raise BadJob(f"none of {len(found):,} runs was measured on {key}; want one at least; there are: {there}")
    reader = Reader(catalogue)
    same = [one for row, one in here if _same(catalogue, reader, job, row)]
    like, used = ("job", same) if same else ("accelerator", [one for _, one in here])
    words = f"{_WORDS[like]} {key}"
    ratio = _ratio(used, doubt_of(like))
    corrected = job.model_copy(update={"measured_over_predicted": ratio, "measured_like": like})
    return Anchored(corrected, tuple(one.id for one in used), len(found) - len(used), words)


_WORDS = {
    "job": "of this model in this precision on",
    "accelerator": "of other models, or in other precisions, on",
}


def _ratio(used: Sequence[TrainingChecked], doubt: float) -> float:
    errors = [one.error for one in used if one.error is not None]
    return float(np.exp(-kept_share(len(errors), doubt) * np.median(errors)))


def _same(catalogue: Catalogue, reader: Reader, job: TrainingJob, row: Row) -> bool:
    """Whether a run trained this model, the whole of it or adapters alike, in as many bits."""
    said = text(row, "model")
    if said.casefold() != job.model.casefold() and model_name(catalogue, said) != _model(catalogue, job):
        return False
    try:
        plan = reader.run(row).plan
    except Skipped:
        return False
    adapters = plan.trainable_share < 1
    return min(plan.bits, 16.0) == min(BITS[job.precision], 16.0) and adapters == (job.method in ADAPTERS)


def _model(catalogue: Catalogue, job: TrainingJob) -> str:
    """The catalogue's name of the job's model; a shape of one's own has only the one it was given."""
    try:
        return job.model if job.shape is not None else names.model(catalogue, job.model)
    except UnknownName:
        return job.model
