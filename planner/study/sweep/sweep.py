"""Thousands of plans: the answer of every point of a grid.

Points that differ only in figures go through the engine together, as its draws do; inputs that change the shape of a
plan (the accelerator, its length, the count, the offers it rents from) separate them. Some points of each group, among
them those at the ends of every input, are also calculated alone. If one of them differs, the group is halved and tried
again, down to single points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import numpy as np

from planner.money.many_ledgers import InputColumns
from planner.money.measures import monthly_discount_factors, payback_against
from planner.money.option import Option, SkippedOption
from planner.money.plan import plan as priced
from planner.money.plan import plan_from_context
from planner.money.renting.cheapest_offer import ChosenSellers, booked, chosen_sellers, taken
from planner.money.setting import ChosenOffers, PlanContext
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import break_even
from planner.money.verdict.contender import ComparedOption, compared_options, plan_limits
from planner.money.verdict.decision import Decision, decide, decide_rows, independent_prices
from planner.scenario.grid import SweepGrid
from planner.scenario.known_names import ScenarioError
from planner.scenario.path import Path
from planner.scenario.scenario import Scenario
from planner.speed.kept_data import with_usual_data
from planner.study.measures import Measure, OptionResult, results_of
from planner.study.mix.best_mix import can_have_mix
from planner.study.plan_any import planned
from planner.study.sweep.columns import (
    Encoding,
    Encodings,
    MemoizedQuery,
    as_columns,
    find_encodings,
    is_number,
    utilization_break_even,
)
from planner.study.uncertainty.sure_verdict import decided
from pricing import Catalogue, PricingError
from pricing.caching import cached_property

MOST_TOGETHER = 1_024  # points: 1,024 x 61 months x 8 bytes is 500 kB a line
FEWEST_TOGETHER = 6  # fewer are as fast one by one
CENT = 0.005
_RELATIVE = 1e-8
BREAK_EVEN = "busy_share"
REFUSED = "refused"
_COLUMN = object()
_WANTS_A_NUMBER = (ValueError, TypeError, IndexError, FloatingPointError)  # of what cannot take a column


@dataclass(frozen=True)
class OptionCosts:
    """The net present cost of one option of one point. [USD]"""

    present_usd: float  # the median of its futures; as entered where none are drawn
    cash_today_usd: float
    low_usd: float = math.nan  # 10th and 90th percentile, where futures are drawn
    high_usd: float = math.nan
    measures: Mapping[str, float] = field(default_factory=dict)  # others that were requested, by name


@dataclass(frozen=True)
class PointAnswer:
    """The answer of one point. What rests on futures is present only where they are drawn."""

    leads: str  # the side of `best`: own, rent, keep or mix; or why none does
    best: str = ""
    own: str = ""  # the option that represents owning, by its key
    rent: str = ""
    verdict: str = ""  # of futures
    share_cheaper: float = math.nan  # of futures
    gap_share: float = math.nan  # of futures
    npv_usd: float = math.nan  # savings of the option of the pair with the longer commitment
    payback_months: float = math.nan  # not discounted
    payback_says: str = ""
    payback_discounted_months: float = math.nan
    payback_discounted_says: str = ""
    break_even_busy_share: float = math.nan
    break_even_says: str = ""
    ways: Mapping[str, OptionCosts] = field(default_factory=dict)  # by key; none where the point was refused
    note: str = ""  # a limit that was met, a price that is missing, why it was refused

    def agrees(self, other: PointAnswer) -> bool:
        """Return whether two calculations of one point are the same to the cent."""
        if set(self.ways) != set(other.ways) or self._words != other._words:
            return False
        pairs = [(self._numbers, other._numbers)]
        for own, theirs in ((self.ways[key], other.ways[key]) for key in self.ways):
            pairs.append(((own.present_usd, own.cash_today_usd), (theirs.present_usd, theirs.cash_today_usd)))
        return all(np.allclose(*pair, rtol=_RELATIVE, atol=CENT / 10, equal_nan=True) for pair in pairs)

    @property
    def _words(self) -> tuple[str, ...]:
        says = self.payback_says, self.payback_discounted_says, self.break_even_says
        return self.leads, self.best, self.own, self.rent, *says, self.note

    @property
    def _numbers(self) -> tuple[float, ...]:
        # Months and shares times 10,000, so that a cent of them is a millionth.
        small = (self.payback_months, self.payback_discounted_months, self.break_even_busy_share)
        return self.npv_usd, *(1e4 * number for number in small)


@dataclass(frozen=True)
class _GridPoint:
    """One point of the grid with its scenario."""

    values: tuple[Any, ...]
    scenario: Scenario


@dataclass(frozen=True)
class Sweep:
    """A grid with the facts to calculate it by.

    `with_break_even` also solves for the break-even utilization, which takes time. `with_verdict` draws futures for
    every point, as pages do; then each is calculated by itself, as with `measures`, other measures of each option.
    """

    catalogue: Catalogue
    grid: SweepGrid
    day: date
    with_break_even: bool = True
    with_verdict: bool = False
    measures: tuple[Measure, ...] = ()

    @cached_property
    def encodings(self) -> Encodings:
        """The encoding of each input that varies, for many points at once; empty where none can be encoded."""
        if self.with_verdict or self.measures:
            return {}
        for number in range(min(self.grid.count, MOST_TOGETHER)):
            first = self._point(number)
            if isinstance(first, _GridPoint) and not self._needs_completion(first):
                return self._encodings(first)
        return {}

    @cached_property
    def offers(self) -> MemoizedQuery[ChosenOffers]:
        """The offers that each point rents from, found one by one."""
        return MemoizedQuery(self.catalogue, self.day, self.grid.paths, taken)

    @cached_property
    def sellers(self) -> MemoizedQuery[ChosenSellers]:
        """Whom each point rents from."""
        return MemoizedQuery(self.catalogue, self.day, self.grid.paths, chosen_sellers)

    @cached_property
    def mixes(self) -> MemoizedQuery[bool]:
        """The query whether a mix could be the best option of a point."""
        return MemoizedQuery(self.catalogue, self.day, self.grid.paths, can_have_mix)

    def block(self, start: int, stop: int) -> list[PointAnswer]:
        """Return the answers of the points from one number up to another."""
        answers: dict[int, PointAnswer] = {}
        points: dict[int, _GridPoint] = {}
        for number in range(start, stop):
            point = self._point(number)
            if isinstance(point, PointAnswer):
                answers[number] = point
            elif not self.encodings or self._needs_completion(point):
                answers[number] = self._alone(point)
            else:
                points[number] = point
        groups: dict[tuple[Any, ...], list[int]] = {}
        for number, offers in self._offers(points):
            groups.setdefault((offers, self._shape(points[number])), []).append(number)
        for (offers, _), numbers in groups.items():
            for first in range(0, len(numbers), MOST_TOGETHER):
                batch = numbers[first : first + MOST_TOGETHER]
                answers.update(zip(batch, self._batch_answers([points[each] for each in batch], offers), strict=True))
        return [answers[number] for number in range(start, stop)]

    def _offers(self, points: Mapping[int, _GridPoint]) -> Iterator[tuple[int, ChosenOffers]]:
        """Yield the offers of each point: those of points with the same sellers and shape are found together."""
        groups: dict[tuple[Any, ...], tuple[ChosenSellers, list[int]]] = {}
        for number, point in points.items():
            sellers = self.sellers.get(point.scenario, point.values)
            groups.setdefault((id(sellers), self._shape(point)), (sellers, []))[1].append(number)
        is_typed = bool({"rent", "reserve"} & {path[0] for path in self.encodings})  # prices of yours differ by offer
        for sellers, numbers in groups.values():
            several = [points[number] for number in numbers]
            columns = self._columns(several, sellers.offers, self.encodings)
            try:
                offers = [] if is_typed else booked(columns.context(), sellers.eligible)
            except _WANTS_A_NUMBER:
                offers = []
            offers = offers or [self.offers.get(point.scenario, point.values) for point in several]
            yield from zip(numbers, offers * (len(numbers) // len(offers)), strict=True)

    def alone(self, scenario: Scenario, *, is_complete: bool = False) -> PointAnswer:
        """Return the answer of one scenario as its page gives it; `is_complete` where nothing must be found first."""
        plan = (priced if is_complete else planned)(self.catalogue, scenario, self.day)
        setting = plan.setting
        options = [each for option in plan.options for each in compared_options(setting, option)]
        judged = decided(plan) if self.with_verdict or self.measures else None
        simulated = judged.futures.costs if judged and judged.futures else None
        decision = decide(
            options, plan_limits(setting.terms), chosen=bool(scenario.ways), simulated=simulated,
            prices=independent_prices(setting),
        )  # fmt: skip
        answer = _point_answer(decision, plan.absent, decision.ranked)
        if judged is not None:
            answer = _with_futures(answer, judged.answer)
            answer = _with_measures(answer, results_of(plan, judged.answer, judged.futures), self.measures)
        if decision.pair is None:
            return answer
        pair = decision.pair[0].option, decision.pair[1].option
        answer = replace(answer, **{name: value.item() for name, value in _paybacks(setting, pair).items()})
        if not self.with_break_even:
            return answer
        turn = break_even(plan, *pair, BREAK_EVEN)
        value = math.nan if turn.value is None else turn.value
        return replace(answer, break_even_busy_share=value, break_even_says=turn.reason.word)

    def _point(self, number: int) -> _GridPoint | PointAnswer:
        values = self.grid.values(number)
        try:
            return _GridPoint(values, with_usual_data(self.catalogue, self.grid.scenario(values)))
        except ScenarioError as error:
            return _refused(error.wish)

    def _shape(self, point: _GridPoint) -> tuple[Any, ...]:
        """Return the values of a point that are no columns."""
        pairs = zip(self.grid.paths, point.values, strict=True)
        return tuple(_COLUMN if path in self.encodings and is_number(path, value) else value for path, value in pairs)

    def _needs_completion(self, point: _GridPoint) -> bool:
        """Return whether something must be found first: a speed, the accelerator, prices of yours, or the best mix."""
        scenario = point.scenario
        is_open = scenario.accelerator == "any" or any(work.has_task for work in scenario.work)
        is_open = is_open or bool(scenario.quotes or scenario.discounts)
        return is_open or self.mixes.get(scenario, point.values)

    def _batch_answers(self, points: Sequence[_GridPoint], offers: ChosenOffers) -> list[PointAnswer]:
        """Return the answers of a batch; each alone where they are few, or do not agree with their own plans."""
        if len(points) < FEWEST_TOGETHER:
            return [self._alone(point, is_complete=True) for point in points]
        answers = self._together(points, offers, self.encodings)
        probes = _probe_indices(points) if answers else []
        if answers and all(answers[index].agrees(self._alone(points[index], is_complete=True)) for index in probes):
            return answers
        half = len(points) // 2
        return [*self._batch_answers(points[:half], offers), *self._batch_answers(points[half:], offers)]

    def _alone(self, point: _GridPoint, *, is_complete: bool = False) -> PointAnswer:
        try:
            return self.alone(point.scenario, is_complete=is_complete)
        except PricingError as error:
            return _refused(str(error))

    def _columns(self, points: Sequence[_GridPoint], offers: ChosenOffers, encodings: Encodings) -> InputColumns:
        """Return some points as columns of the inputs in which they differ."""
        setting = PlanContext(self.catalogue, points[0].scenario, self.day, offers=offers)
        values = {
            path: np.array([point.values[index] for point in points], dtype=np.float64)
            for index, path in enumerate(self.grid.paths)
            if path in encodings and is_number(path, points[0].values[index])
        }
        return as_columns(setting, {path: column for path, column in values.items() if np.ptp(column) > 0}, encodings)

    def _together(self, points: Sequence[_GridPoint], offers: ChosenOffers, encodings: Encodings) -> list[PointAnswer]:
        """Return the answers of some points calculated as columns; empty where the engine cannot do so."""
        columns = self._columns(points, offers, encodings)
        try:
            return _answers(columns, [point.scenario for point in points], self.with_break_even)
        except _WANTS_A_NUMBER:
            return []

    def _encodings(self, first: _GridPoint) -> dict[Path, Encoding]:
        """Return how each input can be encoded, tried around the first point."""

        def agrees(path: Path, values: Sequence[float], encoding: Encoding) -> bool:
            at = self.grid.paths.index(path)
            rows = [(*first.values[:at], value, *first.values[at + 1 :]) for value in values]
            try:
                points = [_GridPoint(row, with_usual_data(self.catalogue, self.grid.scenario(row))) for row in rows]
            except ScenarioError:
                return False
            for index, point in enumerate(points):
                offers = self.offers.get(point.scenario, point.values)
                answers = self._together(points, offers, {path: encoding})
                if not answers or not answers[index].agrees(self._alone(point, is_complete=True)):
                    return False
            return True

        return find_encodings({path: self.grid.values_of_path(path) for path in self.grid.paths}, agrees)


def _refused(reason: str) -> PointAnswer:
    return PointAnswer(REFUSED, verdict=REFUSED, note=reason)


def _probe_indices(points: Sequence[_GridPoint]) -> list[int]:
    """Return the points to calculate alone too: the first, middle and last, and those at the ends of each input."""
    indices = {0, len(points) // 2, len(points) - 1}
    for column in zip(*(point.values for point in points), strict=True):
        if all(isinstance(value, int | float) for value in column):
            indices |= {int(np.argmin(column)), int(np.argmax(column))}
    return sorted(indices)


def _answers(columns: InputColumns, scenarios: Sequence[Scenario], with_break_even: bool) -> list[PointAnswer]:
    """Return the answers of scenarios whose inputs are columns."""
    count, plan = len(scenarios), plan_from_context(columns.context())
    options = [compared_options(plan.setting, option) for option in plan.options]
    options = [column if len(column) == count else column * count for column in options]
    rows = list(zip(*options, strict=True))
    decisions = decide_rows(rows, [(plan_limits(each.terms), bool(each.ways)) for each in scenarios])
    answers = [_point_answer(decision, plan.absent, row) for decision, row in zip(decisions, rows, strict=True)]
    pairs: dict[tuple[str, str], list[int]] = {}
    for index, decision in enumerate(decisions):
        if decision.pair:
            pairs.setdefault((decision.pair[0].option.key, decision.pair[1].option.key), []).append(index)
    for keys, indices in pairs.items():
        own, rent = (plan.option(key) for key in keys)
        assert own is not None
        assert rent is not None
        paybacks = {name: np.broadcast_to(each, count) for name, each in _paybacks(plan.setting, (own, rent)).items()}
        for index in indices:
            answers[index] = replace(answers[index], **{name: each[index].item() for name, each in paybacks.items()})
        if with_break_even:
            usual = [min(work.effective_utilization for work in scenarios[index].work) for index in indices]
            turn = utilization_break_even(columns.take(np.array(indices)), own, rent, np.array(usual))
            for index, share, says in zip(indices, turn.share.tolist(), turn.says, strict=True):
                answers[index] = replace(answers[index], break_even_busy_share=share, break_even_says=says)
    return answers


def _paybacks(setting: PlanContext, pair: tuple[Option, Option]) -> dict[str, Any]:
    """Return the payback of the first option against the second, plain and discounted, with its reason."""
    first, second = pair[0].ledger, pair[1].ledger
    paybacks = {
        "": payback_against(first, second),
        "discounted_": payback_against(first, second, monthly_discount_factors(setting)),
    }
    months = {f"payback_{name}months": np.asarray(payback.months) for name, payback in paybacks.items()}
    return months | {f"payback_{name}says": payback.reason for name, payback in paybacks.items()}


def _with_measures(answer: PointAnswer, results: Iterable[OptionResult], measures: Sequence[Measure]) -> PointAnswer:
    """Return a point's answer with other measures of its options; not-a-number where there is none."""
    ways = dict(answer.ways)
    for result in results:
        numbers = {measure.name: measure.number(result) for measure in measures}
        known = {name: math.nan if number is None else number for name, number in numbers.items()}
        ways[result.key] = replace(ways[result.key], measures=known)
    return replace(answer, ways=ways)


