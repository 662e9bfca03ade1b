"""A portfolio: the demand of several plans met by fleets that they share, beside each plan on its own.

A fleet is of one kind of accelerator in one place; plans of other kinds and places share fleets of their own. Prices
and terms of a fleet are those of its largest plan, so that what differs between shared and alone is the sharing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.chargeback import Cents, Rule, chargeback_cents, effective_usd
from planner.money.plan import Plan
from planner.money.setting import PlanContext
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.scenario.amounts import count
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.budget import MOST_MEGABYTES
from planner.scenario.file import MOST_PLANS
from planner.scenario.own import ExistingHardware
from planner.scenario.rent import CurrentBill
from planner.scenario.scenario import Scenario
from planner.scenario.ways import DECLARED
from planner.scenario.work import Work
from planner.speed.work_to_hours import convert_to_hours
from planner.study.plan_any import chosen, planned
from planner.study.uncertainty.sure_verdict import decided
from pricing import Catalogue, PricingError
from pricing.caching import cached_property

_LONGEST_MONTHS = 120
_NEARLY = 1e-9
_MOST_SECONDS = 10.0  # as estimated, of all plans, each on its own and together
_JOINED = ("quotes", "discounts", "models", "measured")  # of the company: what one plan has, all have
_SIZED = tuple(dict.fromkeys(way.inputs for way in DECLARED if way.when_empty != "usual"))  # parts of one plan's fleet
_PROJECT_OWN = ("name", "note", "years", "work", "currency", *_SIZED, *_JOINED)  # not terms of a fleet

_OF_ALL = ("accelerators", "usd_today_if_sold", "usd_at_end", "running_usd_per_month")  # of hardware, not of one


class PortfolioError(PricingError):
    """Plans that cannot share a fleet, in a sentence that says what to do."""


@dataclass(frozen=True)
class PortfolioPlan:
    """A plan of a portfolio: a project of a team."""

    name: str
    scenario: Scenario
    team: str = ""  # folder or cost centre
    tags: tuple[str, ...] = ()
    starts_in_month: int = 1  # of the portfolio

    @property
    def until(self) -> float:
        """Return the months from the day of the portfolio to the end of the plan."""
        return self.starts_in_month - 1 + self.scenario.months

    def works(self, months: float) -> tuple[Work, ...]:
        """Return its work in a portfolio of so many months; unchanged where the plan is as long."""
        if self.starts_in_month == 1 and self.until == months:
            return self.scenario.work
        after, end = self.starts_in_month - 1, ceil(self.until - _NEARLY)
        return tuple(
            work.model_copy(
                update={
                    "first_month": after + work.first_month,
                    "last_month": min(after + (work.last_month or end), end),
                }
            )
            for work in self.scenario.work
        )


@dataclass(frozen=True, eq=False)
class SharedFleet:
    """One fleet for several plans: the plan of their demand together, and each alone."""

    members: tuple[PortfolioPlan, ...]
    lead: PortfolioPlan  # whose prices and terms hold
    answer: Answer
    alone: tuple[Answer, ...]  # of each plan without the others

    @property
    def plan(self) -> Plan:
        """Return the plan of all of their demand."""
        return self.answer.plan

    @property
    def best(self) -> EvaluatedOption:
        """Return the option of the verdict."""
        return best_of(self.answer)

    @property
    def alone_usd(self) -> float:
        """Return the net present cost of the plans without each other. [USD]"""
        return sum(best_of(each).present_usd for each in self.alone)

    @cached_property
    def demands(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the utilized hours, and the most at once, of each plan by month: plans x months."""
        setting, place, hours, peaks = self.plan.setting, 0, [], []
        shape = setting.timeline.runs.shape
        for member in self.members:
            works = setting.scenario.work[place : place + len(member.scenario.work)]
            place += len(works)
            every = setting.demand_of(setting.scenario.model_copy(update={"work": works}))
            hours.append(np.broadcast_to(every.all.busy_hours, shape))
            peaks.append(np.broadcast_to(every.peak + every.waiting_at_once, shape) * (setting.timeline.runs > 0))
        return np.array(hours), np.array(peaks)

    def cents(self, rule: Rule) -> Cents:
        """Return what each plan pays of the option of the verdict: plans x months, from the first."""
        weights, months = self.demands[rule == "peak"][:, 1:], self.plan.setting.timeline.last
        return chargeback_cents(effective_usd(self.best.option.ledger, months), weights)


