"""From models to hours: what training and serving ask for, as plain accelerators and hours for money to reckon with.

A run that happens once is a job of so many accelerators for so long, due by its deadline. Runs that come every month
are work that may wait in a queue. A service wants as many accelerators as its peak needs, and is busy as its average
is to that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.inputs.base import HOURS_PER_MONTH
from planner.inputs.rent import Hosted
from planner.inputs.scenario import ANY_ACCELERATOR, Scenario
from planner.inputs.serving_job import ServingJob
from planner.inputs.task import Serve, Train
from planner.inputs.training_job import TrainingJob
from planner.inputs.work import Job, Work
from planner.speed.serving import Serving, serve
from planner.speed.training import Training, train
from pricing import Catalogue, PricingError
from pricing.names import model as named_model
from pricing.records import HostedPrice

HOURS_PER_DAY, SECONDS_PER_HOUR, MILLION = 24.0, 3_600.0, 1e6
LONGEST_JOB_HOURS = 8_760.0
NOT_CHOSEN = "which accelerator is not said: name one, or name a model, and the one that does it for the least is taken"


@dataclass(frozen=True, eq=False)
class Asked:
    """A scenario in plain hours, with what the models in it need; and why some of it cannot be done."""

    scenario: Scenario
    written: Scenario
    trainings: tuple[Training, ...] = ()
    servings: tuple[Serving, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Done:
    """One kind of work in plain hours."""

    work: Work
    training: Training | None = None
    serving: Serving | None = None
    hosted: Hosted | None = None
    problem: str | None = None


def asked(catalogue: Catalogue, scenario: Scenario) -> Asked:
    """The scenario with accelerators and hours in place of models."""
    if scenario.accelerator == ANY_ACCELERATOR:
        return Asked(scenario, scenario, problems=(NOT_CHOSEN,))
    if not any(work.train or work.serve for work in scenario.work):
        return Asked(scenario, scenario)
    done = [_plain(catalogue, scenario, work) for work in scenario.work]
    hosted = scenario.hosted or next((one.hosted for one in done if one.hosted), None)
    plain = scenario.model_copy(update={"work": tuple(one.work for one in done), "hosted": hosted})
    return Asked(
        plain,
        scenario,
        tuple(one.training for one in done if one.training),
        tuple(one.serving for one in done if one.serving),
        tuple(one.problem for one in done if one.problem),
    )


def _plain(catalogue: Catalogue, scenario: Scenario, work: Work) -> _Done:
    bare = work.model_copy(update={"train": None, "serve": None})
    try:
        if work.train is not None:
            return _trained(train(catalogue, training_job(scenario, work, work.train)), bare, work.train)
        if work.serve is not None:
            return _served(catalogue, serve(catalogue, serving_job(scenario, work.serve)), bare, work.serve)
    except PricingError as refusal:
        return _Done(bare, problem=str(refusal))
    return _Done(work)


def training_job(scenario: Scenario, work: Work, task: Train) -> TrainingJob:
    """The job that the speed model is asked about."""
    return TrainingJob(
        model=task.model,
        accelerator=scenario.accelerator,
        accelerators=work.accelerators,
        tokens=task.tokens,
        method=task.method,
        precision=task.precision,
        seq_len=task.seq_len,
    )


def serving_job(scenario: Scenario, task: Serve) -> ServingJob:
    """The service that the speed model is asked about."""
    return ServingJob(
        model=task.model,
        accelerator=scenario.accelerator,
        average_requests_per_s=task.requests_per_s,
        peak_requests_per_s=task.peak_requests_per_s or task.requests_per_s,
        input_tokens=task.input_tokens,
        output_tokens=task.output_tokens,
        ttft_ms=task.ttft_ms,
        tpot_ms=task.tpot_ms,
        weight_precision=task.weight_precision,
    )


def _trained(found: Training, bare: Work, task: Train) -> _Done:
    if found.speed is None:
        ways = "; ".join(way.words for way in found.ways_to_fit[:3])
        needs = f"{found.model} does not fit on {found.accelerators:,} x {found.accelerator}"
        memory = f"it needs {found.least_memory_gb:,.0f} GB on each of them and there are {found.memory_gb:,.0f}"
        return _Done(bare, found, problem=f"{needs}: {memory}. What would make it fit: {ways or 'nothing we know'}")
    hours = found.speed.days.typical * HOURS_PER_DAY
    if task.runs_per_month is None:
        return _once(found, bare, task, hours)
    wanted = task.runs_per_month * hours  # hours a month of so many accelerators
    together = max(math.ceil(wanted / HOURS_PER_MONTH), 1)
    changed = {
        "accelerators": bare.accelerators * together,
        "accelerator_hours_per_month": wanted * bare.accelerators,
        "accelerators_per_job": bare.accelerators,
        "may_wait": True,
    }
    return _Done(Work.model_validate(bare.model_dump() | changed), found)


def _once(found: Training, bare: Work, task: Train, hours: float) -> _Done:
    """One run: a job in the first month, nothing besides."""
    days, on = hours / HOURS_PER_DAY, f"{found.accelerators:,} x {found.accelerator}"
    if task.deadline_days is not None and days > task.deadline_days:
        enough = math.ceil(found.accelerators * days / task.deadline_days)
        late = f"{found.model} takes {days:,.0f} days on {on}, and the deadline is {task.deadline_days:g} days"
        return _Done(bare, found, problem=f"{late}: about {enough:,} of them would do")
    if hours > LONGEST_JOB_HOURS:
        return _Done(bare, found, problem=f"{found.model} takes {days:,.0f} days on {on}, over a year: use more")
    job = Job(label="training", accelerators=found.accelerators, hours=max(hours, 0.01))
    # No share of hours besides: less than anybody may write, so it is not checked again.
    changed = {"busy_share": 0.0, "jobs": (*bare.jobs, job), "accelerators_per_job": bare.accelerators}
    return _Done(bare.model_copy(update=changed), found)


def _served(catalogue: Catalogue, found: Serving, bare: Work, task: Serve) -> _Done:
    if not found.fits or found.accelerators_at_peak is None or found.accelerators_at_average is None:
        ways = "; ".join(way.change for way in found.ways_to_fit[:3])
        reason = found.reason or f"{found.model} does not keep these promises on {found.accelerator}"
        return _Done(bare, serving=found, problem=f"{reason}. What would help: {ways or 'another accelerator'}")
    changed = {
        "accelerators": found.accelerators_at_peak,
        "busy_share": min(found.accelerators_at_average / found.accelerators_at_peak, 1.0),
        "accelerators_per_job": min(found.accelerators_per_replica, found.accelerators_at_peak),
    }
    monthly = task.requests_per_s * SECONDS_PER_HOUR * HOURS_PER_MONTH / MILLION
    hosted = Hosted(
        million_input_tokens_per_month=monthly * task.input_tokens,
        million_output_tokens_per_month=monthly * task.output_tokens,
        price=cheapest_door(catalogue, task),
    )
    return _Done(Work.model_validate(bare.model_dump() | changed), serving=found, hosted=hosted)


def cheapest_door(catalogue: Catalogue, task: Serve) -> str | None:
    """Who sells the same model by the token for the least, for so many tokens in and out; None where nobody does."""
    wanted = named_model(catalogue, task.model)

    def usd(price: HostedPrice) -> float:
        written = price.output_usd_per_mtoken or price.input_usd_per_mtoken
        read = price.input_usd_per_mtoken.newest.typical * task.input_tokens
        return read + written.newest.typical * task.output_tokens

    doors = {key: usd(price) for key, price in catalogue.hosted.items() if price.model == wanted}
    return min(doors, key=lambda key: (doors[key], key), default=None)
