"""Published runs compared with predictions: the checked rows, error summaries, and factors fitted to own runs."""

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
from planner.evidence.table import Row, RunTable, SkippedRunError, number, text
from planner.scenario.amounts import count
from planner.scenario.jobs import MeasuredLike, ServingJob, TrainingJob
from planner.scenario.measured import FARTHEST_END, LEAST_RATIO, MOST_FACTORS, MOST_RATIO, MeasuredRun
from planner.scenario.vocabulary import Kind
from planner.speed.bands import Band
from planner.speed.pace import NO_RUNS, TENTH_SD, SpeedCorrection, combine_runs, run_scatter
from pricing import Catalogue, PricingError

_NEAR, _NEARER = 0.25, 0.20
BEYOND = "its numbers are beyond what a run can be"


@dataclass(frozen=True, kw_only=True)
class CheckedRun:
    """One row with its prediction and error, or the reason why there is none."""

    table: RunTable
    id: str
    source: str
    accelerator: str
    accelerators: float
    engine: str
    precision: str
    kind: str
    scale: str
    chip: str = ""  # the catalogue's accelerator that it was matched to
    model: str | None = None  # the catalogue's model that it was matched to; None without one of that name and size
    guessed: bool = False  # its shape, from its size: the band is the wide one
    fits: bool | None = None
    skipped_reason: str | None = None
    predicted: Mapping[str, float] = field(default_factory=dict)  # by the column that would say so
    low: float | None = None  # of the band around its rate
    high: float | None = None
    compared: str = ""  # the column that is compared with the published figure
    error: float | None = None  # logarithm of predicted over published
    doubt: str = ""  # why the published figure should be checked

    @property
    def rate_column(self) -> str:
        """The column of the rate that has the band; empty where none is predicted."""
        return next((name for name in self.table.rates if name in self.predicted), "")

    @property
    def rate(self) -> float | None:
        return self.predicted.get(self.rate_column)

    def skipped(self, reason: str) -> CheckedRun:
        """Return the same without a prediction."""
        return replace(self, skipped_reason=reason)

    def with_band(self, predicted: Mapping[str, float], band: Band) -> CheckedRun:
        """Return the same with predictions and the band around its rate; skipped if the rate is impossible."""
        run = replace(self, predicted=predicted)
        if run.rate is None or not 0 < run.rate < np.inf:
            return self.skipped(BEYOND)
        return replace(run, low=run.rate * band.low, high=run.rate * band.high)

    def with_error(self, column: str, ratio: float) -> CheckedRun:
        """Return the same with its error, if predicted over published is a usable number."""
        if not 0 < ratio < np.inf:
            return self
        return replace(self, compared=column, error=float(np.log(ratio)))

    def with_doubts(self, figures: Iterable[tuple[MeasuredFigure, float]]) -> CheckedRun:
        """Return the same with doubts about figures, each with its speed over ours; no error if impossible."""
        checks = sorted((is_possible(figure), doubt(figure, ratio)) for figure, ratio in figures)
        reason = next((reason for _, reason in checks if reason), "")
        if all(possible for possible, _ in checks):
            return replace(self, doubt=reason)
        return replace(self, doubt=reason, compared="", error=None)


def empty_check(row: Row, table: RunTable, *, kind: str, scale: Callable[[float], str]) -> CheckedRun:
    """Return a row before its prediction."""
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
    check: Callable[[Row, Run, Figures], CheckedRun],
    skipped: Callable[[Row, str], CheckedRun],
) -> list[CheckedRun]:
    """Return every row with its prediction, in order; all that `read` does not skip are predicted at once."""
    reasons, runs = list[tuple[Row, str]](), list[Run]()
    for row in rows:
        reason = ""
        try:
            runs.append(read(row))
        except SkippedRunError as error:
            reason = str(error)
        reasons.append((row, reason))
    with np.errstate(all="ignore"):  # a row of somebody's own may be impossible; it is skipped then
        figures = zip(runs, predict(runs) if runs else (), strict=True)
    return [skipped(row, reason) if reason else check(row, *next(figures)) for row, reason in reasons]


