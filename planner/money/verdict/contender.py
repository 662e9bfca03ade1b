"""An option as the verdict compares it, and the limits on what can be paid and emitted.

Limits hold for day one, for any one year of the plan, and for emissions over the plan.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.carbon import G_PER_KG, KG_PER_T, CaseEmissions, OptionEmissions, ledger_emissions, option_emissions
from planner.money.ledger import Ledger
from planner.money.measures import (
    Measures,
    cash_by_year_usd,
    cash_today_usd,
    compute_measures,
    cumulative_discounted_cost,
    present_usd,
)  # fmt: skip
from planner.money.option import Option, Side, fleet_size_from_key
from planner.money.setting import PlanContext
from planner.money.verdict.shares import SimulatedCosts
from planner.money.ways import WAYS
from planner.scenario.shown_money import write_usd
from planner.scenario.terms import FinancialTerms
from planner.scenario.ways import Way
from pricing.caching import cached_property

_NEARLY = 1e-6  # USD, kg
Unit = Literal["USD", "t CO2e"]


@dataclass(frozen=True, eq=False)
class LowHighCosts:
    """Cost of an option at both ends of all figures. Computed on first use, once for all draws."""

    setting: PlanContext
    option: Option
    draws: int

    @cached_property
    def present_usd(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """At the low and at the high end, by draw."""
        low, high = (present_usd(self.setting, ledger) for ledger in (self.option.low, self.option.high))
        return np.broadcast_to(low, self.draws), np.broadcast_to(high, self.draws)


@dataclass(frozen=True, eq=False)
class ComparedOption:
    """An option as the verdict compares it."""

    option: Option
    present_usd: float
    low_high_costs: LowHighCosts
    draw: int
    unpriced_inputs: frozenset[str]  # the inputs that nobody anywhere prices; they count as zero
    today_usd: float
    peak_year_usd: float  # the cash of the year that takes most, day one being in the first
    peak_year: int
    emission: CaseEmissions | None = None  # at typical figures; computed only where a limit asks for it

    @property
    def t_co2e(self) -> float:
        """Tonnes of CO2 equivalent over the plan, at least; not-a-number where nobody knows."""
        return float("nan") if self.emission is None else float(self.emission.minimum_kg) / KG_PER_T

    @property
    def low_usd(self) -> float:
        """The present cost at the low end of all figures."""
        return min(self.present_usd, *(float(usd[self.draw]) for usd in self.low_high_costs.present_usd))

    @property
    def high_usd(self) -> float:
        """The present cost at their high end."""
        return max(self.present_usd, *(float(usd[self.draw]) for usd in self.low_high_costs.present_usd))

    @property
    def side(self) -> Side:
        """The answer that it counts for."""
        return WAYS[self.option.way].side


def compared_options(setting: PlanContext, option: Option) -> list[ComparedOption]:
    """Return an option as the verdict compares it; one for each draw, where the setting tries several."""
    unpriced: dict[str, NDArray[np.bool_]] = {}  # inputs that nobody prices, and in which draws
    for line in option.ledger.lines:
        unknown = np.isnan(line.total_usd)
        if unknown.any():
            name = next((used.name for used in line.used if np.isnan(used.value).any()), line.name)
            unpriced[name] = unpriced.get(name, np.asarray(False)) | unknown
    years = cash_by_year_usd(option.ledger)
    cash = (cash_today_usd(option.ledger), years.max(axis=-1), years.argmax(axis=-1) + 1)
    emissions = None if setting.terms.most_t_co2e is None else option_emissions(setting, option).typical
    columns = np.broadcast_arrays(present_usd(setting, option.ledger), *cash, *unpriced.values())
    rows = zip(*(np.atleast_1d(column).tolist() for column in columns), strict=True)
    costs = LowHighCosts(setting, option, columns[0].size)
    return [
        ComparedOption(
            option=option,
            present_usd=usd,
            low_high_costs=costs,
            draw=draw,
            unpriced_inputs=frozenset(name for name, is_open in zip(unpriced, rest, strict=True) if is_open),
            today_usd=today,
            peak_year_usd=year_usd,
            peak_year=int(year),
            emission=emissions.at(draw) if emissions else None,
        )
        for draw, (usd, today, year_usd, year, *rest) in enumerate(rows)
    ]


def upper_bound_usd(setting: PlanContext, ledger: Ledger) -> float:
    """Return the present cost of a ledger; infinite where nobody prices a part of it. [USD]"""
    return float("inf") if ledger.unpriced else float(present_usd(setting, ledger))


SKEWED = 0.05  # of the cost as entered: a larger difference of the median is explained


@dataclass(frozen=True, eq=False)
class EvaluatedOption:
    """One option discounted to today."""

    option: Option
    present_usd: float  # the median of the futures; as entered where nothing was simulated
    as_entered_usd: float  # at typical inputs
    measures: Measures
    compute_range: Callable[[], tuple[float, float]]  # ledgers at both ends are built on first use: with futures, never
    compute_cumulative: Callable[[], NDArray[np.float64]]  # on first use: only charts read it

    @cached_property
    def emissions(self) -> OptionEmissions:
        """Its emissions over the plan."""
        return option_emissions(self.measures.setting, self.option)

    @cached_property
    def cost_range(self) -> tuple[float, float]:
        """The low and the high end of the present cost."""
        return self.compute_range()

    @cached_property
    def cumulative_range_usd(self) -> NDArray[np.float64]:
        """The cost so far, discounted: (low, middle, high) x months."""
        return self.compute_cumulative()

    @property
    def is_skewed(self) -> bool:
        """Whether the median of the futures is far from the cost as entered, by which break-evens go."""
        return abs(self.present_usd - self.as_entered_usd) > SKEWED * abs(self.as_entered_usd)

    @property
    def cumulative_usd(self) -> NDArray[np.float64]:
        """The cost so far, discounted, by month, up to `present_usd`."""
        return np.asarray(self.cumulative_range_usd[1])

    @property
    def low_usd(self) -> float:
        """The low end of the present cost."""
        return self.cost_range[0]

    @property
    def high_usd(self) -> float:
        """The high end of the present cost."""
        return self.cost_range[1]


def evaluate_options(
    setting: PlanContext, options: list[ComparedOption], baseline: Ledger, simulated: SimulatedCosts | None = None
) -> tuple[EvaluatedOption, ...]:
    """Return the options with savings and returns counted against one of them."""
    return tuple(
        _evaluated(setting, compared, compute_measures(
            setting, compared.option.ledger, compared.option.useful_hours, baseline
        ), simulated)
        for compared in options
    )  # fmt: skip


def _evaluated(
    setting: PlanContext, compared: ComparedOption, measures: Measures, simulated: SimulatedCosts | None
) -> EvaluatedOption:
    """Return an option with the median and the percentiles of its futures as they are, never stretched."""
    option, entered_usd = compared.option, compared.present_usd
    band = simulated.bands.get(option.key) if simulated else None
    if simulated is None or band is None:
        ends, cumulative = (
            partial(attrgetter("low_usd", "high_usd"), compared),
            partial(_cumulative_at_ends, setting, option),
        )
        return EvaluatedOption(option, entered_usd, entered_usd, measures, ends, cumulative)
    low, middle, high = band
    ends, cumulative = partial(tuple[float, float], (low, high)), partial(simulated.cumulative_usd, option.key)
    return EvaluatedOption(option, middle, entered_usd, measures, ends, cumulative)


def _cumulative_at_ends(setting: PlanContext, option: Option) -> NDArray[np.float64]:
    ledgers = (option.low, option.ledger, option.high)
    return np.array([cumulative_discounted_cost(setting, ledger) for ledger in ledgers])


@dataclass(frozen=True)
class LimitBreach:
    """A limit that an option breaks: the need, its time, and the limit."""

    way: Way
    needs: float
    when: str
    limit: float
    unit: Unit = "USD"
    is_unavoidable: bool = False  # no option needs less: nothing keeps to the limit
    clean_g_per_kwh: float = 0.0  # of the grid that would do, where one would
    size: int | None = None  # of the fleet, where it is not the plan's size

    @property
    def option_text(self) -> str:
        """The option that breaks the limit, as an action: no other option has the same text."""
        start = WAYS[self.way].start_text
        return start if self.size is None else f"{start} {self.size:,}"

    @property
    def message(self) -> str:
        """Need and limit in words; where nothing keeps to the limit, the smallest need."""
        if self.unit == "USD":
            verb, rest = "needs", f"{_usd(self.needs)} {self.when} and you have {_usd(self.limit)}"
        else:
            needs = _distinct_number(self.needs, self.limit)
            verb, rest = "emits", f"about {needs} t CO2e {self.when} and your limit is {self.limit:,.10g} t CO2e"
        return f"the least that any way {verb} ({self.option_text}) is {rest}" if self.is_unavoidable else (
            f"{self.option_text} {verb} {rest}"
        )  # fmt: skip

    @property
    def remedy(self) -> str:
        """The missing money, and when; a higher limit, or a cleaner grid."""
        if self.unit == "USD":
            return f"{_usd(math.ceil(self.needs - self.limit))} more {self.when}"
        digits = 0 if self.needs >= 10 else 1 if self.needs >= 1 else 3
        tonnes = math.ceil(self.needs * 10**digits - _NEARLY) / 10**digits
        grid = self.clean_g_per_kwh
        cleaner = f", or electricity of at most {math.floor(grid):,} g/kWh" if grid >= 1 else ""
        return f"a limit of {tonnes:,.{digits}f} t CO2e{cleaner}"


def _usd(value: float) -> str:
    return write_usd(value, ",.0f")  # to the dollar: rounded, both numbers could look the same


def _distinct_number(needs: float, limit: float) -> str:
    """Return a number in as few digits as still show that it is more."""
    shown = (float(f"{needs:.{digits}g}") for digits in range(2, 10))
    return f"{next((number for number in shown if number > limit), needs):,.10g}"


@dataclass(frozen=True)
class _LimitRule:
    """One limit, and the need of an option of it, and when."""

    limit: float
    unit: Unit
    needs: Callable[[ComparedOption], float]
    when: Callable[[ComparedOption], str]

    def is_broken(self, compared: ComparedOption) -> bool:
        """Tell if an option breaks it. One whose need nobody knows does not."""
        return self.needs(compared) > self.limit + _NEARLY

    def breach(self, compared: ComparedOption) -> LimitBreach:
        """Return the breach of an option that breaks it."""
        return LimitBreach(
            way=compared.option.way,
            needs=self.needs(compared),
            when=self.when(compared),
            limit=self.limit,
            unit=self.unit,
            clean_g_per_kwh=0.0 if self.unit == "USD" else _clean_g_per_kwh(compared.emission, self.limit),
            size=fleet_size_from_key(compared.option.key),
        )


def _clean_g_per_kwh(emission: CaseEmissions | None, limit_t: float) -> float:
    """Return how clean electricity would have to be to keep to a limit; 0 where making alone breaks it. [g/kWh]"""
    if emission is None or not float(emission.kwh) > 0:
        return 0.0
    return max(limit_t * KG_PER_T - float(np.nan_to_num(emission.making_kg)), 0.0) * G_PER_KG / float(emission.kwh)


@dataclass(frozen=True)
class CashLimits:
    """The most that can be paid on day one and in any one year of the plan, and emitted over it; None without a limit.

    An option whose emissions nobody knows is not above a limit; the answer says that it is not known.
    """

    day_one_usd: float | None = None
    year_usd: float | None = None
    t_co2e: float | None = None

    def _active_rules(self) -> Iterator[_LimitRule]:
        """Yield the limits that are set, day one before the years, money before emissions."""
        if self.day_one_usd is not None:
            yield _LimitRule(self.day_one_usd, "USD", lambda option: option.today_usd, lambda _: "on day one")
        if self.year_usd is not None:
            yield _LimitRule(
                self.year_usd, "USD", lambda option: option.peak_year_usd, lambda option: f"in year {option.peak_year}"
            )
        if self.t_co2e is not None:
            yield _LimitRule(self.t_co2e, "t CO2e", lambda option: option.t_co2e, lambda _: "over the plan")

    def first_breach(self, compared: ComparedOption) -> LimitBreach | None:
        """Return the first limit that an option breaks."""
        return next((rule.breach(compared) for rule in self._active_rules() if rule.is_broken(compared)), None)

    def smallest_breach(self, options: Sequence[ComparedOption]) -> tuple[ComparedOption, LimitBreach]:
        """Return, where no option keeps to the limits, the one that needs least of the first unkept limit."""
        left = list(options)
        for rule in self._active_rules():
            within = [compared for compared in left if not rule.is_broken(compared)]
            if not within:
                best = min(left, key=rule.needs)
                return best, replace(rule.breach(best), is_unavoidable=True)
            left = within
        raise AssertionError("nothing keeps to them")

    def allows(self, setting: PlanContext, way: Way, ledger: Ledger) -> bool:
        """Tell if a ledger stays within all limits."""
        if self.day_one_usd is not None and float(cash_today_usd(ledger)) > self.day_one_usd + _NEARLY:
            return False
        if self.year_usd is not None and not bool(np.max(cash_by_year_usd(ledger)) <= self.year_usd + _NEARLY):
            return False
        if self.t_co2e is None:
            return True
        return not float(ledger_emissions(setting, way, ledger).minimum_kg) > self.t_co2e * KG_PER_T + _NEARLY


def plan_limits(terms: FinancialTerms) -> CashLimits:
    """Return the limits that the terms of a plan set."""
    return CashLimits(terms.cash_on_day_one_usd, terms.cash_per_year_usd, terms.most_t_co2e)
