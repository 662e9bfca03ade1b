"""The width of a run's band: from the errors of runs held out with their source, and with similar runs.

Each run is left out with its source; and again with its source and all runs that share one of its traits, one trait
after the other, so that there are errors where nothing of the kind was known. From them: how much wider errors are with
each trait, and with each trait in which the nearest runs that were fitted differ (a line through their logarithms,
drawn to no difference). The ends are quantiles of what is then left of errors whose source was left out; nothing is
taken to be normal. A source of many runs counts as their root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.speed.bands import (
    DENSE,
    MIXTURE,
    STEPS,
    BandTraits,
    ErrorEnds,
    ErrorSpread,
    Seen,
    band_class,
    band_group,
    measured_group,
    novelty,
)
from tools.calibration.cross_validation import TAIL, ErrorsWithout
from tools.calibration.least_squares import Array

Mask = NDArray[np.bool_]
TWIN = "twin"  # left out while others of its setup were kept
SOURCE = "source"  # what a run was left out with, where it is nothing but that
FEWEST = 25  # runs left out, below which nothing is said
_SMALL = 0.03  # an error this small is luck: it says no more than one of twice the size
_PULL = 30.0  # roots of runs that a trait needs until half of what they say is taken
_DRAWN = 30.0  # runs of mixtures, or of dense models, that tell as much of where their bands end as all do together
_LEAST_STEP = 1.2  # times as wide for each trait in which nothing like it was seen: an assumption, where runs say less
_MOST_LEFT_OUT = 0.5  # of all runs: a class that is most of them is what the fit is of, not a class to be left out
_FOLDS = 2  # of the runs of each setup: what one half says of the other
_CLASS_PULL = 5.0  # runs of a class that count as much as the belief that its bands are as wide as others
_LEFT_OUT_BY = ("chip", "engine", "software", "mixture")  # traits whose classes are left out whole: each is a fit
_INSIDE = 1 - 2 * TAIL
_FEWEST_LEFT = 40  # runs that a fit must be left with


@dataclass(frozen=True, eq=False)
class FittedRuns:
    """Runs that could be fitted, by their traits."""

    traits: tuple[str, ...]
    values: NDArray[np.str_]  # of each run, in the order of `traits`
    source: NDArray[np.str_]
    usable: Mask
    level: NDArray[np.str_]  # by what the level of its setup is known

    @classmethod
    def of(
        cls,
        traits: Sequence[BandTraits],
        source: Sequence[str] | NDArray[np.str_],
        usable: Mask | None = None,
        level: NDArray[np.str_] | None = None,
    ) -> FittedRuns:
        """The arrays of a list."""
        names = tuple(traits[0]) if traits else ()
        values = np.array([[one[name] for name in names] for one in traits]).reshape(len(traits), len(names))
        usable = np.ones(len(traits), bool) if usable is None else usable
        return cls(names, values, np.array(source), usable, np.array(source) if level is None else level)

    def column(self, trait: str) -> NDArray[np.str_]:
        """Return the value of a trait for each run."""
        return self.values[:, self.traits.index(trait)]


@dataclass(frozen=True, eq=False)
class HeldOutErrors:
    """Runs predicted by fits that knew neither their source nor, where `by` names a trait, any run that shares it."""

    run: NDArray[np.int_]
    by: NDArray[np.str_]
    ratio: Array  # logarithm of published over predicted
    novelty: Array

    def where(self, mask: Mask) -> HeldOutErrors:
        """Some of them."""
        return HeldOutErrors(self.run[mask], self.by[mask], self.ratio[mask], self.novelty[mask])


def left_out(runs: FittedRuns, errors_without: ErrorsWithout) -> HeldOutErrors:
    """Every run left out with its source, and with each class that it is of."""
    cells, known = _TraitCells.of(runs), dict[bytes, Array]()
    found: list[tuple[NDArray[np.int_], str, Array, Array]] = []
    for source in np.unique(runs.source):
        own = runs.source == source
        for by, of_class in _classes(runs, own):
            out = own | of_class
            if int((runs.usable & ~out).sum()) < _FEWEST_LEFT:
                continue
            key = out.tobytes()
            if key not in known:
                known[key] = np.full(len(own), np.nan)
                known[key][out] = errors_without(out)
            there = np.flatnonzero(own & of_class & runs.usable & np.isfinite(known[key]))
            found.append((there, by, -known[key][there], cells.novelty(runs.usable & ~out)[there]))
    for fold in range(_FOLDS):
        out = np.arange(len(runs.source)) % _FOLDS == fold
        if int((runs.usable & ~out).sum()) >= _FEWEST_LEFT and len(np.unique(runs.source)) > 1:
            errors = np.full(len(out), np.nan)
            errors[out] = errors_without(out)
            known_level = np.isin(runs.level, np.unique(runs.level[runs.usable & ~out]))
            there = np.flatnonzero(out & runs.usable & np.isfinite(errors) & known_level)
            found.append((there, TWIN, -errors[there], np.zeros(len(there))))
    nothing = (np.empty(0, np.int_), SOURCE, np.empty(0), np.empty(0))
    run, why, ratio, new = zip(*(found or [nothing]), strict=True)
    named = [np.full(len(there), name) for there, name in zip(run, why, strict=True)]
    return HeldOutErrors(np.concatenate(run), np.concatenate(named), np.concatenate(ratio), np.concatenate(new))


def _classes(runs: FittedRuns, own: Mask) -> list[tuple[str, Mask]]:
    """Yield the runs held out with a source: its own; then all runs of each of its minority classes."""
    found = [(SOURCE, own)]
    for name in (trait for trait in runs.traits if trait in _LEFT_OUT_BY):
        column = runs.column(name)
        for value in np.unique(column[own]):
            of_class = column == value
            if of_class.mean() <= _MOST_LEFT_OUT:
                found.append((name, of_class))
    return found


@dataclass(frozen=True, eq=False)
class _TraitCells:
    """Runs that share all traits, and in how many traits each two such groups differ."""

    of_run: NDArray[np.int_]
    source: NDArray[np.int_]
    apart: NDArray[np.int_]

    @classmethod
    def of(cls, runs: FittedRuns) -> _TraitCells:
        values, of_run = np.unique(runs.values, axis=0, return_inverse=True)
        apart = (values[:, None, :] != values[None, :, :]).sum(axis=2)
        return cls(of_run.reshape(-1), np.unique(runs.source, return_inverse=True)[1].reshape(-1), apart)

    def roots(self, there: Mask) -> Array:
        """Of the runs in each cell, each source's as their root."""
        counts = np.zeros((len(self.apart), int(self.source.max(initial=0)) + 1))
        np.add.at(counts, (self.of_run[there], self.source[there]), 1.0)
        return np.asarray(np.sqrt(counts).sum(axis=1))

    def novelty(self, there: Mask) -> Array:
        """Return the novelty of each run to a fit that includes those runs."""
        roots = self.roots(there)
        within = np.stack([(self.apart <= most) @ roots for most in range(STEPS)], axis=1)
        return np.array([novelty(one) for one in within.tolist()])[self.of_run]


