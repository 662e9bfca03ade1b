"""Limits: what can be paid on day one and in any one year, what may be emitted. What breaks them, and what would do."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from planner.money.carbon import G_PER_KG, KG_PER_T, emission
from planner.money.ledger import Ledger
from planner.money.measures import cash_by_year_usd, cash_today_usd
from planner.money.option import fleet_size_from_key
from planner.money.setting import PlanContext
from planner.money.verdict.contender import ComparedOption
from planner.money.ways import WAYS
from planner.scenario.terms import FinancialTerms
from planner.scenario.ways import Way

_NEARLY = 1e-6  # USD, kg
Unit = Literal["USD", "t CO2e"]


@dataclass(frozen=True)
class LimitBreach:
    """A limit that is broken: who needs how much, when, and how much there is."""

    way: Way
    needs: float
    when: str
    most: float
    unit: Unit = "USD"
    is_least: bool = False  # no way needs less: nothing keeps to the limit
    clean_g_per_kwh: float = 0.0  # of the grid that would do, where one would
    size: int | None = None  # of a fleet of another size than the one that is asked for

    @property
    def who(self) -> str:
        """What one would do who takes the option that breaks the limit: no other option is called the same."""
        starting = WAYS[self.way].starting
        return starting if self.size is None else f"{starting} {self.size:,}"

    @property
    def limited_quantity(self) -> str:
        """What is limited, where nothing keeps to it."""
        return "what you can pay" if self.unit == "USD" else "your limit on emissions"

    @property
    def said(self) -> str:
        """What is needed and what there is, in words; where nothing keeps to the limit, the least that is needed."""
        does = "needs" if self.unit == "USD" else "emits"
        rest = f"{_usd(self.needs)} {self.when} and you have {_usd(self.most)}"
        if self.unit != "USD":
            needs = _apart(self.needs, self.most)
            rest = f"about {needs} t CO2e {self.when} and your limit is {self.most:,.10g} t CO2e"
        least = f"the least that any way {does} ({self.who}) is {rest}"
        return least if self.is_least else f"{self.who} {does} {rest}"

    @property
    def more(self) -> str:
        """What would do: how much money is missing, and when; a higher limit, or a cleaner grid."""
        if self.unit == "USD":
            return f"{_usd(math.ceil(self.needs - self.most))} more {self.when}"
        cleaner = self.clean_g_per_kwh
        grid = f", or electricity of at most {math.floor(cleaner):,} g/kWh" if cleaner >= 1 else ""
        return f"a limit of {_round_up_tonnes(self.needs)}{grid}"


def _usd(value: float) -> str:
    return f"${value:,.0f}"  # to the dollar: rounded, both numbers could look the same


def _apart(needs: float, most: float) -> str:
    """In as few digits as still say that it is more."""
    shown = (f"{needs:.{digits}g}" for digits in range(2, 10))
    return f"{next((float(one) for one in shown if float(one) > most), needs):,.10g}"


def _round_up_tonnes(value: float) -> str:
    digits = 0 if value >= 10 else 1 if value >= 1 else 3
    return f"{math.ceil(value * 10**digits - _NEARLY) / 10**digits:,.{digits}f} t CO2e"


@dataclass(frozen=True)
class _LimitRule:
    """One limit: how much there is, and what a way needs of it when."""

    most: float
    unit: Unit
    needs: Callable[[ComparedOption], float]
    when: Callable[[ComparedOption], str]

    def over(self, one: ComparedOption) -> LimitBreach:
        """What is said of a way that breaks it."""
        clean = 0.0 if self.unit == "USD" else _clean_g_per_kwh(one, self.most)
        return LimitBreach(
            way=one.option.way,
            needs=self.needs(one),
            when=self.when(one),
            most=self.most,
            unit=self.unit,
            clean_g_per_kwh=clean,
            size=fleet_size_from_key(one.option.key),
        )


def _clean_g_per_kwh(one: ComparedOption, most_t: float) -> float:
    """How clean electricity would have to be for a way to keep to a limit; 0 where making alone breaks it."""
    if one.emission is None:
        return 0.0
    made, kwh = float(np.nan_to_num(one.emission.making_kg)), float(one.emission.kwh)
    return max(most_t * KG_PER_T - made, 0.0) * G_PER_KG / kwh if kwh > 0 else 0.0


@dataclass(frozen=True)
class Limits:
    """The most that can be paid on day one and in any one year of the plan, and emitted over it; None without a limit.

    A way of which nobody knows what it emits is not above a limit; the answer says that it is not known.
    """

    day_one_usd: float | None = None
    year_usd: float | None = None
    t_co2e: float | None = None

    def _active_rules(self) -> Iterator[_LimitRule]:
        """Those that are set, day one before the years, money before emissions."""
        if self.day_one_usd is not None:
            yield _LimitRule(self.day_one_usd, "USD", lambda one: one.today_usd, lambda _: "on day one")
        if self.year_usd is not None:
            yield _LimitRule(
                self.year_usd, "USD", lambda one: one.dearest_year_usd, lambda one: f"in year {one.dearest_year}"
            )
        if self.t_co2e is not None:
            yield _LimitRule(self.t_co2e, "t CO2e", lambda one: one.t_co2e, lambda _: "over the plan")

    def broken(self, one: ComparedOption) -> LimitBreach | None:
        """The first limit that a way breaks."""
        return next((each.over(one) for each in self._active_rules() if each.needs(one) > each.most + _NEARLY), None)

    def least(self, every: Sequence[ComparedOption]) -> tuple[ComparedOption, LimitBreach]:
        """Where no way keeps to the limits: who needs least of the first limit that cannot be kept, and how much."""
        left = list(every)
        for each in self._active_rules():
            within = [one for one in left if not each.needs(one) > each.most + _NEARLY]
            if not within:
                best = min(left, key=each.needs)
                return best, replace(each.over(best), is_least=True)
            left = within
        raise AssertionError("nothing keeps to them")

    def allows(self, setting: PlanContext, way: Way, ledger: Ledger) -> bool:
        """Whether a ledger stays within all limits."""
        if self.day_one_usd is not None and float(cash_today_usd(ledger)) > self.day_one_usd + _NEARLY:
            return False
        if self.year_usd is not None and not bool(np.max(cash_by_year_usd(ledger)) <= self.year_usd + _NEARLY):
            return False
        if self.t_co2e is None:
            return True
        return not float(emission(setting, way, ledger).minimum_kg) > self.t_co2e * KG_PER_T + _NEARLY


def limits_of(terms: FinancialTerms) -> Limits:
    """The limits that the terms of a plan set."""
    return Limits(terms.cash_on_day_one_usd, terms.cash_per_year_usd, terms.most_t_co2e)
