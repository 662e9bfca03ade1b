"""Scrambled Sobol points, bit by bit those of `scipy.stats.qmc.Sobol(inputs, scramble=True)`.

They are made here because loading `scipy.stats` takes longer than a whole plan; tests/study/test_sobol.py holds the two
beside each other.

References
----------
Joe, Kuo: Constructing Sobol sequences with better two-dimensional projections, SIAM Journal on Scientific Computing 30,
2008, pp. 2635-2654: the direction numbers, in data/sobol.txt.
Matousek: On the L2-discrepancy for anchored boxes, Journal of Complexity 14, 1998, pp. 527-556: the scrambling, by a
random lower triangular matrix and a random shift of each input's digits.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from planner.study.data_files import DATA

BITS = 30  # of a point in each input, and so at most 2**30 points
Words = NDArray[np.uint32]


def sobol(inputs: int, power: int, seed: int) -> NDArray[np.float64]:
    """2**power points from 0 up to 1, points x inputs; at most `most_inputs()` of these."""
    (generator,) = np.random.default_rng(seed).spawn(1)  # scipy too draws from a child of the generator it is given
    shift = generator.integers(2, size=(inputs, BITS), dtype=np.uint32) @ (1 << np.arange(BITS, dtype=np.uint32))
    matrices = np.tril(generator.integers(2, size=(inputs, BITS, BITS), dtype=np.uint32), -1)
    steps = _scrambled(_directions(inputs), matrices + np.eye(BITS, dtype=np.uint32))
    walk = np.concatenate([shift[:, None], steps[:, _changed_digits(power)]], axis=1)
    points: NDArray[np.float64] = np.bitwise_xor.accumulate(walk, axis=1).T / float(1 << BITS)
    return points


def most_inputs() -> int:
    """So many inputs there are direction numbers for."""
    return len(_lines()) + 1


def _scrambled(directions: Words, matrices: Words) -> Words:
    """Every direction number times its input's matrix, digit by digit, the first digit first."""
    places = np.arange(BITS - 1, -1, -1, dtype=np.uint32)
    digits = (directions[:, None, :] >> places[None, :, None]) & 1
    found: Words = (((matrices @ digits) & 1) << places[None, :, None]).sum(axis=1, dtype=np.uint32)
    return found


def _changed_digits(power: int) -> NDArray[np.intp]:
    """Which digit of a Gray code changes at each step: the number of zeros that the step's own number ends in."""
    steps = np.arange(1, 1 << power)
    found: NDArray[np.intp] = np.log2(steps & -steps).astype(np.intp)
    return found


@lru_cache(maxsize=8)
def _directions(inputs: int) -> Words:
    """The direction numbers of the first inputs, inputs x digits."""
    rows = ([int(word) for word in line.split()] for line in _lines()[: inputs - 1])
    found = np.array([_first(), *(_of(polynomial, first) for _, polynomial, *first in rows)], dtype=np.uint32)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=1)
def _lines() -> tuple[str, ...]:
    """A line for each input but the first: degree and coefficients of its polynomial, its first numbers."""
    lines = (DATA / "sobol.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


def _first() -> list[int]:
    """The first input halves its interval at every digit."""
    return [1 << (BITS - 1 - digit) for digit in range(BITS)]


def _of(coefficients: int, first: list[int]) -> list[int]:
    """The recurrence of one primitive polynomial from its first numbers: Joe and Kuo, equation 2."""
    degree, numbers = len(first), list(first)
    for place in range(degree, BITS):
        before = numbers[place - degree]
        value = before ^ (before << degree)
        for step in range(1, degree):
            if coefficients >> (degree - 1 - step) & 1:
                value ^= numbers[place - step] << step
        numbers.append(value)
    return [number << (BITS - 1 - digit) for digit, number in enumerate(numbers)]
