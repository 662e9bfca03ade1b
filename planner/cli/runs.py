"""What the verbs about runs share: a table of somebody's own, or ours."""

from __future__ import annotations

from pathlib import Path

from planner.cli.common import BadInput
from planner.speed.data_files import SERVING_RUNS, TRAINING_RUNS, published_runs
from planner.speed.table import SERVING, TRAINING, Columns, rows_in

MOST_BYTES = 20_000_000
TABLES: dict[str, tuple[str, Columns]] = {"training": (TRAINING_RUNS, TRAINING), "serving": (SERVING_RUNS, SERVING)}


def runs_of(kind: str, path: Path | None) -> list[dict[str, str]]:
    """The rows of a table of that kind; ours where no file is given."""
    name, columns = TABLES[kind]
    return published_runs(name, columns) if path is None else rows_in(text_of(path), columns, file=path.name)


def text_of(path: Path) -> str:
    """What stands in a file of somebody's own: UTF-8, of bounded size."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadInput(f"{path.name}: want at most {MOST_BYTES // 1_000_000} MB.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name}: want UTF-8 text, got byte 0x{error.object[error.start]:02x}.") from error
