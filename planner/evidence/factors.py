"""Factors fitted to runs that somebody measured, and jobs corrected by them: every verb gives one number.

A factor is the median of measured over predicted of similar runs, with its spread.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import exp, log
from typing import Any, Generic, TypeVar

import numpy as np

from planner.evidence.table import RunTableError
from planner.scenario.amounts import count
from planner.scenario.measured import FARTHEST_END, LEAST_RATIO, MOST_FACTORS, MOST_RATIO, Measured
from planner.scenario.serving_job import ServingJob
from planner.scenario.training_job import MeasuredLike, TrainingJob
from planner.scenario.vocabulary import Kind
from planner.speed.pace import NO_RUNS, TENTH_SD, Pace, believed, scatter_of
from pricing import Catalogue

_MOST_REASONS = 3
_MOST_RUNS, _LONGEST_SOURCE, _LONGEST_NAME = 10_000, 60, 160


@dataclass(frozen=True)
class OwnRun:
    """A run of one's own beside what is predicted of it; or why it cannot be gone by.

    `like` says which runs it is alike: fields of `Measured`.
    """

    id: str
    accelerator: str
    model: str
    measured: float | None = None
    predicted: float | None = None
    unit: str = ""
    why_not: str = ""
    like: Mapping[str, str] | None = None
    guessed: bool = False  # the shape of its model, from its size
    doubt: str = ""  # why what was measured should be looked at again, though it is gone by

    @property
    def ratio(self) -> float | None:
        """Measured over predicted. [1]"""
        return self.measured / self.predicted if self.measured and self.predicted else None


@dataclass(frozen=True)
class FittedFactor:
    """What some runs say together, and which they were."""

    said: Measured
    ids: tuple[str, ...]


@dataclass(frozen=True)
class OwnFactors:
    """A table of somebody's runs with all that can be learnt from it."""

    kind: Kind
    runs: tuple[OwnRun, ...]
    factors: tuple[FittedFactor, ...]  # those of most runs first

    def carried(self, accelerator: str = "") -> tuple[Measured, ...]:
        """What a scenario can hold of them, those of its accelerator first."""
        said = sorted((one.said for one in self.factors), key=lambda one: one.accelerator != accelerator)
        return tuple(said[:MOST_FACTORS])


def compared(run: OwnRun, *, predicted: float, error: float, like: Mapping[str, str]) -> OwnRun:
    """The run beside its prediction; `error` is the logarithm of predicted over measured."""
    measured = replace(run, predicted=predicted, measured=predicted / exp(error))
    if LEAST_RATIO <= exp(-error) <= MOST_RATIO:
        return replace(measured, like=like)
    times = f"{exp(-error):,.0f}" if exp(-error) > MOST_RATIO else f"{exp(-error):.2g}"
    why = f"{times} times what is predicted: want {LEAST_RATIO:g} to {MOST_RATIO:g}; look at its units"
    return replace(measured, why_not=run.doubt or why, doubt="")


def factors(kind: Kind, runs: Sequence[OwnRun], *, source: str, day: date | None) -> OwnFactors:
    """Runs that are alike, taken together."""
    groups: dict[tuple[tuple[str, str], ...], list[OwnRun]] = {}
    for run in runs:
        if run.like is not None:
            groups.setdefault(tuple(sorted(run.like.items())), []).append(run)
    label = "".join(mark for mark in source if mark.isprintable())[:_LONGEST_SOURCE] or "my own runs"
    found = [_factor(kind, dict(like), group, label, day) for like, group in groups.items()]
    found.sort(key=lambda one: (-one.said.runs, one.said.accelerator, one.said.model or ""))
    return OwnFactors(kind, tuple(runs), tuple(found))


def refuse_unusable(found: OwnFactors, *, file: str) -> None:
    """Raise `RunTableError` where no run of a table can be gone by."""
    if found.factors:
        return
    reasons = Counter(run.why_not for run in found.runs).most_common(_MOST_REASONS)
    why = "; ".join(f"{reason} ({many:,} x)" for reason, many in reasons) or "it holds no runs"
    raise RunTableError(f"{file}: none of {count(len(found.runs), 'run')} can be gone by: {why}.")


def _factor(kind: Kind, like: dict[str, str], runs: Sequence[OwnRun], source: str, day: date | None) -> FittedFactor:
    errors = [-log(run.ratio) for run in runs if run.ratio]
    ratio = _short(exp(-float(np.median(errors))))
    spread: dict[str, Any] = {}
    if len(errors) > 1:
        wide = exp(TENTH_SD * scatter_of(errors))
        spread = {
            "low": max(_short(ratio / wide), LEAST_RATIO / FARTHEST_END),
            "high": min(_short(ratio * wide), MOST_RATIO * FARTHEST_END),
        }
    said = Measured.model_validate(
        {key: value[:_LONGEST_NAME] for key, value in like.items() if value}
        | {"kind": kind, "ratio": ratio, "runs": min(len(errors), _MOST_RUNS), "day": day, "source": source}
        | spread
    )
    return FittedFactor(said, tuple(run.id for run in runs))


def _short(value: float) -> float:
    """Four digits: a file is read by people."""
    return float(f"{value:.4g}")


def put_together(there: Iterable[Measured], brought: OwnFactors, *, accelerator: str = "") -> tuple[Measured, ...]:
    """What a scenario holds once runs of one kind are brought: theirs in place of those of that kind before."""
    kept = (one for one in there if one.kind != brought.kind)
    return (*kept, *brought.carried(accelerator))[:MOST_FACTORS]


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
