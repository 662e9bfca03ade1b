"""Break-evens: where owning and renting cost the same, solved one input at a time, or why they never do.

The ledgers of both ways are built at a grid of values of one input, all values in one build. Between two values where
the saving changes its sign the straight line is followed and the point checked; where it is not straight, the bracket
is cut again until the saving is nothing beside the cost. Two changes of sign between two values are not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.queueing import achievable_busy_share
from planner.money.formula import Num
from planner.money.ledger import Ledger
from planner.money.measures import factors, present_usd, worked_usd
from planner.money.option import Option
from planner.money.outcome import Reason
from planner.money.payback import ENDINGS, Payback, simple_payback
from planner.money.plan import Plan
from planner.money.setting import BUSY_FACTOR, Setting
from planner.money.tax.lines import taxed
from planner.money.ways import WAYS
from planner.money.ways.ledger_of_way import Builder, Unavailable
from planner.money.ways.own import of_size
from planner.scenario.base import MONTHS_PER_YEAR

FOUND = Reason("found")
STEP = Reason("found", "the saving jumps there from a gain to a loss", ", at a step")
_NOT_USED = Reason("none", "no line of the two ways uses it")
_NOT_RECKONED = Reason("none", "one of the two ways cannot be reckoned there")
_NO_WORK = Reason("none", "there is no work")
# The names of the price of what is bought, the first that a ledger uses is tried.
HARDWARE_PRICES = {
    "capex_usd": "USD in all",
    "usd_per_server": "USD/server",
    "usd_per_accelerator": "USD/accelerator",
}
RENT = "usd_per_accelerator_hour"
BUSY = BUSY_FACTOR
WAIT = "achievable-wait-in-services"
LEAD_TIME = "owned-lead-time-months"
LOWEST_BUSY = 0.01
_LEAST_BUSY = 1e-9  # of the hours: less is no work
_SERVICE_CV = 1.0  # lengths of jobs as random as their arrivals
_MOST_TIMES = 20.0  # prices are tried up to so many times today's
_NODES = 9  # of the grid, on each side of today's value
_CUTS = 7
_ROUNDS = 12
_NEARLY = 1e-7  # of the larger cost: what counts as the same
_FLAT = 1e-9
_THOUSAND = 1_000.0  # from here on numbers are written whole


@dataclass(frozen=True)
class BreakEven:
    """The value of one input at which both ways cost the same, or the reason why there is none."""

    name: str
    you: float | None  # today's value in the plan
    value: float | None
    reason: Reason
    achievable: float | None  # of the busy share: what queueing allows
    unit: str


_Cost = Callable[[Setting], Num]
_Costs = tuple[_Cost, _Cost]
Saving = Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]


@dataclass(frozen=True)
class _Wanted:
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
    """All of them, of one owning and one renting way."""
    return tuple(break_even(plan, own_option, rent_option, name) for name in NAMES)


def break_even(plan: Plan, own_option: Option, rent_option: Option, name: str) -> BreakEven:
    """The break-even that is called `name`."""
    setting, ways = plan.setting, (_built(own_option), _built(rent_option))
    if name == "busy_share":
        return _busy(setting, ways, own_option, rent_option)
    if name == "month":
        return _month(setting, own_option, rent_option)
    wanted = next(one for one in _wanted(plan, own_option, rent_option) if one.name == name)
    touched = _touched(wanted.tried, setting, ways, (own_option, rent_option))
    return _solved(wanted, _saving(setting, touched, wanted.tried))


def builder_of(option: Option) -> Builder:
    """What built an option; a fleet keeps its size, whatever is tried out."""
    return of_size(int(option.accelerators)) if option.way == "own" else WAYS[option.way].build


def ledger_at(setting: Setting, build: Builder) -> Ledger | None:
    """A way's ledger with its tax at a setting, perhaps for several draws at once."""
    built = build(setting)
    return None if isinstance(built, Unavailable) else taxed(setting, Ledger(built.title, built.lines))


def value_of(name: str, *ledgers: Ledger) -> tuple[float, str] | None:
    """An input as the ledgers use it, with its unit; None where they do not, or not with one value."""
    for ledger in ledgers:
        for line in ledger.lines:
            for used in line.used:
                if used.name == name and used.is_number and np.isfinite(used.value):
                    return float(used.value), used.unit
    return None


