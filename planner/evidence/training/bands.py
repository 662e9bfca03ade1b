"""The bands that a fit leaves: the spread of observed over predicted for runs that were left out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from planner.evidence.checked import band_of_errors
from planner.evidence.training.calibration import Array, Sample
from planner.speed.bands import Band
from planner.speed.pace import doubt_of, kept_share, scatter_of
from planner.speed.training.bands import scale_of

FEWEST = 25


def bands_of(sample: Sample, errors: Array, halves: Array | None = None) -> dict[str, Band]:
    """A band for each kind, each kind and scale, and each chip, where enough runs were left out to tell.

    `halves` are errors with half of the sources left out, each time others: a band that they leave wider is taken so,
    with a source of many runs counting as the square root of their number.
    """
    groups: dict[str, list[int]] = {}
    for number in np.flatnonzero(sample.usable & np.isfinite(errors)).tolist():
        run = sample.runs[number]
        kind, scale = run.kind, scale_of(float(run.plan.accelerators))
        for name in (kind, f"{kind}/{scale}", f"chip/{run.chip_key}"):
            groups.setdefault(name, []).append(number)
    bands = {name: band_of_errors(errors[members]) for name, members in groups.items() if _tells(name, len(members))}
    if halves is not None:
        bands = {name: band.or_wider(_band_without(sample, halves, groups[name])) for name, band in bands.items()}
    own = {f"own_runs/{like}": left for like, left in own_run_errors(sample, errors).items()}
    bands |= {name: band_of_errors(left) for name, left in own.items() if _tells(name, len(left))}
    return dict(sorted(bands.items()))


def _tells(name: str, runs: int) -> bool:
    return runs >= FEWEST or name in _ALWAYS


def _band_without(sample: Sample, halves: Array, members: Sequence[int]) -> Band:
    """The band of some runs when half of the sources are not known."""
    errors, source = halves[:, members], np.broadcast_to(sample.source[members], (len(halves), len(members)))
    there = np.isfinite(errors)
    if not there.any():  # too few sources to leave half of them out
        return band_of_errors([0.0])
    counts = Counter(source[there].tolist())
    weights = np.array([counts[name] ** -0.5 for name in source[there].tolist()])
    return band_of_errors(errors[there], weights=weights)


_ALWAYS = ("moe", "dense_layout_stated", "dense_layout_chosen")


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
