"""Limits on money: what can be paid on day one, and in any one year. What breaks them, by how much, what would do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.money.ledger import Ledger
from planner.money.measures import cash_by_year_usd, cash_today_usd
from planner.money.verdict.contender import Runner
from planner.money.ways import WAYS
from planner.scenario.terms import Terms
from planner.scenario.ways import Way

_NEARLY = 1e-6  # USD


@dataclass(frozen=True)
class OverLimit:
    """A limit that is broken: who needs how much, when, and how much there is."""

    way: Way
    needs_usd: float
    when: str
    most_usd: float
    is_least: bool = False  # no way needs less: nothing keeps to the limit

    @property
    def who(self) -> str:
        """What one would do who takes the way that breaks the limit."""
        return WAYS[self.way].starting

    @property
    def said(self) -> str:
        """What is needed and what there is, in words; where nothing keeps to the limit, the least that is needed."""
        who = self.who
        needs = f"{_usd(self.needs_usd)} {self.when} and you have {_usd(self.most_usd)}"
        return f"the least that any way needs ({who}) is {needs}" if self.is_least else f"{who} needs {needs}"

    @property
    def more(self) -> str:
        """How much money is missing, and when."""
        return f"{_usd(math.ceil(self.needs_usd - self.most_usd))} more {self.when}"


def _usd(value: float) -> str:
    return f"${value:,.0f}"  # to the dollar: rounded, both numbers could look the same


@dataclass(frozen=True)
class Limits:
    """The most that can be paid on day one, and in any one year of the plan; None without a limit."""

    day_one_usd: float | None = None
    year_usd: float | None = None

    def broken(self, one: Runner) -> OverLimit | None:
        """The limit that a way breaks, day one before the years."""
        way, today, year = one.option.way, self.day_one_usd, self.year_usd
        if today is not None and one.today_usd > today + _NEARLY:
            return OverLimit(way, one.today_usd, "on day one", today)
        if year is not None and one.dearest_year_usd > year + _NEARLY:
            return OverLimit(way, one.dearest_year_usd, f"in year {one.dearest_year}", year)
        return None

    def least(self, every: Sequence[Runner]) -> tuple[Runner, OverLimit]:
        """Where no way keeps to the limits: who needs least of the first limit that cannot be kept, and how much."""
        today = self.day_one_usd
        paid = [one for one in every if today is None or one.today_usd <= today + _NEARLY]
        best = min(paid or every, key=lambda one: one.dearest_year_usd if paid else one.today_usd)
        over = self.broken(best)
        assert over is not None  # nothing keeps to them
        return best, replace(over, is_least=True)

    def keeps(self, ledger: Ledger) -> bool:
        """Whether a ledger stays within both limits."""
        if self.day_one_usd is not None and float(cash_today_usd(ledger)) > self.day_one_usd + _NEARLY:
            return False
        return self.year_usd is None or bool(np.max(cash_by_year_usd(ledger)) <= self.year_usd + _NEARLY)


def limits_of(terms: Terms) -> Limits:
    """The limits that the terms of a plan set."""
    return Limits(terms.cash_on_day_one_usd, terms.cash_per_year_usd)
