"""The inputs of a bill: what the plan asks for, and what its offers charge; your own terms win over theirs.

A price counts as what it is worth on the day of the plan, not as what was read (pricing.belief). Disk or traffic that
a provider publishes no price for costs what the others ask: their median, with the 10th and 90th percentile.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

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
from planner.money.setting import FallbackAsk, PlanContext
from planner.money.timeline import PLAN
from planner.scenario.amounts import count
from planner.scenario.base import SECONDS_PER_HOUR
from planner.scenario.rent import RentalInputs
from pricing import Catalogue, Figure
from pricing.belief import PriceEstimates, in_their_markets
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
    """One number of an offer's provider: its name here, its unit, whose it is, what stands in where it is not told."""

    name: str
    unit: str
    figure: Callable[[Provider], Figure | None]
    otherwise: float | None  # None: what the others ask
    why: Origin = _UNKNOWN


_ASKED = (
    _ProviderInput("minimum_accelerators", "accelerators", lambda who: who.minimum_accelerators, 1.0, _NO_MINIMUM),
    _ProviderInput("billing_increment_s", "seconds", lambda who: who.billing_increment_s, SECONDS_PER_HOUR, _HOURLY),
    _ProviderInput("usd_per_gb_month_of_disk", "USD/GB-month", lambda who: who.block_storage_usd_per_gb_month, None),
    _ProviderInput("usd_per_gb_of_egress", "USD/GB", lambda who: who.egress_usd_per_gb, None),
    _ProviderInput("free_egress_gb_per_month", "GB a month", lambda who: who.free_egress_gb_per_month, 0.0, _NO_FREE),
)


# What changes what offers charge, where it is tried out.
_OFFERED = frozenset(
    (PRICE, *(one.name for one in _ASKED), "accelerators_per_machine", "term_months", "bills_idle", SET_AFTER)
).union(PRICE_FACTORS.values(), (RESERVED_FACTOR,), BESIDE_FACTORS.values())


def price_factor(purchase: Purchase) -> str:
    """The name of the factor by which futures move the price of a kind of purchase."""
    return PRICE_FACTORS.get(purchase, RESERVED_FACTOR)


def estimated_prices(setting: PlanContext, keys: tuple[str, ...]) -> PriceEstimates:
    """What the prices of some offers are worth on the day of the plan, each among those that the plan could take.

    Of an offer that it could not take, among all of its accelerator and kind of purchase.
    """
    market = setting.offers.prices
    beyond = tuple(key for key in keys if market is None or key not in market.places)
    if market is not None and not beyond:
        return _taken(market, keys)
    there = in_their_markets(setting.catalogue, setting.day, beyond)
    return there if market is None or len(beyond) == len(keys) else market.beside(there).take(keys)


@cached(64)
def _taken(market: PriceEstimates, keys: tuple[str, ...]) -> PriceEstimates:
    """Some prices out of a market: at both ends of the ranges they are the same."""
    return market.take(keys)


def assumed_provider_prices(catalogue: Catalogue, offer: Offer, need: DemandLayer) -> tuple[str, ...]:
    """What the provider of an offer publishes no price for, though the plan uses it: disk, traffic."""
    who = catalogue.providers[offer.provider]
    uses = {"Disk": need.storage_tb > 0, "Traffic out": need.egress_tb_per_month > 0}
    told = (who.block_storage_usd_per_gb_month, who.egress_usd_per_gb)
    return tuple(name for (name, used), price in zip(uses.items(), told, strict=True) if used and price is None)


