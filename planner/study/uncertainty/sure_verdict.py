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
from planner.study.uncertainty.uncertain_inputs import UncertainParameter, normal_quantiles

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


_POINTS = 41  # equally likely values of an input that is drawn alone
_TRIED = 3  # inputs that may be the reason
_REACH = 3.0  # standard deviations within which a verdict may turn


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
    options, entered = [each.option for each in skewed], np.array([each.as_entered_usd for each in skewed])
    alone = _costs_drawn_alone(answer, futures, options)
    sign = np.sign(np.array([each.present_usd for each in skewed]) - entered)
    middles = np.array([alone.mean(axis=-1), np.median(alone, axis=-1)])
    moved = ((middles - entered[:, None]) * sign[:, None]).max(axis=0)
    most = np.argsort(-np.nan_to_num(moved), axis=-1)[:, :_TRIED]
    held = {
        int(row): _medians_without(answer, futures, options, int(row), turns_count(futures.count))
        for row in np.unique(most)
    }
    reasons = [min(most[at].tolist(), key=lambda row: abs(held[row][at] - entered[at])) for at in range(len(skewed))]
    without = {row: _medians_without(answer, futures, options, row, futures.count) for row in set(reasons)}
    return tuple(
        MedianShift(each.option.title, each.as_entered_usd, each.present_usd, futures.inputs[row], without[row][at])
        for at, (each, row) in enumerate(zip(skewed, reasons, strict=True))
    )


def _costs_drawn_alone(answer: Answer, futures: Futures, options: Sequence[Option]) -> NDArray[np.float64]:
    """Return what options cost where one input is drawn and all others are typical: options x inputs x values."""
    inputs, z = futures.inputs, normal_quantiles(_POINTS)
    rows = one_at_a_time(answer.plan, inputs, [parameter.spread.at(z) for parameter in inputs])
    return costs(answer.plan, options, rows).reshape(len(options), len(inputs), _POINTS)


def _medians_without(
    answer: Answer, futures: Futures, options: Sequence[Option], row: int, count: int
) -> list[float]:  # fmt: skip
    """Return the medians of options in the first futures with one input at its typical value."""
    most, draws = futures.inputs[row], {name: values[:count] for name, values in futures.draws.items()}
    draws[most.name] = np.full(len(draws[most.name]), most.spread.typical)
    usd = costs(answer.plan, options, InputColumns(answer.plan.setting, draws))
    return [float(median) for median in np.median(usd, axis=-1)]


def turning_value(futures: Futures, shares: VerdictShares, parameter: UncertainParameter) -> float | None:
    """Return the value of an input at which another group holds as many futures as the one that leads.

    On the futures themselves: the input is fixed at each value in turn and all others are drawn. Options that are never
    the cheapest and have not the lowest median of their group are left out.
    """
    firsts = {candidate(option).group: option for option in sorted(
        futures.options, key=lambda option: -futures.present(option.key).middle)}  # fmt: skip
    options = [option for option in futures.options
               if shares.share.get(option.key) or option in firsts.values()]  # fmt: skip
    grid = np.unique(parameter.spread.around_typical(np.linspace(-_REACH, _REACH, STEPS)))
    count = turns_count(futures.count)
    draws = {name: values[:count] for name, values in futures.draws.items() if name != parameter.name}
    if not draws:
        return None
    columns = InputColumns(futures.plan.setting, draws, along=(parameter.name, grid))
    usd, candidates = costs(futures.plan, options, columns), [candidate(option) for option in options]
    tables = [verdict_shares(candidates, at, np.zeros_like(at)).group_share for at in np.moveaxis(usd, -1, 0)]
    by_group = {group: np.array([table[group] for table in tables]) for group in tables[0]}
    return turns_at(grid, by_group, shares.lead, parameter.spread.typical)
