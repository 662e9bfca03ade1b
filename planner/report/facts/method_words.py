"""The method of a plan on one page, its checks, and how far it can be wrong: all from what was computed."""

from collections.abc import Sequence

import numpy as np

from planner.money.measures import rate_per_year, todays
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.facts.assumption_rows import STALE, Row
from planner.scenario.budget import FUTURES
from planner.study.uncertainty.futures import Futures

_CENT = 0.005


def method(plan: Plan, drawn: Futures | None) -> tuple[str, ...]:
    """How the answer comes about, step by step."""
    setting, terms = plan.setting, plan.setting.terms
    rate = words.percent(float(np.asarray(rate_per_year(setting)).flat[0]), 1)
    count = FUTURES if drawn is None else drawn.count
    return (
        f"The work becomes hours of machines by the month; a month has {terms.hours_per_month:g} hours.",
        f"Each of {words.count(len(plan.options), 'way')} to do it is a list of lines; a line is a formula of its "
        "inputs, month by month, over the whole plan.",
        f"Money is {terms.money}, moves at {words.TIMINGS[terms.timing]} and is discounted at {rate} a year.",
        f"The ways are compared in today's money, and again in {count:,} futures, each with every open input drawn "
        "from its range.",
    )


def checks(plan: Plan, found: Answer) -> tuple[str, ...]:
    """What is checked here and now, with its outcome."""
    sums = all(
        abs(float(np.nansum([line.priced_usd.sum() for line in option.ledger.lines])) - float(option.ledger.total_usd))
        < _CENT
        for option in plan.options
    )
    today = all(
        abs(float(todays(plan.setting, way.option.ledger).total_usd) - way.present_usd) < _CENT for way in found.ranked
    )
    said = sum(len(option.ledger.lines) for option in plan.options)
    named = all(used.name for option in plan.options for line in option.ledger.lines for used in line.used)
    return (
        f"Totals equal the sum of their lines ({said} lines): {_yes(sums)}.",
        f"In today's money the lines give what the answer says: {_yes(today)}.",
        f"Every input has a name and somebody who says so: {_yes(named)}.",
        f"The same question gives the same answer: facts {plan.setting.catalogue.digest[:16]}, of "
        f"{words.day(plan.setting.catalogue.day)}.",
    )


def limits(found: Answer, rows: Sequence[Row]) -> tuple[str, ...]:
    """How far the totals can be off, as the futures of this plan have it, and what is not in them."""
    said = [f"{way.option.title}: {_off(way.present_usd, way.low_usd, way.high_usd)}." for way in found.ranked[:3]]
    certain = sum(not row.range for row in rows)
    old = sum(row.is_in(STALE) for row in rows)
    return (
        *said,
        f"Inputs without a range, which do not vary in it: {certain} of {len(rows)}. Older than their kind "
        f"allows: {old}.",
    )


def _off(typical: float, low: float, high: float) -> str:
    if typical == 0:
        return "nothing to pay"
    return f"eight of ten futures lie between {low / typical - 1:+.0%} and {high / typical - 1:+.0%} of its total"


def _yes(holds: bool) -> str:
    return "yes" if holds else "NO, tell us"
