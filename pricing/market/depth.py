"""How many accelerators an order gets, and with what chance. Smooth in the number: no assumed size is a wall.

The most that one seller has for one order now is lognormal. Half of its variance is common to all sellers: scarce
chips are scarce everywhere.
What a commitment is worth: the price of a term over the price on demand, at one seller and across sellers.

ln(term price / on-demand price) = -depth x share(term). The share is 0 at a day, 1 at a year and never falls; the depth
differs between sellers. A seller's own list binds: at a published term its price, between two their discounts in
proportion to the share, never above a shorter term of the same list.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pricing.market.constants import ChipAge, SellerKind, TermKind, constants

DAY_MONTHS = 1 / 30.4
_SAME = 1e-9
_LEAST_DEPTH = 1e-3


class TermPrice(NamedTuple):
    """The price of a term at a seller, whether the seller publishes it, or a shorter and a longer one."""

    usd: float
    is_published: bool
    is_between: bool = False


def term_kind(seller: SellerKind) -> TermKind:
    """Return whose term discounts a kind of seller gives."""
    return "hyperscaler" if seller == "hyperscaler" else "neocloud"


def discount_share(kind: TermKind, months: float) -> float:
    """Return the share of the one-year discount that a term of this length has. [1]"""
    terms = constants().terms
    return float(np.interp(math.log(max(months, DAY_MONTHS)), np.log(terms.knots_months), terms.share[kind]))


def one_year_depth(kind: TermKind, generation: str = "", z: float = 0.0) -> float:
    """Return -ln(one-year price / on-demand price) at a seller `z` standard deviations above the middle one."""
    terms = constants().terms
    factor = terms.generation[kind].get(generation, 0.0) - z * terms.between_sellers[kind]
    return terms.one_year[kind] * math.exp(factor)


def term_ratio(seller: SellerKind, months: float, generation: str = "", z: float = 0.0) -> float:
    """Return the price of a term over the price on demand. [1] A low seller is at z = -1.28, a high one at 1.28."""
    kind = term_kind(seller)
    return math.exp(-one_year_depth(kind, generation, z) * discount_share(kind, months))


def own_term(
    seller: SellerKind,
    months: float,
    published: Mapping[float, float],
    generation: str = "",
    on_demand: float | None = None,
) -> TermPrice:
    """Return the price of a term at a seller whose own prices, by months, bind. [USD]"""
    kind, points = term_kind(seller), dict(published)
    if on_demand:
        points.setdefault(DAY_MONTHS, on_demand)
    terms = np.array(sorted(points))
    usd = np.log([points[term] for term in terms])
    at = np.flatnonzero(np.abs(np.log(months / terms)) < _SAME)
    if len(at):
        return TermPrice(math.exp(usd[at[0]]), True)
    own_depth, here = _own_depth(kind, terms, usd, generation), discount_share(kind, months)
    if months < terms[0]:
        value = usd[0] + own_depth * (discount_share(kind, terms[0]) - here)
    elif months > terms[-1]:
        value = usd[-1] - own_depth * (here - discount_share(kind, terms[-1]))
    else:
        between = np.interp(here, [discount_share(kind, term) for term in terms], usd)
        value = min(float(between), float(usd[terms <= months].min()))
    return TermPrice(math.exp(value), False, bool(terms[0] < months < terms[-1]))


def _own_depth(kind: TermKind, terms: np.ndarray, usd: np.ndarray, generation: str) -> float:
    """Return a seller's own depth where two of its points tell one, drawn toward its kind's."""
    usual = one_year_depth(kind, generation)
    if len(terms) < 2:
        return usual
    shares = discount_share(kind, terms[-1]) - discount_share(kind, terms[0])
    seen = (usd[0] - usd[-1]) / max(shares, 1e-6)
    if seen <= _LEAST_DEPTH:
        return usual
    spread, doubt = constants().terms.between_sellers[kind], constants().terms.own_depth_doubt
    weight = spread**2 / (spread**2 + doubt**2)
    return math.exp(weight * math.log(seen) + (1 - weight) * math.log(usual))


Floats = NDArray[np.float64]
Purchase = Literal["on_demand", "reserved", "spot"]

_WEEK_MONTHS, _YEAR_MONTHS = 0.25, 12.0
_MOST, _GRID = 131_072.0, 24
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(21)
# The normal distribution, from a table right to 1e-7: importing scipy would slow every start of the program.
_END, _PER_UNIT = 9.0, 1_000
_BELOW = np.array([0.5 * (1 + math.erf(place / _PER_UNIT / math.sqrt(2))) for place in range(-9_000, 9_001)])
_STEP = np.append(np.diff(_BELOW), 0.0)


def normal_cdf(values: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of a standard normal distribution below each value."""
    place = (np.clip(values, -_END, _END) + _END) * _PER_UNIT
    cell = place.astype(np.intp)
    return np.asarray(_BELOW[cell] + _STEP[cell] * (place - cell))


