"""What an order pays: low, typical and high, from all sellers together; and whether anybody has it.

Every seller's price for this order is blurred and weighed with the chance that it has the order. A buyer compares
about three quotes, so the band is the distribution of the least of three draws. No seller is the market and no number
is a step.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pricing.caching import cached, cached_property
from pricing.market.constants import ChipAge, SellerKind, Standing, constants
from pricing.market.depth import (
    DAY_MONTHS,
    Depth,
    Floats,
    Purchase,
    chance_of_any,
    chances,
    count_with_chance,
    discount_share,
    normal_cdf,
    own_term,
    scarcity,
    seller_depth,
    term_kind,
    term_ratio,
    wait_months,
)

Flags = NDArray[np.bool_]
Z80 = 1.2816  # standard deviations from the median to the 90th percentile
BAND, _GRID, _LEAST = (0.1, 0.5, 0.9), 64, 1e-12
_MACHINE, _MACHINES_BARGAIN = 8, 4  # accelerators of one; machines from which on lists are no floor: assumed
_FEWEST = 3  # sellers of equal weight: of no more, no order pays less than a list
_FADES = 0.25  # log price per log chance: a list is no wall where its seller hardly has the order


@dataclass(frozen=True)
class Seller:
    """A seller of one chip: its believed on-demand price, and what is known of its terms and its depth."""

    name: str
    kind: SellerKind
    ln_price: float | None  # believed, on demand
    half: float  # half width of its 80 % range, log
    available: float  # chance that the offer still stands
    age_days: float
    fabric: bool
    generation: str = ""
    published_most: float | None = None
    free_now: float | None = None
    list_on_demand: float | None = None  # of the same list as its terms
    terms: Mapping[float, float] = field(default_factory=dict)  # its own prices by months
    least_order: int = 1
    ln_fabric: float = 0.0  # what its own clusters cost above its machines
    unapproved: float = math.inf  # accelerators that a new account gets at once
    sells_spot: bool = False  # the price is one of spot machines
    reach: float = math.inf  # accelerators of the largest job that it joins


@dataclass(frozen=True)
class OrderRequest:
    """An order: how many, for how long, whether they work on one job."""

    count: float
    months: float
    purchase: Purchase
    fabric: bool = True
    age: ChipAge = "current"
    hosts: bool = True  # whether machines of others at a marketplace are accepted
    is_grown: bool = False  # into: more than a new account gets is approved by then
    ln_level: float | None = None  # log price on demand that chips of this computing rate usually have
    together: int = 1  # accelerators of one job

    @property
    def is_joined(self) -> bool:
        """Whether a network between machines is needed."""
        return self.fabric and self.count > constants().fabric.start

    def accepts(self, seller: Seller) -> bool:
        """Return whether the order may go to a seller."""
        return self.hosts or seller.kind != "host"

    def is_had_at(self, seller: Seller) -> bool:
        """Return whether a seller joins as many as a job needs, and gives them to a new account; terms are agreed."""
        return (seller.fabric or not self.is_joined) and (
            self.purchase == "reserved" or self.is_grown or self.count <= seller.unapproved
        )


class _SellerTable(NamedTuple):
    """What each seller that has a price would ask, in logs, and how much it counts, however many are wanted."""

    sellers: tuple[Seller, ...]
    depths: tuple[Depth, ...]
    weights: Floats
    ln_usd: Floats
    spreads: Floats
    available: Floats
    least_orders: Floats
    is_hyperscaler: Flags
    has_fabric: Flags
    ln_fabric: Floats
    names: NDArray[np.intp]  # the place of each seller's name among all


@dataclass(frozen=True)
class OrderBand:
    """What such an order pays per accelerator-hour, and how likely somebody has it."""

    low: float
    typical: float
    high: float
    cheapest: float | None  # of the sellers that likely have it: what this order would pay there
    cheapest_seller: str | None
    effective_sellers: float
    chance: float
    standing: Standing
    wait_months: float | None  # None: unknown, since nobody likely has it
    unnamed_share: float  # of the band, from sellers that publish no price
    cheapest_read: float | None = None  # the price that this seller states, however many are wanted
    cheapest_age_days: float | None = None  # of that price
    depths: tuple[Depth, ...] = ()  # of those who may take the order, with the chance that each sells at all
    available: tuple[float, ...] = ()

    @cached_property
    def even_chance_count(self) -> int:
        """The largest order that somebody has with a chance of a half. Few ask, and it takes half of the time."""
        return count_with_chance(0.5, self.depths, self.available)

    @property
    def has_few_sellers(self) -> bool:
        """Whether too few sellers stand behind it for a plain verdict."""
        return self.effective_sellers < constants().band.few_sellers


class _Mixture(NamedTuple):
    """The quotes of all sellers for an order, the unnamed one last: how much each counts, its log price and spread."""

    table: _SellerTable
    had: Floats  # the chance that each seller has so many
    chances: Floats  # that it takes the order, which may be less than its least
    shares: Floats
    middles: Floats
    spreads: Floats

    @property
    def named_sellers(self) -> float:
        """Return how many sellers of equal weight publish as much as these do."""
        named = self.shares[:-1]
        return float(named.sum() ** 2 / np.sum(named**2)) if named.any() else 0.0

    @property
    def compared_quotes(self) -> float:
        """Return how many quotes a buyer compares: one of a single seller, up to three of many."""
        published = self.shares[:-1].sum()
        number = self.named_sellers * self.shares.sum() / published if published else 1.0
        return 1 + (constants().band.quotes - 1) * (1 - math.exp(-(number - 1) / 2))

    def below(self, shares: Floats) -> tuple[float, ...]:
        """Return the prices that these shares of all quotes lie below."""
        return tuple(np.exp(_quantiles(shares, self.shares, self.middles, self.spreads)).tolist())

    def widened(self, ends: Sequence[float]) -> tuple[float, float, float]:
        """Return low, typical and high with the spread that few independent sellers leave; typical stays.

        Lists of hyperscalers are more alike than those of others.
        """
        known = constants().band
        names, fewest = int(self.table.names.max()) + 1, known.few_spread
        more = Z80 * float(np.interp(names, list(fewest), list(fewest.values())))
        if self.table.is_hyperscaler.all():
            more *= known.few_hyperscalers
        low, typical, high = ends
        down, up = (math.exp(math.hypot(math.log(ratio), more)) for ratio in (typical / low, high / typical))
        return typical / down, typical, typical * up


def order_band(sellers: Sequence[Seller], order: OrderRequest) -> OrderBand | None:
    """Return the band of an order; None where no seller has a price."""
    mixture = quote_mixture(sellers, order)
    if mixture is None:
        return None
    table, shares = mixture.table, mixture.shares
    paid = np.array(mixture.below(1 - (1 - np.array(BAND)) ** (1 / mixture.compared_quotes)))
    low, typical, high = mixture.widened((paid * _lift(mixture, order, float(paid[1]))).tolist())
    able = [order.is_had_at(seller) for seller in table.sellers]
    cheapest = _cheapest(mixture, order, typical, np.array(able))
    depths, availability = tuple(compress(table.depths, able)), tuple(table.available[able].tolist())
    likely = chance_of_any(order.count, depths, availability)
    limits = constants().band.standing
    standing: Standing = "unavailable" if likely < limits["perhaps"] else "perhaps"
    standing = "likely" if likely >= limits["likely"] else standing
    kinds = {seller.kind for seller in table.sellers}
    usual = ((kind, seller_depth(kind, order.months, order.purchase, order.age).median) for kind in kinds)
    waits = (wait_months(order.count, kind, median) for kind, median in usual)
    seller = None if cheapest is None else table.sellers[cheapest]
    return OrderBand(
        low=low, typical=typical, high=high,
        cheapest=None if cheapest is None else math.exp(mixture.middles[cheapest]),
        cheapest_seller=None if seller is None else seller.name,
        effective_sellers=mixture.named_sellers, chance=likely, standing=standing,
        wait_months=None if standing == "unavailable" else min(waits),
        unnamed_share=float(shares[-1] / shares.sum()),
        cheapest_read=None if cheapest is None else math.exp(table.ln_usd[cheapest]),
        cheapest_age_days=None if seller is None else seller.age_days,
        depths=depths, available=availability,
    )  # fmt: skip


def quote_mixture(sellers: Sequence[Seller], order: OrderRequest) -> _Mixture | None:
    table = _seller_table(sellers, order)
    if not table.sellers:
        return None
    count, known = order.count, constants()
    had = chances(count, table.depths)
    likely = had * np.exp(-4 * np.log(np.maximum(table.least_orders / count, 1.0)) ** 2)
    weights, ln_usd, spreads = table.weights * likely, table.ln_usd, table.spreads
    if any(seller.kind != "hyperscaler" for seller in sellers):  # who pays their list prices is bound to them
        weights = weights * np.where(table.is_hyperscaler, known.band.hyperscaler_weight, 1.0)
    if order.is_joined:
        joined = min(math.log(count / known.fabric.start) / math.log(2), 1.0)  # the premium comes in from 9 to 16
        ln_usd = ln_usd + joined * np.where(table.has_fabric, table.ln_fabric, known.fabric.premium.typical)
        spreads = np.where(table.has_fabric, spreads, np.hypot(spreads, joined * known.fabric.spread))
        weights = weights * np.where(table.has_fabric, 1.0, 1 - joined * (1 - known.fabric.unknown_weight))
    middles = ln_usd + (size_discount(order) + scarcity(likely))
    weight, ln_unnamed, spread = _unnamed(table, middles, order)
    shares = _bounded(table, weights, weight)
    if not shares.sum() > 0:
        return None
    return _Mixture(table, had, likely, shares, np.append(middles, ln_unnamed), np.append(spreads, spread))


# Orders of other numbers read it again.
@cached(
    256, same=lambda sellers, _: (sellers,),
    equal=lambda _, order: (order.purchase, order.months, order.age, order.hosts),
)  # fmt: skip
def _seller_table(sellers: Sequence[Seller], order: OrderRequest) -> _SellerTable:
    priced = [(seller, price) for seller in sellers if order.accepts(seller) and (price := list_price(seller, order))]
    known, eligible = constants().band, [seller for seller, _ in priced]
    available, ages = (np.array([getattr(each, name) for each in eligible]) for name in ("available", "age_days"))
    depths = (
        seller_depth(each.kind, order.months, order.purchase, order.age, each.published_most, each.free_now)
        for each in eligible
    )
    return _SellerTable(
        tuple(eligible), tuple(depths), available * np.exp(-ages / known.age_days),
        np.array([ln_usd for _, (ln_usd, _) in priced]),
        np.array([math.hypot(seller.half / Z80, known.blur, doubt) for seller, (_, doubt) in priced]),
        available, np.array([float(each.least_order) for each in eligible]),
        np.array([each.kind == "hyperscaler" for each in eligible]), np.array([each.fabric for each in eligible]),
        np.array([each.ln_fabric for each in eligible]),
        np.unique([each.name for each in eligible], return_inverse=True)[1],
    )  # fmt: skip


def list_price(seller: Seller, order: OrderRequest) -> tuple[float, float] | None:
    """Return a seller's log price for the kind of purchase and term, and the standard deviation of what is modelled."""
    known, kind = constants(), term_kind(seller.kind)
    if order.purchase == "reserved" and seller.terms:
        price = own_term(seller.kind, order.months, seller.terms, seller.generation, seller.list_on_demand)
        moved = 0.0  # belief moves a seller's whole list by one factor
        if seller.list_on_demand and seller.ln_price is not None:
            moved = seller.ln_price - math.log(seller.list_on_demand)
        doubt = known.terms.own_residual[kind]["between" if price.is_between else "beyond"]
        return math.log(price.usd) + moved, 0.0 if price.is_published else doubt
    if seller.ln_price is None:
        return None
    if order.purchase == "on_demand" or seller.sells_spot:
        return seller.ln_price, 0.0
    if order.purchase == "spot":
        ratio = known.spot[seller.kind if seller.kind in ("hyperscaler", "host") else "others"]
        return seller.ln_price + math.log(ratio.ratio), ratio.spread
    depth = known.terms.one_year[kind] * discount_share(kind, order.months) * known.terms.between_sellers[kind]
    ln_usd = seller.ln_price + math.log(term_ratio(seller.kind, order.months, seller.generation))
    return ln_usd, math.hypot(depth, known.terms.residual[kind])


