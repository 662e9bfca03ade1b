"""The inputs of a bill: the demand of the plan, and the prices of its offers; your own terms win over theirs.

A price counts with its estimate on the day of the plan, not as it was published (pricing.belief). Disk or traffic
without a published price costs the median of the other providers, with the 10th and 90th percentile.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.formula import Num
from planner.money.ledger import (
    COMPUTED,
    CONVENTION,
    TRIED,
    YOUR_INPUT,
    Case,
    InputSheet,
    LedgerInput,
    Origin,
    judged,
    origin,
)
from planner.money.price_path import column, price_set_after_months
from planner.money.setting import MarketPrice, PlanContext
from planner.money.timeline import PLAN
from planner.scenario.amounts import count
from planner.scenario.base import SECONDS_PER_HOUR
from planner.scenario.durations import months_words
from planner.scenario.rent import RentalInputs
from pricing import Catalogue, Figure
from pricing.belief import PriceEstimate, PriceEstimates, in_their_markets
from pricing.caching import arguments, cached
from pricing.choices import Purchase
from pricing.records import Offer, Provider

GB_PER_TB = 1_000.0

# Months a customer is bound for. A capacity block is booked by the day; the rest can be ended at any time.
TERM_MONTHS: dict[str, float] = {
    "on_demand": 0.0,
    "spot": 0.0,
    "capacity_block": 12 / 365,
    "reserved_1m": 1.0,
    "reserved_3m": 3.0,
    "reserved_6m": 6.0,
    "reserved_1y": 12.0,
    "reserved_2y": 24.0,
    "reserved_3y": 36.0,
}
SET_AFTER = "price_set_after_months"
OFFER = Origin("the offer itself", "spec")

PRICE = "usd_per_accelerator_hour"
LOST = "lost_share"
# By what the price of an hour is multiplied where futures are drawn: a price read some time ago may be another by now.
PRICE_FACTORS: dict[str, str] = {
    "on_demand": "on_demand_price_factor",
    "capacity_block": "on_demand_price_factor",
    "spot": "spot_price_factor",
}
RESERVED_FACTOR = "reserved_price_factor"
# Where no offer publishes one: by what the others' middle price is multiplied, and what it is a price of.
BESIDE_FACTORS = {"usd_per_gb_month_of_disk": "disk_price_factor", "usd_per_gb_of_egress": "egress_price_factor"}

_HOURLY = judged("no billing increment is published; whole hours assumed")
_NO_MINIMUM = judged("no minimum is published; one machine assumed")
_NO_FREE = judged("no free allowance is published; none assumed")
_UNKNOWN = judged("not published: not priced")
_ENDS: dict[Case, float] = {"low": 0.1, "typical": 0.5, "high": 0.9}


@dataclass(frozen=True)
class _ProviderInput:
    """One number of an offer's provider: its name here, its unit, its figure, and the value where none is published."""

    name: str
    unit: str
    figure: Callable[[Provider], Figure | None]
    otherwise: float | None  # None: the median of the others
    why: Origin = _UNKNOWN


_PROVIDER_INPUTS = (
    _ProviderInput("minimum_accelerators", "accelerators", attrgetter("minimum_accelerators"), 1.0, _NO_MINIMUM),
    _ProviderInput("billing_increment_s", "seconds", attrgetter("billing_increment_s"), SECONDS_PER_HOUR, _HOURLY),
    _ProviderInput("usd_per_gb_month_of_disk", "USD/GB-month", attrgetter("block_storage_usd_per_gb_month"), None),
    _ProviderInput("usd_per_gb_of_egress", "USD/GB", attrgetter("egress_usd_per_gb"), None),
    _ProviderInput("free_egress_gb_per_month", "GB a month", attrgetter("free_egress_gb_per_month"), 0.0, _NO_FREE),
)