def _point_answer(decision: Decision, absent: Sequence[SkippedOption], row: Sequence[ComparedOption]) -> PointAnswer:
    own, rent, best, pair = decision.own, decision.rent, decision.best, decision.pair
    costs = {each.option.key: OptionCosts(each.present_usd, each.today_usd) for each in row}
    notes = ("" if decision.limit is None else decision.limit.message, *decision.missing)
    if best is None:
        notes = tuple(dict.fromkeys(option.reason for option in absent))
    unsure = best is None or decision.verdict in ("incomplete", "limited")
    first, second = (costs[each.option.key].present_usd for each in pair) if pair else (math.nan, math.nan)
    return PointAnswer(
        leads=decision.verdict if best is None or unsure else best.side,
        best=best.option.key if best else "",
        own=own.option.key if own else "",
        rent=rent.option.key if rent else "",
        npv_usd=second - first,
        ways={each.option.key: costs[each.option.key] for each in decision.ranked},
        note="; ".join(note for note in notes if note),
    )


def _with_futures(point: PointAnswer, answer: Answer) -> PointAnswer:
    costs = ((each.option.key, each.present_usd, each.low_usd, each.high_usd) for each in answer.ranked)
    return replace(
        point,
        verdict=answer.verdict,
        share_cheaper=math.nan if answer.share_cheaper is None else answer.share_cheaper,
        gap_share=math.nan if answer.gap_share is None else answer.gap_share,
        ways={
            key: replace(point.ways[key], present_usd=usd, low_usd=low, high_usd=high) for key, usd, low, high in costs
        },
    )
