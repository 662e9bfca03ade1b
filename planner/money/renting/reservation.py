"""Reserving: machines bound for terms, paid busy or idle, by the month or before each term; the rest is on demand.

The schedule is decided once (planner.money.renting.bookings). A tier of machines is reserved for one term
after the other; the next tier stands above it. Each reservation holds as many as its busiest month asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer, in_short
from planner.money.formula import Num, formula
from planner.money.ledger import COMPUTED, RESERVED, YOUR_INPUT, InputSheet, LeaseContract, Line
from planner.money.price_path import add_rent_path
from planner.money.renting.bill import BILLED, drop_zero_lines, rent_lines, with_support
from planner.money.renting.offer_inputs import (
    LOST,
    PRICE,
    SET_AFTER,
    TERM_MONTHS,
    add_demand_inputs,
    add_offer_inputs,
    estimated_prices,
)
from planner.money.setting import PlanContext, Reservation, ReservationTier
from planner.money.sizing import NEARLY, deferrable_capacity_share, right_size
from planner.money.timeline import PLAN
from planner.scenario.base import DAYS_PER_MONTH
from planner.scenario.durations import months_words
from planner.scenario.rent import RentalInputs, ReservationInputs
from pricing.quotes.records import user_record_id

Array = NDArray[np.float64]
Contract = tuple[str | None, float]  # an offer, or your own price, and the months it binds for
LEASE_MONTHS = 12.0
_PURCHASES = {months: kind for kind, months in TERM_MONTHS.items()}
LEASE = "may hold an embedded lease: ask accounting"
_NONE = -1


@dataclass(frozen=True, eq=False)
class ReservedPart:
    """The lines of the reservations of one tier at one offer for one term."""

    step: int
    tier: ReservationTier
    contract: Contract
    lines: tuple[Line, ...]
    over_months: float  # that the last of them runs on after the plan
    sheet: InputSheet  # reserved machines and their utilization by month, for dependent lines


@dataclass(frozen=True, eq=False)
class ReservationBill:
    """The reservations, the rest of the work, and the share of each month in which there is any."""

    parts: tuple[ReservedPart, ...]
    rest: DemandLayer
    after: Array
    tiers: tuple[ReservationTier, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of all tiers."""
        return tuple(line for part in self.parts for line in part.lines)

    @property
    def over_months(self) -> float:
        """The time that the last reservation runs on after the plan. [month]"""
        return max((part.over_months for part in self.parts), default=0.0)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the commitment."""
        bound = max((booking.term_months for tier in self.tiers for booking in tier.bookings), default=0.0)
        lease = (f"bound for {months_words(bound)}: {LEASE}",) if bound >= LEASE_MONTHS else ()
        over = self.over_months
        after = f"bound for {months_words(over)} after the plan ends, which are paid"
        return (*lease, after) if over > NEARLY else lease


def term_months(setting: PlanContext, offer: str | None) -> float | None:
    """Return the term: yours, else that of the offer; None where there is neither. [month]"""
    yours = setting.scenario.reserve.term
    if yours is not None:
        return TERM_MONTHS[yours]
    return (TERM_MONTHS[setting.catalogue.offers[offer].purchase] or None) if offer is not None else None


def work_of(setting: PlanContext) -> DemandLayer:
    """Return the work to reserve for where nothing is owned: all, or the part that the right size does."""
    size = right_size(setting)
    return (
        setting.demand.all
        if size is None
        else setting.demand.between(0, size, deferrable_capacity_share(setting, size))
    )


def all_along(setting: PlanContext) -> tuple[ReservationTier, ...]:
    """Return the reservations of machines that are needed all the time, such as a layer of a mix."""
    return (ReservationTier(setting.offers.base_reservations),)


def reserving(setting: PlanContext, need: DemandLayer, tiers: tuple[ReservationTier, ...]) -> ReservationBill:
    """Return the bill of reserved machines, tier by tier, and the rest of the work."""
    runs, months = setting.timeline.runs, setting.timeline.last + 1
    wants = _once(np.asarray(need.accelerators, dtype=np.float64))
    demanded = np.broadcast_to(wants, (*wants.shape[:-1], months))
    done, parts = np.zeros_like(demanded), list[ReservedPart]()
    beneath = np.zeros_like(demanded)
    for step, tier in enumerate(tiers, start=1):
        number = _booking_number(tier, months)
        above = np.maximum(demanded - beneath, 0.0)
        many = _held(tier, number, above)
        works = np.minimum(above, many)
        done, beneath = done + works, beneath + many
        machines = _HeldMachines(demanded, number, many, works)
        for contract in dict.fromkeys((booking.offer, booking.term_months) for booking in tier.bookings):
            parts += _part(setting, need, (step, tier), contract, machines.at(tier, contract))
    none = demanded <= NEARLY  # no machines are wanted, but data may be kept
    share = np.where(none, 1.0, (demanded - done) / np.where(none, 1.0, demanded))
    rest = _with_data(replace(need, accelerators=in_short(demanded - done)), share)
    return ReservationBill(tuple(parts), rest, np.asarray(runs * (share > NEARLY)), tiers)


def _once(above: Array) -> Array:
    """The same demand in all futures, once for all of them: then so are reservations."""
    return above[0] if above.ndim == 2 and bool(np.all(above == above[:1])) else above


def _booking_number(tier: ReservationTier, months: int) -> NDArray[np.intp]:
    """The reservation in force in each month, today being the first month; -1 where none is."""
    number = np.full(months, _NONE)
    for place, booking in enumerate(tier.bookings):
        first = booking.after_months + 1 if booking.after_months else 0
        number[first : int(np.ceil(booking.until - NEARLY)) + 1] = place
    return number


def _held(tier: ReservationTier, number: NDArray[np.intp], above: Array) -> Array:
    """The machines of each month: as many for a whole reservation as its busiest month wants, up to the tier's most."""
    if tier.is_fixed:
        return np.broadcast_to(np.where(number > _NONE, float(tier.most or 0), 0.0), above.shape)
    first = np.flatnonzero(np.diff(number, prepend=_NONE - 1))
    group = np.cumsum(np.diff(number, prepend=_NONE - 1) != 0) - 1
    most = np.maximum.reduceat(above, first, axis=-1)[..., group] * (number > _NONE)
    return most if tier.most is None else np.minimum(most, float(tier.most))


