"""The budget of a plan: what it will cost to calculate, estimated from its work and its years before anything is begun.

The server answers many people on few cores, so a plan that takes more than `MOST_SECONDS` or `MOST_MEGABYTES` is
refused, with the nearest that does not. Counted are the numbers that are calculated: levels of demand x months,
patterns of demand x months x futures (planner.money.demand.levels), months of the ledgers, orders of a fleet x months
x futures, and choices of an accelerator that are left open. What one of them takes was measured on one core of a busy
server, over 300 plans, each in a process of its own: of the 248 that have an option, 94 of 100 took from half to twice
the time that is estimated here, 93 of 100 the memory. On another machine all of them take longer or shorter alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from planner.scenario.amounts import count
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.own import MOST_ORDERS
from planner.scenario.work import Work
from pricing.caching import cached

MOST_SECONDS, MOST_MEGABYTES = 1.2, 150.0
FUTURES = 1_024  # of an answer: a share of them then repeats within half a point over seeds
TURNS, STEPS = 256, 9  # futures in which a break-even is looked for, and values of the busy share tried in each
MOST_LEVELS = 64  # of demand, and of its patterns; what is more is put on a grid of as many
CELLS = 90_000  # futures x months that are calculated together; each takes 8 bytes: 700 kB
STACKED_CELLS = 2 * CELLS  # the same with the orders of a fleet: fewer futures at once would take longer
_MANY = 1_000  # months x orders from which a plan is counted over fewer futures
FEWER_FUTURES = 256

_USUAL_S, _MONTH_S = 0.08, 0.00045  # what every plan takes, and what each of its months does
_LEVEL_S = 3.5e-7  # a level in a month, in every demand that a plan asks for
_SUM_S = 1.7e-9  # a sum of two levels of two patterns in a month
_SHARE_S = 5.5e-9  # how often a pattern holds, in a month of a future
_GRID_S = 1.1e-8  # the same where patterns are put on a grid
_BUSY_S = 3.5e-9  # what of a pattern lies below a fleet, in a month of a future
_ORDER_S, _LEDGER_S = 0.017, 4.9e-7  # an order of a fleet, and in a month of a future
_USUAL_MB, _WORK_MB, _LEDGER_MB = 2.2, 1.6, 1.1e-4
_SERVER = 8  # accelerators that are ordered together, at least
_ANY_S, _COUNT_S = 0.5, 0.12  # every accelerator tried for one kind of work; every number of one accelerator
_QUARTER = 0.25  # years: steps in which a plan is cut to find the nearest


def futures_count(months: int, orders: int) -> int:
    """Return over how many futures a plan of so many months is counted, with a fleet bought in so many orders.

    Of a quarter as many a share repeats within one point over seeds, in place of half a point.
    """
    return FUTURES if months * orders <= _MANY else FEWER_FUTURES


def turns_count(futures: int) -> int:
    """Return in how many of so many futures a break-even is looked for."""
    return min(TURNS, max(futures // (FUTURES // TURNS), 1))


@dataclass(frozen=True)
class PlanSize:
    """The part of a scenario that decides what it costs to calculate."""

    work: tuple[Work, ...]
    years: float
    any_accelerator: bool = False
    orders_every_months: int = 6  # of a fleet, where the work grows
    orders: int = 0  # that are typed

    @property
    def most_orders(self) -> int:
        """Return in how many orders its fleet is bought."""
        if self.orders or not _varies_by_month(self.work):
            return self.orders
        added = sum(work.accelerators * max((1 + work.growth_per_year) ** self.years - 1, 0.0) for work in self.work)
        servers = MOST_ORDERS if _varies_by_month(self.work, grows=False) else math.ceil(added / _SERVER)
        return min(math.ceil(self.years * MONTHS_PER_YEAR / self.orders_every_months), MOST_ORDERS, 1 + servers)

    @property
    def jobs(self) -> int:
        """Jobs of all kinds of work."""
        return sum(len(work.jobs) for work in self.work)

    def over(self, years: float) -> PlanSize:
        """The cost of calculating this work over so many years."""
        return replace(self, years=years)

    def with_jobs(self, count: int) -> PlanSize:
        """The first jobs alone."""
        before = [sum(len(work.jobs) for work in self.work[:place]) for place in range(len(self.work))]
        cut = (
            work.model_copy(update={"jobs": work.jobs[: max(count - before_it, 0)]})
            for work, before_it in zip(self.work, before, strict=True)
        )
        return replace(self, work=tuple(cut))


@dataclass(frozen=True)
class ComputeEstimate:
    """The count of numbers of each kind that a plan computes."""

    months: int
    levels: int = 0
    sums: int = 0
    shares: int = 0
    on_grid: int = 0
    busy: int = 0
    orders: int = 0
    ledgers: int = 0  # x orders x months x futures
    works: int = 1
    market_tries: int = 0  # 1 for every accelerator
    count_tries: int = 0

    @property
    def seconds(self) -> float:
        """The seconds that these numbers take on one core of a usual server."""
        return (
            _USUAL_S + self.months * _MONTH_S + self.levels * _LEVEL_S
            + self.sums * _SUM_S + self.shares * _SHARE_S + self.on_grid * _GRID_S + self.busy * _BUSY_S
            + self.orders * _ORDER_S + self.ledgers * _LEDGER_S
            + self.market_tries * _ANY_S + self.count_tries * _COUNT_S
        )  # fmt: skip

    @property
    def megabytes(self) -> float:
        """The memory that these numbers take."""
        return _USUAL_MB + self.works * _WORK_MB + self.ledgers * _LEDGER_MB

    @property
    def budget_share(self) -> float:
        """The share of the time or of the memory that one plan may take."""
        return max(self.seconds / MOST_SECONDS, self.megabytes / MOST_MEGABYTES)


@dataclass(frozen=True)
class _DemandLayer:
    """A kind of work, or a job, whose hours differ from future to future."""

    patterns: int
    levels: int
    futures: int


def estimate_compute(size: PlanSize) -> ComputeEstimate:
    """Return what a plan of this work calculates."""
    months = math.ceil(size.years * MONTHS_PER_YEAR) + 1
    calm = [2 for work in size.work if not work.has_task for _ in work.jobs]
    answer, turns = _random_layers(size.work, FUTURES, FUTURES), _random_layers(size.work, TURNS * STEPS, TURNS)
    differing = months if _varies_by_month(size.work) else 1
    levels = math.prod(calm) if len(calm) < MOST_LEVELS.bit_length() else MOST_LEVELS
    runs = [_combined(layers, min(levels, MOST_LEVELS), months, differing) for layers in (answer, turns)]
    named = [work for work in size.work if work.has_task]
    return ComputeEstimate(
        months,
        levels=_merged_levels([*calm, *(layer.levels + 1 for layer in answer)]) * differing,
        sums=sum(run.sums for run in runs),
        shares=sum(run.shares for run in runs),
        on_grid=sum(run.on_grid for run in runs),
        busy=sum(run.busy for run in runs),
        orders=size.most_orders,
        ledgers=max(size.most_orders, 1) * months * futures_count(months, size.most_orders),
        works=len(size.work),
        market_tries=int(size.any_accelerator and bool(named)),
        count_tries=sum(1 for work in named if work.train is not None and work.train.choose_count),
    )


@cached(256)  # a page validates a scenario with each edit, a sweep with each row
def over_budget_message(size: PlanSize) -> str | None:
    """Why the work of a plan is not calculated, and the nearest that is; None where it is within the budget."""
    times = estimate_compute(size).budget_share
    if times <= 1:
        return None
    nearest = "; or ".join(_smaller_plans(size)) or "less of it"
    jobs = f" with {count(size.jobs, 'job')}" if size.jobs else ""
    return (
        f"of {count(len(size.work), 'kind')}{jobs} over {count(size.years, 'year')} takes "
        f"{math.ceil(times * 10) / 10:g} times what one plan may take. What can be calculated: {nearest}"
    )


def _smaller_plans(size: PlanSize) -> Iterator[str]:
    years = _largest_allowed(math.ceil(size.years / _QUARTER) - 1, lambda many: size.over(many * _QUARTER))
    if years:
        yield f"all of it over up to {count(years * _QUARTER, 'year')}"
    if estimate_compute(replace(size, orders_every_months=MONTHS_PER_YEAR)).budget_share <= 1:
        yield "all of it with orders once a year (`own.orders_every_months: 12`)"
    jobs = _largest_allowed(size.jobs - 1, size.with_jobs) if size.jobs else 0
    if jobs:
        yield f"{_first_n(jobs)} of its {count(size.jobs, 'job')}"
    works = _largest_allowed(len(size.work) - 1, lambda many: replace(size, work=size.work[:many]))
    if works:
        yield f"{_first_n(works)} of its {count(len(size.work), 'kind')} of work"


def _first_n(count: int) -> str:
    return "the first" if count == 1 else f"the first {count}"


def _largest_allowed(most: int, cut: Callable[[int], PlanSize]) -> int:
    """The largest number, up to `most`, with which a plan is small enough; 0 where none is. Found by halving."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if estimate_compute(cut(middle)).budget_share <= 1 else (low, middle)
    return low