@dataclass(frozen=True)
class ErrorSummary:
    """The errors over some rows. Shares are fractions; `skipped` counts rows without a prediction."""

    by: str
    name: str
    n: int
    median_error: float  # of the absolute logarithm
    within_20: float
    within_25: float
    bias: float  # median of predicted over published
    skipped: int = 0


def summary(checked: Sequence[CheckedRun]) -> list[ErrorSummary]:
    """Return errors over all rows, then by kind, source, accelerator, precision, engine and scale; the worst first."""
    summaries = []
    for by in ("all", "kind", "source", "accelerator", "precision", "engine", "scale"):
        groups: dict[str, list[CheckedRun]] = {}
        for row in checked:
            groups.setdefault("all" if by == "all" else getattr(row, by) or "not stated", []).append(row)
        found = []
        for name, rows in groups.items():
            errors = [row.error for row in rows if row.error is not None]
            found.append(group_of(by, name, errors, skipped=sum(bool(row.skipped_reason) for row in rows)))
        summaries += sorted(found, key=lambda group: (-group.median_error if group.n else 0.0, group.name))
    return summaries


def skip_counts(checked: Sequence[CheckedRun]) -> dict[str, int]:
    """Return the number of skipped rows by reason, the most frequent first."""
    return {reason: len(ids) for reason, ids in skipped(checked).items()}


def skipped(checked: Sequence[CheckedRun]) -> dict[str, list[str]]:
    """Return the skipped rows by reason, the most frequent first."""
    return group_by_reason((row.skipped_reason, row.id) for row in checked if row.skipped_reason)


def doubted(checked: Sequence[CheckedRun]) -> dict[str, list[str]]:
    """Return the rows that should be checked, by their likely mistake."""
    return group_by_reason((row.doubt, row.id) for row in checked if row.doubt)


