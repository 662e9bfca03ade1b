"""How many of an accelerator it takes to train by a deadline, as the speed model has it: more are less than twice as
fast, and from some number on none are."""

from __future__ import annotations

from collections.abc import Iterator

from planner.scenario.training_job import TrainingJob
from planner.speed.training.across import Reach, across
from pricing import Catalogue

_STEP = 8  # above so many, in whole machines


def fewest_in_time(catalogue: Catalogue, job: TrainingJob, deadline_days: float, most: int) -> Reach | None:
    """The fewest found, above the job's own number, that are done by the deadline; None where up to `most` none are.

    The number is doubled until one is in time, and the gap below that halved.
    """

    def in_time(one: Reach) -> bool:
        return one.days is not None and one.days.typical <= deadline_days

    def reaches(*counts: int) -> Iterator[Reach]:
        for row in across(catalogue, job, (job.accelerator,), counts, enough=lambda row: in_time(row[0])):
            yield row[0]

    doubled = [job.accelerators * 2**power for power in range(1, most.bit_length())]
    numbers = sorted({*(count for count in doubled if count < most), most})
    found = next((one for one in reaches(*numbers) if in_time(one)), None)
    if found is None:
        return None
    low = max((count for count in (job.accelerators, *numbers) if count < found.accelerators), default=0)
    while True:
        step = _STEP if found.accelerators > _STEP else 1
        middle = (low + found.accelerators) // 2 // step * step
        if not low < middle < found.accelerators:
            return found
        one = next(reaches(middle))
        low, found = (low, one) if in_time(one) else (middle, found)
