"""What the Speed page keeps, the same for everybody: costs, what saves memory, published runs beside ours."""

from dataclasses import dataclass
from datetime import date

import plotly.graph_objects as go
import streamlit as st

from planner.evidence.checked import CheckedRun
from planner.evidence.nearest import PublishedRun, SimilarRun, nearest, published, traits_of
from planner.evidence.nearest import RunSettings as WorkTraits
from planner.money.plan import build_context
from planner.money.renting.cheapest_offer import JobHourQuote, hired
from planner.report.answer.side_by_side import PinnedPlan
from planner.report.speed import finding, speed_charts, time_cost_front
from planner.report.speed.finding import SpeedSummary
from planner.report.speed.serving_words import accelerators_table, side_by_side
from planner.report.table import Table
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.scenario.scenario import Scenario
from planner.scenario.task import TrainingTask
from planner.scenario.work import Work
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining, solved_jobs
from planner.speed.serving import is_non_llm_work
from planner.speed.serving.serve import ServingVariant, serving_variants
from planner.speed.training.savings import MemorySaving, memory_savings
from planner.speed.work_to_hours import ScenarioInHours, serving_job
from planner.study.market.gpu_guide import GuideChoice, guide_choices
from planner.study.market.survey import MarketCandidate, MarketStudy, doubling_candidates, market, without_choice
from planner.web import state, workers
from pricing import Catalogue

TRAINING, SERVING = "Training", "Serving"
# How far from the published figure a prediction may be and still count as near: what the aims are stated in.
NEAR_SHARE = {TRAINING: 0.20, SERVING: 0.25}


def works() -> tuple[ScenarioTraining | ScenarioServing, ...]:
    """The models of this run's scenario that were worked out."""
    asked = state.reckoned().plan.setting.resolved
    return () if asked is None else solved_jobs(state.catalogue(), asked)


EXAMPLE = TrainingTask(model="Llama-3.1-8B", method="lora", tokens=1e8)
_MOST_OF_EXAMPLE = 8  # accelerators: more would only make a small job smaller


def names_model() -> bool:
    """Whether this run's scenario names any model."""
    return any(work.train or work.serve or work.run for work in state.scenario().work)


def whole() -> Scenario:
    """This run's scenario; where it names no model, with a small fine-tuning run on its own accelerators."""
    asked = state.scenario()
    if names_model():
        return asked
    count = min(max(work.accelerators for work in asked.work), _MOST_OF_EXAMPLE)
    return asked.model_copy(update={"work": (Work(accelerators=count, train=EXAMPLE),)})


def example() -> tuple[ScenarioTraining | ScenarioServing, ...]:
    """The example worked out, where no model is named; empty where it cannot be on these accelerators.

    It rests on nothing else that is asked, so that it is worked out once for each accelerator and number.
    """
    if names_model():
        return ()
    facts, bare = state.catalogue(), _bare()
    found = _example(facts.digest, bare.model_dump_json(exclude_defaults=True), state.day(), bare, facts)
    return solved_jobs(facts, found) if found is not None else ()


def _bare() -> Scenario:
    there = whole()
    return Scenario(accelerator=there.accelerator, work=there.work)


@st.cache_resource(show_spinner=False, max_entries=32)
def _example(digest: str, asked: str, day: date, _scenario: Scenario, _facts: Catalogue) -> ScenarioInHours | None:
    return build_context(_facts, _scenario, day).asked


def otherwise() -> SpeedSummary | None:
    """What is said of work without tokens and of runs of known hours; None where there is none."""
    asked = state.reckoned().plan.setting.resolved
    return None if asked is None else finding.other_work_summary(state.catalogue(), asked)


@st.cache_resource(show_spinner=False, max_entries=32)
def _beside(digest: str, asked: str, day: date, _job: ServingJob, _facts: Catalogue) -> Table:
    return accelerators_table(side_by_side(_facts, _job, day))


