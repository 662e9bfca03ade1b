"""The summary of a sweep: how often each option wins, and between which values of an input the winner changes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.option import fleet_size_from_key
from planner.scenario.grid import SweepAxis, SweepGrid


class WinnerCounts:
    """The winner of each point, a byte or two for each, in the order of their numbers."""

    def __init__(self, count: int) -> None:
        self._codes: dict[tuple[str, str], int] = {}
        self._winners: NDArray[np.int16] = np.full(count, -1, dtype=np.int16)
        self._next = 0

    def add(self, winners: Iterable[tuple[str, str]]) -> None:
        """Add the word (the leading side, or the verdict) and the best option, by its key, of the next points."""
        codes = [self._codes.setdefault((verdict, plain(best)), len(self._codes)) for verdict, best in winners]
        self._winners[self._next : self._next + len(codes)] = codes
        self._next += len(codes)

    def shares(self, index: int) -> dict[str, float]:
        """Return the share of points of each word (0) or best option (1), the most frequent first."""
        totals: Counter[str] = Counter()
        counts = np.bincount(self._winners[: self._next], minlength=len(self._codes))
        for pair, code in self._codes.items():
            totals[pair[index]] += int(counts[code])
        return {word: number / max(self._next, 1) for word, number in totals.most_common()}

    def ways(self) -> NDArray[np.int16]:
        """Return the best option of each point, as a number for each option."""
        names = list(dict.fromkeys(best for _, best in self._codes))
        of_code = np.array([names.index(best) for _, best in self._codes], dtype=np.int16)
        return np.asarray(of_code[self._winners])


def plain(best: str) -> str:
    """Return the kind of an option: a fleet of another size is owned too."""
    return best if fleet_size_from_key(best) is None else "own"


@dataclass(frozen=True)
class Flip:
    """The changes of the winner along one input, the others fixed."""

    inputs: tuple[str, ...]
    share: float  # of the steps from one value to the next at which another option wins
    between: tuple[tuple[Any, ...], tuple[Any, ...]] | None  # the step at which that happens most often


def flips(grid: SweepGrid, winners: WinnerCounts) -> tuple[Flip, ...]:
    """Return the flips of each input, the one that changes the answer most often first."""
    best = winners.ways().reshape([len(axis.steps) for axis in grid.axes])
    by_axis = [_flip(axis, index, best) for index, axis in enumerate(grid.axes) if len(axis.steps) > 1]
    return tuple(sorted(by_axis, key=lambda flip: -flip.share))


def _flip(axis: SweepAxis, index: int, best: NDArray[np.int16]) -> Flip:
    turned = np.moveaxis(np.diff(best, axis=index) != 0, index, 0).reshape(len(axis.steps) - 1, -1)
    by_step = turned.mean(axis=1)
    most = int(np.argmax(by_step))
    between = (axis.steps[most], axis.steps[most + 1]) if by_step[most] > 0 else None
    return Flip(tuple(".".join(map(str, path)) for path in axis.paths), float(turned.mean()), between)
