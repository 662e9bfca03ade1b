"""Draws: the points at which the futures are looked at, spread evenly by a scrambled Sobol sequence.

The same seed gives the same points, bit by bit, on every machine. Points of a Sobol sequence fill the space of all
inputs so evenly that a thousand of them tell as much as many thousands drawn at random. They are, bit by bit, those of
`scipy.stats.qmc.Sobol(inputs, scramble=True)`, and are made here because loading `scipy.stats` takes half a
second; tests/study/test_sobol.py holds the two beside each other.

References
----------
Joe, Kuo: Constructing Sobol sequences with better two-dimensional projections, SIAM Journal on Scientific Computing 30,
2008, pp. 2635-2654: the direction numbers, in data/sobol.txt.
Matousek: On the L2-discrepancy for anchored boxes, Journal of Complexity 14, 1998, pp. 527-556: the scrambling, by a
random lower triangular matrix and a random shift of each input's digits.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from planner.money.owning.inputs import POSITION
from planner.study.data_files import DATA, load_futures_assumptions
from planner.study.uncertainty.uncertain_inputs import RENTS, DistributionError, UncertainParameter, at
from pricing.caching import cached

BITS = 30  # of a point in each input, and so at most 2**30 points
Words = NDArray[np.uint32]
MOST_DRAWS = 65_536
_SMALLEST = 2.0**-32  # half a step of the sequence: no point lies on an edge


@cached(32)
def points(inputs: int, count: int, seed: int) -> NDArray[np.float64]:
    """Points between 0 and 1, draws x inputs. The first are the same whatever the count, up to a power of two."""
    if not 1 <= count <= MOST_DRAWS:
        raise DistributionError(f"want 1 to {MOST_DRAWS:,} futures, got {count:,}.")
    if inputs > most_inputs():
        raise DistributionError(f"want at most {most_inputs()} inputs that may turn out otherwise, got {inputs:,}.")
    made = sobol(inputs, math.ceil(math.log2(count)), seed)
    found: NDArray[np.float64] = np.clip(made[:count], _SMALLEST, 1 - _SMALLEST)
    found.flags.writeable = False
    return found


def normal_draws(inputs: tuple[UncertainParameter, ...], count: int, seed: int) -> NDArray[np.float64]:
    """The draws as distances from the middle of each input, those of inputs that move together tied."""
    return tied(inputs, standard_normal_draws(len(inputs), count, seed))


@cached(32)
def standard_normal_draws(inputs: int, count: int, seed: int) -> NDArray[np.float64]:
    """The points as distances from the middle: the same for every plan with so many inputs, so they are kept.

    One input after the other in memory, as they are read.
    """
    from scipy.special import ndtri  # takes longer to load than numpy

    found = np.asfortranarray(ndtri(points(inputs, count, seed)))
    found.flags.writeable = False
    return found


def tied(inputs: tuple[UncertainParameter, ...], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Independent distances with what is left of the price tied to where rents go: a Gaussian copula."""
    places = {one.name: place for place, one in enumerate(inputs)}
    rent = next((places[name] for name in RENTS if name in places), None)
    if rent is None or POSITION not in places:
        return z
    share = load_futures_assumptions().together.coefficient
    out = z.copy()
    out[:, places[POSITION]] = share * z[:, rent] + math.sqrt(1 - share**2) * z[:, places[POSITION]]
    return out


def drawn(inputs: tuple[UncertainParameter, ...], count: int, seed: int) -> Mapping[str, NDArray[np.float64]]:
    """So many drawn values of every input, by name."""
    return at(inputs, normal_draws(inputs, count, seed))


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
    """For how many inputs there are direction numbers."""
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


@cached(8)
def _directions(inputs: int) -> Words:
    """The direction numbers of the first inputs, inputs x digits."""
    rows = ([int(word) for word in line.split()] for line in _lines()[: inputs - 1])
    found = np.array([_first(), *(_of(polynomial, first) for _, polynomial, *first in rows)], dtype=np.uint32)
    found.flags.writeable = False
    return found


@cached(1)
def _lines() -> tuple[str, ...]:
    """A line for each input but the first: degree and coefficients of its polynomial, its first numbers."""
    lines = (DATA / "sobol.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


def _first() -> list[int]:
    """The direction numbers of the first input, whose interval is halved at every digit."""
    return [1 << (BITS - 1 - digit) for digit in range(BITS)]


def _of(coefficients: int, first: list[int]) -> list[int]:
    """The direction numbers of one primitive polynomial, from its first ones: Joe and Kuo, equation 2."""
    degree, numbers = len(first), list(first)
    for place in range(degree, BITS):
        before = numbers[place - degree]
        value = before ^ (before << degree)
        for step in range(1, degree):
            if coefficients >> (degree - 1 - step) & 1:
                value ^= numbers[place - step] << step
        numbers.append(value)
    return [number << (BITS - 1 - digit) for digit, number in enumerate(numbers)]