def add_demand_inputs(sheet: InputSheet, setting: PlanContext, need: DemandLayer) -> None:
    """What the plan asks for."""
    sheet.add("accelerators", need.accelerators, "accelerators", YOUR_INPUT)
    sheet.add("busy_share", need.busy_share, "share of hours", YOUR_INPUT)
    sheet.add("months", need.months, "months", YOUR_INPUT)
    sheet.add("hours_per_month", need.hours_per_month, "hours", CONVENTION)
    sheet.add("session_hours", need.hours_per_session, "hours", YOUR_INPUT)
    sheet.add("storage_gb", need.storage_tb * GB_PER_TB, "GB", YOUR_INPUT)
    sheet.add("egress_gb_per_month", need.egress_tb_per_month * GB_PER_TB, "GB a month", YOUR_INPUT)
    if np.any(np.asarray(need.lost_share) > 0):
        sheet.add(LOST, need.lost_share, "share of busy hours", COMPUTED)
    sheet.add_all(setting.timeline.flags)


def add_offer_inputs(
    sheet: InputSheet,
    setting: PlanContext,
    keys: tuple[str, ...],
    yours: RentalInputs,
    term_months: float | None = None,
    prices: PriceEstimates | None = None,
) -> NDArray[np.float64]:
    """The offers' own numbers: one entry for each of several offers, plain numbers for one; yours win.

    `prices` are what the offers' prices are worth, where that is known already. Gives back when the price of each month
    was set.
    """
    known = setting.base_context
    there = known if known is not None and _OFFERED.isdisjoint(setting.tried) else setting
    sheet.used.update(_said(there, keys, yours, term_months, prices))
    return np.asarray(sheet.used[SET_AFTER].value)


@cached(32)
def _said(
    setting: PlanContext,
    keys: tuple[str, ...],
    yours: RentalInputs,
    term_months: float | None,
    prices: PriceEstimates | None,
) -> Mapping[str, LedgerInput]:
    """What offers charge, for every layer that is rented there."""
    sheet = setting.input_sheet()
    offers = [setting.catalogue.offers[key] for key in keys]
    _say_price(sheet, setting, offers, yours.usd_per_accelerator_hour, prices or estimated_prices(setting, keys))
    for asked in _ASKED:
        _add_provider_input(sheet, setting, offers, asked, getattr(yours, asked.name))
    if yours.accelerators_per_machine is None:
        machine = [float(offer.accelerators_per_instance) for offer in offers] or [1.0]
        sheet.add("accelerators_per_machine", column(machine), "accelerators", OFFER)
    else:
        sheet.add("accelerators_per_machine", float(yours.accelerators_per_machine), "accelerators", YOUR_INPUT)
    _add_term(sheet, setting, offers, term_months)
    return sheet.used


def _say_price(
    sheet: InputSheet, setting: PlanContext, offers: list[Offer], own: Num | None, prices: PriceEstimates
) -> None:
    """The price of an hour: yours, or what the price that was read is worth on this day, at this end of its range."""
    unit = "USD/accelerator-hour"
    if own is not None:
        sheet.add(PRICE, own, unit, YOUR_INPUT)
        return
    if not offers and setting.offers.fallback_ask is not None:
        sheet.add(PRICE, *_otherwise(setting, setting.offers.fallback_ask))
        return
    usd = np.asarray(getattr(prices, setting.case), dtype=np.float64)
    sheet.add(PRICE, column(usd.tolist() or [np.nan]), unit, _UNKNOWN)
    if PRICE in sheet.tried or not offers:
        return

    def of_one(index: int) -> Origin:
        return _read(setting.catalogue, offers[index], prices, index)

    where = of_one(0) if len(offers) == 1 else of_one
    sheet.used[PRICE] = sheet.used[PRICE]._replace(origin=where)
    factor = setting.tried.get(price_factor(offers[0].purchase))
    if factor is not None:
        sheet.used[PRICE] = LedgerInput(PRICE, sheet.used[PRICE].value * factor, unit, TRIED)


def _otherwise(setting: PlanContext, asked: FallbackAsk) -> tuple[float, str, Origin]:
    """What an hour costs where nobody can take the order: what those ask who have fewer, or are elsewhere."""
    note = (
        f"nobody known here can take this order: the middle of what {count(asked.sellers, 'seller')} ask who cannot, "
        f"{asked.low:.3g} to {asked.high:.3g}"
    )
    return getattr(asked, setting.case), "USD/accelerator-hour", judged(note)