def fit_error_spread(runs: FittedRuns, found: HeldOutErrors) -> ErrorSpread | None:
    """Return the width of bands; None where too few runs were held out."""
    widths = _BandWidths.of(runs, found)
    if widths is None:
        return None
    return ErrorSpread(
        traits=runs.traits, ends=widths.ends, step=round(widths.step, 4), seen=fitted_groups(runs),
        classes={name: round(times, 3) for name, times in widths.classes.items()},
        wider={name: {value: round(times, 3) for value, times in by.items()} for name, by in widths.wider.items()},
    )  # fmt: skip


def fitted_groups(runs: FittedRuns) -> tuple[Seen, ...]:
    """Return the fitted runs, counted by their traits."""
    cells = _TraitCells.of(runs)
    roots = cells.roots(runs.usable)
    many = np.bincount(cells.of_run[runs.usable], minlength=len(roots))
    first = [int(np.argmax(cells.of_run == cell)) for cell in range(len(roots))]
    return tuple(
        Seen(like=tuple(map(str, runs.values[at])), runs=int(number), roots=round(float(root), 2))
        for at, number, root in zip(first, many.tolist(), roots.tolist(), strict=True)
        if number
    )


@dataclass(frozen=True)
class _BandWidths:
    """The reach of errors to either side: of a usual run, and its factor for each trait and step."""

    ends: dict[str, ErrorEnds]
    step: float
    wider: Mapping[str, Mapping[str, float]]
    classes: Mapping[str, float]

    @classmethod
    def of(cls, runs: FittedRuns, found: HeldOutErrors) -> _BandWidths | None:
        """A line through the logarithms of the sizes of errors, and the quantiles of errors over what it says."""
        alone = found.where(found.by == SOURCE)
        if len(alone.run) < FEWEST:
            return None
        columns = [(name, str(value)) for name in runs.traits for value in np.unique(runs.column(name))]
        has = np.stack([runs.column(name) == value for name, value in columns], axis=1)[found.run].astype(float)
        size, weight = np.log(np.abs(found.ratio) + _SMALL), _weights(runs, found)
        *_, free = _line(has, found.novelty, size, weight)
        step = max(float(free), float(np.log(_LEAST_STEP)))
        slopes = _line(has, np.zeros(len(size)), size - step * found.novelty, weight)
        wider: dict[str, dict[str, float]] = {}
        for (name, value), slope in zip(columns, slopes[1:-1].tolist(), strict=True):
            wider.setdefault(name, {})[value] = float(np.exp(slope))
        widths = cls({}, float(np.exp(step)), wider, {})
        twins = found.where(found.by == TWIN)
        ends = _ends(runs, alone, alone.ratio / widths.times(runs, alone))
        if len(twins.run) >= FEWEST:
            near = _ends(runs, twins, twins.ratio / widths.times(runs, twins))
            ends |= {measured_group(name): end for name, end in near.items()}
        widths = replace(widths, ends=ends)
        return replace(widths, classes=widths.class_scales(runs, found.where(np.isin(found.by, (SOURCE, TWIN)))))

    def reach(self, runs: FittedRuns, found: HeldOutErrors) -> tuple[Array, Array]:
        """Return both ends of the band of each, as logarithms."""
        times, names = self.times(runs, found), _measured_apart(_groups(runs, found), found)
        ends = [self.ends.get(name, self.ends[name.split(",")[0]]) for name in names.tolist()]
        return -times * [one.below for one in ends], times * [one.above for one in ends]

    def class_scales(self, runs: FittedRuns, found: HeldOutErrors) -> dict[str, float]:
        """Return by how much wider the bands of each class have to be until four of five runs lie inside.

        Measured setups apart from others, each drawn to both together.
        """
        low, high = self.reach(runs, found)
        needed = np.where(found.ratio < 0, found.ratio / np.minimum(low, -1e-9), found.ratio / np.maximum(high, 1e-9))
        names, weights, scales = _classes_of(runs, found), _weights(runs, found), dict[str, float]()

        def scale(here: Mask, drawn_to: float) -> float:
            if not here.any():
                return drawn_to
            _, inside = _quantiles(needed[here], weights[here], (TAIL, _INSIDE))
            many = _effective_sample_size(runs, found.where(here), weights[here])
            pull = many / (many + _CLASS_PULL)
            return float(np.clip(inside, 0.6, 3.0) ** pull * drawn_to ** (1 - pull))

        for name in np.unique(names).tolist():
            here, near = names == name, found.by == TWIN
            both = scale(here, 1.0)
            scales |= {name: scale(here & ~near, both), measured_group(name): scale(here & near, both)}
        return scales

    def times(self, runs: FittedRuns, found: HeldOutErrors) -> Array:
        """Return the width of each relative to a usual run."""
        wide = self.step**found.novelty
        for name, by in self.wider.items():
            wide = wide * np.array([by.get(value, 1.0) for value in runs.column(name)[found.run].tolist()])
        names = _measured_apart(_classes_of(runs, found), found).tolist()
        scales = [self.classes.get(name, 1.0) for name in names]
        return np.asarray(wide * scales)


