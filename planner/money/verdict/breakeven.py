"""Break-evens: where owning and renting, or two other ways, cost the same: one input at a time, or why they never do.

How the value is found, for one plan as for many at once, stands in planner.money.verdict.breakeven.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.queueing import achievable_busy_share
from planner.money.finance import OutcomeReason
from planner.money.fleet import typical_lead_months
from planner.money.ledger import Ledger
from planner.money.many_ledgers import Array, InputColumns, option_builder
from planner.money.measures import ENDINGS, Payback, factors, present_usd, savings_before_resale_usd, simple_payback
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.setting import BUSY_FACTOR, PlanContext
from planner.money.ways import WAYS
from planner.scenario.base import MONTHS_PER_YEAR
from pricing.caching import cached

Places = NDArray[np.intp]
Costs = Callable[[InputColumns], Sequence[Array] | Array]  # of owning and of renting, row by row
SavingFunction = Callable[[Places, Array], tuple[Array, Array]]  # of some rows, each at some values: rows x values

_NODES = 9  # of the grid, on each side of where a row stands
_CUTS = 7
_ROUNDS = 12
_NEARLY = 1e-7  # of the larger cost: what counts as the same


def saving_function(columns: InputColumns, name: str, costs: Costs) -> SavingFunction:
    """What owning saves, and the larger of both costs, where one input takes some values in some of the rows."""

    def saving(places: Places, values: Array) -> tuple[Array, Array]:
        rows = columns.take(np.repeat(places, values.shape[1])).with_tried(name, values.reshape(-1))
        own, rent = (usd.reshape(values.shape) for usd in costs(rows))
        return rent - own, np.maximum(np.abs(rent), np.abs(own))

    return saving


def grid(low: Array, middle: Array, high: Array) -> Array:
    """As many values below the middle of each row as above it: rows x values."""
    return np.concatenate([np.linspace(low, middle, _NODES), np.linspace(middle, high, _NODES)]).T


def nearest_sign_change(
    places: Places, values: Array, saved: Array, you: float, saving: SavingFunction
) -> tuple[Array, NDArray[np.bool_]]:
    """For each row the value nearest to `you` at which the saving changes its sign, and whether it jumps there.

    `saved` is the saving at `values`. Not-a-number where it does not change its sign.
    """
    turns = (saved[:, 1:] > 0) != (saved[:, :-1] > 0)
    distance = np.maximum(np.maximum(values[:, :-1] - you, you - values[:, 1:]), 0.0)
    at = np.argmin(np.where(turns, distance, np.inf), axis=-1)
    found, jumps = np.full(len(places), np.nan), np.zeros(len(places), dtype=bool)
    pick = np.flatnonzero(turns.any(axis=-1))
    found[pick], jumps[pick] = _refine_bracket(
        places[pick], _between(values, pick, at[pick]), _between(saved, pick, at[pick]), saving
    )
    return found, jumps


def _between(points: Array, rows: Places, at: Places) -> Array:
    """The two points of each row that a change of sign lies between."""
    return np.stack([points[rows, at], points[rows, at + 1]], axis=-1)


def _refine_bracket(
    places: Places, ends: Array, saved: Array, saving: SavingFunction
) -> tuple[Array, NDArray[np.bool_]]:
    """Follow the straight line inside each bracket, check, and cut the bracket where it was not straight."""
    found, left = np.full(len(places), np.nan), np.arange(len(places))
    for _ in range(_ROUNDS):
        if not len(left):
            break
        low, high = ends.T
        straight = low - saved[:, 0] * (high - low) / (saved[:, 1] - saved[:, 0])
        points = np.sort(np.concatenate([np.linspace(low, high, _CUTS).T, straight[:, None]], axis=-1), axis=-1)
        here, size = saving(places[left], points)
        rows, best = np.arange(len(left)), np.argmin(np.abs(here), axis=-1)
        done = np.abs(here[rows, best]) <= _NEARLY * size[rows, best]
        found[left[done]] = points[rows, best][done]
        at = np.argmax((here[:, 1:] > 0) != (here[:, :-1] > 0), axis=-1)[~done]
        ends, saved = (_between(one, rows[~done], at) for one in (points, here))
        left = left[~done]
    jumps = np.isin(np.arange(len(places)), left)
    found[left] = ends.mean(axis=-1)
    return found, jumps


FOUND = OutcomeReason("found")
STEP = OutcomeReason("found", "the saving jumps there from a gain to a loss", ", at a step")
_NOT_USED = OutcomeReason("none", "no line of the two ways uses it")
_NOT_RECKONED = OutcomeReason("none", "one of the two ways cannot be reckoned there")
_NO_WORK = OutcomeReason("none", "there is no work")
# The names of the price of what is bought, the first that a ledger uses is tried.
HARDWARE_PRICES = {
    "capex_usd": "USD in all",
    "usd_per_server": "USD/server",
    "usd_per_accelerator": "USD/accelerator",
}
RENT = "usd_per_accelerator_hour"
BUSY = BUSY_FACTOR
WAIT = "achievable-wait-in-services"
LEAST_BUSY = 1e-9  # of the hours: less is no work
_LOWEST_BUSY = 0.01
_SERVICE_CV = 1.0  # lengths of jobs as random as their arrivals
_MOST_TIMES = 20.0  # prices are tried up to so many times today's
_FLAT = 1e-9
_THOUSAND = 1_000.0  # from here on numbers are written whole


@dataclass(frozen=True)
class BreakEven:
    """The value of one input at which both ways cost the same, or the reason why there is none."""

    name: str
    you: float | None  # today's value in the plan
    value: float | None
    reason: OutcomeReason
    achievable: float | None  # of the busy share: what queueing allows
    unit: str

    @property
    def is_out_of_reach(self) -> bool:
        """Whether more work would not turn it: you are below it, and a queue of your jobs ends between the two."""
        if self.achievable is None or self.value is None or self.you is None:
            return False
        return self.you <= self.achievable < self.value


@dataclass(frozen=True)
class _SolveTarget:
    """One input to solve for."""

    name: str
    tried: str  # its name in the formulas
    low: float
    high: float
    you: float | None
    unit: str
    ways: tuple[str, str]  # what owning and renting are called here


# What is solved for, in the order in which it is shown.
NAMES = (
    "busy_share", "usd_per_accelerator_hour", "usd_per_kwh", "hardware_price", "residual_share", "lead_time_months",
    "month",
)  # fmt: skip


def break_evens(plan: Plan, own_option: Option, rent_option: Option) -> tuple[BreakEven, ...]:
    """The break-even of every input, between one owning and one renting way."""
    return tuple(break_even(plan, own_option, rent_option, name) for name in NAMES)


def break_even(plan: Plan, own_option: Option, rent_option: Option, name: str) -> BreakEven:
    """The break-even that is called `name`."""
    setting = plan.setting
    if name == "busy_share":
        return _busy(setting, own_option, rent_option)
    if name == "month":
        return _month(setting, own_option, rent_option)
    wanted = next(one for one in _solve_targets(plan, own_option, rent_option) if one.name == name)
    value, reason = _nearest(wanted, setting, _changed_costs(wanted.tried, setting, own_option, rent_option))
    return BreakEven(wanted.name, wanted.you, value, reason, None, wanted.unit)


def value_of(name: str, *ledgers: Ledger) -> tuple[float, str] | None:
    """An input as the ledgers use it, with its unit; None where they do not, or not with one value."""
    for ledger in ledgers:
        for line in ledger.lines:
            for used in line.used:
                if used.name == name and used.is_number and np.isfinite(used.value):
                    return float(used.value), used.unit
    return None


def _solve_targets(plan: Plan, own: Option, rent: Option) -> list[_SolveTarget]:
    months, ways = plan.setting.scenario.months, _called(own, rent)
    hardware = next((name for name in HARDWARE_PRICES if value_of(name, own.ledger)), "usd_per_accelerator")
    return [
        _price(RENT, RENT, "USD/accelerator-hour", rent.ledger, ways),
        _price("usd_per_kwh", "usd_per_kwh", "USD/kWh", own.ledger, ways),
        replace(_price("hardware_price", hardware, "", own.ledger, ways), unit=HARDWARE_PRICES[hardware]),
        _bounded("residual_share", "share", 1.0, own.ledger, ways),
        replace(
            _bounded("lead_time_months", "months", months, own.ledger, ways),
            you=lead_time_months(plan.setting, own) if WAYS[own.way].waits_for_delivery else None,
        ),
    ]


def _called(own: Option, rent: Option) -> tuple[str, str]:
    return WAYS[own.way].doing, WAYS[rent.way].doing


def _price(name: str, tried: str, unit: str, ledger: Ledger, ways: tuple[str, str]) -> _SolveTarget:
    found = value_of(tried, ledger)
    you, said = found or (None, unit)
    return _SolveTarget(name, tried, 0.0, _MOST_TIMES * (you or 1.0), you, said, ways)


def _bounded(name: str, unit: str, most: float, ledger: Ledger, ways: tuple[str, str]) -> _SolveTarget:
    found = value_of(name, ledger)
    return _SolveTarget(name, name, 0.0, most, found[0] if found else None, unit, ways)


def lead_time_months(setting: PlanContext, own: Option) -> float | None:
    """How long the first of what is bought takes to arrive: as its order says, else as the plan has it."""
    first = own.orders[0].lead_time_months if own.orders else None
    return typical_lead_months(setting) if first is None else first


def pair_costs(own: Option, rent: Option) -> Costs:
    """What both ways cost in today's money, each built anew for every row."""
    builders = option_builder(own), option_builder(rent)
    return lambda columns: columns.present_usd(builders)