class Depth(NamedTuple):
    """The most that one order gets from one seller: median, and standard deviation of its logarithm."""

    median: float
    spread: float


def seller_depth(
    seller: SellerKind, months: float = DAY_MONTHS, purchase: Purchase = "on_demand", age: ChipAge = "current",
    published: float | None = None, free_now: float | None = None,
) -> Depth:  # fmt: skip
    """Return the depth of a seller. A live count wins; a published most is half way between it and the kind's."""
    known = constants().depth
    kind = known.sellers[seller]
    median, spread = kind.median * known.by_age[age], kind.spread
    if free_now is not None and purchase != "reserved":
        return Depth(max(free_now, 0.5), known.counted_spread)
    if purchase == "spot":
        return Depth(median * kind.spot_share, spread + known.spot_spread)
    if purchase == "reserved":  # sellers build for those who commit themselves
        committed = math.log(max(months, _WEEK_MONTHS) / _WEEK_MONTHS) / math.log(_YEAR_MONTHS / _WEEK_MONTHS)
        median *= kind.bound_times ** min(committed, 1.0)
    if published:
        return Depth(math.sqrt(median * max(published, 1.0)), spread * known.published_spread)
    return Depth(median, spread)


def _log_need(count: float) -> float:
    return math.log(max(count, 1.0)) - 0.5 / max(count, 1.0)


def chances(count: float, depths: Sequence[Depth]) -> Floats:
    """Return the chance of each seller that it has so many at once. [1]"""
    need, root, log = _log_need(count), math.sqrt(2), math.log
    return np.array([0.5 * math.erfc((need - log(median)) / spread / root) for median, spread in depths])


def chance_of_any(count: float, depths: Sequence[Depth], available: Sequence[float]) -> float:
    """Return the chance that at least one of several sellers has so many; `available`: that each sells at all. [1]"""
    return float(_chances(np.array([_log_need(count)]), depths, available)[0])


def _chances(log_needs: Floats, depths: Sequence[Depth], availability: Sequence[float]) -> Floats:
    if not depths:
        return np.zeros(len(log_needs))
    common = constants().depth.common
    medians = np.log([depth.median for depth in depths])
    spreads = np.array([depth.spread for depth in depths])
    scarce = math.sqrt(common) * spreads * _NODES[:, None]
    lacks = normal_cdf((log_needs[:, None, None] - medians - scarce) / (spreads * math.sqrt(1 - common)))
    return np.asarray(1.0 - np.prod(1 - np.asarray(availability) * (1 - lacks), axis=-1) @ _WEIGHTS / _WEIGHTS.sum())


def count_with_chance(share: float, depths: Sequence[Depth], available: Sequence[float]) -> int:
    """Return the largest order that some seller has with this chance; 0 where nobody has one."""
    low, high = 0.0, math.log(_MOST)
    if chance_of_any(1, depths, available) < share:
        return 0
    for _ in range(5):
        grid = np.linspace(low, high, _GRID)
        enough = _chances(np.array([_log_need(math.exp(value)) for value in grid]), depths, available) >= share
        last = int(np.flatnonzero(enough)[-1]) if enough.any() else 0
        low, high = grid[last], grid[min(last + 1, _GRID - 1)]
    return int(math.exp((low + high) / 2))


def wait_months(count: float, seller: SellerKind, median: float) -> float:
    """Return the months until what can be had starts; they grow as the order nears what the seller usually has."""
    return constants().depth.sellers[seller].wait_months * (1 + count / median)


def scarcity(share: float | Floats) -> float | Floats:
    """Return the log premium of an order that a seller has with this chance: nothing where there is plenty."""
    return constants().depth.scarcity.typical * (1 - share)