@dataclass(frozen=True, eq=False)
class _HeldMachines:
    """By month, perhaps in several draws: the demand, the reservation in force, its machines, and those at work."""

    wanted: Array
    number: NDArray[np.intp]
    many: Array
    works: Array

    def at(self, tier: ReservationTier, contract: Contract) -> _HeldMachines:
        """The reservations at one offer for one term alone."""
        is_of = np.array([(booking.offer, booking.term_months) == contract for booking in tier.bookings])
        is_used = (self.number > _NONE) & is_of[self.number]
        many, works = np.where(is_used, self.many, 0.0), np.where(is_used, self.works, 0.0)
        return _HeldMachines(self.wanted, np.where(is_used, self.number, _NONE), many, works)

    def served_layer(self, need: DemandLayer) -> DemandLayer:
        """Return the part of the work that they do."""
        busy = need.busy_share * self.works / np.where(self.many > NEARLY, self.many, 1.0)
        share = self.works / np.where(self.wanted > NEARLY, self.wanted, 1.0)
        return _with_data(replace(need, accelerators=in_short(self.many), busy_share=in_short(np.asarray(busy))), share)


def _part(
    setting: PlanContext,
    need: DemandLayer,
    at: tuple[int, ReservationTier],
    contract: Contract,
    machines: _HeldMachines,
) -> Iterator[ReservedPart]:
    """The bill of the reservations of a tier at one offer for one term."""
    (step, tier), timeline, reserve, (offer, term) = at, setting.timeline, setting.scenario.reserve, contract
    bound = np.asarray(timeline.runs * (machines.many > NEARLY))
    if not bound.any():
        return
    last = tier.bookings[int(machines.number.max())]
    over, ends = max(last.until - timeline.months, 0.0), timeline.ends * (machines.many[..., -1:] > NEARLY)
    layer, own, sheet = machines.served_layer(need), user_rent_terms(setting), setting.input_sheet()
    add_demand_inputs(sheet, setting, layer)
    sheet.add("runs", timeline.runs if np.array_equal(bound, timeline.runs) else bound, "share of each month", PLAN)
    sheet.add("months", last.term_months - over, "months of the last reservation within the plan", PLAN)
    sheet.add("ends", ends, "1 in the last month, else 0", PLAN)
    is_listed = offer is not None and TERM_MONTHS[setting.catalogue.offers[offer].purchase] == term
    add_offer_inputs(sheet, setting, () if offer is None else (offer,), own, None if is_listed else (term,))
    begins = np.array([float(booking.after_months) for booking in tier.bookings])[machines.number] * (
        machines.number > _NONE
    )
    sheet.add(SET_AFTER, begins, "months", PLAN)
    by_month = sheet.copy()
    flags = _add_prepayments(sheet, layer, bound, begins) if reserve.prepaid else {}
    _add_volume_price(sheet, reserve)
    lines = rent_lines(sheet, setting, add_rent_path(sheet, setting, np.asarray(sheet.used[SET_AFTER].value)), **flags)
    if not setting.row_axes:
        booked = _booked(tier, machines, is_prepaid=reserve.prepaid)
        lines = tuple(replace(line, contract=booked) if line.part in RESERVED else line for line in lines)
    lines = with_support(sheet, drop_zero_lines(sheet, lines), own.support_share)
    yield ReservedPart(step, tier, contract, lines, over if ends.any() else 0.0, by_month)


