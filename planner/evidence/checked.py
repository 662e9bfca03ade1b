"""Predicted beside published: what every checked row has, and how far off predictions are over groups of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from planner.evidence.plausible import MeasuredFigure, doubt, is_possible
from planner.evidence.table import Row, RunTable, SkippedRunError, number, text
from planner.speed.bands import Band

_NEAR, _NEARER = 0.25, 0.20
BEYOND = "its numbers are beyond what a run can be"


@dataclass(frozen=True, kw_only=True)
class Checked:
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

    def skipped(self, reason: str) -> Checked:
        """The same without a prediction."""
        return replace(self, skipped_reason=reason)

    def banded(self, predicted: Mapping[str, float], band: Band) -> Checked:
        """The same with what is predicted, and the band around its rate; skipped where that is beyond all sense."""
        found = replace(self, predicted=predicted)
        if found.rate is None or not 0 < found.rate < np.inf:
            return self.skipped(BEYOND)
        return replace(found, low=found.rate * band.low, high=found.rate * band.high)

    def beside(self, column: str, ratio: float) -> Checked:
        """The same with its error, where predicted over published is a number that one can compare."""
        if not 0 < ratio < np.inf:
            return self
        return replace(self, compared=column, error=float(np.log(ratio)))

    def doubted(self, figures: Iterable[tuple[MeasuredFigure, float]]) -> Checked:
        """The same with what its figures look like, each with its speed over ours; not compared where one cannot be."""
        told = sorted((is_possible(one), doubt(one, ratio)) for one, ratio in figures)
        why = next((why for _, why in told if why), "")
        if all(possible for possible, _ in told):
            return replace(self, doubt=why)
        return replace(self, doubt=why, compared="", error=None)


def empty_check(row: Row, table: RunTable, *, kind: str, scale: Callable[[float], str]) -> Checked:
    """A row itself, nothing predicted yet."""
    count = number(row, "n_accelerators") or 0.0
    return Checked(
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
    told: Callable[[Row, Run, Figures], Checked],
    skipped: Callable[[Row, str], Checked],
) -> list[Checked]:
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


_BY: dict[str, Callable[[Checked], str]] = {
    "all": lambda _: "all",
    "kind": lambda row: row.kind,
    "source": lambda row: row.source,
    "accelerator": lambda row: row.accelerator,
    "precision": lambda row: row.precision,
    "engine": lambda row: row.engine,
    "scale": lambda row: row.scale,
}


def summary(checked: Sequence[Checked]) -> list[ErrorSummary]:
    """Over all rows, then by kind, source, accelerator, precision, engine and scale; the worst of each first."""
    groups = []
    for by, name_of in _BY.items():
        members: dict[str, list[Checked]] = {}
        for row in checked:
            members.setdefault(name_of(row) or "not stated", []).append(row)
        found = [_group(by, name, rows) for name, rows in members.items()]
        groups += sorted(found, key=lambda one: (-one.median_error if one.n else 0.0, one.name))
    return groups


def skips(checked: Sequence[Checked]) -> dict[str, int]:
    """How many rows were skipped, by reason, the most frequent first."""
    return {reason: len(ids) for reason, ids in skipped(checked).items()}


def skipped(checked: Sequence[Checked]) -> dict[str, list[str]]:
    """Which rows were skipped, by reason, the most frequent first."""
    return by_reason((row.skipped_reason, row.id) for row in checked if row.skipped_reason)


def doubted(checked: Sequence[Checked]) -> dict[str, list[str]]:
    """Which rows should be looked at again, by what they look like."""
    return by_reason((row.doubt, row.id) for row in checked if row.doubt)


def by_reason(told: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
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


def _group(by: str, name: str, rows: Sequence[Checked]) -> ErrorSummary:
    errors = [row.error for row in rows if row.error is not None]
    return group_of(by, name, errors, skipped=sum(bool(row.skipped_reason) for row in rows))
