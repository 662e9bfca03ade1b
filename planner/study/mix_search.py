"""What mixes cost by their own ledgers, and the cheapest of some and of what lies beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planner.inputs.base import MONTHS_PER_YEAR
from planner.inputs.rent import Mix
from planner.money.answer import unknown_usd
from planner.money.ledger import Ledger
from planner.money.measures import cash_today_usd, factors, present_usd
from planner.money.queueing import mean_wait_in_services
from planner.money.setting import Setting
from planner.money.sizing import SERVICE_CV, comfortable_share, server_size
from planner.money.solved import Solved
from planner.money.taxed import taxed
from planner.money.ways.built import Why
from planner.money.ways.mix import mixed
from planner.study.load import hours_done

Array = NDArray[np.float64]

MOST_OWNED = 16_384  # what a mix may name
_ROUNDS = 12  # steps to a neighbour, at most
_NEARLY = 1e-9


@dataclass(frozen=True)
class Limits:
    """What a mix must keep to, and what an hour that a job waits costs where somebody says so."""

    day_one_usd: float | None = None
    year_usd: float | None = None
    usd_per_waiting_hour: float | None = None

    def keeps(self, ledger: Ledger) -> bool:
        """Whether a ledger stays within the cash of day one and of each year."""
        if self.day_one_usd is not None and float(cash_today_usd(ledger)) > self.day_one_usd + _NEARLY:
            return False
        if self.year_usd is None:
            return True
        monthly = ledger.monthly_usd
        year = np.maximum(np.arange(len(monthly)) - 1, 0) // MONTHS_PER_YEAR
        return bool(np.bincount(year, weights=monthly).max() <= self.year_usd + _NEARLY)


@dataclass(frozen=True)
class Priced:
    """What a mix comes to, in today's money."""

    usd: float  # by its ledger
    at_most_usd: float  # with what nobody publishes at its dearest, and the price of waiting; infinite: not to be had


@dataclass(frozen=True, eq=False)
class Search:
    """Mixes of a plan by their ledgers, each reckoned once."""

    setting: Setting
    limits: Limits = Limits()
    kept: dict[Mix, Priced] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """The most that a mix owns or reserves."""
        return min(self.setting.demand.all.most_accelerators, MOST_OWNED)

    def priced(self, mix: Mix) -> Priced:
        """What it costs."""
        if mix not in self.kept:
            self.kept[mix] = self._reckoned(mix)
        return self.kept[mix]

    def at_most_usd(self, mix: Mix) -> float:
        """What it costs at most: what mixes are compared by, so that none wins by its silence."""
        return self.priced(mix).at_most_usd

    def _reckoned(self, mix: Mix) -> Priced:
        never = Priced(np.inf, np.inf)
        waited = self._waiting_usd(mix.own_accelerators + mix.reserve_accelerators)
        built = mixed(self.setting, mix)
        if isinstance(built, Why):
            return never
        ledger = taxed(self.setting, Ledger(built.title, built.lines))
        usd = float(present_usd(self.setting, ledger))
        if not self.limits.keeps(ledger):
            return Priced(usd, np.inf)
        return Priced(usd, usd + float(sum(unknown_usd(self.setting, ledger).values())) + waited)

    def _waiting_usd(self, fleet: int) -> float:
        """The price of waiting; infinite where jobs wait longer than people accept and nobody prices it."""
        setting = self.setting
        if fleet == 0 or not np.any(setting.demand.waiting_hours > 0):
            return 0.0
        price = self.limits.usd_per_waiting_hour
        if price is None:
            return 0.0 if fleet >= min(least_fleet(setting), self.most) else np.inf
        wait = wait_hours(setting, fleet)
        if not wait.found:
            return np.inf
        jobs = setting.demand.waiting_hours / (
            setting.demand.job_accelerators * setting.scenario.rent.hours_per_session
        )
        return float(np.sum(jobs * setting.timeline.runs * factors(setting))) * float(wait.value) * price

    def best(self, proposed: Sequence[Mix], steps: Sequence[tuple[int, int]]) -> Mix | None:
        """The cheapest of those proposed and of what lies a step beside it; None where none can be had."""
        now = min(proposed, key=self.at_most_usd)
        for step in steps:
            for _ in range(_ROUNDS):
                beside = min(self._beside(now, step), key=self.at_most_usd, default=now)
                if self.at_most_usd(beside) >= self.at_most_usd(now):
                    break
                now = beside
        return now if np.isfinite(self.at_most_usd(now)) else None

    def _beside(self, mix: Mix, steps: tuple[int, int]) -> Iterator[Mix]:
        """A server or a machine more or less."""
        for name, step in zip(("own_accelerators", "reserve_accelerators"), steps, strict=True):
            now = getattr(mix, name)
            if name == "reserve_accelerators" and now == 0:
                continue  # the programme knew the price of a machine: none was worth it
            for size in {min(now // step * step + step, self.most), now - (now % step or step)}:
                if size >= 0 and size != now:
                    yield mix.model_copy(update={name: size})


def usual_share(setting: Setting, fleet: int) -> float:
    """How busy a fleet is over the plan, with what it takes of the work. [1]"""
    return share_done(setting, fleet) * _all_hours(setting) / (fleet * _capacity_hours(setting))


def share_done(setting: Setting, fleet: int) -> float:
    """The share of all useful hours that a fleet does. [1]"""
    demand = setting.demand
    reach = 0.0 if fleet < demand.job_accelerators else 1.0
    done = float((hours_done(demand, np.array([float(fleet)]), reach)[0] * setting.timeline.runs).sum())
    return done / max(_all_hours(setting), 1e-12)


def _all_hours(setting: Setting) -> float:
    return float((setting.demand.all_hours * setting.timeline.runs).sum())


def _capacity_hours(setting: Setting) -> float:
    return float(setting.timeline.runs.sum()) * setting.demand.plain.hours_per_month


def wait_hours(setting: Setting, fleet: int) -> Solved:
    """How long a job that may wait does so on such a fleet, on average, over the plan. [hour]"""
    wait = mean_wait_in_services(
        slots=float(max(fleet // setting.demand.job_accelerators, 1)),
        busy_share=min(usual_share(setting, fleet), 1.0),
        service_cv=SERVICE_CV,
    )
    return Solved(wait.value * setting.scenario.rent.hours_per_session, wait.reason)


def least_fleet(setting: Setting) -> int:
    """The smallest fleet, in whole servers, on which jobs wait no longer than people accept; else as many as are asked.

    0 where nothing waits. Found by halving: a larger fleet is less busy, and may be busier.
    """
    demand, server = setting.demand, server_size(setting)
    most = demand.all.most_accelerators
    if not np.any(demand.waiting_hours > 0):
        return 0
    low, high = 0, -(-most // server)
    while high - low > 1:
        middle = (low + high) // 2
        fleet = min(middle * server, most)
        enough = fleet >= demand.job_accelerators and usual_share(setting, fleet) <= comfortable_share(setting, fleet)
        low, high = (low, middle) if enough else (middle, high)
    return min(high * server, most)
