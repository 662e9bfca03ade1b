"""Draws: points of a scrambled Sobol sequence, at which the futures are computed.

The same seed gives the same points, bit by bit, on every machine. Points of a Sobol sequence fill the space of all
inputs so evenly that a thousand of them tell as much as many thousands drawn at random. They are, bit by bit, those of
`scipy.stats.qmc.Sobol(inputs, scramble=True)`, and are computed here because loading `scipy.stats` takes half a
second; tests/study/test_sobol.py compares the two.

References
----------
Joe, Kuo: Constructing Sobol sequences with better two-dimensional projections, SIAM Journal on Scientific Computing 30,
2008, pp. 2635-2654: the direction numbers, in data/sobol.txt.
Matousek: On the L2-discrepancy for anchored boxes, Journal of Complexity 14, 1998, pp. 527-556: the scrambling, by a
random lower triangular matrix and a random shift of each input's digits.
"""

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.owning.machine_price import PATH
from planner.study.data_files import DATA, load_futures_assumptions
from planner.study.uncertainty.uncertain_inputs import RENTS, DistributionError, UncertainParameter, values_at_z
from pricing.caching import cached

BITS = 30  # of a point in each input, and so at most 2**30 points
MOST_DRAWS = 65_536
_SMALLEST = 2.0**-32  # half a step of the sequence: no point lies on an edge


@cached(32)
def sobol_points(inputs: int, count: int, seed: int) -> NDArray[np.float64]:
    """Return points between 0 and 1, draws x inputs. The first are the same for every count, up to a power of two."""
    if not 1 <= count <= MOST_DRAWS:
        raise DistributionError(f"want 1 to {MOST_DRAWS:,} futures, got {count:,}.")
    if inputs > most_inputs():
        raise DistributionError(f"want at most {most_inputs()} uncertain inputs, got {inputs:,}.")
    points = sobol(inputs, math.ceil(math.log2(count)), seed)[:count]
    return _read_only(np.clip(points, _SMALLEST, 1 - _SMALLEST))


def normal_draws(inputs: tuple[UncertainParameter, ...], count: int, seed: int) -> NDArray[np.float64]:
    """Return the draws in standard deviations from the middle of each input, with correlations."""
    return correlate(inputs, standard_normal_draws(len(inputs), count, seed))


@cached(32)
def standard_normal_draws(inputs: int, count: int, seed: int) -> NDArray[np.float64]:
    """Return the points as independent standard deviations: the same for every plan with so many inputs, so cached.

    One input after the other in memory, as they are read.
    """
    points = sobol_points(inputs, count, seed)
    z = np.fromiter(map(NormalDist().inv_cdf, points.ravel(order="F")), np.float64, points.size)
    return _read_only(z.reshape(points.shape, order="F"))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def correlate(inputs: tuple[UncertainParameter, ...], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return draws in which the price of new machines moves with rents: a Gaussian copula."""
    column = {parameter.name: number for number, parameter in enumerate(inputs)}
    rent = next((column[name] for name in RENTS if name in column), None)
    if rent is None or PATH not in column:
        return z
    share, out = load_futures_assumptions().together.coefficient, z.copy()
    out[:, column[PATH]] = share * z[:, rent] + math.sqrt(1 - share**2) * z[:, column[PATH]]
    return out


def draw_inputs(inputs: tuple[UncertainParameter, ...], count: int, seed: int) -> Mapping[str, NDArray[np.float64]]:
    """Return so many draws of every input, by name."""
    return values_at_z(inputs, normal_draws(inputs, count, seed))


def sobol(inputs: int, power: int, seed: int) -> NDArray[np.float64]:
    """Return 2**power points from 0 up to 1, points x inputs; at most `most_inputs()` of these."""
    (generator,) = np.random.default_rng(seed).spawn(1)  # scipy too draws from a child of the generator it is given
    shift = generator.integers(2, size=(inputs, BITS), dtype=np.uint32) @ (1 << np.arange(BITS, dtype=np.uint32))
    lower = np.tril(generator.integers(2, size=(inputs, BITS, BITS), dtype=np.uint32), -1)
    # Every direction number times its input's matrix, digit by digit, the first digit first.
    places = np.arange(BITS - 1, -1, -1, dtype=np.uint32)
    digits = (_directions(inputs)[:, None, :] >> places[None, :, None]) & 1
    scrambled = ((lower + np.eye(BITS, dtype=np.uint32)) @ digits) & 1
    steps = (scrambled << places[None, :, None]).sum(axis=1, dtype=np.uint32)
    # The digit of a Gray code that changes at each step: the number of zeros that the step's own number ends in.
    number = np.arange(1, 1 << power)
    walk = np.concatenate([shift[:, None], steps[:, np.log2(number & -number).astype(np.intp)]], axis=1)
    points: NDArray[np.float64] = np.bitwise_xor.accumulate(walk, axis=1).T / float(1 << BITS)
    return points


def most_inputs() -> int:
    """Return the number of inputs with direction numbers."""
    return len(_polynomial_lines()) + 1


@cached(8)
def _directions(inputs: int) -> NDArray[np.uint32]:
    """Return the direction numbers of the first inputs, inputs x digits: Joe and Kuo, equation 2."""
    rows = [[1] * BITS]  # the interval of the first input is halved at every digit
    for line in _polynomial_lines()[: inputs - 1]:
        degree, coefficients, *numbers = (int(word) for word in line.split())
        for place in range(degree, BITS):
            before = numbers[place - degree]
            value = before ^ (before << degree)
            for step in range(1, degree):
                if coefficients >> (degree - 1 - step) & 1:
                    value ^= numbers[place - step] << step
            numbers.append(value)
        rows.append(numbers)
    shifted = [[number << (BITS - 1 - digit) for digit, number in enumerate(numbers)] for numbers in rows]
    return _read_only(np.array(shifted, dtype=np.uint32))


@cached(1)
def _polynomial_lines() -> tuple[str, ...]:
    """Return a line for each input but the first: degree and coefficients of its polynomial, its first numbers."""
    lines = (DATA / "sobol.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))
