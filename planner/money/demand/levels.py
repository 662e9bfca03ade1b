"""Levels of demand: how many accelerators are wanted at once and how often, when several kinds of work come and go.

Kinds of work and jobs come and go independently of each other, so what they want together is every sum of what each
wants. Those sums are merged as they arise: equal ones first, and where more than `MOST_LEVELS` are left, all of them
onto a grid of as many steps from none to the most of each month. Nobody ever holds every combination in memory.

What is tried out, such as a busier future, changes how often a kind of work is off, on, or on all the time, and never
how many it then wants. These are its patterns: within one, levels are the same in all draws and are merged once for
all of them; how often the pattern holds is the only thing that has draws.

A grid keeps time, accelerator-hours and the most at once as they are. It splits a level between the two steps beside
it, so that a fleet whose size lies between these two steps is said to do less of it: at most a quarter of a step,
1 / (4 * (MOST_LEVELS - 1)) of the most at once, for each kind of work or job that is added and only while the level
lies there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from planner.scenario.budget import MOST_LEVELS
from pricing.caching import cached_property

Array = NDArray[np.float64]

ONE = 1e-9
_ENDS = (0, -1)  # months
_PLAIN = 2  # dimensions of shares without draws
_FEW_CELLS = 2**20  # up to here all sums are looked at for equal ones: 8 MB


@dataclass(frozen=True, eq=False)
class DemandLevels:
    """The number needed at once: levels within patterns, month by month; months are one where all are alike."""

    at_once: Array  # patterns x levels x months
    frequency: (
        Array  # patterns x levels x months: the share of its pattern's hours in which a level is wanted; sums to 1
    )
    shares: Array  # (draws x) patterns x months: the share of the hours in which a pattern holds; sums to 1

    @cached_property
    def peak(self) -> Array:
        """The most at once, by month (and draw)."""
        return np.asarray(np.where(self.shares > 0, self.tops, 0.0).max(axis=-2))

    @cached_property
    def tops(self) -> Array:
        """The most at once of each pattern, by month."""
        return np.asarray(np.where(self.frequency > 0, self.at_once, 0.0).max(axis=-2))

    @cached_property
    def ever_used(self) -> NDArray[np.bool_]:
        """Return whether a level of a pattern is ever wanted."""
        return np.asarray((self.frequency > 0).any(axis=-1))

    @property
    def sizes(self) -> Array:
        """Every number above none that is ever wanted at once, the smallest first."""
        ever = (self.frequency > 0) & self.holds[:, None, :]
        needed = np.unique(np.broadcast_to(self.at_once, np.broadcast_shapes(ever.shape, self.at_once.shape))[ever])
        return needed[needed > 0]

    def below(self, fleets: float | Array) -> Array:
        """The mean number of busy accelerators in fleets of these sizes: (draws x) (fleets x) months."""
        high = np.asarray(fleets, dtype=np.float64)[..., None, None, None]
        each = (np.minimum(self.at_once, high) * self.frequency).sum(axis=-2)
        return np.asarray(np.einsum("...pm,...pm->...m", self.shares, each))  # their product never stands in memory

    @property
    def has_draws(self) -> bool:
        """Return whether how often a pattern holds differs from draw to draw."""
        return self.shares.ndim > _PLAIN

    def meets(self, other: DemandLevels, pattern: int) -> NDArray[np.bool_]:
        """Return whether each pattern ever holds while another work has this one: patterns x months."""
        both = (self.shares > 0) & (other.shares[..., [pattern], :] > 0)
        return np.asarray(both.reshape(-1, *both.shape[-2:]).any(axis=0))

    @cached_property
    def holds(self) -> NDArray[np.bool_]:
        """Return whether a pattern ever holds, by month."""
        return np.asarray((self.shares > 0).reshape(-1, *self.shares.shape[-2:]).any(axis=0))


NONE = DemandLevels(np.zeros((1, 1, 1)), np.ones((1, 1, 1)), np.ones((1, 1)))


def on_off_levels(at_once: Array, share: Array) -> DemandLevels:
    """So many for a share of the hours, or none: the number by month, the share by month (and draw)."""
    many = np.reshape(at_once, (1, 1, -1))
    return DemandLevels(
        np.concatenate([np.zeros_like(many), many]),
        np.ones((2, 1, 1)),
        np.stack(np.broadcast_arrays(1.0 - share, share), axis=-2),
    )


def hourly_levels(at_once: Array, share: Array, by_hour: tuple[float, ...]) -> DemandLevels:
    """Work that asks for more and for less through the day: the same hours, as levels of which one is at a time.

    With fewer hours than the day tells, each level is there less often; with more, all of them are wanted more often.
    """
    parts = np.unique(by_hour)
    often = np.array([by_hour.count(part) for part in parts.tolist()])[:, None] / len(by_hour)
    day = np.where(parts[:, None] > 0, np.maximum(np.ceil(at_once * parts[:, None] - ONE), 1.0), 0.0)
    usual, needed = (day * often).sum(axis=0), at_once * share
    less = np.minimum(needed / usual, 1.0)
    always = np.clip((needed - usual) / np.where(at_once > usual, at_once - usual, 1.0), 0.0, 1.0)
    one = np.zeros((len(parts), 1))
    one[-1] = 1.0  # the busiest hour
    levels = np.stack([np.zeros_like(day), day, day])
    through = less * (1.0 - always)
    shares = np.stack(np.broadcast_arrays(np.maximum(1.0 - through - always, 0.0), through, always), axis=-2)
    return _pruned(DemandLevels(levels, np.stack([one, often, one]), shares))


def together(works: Sequence[DemandLevels]) -> DemandLevels:
    """Return what all of these want together.

    Work without draws goes first: it is one pattern, whatever comes after. So does work with fewer draws.
    """
    calm = [_merge_constant_patterns(work) for work in works if not work.has_draws]
    drawn = sorted((work for work in works if work.has_draws), key=lambda one: one.shares[..., 0, 0].size)
    return reduce(_beside, [*calm, *drawn], NONE)


def _merge_constant_patterns(works: DemandLevels) -> DemandLevels:
    """Patterns whose shares are the same in all draws, as levels of one."""
    often = works.frequency * works.shares[:, None, :]
    at_once = np.broadcast_to(works.at_once, (*often.shape[:2], works.at_once.shape[-1]))
    rows = (1, often.shape[0] * often.shape[1], -1)
    return _pruned(DemandLevels(at_once.reshape(rows), often.reshape(rows), np.ones((1, 1))))


def _pruned(works: DemandLevels) -> DemandLevels:
    """The levels without patterns that never hold and without numbers that nobody ever wants."""
    is_held = works.holds.any(axis=-1)
    often = works.frequency[is_held]
    ever = (often > 0).any(axis=(0, 2))
    return DemandLevels(works.at_once[is_held][:, ever], often[:, ever], works.shares[..., is_held, :])


def _beside(one: DemandLevels, other: DemandLevels) -> DemandLevels:
    """Return what two independent kinds of work want together."""
    met = [one.meets(other, pattern) for pattern in range(other.shares.shape[-2])]
    holds = np.stack(np.broadcast_arrays(*met), axis=1)  # patterns of one x of the other x months
    first, second = np.nonzero(holds.any(axis=-1))
    pairs = _Pairs(one, other, first, second, holds[first, second])
    if len(pairs.first) > MOST_LEVELS:
        return _few_patterns(pairs)
    return _pruned(DemandLevels(*_few_levels(pairs), pairs.shares()))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Patterns of two kinds of work that ever hold at the same time."""

    one: DemandLevels
    other: DemandLevels
    first: NDArray[np.intp]  # of each pair
    second: NDArray[np.intp]
    holds: NDArray[np.bool_]  # pairs x months

    @property
    def levels(self) -> int:
        """Sums of a pair."""
        return int(self.one.frequency.shape[1] * self.other.frequency.shape[1])

    @property
    def tops(self) -> Array:
        """The most at once of each pair, by month."""
        return np.asarray(self.one.tops[self.first] + self.other.tops[self.second])

    @property
    def can_merge(self) -> bool:
        """Return whether sums can be merged: few enough differ in the first month and in the last, each by itself."""
        cells = len(self.first) * self.levels * max(self.one.at_once.shape[-1], self.other.at_once.shape[-1])
        pairs = list(zip(self.first.tolist(), self.second.tolist(), strict=True))
        return cells <= _FEW_CELLS and all(self._distinct_sums(*pair) <= MOST_LEVELS for pair in pairs)

    def _distinct_sums(self, first: int, second: int) -> int:
        """Return how many sums of a pair differ in the first month or in the last, whichever is more."""
        one = self.one.at_once[first, self.one.ever_used[first]][:, _ENDS]
        other = self.other.at_once[second, self.other.ever_used[second]][:, _ENDS]
        sums = np.reshape(one[:, None] + other, (-1, len(_ENDS)))
        return max(len(np.unique(month)) for month in sums.T)

    def sums(self) -> tuple[Array, Array]:
        """Every sum of each pair, and how often: pairs x levels x months."""
        at_once = self.one.at_once[self.first][:, :, None] + self.other.at_once[self.second][:, None]
        often = self.one.frequency[self.first][:, :, None] * self.other.frequency[self.second][:, None]
        at_once, often = np.broadcast_arrays(at_once, often)
        rows = (len(self.first), self.levels, at_once.shape[-1])
        return at_once.reshape(rows), often.reshape(rows)

    def on_grid(self, most: Array) -> Array:
        """Return how often each step is wanted of a grid up to the most of a pair and month: pairs x steps x months.

        Level by level of the second work, so that the sums of all levels never stand in memory together.
        """
        parts = (self.one.at_once, self.one.frequency, self.other.at_once, self.other.frequency, most)
        counts = np.zeros((len(self.first), MOST_LEVELS, max(int(part.shape[-1]) for part in parts)))
        for level in range(self.other.frequency.shape[1]):
            often = self.other.frequency[self.second, level]
            rows = np.flatnonzero((often > 0).any(axis=-1))
            needed = self.one.at_once[self.first[rows]] + self.other.at_once[self.second[rows], level][:, None]
            counts[rows] += _split(
                needed, self.one.frequency[self.first[rows]] * often[rows, None], most[rows], counts.shape
            )
        return counts

    def shares(self) -> Array:
        """Return how often each pair holds."""
        return np.asarray(self.one.shares[..., self.first, :] * self.other.shares[..., self.second, :])

    def shares_of(self, parts: Array) -> Array:
        """Return the frequency of each of other patterns: `parts` is its part of each pair: pairs x patterns x months.

        Month by month, which fits the processor's cache, so that the shares of all pairs never stand in memory.
        """
        one, other, parts = (
            np.ascontiguousarray(np.moveaxis(each, (-1, -2), (0, 1)))  # as they are read month by month
            for each in (self.one.shares, self.other.shares, parts)
        )
        months = max(len(one), len(other), len(parts))
        held = [self._held(_at(one, month), _at(other, month), _at(parts, month)) for month in range(months)]
        return np.moveaxis(np.stack(held), (0, 1), (-1, -2))

    def _held(self, one: Array, other: Array, parts: Array) -> Array:
        """The share of hours that each pattern of demand holds in one month: patterns (x draws)."""
        shares = one[self.first] * other[self.second]
        return np.asarray((parts @ shares.reshape(len(shares), -1)).reshape(len(parts), *shares.shape[1:]))


