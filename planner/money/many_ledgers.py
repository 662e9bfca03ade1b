"""Many plans at once: a context in which some inputs hold a column, one value for each row.

A row is a draw of the futures, a point of a sweep or a trial value of a break-even: the caller names the inputs that
differ and gets the ledgers. Rows go through in blocks that fit the processor's cache. A block is large
enough that numpy does the work, and small enough that no array of all rows and all months ever stands in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger
from planner.money.measures import present_usd
from planner.money.option import Builder, Option, OptionLedger, Unavailable, complete_ledger
from planner.money.renting.order_market import RENTAL_DEPTH
from planner.money.setting import BUSY_FACTOR, PlanContext
from planner.money.ways import WAYS
from planner.money.ways.own import fleet_builder, purchase_schedule
from planner.scenario.budget import CELLS, STACKED_CELLS
from planner.scenario.path import Path, with_value

Array = NDArray[np.float64]
Rows = slice | NDArray[np.intp]

_FEWEST = 256  # rows of a block
_LEAST_DONE = 0.1  # of the work: an option that can do less costs ten times as much for it
# What a block frees, the system takes back, and the next block asks for it page by page: a third of its time. Linux
# leaves a process twice as much as the largest piece that it saw freed (mallopt(3), M_MMAP_THRESHOLD): it is shown one.
np.empty(2**24, dtype=np.uint8)  # never written to, so it takes no memory


def option_builder(option: Option) -> Builder:
    """Return the builder of an option; a fleet keeps its size, whatever is tried out."""
    return fleet_builder(int(option.accelerators), option.orders) if option.way == "own" else WAYS[option.way].build


def build_ledger(setting: PlanContext, build: Builder) -> Ledger | None:
    """Return the ledger of an option with its tax in a context, perhaps for several rows at once."""
    built = build(setting)
    return None if isinstance(built, Unavailable) else complete_ledger(setting, built.title, built.lines)


@dataclass(frozen=True, eq=False)
class LedgerBlock:
    """The ledger of one option in some of the rows, with their context."""

    rows: slice
    setting: PlanContext
    option: int  # its place among the options
    ledger: Ledger
    for_the_work: Array | float = 1.0  # costs times it are for the work that is done at typical figures


class _HashableColumn(np.ndarray[tuple[int, ...], np.dtype[np.float64]]):
    """A column that a scenario may hold: its records want values that can be hashed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


@dataclass(frozen=True, eq=False)
class InputColumns:
    """A context for many rows: some inputs have a value for each row, the others are constant.

    `along`, another input takes each of its values in every row. Amounts are then rows x values x months, and the part
    that does not depend on that input is computed once for all its values.
    """

    setting: PlanContext
    tried: Mapping[str, Array] = field(default_factory=dict)  # inputs by the names that formulas use
    fields: Mapping[Path, Array] = field(default_factory=dict)  # inputs by their place in the scenario
    along: tuple[str, Array] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows, and of values along each; one row where nothing differs."""
        count = len(next(iter((*self.tried.values(), *self.fields.values())), (None,)))
        return (count,) if self.along is None else (count, len(self.along[1]))

    def take(self, rows: Rows) -> InputColumns:
        """Some of the rows, in that order; the same may stand there several times."""
        tried = {name: values[rows] for name, values in self.tried.items()}
        return replace(self, tried=tried, fields={path: values[rows] for path, values in self.fields.items()})

    def with_tried(self, name: str, values: Array) -> InputColumns:
        """The rows with one more input tried out; a factor on the work multiplies an existing one."""
        factor = self.tried.get(name, 1.0) if name == BUSY_FACTOR else 1.0
        return replace(self, tried={**self.tried, name: values * factor})

    def context(self) -> PlanContext:
        """Return the context that holds all rows."""
        scenario = self.setting.scenario
        for path, values in self.fields.items():
            scenario = with_value(scenario, path, values[:, None].view(_HashableColumn))
        context = replace(self.setting, scenario=scenario, column_axes=1) if self.fields else self.setting
        if self.along is None:
            return context.with_tried({name: values[:, None] for name, values in self.tried.items()})
        name, values = self.along
        beside = {key: column[:, None, None] for key, column in self.tried.items()}
        return context.with_tried({**beside, name: values[None, :, None]})

    def blocks(self, options: Sequence[Option]) -> Iterator[LedgerBlock]:
        """Yield the ledgers of all rows, block by block and option by option; none where an option is unavailable.

        Each is let go when the next one is requested.
        """
        count, steps = self.shape[0], self.shape[-1] if self.along else 1
        mix = self.setting.scenario.mix
        orders = max(len(purchase_schedule(self.setting)), 0 if mix is None else len(mix.orders), 1)
        cells = CELLS if orders == 1 else STACKED_CELLS
        size = max(cells // ((self.setting.timeline.last + 1) * steps * orders), _FEWEST // steps // orders, 1)
        size = -(-count // max(-(-count // size), 1)) or 1  # blocks of one size: the largest takes the memory
        for start in range(0, count, size):
            rows = slice(start, min(start + size, count))
            context = self.take(rows).context()
            for place, option in enumerate(options):
                built = option_builder(option)(context)
                if not isinstance(built, Unavailable):
                    ledger = complete_ledger(context, built.title, built.lines)
                    yield LedgerBlock(rows, context, place, ledger, _for_the_work(context, built, option.work_share))
            context.release()

    def present_usd(self, options: Sequence[Option]) -> Array:
        """Return present costs, options x rows (x values); not-a-number where an option is unavailable. [USD]"""
        usd = np.full((len(options), *self.shape), np.nan)
        for block in self.blocks(options):
            usd[block.option, block.rows] = present_usd(block.setting, block.ledger) * block.for_the_work
        return usd


def _for_the_work(context: PlanContext, built: OptionLedger, usual_share: float) -> Array | float:
    """Return the share of the work that an option does at typical figures over the one where fewer can be rented."""
    if RENTAL_DEPTH not in context.tried:
        return 1.0
    done, all_hours = (np.sum(each, axis=-1) for each in (built.useful_hours, context.demand.all.busy_hours))
    return np.asarray(usual_share * all_hours / np.maximum(done, _LEAST_DONE * all_hours))
