"""Reserved: bound for a term, idle hours billed; then renewed at the price of that day, or on demand from there on."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.ledger import Line
from planner.money.option import (
    ChartStyle,
    MixLayerStyle,
    OptionLedger,
    OptionSpec,
    Unavailable,
    under_heading,
)  # fmt: skip
from planner.money.price_path import quotes, rent_path_warnings
from planner.money.renting.bill import BILLED, renting
from planner.money.renting.offer_inputs import TERM_MONTHS
from planner.money.renting.order_market import bridging_warning, rentable, waiting_hours
from planner.money.renting.reservation import ReservationBill, ReservedPart, reserving, term_months, work_of
from planner.money.selling import SellableHours, hour_sale_lines
from planner.money.setting import PlanContext, Reservation, ReservationTier
from planner.money.sizing import NEARLY, deferrable_capacity_share, right_size
from planner.money.ways.on_demand import seller_text, unknown_offer_reason
from planner.money.ways.own import queue_wait_lines
from planner.scenario.durations import months_words
from planner.scenario.shown_money import write_usd

ON_DEMAND = ", then rent on demand"
_IN_TITLE = 2  # tiers
_IDLE = SellableHours(f"{BILLED} * (1 - busy_share)", "runs")


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build all work on reserved machines; deferrable work takes as few as can do it, the rest is on demand."""
    missing = no_reservation_reason(setting)
    if missing is not None:
        return missing
    scenario, demand, need = setting.scenario, setting.demand, work_of(setting)
    bill = reserving(setting, need, setting.offers.reserved_tiers)
    above, waiting = _above(setting, bill)
    payment = "paid before each term" if scenario.reserve.prepaid else "paid monthly"
    offer, bound = setting.offers.reserved, setting.offers.reserved_months
    seller = seller_text(setting, offer, scenario.reserve.usd_per_accelerator_hour, bound)
    market = setting.offers.market_price(offer, bound)
    if market is not None:
        listed = TERM_MONTHS[setting.catalogue.offers[offer or ""].purchase]
        one = "the one seller known" if market.sellers == 1 else f"one of {market.sellers} sellers"
        typical = f"{one}, by contract, typically {write_usd(market.band.typical)} an hour"
        seller = seller if listed == bound else typical
    tiers, months = _effective_tiers(setting, need), scenario.months
    schedule = _tiers_detail(tiers, months, leaves_some=bool(np.any(bill.after > 0)))
    several, has_steps = len(bill.parts) > 1, len(bill.tiers) > 1
    lines = [
        line
        for part in bill.parts
        for line in (under_heading(_heading(part, has_steps), part.lines) if several else part.lines)
    ]
    if np.any(bill.after > 0):
        heading = "Beside what is reserved" if has_steps else "After the term"
        rest = rentable(setting, bill.rest)
        lines += under_heading(heading, renting(setting, rest, setting.offers.on_demand, when=bill.after))
    return OptionLedger(
        title=f"Reserve {_tiers_summary(tiers, months)}",
        what=f"{seller}, {payment}" + (f": {schedule}" if schedule else ""),
        lines=(*lines, *resold_hours_lines(setting, bill), *above),
        useful_hours=demand.all.busy_hours - waiting,
        accelerators=float(need.peak_accelerators),
        warnings=()
        if setting.row_axes
        else (
            *_assumed_term_note(setting),
            *bill.warnings,
            *(() if (quoted := quotes(setting)) is None else (quoted.sentence,)),
            *bridging_warning(setting, waiting),
            *rent_path_warnings(setting),
        ),
    )


def _above(setting: PlanContext, bill: ReservationBill) -> tuple[tuple[Line, ...], NDArray[np.float64]]:
    """Return the lines of the work above the reservation and of jobs that wait for it, and the hours not rented."""
    size, waiting = right_size(setting), waiting_hours(setting, bill.rest, bill.after)
    if size is None:
        return (), waiting
    rest = setting.demand.above(size, deferrable_capacity_share(setting, size))
    part = rentable(setting, rest)
    lines = renting(setting, part, setting.offers.on_demand) if np.any(part.busy_hours > 0) else ()
    waits = queue_wait_lines(setting, size, setting.timeline.runs - bill.after)
    return (*under_heading("Above the reservation", lines), *waits), waiting + waiting_hours(setting, rest)


def no_reservation_reason(setting: PlanContext) -> Unavailable | None:
    """Return why nothing can be reserved; None where something can."""
    taken, reserve = setting.offers, setting.scenario.reserve
    unknown = unknown_offer_reason(setting, taken.reserved)
    if unknown is not None or taken.reserved_tiers:
        return unknown
    lacks = [reason for kind, reason in sorted(taken.lacks.items()) if kind.startswith("reserved")]
    if lacks:
        return Unavailable(lacks[0])
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    terms = [reserve.term, *(order.term for order in reserve.orders)]
    months = dict.fromkeys(TERM_MONTHS[term] for term in terms if term is not None)
    for_terms = f" for {' and '.join(map(months_words, months))}" if months else ""
    return Unavailable(f"there is no published price for reserving {label}{for_terms}: enter a price and a term")