def best_of(answer: Answer) -> EvaluatedOption:
    """Return the option of a verdict; plans without one share no fleet."""
    assert answer.best is not None
    return answer.best


def portfolio(catalogue: Catalogue, members: Sequence[PortfolioPlan], day: date) -> tuple[SharedFleet, ...]:
    """Return the fleets that plans share from a day on, or raise `PortfolioError`."""
    if not 2 <= len(members) <= MOST_PLANS:
        few = "Pick at least two" if len(members) < 2 else "Pick fewer, or add up small ones in one plan"
        raise PortfolioError(f"A portfolio has 2 to {MOST_PLANS} plans, and here are {len(members)}. {few}.")
    groups: dict[tuple[str, str], list[PortfolioPlan]] = {}
    for member in _with_unique_names(members):
        scenario = chosen(catalogue, member.scenario, day)
        groups.setdefault((scenario.accelerator, scenario.site), []).append(replace(member, scenario=scenario))
    return tuple(chain.from_iterable(_shared(catalogue, tuple(group), day) for group in groups.values()))


def _with_unique_names(members: Iterable[PortfolioPlan]) -> Iterable[PortfolioPlan]:
    names = Counter[str]()
    for member in members:
        names[member.name] += 1
        if member.until > _LONGEST_MONTHS:
            raise PortfolioError(
                f"“{member.name}” ends {member.until:g} months from now, and a portfolio has at most "
                f"{_LONGEST_MONTHS}: let it start earlier, or plan fewer years."
            )
        often = names[member.name]
        yield member if often == 1 else replace(member, name=f"{member.name} ({often})")


def _shared(catalogue: Catalogue, members: tuple[PortfolioPlan, ...], day: date) -> Iterator[SharedFleet]:
    """Yield the fleet that plans share, and each that is cheapest by the token, which needs none."""
    lead = max(members, key=lambda member: _hours(catalogue, member, day))
    terms = lead.scenario.model_copy(update=_joined(members))
    if members[1:] and terms.own.capex_usd is not None and terms.own.capex_per != "machine":
        raise PortfolioError(
            f"“{lead.name}” gives all of day one in one sum for its own fleet: give the price of a machine "
            "(`own.capex_per: machine`), or leave it out of the portfolio."
        )
    scenario, alone = _fleet_scenario(terms, members), [_fleet_scenario(terms, [member]) for member in members]
    _require_budget(scenario, alone)
    pairs = [(member, _decided(catalogue, each, day)) for member, each in zip(members, alone, strict=True)]
    sharing = [pair for pair in pairs if not WAYS[best_of(pair[1]).option.way].is_billed_by_token]
    for member, answer in pairs:
        if (member, answer) not in sharing or not sharing[1:]:
            yield SharedFleet((member,), lead, answer, (answer,))
    if sharing[1:]:
        names, answers = zip(*sharing, strict=True)
        yield SharedFleet(names, lead, _decided(catalogue, _fleet_scenario(terms, names), day), answers)


def _decided(catalogue: Catalogue, scenario: Scenario, day: date) -> Answer:
    plan = planned(catalogue, scenario, day)
    answer = decided(plan).answer
    if answer.best is None:
        problems = plan.setting.resolved.problems if plan.setting.resolved else ()
        why = next(iter((*problems, *(skipped.reason for skipped in plan.absent))), "nothing here has a price")
        raise PortfolioError(
            f"“{scenario.name}” has no option with a price: {why.rstrip('.')}. Change it, or leave it out."
        )
    return answer