def size_discount(order: OrderRequest) -> float:
    """Return the log price that the number of accelerators saves; a term gets it whole, an order for a day half."""
    known = constants().size
    months = order.months if order.purchase == "reserved" else DAY_MONTHS
    grown = min(math.log(max(months, DAY_MONTHS) / DAY_MONTHS) / math.log(known.whole_from_months / DAY_MONTHS), 1.0)
    share = known.on_demand_share + (1 - known.on_demand_share) * grown
    return known.per_doubling.typical * share * math.log2(min(max(order.count, known.start), known.end) / known.start)


def _unnamed(table: _SellerTable, ln_usd: Floats, order: OrderRequest) -> tuple[float, float, float]:
    """Return the sellers that publish no price as one, by weight, log price and spread.

    They ask what the others do who are no hyperscalers. The usual price of chips of the same computing rate stands
    beside them, like some sellers more, and no quote counts for further from the middle than a limit: with few sellers
    none of them is the middle.
    """
    known, fabric = constants().band, constants().fabric
    has_others = not table.is_hyperscaler.all()
    weights = table.weights * ~table.is_hyperscaler if has_others else table.weights
    if order.count > fabric.start or not has_others:
        weights = weights * [1.0 if seller.kind == "cluster" or not order.is_joined else fabric.unknown_weight
                             for seller in table.sellers]  # fmt: skip
    weights = weights if weights.sum() > 0 else table.weights
    kind: SellerKind = "cluster" if order.count > fabric.start else "machine"
    share = float(chances(order.count, [seller_depth(kind, order.months, order.purchase, order.age)])[0])
    if has_others and order.ln_level is not None:
        level = list_price(Seller("", kind, order.ln_level, 0.0, 1.0, 0.0, True), order)
        ln_usd = np.append(ln_usd, level[0] + (size_discount(order) + scarcity(share)) if level else ln_usd[0])
        weights = np.append(weights, constants().level.sellers * weights[weights > 0].mean())
    middle = weights @ ln_usd / weights.sum()
    near = np.clip(ln_usd, middle - known.most_away, middle + known.most_away)
    weight = 0.0 if len(table.sellers) == 1 else known.unnamed_sellers * max(share, 0.05)
    spread = known.unnamed_spread["several" if order.count >= fabric.start else "cards"]
    return weight, float(weights @ near / weights.sum()), spread


