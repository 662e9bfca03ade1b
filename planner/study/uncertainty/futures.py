"""Futures: thousands of ways the plan may turn out, each a draw of every input that is not certain.

Every future builds the same ledgers as the plan itself, from other figures. What is said of them (how often a way is
the cheapest, the range that eight of ten lie in) is counted, never fitted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger, LedgerInput, Origin
from planner.money.many_ledgers import InputColumns, LedgerBlock, option_builder
from planner.money.measures import cash_by_year_usd, cash_today_usd, cumulative
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.setting import BUSY_FACTOR, HOURS_FACTOR
from planner.money.verdict.answer import answer
from planner.money.ways import WAYS
from planner.scenario.budget import FUTURES
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.draws import drawn
from planner.study.uncertainty.tornado import costs
from planner.study.uncertainty.uncertain_inputs import TAIL, UncertainParameter, doubtful
from pricing import Catalogue, Figure
from pricing.belief.believe import worth_alone
from pricing.caching import cached_property, with_cached, without
from pricing.catalogue import CatalogueFigure
from pricing.stale import days_over, stale

BANDED = 1_024  # futures from which the bands over time are taken
DOTS = 50  # each stands for 2 of 100 futures
_EIGHTY = (TAIL, 0.5, 1 - TAIL)


@dataclass(frozen=True)
class PercentileBand:
    """The 10th percentile of the futures, the median and the 90th percentile."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True, eq=False)
class Futures:
    """Every option of a plan in every future."""

    plan: Plan
    inputs: tuple[UncertainParameter, ...]
    options: tuple[Option, ...]  # those that can be reckoned in every future
    present_usd: NDArray[np.float64]  # options x draws
    cash_today_usd: NDArray[np.float64]  # options x draws
    over_time_usd: NDArray[np.float64]  # options x (low, middle, high) x months: discounted cost so far
    dearest_year_usd: NDArray[np.float64] | None = None  # options x draws; None where no limit of a year is said

    @cached_property
    def draws(self) -> dict[str, NDArray[np.float64]]:
        """The value of every input in each future."""
        return _drawn(self.plan, self.inputs, self.count)

    def __getstate__(self) -> dict[str, object]:
        """What is sent to another process: half of it would be draws, which follow from the inputs and the seed."""
        return without(self, "draws")

    @property
    def count(self) -> int:
        """How many futures there are."""
        return int(self.present_usd.shape[-1])

    def row(self, key: str) -> int | None:
        """Where an option stands."""
        return next((place for place, one in enumerate(self.options) if one.key == key), None)

    @cached_property
    def cheapest_share(self) -> dict[str, float]:
        """The share of futures in which each option is the cheapest; those who tie share it. Sums to 1."""
        least = np.equal(self.present_usd, self.present_usd.min(axis=0))
        shares = (least / least.sum(axis=0)).mean(axis=-1)
        return {one.key: float(share) for one, share in zip(self.options, shares, strict=True)}

    def share_cheaper(self, key: str, than: str) -> float:
        """The share of futures in which one option is cheaper than another; ties are half."""
        saved = self.saved_usd(key, than)
        return float(np.mean(saved > 0) + np.mean(saved == 0) / 2)

    def saved_usd(self, key: str, than: str) -> NDArray[np.float64]:
        """What an option saves against another in each future. [USD]"""
        saved: NDArray[np.float64] = self._net_present_cost(than) - self._net_present_cost(key)
        return saved

    def present(self, key: str) -> PercentileBand:
        """An option's present cost."""
        return band(self._net_present_cost(key))

    def cash(self, key: str) -> PercentileBand:
        """What an option takes on day one."""
        return band(self.cash_today_usd[self._row(key)])

    def upfront_budget_share(self, key: str) -> float | None:
        """The share of futures in which day one stays within the cash there is; None where no limit is said."""
        limit = self.plan.setting.terms.cash_on_day_one_usd
        return None if limit is None else float(np.mean(self.cash_today_usd[self._row(key)] <= limit))

    def yearly_budget_share(self, key: str) -> float | None:
        """The share of futures in which every year stays within what can be paid in one; None where none is said."""
        limit, paid = self.plan.setting.terms.cash_per_year_usd, self.dearest_year_usd
        return None if limit is None or paid is None else float(np.mean(paid[self._row(key)] <= limit))

    def dots(self, key: str, than: str) -> NDArray[np.float64]:
        """What one option saves against another as fifty equally likely values, the smallest first. [USD]"""
        return np.asarray(np.quantile(self.saved_usd(key, than), (np.arange(DOTS) + 0.5) / DOTS))

    @cached_property
    def deadline_share(self) -> float | None:
        """The share of futures in which every training is done by its deadline; None where none has one.

        How fast the models run is one draw for all of them, as its error is mostly the machine's.
        """
        asked = self.plan.setting.resolved
        if asked is None or HOURS_FACTOR not in self.draws:
            return None
        wanted = [work.train for work in asked.written.work if work.train is not None]
        spare = [
            task.deadline_days / found.speed.days.typical
            for task, found in zip(wanted, asked.trainings, strict=False)
            if task.deadline_days is not None and found.speed is not None
        ]
        if not spare:
            return None
        return float(np.mean(self.draws[HOURS_FACTOR] <= min(spare)))

    def _row(self, key: str) -> int:
        row = self.row(key)
        if row is None:
            raise KeyError(f"no option {key!r} among the futures")
        return row

    def _net_present_cost(self, key: str) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self.present_usd[self._row(key)]
        return found