def _hours(catalogue: Catalogue, member: PortfolioPlan, day: date) -> float:
    hours = convert_to_hours(catalogue, member.scenario)
    return PlanContext(catalogue, hours.scenario, day, resolved=hours).demand.all.busy_accelerator_hours


def _joined(members: Sequence[PortfolioPlan]) -> dict[str, Any]:
    """Return prices, models and runs of the company: those of all plans, each once."""
    joined = {
        name: tuple(dict.fromkeys(each for member in members for each in getattr(member.scenario, name)))
        for name in _JOINED
    }
    names = [model.name for model in joined["models"]]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PortfolioError(f"Two plans mean different models by “{twice}”: give one of them another name.")
    return joined


def _fleet_scenario(terms: Scenario, members: Sequence[PortfolioPlan]) -> Scenario:
    """Return the scenario of the demand of some plans together; what sizes the fleet of one plan holds only alone."""
    months = max(member.until for member in members)
    sized, own = dict.fromkeys(_SIZED), {"accelerators": None, "orders": ()}
    reserve: tuple[Any, ...] = ()
    if members[1:]:
        sized |= {"kept": _existing(members), "bill": _bill(members)}
    else:
        alone = members[0].scenario
        sized, own = {name: getattr(alone, name) for name in _SIZED}, {name: getattr(alone.own, name) for name in own}
        reserve = alone.reserve.orders
    if terms.own.resale_month is not None and terms.own.resale_month > months:
        own["resale_month"] = None
    return terms.model_copy(
        update={
            **sized,
            "name": f"{len(members)} plans" if members[1:] else members[0].name,
            "work": tuple(work for member in members for work in member.works(months)),
            "years": months / MONTHS_PER_YEAR,
            "own": terms.own.model_copy(update=own),
            "reserve": terms.reserve.model_copy(update={"orders": reserve}),
        }
    )


def _existing(members: Sequence[PortfolioPlan]) -> ExistingHardware | None:
    every = {member.name: kept for member in members if (kept := member.scenario.kept) is not None}
    if not every:
        return None
    if len({kept.model_copy(update=dict.fromkeys(_OF_ALL, 1)) for kept in every.values()}) > 1:
        raise PortfolioError(
            f"“{'” and “'.join(every)}” have different hardware already (`kept`): enter it in one plan."
        )
    sums = {name: [getattr(kept, name) for kept in every.values()] for name in _OF_ALL}
    return next(iter(every.values())).model_copy(
        update={name: None if None in values else sum(values) for name, values in sums.items()}
    )


def _bill(members: Sequence[PortfolioPlan]) -> CurrentBill | None:
    """Return what is paid now for all plans together; None where that is not known of each."""
    bills = [member.scenario.bill for member in members if member.scenario.bill is not None]
    return CurrentBill(usd_per_month=sum(bill.usd_per_month for bill in bills)) if len(bills) == len(members) else None


def _require_budget(scenario: Scenario, alone: Sequence[Scenario]) -> None:
    """Refuse plans that take longer than a portfolio may, or together more memory than one plan may."""
    seconds = sum(each.estimate.seconds for each in (scenario, *alone))
    times = max(seconds / _MOST_SECONDS, scenario.estimate.megabytes / MOST_MEGABYTES)
    if times > 1:
        raise PortfolioError(
            f"{count(len(alone), 'plan')} with {count(len(scenario.work), 'kind')} of work over "
            f"{count(scenario.years, 'year')} take {ceil(times * 10) / 10:g} times what a portfolio may take: "
            "leave some out, add up those that are alike in one plan, or plan fewer years."
        )


def other_terms(fleet: SharedFleet) -> Iterator[tuple[str, Scenario, Scenario]]:
    """Yield the plans whose terms differ from those that hold: its name, its terms, and those of the fleet."""
    for member in fleet.members:
        own = member.scenario.model_copy(update={name: getattr(fleet.lead.scenario, name) for name in _PROJECT_OWN})
        if own != fleet.lead.scenario:
            yield member.name, own, fleet.lead.scenario
