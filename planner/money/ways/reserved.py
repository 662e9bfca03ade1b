"""Reserved: bound for a term, idle hours billed; then renewed at the price of that day, or on demand from there on."""

from dataclasses import replace

import numpy as np

from planner.money.ledger import Line
from planner.money.rent_levels import path_warnings, quotes
from planner.money.renting.bill import BILLED, renting
from planner.money.renting.offer_inputs import TERM_MONTHS
from planner.money.renting.reservation import Reserved, reserving, term_months, work_of
from planner.money.selling import IdleHours, sold_lines
from planner.money.setting import Setting
from planner.money.sizing import reach, right_size
from planner.money.ways.ledger_of_way import Unavailable, WayLedger, under
from planner.money.ways.on_demand import not_there, seller
from planner.money.ways.record import Layer, Look, WayRecord
from planner.money.ways.reserved_words import heading, in_brief, in_full, told_of
from planner.money.ways.waiting_cost import waiting
from planner.scenario.durations import months_words

_IDLE = IdleHours(f"{BILLED} * (1 - busy_share)", "runs")


def build(setting: Setting) -> WayLedger | Unavailable:
    """All work on reserved machines; work that may wait takes as few as can do it, the rest is rented on demand."""
    missing = missing_reservation(setting)
    if missing is not None:
        return missing
    scenario, demand = setting.scenario, setting.demand
    size, need = right_size(setting), work_of(setting)
    found = reserving(setting, need, setting.taken.reserved_tiers)
    above = () if size is None else above_it(setting, size, reach(setting, size))
    waits = () if size is None else waiting(setting, size, setting.timeline.runs - found.after)
    payment = "paid before each term" if scenario.reserve.prepaid else "paid monthly"
    who = seller(setting, setting.taken.reserved, scenario.reserve.usd_per_accelerator_hour)
    steps, months = told_of(setting, need), scenario.months
    schedule = in_full(steps, months, leaves_some=bool(np.any(found.after > 0)))
    return WayLedger(
        title=f"Reserve {in_brief(steps, months)}",
        what=f"{who}, {payment}" + (f": {schedule}" if schedule else ""),
        lines=(
            *headed(setting, found),
            *sold_on(setting, found),
            *under("Above the reservation", above),
            *waits,
        ),
        useful_hours=demand.all.busy_hours,
        accelerators=float(need.most_accelerators),
        warnings=(*_assumed_term(setting), *found.warnings, *implied(setting), *path_warnings(setting)),
    )


def sold_on(setting: Setting, found: Reserved, *, with_people: bool = True) -> tuple[Line, ...]:
    """What idle hours of reserved machines bring, where somebody says that they are sold too."""
    sell = setting.scenario.sell
    if sell is None or not sell.reserved:
        return ()
    return tuple(
        line
        for number, part in enumerate(found.parts)  # those who sell are paid once
        for line in sold_lines(part.put, setting, replace(_IDLE, with_people=with_people and number == 0))
    )


def headed(setting: Setting, found: Reserved) -> tuple[Line, ...]:
    """The lines of what is reserved, each reservation beside another under a heading, and of the rest on demand."""
    several = len(found.parts) > 1
    lines = [
        line
        for part in found.parts
        for line in (under(heading(part, len(found.tiers) > 1), part.lines) if several else part.lines)
    ]
    return (*lines, *on_demand_after(setting, found))


def on_demand_after(setting: Setting, found: Reserved) -> tuple[Line, ...]:
    """What no reservation is there for."""
    if not np.any(found.after > 0):
        return ()
    heading = "After the term" if len(found.tiers) == 1 else "Beside what is reserved"
    return under(heading, renting(setting, found.rest, setting.taken.on_demand, when=found.after))


def missing_reservation(setting: Setting) -> Unavailable | None:
    """Why nothing can be reserved; None where something can."""
    offer, reserve = setting.taken.reserved, setting.scenario.reserve
    unknown = not_there(setting, offer)
    if unknown is not None:
        return unknown
    if setting.taken.reserved_tiers:
        return None
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    lacks = [why for kind, why in sorted(setting.taken.lacks.items()) if kind.startswith("reserved")]
    if lacks:
        return Unavailable(lacks[0])
    wanted = [TERM_MONTHS[term] for term in (reserve.term, *(one.term for one in reserve.orders)) if term is not None]
    for_terms = f" for {' and '.join(map(months_words, dict.fromkeys(wanted)))}" if wanted else ""
    return Unavailable(f"nobody publishes a price for reserving {label}{for_terms}: enter a price and a term")


def _assumed_term(setting: Setting) -> tuple[str, ...]:
    """What to say of a price of yours for a reservation, where nobody said for how long."""
    if term_months(setting, setting.taken.reserved) is not None or setting.scenario.reserve.orders:
        return ()
    return ("no length of the reservation is said, so it is taken to be a year: enter reserve.term",)


def above_it(setting: Setting, size: int, share: float) -> tuple[Line, ...]:
    """The work that a reservation of that size has no time for, rented on demand."""
    above = setting.demand.above(size, share)
    return renting(setting, above, setting.taken.on_demand) if np.any(above.busy_hours > 0) else ()


def implied(setting: Setting) -> tuple[str, ...]:
    """What the quotes for one and three years say together about rents."""
    quoted = quotes(setting)
    return () if quoted is None else (quoted.sentence,)


WAY = WayRecord(
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
    layer=Layer("Reserve", hatch="."),
    inputs="reserve",
    asks_back=True,
    is_bound=True,
    offer=lambda taken: taken.reserved,
)
