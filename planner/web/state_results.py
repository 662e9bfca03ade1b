"""Results that all sessions share, by what they depend on: speed and what if."""

from dataclasses import dataclass
from datetime import date

import plotly.graph_objects as go

from planner.evidence.checked import CheckedRun
from planner.evidence.nearest import PublishedRun, RunSettings, SimilarRun, nearest, published, traits_of
from planner.money.option import Option
from planner.money.plan import build_context
from planner.money.renting.cheapest_offer import JobHourQuote, hired
from planner.report.answer.side_by_side import PinnedPlan, saved_usd
from planner.report.futures import future_charts
from planner.report.futures.input_words import saving_side_label
from planner.report.speed import finding, speed_charts, time_cost_front
from planner.report.speed.finding import SpeedSummary
from planner.report.speed.serving_words import accelerators_table, side_by_side
from planner.report.table import Table
from planner.report.what_if import compared_pair
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.jobs import ServingJob
from planner.scenario.scenario import Scenario
from planner.scenario.task import TrainingTask
from planner.scenario.ways import Way
from planner.scenario.work import Work
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining, solved_jobs
from planner.speed.serving import is_non_llm_work
from planner.speed.serving.serve import serving_variants
from planner.speed.training.savings import memory_savings
from planner.speed.work_to_hours import ScenarioInHours, serving_job
from planner.study.market.gpu_guide import guide_choices
from planner.study.market.survey import MarketCandidate, MarketStudy, doubling_candidates, market, without_choice
from planner.study.uncertainty import break_even_map as maps
from planner.study.uncertainty.break_even_map import BreakEvenMap
from planner.study.uncertainty.stress import StressResult, run_stress_test, with_stress_tests
from planner.study.uncertainty.sure_verdict import Judged, decided
from planner.study.uncertainty.tornado import SobolIndex, TornadoBar, sobol_indices, tornado
from planner.web import state, workers
from planner.web.shared import shared
from pricing import Catalogue

ModelWork = ScenarioTraining | ScenarioServing
TRAINING, SERVING = "Training", "Serving"
# How far from the published figure a prediction may be and still count as near: the terms in which the aims are set.
NEAR_SHARE = {TRAINING: 0.20, SERVING: 0.25}
EXAMPLE = TrainingTask(model="Llama-3.1-8B", method="lora", tokens=1e8)
_MOST_OF_EXAMPLE = 8  # accelerators: more would only make a small job smaller


def works() -> tuple[ModelWork, ...]:
    """Return the models of this run's scenario whose speed was worked out."""
    resolved = state.result().plan.setting.resolved
    return () if resolved is None else solved_jobs(state.catalogue(), resolved)


def names_model() -> bool:
    """Return whether this run's scenario names any model."""
    return any(work.train or work.serve or work.run for work in state.scenario().work)


def with_example() -> Scenario:
    """Return this run's scenario; where it names no model, with a small fine-tuning run on its own accelerators."""
    scenario = state.scenario()
    if names_model():
        return scenario
    count = min(max(work.accelerators for work in scenario.work), _MOST_OF_EXAMPLE)
    return scenario.model_copy(update={"work": (Work(accelerators=count, train=EXAMPLE),)})


def _example_alone() -> Scenario:
    """Return a scenario of nothing but the example, worked out once for each accelerator and number."""
    scenario = with_example()
    return Scenario(accelerator=scenario.accelerator, work=scenario.work)


@shared(32)
def _resolved(facts: Catalogue, scenario: Scenario, day: date) -> ScenarioInHours | None:
    return build_context(facts, scenario, day).resolved


def example() -> tuple[ModelWork, ...]:
    """Return the example worked out, where no model is named; empty where it does not fit on these accelerators."""
    if names_model():
        return ()
    resolved = _resolved(state.catalogue(), _example_alone(), state.day())
    return solved_jobs(state.catalogue(), resolved) if resolved is not None else ()


def other_work_summary() -> SpeedSummary | None:
    """Return the summary of work without tokens and of runs of known hours; None where there is none."""
    resolved = state.result().plan.setting.resolved
    return None if resolved is None else finding.other_work_summary(state.catalogue(), resolved)


@shared(32)
def _accelerators_table(facts: Catalogue, job: ServingJob, day: date) -> Table:
    return accelerators_table(side_by_side(facts, job, day))


