"""A way as the verdict sees it: what it costs, what of it nobody prices, and what it takes when."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from planner.money.carbon import KG_PER_T, CaseEmissions, typical
from planner.money.finance import SolveResult
from planner.money.ledger import Ledger
from planner.money.measures import (
    Measures,
    cash_by_year_usd,
    cash_today_usd,
    cumulative,
    measured,
    present_usd,
    rates_of_return,
)
from planner.money.option import Option
from planner.money.setting import PlanContext
from planner.money.ways import WAYS, Side
from pricing.caching import cached_property


@dataclass(frozen=True, eq=False)
class Ends:
    """What a way costs at both ends of all figures. Reckoned when it is asked for, once for all draws."""

    setting: PlanContext
    option: Option
    draws: int

    @cached_property
    def present_usd(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """At the cheap end and at the dear end, by draw."""
        low, high = (present_usd(self.setting, one) for one in (self.option.low, self.option.high))
        return np.broadcast_to(low, self.draws), np.broadcast_to(high, self.draws)


@dataclass(frozen=True, eq=False)
class ComparedOption:
    """An option as the verdict sees it."""

    option: Option
    present_usd: float
    ends: Ends
    row: int
    unknown: frozenset[str]  # the inputs that nobody anywhere prices; they count at nought
    today_usd: float
    dearest_year_usd: float  # what is paid in the year that takes most, day one being in the first
    dearest_year: int
    emission: CaseEmissions | None = None  # at typical figures; reckoned only where a limit asks for it

    @property
    def t_co2e(self) -> float:
        """Tonnes of CO2 equivalent over the plan, at least; not-a-number where nobody knows."""
        return float("nan") if self.emission is None else float(self.emission.minimum_kg) / KG_PER_T

    @property
    def low_usd(self) -> float:
        """The present cost at the cheap end of all figures."""
        return min(self.present_usd, *(float(usd[self.row]) for usd in self.ends.present_usd))

    @property
    def high_usd(self) -> float:
        """The present cost at their dear end."""
        return max(self.present_usd, *(float(usd[self.row]) for usd in self.ends.present_usd))

    @property
    def at_most_usd(self) -> float:
        """The present cost; infinite where nobody prices a part of it."""
        return float("inf") if self.unknown else self.present_usd

    @property
    def side(self) -> Side:
        """Which of the answers it speaks for."""
        return WAYS[self.option.way].side


def compared_options(setting: PlanContext, option: Option) -> list[ComparedOption]:
    """An option as the verdict sees it; one for each draw, where the setting tries several."""
    unknown = _unknown(option.ledger)
    years = cash_by_year_usd(option.ledger)
    cash = (cash_today_usd(option.ledger), years.max(axis=-1), years.argmax(axis=-1) + 1)
    emitted = _emissions(setting, option)
    every = np.broadcast_arrays(present_usd(setting, option.ledger), *cash, *unknown.values())
    rows = zip(*(np.atleast_1d(one).tolist() for one in every), strict=True)
    ends = Ends(setting, option, every[0].size)
    return [
        ComparedOption(
            option=option,
            present_usd=usd,
            ends=ends,
            row=row,
            unknown=frozenset(name for name, is_open in zip(unknown, rest, strict=True) if is_open),
            today_usd=today,
            dearest_year_usd=year_usd,
            dearest_year=int(year),
            emission=emitted.at(row) if emitted else None,
        )
        for row, (usd, today, year_usd, year, *rest) in enumerate(rows)
    ]


def _emissions(setting: PlanContext, option: Option) -> CaseEmissions | None:
    return None if setting.terms.most_t_co2e is None else typical(setting, option)


def _unknown(ledger: Ledger) -> dict[str, NDArray[np.bool_]]:
    """The inputs that nobody prices, of the lines that take them; and in which draws."""
    found: dict[str, NDArray[np.bool_]] = {}
    for line in ledger.lines:
        unpriced = np.isnan(line.total_usd)
        if unpriced.any():
            name = next((one.name for one in line.used if np.isnan(one.value).any()), line.name)
            found[name] = found.get(name, np.asarray(False)) | unpriced
    return found


def at_most_usd(setting: PlanContext, ledger: Ledger) -> float:
    """What a ledger costs in today's money; infinite where nobody prices a part of it."""
    return float("inf") if ledger.unpriced else float(present_usd(setting, ledger))


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
class LowHighCostRange:
    """From the ledgers at both ends of all figures. Reckoned when it is asked for: where futures are drawn, never."""

    setting: PlanContext
    runner: ComparedOption

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
class EvaluatedOption:
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


def evaluate_options(
    setting: PlanContext, runners: list[ComparedOption], baseline: Ledger
) -> tuple[EvaluatedOption, ...]:
    """The ways, with savings and returns counted against one of them."""
    rates = rates_of_return(setting, [one.option.ledger for one in runners], baseline)
    return tuple(_weighed(setting, one, baseline, rate) for one, rate in zip(runners, rates, strict=True))


def _weighed(setting: PlanContext, runner: ComparedOption, baseline: Ledger, rate: SolveResult) -> EvaluatedOption:
    option = runner.option
    return EvaluatedOption(
        option=option,
        present_usd=runner.present_usd,
        cumulative_usd=cumulative(setting, option.ledger),
        measures=measured(setting, option.ledger, option.useful_hours, baseline, rate),
        spread=LowHighCostRange(setting, runner),
    )
