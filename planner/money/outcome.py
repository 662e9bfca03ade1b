"""Numbers that may not exist: a value where there is one, and in every case the reason.

A break-even or a rate of return can be missing for good reasons, and each entry of a `SolveResult` says which. Callers
show the reason, never the not-a-number that fills its place in an array.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import Num

FOUND = "found"
# Halving a bracket this often leaves nothing of it in 64-bit numbers.
_HALVINGS = 64


@dataclass(frozen=True)
class Reason:
    """Whether there is a number, as a word to go by, and why, to be read: only `str` puts the two together."""

    word: Literal["found", "always", "never", "none"]
    detail: str = ""
    how: str = ""  # what follows the word at once: ", at a step", " within these months"

    def __str__(self) -> str:
        """never within these months: what comes back does not reach what went out."""
        return f"{self.word}{self.how}{': ' if self.detail else ''}{self.detail}"


@dataclass(frozen=True, eq=False)
class SolveResult:
    """One number for each entry, or the reason why there is none."""

    value: Num  # not-a-number where there is none
    reason: NDArray[np.str_]

    @property
    def found(self) -> NDArray[np.bool_]:
        """Whether there is a number, for each entry."""
        return np.asarray(np.isfinite(self.value))

    def at(self, index: int) -> SolveResult:
        """The number, or its reason, of one entry."""
        return SolveResult(float(np.asarray(self.value)[index]), np.asarray(self.reason[index]))


def solve_result(value: Num, *, reasons: dict[str, NDArray[np.bool_]]) -> SolveResult:
    """`value` where none of the reasons against it holds; otherwise the first of them that does."""
    conditions = np.broadcast_arrays(*reasons.values(), np.asarray(value))[:-1]
    refused = np.logical_or.reduce(conditions)
    words = np.select(list(conditions), [np.asarray(reason) for reason in reasons], np.asarray(FOUND))
    return SolveResult(np.where(refused, np.nan, value)[()], words)


def root(function: Callable[[NDArray[np.float64]], NDArray[np.float64]], *, low: Num, high: Num) -> Num:
    """Where `function` changes sign between `low` and `high`, each entry on its own; not-a-number where it does not.

    The bracket is halved a fixed number of times, for all entries at once, so the time taken does not depend on them.
    """
    low, high = (np.array(end, dtype=np.float64) for end in np.broadcast_arrays(low, high))
    at_low, at_high = np.sign(function(low)), np.sign(function(high))
    middle = low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        stays = np.sign(function(middle)) == at_low
        low, high = np.where(stays, middle, low), np.where(stays, high, middle)
    return np.where(at_low * at_high <= 0, middle, np.nan)[()]