def other_work_tables() -> tuple[Table, ...]:
    """Return, for each service that writes no tokens, every accelerator that can run it, cheapest first."""
    scenario = state.scenario()
    tasks = [work.serve for work in scenario.work if work.serve and is_non_llm_work(work.serve.model)]
    return tuple(_accelerators_table(state.catalogue(), serving_job(scenario, task), state.day()) for task in tasks)


def problems() -> tuple[str, ...]:
    """Return why models of this run's scenario could not be worked out; empty where none is named."""
    resolved = state.result().plan.setting.resolved
    is_named = any(work.train or work.serve for work in state.scenario().work)
    return resolved.problems if resolved is not None and is_named else ()


@shared(128)
def _hired(
    facts: Catalogue, accelerator: str, count: int, hours: float, together: int, day: date
) -> JobHourQuote | None:
    return hired(facts, accelerator, accelerators=count, hours=hours, together=together, day=day)


def cost(work: ModelWork) -> JobHourQuote | None:
    """Return the cheapest credible offer by the hour; None where there is none or nothing fits."""
    if isinstance(work, ScenarioTraining):
        if work.result.speed is None:
            return None
        count = together = work.result.accelerators
        hours = work.result.speed.accelerator_hours.typical / count
    elif work.result.fits and work.result.accelerators_at_peak:
        count, together, hours = work.result.accelerators_at_peak, work.result.accelerators_per_replica, HOURS_PER_YEAR
    else:
        return None
    return _hired(state.catalogue(), work.result.accelerator, count, hours, together, state.day())


training_memory = shared(128)(memory_savings)
serving_memory = shared(128)(serving_variants)
_count_candidates = shared(16, spinner="Trying every accelerator of the catalogue")(
    workers.remote(doubling_candidates, is_slow=True)
)


@shared(16)
def _market(facts: Catalogue, scenario: Scenario, day: date) -> MarketStudy:
    return market(facts, scenario, day, tries=_count_candidates(facts, without_choice(scenario), day))


def _alone(work: ModelWork) -> Scenario:
    """Return the scenario with nothing but this work, whose accelerator and number are free."""
    scenario = state.scenario() if names_model() else _example_alone()
    return scenario.model_copy(update={"work": (scenario.work[work.place],)})


def front(work: ModelWork) -> MarketStudy:
    """Return every accelerator, number and purchase for this work; another number only adds its own candidates."""
    return _market(state.catalogue(), _alone(work), state.day())


@shared(32)
def _front_figure(
    facts: Catalogue, scenario: Scenario, day: date, plan: MarketCandidate | None, is_dark: bool, every: bool
) -> go.Figure:
    return time_cost_front.front_chart(_market(facts, scenario, day), plan, is_dark, every=every)


def plan_point(work: ModelWork, candidates: MarketStudy) -> MarketCandidate | None:
    """Return the plan of this run as a point among the candidates: the option that its answer names, at its cost."""
    answer = state.result().answer if names_model() else None
    count = getattr(work.result, "accelerators", 0)
    return time_cost_front.plan_of(candidates, work.result.accelerator, count, answer)


def front_figure(work: ModelWork, plan: MarketCandidate | None, *, every: bool) -> go.Figure:
    """Return the chart of time against cost, with the plan marked, and pinned plans that do the same work."""
    candidates = front(work)
    points = [
        (pin.letter, point) for pin in state.session().pinned if (point := _point_of(pin, work, candidates)) is not None
    ]
    if points:
        return time_cost_front.front_chart(candidates, plan, state.dark(), points, every=every)
    return _front_figure(state.catalogue(), _alone(work), state.day(), plan, state.dark(), every)


def _point_of(pin: PinnedPlan, work: ModelWork, candidates: MarketStudy) -> MarketCandidate | None:
    """Return the candidate that a pinned plan is, where it does this work on other accelerators or another number."""
    resolved = pin.result.plan.setting.resolved
    for other in () if resolved is None else solved_jobs(state.catalogue(), resolved):
        if type(other) is type(work) and other.model == work.model:
            count = getattr(other.result, "accelerators", 0)
            return time_cost_front.plan_of(candidates, other.result.accelerator, count, pin.result.answer)
    return None