def band(values: NDArray[np.float64]) -> PercentileBand:
    """The middle, and the range that eight of ten values lie in."""
    return PercentileBand(*(float(value) for value in np.quantile(values, _EIGHTY)))


def _p10_p50_p90(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ends and the middle of what eight of ten lie in, in front of the axis that is left.

    As `np.quantile` has them, but by sorting: numpy sorts in a fifth of the time that it takes to select.
    """
    ordered = np.sort(values, axis=-1)
    last = ordered.shape[-1] - 1
    at = np.array(_EIGHTY) * last
    below = at.astype(int)
    low, high = ordered[..., below], ordered[..., np.minimum(below + 1, last)]
    return np.moveaxis(low + (high - low) * (at - below), -1, 1)


def futures(plan: Plan, count: int = FUTURES) -> Futures | None:
    """So many futures of a plan; None where it has no options."""
    if not plan.options:
        return None
    inputs = doubtful(plan)
    draws = _drawn(plan, inputs, count)
    return with_cached(_counted(plan, inputs, draws), draws=draws)


def _drawn(plan: Plan, inputs: tuple[UncertainParameter, ...], count: int) -> dict[str, NDArray[np.float64]]:
    """So many draws of every input; of a plan without any, the plan itself."""
    return dict(drawn(inputs, count, plan.setting.scenario.seed)) if inputs else {BUSY_FACTOR: np.ones(1)}


def _counted(plan: Plan, inputs: tuple[UncertainParameter, ...], draws: dict[str, NDArray[np.float64]]) -> Futures:
    count, months = len(next(iter(draws.values()))), plan.setting.timeline.last + 1
    present, cash, year = np.full((3, len(plan.options), count), np.nan)
    is_limited = plan.setting.terms.cash_per_year_usd is not None
    so_far = np.full((len(plan.options), min(count, BANDED), months), np.nan)
    for block in InputColumns(plan.setting, draws).blocks([option_builder(one) for one in plan.options]):
        for row, usd in enumerate(_cumulative(block, plan.options)):
            present[row, block.rows] = usd[..., -1]
            kept = block.rows.start < BANDED
            if kept:
                so_far[row, block.rows] = usd[: BANDED - block.rows.start]
        for row, ledger in enumerate(block.ledgers):
            if ledger is not None:
                cash[row, block.rows] = cash_today_usd(ledger)
                if is_limited:
                    year[row, block.rows] = cash_by_year_usd(ledger).max(axis=-1)
    there = np.isfinite(present).all(axis=-1)
    return Futures(
        plan=plan,
        inputs=inputs,
        options=tuple(one for one, is_there in zip(plan.options, there, strict=True) if is_there),
        present_usd=present[there],
        cash_today_usd=cash[there],
        dearest_year_usd=year[there] if is_limited else None,
        over_time_usd=_p10_p50_p90(np.moveaxis(so_far[there], 1, -1)),
    )


def _cumulative(block: LedgerBlock, options: Sequence[Option]) -> list[NDArray[np.float64]]:
    """Discounted cost so far, option by option: draws x months.

    Who finds that spot machines cost more than those on demand, for the work done again, rents on demand.
    """
    size = block.rows.stop - block.rows.start
    made = [_cumulative_cost(block, ledger, size) for ledger in block.ledgers]
    of = {one.way: usd for usd, one in zip(made, options, strict=True)}
    calm = [of.get(WAYS[one.way].no_dearer_than) for one in options]
    return [
        usd if rest is None else np.where(usd[:, -1:] > rest[:, -1:], rest, usd)
        for usd, rest in zip(made, calm, strict=True)
    ]


def _cumulative_cost(block: LedgerBlock, ledger: Ledger | None, size: int) -> NDArray[np.float64]:
    months = block.setting.timeline.last + 1
    if ledger is None:
        return np.full((size, months), np.nan)
    return np.broadcast_to(cumulative(block.setting, ledger), (size, months))


DEFAULT = "default"  # what the plan is called that says nothing


@dataclass(frozen=True)
class OverdueImpact:
    """A figure older than its limit, and what it moves of each plan that uses it, as a share."""

    placed: CatalogueFigure
    days_over: int
    moves: Mapping[str, float]  # by plan; empty: none uses it

    @property
    def weight(self) -> float:
        """The most that it moves of any plan."""
        return max(self.moves.values(), default=0.0)


def usual_plans(catalogue: Catalogue, day: date) -> dict[str, Plan]:
    """The plan that says nothing, and those of the presets."""
    scenarios = {DEFAULT: Scenario(), **{one.key: one.scenario for one in load_presets()}}
    return {name: planned(catalogue, scenario, day) for name, scenario in scenarios.items()}


def overdue(catalogue: Catalogue, plans: Mapping[str, Plan], day: date) -> tuple[OverdueImpact, ...]:
    """Every overdue figure: what moves the plans most first, then what they use, then the rest by age."""
    found = {name: dict(_moves(plan, day)) for name, plan in plans.items()}
    old = [
        OverdueImpact(
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
    in_lines = {key: used for option in plan.options for key, used in _inputs_by_figure(option).items()}
    for key in {**inputs, **in_lines}:
        figure = inputs[key].figure if key in inputs else figure_of(in_lines[key])
        if figure is None or days_over(figure, day) <= 0:
            continue
        spread = inputs[key].spread if key in inputs else None
        tried = (inputs[key].name, spread.low, spread.high) if spread else _assumed_range(in_lines[key], figure, day)
        # What stands in no line, such as the time of delivery, moves every way; one name may stand for two figures.
        moved = [way for way in ways if key not in in_lines or key in _inputs_by_figure(way)]
        yield key, _impact_usd(plan, ways, moved, tried) / most_usd if tried and moved else 0.0


def _inputs_by_figure(option: Option) -> dict[int, LedgerInput]:
    """Where an option's lines use which figure."""
    used = (one for line in option.ledger.lines for one in line.used)
    return {id(figure): one for one in used if (figure := figure_of(one)) is not None}


def figure_of(used: LedgerInput) -> Figure | None:
    """The figure of the catalogue that an input is, where it is one."""
    return used.origin.figure if isinstance(used.origin, Origin) else None


def _assumed_range(used: LedgerInput, figure: Figure, day: date) -> tuple[str, float, float] | None:
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


def _impact_usd(plan: Plan, ways: Sequence[Option], moved: Sequence[Option], tried: tuple[str, float, float]) -> float:
    """How far apart the two ends leave the difference between the ways, or the cost of the only one. [USD]"""
    name, *ends = tried
    found = dict(
        zip(
            (one.key for one in moved),
            costs(plan, moved, InputColumns(plan.setting, {name: np.array(ends)})),
            strict=True,
        )
    )
    steps = [float(found[way.key][1] - found[way.key][0]) if way.key in found else 0.0 for way in ways]
    return float(abs(np.nan_to_num(steps[0] - sum(steps[1:]))))
