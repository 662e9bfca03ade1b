"""Reserved: bound for a term, idle hours billed; then renewed at the price of that day, or on demand from there on."""

from dataclasses import replace
from itertools import groupby

import numpy as np

from planner.money.demand.stream import DemandLayer
from planner.money.ledger import Line
from planner.money.price_path import quotes, rent_path_warnings
from planner.money.renting.bill import BILLED, renting
from planner.money.renting.offer_inputs import TERM_MONTHS
from planner.money.renting.reservation import ReservationBill, ReservedPart, reserving, term_months, work_of
from planner.money.selling import SellableHours, hour_sale_lines
from planner.money.setting import PlanContext, Reservation, ReservationTier
from planner.money.sizing import reach, right_size
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable, under
from planner.money.ways.on_demand import seller, unknown_offer_reason
from planner.money.ways.record import Look, MixLayerStyle, OptionSpec
from planner.money.ways.waiting_cost import waiting
from planner.scenario.durations import months_words

ON_DEMAND = ", then rent on demand"
_IN_TITLE = 2  # tiers
_NEARLY = 1e-9


def tiers_summary(steps: list[ReservationTier], months: float) -> str:
    """As a title has it: for 3 years, then 1 year; or in steps, from 8 to 40."""
    if len(steps) == 1:
        many = "" if steps[0].most is None else f"{steps[0].most:,} "
        return (
            f"{many}for {months_words(steps[0].bookings[0].term_months)}{_next_terms_text(steps[0].bookings, months)}"
        )
    if len(steps) <= _IN_TITLE:
        return ", ".join(_step(one, place) for place, one in enumerate(steps))
    return f"in {len(steps)} steps, from {steps[0].most:,} to {sum(one.most or 0 for one in steps):,}"


def tiers_detail(steps: list[ReservationTier], months: float, *, leaves_some: bool) -> str:
    """Every step with all its terms; nothing where one term is all there is."""
    if len(steps) <= 1:
        follows = any(_next_terms_text(one.bookings, months) for one in steps)
        return tiers_summary(steps, months) if follows else ""
    told = "; ".join(f"{_step(one, place)}{_next_terms_text(one.bookings, months)}" for place, one in enumerate(steps))
    return f"{told}; the rest on demand" if leaves_some else told


def heading(part: ReservedPart, several: bool) -> str:
    """Over the lines of one of several reservations."""
    own = [one for one in part.tier.bookings if one.offer == part.offer]
    step = f"Step {part.step}, " if several else ""
    many = "" if part.tier.most is None else f"{part.tier.most:,} "
    since = f"from month {own[0].after_months + 1} " if own[0].after_months else ""
    said = f"{step}{many}{since}for {months_words(own[0].term_months)}"
    return f"{said[0].upper()}{said[1:]}"


def told_of(setting: PlanContext, need: DemandLayer) -> list[ReservationTier]:
    """The tiers with the reservations that the work asks for; of several futures, in any."""
    many = np.atleast_1d(need.accelerators)
    wanted = np.broadcast_to(many.reshape(-1, many.shape[-1]).max(axis=0), setting.timeline.last + 1)
    found, beneath = [], 0.0
    for tier in setting.offers.reserved_tiers:
        so_far = np.cumsum(wanted > beneath + _NEARLY).tolist()  # months that ask for it
        within = (one for one in tier.bookings if one.after_months < setting.timeline.months)
        taken = tuple(
            one
            for one in within
            if tier.is_fixed or so_far[min(int(one.until), setting.timeline.last)] > so_far[one.after_months]
        )
        if taken:
            found.append(ReservationTier(taken, tier.most, tier.is_fixed))
        beneath += tier.most or 0
    return found


def _step(tier: ReservationTier, place: int) -> str:
    first = tier.bookings[0]
    more = " more" if place else ""
    since = f" from month {first.after_months + 1}" if first.after_months else ""
    return f"{tier.most:,}{more}{since} for {months_words(first.term_months)}"


def _next_terms_text(bookings: tuple[Reservation, ...], plan_months: float) -> str:
    """What follows on the first term."""
    told = ""
    for place, (months, same) in enumerate(groupby(one.term_months for one in bookings)):
        times = len(list(same))
        told += f", then {months_words(months)}" if place else ""
        told += ", renewed" if times > 1 else ""
    return told + (ON_DEMAND if bookings[-1].until < plan_months - _NEARLY else "")


