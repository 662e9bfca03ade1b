"""What moves the middle of the futures: why a median is not the cost as entered, and the value that turns a verdict."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.many_ledgers import InputColumns
from planner.money.verdict.answer import Answer
from planner.money.verdict.decision import candidate
from planner.money.verdict.shares import VerdictShares, turns_at, verdict_shares
from planner.scenario.budget import STEPS, TURNS
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.tornado import costs
from planner.study.uncertainty.uncertain_inputs import UncertainParameter, normal_quantiles

SKEWED = 0.05  # of the cost as entered: a larger difference of the median is explained
_POINTS = 41  # equally likely values of an input that is drawn alone
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

    An input pulls the median as far as the mean cost moves where it alone is drawn: many inputs add up to a middle near
    their mean. That of the largest pull is then held at its typical value, to see what it does.
    """
    skewed = [each for each in answer.ranked if futures is not None and futures.row(each.option.key) is not None
              and abs(each.present_usd - each.as_entered_usd) > SKEWED * abs(each.as_entered_usd)]  # fmt: skip
    if futures is None or not futures.inputs or not skewed:
        return ()
    options, shape, z = [each.option for each in skewed], (len(futures.inputs), _POINTS), normal_quantiles(_POINTS)
    draws = {}
    for row, parameter in enumerate(futures.inputs):
        values = np.full(shape, parameter.spread.typical)
        values[row] = parameter.spread.at(z)
        draws[parameter.name] = values.reshape(-1)
    setting = answer.plan.setting
    usd = costs(answer.plan, options, InputColumns(setting, draws)).reshape(len(skewed), *shape)
    shifts, medians = [], dict[str, NDArray[np.float64]]()
    for row, each in enumerate(skewed):
        pull = (usd[row].mean(axis=-1) - each.as_entered_usd) * np.sign(each.present_usd - each.as_entered_usd)
        most = futures.inputs[int(np.argmax(np.nan_to_num(pull)))]
        if most.name not in medians:
            held = {**futures.draws, most.name: np.full(futures.count, most.spread.typical)}
            medians[most.name] = np.median(costs(answer.plan, options, InputColumns(setting, held)), axis=-1)
        usds = each.as_entered_usd, each.present_usd
        shifts.append(MedianShift(each.option.title, *usds, most, float(medians[most.name][row])))
    return tuple(shifts)


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
    count = min(TURNS, futures.count)
    draws = {name: values[:count] for name, values in futures.draws.items() if name != parameter.name}
    if not draws:
        return None
    columns = InputColumns(futures.plan.setting, draws, along=(parameter.name, grid))
    usd, candidates = costs(futures.plan, options, columns), [candidate(option) for option in options]
    tables = [verdict_shares(candidates, at, np.zeros_like(at)).group_share for at in np.moveaxis(usd, -1, 0)]
    by_group = {group: np.array([table[group] for table in tables]) for group in tables[0]}
    return turns_at(grid, by_group, shares.lead, parameter.spread.typical)
