"""The market for the orders of a plan: the band of what each pays, and the sentence where it is not available."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.formula import Num
from planner.money.ledger import Case
from planner.money.renting.interruptions import demand_of, interruptible_work
from planner.money.renting.offer_inputs import TERM_MONTHS
from planner.money.renting.orders import busiest_order, orders_of, together
from planner.money.setting import MarketPrice, PlanContext
from planner.money.sizing import right_size
from planner.scenario.base import ONE_MACHINE
from pricing import Catalogue
from pricing.belief import PriceEstimates
from pricing.caching import cached
from pricing.market.band import OrderBand, OrderRequest
from pricing.market.depth import DAY_MONTHS, Depth, Purchase, count_with_chance
from pricing.market.sellers import band_of, chip_age, largest_order, sellers_for
from pricing.orderable import OfferCapacity, sales

# Where, between the 10th percentile (-1) and the 90th (1), lies the number that can be rented at once.
RENTAL_DEPTH = "rental_depth_position"
_CHANCES: dict[Case, float] = {"low": 0.1, "typical": 0.5, "high": 0.9}
BUYING: dict[Purchase, str] = {"on_demand": "on demand", "spot": "on spot machines", "reserved": "reserved"}


@dataclass(frozen=True)
class OrderMarket:
    """The market for one order of a plan: so many accelerators at once, bought in one way for so many months."""

    setting: PlanContext
    count: int
    purchase: Purchase
    months: float
    band: OrderBand

    @property
    def is_available(self) -> bool:
        """Return whether anybody is at all likely to have the order."""
        return self.band.standing != "unavailable"

    @property
    def seller(self) -> str | None:
        """Return the cheapest seller that likely has it."""
        return self.band.cheapest_seller

    def at(self, offer: str | None) -> MarketPrice:
        """Return its price at the terms of an offer."""
        setting, order = self.setting, busiest_order(self.setting)
        known = sellers_for(self.purchase)(setting.catalogue, setting.scenario.accelerator, setting.day, order.stay)
        months = self.months if self.purchase == "reserved" else 0.0
        eligible = [seller for seller in known if seller.sells_spot == (self.purchase == "spot")]
        names = {seller.name for seller in eligible if order.hosts or seller.kind != "host"}
        return MarketPrice(offer, months, self.count, len(names), self.band)

    def unavailable_text(self) -> str:
        """Return why the order is not available, and the number that is, with an even chance."""
        label = self.setting.catalogue.accelerator_label(self.setting.scenario.accelerator)
        even = self.band.even_chance_count
        number = f"{even:,} are, with an even chance" if even else "not even one is likely to be"
        return (
            f"{self.count:,} {label} {BUYING[self.purchase]} at once are not available from anybody known here: "
            f"{number}. Fewer at once, or a quote of yours, would do"
        )


def order_market(
    setting: PlanContext, purchase: Purchase, months: float = DAY_MONTHS, count: int | None = None
) -> OrderMarket | None:
    """Return the market for the busiest order of a plan, or for a part of it; None where nobody has a price."""
    order, chip = busiest_order(setting), setting.scenario.accelerator
    number = order.accelerators if count is None else min(count, order.accelerators)
    order = replace(orders_of(setting)[0], accelerators=number)
    band = band_of(setting.catalogue, chip, order, setting.day, purchase, months)
    return None if band is None else OrderMarket(setting, number, purchase, months, band)


def order_of_purchase(setting: PlanContext, purchase: str) -> OrderMarket | None:
    """Return the market for the plan's order in a kind of purchase, as the plan itself would order."""
    months = TERM_MONTHS[purchase]
    if months >= 1:
        return order_market(setting, "reserved", months, right_size(setting))
    return order_market(setting, "spot" if purchase == "spot" else "on_demand")


def bridging_price(setting: PlanContext, order: OrderMarket) -> MarketPrice:
    """Return the price of the part that can be rented of an order that is not available; none of a job beyond it."""
    busiest, catalogue, chip = busiest_order(setting), setting.catalogue, setting.scenario.accelerator
    age = chip_age(catalogue, chip)
    request = OrderRequest(order.count, DAY_MONTHS, "on_demand", False, age, busiest.hosts, busiest.is_grown)
    most = min(largest_order(catalogue, chip, setting.day, request, busiest.stay), order.count)
    part = order_market(setting, "on_demand", count=max(most, 1)) or order
    return replace(part.at(None), count=most if most >= busiest.together else 0)


def rentable(setting: PlanContext, need: DemandLayer) -> DemandLayer:
    """Return the part of a layer that can be rented by the hour.

    All of it, unless the plan's order is unavailable or, in a future, fewer are there at once.
    """
    most = _rentable_count(setting)
    if np.all(np.asarray(need.peak_accelerators) <= most):
        return need
    share = np.minimum(most / np.maximum(need.accelerators, 1.0), 1.0)
    return replace(
        need, accelerators=need.accelerators * share, storage_tb=need.storage_tb * share,
        egress_tb_per_month=need.egress_tb_per_month * share,
    )  # fmt: skip


