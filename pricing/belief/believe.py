"""The worth today of a price read some days ago: low, typical and high, for every offer, by one rule.

A price is repriced by and by, at the rate that its seller has shown; then it goes where the market went. An offer read
once, long ago, may be gone; then one pays what the market asks. So an old price that lies far below all others pulls a
little and no further, and a fresh one wins. Nothing here jumps from one day to the next. Decision 0033 has the
measurements, `python -m bench believe` repeats them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from pricing.belief.readings import (
    CLASSES,
    DAYS_PER_MONTH,
    Floats,
    Places,
    PriceClass,
    Readings,
    constants,
    market_index,
    readings,
    repricings_per_month,
)
from pricing.caching import T, cached_property
from pricing.catalogue import Catalogue
from pricing.figure import Figure

Z80 = 1.2816  # standard deviations from the middle to either end of an 80 % range
_SPOT = CLASSES.index("spot")
_QUOTE_HOLDS_DAYS = 30.0


class StandaloneEstimates(NamedTuple):
    """One offer by itself, whatever others ask: one entry for each."""

    age_days: Floats
    moved: Floats  # log; what the market did since
    repriced: Floats  # chance that the price is another by now
    log_usd: Floats  # typical
    half: Floats  # log half width of the 80 % range
    available: Floats  # chance that it is available


@dataclass(frozen=True, eq=False)
class PriceEstimates:
    """The worth of some offers' prices today, each in its market: an entry for each, not-a-number without price."""

    keys: tuple[str, ...]
    read_usd: Floats
    age_days: Floats
    low: Floats
    typical: Floats
    high: Floats
    moved: Floats  # what the market did since the price was read, as a share
    repriced: Floats  # the chance that the price is another by now
    available: Floats  # the chance that it is still available
    market_usd: Floats  # the market's low
    sellers: NDArray[np.intp]  # how many the market has, beside your own quotes
    yours: NDArray[np.bool_]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PriceEstimates) and self._content == other._content

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _content(self) -> tuple[object, ...]:
        """Everything in it as plain values: arrays have no equality of their own, and one NaN equals no other."""
        return self.keys, *(getattr(self, column.name).tobytes() for column in fields(self) if column.name != "keys")

    @cached_property
    def _hash(self) -> int:
        return hash(self._content)

    @cached_property
    def places(self) -> dict[str, int]:
        return {key: place for place, key in enumerate(self.keys)}

    def of(self, key: str) -> PriceEstimate:
        """Return the worth of one offer's price."""
        return self.at(self.places[key])

    def take(self, keys: Sequence[str]) -> PriceEstimates:
        return self.rows([self.places[key] for key in keys])

    def beside(self, others: PriceEstimates) -> PriceEstimates:
        names = (column.name for column in fields(self) if column.name != "keys")
        rest = (np.concatenate([getattr(self, name), getattr(others, name)]) for name in names)
        return PriceEstimates((*self.keys, *others.keys), *rest)

    def rows(self, at: Sequence[int]) -> PriceEstimates:
        """Return those at some places."""
        rest = (getattr(self, column.name)[list(at)] for column in fields(self) if column.name != "keys")
        return PriceEstimates(tuple(self.keys[place] for place in at), *rest)

    def at(self, place: int) -> PriceEstimate:
        return PriceEstimate(*(getattr(self, name)[place].item() for name in PriceEstimate._fields))


class PriceEstimate(NamedTuple):
    """The worth of one price today, beside the price as it was read."""

    read_usd: float
    age_days: float
    low: float
    typical: float
    high: float
    moved: float
    repriced: float
    available: float
    market_usd: float
    sellers: int
    yours: bool


def worth_alone(figure: Figure, price_class: PriceClass, day: date) -> tuple[float, float, float]:
    """Return the worth on a day of a price without a market: low, as read, high. The older, the wider."""
    facts = constants()
    kind, usd = facts.classes[price_class], figure.newest.typical
    repriced = 1 - np.exp(-kind.repricings_per_month * max(figure.age_days(day), 0) / DAYS_PER_MONTH)
    half = float(facts.read_spread + kind.spread * np.sqrt(repriced))
    return usd * float(np.exp(-half)), usd, usd * float(np.exp(half))


