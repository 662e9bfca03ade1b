"""Cross-validation: the errors and bands of a fit, by runs that were held out."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.evidence.checked import ErrorSummary, group_of
from planner.scenario.vocabulary import Kind
from planner.speed.bands import Band
from pricing import PricingError
from tools.calibration.least_squares import Array

TAIL = 0.1  # of runs outside a band on either side
FEWEST_SOURCES = 2  # with one, nothing can be left out
_HALVES, _SEED = 10, 1  # draws of half of the sources
_BY = ("all", "kind", "source")

# The errors of some runs, logarithms of predicted over published, by a fit to all others.
ErrorsWithout = Callable[[NDArray[np.bool_]], Array]


def check_enough_sources(kind: Kind, sources: Iterable[str]) -> None:
    """Raise `PricingError` where leaving one source out would leave none."""
    count = len(set(sources))
    if count < FEWEST_SOURCES:
        raise PricingError(
            f"{kind}: runs of {count} sources can be fitted to, want at least {FEWEST_SOURCES}: "
            "leaving one out judges the fit."
        )


def leave_one_group_out_errors(groups: Sequence[str] | NDArray[np.str_], errors_without: ErrorsWithout) -> Array:
    """The error of every run by a fit without its group; not a number where no other group is there."""
    group = np.array(groups)
    errors = np.full(len(group), np.nan)
    for name in np.unique(group):
        out = group == name
        if not out.all():
            errors[out] = errors_without(out)
    return errors


def leave_half_out_errors(source: NDArray[np.str_], errors_without: ErrorsWithout) -> Array:
    """The same without half of the sources, drawn anew each time: one line for each draw."""
    draw, sources = np.random.default_rng(_SEED), np.unique(source)
    errors = np.full((_HALVES, len(source)), np.nan)
    for line in errors:
        out = np.isin(source, draw.permutation(sources)[: len(sources) // 2])
        if out.any() and not out.all():
            line[out] = errors_without(out)
    return errors


def band_from_errors(errors: ArrayLike) -> Band:
    """The band that runs with these errors leave; an error is the logarithm of predicted over published."""
    ratios = np.exp(-np.asarray(errors, dtype=np.float64))
    low, high = np.quantile(ratios, [TAIL, 1 - TAIL])
    return Band(low=round(float(low), 3), high=round(float(high), 3), rows=ratios.size)


def bands_by_group(
    names: Sequence[Iterable[str]], errors: Array, *, tells: Callable[[str, int], bool]
) -> dict[str, Band]:
    """The band of each group of runs of which there are enough to tell; each run has the names of its groups."""
    groups: dict[str, list[int]] = {}
    for index in np.flatnonzero(np.isfinite(errors)).tolist():
        for name in names[index]:
            groups.setdefault(name, []).append(index)
    return {
        name: band_from_errors(errors[indices]) for name, indices in sorted(groups.items()) if tells(name, len(indices))
    }


def judged(runs: Iterable[tuple[str, str, float]]) -> list[ErrorSummary]:
    """Summarize the errors of a fit on held-out runs: all, by kind, and by source with the worst first."""
    members: dict[tuple[str, str], list[float]] = {}
    for kind, source, error in runs:
        for key in (("all", "all"), ("kind", kind), ("source", source)):
            members.setdefault(key, []).append(float(error))
    groups = [group_of(by, name, errors) for (by, name), errors in members.items()]
    return sorted(groups, key=lambda group: (_BY.index(group.by), -group.median_error))
