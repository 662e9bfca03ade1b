"""A job corrected by runs of one's own, as the factors that a scenario carries: every verb gives one number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from planner.evidence.factors import OwnFactors, put_together
from planner.scenario.measured import Measured
from planner.scenario.serving_job import ServingJob
from planner.scenario.training_job import MeasuredLike, TrainingJob
from planner.speed.pace import NO_RUNS, Pace, believed
from pricing import Catalogue

Job = TypeVar("Job", TrainingJob, ServingJob)


@dataclass(frozen=True)
class Anchored(Generic[Job]):
    """The job with what its own runs add to it, and which runs those were; none where none is like it."""

    job: Job
    pace: Pace = NO_RUNS
    runs: tuple[str, ...] = ()
    unused: int = 0
    why_not: tuple[tuple[str, str], ...] = ()  # why a run cannot be gone by for any job, and its id


def with_factors(
    catalogue: Catalogue,
    job: Job,
    accelerator: str,
    found: OwnFactors,
    alike: Callable[[Catalogue, Job, str], tuple[Sequence[Measured], MeasuredLike]],
) -> Anchored[Job]:
    """The job with the factors; `alike` are those of them that speak of it on the accelerator."""
    corrected = job.model_copy(update={"measured": put_together(job.measured, found, accelerator=accelerator)})
    said, like = alike(catalogue, corrected, accelerator)
    ids = tuple(name for one in found.factors if one.said in said for name in one.ids)
    why_not = tuple((run.why_not, run.id) for run in found.runs if run.like is None)
    return Anchored(corrected, believed(said, like), ids, len(found.runs) - len(ids), why_not)
