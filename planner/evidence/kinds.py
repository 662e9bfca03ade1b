"""The two kinds of runs, training and serving, each with what is done with a table of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from planner.evidence.checked import CheckedRun, FactorTable, OwnRun, factors, refuse_unusable
from planner.evidence.serving.check import check_serving, own_serving_runs
from planner.evidence.table import TABLES, Row, RunTableError, kind_of, read_run_rows
from planner.evidence.training.check import check_training, own_training_runs
from planner.scenario.vocabulary import Kind
from pricing import Catalogue


@dataclass(frozen=True)
class RunKindHandlers:
    """What is done with runs of a kind."""

    check: Callable[[Catalogue, Sequence[Row]], list[CheckedRun]]  # each row beside its prediction
    own: Callable[[Catalogue, Sequence[Row]], tuple[OwnRun, ...]]  # each as a run of one's own


KINDS: dict[Kind, RunKindHandlers] = {
    "training": RunKindHandlers(check_training, own_training_runs),
    "serving": RunKindHandlers(check_serving, own_serving_runs),
}


def read_factors(catalogue: Catalogue, text: str, *, file: str, day: date, most: int | None = None) -> FactorTable:
    """Return the factors of a CSV, of training or serving by its columns; raise `RunTableError` where it has none."""
    kind = kind_of(text, file=file)
    rows = read_run_rows(text, TABLES[kind], file=file)
    if most is not None and len(rows) > most:
        raise RunTableError(f"{file}: {len(rows):,} runs, want at most {most:,}: keep those most like what you plan.")
    found = factors_from_rows(catalogue, kind, rows, source=file, day=day)
    refuse_unusable(found, file=file)
    return found


def factors_from_rows(
    catalogue: Catalogue, kind: Kind, rows: Sequence[Row], *, source: str, day: date | None
) -> FactorTable:
    """The factors of rows that were read."""
    return factors(kind, KINDS[kind].own(catalogue, rows), source=source, day=day)
