"""Doubts: inputs of yours that lie far from what the catalogue has, and what may have been meant instead.

Nothing is changed and nothing is refused: a price may be odd and true. But 32.5 typed for 32,500, a price for a month
typed as one for an hour, and cents typed as dollars are the slips that cost most, so they are asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from planner.money.ledger import COMPUTED, Used
from planner.money.owning.machine import fleet
from planner.money.plan import Plan, plan_at
from planner.money.renting.cheapest_offer import taken
from planner.money.renting.offer_inputs import PRICE
from planner.money.setting import Setting
from planner.money.ways import WAYS
from planner.scenario.base import HOURS_PER_MONTH, ONE_MACHINE
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way

ALL_IN = "capex_usd"
COUNTED = "accelerators"  # numbers of things are the plan itself
FAR = 5.0  # times away from what the catalogue has, before we ask
_NEAR = 3.0  # times away at most, for a slip to explain it
_THOUSAND, _HUNDRED = 1_000.0, 100.0
METER, DEAR_KWH = "usd_per_kwh", 1.0  # USD: nobody pays more for a kilowatt-hour
IN_CENTS = "cents typed as dollars"
# By how much a slip of the hand or of the unit is off.
SLIPS: tuple[tuple[float, str], ...] = (
    (_THOUSAND, "a point typed for a comma"),
    (1 / _THOUSAND, "a comma typed for a point"),
    (1 / ONE_MACHINE, "a price for a machine of eight typed as one for a GPU"),
    (1 / HOURS_PER_MONTH, "a price for a month typed as one for an hour"),
    (_HUNDRED, "a hundredth too little"),
    (1 / _HUNDRED, IN_CENTS),
)


@dataclass(frozen=True)
class Doubt:
    """One input to look at again."""

    name: str
    yours: float
    usual: float
    unit: str
    meant: float | None  # what would be usual, if it was a slip
    slip: str | None
    below_all: bool = False  # lower than what anybody asks


def doubts(plan: Plan) -> tuple[Doubt, ...]:
    """Your own numbers that are far from the catalogue's, in the order in which the ledgers use them."""
    scenario = plan.setting.scenario
    asked = [way.inputs for way in WAYS.values() if way.asks_back]
    bare = scenario.model_copy(update={name: Scenario.model_fields[name].default for name in asked})
    if bare == scenario:
        return ()
    mine = {name: used for name, used in numbers(plan).items() if used.is_yours}
    unsaid = plan_at(replace(plan.setting, scenario=bare, taken=taken(replace(plan.setting, scenario=bare))))
    usual = numbers(unsaid)
    known = {name: used for name, used in usual.items() if not used.is_yours}
    found = [doubt(mine[name], known[name]) for name in mine if name in known and mine[name].unit != COUNTED]
    found += [_of_day_one(plan.setting, unsaid, mine), *_below_all(plan, unsaid, mine)]
    return tuple(one for one in found if one is not None)


def _below_all(plan: Plan, unsaid: Plan, mine: Mapping[str, Used]) -> Iterator[Doubt]:
    """A rent of yours below what anybody asks, where it is not so far off that a slip is asked about already."""
    prices, offers = unsaid.setting.taken.prices, plan.setting.catalogue.offers
    if PRICE not in mine or prices is None or plan.setting.scenario.rent.usd_per_accelerator_hour is None:
        return
    usd = [prices.of(key) for key in prices.keys if offers[key].purchase == "on_demand"]
    asked = [price for price in usd if np.isfinite(price.typical)]
    typed = float(mine[PRICE].value)
    if asked and min(one.typical for one in asked) / FAR < typed < min(one.low for one in asked):
        lowest = min(one.typical for one in asked)
        yield Doubt(PRICE, typed, lowest, mine[PRICE].unit, None, None, below_all=True)


def _of_day_one(setting: Setting, unsaid: Plan, mine: Mapping[str, Used]) -> Doubt | None:
    """A sum for all of day one beside what the catalogue says that so many cost: was it meant for one of them?"""
    own = unsaid.option("own")
    if ALL_IN not in mine or own is None:
        return None
    asked = fleet(setting)
    bought = sum(float(line.total_usd) for line in own.ledger.lines if line.treatment == "capital")
    usual = Used(ALL_IN, bought * asked / own.accelerators, "USD", COMPUTED)
    return doubt(mine[ALL_IN], usual, ((float(asked), f"the price of one typed for all {asked:,}"),))


def doubt(yours: Used, usual: Used, more: tuple[tuple[float, str], ...] = ()) -> Doubt | None:
    """What is odd about your number beside the usual one; a nought, or nothing to compare with, is not odd."""
    typed, there = float(yours.value), float(usual.value)
    if yours.name == METER and typed > DEAR_KWH:
        return Doubt(yours.name, typed, there, usual.unit, typed / _HUNDRED, IN_CENTS)
    if typed <= 0 or there <= 0 or not np.isfinite(there) or 1 / FAR <= typed / there <= FAR:
        return None
    slips = [(typed * factor, slip) for factor, slip in (*more, *SLIPS) if 1 / _NEAR <= typed * factor / there <= _NEAR]
    meant, slip = slips[0] if slips else (None, None)
    return Doubt(yours.name, typed, there, usual.unit, meant, slip)


def numbers(plan: Plan, way: Way | None = None) -> dict[str, Used]:
    """The inputs that are one number, by name; the first way that uses one stands for all, or one way alone."""
    found: dict[str, Used] = {}
    for option in plan.options:
        if way in (None, option.way):
            for line in option.ledger.lines:
                for used in line.used:
                    if used.name not in found and used.is_number:
                        found[used.name] = used
    return found