def _read(catalogue: Catalogue, offer: Offer, prices: PriceEstimates, index: int) -> Origin:
    """Who says the price, when it was read and at how much, and what it is taken for today."""
    figure = offer.usd_per_accelerator_hour
    if figure is None:
        return _UNKNOWN
    said, price = origin(catalogue, figure), prices.at(index)
    if price.yours and price.low == price.high:
        return said
    believed_now = (
        f"read at {price.read_usd:.4g} USD, {count(round(price.age_days), 'day')} before the plan; "
        f"taken for {price.typical:.4g} ({price.low:.4g} to {price.high:.4g}) today"
    )
    return replace(said, note=believed_now if said.note is None else f"{believed_now}. {said.note}")


def _add_provider_input(
    sheet: InputSheet, setting: PlanContext, offers: list[Offer], asked: _ProviderInput, own: Num | None
) -> None:
    if own is not None:
        sheet.add(asked.name, own, asked.unit, YOUR_INPUT)
        return
    catalogue = setting.catalogue
    figures = [asked.figure(catalogue.providers[offer.provider]) for offer in offers]
    otherwise, why = (asked.otherwise, asked.why) if asked.otherwise is not None else _market_estimate(setting, asked)
    values = [otherwise if figure is None else figure.newest.typical for figure in figures] or [otherwise]
    sheet.add(asked.name, column(values), asked.unit, why)
    if sheet.used[asked.name].origin is why and figures:
        origins = _origins(catalogue, figures, why)
        only = origins(0) if len(figures) == 1 else origins
        sheet.used[asked.name] = sheet.used[asked.name]._replace(origin=only)
    factor = setting.tried.get(BESIDE_FACTORS.get(asked.name, ""))
    if factor is not None and all(figure is None for figure in figures):
        sheet.used[asked.name] = LedgerInput(asked.name, sheet.used[asked.name].value * factor, asked.unit, TRIED)


def _market_estimate(setting: PlanContext, asked: _ProviderInput) -> tuple[float, Origin]:
    """What the providers that publish a price ask, at this end of the range; not-a-number where none does."""
    providers = setting.catalogue.providers
    found = _market_range(providers, asked)
    if found is None:
        return np.nan, _UNKNOWN
    number, (low, middle, high) = found
    note = (
        f"not published here: the middle of what {count(number, 'other asks', 'others ask')}, {low:.3g} to {high:.3g}"
    )
    return {"low": low, "typical": middle, "high": high}[setting.case], judged(note)


@cached(8, same=arguments)
def _market_range(providers: Mapping[str, Provider], asked: _ProviderInput) -> tuple[int, tuple[float, ...]] | None:
    """How many providers publish a price, and the ends and the middle of what they ask."""
    figures = [asked.figure(provider) for provider in providers.values()]
    usd = [figure.newest.typical for figure in figures if figure is not None]
    return (len(usd), tuple(np.quantile(usd, list(_ENDS.values())).tolist())) if usd else None


def _add_term(sheet: InputSheet, setting: PlanContext, offers: list[Offer], yours: float | None) -> None:
    term = [TERM_MONTHS[offer.purchase] for offer in offers] or [0.0]
    where = OFFER
    if yours is not None:
        term, where = [yours], YOUR_INPUT
    sheet.add("term_months", column(term), "months", where)
    sheet.add("bills_idle", column([float(months > 0) for months in term]), "1 or 0", where)
    sheet.add(SET_AFTER, price_set_after_months(term, setting.timeline.last), "months", PLAN)


def _origins(catalogue: Catalogue, figures: list[Figure | None], why: Origin) -> Callable[[int], Origin]:
    def of_one(index: int) -> Origin:
        figure = figures[index]
        return why if figure is None else origin(catalogue, figure)

    return of_one