def _wanted(plan: Plan, own: Option, rent: Option) -> list[_Wanted]:
    months, ways = plan.setting.scenario.months, _called(own, rent)
    hardware = next((name for name in HARDWARE_PRICES if value_of(name, own.ledger)), "usd_per_accelerator")
    return [
        _price(RENT, RENT, "USD/accelerator-hour", rent.ledger, ways),
        _price("usd_per_kwh", "usd_per_kwh", "USD/kWh", own.ledger, ways),
        replace(_price("hardware_price", hardware, "", own.ledger, ways), unit=HARDWARE_PRICES[hardware]),
        _bounded("residual_share", "share", 1.0, own.ledger, ways),
        replace(
            _bounded("lead_time_months", "months", months, own.ledger, ways), you=lead_time_months(plan.setting, own)
        ),
    ]


def _called(own: Option, rent: Option) -> tuple[str, str]:
    return WAYS[own.way].doing, WAYS[rent.way].doing


def _price(name: str, tried: str, unit: str, ledger: Ledger, ways: tuple[str, str]) -> _Wanted:
    found = value_of(tried, ledger)
    you, said = found or (None, unit)
    return _Wanted(name, tried, 0.0, _MOST_TIMES * (you or 1.0), you, said, ways)


def _bounded(name: str, unit: str, most: float, ledger: Ledger, ways: tuple[str, str]) -> _Wanted:
    found = value_of(name, ledger)
    return _Wanted(name, name, 0.0, most, found[0] if found else None, unit, ways)


def lead_time_months(setting: Setting, own: Option) -> float | None:
    """How long what is bought takes to arrive: as its ledger says, as you say, else as the catalogue does."""
    found = value_of("lead_time_months", own.ledger)
    if found:
        return found[0]
    yours = setting.scenario.own.lead_time_months
    return setting.catalogue.facts[LEAD_TIME].figure.newest.typical if yours is None else yours


def _built(option: Option) -> _Cost:
    """What a way costs in today's money, built anew at a setting."""
    build = builder_of(option)

    def cost(setting: Setting) -> Num:
        ledger = ledger_at(setting, build)
        return float("nan") if ledger is None else present_usd(setting, ledger)

    return cost


def _touched(tried: str, setting: Setting, ways: _Costs, options: tuple[Option, Option]) -> _Costs:
    """The two ways, one that an input does not touch staying as it is.

    The price of a reservation, of spot or of a token is not the price on demand that bridges an owner's gaps.
    """
    own, rent = (present_usd(setting, option.ledger) for option in options)
    if tried == RENT and options[1].way != "on_demand":
        return (lambda _: own), ways[1]
    if not any(used.name == tried for line in options[1].ledger.lines for used in line.used):
        return ways[0], (lambda _: rent)
    return ways


