"""What owning and renting cost every try of a market study.

A fleet bought for the work is charged to the work whole: from the order to the sale, over the years of the plan. What
is there already, where it is called by the name of an accelerator, costs its electricity and its upkeep.

Rent is the cheapest offer that an accelerator and number can use. All offers of all of them are rows of one bill; of
offers that bill alike only the cheapest is a row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.owning.inputs import add_power_price, add_staff_and_space
from planner.money.owning.place import existing_accelerator, existing_power, place_of
from planner.money.renting.bill import bills, cost_order
from planner.money.renting.cheapest_offer import FLAT_YEARS, RESERVED, UNBOUND, flat
from planner.money.renting.interruptions import LEAST_LEFT, add_interruptions, stretch
from planner.money.renting.offer_inputs import TERM_MONTHS, add_offer_inputs
from planner.money.renting.orders import placement_limits
from planner.money.setting import PlanContext
from planner.scenario.base import DAYS_PER_MONTH, HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR
from planner.scenario.own import ExistingHardware
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way
from planner.scenario.work import Work
from planner.speed.training.result import Interval
from planner.study.market.candidate import Lost, MarketCandidate
from planner.study.market.fleets import CASES, Fleet, fleet_costs
from planner.study.market.hours_needed import Task, WorkEstimate, work_estimates
from pricing import Catalogue
from pricing.belief import PriceEstimates, believed
from pricing.orderable import Order, ResidencyRequirement, refusal_reason
from pricing.query import OfferFilter, find

W_PER_KW = 1_000.0


@dataclass(frozen=True)
class Bought:
    """What owning costs one try."""

    doing: int  # the place of the try
    usd: Interval  # of the run, in today's money over the plan; or of a month while it is owned
    wait_days: float  # until the machines come
    what: str
    too_long: bool  # the run does not end while the machines are owned
    age_days: int | None  # of the price; none where it is yours


def bought(
    catalogue: Catalogue, scenario: Scenario, tries: Sequence[WorkEstimate], *, monthly: bool, day: date
) -> tuple[Bought, ...]:
    """Buying for every try whose accelerator has a price."""
    numbers: dict[str, set[int]] = {}
    for one in tries:
        numbers.setdefault(one.accelerator, set()).add(one.at_once)
    fleets = fleet_costs(catalogue, scenario, numbers, day)
    found = (
        _bought(fleet, one, place, None if monthly else scenario.months)
        for place, one in enumerate(tries)
        if (fleet := fleets[one.accelerator].get(one.at_once)) is not None
    )
    return tuple(one for one in found if math.isfinite(one.usd.typical))


def _bought(fleet: Fleet, one: WorkEstimate, place: int, months: float | None) -> Bought:
    """What a fleet costs one try: a run within so many months, or (None) each month of work that goes on."""
    busy = one.hours.typical / (one.at_once * HOURS_PER_MONTH) / (months or 1.0)
    usd = fleet.idle_usd + fleet.busy_usd * min(busy, 1.0)
    if months is None:
        usd = np.divide(usd, fleet.months, out=np.full(len(CASES), np.nan), where=fleet.months > 0)
    low, typical, high = map(float, usd)
    run_months = one.hours.typical / one.at_once / HOURS_PER_DAY / DAYS_PER_MONTH
    too_long = months is not None and run_months > months - fleet.wait_months + 1e-9
    ends = Interval(min(low, typical), typical, max(high, typical))
    return Bought(place, ends, fleet.wait_months * DAYS_PER_MONTH, fleet.what, too_long, fleet.age_days)


def existing_candidates(
    catalogue: Catalogue, task: Task, accelerators: Sequence[str], day: date
) -> Iterable[MarketCandidate]:
    """The work on machines that are kept. What these would fetch if they were sold is left to the plan."""
    kept = task.scenario.kept
    key = None if kept is None else existing_accelerator(catalogue, kept)
    if kept is None or key is None or (accelerators and key not in accelerators):
        return
    for one in work_estimates(catalogue, task, (key,), (kept.accelerators,), lambda _: None):
        why = one.why_not
        if not why and one.at_once > kept.accelerators:
            why = Lost("too_few", f"it takes {one.at_once:,} at once")
        usd = None if why else _existing_usd(catalogue, task, kept, one, day)
        yield MarketCandidate(
            key, kept.accelerators, "keep", None, None, one.days, usd, one.rate, one.layout, why, on_front=False,
            label=catalogue.accelerator_label(key), at_once=one.at_once, tpot_p99_ms=one.tpot_p99_ms,
        )  # fmt: skip


def _existing_usd(catalogue: Catalogue, task: Task, kept: ExistingHardware, one: WorkEstimate, day: date) -> Interval:
    """What the work costs on kept machines: power of busy and idle hours, and upkeep as long as the work lasts."""
    setting = PlanContext(catalogue, task.scenario, day)
    put = setting.input_sheet()
    add_power_price(put, setting)
    add_staff_and_space(put, setting)
    used = {name: float(one.value) for name, one in put.used.items()}
    power = existing_power(setting, kept)
    busy_w, idle_w, kw = (0.0, 0.0, 0.0) if power is None else (power.busy_w, power.idle_w, power.peak_kw)
    busy_w = busy_w if kept.power_w_each is None else kept.power_w_each
    idle_w = min(idle_w, busy_w) if kept.idle_power_w_each is None else kept.idle_power_w_each
    upkeep = kept.running_usd_per_month
    if upkeep is None:
        people = kept.accelerators * used["fte_per_accelerator"] * used["usd_per_fte_year"] / MONTHS_PER_YEAR
        upkeep = people + (0.0 if place_of(setting).builds_room else kw * used["usd_per_kw_month"])

    def at(hours: float) -> float:
        months = 1.0 if task.monthly else hours / kept.accelerators / HOURS_PER_MONTH
        idle = max(kept.accelerators * months * HOURS_PER_MONTH - hours, 0.0)
        kwh = (hours * busy_w + idle * idle_w) / W_PER_KW
        return kwh * used["usd_per_kwh"] * used["pue"] + months * upkeep

    return Interval(at(one.hours.low), at(one.hours.typical), at(one.hours.high))


Array = NDArray[np.float64]
_MONTHS = MONTHS_PER_YEAR * FLAT_YEARS


@dataclass(frozen=True)
class RentalCost:
    """The offer one try takes, and what it costs."""

    doing: int  # the place of the try
    way: Way
    offer: str | None  # none where the price is yours
    usd: float  # of the run, or of a month
    longer: float  # how many times as long it takes: spot machines are taken away
    age_days: int | None
    bound_months: float  # 0 where nothing is bound for longer than the work


@dataclass(frozen=True, eq=False)
class RentalQuery:
    """What is to be hired: tries in hours, and whether they go on month by month."""

    catalogue: Catalogue
    scenario: Scenario
    tries: Sequence[WorkEstimate]
    monthly: bool
    day: date

    def column(self, rows: _OfferRows, name: str) -> Array:
        """One number of the try of each row."""
        return np.array([float(getattr(one, name)) for one in self.tries])[rows.doing]


def rented(hiring: RentalQuery, *, may_stop: bool) -> tuple[RentalCost, ...]:
    """On demand, reserved, and where the work may stop spot: the cheapest whole bill of each try."""
    once: frozenset[str] = frozenset({"on_demand"}) if hiring.monthly else UNBOUND
    kinds: list[tuple[Way, frozenset[str]]] = [("on_demand", once), ("reserved", frozenset(RESERVED))]
    if may_stop:
        kinds.append(("spot", frozenset({"spot"})))
    found: list[RentalCost] = []
    for way, purchases in kinds:
        rows = _rows(hiring, purchases)
        if rows.offers:
            found += _cheapest(hiring, rows, way, *_usd(hiring, rows, way))
    yours = {one.doing: one for one in _user_price_costs(hiring)}
    kept = (one for one in found if one.way != "on_demand" or one.doing not in yours)
    return (*yours.values(), *kept)


def _user_price_costs(hiring: RentalQuery) -> Iterator[RentalCost]:
    """Your own price for an hour of the plan's accelerator; it wins over all that are published."""
    rent, named = hiring.scenario.rent, hiring.scenario.accelerator
    usd_per_hour, machine = rent.usd_per_accelerator_hour, rent.accelerators_per_machine or 1
    for place, one in enumerate(hiring.tries):
        if usd_per_hour is not None and one.accelerator == named:
            billed = -(-one.at_once // machine) * machine / one.at_once
            usd = one.hours.typical * billed * usd_per_hour
            yield RentalCost(place, "on_demand", None, usd, 1.0, None, 0.0)


@dataclass(frozen=True, eq=False)
class _OfferRows:
    """Offers that a try could take, one row each; rows of a try stand together."""

    doing: NDArray[np.intp]
    offers: tuple[str, ...]
    term_months: Array
    prices: PriceEstimates  # what each is worth on the day, among those that its try could take


def _rows(hiring: RentalQuery, purchases: frozenset[str]) -> _OfferRows:
    catalogue, tries, day = hiring.catalogue, hiring.tries, hiring.day
    wanted = frozenset(one.accelerator for one in tries)
    wish = OfferFilter(accelerators=wanted, purchases=purchases)
    by_chip: dict[str, list[str]] = {}
    only = hiring.scenario.rent.offer
    for key in find(catalogue, wish, day).ids:
        by_chip.setdefault(catalogue.offers[key].accelerator, []).append(key)
    if only in catalogue.offers and catalogue.offers[only].purchase in purchases:
        by_chip[catalogue.offers[only].accelerator] = [only]
    stay = placement_limits(catalogue, hiring.scenario)
    orders = [_order(one, stay) for one in tries]
    pairs = [
        (place, key)
        for place, one in enumerate(tries)
        for key in by_chip.get(one.accelerator, ())
        if refusal_reason(catalogue, key, orders[place]) is None
    ]
    market = [(place, catalogue.offers[key].purchase) for place, key in pairs]
    prices = believed(catalogue, day, [key for _, key in pairs], market)
    kept = _cheapest_row_indices(catalogue, pairs, prices)
    keys = tuple(pairs[row][1] for row in kept)
    terms = np.array([TERM_MONTHS[catalogue.offers[key].purchase] for key in keys])
    return _OfferRows(np.array([pairs[row][0] for row in kept], dtype=np.intp), keys, terms, prices.rows(kept))


def _order(one: WorkEstimate, stay: ResidencyRequirement) -> Order:
    """What a try wants at once, and how many of them work on one job."""
    at_once = max(one.at_once, one.accelerators, 1)
    return Order(at_once, min(one.together, at_once), stay)


def _cheapest_row_indices(catalogue: Catalogue, pairs: Sequence[tuple[int, str]], prices: PriceEstimates) -> list[int]:
    """The rows to reckon: of the offers of one seller, one machine and one term that a try could take, the cheapest."""
    best: dict[tuple[object, ...], int] = {}
    usd = prices.typical.tolist()
    for row, (place, key) in enumerate(pairs):
        offer = catalogue.offers[key]
        alike = (place, offer.provider, offer.accelerators_per_instance, offer.purchase)
        if np.isfinite(usd[row]) and usd[row] < usd[best.setdefault(alike, row)]:
            best[alike] = row
    return sorted(row for row in best.values() if np.isfinite(usd[row]))


def _usd(hiring: RentalQuery, rows: _OfferRows, way: Way) -> tuple[Array, Array]:
    """What each row costs, and how many times as long it takes."""
    setting = flat(hiring.catalogue, Scenario(spot=hiring.scenario.spot), hiring.day)
    busy = hiring.column(rows, "busy_share") if hiring.monthly else np.ones(len(rows.offers))
    among = bills(setting, _rows_layer(hiring, rows, busy), rows.offers, prices=rows.prices, money="bills")
    if way == "reserved":
        fleet_month = (among.total_usd - among.part_usd("commitment")) / _MONTHS
        months = np.ones(len(rows.offers)) if hiring.monthly else _commitment_months(hiring, rows)
        return fleet_month * months, np.ones(len(rows.offers))
    longer = _stretch(setting, hiring, rows) if way == "spot" else np.ones(len(rows.offers))
    each = among.total_usd / (_MONTHS * HOURS_PER_MONTH * hiring.column(rows, "at_once") * busy)
    hours = np.array([one.hours.typical for one in hiring.tries])[rows.doing]
    return each * hours * longer, longer


def _rows_layer(hiring: RentalQuery, rows: _OfferRows, busy: Array) -> DemandLayer:
    session = np.clip(hiring.column(rows, "session_hours"), 0.01, HOURS_PER_YEAR)
    return DemandLayer(
        accelerator="",
        accelerators=hiring.column(rows, "at_once").reshape(-1, 1),
        busy_share=busy.reshape(-1, 1),
        years=FLAT_YEARS,
        hours_per_session=session.reshape(-1, 1),  # type: ignore[arg-type] # a column, as the others are
        storage_tb=0.0,
        egress_tb_per_month=0.0,
        site="",
    )


def _commitment_months(hiring: RentalQuery, rows: _OfferRows) -> Array:
    """Months that are paid for one run: whole terms, as many as it takes."""
    days = np.array([0.0 if one.days is None else one.days.typical for one in hiring.tries])[rows.doing]
    return np.maximum(np.ceil(days / DAYS_PER_MONTH / rows.term_months - 1e-9), 1.0) * rows.term_months


def _stretch(setting: PlanContext, hiring: RentalQuery, rows: _OfferRows) -> Array:
    """How many times as long a job takes that is interrupted; not-a-number where it never ends."""
    stops = setting.scenario.model_copy(update={"work": (Work(may_stop=True),)})
    of_job = {"accelerators_per_job": hiring.column(rows, "together").reshape(-1, 1)}
    there = replace(setting, scenario=stops).with_tried(of_job)
    basis = there.input_sheet()
    add_offer_inputs(basis, there, rows.offers, RentalInputs(), prices=rows.prices)
    add_interruptions(basis, there)
    longer = stretch(basis)
    times = np.where(longer.is_found, longer.value, np.nan)
    return np.broadcast_to(np.where(times < 1 / LEAST_LEFT, times, np.nan).reshape(-1), len(rows.offers))


def _cheapest(hiring: RentalQuery, rows: _OfferRows, way: Way, usd: Array, longer: Array) -> list[RentalCost]:
    """For each try its cheapest row; of equals the first by id."""
    best: dict[int, int] = {}
    for row in cost_order(usd, rows.offers)[: int(np.isfinite(usd).sum())].tolist():
        best.setdefault(int(rows.doing[row]), row)
    return [
        RentalCost(
            doing, way, rows.offers[row], float(usd[row]), float(longer[row]), round(float(rows.prices.age_days[row])),
            float(rows.term_months[row]) if way == "reserved" else 0.0,
        )
        for doing, row in best.items()
    ]  # fmt: skip