# Inputs that change the prices of offers, where they are tried out.
_OFFERED = frozenset(
    (
        PRICE,
        *(item.name for item in _PROVIDER_INPUTS),
        "accelerators_per_machine",
        "term_months",
        "bills_idle",
        SET_AFTER,
    )
).union(PRICE_FACTORS.values(), (RESERVED_FACTOR,), BESIDE_FACTORS.values())


def price_factor(purchase: Purchase, term: float = 0.0) -> str:
    """The name of the factor by which futures move the price of a kind of purchase, or of a contract for a term."""
    return RESERVED_FACTOR if term >= 1 else PRICE_FACTORS.get(purchase, RESERVED_FACTOR)


def estimated_prices(setting: PlanContext, keys: tuple[str, ...]) -> PriceEstimates:
    """Return estimates of offers' prices on the day of the plan, each among all of its accelerator and purchase."""
    market = setting.offers.prices
    beyond = tuple(key for key in keys if market is None or key not in market.places)
    if market is not None and not beyond:
        return _taken(market, keys)
    estimates = in_their_markets(setting.catalogue, setting.day, beyond)
    return estimates if market is None or len(beyond) == len(keys) else market.beside(estimates).take(keys)


def market_prices(setting: PlanContext, keys: tuple[str, ...], months: tuple[float, ...]) -> PriceEstimates:
    """Return the prices that a plan pays at offers for commitments of some months: the market's for its own orders."""
    estimates = estimated_prices(setting, keys)
    market = [setting.offers.market_price(key, term) for key, term in zip(keys, months, strict=True)]
    if not any(market):
        return estimates
    ends = {
        end: np.array(
            [
                price if quote is None else getattr(quote.band, end)
                for price, quote in zip(believed, market, strict=True)
            ]
        )
        for end, believed in ((end, getattr(estimates, end).tolist()) for end in _ENDS)
    }
    return replace(estimates, low=ends["low"], typical=ends["typical"], high=ends["high"])


@cached(64)
def _taken(market: PriceEstimates, keys: tuple[str, ...]) -> PriceEstimates:
    """Some prices out of a market: at both ends of the ranges they are the same."""
    return market.take(keys)


def assumed_provider_prices(catalogue: Catalogue, offer: Offer, need: DemandLayer) -> tuple[str, ...]:
    """Return the costs that the plan has and the provider publishes no price for: disk, traffic."""
    provider = catalogue.providers[offer.provider]
    disk = need.storage_tb > 0 and provider.block_storage_usd_per_gb_month is None
    traffic = need.egress_tb_per_month > 0 and provider.egress_usd_per_gb is None
    return ("Disk",) * disk + ("Traffic out",) * traffic


def add_demand_inputs(sheet: InputSheet, setting: PlanContext, need: DemandLayer) -> None:
    sheet.add("accelerators", need.accelerators, "accelerators", YOUR_INPUT)
    sheet.add("busy_share", need.busy_share, "share of hours", YOUR_INPUT)
    sheet.add("months", need.months, "months", YOUR_INPUT)
    sheet.add("hours_per_month", need.hours_per_month, "hours", CONVENTION)
    sheet.add("session_hours", need.hours_per_session, "hours", YOUR_INPUT)
    sheet.add("storage_gb", need.storage_tb * need.disk_share * GB_PER_TB, "GB", setting.disk_origin)
    sheet.add(
        "egress_gb_per_month", need.egress_tb_per_month * np.ceil(need.disk_share) * GB_PER_TB, "GB a month", YOUR_INPUT
    )
    if np.any(np.asarray(need.lost_share) > 0):
        sheet.add(LOST, need.lost_share, "share of busy hours", COMPUTED)
    sheet.add_all(setting.timeline.flags)


def add_offer_inputs(
    sheet: InputSheet,
    setting: PlanContext,
    keys: tuple[str, ...],
    yours: RentalInputs,
    term_months: tuple[float, ...] | None = None,
    prices: PriceEstimates | None = None,
) -> NDArray[np.float64]:
    """Add the offers' own numbers: one entry for each of several offers, plain numbers for one; yours win.

    `term_months` are the commitments, where they are not those of the offers; `prices` the estimates of their prices,
    where they are not what the plan pays. Return when the price of each month was set.
    """
    base = setting.base_context
    context = base if base is not None and _OFFERED.isdisjoint(setting.tried) else setting
    sheet.used.update(_offer_inputs(context, keys, yours, term_months, prices))
    return np.asarray(sheet.used[SET_AFTER].value)


