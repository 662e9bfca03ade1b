"""The work of a market study in plain hours: what each accelerator, in each number, needs to do it. No money yet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from planner.inputs.base import HOURS_PER_MONTH
from planner.inputs.scenario import Scenario
from planner.inputs.task import Serve, Train
from planner.inputs.work import Work
from planner.speed.asked import LONGEST_JOB_HOURS, serving_job, training_job
from planner.speed.refused import BadJob, UnknownChip
from planner.speed.serving import Serving, serve
from planner.speed.training.across import Reach, across, unknown_speed
from planner.speed.training.result import Layout, Range
from pricing import Catalogue

HOURS_PER_DAY = 24.0
# Numbers of accelerators that are tried: every doubling up to the most a plan may have.
COUNTS = tuple(2**power for power in range(15))
# Faster than this, nobody asks for more accelerators.
SOON_DAYS = 1 / 24
NO_HOURS = Range(0.0, 0.0, 0.0)
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Doing:
    """One accelerator in one number: what it takes to do the work, or why it cannot."""

    accelerator: str
    accelerators: int  # of one run; at the peak of a service
    why_not: str = ""
    at_once: int = 0  # runs of a month may be several at once
    together: int = 1  # accelerators that work on one job and must stand beside each other
    hours: Range = NO_HOURS  # busy accelerator-hours: of the run, or of a month
    session_hours: float = LONGEST_JOB_HOURS
    busy_share: float = 1.0  # of the hours of a month
    days: Range | None = None
    rate: float | None = None
    layout: str = ""
    tpot_p99_ms: float | None = None


@dataclass(frozen=True)
class Task:
    """The work that is asked about: the first of the scenario that names a model."""

    scenario: Scenario
    work: Work

    @property
    def monthly(self) -> bool:
        """Whether it goes on, month by month; else it is one run."""
        return self.work.serve is not None or self.train.runs_per_month is not None

    @property
    def train(self) -> Train:
        """The training of a task that is one."""
        if self.work.train is None:
            raise BadJob("this work is a service, not a training run")
        return self.work.train


def task_of(scenario: Scenario) -> Task:
    """The first work that names a model; an error where none does."""
    work = next((work for work in scenario.work if work.train or work.serve), None)
    if work is None:
        raise BadJob("no work names a model: say what is trained or served, so that accelerators can be compared")
    return Task(scenario, work)


def doings(
    catalogue: Catalogue,
    task: Task,
    accelerators: Sequence[str],
    counts: Sequence[int],
    progress: Progress,
) -> Iterator[Doing]:
    """Every accelerator in every number that makes sense."""
    keys = tuple(accelerators) or tuple(catalogue.accelerators)
    if task.work.serve is not None:
        yield from _servings(catalogue, task, task.work.serve, keys, counts, progress)
        return
    unknown = unknown_speed(catalogue)
    for key in keys:
        if key in unknown:
            yield Doing(key, 1, why_not=f"speed unknown: {unknown[key].partition(': ')[2]}")
    usable = tuple(key for key in keys if key not in unknown)
    if usable:
        yield from _trainings(catalogue, task, usable, counts, progress)


def _trainings(
    catalogue: Catalogue, task: Task, keys: tuple[str, ...], counts: Sequence[int], progress: Progress
) -> Iterator[Doing]:
    """Numbers double until most accelerators are done within the hour, or well before the deadline."""
    numbers = tuple(counts) or tuple(sorted({*COUNTS, task.work.accelerators}))
    deadline = task.train.deadline_days
    soon = SOON_DAYS if deadline is None else min(SOON_DAYS, deadline / 2)

    def enough(found: Sequence[Reach]) -> bool:
        days = [one.days.typical for one in found if one.days is not None]
        many = found[0].accelerators >= task.work.accelerators
        return not counts and many and bool(days) and median(days) < soon

    job = training_job(task.scenario, task.work, task.train)
    for at, row in enumerate(across(catalogue, job, keys, numbers, enough=enough)):
        progress((at + 1) / len(numbers))
        yield from (_training(task, one) for one in row)


def _training(task: Task, found: Reach) -> Doing:
    hours, days = found.accelerator_hours, found.days
    if hours is None or days is None:
        return Doing(found.accelerator, found.accelerators, why_not=_lacks(found))
    each = found.accelerators
    about = Doing(
        found.accelerator,
        each,
        at_once=each,
        together=each,
        hours=hours,
        session_hours=days.typical * HOURS_PER_DAY,
        days=days,
        rate=found.tokens_per_s_per_accelerator,
        layout=layout_words(found.layout),
    )
    if not math.isfinite(days.typical):
        return Doing(found.accelerator, each, why_not="it stops more often than it starts again: it never ends")
    if task.train.runs_per_month is None:
        return about
    return _every_month(about, task.train.runs_per_month)


def _every_month(once: Doing, runs: float) -> Doing:
    hours = Range(once.hours.low * runs, once.hours.typical * runs, once.hours.high * runs)
    together = max(math.ceil(hours.typical / once.accelerators / HOURS_PER_MONTH), 1)
    at_once = once.accelerators * together
    return Doing(
        once.accelerator, once.accelerators, at_once=at_once, together=once.together, hours=hours,
        session_hours=once.session_hours, busy_share=hours.typical / (at_once * HOURS_PER_MONTH), days=once.days,
        rate=once.rate, layout=once.layout,
    )  # fmt: skip


def _lacks(found: Reach) -> str:
    if math.isnan(found.least_memory_gb):
        return f"does not divide: no legal layout on {found.accelerators:,}"
    return f"does not fit: needs {found.least_memory_gb:,.0f} GB of {found.memory_gb:,.0f}"


def layout_words(layout: Layout | None) -> str:
    """A layout in short: TP 8 x PP 2 x DP 4, ZeRO 1. Nothing for a single accelerator."""
    if layout is None:
        return ""
    sizes = (("TP", layout.tp), ("PP", layout.pp), ("CP", layout.cp), ("DP", layout.dp), ("EP", layout.ep))
    said = " x ".join(f"{name} {size}" for name, size in sizes if size > 1)
    extra = [f"ZeRO {layout.zero}"] if layout.zero else []
    extra += ["recompute"] if layout.recompute else []
    return ", ".join(part for part in (said, *extra) if part)


def _servings(
    catalogue: Catalogue,
    task: Task,
    asked: Serve,
    keys: tuple[str, ...],
    counts: Sequence[int],
    progress: Progress,
) -> Iterator[Doing]:
    for at, key in enumerate(keys):
        progress((at + 1) / len(keys))
        scenario = task.scenario.model_copy(update={"accelerator": key})
        try:
            found = serve(catalogue, serving_job(scenario, asked))
        except UnknownChip as reason:
            yield Doing(key, 1, why_not=f"speed unknown: {str(reason).partition(': ')[2]}")
            continue
        yield _serving(found, counts)


def _serving(found: Serving, counts: Sequence[int]) -> Doing:
    needed, average = found.accelerators_at_peak, found.accelerators_at_average
    if not found.fits:
        return Doing(found.accelerator, found.accelerators_per_replica, why_not=f"does not fit: {found.reason}")
    if needed is None or average is None:
        return Doing(found.accelerator, found.accelerators_per_replica, why_not="too slow for what is promised")
    there = min((count for count in counts if count >= needed), default=None if counts else needed)
    if there is None:
        return Doing(found.accelerator, max(counts), why_not=f"too few: the peak needs {needed:,}")
    hours = average * HOURS_PER_MONTH
    group = found.accelerators_per_replica
    replicas = -(-there // group)
    return Doing(
        found.accelerator, there, at_once=there, together=group,
        hours=_by_speed(found, hours), busy_share=min(average / there, 1.0),
        rate=found.output_tokens_per_s / max(found.replicas, 1) / group,
        layout=(f"TP {group}, " if group > 1 else "") + (f"{replicas:,} replicas" if replicas > 1 else "one replica"),
        tpot_p99_ms=None if found.tpot is None else found.tpot.p99_ms,
    )  # fmt: skip


def _by_speed(found: Serving, hours: float) -> Range:
    """Hours at the ends of the band of speeds: a faster service is busy for fewer."""
    usual = found.output_tokens_per_s
    return Range(hours * usual / found.output_tokens_per_s_high, hours, hours * usual / found.output_tokens_per_s_low)
