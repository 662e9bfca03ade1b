"""The offers that a plan rents from by default: the cheapest whole bills, each price as it is believed today."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import get_args

import numpy as np

from planner.money.demand.stream import DemandLayer
from planner.money.ledger import COMPUTED, Ledger, LedgerInput, Line
from planner.money.price_path import pair
from planner.money.renting.bill import OfferBills, bills, rank
from planner.money.renting.bookings import cheapest_bookings, term_sequences
from planner.money.renting.interruptions import LEAST_LEFT, add_interruptions, demand_of, interruptible_work, stretch
from planner.money.renting.offer_inputs import TERM_MONTHS, add_offer_inputs, estimated_prices
from planner.money.renting.order_market import (
    OrderMarket,
    at_market,
    bridging_price,
    needs_several,
    order_market,
    placeable,
)
from planner.money.renting.orders import able, nobody, orders_of
from planner.money.renting.reservation import ordered, reservation_terms, work_of
from planner.money.setting import ChosenOffers, MarketPrice, PlanContext
from planner.money.sizing import right_size
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.rent import RentalInputs, accepts_hosts
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from pricing import Catalogue
from pricing.belief import PriceEstimate, PriceEstimates, in_their_markets
from pricing.caching import cached
from pricing.choices import Purchase
from pricing.market.band import OrderBand
from pricing.market.sellers import band_of
from pricing.market.sellers import listed as listed_offers
from pricing.orderable import ANYWHERE, Order, ResidencyRequirement, refusal_reason, sales
from pricing.query import OfferFilter

RESERVED: frozenset[Purchase] = frozenset(kind for kind in get_args(Purchase) if kind.startswith("reserved"))
# Spot is left out: not all work may be interrupted.
USUAL_PURCHASES: frozenset[str] = frozenset({"on_demand", "capacity_block", *RESERVED})
_TERMS = (
    "provider", "purchase", "accelerators_per_instance", "area", "countries", "sold_as", "sizes", "free_machines",
    "fabric", "doubts",
)  # fmt: skip
_ByPurchase = Mapping[str, tuple[str, ...]]  # offers
TAKEN: frozenset[str] = frozenset({"on_demand", "spot", *RESERVED})


def default_offer_filter(accelerator: str) -> OfferFilter:
    """Return the filter of offers for a plan: any price, however old; its value today is estimated elsewhere."""
    return OfferFilter(accelerators=frozenset({accelerator}), purchases=USUAL_PURCHASES)


def choose(among: Sequence[OfferBills]) -> int | None:
    """Return the index of the cheapest bill, ties by id; None where none has a price.

    It is counted over the offers of the first bills, then of the second, and so on.
    """
    usd = np.concatenate([market.total_usd for market in among])
    return next((at for at in rank(among)[:1].tolist() if np.isfinite(usd[at])), None)


@dataclass(frozen=True)
class ChosenSellers:
    """By kind of purchase, the offers that can take the order of a plan; and those chosen, but for reservations."""

    eligible: _ByPurchase
    offers: ChosenOffers


def taken(setting: PlanContext) -> ChosenOffers:
    """Return the offers of a plan: those the scenario names, none beside your own price, else the market's."""
    sellers = chosen_sellers(setting)
    return booked(setting.with_offers(sellers.offers), sellers.eligible)[0]


def chosen_sellers(setting: PlanContext) -> ChosenSellers:
    """Return whom a plan would rent from on demand, by contract and on spot machines."""
    eligible, offers = _eligible_by_purchase(setting)
    rent, spot = setting.scenario.rent, setting.scenario.spot
    if rent.offer or rent.usd_per_accelerator_hour is not None:
        offers = replace(offers, on_demand=rent.offer)
    else:
        offers = _on_demand(setting.with_offers(offers), eligible.get("on_demand", ()))
    offers = replace(_with_contracts(setting.with_offers(offers), eligible), spot=spot.offer)
    if not spot.offer and spot.usd_per_accelerator_hour is None:
        offers = _on_spot(setting.with_offers(offers), eligible.get("spot", ()))
    return ChosenSellers(eligible, offers)


def rebook_reservations(setting: PlanContext) -> PlanContext:
    """Return the same offers on demand and on spot, with the reservations chosen anew for this context."""
    eligible = _eligible_by_purchase(setting)[0]
    return setting.with_offers(booked(setting.with_offers(_with_contracts(setting, eligible)), eligible)[0])


