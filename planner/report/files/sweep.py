"""A sweep as a CSV file (one line for each point), as a JSON document and as a summary text."""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from planner.money.option import fleet_size_from_key
from planner.money.ways import WAYS, OptionSpec
from planner.report.files import answer_schema as schema
from planner.report.files.csv import BYTE_ORDER_MARK
from planner.report.forms import finite
from planner.scenario.grid import OUTPUTS, SweepGrid
from planner.scenario.path import format_path
from planner.study.sweep.flips import Flip, WinnerCounts, flips
from planner.study.sweep.sweep import PointAnswer
from pricing.formulas import guarded, unescape_csv_formula

LINE_END = b"\r\n"
RIGHT_SIZE = "own_right_size"
BY_OPTION = ("present_usd", "low_usd", "high_usd", "cash_today_usd")
_DECIMALS, _CENTS = 6, 2  # of shares and months; of dollars
_USD = ("npv_usd",)
_MOST_FLIPS = 5
_LEADERS = "Leader at typical figures (add verdict to the outputs for the certainty)"
_NUMBERS = (
    "share_cheaper", "gap_share", "npv_usd", "payback_months", "payback_discounted_months", "break_even_busy_share",
)  # fmt: skip
_TEXTS = ("verdict", "payback_says", "payback_discounted_says", "break_even_says", "note")
_TEXT_OF = {
    "payback_months": "payback_says",
    "payback_discounted_months": "payback_discounted_says",
    "break_even_busy_share": "break_even_says",
}


class SweepColumns:
    """The columns of the file of a grid, and its rows."""

    def __init__(self, grid: SweepGrid) -> None:
        self.grid = grid
        self.options = _possible_options(grid)
        self.measures = [name for name in grid.outputs if name not in OUTPUTS]  # of each option
        self._by_option = [*(name for name in BY_OPTION if name in grid.outputs), *self.measures]
        of_point = [name for name in grid.outputs if name not in (*self._by_option, "note")]
        self._of_point = [column for name in of_point for column in (name, _TEXT_OF.get(name)) if column]
        by_option = [f"{name}_{option}" for name in self._by_option for option in self.options]
        note = ["note"] if "note" in grid.outputs else []
        self.names = ["id", *(format_path(path) for path in grid.paths), *self._of_point, *by_option, *note]
        self.word = "verdict" if "verdict" in grid.outputs else "leads"  # counted by a summary
        self.word_at, self.best_at = (self.names.index(name) for name in (self.word, "best"))

    @property
    def head(self) -> bytes:
        """The first line of the file."""
        return BYTE_ORDER_MARK.encode("utf-8") + _line([guarded(name) for name in self.names])

    def row(self, number: int, point: PointAnswer) -> bytes:
        """Return the line of one point."""
        cells: list[object] = [number, *(_cell(value) for value in self.grid.values(number))]
        cells += [_cell(getattr(point, name), _CENTS if name in _USD else _DECIMALS) for name in self._of_point]
        options = {key if fleet_size_from_key(key) is None else RIGHT_SIZE: costs for key, costs in point.ways.items()}
        for name in self._by_option:
            for costs in map(options.get, self.options):
                if costs is None:
                    cells.append("")
                else:
                    value = costs.measures[name] if name in costs.measures else float(getattr(costs, name))
                    cells.append(_cell(value, _CENTS if "usd" in name else _DECIMALS))
        if "note" in self.grid.outputs:
            cells.append(_cell(point.note))
        return _line(cells)


def _possible_options(grid: SweepGrid) -> list[str]:
    """Return the options that a point may have, in the order shown."""
    base, varied = grid.saved.scenario, {str(path[0]) for path in grid.paths}
    serves = any(work.serve for work in base.work) or any("serve" in path for path in grid.paths)
    allowed = tuple(WAYS) if "ways" in varied else base.ways or tuple(WAYS)

    def is_possible(option: OptionSpec) -> bool:
        is_usual = option.when_empty == "usual"
        is_stated = not is_usual and (getattr(base, option.inputs) is not None or option.inputs in varied)
        return is_stated or (serves if option.filled_by_service else is_usual)

    keys = [key for key, option in WAYS.items() if key in allowed and is_possible(option)]
    if "own" in keys and (base.own.accelerators is not None or ("own", "accelerators") in grid.paths):
        keys.insert(keys.index("own") + 1, RIGHT_SIZE)
    return keys


def _cell(value: object, decimals: int | None = None) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return value if decimals is None else round(value, decimals) + 0.0  # no -0
    if isinstance(value, int):
        return value
    if isinstance(value, tuple):
        return guarded(" ".join(map(str, value)))
    return guarded(" ".join(str(value).split()))  # one line for one point, whatever a name holds


def _line(cells: Sequence[object]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator=LINE_END.decode()).writerow(cells)
    return out.getvalue().encode("utf-8")


def summary_text(document: schema.SweepSchema) -> str:
    """Return the result of a sweep in words."""
    is_sure = document.verdicts is not None
    lines = [f"{document.scenarios:,} scenarios", "", "Cheapest option"]
    lines += [f"  {_percent(best.share)}  {best.value}" for best in document.best]
    lines += ["", "Verdict" if is_sure else _LEADERS]
    lines += [f"  {_percent(word.share)}  {word.value}" for word in document.verdicts or document.leads or ()]
    lines += ["", "Inputs that change the answer: share of steps to the next value at which another option wins"]
    lines += [_flip_text(flip) for flip in document.flips[:_MOST_FLIPS]]
    return "\n".join(lines) + "\n"


