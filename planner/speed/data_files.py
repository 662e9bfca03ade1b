"""The one place where this room reads files: its own data, which lies beside it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from planner.speed.table import Columns, rows_in
from pricing import strict_yaml

DATA = Path(__file__).parent / "data"
TRAINING_RUNS, SERVING_RUNS = "training_runs.csv", "inference_runs.csv"


@lru_cache(maxsize=8)
def read_data(name: str) -> Any:
    """What stands in planner/speed/data/`name`."""
    return strict_yaml.read((DATA / name).read_text(encoding="utf-8"), file=name)


def published_runs(name: str, columns: Columns) -> list[dict[str, str]]:
    """The published runs in planner/speed/data/`name`."""
    return rows_in((DATA / name).read_text(encoding="utf-8"), columns, file=name)
