"""Which offer a plan would take when nobody chose one: the cheapest whole bill, each price as it is believed today."""

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
# Spot is left out where nobody says that the work may stop.
USUAL_PURCHASES: frozenset[str] = frozenset({"on_demand", "capacity_block", *RESERVED})
_TAKEN: frozenset[str] = frozenset({"on_demand", "spot", *RESERVED})


def default_offer_filter(accelerator: str) -> OfferFilter:
    """What a plan could take: any price to rent by, however old; what it is worth today is another matter."""
    return OfferFilter(accelerators=frozenset({accelerator}), purchases=USUAL_PURCHASES)


def choose(among: Sequence[OfferBills]) -> int | None:
    """The place of the cheapest bill, of equals the first by id; None where none has a price.

    It is counted over the offers of the first bills, then of the second, and so on.
    """
    first = rank(among)[:1].tolist()
    usd = np.concatenate([one.total_usd for one in among])
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
    """The offers a plan rents from: those the scenario names, none beside a price of yours, else the cheapest bill."""
    scenario = setting.scenario
    markets, prices = _markets(setting)
    lacks = {kind: market.lacks for kind, market in markets.items() if market.lacks is not None}
    found = ChosenOffers(prices=prices, lacks=lacks)
    rent, spot = scenario.rent, scenario.spot
    if rent.offer or rent.usd_per_accelerator_hour is not None:
        found = replace(found, on_demand=rent.offer)
    else:
        found = _on_demand(setting.with_offers(found), markets.get("on_demand", _EligibleMarket()))
    there = setting.with_offers(found)
    found = _reserved(there, markets)
    if spot.offer or spot.usd_per_accelerator_hour is not None:
        found = replace(found, spot=spot.offer)
    else:
        found = replace(found, spot=_cheapest_spot(there, markets.get("spot", _EligibleMarket()).keys))
    return _add_term_quotes(setting, found, markets)


def rebook_reservations(setting: PlanContext) -> PlanContext:
    """The same offers on demand and on spot, with what is reserved when chosen for this setting."""
    return setting.with_offers(_reserved(setting, _markets(setting)[0]))


def _add_term_quotes(setting: PlanContext, found: ChosenOffers, markets: Mapping[str, _EligibleMarket]) -> ChosenOffers:
    """With the two quotes that together say how rents move."""
    preferred = setting.catalogue.offers.get(found.reserved or found.on_demand or "")
    quoted = (*markets.get("reserved_1y", _EligibleMarket()).keys, *markets.get("reserved_3y", _EligibleMarket()).keys)
    both = pair(setting.catalogue, quoted, preferred.provider if preferred else None, setting.day)
    return found if both is None else replace(found, one_year=both[0], three_years=both[1])


def _markets(setting: PlanContext) -> tuple[dict[str, _EligibleMarket], PriceEstimates]:
    """By kind of purchase, who can take what the plan orders; and what the prices of all of them are worth."""
    orders, size = orders_of(setting), right_size(setting)
    small = orders if size is None else tuple(_capped_order(size, order) for order in orders)
    sellers = _sellers(setting.catalogue, setting.day, setting.scenario.accelerator, orders, small)
    markets = {
        kind: _market(setting, kind, keys, small if kind in RESERVED else orders, found)
        for kind, (keys, found) in sellers.by_kind.items()
    }
    return markets, sellers.prices


@dataclass(frozen=True)
class _Sellers:
    """By kind of purchase, the offers and who of them can take an order; the prices of those who can."""

    by_kind: dict[str, tuple[tuple[str, ...], EligibleOffers | None]]
    prices: PriceEstimates


@cached(256, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *order: order)
def _sellers(
    catalogue: Catalogue, day: date, accelerator: str, orders: tuple[Order, ...], reserved: tuple[Order, ...]
) -> _Sellers:
    """Who can take an order: most plans of a sweep, and most edits of a page, order the same."""
    kinds: dict[str, list[str]] = {}
    for key in find(catalogue, replace(default_offer_filter(accelerator), purchases=_TAKEN), day).ids:
        kinds.setdefault(catalogue.offers[key].purchase, []).append(key)
    by_kind: dict[str, tuple[tuple[str, ...], EligibleOffers | None]] = {}
    for kind, listed in kinds.items():
        priced = [key for key in listed if catalogue.offers[key].usd_per_accelerator_hour is not None] or listed
        wanted = reserved if kind in RESERVED else orders
        by_kind[kind] = tuple(priced), able(catalogue, priced, wanted, may_split=kind == "on_demand")
    keys = tuple(key for _, found in by_kind.values() if found is not None for key in found.keys)
    return _Sellers(by_kind, believed(catalogue, day, keys))


