"""Harsher tests of a fit than leaving one source out: whole years, stacks, sizes, or half of all sources at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.speed.training.calibration import Array, Sample, fitted, predicted, prior_for

HALVES, SEED = 10, 1
_FEWEST = 30  # runs that a fit must be left with
_ROUNDS = 15


def without_each(sample: Sample, groups: NDArray[np.str_]) -> Array:
    """Every run's error ln(predicted / observed) from a fit without its group; not a number where too few are left."""
    errors = np.full(len(sample.runs), np.nan)
    for group in sorted(set(groups.tolist())):
        out = np.asarray(groups == group)
        errors[out] = _without(sample, out)
    return errors


def without_halves(sample: Sample, *, times: int = HALVES) -> Array:
    """Errors of the runs of half of the sources by a fit to the other half: one line for each random split."""
    draw, sources = np.random.default_rng(SEED), np.array(sorted(set(sample.source.tolist())))
    errors = np.full((times, len(sample.runs)), np.nan)
    for line in errors:
        out = np.isin(sample.source, draw.permutation(sources)[: len(sources) // 2])
        line[out] = _without(sample, out)
    return errors


def _without(sample: Sample, out: NDArray[np.bool_]) -> Array:
    kept = sample.usable & ~out
    if int(kept.sum()) < _FEWEST:
        return np.full(int(out.sum()), np.nan)
    prior = prior_for(sample.runs)
    theta = fitted(sample.at(kept), prior, prior.centre, rounds=_ROUNDS)
    seen = sample.at(out)
    return predicted(theta, seen, prior) - seen.log_observed
