"""Readings: what the planner says about the scenario of a case, for the formulas of its mapping.

A case may hold one scenario and variants of it. Each is planned once, on first use, by the engine behind the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import numpy as np
import pydantic

from planner.money.measures import Measures, measured
from planner.money.option import Option
from planner.money.payback import Payback
from planner.money.plan import Plan, plan
from planner.money.verdict.answer import answer
from planner.money.verdict.breakeven import break_evens
from planner.scenario.known_names import settle
from planner.scenario.refusal import complaints
from planner.scenario.scenario import Scenario
from planner.study.cases.expression import Unusable, Word
from pricing import Catalogue

_ANSWER = dict[str, Callable[..., Any]]


class Readings:
    """The scenario of one case and its variants, planned when they are asked for."""

    def __init__(self, catalogue: Catalogue, day: date, scenarios: Mapping[str, Mapping[str, Any]]) -> None:
        self._catalogue, self._day, self._scenarios = catalogue, day, scenarios
        self._plans: dict[str, Plan] = {}

    def calls(self) -> _ANSWER:
        """The readings by the names that formulas call them; a `way` is the key of an option: own, on_demand."""
        return {
            reading.__name__: reading
            for reading in (
                *(self.total_usd, self.present_usd, self.cash_today_usd, self.month_usd, self.part_usd),
                *(self.useful_hours, self.accelerators, self.eac_usd_per_year, self.usd_per_useful_hour),
                *(self.saving_usd, self.saving_npv_usd, self.saving_irr, self.cheaper, self.break_even),
                *(self.verdict, self.turned_by_timing),
                *(self.payback_months, self.discounted_payback_months, self.discounted_payback_month),
            )
        }

    def total_usd(self, way: Word, variant: Word = "") -> float:
        """What the way costs over the plan, not discounted."""
        return float(self._option(way, variant).ledger.total_usd)

    def present_usd(self, way: Word, variant: Word = "") -> float:
        """What a way costs in today's money, under the scenario's rate and timing."""
        return float(self._measured(way, way, variant).present_usd)

    def cash_today_usd(self, way: Word, variant: Word = "") -> float:
        """What is paid on the first day."""
        return float(self._option(way, variant).ledger.monthly_usd[0])

    def month_usd(self, way: Word, month: int, variant: Word = "") -> float:
        """What is paid in one month, counted from 1."""
        monthly = self._option(way, variant).ledger.monthly_usd
        if month >= len(monthly):
            raise Unusable(f"the plan has {len(monthly) - 1} months, month {month} was asked for")
        return float(monthly[month])

    def part_usd(self, way: Word, part: Word, variant: Word = "") -> float:
        """What one part of the ledger (hardware, power, idle …) costs over the plan."""
        ledger = self._option(way, variant).ledger
        parts = sorted({line.part for line in ledger.lines})
        if part not in parts:
            raise Unusable(f"{way} has no part {part!r}, it has {', '.join(parts)}")
        return float(sum(line.total_usd for line in ledger.lines if line.part == part))

    def useful_hours(self, way: Word, variant: Word = "") -> float:
        """Accelerator-hours of work done over the plan."""
        return float(np.sum(self._option(way, variant).useful_hours))

    def accelerators(self, way: Word, variant: Word = "") -> float:
        """The most accelerators at once."""
        return float(self._option(way, variant).accelerators)

    def eac_usd_per_year(self, way: Word, variant: Word = "") -> float:
        """The level yearly cost that is worth as much as the way's costs."""
        return float(self._measured(way, way, variant).eac_usd_per_year)

    def usd_per_useful_hour(self, way: Word, variant: Word = "") -> Any:
        """Discounted cost over discounted useful hours."""
        return self._measured(way, way, variant).usd_per_useful_hour

    def saving_usd(self, way: Word, other: Word, variant: Word = "") -> float:
        """By how much the way costs less than the other, not discounted."""
        return self.total_usd(other, variant) - self.total_usd(way, variant)

    def saving_npv_usd(self, way: Word, other: Word, variant: Word = "") -> float:
        """What a way saves against another in today's money: the net present value of choosing it."""
        return float(self._measured(way, other, variant).npv_usd)

    def saving_irr(self, way: Word, other: Word, variant: Word = "") -> Any:
        """The yearly return of choosing the way instead of the other."""
        return self._measured(way, other, variant).irr

    def cheaper(self, way: Word, other: Word, variant: Word = "") -> str:
        """Whichever of two ways costs less in today's money."""
        return way if self.saving_npv_usd(way, other, variant) > 0 else other

    def payback_months(self, way: Word, other: Word, variant: Word = "") -> Any:
        """After how many months the way has cost less than the other; depreciation is no cash and never enters."""
        return self._measured(way, other, variant).simple_payback

    def discounted_payback_months(self, way: Word, other: Word, variant: Word = "") -> Any:
        """Months until the money spent is back, counted in today's money."""
        return self._measured(way, other, variant).payback

    def discounted_payback_month(self, way: Word, other: Word, variant: Word = "") -> Any:
        """The whole month by whose end the money spent is back, counted in today's money."""
        found: Payback = self._measured(way, other, variant).payback
        return float(found.month) if found.found else str(found.reason)

    def verdict(self, variant: Word = "") -> str:
        """The answer to the scenario in a word: own, probably own, close, probably rent, rent …"""
        return str(answer(self._plan(variant)).verdict)

    def turned_by_timing(self, variant: Word = "") -> str:
        """The conventions of timing, if any, under which the other side is cheaper."""
        return " ".join(answer(self._plan(variant)).turned_by_timing) or "none"

    def break_even(self, way: Word, other: Word, of: Word, variant: Word = "") -> Any:
        """The value of one input (busy_share, usd_per_kwh …) at which two ways cost the same, or why there is none."""
        options = self._option(way, variant), self._option(other, variant)
        found = {one.name: one for one in break_evens(self._plan(variant), *options)}
        if of not in found:
            raise Unusable(f"there is no break-even of {of!r}, there are {', '.join(found)}")
        return str(found[of].reason) if found[of].value is None else found[of].value

    def _measured(self, way: Word, other: Word, variant: Word) -> Measures:
        one, against = self._option(way, variant), self._option(other, variant)
        return measured(self._plan(variant).setting, one.ledger, one.useful_hours, against.ledger)

    def _option(self, key: str, variant: Word) -> Option:
        made = self._plan(variant)
        option = made.option(key)
        if option is None:
            why = next((absent.reason for absent in made.absent if absent.way == key), None)
            known = ", ".join(option.key for option in made.options)
            raise Unusable(f"{key}: {why}" if why else f"the scenario has no option {key!r}, it has {known}")
        if option.ledger.unpriced:
            raise Unusable(f"{key} has lines without a price: {', '.join(option.ledger.unpriced)}")
        return option

    def _plan(self, variant: Word) -> Plan:
        if variant not in self._scenarios:
            known = ", ".join(name for name in self._scenarios if name) or "none"
            raise Unusable(f"there is no scenario {variant!r} in this mapping; variants: {known}")
        if variant not in self._plans:
            scenario, lost = settle(scenario_of(self._scenarios[variant]), self._catalogue)
            if lost:
                raise Unusable(f"scenario: {str(lost[0].error).rstrip('.')}")
            self._plans[variant] = plan(self._catalogue, scenario, self._day)
        return self._plans[variant]