def _saving(setting: Setting, ways: _Costs, tried: str) -> Saving:
    """What owning saves, and the larger of both costs, at each of some values."""

    def saving(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        there = setting.trying({tried: values[:, None]})
        own, rent = (np.broadcast_to(np.asarray(cost(there)), len(values)) for cost in ways)
        return rent - own, np.maximum(np.abs(rent), np.abs(own))

    return saving


def _solved(wanted: _Wanted, saving: Saving) -> BreakEven:
    """The value nearest to today's at which the saving changes its sign."""
    value, reason = _nearest(wanted, saving)
    return BreakEven(wanted.name, wanted.you, value, reason, None, wanted.unit)


def _nearest(wanted: _Wanted, saving: Saving) -> tuple[float | None, Reason]:
    if wanted.you is None:
        return None, _NOT_USED
    grid = _grid(wanted)
    saved, size = saving(grid)
    if not np.isfinite(saved).all():
        return None, _NOT_RECKONED
    found = turn_of(grid, saved, wanted.you, saving)
    return found or (None, _one_sided(wanted, saved, size))


def turn_of(
    grid: NDArray[np.float64], saved: NDArray[np.float64], you: float, saving: Saving
) -> tuple[float, Reason] | None:
    """The value nearest to `you` at which the saving changes its sign between two points of a grid, solved there."""
    turns = np.flatnonzero((saved[1:] > 0) != (saved[:-1] > 0))
    if not turns.size:
        return None
    distance = np.maximum(np.maximum(grid[turns] - you, you - grid[turns + 1]), 0.0)
    at = int(turns[np.argmin(distance)])
    return _refined(grid[at : at + 2], saved[at : at + 2], saving)


def _grid(wanted: _Wanted) -> NDArray[np.float64]:
    middle = min(max(wanted.you or 0.0, wanted.low), wanted.high)
    below, above = np.linspace(wanted.low, middle, _NODES), np.linspace(middle, wanted.high, _NODES)
    return np.unique(np.concatenate([below, above]))


def _one_sided(wanted: _Wanted, saved: NDArray[np.float64], size: NDArray[np.float64]) -> Reason:
    word: Literal["always", "never"] = "always" if saved[0] > 0 else "never"
    way = wanted.ways[word == "never"]
    if np.ptp(saved) <= _FLAT * np.max(size):
        what = "the hours of use do" if wanted.tried == BUSY else "this does"
        return Reason(word, f"{way} costs less, and {what} not change the difference")
    if wanted.tried == BUSY:
        return Reason(word, f"{way} costs less at every level of use")
    low, high = _written(wanted.low), _written(wanted.high)
    return Reason(word, f"{way} costs less all the way from {low} to {high} {wanted.unit}")


def _written(value: float) -> str:
    """A number as people write it, never 6e+05."""
    return f"{value:,.0f}" if abs(value) >= _THOUSAND else f"{value:.3g}"


def _refined(ends: NDArray[np.float64], saved: NDArray[np.float64], saving: Saving) -> tuple[float, Reason]:
    """Follow the straight line inside a bracket, check, and cut the bracket where it was not straight."""
    for _ in range(_ROUNDS):
        straight = ends[0] - saved[0] * (ends[1] - ends[0]) / (saved[1] - saved[0])
        points = np.unique(np.append(np.linspace(ends[0], ends[1], _CUTS), straight))
        here, size = saving(points)
        best = int(np.argmin(np.abs(here)))
        if abs(here[best]) <= _NEARLY * size[best]:
            return float(points[best]), FOUND
        at = int(np.flatnonzero((here[1:] > 0) != (here[:-1] > 0))[0])
        ends, saved = points[at : at + 2], here[at : at + 2]
    return float(ends.mean()), STEP


def _busy(setting: Setting, ways: _Costs, own: Option, rent: Option) -> BreakEven:
    """How busy both must be: every share of the work is scaled together, the machines stay as many."""
    you = busy_share(setting, 1.0)
    if you < _LEAST_BUSY:
        return BreakEven("busy_share", you, None, _NO_WORK, None, "share of hours")
    busiest = 1.0 / max(min(work.usual_busy_share for work in setting.scenario.work), _LEAST_BUSY)
    wanted = _Wanted("busy_share", BUSY, min(LOWEST_BUSY / you, 1.0), max(busiest, 1.0), 1.0, "1", _called(own, rent))
    factor, reason = _nearest(wanted, _saving(setting, ways, wanted.tried))
    value = None if factor is None else busy_share(setting, factor)
    reached, said = _achievable(setting, int(own.accelerators))
    if value is not None and value > reached:
        reason = Reason("found", how=f", but {said}")
    return BreakEven("busy_share", you, value, reason, reached, "share of hours")


def _achievable(setting: Setting, fleet: int) -> tuple[float, str]:
    """How busy work that comes at random can keep a fleet; where nobody said how large a job is, at the very most."""
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


@lru_cache(maxsize=1_000)
def _reached(slots: int, wait_in_services: float) -> float:
    return float(achievable_busy_share(slots=slots, wait_in_services=wait_in_services, service_cv=_SERVICE_CV))


def busy_share(setting: Setting, factor: float) -> float:
    """The share of hours in which the accelerators asked for are busy, over the plan, at so many times the work."""
    need = setting.trying({BUSY: np.full((1, 1), factor)}).demand.all
    there = need.accelerators * need.hours_per_month * need.timeline.runs
    most = float(np.sum(np.broadcast_to(there, need.busy_hours.shape)))
    return float(np.sum(need.busy_hours)) / most if most > 0 else 0.0


def _month(setting: Setting, own: Option, rent: Option) -> BreakEven:
    back = paid_back(setting, own.ledger, rent.ledger)
    reason = ENDINGS[int(back.ending)]
    month = float(back.months) if reason.word == "found" else None
    return BreakEven("month", setting.scenario.years * MONTHS_PER_YEAR, month, reason, None, "months")


def paid_back(setting: Setting, own: Ledger, rent: Ledger) -> Payback:
    """When what owning costs first has come back, in today's money."""
    return simple_payback(usd=worked_usd(own, rent) * factors(setting))
