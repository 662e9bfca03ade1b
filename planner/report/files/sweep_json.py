"""A sweep as the document that programs read: what was found, and the rows of its file one after another."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from planner.money.option import fleet_size_from_key
from planner.report.files import answer_schema as schema
from planner.report.files.sweep_csv import BY_WAY, RIGHT_SIZE, SweepColumns
from planner.report.forms import finite
from planner.scenario.grid import Grid
from planner.scenario.path import format_path
from planner.study.sweep.flips import Flip, WinnerCounts, flips
from pricing.formulas import unescape_csv_formula

_NUMBERS = (
    "share_cheaper", "gap_share", "npv_usd", "payback_months", "payback_discounted_months", "break_even_busy_share",
)  # fmt: skip
_TEXTS = ("verdict", "payback_says", "payback_discounted_says", "break_even_says", "note")


class Ran(NamedTuple):
    """How a sweep was run."""

    file: str  # that its rows stand in
    day: date
    catalogue_digest: str
    were_there: int  # rows that stood in it before
    seconds: float


def sweep_document(grid: Grid, winners: WinnerCounts, ran: Ran) -> schema.SweepSchema:
    """What was found over all points; the rows stand in the file."""
    counted = _counted(winners.shares(0))
    return schema.SweepSchema(
        **ran._asdict(),
        scenarios=grid.count,
        leads=None if "verdict" in grid.outputs else counted,
        verdicts=counted if "verdict" in grid.outputs else None,
        best=_counted(winners.shares(1)),
        flips=tuple(_flip(flip) for flip in flips(grid, winners)),
        rows=(),
    )


def _counted(shares: Mapping[str, float]) -> tuple[schema.FrequencySchema, ...]:
    return tuple(schema.FrequencySchema(value=value or "none", share=share) for value, share in shares.items())


def _flip(flip: Flip) -> schema.FlipSchema:
    between = None if flip.between is None else tuple(to_jsonable_python(step) for step in flip.between)
    return schema.FlipSchema.model_validate(
        {"inputs": flip.inputs, "share_of_steps": flip.share, "most_between": between}
    )


def sweep_json(told: schema.SweepSchema, grid: Grid, path: Path) -> Iterator[str]:
    """The document with the rows of the file, piece by piece: millions of them are never held at once."""
    head = json.dumps(told.model_dump(mode="json", exclude={"rows"}), indent=2, ensure_ascii=False, allow_nan=False)
    yield head.removesuffix("\n}") + ',\n  "rows": ['
    mark = "\n    "
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for row in sweep_rows(grid, lines):
            yield mark + row.model_dump_json()
            mark = ",\n    "
    yield "\n  ]\n}\n"


def sweep_rows(grid: Grid, lines: Iterable[str]) -> Iterator[schema.SweepRowSchema]:
    """The rows of a file of this grid."""
    columns = SweepColumns(grid)
    cells = csv.reader(lines, quoting=csv.QUOTE_NONNUMERIC)  # what is not in quotes is a number
    next(cells)  # heads
    for row in cells:
        yield _row(grid, columns, row)


def _row(grid: Grid, columns: SweepColumns, cells: Sequence[Any]) -> schema.SweepRowSchema:
    number, first = int(cells[0]), 1 + len(grid.paths)
    said = dict(zip(columns.names[first:], cells[first:], strict=True))
    best, own = said.get("best", ""), said.get("own", "")
    inputs = zip(grid.paths, grid.values(number), strict=True)
    told = {
        "id": number,
        "inputs": tuple(
            schema.SweepInputSchema(input=format_path(path), value=to_jsonable_python(value)) for path, value in inputs
        ),
        "leads": said["leads"],
        "best": _key(best),
        "own": _key(own),
        "rent": _key(said.get("rent", "")),
        "right_size_accelerators": fleet_size_from_key(best) or fleet_size_from_key(own),
        "options": tuple(_options(columns, said)),
    }
    told |= {name: _number(said.get(name)) for name in _NUMBERS}
    told |= {name: unescape_csv_formula(said.get(name) or "") or None for name in _TEXTS}
    return schema.SweepRowSchema.model_validate(told)


def _key(key: str) -> str | None:
    """The name under which a row has the costs of the option with this key; None where there is no key."""
    return (key or None) if fleet_size_from_key(key) is None else RIGHT_SIZE


def _number(cell: Any) -> float | None:
    return finite(cell) if isinstance(cell, float) else None


def _options(columns: SweepColumns, said: Mapping[str, Any]) -> Iterator[schema.SweepOptionSchema]:
    """The ways that have a price in this row."""
    for way in columns.ways:
        costs = {name: _number(said.get(f"{name}_{way}")) for name in BY_WAY}
        measures = {name: _number(said.get(f"{name}_{way}")) for name in columns.others}
        if any(number is not None for number in (*costs.values(), *measures.values())):
            yield schema.SweepOptionSchema(key=way, **costs, measures=measures)
