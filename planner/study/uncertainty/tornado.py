"""Tornado: what each input alone does to what owning saves, from its low to its high end, and where it turns the sign.

All inputs are tried at once, in one build of the two ways: one row for each value of each input, the others typical.
Where the sign turns between two values of one input, the break-even's solver finds the point.

Sobol indices say which share of the doubt about the saving comes from each input, alone and with all it works through.

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

from planner.money.many_ledgers import Array, InputColumns, option_builder
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.verdict.breakeven import FOUND, STEP, nearest_sign_change, saving_function
from planner.money.ways import WAYS
from planner.study.uncertainty.draws import standard_normal_draws
from planner.study.uncertainty.uncertain_inputs import Z_TAIL, UncertainParameter, at, doubtful

# Standard deviations from the middle: from one in a thousand to one in a thousand.
_GRID = np.array([-3.0902323061678132, -2.0, -Z_TAIL, -0.5, 0.0, 0.5, Z_TAIL, 2.0, 3.0902323061678132])
_LOW, _MIDDLE, _HIGH = (int(np.flatnonzero(value == _GRID)[0]) for value in (-Z_TAIL, 0.0, Z_TAIL))
_NOTHING_USD = 0.5  # what moves the saving by less is left out
FAR = "not between the values that one future in a thousand lies beyond"


@dataclass(frozen=True)
class TornadoBar:
    """One input: its values, what owning saves at each end, and where owning and renting cost the same."""

    input: UncertainParameter
    saved_low_usd: float  # at the input's low end
    saved_usd: float  # at its typical value: the same for all
    saved_high_usd: float
    flip: float | None
    flip_sigmas: float | None  # how far from the middle: 1.28 is one of the ends
    reason: str

    @property
    def swing_usd(self) -> float:
        """How much there is between the two ends."""
        return abs(self.saved_high_usd - self.saved_low_usd)

    @property
    def flips_sign(self) -> bool:
        """Whether the sign turns between the two ends."""
        return self.flip_sigmas is not None and abs(self.flip_sigmas) <= Z_TAIL


def tornado(plan: Plan, own: Option, rent: Option) -> tuple[TornadoBar, ...]:
    """One bar for each input that moves the saving, the widest first."""
    inputs = doubtful(plan)
    if not inputs:
        return ()
    saved = _saved(plan, (own, rent), inputs)
    bars = [_bar(plan, (own, rent), one, row) for one, row in zip(inputs, saved, strict=True)]
    return tuple(
        sorted((bar for bar in bars if bar.swing_usd > _NOTHING_USD), key=lambda bar: (-bar.swing_usd, bar.input.name))
    )


def likeliest_flip(
    plan: Plan, own: Option, rent: Option, inputs: tuple[UncertainParameter, ...] | None = None
) -> TornadoBar | None:
    """The input that turns the answer with the least surprise; None where none does between its ends.

    Only this one is solved: the others are told apart by straight lines between the points of the grid. `inputs` are
    those of the plan that are not certain, where they are known already.
    """
    inputs = doubtful(plan) if inputs is None else inputs
    if not inputs:
        return None
    saved = _saved(plan, (own, rent), inputs)
    turns = [(abs(_estimated_flip_sigmas(row)), place) for place, row in enumerate(saved)]
    sigmas, place = min(turns)
    if not sigmas <= Z_TAIL:
        return None
    found = _bar(plan, (own, rent), inputs[place], saved[place])
    return found if found.flips_sign else None


def _estimated_flip_sigmas(saved: NDArray[np.float64]) -> float:
    """How far from the middle the sign turns, nearly; infinite where it does not."""
    if not np.isfinite(saved).all():
        return np.inf
    turns = np.flatnonzero((saved[1:] > 0) != (saved[:-1] > 0))
    step = _GRID[turns + 1] - _GRID[turns]
    at = _GRID[turns] - saved[turns] * step / (saved[turns + 1] - saved[turns])
    return float(np.min(np.abs(at), initial=np.inf))


def saved_usd(plan: Plan, ways: tuple[Option, Option], rows: InputColumns) -> Array:
    """What the first way saves against the second in each row; with values along the rows, rows x values. [USD]"""
    first, second = costs(plan, ways, rows)
    return np.asarray(second - first)


def costs(plan: Plan, ways: Sequence[Option], rows: InputColumns) -> Array:
    """What the ways cost in each row. Who finds that spot machines cost more than those on demand rents on demand."""
    calm = {row: one for row, way in enumerate(ways) if (one := plan.option(WAYS[way.way].no_dearer_than))}
    found = rows.present_usd([option_builder(way) for way in (*ways, *calm.values())])
    for place, row in enumerate(calm, len(ways)):
        found[row] = np.fmin(found[row], found[place])
    return found[: len(ways)]


def _saved(plan: Plan, ways: tuple[Option, Option], inputs: tuple[UncertainParameter, ...]) -> NDArray[np.float64]:
    """What owning saves at each point of the grid of each input: inputs x points. [USD]"""
    rows, steps = len(inputs), len(_GRID)
    draws = {}
    for place, one in enumerate(inputs):
        values = np.full((rows, steps), one.spread.typical)
        values[place] = one.spread.at(_GRID)
        draws[one.name] = values.reshape(-1)
    return saved_usd(plan, ways, InputColumns(plan.setting, draws)).reshape(rows, steps)


def _bar(plan: Plan, ways: tuple[Option, Option], one: UncertainParameter, saved: NDArray[np.float64]) -> TornadoBar:
    flip, sigmas, reason = _flip(plan, ways, one, saved)
    return TornadoBar(one, float(saved[_LOW]), float(saved[_MIDDLE]), float(saved[_HIGH]), flip, sigmas, reason)


def _flip(
    plan: Plan, ways: tuple[Option, Option], one: UncertainParameter, saved: NDArray[np.float64]
) -> tuple[float | None, float | None, str]:
    if not np.isfinite(saved).all():
        return None, None, "one of the two ways cannot be reckoned there"
    # A bounded input may stand still at the end of the grid: the same value twice is one point.
    values, places = np.unique(one.spread.at(_GRID), return_index=True)
    here, saving = (
        np.zeros(1, dtype=np.intp),
        saving_function(InputColumns(plan.setting), one.name, partial(costs, plan, ways)),
    )
    found, jumps = nearest_sign_change(here, values[None, :], saved[None, places], one.spread.typical, saving)
    if np.isnan(found[0]):
        return None, None, FAR
    flip = float(found[0])
    return flip, float(np.interp(flip, values, _GRID[places])), str(STEP if jumps[0] else FOUND)


ROWS = 512


@dataclass(frozen=True)
class Index:
    """One input's part in the variance of what owning saves."""

    name: str
    first: float  # by itself
    total: float  # with everything it works through together with others


def indices(plan: Plan, own: Option, rent: Option, count: int = ROWS) -> tuple[Index, ...]:
    """The inputs by their total part, the largest first. All are taken to be independent here."""
    inputs = doubtful(plan)
    if not inputs:
        return ()
    z = standard_normal_draws(2 * len(inputs), count, plan.setting.scenario.seed)
    one, other = z[:, : len(inputs)], z[:, len(inputs) :]
    mixed = [np.where(np.arange(len(inputs)) == place, other, one) for place in range(len(inputs))]
    rows = InputColumns(plan.setting, at(inputs, np.concatenate([one, other, *mixed])))
    saved = saved_usd(plan, (own, rent), rows)
    of_one, of_other, *of_mixed = saved.reshape(-1, count)
    variance = float(np.var(np.concatenate([of_one, of_other]))) or 1.0
    found = [
        Index(
            name=each.name,
            first=float(np.mean(of_other * (swapped - of_one))) / variance,
            total=float(np.mean((of_one - swapped) ** 2)) / 2 / variance,
        )
        for each, swapped in zip(inputs, of_mixed, strict=True)
    ]
    return tuple(sorted(found, key=lambda index: (-index.total, index.name)))