def _bounded(table: _SellerTable, weights: Floats, unnamed: float) -> Floats:
    """Return the weights, the unnamed last, to which goes what one seller has beyond its limit of the whole."""
    if not unnamed:
        return np.append(weights, 0.0)
    most = constants().band.most_weight * (weights.sum() + unnamed)
    kept = weights * np.minimum(most / np.maximum(np.bincount(table.names, weights), _LEAST), 1.0)[table.names]
    return np.append(kept, unnamed + weights.sum() - kept.sum())


def _quantiles(shares: Floats, weights: Floats, middles: Floats, spreads: Floats) -> Floats:
    """Return the values below which these shares of a sum of normal distributions lie, from a grid and a finer one."""
    low, high = np.array([[np.min(middles - 6 * spreads)]]), np.array([[np.max(middles + 6 * spreads)]])
    for _ in range(3):  # the first grid is the same for all shares
        grid = low + (high - low) * np.linspace(0.0, 1.0, _GRID)
        below = normal_cdf((grid[..., None] - middles) / spreads) @ weights / weights.sum()
        at = np.clip((below < shares[:, None]).sum(axis=-1), 1, _GRID - 1)[:, None]
        rows = np.arange(len(grid))[:, None]
        low, high = grid[rows, at - 1], grid[rows, at]
    return np.asarray((low + high)[:, 0] / 2)


