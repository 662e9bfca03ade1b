"""Uncertain inputs of a plan, each with its distribution and the reason.

Every figure with another value in the ledgers at their low or high end is one, by the name that the formulas use.
Beside them stand inputs that no single number of a ledger shows: the delivery, the resale price at any age, where rents
go, the amount of work, and the error of the speed model. Your own inputs are certain.

A range of low, typical and high becomes a distribution in two pieces that meet in the middle, as wide as the range
from its 10th to its 90th percentile, and moved so that its mean is the typical value. Where all three are positive the
pieces are lognormal, so that no draw is negative; else they are normal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.money.demand.lost_time import RATE
from planner.money.inflation import CURRENCY_CHANGE
from planner.money.ledger import CASES, LedgerInput, Origin, end, origin
from planner.money.option import Option
from planner.money.owning.inputs import CHEAPER_FACTS
from planner.money.owning.machine_price import CHANGE as NEW_PRICE_CHANGE
from planner.money.owning.machine_price import PATH, POSITION, PROCESS, lead_time
from planner.money.plan import Plan
from planner.money.price_path import CHANGE, DRIFT, LEAST_CHANGE, MOST_CHANGE
from planner.money.renting.offer_inputs import BESIDE_FACTORS, PRICE, market_prices, price_factor
from planner.money.renting.order_market import RENTAL_DEPTH, rental_counts, spot_shortfall
from planner.money.renting.orders import busiest_order
from planner.money.setting import BUSY_FACTOR, HOURS_FACTOR, RENT_CHANGE
from planner.money.ways import WAYS
from planner.money.ways.spot import ON_DEMAND_SHARE
from planner.speed.training.goodput import NODE_FAILURES, failure_rate, regime_rate
from planner.study.data_files import SourcedRecord, load_futures_assumptions
from pricing import Figure, PricingError
from pricing.exchange import DOLLAR, moves_per_year
from pricing.orderable import SPOT_SHARE

TAIL = 0.1  # of futures beyond each end of a range
Z_TAIL = 1.2815515655446004  # standard deviations at that tail


def _share_below(z: float) -> float:
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))


class DistributionError(PricingError):
    """A distribution that is incomplete, or contradicts itself."""


@dataclass(frozen=True)
class InputDistribution:
    """One input's distribution: `typical` is its mean, and `low` and `high` are as far away as in its range.

    Most ranges reach farther up than down. Were the typical value the median, the sum of many such inputs would lie
    well above the sum of their typical values, and an answer above what was entered.
    """

    low: float
    typical: float
    high: float
    least: float = -math.inf  # values beyond these count as lying on them
    most: float = math.inf

    def __post_init__(self) -> None:
        values = (self.low, self.typical, self.high)
        text = ", ".join(f"{value:g}" for value in values)
        if not all(map(math.isfinite, values)):
            raise DistributionError(f"want three numbers for a distribution, got {text}: enter the missing one.")
        if not self.low <= self.typical <= self.high:
            raise DistributionError(f"want low <= typical <= high, got {text}: put them in order.")
        if not self.least <= self.typical <= self.most:
            bounds = f"{self.least:g} to {self.most:g}"
            raise DistributionError(f"want the typical value within {bounds}, got {self.typical:g}: widen the bounds.")

    @property
    def is_certain(self) -> bool:
        """True where there is nothing to draw."""
        return self.low == self.high

    def at(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the values so many standard deviations from the middle, moved to have the typical value as mean.

        The middle moves at most half way to an end: a range that is more lopsided stays skewed.
        """
        values = self.around_typical(np.asarray(z, dtype=np.float64))
        if self.low > 0:
            down, up = (math.log(end) / Z_TAIL for end in (self.typical / self.low, self.high / self.typical))
            mean = math.log(math.exp(down**2 / 2) * _share_below(-down) + math.exp(up**2 / 2) * _share_below(up))
            values = values * math.exp(-min(max(mean, -up * Z_TAIL / 2), down * Z_TAIL / 2))
        else:
            mean = (self.low + self.high - 2 * self.typical) / Z_TAIL / math.sqrt(2 * math.pi)
            values = values - min(max(mean, (self.typical - self.high) / 2), (self.typical - self.low) / 2)
        return np.asarray(np.clip(values, self.least, self.most))

    def around_typical(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values so many standard deviations from the typical value, as the range was stated."""
        away = z / Z_TAIL
        if self.low > 0:
            down, up = math.log(self.typical / self.low), math.log(self.high / self.typical)
            return np.asarray(self.typical * np.exp(away * np.where(away < 0, down, up)))
        return np.asarray(self.typical + away * np.where(away < 0, self.typical - self.low, self.high - self.typical))

    def share_to_end(self, value: float) -> float:
        """Return how far a value lies from the typical one, as a share of the way to that end of the range."""
        return (value - self.typical) / ((self.high if value > self.typical else self.low) - self.typical)

    def over(self, times: float) -> InputDistribution:
        """Return a distribution with this middle, whose ends lie so many times as far from it."""
        ends = self.around_typical(np.array([-Z_TAIL, Z_TAIL]) * times)
        low, high = np.clip(ends, self.least, self.most).tolist()
        return InputDistribution(low, self.typical, high, self.least, self.most)


RENTS = (CHANGE, DRIFT)
OF_RANGE = "the catalogue's range, its ends taken as the 10th and 90th percentile of futures"
OF_BELIEF = "what a price read so long ago is worth today, from its 10th to its 90th percentile"
OF_OTHERS = "what other providers ask, from its 10th to its 90th percentile"
OF_BAND = "published runs over our prediction of them, each source left out of the fit, 10th to 90th percentile"
OF_REGIMES = "from RSC-2 (low) over Llama 3 to every cause in research clusters (high), arXiv 2407.21783 and 2410.21680"
OF_USED = "a used one over a new one of the same day, from the 10th (-1) to the 90th percentile (1), whatever the age"
OF_PATH = (
    "a new one of the same product, from the 10th percentile of its path (-1) to the 90th (1); it moves with rents"
)
OF_SPOT = "how many somebody has on spot with chances of 9, 5 and 1 of 10, mostly assumed; others are rented on demand"
OF_DEPTH = "how many somebody rents out at once, with chances of 9 (-1), 5 and 1 of 10 (1); the rest waits"
_RENT_BESIDE = frozenset({"reserved", "mix"})  # ways that rent the rest by the hour
_LEAST_BUSY = 1e-6
# These follow from others that are drawn.
_FOLLOWS = frozenset({"residual_share", "residual_share_at_refresh", "left_share"})


@dataclass(frozen=True)
class UncertainParameter:
    """One uncertain input."""

    name: str  # as the formulas use it
    unit: str
    spread: InputDistribution
    reason: str
    kind: str  # of the range: assumption, derived, reported ...
    source: str  # its title, or a decision
    url: str | None = None
    figure: Figure | None = None  # of the catalogue, where the range is its own


def uncertain_inputs(plan: Plan) -> tuple[UncertainParameter, ...]:
    """Return every uncertain input of a plan, by name. An input that is tried out is certain."""
    every = [*_figure_ranges(plan), *_price_ages(plan), *_assumed_fees(plan)]
    if any(WAYS[option.way].owns for option in plan.options):
        every += [*_delivery_parameters(plan), *_machine_price_parameters(plan)]
    every += [*_rent_parameters(plan), *_work_parameters(plan), *_failure_parameters(plan), *_spot_parameters(plan)]
    every += [*_rental_depth_parameters(plan), *_currency_parameters(plan)]
    by_name = {parameter.name: parameter for parameter in every
               if not parameter.spread.is_certain and parameter.name not in plan.setting.tried}  # fmt: skip
    return tuple(by_name[name] for name in sorted(by_name))


def _figure_ranges(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield every number of the ledgers with a range, the same in all of them.

    A number that differs between sellers cannot be drawn for all of them.
    """
    fixed = {*_FOLLOWS, *RENTS, PRICE, *BESIDE_FACTORS, *_option_specific_names(plan)}
    in_lines = {name: used for option in plan.options for name, used in option.ledger.numbers.items()}
    for name in in_lines.keys() - fixed:
        used, where = in_lines[name], in_lines[name].origin
        if used.ends is None or not isinstance(where, Origin) or where.kind in ("computed", "input", "tried"):
            continue
        typical = float(used.value)
        low, *_, high = sorted((typical, *map(float, used.ends)))
        if low < high and math.isfinite(low) and math.isfinite(high):
            spread = InputDistribution(low, typical, high, *_bounds(name, low))
            yield _from_origin(name, used.unit, spread, OF_RANGE, where)


def _option_specific_names(plan: Plan) -> set[str]:
    first: dict[str, float] = {}
    return {
        used.name
        for option in plan.options
        for used in option.ledger.inputs
        if used.is_number and first.setdefault(used.name, float(used.value)) != float(used.value)
    }


def _price_ages(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield the worth today of prices that were read some time ago, by kind of purchase.

    One name stands for the price in every option of renting, so each kind has a factor of its own.
    """
    setting, scenario = plan.setting, plan.setting.scenario
    taken, offers = setting.offers, setting.catalogue.offers
    for inputs, key in (
        (scenario.rent, taken.on_demand), (scenario.reserve, taken.reserved), (scenario.spot, taken.spot)
    ):  # fmt: skip
        figure = offers[key].usd_per_accelerator_hour if key in offers else None
        if key is None or figure is None or inputs.usd_per_accelerator_hour is not None:
            continue
        term = taken.reserved_months if inputs is scenario.reserve else 0.0
        price = market_prices(setting, (key,), (term,)).at(0)
        spread = InputDistribution(price.low / price.typical, 1.0, price.high / price.typical, least=0.0)
        name, where = price_factor(offers[key].purchase, term), origin(setting.catalogue, figure)
        yield _from_origin(name, "times the price", spread, OF_BELIEF, where)


def _assumed_fees(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield disks and traffic that the plan's sellers do not price: from what the others ask."""
    for name, factor in BESIDE_FACTORS.items():
        fee = _assumed_fee(name, plan.options)
        if fee is not None and isinstance(fee.origin, Origin):
            low, middle, high = (float(np.asarray(fee.at_end(case).value).flat[0]) for case in CASES)
            if low > 0:  # one that may cost nothing is as typical in all futures
                spread = InputDistribution(low / middle, 1.0, high / middle, least=0.0)
                yield _from_origin(factor, "times the price", spread, OF_OTHERS, fee.origin)


def _assumed_fee(name: str, options: Iterable[Option]) -> LedgerInput | None:
    for used in (used for option in options for used in option.ledger.inputs if used.name == name):
        if isinstance(used.origin, Origin) and used.origin.kind == "assumption":
            return used
    return None


def _bounds(name: str, low: float) -> tuple[float, float]:
    """Return bounds: shares are 0 to 1, a change of price may have any sign, nothing else is negative."""
    if "change" in name:
        return -math.inf, math.inf
    least = 1.0 if name == "pue" else 0.0
    return min(low, least), 1.0 if name.endswith("_share") else math.inf


def _from_origin(name: str, unit: str, spread: InputDistribution, reason: str, where: Origin) -> UncertainParameter:
    note = f"{reason}; {where.note}" if where.note else reason
    return UncertainParameter(name, unit, spread, note, where.kind, where.source, where.url, where.figure)


def _delivery_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield lead time and warranty: no line shows either, the ledger's months do."""
    own, catalogue = plan.setting.scenario.own, plan.setting.catalogue
    figures = {"lead_time_months": (lead_time(plan.setting), own.lead_time_months)}
    if _uses(plan, "after_warranty"):
        figures["warranty_years"] = (catalogue.facts[CHEAPER_FACTS["warranty_years"]].figure, own.warranty_years)
    for name, (figure, yours) in figures.items():
        if yours is None:
            value = figure.newest
            source = catalogue.sources[value.source]
            spread = InputDistribution(end(value, "low"), value.typical, end(value, "high"), least=0.0)
            reason = f"{OF_RANGE}; {value.note}" if value.note else OF_RANGE
            yield UncertainParameter(name, figure.unit, spread, reason, value.kind, source.title, source.url, figure)


def _uses(plan: Plan, name: str) -> bool:
    return any(used.name == name for option in plan.options for used in option.ledger.inputs)


def _machine_price_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield the path of new machines and the price of used ones over it; what you typed is certain."""
    own, spread = plan.setting.scenario.own, InputDistribution(-1.0, 0.0, 1.0)
    sold = own.residual_share is None and any(_uses(plan, name) for name in _FOLLOWS)
    positions = {POSITION: (OF_USED, sold)}
    moves = own.hardware_price_change_per_year is None
    positions[PATH] = (OF_PATH, moves and (sold or _uses(plan, NEW_PRICE_CHANGE)))
    for name, (reason, is_drawn) in positions.items():
        if is_drawn:
            yield UncertainParameter(name, "position", spread, reason, PROCESS.kind, PROCESS.source, PROCESS.url)


def _rent_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield where rents go: the plan's own path, with the catalogue's range, narrower over several years."""
    setting = plan.setting
    changes = [option.ledger.numbers[CHANGE] for option in plan.options if CHANGE in option.ledger.numbers]
    values = [float(change.at_end(case).value) for change in changes for case in CASES]
    by_level = bool(setting.terms.rent_by_year) and _uses(plan, "rent_level")
    if not values and not by_level:
        return
    if by_level:
        value = setting.catalogue.facts[RENT_CHANGE].figure.newest
        name, typical = DRIFT, 0.0
        low, high = end(value, "low") - value.typical, end(value, "high") - value.typical
    else:
        name = CHANGE
        typical = float(changes[0].value)
        low, high = min(values) - typical, max(values) - typical
    spread = InputDistribution(typical + low, typical, typical + high, LEAST_CHANGE, MOST_CHANGE)
    spread = spread.over(1 / math.sqrt(max(setting.scenario.years, 1.0)))
    yield _assumed(name, "share a year", spread, load_futures_assumptions().rents)


def _work_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    use = load_futures_assumptions().use
    if any(work.effective_utilization > _LEAST_BUSY for work in plan.setting.scenario.work):
        yield _assumed(BUSY_FACTOR, "times", InputDistribution(use.low, use.typical, use.high, least=0.0), use)
    hours = predicted_hours_distribution(plan)
    if hours is not None:
        source, url = "published runs", "docs/published-runs.md"
        yield UncertainParameter(HOURS_FACTOR, "times", hours, OF_BAND, "measured", source, url)


def _failure_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield the failure rate of jobs, where hours include its cost: between the regimes that were published."""
    setting, failures = plan.setting, plan.setting.scenario.failures
    counted = [lost.job for lost in setting.lost.values() if lost.is_counted]
    if failures.hours_between_failures is not None or not counted:
        return
    catalogue, job = setting.catalogue, max(counted)
    calm, rough = (float(regime_rate(catalogue, regime, job)) for regime in ("calm", "rough"))
    value = catalogue.facts[NODE_FAILURES].figure.newest
    usual = float(failure_rate(catalogue, failures, failures.regime or "calm", job))
    spread = InputDistribution(calm * end(value, "low") / value.typical, usual, max(rough, usual), least=0.0)
    source, unit = catalogue.sources[value.source], "failures per accelerator-hour"
    yield UncertainParameter(RATE, unit, spread, OF_REGIMES, value.kind, source.title, source.url)


def _spot_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield the share of work on spot machines for which none are there; your own share is certain."""
    catalogue, setting = plan.setting.catalogue, plan.setting
    if setting.scenario.spot.on_demand_share or not any(option.way == "spot" for option in plan.options):
        return
    value, ends = catalogue.facts[SPOT_SHARE].figure.newest, spot_shortfall(setting)
    spread = InputDistribution(ends["low"], ends["typical"], ends["high"], least=0.0, most=1.0)
    source = catalogue.sources[value.source]
    yield UncertainParameter(ON_DEMAND_SHARE, "share", spread, OF_SPOT, value.kind, source.title, source.url)


def _rental_depth_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield how many can be rented at once beside other machines, where the order of the plan may be more."""
    counts, catalogue = rental_counts(plan.setting), plan.setting.catalogue
    is_beside = any(WAYS[option.way].owns or option.way in _RENT_BESIDE for option in plan.options)
    if counts is None or not is_beside or counts[0] >= busiest_order(plan.setting).accelerators:
        return
    value = catalogue.facts[SPOT_SHARE].figure.newest
    source, spread = catalogue.sources[value.source], InputDistribution(-1.0, 0.0, 1.0)
    yield UncertainParameter(RENTAL_DEPTH, "position", spread, OF_DEPTH, "assumption", source.title, source.url)


def _currency_parameters(plan: Plan) -> Iterator[UncertainParameter]:
    """Yield where the rate of the currency goes that the plan is shown in; your own rates by year are certain."""
    shown, catalogue = plan.setting.currency, plan.setting.catalogue
    if shown is None or shown.code == DOLLAR or shown.usd_per_unit_by_year:
        return
    moves = moves_per_year(catalogue)
    if not moves:
        return
    assumed = load_futures_assumptions().currency
    move = assumed.times * moves.get(shown.code, fmean(moves.values())) * Z_TAIL
    move /= math.sqrt(max(plan.setting.scenario.years, 1.0))
    spread = InputDistribution(math.expm1(-move), 0.0, math.expm1(move), LEAST_CHANGE, MOST_CHANGE)
    yield _assumed(CURRENCY_CHANGE, "share a year", spread, assumed)


def predicted_hours_distribution(plan: Plan) -> InputDistribution | None:
    """Return the factor on the predicted hours of the named models; the widest of several."""
    work = plan.setting.resolved
    if work is None or not plan.setting.predicted:
        return None
    days = [training.speed.days for training in work.trainings if training.speed is not None]
    ends = [(each.low / each.typical, each.high / each.typical) for each in days]
    ends += [
        (
            each.output_tokens_per_s / each.output_tokens_per_s_high,
            each.output_tokens_per_s / each.output_tokens_per_s_low,
        )
        for each in work.servings
        if each.output_tokens_per_s_low > 0
    ]
    ends += [(each.requests_per_s / each.high, each.requests_per_s / each.low) for each in work.others if each.low > 0]
    ends += [(run.low / run.accelerator_hours, run.high / run.accelerator_hours) for run in work.runs]
    if not ends:
        return None
    return InputDistribution(min(1.0, *(low for low, _ in ends)), 1.0, max(1.0, *(high for _, high in ends)), least=0.0)


def _assumed(name: str, unit: str, spread: InputDistribution, assumption: SourcedRecord) -> UncertainParameter:
    source = assumption.source
    return UncertainParameter(name, unit, spread, assumption.reason, assumption.kind, source, source)


def values_at_z(inputs: tuple[UncertainParameter, ...], z: NDArray[np.float64]) -> Mapping[str, NDArray[np.float64]]:
    """Return the values of all inputs, at standard deviations from their middles: draws x inputs in, by name out."""
    return {parameter.name: parameter.spread.at(z[:, column]) for column, parameter in enumerate(inputs)}
