"""Published runs that tests are made with: a spread over sources, chosen before anybody looked at their errors."""

from functools import cache
from pathlib import Path

from planner.evidence.table import SERVING, TRAINING, RunTable, published_runs

IDS = Path(__file__).with_name("golden_ids.txt").read_text(encoding="utf-8").split("training:")[1].split("serving:")


def training_rows() -> list[dict[str, str]]:
    return _picked(TRAINING, IDS[0].split())


def serving_rows() -> list[dict[str, str]]:
    return _picked(SERVING, IDS[1].split())


def _picked(table: RunTable, wanted: list[str]) -> list[dict[str, str]]:
    return [dict(_by_id(table)[key]) for key in wanted]  # each test its own, to change as it likes


@cache
def _by_id(table: RunTable) -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in published_runs(table)}