def _changed_costs(tried: str, setting: PlanContext, own: Option, rent: Option) -> Costs:
    """What both ways cost where one input changes; a way that does not use it keeps the cost it has.

    The price of a reservation, of spot or of a token is not the price on demand that bridges an owner's gaps.
    """
    is_other_rent = tried == RENT and rent.way != "on_demand"
    stays = is_other_rent or (tried == RENT and WAYS[own.way].rents_machines)  # at a price of its own
    uses = any(used.name == tried for line in rent.ledger.lines for used in line.used)
    moves = not stays, is_other_rent or uses
    builders = [option_builder(option) for option, moved in zip((own, rent), moves, strict=True) if moved]
    still_usd = [present_usd(setting, option.ledger) for option in (own, rent)]

    def costs(columns: InputColumns) -> list[Array]:
        found = iter(columns.present_usd(builders))
        return [
            next(found) if moved else np.full(columns.shape, usd) for moved, usd in zip(moves, still_usd, strict=True)
        ]

    return costs


def _nearest(wanted: _SolveTarget, setting: PlanContext, costs: Costs) -> tuple[float | None, OutcomeReason]:
    """The value nearest to today's at which the saving changes its sign."""
    if wanted.you is None:
        return None, _NOT_USED
    plan, saving = np.zeros(1, dtype=np.intp), saving_function(InputColumns(setting), wanted.tried, costs)
    middle = min(max(wanted.you, wanted.low), wanted.high)
    values = grid(*(np.array([one]) for one in (wanted.low, middle, wanted.high)))
    saved, size = saving(plan, values)
    if not np.isfinite(saved).all():
        return None, _NOT_RECKONED
    found, jumps = nearest_sign_change(plan, values, saved, wanted.you, saving)
    if np.isnan(found[0]):
        return None, _no_break_even_reason(wanted, saved[0], size[0])
    return float(found[0]), STEP if jumps[0] else FOUND