def _assumed_term_note(setting: PlanContext) -> tuple[str, ...]:
    reserve = setting.scenario.reserve
    has_term = term_months(setting, reserve.offer) is not None or bool(reserve.orders)
    if reserve.usd_per_accelerator_hour is None or has_term:
        return ()  # of published prices and the market's the term that costs least is taken
    return ("no reservation length was entered, so one year is assumed: enter it under Length of a reservation",)


def resold_hours_lines(setting: PlanContext, bill: ReservationBill, *, with_people: bool = True) -> tuple[Line, ...]:
    """Return the income of idle hours of reserved machines, where the scenario sells them too."""
    sell = setting.scenario.sell
    if sell is None or not sell.reserved:
        return ()
    return tuple(
        line
        for number, part in enumerate(bill.parts)  # those who sell are paid once
        for line in hour_sale_lines(part.sheet, setting, replace(_IDLE, with_people=with_people and number == 0))
    )


def _heading(part: ReservedPart, has_steps: bool) -> str:
    first = next(booking for booking in part.tier.bookings if (booking.offer, booking.term_months) == part.contract)
    step = f"Step {part.step}, " if has_steps else ""
    many = "" if part.tier.most is None else f"{part.tier.most:,} "
    since = f"from month {first.after_months + 1} " if first.after_months else ""
    text = f"{step}{many}{since}for {months_words(first.term_months)}"
    return f"{text[0].upper()}{text[1:]}"


def _effective_tiers(setting: PlanContext, need: DemandLayer) -> list[ReservationTier]:
    """Return the tiers with the reservations that the work asks for; of several futures, in any."""
    accelerators, last = np.atleast_1d(need.accelerators), setting.timeline.last
    peak = np.broadcast_to(accelerators.reshape(-1, accelerators.shape[-1]).max(axis=0), last + 1)
    tiers, beneath = [], 0.0
    for tier in setting.offers.reserved_tiers:
        so_far = np.cumsum(peak > beneath + NEARLY).tolist()  # months that ask for it
        within = (booking for booking in tier.bookings if booking.after_months < setting.timeline.months)
        bookings = tuple(
            booking
            for booking in within
            if tier.is_fixed or so_far[min(int(booking.until), last)] > so_far[booking.after_months]
        )
        if bookings:
            tiers.append(ReservationTier(bookings, tier.most, tier.is_fixed))
        beneath += tier.most or 0
    return tiers


def _tiers_summary(tiers: Sequence[ReservationTier], months: float) -> str:
    """Return tiers as a title has them: for 3 years, then 1 year; or in steps, from 8 to 40."""
    if len(tiers) == 1:
        first = tiers[0]
        many = "" if first.most is None else f"{first.most:,} "
        return f"{many}for {months_words(first.bookings[0].term_months)}{_next_terms_text(first.bookings, months)}"
    if len(tiers) <= _IN_TITLE:
        return ", ".join(_step_text(tier, place) for place, tier in enumerate(tiers))
    return f"in {len(tiers)} steps, from {tiers[0].most:,} to {sum(tier.most or 0 for tier in tiers):,}"


def _tiers_detail(tiers: Sequence[ReservationTier], months: float, *, leaves_some: bool) -> str:
    """Return every step with all its terms; nothing where one term is all there is."""
    if len(tiers) <= 1:
        follows = any(_next_terms_text(tier.bookings, months) for tier in tiers)
        return _tiers_summary(tiers, months) if follows else ""
    steps = (f"{_step_text(tier, place)}{_next_terms_text(tier.bookings, months)}" for place, tier in enumerate(tiers))
    return "; ".join(steps) + ("; the rest on demand" if leaves_some else "")


def _step_text(tier: ReservationTier, place: int) -> str:
    first = tier.bookings[0]
    since = f" from month {first.after_months + 1}" if first.after_months else ""
    return f"{tier.most:,}{' more' if place else ''}{since} for {months_words(first.term_months)}"


def _next_terms_text(bookings: tuple[Reservation, ...], plan_months: float) -> str:
    """Return the terms that follow the first one."""
    text = ""
    for place, (months, same) in enumerate(groupby(booking.term_months for booking in bookings)):
        text += f", then {months_words(months)}" if place else ""
        text += ", renewed" if len(list(same)) > 1 else ""
    return text + (ON_DEMAND if bookings[-1].until < plan_months - NEARLY else "")


WAY = OptionSpec(
    key="reserved",
    place=7,
    side="rent",
    build=build,
    name="Reserve",
    verdict_text="Rent, reserved",
    gerund="reserving",
    result_text="reserved at {what}",
    purchase_text="reserved",
    price_name="reserved price",
    style=ChartStyle("#9d174d", "#f9a8d4", "dot", "square"),
    layer=MixLayerStyle("Reserve", hatch="."),
    inputs="reserve",
    checks_plausibility=True,
    is_committed=True,
    offer=lambda offers: offers.reserved,
)