def _booked(tier: ReservationTier, machines: _HeldMachines, *, is_prepaid: bool) -> LeaseContract:
    """Return the reservations with machines as the books have them; what is billed by use is no part of them."""
    bookings = map(tier.bookings.__getitem__, np.unique(machines.number[machines.many > NEARLY]).tolist())
    terms = ((booking.after_months, int(booking.term_months)) for booking in bookings)
    return LeaseContract("reservation", tuple(terms), "prepaid" if is_prepaid else "arrears")


def _with_data(need: DemandLayer, share: Array) -> DemandLayer:
    part = in_short(share)
    return replace(need, storage_tb=need.storage_tb * part, egress_tb_per_month=need.egress_tb_per_month * part)


def _add_volume_price(sheet: InputSheet, reserve: ReservationInputs) -> None:
    """Your price for as many machines as are billed, where you have one for a volume; it holds for all of them."""
    if not reserve.volume:
        return
    many = np.asarray(formula(BILLED)({name: item.value for name, item in sheet.used.items()}))
    usd = volume_price(reserve, many, np.asarray(sheet.used[PRICE].value, dtype=np.float64))
    sheet.add(PRICE, in_short(usd), "USD/accelerator-hour", YOUR_INPUT)


def volume_price(reserve: ReservationInputs, many: Array, usd: Num) -> Array:
    """The price of an hour for so many accelerators."""
    for step in reserve.volume:
        usd = np.asarray(np.where(many >= step.from_accelerators - NEARLY, step.usd_per_accelerator_hour, usd))
    return np.asarray(usd)


def user_rent_terms(setting: PlanContext) -> RentalInputs:
    """Your terms of renting, with the price of the reservation in place of the one on demand."""
    scenario = setting.scenario
    return scenario.rent.model_copy(
        update={"usd_per_accelerator_hour": scenario.reserve.usd_per_accelerator_hour, "billing_increment_s": None}
    )


def _add_prepayments(sheet: InputSheet, need: DemandLayer, bound: Array, begins: Array) -> dict[str, str]:
    """Add the prepayment of each term: its months at once, in the month that ends where the term begins.

    Every input of the bill then stands in that month. Return the flags of the months with a payment.
    """
    timeline = need.timeline
    moved = np.equal(timeline.month, begins[:, None]).astype(np.float64)  # months x the months they are paid in
    paid = bound @ moved
    sheet.add("paid_months", paid, "months paid for then", PLAN)
    ends = np.asarray(sheet.used["ends"].value)[..., -1:] * moved[-1]
    sheet.add("last_paid", ends, "1 when the last term is paid", PLAN)
    following = np.minimum(timeline.month + 1, timeline.last).astype(np.intp)
    hours, unit = need.busy_share, "share of hours"
    if np.ndim(hours) > 0 and np.shape(hours)[-1] > 1:
        sheet.add("busy_share", (hours * bound) @ moved / np.where(paid > 0, paid, 1.0), unit, YOUR_INPUT)
    if np.ndim(need.lost_share) > 0 and np.shape(need.lost_share)[-1] > 1:
        gone, busy = ((hours * bound * factor) @ moved for factor in (need.lost_share, 1.0))
        sheet.add(LOST, gone / np.where(busy > 0, busy, 1.0), unit, COMPUTED)
    if np.ndim(need.accelerators) > 0:
        sheet.add("accelerators", np.asarray(need.accelerators)[..., following], "accelerators", YOUR_INPUT)
    sheet.add(SET_AFTER, np.asarray(sheet.used[SET_AFTER].value)[..., following], "months", PLAN)
    return {"runs": "paid_months", "ends": "last_paid"}


YEAR_MONTHS = 12.0


@dataclass(frozen=True)
class ReservationTerm:
    """An offer, or your own price, for how long it binds, and whether a plan may begin with it."""

    offer: str | None
    seller: str
    months: int
    may_begin: bool
    is_once: bool = False  # a quote of yours with a last day: what follows is ordered after it


@dataclass(frozen=True, eq=False)
class TermPrices:
    """The price of each term: by the hour, its machines, and for data."""

    usd: Array
    machine: Array
    minimum: Array
    usd_per_gb_month: Array
    usd_per_gb: Array
    free_gb: Array


