"""A sweep as a file and in words: one line of CSV for each point, and what was found over all of them."""

import csv
import io
import math
from collections.abc import Sequence

from planner.money.option import fleet_size_from_key
from planner.money.ways import WAYS, OptionSpec
from planner.report.files.answer_schema import FlipSchema, SweepSchema
from planner.report.files.csv import BYTE_ORDER_MARK
from planner.scenario.grid import OUTPUTS, Grid
from planner.scenario.path import format_path
from planner.study.sweep.sweep import OptionCosts, PointAnswer
from pricing.formulas import guarded

LINE_END = b"\r\n"
RIGHT_SIZE = "own_right_size"
BY_WAY = ("present_usd", "low_usd", "high_usd", "cash_today_usd")
_PLACES = 6  # of shares and months
_CENTS = 2
_USD = ("npv_usd",)
_MOST_FLIPS = 5
_ONLY_LEADS = "Who leads at typical figures (verdict among the outputs says how sure)"


class SweepColumns:
    """The columns of the file of a grid, and its rows."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.ways = _ways(grid)
        self.others = [name for name in grid.outputs if name not in OUTPUTS]  # measures of each option
        self.by_way = [*(name for name in BY_WAY if name in grid.outputs), *self.others]
        by_way = [f"{name}_{way}" for name in self.by_way for way in self.ways]
        said = [name for name in grid.outputs if name not in (*self.by_way, "note")]
        says = {
            "payback_months": "payback_says",
            "payback_discounted_months": "payback_discounted_says",
            "break_even_busy_share": "break_even_says",
        }
        self._said = [one for name in said for one in (name, says.get(name)) if one]
        note = ["note"] if "note" in grid.outputs else []
        self.names = ["id", *(format_path(path) for path in grid.paths), *self._said, *by_way, *note]
        self.word = "verdict" if "verdict" in grid.outputs else "leads"  # what a summary counts
        self.word_at, self.best_at = (self.names.index(name) for name in (self.word, "best"))

    @property
    def head(self) -> bytes:
        """The first line of the file."""
        return BYTE_ORDER_MARK.encode("utf-8") + _line([guarded(name) for name in self.names])

    def row(self, number: int, found: PointAnswer) -> bytes:
        """The line of one point."""
        cells: list[object] = [number, *(_cell(value) for value in self.grid.values(number))]
        cells += [_cell(getattr(found, name), _CENTS if name in _USD else _PLACES) for name in self._said]
        ways = {key if fleet_size_from_key(key) is None else RIGHT_SIZE: way for key, way in found.ways.items()}
        for name in self.by_way:
            places = _CENTS if "usd" in name else _PLACES
            cells += [_cell(_number(ways[way], name), places) if way in ways else "" for way in self.ways]
        if "note" in self.grid.outputs:
            cells.append(_cell(found.note))
        return _line(cells)


def _number(way: OptionCosts, name: str) -> float:
    return way.measures[name] if name in way.measures else float(getattr(way, name))


def _ways(grid: Grid) -> list[str]:
    """The ways that a point may have, in the order they are shown."""
    base = grid.saved.scenario
    firsts = {str(path[0]) for path in grid.paths}
    serves = any(work.serve for work in base.work) or any("serve" in path for path in grid.paths)
    asked = tuple(WAYS) if "ways" in firsts else base.ways or tuple(WAYS)

    def may_be(way: OptionSpec) -> bool:
        told = way.when_empty == "usual" or getattr(base, way.inputs) is not None or way.inputs in firsts
        return told or (way.filled_by_service and serves)

    found = [key for key, way in WAYS.items() if key in asked and may_be(way)]
    is_sized = base.own.accelerators is not None or ("own", "accelerators") in grid.paths
    return [one for way in found for one in ((way, RIGHT_SIZE) if way == "own" and is_sized else (way,))]


def _cell(value: object, places: int | None = None) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return value if places is None else round(value, places) + 0.0  # no minus before nothing
    if isinstance(value, int):
        return value
    if isinstance(value, tuple):
        return guarded(" ".join(str(one) for one in value))
    return guarded(" ".join(str(value).split()))  # one line for one point, whatever a name holds


def _line(cells: Sequence[object]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator=LINE_END.decode()).writerow(cells)
    return out.getvalue().encode("utf-8")


def summary_text(told: SweepSchema) -> str:
    """What was found, in words."""
    lines = [f"{told.scenarios:,} scenarios", "", "Cheapest way"]
    lines += [f"  {_percent(one.share)}  {one.value}" for one in told.best]
    lines += ["", _ONLY_LEADS if told.verdicts is None else "Verdict"]
    lines += [f"  {_percent(one.share)}  {one.value}" for one in told.verdicts or told.leads or ()]
    lines += ["", "What turns it: steps from one value to the next at which another way wins"]
    lines += [_flip_text(flip) for flip in told.flips[:_MOST_FLIPS]]
    return "\n".join(lines) + "\n"


def _flip_text(flip: FlipSchema) -> str:
    inputs = " with ".join(flip.inputs)
    if flip.most_between is None:
        return f"  {_percent(0.0)}  {inputs}: none"
    before, after = (", ".join(_told(one) for one in step) for step in flip.most_between)
    return f"  {_percent(flip.share_of_steps)}  {inputs}, most between {before} and {after}"


def _told(value: object) -> str:
    return f"{value:,.6g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _percent(share: float) -> str:
    """A share in percent with one decimal; 100.0 and 0.0 only where it is all or none."""
    near = min(max(100 * share, 0.1), 99.9) if 0 < share < 1 else 100 * share
    return f"{near:5.1f} %"
