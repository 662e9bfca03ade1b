"""Futures: thousands of outcomes of a plan, each a draw of every uncertain input.

Every future builds the same ledgers as the plan itself, from other figures. Shares of futures and percentiles are
counted, never fitted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger, LedgerInput, Origin
from planner.money.many_ledgers import InputColumns
from planner.money.measures import cash_by_year_usd, cash_today_usd, cumulative_discounted_cost, gap_usd, present_usd
from planner.money.option import Option
from planner.money.owning.resale import COST, GUARANTEED
from planner.money.plan import Plan
from planner.money.setting import BUSY_FACTOR, HOURS_FACTOR
from planner.money.verdict.answer import build_answer
from planner.money.verdict.decision import candidate
from planner.money.verdict.shares import SimulatedCosts, verdict_shares
from planner.money.ways import WAYS
from planner.scenario.budget import futures_count
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.draws import draw_inputs
from planner.study.uncertainty.tornado import costs
from planner.study.uncertainty.uncertain_inputs import TAIL, UncertainParameter, uncertain_inputs
from pricing import Catalogue, Figure
from pricing.belief.believe import worth_alone
from pricing.caching import cached_property, with_cached, without
from pricing.catalogue import CatalogueFigure
from pricing.stale import days_over, stale

BANDED = 1_024  # futures from which the bands over time are taken
DOTS = 50  # each stands for 2 of 100 futures
_EIGHTY = (TAIL, 0.5, 1 - TAIL)


class PercentileBand(NamedTuple):
    """The 10th percentile of the futures, the median and the 90th percentile."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True, eq=False)
