"""The inverse of the normal distribution, bit by bit what `scipy.special.ndtri` gives.

It stands here because loading `scipy.special` takes twice as long as loading numpy; tests/study/test_normal.py holds
the two beside each other.

References
----------
Moshier: Methods and Programs for Mathematical Functions, Ellis Horwood 1989, and the Cephes library that came with it,
https://netlib.org/cephes/: the approximations and their coefficients, as scipy uses them too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

NEAREST = math.exp(-32.0)  # to 0 or 1; nearer ones would take a third approximation
_TAIL = 0.13533528323661269189  # e**-2
_ROOT_OF_TWO_PI = 2.50662827463100050242
# Numerators and denominators, the highest power first: in the middle, and in the tails.
_MIDDLE = (
    (-5.99633501014107895267e1, 9.80010754185999661536e1, -5.66762857469070293439e1, 1.39312609387279679503e1,
     -1.23916583867381258016e0),
    (1.0, 1.95448858338141759834e0, 4.67627912898881538453e0, 8.63602421390890590575e1, -2.25462687854119370527e2,
     2.00260212380060660359e2, -8.20372256168333339912e1, 1.59056225126211695515e1, -1.18331621121330003142e0),
)  # fmt: skip
_TAILS = (
    (4.05544892305962419923e0, 3.15251094599893866154e1, 5.71628192246421288162e1, 4.40805073893200834700e1,
     1.46849561928858024014e1, 2.18663306850790267539e0, -1.40256079171354495875e-1, -3.50424626827848203418e-2,
     -8.57456785154685413611e-4),
    (1.0, 1.57799883256466749731e1, 4.53907635128879210584e1, 4.13172038254672030440e1, 1.50425385692907503408e1,
     2.50464946208309415979e0, -1.42182922854787788574e-1, -3.80806407691578277194e-2, -9.33259480895457427372e-4),
)  # fmt: skip


def ndtri(share: Numbers) -> Numbers:
    """How many standard deviations from the middle that share of a normal distribution lies below."""
    if not np.all((share >= NEAREST) & (share <= 1.0 - NEAREST)):
        raise ValueError(f"want shares at least {NEAREST:g} from 0 and from 1")
    above = share > 1.0 - _TAIL
    mirrored = np.where(above, 1.0 - share, share)
    found = np.empty_like(share)
    middle = mirrored > _TAIL
    found[middle] = _in_the_middle(mirrored[middle])
    found[~middle] = np.where(above[~middle], 1.0, -1.0) * _in_a_tail(mirrored[~middle])
    return found


def _in_the_middle(share: Numbers) -> Numbers:
    away = share - 0.5
    square = away * away
    return (
        away + away * (square * _polynomial(square, _MIDDLE[0]) / _polynomial(square, _MIDDLE[1]))
    ) * _ROOT_OF_TWO_PI


def _in_a_tail(share: Numbers) -> Numbers:
    distance = np.sqrt(-2.0 * _log(share))
    inverse = 1.0 / distance
    correction = inverse * _polynomial(inverse, _TAILS[0]) / _polynomial(inverse, _TAILS[1])
    found: Numbers = (distance - _log(distance) / distance) - correction
    return found


def _log(numbers: Numbers) -> Numbers:
    """The system's logarithm, as scipy takes it: the last bit of numpy's own differs from processor to processor."""
    return np.fromiter(map(math.log, numbers.tolist()), np.float64, numbers.size)


def _polynomial(at: Numbers, coefficients: Sequence[float]) -> Numbers:
    found = np.full_like(at, coefficients[0])
    for one in coefficients[1:]:
        found = found * at + one
    return found