def _ends(runs: FittedRuns, alone: HeldOutErrors, scaled: Array) -> dict[str, ErrorEnds]:
    """Return the ends of the bands of dense models and mixtures: their own quantiles, shrunk to those of all."""
    weights, groups, ends = _weights(runs, alone), _groups(runs, alone), dict[str, ErrorEnds]()
    of_all = np.array(_tails(runs, alone, scaled, weights)[0])
    for name in (DENSE, MIXTURE):
        here, drawn = groups == name, of_all
        if here.any():
            own, many = _tails(runs, alone.where(here), scaled[here], weights[here])
            drawn = (many * np.array(own) + _DRAWN * of_all) / (many + _DRAWN)
        below, above = (round(float(end), 4) for end in drawn)
        ends[name] = ErrorEnds(below=below, above=above, rows=int(here.sum()))
    return ends


def _measured_apart(names: NDArray[np.str_], found: HeldOutErrors) -> NDArray[np.str_]:
    pairs = zip(names.tolist(), (found.by == TWIN).tolist(), strict=True)
    return np.array([measured_group(name) if near else name for name, near in pairs], dtype=str)


def _classes_of(runs: FittedRuns, found: HeldOutErrors) -> NDArray[np.str_]:
    return np.array([
        band_class(dict(zip(runs.traits, values, strict=True))) for values in runs.values[found.run].tolist()
    ], dtype=str)  # fmt: skip


