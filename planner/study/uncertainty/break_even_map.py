"""Break-even map: the saving of owning over any two inputs at once, its zero line, and your plan.

A point of the map, or a stress test, can be entered as a scenario of its own. Inputs of the formulas have the names of
the scenario's fields, so most can be entered as they are. A derived input (the utilization of a named model's machines)
or one that is only drawn (the position on a curve) cannot.
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
from planner.money.verdict.breakeven import plan_utilization
from planner.scenario.scenario import Scenario
from planner.scenario.work import INSTEAD_OF_A_SHARE, Work
from planner.study.uncertainty.tornado import TornadoBar, saved_usd
from planner.study.uncertainty.uncertain_inputs import Z_TAIL, DistributionError, uncertain_inputs

BUSY, YEARS = "busy_share", "years"
STEPS = 20  # so that utilization is 5 %, 10 %, 15 % ...
_BEYOND = 1.5  # times as far from the middle as the ends of an input's range
_LEAST_BUSY = 0.05
_YEARS = (1.0, 7.0)
_HALF_YEARS = 13


@dataclass(frozen=True, eq=False)
class MapAxis:
    """One input and the values it is tried at, in the unit in which it is shown."""

    name: str
    unit: str
    values: NDArray[np.float64]
    you: float
    low: float  # 10th percentile of the futures, `high` the 90th; both are `you` where it is certain
    high: float


@dataclass(frozen=True, eq=False)
class BreakEvenMap:
    """The saving of owning in each cell; above 0 it costs less than renting."""

    across: MapAxis
    up: MapAxis
    saved_usd: NDArray[np.float64]  # up x across


def map_axis(plan: Plan, name: str, steps: int = STEPS) -> MapAxis:
    """Return the axis of an input, over its range: utilization, years, or any uncertain input."""
    setting = plan.setting
    if name == YEARS:
        years = setting.scenario.years
        return MapAxis(YEARS, "years", np.linspace(*_YEARS, _HALF_YEARS), years, years, years)
    inputs = {parameter.name: parameter for parameter in uncertain_inputs(plan)}
    if name == BUSY:
        current, factor = plan_utilization(setting, 1.0), inputs.get(BUSY_FACTOR)
        factors = (factor.spread.low, factor.spread.high) if factor else (1.0, 1.0)
        ends = (min(current * each, 1.0) for each in factors)
        return MapAxis(BUSY, "share of hours", np.linspace(_LEAST_BUSY, 1.0, steps), current, *ends)
    if name not in inputs:
        choices = ", ".join([BUSY, YEARS, *inputs])
        raise DistributionError(f"{name!r} is certain in this plan or no input of it; choose one of {choices}.")
    spread = inputs[name].spread
    least, most = spread.at(np.array([-Z_TAIL, Z_TAIL]) * _BEYOND)
    return MapAxis(name, inputs[name].unit, np.linspace(least, most, steps), spread.typical, spread.low, spread.high)


def map_axis_names(plan: Plan, bars: Sequence[TornadoBar]) -> tuple[str, ...]:
    """Return the inputs that can be an axis of a map: those of every plan, then by their effect on the answer."""
    busy = (BUSY,) if plan_utilization(plan.setting, 1.0) > 0 else ()
    return (*busy, YEARS, *(bar.input.name for bar in bars if bar.input.name != BUSY_FACTOR))


def break_even_map(plan: Plan, own: Option, rent: Option, across: MapAxis, up: MapAxis) -> BreakEvenMap:
    """Return the saving in every cell: one build of both options, or one for each length where years are an axis."""
    if YEARS not in (across.name, up.name):
        rows = InputColumns(
            plan.setting, _axis_overrides(plan, across), along=next(iter(_axis_overrides(plan, up).items()))
        )
        return BreakEvenMap(across, up, saved_usd(plan, (own, rent), rows).T)
    if across.name == up.name:
        raise DistributionError("a map wants two different inputs: choose another for one of its sides.")
    years, other = (across, up) if across.name == YEARS else (up, across)
    overrides = _axis_overrides(plan, other)
    plans = [_with_years(plan, float(value)) for value in years.values]
    saved = np.stack([saved_usd(each, (own, rent), InputColumns(each.setting, overrides)) for each in plans])
    return BreakEvenMap(across, up, saved.T if across.name == YEARS else saved)


@dataclass(frozen=True)
class CurvePoint:
    """The utilization at which both options cost the same over so many years; None where none does."""

    years: float
    busy_share: float | None
    first_wins_when_full: bool  # the first of the two costs less where the machines are always busy


def utilization_years_map(plan: Plan, own: Option, rent: Option) -> BreakEvenMap:
    """Return the map of utilization and whole years."""
    years = map_axis(plan, YEARS)
    return break_even_map(plan, own, rent, map_axis(plan, BUSY), replace(years, values=years.values[::2]))


def break_even_curve(grid: BreakEvenMap) -> tuple[CurvePoint, ...]:
    """Return the line of the map on which both cost the same, for each length: the last crossing before full use."""
    points = []
    for years, saved in zip(grid.up.values, grid.saved_usd, strict=True):
        turns, utilization = np.flatnonzero((saved[1:] > 0) != (saved[:-1] > 0)), None
        if len(turns):
            rising = turns[-1] + np.argsort(saved[turns[-1] : turns[-1] + 2])
            utilization = float(np.interp(0.0, saved[rising], grid.across.values[rising]))
        points.append(CurvePoint(float(years), utilization, bool(saved[-1] > 0)))
    return tuple(points)


def _axis_overrides(plan: Plan, axis: MapAxis) -> dict[str, NDArray[np.float64]]:
    """Return the input of an axis as the formulas name it: utilization is tried as a factor on the plan's."""
    if axis.name != BUSY:
        return {axis.name: axis.values}
    utilization = plan_utilization(plan.setting, 1.0)
    if utilization <= 0:
        raise DistributionError("there is no work in this plan, so it cannot be busier: enter some.")
    return {BUSY_FACTOR: axis.values / utilization}