def term_prices(setting: PlanContext, terms: Sequence[ReservationTerm]) -> TermPrices:
    keys = tuple(term.offer for term in terms if term.offer is not None)
    sheet = setting.input_sheet()
    add_offer_inputs(sheet, setting, keys, user_rent_terms(setting), tuple(float(term.months) for term in terms))

    def column(name: str) -> Array:
        return np.broadcast_to(np.asarray(sheet.used[name].value, dtype=np.float64).reshape(-1), len(terms))

    return TermPrices(
        column(PRICE),
        column("accelerators_per_machine"),
        column("minimum_accelerators"),
        np.nan_to_num(column("usd_per_gb_month_of_disk")),
        np.nan_to_num(column("usd_per_gb_of_egress")),
        column("free_egress_gb_per_month"),
    )


def reservation_terms(setting: PlanContext, keys: Sequence[str]) -> list[ReservationTerm]:
    """The terms of the market, and those that some offers bind for, the shortest first.

    Of each seller, length and machine the cheapest; of a price of yours, its own.
    """
    reserve, offers = setting.scenario.reserve, setting.catalogue.offers
    if reserve.usd_per_accelerator_hour is not None:
        lengths = [TERM_MONTHS[order.term] for order in reserve.orders]
        return [
            ReservationTerm(reserve.offer, "", int(length), True)
            for length in {user_term_months(setting): None, **dict.fromkeys(lengths)}
        ]
    contracts = [
        ReservationTerm(price.offer, "", int(price.months), reserve.term in (None, _PURCHASES[price.months]))
        for price in setting.offers.market
        if price.months >= 1 and reserve.offer is None
    ]
    usd = estimated_prices(setting, tuple(keys)).typical if keys else np.zeros(0)
    quotes = setting.scenario.quotes
    last = {user_record_id(each.seller): each.valid_until - setting.day for each in quotes if each.valid_until}
    cheapest: dict[tuple[str, int, int], tuple[float, str, ReservationTerm]] = {}
    for key, price in zip(keys, usd.tolist(), strict=True):
        offer = offers[key]
        named = key == reserve.offer
        months = int(user_term_months(setting) if named else TERM_MONTHS[offer.purchase])
        first = named if reserve.offer is not None else reserve.term in (None, offer.purchase)
        place = (offer.provider, months, offer.accelerators_per_instance)
        cost = (-np.inf if named else np.inf if np.isnan(price) else price, key)
        if place not in cheapest or cost < cheapest[place][:2]:
            until = last.get(offer.provider)  # when the quote can last be ordered
            is_over = until is not None and until.days < months * DAYS_PER_MONTH
            term = ReservationTerm(key, offer.provider, months, first, is_over)
            cheapest[place] = (*cost, term)
    listed = (term for _, _, term in cheapest.values())
    return sorted((*contracts, *listed), key=lambda term: (term.months, term.seller, str(term.offer)))


def user_term_months(setting: PlanContext) -> float:
    """Return the term of a reservation that you named or have a price for; a year by default. [month]"""
    return term_months(setting, setting.scenario.reserve.offer) or YEAR_MONTHS


def ordered(setting: PlanContext, terms: Sequence[ReservationTerm]) -> tuple[ReservationTier, ...]:
    """The reservations that you have decided on, of the seller who has all of their terms for the least.

    Where no seller has all, each of the cheapest seller; none where one of them has no price.
    """
    orders = setting.scenario.reserve.orders
    if not orders or not terms:
        return ()
    usd = term_prices(setting, terms).usd
    by_cost = sorted(range(len(terms)), key=lambda n: (np.isnan(usd[n]), usd[n]))
    lengths = [int(TERM_MONTHS[order.term]) for order in orders]
    if not set(lengths) <= {term.months for term in terms}:
        return ()

    def places_of(seller: str | None) -> list[int | None]:
        able = [n for n in by_cost if seller is None or terms[n].seller == seller]
        return [next((n for n in able if terms[n].months == length), None) for length in lengths]

    def costs(places: list[int | None]) -> float:
        parts = (one.accelerators * length * float(usd[n]) if n is not None else np.inf
                 for one, length, n in zip(orders, lengths, places, strict=True))  # fmt: skip
        return sum(parts)

    best = min((places_of(who) for who in sorted({term.seller for term in terms})), key=costs)
    best = best if np.isfinite(costs(best)) else places_of(None)
    return tuple(
        ReservationTier(
            (Reservation(terms[n or 0].offer, one.from_month - 1, float(length)),), one.accelerators, is_fixed=True
        )
        for one, length, n in zip(orders, lengths, best, strict=True)
    )
