"""Many futures at once: the present cost of each way for thousands of draws of its inputs.

Draws go through in blocks that fit the processor's cache. A block is large enough that numpy does the work, and small
enough that no array of all draws and all months ever stands in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger
from planner.money.measures import present_usd
from planner.money.setting import Setting
from planner.money.verdict.breakeven import ledger_at
from planner.money.ways import WAYS
from planner.money.ways.ledger_of_way import Builder
from planner.scenario.ways import Way

CELLS = 90_000  # draws x months of a block; each takes 8 bytes: 700 kB
_FEWEST = 256  # draws of a block


@dataclass(frozen=True, eq=False)
class Block:
    """Some of the draws: which, the setting with them tried out, and the ledger of each way; None without one."""

    draws: slice
    setting: Setting
    ledgers: tuple[Ledger | None, ...]


def blocks(
    setting: Setting,
    builders: Sequence[Builder],
    draws: Mapping[str, NDArray[np.float64]],
    grid: tuple[str, NDArray[np.float64]] | None = None,
) -> Iterator[Block]:
    """The ledgers of all draws, block by block; `draws` has one value for each draw of each input, by formula name.

    Who takes a block has done with it when the next is asked for.

    With a grid, that input takes each of its values in each draw: amounts are then draws x values x months, and what
    the input does not touch is reckoned once for all its values.
    """
    count, steps = len(next(iter(draws.values()))), 1 if grid is None else len(grid[1])
    size = max(CELLS // ((setting.timeline.last + 1) * steps), _FEWEST // steps)
    for start in range(0, count, size):
        block = slice(start, min(start + size, count))
        if grid is None:
            tried = setting.trying({name: values[block, None] for name, values in draws.items()})
        else:
            beside = {name: values[block, None, None] for name, values in draws.items()}
            tried = setting.trying({**beside, grid[0]: grid[1][None, :, None]})
        yield Block(block, tried, tuple(ledger_at(tried, build) for build in builders))
        tried.let_go()


def present_by_draw(
    setting: Setting, ways: Sequence[Way], draws: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Present cost, ways x draws. Not-a-number for a way that cannot be reckoned."""
    return present_by_builder(setting, [WAYS[way].build for way in ways], draws)


def present_by_builder(
    setting: Setting, builders: Sequence[Builder], draws: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The present cost of each way for every draw, from the functions that build the ways."""
    found = np.full((len(builders), len(next(iter(draws.values())))), np.nan)
    for block in blocks(setting, builders, draws):
        for row, ledger in enumerate(block.ledgers):
            if ledger is not None:
                found[row, block.draws] = present_usd(block.setting, ledger)
    return found
