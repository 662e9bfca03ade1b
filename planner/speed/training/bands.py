"""How far off a prediction may be: the spread of observed over predicted for runs that were left out of the fit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from planner.speed.arrays import Num
from planner.speed.bands import Band
from planner.speed.training.constants import TrainingCalibration, house_calibration

SCALES = {"up_to_64": (0.0, 64.0), "65_to_1024": (64.0, 1024.0), "above_1024": (1024.0, np.inf)}

# Of a shape that was guessed from its size. Where the shapes of 888 published runs are so guessed, 86 % lie inside.
GUESSED = Band(low=0.6, high=1.25, rows=888)


# Of processors no run was published with its rate. Assumption: they reach 0.15 to 1 of what a GPU of their rates would,
# a step wider at the low end than serving is measured to be on them (a third to a whole). Its middle, and its ends.
PROCESSOR_PACE = 0.4
PROCESSOR = Band(low=0.4, high=2.5, rows=0)


def kind_of(*, moe: bool, layout_stated: bool) -> str:
    """The kinds of runs whose errors differ."""
    if moe:
        return "moe"
    return "dense_layout_stated" if layout_stated else "dense_layout_chosen"


def scale_of(accelerators: float) -> str:
    """Small, middle, large."""
    return next(name for name, (low, high) in SCALES.items() if low < max(accelerators, 1.0) <= high)


def house_bands() -> Mapping[str, Band]:
    """The bands that were found when the house's constants were fitted."""
    return house_calibration().bands


def band_for(
    *,
    moe: bool,
    layout_stated: bool,
    accelerators: Num,
    calibration: TrainingCalibration | None = None,
    own: str = "",
    processor: bool = False,
) -> Band:
    """The band of the nearest group with enough runs; the house's where a fit was too small to have bands.

    `own` says that measured runs of one's own corrected the speed: of the same `job` or others on the `accelerator`.
    """
    if processor and not own:
        return PROCESSOR
    kind = kind_of(moe=moe, layout_stated=layout_stated)
    bands = calibration.bands if calibration is not None and kind in calibration.bands else house_bands()
    nearest = bands.get(f"{kind}/{scale_of(float(np.max(accelerators)))}", bands[kind])
    theirs = bands.get(f"own_runs/{own}/{kind}", nearest) if own else nearest
    # Runs of one's own never make it less sure: where the size alone tells more, that holds.
    return min(theirs, nearest, key=lambda band: band.high / band.low)