def beside() -> tuple[Table, ...]:
    """For each service that writes no tokens: every accelerator that does it, cheapest first."""
    asked, facts = state.scenario(), state.catalogue()
    tasks = [work.serve for work in asked.work if work.serve and is_non_llm_work(work.serve.model)]
    jobs = [serving_job(asked, task) for task in tasks]
    return tuple(_beside(facts.digest, job.model_dump_json(), state.day(), job, facts) for job in jobs)


def problems() -> tuple[str, ...]:
    """Why models of this run's scenario could not be worked out; empty where none is named."""
    asked = state.reckoned().plan.setting.resolved
    named = any(work.train or work.serve for work in state.scenario().work)
    return asked.problems if asked is not None and named else ()


@st.cache_resource(show_spinner=False, max_entries=128)
def _hired(
    digest: str, accelerator: str, count: int, hours: float, together: int, day: date, _facts: Catalogue
) -> JobHourQuote | None:
    return hired(_facts, accelerator, accelerators=count, hours=hours, together=together, day=day)


def cost(work: ScenarioTraining | ScenarioServing) -> JobHourQuote | None:
    """The cheapest offer by the hour that can be believed; None where there is none or nothing fits."""
    facts, day = state.catalogue(), state.day()
    if isinstance(work, ScenarioTraining):
        speed, count = work.found.speed, work.found.accelerators
        if speed is None:
            return None
        hours = speed.accelerator_hours.typical / count
        return _hired(facts.digest, work.found.accelerator, count, hours, count, day, facts)
    found = work.found
    if not found.fits or not found.accelerators_at_peak:
        return None
    count, together = found.accelerators_at_peak, found.accelerators_per_replica
    return _hired(facts.digest, found.accelerator, count, HOURS_PER_YEAR, together, day, facts)


@st.cache_resource(show_spinner=False, max_entries=128)
def _cached_memory_savings(digest: str, asked: str, _job: TrainingJob, _facts: Catalogue) -> tuple[MemorySaving, ...]:
    return memory_savings(_facts, _job)


@st.cache_resource(show_spinner=False, max_entries=128)
def _served(digest: str, asked: str, _job: ServingJob, _facts: Catalogue) -> tuple[ServingVariant, ...]:
    return serving_variants(_facts, _job)


def memory_of_training(job: TrainingJob) -> tuple[MemorySaving, ...]:
    """What the job holds, and what each way to save would make of it."""
    facts = state.catalogue()
    return _cached_memory_savings(facts.digest, job.model_dump_json(exclude_defaults=True), job, facts)


def memory_of_serving(job: ServingJob) -> tuple[ServingVariant, ...]:
    """What the service holds, and what each change would make of it."""
    facts = state.catalogue()
    return _served(facts.digest, job.model_dump_json(exclude_defaults=True), job, facts)


@st.cache_resource(show_spinner="Trying every accelerator of the catalogue", max_entries=16)
def _cached_count_candidates(
    digest: str, asked: str, day: date, _scenario: Scenario, _facts: Catalogue
) -> tuple[MarketCandidate, ...]:
    return workers.run_in_slow_worker(doubling_candidates, _facts, _scenario, day)


@st.cache_resource(show_spinner=False, max_entries=16)
def _market(digest: str, asked: str, day: date, _scenario: Scenario, _facts: Catalogue) -> MarketStudy:
    free = without_choice(_scenario)
    tries = _cached_count_candidates(digest, free.model_dump_json(exclude_defaults=True), day, free, _facts)
    return market(_facts, _scenario, day, tries=tries)


@st.cache_resource(show_spinner=False, max_entries=32)
def _front(digest: str, asked: str, day: date, plan: str, night: bool, _found: MarketStudy) -> go.Figure:
    return time_cost_front.front_chart(_found, time_cost_front.by_id(_found).get(plan), night)


def _alone(work: ScenarioTraining | ScenarioServing) -> Scenario:
    """The scenario with nothing but this work, whose accelerator and number are free."""
    asked = state.scenario() if names_model() else _bare()
    return asked.model_copy(update={"work": (asked.work[work.place],)})


