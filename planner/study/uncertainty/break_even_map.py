"""Break-even map: what owning saves over any two inputs at once, where it saves nothing, and where you are.

A place on the map, or a stress test, can be entered as a scenario of its own. Inputs of the formulas go by the names of
the scenario's fields, so most can be entered as they are. What follows from something else (how busy a named model
keeps its machines) or is only drawn (the place on a curve) cannot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from planner.money.many_ledgers import InputColumns
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.renting.cheapest_offer import rebook_reservations
from planner.money.setting import BUSY_FACTOR
from planner.money.verdict.breakeven import busy_share
from planner.scenario.scenario import Scenario
from planner.scenario.work import INSTEAD_OF_A_SHARE, Work
from planner.study.uncertainty.tornado import TornadoBar, saved_usd
from planner.study.uncertainty.uncertain_inputs import Z_TAIL, DistributionError, doubtful

BUSY, YEARS = "busy_share", "years"
STEPS = 20  # so that the shares of busy hours are 5 %, 10 %, 15 % ...
_BEYOND = 1.5  # times as far from the middle as the ends of an input's range
_LEAST_BUSY = 0.05
_YEARS = (1.0, 7.0)
_HALF_YEARS = 13


@dataclass(frozen=True, eq=False)
class MapAxis:
    """One input and the values it is tried at, in the unit in which it is told."""

    name: str
    unit: str
    values: NDArray[np.float64]
    you: float
    low: float  # 10th percentile of the futures, `high` the 90th; both are `you` where it is certain
    high: float


@dataclass(frozen=True, eq=False)
class BreakEvenMap:
    """What owning saves in each cell; above 0 it costs less than renting."""

    across: MapAxis
    up: MapAxis
    saved_usd: NDArray[np.float64]  # up x across


def axis(plan: Plan, name: str, steps: int = STEPS) -> MapAxis:
    """The axis of an input, over all it may come to: shares of busy hours, years, or any input that is not certain."""
    setting = plan.setting
    if name == BUSY:
        you = busy_share(setting, 1.0)
        ends = [min(you * factor, 1.0) for factor in _ends(plan, BUSY_FACTOR)]
        return MapAxis(BUSY, "share of hours", np.linspace(_LEAST_BUSY, 1.0, steps), you, *ends)
    if name == YEARS:
        you = setting.scenario.years
        return MapAxis(YEARS, "years", np.linspace(*_YEARS, _HALF_YEARS), you, you, you)
    found = next((one for one in doubtful(plan) if one.name == name), None)
    if found is None:
        there = ", ".join([BUSY, YEARS, *(one.name for one in doubtful(plan))])
        raise DistributionError(f"{name!r} is certain in this plan or no input of it; choose one of {there}.")
    spread = found.spread
    least, most = spread.at(np.array([-Z_TAIL, Z_TAIL]) * _BEYOND)
    return MapAxis(name, found.unit, np.linspace(least, most, steps), spread.typical, spread.low, spread.high)


def _ends(plan: Plan, name: str) -> tuple[float, float]:
    """The range that eight of ten futures of an input lie in."""
    return next(((one.spread.low, one.spread.high) for one in doubtful(plan) if one.name == name), (1.0, 1.0))


def sides(plan: Plan, bars: Sequence[TornadoBar]) -> tuple[str, ...]:
    """The inputs that a map can have as a side: those that everybody has, then what moves the answer most."""
    busy = (BUSY,) if busy_share(plan.setting, 1.0) > 0 else ()
    return (*busy, YEARS, *(bar.input.name for bar in bars if bar.input.name != BUSY_FACTOR))


def break_even_map(plan: Plan, own: Option, rent: Option, across: MapAxis, up: MapAxis) -> BreakEvenMap:
    """The saving in every cell: one build of both ways, or one for each length where years are an axis."""
    if YEARS not in (across.name, up.name):
        rows = InputColumns(plan.setting, _tried(plan, across), along=next(iter(_tried(plan, up).items())))
        return BreakEvenMap(across, up, saved_usd(plan, (own, rent), rows).T)
    if across.name == up.name:
        raise DistributionError("a map wants two different inputs: choose another for one of its sides.")
    years, other = (across, up) if across.name == YEARS else (up, across)
    tried, lasting = _tried(plan, other), [_with_years(plan, each) for each in years.values]
    saved = np.stack([saved_usd(there, (own, rent), InputColumns(there.setting, tried)) for there in lasting])
    return BreakEvenMap(across, up, saved.T if across.name == YEARS else saved)


@dataclass(frozen=True)
class CurvePoint:
    """How busy the machines must be for both ways to cost the same over so many years; None where no use does that."""

    years: float
    busy_share: float | None
    first_wins_when_full: bool  # the first of the two costs less where the machines are always busy


def use_and_years(plan: Plan, own: Option, rent: Option) -> BreakEvenMap:
    """The map of use and whole years."""
    years = axis(plan, YEARS)
    return break_even_map(plan, own, rent, axis(plan, BUSY), replace(years, values=years.values[::2]))


def curve(found: BreakEvenMap) -> tuple[CurvePoint, ...]:
    """The line of the map on which both cost the same, for each length: the last crossing before full use."""
    return tuple(
        _point(float(years), found.across.values, row)
        for years, row in zip(found.up.values, found.saved_usd, strict=True)
    )


def _point(years: float, shares: NDArray[np.float64], saved: NDArray[np.float64]) -> CurvePoint:
    turns = np.flatnonzero((saved[1:] > 0) != (saved[:-1] > 0))
    if not len(turns):
        return CurvePoint(years, None, bool(saved[-1] > 0))
    rising = turns[-1] + np.argsort(saved[turns[-1] : turns[-1] + 2])
    return CurvePoint(years, float(np.interp(0.0, saved[rising], shares[rising])), bool(saved[-1] > 0))


def _tried(plan: Plan, side: MapAxis) -> dict[str, NDArray[np.float64]]:
    """The input of an axis as the formulas name it: how busy is told as a share, and tried as a factor on it."""
    if side.name != BUSY:
        return {side.name: side.values}
    you = busy_share(plan.setting, 1.0)
    if you <= 0:
        raise DistributionError("there is no work in this plan, so it cannot be busier: enter some.")
    return {BUSY_FACTOR: side.values / you}


def _with_years(plan: Plan, years: float) -> Plan:
    """The plan over another number of years."""
    there = replace(plan.setting, scenario=plan.setting.scenario.model_copy(update={"years": float(years)}))
    return replace(
        plan, setting=rebook_reservations(there) if there.offers.booked or there.offers.reserved_tiers else there
    )


_PARTS = ("own", "rent", "terms")  # of the scenario, in which an input is looked for
_DIGITS = 3  # what is entered is rounded as it is shown
_SHARE_DIGITS = 4


def has_scenario_field(plan: Plan, name: str) -> bool:
    """Whether a scenario has a field for an input."""
    if name == BUSY:
        return not any(work.train or work.serve or work.run for work in plan.setting.written.work)
    return name == YEARS or _part(plan.setting.written, name) is not None


def entered(plan: Plan, values: Mapping[str, float]) -> Scenario | None:
    """The scenario of a plan with these inputs; those without a field stay as they are. None where none has one."""
    scenario, known = (
        plan.setting.written,
        {name: value for name, value in values.items() if has_scenario_field(plan, name)},
    )
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
                "busy_share": round(min(work.effective_utilization * times, 1.0), _SHARE_DIGITS),
                **dict.fromkeys(INSTEAD_OF_A_SHARE),
            }
        )
        for work in plan.setting.written.work
    )


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
