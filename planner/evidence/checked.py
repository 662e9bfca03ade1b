"""Predicted beside published: what every checked row has, and how far off predictions are over groups of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import exp, log
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from planner.evidence.plausible import MeasuredFigure, doubt, is_possible
from planner.evidence.table import Row, RunTable, RunTableError, SkippedRunError, number, text
from planner.scenario.amounts import count
from planner.scenario.jobs import MeasuredLike, ServingJob, TrainingJob
from planner.scenario.measured import FARTHEST_END, LEAST_RATIO, MOST_FACTORS, MOST_RATIO, MeasuredRun
from planner.scenario.vocabulary import Kind
from planner.speed.bands import Band
from planner.speed.pace import NO_RUNS, TENTH_SD, SpeedCorrection, combine_runs, run_scatter
from pricing import Catalogue

_NEAR, _NEARER = 0.25, 0.20
BEYOND = "its numbers are beyond what a run can be"


@dataclass(frozen=True, kw_only=True)
class CheckedRun:
    """One row: what it is about, what is predicted of it and how far off that is; or why there is nothing."""

    table: RunTable
    id: str
    source: str
    accelerator: str
    accelerators: float
    engine: str
    precision: str
    kind: str
    scale: str
    chip: str = ""  # the catalogue's accelerator that it was taken for
    model: str | None = None  # the catalogue's that it was taken for; None where it has none of that name and size
    guessed: bool = False  # its shape, from its size: the band is the wide one
    fits: bool | None = None
    skipped_reason: str | None = None
    predicted: Mapping[str, float] = field(default_factory=dict)  # by the column that would say so
    low: float | None = None  # of the band around its rate
    high: float | None = None
    compared: str = ""  # the column that is compared with what was published
    error: float | None = None  # logarithm of predicted over published
    doubt: str = ""  # why what was published should be looked at again

    @property
    def rate_column(self) -> str:
        """The column of the rate that has the band; empty where none is predicted."""
        return next((name for name in self.table.rates if name in self.predicted), "")

    @property
    def rate(self) -> float | None:
        """What is predicted of it there."""
        return self.predicted.get(self.rate_column)

    def skipped(self, reason: str) -> CheckedRun:
        """The same without a prediction."""
        return replace(self, skipped_reason=reason)

    def with_band(self, predicted: Mapping[str, float], band: Band) -> CheckedRun:
        """The same with what is predicted, and the band around its rate; skipped where that is beyond all sense."""
        found = replace(self, predicted=predicted)
        if found.rate is None or not 0 < found.rate < np.inf:
            return self.skipped(BEYOND)
        return replace(found, low=found.rate * band.low, high=found.rate * band.high)

    def beside(self, column: str, ratio: float) -> CheckedRun:
        """The same with its error, where predicted over published is a number that one can compare."""
        if not 0 < ratio < np.inf:
            return self
        return replace(self, compared=column, error=float(np.log(ratio)))

    def with_doubts(self, figures: Iterable[tuple[MeasuredFigure, float]]) -> CheckedRun:
        """The same with what its figures look like, each with its speed over ours; not compared where one cannot be."""
        told = sorted((is_possible(one), doubt(one, ratio)) for one, ratio in figures)
        why = next((why for _, why in told if why), "")
        if all(possible for possible, _ in told):
            return replace(self, doubt=why)
        return replace(self, doubt=why, compared="", error=None)


def empty_check(row: Row, table: RunTable, *, kind: str, scale: Callable[[float], str]) -> CheckedRun:
    """A row itself, nothing predicted yet."""
    count = number(row, "n_accelerators") or 0.0
    return CheckedRun(
        table=table, id=text(row, "id"), source=text(row, table.source), accelerator=text(row, "accelerator"),
        accelerators=count, engine=text(row, table.engine), precision=text(row, table.precision), kind=kind,
        scale=scale(count),
    )  # fmt: skip


Run = TypeVar("Run")
Figures = TypeVar("Figures")


def check_rows(
    rows: Iterable[Row],
    *,
    read: Callable[[Row], Run],
    predict: Callable[[Sequence[Run]], Iterable[Figures]],
    told: Callable[[Row, Run, Figures], CheckedRun],
    skipped: Callable[[Row, str], CheckedRun],
) -> list[CheckedRun]:
    """Every row with its prediction, in the order of the rows; all that `read` does not skip are predicted at once."""
    understood, runs = list[tuple[Row, str]](), list[Run]()
    for row in rows:
        reason = ""
        try:
            runs.append(read(row))
        except SkippedRunError as why:
            reason = str(why)
        understood.append((row, reason))
    with np.errstate(all="ignore"):  # a row of somebody's own may be beyond all sense; it is skipped then
        figures = zip(runs, predict(runs) if runs else (), strict=True)
    return [skipped(row, reason) if reason else told(row, *next(figures)) for row, reason in understood]


@dataclass(frozen=True)
class ErrorSummary:
    """How far off we are over some rows. Shares are fractions; `skipped` counts rows without a prediction."""

    by: str
    name: str
    n: int
    median_error: float  # of the absolute logarithm
    within_20: float
    within_25: float
    bias: float  # median of predicted over published
    skipped: int = 0


_BY: dict[str, Callable[[CheckedRun], str]] = {
    "all": lambda _: "all",
    "kind": lambda row: row.kind,
    "source": lambda row: row.source,
    "accelerator": lambda row: row.accelerator,
    "precision": lambda row: row.precision,
    "engine": lambda row: row.engine,
    "scale": lambda row: row.scale,
}


def summary(checked: Sequence[CheckedRun]) -> list[ErrorSummary]:
    """Over all rows, then by kind, source, accelerator, precision, engine and scale; the worst of each first."""
    groups = []
    for by, group_key in _BY.items():
        members: dict[str, list[CheckedRun]] = {}
        for row in checked:
            members.setdefault(group_key(row) or "not stated", []).append(row)
        found = [_group(by, name, rows) for name, rows in members.items()]
        groups += sorted(found, key=lambda one: (-one.median_error if one.n else 0.0, one.name))
    return groups


def skip_counts(checked: Sequence[CheckedRun]) -> dict[str, int]:
    """How many rows were skipped, by reason, the most frequent first."""
    return {reason: len(ids) for reason, ids in skipped(checked).items()}


def skipped(checked: Sequence[CheckedRun]) -> dict[str, list[str]]:
    """Which rows were skipped, by reason, the most frequent first."""
    return group_by_reason((row.skipped_reason, row.id) for row in checked if row.skipped_reason)


def doubted(checked: Sequence[CheckedRun]) -> dict[str, list[str]]:
    """Which rows should be looked at again, by what they look like."""
    return group_by_reason((row.doubt, row.id) for row in checked if row.doubt)


def group_by_reason(told: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """What goes by each reason, the most frequent reason first."""
    found: dict[str, list[str]] = {}
    for reason, name in told:
        found.setdefault(reason, []).append(name)
    return dict(sorted(found.items(), key=lambda one: -len(one[1])))


def group_of(by: str, name: str, errors: ArrayLike, *, skipped: int = 0) -> ErrorSummary:
    """How far off the predictions with these errors are; an error is the logarithm of predicted over published."""
    off = np.asarray(errors, dtype=np.float64)
    off = off[np.isfinite(off)]
    if not off.size:
        none = float("nan")
        return ErrorSummary(by, name, 0, none, none, none, none, skipped)
    ratio = np.exp(off)
    near, nearer = (float(np.mean(np.abs(ratio - 1) <= most)) for most in (_NEAR, _NEARER))
    return ErrorSummary(
        by, name, off.size, float(np.median(np.abs(off))), nearer, near, float(np.median(ratio)), skipped
    )


def _group(by: str, name: str, rows: Sequence[CheckedRun]) -> ErrorSummary:
    errors = [row.error for row in rows if row.error is not None]
    return group_of(by, name, errors, skipped=sum(bool(row.skipped_reason) for row in rows))


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

    said: MeasuredRun
    ids: tuple[str, ...]


@dataclass(frozen=True)
class FactorTable:
    """A table of somebody's runs with all that can be learnt from it."""

    kind: Kind
    runs: tuple[OwnRun, ...]
    factors: tuple[FittedFactor, ...]  # those of most runs first

    def scenario_factors(self, accelerator: str = "") -> tuple[MeasuredRun, ...]:
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


