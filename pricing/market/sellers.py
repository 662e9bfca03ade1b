"""Who sells a chip, from the catalogue: each seller's believed on-demand price, its own terms, its depth.

One seller may sell in several ways (a marketplace of hosts, its own machines, clusters); each is a seller of its own.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import get_args

import numpy as np

from pricing.belief import PriceEstimates, believed
from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.choices import Purchase
from pricing.market.band import OrderBand, OrderRequest, Seller, order_band
from pricing.market.constants import ChipAge, SellerKind, constants
from pricing.market.depth import DAY_MONTHS, Depth, count_with_chance, seller_depth
from pricing.market.depth import Purchase as Buying
from pricing.orderable import (
    ANYWHERE,
    WHOLE_MACHINE,
    Order,
    ResidencyRequirement,
    free_accelerators,
    refusal_reason,
    sales,
)
from pricing.query import MILD, OfferFilter, find
from pricing.records import Offer, Provider

TERM_MONTHS = {
    "reserved_1m": 1.0, "reserved_3m": 3.0, "reserved_6m": 6.0, "reserved_1y": 12.0, "reserved_2y": 24.0,
    "reserved_3y": 36.0,
}  # fmt: skip
_FIRM: frozenset[Purchase] = frozenset({"on_demand", *(kind for kind in get_args(Purchase) if kind in TERM_MONTHS)})
_SPOT: frozenset[Purchase] = frozenset({"spot"})
# A seller whose price is old may well sell the chip still, at another price; more so where only old prices are known.
_LEAST_THERE, _OLD_THERE = 0.1, 0.5
_OLD_DOUBTS = MILD | {"old"}
_KINDS: dict[str, SellerKind] = {"bid": "host", "pod": "pod", "machine": "machine", "cluster": "cluster"}
_GENERATIONS = ("hopper", "blackwell", "ampere", "ada", "cdna")
_NEW, _OLD = ("blackwell",), ("ampere", "volta", "turing", "pascal")
USUAL_PRICE = "usual-price-of-a-tflops"
_BY_ASIC = ("tpu", "neuroncore", "gaudi")


def generation(catalogue: Catalogue, accelerator: str) -> str:
    """Return the generation of a chip as discounts are known for it; empty where none is."""
    chip = catalogue.accelerators.get(accelerator)
    name = (chip.architecture or "").lower() if chip else ""
    if name.startswith(_BY_ASIC):
        return "asic"
    return next((known for known in _GENERATIONS if name.startswith(known)), "")


def chip_age(catalogue: Catalogue, accelerator: str) -> ChipAge:
    """Return how scarce a chip is by its age: new ones are scarce, old ones plentiful."""
    chip = catalogue.accelerators.get(accelerator)
    name = (chip.architecture or "").lower() if chip else ""
    return "new" if name.startswith(_NEW) else "old" if name.startswith(_OLD) else "current"


def level(catalogue: Catalogue, accelerator: str) -> float | None:
    """Return the log price on demand that GPUs of a computing rate usually have; None where that is not known."""
    chip, usual, known = catalogue.accelerators.get(accelerator), catalogue.facts.get(USUAL_PRICE), constants().level
    if chip is None or usual is None or chip.kind != "gpu":
        return None
    rate = chip.bf16_dense_tflops or chip.fp16_dense_tflops
    if rate is None:
        return None
    card = known.graphics if chip.hardware_class in ("consumer", "workstation") else 0.0
    return math.log(usual.figure.newest.typical) + known.per_log_tflops * math.log(rate.newest.typical) + card


@cached(64, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *rest: rest)
def sellers(
    catalogue: Catalogue, accelerator: str, day: date, stay: ResidencyRequirement = ANYWHERE
) -> tuple[Seller, ...]:
    """Return everybody who sells a chip on demand or for a term where the work may run."""
    return _sellers(catalogue, accelerator, day, stay, _FIRM)


@cached(64, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *rest: rest)
def spot_sellers(
    catalogue: Catalogue, accelerator: str, day: date, stay: ResidencyRequirement = ANYWHERE
) -> tuple[Seller, ...]:
    """Return who publishes a price of spot machines, then the other sellers: perhaps they have some too."""
    published = _sellers(catalogue, accelerator, day, stay, _SPOT)
    names = {seller.name for seller in published}
    others = (seller for seller in sellers(catalogue, accelerator, day, stay) if seller.name not in names)
    share = constants().band.unpublished_spot
    return (
        *(replace(seller, sells_spot=True, available=max(seller.available, _OLD_THERE)) for seller in published),
        *(replace(seller, available=seller.available * share) for seller in others),
    )


def _sellers(
    catalogue: Catalogue, accelerator: str, day: date, stay: ResidencyRequirement, purchases: frozenset[Purchase]
) -> tuple[Seller, ...]:
    keys = [key for key in listed(catalogue, accelerator, purchases, day) if _may_run(catalogue, key, stay)]
    prices, groups = believed(catalogue, day, keys, keys), dict[tuple[str, SellerKind], list[str]]()
    for key in keys:
        kind = _kind(catalogue, key)
        if kind is not None:
            groups.setdefault((catalogue.offers[key].provider, kind), []).append(key)
    sellers = (
        _seller(catalogue, provider, kind, offers, prices, day) for (provider, kind), offers in sorted(groups.items())
    )
    return tuple(seller for seller in sellers if seller is not None)


@cached(64, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *wish: wish)
def listed(catalogue: Catalogue, accelerator: str, purchases: frozenset[str], day: date) -> tuple[str, ...]:
    """Return the offers of a chip, the cheapest first; old prices only where there are no others."""
    wish = OfferFilter(accelerators=frozenset({accelerator}), purchases=purchases)
    ids = find(catalogue, wish, day).ids
    if ids:
        return ids
    every = find(catalogue, replace(wish, doubtful=True), day).ids
    return tuple(key for key in every if _OLD_DOUBTS.issuperset(catalogue.offers[key].doubts))


def _may_run(catalogue: Catalogue, key: str, stay: ResidencyRequirement) -> bool:
    return stay is ANYWHERE or refusal_reason(catalogue, key, Order(stay=stay)) == refusal_reason(
        catalogue, key, Order()
    )


def _kind(catalogue: Catalogue, key: str) -> SellerKind | None:
    if sales(catalogue)[key].is_your_price:
        return None
    if catalogue.providers[catalogue.offers[key].provider].kind == "hyperscaler":
        return "hyperscaler"
    return _KINDS.get(sales(catalogue)[key].kind)


def _seller(
    catalogue: Catalogue, provider: str, kind: SellerKind, keys: Sequence[str], prices: PriceEstimates, day: date
) -> Seller | None:
    """Return one seller from its offers: the cheapest by the hour, and its own list of terms."""
    offers = catalogue.offers
    on_demand = [prices.of(key) for key in keys if offers[key].purchase not in TERM_MONTHS]
    on_demand = [price for price in on_demand if np.isfinite(price.typical)]
    terms: dict[float, float] = {}
    for key in keys:
        price, months = prices.of(key), TERM_MONTHS.get(offers[key].purchase)
        if months is not None and np.isfinite(price.read_usd):
            terms[months] = min(price.read_usd, terms.get(months, math.inf))
    priced = on_demand or [prices.of(key) for key in keys if np.isfinite(prices.of(key).typical)]
    if not priced:
        return None
    best = min(priced, key=lambda price: price.typical)
    least_there = _OLD_THERE if "old" in offers[keys[0]].doubts else _LEAST_THERE
    capacities = [sales(catalogue)[key] for key in keys]
    published = [capacity.most.accelerators for capacity in capacities if not capacity.most.assumed]
    return Seller(
        name=provider, kind=kind,
        ln_price=math.log(best.typical) if on_demand else None,
        half=math.log(best.high / best.low) / 2, available=max(best.available, least_there), age_days=best.age_days,
        fabric=any(capacity.fabric not in (None, "ethernet") for capacity in capacities),
        generation=generation(catalogue, offers[keys[0]].accelerator),
        published_most=max(published, default=None),
        free_now=_free_now([offers[key] for key in keys], day),
        list_on_demand=best.read_usd if on_demand else None,
        terms=terms,
        least_order=min(capacity.least for capacity in capacities),
        unapproved=_unapproved(catalogue.providers[provider], best.typical),
        reach=max(capacity.reach.accelerators for capacity in capacities),
    )  # fmt: skip


def _free_now(offers: Sequence[Offer], day: date) -> int | None:
    """Return the accelerators that were free today or yesterday; machines of several sizes are parts of the same."""
    by_size = Counter[int]()
    for offer in offers:
        free = free_accelerators(offer, day)
        if offer.purchase == "on_demand" and free is not None:
            by_size[offer.accelerators_per_instance] += free
    return max(by_size.values(), default=None)


def _unapproved(provider: Provider, usd_per_hour: float) -> float:
    count, hourly = provider.unapproved_accelerators, provider.unapproved_usd_per_hour
    by_count = math.inf if count is None else count.newest.typical
    return min(by_count, math.inf if hourly is None else hourly.newest.typical / usd_per_hour)


def sellers_for(purchase: Buying) -> Callable[..., tuple[Seller, ...]]:
    """Return the function that lists the sellers of a kind of purchase."""
    return spot_sellers if purchase == "spot" else sellers


@cached(4096, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *rest: rest)
def market_band(
    catalogue: Catalogue, accelerator: str, day: date, order: OrderRequest, stay: ResidencyRequirement = ANYWHERE
) -> OrderBand | None:
    """Return what an order of a chip pays, from everybody who sells it where the work may run."""
    known = sellers_for(order.purchase)(catalogue, accelerator, day, stay)
    return order_band(known, replace(order, ln_level=level(catalogue, accelerator)))


def band_of(
    catalogue: Catalogue, chip: str, order: Order, day: date, purchase: Buying, months: float = DAY_MONTHS
) -> OrderBand | None:
    """Return what an order pays; None where nobody has a price."""
    together, age = min(order.together, order.accelerators), chip_age(catalogue, chip)
    request = OrderRequest(order.accelerators, months, purchase, together > WHOLE_MACHINE, age, order.hosts,
        order.is_grown, together=together)  # fmt: skip
    return market_band(catalogue, chip, day, request, order.stay)


def largest_order(
    catalogue: Catalogue, accelerator: str, day: date, order: OrderRequest, stay: ResidencyRequirement = ANYWHERE
) -> int:
    """Return the largest order like this one, in accelerators, that somebody perhaps has."""
    return count_with_chance(constants().band.standing["perhaps"], *_able(catalogue, accelerator, day, order, stay))


def _able(
    catalogue: Catalogue, accelerator: str, day: date, order: OrderRequest, stay: ResidencyRequirement
) -> tuple[list[Depth], list[float]]:
    """Return how many each seller that joins enough of them has, and its chance of selling at all."""
    eligible = filter(order.accepts, sellers_for(order.purchase)(catalogue, accelerator, day, stay))
    able = [seller for seller in eligible if order.is_had_at(seller)]
    depths = (
        seller_depth(seller.kind, order.months, order.purchase, order.age, seller.published_most, seller.free_now)
        for seller in able
    )
    return list(depths), [seller.available for seller in able]
