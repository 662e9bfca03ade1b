"""The cost of each candidate of a market study: purchased, kept and rented.

A purchased fleet is charged to the work in full: from order to sale, over the years of the plan. All fleets of one
machine type are draws of one ledger. Only electricity depends on the work, in proportion to utilization, so fleets are
cached: another model or token count calculates no ledger again. Existing machines cost electricity and upkeep.

Rent is the cheapest offer that an accelerator and count can use. All offers are rows of one bill; of offers that bill
alike only the cheapest is a row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.ledger import Case, end
from planner.money.measures import monthly_discount_factors
from planner.money.owning import Ownership, machine, owned
from planner.money.owning.place import (
    network_fact,
    no_network_reason,
    power_shortfall_reason,
)
from planner.money.renting.bill import bills, cost_order
from planner.money.renting.cheapest_offer import FLAT_YEARS, RESERVED, UNBOUND, flat
from planner.money.renting.interruptions import LEAST_LEFT, add_interruptions, stretch
from planner.money.renting.offer_inputs import TERM_MONTHS, add_offer_inputs
from planner.money.renting.order_market import somebody_has
from planner.money.renting.orders import placement_limits
from planner.money.setting import PlanContext
from planner.scenario.base import DAYS_PER_MONTH, HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way
from planner.scenario.work import Work
from planner.speed.training.result import Interval
from planner.study.market.candidate import Rejection
from planner.study.market.hours_needed import WorkEstimate
from pricing import Catalogue
from pricing.belief import PriceEstimates, believed
from pricing.caching import cached
from pricing.orderable import Order, refusal_reason
from pricing.query import OfferFilter, find

Array = NDArray[np.float64]
W_PER_KW = 1_000.0
_NEARLY = 1e-9
NETWORK = "usd_per_accelerator_of_network"
CASES: tuple[Case, ...] = ("low", "typical", "high")
OF_ONE_MACHINE = ("usd_per_server", "usd_per_accelerator", "capex_usd", "running_usd_per_month", "rated_w_per_server")
_UTILIZATIONS = (0.0, 1.0)
_MONTHS = MONTHS_PER_YEAR * FLAT_YEARS


@dataclass(frozen=True, eq=False)
class FleetCosts:
    """The net present cost of a purchased fleet, each in three cases: low, typical, high."""

    idle_usd: Array  # over the plan, with nothing running
    busy_usd: Array  # added at full utilization; in proportion below
    months: Array  # in service, discounted too
    waits: Array  # months before delivery, discounted too
    lead_time_months: float
    age_days: int | None  # of the price; None for a price of your own


FleetsByCount = dict[int, FleetCosts | None]  # None: not sold in this count, or not enough power


def fleet_costs(
    catalogue: Catalogue, scenario: Scenario, counts: Mapping[str, Set[int]], day: date
) -> dict[str, FleetsByCount]:
    """Return the fleet costs by accelerator and count."""
    defaults = Scenario()
    ignored = ("name", "note", "work", "models", "measured", "seed", "ways")
    scenario = scenario.model_copy(update={name: getattr(defaults, name) for name in ignored})
    fleets = {}
    for key, sizes in counts.items():
        fleets[key] = cache = _cache(catalogue, scenario, key, day)
        missing = sorted(sizes - cache.keys())
        for context, group in _group_by_machine(catalogue, scenario, key, missing, day):
            cache.update(zip(group, _compute_fleet_costs(context, group), strict=True))
        for size in missing:
            cache.setdefault(size, None)
    return fleets


@cached(512, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *plan: plan)  # accelerators of some eight plans
def _cache(catalogue: Catalogue, scenario: Scenario, key: str, day: date) -> FleetsByCount:
    """The counts calculated so far, which the only caller adds to."""
    return {}


def _group_by_machine(
    catalogue: Catalogue, scenario: Scenario, key: str, counts: Iterable[int], day: date
) -> Iterable[tuple[PlanContext, list[int]]]:
    """Return the counts of an accelerator grouped by the machine to buy, each with the context of its purchase."""
    groups: dict[tuple[object, ...], tuple[PlanContext, list[int]]] = {}
    # Prices of your own belong to the accelerator they were entered for.
    own = scenario.own if key == scenario.accelerator else scenario.own.model_copy(update=dict.fromkeys(OF_ONE_MACHINE))
    for count in counts:
        update = {"accelerator": key, "own": own.model_copy(update={"accelerators": count})}
        context = PlanContext(catalogue, scenario.model_copy(update=update), day)
        hardware = machine(context)
        if hardware is not None and not power_shortfall_reason(context, count):
            machine_key = (hardware.what, hardware.accelerators, hardware.is_priced_whole, hardware.is_known_product)
            groups.setdefault(machine_key, (context, []))[1].append(count)
    return groups.values()


def _compute_fleet_costs(context: PlanContext, counts: Sequence[int]) -> list[FleetCosts]:
    """Calculate all counts of one machine type, idle and busy, each as a draw of one ledger."""
    sizes = np.array([float(count) for count in counts for _ in _UTILIZATIONS]).reshape(-1, 1)
    layer = DemandLayer(
        accelerator=context.scenario.accelerator, accelerators=sizes,
        busy_share=np.tile(_UTILIZATIONS, len(counts)).reshape(-1, 1), years=context.scenario.years,
        hours_per_session=1.0, storage_tb=0.0, egress_tb_per_month=0.0, site=context.scenario.site,
    )  # fmt: skip
    costs = [_cost(context.at_case(case), layer, sizes) for case in CASES]
    ownership = costs[CASES.index("typical")][0]
    lead_time_months = float(np.max(ownership.sheet.used["lead_time_months"].value))
    price = ownership.machine.price
    age_days = None if price is None else price.age_days(context.day)
    months, waits = (np.array([each[place] for _, _, each in costs]) for place in range(2))
    idle, busy = (np.array([usd[at :: len(_UTILIZATIONS)] for _, usd, _ in costs]) for at in range(len(_UTILIZATIONS)))
    return [
        FleetCosts(idle[:, at], (busy - idle)[:, at], months, waits, lead_time_months, age_days)
        for at in range(len(counts))
    ]


def _cost(context: PlanContext, layer: DemandLayer, counts: Array) -> tuple[Ownership, Array, tuple[float, float]]:
    """Return the net present cost of owning each draw over the plan, its discounted months in service and before it."""
    hardware = machine(context)
    assert hardware is not None  # else it is no candidate
    usd = {count: _network_usd(context, int(count)) for count in np.unique(counts)}
    network = np.array([usd[count] for count in counts[:, 0]]).reshape(-1, 1)
    context = context.with_tried({"many": (counts > hardware.accelerators).astype(np.float64), NETWORK: network})
    ownership = owned(context, layer)
    assert ownership is not None  # it has a machine
    worth = monthly_discount_factors(context)
    lines = [np.broadcast_to(line.usd, (len(counts), len(worth))) for line in ownership.lines]
    owns, waits = (float((np.broadcast_to(share, worth.shape) * worth).sum()) for share in
                   (ownership.holding.owns, ownership.holding.waits))  # fmt: skip
    return ownership, (np.sum(lines, axis=0) * worth).sum(axis=-1), (owns, waits)


def _network_usd(context: PlanContext, accelerators: int) -> float:
    """Return the network cost of each accelerator; each draw has a size of its own, and the size a price. [USD]"""
    own_usd = context.scenario.own.usd_per_accelerator_of_network
    if own_usd is not None or no_network_reason(context):
        return own_usd or 0.0
    return end(context.catalogue.facts[network_fact(context, accelerators)].figure.newest, context.case)


@dataclass(frozen=True)
class PurchaseCost:
    """The cost of owning for one estimate."""

    estimate: int  # its index
    usd: Interval  # net present cost of the run over the plan, or of a month, with the rent until delivery
    wait_days: float  # until the run can begin: none where rented machines bridge the delivery
    why_not: Rejection | None  # they come too late, or the run does not end while they are owned
    age_days: int | None  # of the price; None for a price of your own


def purchase_costs(query: RentalQuery, rent_usd: Mapping[int, float]) -> Iterator[PurchaseCost]:
    """Return the purchase cost of each estimate whose accelerator has a price.

    Until delivery the work is rented, as in a plan: at `rent_usd` for all of an estimate, where somebody has them.
    """
    estimates = query.estimates
    counts: dict[str, set[int]] = {}
    for estimate in estimates:
        counts.setdefault(estimate.accelerator, set()).add(estimate.at_once)
    fleets = fleet_costs(query.catalogue, query.scenario, counts, query.day)
    for index, estimate in enumerate(estimates):
        fleet = fleets[estimate.accelerator].get(estimate.at_once)
        cost = fleet and _purchase_cost(query, fleet, index, rent_usd.get(index))
        if cost and math.isfinite(cost.usd.typical):
            yield cost


def _purchase_cost(query: RentalQuery, fleet: FleetCosts, index: int, rent_usd: float | None) -> PurchaseCost:
    """Return the cost of a run, or of each month of continuous work, with the rent that bridges the delivery."""
    estimate, months, wait = query.estimates[index], query.scenario.months, fleet.lead_time_months
    run_months = estimate.hours.typical / estimate.at_once / HOURS_PER_DAY / DAYS_PER_MONTH
    is_bridged, ends = rent_usd is not None, months if query.monthly else min(run_months, months)
    bridge_usd = (rent_usd or 0.0) * np.array([estimate.hours.low, estimate.hours.typical, estimate.hours.high])
    bridge_usd /= estimate.hours.typical
    rejection = Rejection("too_late") if wait >= (ends if is_bridged else months) - _NEARLY else None
    rented_share = 0.0
    if not query.monthly:
        rented_share = min(wait / run_months, 1.0) if is_bridged else 0.0
        if rejection is None and run_months > months - (0.0 if is_bridged else wait) + _NEARLY:
            rejection = Rejection("outlasts_the_plan")
    utilization = run_months * (1 - rented_share) / (1.0 if query.monthly else months)
    usd = fleet.idle_usd + fleet.busy_usd * min(utilization, 1.0) + bridge_usd * rented_share
    if query.monthly:
        usd = usd + bridge_usd * fleet.waits
        spread = fleet.months + fleet.waits * is_bridged
        usd = np.divide(usd, spread, out=np.full(len(CASES), np.nan), where=spread > 0)
    low, typical, high = map(float, usd)
    band = Interval(min(low, typical), typical, max(high, typical))
    return PurchaseCost(index, band, 0.0 if is_bridged else wait * DAYS_PER_MONTH, rejection, fleet.age_days)


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
    hourly: frozenset[str] = frozenset({"on_demand"}) if query.monthly else UNBOUND
    kinds: list[tuple[Way, frozenset[str]]] = [("on_demand", hourly), ("reserved", frozenset(RESERVED))]
    if may_stop:
        kinds.append(("spot", frozenset({"spot"})))
    own_prices = {cost.estimate: cost for cost in _own_price_costs(query)}
    costs = list(own_prices.values())
    for way, purchases in kinds:
        rows = _offer_rows(query, purchases)
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
    prices: PriceEstimates  # on the day, among those that the estimate could use


def _offer_rows(query: RentalQuery, purchases: frozenset[str]) -> _OfferRows:
    catalogue, estimates, only = query.catalogue, query.estimates, query.scenario.rent.offer
    accelerators = frozenset(estimate.accelerator for estimate in estimates)
    by_accelerator: dict[str, list[str]] = {}
    for key in find(catalogue, OfferFilter(accelerators=accelerators, purchases=purchases), query.day).ids:
        by_accelerator.setdefault(catalogue.offers[key].accelerator, []).append(key)
    if only in catalogue.offers and catalogue.offers[only].purchase in purchases:
        by_accelerator[catalogue.offers[only].accelerator] = [only]
    residency = placement_limits(catalogue, query.scenario)
    counts = [max(estimate.at_once, estimate.accelerators, 1) for estimate in estimates]
    orders = [
        Order(count, min(estimate.together, count), residency)
        for count, estimate in zip(counts, estimates, strict=True)
    ]
    pairs = [(index, key) for index, it in enumerate(estimates) for key in by_accelerator.get(it.accelerator, ())]
    pairs = [(index, key) for index, key in pairs if refusal_reason(catalogue, key, orders[index]) is None
             and (key == only or somebody_has(catalogue, key, orders[index], query.day))]  # fmt: skip
    market = [(index, catalogue.offers[key].purchase) for index, key in pairs]
    prices = believed(catalogue, query.day, [key for _, key in pairs], market)
    kept = _cheapest_row_indices(catalogue, pairs, prices)
    keys = tuple(pairs[row][1] for row in kept)
    terms = np.array([TERM_MONTHS[catalogue.offers[key].purchase] for key in keys])
    return _OfferRows(np.array([pairs[row][0] for row in kept], dtype=np.intp), keys, terms, prices.rows(kept))


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
    """Return the cost of each row, and how many times as long the run takes."""
    context = flat(query.catalogue, Scenario(spot=query.scenario.spot), query.day)
    ones = np.ones(len(rows.offers))
    at_once, utilization = query.column(rows, "at_once"), query.column(rows, "busy_share") if query.monthly else ones
    session = np.clip(query.column(rows, "session_hours"), 0.01, HOURS_PER_YEAR)
    layer = DemandLayer(
        accelerator="", accelerators=at_once.reshape(-1, 1), busy_share=utilization.reshape(-1, 1), years=FLAT_YEARS,
        hours_per_session=session.reshape(-1, 1),  # type: ignore[arg-type] # a column, as the others are
        storage_tb=0.0, egress_tb_per_month=0.0, site="",
    )  # fmt: skip
    bill = bills(context, layer, rows.offers, prices=rows.prices, money="bills")
    if way == "reserved":
        monthly = (bill.total_usd - bill.part_usd("commitment")) / _MONTHS
        return monthly * (ones if query.monthly else _commitment_months(query, rows)), ones
    longer = _spot_stretch(context, query, rows) if way == "spot" else ones
    usd_per_hour = bill.total_usd / (_MONTHS * HOURS_PER_MONTH * at_once * utilization)
    hours = np.array([estimate.hours.typical for estimate in query.estimates])[rows.estimate]
    return usd_per_hour * hours * longer, longer


def _commitment_months(query: RentalQuery, rows: _OfferRows) -> Array:
    """Return the months paid for one run: as many whole terms as it takes."""
    days = np.array([0.0 if estimate.days is None else estimate.days.typical for estimate in query.estimates])
    terms = np.ceil(days[rows.estimate] / DAYS_PER_MONTH / rows.term_months - 1e-9)
    return np.maximum(terms, 1.0) * rows.term_months


def _spot_stretch(context: PlanContext, query: RentalQuery, rows: _OfferRows) -> Array:
    """Return how many times as long an interrupted job takes; not-a-number where it never ends."""
    scenario = context.scenario.model_copy(update={"work": (Work(may_stop=True),)})
    job = {"accelerators_per_job": query.column(rows, "together").reshape(-1, 1)}
    context = replace(context, scenario=scenario).with_tried(job)
    inputs = context.input_sheet()
    add_offer_inputs(inputs, context, rows.offers, RentalInputs(), prices=rows.prices)
    add_interruptions(inputs, context)
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
        yield RentalCost(index, way, rows.offers[row], float(usd[row]), float(longer[row]), age_days, months)