def _at(by_month: Array, month: int) -> Array:
    return np.asarray(by_month[min(month, len(by_month) - 1)])


def _few_levels(pairs: _Pairs) -> tuple[Array, Array]:
    """The sums of each pair: all of them, or those that differ, or a grid."""
    if pairs.levels <= MOST_LEVELS:
        return pairs.sums()
    if pairs.can_merge:
        at_once, often = _differing(*pairs.sums())
        if at_once.shape[1] <= MOST_LEVELS:
            return at_once, often
    return _STEPS * pairs.tops[:, None], pairs.on_grid(pairs.tops)


def _few_patterns(pairs: _Pairs) -> DemandLevels:
    """All sums as patterns of one level each: those that differ, or a grid."""
    if pairs.levels == 1:
        at_once, _ = pairs.sums()
        place, levels = _places(at_once[:, 0])
        if len(levels) <= MOST_LEVELS:
            parts = np.equal(place[:, None], np.arange(len(levels)))[..., None].astype(np.float64)
            return DemandLevels(levels[:, None], np.ones((len(levels), 1, 1)), pairs.shares_of(parts))
    most = np.where(pairs.holds, pairs.tops, 0.0).max(axis=0)
    parts = pairs.on_grid(np.broadcast_to(most, pairs.holds.shape))
    return _pruned(DemandLevels((_STEPS * most)[:, None], np.ones((MOST_LEVELS, 1, 1)), pairs.shares_of(parts)))


