"""The plan of a scenario that may leave the accelerator or the count open, for pages and the command line.

What is open, and what would be in time, is taken from a study of the whole market, as `cheapest` does. Those without a
number of GPUs can start from a budget, or from the bill of a hosted model.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, product
from typing import NamedTuple

from planner.money.owning.resale import relative_speed
from planner.money.plan import Plan, build_context, plan_from_context
from planner.money.verdict.answer import build_answer
from planner.money.ways import WAYS
from planner.scenario.base import HOURS_PER_MONTH, MILLION, ONE_MACHINE, SECONDS_PER_HOUR
from planner.scenario.latency import LatencyClass
from planner.scenario.rent import CurrentBill
from planner.scenario.scenario import ANY_ACCELERATOR, USUAL_ACCELERATOR, Scenario
from planner.scenario.task import FixedRun, ServingTask
from planner.scenario.ways import Way
from planner.scenario.work import Work
from planner.speed.work_to_hours import LateRun
from planner.study.market.candidate import MarketStudy
from planner.study.market.pareto_front import no_candidate_sentences, summary
from planner.study.market.survey import market
from planner.study.mix.best_mix import add_best_mix
from pricing import Catalogue, PricingError
from pricing.caching import cached
from pricing.records import HostedPrice

_KEPT = 32  # choices: a page asks for the same one again and again
_WORTH_SAYING = 0.1  # of what owning costs on the accelerators that were chosen
# Cards need no server of eight: what a budget buys that is too small for one.
CARDS_TO_OWN = ("H100-PCIe-80GB", "RTX-PRO-6000-96GB", "RTX-5090-32GB")
_HOURS_TRIED = 100.0  # of one accelerator: long enough that nothing is rounded up
_USUAL_BUSY = 0.6  # of the time, where nobody states it
MOST_TRIED = 4_096  # accelerators: a larger budget comes with a number


def planned(catalogue: Catalogue, scenario: Scenario, day: date) -> Plan:
    """Return the plan with what was left open filled in, and the best mix if one wins.

    `setting.written` keeps open what was left open, as files and links do.
    """
    setting = build_context(catalogue, chosen(catalogue, scenario, day), day)
    if setting.resolved is not None and setting.resolved.written != scenario:
        setting = replace(setting, resolved=replace(setting.resolved, written=scenario))
    return add_best_mix(plan_from_context(setting))


def chosen(catalogue: Catalogue, scenario: Scenario, day: date) -> Scenario:
    """Return the scenario with the recommended accelerator and count; unchanged where both are given."""
    free = scenario.accelerator == ANY_ACCELERATOR and any(work.has_task for work in scenario.work)
    is_open = free or any(work.train and work.train.choose_count for work in scenario.work)
    return _chosen(Facts(catalogue), scenario, day) if is_open else scenario


@dataclass(frozen=True, eq=False)
class Facts:
    """A catalogue that equals another of the same digest."""

    catalogue: Catalogue

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Facts) and other.catalogue.digest == self.catalogue.digest

    def __hash__(self) -> int:
        return hash(self.catalogue.digest)


@cached(_KEPT)
def _chosen(facts: Facts, scenario: Scenario, day: date) -> Scenario:
    for index, work in enumerate(scenario.work):
        if work.has_task and (scenario.accelerator == ANY_ACCELERATOR or (work.train and work.train.choose_count)):
            scenario = _with_choice(facts.catalogue, scenario, index, work, day)
    return scenario


def _with_choice(catalogue: Catalogue, scenario: Scenario, index: int, work: Work, day: date) -> Scenario:
    """Return the scenario with the best accelerator and count for one task; the first task sets the accelerator."""
    free = scenario.accelerator == ANY_ACCELERATOR
    alone = scenario.model_copy(update={"work": (work,)})
    fixed = work.run or (work.train and not work.train.choose_count)
    counts, accelerators = (work.accelerators,) if fixed else (), () if free else (scenario.accelerator,)
    try:
        study, ways = _study(Facts(catalogue), alone, day, accelerators, counts), scenario.ways
        is_owned = bool(ways) and all(WAYS[way].owns for way in ways)
        candidate = min(study.owned, key=lambda it: it.cost, default=None) if is_owned else study.selected_accelerator
    except PricingError:  # an unknown name: the plan says which, once there is an accelerator to plan with
        candidate = None
    accelerator = candidate.accelerator if candidate else USUAL_ACCELERATOR if free else scenario.accelerator
    if work.train is not None:  # of a service the speed package finds the count
        count, job = candidate.accelerators if candidate else work.accelerators, work.accelerators_per_job
        many = {"accelerators": count, "accelerators_per_job": job if (job or 0) <= count else None}
        work = work.model_copy(update={**many, "train": work.train.model_copy(update={"choose_count": False})})
    works = (*scenario.work[:index], work, *scenario.work[index + 1 :])
    return scenario.model_copy(update={"accelerator": accelerator, "work": works})


@cached(_KEPT)
def _study(
    facts: Facts, scenario: Scenario, day: date, accelerators: tuple[str, ...] = (), counts: tuple[int, ...] = ()
) -> MarketStudy:
    return market(facts.catalogue, scenario, day, accelerators=accelerators, counts=counts)


def owned_for_less(plan: Plan) -> tuple[tuple[str, float], ...]:
    """Return what costs least to own and its cost over that of a plan of one work, where others were taken to rent."""
    setting = plan.setting
    work, *others = setting.written.work
    if setting.written.accelerator != ANY_ACCELERATOR or others or not work.has_task or work.run:
        return ()
    study = _study(Facts(setting.catalogue), setting.written.model_copy(update={"work": (work,)}), setting.day)
    here = [each.cost for each in study.owned if each.accelerator == setting.scenario.accelerator]
    best = min(study.owned, key=lambda each: each.cost, default=None)
    share = 1.0 if best is None or not here else best.cost / min(here)
    return () if best is None or 1 - share < _WORTH_SAYING else ((f"{best.accelerators:,} x {best.label}", share),)


def in_time(plan: Plan) -> tuple[str, ...]:
    """Return for each late run the cheapest way to finish in time, or the limit that would have to change."""
    resolved, setting = plan.setting.resolved, plan.setting
    if resolved is None:
        return ()
    facts = Facts(setting.catalogue)
    return tuple(chain.from_iterable(_in_time(facts, resolved.written, late, setting.day) for late in resolved.late))


@cached(_KEPT)
def _in_time(facts: Facts, scenario: Scenario, late: LateRun, day: date) -> tuple[str, ...]:
    anything = {"accelerator": ANY_ACCELERATOR, "work": (late.work,)}
    study = market(facts.catalogue, scenario.model_copy(update=anything), day)
    if study.best is None:
        return tuple(no_candidate_sentences(study))
    soon = "In time" if late.was_asked else "Run within a year"
    return (f"{soon} for the least, of all accelerators: {summary(study, study.best)}.",)


class AffordableFleet(NamedTuple):
    """The most accelerators within a budget, by the cheapest option, and the cost of their whole plan."""

    accelerators: int
    usd: float


@cached(_KEPT)
def _most_cash_usd(facts: Facts, scenario: Scenario, day: date) -> dict[Way | None, float]:
    """Return the most cash that each option of a plan has out at one time; by None that of its answer."""
    answer = build_answer(planned(facts.catalogue, scenario, day))
    best = () if answer.best is None else ((None, answer.best),)
    every = (*((each.option.way, each) for each in answer.ranked), *best)
    return {way: each.measures.peak.bills_usd for way, each in every}


def affordable_fleet(
    catalogue: Catalogue, scenario: Scenario, usd: float, day: date, way: Way | None = None
) -> AffordableFleet | None:
    """Return the most accelerators whose whole plan never has more cash out than `usd`; None: not even one."""

    def cost(accelerators: int) -> float:
        work = scenario.work[0].model_copy(update={"accelerators": accelerators})
        plan = scenario.model_copy(update={"work": (work, *scenario.work[1:])})
        return _most_cash_usd(Facts(catalogue), plan, day).get(way, math.inf)

    # Double the count while it is affordable, then bisect the gap. One alone may stand at home, where none is leased.
    low, high = 0, 1 if cost(1) < math.inf else 2
    while high <= MOST_TRIED and cost(high) <= usd:
        low, high = high, high * 2
    high = min(high, MOST_TRIED + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= usd else (low, middle)
    return None if low == 0 else AffordableFleet(low, cost(low))


def with_budget(
    catalogue: Catalogue, tried: Sequence[Scenario], usd: float, day: date
) -> tuple[Scenario, tuple[str, ...]]:
    """Return of some plans, one for each accelerator, what a budget pays for that does most, or hours of the first.

    The first that carries the people of the plan or has a whole machine is taken, else cards before what is smaller.
    """
    work, first, labels = tried[0].work[0], tried[0].accelerator, catalogue.accelerator_label
    hours, seen = work.stated_hours_per_month or 0.0, list[tuple[float, int, Scenario, int, float]]()
    for each, busy in product(tried, (_USUAL_BUSY, 1.0) if hours else (_USUAL_BUSY,)):
        alone = each.model_copy(update={"work": (_without_people(work, None if busy < 1 else busy),)})
        many = (affordable_fleet(catalogue, alone, usd, day) or (0,))[0]
        done = many / relative_speed(catalogue, first, each.accelerator) if (
            each.accelerator in (first, *CARDS_TO_OWN)) else (many > 0) / MILLION  # fmt: skip
        seen.append((min(many * busy * HOURS_PER_MONTH, hours) if hours else done, -len(seen), each, many, busy))
        if seen[-1][0] >= (hours or ONE_MACHINE):
            break
    _, _, scenario, most, busy = max(seen, key=lambda it: it[:2])
    if not most and (short := _affordable_run(catalogue, tried[0], usd, day)) is not None:
        return short
    many, scenario = most or 1, scenario if most else tried[-1]
    work = _without_people(work, 1.0) if hours > many * HOURS_PER_MONTH else work
    label, share = labels(scenario.accelerator), min(hours / many / HOURS_PER_MONTH, 1.0) if hours else busy
    but = "" if scenario.accelerator == first else f", and for {seen[0][3] or 'no'} {labels(first)}"
    note = (f"{usd:,.0f} USD pays for {most:,} x {label}, used {share:.0%} of the time, by the cheapest option{but}"
        f"{'' if most else '; the cost of one is shown'}.")  # fmt: skip
    note += f" The people need {hours / HOURS_PER_MONTH:,.1f} of them all the time." if hours else ""
    return scenario.model_copy(update={"work": (work.model_copy(update={"accelerators": many}),)}), (note,)


def _without_people(work: Work, busy: float | None) -> Work:
    return work.model_copy(update={"people": None, "hours_per_person": None, "busy_share": busy})


def _affordable_run(
    catalogue: Catalogue, scenario: Scenario, usd: float, day: date
) -> tuple[Scenario, tuple[str, ...]] | None:
    """Return a run of as many hours of one accelerator on demand as a budget pays for; None of less than one."""

    def run_of(hours: float) -> Scenario:
        run = FixedRun(measured_on=scenario.accelerator, hours=hours)
        many = {"run": run, "accelerators": math.ceil(hours / HOURS_PER_MONTH)}
        work = _without_people(scenario.work[0], None).model_copy(update=many)
        return scenario.model_copy(update={"work": (work,), "years": 0.25})  # the shortest plan

    cost = _most_cash_usd(Facts(catalogue), run_of(_HOURS_TRIED), day).get("on_demand", math.inf)
    hours = math.floor(_HOURS_TRIED * usd / cost)
    paid = f"{usd:,.0f} USD pays for about {hours:,g} hours of one {catalogue.accelerator_label(scenario.accelerator)}"
    return (run_of(hours), (f"{paid} on demand, and for no whole plan of one.",)) if hours >= 1 else None


def affordable_cards(catalogue: Catalogue, scenario: Scenario, usd: float, day: date) -> dict[str, AffordableFleet]:
    """Return how many of the usual cards a budget buys and runs, by card: those of which it pays for any."""
    plans = ((chip, scenario.model_copy(update={"accelerator": chip})) for chip in CARDS_TO_OWN)
    fleets = ((chip, affordable_fleet(catalogue, plan, usd, day, "own")) for chip, plan in plans)
    return {chip: fleet for chip, fleet in fleets if fleet is not None}


def scenario_from_token_bill(
    price: HostedPrice, key: str, usd_per_month: float, model: str, usual: LatencyClass
) -> Scenario:
    """Return a service of `model` with the requests that a monthly bill pays for, compared with paying it further.

    `usual` gives the length of a request, which no bill states.
    """
    output = price.output_usd_per_mtoken or price.input_usd_per_mtoken
    usd = (
        usual.input_tokens * price.input_usd_per_mtoken.newest.typical + usual.output_tokens * output.newest.typical
    ) / MILLION
    task = ServingTask(
        model=model, requests_per_s=usd_per_month / usd / (HOURS_PER_MONTH * SECONDS_PER_HOUR), ttft_ms=usual.ttft_ms,
        input_tokens=usual.input_tokens, output_tokens=usual.output_tokens, tpot_ms=usual.tpot_ms,
    )  # fmt: skip
    bill = CurrentBill(usd_per_month=usd_per_month, price=key)
    return Scenario(name=f"In place of {price.label}", work=(Work(serve=task),), bill=bill)