def _groups(runs: FittedRuns, found: HeldOutErrors) -> NDArray[np.str_]:
    if "mixture" not in runs.traits:
        return np.full(len(found.run), DENSE)
    return np.array([band_group(value) for value in runs.column("mixture")[found.run].tolist()], dtype=str)


def _tails(runs: FittedRuns, alone: HeldOutErrors, scaled: Array, weights: Array) -> tuple[tuple[float, float], float]:
    """Return the distance of the 10th and the 90th percentile from the median, and the number of runs.

    Of few runs less than 1 in 10 is left out at each end, so that of new ones no more than 1 in 10 lies there.
    """
    many = _effective_sample_size(runs, alone, weights)
    most = min(1.0, (1 - TAIL) * (1 + 1 / many))
    low, high = _quantiles(scaled, weights, (1 - most, most))
    return (max(-low, 0.0), max(high, 0.0)), many


def _line(has: Array, new: Array, size: Array, weight: Array) -> Array:
    """Weighted least squares: a constant first, what each trait adds, drawn to nothing, and each step of novelty."""
    columns = np.column_stack([np.ones(len(size)), has, new])
    pull = np.array([0.0, *[_PULL] * has.shape[1], 1e-6])
    curve = columns.T @ (columns * weight[:, None]) + np.diag(pull)
    return np.asarray(np.linalg.solve(curve, columns.T @ (weight * size)))


def _weights(runs: FittedRuns, found: HeldOutErrors) -> Array:
    """Each source counts as the root of how often its runs were left out."""
    _, at, many = np.unique(runs.source[found.run], return_inverse=True, return_counts=True)
    return np.asarray(1 / np.sqrt(many[at.reshape(-1)]))


def _effective_sample_size(runs: FittedRuns, found: HeldOutErrors, weights: Array) -> float:
    """Return the number of informative runs: those of a source that share all traits count as one."""
    cells = _TraitCells.of(runs)
    together = cells.of_run[found.run] * (int(cells.source.max(initial=0)) + 1) + cells.source[found.run]
    totals = np.bincount(np.unique(together, return_inverse=True)[1].reshape(-1), weights=weights)
    return float(totals.sum() ** 2 / (totals**2).sum())


def _quantiles(values: Array, weights: Array, shares: tuple[float, float]) -> tuple[float, float]:
    order = np.argsort(values)
    middle = np.cumsum(weights[order]) - weights[order] / 2
    low, high = np.interp(shares, middle / weights.sum(), values[order])
    return float(low), float(high)


@dataclass(frozen=True, eq=False)
class HeldOutBands:
    """Runs left out beside bands that knew nothing of them; everything in logarithms of published over predicted."""

    run: NDArray[np.int_]
    ratio: Array
    low: Array
    high: Array

    def where(self, mask: Mask) -> HeldOutBands:
        """Some of them."""
        return HeldOutBands(self.run[mask], self.ratio[mask], self.low[mask], self.high[mask])


def held_out_bands(runs: FittedRuns, found: HeldOutErrors) -> HeldOutBands:
    """Every run left out with its source, beside the band that runs of other sources give it."""
    alone = found.where(np.isin(found.by, (SOURCE, TWIN)))
    low, high = np.full(len(alone.run), np.nan), np.full(len(alone.run), np.nan)
    for name in np.unique(runs.source[alone.run]):
        mine = runs.source[alone.run] == name
        low[mine], high[mine] = _within(runs, found.where(runs.source[found.run] != name), alone.where(mine))
    return HeldOutBands(alone.run, alone.ratio, low, high)


def held_out_class_bands(
    runs: FittedRuns, found: HeldOutErrors, out: Mask, errors_without: ErrorsWithout
) -> HeldOutBands:
    """All runs of a class that a fit without it has never seen, beside the band that runs of others give them."""
    errors = np.full(len(out), np.nan)
    errors[out] = errors_without(out)
    there = np.flatnonzero(out & runs.usable & np.isfinite(errors))
    new = _TraitCells.of(runs).novelty(runs.usable & ~out)[there]
    mine = HeldOutErrors(there, np.full(len(there), SOURCE), -errors[there], new)
    return HeldOutBands(there, mine.ratio, *_within(runs, found.where(~out[found.run]), mine))


def _within(runs: FittedRuns, others: HeldOutErrors, mine: HeldOutErrors) -> tuple[Array, Array]:
    """Return the ends of the bands of some runs, by other held-out runs; not-a-number where those are too few."""
    widths = _BandWidths.of(runs, others)
    if widths is None:
        return np.full(len(mine.run), np.nan), np.full(len(mine.run), np.nan)
    return widths.reach(runs, mine)