class Futures:
    """Every option of a plan in every future."""

    plan: Plan
    inputs: tuple[UncertainParameter, ...]
    options: tuple[Option, ...]  # those that can be built in every future
    present_usd: NDArray[np.float64]  # options x draws
    cash_today_usd: NDArray[np.float64]  # options x draws
    dearest_year_usd: NDArray[np.float64] | None = None  # options x draws; None without a limit for a year

    @cached_property
    def draws(self) -> dict[str, NDArray[np.float64]]:
        """The value of every input in each future."""
        return _draws_or_plan(self.plan, self.inputs, self.count)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the draws for another process: they follow from the inputs and the seed, and are half of it."""
        return without(self, "draws", "costs")

    @cached_property
    def costs(self) -> SimulatedCosts:
        """What the verdict reads of them."""
        keys = [option.key for option in self.options]
        return SimulatedCosts(
            present_usd=dict(zip(keys, self.present_usd, strict=True)),
            cash_usd=dict(zip(keys, self.cash_today_usd, strict=True)),
            bands={key: self.present(key) for key in keys},
            cumulative_usd=self.cumulative,
        )

    @cached_property
    def cumulative_usd_bands(self) -> NDArray[np.float64]:
        """The discounted cost so far: options x (low, middle, high) x months. Calculated where it is drawn."""
        draws = {name: values[:BANDED] for name, values in self.draws.items()}
        usd = np.full((len(self.options), min(self.count, BANDED), self.plan.setting.timeline.last + 1), np.nan)
        for block in InputColumns(self.plan.setting, draws).blocks(self.options):
            so_far = cumulative_discounted_cost(block.setting, block.ledger)
            usd[block.option, block.rows] = so_far * np.asarray(block.for_the_work)[..., None]
        for row, rest in _fallbacks(self.options).items():
            costs_more = self.present_usd[row, :BANDED] == self.present_usd[rest, :BANDED]
            usd[row, costs_more] = usd[rest, costs_more]
        return _p10_p50_p90(np.moveaxis(usd, 1, -1))

    def cumulative(self, key: str) -> NDArray[np.float64]:
        """Return an option's discounted cost so far: (low, middle, high) x months."""
        return np.asarray(self.cumulative_usd_bands[self._row(key)])

    @property
    def count(self) -> int:
        """Number of futures."""
        return int(self.present_usd.shape[-1])

    def row(self, key: str) -> int | None:
        """Return the row of an option."""
        return next((row for row, option in enumerate(self.options) if option.key == key), None)

    @cached_property
    def cheapest_share(self) -> dict[str, float]:
        """The share of futures in which each option is the cheapest of all, by the law of the verdict. Sums to 1."""
        candidates = [candidate(option) for option in self.options]
        return verdict_shares(candidates, self.present_usd, self.cash_today_usd).share

    def share_cheaper(self, key: str, than: str) -> float:
        """Return the share of futures in which one option is cheaper than another; ties are half."""
        saved = self.saved_usd(key, than)
        return float(np.mean(saved > 0) + np.mean(saved == 0) / 2)

    def saved_usd(self, key: str, than: str) -> NDArray[np.float64]:
        """Return the saving of an option against another in each future. [USD]"""
        return gap_usd(self.present_usd[self._row(than)], self.present_usd[self._row(key)])

    def present(self, key: str) -> PercentileBand:
        """Return an option's present cost. [USD]"""
        return percentile_band(self.present_usd[self._row(key)])

    def cash_today_band(self, key: str) -> PercentileBand:
        """Return an option's cash on day one. [USD]"""
        return percentile_band(self.cash_today_usd[self._row(key)])

    def upfront_budget_share(self, key: str) -> float | None:
        """Return the share of futures in which day one stays within its limit; None without one."""
        limit = self.plan.setting.terms.cash_on_day_one_usd
        return None if limit is None else float(np.mean(self.cash_today_usd[self._row(key)] <= limit))

    def yearly_budget_share(self, key: str) -> float | None:
        """Return the share of futures in which every year stays within its limit; None without one."""
        limit, paid = self.plan.setting.terms.cash_per_year_usd, self.dearest_year_usd
        return None if limit is None or paid is None else float(np.mean(paid[self._row(key)] <= limit))

    def dots(self, key: str, than: str) -> NDArray[np.float64]:
        """Return the saving of one option against another as fifty equally likely values, the smallest first. [USD]"""
        return np.asarray(np.quantile(self.saved_usd(key, than), (np.arange(DOTS) + 0.5) / DOTS))

    @cached_property
    def deadline_share(self) -> float | None:
        """The share of futures in which every training is done by its deadline; None where none has one.

        The speed of the models is one draw for all of them, as its error is mostly the machine's.
        """
        work = self.plan.setting.resolved
        if work is None or HOURS_FACTOR not in self.draws:
            return None
        tasks = [each.train for each in work.written.work if each.train is not None]
        spare = [
            task.deadline_days / training.speed.days.typical
            for task, training in zip(tasks, work.trainings, strict=False)
            if task.deadline_days is not None and training.speed is not None
        ]
        return float(np.mean(self.draws[HOURS_FACTOR] <= min(spare))) if spare else None

    def _row(self, key: str) -> int:
        row = self.row(key)
        if row is None:
            raise KeyError(f"no option {key!r} among the futures")
        return row


def percentile_band(values: NDArray[np.float64]) -> PercentileBand:
    """Return the median, and the range that eight of ten values lie in."""
    return PercentileBand(*(float(value) for value in np.quantile(values, _EIGHTY)))