def standalone_estimates(readings: Readings, day: int, at: Places) -> StandaloneEstimates:
    """Return the estimate of each offer's price today from its own readings."""
    facts = constants()
    index, rate = _by_day(readings, day, market_index), _by_day(readings, day, repricings_per_month)
    classes = [facts.classes[name] for name in CLASSES]
    of_class, yours = readings.of_class[at], readings.yours[at]
    age = np.maximum(day - readings.read_on[at], 0.0)
    ages = np.where(yours, np.maximum(age - _QUOTE_HOLDS_DAYS, 0.0), age)  # a quote holds a month, then it ages too
    repriced = 1 - np.exp(-rate[at] * ages / DAYS_PER_MONTH)
    moved = index.moved(readings.read_on[at])
    limit = facts.most_market_move
    spread = np.array([kind.spread for kind in classes])[of_class]
    availability = np.array([kind.available for kind in classes])[of_class]
    stays = np.array([kind.stays_days for kind in classes])[of_class]
    old = 1 - np.exp(-age / facts.settling_days)
    available = availability * np.exp(-age / stays) * np.clip(_age_weight(age), 0.0, 1.0)
    available *= 1 - facts.once * old * (readings.days_read[at] < 2)
    return StandaloneEstimates(
        age_days=age,
        moved=moved,
        repriced=repriced,
        log_usd=readings.log_usd[at] + repriced * np.clip(moved, -limit, limit),
        half=np.where(yours, 0.0, facts.read_spread) + spread * np.sqrt(repriced),
        available=np.where(yours, 1.0, available),
    )


def believed(
    catalogue: Catalogue, day: date, keys: Sequence[str], groups: Sequence[object] | None = None
) -> PriceEstimates:
    """Return the worth of these offers' prices on a day, each in the market that its group makes.

    A group is what could take one another's place; where none are given, one accelerator under one kind of purchase.
    """
    known = readings(catalogue)
    if groups is None:
        groups = [(catalogue.offers[key].accelerator, catalogue.offers[key].purchase) for key in keys]
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    group = np.array([numbers[name] for name in groups], dtype=np.intp)
    place = np.array([known.place.get(key, -1) for key in keys], dtype=np.intp)
    return _scatter_to_keys(
        tuple(keys), place, _estimate_group(known, day.toordinal(), place[place >= 0], group[place >= 0])
    )


def in_their_markets(catalogue: Catalogue, day: date, keys: Sequence[str]) -> PriceEstimates:
    """Return the worth of some offers' prices on a day, each among all of its accelerator and purchase.

    An offer has one price today, for every plan and every number of machines.
    """
    own = set(keys)
    voting = readings(catalogue).voting
    accelerators = dict.fromkeys(catalogue.offers[key].accelerator for key in keys)
    others = [key for accelerator in accelerators for key in voting.get(accelerator, ()) if key not in own]
    return believed(catalogue, day, (*keys, *others)).rows(range(len(keys)))


def _estimate_group(readings: Readings, day: int, at: Places, group: Places) -> dict[str, NDArray[np.generic]]:
    facts = constants().votes
    own = standalone_estimates(readings, day, at)
    market = _market_low_price(readings, day, at, group, own)
    low = market.log_usd
    settled = np.maximum(1 - np.exp(-own.age_days / constants().settling_days), 1e-9)
    bounded = np.maximum(own.log_usd, low - facts.most_below / settled)
    below = (own.log_usd < low) & ~readings.yours[at]
    typical = np.where(below, own.available * bounded + (1 - own.available) * low, own.log_usd)
    gap = np.where(below, low - bounded, 0.0)
    stays = np.where(gap > 0, own.available, 1.0)
    doubt = stays * (own.half / Z80) ** 2 + (1 - stays) * facts.gone_spread**2 + stays * (1 - stays) * gap**2
    doubt += (1 - stays) * facts.thin_spread**2 / np.maximum(market.weight, facts.least_weight)
    half = Z80 * np.sqrt(np.minimum(doubt, facts.most_spread**2))
    return {
        "read_usd": readings.usd[at],
        "age_days": own.age_days,
        "low": np.exp(typical - half),
        "typical": np.exp(typical),
        "high": np.exp(typical + half),
        "moved": np.expm1(own.moved),
        "repriced": own.repriced,
        "available": own.available,
        "market_usd": np.exp(low),
        "sellers": market.sellers,
        "yours": readings.yours[at],
    }


class _MarketLowPrice(NamedTuple):
    """For each offer the low price of its market, in logs; how much its votes weigh, and how many sellers vote."""

    log_usd: Floats
    weight: Floats
    sellers: Places