def _market(
    setting: PlanContext, kind: str, keys: tuple[str, ...], orders: tuple[Order, ...], found: EligibleOffers | None
) -> _EligibleMarket:
    if found is not None:
        return _EligibleMarket(found)
    buying = {"on_demand": "on demand", "spot": "on spot machines"}.get(kind, "reserved")
    return _EligibleMarket(lacks=nobody(setting, keys, orders[-1], buying), others=keys)


def _capped_order(accelerators: int, order: Order) -> Order:
    return replace(order, accelerators=accelerators, together=min(order.together, accelerators))


def _on_demand(setting: PlanContext, market: _EligibleMarket) -> ChosenOffers:
    """The cheapest bill; of parts of an order the cheapest sellers together."""
    if market.able is None:
        return replace(setting.offers, fallback_ask=_elsewhere(setting, market.others))
    among = bills(setting, setting.demand.all, market.able.keys)
    if market.able.whole:
        return replace(setting.offers, on_demand=_cheapest(among))
    by_cost = [among.offers[at] for at in among.ranking.tolist() if np.isfinite(among.total_usd[at])]
    shares = spread(setting.catalogue, by_cost, market.able.order)
    if not shares:
        return setting.offers
    assert setting.offers.prices is not None
    prices = blended(setting.offers.prices, shares)
    return replace(setting.offers, on_demand=shares[0].offer, shares=shares, prices=prices)


def _elsewhere(setting: PlanContext, keys: tuple[str, ...]) -> FallbackAsk | None:
    """What an hour costs at sellers who cannot take the order: the median, the 10th and the 90th percentile."""
    usd = believed(setting.catalogue, setting.day, keys).typical
    usd = usd[np.isfinite(usd)]
    if not len(usd):
        return None
    low, middle, high = np.quantile(usd, (0.1, 0.5, 0.9)).tolist()
    return FallbackAsk(low, middle, high, len({setting.catalogue.offers[key].provider for key in keys}))


def _cheapest(among: OfferBills) -> str | None:
    return _cheapest_bill(among)[0]


def _cheapest_bill(among: OfferBills) -> tuple[str | None, float]:
    at = choose((among,))
    return (None, float("inf")) if at is None else (among.offers[at], float(among.total_usd[at]))


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
    return _cheapest(_with(among, Line("Interruptions", "interruptions", "lost_usd", used)))


def _reserved(setting: PlanContext, markets: Mapping[str, _EligibleMarket]) -> ChosenOffers:
    """The cheapest way through the plan that begins with a reservation; what follows on its term is in the bill."""
    reserve, found = setting.scenario.reserve, setting.offers
    if reserve.offer is not None and reserve.offer not in setting.catalogue.offers:
        return replace(found, reserved=reserve.offer)  # which the way says
    keys = () if reserve.usd_per_accelerator_hour is not None else _reservations(setting, markets)
    terms = reservation_terms(setting, keys)
    steps = reserve.at_end == "cheapest" and right_size(setting) is None
    best = cheapest_bookings(setting, work_of(setting), terms, term_sequences(setting, terms), in_steps=steps)
    if best is None:
        return replace(found, reserved=reserve.offer)
    tiers = ordered(setting, terms) if reserve.orders else best.tiers
    offer = tiers[0].bookings[0].offer if tiers else reserve.offer
    return replace(found, reserved=offer, reserved_tiers=tiers, base_reservations=best.base)


def _reservations(setting: PlanContext, markets: Mapping[str, _EligibleMarket]) -> tuple[str, ...]:
    """The reservations that can take the plan's order; of one that was named, those of its seller."""
    keys = tuple(key for kind in sorted(RESERVED) for key in markets.get(kind, _EligibleMarket()).keys)
    named = setting.scenario.reserve.offer
    if named is None:
        return keys
    offers = setting.catalogue.offers
    return (named, *(key for key in keys if key != named and offers[key].provider == offers[named].provider))


def _with(among: OfferBills, line: Line) -> OfferBills:
    return replace(among, ledger=Ledger(among.ledger.title, (*among.ledger.lines, line)))


UNBOUND = frozenset({"on_demand", "capacity_block"})  # nothing is bound for longer than the job
FLAT_YEARS = 0.25  # the plan over which a bill is averaged; rents stay as they are, so any would do


@dataclass(frozen=True)
class JobHourQuote:
    """The offer that was taken, and what an hour of one busy accelerator really costs there."""

    offer: str
    provider: str
    region: str
    usd_per_accelerator_hour: float
    list_usd_per_accelerator_hour: float
    accelerators_per_machine: int
    price: PriceEstimate  # what the price that was read is worth on the day
    checked: date | None


def flat(catalogue: Catalogue, scenario: Scenario, day: date) -> PlanContext:
    """The setting in which what is asked of a scenario costs the same in every month of a short plan."""
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
    """The cheapest whole bill, each price as it is believed on the day, of those that have so many at once; or None.

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
