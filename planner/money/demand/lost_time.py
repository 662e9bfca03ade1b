"""Hours lost to failures: of each kind of work what share, and how much longer it takes by that.

What a named model is predicted to take holds its losses already. Hours that somebody states hold them too, unless he
says that they are the useful ones: then what is lost comes on top. How often a job fails may be drawn; what holds the
usual loss then takes longer or shorter.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.money.demand.stream import job_size
from planner.money.formula import Num
from planner.scenario.jobs import TrainingJob
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.speed.training.goodput import Reliability, generic_reliability, reliability
from planner.speed.training.images import is_image_network
from planner.speed.work_to_hours import ScenarioInHours
from pricing import Catalogue

RATE = "failures_per_accelerator_hour"
_LEAST_USEFUL = 0.01  # draws that lose more than 99 of 100 hours are reckoned as losing 99


@dataclass(frozen=True, eq=False)
class LostTime:
    """Of one kind of work, with what it rests on at typical figures."""

    usual: Reliability
    job: int  # accelerators of one job
    share: Num  # of its hours that is lost, perhaps by draw
    is_counted: bool  # whether the hours of the plan hold it for certain: predicted, or put on top
    times: float  # its stated hours take so many times as long
    slower: Num  # and in each draw so many times that

    @property
    def usual_share(self) -> float:
        """The share of its hours that is lost at typical figures."""
        return 1 - _useful_share(self.usual)


def lost_time_by_work(
    catalogue: Catalogue, scenario: Scenario, asked: ScenarioInHours | None, rate: Num | None
) -> dict[Work, LostTime]:
    """By kind of work, at the usual rate of failures or at one that is tried out.

    Services are left out: a replica that fails is started again, and what it loses is a request.
    """
    return dict(_each(catalogue, scenario, asked, rate))


def _each(
    catalogue: Catalogue, scenario: Scenario, asked: ScenarioInHours | None, rate: Num | None
) -> Iterator[tuple[Work, LostTime]]:
    written = scenario.work if asked is None else asked.written.work
    trainings = iter(() if asked is None else asked.trainings)
    on_top = scenario.failures.stated_hours == "useful"
    for work, said in zip(scenario.work, written, strict=True):
        if said.serve is not None:
            continue
        if said.train is not None and not is_image_network(said.train.model):
            found = next(trainings, None)
            if found is None:
                continue
            team = TrainingJob.model_fields["team"].default
            many, named = found.accelerators, {"params": found.params, "team": team}
            usual, there = (
                reliability(catalogue, accelerators=many, failures=scenario.failures, rate=one, **named)
                for one in (None, rate)
            )
            yield work, _lost(usual, there, many, is_counted=True, on_top=False)
        else:
            many = max(job_size(work), *(job.accelerators for job in work.jobs), 1)
            usual, there = (generic_reliability(catalogue, many, scenario.failures, one) for one in (None, rate))
            counted = on_top and said.run is None and said.train is None
            yield work, _lost(usual, there, many, is_counted=counted, on_top=counted)


def _lost(usual: Reliability, there: Reliability, job: int, *, is_counted: bool, on_top: bool) -> LostTime:
    before = _useful_share(usual)
    now = np.maximum(there.useful_share, _LEAST_USEFUL)
    return LostTime(
        usual=usual,
        job=job,
        share=np.asarray(1 - now)[()],
        is_counted=is_counted,
        times=1 / before if on_top else 1.0,
        slower=np.asarray(before / now)[()] if is_counted else 1.0,
    )


def _useful_share(one: Reliability) -> float:
    return max(float(np.asarray(one.useful_share)), _LEAST_USEFUL)


@dataclass(frozen=True)
class LostHours:
    """Over all work, at typical figures."""

    hours: float  # accelerator-hours that are lost
    share: float  # of all busy hours
    is_counted: bool  # predicted, or put on top; else a part of hours that somebody states
    largest: LostTime  # of the work that loses most
