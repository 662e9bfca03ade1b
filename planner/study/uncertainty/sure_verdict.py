"""The verdict, read from the futures. Page, command line and files all take it from here.

What moves the middle of the futures: why a median is not the cost as entered, and the value that turns a verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.many_ledgers import InputColumns
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer, build_answer
from planner.money.verdict.breakeven import BUSY, RENT, ledger_input_value, plan_utilization
from planner.money.verdict.decision import candidate
from planner.money.verdict.shares import VerdictShares, turns_at, verdict_shares
from planner.money.ways import WAYS
from planner.scenario.budget import STEPS, turns_count
from planner.study.uncertainty.futures import Futures, PercentileBand, draw_futures, percentile_band
from planner.study.uncertainty.tornado import costs, one_at_a_time, saved_usd
from planner.study.uncertainty.uncertain_inputs import Z_TAIL, UncertainParameter
from pricing.caching import cached_property

_LEAST, _MOST_TIMES = 0.02, 3.0  # utilization from so little to all hours; rents from nothing to three times today's


@dataclass(frozen=True, eq=False)
class Judged:
    """An answer, and the futures that it rests on; none where there is nothing to draw."""

    answer: Answer
    futures: Futures | None


def decided(plan: Plan, count: int | None = None) -> Judged:
    """Return the answer of a plan, and the futures that it is read from."""
    futures = draw_futures(plan, count)
    return Judged(build_answer(plan, None if futures is None else futures.costs), futures)


@dataclass(frozen=True)
class BreakEvenBand:
    """The break-even of eight of ten futures that have one, and the share that has one."""

    band: PercentileBand | None
    share: float  # of those futures in which there is one
    count: int  # of futures in which it was looked for: the first of all that were drawn


def break_even_band(drawn: Futures, own_key: str, rent_key: str, name: str) -> BreakEvenBand | None:
    """Return the break-even of `busy_share` or of rents in all futures; None where the plan has no such input."""
    plan, own, rent = drawn.plan, drawn.plan.option(own_key), drawn.plan.option(rent_key)
    if own is None or rent is None:
        return None
    if name == "busy_share":
        utilization = plan_utilization(plan.setting, 1.0)
        if not utilization:
            return None
        tried, scale, grid = BUSY, utilization, np.linspace(_LEAST, 1.0, STEPS) / utilization
    else:
        price = ledger_input_value(RENT, rent.ledger)
        if price is None or rent.way != "on_demand" or WAYS[own.way].rents_machines:
            return None
        tried, scale, grid = RENT, 1.0, np.linspace(0.0, _MOST_TIMES * price[0], STEPS)
    count = turns_count(drawn.count)
    draws = {key: values[:count] for key, values in drawn.draws.items() if key != tried}
    saved = saved_usd(plan, (own, rent), InputColumns(plan.setting, draws, along=(tried, grid)))
    turns = (saved[:, 1:] > 0) != (saved[:, :-1] > 0)
    flips = turns.any(axis=1)
    if not flips.any():
        return BreakEvenBand(None, 0.0, count)
    row, at = np.flatnonzero(flips), turns[flips].argmax(axis=1)
    before, after = saved[row, at], saved[row, at + 1]
    values = (grid[at] - before * (grid[at + 1] - grid[at]) / (after - before)) * scale
    return BreakEvenBand(percentile_band(values), float(flips.mean()), count)


_AWAY = np.linspace(-3.0, 3.0, 9)  # standard deviations from the typical value at which options are built
_IN_RANGE = np.linspace(-Z_TAIL, Z_TAIL, 9)  # the same, at which a verdict is looked at: from end to end
_TRIED = 3  # inputs that may be the reason


@dataclass(frozen=True)
class MedianShift:
    """An option whose median is not what it costs as entered, and the input that does most to it."""

    title: str
    as_entered_usd: float
    median_usd: float
    input: UncertainParameter
    without_usd: float  # the median with this input at its typical value, all others drawn


def median_shifts(answer: Answer, futures: Futures | None) -> tuple[MedianShift, ...]:
    """Return the options whose median and cost as entered differ by more than a twentieth, with the reason.

    Drawn alone, an input moves the mean cost, or where it outweighs all others the median. The inputs that move most of
    either are held at their typical value in turn, and the one that brings the median closest is the reason.
    """
    skewed = [way for way in answer.ranked if futures and futures.row(way.option.key) is not None and way.is_skewed]
    if futures is None or not futures.inputs or not skewed:
        return ()
    entered = np.array([each.as_entered_usd for each in skewed])
    responses = input_responses(futures, [each.option for each in skewed], futures.inputs)
    sign = np.sign(np.array([each.present_usd for each in skewed]) - entered)
    alone = np.array([each.alone for each in responses])  # inputs x options x futures
    middles = np.array([alone.mean(axis=-1), np.median(alone, axis=-1)])
    moved = ((middles - entered) * sign).max(axis=0).T
    most = np.argsort(-np.nan_to_num(moved), axis=-1)[:, :_TRIED]
    held = {row: responses[row] for row in np.unique(most).tolist()}
    without = {row: np.median(each.futures_at(each.input.spread.typical), axis=-1) for row, each in held.items()}
    reasons = [min(most[at].tolist(), key=lambda row: abs(without[row][at] - entered[at])) for at in range(len(skewed))]
    return tuple(
        MedianShift(
            each.option.title, each.as_entered_usd, each.present_usd, futures.inputs[row], float(without[row][at])
        )
        for at, (each, row) in enumerate(zip(skewed, reasons, strict=True))
    )


@dataclass(frozen=True, eq=False)
class InputResponse:
    """What some options of the futures cost at values of one input, all others typical."""

    futures: Futures
    options: Sequence[Option]
    input: UncertainParameter
    values: NDArray[np.float64]
    usd: NDArray[np.float64]  # options x values

    @cached_property
    def alone(self) -> NDArray[np.float64]:
        """What the options cost where this input is drawn alone: options x futures."""
        return self._between(self.futures.draws[self.input.name])

    def futures_at(self, value: float) -> NDArray[np.float64]:
        """Return what the options cost in every future with this input at one value: options x futures.

        The cost of a future changes by as much as that of the typical plan: in proportion, or where a cost may be a
        gain by the difference.
        """
        usd = np.array([self.futures.present_usd[self.futures.row(option.key)] for option in self.options])
        here, there = self._between(np.array([value])), self.alone
        is_cost = (self.usd > 0).all(axis=-1, keepdims=True)
        return np.where(is_cost, usd * here / np.where(is_cost, there, 1.0), usd + here - there)

    def _between(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([np.interp(values, self.values, usd) for usd in self.usd])


def input_responses(
    futures: Futures, options: Sequence[Option], inputs: Sequence[UncertainParameter]
) -> tuple[InputResponse, ...]:
    """Return what options cost at values of each of some inputs, in one build."""
    values = [each.spread.around_typical(_AWAY) for each in inputs]
    usd = costs(futures.plan, options, one_at_a_time(futures.plan, inputs, values))
    usd = usd.reshape(len(options), len(inputs), len(_AWAY))
    return tuple(
        InputResponse(futures, options, each, values[row], usd[:, row]) for row, each in enumerate(inputs)
    )  # fmt: skip


def likeliest_to_turn(futures: Futures, first: str, second: str) -> tuple[UncertainParameter, ...]:
    """Return the inputs by their effect on the saving of one option against another, the largest first.

    Over the futures, by the slopes of a straight-line fit: nothing is built for it.
    """
    draws = np.array([futures.draws[each.name] for each in futures.inputs])
    away = draws - draws.mean(axis=-1, keepdims=True)
    sizes = away.std(axis=-1, keepdims=True)
    away /= np.where(sizes > 0, sizes, 1.0)
    slopes = np.linalg.lstsq(away @ away.T, away @ futures.saved_usd(first, second))[0]
    return tuple(futures.inputs[row] for row in np.argsort(-np.abs(slopes), kind="stable"))


def turning_values(
    futures: Futures, shares: VerdictShares, inputs: Sequence[UncertainParameter]
) -> tuple[float | None, ...]:
    """Return for each input the value within its range at which another group holds as many futures as the leading one.

    The input is fixed at each value in turn and all others are drawn. Options that are never the cheapest and have not
    the lowest median of their group are left out.
    """
    firsts = {candidate(option).group: option for option in sorted(
        futures.options, key=lambda option: -futures.present(option.key).middle)}  # fmt: skip
    options = [option for option in futures.options
               if shares.share.get(option.key) or option in firsts.values()]  # fmt: skip
    candidates = [candidate(option) for option in options]

    def turn(response: InputResponse) -> float | None:
        grid = np.unique(response.input.spread.around_typical(_IN_RANGE))
        costs_usd = [response.futures_at(value) for value in grid.tolist()]
        tables = [verdict_shares(candidates, usd, np.zeros_like(usd)).group_share for usd in costs_usd]
        by_group = {group: np.array([table[group] for table in tables]) for group in tables[0]}
        return turns_at(grid, by_group, shares.lead, response.input.spread.typical)

    return tuple(turn(each) for each in input_responses(futures, options, inputs))
