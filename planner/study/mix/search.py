"""Prices of mixes by their own ledgers, and the cheapest of some mixes and their neighbors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.money.measures import present_usd
from planner.money.option import Unavailable, complete_ledger
from planner.money.setting import PlanContext
from planner.money.sizing import average_utilization, server_size, utilization_within_wait
from planner.money.verdict.contender import plan_limits, upper_bound_usd
from planner.money.ways.mix import build_mix
from planner.scenario.base import MOST_ACCELERATORS
from planner.scenario.rent import MixInputs
from planner.study.mix.mix_rates import BaseSchedule

MOST_MIXED = 1_000_000
_ROUNDS = 12  # steps to a neighbor, at most


@dataclass(frozen=True)
class PricedMix:
    """The net present cost of a mix."""

    usd: float  # by its ledger
    at_most_usd: float  # with unpublished prices at their highest; infinite: not available


@dataclass(frozen=True, eq=False)
class MixSearch:
    """Mixes of a plan priced by their ledgers, each once."""

    setting: PlanContext
    schedule: BaseSchedule | None = None  # of the base; None: at once
    cache: dict[MixInputs, PricedMix] = field(default_factory=dict)

    @property
    def max_accelerators(self) -> int:
        """The most accelerators that a mix owns or reserves."""
        return min(self.setting.demand.all.peak_accelerators, MOST_ACCELERATORS)

    def priced(self, mix: MixInputs) -> PricedMix:
        """Return the cost of a mix by its own ledger."""
        if mix not in self.cache:
            self.cache[mix] = self._compute_price(mix)
        return self.cache[mix]

    def at_most_usd(self, mix: MixInputs) -> float:
        """Return the most a mix costs, by which mixes are compared so that no missing price makes one win. [USD]"""
        return self.priced(mix).at_most_usd

    def _compute_price(self, mix: MixInputs) -> PricedMix:
        built = build_mix(self.setting, mix)
        if isinstance(built, Unavailable) or self._waits_too_long(mix.own_accelerators + mix.reserve_accelerators):
            return PricedMix(np.inf, np.inf)
        ledger = complete_ledger(self.setting, built.title, built.lines)
        usd = float(present_usd(self.setting, ledger))
        allowed = plan_limits(self.setting.terms).allows(self.setting, "mix", ledger)
        return PricedMix(usd, upper_bound_usd(self.setting, ledger) if allowed else np.inf)

    def _waits_too_long(self, fleet: int) -> bool:
        """Return whether jobs wait longer than accepted; where an hour of waiting has a price, the ledger counts it."""
        is_priced = self.setting.terms.usd_per_waiting_hour is not None
        if fleet == 0 or is_priced or not np.any(self.setting.demand.waiting_hours > 0):
            return False
        return fleet < min(least_fleet(self.setting), self.max_accelerators)

    def best(self, proposed: Sequence[MixInputs], steps: Sequence[tuple[int, int]]) -> MixInputs | None:
        """Return the cheapest of the proposed mixes and their neighbors; None if none is available."""
        now = min(proposed, key=self.at_most_usd)
        reserves = any(mix.reserve_accelerators for mix in proposed)
        for step in steps:
            for _ in range(_ROUNDS):
                neighbor = min(self._neighbors(now, step, reserves), key=self.at_most_usd, default=now)
                if self.at_most_usd(neighbor) >= self.at_most_usd(now):
                    break
                now = neighbor
        return now if np.isfinite(self.at_most_usd(now)) else None

    def _neighbors(self, mix: MixInputs, steps: tuple[int, int], reserves: bool) -> Iterator[MixInputs]:
        """Return the mixes with one server or machine more or less; none reserved where the program reserves none."""
        for name, step in zip(("own_accelerators", "reserve_accelerators"), steps, strict=True):
            now = getattr(mix, name)
            if name == "reserve_accelerators" and now == 0 and not reserves:
                continue
            for size in {min(now // step * step + step, self.max_accelerators), now - (now % step or step)}:
                if size >= 0 and size != now:
                    yield self.resized(mix, **{name: size})

    def resized(self, mix: MixInputs, **sizes: int) -> MixInputs:
        """Return the mix with another base or reservation, and the best orders for its base."""
        resized = mix.model_copy(update=sizes)
        orders = () if self.schedule is None else self.schedule.orders_up_to(resized.own_accelerators)
        return resized.model_copy(update={"orders": orders})


def least_fleet(setting: PlanContext) -> int:
    """Return the smallest fleet, in whole servers, on which jobs wait no longer than accepted; else the whole peak.

    0 where nothing waits. Found by bisection: a larger fleet is less busy, and may be busier.
    """
    demand, server = setting.demand, server_size(setting)
    peak = demand.all.peak_accelerators
    if not np.any(demand.waiting_hours > 0):
        return 0
    low, high = 0, -(-peak // server)
    while high - low > 1:
        middle = (low + high) // 2
        fleet = min(middle * server, peak)
        fits = fleet >= demand.job_accelerators
        enough = fits and average_utilization(setting, fleet) <= utilization_within_wait(setting, fleet)
        low, high = (low, middle) if enough else (middle, high)
    return min(high * server, peak)