def _eligible_by_purchase(setting: PlanContext) -> tuple[_ByPurchase, ChosenOffers]:
    """By kind of purchase, the offers that can take the order of the plan; and their prices, or why none can."""
    orders, size = orders_of(setting), right_size(setting)
    small = orders
    if size is not None:
        small = tuple(replace(order, accelerators=size, together=min(order.together, size)) for order in orders)
    sellers = _sellers(setting.catalogue, setting.day, setting.scenario.accelerator, orders, small)
    lacks = {}
    for kind, (listed, able_keys) in sellers.by_kind.items():
        if not able_keys:
            buying = {"on_demand": "on demand", "spot": "on spot machines"}.get(kind, "reserved")
            order = (small if kind in RESERVED else orders)[-1]
            lacks[kind] = nobody(setting, listed, order, buying)
    eligible = {kind: able_keys for kind, (_, able_keys) in sellers.by_kind.items()}
    return eligible, ChosenOffers(prices=sellers.prices, lacks=lacks)


@dataclass(frozen=True)
class _Sellers:
    """By kind of purchase, all offers and those that can take an order; the prices of the latter."""

    by_kind: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
    prices: PriceEstimates


@cached(256, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *order: order)
def _sellers(
    catalogue: Catalogue, day: date, accelerator: str, orders: tuple[Order, ...], reserved: tuple[Order, ...]
) -> _Sellers:
    """The offers that can take an order: most plans of a sweep, and most edits of a page, order the same."""
    kinds: dict[str, list[str]] = {}
    for key in _undominated(catalogue, accelerator, TAKEN, day):
        kinds.setdefault(catalogue.offers[key].purchase, []).append(key)
    by_kind: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for kind, listed in kinds.items():
        priced = [key for key in listed if catalogue.offers[key].usd_per_accelerator_hour is not None] or listed
        by_kind[kind] = tuple(priced), able(catalogue, priced, reserved if kind in RESERVED else orders)
    keys = tuple(key for _, able_keys in by_kind.values() for key in able_keys)
    return _Sellers(by_kind, in_their_markets(catalogue, day, keys))


@cached(64, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *wish: wish)
def _undominated(catalogue: Catalogue, accelerator: str, purchases: frozenset[str], day: date) -> tuple[str, ...]:
    """Return the offers of a chip, the cheapest first, but for those that the same seller undercuts.

    That is with another offer of as many in the same countries on the same terms, read on the same days.
    """
    kept: dict[tuple[object, ...], str] = {}
    for key in listed_offers(catalogue, accelerator, purchases, day):
        offer = catalogue.offers[key]
        terms = [getattr(offer, name) for name in _TERMS]
        price = offer.usd_per_accelerator_hour
        days = None if price is None else (price.since, price.checked)
        figures = (
            each and each.newest.typical for each in (offer.least_at_once, offer.most_at_once, offer.fabric_gb_s)
        )
        kept.setdefault((*terms, *figures, days, sales(catalogue)[key].is_your_price and key), key)
    return tuple(kept.values())


def _on_demand(setting: PlanContext, keys: tuple[str, ...]) -> ChosenOffers:
    """The market's price at the terms of the cheapest seller that likely has the order.

    Where nobody likely has it, a part of it bridges gaps of machines of one's own.
    """
    offers, order = setting.offers, order_market(setting, "on_demand")
    if order is not None and (not keys or not order.is_available):
        lacks = offers.lacks if not keys else {**offers.lacks, "on_demand": order.unavailable_text()}
        return replace(offers, lacks=lacks, market=(bridging_price(setting, order),))
    if not keys:
        return offers
    keys = _placeable(setting, order, keys)
    if order is None or len(keys) > 1:
        keys = _ranked(bills(setting, setting.demand.all, keys))
    key, market = _placed(setting, order, keys)
    return replace(offers, on_demand=key, market=market)


def _ranked(among: OfferBills) -> tuple[str, ...]:
    """Return the offers with a price, the cheapest bill first."""
    return tuple(among.offers[at] for at in among.ranking.tolist() if np.isfinite(among.total_usd[at]))