def front(work: ScenarioTraining | ScenarioServing) -> MarketStudy:
    """Every accelerator, number and way of paying for this work; another number only adds its own tries."""
    facts, alone = state.catalogue(), _alone(work)
    return _market(facts.digest, alone.model_dump_json(exclude_defaults=True), state.day(), alone, facts)


def front_chart(work: ScenarioTraining | ScenarioServing, found: MarketStudy, plan: str) -> go.Figure:
    """The chart of time against cost, with the plan (by its id) marked, and pinned plans that do the same work."""
    pins = [(one.letter, there) for one in state.pinned() if (there := _pinned(one, work, found)) is not None]
    if pins:
        return time_cost_front.front_chart(found, time_cost_front.by_id(found).get(plan), state.dark(), pins)
    alone = _alone(work).model_dump_json(exclude_defaults=True)
    return _front(state.catalogue().digest, alone, state.day(), plan, state.dark(), found)


def _pinned(one: PinnedPlan, work: ScenarioTraining | ScenarioServing, found: MarketStudy) -> MarketCandidate | None:
    """The try that a pinned plan is, where it does this work with other accelerators or another number of them."""
    asked = one.result.plan.setting.resolved
    for its in () if asked is None else solved_jobs(state.catalogue(), asked):
        if type(its) is type(work) and its.model == work.model:
            return time_cost_front.plan_of(found, its.found.accelerator, getattr(its.found, "accelerators", 0))
    return None


@st.cache_resource(show_spinner="Asking the whole catalogue, use by use", max_entries=4)
def _uses(digest: str, day: date, _facts: Catalogue) -> tuple[GuideChoice, ...]:
    return workers.run_in_slow_worker(guide_choices, _facts, day)


def uses() -> tuple[GuideChoice, ...]:
    """Which accelerator for learning, fine-tuning, training, serving and all of it. Takes seconds the first time."""
    facts = state.catalogue()
    return _uses(facts.digest, state.day(), facts)


@dataclass(frozen=True)
class Runs:
    """Published runs of one kind beside what is predicted of them."""

    runs: tuple[PublishedRun, ...]
    checked: tuple[CheckedRun, ...]


@st.cache_resource(show_spinner="Predicting every published run", max_entries=4)
def _runs(digest: str, kind: str, _facts: Catalogue) -> Runs:
    return Runs(*workers.run_in_slow_worker(published, _facts, "training" if kind == TRAINING else "serving"))


def runs(kind: str) -> Runs:
    """All published runs of a kind. Takes a second the first time."""
    facts = state.catalogue()
    return _runs(facts.digest, kind, facts)


def near(work: ScenarioTraining | ScenarioServing, published: Runs) -> tuple[SimilarRun, ...]:
    """The published runs most like this one."""
    return nearest(traits_of(state.catalogue(), work.model, work.found.accelerator, _like(work)), published.runs)


def _like(work: ScenarioTraining | ScenarioServing) -> WorkTraits:
    if isinstance(work, ScenarioTraining):
        job = work.job
        return WorkTraits(job.precision, job.method, float(job.accelerators), float(job.seq_len))
    found, tokens = work.found, float(work.job.input_tokens + work.job.output_tokens)
    return WorkTraits(found.weight_precision, work.job.mode, float(found.accelerators_per_replica), tokens)


@st.cache_resource(show_spinner=False, max_entries=32)
def _cached_accuracy_chart(digest: str, kind: str, close: frozenset[str], night: bool, _published: Runs) -> go.Figure:
    return speed_charts.agreement(_published.runs, close, NEAR_SHARE[kind], night)


def agreement(kind: str, close: frozenset[str]) -> go.Figure:
    """The scatter of all published runs of a kind, those in `close` marked."""
    return _cached_accuracy_chart(state.catalogue().digest, kind, close, state.dark(), runs(kind))
