"""Thousands of plans: the answer of every point of a grid.

Points that differ only in figures go through the engine together, as its draws do; what changes the shape of a plan
(the accelerator, its length, how many, the offers it rents from) parts them. In each such group some points, among them
those at the ends of every input, are also reckoned alone. Where one of them differs the group is cut in two and tried
again, down to points reckoned one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import numpy as np

from planner.money.many_ledgers import InputColumns
from planner.money.measures import savings_before_resale_usd, simple_payback
from planner.money.option import Option, SkippedOption
from planner.money.plan import Plan, plan_from_context
from planner.money.renting.cheapest_offer import taken
from planner.money.setting import ChosenOffers, PlanContext
from planner.money.verdict.answer import Answer, Decision, decide
from planner.money.verdict.breakeven import break_even, cash_payback
from planner.money.verdict.contender import compared_options
from planner.money.verdict.limits import limits_of
from planner.scenario.grid import SweepGrid
from planner.scenario.known_names import ScenarioError
from planner.scenario.path import Path
from planner.scenario.scenario import Scenario
from planner.study.measures import Measure, OptionResult, results_of
from planner.study.mix.best_mix import can_have_mix
from planner.study.plan_any import planned
from planner.study.sweep.columns import (
    How,
    Hows,
    UtilizationBreakEven,
    as_columns,
    hows,
    is_number,
    utilization_break_even,
)
from planner.study.sweep.reads import MemoizedQuery
from planner.study.uncertainty.sure_verdict import decided
from pricing import Catalogue, PricingError
from pricing.caching import cached_property

MOST_TOGETHER = 512  # points: 512 x 61 months x 8 bytes is 250 kB
FEWEST_TOGETHER = 6  # fewer are as quick one by one
CENT = 0.005
_RELATIVE = 1e-8
BREAK_EVEN = "busy_share"
REFUSED = "refused"


@dataclass(frozen=True)
class OptionCosts:
    """One way of one point, in today's money. [USD]"""

    present_usd: float
    cash_today_usd: float
    low_usd: float = math.nan  # the range of eight of ten futures, where they are drawn
    high_usd: float = math.nan
    measures: Mapping[str, float] = field(default_factory=dict)  # others that were asked for, by name


@dataclass(frozen=True)
class PointAnswer:
    """The answer of one point. What rests on futures is there only where they are drawn."""

    leads: str  # own, rent, keep or mix at typical figures; or why nobody does
    best: str = ""
    own: str = ""  # who speaks for owning, by its key
    rent: str = ""
    verdict: str = ""  # of futures
    share_cheaper: float = math.nan  # of futures
    gap_share: float = math.nan  # of futures
    npv_usd: float = math.nan  # of the one of the two compared that binds more firmly: what it saves
    payback_months: float = math.nan  # counted plainly
    payback_says: str = ""
    payback_discounted_months: float = math.nan  # in today's money
    payback_discounted_says: str = ""
    break_even_busy_share: float = math.nan
    break_even_says: str = ""
    ways: Mapping[str, OptionCosts] = field(default_factory=dict)  # by key; none where the point was refused
    note: str = ""  # a limit that was met, a price that is missing, why it was refused

    def agrees(self, other: PointAnswer) -> bool:
        """Whether two reckonings of one point are the same to the cent."""
        if set(self.ways) != set(other.ways) or self._words != other._words:
            return False
        pairs = [(self._numbers, other._numbers)]
        for one, two in ((self.ways[key], other.ways[key]) for key in self.ways):
            pairs.append(((one.present_usd, one.cash_today_usd), (two.present_usd, two.cash_today_usd)))
        return all(np.allclose(one, two, rtol=_RELATIVE, atol=CENT / 10, equal_nan=True) for one, two in pairs)

    @property
    def _words(self) -> tuple[str, ...]:
        says = self.payback_says, self.payback_discounted_says, self.break_even_says
        return self.leads, self.best, self.own, self.rent, *says, self.note

    @property
    def _numbers(self) -> tuple[float, ...]:
        # Months and shares times 10,000, so that a cent of them is a millionth.
        small = (self.payback_months, self.payback_discounted_months, self.break_even_busy_share)
        return self.npv_usd, *(1e4 * one for one in small)