# a GPU for learning, fine-tuning, training, serving and all of it: takes seconds the first time
gpu_guide = shared(4, spinner="Asking the whole catalogue, use by use")(workers.remote(guide_choices, is_slow=True))


@dataclass(frozen=True)
class RunComparison:
    """Published runs of one kind beside their predictions."""

    runs: tuple[PublishedRun, ...]
    checked: tuple[CheckedRun, ...]


@shared(4, spinner="Predicting every published run")
def published_runs(facts: Catalogue, kind: str) -> RunComparison:
    """Return all published runs of a kind. Takes a second the first time."""
    return RunComparison(*workers.run_in_slow_worker(published, facts, "training" if kind == TRAINING else "serving"))


def nearest_runs(work: ModelWork, comparison: RunComparison) -> tuple[SimilarRun, ...]:
    """Return the published runs most like this one."""
    job = work.job
    if isinstance(work, ScenarioTraining):
        settings = RunSettings(job.precision, job.method, float(job.accelerators), float(job.seq_len))
    else:
        tokens, per_replica = float(job.input_tokens + job.output_tokens), float(work.result.accelerators_per_replica)
        settings = RunSettings(work.result.weight_precision, job.mode, per_replica, tokens)
    return nearest(traits_of(state.catalogue(), work.model, work.result.accelerator, settings), comparison.runs)


def agreement_figure(kind: str, marked: frozenset[str]) -> go.Figure:
    """Return the scatter of all published runs of a kind, with some marked."""
    runs = published_runs(state.catalogue(), kind).runs
    return speed_charts.agreement(runs, marked, NEAR_SHARE[kind], state.dark())


def judged() -> Judged:
    """Return the answer of this run and the futures it rests on."""
    result = state.result()
    return Judged(result.answer, result.futures)


def _pair() -> tuple[Option, Option]:
    return compared_pair(state.result().answer)


def _sides() -> tuple[Way, Way]:
    first, second = _pair()
    return first.way, second.way


def saving_side() -> str:
    """Return the side whose saving the page shows: owning, or the mix where that is the answer."""
    return saving_side_label(_sides()[0])


@shared(64, key=state.of_plan)
def bars() -> tuple[TornadoBar, ...]:
    """Return what each input alone does to the saving, the widest first."""
    return workers.run_in_worker(tornado, state.result().plan, *_pair())


def tornado_figure() -> go.Figure:
    """Return the tornado chart, with the savings of pinned plans."""
    savings = [(pin.letter, saved_usd(pin.result.answer)) for pin in state.session().pinned]
    pins = [(letter, usd) for letter, usd in savings if usd is not None]
    return future_charts.tornado_chart(bars(), state.dark(), _sides(), pins)


@shared(64, key=state.of_plan)
def break_even_map(x_name: str, y_name: str) -> BreakEvenMap:
    """Return what owning saves over two different inputs."""
    plan = state.result().plan
    return workers.run_in_worker(
        maps.break_even_map, plan, *_pair(), maps.map_axis(plan, x_name), maps.map_axis(plan, y_name)
    )


def map_figure(x_name: str, y_name: str) -> go.Figure:
    """Return the break-even map as a chart."""
    return future_charts.break_even_map_chart(break_even_map(x_name, y_name), state.dark(), _sides())


@shared(64, key=state.of_plan)
def stressed(key: str) -> StressResult:
    """Return the plan under one stress test."""
    return workers.run_in_worker(run_stress_test, state.result().plan, key)


@shared(64, key=state.of_plan)
def _stressed_together(keys: tuple[str, ...]) -> Judged | None:
    plan = with_stress_tests(state.result().plan, keys)
    return None if plan is None else workers.run_in_worker(decided, plan)


def combined_stress(keys: tuple[str, ...]) -> Judged | None:
    """Return the answer under several stress tests at once; None where they touch nothing."""
    if len(keys) == 1:
        return stressed(keys[0]).judged
    return _stressed_together(keys) if keys else None


@shared(32, key=state.of_plan, spinner="Telling the inputs apart")
def uncertainty_shares() -> tuple[SobolIndex, ...]:
    """Return which share of the uncertainty comes from each input. Takes a second the first time."""
    return workers.run_in_slow_worker(sobol_indices, state.result().plan, *_pair())
