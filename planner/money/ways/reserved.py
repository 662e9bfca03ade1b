"""Reserved: bound for a term, idle hours billed; then renewed at the price of that day, or on demand from there on."""

from __future__ import annotations

import numpy as np

from planner.money.ledger import Line
from planner.money.rent_levels import path_warnings, quotes
from planner.money.renting.bill import BILLED, renting
from planner.money.renting.reservation import Reserved, reserving, term_months
from planner.money.selling import IdleHours, sold_lines
from planner.money.setting import Setting
from planner.money.sizing import reach, right_size
from planner.money.ways.ledger_of_way import Unavailable, WayLedger, under
from planner.money.ways.on_demand import not_there, seller
from planner.money.ways.record import Layer, Look, WayRecord
from planner.money.ways.waiting_cost import waiting

YEAR_MONTHS = 12.0


def build(setting: Setting) -> WayLedger | Unavailable:
    """All work on reserved machines; work that may wait takes as few as can do it, the rest is rented on demand."""
    term = term_or_why(setting)
    if isinstance(term, Unavailable):
        return term
    scenario, demand = setting.scenario, setting.demand
    size = right_size(setting)
    share = 1.0 if size is None else reach(setting, size)
    need = demand.all if size is None else demand.between(0, size, share)
    reserved = reserving(setting, need, setting.taken.reserved, term)
    after = renting(setting, need, setting.taken.on_demand, when=reserved.after) if np.any(reserved.after > 0) else ()
    above = () if size is None else above_it(setting, size, share)
    waits = () if size is None else waiting(setting, size, setting.timeline.runs - reserved.after)
    payment = "paid before each term" if scenario.reserve.prepaid else "paid monthly"
    who = seller(setting, setting.taken.reserved, scenario.reserve.usd_per_accelerator_hour)
    return WayLedger(
        title=f"Reserve for {in_words(term)}{_then(setting, term)}",
        what=f"{who}, {payment}",
        lines=(
            *reserved.lines,
            *sold_on(setting, reserved),
            *under("After the term", after),
            *under("Above the reservation", above),
            *waits,
        ),
        useful_hours=demand.all.busy_hours,
        accelerators=float(need.most_accelerators),
        warnings=(
            *_assumed_term(setting),
            *reserved.warnings,
            *implied(setting),
            *path_warnings(setting),
            *beyond(setting, term),
        ),
    )


def sold_on(setting: Setting, reserved: Reserved, *, with_people: bool = True) -> tuple[Line, ...]:
    """What idle hours of reserved machines bring, where somebody says that they are sold too."""
    sell = setting.scenario.sell
    if sell is None or not sell.reserved:
        return ()
    return sold_lines(reserved.put, setting, IdleHours(f"{BILLED} * (1 - busy_share)", "runs", with_people=with_people))


def term_or_why(setting: Setting) -> float | Unavailable:
    """How many months one is bound for, or why nothing can be reserved."""
    offer, reserve = setting.taken.reserved, setting.scenario.reserve
    unknown = not_there(setting, offer)
    if unknown is not None:
        return unknown
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    if offer is None and reserve.usd_per_accelerator_hour is None:
        lacks = [why for kind, why in sorted(setting.taken.lacks.items()) if kind.startswith("reserved")]
        if lacks:
            return Unavailable(lacks[0])
        for_term = "" if reserve.term is None else f" for {in_words(term_months(setting, None) or 0.0)}"
        return Unavailable(f"nobody publishes a price for reserving {label}{for_term}: enter a price and a term")
    term = term_months(setting, offer)
    return YEAR_MONTHS if term is None else term


def _assumed_term(setting: Setting) -> tuple[str, ...]:
    """What to say of a price of yours for a reservation, where nobody said for how long."""
    if term_months(setting, setting.taken.reserved) is not None:
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


def beyond(setting: Setting, term: float) -> tuple[str, ...]:
    """What to say of a term that runs on after the plan."""
    months = setting.scenario.months
    terms = 1.0 if setting.reservation_ends == "expire" else float(np.ceil(months / term - 1e-9))
    left = terms * term - months
    return (f"bound for {left:g} months after the plan ends, which are paid",) if left > 1e-9 else ()


def _then(setting: Setting, term: float) -> str:
    """What follows on the term, where the plan goes on."""
    if setting.scenario.months <= term:
        return ""
    return ", then rent on demand" if setting.reservation_ends == "expire" else ", renewed"


def in_words(months: float) -> str:
    """A term as people say it."""
    if months < 1:
        return "a day"
    count, unit = (months / 12, "year") if months % 12 == 0 else (months, "month")
    return f"{count:g} {unit}" if count == 1 else f"{count:g} {unit}s"


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
