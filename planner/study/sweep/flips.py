"""What a sweep found: how often each way wins, and along which input, between which values, the winner changes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.option import fleet_size_from_key
from planner.scenario.grid import SweepAxis, SweepGrid


class WinnerCounts:
    """Who won at each point, a byte or two for each, in the order of their numbers."""

    def __init__(self, count: int) -> None:
        self._codes: dict[tuple[str, str], int] = {}
        self._held: NDArray[np.int16] = np.full(count, -1, dtype=np.int16)
        self._next = 0

    def add(self, told: Iterable[tuple[str, str]]) -> None:
        """The word (who leads, or the verdict) and the best way, by its key, of the next points."""
        codes = [self._codes.setdefault((verdict, plain(best)), len(self._codes)) for verdict, best in told]
        self._held[self._next : self._next + len(codes)] = codes
        self._next += len(codes)

    def shares(self, place: int) -> dict[str, float]:
        """The share of points of each word (0) or best way (1), the most frequent first."""
        counted: Counter[str] = Counter()
        held = np.bincount(self._held[: self._next], minlength=len(self._codes))
        for pair, code in self._codes.items():
            counted[pair[place]] += int(held[code])
        return {word: number / max(self._next, 1) for word, number in counted.most_common()}

    def ways(self) -> NDArray[np.int16]:
        """The best way of each point, as a number for each way."""
        names = list(dict.fromkeys(best for _, best in self._codes))
        of_code = np.array([names.index(best) for _, best in self._codes], dtype=np.int16)
        return np.asarray(of_code[self._held])


def plain(best: str) -> str:
    """The way an option belongs to: a fleet of another size is bought too."""
    return best if fleet_size_from_key(best) is None else "own"


@dataclass(frozen=True)
class Flip:
    """What happens along one input, the others standing still."""

    inputs: tuple[str, ...]
    share: float  # of the steps from one value to the next at which another way wins
    between: tuple[tuple[Any, ...], tuple[Any, ...]] | None  # the step at which that happens most often


def flips(grid: SweepGrid, winners: WinnerCounts) -> tuple[Flip, ...]:
    """What each input does, the one that turns the answer most often first."""
    best = winners.ways().reshape([len(axis.steps) for axis in grid.axes])
    found = [_flip(axis, place, best) for place, axis in enumerate(grid.axes) if len(axis.steps) > 1]
    return tuple(sorted(found, key=lambda flip: -flip.share))


def _flip(axis: SweepAxis, place: int, best: NDArray[np.int16]) -> Flip:
    turned = np.moveaxis(np.diff(best, axis=place) != 0, place, 0).reshape(len(axis.steps) - 1, -1)
    by_step = turned.mean(axis=1)
    most = int(np.argmax(by_step))
    between = (axis.steps[most], axis.steps[most + 1]) if by_step[most] > 0 else None
    return Flip(tuple(".".join(map(str, path)) for path in axis.paths), float(turned.mean()), between)