def _market_low_price(
    readings: Readings, day: int, at: Places, group: Places, own: StandaloneEstimates
) -> _MarketLowPrice:
    """Return the low price of each offer's market: a mean of the lower votes, one of each seller.

    A seller votes with the lowest of its prices that is likely still there; an old vote weighs little.
    """
    facts = constants().votes
    votes = readings.counts[at] & ~readings.yours[at]
    seen = np.where(own.age_days < np.inf, np.maximum(_age_weight(own.age_days), 0.0), 0.0)
    weight = np.exp(-own.age_days / facts.weight_days) * np.clip(seen, facts.least_weight, 1.0)
    first = _lowest_vote_index(
        group[votes], readings.provider[at][votes], (own.log_usd + facts.doubt * (1 - own.available))[votes]
    )
    usd, trust, of = own.log_usd[votes][first], weight[votes][first], group[votes][first]
    size = int(group.max(initial=-1)) + 1
    sellers = np.bincount(of, minlength=size)
    spot_usd, spot_of = _add_spot_prior(readings, day, at, group)
    spot_trust = np.full(len(spot_of), np.exp(-facts.spot_vote_days / facts.weight_days))
    low, weights = _weighted_lower_means(
        np.concatenate([usd, spot_usd]), np.concatenate([trust, spot_trust]), np.concatenate([of, spot_of]), size
    )
    return _MarketLowPrice(low[group], weights[group], sellers[group])


def _lowest_vote_index(group: Places, provider: Places, price: Floats) -> Places:
    order = np.lexsort((price, provider, group))
    changed = (np.diff(group[order], prepend=-1) != 0) | (np.diff(provider[order], prepend=-1) != 0)
    return cast(Places, order[changed])


def _add_spot_prior(readings: Readings, day: int, at: Places, group: Places) -> tuple[Floats, Places]:
    """For markets of spot machines one more vote: the usual share of what their accelerator costs on demand."""
    spot = readings.of_class[at] == _SPOT
    if not spot.any():
        return np.empty(0), np.empty(0, dtype=np.intp)
    of, first = np.unique(group[spot], return_index=True)
    usd = _by_day(readings, day, _on_demand_low)[readings.accelerator[at][spot][first]] + np.log(
        constants().votes.spot_over_on_demand
    )
    return usd[np.isfinite(usd)], of[np.isfinite(usd)]


def _on_demand_low(readings: Readings, day: int) -> Floats:
    bought = np.array([offer.purchase == "on_demand" for offer in readings.offers], dtype=np.bool_)
    at = np.flatnonzero(bought & readings.counts & ~readings.yours)
    low = np.full(int(readings.accelerator.max(initial=-1)) + 1, np.nan)
    if len(at):
        group = readings.accelerator[at]
        low[group] = _market_low_price(readings, day, at, group, standalone_estimates(readings, day, at)).log_usd
    return low


def _weighted_lower_means(usd: Floats, weight: Floats, group: Places, size: int) -> tuple[Floats, Floats]:
    """For each group the mean of the lower share of its votes by weight, and the weight of them all.

    A mean of many and no single vote: without any one of them it moves by no more than that vote weighs.
    """
    means, whole_of = np.full(size, np.nan), np.zeros(size)
    if not len(usd):
        return means, whole_of
    order = np.lexsort((usd, group))
    usd, weight, group = usd[order], weight[order], group[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    counts = np.diff(np.append(starts, len(usd)))
    whole = np.add.reduceat(weight, starts)
    before = np.cumsum(weight) - weight
    place = (before - np.repeat(before[starts], counts)) / np.repeat(whole, counts)
    end = place + weight / np.repeat(whole, counts)
    counted = np.maximum(np.minimum(end, constants().votes.lower_share) - place, 0.0)
    means[group[starts]] = np.add.reduceat(usd * counted, starts) / np.add.reduceat(counted, starts)
    whole_of[group[starts]] = whole
    return means, whole_of


def _age_weight(age_days: Floats) -> Floats:
    """1 while a price is younger than ten months, falling to 0 at a year."""
    facts = constants()
    return (facts.forgotten_days - age_days) / (facts.forgotten_days - facts.fading_from_days)


def _by_day(readings: Readings, day: int, calculate: Callable[[Readings, int], T]) -> T:
    """Return a result that follows from the readings alone, from their cache where it is there."""
    key = calculate.__name__, day
    if key not in readings.kept:
        readings.kept[key] = calculate(readings, day)
    return cast(T, readings.kept[key])


def _scatter_to_keys(keys: tuple[str, ...], place: Places, estimates: dict[str, NDArray[np.generic]]) -> PriceEstimates:
    """Return the findings in the order of the keys, not-a-number for those without a price."""
    priced = place >= 0
    columns = {}
    for name, values in estimates.items():
        empty = np.nan if values.dtype.kind == "f" else 0
        column = np.full(len(keys), empty, dtype=values.dtype)
        column[priced] = values
        columns[name] = column
    return PriceEstimates(keys, **columns)
