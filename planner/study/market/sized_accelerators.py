"""Who does the work of a plan: each accelerator in its own number, as a setting of its own that offers are billed in.

A comparison of providers rents the same accelerator from each. Across accelerators the number and the time differ, so
each has its own plan in hours; the money room then bills every offer in the plan of its accelerator.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from planner.money.demand.stream import DemandLayer
from planner.money.renting.orders import together
from planner.money.setting import PlanContext
from planner.money.verdict.answer import CLOSE_GAP
from planner.money.ways import WAYS
from planner.scenario.base import HOURS_PER_DAY
from planner.scenario.scenario import Scenario
from planner.speed.serving import NonLlmServing, ScaledRun, ServingResult, is_other_work
from planner.speed.training import TrainingResult
from planner.speed.training.result import Interval
from planner.speed.work_to_hours import asked
from planner.study.market.survey import MarketCandidate, market


@dataclass(frozen=True, eq=False)
class SizedAccelerator:
    """One accelerator in the number that does the work."""

    setting: PlanContext
    training: TrainingResult | None = None
    serving: ServingResult | None = None
    other: NonLlmServing | None = None
    run: ScaledRun | None = None

    @property
    def is_run(self) -> bool:
        """Whether the work ends at some time; a service never does."""
        return self.training is not None or self.run is not None

    @property
    def need(self) -> DemandLayer:
        """All of the plan's work, in hours of this accelerator."""
        return self.setting.demand.all

    @property
    def accelerator(self) -> str:
        """Which accelerator it is."""
        return self.need.accelerator

    @property
    def accelerators(self) -> int:
        """How many one run takes, or a service at its peak."""
        one = self.training or self.run
        return self.need.peak_accelerators if one is None else one.accelerators

    @property
    def days(self) -> Interval | None:
        """How long one run takes; none for a service."""
        if self.run is not None:
            each = self.run.accelerators * HOURS_PER_DAY
            return Interval(self.run.low / each, self.run.accelerator_hours / each, self.run.high / each)
        return None if self.training is None or self.training.speed is None else self.training.speed.days

    @property
    def together(self) -> int:
        """How many work on one job: in one machine, or in several with a network between them."""
        return together(self.setting.scenario, self.setting.resolved)


def sized_accelerator(setting: PlanContext) -> SizedAccelerator:
    """Who does the work of this plan."""
    found = setting.resolved
    if found is None:
        return SizedAccelerator(setting)
    return SizedAccelerator(
        setting,
        training=next(iter(found.trainings), None),
        serving=next(iter(found.servings), None),
        other=next(iter(found.others), None),
        run=next(iter(found.runs), None),
    )


def is_single_model_work(setting: PlanContext) -> bool:
    """Whether the work is one thing that a model is named for, so that it costs what that costs."""
    works = setting.written.work
    return len(works) == 1 and not works[0].jobs and bool(works[0].train or works[0].serve)


def doers(setting: PlanContext) -> tuple[SizedAccelerator, ...]:
    """Every accelerator that can be rented and does the work of this plan; the plan's own as the plan has it.

    The others in the number that does it for the least: of those that cost within a twentieth of the cheapest, the one
    that is done soonest.
    """
    own = () if setting.resolved is None or setting.resolved.problems else (sized_accelerator(setting),)
    numbers = _numbers(setting)
    if own:
        numbers.pop(own[0].accelerator, None)
    others = (_size_accelerator(setting, *one) for one in numbers.items())
    return (*own, *(one for one in others if one is not None))


def _numbers(setting: PlanContext) -> dict[str, int]:
    """How many to rent of each accelerator; one where the work writes no tokens, since its plan finds the number."""
    serve = setting.written.work[0].serve
    if serve is not None and is_other_work(serve.model):
        offered = sorted({offer.accelerator for offer in setting.catalogue.offers.values()})
        return {key: 1 for key in offered if key in setting.catalogue.accelerators}
    found = market(setting.catalogue, setting.written, setting.day)
    return {key: one.accelerators for key, one in _best(found.tries, found.deadline_days).items()}


def _size_accelerator(setting: PlanContext, accelerator: str, accelerators: int) -> SizedAccelerator | None:
    found = asked(setting.catalogue, _on(setting.written, accelerator, accelerators))
    there = PlanContext(setting.catalogue, found.scenario, setting.day, resolved=found)
    return None if found.problems else sized_accelerator(there)


def _best(tries: Iterable[MarketCandidate], deadline_days: float | None) -> dict[str, MarketCandidate]:
    """Of each accelerator the number to rent, in time where there is a deadline."""
    by_chip: dict[str, list[MarketCandidate]] = {}
    for one in tries:
        in_time = deadline_days is None or one.days is None or one.days.typical <= deadline_days
        if WAYS[one.way].rents_machines and one.usd is not None and in_time:
            by_chip.setdefault(one.accelerator, []).append(one)
    return {key: _fastest_of_cheapest(some) for key, some in by_chip.items()}


def _fastest_of_cheapest(tries: Sequence[MarketCandidate]) -> MarketCandidate:
    least = min(one.cost for one in tries)
    return min((one for one in tries if one.cost <= least * (1 + CLOSE_GAP)), key=lambda one: (one.speed, one.cost))


def _on(scenario: Scenario, accelerator: str, accelerators: int) -> Scenario:
    """The scenario on this accelerator, a training in this number."""
    work = scenario.work[0]
    if work.train is not None:
        train = work.train.model_copy(update={"choose_count": False})
        work = work.model_copy(update={"accelerators": accelerators, "accelerators_per_job": None, "train": train})
    return scenario.model_copy(update={"accelerator": accelerator, "work": (work,)})
