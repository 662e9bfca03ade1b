"""Predicted beside published: what every checked row has, and how far off predictions are over groups of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_NEAR, _NEARER = 0.25, 0.20


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
    return dict(Counter(row.skipped_reason for row in checked if row.skipped_reason).most_common())


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
