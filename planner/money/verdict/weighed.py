"""A way as it is told: in today's money, with its range and its measures."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger
from planner.money.measures import Measures, cumulative, measured, rates_of_return
from planner.money.option import Option
from planner.money.outcome import Solved
from planner.money.setting import Setting
from planner.money.verdict.contender import Runner
from pricing.caching import cached_property


class Spread(Protocol):
    """The range of what an option costs in today's money."""

    @property
    def low_usd(self) -> float:
        """The present cost where it turns out cheap."""
        ...

    @property
    def high_usd(self) -> float:
        """The present cost where it turns out dear."""
        ...

    @property
    def low_cumulative_usd(self) -> NDArray[np.float64]:
        """The cost so far where it turns out cheap, discounted, by month."""
        ...

    @property
    def high_cumulative_usd(self) -> NDArray[np.float64]:
        """The cost so far where it turns out dear."""
        ...


@dataclass(frozen=True, eq=False)
class BetweenEnds:
    """From the ledgers at both ends of all figures. Reckoned when it is asked for: where futures are drawn, never."""

    setting: Setting
    runner: Runner

    @property
    def low_usd(self) -> float:
        """At the cheap end."""
        return self.runner.low_usd

    @property
    def high_usd(self) -> float:
        """At the dear end."""
        return self.runner.high_usd

    @cached_property
    def low_cumulative_usd(self) -> NDArray[np.float64]:
        """At the cheap end, by month."""
        return cumulative(self.setting, self.runner.option.low)

    @cached_property
    def high_cumulative_usd(self) -> NDArray[np.float64]:
        """At the dear end, by month."""
        return cumulative(self.setting, self.runner.option.high)


@dataclass(frozen=True, eq=False)
class Weighed:
    """One option in today's money."""

    option: Option
    present_usd: float
    cumulative_usd: NDArray[np.float64]  # discounted, by month
    measures: Measures
    spread: Spread

    @property
    def low_usd(self) -> float:
        """The present cost where it turns out cheap."""
        return self.spread.low_usd

    @property
    def high_usd(self) -> float:
        """The present cost where it turns out dear."""
        return self.spread.high_usd

    @property
    def low_cumulative_usd(self) -> NDArray[np.float64]:
        """The cost so far where it turns out cheap, discounted, by month."""
        return self.spread.low_cumulative_usd

    @property
    def high_cumulative_usd(self) -> NDArray[np.float64]:
        """The cost so far where it turns out dear."""
        return self.spread.high_cumulative_usd


def all_weighed(setting: Setting, runners: list[Runner], baseline: Ledger) -> tuple[Weighed, ...]:
    """The ways, with savings and returns counted against one of them."""
    rates = rates_of_return(setting, [one.option.ledger for one in runners], baseline)
    return tuple(_weighed(setting, one, baseline, rate) for one, rate in zip(runners, rates, strict=True))


def _weighed(setting: Setting, runner: Runner, baseline: Ledger, rate: Solved) -> Weighed:
    option = runner.option
    return Weighed(
        option=option,
        present_usd=runner.present_usd,
        cumulative_usd=cumulative(setting, option.ledger),
        measures=measured(setting, option.ledger, option.useful_hours, baseline, rate),
        spread=BetweenEnds(setting, runner),
    )