_IDLE = SellableHours(f"{BILLED} * (1 - busy_share)", "runs")


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """All work on reserved machines; work that may wait takes as few as can do it, the rest is rented on demand."""
    missing = no_reservation_reason(setting)
    if missing is not None:
        return missing
    scenario, demand = setting.scenario, setting.demand
    size, need = right_size(setting), work_of(setting)
    found = reserving(setting, need, setting.offers.reserved_tiers)
    above = () if size is None else on_demand_above_lines(setting, size, reach(setting, size))
    waits = () if size is None else waiting(setting, size, setting.timeline.runs - found.after)
    payment = "paid before each term" if scenario.reserve.prepaid else "paid monthly"
    who = seller(setting, setting.offers.reserved, scenario.reserve.usd_per_accelerator_hour)
    steps, months = told_of(setting, need), scenario.months
    schedule = tiers_detail(steps, months, leaves_some=bool(np.any(found.after > 0)))
    return OptionLedger(
        title=f"Reserve {tiers_summary(steps, months)}",
        what=f"{who}, {payment}" + (f": {schedule}" if schedule else ""),
        lines=(
            *reservation_lines(setting, found),
            *sold_on(setting, found),
            *under("Above the reservation", above),
            *waits,
        ),
        useful_hours=demand.all.busy_hours,
        accelerators=float(need.peak_accelerators),
        warnings=(*_assumed_term_note(setting), *found.warnings, *implied(setting), *rent_path_warnings(setting)),
    )


def sold_on(setting: PlanContext, found: ReservationBill, *, with_people: bool = True) -> tuple[Line, ...]:
    """What idle hours of reserved machines bring, where somebody says that they are sold too."""
    sell = setting.scenario.sell
    if sell is None or not sell.reserved:
        return ()
    return tuple(
        line
        for number, part in enumerate(found.parts)  # those who sell are paid once
        for line in hour_sale_lines(part.sheet, setting, replace(_IDLE, with_people=with_people and number == 0))
    )


def reservation_lines(setting: PlanContext, found: ReservationBill) -> tuple[Line, ...]:
    """The lines of what is reserved, each reservation beside another under a heading, and of the rest on demand."""
    several = len(found.parts) > 1
    lines = [
        line
        for part in found.parts
        for line in (under(heading(part, len(found.tiers) > 1), part.lines) if several else part.lines)
    ]
    return (*lines, *on_demand_remainder_lines(setting, found))


def on_demand_remainder_lines(setting: PlanContext, found: ReservationBill) -> tuple[Line, ...]:
    """What no reservation is there for."""
    if not np.any(found.after > 0):
        return ()
    heading = "After the term" if len(found.tiers) == 1 else "Beside what is reserved"
    return under(heading, renting(setting, found.rest, setting.offers.on_demand, when=found.after))


def no_reservation_reason(setting: PlanContext) -> Unavailable | None:
    """Why nothing can be reserved; None where something can."""
    offer, reserve = setting.offers.reserved, setting.scenario.reserve
    unknown = unknown_offer_reason(setting, offer)
    if unknown is not None:
        return unknown
    if setting.offers.reserved_tiers:
        return None
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    lacks = [why for kind, why in sorted(setting.offers.lacks.items()) if kind.startswith("reserved")]
    if lacks:
        return Unavailable(lacks[0])
    wanted = [TERM_MONTHS[term] for term in (reserve.term, *(one.term for one in reserve.orders)) if term is not None]
    for_terms = f" for {' and '.join(map(months_words, dict.fromkeys(wanted)))}" if wanted else ""
    return Unavailable(f"nobody publishes a price for reserving {label}{for_terms}: enter a price and a term")


def _assumed_term_note(setting: PlanContext) -> tuple[str, ...]:
    """What to say of a price of yours for a reservation, where nobody said for how long."""
    if term_months(setting, setting.offers.reserved) is not None or setting.scenario.reserve.orders:
        return ()
    return ("no length of the reservation is said, so it is taken to be a year: enter reserve.term",)


def on_demand_above_lines(setting: PlanContext, size: int, share: float) -> tuple[Line, ...]:
    """The work that a reservation of that size has no time for, rented on demand."""
    above = setting.demand.above(size, share)
    return renting(setting, above, setting.offers.on_demand) if np.any(above.busy_hours > 0) else ()


def implied(setting: PlanContext) -> tuple[str, ...]:
    """What the quotes for one and three years say together about rents."""
    quoted = quotes(setting)
    return () if quoted is None else (quoted.sentence,)


WAY = OptionSpec(
    key="reserved",
    place=7,
    side="rent",
    build=build,
    name="Reserve",
    advice="Rent, reserved",
    doing="reserving",
    said="reserved at {what}",
    paid_for="reserved",
    price_name="reserved price",
    look=Look("#9d174d", "#f9a8d4", "dot", "square"),
    layer=MixLayerStyle("Reserve", hatch="."),
    inputs="reserve",
    asks_back=True,
    is_bound=True,
    offer=lambda taken: taken.reserved,
)