@dataclass(frozen=True)
class _GridPoint:
    """One point of the grid: its scenario, or why there is none."""

    values: tuple[Any, ...]
    scenario: Scenario


@dataclass(frozen=True)
class Sweep:
    """A grid with the facts it is reckoned by.

    `with_break_even` also solves for the busy share, which takes time. `with_verdict` draws futures for every point, as
    pages do: then each is reckoned by itself. So it is with `measures`, other measures of each option.
    """

    catalogue: Catalogue
    grid: SweepGrid
    day: date
    with_break_even: bool = True
    with_verdict: bool = False
    measures: tuple[Measure, ...] = ()

    @cached_property
    def hows(self) -> Hows:
        """How each input that varies can be told for many points at once; empty where none can."""
        if self.with_verdict or self.measures:
            return {}
        for point in range(min(self.grid.count, MOST_TOGETHER)):
            first = self._point(point)
            if isinstance(first, _GridPoint) and not self._needs_completion(first):
                return self._encodings(first)
        return {}

    @cached_property
    def choices(self) -> MemoizedQuery[ChosenOffers]:
        """The offers that each point rents from."""
        return MemoizedQuery(self.catalogue, self.day, self.grid.paths, taken)

    @cached_property
    def mixes(self) -> MemoizedQuery[bool]:
        """Whether a mix could be the best way of a point."""
        return MemoizedQuery(self.catalogue, self.day, self.grid.paths, can_have_mix)

    def block(self, start: int, stop: int) -> list[PointAnswer]:
        """The answers of the points from one number up to another."""
        found: dict[int, PointAnswer] = {}
        groups: dict[tuple[Any, ...], list[int]] = {}
        points: dict[int, _GridPoint] = {}
        for number in range(start, stop):
            made = self._point(number)
            if isinstance(made, PointAnswer):
                found[number] = made
                continue
            points[number] = made
            groups.setdefault(self._shape(number, made), []).append(number)
        for shape, numbers in groups.items():
            for part in (numbers[first : first + MOST_TOGETHER] for first in range(0, len(numbers), MOST_TOGETHER)):
                answers = self._together([points[number] for number in part], shape[0])
                found.update(zip(part, answers, strict=True))
        return [found[number] for number in range(start, stop)]

    def alone(self, scenario: Scenario, offers: ChosenOffers | None = None) -> PointAnswer:
        """The answer of one scenario as its page says it; or its plan from offers that are chosen already."""
        if offers is None:
            made = planned(self.catalogue, scenario, self.day)
        else:
            made = plan_from_context(PlanContext(self.catalogue, scenario, self.day, offers=offers))
        setting = made.setting
        runners = [one for option in made.options for one in compared_options(setting, option)]
        decision = decide(runners, limits_of(setting.terms), chosen=bool(scenario.ways))
        found = _found(decision, made.absent)
        if self.with_verdict or self.measures:
            judged = decided(made)
            found = _sure(found, judged.answer) if self.with_verdict else found
            found = _measured(found, results_of(made, judged.answer, judged.futures), self.measures)
        if decision.pair is None:
            return found
        pair = decision.pair[0].option, decision.pair[1].option
        found = replace(found, **{name: one.item() for name, one in _paybacks(setting, pair).items()})
        if not self.with_break_even:
            return found
        turn = break_even(made, *pair, BREAK_EVEN)
        value = math.nan if turn.value is None else turn.value
        return replace(found, break_even_busy_share=value, break_even_says=turn.reason.word)

    def _point(self, number: int) -> _GridPoint | PointAnswer:
        values = self.grid.values(number)
        try:
            return _GridPoint(values, self.grid.scenario(values))
        except ScenarioError as error:
            return _refused(error.wish)

    def _shape(self, number: int, point: _GridPoint) -> tuple[Any, ...]:
        """What points must have in common to be reckoned together: the offers first."""
        if not self.hows or self._needs_completion(point):
            return (None, number)
        told = tuple(
            path in self.hows and is_number(path, value)
            for path, value in zip(self.grid.paths, point.values, strict=True)
        )
        fixed = tuple(None if column else value for column, value in zip(told, point.values, strict=True))
        return (self.choices.of(point.scenario, point.values), told, fixed)

    def _needs_completion(self, point: _GridPoint) -> bool:
        """Whether a page would first find something else: a model's speed, what is left open, or the best mix."""
        return _names_a_model(point.scenario) or self.mixes.of(point.scenario, point.values)

    def _together(self, points: Sequence[_GridPoint], offers: ChosenOffers | None) -> list[PointAnswer]:
        """The answers of points of one shape; each alone where they are few, or do not agree with their own plans."""
        if offers is None or len(points) < FEWEST_TOGETHER:
            return [self._alone(point, offers) for point in points]
        answers = self._columns(points, offers, self.hows)
        if answers and all(
            answers[place].agrees(self._alone(points[place], offers)) for place in _probe_indices(points)
        ):
            return answers
        half = len(points) // 2
        return [*self._together(points[:half], offers), *self._together(points[half:], offers)]

    def _alone(self, point: _GridPoint, offers: ChosenOffers | None = None) -> PointAnswer:
        try:
            return self.alone(point.scenario, offers)
        except PricingError as error:
            return _refused(str(error))

    def _columns(self, points: Sequence[_GridPoint], offers: ChosenOffers, known: Hows) -> list[PointAnswer]:
        """The answers of some points reckoned as columns; none where the engine cannot take them so."""
        setting = PlanContext(self.catalogue, points[0].scenario, self.day, offers=offers)
        every = {
            path: [point.values[place] for point in points]
            for place, path in enumerate(self.grid.paths)
            if path in known and is_number(path, points[0].values[place])
        }
        values = {path: np.array(ones, dtype=np.float64) for path, ones in every.items()}
        told = as_columns(setting, {path: ones for path, ones in values.items() if np.ptp(ones) > 0}, known)
        try:
            return _answers(told, [point.scenario for point in points], self.with_break_even)
        except (ValueError, TypeError, IndexError, FloatingPointError):  # it wants a plain number somewhere
            return []

    def _encodings(self, first: _GridPoint) -> dict[Path, How]:
        """How each input can be told, asked of the engine around the first point."""

        def agrees(_: Scenario, path: Path, few: Sequence[float], how: How) -> bool:
            place = self.grid.paths.index(path)
            points = []
            for value in few:
                values = (*first.values[:place], value, *first.values[place + 1 :])
                try:
                    points.append(_GridPoint(values, self.grid.scenario(values)))
                except ScenarioError:
                    return False
            for at, point in enumerate(points):
                offers = self.choices.of(point.scenario, point.values)
                answers = self._columns(points, offers, {path: how})
                if not answers or not answers[at].agrees(self._alone(point, offers)):
                    return False
            return True

        return hows(first.scenario, {path: self.grid.values_of_path(path) for path in self.grid.paths}, agrees)