def _flip_text(flip: schema.FlipSchema) -> str:
    inputs = " with ".join(flip.inputs)
    if flip.most_between is None:
        return f"  {_percent(0.0)}  {inputs}: none"
    before, after = (
        ", ".join(f"{value:,.6g}" if type(value) in (int, float) else str(value) for value in step)
        for step in flip.most_between
    )
    return f"  {_percent(flip.share_of_steps)}  {inputs}, most between {before} and {after}"


def _percent(share: float) -> str:
    """Return a share in percent with one decimal; 100.0 and 0.0 only where it is all or none."""
    near = min(max(100 * share, 0.1), 99.9) if 0 < share < 1 else 100 * share
    return f"{near:5.1f} %"


class SweepRun(NamedTuple):
    """How a sweep was run; the names are keys of the JSON."""

    file: str  # of the rows
    day: date
    catalogue_digest: str
    were_there: int  # rows already in the file
    seconds: float


def sweep_document(grid: SweepGrid, winners: WinnerCounts, run: SweepRun) -> schema.SweepSchema:
    """Return the summary over all points; the rows stand in the file."""
    words, has_verdicts = _frequencies(winners.shares(0)), "verdict" in grid.outputs
    return schema.SweepSchema(
        **run._asdict(),
        scenarios=grid.count,
        leads=None if has_verdicts else words,
        verdicts=words if has_verdicts else None,
        best=_frequencies(winners.shares(1)),
        flips=tuple(_flip(flip) for flip in flips(grid, winners)),
        rows=(),
    )


def _frequencies(shares: Mapping[str, float]) -> tuple[schema.FrequencySchema, ...]:
    return tuple(schema.FrequencySchema(value=value or "none", share=share) for value, share in shares.items())


def _flip(flip: Flip) -> schema.FlipSchema:
    between = None if flip.between is None else tuple(to_jsonable_python(step) for step in flip.between)
    fields = {"inputs": flip.inputs, "share_of_steps": flip.share, "most_between": between}
    return schema.FlipSchema.model_validate(fields)


def sweep_json(document: schema.SweepSchema, grid: SweepGrid, path: Path) -> Iterator[str]:
    """Yield the document with the rows of the file, piece by piece: millions of them are never held at once."""
    summary = document.model_dump(mode="json", exclude={"rows"})
    head = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
    yield head.removesuffix("\n}") + ',\n  "rows": ['
    separator = "\n    "
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for row in sweep_rows(grid, lines):
            yield separator + row.model_dump_json()
            separator = ",\n    "
    yield "\n  ]\n}\n"


def sweep_rows(grid: SweepGrid, lines: Iterable[str]) -> Iterator[schema.SweepRowSchema]:
    """Yield the rows of a file of this grid."""
    columns = SweepColumns(grid)
    cells = csv.reader(lines, quoting=csv.QUOTE_NONNUMERIC)  # a cell without quotes is a number
    next(cells)  # heads
    for row in cells:
        yield _row(grid, columns, row)


def _row(grid: SweepGrid, columns: SweepColumns, cells: Sequence[Any]) -> schema.SweepRowSchema:
    number, first = int(cells[0]), 1 + len(grid.paths)
    by_name = dict(zip(columns.names[first:], cells[first:], strict=True))
    best, own = by_name.get("best", ""), by_name.get("own", "")
    inputs = zip(grid.paths, grid.values(number), strict=True)
    row = {
        "id": number,
        "inputs": tuple(
            schema.SweepInputSchema(input=format_path(path), value=to_jsonable_python(value)) for path, value in inputs
        ),
        "leads": by_name["leads"],
        "best": _key(best),
        "own": _key(own),
        "rent": _key(by_name.get("rent", "")),
        "right_size_accelerators": fleet_size_from_key(best) or fleet_size_from_key(own),
        "options": tuple(_options(columns, by_name)),
    }
    row |= {name: _number(by_name.get(name)) for name in _NUMBERS}
    row |= {name: unescape_csv_formula(by_name.get(name) or "") or None for name in _TEXTS}
    return schema.SweepRowSchema.model_validate(row)


def _key(key: str) -> str | None:
    """Return the name of an option in the columns of a row; None where there is no key."""
    return (key or None) if fleet_size_from_key(key) is None else RIGHT_SIZE


def _number(cell: Any) -> float | None:
    return finite(cell) if isinstance(cell, float) else None


def _options(columns: SweepColumns, by_name: Mapping[str, Any]) -> Iterator[schema.SweepOptionSchema]:
    for option in columns.options:
        costs = {name: _number(by_name.get(f"{name}_{option}")) for name in BY_OPTION}
        measures = {name: _number(by_name.get(f"{name}_{option}")) for name in columns.measures}
        if any(number is not None for number in (*costs.values(), *measures.values())):
            yield schema.SweepOptionSchema(key=option, **costs, measures=measures)
