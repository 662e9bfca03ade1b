"""Break-evens: where owning and renting, or two other options, cost the same: one input at a time, or why never."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.queueing import achievable_busy_share
from planner.money.finance import OutcomeReason
from planner.money.fleet import typical_lead_months
from planner.money.ledger import Ledger
from planner.money.many_ledgers import Array, InputColumns
from planner.money.measures import (
    ENDINGS,
    gap_usd,
    monthly_discount_factors,
    payback_against,
    present_usd,
)  # fmt: skip
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.setting import BUSY_FACTOR, PlanContext
from planner.money.sizing import SERVICE_CV, WAIT
from planner.money.ways import WAYS
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.shown_money import ShownMoney, shown_money
from pricing.caching import cached
from pricing.exchange import DOLLAR

Places = NDArray[np.intp]
Flags = NDArray[np.bool_]
Costs = Callable[[InputColumns], Sequence[Array] | Array]  # of owning and of renting, row by row
SavingFunction = Callable[[Places, Array], tuple[Array, Array]]  # of some rows, each at some values: rows x values

ROW: Places = np.zeros(1, dtype=np.intp)  # of a plan by itself
_NODES = 9  # of the grid, on each side of where a row stands
_CUTS = 7
_ROUNDS = 12
_INSIDE = np.array([0.0, 0.3819660112501051, 0.7236067977499789])  # of an interval: its beginning, and inside
_STRAIGHT = 1e-10  # of the larger cost: what is off a straight line by no more is on it
_NEARLY = 1e-7  # of the larger cost: costs closer than that are the same


def saving_function(columns: InputColumns, name: str, costs: Costs) -> SavingFunction:
    """Return a function of one input: the saving of owning, and the larger of both costs, in some of the rows."""

    def saving(places: Places, values: Array) -> tuple[Array, Array]:
        rows = columns.take(np.repeat(places, values.shape[1])).with_tried(name, values.reshape(-1))
        own, rent = (usd.reshape(values.shape) for usd in costs(rows))
        return gap_usd(rent, own), np.maximum(np.abs(rent), np.abs(own))

    return saving


def sample_grid(low: Array, middle: Array, high: Array) -> Array:
    """Return as many values below the middle of each row as above it: rows x values."""
    return np.concatenate([np.linspace(low, middle, _NODES), np.linspace(middle, high, _NODES)]).T


def sample_saving(values: Array, saving: SavingFunction) -> tuple[Array, Array, Flags]:
    """Return the saving of one row at each value, the larger cost there, and which intervals are straight lines.

    Two points inside each interval show that; they stand at no even steps, as a staircase of whole machines does.
    """
    inside = values[:-1, None] + np.diff(values)[:, None] * _INSIDE
    saved, size = saving(ROW, np.append(inside, values[-1])[None, :])
    ends = saved[:, :: len(_INSIDE)]
    line = ends[:, :-1, None] + np.diff(ends)[:, :, None] * _INSIDE
    bent = np.abs(line - saved[:, :-1].reshape(line.shape)).max(axis=-1)
    return ends, size[:, :: len(_INSIDE)], bent <= _STRAIGHT * size.max()


def nearest_sign_change(
    places: Places, values: Array, saved: Array, current: float, saving: SavingFunction, straight: Flags | None = None
) -> tuple[Array, Flags]:
    """Return for each row the value nearest to `current` where the saving changes sign, and if it jumps there.

    `saved` is the saving at `values`, `straight` says between which of them it is known to be a straight line.
    Not-a-number where it does not change its sign.
    """
    turns = (saved[:, 1:] > 0) != (saved[:, :-1] > 0)
    distance = np.maximum(np.maximum(values[:, :-1] - current, current - values[:, 1:]), 0.0)
    at = np.argmin(np.where(turns, distance, np.inf), axis=-1)
    roots, jumps = np.full(len(places), np.nan), np.zeros(len(places), dtype=bool)
    rows = np.flatnonzero(turns.any(axis=-1))
    ends, saved_there = (_bracket(points, rows, at[rows]) for points in (values, saved))
    roots[rows] = _on_line(ends, saved_there)
    left = np.flatnonzero(~straight[rows, at[rows]]) if straight is not None else np.arange(len(rows))
    roots[rows[left]], jumps[rows[left]] = _refine_bracket(places[rows[left]], ends[left], saved_there[left], saving)
    return roots, jumps


def _on_line(ends: Array, saved: Array) -> Array:
    """Return where the straight line through two points of each row is zero."""
    low, high = ends.T
    return np.asarray(low - saved[:, 0] * (high - low) / (saved[:, 1] - saved[:, 0]))


def _bracket(points: Array, rows: Places, at: Places) -> Array:
    """Return the two points of each row that a change of sign lies between."""
    return np.stack([points[rows, at], points[rows, at + 1]], axis=-1)


def _refine_bracket(places: Places, ends: Array, saved: Array, saving: SavingFunction) -> tuple[Array, Flags]:
    """Follow the straight line inside each bracket, check, and cut the bracket where it was not straight."""
    roots, left = np.full(len(places), np.nan), np.arange(len(places))
    for _ in range(_ROUNDS):
        if not len(left):
            break
        low, high = ends.T
        on_line = _on_line(ends, saved)[:, None]
        points = np.sort(np.concatenate([np.linspace(low, high, _CUTS).T, on_line], axis=-1), axis=-1)
        value, size = saving(places[left], points)
        rows, best = np.arange(len(left)), np.argmin(np.abs(value), axis=-1)
        done = np.abs(value[rows, best]) <= _NEARLY * size[rows, best]
        roots[left[done]] = points[rows, best][done]
        at = np.argmax((value[:, 1:] > 0) != (value[:, :-1] > 0), axis=-1)[~done]
        ends, saved = (_bracket(array, rows[~done], at) for array in (points, value))
        left = left[~done]
    roots[left] = ends.mean(axis=-1)
    return roots, np.isin(np.arange(len(places)), left)


FOUND = OutcomeReason("found")
STEP = OutcomeReason("found", "the saving jumps there from a gain to a loss", ", at a step")
_NOT_USED = OutcomeReason("none", "no line of the two ways uses it")
NOT_COMPUTED = OutcomeReason("none", "one of the two ways cannot be computed there")
_NO_WORK = OutcomeReason("none", "there is no work")
# The names of the price of hardware, the first that a ledger uses is tried.
HARDWARE_PRICES = {"capex_usd": "USD in all", "usd_per_server": "USD/server", "usd_per_accelerator": "USD/accelerator"}
RENT, LEAD_TIME = "usd_per_accelerator_hour", "lead_time_months"
BUSY = BUSY_FACTOR
LEAST_BUSY = 1e-9  # of the hours: less is no work
_LOWEST_BUSY = 0.01
_MOST_TIMES = 20.0  # prices are tried up to so many times today's
_FLAT = 1e-9
_THOUSAND = 1_000.0  # from here on numbers are written whole


@dataclass(frozen=True)
class BreakEven:
    """The value of one input at which both options cost the same, or the reason why there is none."""

    name: str
    you: float | None  # today's value in the plan
    value: float | None
    reason: OutcomeReason
    achievable: float | None  # of the busy share: the limit of queueing
    unit: str

    @property
    def is_out_of_reach(self) -> bool:
        """True where more work would not turn it: you are below it, and a queue of your jobs ends between the two."""
        if self.achievable is None or self.value is None or self.you is None:
            return False
        return self.you <= self.achievable < self.value


@dataclass(frozen=True)
class _SolveTarget:
    """One input to solve for."""

    name: str
    override_name: str  # in the formulas
    low: float
    high: float
    current: float | None
    unit: str
    option_names: tuple[str, str]


# The inputs that are solved for, in the order in which they are shown.
NAMES = (
    "busy_share", "usd_per_accelerator_hour", "usd_per_kwh", "hardware_price", "residual_share", LEAD_TIME,
    "month",
)  # fmt: skip


def break_even(plan: Plan, own: Option, rent: Option, name: str) -> BreakEven:
    """Return the break-even that is called `name`."""
    setting = plan.setting
    if name == "busy_share":
        return _utilization_break_even(setting, own, rent)
    if name == "month":
        payback = payback_against(own.ledger, rent.ledger, monthly_discount_factors(setting))
        reason = ENDINGS[int(payback.ending)]
        month = float(payback.months) if reason.word == "found" else None
        return BreakEven("month", setting.scenario.years * MONTHS_PER_YEAR, month, reason, None, "months")
    target = _solve_target(setting, own, rent, name)
    value, reason = _nearest_break_even(target, setting, _changed_costs(target.override_name, setting, own, rent))
    return BreakEven(name, target.current, value, reason, None, target.unit)


def ledger_input_value(name: str, *ledgers: Ledger) -> tuple[float, str] | None:
    """Return an input as the ledgers use it, with its unit; None where they do not, or not with one value."""
    inputs = (used for ledger in ledgers for used in ledger.inputs if used.name == name)
    return next(((float(used.value), used.unit) for used in inputs if used.is_number and np.isfinite(used.value)), None)


def _solve_target(setting: PlanContext, own: Option, rent: Option, name: str) -> _SolveTarget:
    names = _option_names(own, rent)
    override, unit, ledger = name, "USD/kWh", own.ledger
    if name == "hardware_price":
        override = next((key for key in HARDWARE_PRICES if ledger_input_value(key, ledger)), "usd_per_accelerator")
        unit = HARDWARE_PRICES[override]
    elif name == RENT:
        unit, ledger = "USD/accelerator-hour", rent.ledger
    current, ledger_unit = ledger_input_value(override, ledger) or (None, unit)
    if name == "residual_share":
        return _SolveTarget(name, name, 0.0, 1.0, current, "share", names)
    if name == LEAD_TIME:
        current = lead_time_months(setting, own) if WAYS[own.way].waits_for_delivery else None
        return _SolveTarget(name, name, 0.0, setting.scenario.months, current, "months", names)
    unit = unit if name == "hardware_price" else ledger_unit
    return _SolveTarget(name, override, 0.0, _MOST_TIMES * (current or 1.0), current, unit, names)


def _option_names(own: Option, rent: Option) -> tuple[str, str]:
    return WAYS[own.way].gerund, WAYS[rent.way].gerund


def lead_time_months(setting: PlanContext, own: Option) -> float | None:
    """Return the lead time of the first order: its own, else the plan's. [month]"""
    first = own.orders[0].lead_time_months if own.orders else None
    return typical_lead_months(setting) if first is None else first


