"""Overdue figures of an answer with their weight in it, and your own inputs that look implausible."""

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
from pricing.caching import arguments, cached
from pricing.stale import days_over, limit_days

MOST = 3  # that are named beside an answer
_HARDLY = 0.005  # of the bills of an option: not worth a word


@dataclass(frozen=True)
class OldFigure:
    """One figure over its age limit, where it weighs most."""

    name: str  # as the formulas use it
    option: Option
    origin: Origin
    figure: Figure
    age_days: int
    limit_days: int
    share: float  # of the option's bills: the lines that the figure stands in


def old_figures(answer: Answer, most: int = MOST) -> tuple[OldFigure, ...]:
    """Return the overdue figures of the options that are shown beside each other, the weightiest first."""
    shown = (answer.best, answer.against, *(answer.pair or ()))
    options = {evaluated.option.key: evaluated.option for evaluated in shown if evaluated is not None}
    heaviest: dict[int, OldFigure] = {}
    for option in options.values():
        for old in _overdue(option, answer.plan.setting.day):
            heavier = heaviest.get(id(old.figure))
            if heavier is None or heavier.share < old.share:
                heaviest[id(old.figure)] = old
    heavy = (old for old in heaviest.values() if old.share >= _HARDLY)
    return tuple(sorted(heavy, key=lambda old: (-old.share, old.name))[:most])


def _overdue(option: Option, day: date) -> Iterator[OldFigure]:
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
    """The positive amounts, without the proceeds when a machine is sold."""
    return sum(max(float(np.sum(line.priced_usd)), 0.0) for line in lines)


COUNTED = "accelerators"  # numbers of things are the plan itself
FAR = 5.0  # times away from what is known, before we ask
_NEAR = 3.0  # times away at most, for a slip to explain it
_THOUSAND, _HUNDRED = 1_000.0, 100.0
METER, DEAR_KWH = "usd_per_kwh", 1.0  # USD: no tariff is higher
IN_CENTS = "cents typed as dollars"
# The factor of each typing mistake, in any field.
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
    intended: float | None  # the usual value, if it was a typing mistake
    mistake: str | None
    below_all: bool = False  # lower than every offer
    is_known: bool = True  # the catalogue has the usual figure; else it follows from others
    path: Path = ()  # of a field of money


def doubts(plan: Plan) -> tuple[ImplausibleInput, ...]:
    """Return your own inputs that are far from usual values: prices first, then in the order of the ledgers."""
    typed, sight = tuple(_typed_money(plan.setting.scenario)), sight_of(plan)
    if sight.unsaid is plan and not typed:
        return ()
    doubtful = [_check_amount(path, usd, sight) for path, usd in typed]
    entered = {} if sight.unsaid is plan else {name: it for name, it in numbers(plan).items() if it.is_yours}
    for name, used in entered.items():
        if name in sight.usual and name not in _MONEY and used.unit != COUNTED:
            value = float(sight.usual[name].value)
            doubtful.append(doubt(name, float(used.value), Yardstick(value, value, value, sight.usual[name].unit)))
    doubtful += _check_below_market(plan, sight.unsaid, entered)
    return tuple(result for result in doubtful if result is not None)


@cached(4, same=arguments)
def sight_of(plan: Plan) -> Sight:
    """Return what a plan would cost at the prices of the catalogue, beside which yours are looked at."""
    scenario = plan.setting.scenario
    blocks = [way.inputs for way in WAYS.values() if way.checks_plausibility]
    bare = scenario.model_copy(update={name: Scenario.model_fields[name].default for name in blocks})
    setting = replace(plan.setting, scenario=bare)
    unsaid = plan if bare == scenario else plan_from_context(replace(setting, offers=taken(setting)))
    return Sight(scenario, unsaid, {name: used for name, used in numbers(unsaid).items() if not used.is_yours})


_MONEY = frozenset({str(path[-1]) for path in YARDSTICKS})


def _typed_money(scenario: Scenario) -> Iterator[tuple[Path, float]]:
    """The amounts of money that a scenario states, each with its path."""
    for path in YARDSTICKS:
        before, _, name = path[:-2], *path[-2:]
        several = range(len(get_value(scenario, before) or ())) if path[-2] == 0 else (None,)
        for place in several:
            full_path = path if place is None else (*before, place, name)
            usd = get_value(scenario, full_path)
            if isinstance(usd, int | float) and usd:
                yield full_path, float(usd)


def _check_amount(path: Path, usd: float, sight: Sight) -> ImplausibleInput | None:
    yardstick = YARDSTICKS[tuple(0 if isinstance(step, int) else step for step in path)](sight)
    result = None if yardstick is None else doubt(str(path[-1]), abs(usd), yardstick)
    return result and replace(result, path=path, entered=usd)


def _check_below_market(
    plan: Plan, default_plan: Plan, inputs: Mapping[str, LedgerInput]
) -> Iterator[ImplausibleInput]:
    """A rent of yours below every offer, where it is not so far off that a typing mistake is reported already."""
    prices, offers = default_plan.setting.offers.prices, plan.setting.catalogue.offers
    if PRICE not in inputs or prices is None or plan.setting.scenario.rent.usd_per_accelerator_hour is None:
        return
    usd = [prices.of(key) for key in prices.keys if offers[key].purchase == "on_demand"]
    market = [price for price in usd if np.isfinite(price.typical)]
    typed, lowest = float(inputs[PRICE].value), min((price.typical for price in market), default=0.0)
    if market and lowest / FAR < typed < min(price.low for price in market):
        yield ImplausibleInput(PRICE, typed, lowest, inputs[PRICE].unit, None, None, below_all=True)


def doubt(name: str, typed: float, known: Yardstick) -> ImplausibleInput | None:
    """Return the doubt about a number outside the known range that a typing mistake explains, or that lies far outside.

    Zero, or a number without a comparison, is not doubted.
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
    """Return scalar inputs by name; the first option that uses one stands for all, or one kind of option alone."""
    inputs: dict[str, LedgerInput] = {}
    for option in plan.options:
        if way in (None, option.way):
            for used in option.ledger.inputs:
                if used.is_number:
                    inputs.setdefault(used.name, used)
    return inputs
