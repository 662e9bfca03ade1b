"""The hours that each accelerator, in each count, needs for the work of a market study. No money yet.

And the accelerators that a study tries where none is named: what can be had, and is still served by its software.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, MOST_ACCELERATORS
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import FixedRun, TrainingTask
from planner.scenario.work import Work
from planner.speed.hardware import InvalidJobError, MissingAcceleratorDataError
from planner.speed.serving import NonLlmServing, ScaledRun, ServingResult, scale_run
from planner.speed.training.across import Throughput, across, unknown_speed
from planner.speed.training.images import image_training, is_image_network
from planner.speed.training.layout import LayoutCandidate
from planner.speed.training.result import Interval
from planner.speed.work_to_hours import ScenarioInHours, convert_to_hours, image_job, training_job
from planner.study.market.candidate import Rejection
from pricing import Catalogue
from pricing.caching import arguments, cached
from pricing.query import MILD
from pricing.records import Accelerator

# Counts to try: powers of two up to the most a plan may have.
COUNTS = tuple(2**power for power in range(15))
SOON_DAYS = 1 / 24  # nobody asks for more accelerators to be faster than this
NO_HOURS = Interval(0.0, 0.0, 0.0)
Progress = Callable[[float], None]


@dataclass(frozen=True)
class WorkEstimate:
    """The need of one accelerator in one count for the work, or why it cannot do it."""

    accelerator: str
    accelerators: int  # of one run; at the peak of a service
    why_not: Rejection | None = None
    at_once: int = 0  # concurrent accelerators: runs of a month may overlap
    together: int = 1  # accelerators per job, which must be networked
    hours: Interval = NO_HOURS  # busy accelerator-hours: of the run, or of a month
    session_hours: float = HOURS_PER_YEAR
    busy_share: float = 1.0  # of the hours of a month
    days: Interval | None = None
    rate: float | None = None  # tokens/s of each accelerator
    layout: str = ""
    tpot_p99_ms: float | None = None


@dataclass(frozen=True)
class Task:
    """The work to study: the first of the scenario that names a model."""

    scenario: Scenario
    work: Work

    @property
    def run(self) -> TrainingTask | FixedRun | None:
        """The run, once or so many times a month; None for a service."""
        return self.work.train or self.work.run

    @property
    def monthly(self) -> bool:
        """Return whether the work continues month by month; else it is one run."""
        return self.run is None or self.run.runs_per_month is not None

    @property
    def deadline_days(self) -> float | None:
        """The deadline of a run; None for a service."""
        return None if self.run is None else self.run.deadline_days


def first_task(scenario: Scenario) -> Task:
    """Return the first work that names a task; raise `InvalidJobError` if none does."""
    work = next((work for work in scenario.work if work.has_task), None)
    if work is None:
        raise InvalidJobError("no work names a model: say what you train or serve so that accelerators can be compared")
    return Task(scenario, work)


def work_estimates(
    catalogue: Catalogue, task: Task, accelerators: Sequence[str], counts: Sequence[int], progress: Progress
) -> tuple[WorkEstimate, ...]:
    """Return an estimate for every accelerator in every count; without `counts` in powers of two.

    Hours follow from the work alone and are cached by it: another place, price or length of the plan changes only the
    cost.
    """
    plan = task.scenario
    scenario = Scenario(work=(task.work,), models=plan.models, measured=plan.measured, failures=plan.failures)
    keys = tuple(accelerators) or tuple(catalogue.accelerators)
    estimates = _cached_estimates(catalogue, Task(scenario, task.work), keys, tuple(counts), progress)
    progress(1.0)
    return estimates


@cached(
    16,  # works; some 1,200 entries each
    same=lambda catalogue, *_: (catalogue.accelerators, catalogue.models, catalogue.facts),
    equal=lambda _, task, keys, counts, progress: (task.scenario, keys, counts),
)
def _cached_estimates(
    catalogue: Catalogue, task: Task, keys: tuple[str, ...], counts: tuple[int, ...], progress: Progress
) -> tuple[WorkEstimate, ...]:
    return tuple(_estimates(catalogue, task, keys, counts, progress))


def _estimates(
    catalogue: Catalogue, task: Task, keys: tuple[str, ...], counts: tuple[int, ...], progress: Progress
) -> Iterator[WorkEstimate]:
    train = task.work.train
    if task.work.serve is not None:
        yield from _service_estimates(catalogue, task, keys, counts, progress)
    elif task.work.run is not None:
        yield from _run_estimates(catalogue, task.work.run, keys, counts)
    elif train is not None and is_image_network(train.model):
        yield from _run_estimates(catalogue, train, keys, counts)
    elif train is not None:
        unknown = unknown_speed(catalogue, train.precision)
        for key in keys:
            if key in unknown:
                yield WorkEstimate(key, 1, why_not=Rejection("speed_unknown", unknown[key]))
        if usable := tuple(key for key in keys if key not in unknown):
            yield from _training_estimates(catalogue, task, train, usable, counts, progress)


def _soon_days(run: TrainingTask | FixedRun) -> float:
    return SOON_DAYS if run.deadline_days is None else min(SOON_DAYS, run.deadline_days / 2)


def _training_estimates(
    catalogue: Catalogue, task: Task, train: TrainingTask, keys: tuple[str, ...], counts: Sequence[int],
    progress: Progress,
) -> Iterator[WorkEstimate]:  # fmt: skip
    """Double the count until most accelerators take less than an hour, or well less than the deadline."""
    numbers, soon = tuple(counts) or COUNTS, _soon_days(train)

    def enough(row: Sequence[Throughput]) -> bool:
        days = [reach.days.typical for reach in row if reach.days is not None]
        return not counts and bool(days) and median(days) < soon

    job = training_job(task.scenario, task.work, train)
    for index, row in enumerate(across(catalogue, job, keys, numbers, enough=enough)):
        progress((index + 1) / len(numbers))
        yield from (_training_estimate(train, reach) for reach in row)


def _training_estimate(train: TrainingTask, reach: Throughput) -> WorkEstimate:
    hours, days, count = reach.accelerator_hours, reach.days, reach.accelerators
    if hours is None or days is None:
        if math.isnan(reach.least_memory_gb):
            rejection = Rejection("does_not_divide", f"no legal layout on {count:,}")
        else:
            rejection = Rejection("does_not_fit", f"needs {reach.least_memory_gb:,.0f} GB of {reach.memory_gb:,.0f}")
        return WorkEstimate(reach.accelerator, count, why_not=rejection)
    if not math.isfinite(days.typical):
        return WorkEstimate(reach.accelerator, count, why_not=Rejection("never_ends"))
    estimate = WorkEstimate(
        reach.accelerator, count, at_once=count, together=count, hours=hours,
        session_hours=days.typical * HOURS_PER_DAY, days=days, rate=reach.tokens_per_s_per_accelerator,
        layout=_layout_text(reach.layout),
    )  # fmt: skip
    return estimate if train.runs_per_month is None else _per_month(estimate, train.runs_per_month)


def _run_estimates(
    catalogue: Catalogue, run: TrainingTask | FixedRun, keys: tuple[str, ...], counts: Sequence[int]
) -> Iterator[WorkEstimate]:
    """Spread work of known hours, or a training on pictures, evenly over those that work on it together."""
    numbers, soon = tuple(counts) or COUNTS, _soon_days(run)
    for key in keys:
        try:
            scaled = _scaled_run(catalogue, run, key)
        except MissingAcceleratorDataError as error:
            yield WorkEstimate(key, 1, why_not=Rejection("speed_unknown", error.lacks))
            continue
        hours = Interval(scaled.low, scaled.accelerator_hours, scaled.high)
        for count in numbers:
            days = Interval(*(each / count / HOURS_PER_DAY for each in (hours.low, hours.typical, hours.high)))
            estimate = WorkEstimate(
                key, count, at_once=count, together=count, hours=hours, session_hours=days.typical * HOURS_PER_DAY,
                days=days, layout=_source_text(scaled.measured),
            )  # fmt: skip
            yield estimate if run.runs_per_month is None else _per_month(estimate, run.runs_per_month)
            if not counts and days.typical < soon:
                break


def _scaled_run(catalogue: Catalogue, run: TrainingTask | FixedRun, key: str) -> ScaledRun:
    if isinstance(run, TrainingTask):
        return image_training(catalogue, image_job(run, key, 1)).run
    return scale_run(catalogue, run, accelerator=key, accelerators=1)


def _source_text(measured: bool) -> str:
    return "as measured" if measured else "carried over, not measured"


def _per_month(once: WorkEstimate, runs: float) -> WorkEstimate:
    hours = Interval(once.hours.low * runs, once.hours.typical * runs, once.hours.high * runs)
    at_once = once.accelerators * max(math.ceil(hours.typical / once.accelerators / HOURS_PER_MONTH), 1)
    if at_once > MOST_ACCELERATORS:
        detail = f"{at_once:,} are needed at once, and a plan may have {MOST_ACCELERATORS:,}"
        return replace(once, why_not=Rejection("too_slow", detail))
    return replace(once, at_once=at_once, hours=hours, busy_share=hours.typical / (at_once * HOURS_PER_MONTH))


def _layout_text(layout: LayoutCandidate | None) -> str:
    """Return a layout in short: TP 8 x PP 2 x DP 4, ZeRO 1. Empty for a single accelerator."""
    if layout is None:
        return ""
    plan = layout.plan
    sizes = (("TP", plan.tp), ("PP", plan.pp), ("CP", plan.cp), ("DP", plan.dp), ("EP", plan.ep))
    parts = [" x ".join(f"{name} {size:.0f}" for name, size in sizes if size > 1)]
    parts += [f"ZeRO {plan.shard:.0f}"] if plan.shard else []
    parts += ["recompute"] if plan.again else []
    return ", ".join(filter(None, parts))


def _service_estimates(
    catalogue: Catalogue, task: Task, keys: tuple[str, ...], counts: Sequence[int], progress: Progress
) -> Iterator[WorkEstimate]:
    """Estimate a service on each accelerator, with as many as its plan would use."""
    for index, key in enumerate(keys):
        progress((index + 1) / len(keys))
        resolved = convert_to_hours(
            catalogue, task.scenario.model_copy(update={"accelerator": key, "work": (task.work,)})
        )
        if resolved.servings:
            yield _sized_service(_token_service_estimate(resolved.servings[0]), resolved, counts)
        elif resolved.others:
            yield _sized_service(_request_service_estimate(resolved.others[0]), resolved, counts)
        else:
            problem = resolved.refused[0]
            yield WorkEstimate(key, 1, why_not=Rejection("speed_unknown", problem.lacks or problem.why))


def _token_service_estimate(serving: ServingResult) -> WorkEstimate:
    """Return the need of each replica of a service that generates tokens; its size follows."""
    group = serving.accelerators_per_replica
    if not serving.fits:
        return WorkEstimate(serving.accelerator, group, why_not=Rejection("does_not_fit", str(serving.reason)))
    rate = serving.output_tokens_per_s
    return WorkEstimate(
        serving.accelerator, group, together=group,
        hours=Interval(rate / serving.output_tokens_per_s_high, 1.0, rate / serving.output_tokens_per_s_low),
        rate=rate / max(serving.replicas, 1) / group, layout=f"TP {group}" if group > 1 else "",
        tpot_p99_ms=None if serving.tpot is None else serving.tpot.p99_ms,
    )  # fmt: skip


def _request_service_estimate(serving: NonLlmServing) -> WorkEstimate:
    """Return the need of each accelerator of a service that generates no tokens; its size follows."""
    if serving.reason is not None:
        return WorkEstimate(serving.accelerator, 1, why_not=Rejection("too_slow", serving.reason))
    rate = serving.requests_per_s
    hours = Interval(rate / serving.high, 1.0, rate / serving.low)
    return WorkEstimate(serving.accelerator, 1, hours=hours, layout=_source_text(serving.measured))


def _sized_service(estimate: WorkEstimate, resolved: ScenarioInHours, counts: Sequence[int]) -> WorkEstimate:
    """Size a service for its peak; until here `hours` are the relative ends of its band."""
    if estimate.why_not:
        return estimate
    if resolved.refused:
        return replace(estimate, why_not=Rejection("too_slow", resolved.refused[0].why))
    work = resolved.scenario.work[0]
    needed = work.accelerators
    count = min((count for count in counts if count >= needed), default=None if counts else needed)
    if count is None:
        return replace(estimate, accelerators=max(counts), why_not=Rejection("too_few", f"the peak needs {needed:,}"))
    busy, band = work.effective_utilization * needed, estimate.hours
    hours = Interval(*(end * busy * HOURS_PER_MONTH for end in (band.low, band.typical, band.high)))
    return replace(estimate, accelerators=count, at_once=count, hours=hours, busy_share=min(busy / count, 1.0))


_IN_WORKSTATION = 4  # cards
_PRICED = MILD | {"old"}  # doubts with which an offer has a price
_NOT_UNASKED = frozenset({"desktop"})  # hardware classes: Macs, small boxes, boards for devices


def usual_chips(catalogue: Catalogue, task: Task) -> tuple[str, ...]:
    """Return the chips to try: rented by somebody, of known memory, in life, for training with 16-bit brain floats.

    The chip that the plan names is among them, whatever it is.
    """
    trains, rented = task.work.train is not None, _rented(catalogue)
    return tuple(
        key
        for key, chip in catalogue.accelerators.items()
        if key == task.scenario.accelerator or (key in rented and is_usual(chip, trains=trains))
    )


def is_usual(chip: Accelerator, *, trains: bool) -> bool:
    """Return whether a chip is proposed to those who name none."""
    is_known = chip.memory_gb is not None and chip.kind not in ("cpu", "apple", "edge")
    in_life = chip.software_ended is None and not (trains and chip.without_bf16)
    return is_known and in_life and chip.hardware_class not in _NOT_UNASKED


def without_fabric(catalogue: Catalogue, task: Task, estimate: WorkEstimate) -> WorkEstimate:
    """Return an estimate, refused where one job would span several workstations that nobody named."""
    is_small = catalogue.accelerators[estimate.accelerator].hardware_class in ("consumer", "workstation")
    if estimate.why_not or not is_small or estimate.together <= _IN_WORKSTATION:
        return estimate
    if estimate.accelerator == task.scenario.accelerator:
        return estimate
    return replace(estimate, why_not=Rejection("no_network", f"a workstation holds {_IN_WORKSTATION}"))


@cached(2, same=arguments)
def _rented(catalogue: Catalogue) -> frozenset[str]:
    """Return the chips that somebody rents out at a price: a minimum bid is none."""
    priced = (offer for offer in catalogue.offers.values() if _PRICED.issuperset(offer.doubts))
    return frozenset(offer.accelerator for offer in priced) - {ANY_ACCELERATOR}
