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
from planner.money.renting.offer_inputs import add_offer_inputs
from planner.money.renting.orders import EligibleOffers, able, blended, nobody, orders_of, spread
from planner.money.renting.reservation import ordered, reservation_terms, work_of
from planner.money.setting import ChosenOffers, FallbackAsk, PlanContext
from planner.money.sizing import right_size
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from pricing import Catalogue
from pricing.belief import PriceEstimate, PriceEstimates, believed
from pricing.caching import cached
from pricing.choices import Purchase
from pricing.orderable import ANYWHERE, Order, ResidencyRequirement
from pricing.query import OfferFilter, find

RESERVED: frozenset[Purchase] = frozenset(kind for kind in get_args(Purchase) if kind.startswith("reserved"))
# Spot is left out: not all work may be interrupted.
USUAL_PURCHASES: frozenset[str] = frozenset({"on_demand", "capacity_block", *RESERVED})
_TAKEN: frozenset[str] = frozenset({"on_demand", "spot", *RESERVED})


def default_offer_filter(accelerator: str) -> OfferFilter:
    """Return the filter of offers for a plan: any price, however old; its value today is estimated elsewhere."""
    return OfferFilter(accelerators=frozenset({accelerator}), purchases=USUAL_PURCHASES)


def choose(among: Sequence[OfferBills]) -> int | None:
    """Return the index of the cheapest bill, ties by id; None where none has a price.

    It is counted over the offers of the first bills, then of the second, and so on.
    """
    first = rank(among)[:1].tolist()
    usd = np.concatenate([market.total_usd for market in among])
    return first[0] if first and np.isfinite(usd[first[0]]) else None


@dataclass(frozen=True)
class _EligibleMarket:
    """The offers of one kind of purchase that can take the plan's order; or why none can."""

    able: EligibleOffers | None = None
    lacks: str | None = None
    others: tuple[str, ...] = ()  # where none can: all there are

    @property
    def keys(self) -> tuple[str, ...]:
        """The offers; none where nobody can."""
        return () if self.able is None else self.able.keys


def taken(setting: PlanContext) -> ChosenOffers:
    """Return the offers of a plan: those the scenario names, none beside your own price, else the cheapest bill."""
    scenario = setting.scenario
    markets, prices = _markets(setting)
    lacks = {kind: market.lacks for kind, market in markets.items() if market.lacks is not None}
    offers = ChosenOffers(prices=prices, lacks=lacks)
    rent, spot = scenario.rent, scenario.spot
    if rent.offer or rent.usd_per_accelerator_hour is not None:
        offers = replace(offers, on_demand=rent.offer)
    else:
        offers = _on_demand(setting.with_offers(offers), markets.get("on_demand", _EligibleMarket()))
    context = setting.with_offers(offers)
    offers = replace(_reserved(context, markets), spot=spot.offer)
    if not spot.offer and spot.usd_per_accelerator_hour is None:
        offers = replace(offers, spot=_cheapest_spot(context, markets.get("spot", _EligibleMarket()).keys))
    # The two quotes that together imply how rents move.
    preferred = setting.catalogue.offers.get(offers.reserved or offers.on_demand or "")
    quoted = (*markets.get("reserved_1y", _EligibleMarket()).keys, *markets.get("reserved_3y", _EligibleMarket()).keys)
    both = pair(setting.catalogue, quoted, preferred.provider if preferred else None, setting.day)
    return offers if both is None else replace(offers, one_year=both[0], three_years=both[1])


def rebook_reservations(setting: PlanContext) -> PlanContext:
    """Return the same offers on demand and on spot, with the reservations chosen anew for this context."""
    return setting.with_offers(_reserved(setting, _markets(setting)[0]))


def _markets(setting: PlanContext) -> tuple[dict[str, _EligibleMarket], PriceEstimates]:
    """By kind of purchase, the offers that can take the order of the plan; and the estimates of all their prices."""
    orders, size = orders_of(setting), right_size(setting)
    small = orders
    if size is not None:
        small = tuple(replace(order, accelerators=size, together=min(order.together, size)) for order in orders)
    sellers = _sellers(setting.catalogue, setting.day, setting.scenario.accelerator, orders, small)
    markets = {}
    for kind, (keys, eligible) in sellers.by_kind.items():
        markets[kind] = _EligibleMarket(eligible)
        if eligible is None:
            buying = {"on_demand": "on demand", "spot": "on spot machines"}.get(kind, "reserved")
            order = (small if kind in RESERVED else orders)[-1]
            markets[kind] = _EligibleMarket(lacks=nobody(setting, keys, order, buying), others=keys)
    return markets, sellers.prices


@dataclass(frozen=True)
class _Sellers:
    """By kind of purchase, all offers and those that can take an order; the prices of the latter."""

    by_kind: dict[str, tuple[tuple[str, ...], EligibleOffers | None]]
    prices: PriceEstimates


