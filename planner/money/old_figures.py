"""Figures of an answer that nobody has looked at for longer than their kind allows, with what they weigh in it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from planner.money.ledger import LedgerInput, Line, Origin
from planner.money.option import Option
from planner.money.plan import Plan, plan_from_context
from planner.money.renting.cheapest_offer import taken
from planner.money.renting.offer_inputs import PRICE
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.money.yardsticks import YARDSTICKS, Sight, Yardstick
from planner.scenario.path import Path, get_value
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way
from pricing import Figure
from pricing.stale import days_over, limit_days

MOST = 3  # that are named beside an answer
_HARDLY = 0.005  # of a way's bills: not worth a word


@dataclass(frozen=True)
class OldFigure:
    """One figure that is over its limit, where it weighs most."""

    name: str  # as the formulas use it
    option: Option
    origin: Origin
    figure: Figure
    age_days: int
    limit_days: int
    share: float  # of the option's bills: the lines that the figure stands in


def old_figures(found: Answer, most: int = MOST) -> tuple[OldFigure, ...]:
    """The overdue figures of the ways that are told beside each other, the weightiest first."""
    ways = {one.option.key: one.option for one in (found.best, found.against, *(found.pair or ())) if one is not None}
    heaviest: dict[int, OldFigure] = {}
    for option in ways.values():
        for one in _of(option, found.plan.setting.day):
            known = heaviest.get(id(one.figure))
            if known is None or known.share < one.share:
                heaviest[id(one.figure)] = one
    heavy = (one for one in heaviest.values() if one.share >= _HARDLY)
    return tuple(sorted(heavy, key=lambda one: (-one.share, one.name))[:most])


def _of(option: Option, day: date) -> Iterator[OldFigure]:
    """The overdue figures of one way."""
    lines: dict[int, list[Line]] = {}
    where: dict[int, tuple[str, Origin, Figure]] = {}
    for line in option.ledger.lines:
        for used in line.used:
            origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
            if origin.figure is not None and days_over(origin.figure, day) > 0:
                where.setdefault(id(origin.figure), (used.name, origin, origin.figure))
                lines.setdefault(id(origin.figure), []).append(line)
    bills = _purchase_cost_usd(option.ledger.lines) if where else 0.0
    for key, (name, origin, figure) in where.items():
        share = _purchase_cost_usd(lines[key]) / bills if bills > 0 else 0.0
        yield OldFigure(name, option, origin, figure, figure.age_days(day), limit_days(figure), share)


def _purchase_cost_usd(lines: Iterable[Line]) -> float:
    """What is paid, without what comes back when a machine is sold."""
    return sum(max(float(np.sum(line.priced_usd)), 0.0) for line in lines)


COUNTED = "accelerators"  # numbers of things are the plan itself
FAR = 5.0  # times away from what is known, before we ask
_NEAR = 3.0  # times away at most, for a slip to explain it
_THOUSAND, _HUNDRED = 1_000.0, 100.0
METER, DEAR_KWH = "usd_per_kwh", 1.0  # USD: nobody pays more for a kilowatt-hour
IN_CENTS = "cents typed as dollars"
# By how much a slip of the hand or of the unit is off, in any field.
SLIPS: tuple[tuple[float, str], ...] = (
    (_THOUSAND, "a point typed for a comma"),
    (1 / _THOUSAND, "a comma typed for a point"),
    (_HUNDRED, "a hundredth too little"),
    (1 / _HUNDRED, IN_CENTS),
)


@dataclass(frozen=True)
class ImplausibleInput:
    """One input to look at again."""

    name: str
    entered: float
    expected: float
    unit: str
    intended: float | None  # what would be usual, if it was a slip
    mistake: str | None
    below_all: bool = False  # lower than what anybody asks
    is_known: bool = True  # the catalogue has the usual figure; else it follows from others
    path: Path = ()  # of a field of money


def doubts(plan: Plan) -> tuple[ImplausibleInput, ...]:
    """Your own numbers that are far from what such things are: prices first, then in the order of the ledgers."""
    scenario = plan.setting.scenario
    asked = [way.inputs for way in WAYS.values() if way.asks_back]
    bare = scenario.model_copy(update={name: Scenario.model_fields[name].default for name in asked})
    typed = tuple(_typed_money(scenario))
    if bare == scenario and not typed:
        return ()
    mine = {name: used for name, used in numbers(plan).items() if used.is_yours}
    unsaid = plan
    if bare != scenario:
        unsaid = plan_from_context(
            replace(plan.setting, scenario=bare, offers=taken(replace(plan.setting, scenario=bare)))
        )
    usual = numbers(unsaid)
    known = {name: used for name, used in usual.items() if not used.is_yours}
    sight = Sight(scenario, unsaid, known)
    found = [_of_money(path, usd, sight) for path, usd in typed]
    found += [_of_ledger(mine[name], known[name]) for name in mine if name in known and name not in _MONEY]
    found += _check_below_market(plan, unsaid, mine)
    return tuple(one for one in found if one is not None)


_MONEY = frozenset({str(path[-1]) for path in YARDSTICKS})


def _typed_money(scenario: Scenario) -> Iterator[tuple[Path, float]]:
    """The amounts of money that a scenario says, each with its path."""
    for path in YARDSTICKS:
        before, _, name = path[:-2], *path[-2:]
        several = range(len(get_value(scenario, before) or ())) if path[-2] == 0 else (None,)
        for place in several:
            here = path if place is None else (*before, place, name)
            usd = get_value(scenario, here)
            if isinstance(usd, int | float) and usd:
                yield here, float(usd)


def _of_money(path: Path, usd: float, sight: Sight) -> ImplausibleInput | None:
    yardstick = YARDSTICKS[tuple(0 if isinstance(step, int) else step for step in path)](sight)
    found = None if yardstick is None else doubt(str(path[-1]), abs(usd), yardstick)
    return found and replace(found, path=path, entered=usd)


def _of_ledger(yours: LedgerInput, usual: LedgerInput) -> ImplausibleInput | None:
    if yours.unit == COUNTED:
        return None
    there = float(usual.value)
    return doubt(yours.name, float(yours.value), Yardstick(there, there, there, usual.unit))


def _check_below_market(plan: Plan, unsaid: Plan, mine: Mapping[str, LedgerInput]) -> Iterator[ImplausibleInput]:
    """A rent of yours below what anybody asks, where it is not so far off that a slip is asked about already."""
    prices, offers = unsaid.setting.offers.prices, plan.setting.catalogue.offers
    if PRICE not in mine or prices is None or plan.setting.scenario.rent.usd_per_accelerator_hour is None:
        return
    usd = [prices.of(key) for key in prices.keys if offers[key].purchase == "on_demand"]
    asked = [price for price in usd if np.isfinite(price.typical)]
    typed = float(mine[PRICE].value)
    if asked and min(one.typical for one in asked) / FAR < typed < min(one.low for one in asked):
        lowest = min(one.typical for one in asked)
        yield ImplausibleInput(PRICE, typed, lowest, mine[PRICE].unit, None, None, below_all=True)


def doubt(name: str, typed: float, known: Yardstick) -> ImplausibleInput | None:
    """What is odd about a number: it lies outside all that is known, and a slip explains it or it lies far outside.

    A nought, or nothing to compare with, is not odd.
    """
    low, usual, high = known.low, known.usual, known.high
    if name == METER and typed > DEAR_KWH:
        return ImplausibleInput(name, typed, usual, known.unit, typed / _HUNDRED, IN_CENTS)
    if typed <= 0 or usual <= 0 or not np.isfinite(usual) or min(low, usual / FAR) <= typed <= max(high, usual * FAR):
        return None
    least, most = min(low, usual / _NEAR), max(high, usual * _NEAR)
    slips = [(typed * times, slip) for times, slip in (*known.slips, *SLIPS) if least <= typed * times <= most]
    if not slips and low / FAR <= typed <= high * FAR:
        return None
    meant, slip = slips[0] if slips else (None, None)
    return ImplausibleInput(name, typed, usual, known.unit, meant, slip, is_known=known.is_known)


def numbers(plan: Plan, way: Way | None = None) -> dict[str, LedgerInput]:
    """The inputs that are one number, by name; the first way that uses one stands for all, or one way alone."""
    found: dict[str, LedgerInput] = {}
    for option in plan.options:
        if way in (None, option.way):
            for line in option.ledger.lines:
                for used in line.used:
                    if used.name not in found and used.is_number:
                        found[used.name] = used
    return found