def _with_years(plan: Plan, years: float) -> Plan:
    setting = replace(plan.setting, scenario=plan.setting.scenario.model_copy(update={"years": years}))
    is_booked = setting.offers.booked or setting.offers.reserved_tiers
    return replace(plan, setting=rebook_reservations(setting) if is_booked else setting)


_PARTS = ("own", "rent", "terms")  # of the scenario, in which an input is looked for
_DIGITS = 3  # entered values are rounded as they are shown
_SHARE_DIGITS = 4


def has_scenario_field(plan: Plan, name: str) -> bool:
    """Tell if a scenario has a field for an input."""
    if name == BUSY:
        return not any(work.train or work.serve or work.run for work in plan.setting.written.work)
    return name == YEARS or _scenario_part(plan.setting.written, name) is not None


def scenario_with_inputs(plan: Plan, values: Mapping[str, float]) -> Scenario | None:
    """Return the scenario of a plan with these inputs; those without a field stay. None where none has one."""
    scenario = plan.setting.written
    changed: dict[str, Any] = {}
    for name, value in values.items():
        if not has_scenario_field(plan, name):
            continue
        part = _scenario_part(scenario, name)
        if name == BUSY:
            changed["work"] = _scaled_work(plan, value)
        elif part is None:
            changed[YEARS] = value
        else:
            rounded = float(f"{value:.{_DIGITS}g}")
            changed[part] = changed.get(part, getattr(scenario, part)).model_copy(update={name: rounded})
    if not changed:
        return None
    try:
        return Scenario.model_validate(scenario.model_copy(update=changed).model_dump())
    except ValidationError:  # beyond the bounds of a field
        return None


def _scenario_part(scenario: Scenario, name: str) -> str | None:
    return next((part for part in _PARTS if name in type(getattr(scenario, part)).model_fields), None)


def _scaled_work(plan: Plan, utilization: float) -> tuple[Work, ...]:
    """Return the work of a plan, each kind of it scaled so that the fleet has this utilization."""
    times = utilization / plan_utilization(plan.setting, 1.0)

    def scaled(work: Work) -> Work:
        share = round(min(work.effective_utilization * times, 1.0), _SHARE_DIGITS)
        return work.model_copy(update={"busy_share": share, **dict.fromkeys(INSTEAD_OF_A_SHARE)})

    return tuple(scaled(work) for work in plan.setting.written.work)