@cached(32)
def _offer_inputs(
    setting: PlanContext,
    keys: tuple[str, ...],
    yours: RentalInputs,
    term_months: tuple[float, ...] | None,
    prices: PriceEstimates | None,
) -> Mapping[str, LedgerInput]:
    """The prices of offers, for every layer that is rented there."""
    sheet = setting.input_sheet()
    offers = [setting.catalogue.offers[key] for key in keys]
    terms = term_months or tuple(TERM_MONTHS[offer.purchase] for offer in offers)
    paid = prices or market_prices(setting, keys, terms[: len(keys)])
    _add_price(sheet, setting, offers, yours.usd_per_accelerator_hour, paid, terms)
    for item in _PROVIDER_INPUTS:
        _add_provider_input(sheet, setting, offers, item, getattr(yours, item.name))
    if yours.accelerators_per_machine is None:
        machine = [float(offer.accelerators_per_instance) for offer in offers] or [1.0]
        sheet.add("accelerators_per_machine", column(machine), "accelerators", OFFER)
    else:
        sheet.add("accelerators_per_machine", float(yours.accelerators_per_machine), "accelerators", YOUR_INPUT)
    commitments, where = list(terms) or [0.0], OFFER if term_months is None else YOUR_INPUT
    sheet.add("term_months", column(commitments), "months", where)
    sheet.add("bills_idle", column([float(months > 0) for months in commitments]), "1 or 0", where)
    sheet.add(SET_AFTER, price_set_after_months(commitments, setting.timeline.last), "months", PLAN)
    return sheet.used


def _add_price(
    sheet: InputSheet,
    setting: PlanContext,
    offers: list[Offer],
    own: Num | None,
    prices: PriceEstimates,
    terms: tuple[float, ...],
) -> None:
    """The price of an hour: yours, or the market's or the offer's on this day, with its range."""
    unit, bridging = "USD/accelerator-hour", setting.offers.market_price(None)
    if own is not None:
        sheet.add(PRICE, own, unit, YOUR_INPUT)
        return
    if not offers and bridging is not None:
        note = f"no known seller is likely to have this order; {_market_note(bridging, 'on demand')}"
        band = bridging.band
        sheet.add(PRICE, band.typical, unit, judged(note), (band.low, band.high))
        return
    low, typical, high = (column(np.asarray(usd, dtype=np.float64).tolist() or [np.nan])
                          for usd in (prices.low, prices.typical, prices.high))  # fmt: skip
    sheet.add(PRICE, typical, unit, _UNKNOWN, (low, high))
    if PRICE in sheet.tried or not offers:
        return
    factor = setting.tried.get(price_factor(offers[0].purchase, terms[0]))
    if factor is not None:
        sheet.used[PRICE] = LedgerInput(PRICE, sheet.used[PRICE].value * factor, unit, TRIED)
        return

    def origin_of(index: int) -> Origin:
        return _price_origin(setting, offers[index], prices.at(index), prices.keys[index], terms[index])

    sheet.used[PRICE] = sheet.used[PRICE]._replace(origin=origin_of(0) if len(offers) == 1 else origin_of)


