"""The work of a market study in plain hours: what each accelerator, in each number, needs to do it. No money yet."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, MOST_ACCELERATORS
from planner.scenario.scenario import Scenario
from planner.scenario.task import FixedRun, TrainingTask
from planner.scenario.work import Work
from planner.speed.hardware import InvalidJobError, MissingAcceleratorDataError
from planner.speed.serving import NonLlmServing, ScaledRun, ServingResult, carried_run
from planner.speed.training.across import Throughput, across, unknown_speed
from planner.speed.training.images import image_training, is_image_network
from planner.speed.training.result import Interval, TrainingLayout
from planner.speed.work_to_hours import ScenarioInHours, asked, image_job, training_job
from planner.study.market.candidate import Lost
from pricing import Catalogue
from pricing.caching import cached

# Numbers of accelerators that are tried: every doubling up to the most a plan may have.
COUNTS = tuple(2**power for power in range(15))
# Faster than this, nobody asks for more accelerators.
SOON_DAYS = 1 / 24
NO_HOURS = Interval(0.0, 0.0, 0.0)
Progress = Callable[[float], None]


@dataclass(frozen=True)
class WorkEstimate:
    """One accelerator in one number: what it takes to do the work, or why it cannot."""

    accelerator: str
    accelerators: int  # of one run; at the peak of a service
    why_not: Lost | None = None
    at_once: int = 0  # runs of a month may be several at once
    together: int = 1  # accelerators that work on one job and must stand beside each other
    hours: Interval = NO_HOURS  # busy accelerator-hours: of the run, or of a month
    session_hours: float = HOURS_PER_YEAR
    busy_share: float = 1.0  # of the hours of a month
    days: Interval | None = None
    rate: float | None = None
    layout: str = ""
    tpot_p99_ms: float | None = None


@dataclass(frozen=True)
class Task:
    """The work that is asked about: the first of the scenario that names a model."""

    scenario: Scenario
    work: Work

    @property
    def run(self) -> TrainingTask | FixedRun | None:
        """What is run, once or so many times a month; none of a service."""
        return self.work.train or self.work.run

    @property
    def monthly(self) -> bool:
        """Whether the work goes on, month by month; else it is one run."""
        return self.run is None or self.run.runs_per_month is not None

    @property
    def deadline_days(self) -> float | None:
        """When a run is due; a service never is."""
        return None if self.run is None else self.run.deadline_days


def has_task(work: Work) -> bool:
    """Whether the work says what is done, so that accelerators can be compared; hours alone do not."""
    return bool(work.train or work.serve or work.run)


def first_task(scenario: Scenario) -> Task:
    """The first work that says what is done; an error where none does."""
    work = next((work for work in scenario.work if has_task(work)), None)
    if work is None:
        raise InvalidJobError(
            "no work names a model: say what is trained or served, so that accelerators can be compared"
        )
    return Task(scenario, work)


def work_estimates(
    catalogue: Catalogue,
    task: Task,
    accelerators: Sequence[str],
    counts: Sequence[int],
    progress: Progress,
) -> tuple[WorkEstimate, ...]:
    """Every accelerator in every number that makes sense; without `counts` in all that double.

    Hours follow from the work alone. They are kept for the work asked about last: another place, price or length of the
    plan changes only what they cost.
    """
    alone = _alone(task.scenario, task.work)
    keys = tuple(accelerators) or tuple(catalogue.accelerators)
    found = _known(catalogue, Task(alone, task.work), keys, tuple(counts), progress)
    progress(1.0)
    return found


@cached(
    16,  # works; some 1,200 entries each
    same=lambda catalogue, *_: (catalogue.accelerators, catalogue.models, catalogue.facts),
    equal=lambda _, task, keys, counts, progress: (task.scenario, keys, counts),
)
def _known(
    catalogue: Catalogue, task: Task, keys: tuple[str, ...], counts: tuple[int, ...], progress: Progress
) -> tuple[WorkEstimate, ...]:
    return tuple(_estimates(catalogue, task, keys, counts, progress))


def _alone(scenario: Scenario, work: Work) -> Scenario:
    """The work with all that its hours depend on, and nothing else of the plan."""
    return Scenario(work=(work,), models=scenario.models, measured=scenario.measured, failures=scenario.failures)


def _estimates(
    catalogue: Catalogue, task: Task, keys: tuple[str, ...], counts: tuple[int, ...], progress: Progress
) -> Iterator[WorkEstimate]:
    if task.work.serve is not None:
        yield from _service_estimates(catalogue, task, keys, counts, progress)
    elif task.work.run is not None:
        yield from _runs(catalogue, task, task.work.run, keys, counts)
    elif task.work.train is not None and is_image_network(task.work.train.model):
        yield from _runs(catalogue, task, task.work.train, keys, counts)
    elif task.work.train is not None:
        unknown = unknown_speed(catalogue, task.work.train.precision)
        for key in keys:
            if key in unknown:
                yield WorkEstimate(key, 1, why_not=Lost("speed_unknown", unknown[key]))
        usable = tuple(key for key in keys if key not in unknown)
        if usable:
            yield from _training_estimates(catalogue, task, task.work.train, usable, counts, progress)


def _training_estimates(
    catalogue: Catalogue,
    task: Task,
    train: TrainingTask,
    keys: tuple[str, ...],
    counts: Sequence[int],
    progress: Progress,
) -> Iterator[WorkEstimate]:
    """Numbers double until most accelerators are done within the hour, or well before the deadline."""
    numbers = tuple(counts) or COUNTS
    soon = SOON_DAYS if train.deadline_days is None else min(SOON_DAYS, train.deadline_days / 2)

    def enough(found: Sequence[Throughput]) -> bool:
        days = [one.days.typical for one in found if one.days is not None]
        return not counts and bool(days) and median(days) < soon

    job = training_job(task.scenario, task.work, train)
    for at, row in enumerate(across(catalogue, job, keys, numbers, enough=enough)):
        progress((at + 1) / len(numbers))
        yield from (_training(train, one) for one in row)


def _scaled_run(catalogue: Catalogue, run: TrainingTask | FixedRun, key: str) -> ScaledRun:
    """The hours that a run, or a training on pictures, takes on one of that accelerator."""
    if isinstance(run, TrainingTask):
        return image_training(catalogue, image_job(run, key, 1)).run
    return carried_run(catalogue, run, accelerator=key, accelerators=1)


def _runs(
    catalogue: Catalogue, task: Task, run: TrainingTask | FixedRun, keys: tuple[str, ...], counts: Sequence[int]
) -> Iterator[WorkEstimate]:
    """Work of known hours, spread evenly; no part of it waits for another, so no link is needed."""
    numbers = tuple(counts) or COUNTS
    soon = SOON_DAYS if run.deadline_days is None else min(SOON_DAYS, run.deadline_days / 2)
    for key in keys:
        try:
            found = _scaled_run(catalogue, run, key)
        except MissingAcceleratorDataError as reason:
            yield WorkEstimate(key, 1, why_not=Lost("speed_unknown", reason.lacks))
            continue
        hours = Interval(found.low, found.accelerator_hours, found.high)
        for count in numbers:
            days = Interval(*(each / count / HOURS_PER_DAY for each in (hours.low, hours.typical, hours.high)))
            about = WorkEstimate(
                key, count, at_once=count, hours=hours, session_hours=days.typical * HOURS_PER_DAY, days=days,
                layout="as measured" if found.measured else "carried over, not measured",
            )  # fmt: skip
            yield about if run.runs_per_month is None else _per_month(about, run.runs_per_month)
            if not counts and days.typical < soon:
                break


def _training(train: TrainingTask, found: Throughput) -> WorkEstimate:
    hours, days = found.accelerator_hours, found.days
    if hours is None or days is None:
        return WorkEstimate(found.accelerator, found.accelerators, why_not=_rejection(found))
    each = found.accelerators
    about = WorkEstimate(
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
        return WorkEstimate(found.accelerator, each, why_not=Lost("never_ends"))
    return about if train.runs_per_month is None else _per_month(about, train.runs_per_month)


def _per_month(once: WorkEstimate, runs: float) -> WorkEstimate:
    hours = Interval(once.hours.low * runs, once.hours.typical * runs, once.hours.high * runs)
    together = max(math.ceil(hours.typical / once.accelerators / HOURS_PER_MONTH), 1)
    at_once = once.accelerators * together
    if at_once > MOST_ACCELERATORS:
        why = f"{at_once:,} are needed at once, and a plan may have {MOST_ACCELERATORS:,}"
        return replace(once, why_not=Lost("too_slow", why))
    return WorkEstimate(
        once.accelerator, once.accelerators, at_once=at_once, together=once.together, hours=hours,
        session_hours=once.session_hours, busy_share=hours.typical / (at_once * HOURS_PER_MONTH), days=once.days,
        rate=once.rate, layout=once.layout,
    )  # fmt: skip


def _rejection(found: Throughput) -> Lost:
    if math.isnan(found.least_memory_gb):
        return Lost("does_not_divide", f"no legal layout on {found.accelerators:,}")
    return Lost("does_not_fit", f"needs {found.least_memory_gb:,.0f} GB of {found.memory_gb:,.0f}")


def layout_words(layout: TrainingLayout | None) -> str:
    """A layout in short: TP 8 x PP 2 x DP 4, ZeRO 1. Nothing for a single accelerator."""
    if layout is None:
        return ""
    sizes = (("TP", layout.tp), ("PP", layout.pp), ("CP", layout.cp), ("DP", layout.dp), ("EP", layout.ep))
    said = " x ".join(f"{name} {size}" for name, size in sizes if size > 1)
    extra = [f"ZeRO {layout.zero}"] if layout.zero else []
    extra += ["recompute"] if layout.recompute else []
    return ", ".join(part for part in (said, *extra) if part)


def _service_estimates(
    catalogue: Catalogue, task: Task, keys: tuple[str, ...], counts: Sequence[int], progress: Progress
) -> Iterator[WorkEstimate]:
    """A service on each accelerator, with as many as the plan would take."""
    for at, key in enumerate(keys):
        progress((at + 1) / len(keys))
        alone = task.scenario.model_copy(update={"accelerator": key, "work": (task.work,)})
        found = asked(catalogue, alone)
        if found.servings:
            yield _counted(_token_service_estimate(found.servings[0]), found, counts)
        elif found.others:
            yield _counted(_request_service_estimate(found.others[0]), found, counts)
        else:
            yield WorkEstimate(key, 1, why_not=Lost("speed_unknown", found.refused[0].lacks or found.refused[0].why))


def _token_service_estimate(found: ServingResult) -> WorkEstimate:
    """What a service of a model that writes tokens needs for each replica; how many accelerators is counted after."""
    group = found.accelerators_per_replica
    if not found.fits:
        return WorkEstimate(found.accelerator, group, why_not=Lost("does_not_fit", str(found.reason)))
    usual = found.output_tokens_per_s
    return WorkEstimate(
        found.accelerator, group, together=group,
        hours=Interval(usual / found.output_tokens_per_s_high, 1.0, usual / found.output_tokens_per_s_low),
        rate=usual / max(found.replicas, 1) / group, layout=f"TP {group}" if group > 1 else "",
        tpot_p99_ms=None if found.tpot is None else found.tpot.p99_ms,
    )  # fmt: skip


def _request_service_estimate(found: NonLlmServing) -> WorkEstimate:
    """What a service that writes no tokens needs for each accelerator; how many is counted after."""
    if found.reason is not None:
        return WorkEstimate(found.accelerator, 1, why_not=Lost("too_slow", found.reason))
    usual = found.requests_per_s
    return WorkEstimate(
        found.accelerator, 1, hours=Interval(usual / found.high, 1.0, usual / found.low),
        layout="as measured" if found.measured else "carried over, not measured",
    )  # fmt: skip


def _counted(one: WorkEstimate, found: ScenarioInHours, counts: Sequence[int]) -> WorkEstimate:
    """A service on as many as its peak asks for; `hours` holds the ends of its band until here."""
    if one.why_not:
        return one
    if found.refused:
        return replace(one, why_not=Lost("too_slow", found.refused[0].why))
    plain = found.scenario.work[0]
    needed = plain.accelerators
    there = min((count for count in counts if count >= needed), default=None if counts else needed)
    if there is None:
        return replace(one, accelerators=max(counts), why_not=Lost("too_few", f"the peak needs {needed:,}"))
    busy = plain.effective_utilization * needed
    low, usual, high = (end * busy * HOURS_PER_MONTH for end in (one.hours.low, one.hours.typical, one.hours.high))
    return replace(
        one,
        accelerators=there,
        at_once=there,
        hours=Interval(low, usual, high),
        busy_share=min(busy / there, 1.0),
    )