def factors(kind: Kind, runs: Sequence[OwnRun], *, source: str, day: date | None) -> FactorTable:
    """Runs that are alike, taken together."""
    groups: dict[tuple[tuple[str, str], ...], list[OwnRun]] = {}
    for run in runs:
        if run.like is not None:
            groups.setdefault(tuple(sorted(run.like.items())), []).append(run)
    label = "".join(mark for mark in source if mark.isprintable())[:_LONGEST_SOURCE] or "my own runs"
    found = [_factor(kind, dict(like), group, label, day) for like, group in groups.items()]
    found.sort(key=lambda one: (-one.said.runs, one.said.accelerator, one.said.model or ""))
    return FactorTable(kind, tuple(runs), tuple(found))


def refuse_unusable(found: FactorTable, *, file: str) -> None:
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
        wide = exp(TENTH_SD * run_scatter(errors))
        spread = {
            "low": max(_short(ratio / wide), LEAST_RATIO / FARTHEST_END),
            "high": min(_short(ratio * wide), MOST_RATIO * FARTHEST_END),
        }
    said = MeasuredRun.model_validate(
        {key: value[:_LONGEST_NAME] for key, value in like.items() if value}
        | {"kind": kind, "ratio": ratio, "runs": min(len(errors), _MOST_RUNS), "day": day, "source": source}
        | spread
    )
    return FittedFactor(said, tuple(run.id for run in runs))


