"""What mixes cost by their own ledgers, and the cheapest of some and of what lies beside them.

Where none is looked for, a few are tried, so that a page can say by how much each costs more.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.money.measures import present_usd
from planner.money.plan import Plan
from planner.money.setting import PlanContext
from planner.money.sizing import server_size, usual_share, utilization_within_wait
from planner.money.verdict.contender import at_most_usd
from planner.money.verdict.limits import limits_of
from planner.money.ways.ledger_of_way import Unavailable, complete_ledger
from planner.money.ways.mix import mixed
from planner.scenario.base import MOST_ACCELERATORS
from planner.scenario.rent import MixInputs
from planner.study.mix.mix_rates import Schedule

MOST_MIXED = 1_000_000
_ROUNDS = 12  # steps to a neighbour, at most


@dataclass(frozen=True)
class PricedMix:
    """What a mix comes to, in today's money."""

    usd: float  # by its ledger
    at_most_usd: float  # with what nobody publishes at its dearest; infinite: not to be had


@dataclass(frozen=True, eq=False)
class MixSearch:
    """Mixes of a plan by their ledgers, each reckoned once."""

    setting: PlanContext
    schedule: Schedule | None = None  # of the base; None: at once
    kept: dict[MixInputs, PricedMix] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """The most accelerators that a mix owns or reserves."""
        return min(self.setting.demand.all.peak_accelerators, MOST_ACCELERATORS)

    def priced(self, mix: MixInputs) -> PricedMix:
        """What a mix costs by its own ledger."""
        if mix not in self.kept:
            self.kept[mix] = self._reckoned(mix)
        return self.kept[mix]

    def at_most_usd(self, mix: MixInputs) -> float:
        """What a mix costs at most, which mixes are compared by, so that none wins by its silence. [USD]"""
        return self.priced(mix).at_most_usd

    def _reckoned(self, mix: MixInputs) -> PricedMix:
        never = PricedMix(np.inf, np.inf)
        built = mixed(self.setting, mix)
        if isinstance(built, Unavailable) or self._waits_too_long(mix.own_accelerators + mix.reserve_accelerators):
            return never
        ledger = complete_ledger(self.setting, built.title, built.lines)
        usd = float(present_usd(self.setting, ledger))
        if not limits_of(self.setting.terms).allows(self.setting, "mix", ledger):
            return PricedMix(usd, np.inf)
        return PricedMix(usd, at_most_usd(self.setting, ledger))

    def _waits_too_long(self, fleet: int) -> bool:
        """Whether jobs wait longer than people accept; where an hour of it has a price, the ledger counts that."""
        is_priced = self.setting.terms.usd_per_waiting_hour is not None
        if fleet == 0 or is_priced or not np.any(self.setting.demand.waiting_hours > 0):
            return False
        return fleet < min(least_fleet(self.setting), self.most)

    def best(self, proposed: Sequence[MixInputs], steps: Sequence[tuple[int, int]]) -> MixInputs | None:
        """The cheapest of the proposed mixes and of those a step beside them; None where none can be had."""
        now = min(proposed, key=self.at_most_usd)
        for step in steps:
            for _ in range(_ROUNDS):
                beside = min(self._beside(now, step), key=self.at_most_usd, default=now)
                if self.at_most_usd(beside) >= self.at_most_usd(now):
                    break
                now = beside
        return now if np.isfinite(self.at_most_usd(now)) else None

    def _beside(self, mix: MixInputs, steps: tuple[int, int]) -> Iterator[MixInputs]:
        """The mixes with a server or a machine more or less than this one."""
        for name, step in zip(("own_accelerators", "reserve_accelerators"), steps, strict=True):
            now = getattr(mix, name)
            if name == "reserve_accelerators" and now == 0:
                continue  # the programme knew the price of a machine: none was worth it
            for size in {min(now // step * step + step, self.most), now - (now % step or step)}:
                if size >= 0 and size != now:
                    yield self.resized(mix, **{name: size})

    def resized(self, mix: MixInputs, **sizes: int) -> MixInputs:
        """The mix with another base or reservation, and the base's orders as they are best for it."""
        found = mix.model_copy(update=sizes)
        orders = () if self.schedule is None else self.schedule.upto(found.own_accelerators)
        return found.model_copy(update={"orders": orders})


def least_fleet(setting: PlanContext) -> int:
    """The smallest fleet, in whole servers, on which jobs wait no longer than people accept; else as many as are asked.

    0 where nothing waits. Found by halving: a larger fleet is less busy, and may be busier.
    """
    demand, server = setting.demand, server_size(setting)
    most = demand.all.peak_accelerators
    if not np.any(demand.waiting_hours > 0):
        return 0
    low, high = 0, -(-most // server)
    while high - low > 1:
        middle = (low + high) // 2
        fleet = min(middle * server, most)
        enough = fleet >= demand.job_accelerators and usual_share(setting, fleet) <= utilization_within_wait(
            setting, fleet
        )
        low, high = (low, middle) if enough else (middle, high)
    return min(high * server, most)


_PARTS = (0.25, 0.5, 0.75)  # of all that is wanted at once


@dataclass(frozen=True)
class Tried:
    """A mix, and what the plan then comes to by its ledger, with what nobody publishes at its dearest."""

    mix: MixInputs
    usd: float


def tried(plan: Plan) -> tuple[Tried, ...]:
    """A quarter, a half and three quarters owned in whole servers, or reserved, and the rest rented; cheapest first.

    None where nothing is priced, and where the work wants one accelerator: there is nothing to divide.
    """
    setting = plan.setting
    if not plan.options or setting.demand.all.peak_accelerators > MOST_MIXED:
        return ()
    search, server = MixSearch(setting), server_size(setting)
    most = search.most
    owned = {math.ceil(most * part / server) * server for part in _PARTS}
    held = {math.ceil(most * part) for part in _PARTS}
    mixes = [MixInputs(own_accelerators=size) for size in owned if size < most]
    mixes += [MixInputs(reserve_accelerators=size) for size in held if size < most]
    found = (Tried(one, search.at_most_usd(one)) for one in mixes)
    return tuple(sorted((one for one in found if math.isfinite(one.usd)), key=lambda one: one.usd))
