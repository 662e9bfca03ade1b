"""What one measured run tells of another: the nearer in batch, lengths and layout, the more of its error they share.

Errors of runs by one source are drawn as from one process whose correlation falls with distance, so that a single run
moves a prediction by its own error times that correlation, and several are weighed against each other (simple kriging).

References
----------
N. Cressie: Statistics for Spatial Data, revised ed. 1993, section 3.4.5 (simple kriging).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.evidence.serving.observed import Observation, Observed
from planner.speed.arrays import taken
from planner.speed.serving.engine_data import Likeness
from planner.speed.serving.steady import running

Array = NDArray[np.float64]
_START = np.array([2.0, *[-1.5] * 7])  # where the search begins: logit of the share, logarithms of the falls
_STEPS = (1.0, 0.5, 0.25, 0.125)
_MOST_ROUNDS = 30
_FARTHEST = 5.0  # in those units: beyond, nothing is shared or nothing falls
_OUTLIER = 0.05  # an error beyond a twentieth pulls less and less
_MOST_PAIRS = 200  # of each source and way of differing: more say nothing new
_FULL_WEIGHT_PAIRS = 100  # fewer count for less
_NAMES = 4  # the distances before it are of sizes, those from it on of names


DISTANCES = ("batch", "input_tokens", "output_tokens", "group", "model", "accelerator", "precision")


@dataclass(frozen=True)
class Places:
    """Where runs stand: logarithms of their sizes, and what they ran."""

    sizes: Array  # one row for each run: batch, prompt, answer, group
    names: NDArray[np.str_]  # model, accelerator, precision
    engine: NDArray[np.str_]

    def distances(self, other: Places) -> Array:
        """How far apart, in the order of `DISTANCES`: [here, there, distance]. Other engines are endlessly far."""
        sizes = np.abs(self.sizes[:, None, :] - other.sizes[None, :, :])
        apart = (self.names[:, None, :] != other.names[None, :, :]).astype(np.float64)
        far = np.where(self.engine[:, None] == other.engine[None, :], 0.0, np.inf)
        found = np.concatenate([sizes, apart], axis=2)
        found[:, :, 0] += far
        return found


def places_of(observations: Sequence[Observation]) -> Places:
    """Where published, or somebody's own, runs stand."""
    case = Observed.of(observations).case
    setups = [one.run.setup for one in observations]
    columns = (
        np.asarray(running(case)), case.traffic.input_tokens, case.traffic.output_tokens,
        case.layout.group * case.layout.stages,
    )  # fmt: skip
    sizes = np.stack([np.broadcast_to(np.log(column), len(setups)) for column in columns], axis=1)
    names = np.array([(setup.shape.label, setup.chip.name, setup.precision) for setup in setups])
    return Places(sizes, names, np.array([setup.engine for setup in setups]))


def _shared(distances: Array, share: float, falls: Array) -> Array:
    far = np.isinf(distances[..., 0])
    near = np.where(np.isinf(distances), 0.0, distances)
    return np.asarray(np.where(far, 0.0, share * np.exp(-near @ falls)))


@dataclass(frozen=True)
class _Pairs:
    """One run known, one to be told: both errors, how far apart they are, by which source."""

    error: Array
    known: Array
    distance: Array
    source: NDArray[np.str_]

    @property
    def alike(self) -> NDArray[np.int_]:
        """Which names differ, as one number: 0 where none does."""
        return np.asarray(self.distance[:, _NAMES:] @ np.array([4.0, 2.0, 1.0]), dtype=np.int_)

    def weights(self) -> Array:
        """Every source and way of differing counts the same; one with few pairs counts for less."""
        weight = np.zeros(len(self.error))
        for pairs in self._groups():
            weight[pairs] = min(1.0, len(pairs) / _FULL_WEIGHT_PAIRS) / len(pairs)
        return weight

    def thinned(self) -> _Pairs:
        """At most so many of each source and way of differing, evenly taken."""
        kept = [pairs[:: max(len(pairs) // _MOST_PAIRS, 1)] for pairs in self._groups()]
        return taken(self, np.concatenate(kept))

    def _groups(self) -> list[NDArray[np.int_]]:
        key = np.char.add(self.source, self.alike.astype(str))
        return [np.flatnonzero(key == one) for one in np.unique(key)]


def fit_likeness(observations: Sequence[Observation], errors: Array) -> Likeness | None:
    """The likeness shown by errors of runs whose source was left out of the fit; None where no source has two."""
    pairs = _pairs(observations, errors)
    if not len(pairs.error):
        return None
    share, falls = _fit(pairs.thinned())
    return Likeness(share=share, **dict(zip(DISTANCES, falls.tolist(), strict=True)))


def with_one_run_known(observations: Sequence[Observation], errors: Array) -> Array:
    """Errors left once one run of the same model, chip, engine, precision and source is measured: every such pair.

    The likeness that a source is told by was fitted without it.
    """
    pairs = _pairs(observations, errors)
    if not len(pairs.error):
        return np.array([])
    thin, left = pairs.thinned(), []
    for source in np.unique(pairs.source):
        told = taken(pairs, (pairs.source == source) & (pairs.alike == 0))
        if len(told.error) and (thin.source != source).any():
            share, falls = _fit(taken(thin, thin.source != source))
            left.append(told.error - _shared(told.distance, share, falls) * told.known)
    return np.concatenate(left) if left else np.array([])


def _pairs(observations: Sequence[Observation], errors: Array) -> _Pairs:
    """Every two rates of one source and engine, both ways round."""
    members: dict[tuple[str, str, str], list[int]] = {}
    for place, one in enumerate(observations):
        if one.kind == "rate" and np.isfinite(errors[place]):
            members.setdefault((one.source, one.run.setup.engine, one.group), []).append(place)
    found = [_within(observations, errors, index) for index in members.values() if len(index) > 1]
    if not found:
        return _Pairs(np.array([]), np.array([]), np.empty((0, len(DISTANCES))), np.array([], dtype=np.str_))
    parts = zip(*((one.error, one.known, one.distance, one.source) for one in found), strict=True)
    return _Pairs(*(np.concatenate(part) for part in parts))


def _within(observations: Sequence[Observation], errors: Array, index: list[int]) -> _Pairs:
    places = places_of([observations[place] for place in index])
    apart = ~np.eye(len(index), dtype=bool)
    told, known = np.nonzero(apart)
    own = np.asarray(errors)[index]
    source = np.full(len(told), observations[index[0]].source)
    return _Pairs(own[told], own[known], places.distances(places)[apart], source)


def _fit(pairs: _Pairs) -> tuple[float, Array]:
    """The share and the falls that leave the least error: one at a time, in ever smaller steps."""
    place, weight = _START.copy(), pairs.weights()
    best = _left(place, pairs, weight)
    for step in _STEPS:
        for _ in range(_MOST_ROUNDS):
            before = best
            for axis in range(len(place)):
                for move in (step, -step):
                    tried = place.copy()
                    tried[axis] = np.clip(tried[axis] + move, -_FARTHEST, _FARTHEST)
                    left = _left(tried, pairs, weight)
                    if left < best:
                        place, best = tried, left
                        break
            if best == before:
                break
    return float(1 / (1 + np.exp(-place[0]))), np.exp(place[1:])


def _left(place: Array, pairs: _Pairs, weight: Array) -> float:
    shared = _shared(pairs.distance, 1 / (1 + np.exp(-place[0])), np.exp(place[1:]))
    off = pairs.error - shared * pairs.known
    return float(np.sum(weight * (np.sqrt(1 + (off / _OUTLIER) ** 2) - 1)))
