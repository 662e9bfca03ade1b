"""From training runs to a file of constants, with the bands that the fit leaves."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import numpy as np

from planner.evidence.cells import Row
from planner.evidence.least_squares import Array
from planner.evidence.left_out import Calibrated, band_of_errors, bands_of, enough_sources, judged
from planner.evidence.spread import left_out, spread_of
from planner.evidence.training.constants_file import constants_text
from planner.evidence.training.fit import (
    Sample,
    as_calibration,
    errors_without,
    fitted,
    prior_for,
    sample_of,
    traits_in,
    without_its_source,
)
from planner.speed.bands import Band
from planner.speed.pace import doubt_of, kept_share, scatter_of
from pricing import Catalogue

FEWEST = 25
_ALWAYS = ("moe", "dense_layout_stated", "dense_layout_chosen")


def calibrate_training(catalogue: Catalogue, rows: Iterable[Row], on: date) -> Calibrated:
    """Fit, then fit again without each source, alone and with each class of its runs: the bands come from that."""
    sample = sample_of(catalogue, rows)
    enough_sources("training", sample.source)
    prior = prior_for(sample.runs)
    best = fitted(sample, prior)
    errors = without_its_source(sample, best)
    runs = traits_in(sample)
    spread = spread_of(runs, left_out(runs, errors_without(sample, best)))
    seen = zip(sample.runs, errors, sample.usable, strict=True)
    told = judged((run.kind, run.source, error) for run, error, usable in seen if usable)
    text = constants_text(as_calibration(best, prior), training_bands(sample, errors), spread, sample, on=on)
    return Calibrated(text, told)


def training_bands(sample: Sample, errors: Array) -> dict[str, Band]:
    """A band for each kind and each chip, and for what one's own runs leave of the errors."""
    names = [
        (run.kind, f"chip/{run.chip_key}") if usable else ()
        for run, usable in zip(sample.runs, sample.usable, strict=True)
    ]
    bands = bands_of(names, errors, tells=_tells)
    own = {f"own_runs/{like}": left for like, left in own_run_errors(sample, errors).items()}
    bands |= {name: band_of_errors(left) for name, left in own.items() if _tells(name, len(left))}
    return dict(sorted(bands.items()))


def _tells(name: str, runs: int) -> bool:
    return runs >= FEWEST or name in _ALWAYS


def own_run_errors(sample: Sample, errors: Array) -> dict[str, list[float]]:
    """What is left of each error when the other runs of its source correct it, as a person's own runs would."""
    rows = [int(number) for number in np.flatnonzero(sample.usable & np.isfinite(errors))]
    groups: dict[tuple[object, ...], list[int]] = {}
    for number in rows:
        groups.setdefault(_setting(sample, number), []).append(number)
    left: dict[str, list[float]] = {}
    for members in groups.values():
        for number in members:
            same = [each for each in members if each != number and _job(sample, each) == _job(sample, number)]
            other = [each for each in members if _job(sample, each) != _job(sample, number)]
            for like, others in (("job", same), ("accelerator", other)):
                if others:
                    kept = kept_share(len(others), doubt_of(like), scatter_of(errors[others]))
                    name = f"{like}/{sample.runs[number].kind}"
                    left.setdefault(name, []).append(float(errors[number] - kept * np.median(errors[others])))
    return left


def _setting(sample: Sample, number: int) -> tuple[object, ...]:
    run = sample.runs[number]
    return run.source, run.chip_key, float(run.plan.bits)


def _job(sample: Sample, number: int) -> tuple[object, ...]:
    shape, plan = sample.runs[number].shape, sample.runs[number].plan
    return float(shape.params), float(shape.layers), float(shape.hidden), plan.trainable_share < 1
