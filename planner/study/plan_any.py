"""The plan of a scenario that may leave the accelerator, or how many, to be chosen: on pages and in a shell.

The whole market is asked, as `cheapest` does: for what is left to be chosen, and for what would be in time.
"""

from dataclasses import dataclass, replace
from datetime import date

from planner.money.plan import Plan, build_context, plan_from_context
from planner.scenario.scenario import ANY_ACCELERATOR, USUAL_ACCELERATOR, Scenario
from planner.scenario.work import Work
from planner.speed.work_to_hours import LateRun
from planner.study.market.hours_needed import has_task
from planner.study.market.pareto_front import nothing, summary
from planner.study.market.survey import market
from planner.study.mix.best_mix import add_best_mix
from pricing import Catalogue, PricingError
from pricing.caching import cached

_KEPT = 32  # choices: a page asks for the same one again and again


def planned(catalogue: Catalogue, scenario: Scenario, day: date) -> Plan:
    """The plan with what was left open filled in, and the best mix where one wins.

    `setting.written` keeps open what was left open, as files and links do.
    """
    setting = build_context(catalogue, chosen(catalogue, scenario, day), day)
    if setting.resolved is not None and setting.resolved.written != scenario:
        setting = replace(setting, resolved=replace(setting.resolved, written=scenario))
    return add_best_mix(plan_from_context(setting))


def chosen(catalogue: Catalogue, scenario: Scenario, day: date) -> Scenario:
    """The scenario with accelerator and number as the market study recommends; unchanged where both are said."""
    if not _open(scenario):
        return scenario
    return _chosen(Facts(catalogue), scenario, day)


def _open(scenario: Scenario) -> bool:
    named = any(has_task(work) for work in scenario.work)
    counts = any(work.train and work.train.choose_count for work in scenario.work)
    return counts or (named and scenario.accelerator == ANY_ACCELERATOR)


@dataclass(frozen=True, eq=False)
class Facts:
    """A catalogue that is the same as another of the same digest."""

    catalogue: Catalogue

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Facts) and other.catalogue.digest == self.catalogue.digest

    def __hash__(self) -> int:
        return hash(self.catalogue.digest)


@cached(_KEPT)
def _chosen(facts: Facts, scenario: Scenario, day: date) -> Scenario:
    for place, work in enumerate(scenario.work):
        if not has_task(work):
            continue
        free = scenario.accelerator == ANY_ACCELERATOR
        if free or (work.train and work.train.choose_count):
            scenario = _filled(facts.catalogue, scenario, place, work, day)
    return scenario


def _filled(catalogue: Catalogue, scenario: Scenario, place: int, work: Work, day: date) -> Scenario:
    """The scenario with the best accelerator and number for one kind of work; the first kind sets the accelerator."""
    free = scenario.accelerator == ANY_ACCELERATOR
    alone = scenario.model_copy(update={"work": (work,)})
    fixed = work.run or (work.train and not work.train.choose_count)
    counts = (work.accelerators,) if fixed else ()
    try:
        found = market(
            catalogue, alone, day, accelerators=() if free else (scenario.accelerator,), counts=counts
        ).selected_accelerator
    except PricingError:  # an unknown name: the plan says which, once there is an accelerator to plan with
        found = None
    accelerator = found.accelerator if found else USUAL_ACCELERATOR if free else scenario.accelerator
    works = list(scenario.work)
    works[place] = _with_count(work, found.accelerators if found else work.accelerators)
    return scenario.model_copy(update={"accelerator": accelerator, "work": tuple(works)})


def _with_count(work: Work, accelerators: int) -> Work:
    """The work on so many accelerators, with nothing left to choose. For a service the speed room finds the number."""
    if work.train is None:
        return work
    job = work.accelerators_per_job
    return work.model_copy(
        update={
            "accelerators": accelerators,
            "accelerators_per_job": None if job is not None and job > accelerators else job,
            "train": work.train.model_copy(update={"choose_count": False}),
        }
    )


def in_time(plan: Plan) -> tuple[str, ...]:
    """For each run that is late: what does it in time for the least money, or what would have to be allowed."""
    asked, setting = plan.setting.resolved, plan.setting
    if asked is None:
        return ()
    facts = Facts(setting.catalogue)
    found = (_in_time(facts, asked.written, late, setting.day) for late in asked.late)
    return tuple(sentence for sentences in found for sentence in sentences)


@cached(_KEPT)
def _in_time(facts: Facts, scenario: Scenario, late: LateRun, day: date) -> tuple[str, ...]:
    anything = {"accelerator": ANY_ACCELERATOR, "work": (late.work,)}
    found = market(facts.catalogue, scenario.model_copy(update=anything), day)
    if found.best is None:
        return tuple(nothing(found))
    soon = "In time" if late.was_asked else "Run within a year"
    return (f"{soon} for the least, of all accelerators: {summary(found, found.best)}.",)
