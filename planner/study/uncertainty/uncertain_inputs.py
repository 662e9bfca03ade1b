"""What is not certain about a plan: every input that may turn out otherwise, with its distribution and the reason.

Every figure that the plan's ledgers take at another value at their cheap or dear end is one, by the name that the
formulas use. Beside them stand inputs that no single number of a ledger shows: when it is delivered, what is left of
the price at any age, where rents go, how much of the work comes, and how far the speed model is off. What you entered
yourself is as you say.

A range of low, typical and high becomes a distribution in two pieces that meet in the middle: half of all futures lie
on either side of the typical value, the low end the 10th percentile and the high end the 90th. Where all three are
above nought the pieces are lognormal, so that nothing falls below nought; else they are normal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.money.demand.lost_time import RATE
from planner.money.ledger import Case, LedgerInput, Origin, end, origin
from planner.money.owning.inputs import CHEAPER_FACTS, POSITION, curve_of, lead_time
from planner.money.plan import Plan
from planner.money.price_path import CHANGE, DRIFT, LEAST_CHANGE, MOST_CHANGE
from planner.money.renting.offer_inputs import BESIDE_FACTORS, PRICE, estimated_prices, price_factor
from planner.money.setting import BUSY_FACTOR, HOURS_FACTOR, RENT_CHANGE
from planner.money.ways import WAYS
from planner.speed.training.goodput import NODE_FAILURES, failure_rate, regime_rate
from planner.study.data_files import SourcedRecord, load_futures_assumptions
from pricing import Figure, PricingError

TAIL = 0.1  # of futures beyond each end of a range
Z_TAIL = 1.2815515655446004  # how many standard deviations that is


class DistributionError(PricingError):
    """A distribution that says nothing, or contradicts itself."""


@dataclass(frozen=True)
class Spread:
    """One input's distribution: `low` is the 10th percentile, `typical` the median, `high` the 90th."""

    low: float
    typical: float
    high: float
    least: float = -math.inf  # what lies beyond these counts as lying on them
    most: float = math.inf

    def __post_init__(self) -> None:
        told = (self.low, self.typical, self.high)
        if not all(map(math.isfinite, told)):
            raise DistributionError(f"want three numbers for a distribution, got {_told(told)}: enter the missing one.")
        if not self.low <= self.typical <= self.high:
            raise DistributionError(f"want low <= typical <= high, got {_told(told)}: put them in order.")
        if not self.least <= self.typical <= self.most:
            bounds = f"{self.least:g} to {self.most:g}"
            raise DistributionError(f"want the typical value within {bounds}, got {self.typical:g}: widen the bounds.")

    @property
    def certain(self) -> bool:
        """Whether there is nothing to draw."""
        return self.low == self.high

    def at(self, z: ArrayLike) -> NDArray[np.float64]:
        """The values so many standard deviations from the middle."""
        away = np.asarray(z, dtype=np.float64) / Z_TAIL
        if self.low > 0:
            down, up = math.log(self.typical) - math.log(self.low), math.log(self.high) - math.log(self.typical)
            values = self.typical * np.exp(away * np.where(away < 0, down, up))
        else:
            values = self.typical + away * np.where(away < 0, self.typical - self.low, self.high - self.typical)
        return np.asarray(np.clip(values, self.least, self.most))

    def over(self, times: float) -> Spread:
        """A distribution with this middle, whose ends lie so many times as far from it."""
        ends = (float(self.at(-Z_TAIL * times)), float(self.at(Z_TAIL * times)))
        return Spread(ends[0], self.typical, ends[1], self.least, self.most)