def _no_break_even_reason(wanted: _SolveTarget, saved: NDArray[np.float64], size: NDArray[np.float64]) -> OutcomeReason:
    word: Literal["always", "never"] = "always" if saved[0] > 0 else "never"
    way = wanted.ways[word == "never"]
    if np.ptp(saved) <= _FLAT * np.max(size):
        what = "the hours of use do" if wanted.tried == BUSY else "this does"
        return OutcomeReason(word, f"{way} costs less, and {what} not change the difference")
    if wanted.tried == BUSY:
        return OutcomeReason(word, f"{way} costs less at every level of use")
    low, high = _written(wanted.low), _written(wanted.high)
    return OutcomeReason(word, f"{way} costs less all the way from {low} to {high} {wanted.unit}")


def _written(value: float) -> str:
    """A number as people write it, never 6e+05."""
    return f"{value:,.0f}" if abs(value) >= _THOUSAND else f"{value:.3g}"


def _busy(setting: PlanContext, own: Option, rent: Option) -> BreakEven:
    """How busy both must be: every share of the work is scaled together, the machines stay as many."""
    you = busy_share(setting, 1.0)
    if you < LEAST_BUSY:
        return BreakEven("busy_share", you, None, _NO_WORK, None, "share of hours")
    usual = min(work.effective_utilization for work in setting.scenario.work)
    low, high = (float(end[0]) for end in utilization_factor_bounds(np.array([you]), np.array([usual])))
    wanted = _SolveTarget("busy_share", BUSY, low, high, 1.0, "1", _called(own, rent))
    factor, reason = _nearest(wanted, setting, pair_costs(own, rent))
    value = None if factor is None else busy_share(setting, factor)
    reached, said = _achievable_utilization(setting, max(int(own.accelerators), 1))
    found = BreakEven("busy_share", you, value, reason, reached, "share of hours")
    return replace(found, reason=OutcomeReason("found", how=f", but {said}")) if found.is_out_of_reach else found


