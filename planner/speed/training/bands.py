"""How far off a prediction may be: the spread of observed over predicted for runs that were left out of the fit."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from planner.speed.arrays import Num
from planner.speed.bands import Band, band_of_errors
from planner.speed.data_files import read_data
from planner.speed.training.calibration import Array, Sample

FEWEST = 25
SCALES = {"up_to_64": (0.0, 64.0), "65_to_1024": (64.0, 1024.0), "above_1024": (1024.0, np.inf)}


def kind_of(*, moe: bool, layout_stated: bool) -> str:
    """The kinds of runs whose errors differ."""
    if moe:
        return "moe"
    return "dense_layout_stated" if layout_stated else "dense_layout_chosen"


def scale_of(accelerators: float) -> str:
    """Small, middle, large."""
    return next(name for name, (low, high) in SCALES.items() if low < max(accelerators, 1.0) <= high)


def bands_of(sample: Sample, errors: Array) -> dict[str, Band]:
    """A band for each kind, each kind and scale, and each chip, where enough runs were left out to tell."""
    groups: dict[str, list[float]] = {}
    for run, error, usable in zip(sample.runs, errors, sample.usable, strict=True):
        if not usable or not np.isfinite(error):
            continue
        kind = kind_of(moe=bool(run.shape.moe_layers), layout_stated=run.layout_stated)
        scale = scale_of(float(run.plan.accelerators))
        for name in (kind, f"{kind}/{scale}", f"chip/{run.chip_key}"):
            groups.setdefault(name, []).append(float(error))
    return {
        name: band_of_errors(group) for name, group in sorted(groups.items()) if len(group) >= FEWEST or name in _ALWAYS
    }


_ALWAYS = ("moe", "dense_layout_stated", "dense_layout_chosen")


@lru_cache(maxsize=1)
def house_bands() -> dict[str, Band]:
    """The bands that were found when the constants were fitted."""
    return {name: Band(**band) for name, band in read_data("training_constants.yaml")["bands"].items()}


def band_for(*, moe: bool, layout_stated: bool, accelerators: Num) -> Band:
    """The band of the nearest group with enough runs."""
    bands, kind = house_bands(), kind_of(moe=moe, layout_stated=layout_stated)
    return bands.get(f"{kind}/{scale_of(float(np.max(accelerators)))}", bands[kind])