def rental_counts(setting: PlanContext) -> tuple[int, int, int] | None:
    """Return how many somebody rents out at once with chances of 9, 5 and 1 of 10; None where the price is yours."""
    price = setting.offers.market_price(setting.offers.on_demand) or setting.offers.market_price(None)
    return None if price is None else _counts(price.band.depths, price.band.available)


@cached(64)
def _counts(depths: tuple[Depth, ...], availability: tuple[float, ...]) -> tuple[int, int, int]:
    few, middle, many = (max(count_with_chance(chance, depths, availability), 1) for chance in (0.9, 0.5, 0.1))
    return few, middle, many


def _rentable_count(setting: PlanContext) -> Num:
    """Return how many can be rented at once; of a job beyond it none."""
    place, price = setting.tried.get(RENTAL_DEPTH), setting.offers.market_price(None)
    counts = None if place is None else rental_counts(setting)
    as_entered = math.inf if price is None else price.count
    if place is None or counts is None:
        return as_entered
    least = min(
        as_entered, busiest_order(setting).accelerators
    )  # in the middle of the range stands the plan as entered
    few, middle, many = np.log(np.maximum(counts, (1, max(least, 1), max(least, 1))))
    most = np.exp(middle + place * np.where(np.asarray(place) < 0, middle - few, many - middle))
    return np.where(most >= together(setting.scenario, setting.resolved), most, 0.0)


def waiting_hours(setting: PlanContext, need: DemandLayer, when: Num = 1.0) -> NDArray[np.float64]:
    """Return the accelerator-hours of a layer that cannot be rented, by month: the work waits for the machines."""
    return np.asarray((need.busy_hours - rentable(setting, need).busy_hours) * when)


def bridging_warning(setting: PlanContext, waiting: NDArray[np.float64]) -> tuple[str, ...]:
    """Return how much of the work waits, since only a part of it can be rented beside other machines."""
    price, hours = setting.offers.market_price(None), float(np.sum(waiting))
    if price is None or hours <= 0:
        return ()
    share = hours / float(np.sum(setting.demand.all.busy_hours))
    rented = f"{price.count:,} may be available at once and are rented" if price.count else "nothing is rented"
    lacks = setting.offers.lacks["on_demand"]
    return (f"Not all of it: {share:.1%} of the work waits for machines; {rented} meanwhile. {lacks}",)


def spot_shortfall(setting: PlanContext) -> Mapping[Case, float]:
    """Return the share of the work on spot machines for which none are there, so that it is rented on demand.

    The largest order that somebody has on spot with a chance of 1, 5 and 9 of 10, against the peak of the work that may
    stop. Machines at your price are there.
    """
    price = setting.offers.market_price(setting.offers.spot)
    if price is None:
        return dict.fromkeys(_CHANCES, 0.0)
    peak = demand_of(setting, interruptible_work(setting)).all.peak_accelerators
    depths, availability, wanted = price.band.depths, price.band.available, np.maximum(peak, 1.0)
    return {case: max(1 - count_with_chance(chance, depths, availability) / wanted, 0.0)
            for case, chance in _CHANCES.items()}  # fmt: skip


def needs_several(offer: OfferCapacity, count: int) -> bool:
    """Return whether the order needs several machines of an offer that rents them out singly."""
    return count > ONE_MACHINE and offer.kind in ("bid", "pod")


def placeable(
    catalogue: Catalogue, keys: Sequence[str], usd: Sequence[float], band: OrderBand | None, count: int
) -> list[int]:
    """Return the indices of offers where an order may be placed: all where the market has no price.

    Else your quotes and, where the order is available, those of the seller that the market names, or of another whose
    machines the order fills better, so that it costs less in all.
    """
    if band is None:
        return list(range(len(keys)))
    capacities = [sales(catalogue)[key] for key in keys]
    yours = [at for at, each in enumerate(capacities) if each.is_your_price]
    listed = [at for at, each in enumerate(capacities) if not each.is_your_price]
    if band.standing == "unavailable" or not listed:
        return yours

    def preference(at: int) -> tuple[bool, float, bool, str]:
        offer, small = catalogue.offers[keys[at]], needs_several(capacities[at], count)
        is_other = offer.provider != band.cheapest_seller
        billed = count + -count % offer.accelerators_per_instance
        return small, billed * max(band.typical, usd[at] if is_other else 0.0), is_other, offer.provider

    best = preference(min(listed, key=lambda at: (*preference(at)[:3], usd[at], keys[at])))
    return [*yours, *(at for at in listed if preference(at) == best)]


def at_market(catalogue: Catalogue, prices: PriceEstimates, bands: Sequence[OrderBand | None]) -> PriceEstimates:
    """Return the prices that orders pay at offers: each its band's, that of a quote of yours its own."""
    paid = [None if sales(catalogue)[key].is_your_price else band for key, band in zip(prices.keys, bands, strict=True)]

    def ends(end: Case) -> NDArray[np.float64]:
        believed = getattr(prices, end).tolist()
        return np.array([
            usd if band is None else getattr(band, end) for usd, band in zip(believed, paid, strict=True)
        ])  # fmt: skip

    return replace(prices, low=ends("low"), typical=ends("typical"), high=ends("high"))
