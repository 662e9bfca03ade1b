"""From models to hours: what training and serving ask for, as plain accelerators and hours for money to use.

A run that happens once is a job of so many accelerators for so long, due by its deadline. Runs that come every month
are work that may wait in a queue. A service wants as many accelerators as its peak needs, and is busy as its average
is to that. Work that writes no tokens is counted from measured rates, and any other run from its measured hours.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from planner.network.record import with_user_models
from planner.scenario.base import (
    HOURS_PER_DAY,
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    MILLION,
    MOST_ACCELERATORS,
    SECONDS_PER_HOUR,
)
from planner.scenario.durations import format_duration
from planner.scenario.jobs import ImageJob, ServingJob, TrainingJob
from planner.scenario.rent import HostedModelInputs, paid_by_the_token
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import FixedRun, ServingSpec, ServingTask, TrainingSpec, TrainingTask
from planner.scenario.work import LEAST_BUSY_SHARE, ScheduledJob, Work
from planner.speed.hardware import NARROW, InvalidJobError, MissingAcceleratorDataError
from planner.speed.kept_data import (
    PICTURES_TB,
    SMALLEST_TB,
    cheapest_hosted_price,
    serves_own_weights,
    serving_data_tb,
    training_data_tb,
    with_adapters,
    with_data,
    with_usual_data,
)
from planner.speed.serving import (
    NonLlmServing,
    ScaledRun,
    ServingResult,
    is_non_llm_work,
    non_llm_serving,
    scale_run,
    serve,
    standby_replicas,
)
from planner.speed.training import TrainingResult, train
from planner.speed.training.across import fewest_by_deadline
from planner.speed.training.images import image_training, is_image_network
from planner.speed.training.result import NOT_SPREAD
from pricing import Catalogue, PricingError

_MOST = f"even {MOST_ACCELERATORS:,} of them"
_HELPS = "What would help"
_FINE = 4  # digits: in fewer, what is late could look as if it were in time
NOT_CHOSEN = "which accelerator is not said: name one, or name a model, and the one that does it for the least is taken"


@dataclass(frozen=True)
class WorkProblem:
    """Why the plan cannot do some work, and what would help where that is known."""

    why: str
    helps: str = ""
    lacks: str = ""  # of the accelerator, whose name is left out, where its speed is not known

    def __str__(self) -> str:
        """Both in a sentence."""
        return f"{self.why}. {self.helps}" if self.helps else self.why


@dataclass(frozen=True)
class LateRun:
    """A run that is not done by its deadline, or within the year that the longest run may take."""

    work: Work  # as it was written
    days: float
    deadline_days: float
    problem: WorkProblem
    was_asked: bool = True  # the deadline; else it is the year


@dataclass(frozen=True, eq=False)
class ScenarioInHours:
    """A scenario in plain hours, with what the models in it need; and why some of it cannot be done."""

    scenario: Scenario
    written: Scenario
    trainings: tuple[TrainingResult, ...] = ()
    servings: tuple[ServingResult, ...] = ()
    refused: tuple[WorkProblem, ...] = ()
    others: tuple[NonLlmServing, ...] = ()
    runs: tuple[ScaledRun, ...] = ()
    late: tuple[LateRun, ...] = ()
    serves_own_weights: bool = False
    hosts_adapters: bool = False  # what is hosted serves adapters that the plan tunes

    @property
    def problems(self) -> tuple[str, ...]:
        """Why some of it cannot be done, in words."""
        return tuple(map(str, self.refused))


@dataclass(frozen=True)
class _WorkHours:
    """One kind of work in plain hours."""

    work: Work
    training: TrainingResult | None = None
    serving: ServingResult | None = None
    other: NonLlmServing | None = None
    run: ScaledRun | None = None
    hosted: HostedModelInputs | None = None
    problem: WorkProblem | None = None
    late: LateRun | None = None


def convert_to_hours(catalogue: Catalogue, scenario: Scenario) -> ScenarioInHours:
    """The scenario with accelerators and hours in place of models, and with the data that its work keeps."""
    if scenario.accelerator == ANY_ACCELERATOR:
        return ScenarioInHours(scenario, scenario, refused=(WorkProblem(NOT_CHOSEN),))
    if not any(work.train or work.serve or work.run for work in scenario.work):
        return ScenarioInHours(with_usual_data(catalogue, scenario), scenario)
    catalogue = with_user_models(catalogue, scenario.models)
    done = [_to_hours(catalogue, scenario, work) for work in scenario.work]
    own_weights = serves_own_weights(scenario)
    offered = [hours.hosted for hours in done if hours.hosted]
    if own_weights:
        offered = with_adapters(catalogue, scenario, offered)
    is_by_adapters = own_weights and bool(offered)
    hosted = paid_by_the_token(scenario.hosted, offered)
    plain = scenario.model_copy(update={"work": tuple(hours.work for hours in done), "hosted": hosted})
    return ScenarioInHours(
        plain,
        scenario,
        tuple(hours.training for hours in done if hours.training),
        tuple(hours.serving for hours in done if hours.serving),
        tuple(hours.problem for hours in done if hours.problem),
        tuple(hours.other for hours in done if hours.other),
        tuple(hours.run for hours in done if hours.run),
        tuple(replace(hours.late, work=work) for hours, work in zip(done, scenario.work, strict=True) if hours.late),
        own_weights and not is_by_adapters,
        is_by_adapters,
    )


def _to_hours(catalogue: Catalogue, scenario: Scenario, work: Work) -> _WorkHours:
    bare = _without_model(work)
    try:
        if work.run is not None:
            return _run_hours(catalogue, scenario, bare, work.run)
        if work.train is not None:
            return _training_hours(catalogue, scenario, work, work.train)
        if work.serve is not None and is_non_llm_work(work.serve.model):
            result = non_llm_serving(catalogue, serving_job(scenario, work.serve))
            return _convert_non_llm(catalogue, result, bare, work.serve)
        if work.serve is not None:
            return _served(catalogue, serve(catalogue, serving_job(scenario, work.serve)), bare, work.serve)
    except PricingError as refusal:
        lacks = refusal.lacks if isinstance(refusal, MissingAcceleratorDataError) else ""
        return _WorkHours(bare, problem=WorkProblem(str(refusal), lacks=lacks))
    return _WorkHours(work)


def training_job(scenario: Scenario, work: Work, task: TrainingTask) -> TrainingJob:
    """Return the question about a training run of a scenario."""
    return TrainingJob(
        **{name: getattr(task, name) for name in TrainingSpec.model_fields},
        accelerator=scenario.accelerator, accelerators=work.accelerators, failures=scenario.failures,
        models=scenario.models, measured=scenario.measured,
    )  # fmt: skip


def serving_job(scenario: Scenario, task: ServingTask) -> ServingJob:
    """Return the question about a service of a scenario; its peak is its average where none is given."""
    spec = {name: getattr(task, name) for name in ServingSpec.model_fields}
    spec["peak_requests_per_s"] = task.peak_requests_per_s or task.requests_per_s
    return ServingJob(**spec, accelerator=scenario.accelerator, models=scenario.models, measured=scenario.measured)


def _trained(catalogue: Catalogue, job: TrainingJob, bare: Work, task: TrainingTask) -> _WorkHours:
    result = train(catalogue, job)
    if result.speed is None:
        ways = "; ".join(way.words for way in result.ways_to_fit[:4])
        if not result.can_be_spread:
            on = f"{result.accelerators:,} x {result.accelerator}"
            helps = f"What divides: {ways}" if ways else ""
            return _WorkHours(
                bare, result, problem=WorkProblem(f"{result.model} cannot be spread over {on}: {NOT_SPREAD}", helps)
            )
        needs = f"{result.model} does not fit on {result.accelerators:,} x {result.accelerator}"
        memory = f"it needs {result.least_memory_gb:,.0f} GB on each of them and there are {result.memory_gb:,.0f}"
        helps = f"What would make it fit: {ways or 'nothing we know of'}"
        return _WorkHours(bare, result, problem=WorkProblem(f"{needs}: {memory}", helps))
    hours = result.speed.days.typical * HOURS_PER_DAY

    def in_time(deadline_days: float) -> tuple[int, float] | None:
        reach = fewest_by_deadline(catalogue, job, deadline_days, MOST_ACCELERATORS)
        return None if reach is None or reach.days is None else (reach.accelerators, reach.days.typical)

    once = _RunDescription(result.model, "training", result.accelerator, result.accelerators, in_time)
    bare = with_data(bare, *training_data_tb(result, task.method, task.runs_per_month or 1.0))
    return replace(_runs_as_work(bare, task, hours, once), training=result)


def _without_model(work: Work) -> Work:
    """The work without its model. The data of what is done once, where no disk is entered, are kept while it lasts."""
    runs = work.train or work.run
    once = _ends_when_done(work) if runs is None else runs.runs_per_month is None
    kept = work.data_kept or ("runs" if once and work.storage_tb is None else None)
    return work.model_copy(update={"train": None, "serve": None, "run": None, "data_kept": kept})


def _training_hours(catalogue: Catalogue, scenario: Scenario, work: Work, task: TrainingTask) -> _WorkHours:
    """A model to be trained; one that learns from pictures goes by its published rate, as a run of known hours."""
    bare = _without_model(work)
    if not is_image_network(task.model):
        return _trained(catalogue, training_job(scenario, work, task), bare, task)
    result = image_training(catalogue, image_job(task, scenario.accelerator, bare.accelerators))
    once = _RunDescription(result.label, "training", result.accelerator, result.accelerators)
    bare = with_data(bare, PICTURES_TB, SMALLEST_TB)
    return replace(_runs_as_work(bare, task, result.hours.typical, once), run=result.run)


def image_job(task: TrainingTask, accelerator: str, accelerators: int) -> ImageJob:
    """Return the job of a network that learns from pictures; its published rates are all in 16 bits."""
    if task.precision in NARROW:
        raise InvalidJobError(f"{task.model} learns from pictures, at rates published in 16 bits; choose bf16 or fp16")
    return ImageJob(model=task.model, accelerator=accelerator, accelerators=accelerators, images=task.images)


def _run_hours(catalogue: Catalogue, scenario: Scenario, bare: Work, task: FixedRun) -> _WorkHours:
    result = scale_run(catalogue, task, accelerator=scenario.accelerator, accelerators=bare.accelerators)
    once = _RunDescription("the run", "run", result.accelerator, result.accelerators)
    return replace(_runs_as_work(bare, task, result.hours, once), run=result)


@dataclass(frozen=True)
class _RunDescription:
    """A description of a run: its name, label, accelerators, and how many would be in time."""

    what: str
    label: str
    accelerator: str
    accelerators: int
    # By a deadline: the fewest that keep it and how many days they take. None: known hours, which spread evenly.
    in_time: Callable[[float], tuple[int, float] | None] | None = None

    @property
    def where(self) -> str:
        """8 x H100 SXM5 80 GB."""
        return f"{self.accelerators:,} x {self.accelerator}"


def _runs_as_work(bare: Work, task: TrainingTask | FixedRun, hours: float, once: _RunDescription) -> _WorkHours:
    """Runs of so many hours as work: a job in the first month and nothing besides, or so many a month that may wait."""
    if task.runs_per_month is not None:
        needed = task.runs_per_month * hours  # hours a month of so many accelerators
        together = max(math.ceil(needed / HOURS_PER_MONTH), 1)
        if bare.accelerators * together > MOST_ACCELERATORS:
            return _WorkHours(bare, problem=_too_many(bare.accelerators * together, once.accelerator))
        changed = {
            "accelerators": bare.accelerators * together,
            "accelerator_hours_per_month": needed * bare.accelerators,
            "accelerators_per_job": bare.accelerators,
            "may_wait": True,
        }
        return _WorkHours(Work.model_validate(bare.model_dump() | changed))
    days = hours / HOURS_PER_DAY
    if task.deadline_days is not None and days > task.deadline_days:
        late = _late(bare, days, task.deadline_days, once)
        return _WorkHours(bare, problem=late.problem, late=late)
    if hours > HOURS_PER_YEAR:
        longest = HOURS_PER_YEAR / HOURS_PER_DAY
        more = _gpus_needed(days, longest, once)
        sentence = f"{once.what} takes {format_duration(days, _FINE)} on {once.where}, over a year: {more}"
        late = LateRun(bare, days, longest, WorkProblem(sentence), was_asked=False)
        return _WorkHours(bare, problem=late.problem, late=late)
    job = ScheduledJob(label=once.label, accelerators=once.accelerators, hours=max(hours, 0.01))
    size = bare.accelerators_per_job if isinstance(task, FixedRun) else None  # frames need no network
    # No share of hours besides: less than anybody may write, so it is not checked again.
    once_only = {"busy_share": 0.0, "jobs": (*bare.jobs, job), "accelerators_per_job": size or bare.accelerators}
    return _WorkHours(bare.model_copy(update=once_only))


def _late(bare: Work, days: float, deadline_days: float, once: _RunDescription) -> LateRun:
    """By how much it is late; how many more would be in time; which deadline would be kept as it is."""
    takes, due = format_duration(days, _FINE), format_duration(deadline_days, _FINE)
    sentence = f"{once.what} takes {takes} on {once.where}, and the deadline is {due}"
    advice = f"A deadline of {format_duration(math.ceil(days * 10) / 10, _FINE)} would do as it is"
    return LateRun(
        bare, days, deadline_days, WorkProblem(f"{sentence}: {_gpus_needed(days, deadline_days, once)}", advice)
    )


def _gpus_needed(days: float, deadline_days: float, once: _RunDescription) -> str:
    if once.in_time is not None:
        answer = once.in_time(deadline_days)
    else:
        enough = math.ceil(once.accelerators * days / deadline_days - 1e-9)
        answer = None if enough > MOST_ACCELERATORS else (enough, days * once.accelerators / enough)
    return (
        f"{_MOST} would not do" if answer is None else f"{answer[0]:,} of them take {format_duration(answer[1], _FINE)}"
    )


def _served(catalogue: Catalogue, result: ServingResult, bare: Work, task: ServingTask) -> _WorkHours:
    if not result.fits or result.accelerators_at_peak is None or result.accelerators_at_average is None:
        ways = "; ".join(way.change for way in result.ways_to_fit[:4])
        reason = result.reason or f"{result.model} does not keep these promises on {result.accelerator}"
        return _WorkHours(
            bare, serving=result, problem=WorkProblem(reason, f"{_HELPS}: {ways or 'another accelerator'}")
        )
    ahead = _standby_accelerators(result, task)
    average, peak = result.accelerators_at_average + ahead, result.accelerators_at_peak + ahead
    each = _slices_per_accelerator(catalogue, result.accelerator, task.mig_profile)
    if _whole(peak, each) > MOST_ACCELERATORS:
        return _WorkHours(bare, serving=result, problem=_too_many(_whole(peak, each), result.accelerator))
    bare = with_data(bare, *serving_data_tb(result, task))
    full = result.requests_per_s_within_promise / max(result.replicas, 1) / result.accelerators_per_replica
    busy = task.requests_per_s / full / each if _ends_when_done(bare) else _whole(average, each)
    work = _around_the_clock(bare, busy, _whole(peak, each), result.accelerators_per_replica)
    monthly = task.requests_per_s * SECONDS_PER_HOUR * HOURS_PER_MONTH / MILLION
    price = cheapest_hosted_price(catalogue, task)
    is_read = price is not None and catalogue.hosted[price].output_usd_per_mtoken is None  # embeddings: none is written
    hosted = HostedModelInputs(
        million_input_tokens_per_month=monthly * task.input_tokens,
        million_output_tokens_per_month=0.0 if is_read else monthly * task.output_tokens,
        price=price,
    )
    return _WorkHours(work, serving=result, hosted=hosted)


def _convert_non_llm(catalogue: Catalogue, result: NonLlmServing, bare: Work, task: ServingTask) -> _WorkHours:
    if result.accelerators_at_peak is None or result.accelerators_at_average is None:
        problem = WorkProblem(str(result.reason), f"{_HELPS}: a faster accelerator, or more time")
        return _WorkHours(bare, other=result, problem=problem)
    each = _slices_per_accelerator(catalogue, result.accelerator, task.mig_profile)
    average, peak = _whole(result.accelerators_at_average, each), _whole(result.accelerators_at_peak, each)
    if peak > MOST_ACCELERATORS:
        return _WorkHours(bare, other=result, problem=_too_many(peak, result.accelerator))
    bare = with_data(bare, SMALLEST_TB, 0.0)  # such networks are small, and so are their answers
    busy = task.requests_per_s / result.requests_per_s / each if _ends_when_done(bare) else average
    return _WorkHours(_around_the_clock(bare, busy, peak, 1), other=result)


def _too_many(peak: int, accelerator: str) -> WorkProblem:
    why = f"{peak:,} x {accelerator} are needed at the peak, and a plan may have {f'{MOST_ACCELERATORS:,}'}"
    return WorkProblem(why, f"{_HELPS}: faster ones")


def _ends_when_done(work: Work) -> bool:
    """Return whether nobody waits for it and it ends before the plan: it runs at full load, then the machines go."""
    return work.may_stop and work.last_month is not None


def _around_the_clock(bare: Work, average: float, peak: int, together: int) -> Work:
    """A service as accelerators for its peak that are busy in the proportion of average to peak."""
    changed = {
        "accelerators": peak,
        "busy_share": min(max(average / peak, LEAST_BUSY_SHARE), 1.0),
        "accelerators_per_job": min(together, peak),
    }
    return Work.model_validate(bare.model_dump() | changed)


def _standby_accelerators(result: ServingResult, task: ServingTask) -> int:
    """Accelerators kept ready for a rise in requests while new replicas start."""
    if task.rise_per_minute is None or result.requests_per_s_within_promise <= 0:
        return 0
    each = result.requests_per_s_within_promise / max(result.replicas, 1)
    ahead = standby_replicas(
        rise_per_minute=task.rise_per_minute, cold_start_s=result.cold_start_s, requests_per_s=each
    )
    return int(ahead) * result.accelerators_per_replica


def _slices_per_accelerator(catalogue: Catalogue, chip: str, profile: str | None) -> int:
    """Return how many slices of that kind one accelerator is cut into; 1 for a whole one."""
    if profile is None:
        return 1
    return next((mig.count for mig in catalogue.accelerators[chip].mig if mig.name == profile), 1)


def _whole(slices: int, each: int) -> int:
    """Accelerators for so many slices, or for themselves where they are not cut."""
    return math.ceil(slices / each)