def _price_origin(setting: PlanContext, offer: Offer, price: PriceEstimate, key: str, term: float) -> Origin:
    """The source of the price: the market of the order, or the day and amount that it was read, and its worth today."""
    figure = offer.usd_per_accelerator_hour
    if figure is None:
        return _UNKNOWN
    source = origin(setting.catalogue, figure)
    if price.yours and price.low == price.high:
        return source
    quote = setting.offers.market_price(key, term)
    if quote is not None:
        from_usd = quote.band.cheapest_read or price.read_usd
        seller = setting.catalogue.providers[offer.provider].label
        read = f"read {count(round(price.age_days), 'day')} ago"
        buying = "on spot machines" if offer.purchase == "spot" else purchase_text(offer, term)
        least = f"from {seller} at {from_usd:.4g}, {read}" if quote.band.cheapest_seller else "no seller is likely"
        least = "no price is published: ask" if is_by_contract(offer, term) else least
        return replace(source, note=f"{_market_note(quote, buying)}, {least}")
    believed_now = (
        f"read at {price.read_usd:.4g} USD, {count(round(price.age_days), 'day')} before the plan; "
        f"taken for {price.typical:.4g} ({price.low:.4g} to {price.high:.4g}) today"
    )
    return replace(source, note=believed_now if source.note is None else f"{believed_now}. {source.note}")


def purchase_text(offer: Offer, term: float) -> str:
    """Return how an order is placed."""
    return "on demand" if term <= 0 else f"reserved for {months_words(term)}"


def is_by_contract(offer: Offer, term: float) -> bool:
    """Return whether a term is none that the seller of an offer publishes: a contract, whose price is modelled."""
    return term > 0 and TERM_MONTHS[offer.purchase] != term


def _market_note(quote: MarketPrice, buying: str) -> str:
    low, typical, high = (f"{usd:.3g}" for usd in (quote.band.low, quote.band.typical, quote.band.high))
    return (
        f"market for {quote.count:,} {'GPU' if quote.count == 1 else 'GPUs'} {buying}: typical {typical} "
        f"({low} to {high}) of {count(quote.sellers, 'seller')}"
    )


def _add_provider_input(
    sheet: InputSheet, setting: PlanContext, offers: list[Offer], item: _ProviderInput, own: Num | None
) -> None:
    if own is not None:
        sheet.add(item.name, own, item.unit, YOUR_INPUT)
        return
    catalogue = setting.catalogue
    figures = [item.figure(catalogue.providers[offer.provider]) for offer in offers]
    why, usually = item.why, item.otherwise
    otherwise: tuple[float, ...] = (0.0,) * 3 if usually is None else (usually,) * 3
    if usually is None:
        otherwise, why = _market_estimate(setting, item)
    low, values, high = (column([usual if figure is None else figure.newest.typical for figure in figures] or [usual])
                         for usual in otherwise)  # fmt: skip
    sheet.add(item.name, values, item.unit, why, (low, high))
    factor = setting.tried.get(BESIDE_FACTORS.get(item.name, ""))
    if factor is not None and all(figure is None for figure in figures):
        sheet.used[item.name] = LedgerInput(item.name, sheet.used[item.name].value * factor, item.unit, TRIED)
    elif sheet.used[item.name].origin is why and figures:

        def origin_of(index: int) -> Origin:
            figure = figures[index]
            return why if figure is None else origin(catalogue, figure)

        where = origin_of(0) if len(figures) == 1 else origin_of
        sheet.used[item.name] = sheet.used[item.name]._replace(origin=where)


def _market_estimate(setting: PlanContext, item: _ProviderInput) -> tuple[tuple[float, ...], Origin]:
    """The low, middle and high price of the providers that publish one; not-a-number where none does."""
    market = _market_range(setting.catalogue.providers, item)
    if market is None:
        return (np.nan, np.nan, np.nan), _UNKNOWN
    number, (low, middle, high) = market
    others = count(number, "other provider", "other providers")
    note = f"not published here: the median of {others}, {low:.3g} to {high:.3g}"
    return (low, middle, high), judged(note)


@cached(8, same=arguments)
def _market_range(providers: Mapping[str, Provider], item: _ProviderInput) -> tuple[int, tuple[float, ...]] | None:
    """The number of providers that publish a price, and the low, middle and high of their prices."""
    figures = [item.figure(provider) for provider in providers.values()]
    usd = [figure.newest.typical for figure in figures if figure is not None]
    return (len(usd), tuple(np.quantile(usd, list(_ENDS.values())).tolist())) if usd else None
