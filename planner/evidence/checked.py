"""Predicted beside published: what every checked row has, and how far off predictions are over groups of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from planner.speed.bands import Band

_NEAR, _NEARER = 0.25, 0.20
TAIL = 0.1  # of runs outside a band on either side
BEYOND = "its numbers are beyond what a run can be"


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One row: what it is about, and how far off its prediction is; or why there is none."""

    id: str
    source: str
    accelerator: str
    accelerators: float
    engine: str
    precision: str
    kind: str
    scale: str
    model: str | None = None  # the catalogue's that it was taken for; None where it has none of that name and size
    guessed: bool = False  # its shape, from its size: the band is the wide one
    fits: bool | None = None
    skipped_reason: str | None = None
    low: float | None = None  # of the band around the first prediction there is
    high: float | None = None
    error: float | None = None  # logarithm of predicted over published


@dataclass(frozen=True)
class Group:
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


def summary(checked: Sequence[Checked]) -> list[Group]:
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


def by_reason(told: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """What goes by each reason, the most frequent reason first."""
    found: dict[str, list[str]] = {}
    for reason, name in told:
        found.setdefault(reason, []).append(name)
    return dict(sorted(found.items(), key=lambda one: -len(one[1])))


def group_of(by: str, name: str, errors: ArrayLike, *, skipped: int = 0) -> Group:
    """How far off the predictions with these errors are; an error is the logarithm of predicted over published."""
    off = np.asarray(errors, dtype=np.float64)
    off = off[np.isfinite(off)]
    if not off.size:
        none = float("nan")
        return Group(by, name, 0, none, none, none, none, skipped)
    ratio = np.exp(off)
    near, nearer = (float(np.mean(np.abs(ratio - 1) <= most)) for most in (_NEAR, _NEARER))
    return Group(by, name, off.size, float(np.median(np.abs(off))), nearer, near, float(np.median(ratio)), skipped)


def _group(by: str, name: str, rows: Sequence[Checked]) -> Group:
    errors = [row.error for row in rows if row.error is not None]
    return group_of(by, name, errors, skipped=sum(bool(row.skipped_reason) for row in rows))


def band_of_errors(errors: ArrayLike, *, weights: ArrayLike | None = None) -> Band:
    """The band that runs with these errors leave; an error is the logarithm of predicted over published."""
    ratios = np.exp(-np.asarray(errors, dtype=np.float64))
    if weights is None:
        low, high = np.quantile(ratios, [TAIL, 1 - TAIL])
    else:
        order = np.argsort(ratios)
        share = np.cumsum(np.asarray(weights, dtype=np.float64)[order])
        low, high = np.interp([TAIL, 1 - TAIL], share / share[-1], ratios[order])
    return Band(low=round(float(low), 3), high=round(float(high), 3), rows=ratios.size)