def _p10_p50_p90(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return percentiles along the last axis, in front of the axis that is left.

    As `np.quantile` has them, but by sorting: numpy sorts in a fifth of the time that it takes to select.
    """
    ordered = np.sort(values, axis=-1)
    last = ordered.shape[-1] - 1
    at = np.array(_EIGHTY) * last
    below = at.astype(int)
    low, high = ordered[..., below], ordered[..., np.minimum(below + 1, last)]
    return np.moveaxis(low + (high - low) * (at - below), -1, 1)


def draw_futures(plan: Plan, count: int | None = None) -> Futures | None:
    """Return so many futures of a plan, as many as are usual where no number is given; None without options."""
    if not plan.options:
        return None
    inputs, draws = plan_draws(plan, count)
    return with_cached(_evaluate_futures(plan, inputs, draws), draws=draws)


def plan_draws(
    plan: Plan, count: int | None = None
) -> tuple[tuple[UncertainParameter, ...], dict[str, NDArray[np.float64]]]:
    """Return the uncertain inputs of a plan with options, and so many draws of each."""
    if count is None:
        most = max(len(option.orders) for option in plan.options)
        count = futures_count(plan.setting.timeline.last, max(most, 1))
    inputs = uncertain_inputs(plan)
    return inputs, _draws_or_plan(plan, inputs, count)


def _evaluate_futures(
    plan: Plan, inputs: tuple[UncertainParameter, ...], draws: dict[str, NDArray[np.float64]]
) -> Futures:
    setting = plan.setting
    present, cash, year = np.full((3, len(plan.options), len(next(iter(draws.values())))), np.nan)
    is_limited = setting.terms.cash_per_year_usd is not None
    for block in InputColumns(setting, draws).blocks(plan.options):
        row, rows = block.option, block.rows
        present[row, rows] = present_usd(block.setting, block.ledger) * block.for_the_work
        cash[row, rows] = cash_today_usd(block.ledger)
        if is_limited:
            year[row, rows] = cash_by_year_usd(block.ledger).max(axis=-1)
    for row, rest in _fallbacks(plan.options).items():
        present[row] = np.fmin(present[row], present[rest])
    is_complete = np.isfinite(present).all(axis=-1)
    return Futures(
        plan=plan,
        inputs=inputs,
        options=tuple(option for option, complete in zip(plan.options, is_complete, strict=True) if complete),
        present_usd=present[is_complete],
        cash_today_usd=cash[is_complete],
        dearest_year_usd=year[is_complete] if is_limited else None,
    )


def _draws_or_plan(plan: Plan, inputs: tuple[UncertainParameter, ...], count: int) -> dict[str, NDArray[np.float64]]:
    """Return so many draws of every input; of a plan without any, the plan itself."""
    return dict(draw_inputs(inputs, count, plan.setting.scenario.seed)) if inputs else {BUSY_FACTOR: np.ones(1)}


def _fallbacks(options: Sequence[Option]) -> dict[int, int]:
    """Return the row of renting on demand for that of spot machines: where those cost more, the work is done there."""
    by_way = {option.way: row for row, option in enumerate(options)}
    rests = ((row, by_way.get(WAYS[option.way].fallback_kind)) for row, option in enumerate(options))
    return {row: rest for row, rest in rests if rest is not None}


DEFAULT = "default"  # the name of the plan of an empty scenario


@dataclass(frozen=True)
class OverdueImpact:
    """A figure older than its limit, and its impact on each plan that uses it, as a share."""

    placed: CatalogueFigure
    days_over: int
    impact_by_plan: Mapping[str, float]  # empty: no plan uses it

    @property
    def weight(self) -> float:
        """The largest impact on any plan."""
        return max(self.impact_by_plan.values(), default=0.0)


def usual_plans(catalogue: Catalogue, day: date) -> dict[str, Plan]:
    """Return the plan of an empty scenario, and those of the presets."""
    scenarios = {DEFAULT: Scenario(), **{preset.key: preset.scenario for preset in load_presets()}}
    return {name: planned(catalogue, scenario, day) for name, scenario in scenarios.items()}


def overdue_impacts(catalogue: Catalogue, plans: Mapping[str, Plan], day: date) -> tuple[OverdueImpact, ...]:
    """Return every overdue figure: those with the largest impact first, then other used ones, then the rest by age."""
    shares, impacts = {name: dict(_figure_impacts(plan, day)) for name, plan in plans.items()}, []
    for figure in stale(catalogue, day):
        key = id(figure.placed.figure)
        by_plan = {name: by_figure[key] for name, by_figure in shares.items() if key in by_figure}
        impacts.append(OverdueImpact(figure.placed, figure.days_over, by_plan))
    return tuple(
        sorted(impacts, key=lambda each: (-each.weight, not each.impact_by_plan, -each.days_over, each.placed[:3]))
    )


def _figure_impacts(plan: Plan, day: date) -> Iterator[tuple[int, float]]:
    """Yield the overdue figures of a plan, by identity, each with its impact."""
    answer = build_answer(plan)
    if answer.best is None:
        return
    compared = [option for option in (answer.best, answer.against) if option is not None]
    options, most_usd = [each.option for each in compared], max(each.present_usd for each in compared)
    inputs = {id(parameter.figure): parameter for parameter in uncertain_inputs(plan) if parameter.figure is not None}
    in_lines = {key: used for option in plan.options for key, used in _inputs_by_figure(option).items()}
    for key in {**inputs, **in_lines}:
        figure = inputs[key].figure if key in inputs else figure_of(in_lines[key])
        if figure is None or days_over(figure, day) <= 0:
            continue
        if key in inputs:
            spread = inputs[key].spread
            ends: tuple[str, float, float] | None = inputs[key].name, spread.low, spread.high
        else:
            ends = _assumed_range(in_lines[key], figure, day)
        # What stands in no line, such as the time of delivery, moves every option; one name may stand for two figures.
        moved = [option for option in options if key not in in_lines or key in _inputs_by_figure(option)]
        yield key, _impact_usd(plan, options, moved, ends) / most_usd if ends and moved else 0.0


def _inputs_by_figure(option: Option) -> dict[int, LedgerInput]:
    return {id(figure): used for used in option.ledger.inputs if (figure := figure_of(used)) is not None}


def figure_of(used: LedgerInput) -> Figure | None:
    """Return the figure of the catalogue that an input is, where it is one."""
    return used.origin.figure if isinstance(used.origin, Origin) else None


def _assumed_range(used: LedgerInput, figure: Figure, day: date) -> tuple[str, float, float] | None:
    """Return a range for an input that has none: from its figure's ends, or from the error of prices of its age."""
    value = figure.newest
    if not used.is_number or not float(used.value) or not value.typical:
        return None
    low, high = value.low, value.high
    if low is None and high is None:
        if "USD" not in figure.unit:
            return None
        low, _, high = worth_alone(figure, "posted", day)
    scale = float(used.value) / value.typical
    return used.name, (low or value.typical) * scale, (high or value.typical) * scale


def _impact_usd(
    plan: Plan, options: Sequence[Option], moved: Sequence[Option], ends: tuple[str, float, float]
) -> float:
    """Return how far the two ends move the difference between the options, or the cost of the only one. [USD]"""
    name, low, high = ends
    usd = costs(plan, moved, InputColumns(plan.setting, {name: np.array([low, high])}))
    steps = {option.key: float(row[1] - row[0]) for option, row in zip(moved, usd, strict=True)}
    first, *others = (steps.get(option.key, 0.0) for option in options)
    return float(abs(np.nan_to_num(first - sum(others))))


@dataclass(frozen=True)
class GuaranteeValue:
    """A guarantee over the futures, before tax, discounted to today."""

    cost_usd: float  # mean over the futures, as the payout
    paid_usd: float
    payout_share: float  # of the futures

    @property
    def gain_usd(self) -> float:
        """Payout less cost, on average."""
        return self.paid_usd - self.cost_usd


def guarantee_value(drawn: Futures) -> GuaranteeValue | None:
    """Return the value of the guarantee of the first option that has one; None where none has."""
    if drawn.plan.setting.scenario.own.guaranteed_residual_share is None:
        return None
    # Of several orders, lines that cost and bring nothing at typical inputs are left out of the ledger.
    options = (option for option in drawn.options if option.orders or _lines_using(option.ledger, COST).lines)
    option = next(options, None)
    if option is None:
        return None
    columns = []
    for block in InputColumns(drawn.plan.setting, drawn.draws).blocks((option,)):
        size = block.rows.stop - block.rows.start
        usd = (present_usd(block.setting, _lines_using(block.ledger, name)) for name in (COST, GUARANTEED))
        columns.append([np.broadcast_to(each, (size,)) for each in usd])
    cost, received = np.concatenate(columns, axis=-1)
    return GuaranteeValue(float(cost.mean()), float(-received.mean()), float(np.mean(received < 0)))


def _lines_using(ledger: Ledger, name: str) -> Ledger:
    """Return the lines of a ledger that use this input, for every order and every sale."""
    return Ledger(name, tuple(line for line in ledger.lines if name in line.names))
