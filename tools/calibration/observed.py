"""Published figures of serving as a fit needs them: with their sources, and with what shares one level."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from planner.evidence.serving.observed import ServingObservation, ServingObservations
from planner.speed.arrays import take_entries
from planner.speed.serving.case_of import level_name


@dataclass(frozen=True)
class FittedObservations(ServingObservations):
    """Many figures, as arrays."""

    source: NDArray[np.str_]
    level: NDArray[np.str_]  # by what its level is known; first tokens have none
    setup: NDArray[np.int_]  # source, day of the software, chip and model, by number: what shares one level

    @classmethod
    def of(cls, observations: Sequence[ServingObservation]) -> Self:
        """Return the arrays of a list."""
        return cls(
            **vars(ServingObservations.of(observations)),
            source=np.array([f"{each.source} {each.kind}" for each in observations]),
            level=np.array([level_name(each.run.setup) if each.kind != "first" else "" for each in observations]),
            setup=np.unique([_setup(each) for each in observations], return_inverse=True)[1],
        )

    def unleveled(self) -> Self:
        """Return the same as if nobody had measured their level."""
        return replace(self, case=replace(self.case, traits=replace(self.case.traits, level=np.ones(len(self.per_s)))))

    def where(self, mask: NDArray[np.bool_]) -> Self:
        """Return the runs that a mask selects."""
        return take_entries(self, np.flatnonzero(mask))


def _setup(each: ServingObservation) -> str:
    run = each.run
    return f"{each.source}|{run.setup.day}|{run.setup.chip.name}|{run.model}|{run.setup.precision}"
