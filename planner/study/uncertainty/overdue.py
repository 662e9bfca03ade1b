"""Which overdue figures to look at first: by how much each moves what the usual plans say.

A figure is moved from its low to its high end, all others typical. What that does to the difference between the two
ways that a plan compares, as a share of what the dearer costs, is its weight there; where a plan has one way, what it
does to its cost. A price without a range of its own moves
as far as prices of its age do; what else has none moves nothing that anybody knows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from planner.money.ledger import Origin, Used
from planner.money.many_ledgers import Columns
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.verdict.answer import answer
from planner.scenario.presets import presets
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.tornado import costs
from planner.study.uncertainty.uncertain_inputs import doubtful
from pricing import Catalogue, Figure
from pricing.belief.believe import worth_alone
from pricing.catalogue import Placed
from pricing.stale import days_over, stale

DEFAULT = "default"  # what the plan is called that says nothing


@dataclass(frozen=True)
class Overdue:
    """A figure older than its limit, and what it moves of each plan that uses it, as a share."""

    placed: Placed
    days_over: int
    moves: Mapping[str, float]  # by plan; empty: none uses it

    @property
    def weight(self) -> float:
        """The most that it moves of any plan."""
        return max(self.moves.values(), default=0.0)


def usual_plans(catalogue: Catalogue, day: date) -> dict[str, Plan]:
    """The plan that says nothing, and those of the presets."""
    scenarios = {DEFAULT: Scenario(), **{one.key: one.scenario for one in presets()}}
    return {name: planned(catalogue, scenario, day) for name, scenario in scenarios.items()}


def overdue(catalogue: Catalogue, plans: Mapping[str, Plan], day: date) -> tuple[Overdue, ...]:
    """Every overdue figure: what moves the plans most first, then what they use, then the rest by age."""
    found = {name: dict(_moves(plan, day)) for name, plan in plans.items()}
    old = [
        Overdue(
            one.placed,
            one.days_over,
            {name: shares[key] for name, shares in found.items() if (key := id(one.placed.figure)) in shares},
        )
        for one in stale(catalogue, day)
    ]
    return tuple(sorted(old, key=lambda one: (-one.weight, not one.moves, -one.days_over, one.placed[:3])))


def _moves(plan: Plan, day: date) -> Iterator[tuple[int, float]]:
    """The overdue figures of a plan, by what tells them apart, each with what it moves."""
    found = answer(plan)
    if found.best is None:
        return
    compared = [one for one in (found.best, found.against) if one is not None]
    ways, most_usd = [one.option for one in compared], max(one.present_usd for one in compared)
    inputs = {id(one.figure): one for one in doubtful(plan) if one.figure is not None}
    in_lines = {key: used for option in plan.options for key, used in _in_lines(option).items()}
    for key in {**inputs, **in_lines}:
        figure = inputs[key].figure if key in inputs else figure_of(in_lines[key])
        if figure is None or days_over(figure, day) <= 0:
            continue
        spread = inputs[key].spread if key in inputs else None
        tried = (inputs[key].name, spread.low, spread.high) if spread else _without_range(in_lines[key], figure, day)
        # What stands in no line, such as the time of delivery, moves every way; one name may stand for two figures.
        moved = [way for way in ways if key not in in_lines or key in _in_lines(way)]
        yield key, _swing(plan, ways, moved, tried) / most_usd if tried and moved else 0.0


def _in_lines(option: Option) -> dict[int, Used]:
    """Where an option's lines use which figure."""
    used = (one for line in option.ledger.lines for one in line.used)
    return {id(figure): one for one in used if (figure := figure_of(one)) is not None}


def figure_of(used: Used) -> Figure | None:
    """The figure of the catalogue that an input is, where it is one."""
    return used.origin.figure if isinstance(used.origin, Origin) else None


def _without_range(used: Used, figure: Figure, day: date) -> tuple[str, float, float] | None:
    """An input that no way takes at another end: as far as its figure's ends, or as prices of its age, may be off."""
    value = figure.newest
    if not used.is_number or not float(used.value) or not value.typical:
        return None
    low, high = value.low, value.high
    if low is None and high is None:
        if "USD" not in figure.unit:
            return None
        low, _, high = worth_alone(figure, "posted", day)
    there = float(used.value) / value.typical
    return used.name, (low or value.typical) * there, (high or value.typical) * there


def _swing(plan: Plan, ways: Sequence[Option], moved: Sequence[Option], tried: tuple[str, float, float]) -> float:
    """How far apart the two ends leave the difference between the ways, or the cost of the only one. [USD]"""
    name, *ends = tried
    found = dict(
        zip((one.key for one in moved), costs(plan, moved, Columns(plan.setting, {name: np.array(ends)})), strict=True)
    )
    steps = [float(found[way.key][1] - found[way.key][0]) if way.key in found else 0.0 for way in ways]
    return float(abs(np.nan_to_num(steps[0] - sum(steps[1:]))))
