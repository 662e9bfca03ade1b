"""Hours lost to failures: the share of each kind of work, and how much longer the work takes.

The predicted hours of a named model include its losses. Stated hours include them too, unless they are stated as
useful hours: then losses come on top. How often a job fails may be drawn; work with the usual loss then takes longer
or shorter.
"""

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

RATE, LARGEST_JOB = "failures_per_accelerator_hour", "largest-usual-job"
_LEAST_USEFUL = 0.01  # draws that lose more than 99 of 100 hours count as losing 99


@dataclass(frozen=True, eq=False)
class LostTime:
    """The lost time of one kind of work, with its reliability at typical figures."""

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
    catalogue: Catalogue, scenario: Scenario, resolved: ScenarioInHours | None, rate: Num | None
) -> dict[Work, LostTime]:
    """Return lost time by kind of work, at the usual rate of failures or at one that is tried out.

    Services are left out: a replica that fails is started again, and what it loses is a request.
    """
    written = scenario.work if resolved is None else resolved.written.work
    trainings = iter(() if resolved is None else resolved.trainings)
    failures, on_top = scenario.failures, scenario.failures.stated_hours == "useful"
    result = {}
    for work, entered in zip(scenario.work, written, strict=True):
        if entered.serve is not None:
            continue
        if entered.train is not None and not is_image_network(entered.train.model):
            training = next(trainings, None)
            if training is None:
                continue
            job, team = training.accelerators, TrainingJob.model_fields["team"].default
            usual, tried = (
                reliability(
                    catalogue, accelerators=job, failures=failures, rate=each, params=training.params, team=team
                )
                for each in (None, rate)
            )
            result[work] = _lost_time(usual, tried, job, is_counted=True, on_top=False)
        else:
            most = work.accelerators_per_job or int(catalogue.facts[LARGEST_JOB].figure.newest.typical)
            job = max(min(job_size(work), most), *(job.accelerators for job in work.jobs), 1)
            usual, tried = (generic_reliability(catalogue, job, failures, each) for each in (None, rate))
            counted = on_top and entered.run is None and entered.train is None
            result[work] = _lost_time(usual, tried, job, is_counted=counted, on_top=counted)
    return result


def _lost_time(usual: Reliability, tried: Reliability, job: int, *, is_counted: bool, on_top: bool) -> LostTime:
    before, now = _useful_share(usual), np.maximum(tried.useful_share, _LEAST_USEFUL)
    slower = np.asarray(before / now)[()] if is_counted else 1.0
    return LostTime(usual, job, np.asarray(1 - now)[()], is_counted, 1 / before if on_top else 1.0, slower)


def _useful_share(result: Reliability) -> float:
    return max(float(np.asarray(result.useful_share)), _LEAST_USEFUL)


@dataclass(frozen=True)
class LostHours:
    """Over all work, at typical figures."""

    hours: float  # accelerator-hours that are lost
    share: float  # of all busy hours
    is_counted: bool  # predicted, or put on top; else a part of hours that somebody states
    largest: LostTime  # of the work that loses most