@cached(256, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *order: order)
def _sellers(
    catalogue: Catalogue, day: date, accelerator: str, orders: tuple[Order, ...], reserved: tuple[Order, ...]
) -> _Sellers:
    """The offers that can take an order: most plans of a sweep, and most edits of a page, order the same."""
    kinds: dict[str, list[str]] = {}
    for key in find(catalogue, replace(default_offer_filter(accelerator), purchases=_TAKEN), day).ids:
        kinds.setdefault(catalogue.offers[key].purchase, []).append(key)
    by_kind: dict[str, tuple[tuple[str, ...], EligibleOffers | None]] = {}
    for kind, listed in kinds.items():
        priced = [key for key in listed if catalogue.offers[key].usd_per_accelerator_hour is not None] or listed
        wish = reserved if kind in RESERVED else orders
        by_kind[kind] = tuple(priced), able(catalogue, priced, wish, may_split=kind == "on_demand")
    keys = tuple(key for _, eligible in by_kind.values() if eligible is not None for key in eligible.keys)
    return _Sellers(by_kind, believed(catalogue, day, keys))


def _on_demand(setting: PlanContext, market: _EligibleMarket) -> ChosenOffers:
    """The cheapest bill; of parts of an order the cheapest sellers together.

    Where nobody can take the order, the price of an hour is the median of those sellers, with 10th and 90th percentile.
    """
    catalogue, offers = setting.catalogue, setting.offers
    if market.able is None:
        usd = believed(catalogue, setting.day, market.others).typical
        usd = usd[np.isfinite(usd)]
        if not len(usd):
            return replace(offers, fallback_ask=None)
        low, middle, high = np.quantile(usd, (0.1, 0.5, 0.9)).tolist()
        sellers = {catalogue.offers[key].provider for key in market.others}
        return replace(offers, fallback_ask=FallbackAsk(low, middle, high, len(sellers)))
    among = bills(setting, setting.demand.all, market.able.keys)
    if market.able.whole:
        return replace(offers, on_demand=_cheapest(among))
    by_cost = [among.offers[at] for at in among.ranking.tolist() if np.isfinite(among.total_usd[at])]
    shares = spread(catalogue, by_cost, market.able.order)
    if not shares:
        return offers
    assert offers.prices is not None
    return replace(offers, on_demand=shares[0].offer, shares=shares, prices=blended(offers.prices, shares))


def _cheapest(among: OfferBills) -> str | None:
    at = choose((among,))
    return None if at is None else among.offers[at]


def _cheapest_spot(setting: PlanContext, offers: tuple[str, ...]) -> str | None:
    """The cheapest once its interruptions are in the bill: a job on many small machines is stopped more often."""
    works = interruptible_work(setting)
    if not works or not offers:
        return None
    among = bills(setting, demand_of(setting, works).all, offers)
    sheet = setting.input_sheet()
    add_offer_inputs(sheet, setting, offers, RentalInputs())
    add_interruptions(sheet, setting)
    longer = stretch(sheet)
    times = np.where(longer.is_found, longer.value, 1 / LEAST_LEFT).reshape(-1)
    lost = among.part_usd("compute") * (times - 1)
    used = (LedgerInput("lost_usd", lost.reshape(-1, 1), "USD", COMPUTED),)
    interruptions = Line("Interruptions", "interruptions", "lost_usd", used)
    ledger = Ledger(among.ledger.title, (*among.ledger.lines, interruptions))
    return _cheapest(replace(among, ledger=ledger))


def _reserved(setting: PlanContext, markets: Mapping[str, _EligibleMarket]) -> ChosenOffers:
    """The cheapest schedule that begins with a reservation; the bill includes the time after its term."""
    reserve, offers, catalogue_offers = setting.scenario.reserve, setting.offers, setting.catalogue.offers
    if reserve.offer is not None and reserve.offer not in catalogue_offers:
        return replace(offers, reserved=reserve.offer)  # the option then reports it
    keys: tuple[str, ...] = ()
    if reserve.usd_per_accelerator_hour is None:
        keys = tuple(key for kind in sorted(RESERVED) for key in markets.get(kind, _EligibleMarket()).keys)
        if (named := reserve.offer) is not None:  # the reservations of its seller
            seller = catalogue_offers[named].provider
            keys = (named, *(key for key in keys if key != named and catalogue_offers[key].provider == seller))
    terms = reservation_terms(setting, keys)
    steps = reserve.at_end == "cheapest" and right_size(setting) is None
    best = cheapest_bookings(setting, work_of(setting), terms, term_sequences(setting, terms), in_steps=steps)
    if best is None:
        return replace(offers, reserved=reserve.offer)
    tiers = ordered(setting, terms) if reserve.orders else best.tiers
    offer = tiers[0].bookings[0].offer if tiers else reserve.offer
    return replace(offers, reserved=offer, reserved_tiers=tiers, base_reservations=best.base)


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
    """Return the cheapest whole bill of the offers with so many at once, at prices believed on the day; or None.

    `together` of them work on one job and need one machine, or a network between machines.
    Whole machines, minimums and billing increments are in it; disks and traffic are not.
    """
    wish = OfferFilter(accelerators=frozenset({accelerator}), purchases=UNBOUND)
    ids = find(catalogue, replace(wish, order=Order(accelerators, min(together, accelerators), stay)), day).ids
    if not ids:
        return None
    setting = flat(catalogue, Scenario(accelerator=accelerator), day)
    need = DemandLayer(
        accelerator=accelerator, accelerators=float(accelerators), busy_share=1.0, years=FLAT_YEARS,
        hours_per_session=min(max(hours, 0.01), HOURS_PER_YEAR), storage_tb=0.0, egress_tb_per_month=0.0,
        site=setting.scenario.site,
    )  # fmt: skip
    among = bills(setting, need, ids, prices=believed(catalogue, day, ids), money="bills")
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
    )  # fmt: skip