def _refused(why: str) -> PointAnswer:
    return PointAnswer(REFUSED, verdict=REFUSED, note=why)


def _names_a_model(scenario: Scenario) -> bool:
    """Whether the work is told by a model or the accelerator left to be chosen."""
    return scenario.accelerator == "any" or any(work.train or work.serve for work in scenario.work)


def _probe_indices(points: Sequence[_GridPoint]) -> list[int]:
    """The points that are also reckoned alone: the first, middle and last, and those at the ends of each input."""
    places = {0, len(points) // 2, len(points) - 1}
    for column in zip(*(point.values for point in points), strict=True):
        if all(isinstance(value, int | float) for value in column):
            places |= {int(np.argmin(column)), int(np.argmax(column))}
    return sorted(places)


def _answers(told: InputColumns, scenarios: Sequence[Scenario], with_break_even: bool) -> list[PointAnswer]:
    """The answers of scenarios whose inputs stand in columns."""
    count = len(scenarios)
    made = plan_from_context(told.context())
    columns = [compared_options(made.setting, option) for option in made.options]
    columns = [column if len(column) == count else column * count for column in columns]
    decisions = [
        decide([column[place] for column in columns], limits_of(scenario.terms), chosen=bool(scenario.ways))
        for place, scenario in enumerate(scenarios)
    ]
    found = [_found(one, made.absent) for one in decisions]
    pairs: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(decisions):
        if one.pair:
            pairs.setdefault((one.pair[0].option.key, one.pair[1].option.key), []).append(place)
    for keys, places in pairs.items():
        own, rent = (_option(made, key) for key in keys)
        _compared(made, (own, rent), np.array(places), found)
        if with_break_even:
            _turned(told.take(np.array(places)), (own, rent), scenarios, places, found)
    return found


def _option(made: Plan, key: str) -> Option:
    found = made.option(key)
    assert found is not None
    return found


def _compared(
    made: Plan, pair: tuple[Option, Option], places: np.ndarray[Any, np.dtype[np.intp]], found: list[PointAnswer]
) -> None:
    """Adds to the points when what owning costs first has come back."""
    columns = {name: np.broadcast_to(one, len(found)) for name, one in _paybacks(made.setting, pair).items()}
    for place in places.tolist():
        found[place] = replace(found[place], **{name: column[place].item() for name, column in columns.items()})


def _paybacks(setting: PlanContext, pair: tuple[Option, Option]) -> dict[str, Any]:
    """When what the first costs has come back against the second, counted plainly and in today's money, and why."""
    first, second = pair[0].ledger, pair[1].ledger
    backs = {
        "": simple_payback(usd=savings_before_resale_usd(first, second)),
        "discounted_": cash_payback(setting, first, second),
    }
    months = {f"payback_{name}months": np.asarray(back.months) for name, back in backs.items()}
    return months | {f"payback_{name}says": back.reason for name, back in backs.items()}


def _measured(found: PointAnswer, results: Iterable[OptionResult], measures: Sequence[Measure]) -> PointAnswer:
    """A point's answer with other measures of its options; not-a-number where there is none."""
    ways = dict(found.ways)
    for it in results:
        numbers = {one.name: one.number(it) for one in measures}
        told = {name: math.nan if number is None else number for name, number in numbers.items()}
        ways[it.key] = replace(ways[it.key], measures=told)
    return replace(found, ways=ways)


def _turned(
    told: InputColumns,
    pair: tuple[Option, Option],
    scenarios: Sequence[Scenario],
    places: list[int],
    found: list[PointAnswer],
) -> None:
    """Adds to the points how busy both ways must be to cost the same."""
    usual = [min(work.effective_utilization for work in scenarios[place].work) for place in places]
    turn: UtilizationBreakEven = utilization_break_even(told, *pair, np.array(usual))
    for at, place in enumerate(places):
        found[place] = replace(found[place], break_even_busy_share=float(turn.share[at]), break_even_says=turn.says[at])


def _found(decision: Decision, absent: Sequence[SkippedOption]) -> PointAnswer:
    """What a decision says of its point."""
    own, rent, best, pair = decision.own, decision.rent, decision.best, decision.pair
    notes = ("" if decision.limit is None else decision.limit.said, *decision.missing)
    if best is None:
        notes = tuple(dict.fromkeys(one.reason for one in absent))
    return PointAnswer(
        leads=_leading_side(decision),
        best=best.option.key if best else "",
        own=own.option.key if own else "",
        rent=rent.option.key if rent else "",
        npv_usd=pair[1].present_usd - pair[0].present_usd if pair else math.nan,
        ways={one.option.key: OptionCosts(one.present_usd, one.today_usd) for one in decision.ranked},
        note="; ".join(note for note in notes if note),
    )


def _leading_side(decision: Decision) -> str:
    """The side that leads at typical figures, without a word on how sure that is; or why none does."""
    if decision.best is None or decision.verdict in ("incomplete", "limited"):
        return decision.verdict
    return decision.best.side


def _sure(found: PointAnswer, told: Answer) -> PointAnswer:
    """A point's answer with what its futures say of it."""
    return replace(
        found,
        verdict=told.verdict,
        share_cheaper=math.nan if told.share_cheaper is None else told.share_cheaper,
        gap_share=math.nan if told.gap_share is None else told.gap_share,
        ways={
            one.option.key: replace(found.ways[one.option.key], low_usd=one.low_usd, high_usd=one.high_usd)
            for one in told.ranked
        },
    )