def _varies_by_month(works: Sequence[Work], *, grows: bool = True) -> bool:
    """Return whether what the work wants differs from month to month; also where it only grows."""
    return any(
        (grows and work.growth_per_year) or work.season or work.jobs or work.first_month > 1 or work.last_month
        for work in works
    )


def _random_layers(works: Sequence[Work], futures: int, futures_of_jobs: int) -> list[_DemandLayer]:
    """Return what differs from future to future: each job, in as many futures as jobs take, then each work."""
    jobs = [_DemandLayer(2, 1, futures_of_jobs) for work in works if work.has_task for _ in work.jobs]
    fixed = [work.by_hour for work in works if not work.may_wait]
    return jobs + [_DemandLayer(3, len({*day, 0.0}), futures) if day else _DemandLayer(2, 1, futures) for day in fixed]


def _merged_levels(levels: Sequence[int]) -> int:
    """Return the levels put on a grid, one kind of work after the other; up to `MOST_LEVELS` stay as they are."""
    total, so_far = 0, 1
    for level in levels:
        both = so_far * level
        total += both if both > MOST_LEVELS else 0
        so_far = min(both, MOST_LEVELS)
    return total


def _combined(layers: Sequence[_DemandLayer], levels: int, months: int, differing: int) -> ComputeEstimate:
    """Patterns and their levels, one kind of work after the other, as the levels of demand are put together."""
    sums = shares = on_grid = 0
    patterns, most = 1, max((layer.futures for layer in layers), default=0)
    blocks = math.ceil(most * months / CELLS)
    for layer in layers:
        pairs, both = patterns * layer.patterns, levels * layer.levels
        if pairs > MOST_LEVELS or both > MOST_LEVELS:
            sums += pairs * both * differing * blocks
        if pairs > MOST_LEVELS:
            on_grid += layer.futures * differing * pairs
            patterns, levels = MOST_LEVELS, 1
        else:
            shares += layer.futures * differing * pairs
            patterns, levels = pairs, min(both, MOST_LEVELS)
    return ComputeEstimate(months, sums=sums, shares=shares, on_grid=on_grid, busy=most * differing * patterns)