def pair_costs(own: Option, rent: Option) -> Costs:
    """Return a function for the present cost of both options, each built anew for every row."""
    return lambda columns: columns.present_usd((own, rent))


def _changed_costs(name: str, setting: PlanContext, own: Option, rent: Option) -> Costs:
    """Return a function for the cost of both options where one input changes; without that input a cost stays.

    The price of a reservation, of spot or of a token is not the price on demand that bridges an owner's gaps.
    """
    is_other_rent = name == RENT and rent.way != "on_demand"
    stays = is_other_rent or (name == RENT and WAYS[own.way].rents_machines)  # at a price of its own
    uses = any(used.name == name for used in rent.ledger.inputs)
    changes = not stays, is_other_rent or uses
    moved = [option for option, changed in zip((own, rent), changes, strict=True) if changed]
    constant_usd = [present_usd(setting, option.ledger) for option in (own, rent)]

    def costs(columns: InputColumns) -> list[Array]:
        rebuilt = iter(columns.present_usd(moved))
        return [next(rebuilt) if changed else np.full(columns.shape, usd)
                for changed, usd in zip(changes, constant_usd, strict=True)]  # fmt: skip

    return costs


def _nearest_break_even(target: _SolveTarget, setting: PlanContext, costs: Costs) -> tuple[float | None, OutcomeReason]:
    """Return the value nearest to today's at which the saving changes its sign."""
    if target.current is None:
        return None, _NOT_USED
    saving = saving_function(InputColumns(setting), target.override_name, costs)
    middle = min(max(target.current, target.low), target.high)
    values = sample_grid(*(np.array([value]) for value in (target.low, middle, target.high)))
    saved, size, straight = sample_saving(values[0], saving)
    if not np.isfinite(saved).all():
        return None, NOT_COMPUTED
    roots, jumps = nearest_sign_change(ROW, values, saved, target.current, saving, straight)
    if np.isnan(roots[0]):
        return None, _no_break_even_reason(target, saved[0], size[0])
    return float(roots[0]), STEP if jumps[0] else FOUND