def _lift(mixture: _Mixture, order: OrderRequest, typical: float) -> float:
    """Return the factor that lifts a band whose typical price no list has: of few sellers, for a machine or less.

    It fades as orders grow to four machines, for which prices below the lists are agreed, and where so many sell that
    none sets the price.
    """
    if order.purchase == "spot":
        return 1.0
    table = mixture.table
    likely = mixture.had * table.available * np.minimum((order.count / table.least_orders) ** 2, 1.0)
    has = np.minimum(np.maximum(likely, _LEAST) / constants().band.standing["perhaps"], 1.0)
    floor = float(np.min(mixture.middles[:-1] - _FADES * np.log(has)))
    large = math.log(max(order.count, _MACHINE) / _MACHINE) / math.log(_MACHINES_BARGAIN)
    few = np.clip(_FEWEST + 1 - mixture.named_sellers, 0.0, 1.0)
    return math.exp(max(floor - math.log(typical), 0.0) * max(1 - large, 0.0) * float(has.max() * few))


def _cheapest(mixture: _Mixture, order: OrderRequest, typical: float, able: Flags) -> int | None:
    """Return the cheapest seller that likely has the order, unless nobody would call its price the market's least."""
    known, table = constants().band, mixture.table
    likely = np.flatnonzero((mixture.chances * table.available >= known.likely) & able).tolist()
    places = [at for at in likely if table.sellers[at].sells_spot == (order.purchase == "spot")]
    far = {at: table.sellers[at].reach < order.together for at in places}  # those who join the job first
    cheapest = min(places, key=lambda at: (far[at], mixture.middles[at], table.sellers[at].name), default=None)
    is_far = cheapest is not None and math.exp(mixture.middles[cheapest]) > typical * known.most_above_typical
    return None if is_far else cheapest
