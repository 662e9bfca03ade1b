"""Entered: what somebody looked at, a place on the map or a stress test, as a scenario of its own.

Inputs of the formulas go by the names of the scenario's fields, so most can be entered as they are. What follows from
something else (how busy a named model keeps its machines) or is only drawn (the place on a curve) cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from planner.money.plan import Plan
from planner.money.verdict.breakeven import busy_share
from planner.scenario.scenario import Scenario
from planner.scenario.work import INSTEAD_OF_A_SHARE, Work
from planner.study.uncertainty.breakeven_map import BUSY, YEARS

_PARTS = ("own", "rent", "terms")  # of the scenario, in which an input is looked for
_DIGITS = 3  # what is entered is rounded as it is shown
_SHARE_DIGITS = 4


def can_enter(plan: Plan, name: str) -> bool:
    """Whether a scenario has a field for an input."""
    if name == BUSY:
        return not any(work.train or work.serve or work.run for work in plan.setting.written.work)
    return name == YEARS or _part(plan.setting.written, name) is not None


def entered(plan: Plan, values: Mapping[str, float]) -> Scenario | None:
    """The scenario of a plan with these inputs; those without a field stay as they are. None where none has one."""
    scenario, known = plan.setting.written, {name: value for name, value in values.items() if can_enter(plan, name)}
    changed: dict[str, Any] = {}
    for name, value in known.items():
        part = _part(scenario, name)
        if name == BUSY:
            changed["work"] = _busy(plan, value)
        elif part is None:
            changed[YEARS] = value
        else:
            changed[part] = changed.get(part, getattr(scenario, part)).model_copy(update={name: _rounded(value)})
    if not changed:
        return None
    try:
        return Scenario.model_validate(scenario.model_copy(update=changed).model_dump())
    except ValidationError:  # beyond what a field takes
        return None


def _part(scenario: Scenario, name: str) -> str | None:
    return next((part for part in _PARTS if name in type(getattr(scenario, part)).model_fields), None)


def _busy(plan: Plan, share: float) -> tuple[Work, ...]:
    """The work of a plan, each kind of it so many times as much that the fleet is this busy."""
    times = share / busy_share(plan.setting, 1.0)
    return tuple(
        work.model_copy(
            update={
                "busy_share": round(min(work.usual_busy_share * times, 1.0), _SHARE_DIGITS),
                **dict.fromkeys(INSTEAD_OF_A_SHARE),
            }
        )
        for work in plan.setting.written.work
    )


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