def _short(value: float) -> float:
    """Four digits: a file is read by people."""
    return float(f"{value:.4g}")


def merge_factors(
    there: Iterable[MeasuredRun], brought: FactorTable, *, accelerator: str = ""
) -> tuple[MeasuredRun, ...]:
    """What a scenario holds once runs of one kind are brought: theirs in place of those of that kind before."""
    kept = (one for one in there if one.kind != brought.kind)
    return (*kept, *brought.scenario_factors(accelerator))[:MOST_FACTORS]


Job = TypeVar("Job", TrainingJob, ServingJob)


@dataclass(frozen=True)
class CorrectedJob(Generic[Job]):
    """The job with what its own runs add to it, and which runs those were; none where none is like it."""

    job: Job
    pace: SpeedCorrection = NO_RUNS
    runs: tuple[str, ...] = ()
    unused: int = 0
    why_not: tuple[tuple[str, str], ...] = ()  # why a run cannot be gone by for any job, and its id


def with_factors(
    catalogue: Catalogue,
    job: Job,
    accelerator: str,
    found: FactorTable,
    alike: Callable[[Catalogue, Job, str], tuple[Sequence[MeasuredRun], MeasuredLike]],
) -> CorrectedJob[Job]:
    """The job with the factors; `alike` are those of them that speak of it on the accelerator."""
    corrected = job.model_copy(update={"measured": merge_factors(job.measured, found, accelerator=accelerator)})
    said, like = alike(catalogue, corrected, accelerator)
    ids = tuple(name for one in found.factors if one.said in said for name in one.ids)
    why_not = tuple((run.why_not, run.id) for run in found.runs if run.like is None)
    return CorrectedJob(corrected, combine_runs(said, like), ids, len(found.runs) - len(ids), why_not)
