"""A plan from where the bills end: its prices and its work as they were billed, for the months that are left."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from planner.money.accounting.fiscal import month_days
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.accounting.actual_words import Actuals, planned_spending
from planner.report.accounting.bill_file import COMMITTED, ON_DEMAND, SPOT, BillError
from planner.scenario.base import HOURS_PER_MONTH, MONTHS_PER_YEAR
from planner.scenario.file import SavedScenario
from planner.scenario.own import ExistingHardware
from planner.scenario.scenario import Scenario
from planner.scenario.work import INSTEAD_OF_A_SHARE, ScheduledJob, Work

_FEWEST = 3  # months of a plan
_FEW_HOURS = 0.01
_PRICES = {ON_DEMAND: "rent", COMMITTED: "reserve", SPOT: "spot"}
_RATES = {"serve": ("requests_per_s", "peak_requests_per_s"), "train": ("runs_per_month",), "run": ("runs_per_month",)}


class Reforecast(NamedTuple):
    """The plan for the rest, and what of it was taken from bills."""

    saved: SavedScenario
    sentences: tuple[str, ...]


def reforecast(plan: Plan, answer: Answer, actuals: Actuals) -> Reforecast:
    """Return the plan for the months after those with bills, or raise `BillError` where nothing is left to plan."""
    setting, until = plan.setting, actuals.until
    left, day = setting.timeline.last - until, month_days(setting, until)[-1]
    if left < _FEWEST:
        wish = f"give a plan of {until + _FEWEST} months or more"
        raise BillError(f"{actuals.bill.name} leaves {words.count(left, 'month')} of the plan: {wish}.")
    way = _billed_option(answer, actuals)
    usd, hours = (actuals.spending.get(way.option.key) or next(iter(actuals.spending.values()))).sums(until)
    _, planned = planned_spending(plan, way).sums(until)
    billed_hours, planned_hours = sum(hours.values()), sum(planned.values())
    factor = billed_hours / planned_hours if billed_hours > 0 and planned_hours > 0 else 1.0
    prices = {kind: usd[kind] / of for kind, of in hours.items() if of > 0 and usd[kind] > 0 and kind in _PRICES}
    fields = _later_fields(plan, way, until) | {"years": left / MONTHS_PER_YEAR}
    fields["work"] = tuple(filter(None, (_later_work(work, factor, until) for work in setting.written.work)))
    if not fields["work"]:
        raise BillError(f"{actuals.bill.name}: all work of the plan has ended by {words.day(day)}.")
    for kind, price in prices.items():
        part = fields.get(_PRICES[kind], getattr(setting.written, _PRICES[kind]))
        steps = {"volume": ()} if kind == COMMITTED else {}  # of another price
        fields[_PRICES[kind]] = part.model_copy(update={"usd_per_accelerator_hour": price, **steps})
    later = Scenario.model_validate(setting.written.model_copy(update=fields).model_dump())
    typed = tuple(entered for entered in setting.written.typed if entered.path[0] not in fields)
    sentences = tuple(_sentences(plan, later, factor, prices, sum(usd.values())))
    return Reforecast(SavedScenario(later.with_typed(typed), day), sentences)


def _billed_option(answer: Answer, actuals: Actuals) -> EvaluatedOption:
    """Return the option that the bill names; of a bill of a cloud, the first that rents."""
    named = [way for way in answer.ranked if way.option.key in actuals.spending]
    rented = [way for way in answer.ranked if WAYS[way.option.way].side == "rent"]
    return [*named, *rented, *answer.ranked][0]


def _later_work(work: Work, factor: float, until: int) -> Work | None:
    """Return work as it goes on after so many months, at a factor on its hours; None where it has ended."""
    if work.last_month is not None and work.last_month <= until:
        return None
    passed = max(until - work.first_month + 1, 0)
    grown = factor * (1.0 + work.growth_per_year) ** (passed / MONTHS_PER_YEAR)
    changes: dict[str, Any] = {"first_month": max(work.first_month - until, 1)}
    changes |= {"last_month": work.last_month and work.last_month - until, "jobs": tuple(_later_jobs(work, passed))}
    named = next((name for name in _RATES if getattr(work, name) is not None), None)
    if named is not None:
        task = getattr(work, named)
        rates = {rate: of * grown for rate in _RATES[named] if (of := getattr(task, rate)) is not None}
        return work.model_copy(update=changes | {named: task.model_copy(update=rates)})
    if work.by_hour:
        return work.model_copy(update=changes | {"accelerators": max(math.ceil(work.accelerators * grown), 1)})
    hours = max(work.effective_utilization * work.accelerators * HOURS_PER_MONTH * grown, _FEW_HOURS)
    changes |= {**dict.fromkeys((*INSTEAD_OF_A_SHARE, "busy_share")), "accelerator_hours_per_month": hours}
    changes["accelerators"] = max(work.accelerators, math.ceil(hours / HOURS_PER_MONTH))
    return work.model_copy(update=changes)


def _later_jobs(work: Work, passed: int) -> Iterator[ScheduledJob]:
    """Yield the jobs that are still to come, by their month then."""
    for job in work.jobs:
        month = job.first_month - passed
        if month < 1 and job.every_months is not None:
            month = (month - 1) % job.every_months + 1
        if month >= 1:
            yield job.model_copy(update={"first_month": month})


def _later_fields(plan: Plan, way: EvaluatedOption, until: int) -> dict[str, Any]:
    """Return what is counted from a later day: reservations to come, rents by year, and what was bought meanwhile."""
    written, years = plan.setting.written, until // MONTHS_PER_YEAR
    reserve, path, fields = written.reserve, written.terms.rent_by_year, dict[str, Any]()
    if reserve.orders:
        later = [each for each in reserve.orders if each.from_month > until]
        orders = tuple(each.model_copy(update={"from_month": each.from_month - until}) for each in later)
        fields["reserve"] = reserve.model_copy(update={"orders": orders})
    if years and path:
        levels = tuple(level / path[min(years, len(path)) - 1] for level in path[years:]) or (1.0,)
        fields["terms"] = written.terms.model_copy(update={"rent_by_year": levels})
    if WAYS[way.option.way].owns and written.kept is None and int(way.option.accelerators):
        year = plan.setting.day.year
        fields["kept"] = ExistingHardware(accelerators=int(way.option.accelerators), bought_year=year)
    return fields


def _sentences(
    plan: Plan, later: Scenario, factor: float, prices: Mapping[str, float], paid_usd: float
) -> Iterator[str]:
    yield (
        f"The rest as a plan of {words.count(round(later.years * MONTHS_PER_YEAR), 'month')}: {words.percent(factor)} "
        f"of the planned hours, as billed; {words.usd(paid_usd)} are paid and no part of it."
    )
    for kind, usd in prices.items():
        yield f"{kind} a GPU-hour costs {words.usd_per_hour(usd)}, as billed."
    if later.kept is not None and plan.setting.written.kept is None:
        yield f"{words.count(later.kept.accelerators, 'GPU')} that were bought are there already and may be kept."
    if len(later.reserve.orders) < len(plan.setting.written.reserve.orders):
        yield "Reservations that have begun are left out: a bill does not say when they end."