def _no_break_even_reason(target: _SolveTarget, saved: NDArray[np.float64], size: NDArray[np.float64]) -> OutcomeReason:
    word: Literal["always", "never"] = "always" if saved[0] > 0 else "never"
    cheaper = f"{target.option_names[word == 'never']} costs less"
    is_busy = target.override_name == BUSY
    if np.ptp(saved) <= _FLAT * np.max(size):
        return OutcomeReason(
            word, f"{cheaper}, and {'the hours of use do' if is_busy else 'this does'} not change the difference"
        )
    if is_busy:
        return OutcomeReason(word, f"{cheaper} at every level of use")
    money = shown_money() if target.unit.startswith(DOLLAR) else ShownMoney()
    ends = map(money.amount, (target.low, target.high))
    low, high = (f"{end:,.0f}" if abs(end) >= _THOUSAND else f"{end:.3g}" for end in ends)  # never 6e+05
    unit = target.unit.replace(DOLLAR, money.code)
    return OutcomeReason(word, f"{cheaper} all the way from {low} to {high} {unit}")


def _utilization_break_even(setting: PlanContext, own: Option, rent: Option) -> BreakEven:
    """Solve for how busy both must be: every share of the work is scaled together, the machines stay as many."""
    current, unit = plan_utilization(setting, 1.0), "share of hours"
    if current < LEAST_BUSY:
        return BreakEven("busy_share", current, None, _NO_WORK, None, unit)
    lowest = min(work.effective_utilization for work in setting.scenario.work)
    low, high = (float(end[0]) for end in utilization_factor_bounds(np.array([current]), np.array([lowest])))
    target = _SolveTarget("busy_share", BUSY, low, high, 1.0, "1", _option_names(own, rent))
    factor, reason = _nearest_break_even(target, setting, pair_costs(own, rent))
    value = None if factor is None else plan_utilization(setting, factor)
    achievable, explanation = _achievable_utilization(setting, max(int(own.accelerators), 1))
    result = BreakEven("busy_share", current, value, reason, achievable, unit)
    return (
        replace(result, reason=OutcomeReason("found", how=f", but {explanation}")) if result.is_out_of_reach else result
    )