def _differing(at_once: Array, often: Array) -> tuple[Array, Array]:
    """Levels of a pattern that want the same number in every month are one level: nothing is lost."""
    patterns = [_merged(*pattern) for pattern in zip(at_once, often, strict=True)]
    levels = max(len(one) for one, _ in patterns)
    both = (
        [np.pad(part, ((0, levels - len(part)), (0, 0))) for part in parts] for parts in zip(*patterns, strict=True)
    )
    merged, shares = (np.stack(parts) for parts in both)
    return merged, shares


def _merged(at_once: Array, often: Array) -> tuple[Array, Array]:
    ever = (often > 0).any(axis=-1)
    place, levels = _places(at_once[ever])
    return levels, np.equal(place, np.arange(len(levels))[:, None]).astype(np.float64) @ often[ever]


def _places(rows: Array) -> tuple[NDArray[np.intp], Array]:
    """For each row its place among the rows that differ; and these rows."""
    known: dict[bytes, int] = {}
    place = np.array([known.setdefault(row.tobytes(), len(known)) for row in rows], dtype=np.intp)
    return place, np.asarray(rows[np.unique(place, return_index=True)[1]])


def _split(needed: Array, often: Array, most: Array, shape: tuple[int, ...]) -> Array:
    """Levels shared between the two steps of a grid beside each: time and accelerator-hours stay what they were."""
    months, steps = shape[-1], MOST_LEVELS - 1
    place = np.clip(needed / np.where(most > 0, most, 1.0)[:, None], 0.0, 1.0) * steps
    place, often = np.broadcast_arrays(place + np.zeros(months), often)
    low = np.minimum(place.astype(np.intp), steps - 1)
    above = place - low
    row, month = np.arange(len(low))[:, None, None], np.arange(months)
    into = (row * MOST_LEVELS + low) * months + month
    size = len(low) * MOST_LEVELS * months
    counts = np.bincount(into.ravel(), (often * (1.0 - above)).ravel(), size)
    counts += np.bincount(into.ravel() + months, (often * above).ravel(), size)
    return np.asarray(counts.reshape(len(low), MOST_LEVELS, months), dtype=np.float64)


_STEPS = np.linspace(0.0, 1.0, MOST_LEVELS)[:, None]
