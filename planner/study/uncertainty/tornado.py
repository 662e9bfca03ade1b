"""Tornado: the effect of each input alone on the saving of owning, from its low to its high end, and its break-even.

All inputs are tried at once, in one build of the two options: one row for each value of each input, the others typical.
Where the sign turns between two values of one input, the break-even's solver finds the point.

Sobol indices give each input's share of the variance of the saving, alone and with its interactions.

References
----------
Saltelli, Annoni, Azzini, Campolongo, Ratto, Tarantola: Variance based sensitivity analysis of model output, Computer
Physics Communications 181, 2010, pp. 259-270: first-order by their equation (b) of table 2, total by Jansen's (f).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from planner.money.many_ledgers import Array, InputColumns
from planner.money.measures import gap_usd
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.verdict.breakeven import (
    FOUND,
    LEAD_TIME,
    NOT_COMPUTED,
    ROW,
    STEP,
    break_even,
    nearest_sign_change,
    sample_saving,
    saving_function,
)
from planner.money.ways import WAYS
from planner.study.uncertainty.draws import standard_normal_draws
from planner.study.uncertainty.uncertain_inputs import Z_TAIL, UncertainParameter, uncertain_inputs, values_at_z

# Standard deviations from the middle: from one in a thousand to one in a thousand.
_GRID = np.array([-3.0902323061678132, -2.0, -Z_TAIL, -0.5, 0.0, 0.5, Z_TAIL, 2.0, 3.0902323061678132])
_LOW, _MIDDLE, _HIGH = (int(np.flatnonzero(value == _GRID)[0]) for value in (-Z_TAIL, 0.0, Z_TAIL))
_NOTHING_USD = 0.5  # smaller effects on the saving are left out
FAR = "not between the values that one future in a thousand lies beyond"
ROWS = 512
Pair = tuple[Option, Option]


@dataclass(frozen=True)
class TornadoBar:
    """One input: its values, the saving of owning at each end, and where owning and renting cost the same."""

    input: UncertainParameter
    saved_low_usd: float  # at the input's low end
    saved_usd: float  # at its typical value: the same for all
    saved_high_usd: float
    flip: float | None
    flip_sigmas: float | None  # distance from the middle: 1.28 is one of the ends
    reason: str

    @property
    def swing_usd(self) -> float:
        """Difference between the two ends."""
        return abs(self.saved_high_usd - self.saved_low_usd)

    @property
    def flips_sign(self) -> bool:
        """True where the sign turns between the two ends."""
        return self.flip_sigmas is not None and abs(self.flip_sigmas) <= Z_TAIL


def tornado(plan: Plan, own: Option, rent: Option, most: int | None = None) -> tuple[TornadoBar, ...]:
    """Return one bar for each input that moves the saving, or for so many at most, the widest first."""
    inputs = uncertain_inputs(plan)
    if not inputs:
        return ()
    saved = _saved(plan, (own, rent), inputs)
    swings = np.abs(saved[:, _HIGH] - saved[:, _LOW])
    wide = [row for row in range(len(inputs)) if swings[row] > _NOTHING_USD]
    shown = sorted(wide, key=lambda row: (-swings[row], inputs[row].name))[:most]
    return tuple(_bar(plan, (own, rent), inputs[row], saved[row]) for row in shown)


def saved_usd(plan: Plan, pair: Pair, rows: InputColumns) -> Array:
    """Return the saving of the first option against the second in each row; with values along them, rows x values."""
    first, second = costs(plan, pair, rows)
    return gap_usd(second, first)


def costs(plan: Plan, options: Sequence[Option], rows: InputColumns) -> Array:
    """Return the cost of the options in each row, on demand where spot machines cost more. [USD]"""
    fallbacks = {row: rest for row, option in enumerate(options)
                 if (rest := plan.option(WAYS[option.way].fallback_kind))}  # fmt: skip
    usd = rows.present_usd((*options, *fallbacks.values()))
    for place, row in enumerate(fallbacks, len(options)):
        usd[row] = np.fmin(usd[row], usd[place])
    return usd[: len(options)]


def _saved(plan: Plan, pair: Pair, inputs: tuple[UncertainParameter, ...]) -> NDArray[np.float64]:
    """Return the saving of owning at each point of the grid of each input: inputs x points. [USD]"""
    rows = one_at_a_time(plan, inputs, [parameter.spread.around_typical(_GRID) for parameter in inputs])
    return saved_usd(plan, pair, rows).reshape(len(inputs), len(_GRID))


def one_at_a_time(plan: Plan, inputs: Sequence[UncertainParameter], values: Sequence[Array]) -> InputColumns:
    """Return rows in which one input has each of its values and all others are typical: inputs x values."""
    draws = {}
    for row, parameter in enumerate(inputs):
        column = np.full((len(inputs), len(values[row])), parameter.spread.typical)
        column[row] = values[row]
        draws[parameter.name] = column.reshape(-1)
    return InputColumns(plan.setting, draws)


def _bar(plan: Plan, pair: Pair, parameter: UncertainParameter, saved: NDArray[np.float64]) -> TornadoBar:
    flip, sigmas, reason = (
        _flip(plan, pair, parameter) if np.isfinite(saved).all() else (None, None, NOT_COMPUTED.detail)
    )
    low, middle, high = (float(saved[at]) for at in (_LOW, _MIDDLE, _HIGH))
    return TornadoBar(parameter, low, middle, high, flip, sigmas, reason)


def _flip(plan: Plan, pair: Pair, parameter: UncertainParameter) -> tuple[float | None, float | None, str]:
    """Return the value that turns the sign, all else as entered: the break-even of the plan."""
    saving = saving_function(InputColumns(plan.setting), parameter.name, partial(costs, plan, pair))
    # A bounded input may stand still at the end of the grid: the same value twice is one point.
    values, places = np.unique(parameter.spread.around_typical(_GRID), return_index=True)
    saved, _, straight = sample_saving(values, saving)
    roots, jumps = nearest_sign_change(ROW, values[None, :], saved, parameter.spread.typical, saving, straight)
    if np.isnan(roots[0]):
        return None, None, FAR
    flip = float(roots[0])
    if (
        parameter.name == LEAD_TIME
    ):  # by steps of a month the saving turns more than once: one of them is named everywhere
        stated = break_even(plan, *pair, LEAD_TIME).value
        flip = stated if stated is not None and values[0] <= stated <= values[-1] else flip
    return flip, float(np.interp(flip, values, _GRID[places])), str(STEP if jumps[0] else FOUND)


@dataclass(frozen=True)
class SobolIndex:
    """One input's share of the variance of the saving."""

    name: str
    first: float  # by itself
    total: float  # with all its interactions


def sobol_indices(plan: Plan, own: Option, rent: Option, count: int = ROWS) -> tuple[SobolIndex, ...]:
    """Return the inputs by their total share, the largest first. All are taken to be independent here."""
    inputs = uncertain_inputs(plan)
    if not inputs:
        return ()
    z = standard_normal_draws(2 * len(inputs), count, plan.setting.scenario.seed)
    a, b = z[:, : len(inputs)], z[:, len(inputs) :]
    mixed = [np.where(np.arange(len(inputs)) == column, b, a) for column in range(len(inputs))]
    rows = InputColumns(plan.setting, values_at_z(inputs, np.concatenate([a, b, *mixed])))
    of_a, of_b, *of_mixed = saved_usd(plan, (own, rent), rows).reshape(-1, count)
    variance = float(np.var(np.concatenate([of_a, of_b]))) or 1.0
    shares = (
        SobolIndex(
            name=parameter.name,
            first=float(np.mean(of_b * (swapped - of_a))) / variance,
            total=float(np.mean((of_a - swapped) ** 2)) / 2 / variance,
        )
        for parameter, swapped in zip(inputs, of_mixed, strict=True)
    )
    return tuple(sorted(shares, key=lambda index: (-index.total, index.name)))