def group_by_reason(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Group names by reason, the most frequent reason first."""
    groups: dict[str, list[str]] = {}
    for reason, name in pairs:
        groups.setdefault(reason, []).append(name)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def group_of(by: str, name: str, errors: ArrayLike, *, skipped: int = 0) -> ErrorSummary:
    """Summarize errors, each the logarithm of predicted over published."""
    logs = np.asarray(errors, dtype=np.float64)
    logs = logs[np.isfinite(logs)]
    if not logs.size:
        none = float("nan")
        return ErrorSummary(by, name, 0, none, none, none, none, skipped)
    ratio = np.exp(logs)
    within_25, within_20 = (float(np.mean(np.abs(ratio - 1) <= most)) for most in (_NEAR, _NEARER))
    middle = float(np.median(np.abs(logs)))
    return ErrorSummary(by, name, logs.size, middle, within_20, within_25, float(np.median(ratio)), skipped)


_MOST_REASONS = 3
_MOST_RUNS, _LONGEST_SOURCE, _LONGEST_NAME = 10_000, 60, 160


@dataclass(frozen=True)
class OwnRun:
    """A run of the user's own with its prediction; or why it cannot be used.

    `like` says which runs it matches: fields of `MeasuredRun`.
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
    doubt: str = ""  # why the measured figure should be checked, though it is used

    @property
    def ratio(self) -> float | None:
        """Measured over predicted. [1]"""
        return self.measured / self.predicted if self.measured and self.predicted else None


@dataclass(frozen=True)
class FittedFactor:
    """The factor of runs that match, and their ids."""

    run: MeasuredRun
    ids: tuple[str, ...]


@dataclass(frozen=True)
class FactorTable:
    """A table of own runs with the factors fitted to it."""

    kind: Kind
    runs: tuple[OwnRun, ...]
    factors: tuple[FittedFactor, ...]  # those of most runs first

    def scenario_factors(self, accelerator: str = "") -> tuple[MeasuredRun, ...]:
        """Return as many as a scenario can hold, those of its accelerator first."""
        factors = sorted((fitted.run for fitted in self.factors), key=lambda each: each.accelerator != accelerator)
        return tuple(factors[:MOST_FACTORS])


def compared(run: OwnRun, *, predicted: float, error: float, like: Mapping[str, str]) -> OwnRun:
    """Return the run with its prediction; `error` is the logarithm of predicted over measured."""
    measured = replace(run, predicted=predicted, measured=predicted / exp(error))
    ratio = exp(-error)
    if LEAST_RATIO <= ratio <= MOST_RATIO:
        return replace(measured, like=like)
    times = f"{ratio:,.0f}" if ratio > MOST_RATIO else f"{ratio:.2g}"
    reason = f"{times} times the prediction: want {LEAST_RATIO:g} to {MOST_RATIO:g}; check its units"
    return replace(measured, why_not=run.doubt or reason, doubt="")


def factors(kind: Kind, runs: Sequence[OwnRun], *, source: str, day: date | None) -> FactorTable:
    """Fit one factor to the runs that match."""
    groups: dict[tuple[tuple[str, str], ...], list[OwnRun]] = {}
    for run in runs:
        if run.like is not None:
            groups.setdefault(tuple(sorted(run.like.items())), []).append(run)
    label = "".join(mark for mark in source if mark.isprintable())[:_LONGEST_SOURCE] or "my own runs"
    fitted = [_factor(kind, dict(like), group, label, day) for like, group in groups.items()]
    fitted.sort(key=lambda each: (-each.run.runs, each.run.accelerator, each.run.model or ""))
    return FactorTable(kind, tuple(runs), tuple(fitted))


def refuse_unusable(table: FactorTable, *, file: str) -> None:
    """Raise `PricingError` if no run of a table can be used."""
    if table.factors:
        return
    reasons = Counter(run.why_not for run in table.runs).most_common(_MOST_REASONS)
    text = "; ".join(f"{reason} ({times:,} x)" for reason, times in reasons) or "it holds no runs"
    raise PricingError(f"{file}: none of {count(len(table.runs), 'run')} can be used: {text}.")


def _factor(kind: Kind, like: dict[str, str], runs: Sequence[OwnRun], source: str, day: date | None) -> FittedFactor:
    errors = [-log(run.ratio) for run in runs if run.ratio]
    ratio = _short(exp(-float(np.median(errors))))
    spread: dict[str, Any] = {}
    if len(errors) > 1:
        wide = exp(TENTH_SD * run_scatter(errors))
        low, high = LEAST_RATIO / FARTHEST_END, MOST_RATIO * FARTHEST_END
        spread = {"low": max(_short(ratio / wide), low), "high": min(_short(ratio * wide), high)}
    factor = MeasuredRun.model_validate(
        {key: value[:_LONGEST_NAME] for key, value in like.items() if value}
        | {"kind": kind, "ratio": ratio, "runs": min(len(errors), _MOST_RUNS), "day": day, "source": source}
        | spread
    )
    return FittedFactor(factor, tuple(run.id for run in runs))


def _short(value: float) -> float:
    """Four digits: a file is read by people."""
    return float(f"{value:.4g}")


def merge_factors(
    current: Iterable[MeasuredRun], uploaded: FactorTable, *, accelerator: str = ""
) -> tuple[MeasuredRun, ...]:
    """Return the factors of a scenario with uploaded ones in place of those of the same kind."""
    retained = (factor for factor in current if factor.kind != uploaded.kind)
    return (*retained, *uploaded.scenario_factors(accelerator))[:MOST_FACTORS]


Job = TypeVar("Job", TrainingJob, ServingJob)


@dataclass(frozen=True)
class CorrectedJob(Generic[Job]):
    """The job with the correction of its own runs, and their ids; none where no run matches."""

    job: Job
    pace: SpeedCorrection = NO_RUNS
    runs: tuple[str, ...] = ()
    unused: int = 0
    why_not: tuple[tuple[str, str], ...] = ()  # why a run cannot be used for any job, and its id


def with_factors(
    catalogue: Catalogue,
    job: Job,
    accelerator: str,
    table: FactorTable,
    alike: Callable[[Catalogue, Job, str], tuple[Sequence[MeasuredRun], MeasuredLike]],
) -> CorrectedJob[Job]:
    """Return the job with the factors; `alike` selects those that match it on the accelerator."""
    corrected = job.model_copy(update={"measured": merge_factors(job.measured, table, accelerator=accelerator)})
    matching, like = alike(catalogue, corrected, accelerator)
    ids = tuple(name for fitted in table.factors if fitted.run in matching for name in fitted.ids)
    why_not = tuple((run.why_not, run.id) for run in table.runs if run.like is None)
    return CorrectedJob(corrected, combine_runs(matching, like), ids, len(table.runs) - len(ids), why_not)
