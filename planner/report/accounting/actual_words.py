"""What was billed beside the plan, and the rest of the plan forecast anew from it."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from planner.money.accounting.fiscal import Forecast, Spending, Variance, forecast, month_days, variance
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.accounting.bill_file import COMMITTED, KINDS, ON_DEMAND, SPOT, Bill, BillError
from planner.report.files.document_parts import ActualOptionSchema, ActualsSchema, priced
from planner.report.files.focus import pricing_category, service_of
from planner.report.table import Table, text_table
from planner.scenario.base import HOURS_PER_MONTH, MONTHS_PER_YEAR
from planner.scenario.file import SavedScenario
from planner.scenario.own import ExistingHardware
from planner.scenario.scenario import Scenario
from planner.scenario.work import INSTEAD_OF_A_SHARE, ScheduledJob, Work

_HOUR = "accelerator-hour"


class Actuals(NamedTuple):
    """A bill beside the plan: the months that it covers, and what each option has paid in them."""

    bill: Bill
    until: int  # the last month with charges
    spending: dict[str, Spending]  # by the option that the file names; all of it under "" in the bill of a cloud
    left_out_usd: float  # before the plan's day, or after its end
    each: int  # accelerators of a machine that is billed by the hour


def actuals_of(plan: Plan, bill: Bill, each: int | None = None) -> Actuals:
    """Return a bill by the months of the plan, or raise `BillError` where none of it falls into them.

    `each` is how many accelerators a machine has that is billed by the hour; else as the plan rents them.
    """
    last = plan.setting.timeline.last
    days, each = month_days(plan.setting, last), each or bill.each or _machine_size(plan)
    spending, left_out, until = dict[str, Spending](), 0.0, 0
    for charge in bill.charges:
        month = bisect_right(days, charge.day)
        if not 1 <= month <= last:
            left_out += charge.usd
            continue
        until, at = max(until, month), np.arange(last + 1) == month
        hours = charge.hours * (1 if charge.is_accelerator else each)
        of_option = spending.setdefault(charge.option, Spending())
        of_option.add(charge.kind, at * charge.usd, at * hours if charge.has_hours else None)
    if not until:
        first, end = min(charge.day for charge in bill.charges), days[-1]
        raise BillError(
            f"{bill.name} begins on {words.day(first)}, and the plan runs from {words.day(days[0])} to "
            f"{words.day(end)}: give the plan the day it was made on (`day: 2026-01-31` in its file)."
        )
    return Actuals(bill, until, spending, left_out, each)


def _machine_size(plan: Plan) -> int:
    offers, catalogue = plan.setting.offers, plan.setting.catalogue
    key = offers.on_demand or offers.reserved or offers.spot
    return catalogue.offers[key].accelerators_per_instance if key in catalogue.offers else 1


def planned_spending(plan: Plan, way: EvaluatedOption) -> Spending:
    """Return what an option pays by month, in the kinds of a bill. What is paid today is in the first month."""
    spending, shape = Spending(), way.option.ledger.monthly_usd.shape
    for line in way.option.ledger.lines:
        if not line.is_cash:
            continue
        parts, usd = priced(line), np.array(np.broadcast_to(line.priced_usd, shape))
        if parts.unit != _HOUR or line.part in ("income", "selling"):
            spending.add(service_of(line.part), usd)
            continue
        kind = KINDS.get(pricing_category(way.option, line).casefold(), ON_DEMAND)
        hours = np.nan_to_num(np.array(np.broadcast_to(parts.quantity, shape))) * (usd != 0)
        spending.add(kind, usd, hours)
    return spending


def months_table(plan: Plan, answer: Answer, actuals: Actuals) -> Table:
    """Return what was billed in each month, beside what each option had planned for it."""
    days = month_days(plan.setting, actuals.until)
    planned = {way.option.title: planned_spending(plan, way).total_usd for way in answer.ranked}
    return Table.of(
        {
            "Month": month,
            "Until": days[month],
            "Billed, USD": billed,
            **{f"{title}, USD": float(usd[month] + (usd[0] if month == 1 else 0.0)) for title, usd in planned.items()},
        }
        for month, billed in enumerate(billed_by_month(actuals), start=1)
    )


def billed_by_month(actuals: Actuals) -> tuple[float, ...]:
    """Return what was billed in each month, the first one first."""
    billed = np.asarray(sum((of.total_usd for of in actuals.spending.values()), np.zeros(1)))
    return tuple(billed[1 : actuals.until + 1].tolist())


def compared(plan: Plan, answer: Answer, actuals: Actuals) -> tuple[tuple[EvaluatedOption, Variance, Forecast], ...]:
    """Return each option that the bill is of, with its variance and forecast."""
    rows = []
    for way in answer.ranked:
        actual = actuals.spending.get(way.option.key, actuals.spending.get(""))
        if actual is not None:
            planned = planned_spending(plan, way)
            rows.append((way, variance(planned, actual, actuals.until), forecast(planned, actual, actuals.until)))
    return tuple(rows)


def variance_table(plan: Plan, answer: Answer, actuals: Actuals) -> Table:
    """Return for each option the difference between bill and plan by its parts, and what the plan comes to."""
    return Table.of(
        {
            "Option": way.option.title,
            "Billed, USD": parts.actual_usd,
            "Planned, USD": parts.planned_usd,
            "By price, USD": parts.price_usd,
            "By volume, USD": parts.volume_usd,
            "By mix, USD": parts.mix_usd,
            "Other, USD": parts.other_usd,
            "Whole plan, USD": ahead.planned_usd,
            "Rest as planned, USD": ahead.as_planned_usd,
            "Rest as billed so far, USD": ahead.at_rate_usd,
        }
        for way, parts, ahead in compared(plan, answer, actuals)
    )


def actuals_document(plan: Plan, answer: Answer, actuals: Actuals) -> ActualsSchema:
    """Return bills beside the plan as JSON has them."""
    options = (
        ActualOptionSchema(
            key=way.option.key, billed_usd=parts.actual_usd, planned_usd=parts.planned_usd, price_usd=parts.price_usd,
            volume_usd=parts.volume_usd, mix_usd=parts.mix_usd, other_usd=parts.other_usd, plan_usd=ahead.planned_usd,
            rest_as_planned_usd=ahead.as_planned_usd, rest_at_rate_usd=ahead.at_rate_usd,
        )
        for way, parts, ahead in compared(plan, answer, actuals)
    )  # fmt: skip
    notes, billed = actual_sentences(plan, actuals), billed_by_month(actuals)
    return ActualsSchema(notes=notes, billed_by_month_usd=billed, options=tuple(options))


def actual_sentences(plan: Plan, actuals: Actuals) -> tuple[str, ...]:
    """Return what was read and how it is compared."""
    bill, days = actuals.bill, month_days(plan.setting, actuals.until)
    billed = f" from {words.listed(bill.providers)}" if bill.providers else ""
    sentences = [
        f"{bill.name}: {words.count(bill.rows, 'charge')}{billed}, {words.count(actuals.until, 'month')} of the plan "
        f"until {words.day(days[-1])}, as billed (BilledCost).",
        f"An hour of a machine counts as {words.count(actuals.each, 'GPU-hour')}.",
        "Price, volume and mix split machine hours among on demand, committed and spot; what is not billed by the hour "
        "is other. “Rest as billed so far” prices the remaining hours at the rate billed so far.",
    ]
    if abs(actuals.left_out_usd) > 0:
        sentences.append(f"{words.usd(actuals.left_out_usd)} lie outside the plan's months and are left out.")
    return tuple(sentences)


def actuals_text(plan: Plan, answer: Answer, actuals: Actuals) -> str:
    """Return sentences and tables for a terminal."""
    tables = (months_table(plan, answer, actuals), variance_table(plan, answer, actuals))
    return "\n\n".join((" ".join(actual_sentences(plan, actuals)), *map(text_table, tables)))


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
    return [*named, *[way for way in answer.ranked if WAYS[way.option.way].side == "rent"], *answer.ranked][0]


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
