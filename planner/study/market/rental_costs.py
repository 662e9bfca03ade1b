"""The cost of each candidate of a market study that is rented.

It is what such an order pays on the market, at the machines of the seller that the market names; a quote of yours and a
named offer keep their price. All are rows of one bill.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.renting.bill import bills, cost_order
from planner.money.renting.cheapest_offer import FLAT_YEARS, RESERVED, UNBOUND, flat
from planner.money.renting.interruptions import LEAST_LEFT, add_interruptions, stretch
from planner.money.renting.offer_inputs import TERM_MONTHS, add_offer_inputs
from planner.money.renting.order_market import at_market, placeable
from planner.money.renting.orders import nearest, placement_limits
from planner.money.selling import FEE, SOLD_SHARE
from planner.money.setting import PlanContext
from planner.money.ways import WAYS
from planner.scenario.base import DAYS_PER_MONTH, HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR
from planner.scenario.rent import RentalInputs, accepts_hosts
from planner.scenario.scenario import ANY_ACCELERATOR, USUAL_ACCELERATOR, Scenario
from planner.scenario.ways import Way
from planner.scenario.work import Work
from planner.study.market.hours_needed import WorkEstimate
from pricing import Catalogue
from pricing.belief import PriceEstimates, believed
from pricing.market.band import OrderBand
from pricing.market.depth import DAY_MONTHS, Purchase
from pricing.market.sellers import band_of, listed
from pricing.orderable import Order, refusal_reason, sales

Array = NDArray[np.float64]

_MONTHS = MONTHS_PER_YEAR * FLAT_YEARS
_MOST_PAID = 2.0  # no term is discounted by more than a half against another


@dataclass(frozen=True)
class RentalCost:
    """The offer of one estimate, and its cost."""

    estimate: int  # its index
    way: Way
    offer: str | None  # None for a price of your own
    usd: float  # of the run, or of a month
    stretch: float  # spot interruptions make the run so many times as long
    age_days: int | None
    commitment_months: float  # 0 where nothing is committed beyond the work
    band: OrderBand | None = None  # what such an order pays; None at a price of your own or of a named offer


@dataclass(frozen=True, eq=False)
class RentalQuery:
    """Estimates in hours to rent, of one run or month by month."""

    catalogue: Catalogue
    scenario: Scenario
    estimates: Sequence[WorkEstimate]
    monthly: bool
    day: date

    def column(self, rows: _OfferRows, name: str) -> Array:
        """Return one number of the estimate of each row."""
        return np.array([float(getattr(estimate, name)) for estimate in self.estimates])[rows.estimate]


def rental_costs(query: RentalQuery, *, may_stop: bool) -> tuple[RentalCost, ...]:
    """Return on demand, reserved and, for work that may stop, spot: the cheapest whole bill of each estimate."""
    renting = [spec for spec in WAYS.values() if spec.rents_machines and spec.layer]  # those that a mix has too
    own_prices = {cost.estimate: cost for cost in _own_price_costs(query)}
    costs = list(own_prices.values())
    for way in (spec.key for spec in renting if may_stop or not spec.fallback_kind):
        rows = _offer_rows(query, way)
        cheapest = _cheapest_offers(query, rows, way) if rows.offers else ()
        costs += (cost for cost in cheapest if way != "on_demand" or cost.estimate not in own_prices)
    return tuple(costs)


def _own_price_costs(query: RentalQuery) -> Iterator[RentalCost]:
    """Return the cost at your own hourly price for the plan's accelerator; it replaces all published prices."""
    rent = query.scenario.rent
    usd_per_hour, size = rent.usd_per_accelerator_hour, rent.accelerators_per_machine or 1
    for index, estimate in enumerate(query.estimates):
        if usd_per_hour is not None and estimate.accelerator == query.scenario.accelerator:
            billed = -(-estimate.at_once // size) * size / estimate.at_once
            usd = estimate.hours.typical * billed * usd_per_hour
            yield RentalCost(index, "on_demand", None, usd, 1.0, None, 0.0)


@dataclass(frozen=True, eq=False)
class _OfferRows:
    """Offers that an estimate could use, one row each; rows of an estimate are adjacent."""

    estimate: NDArray[np.intp]
    offers: tuple[str, ...]
    term_months: Array
    prices: PriceEstimates  # that the orders pay
    bands: tuple[OrderBand | None, ...]


class _Row(NamedTuple):
    row: int  # of the priced pairs of an estimate and an offer
    months: float
    band: OrderBand | None


def _purchases(query: RentalQuery, way: Way) -> frozenset[str]:
    """Return the kinds of offers of a way to pay; a contract that no seller publishes starts from one on demand."""
    if way == "reserved":
        return frozenset({*RESERVED, "on_demand"})
    return frozenset({"spot"}) if way == "spot" else frozenset({"on_demand"}) if query.monthly else UNBOUND


def _offer_rows(query: RentalQuery, way: Way) -> _OfferRows:
    catalogue, estimates = query.catalogue, query.estimates
    purchases = _purchases(query, way)
    keys = {chip: _keys(query, chip, way, purchases) for chip in dict.fromkeys(it.accelerator for it in estimates)}
    orders = [_order(query, index) for index in range(len(estimates))]
    pairs = [
        (index, key) for index, it in enumerate(estimates) for key in keys[it.accelerator]
        if refusal_reason(catalogue, key, orders[index]) is None
    ]  # fmt: skip
    prices = believed(
        catalogue, query.day, [key for _, key in pairs], [(at, catalogue.offers[key].purchase) for at, key in pairs]
    )
    groups: dict[int, list[int]] = {}
    for row in _cheapest_row_indices(catalogue, pairs, prices):
        groups.setdefault(pairs[row][0], []).append(row)
    rows = [row for index, group in groups.items() for row in _placed(query, prices, orders[index], way, index, group)]
    at, bands = [row.row for row in rows], tuple(row.band for row in rows)
    return _OfferRows(
        np.array([pairs[row][0] for row in at], dtype=np.intp), tuple(pairs[row][1] for row in at),
        np.array([row.months for row in rows]), at_market(catalogue, prices.rows(at), bands), bands,
    )  # fmt: skip


def _order(query: RentalQuery, index: int) -> Order:
    estimate = query.estimates[index]
    count = max(estimate.at_once, estimate.accelerators, 1)
    hosts = accepts_hosts(count, query.scenario.rent.hosts_of_others)
    order = Order(count, min(estimate.together, count), placement_limits(query.catalogue, query.scenario), hosts)
    if query.scenario.residency != "near" or order.stay.countries:
        return order
    chip, one = estimate.accelerator, order
    if query.scenario.accelerator == ANY_ACCELERATOR:  # one place for all chips, or it would choose among them
        chip, one = USUAL_ACCELERATOR, Order(stay=order.stay)
    return replace(order, stay=nearest(query.catalogue, query.scenario.site, chip, one, query.day))


def unavailable_reason(query: RentalQuery, index: int) -> str | None:
    """Return why an estimate cannot be rented by the hour: the market likely lacks so many; None where it does not."""
    order = _order(query, index)
    band = band_of(query.catalogue, query.estimates[index].accelerator, order, query.day, "on_demand")
    if band is None or band.standing != "unavailable":
        return None
    return f"{band.even_chance_count:,} at once are, with an even chance"


def _keys(query: RentalQuery, chip: str, way: Way, purchases: frozenset[str]) -> tuple[str, ...]:
    offers, only = query.catalogue.offers, query.scenario.rent.offer
    named = offers.get(only or "")
    if only and named and named.accelerator == chip and named.purchase in purchases and way != "reserved":
        return (only,)
    return listed(query.catalogue, chip, purchases, query.day)


def _placed(
    query: RentalQuery, prices: PriceEstimates, order: Order, way: Way, index: int, group: Sequence[int]
) -> Iterator[_Row]:  # fmt: skip
    """Return where an estimate is rented on the market, for each term that may be the cheapest."""
    catalogue, chip = query.catalogue, query.estimates[index].accelerator
    buying: Purchase = "reserved" if way == "reserved" else "spot" if way == "spot" else "on_demand"
    only = query.scenario.rent.offer
    for kind, months in _terms(query, index) if buying == "reserved" else ((buying, 0.0),):
        is_named = [prices.keys[row] for row in group] == [only]
        band = None if is_named else band_of(catalogue, chip, order, query.day, buying, months or DAY_MONTHS)
        rows = list(group) if band is None and not months else _of_kind(query, prices, group, kind, band is None)
        keys, usd = [prices.keys[row] for row in rows], [float(prices.typical[row]) for row in rows]
        for at in placeable(catalogue, keys, usd, band, order.accelerators):
            yield _Row(rows[at], months, band)


def _of_kind(
    query: RentalQuery, prices: PriceEstimates, group: Sequence[int], kind: str, published_only: bool
) -> list[int]:
    """Return the rows of one purchase; of the market also those on demand, where a seller publishes no such term."""
    catalogue = query.catalogue
    own = [row for row in group if catalogue.offers[prices.keys[row]].purchase == kind]
    if published_only:
        return own
    sellers = {catalogue.offers[prices.keys[row]].provider for row in own}
    others = (row for row in group if catalogue.offers[prices.keys[row]].purchase == "on_demand" and row not in own)
    return own + [
        row for row, key in ((row, prices.keys[row]) for row in others)
        if not sales(catalogue)[key].is_your_price and catalogue.offers[key].provider not in sellers
    ]  # fmt: skip


def _terms(query: RentalQuery, index: int) -> Iterator[tuple[str, float]]:
    """Return the terms of contracts within the plan; for one run those paid for at most twice as long as another."""
    terms = [(kind, TERM_MONTHS[kind]) for kind in sorted(RESERVED)]
    if query.monthly:
        return (term for term in terms if term[1] <= max(query.scenario.months, 1.0))
    paid = {kind: _paid_months(query.estimates[index], months) for kind, months in terms}
    return (term for term in terms if paid[term[0]] <= _MOST_PAID * min(paid.values()))


def _paid_months(estimate: WorkEstimate, term_months: float) -> float:
    days = 0.0 if estimate.days is None else estimate.days.typical
    return max(math.ceil(days / DAYS_PER_MONTH / term_months - 1e-9), 1) * term_months


def _cheapest_row_indices(catalogue: Catalogue, pairs: Sequence[tuple[int, str]], prices: PriceEstimates) -> list[int]:
    """Return the cheapest row of each estimate, seller, machine size and term."""
    best: dict[tuple[object, ...], int] = {}
    usd = prices.typical.tolist()
    for row, (index, key) in enumerate(pairs):
        offer = catalogue.offers[key]
        group = (index, offer.provider, offer.accelerators_per_instance, offer.purchase)
        if np.isfinite(usd[row]) and usd[row] < usd[best.setdefault(group, row)]:
            best[group] = row
    return sorted(row for row in best.values() if np.isfinite(usd[row]))


def _row_costs(query: RentalQuery, rows: _OfferRows, way: Way) -> tuple[Array, Array]:
    context = flat(query.catalogue, Scenario(spot=query.scenario.spot), query.day)
    ones, is_reserved = np.ones(len(rows.offers)), way == "reserved"
    at_once = query.column(rows, "at_once")
    utilization = query.column(rows, "busy_share") if query.monthly and not is_reserved else ones
    session = np.clip(query.column(rows, "session_hours"), 0.01, HOURS_PER_YEAR)
    session = np.where(is_reserved, HOURS_PER_YEAR, session)
    layer = DemandLayer(
        accelerator="", accelerators=at_once.reshape(-1, 1), busy_share=utilization.reshape(-1, 1), years=FLAT_YEARS,
        hours_per_session=session.reshape(-1, 1),  # type: ignore[arg-type] # a column, as the others are
        storage_tb=0.0, egress_tb_per_month=0.0, site="",
    )  # fmt: skip
    bill = bills(context, layer, rows.offers, prices=rows.prices, money="bills")
    if is_reserved:  # paid busy or idle
        monthly = (bill.total_usd - bill.part_usd("commitment")) / _MONTHS
        if query.monthly:
            return monthly, ones
        estimates = [query.estimates[index] for index in rows.estimate]
        paid = np.array([_paid_months(it, term) for it, term in zip(estimates, rows.term_months, strict=True)])
        idle_hours = at_once * paid * HOURS_PER_MONTH - [it.hours.typical for it in estimates]
        return monthly * paid - np.maximum(idle_hours, 0.0) * _sold_usd_per_hour(query), ones
    longer = _spot_stretch(context, query, rows) if way == "spot" else ones
    usd_per_hour = bill.total_usd / (_MONTHS * HOURS_PER_MONTH * at_once * utilization)
    hours = np.array([estimate.hours.typical for estimate in query.estimates])[rows.estimate]
    return usd_per_hour * hours * longer, longer


def _sold_usd_per_hour(query: RentalQuery) -> float:
    """Return what an unused hour of a term brings: nothing, unless the plan sells hours of reservations. [USD]"""
    sell, facts = query.scenario.sell, query.catalogue.facts
    if sell is None or not sell.reserved or sell.usd_per_accelerator_hour is None:
        return 0.0
    share, fee = (
        facts[name].figure.newest.typical if yours is None else yours
        for name, yours in ((SOLD_SHARE, sell.share_sold), (FEE, sell.fee_share))
    )
    return sell.usd_per_accelerator_hour * share * (1 - fee)


def _spot_stretch(context: PlanContext, query: RentalQuery, rows: _OfferRows) -> Array:
    """Return how many times as long an interrupted job takes; not-a-number where it never ends."""
    scenario = context.scenario.model_copy(update={"work": (Work(may_stop=True),)})
    job = {"accelerators_per_job": query.column(rows, "together").reshape(-1, 1)}
    context = replace(context, scenario=scenario).with_tried(job)
    inputs = context.input_sheet()
    add_offer_inputs(inputs, context, rows.offers, RentalInputs(), prices=rows.prices)
    add_interruptions(inputs, context, [query.catalogue.offers[key].accelerator for key in rows.offers])
    result = stretch(inputs)
    times = np.where(result.is_found, result.value, np.nan)
    return np.broadcast_to(np.where(times < 1 / LEAST_LEFT, times, np.nan).reshape(-1), len(rows.offers))


def _cheapest_offers(query: RentalQuery, rows: _OfferRows, way: Way) -> Iterator[RentalCost]:
    """Return the cheapest row of each estimate; of equals the first by id."""
    usd, longer = _row_costs(query, rows, way)
    best: dict[int, int] = {}
    for row in cost_order(usd, rows.offers)[: int(np.isfinite(usd).sum())].tolist():
        best.setdefault(int(rows.estimate[row]), row)
    for index, row in best.items():
        months = float(rows.term_months[row]) if way == "reserved" else 0.0
        age_days = round(float(rows.prices.age_days[row]))
        band = None if rows.prices.yours[row] else rows.bands[row]
        yield RentalCost(index, way, rows.offers[row], float(usd[row]), float(longer[row]), age_days, months, band)
