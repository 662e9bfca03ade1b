"""What else would be done by a deadline that a plan does not keep: asked of the whole market, as `cheapest` asks it."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from planner.money.plan import Plan
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.work import Work
from planner.study.fill_in import Facts
from planner.study.market.survey import market
from planner.study.market.why import nothing, summary

_KEPT = 32  # answers: a page asks for the same one again and again


def in_time(plan: Plan) -> tuple[str, ...]:
    """For each run that is late: what does it in time for the least money, or what would have to be allowed."""
    asked, setting = plan.setting.asked, plan.setting
    if asked is None:
        return ()
    facts = Facts(setting.catalogue)
    found = (_in_time(facts, asked.written, late.work, setting.day) for late in asked.late)
    return tuple(sentence for sentences in found for sentence in sentences)


@lru_cache(maxsize=_KEPT)
def _in_time(facts: Facts, scenario: Scenario, work: Work, day: date) -> tuple[str, ...]:
    anything = {"accelerator": ANY_ACCELERATOR, "work": (work,)}
    found = market(facts.catalogue, scenario.model_copy(update=anything), day)
    if found.best is None:
        return tuple(nothing(found))
    return (f"In time for the least, of all accelerators: {summary(found, found.best)}.",)