def _placeable(setting: PlanContext, order: OrderMarket | None, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the offers at which an order of the plan may be placed: where the market names no seller, any."""
    if order is None or order.seller is None:
        capacities = sales(setting.catalogue)
        return tuple(key for key in keys if order is None or not needs_several(capacities[key], order.count)) or keys
    prices = estimated_prices(setting, keys)
    return prices.rows(placeable(setting.catalogue, keys, prices.typical.tolist(), order.band, order.count)).keys


def _placed(
    setting: PlanContext, order: OrderMarket | None, keys: tuple[str, ...]
) -> tuple[str | None, tuple[MarketPrice, ...]]:
    """Return which of ranked offers takes an order, at the market's price; your quote does where it asks less."""
    catalogue, kept = setting.catalogue, setting.offers.market
    if not keys or order is None:
        return next(iter(keys), None), kept
    quote = next((key for key in keys if sales(catalogue)[key].is_your_price), None)
    if quote is not None and estimated_prices(setting, (quote,)).typical[0] <= order.band.typical:
        return quote, kept
    named = next((key for key in keys if not sales(catalogue)[key].is_your_price), keys[0])
    return named, (*kept, order.at(named))


def _on_spot(setting: PlanContext, keys: tuple[str, ...]) -> ChosenOffers:
    """The market's price at the seller whose bill is the least with its interruptions.

    A job on many small machines is stopped more often.
    """
    works, offers = interruptible_work(setting), setting.offers
    if not works or not keys:
        return offers
    order = order_market(setting, "spot")
    if order is not None and not order.is_available:
        return replace(offers, lacks={**offers.lacks, "spot": order.unavailable_text()})
    keys = _placeable(setting, order, keys)
    if order is None or len(keys) > 1:
        keys = _ranked(_with_interruptions(setting, bills(setting, demand_of(setting, works).all, keys)))
    key, market = _placed(setting, order, keys)
    return replace(offers, spot=key, market=market)


def _with_interruptions(setting: PlanContext, among: OfferBills) -> OfferBills:
    """Add what is calculated anew after interruptions."""
    sheet = setting.input_sheet()
    add_offer_inputs(sheet, setting, among.offers, RentalInputs())
    add_interruptions(sheet, setting)
    longer = stretch(sheet)
    lost = among.part_usd("compute") * (np.where(longer.is_found, longer.value, 1 / LEAST_LEFT).reshape(-1) - 1)
    used = (LedgerInput("lost_usd", lost.reshape(-1, 1), "USD", COMPUTED),)
    lines = (*among.ledger.lines, Line("Interruptions", "interruptions", "lost_usd", used))
    return replace(among, ledger=Ledger(among.ledger.title, lines))


def booked(setting: PlanContext, eligible: _ByPurchase) -> list[ChosenOffers]:
    """The offers of a plan with the cheapest schedule that begins with a reservation, with the time after its term.

    One for each scenario where the setting holds several; the same object for those that reserve alike.
    """
    reserve, offers, catalogue_offers = setting.scenario.reserve, setting.offers, setting.catalogue.offers
    if reserve.offer is not None and reserve.offer not in catalogue_offers:
        return [replace(offers, reserved=reserve.offer)]  # the option then reports it
    keys: tuple[str, ...] = ()
    if reserve.usd_per_accelerator_hour is None:
        keys = tuple(key for kind in sorted(RESERVED) for key in eligible.get(kind, ()))
        if (named := reserve.offer) is not None:  # the reservations of its seller
            seller = catalogue_offers[named].provider
            keys = (named, *(key for key in keys if key != named and catalogue_offers[key].provider == seller))
        else:
            keys = tuple(key for key in keys if sales(setting.catalogue)[key].is_your_price)
    terms = reservation_terms(setting, keys)
    steps = reserve.at_end == "cheapest" and right_size(setting) is None
    best = cheapest_bookings(setting, work_of(setting), terms, term_sequences(setting, terms), in_steps=steps)
    typed, chosen = ordered(setting, terms) if reserve.orders else None, {}
    for each in dict.fromkeys(best):
        tiers, base = ((), ()) if each is None else (each.tiers if typed is None else typed, each.base)
        offer = tiers[0].bookings[0].offer if tiers else reserve.offer
        reserved = replace(offers, reserved=offer, reserved_tiers=tiers, base_reservations=base)
        chosen[each] = _with_quotes(setting, eligible, reserved)
    return [chosen[each] for each in best]


def _with_quotes(setting: PlanContext, eligible: _ByPurchase, offers: ChosenOffers) -> ChosenOffers:
    """Add the two quotes of one seller that together imply how rents move, where there are such."""
    preferred = setting.catalogue.offers.get(offers.reserved or offers.on_demand or "")
    quoted = (*eligible.get("reserved_1y", ()), *eligible.get("reserved_3y", ()))
    both = pair(setting.catalogue, quoted, preferred.provider if preferred else None, setting.day)
    return offers if both is None else replace(offers, one_year=both[0], three_years=both[1])


def _with_contracts(setting: PlanContext, eligible: _ByPurchase) -> ChosenOffers:
    """Add the market's price of every term that somebody likely has, published or modelled.

    Its offer leaves the fewest of a machine idle, then is that of the cheapest seller: its own for the term, else the
    one on demand that a contract starts from.
    """
    offers, catalogue, size = setting.offers, setting.catalogue, right_size(setting)
    rent, reserve = setting.scenario.rent, setting.scenario.reserve
    if reserve.offer is not None or reserve.usd_per_accelerator_hour is not None:
        return offers
    has_price = rent.offer is not None or rent.usd_per_accelerator_hour is not None
    is_modelled = (
        not has_price or reserve.term is not None or bool(reserve.orders)
    )  # beside your price: what is published
    contracts, lacks, capacities = list[MarketPrice](), dict(offers.lacks), sales(catalogue)
    for kind, months in TERM_MONTHS.items():
        order = order_market(setting, "reserved", months, size) if months >= 1 else None
        if order is None:
            continue
        if not order.is_available:
            lacks.setdefault(kind, order.unavailable_text())
            continue
        able_keys = (eligible.get(name, ()) for name in (kind, "on_demand")[: 1 + is_modelled])
        listed = [key for keys in able_keys for key in keys if not capacities[key].is_your_price]
        usd = dict(zip(listed, estimated_prices(setting, tuple(listed)).typical.tolist(), strict=True))

        def preference(key: str) -> tuple[bool, int, bool, bool, float, str]:
            offer, small = catalogue.offers[key], needs_several(capacities[key], order.count)  # noqa: B023
            idle = -order.count % offer.accelerators_per_instance  # noqa: B023
            return (small, idle, offer.provider != order.seller, offer.purchase != kind, usd[key], key)  # noqa: B023

        if listed:
            contracts.append(order.at(min(listed, key=preference)))
    return replace(offers, market=(*(price for price in offers.market if price.months < 1), *contracts), lacks=lacks)


_ON_DEMAND = frozenset({"on_demand"})
UNBOUND = frozenset({"on_demand", "capacity_block"})  # nothing is bound for longer than the job
FLAT_YEARS = 0.25  # the plan over which a bill is averaged; rents stay as they are, so any would do


@dataclass(frozen=True)
class JobHourQuote:
    """The chosen offer, and the cost of an hour of one busy accelerator there, whole bill."""

    offer: str
    provider: str
    region: str
    usd_per_accelerator_hour: float
    list_usd_per_accelerator_hour: float
    accelerators_per_machine: int
    price: PriceEstimate  # the estimate of the published price on the day
    checked: date | None
    band: OrderBand | None = None  # what such an order pays; None at a quote of yours


def flat(catalogue: Catalogue, scenario: Scenario, day: date) -> PlanContext:
    """Return a context of a short plan with the same cost in every month."""
    terms = FinancialTerms(rent_change_per_year=0.0)
    return PlanContext(catalogue, scenario.model_copy(update={"years": FLAT_YEARS, "terms": terms}), day)


def hired(  # noqa: PLR0913 - a question of as many parts
    catalogue: Catalogue,
    accelerator: str,
    *,
    accelerators: int,
    hours: float,
    together: int,
    day: date,
    stay: ResidencyRequirement = ANYWHERE,
) -> JobHourQuote | None:
    """Return the whole bill of so many at once at the price that such an order pays; None where nobody has them.

    `together` of them work on one job and need one machine, or a network between machines.
    Whole machines, minimums and billing increments are in it; disks and traffic are not.
    """
    order = Order(accelerators, min(together, accelerators), stay, accepts_hosts(accelerators))
    band = band_of(catalogue, accelerator, order, day, "on_demand")
    purchases = UNBOUND if band is None else _ON_DEMAND
    keys = [
        key for key in _undominated(catalogue, accelerator, purchases, day)
        if refusal_reason(catalogue, key, order) is None
    ]  # fmt: skip
    prices = in_their_markets(catalogue, day, keys)
    prices = prices.rows(placeable(catalogue, keys, prices.typical.tolist(), band, accelerators))
    if not prices.keys:
        return None
    prices = at_market(catalogue, prices, [band] * len(prices.keys))
    setting = flat(catalogue, Scenario(accelerator=accelerator), day)
    need = DemandLayer(
        accelerator=accelerator, accelerators=float(accelerators), busy_share=1.0, years=FLAT_YEARS,
        hours_per_session=min(max(hours, 0.01), HOURS_PER_YEAR), storage_tb=0.0, egress_tb_per_month=0.0,
        site=setting.scenario.site,
    )  # fmt: skip
    among = bills(setting, need, prices.keys, prices=prices, money="bills")
    at = choose((among,))
    if at is None:
        return None
    key = among.offers[at]
    offer = catalogue.offers[key]
    figure = offer.usd_per_accelerator_hour
    return JobHourQuote(
        offer=key, provider=catalogue.providers[offer.provider].label, region=offer.region,
        usd_per_accelerator_hour=float(among.usd_per_busy_hour[at]),
        list_usd_per_accelerator_hour=float("nan") if figure is None else figure.newest.typical,
        accelerators_per_machine=offer.accelerators_per_instance, price=among.prices.at(at),
        checked=None if figure is None else figure.checked,
        band=None if sales(catalogue)[key].is_your_price else _named_band(band, offer.provider),
    )  # fmt: skip


def _named_band(band: OrderBand | None, provider: str) -> OrderBand | None:
    if band is None or band.cheapest_seller == provider:
        return band
    return replace(band, cheapest=None, cheapest_read=None, cheapest_seller=None, cheapest_age_days=None)