def _told(values: tuple[float, float, float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


RENTS = (CHANGE, DRIFT)
OF_RANGE = "the catalogue's range, its ends taken as the 10th and 90th percentile of futures"
OF_BELIEF = "what a price read so long ago is worth today, from its 10th to its 90th percentile"
OF_OTHERS = "what other providers ask, from its 10th to its 90th percentile"
OF_BAND = "published runs over our prediction of them, each source left out of the fit, 10th to 90th percentile"
OF_REGIMES = "from RSC-2 (low) over Llama 3 to every cause in research clusters (high), arXiv 2407.21783 and 2410.21680"
OF_CURVE = "from the curve's low end (-1) over its middle (0) to its high end (1), whatever the age"
_LEAST_BUSY = 1e-6
# These follow from others that are drawn.
_FOLLOWS = frozenset({"residual_share", "residual_share_at_refresh", "left_share"})


@dataclass(frozen=True)
class UncertainParameter:
    """One input that may turn out otherwise."""

    name: str  # as the formulas use it
    unit: str
    spread: Spread
    reason: str
    kind: str  # assumption, derived, reported ...: who says the range
    source: str  # its title, or a decision
    url: str | None = None
    figure: Figure | None = None  # of the catalogue, where the range is its own


def doubtful(plan: Plan) -> tuple[UncertainParameter, ...]:
    """Every input of a plan that may turn out otherwise, by name."""
    settled = plan.setting.tried  # what is tried out is certain while it is
    found = {one.name: one for one in _all(plan) if not one.spread.certain and one.name not in settled}
    return tuple(found[name] for name in sorted(found))


def _all(plan: Plan) -> Iterator[UncertainParameter]:
    yield from _figure_ranges(plan)
    yield from _prices(plan)
    yield from _beside(plan)
    if any(WAYS[option.way].owns for option in plan.options):
        yield from _delivery_parameters(plan)
        yield from _residual_parameter(plan)
    yield from _rent_parameters(plan)
    yield from _work(plan)
    yield from _failure_parameters(plan)


def _figure_ranges(plan: Plan) -> Iterator[UncertainParameter]:
    """Every number of the ledgers that is another one at the cheap or the dear end, and the same in all of them.

    What each seller has terms of its own for is no one number that could be drawn for all.
    """
    own_terms = _option_specific_names(plan)
    for option in plan.options:
        ends: dict[Case, dict[str, LedgerInput]]
        ends = {"low": option.low.numbers, "typical": option.ledger.numbers, "high": option.high.numbers}
        for name, used in {**ends["low"], **ends["typical"]}.items():
            where = used.origin
            if not isinstance(where, Origin) or where.kind in ("computed", "input", "tried"):
                continue
            if name in _FOLLOWS or name in RENTS or name == PRICE or name in BESIDE_FACTORS or name in own_terms:
                continue
            if name in ends["typical"]:
                values = [float(one.get(name, used).value) for one in ends.values()]
            elif where.figure is not None:  # at typical figures the way does without it
                values = [end(where.figure.newest, case) for case in ends]
            else:
                continue
            low, high = min(values), max(values)
            if low < high and math.isfinite(low) and math.isfinite(high):
                yield _of(name, used.unit, Spread(low, values[1], high, *_bounds(name, low)), OF_RANGE, where)


def _option_specific_names(plan: Plan) -> frozenset[str]:
    """The numbers that stand with several values in the ledgers."""
    first: dict[str, float] = {}
    found = set()
    for used in (used for option in plan.options for line in option.ledger.lines for used in line.used):
        if used.is_number and first.setdefault(used.name, float(used.value)) != float(used.value):
            found.add(used.name)
    return frozenset(found)


def _prices(plan: Plan) -> Iterator[UncertainParameter]:
    """What prices are worth that were read some time ago, by kind of purchase.

    One name stands for the price in every way of renting, so each kind has a factor of its own.
    """
    setting = plan.setting
    scenario, prices, offers = setting.scenario, setting.offers.prices, setting.catalogue.offers
    for asked, key in ((scenario.rent, setting.offers.on_demand), (scenario.reserve, setting.offers.reserved),
                       (scenario.spot, setting.offers.spot)):  # fmt: skip
        figure = offers[key].usd_per_accelerator_hour if key in offers else None
        if key is None or figure is None or asked.usd_per_accelerator_hour is not None:
            continue
        price = (
            prices.of(key) if prices is not None and key in prices.places else estimated_prices(setting, (key,)).at(0)
        )
        spread = Spread(price.low / price.typical, 1.0, price.high / price.typical, least=0.0)
        name, where = price_factor(offers[key].purchase), origin(setting.catalogue, figure)
        yield _of(name, "times the price", spread, OF_BELIEF, where)


def _beside(plan: Plan) -> Iterator[UncertainParameter]:
    """Disks and traffic that nobody prices where the plan rents: what the others ask."""
    for name, factor in BESIDE_FACTORS.items():
        found = [_assumed_input(plan, name, case) for case in ("low", "typical", "high")]
        ends = [one for one in found if one is not None]
        low, middle, high = (
            (float(np.asarray(one.value).flat[0]) for one in ends) if len(ends) == 3 else (0.0, 0.0, 0.0)
        )
        if middle > 0 and isinstance(ends[1].origin, Origin):
            spread = Spread(low / middle, 1.0, high / middle, least=0.0)
            yield _of(factor, "times the price", spread, OF_OTHERS, ends[1].origin)


def _assumed_input(plan: Plan, name: str, case: Case) -> LedgerInput | None:
    """A price beside the hour as some way uses it, where it is an assumption."""
    ledgers = ({"low": one.low, "typical": one.ledger, "high": one.high}[case] for one in plan.options)
    every = (used for ledger in ledgers for line in ledger.lines for used in line.used if used.name == name)
    return next((used for used in every if isinstance(used.origin, Origin) and used.origin.kind == "assumption"), None)


def _bounds(name: str, low: float) -> tuple[float, float]:
    """Shares stay between 0 and 1, a change of price may have any sign, nothing else falls below nought."""
    if "change" in name:
        return -math.inf, math.inf
    least = 1.0 if name == "pue" else 0.0
    return min(low, least), 1.0 if name.endswith("_share") else math.inf


def _of(name: str, unit: str, spread: Spread, reason: str, where: Origin) -> UncertainParameter:
    note = f"{reason}; {where.note}" if where.note else reason
    return UncertainParameter(name, unit, spread, note, where.kind, where.source, where.url, where.figure)


def _delivery_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """When machines come and how long they are repaired for nothing: no line shows either, the ledger's months do."""
    own = plan.setting.scenario.own
    figures = {"lead_time_months": (lead_time(plan.setting), own.lead_time_months)}
    if _uses(plan, "after_warranty"):
        warranty = plan.setting.catalogue.facts[CHEAPER_FACTS["warranty_years"]].figure
        figures["warranty_years"] = (warranty, own.warranty_years)
    for name, (figure, yours) in figures.items():
        if yours is None:
            yield _from_figure(plan, name, figure)


def _uses(plan: Plan, name: str) -> bool:
    return any(used.name == name for one in plan.options for line in one.ledger.lines for used in line.used)


def _from_figure(plan: Plan, name: str, figure: Figure) -> UncertainParameter:
    value = figure.newest
    source = plan.setting.catalogue.sources[value.source]
    spread = Spread(end(value, "low"), value.typical, end(value, "high"), least=0.0)
    reason = f"{OF_RANGE}; {value.note}" if value.note else OF_RANGE
    return UncertainParameter(name, figure.unit, spread, reason, value.kind, source.title, source.url, figure)


def _residual_parameter(plan: Plan) -> Iterator[UncertainParameter]:
    setting = plan.setting
    if not any(_uses(plan, name) for name in _FOLLOWS):
        return  # what the sale brings is agreed
    curve = curve_of(setting)
    if setting.scenario.own.residual_share is not None or curve.low is None or curve.high is None:
        return
    source = setting.catalogue.sources[curve.source]
    spread = Spread(-1.0, 0.0, 1.0)
    yield UncertainParameter(
        POSITION, "position", spread, f"{OF_CURVE}. {curve.note}", curve.kind, source.title, source.url
    )


def _rent_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """Where rents go: the plan's own path, and from there as far as the catalogue's ends, less over several years."""
    setting = plan.setting
    ends = [one.numbers.get(CHANGE) for option in plan.options for one in (option.low, option.ledger, option.high)]
    told = [float(one.value) for one in ends if one is not None]
    by_level = bool(setting.terms.rent_by_year) and _uses(plan, "rent_level")
    if not told and not by_level:
        return
    figure = setting.catalogue.facts[RENT_CHANGE].figure
    if by_level:
        name, typical = DRIFT, 0.0
        away = [end(figure.newest, "low") - figure.newest.typical, end(figure.newest, "high") - figure.newest.typical]
    else:
        name = CHANGE
        typical = next(float(one.value) for one in ends[1::3] if one is not None)
        away = [min(told) - typical, max(told) - typical]
    spread = Spread(typical + away[0], typical, typical + away[1], LEAST_CHANGE, MOST_CHANGE)
    spread = spread.over(1 / math.sqrt(max(setting.scenario.years, 1.0)))
    yield _assumed(name, "share a year", spread, load_futures_assumptions().rents)


def _work(plan: Plan) -> Iterator[UncertainParameter]:
    """How much of the work comes, and how long it takes."""
    setting, use = plan.setting, load_futures_assumptions().use
    if any(work.effective_utilization > _LEAST_BUSY for work in setting.scenario.work):
        yield _assumed(BUSY_FACTOR, "times", Spread(use.low, use.typical, use.high, least=0.0), use)
    band = predicted_hours_distribution(plan)
    if band is not None:
        yield UncertainParameter(
            HOURS_FACTOR, "times", band, OF_BAND, "measured", "published runs", "docs/published-runs.md"
        )


def _failure_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """How often jobs fail, where hours hold what that costs: between the regimes that were published."""
    setting, said = plan.setting, plan.setting.scenario.failures
    if said.hours_between_failures is not None or not any(one.is_counted for one in setting.lost.values()):
        return
    catalogue = setting.catalogue
    job = max(one.job for one in setting.lost.values() if one.is_counted)
    calm, rough = (float(regime_rate(catalogue, regime, job)) for regime in ("calm", "rough"))
    figure = catalogue.facts[NODE_FAILURES].figure
    value, usual = figure.newest, float(failure_rate(catalogue, said, said.regime or "calm", job))
    spread = Spread(calm * end(value, "low") / value.typical, usual, max(rough, usual), least=0.0)
    source = catalogue.sources[value.source]
    yield UncertainParameter(
        RATE, "failures per accelerator-hour", spread, OF_REGIMES, value.kind, source.title, source.url
    )


def predicted_hours_distribution(plan: Plan) -> Spread | None:
    """How many times the predicted hours the named models may take; the widest of several."""
    asked = plan.setting.resolved
    if asked is None or not plan.setting.predicted:
        return None
    hours = [one.speed.days for one in asked.trainings if one.speed is not None]
    ends = [(days.low / days.typical, days.high / days.typical) for days in hours]
    ends += [
        (one.output_tokens_per_s / one.output_tokens_per_s_high, one.output_tokens_per_s / one.output_tokens_per_s_low)
        for one in asked.servings
        if one.output_tokens_per_s_low > 0
    ]
    ends += [(one.requests_per_s / one.high, one.requests_per_s / one.low) for one in asked.others if one.low > 0]
    ends += [(one.low / one.accelerator_hours, one.high / one.accelerator_hours) for one in asked.runs]
    if not ends:
        return None
    return Spread(min(1.0, *(low for low, _ in ends)), 1.0, max(1.0, *(high for _, high in ends)), least=0.0)


def _assumed(name: str, unit: str, spread: Spread, said: SourcedRecord) -> UncertainParameter:
    return UncertainParameter(name, unit, spread, said.reason, said.kind, said.source, said.source)


def at(inputs: tuple[UncertainParameter, ...], z: NDArray[np.float64]) -> Mapping[str, NDArray[np.float64]]:
    """The values of all inputs, so many standard deviations from their middles: draws x inputs in, by name out."""
    return {one.name: one.spread.at(z[:, place]) for place, one in enumerate(inputs)}