def scenario_of(said: Mapping[str, Any]) -> Scenario:
    """The scenario that a mapping spells out. It must say how much work there is: no publication means our default."""
    work = said.get("work", ({},))
    for index, one in enumerate(work if isinstance(work, tuple) else ()):
        if isinstance(one, Mapping) and not _amount_said(one):
            raise Unusable(f"scenario.work.{index}: want accelerators, and busy_share or accelerator_hours_per_month")
    try:
        return Scenario.model_validate(said)
    except pydantic.ValidationError as error:
        raise Unusable(f"scenario.{complaints(error)[0][1]}") from error


def _amount_said(work: Mapping[str, Any]) -> bool:
    return "accelerators" in work and bool({"busy_share", "accelerator_hours_per_month"} & work.keys())


def laid_over(under: Any, over: Any) -> Any:
    """Two scenarios as data, what the second says winning. A list of one is a pattern for each item laid over it."""
    if isinstance(under, Mapping) and isinstance(over, Mapping):
        return {**under, **{key: laid_over(under.get(key), part) for key, part in over.items()}}
    if isinstance(under, tuple) and isinstance(over, tuple) and len(under) in (1, len(over)):
        patterns = under * len(over) if len(under) == 1 else under
        return tuple(laid_over(one, other) for one, other in zip(patterns, over, strict=True))
    return over