def _achievable_utilization(setting: PlanContext, fleet: int) -> tuple[float, str]:
    """Return how busy random arrivals can keep a fleet, at the very most where no size of job is given, and a text."""
    has_size = any(work.accelerators_per_job for work in setting.scenario.work)
    job = min(setting.demand.job_accelerators, fleet) if has_size else 1
    share = _utilization_at_wait(max(fleet // job, 1), setting.catalogue.facts[WAIT].figure.newest.typical)
    jobs = f"jobs of {job:,}" if has_size else "even jobs of one accelerator each"
    return share, f"{jobs} that come at random keep {fleet:,} at most {share:.2f} busy"


@cached(1_000)
def _utilization_at_wait(slots: int, wait_in_services: float) -> float:
    return float(achievable_busy_share(slots=slots, wait_in_services=wait_in_services, service_cv=SERVICE_CV))


def utilization_factor_bounds(current: Array, utilization: Array) -> tuple[Array, Array]:
    """Return the factors on work between which a break-even lies, from utilization with and before growth."""
    low = np.minimum(_LOWEST_BUSY / np.where(current < LEAST_BUSY, 1.0, current), 1.0)
    return low, np.maximum(1.0 / np.maximum(utilization, LEAST_BUSY), 1.0)


@cached(16)
def plan_utilization(setting: PlanContext, factor: float) -> float:
    """Return the utilization of the plan's accelerators over all its months, with the work times `factor`. [1]"""
    is_usual = factor == 1 and not setting.tried
    columns = InputColumns(setting).with_tried(BUSY, np.array([factor]))
    return float(plan_utilizations(setting if is_usual else columns.context())[0])


def plan_utilizations(setting: PlanContext) -> Array:
    """Return the utilization of the plan's accelerators over all its months, for each row of a setting. [1]"""
    need = setting.demand.all
    hours = np.asarray(need.accelerators * need.hours_per_month * need.timeline.runs)
    total = np.broadcast_to(hours, np.broadcast(hours, need.busy_hours).shape).sum(axis=-1)
    busy = np.asarray(need.busy_hours).sum(axis=-1)
    return np.atleast_1d(np.where(total > 0, busy / np.where(total > 0, total, 1.0), 0.0))
