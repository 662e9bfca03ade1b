"""A table of somebody's own runs, training or serving: what each was beside its prediction, and the factors of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from planner.evidence.cells import Row
from planner.evidence.factors import OwnFactors, factors
from planner.evidence.serving.own_anchor import serving_runs
from planner.evidence.table import SERVING, TRAINING, BadTable, TableColumns, kind_of, rows_in
from planner.evidence.training.anchor import training_runs
from planner.scenario.vocabulary import Kind
from pricing import Catalogue

COLUMNS: dict[Kind, TableColumns] = {"training": TRAINING, "serving": SERVING}
_MOST_REASONS = 3


def factors_in(catalogue: Catalogue, text: str, *, file: str, day: date, most: int | None = None) -> OwnFactors:
    """The factors of a CSV, whose columns say whether it is of training or of serving; `BadTable` where it has none."""
    kind = kind_of(text, file=file)
    rows = rows_in(text, COLUMNS[kind], file=file)
    if most is not None and len(rows) > most:
        raise BadTable(f"{file}: {len(rows):,} runs, want at most {most:,}: keep those most like what you plan.")
    found = factors_of(catalogue, kind, rows, source=file, day=day)
    if not found.factors:
        reasons = Counter(run.why_not for run in found.runs).most_common(_MOST_REASONS)
        why = "; ".join(f"{reason} ({many:,} x)" for reason, many in reasons) or "it holds no runs"
        raise BadTable(f"{file}: none of {len(rows):,} runs can be gone by: {why}.")
    return found


def factors_of(catalogue: Catalogue, kind: Kind, rows: Sequence[Row], *, source: str, day: date | None) -> OwnFactors:
    """The factors of rows that were read."""
    runs = training_runs(catalogue, rows) if kind == "training" else serving_runs(catalogue, rows)
    return factors(kind, runs, source=source, day=day)