def _achievable_utilization(setting: PlanContext, fleet: int) -> tuple[float, str]:
    """How busy work that comes at random can keep a fleet, at the very most where nobody said how large a job is."""
    told = any(work.accelerators_per_job for work in setting.scenario.work)
    job = min(setting.demand.job_accelerators, fleet) if told else 1
    slots = max(fleet // job, 1)
    wait = setting.catalogue.facts[WAIT].figure.newest.typical
    share = _reached(slots, wait)
    jobs = f"jobs of {job:,}" if told else "even jobs of one accelerator each"
    return (
        share,
        f"{jobs} that come at random keep {fleet:,} at most {share:.2f} busy",
    )


@cached(1_000)
def _reached(slots: int, wait_in_services: float) -> float:
    return float(achievable_busy_share(slots=slots, wait_in_services=wait_in_services, service_cv=_SERVICE_CV))


def utilization_factor_bounds(you: Array, utilization: Array) -> tuple[Array, Array]:
    """Between how many times the work a break-even is looked for, for shares of busy hours with and before growth."""
    low = np.minimum(_LOWEST_BUSY / np.where(you < LEAST_BUSY, 1.0, you), 1.0)
    return low, np.maximum(1.0 / np.maximum(utilization, LEAST_BUSY), 1.0)


@cached(16)
def busy_share(setting: PlanContext, factor: float) -> float:
    """The share of hours in which the accelerators asked for are busy, over the plan, at so many times the work."""
    return float(plan_utilizations(InputColumns(setting).with_tried(BUSY, np.array([factor])).context())[0])


def plan_utilizations(setting: PlanContext) -> Array:
    """The share of hours in which the accelerators asked for are busy, over the plan, for each row of a setting."""
    need = setting.demand.all
    there = np.asarray(need.accelerators * need.hours_per_month * need.timeline.runs)
    most = np.broadcast_to(there, np.broadcast(there, need.busy_hours).shape).sum(axis=-1)
    busy = np.asarray(need.busy_hours).sum(axis=-1)
    return np.atleast_1d(np.where(most > 0, busy / np.where(most > 0, most, 1.0), 0.0))


def _month(setting: PlanContext, own: Option, rent: Option) -> BreakEven:
    back = cash_payback(setting, own.ledger, rent.ledger)
    reason = ENDINGS[int(back.ending)]
    month = float(back.months) if reason.word == "found" else None
    return BreakEven("month", setting.scenario.years * MONTHS_PER_YEAR, month, reason, None, "months")


def cash_payback(setting: PlanContext, own: Ledger, rent: Ledger) -> Payback:
    """When what owning costs first has come back, in today's money."""
    return simple_payback(usd=savings_before_resale_usd(own, rent) * factors(setting))
