"""Many futures at once: the present cost of each way for thousands of draws of its inputs.

Draws go through in blocks that fit the processor's cache. A block is large enough that numpy does the work, and small
enough that no array of all draws and all months ever stands in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.inputs.scenario import Way
from planner.money.breakeven import ledger_at
from planner.money.measures import present_usd
from planner.money.setting import Setting
from planner.money.ways import BUILDERS

BLOCK = 512  # draws; 512 x 61 months x 8 bytes is 250 kB


def present_by_draw(
    setting: Setting, ways: Sequence[Way], draws: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Present cost, ways x draws; `draws` has one value for each draw of each input that varies, by its formula name.

    Not-a-number for a way that cannot be reckoned.
    """
    count = len(next(iter(draws.values())))
    found = np.full((len(ways), count), np.nan)
    for start in range(0, count, BLOCK):
        block = slice(start, min(start + BLOCK, count))
        tried = setting.trying({name: values[block, None] for name, values in draws.items()})
        for row, way in enumerate(ways):
            ledger = ledger_at(tried, BUILDERS[way])
            if ledger is not None:
                found[row, block] = present_usd(tried, ledger)
    return found
