"""Our Sobol points are scipy's, bit by bit, for every input there are direction numbers for."""

from typing import Any

import numpy as np
import pytest

from planner.study.uncertainty.draws import BITS, most_inputs, sobol, sobol_points
from planner.study.uncertainty.uncertain_inputs import DistributionError


def of_scipy(inputs: int, seed: int) -> Any:
    """Their generator. Loading it takes the better part of a second: only who runs these tests waits for it."""
    from scipy.stats import qmc

    return qmc.Sobol(inputs, scramble=True, rng=np.random.default_rng(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7, 2**40 + 1])
@pytest.mark.parametrize(("inputs", "power"), [(1, 0), (1, 10), (2, 1), (3, 4), (28, 10), (100, 12), (40, 16)])
def test_points_are_those_of_scipy(inputs: int, power: int, seed: int) -> None:
    theirs = of_scipy(inputs, seed).random_base2(power)
    ours = sobol(inputs, power, seed)
    assert ours.tobytes() == theirs.tobytes()
    assert ours.shape == (2**power, inputs)


@pytest.mark.slow
def test_every_input_of_the_file_has_the_direction_numbers_of_scipy() -> None:
    theirs = of_scipy(most_inputs(), 1)
    assert theirs.bits == BITS
    assert np.array_equal(sobol(most_inputs(), 13, 1), theirs.random_base2(13))


def test_more_inputs_than_there_are_direction_numbers_for_are_refused() -> None:
    with pytest.raises(DistributionError, match="want at most 256 uncertain inputs"):
        sobol_points(most_inputs() + 1, 2, 7)
