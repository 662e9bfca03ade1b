"""Own: buy a fleet and run it. Until it comes, above its size and after it is sold, the work is rented on demand."""

from functools import partial

import numpy as np

from planner.money.fleet import DeliveryTimeline, Fleet, build_fleet, in_time
from planner.money.formula import Num
from planner.money.ledger import Line
from planner.money.owning.lines import PER_MACHINE
from planner.money.owning.machine import fleet as fleet_asked
from planner.money.owning.place import power_shortfall_reason, site_notes
from planner.money.price_path import forward_rent_note, rent_path_warnings
from planner.money.renting.bill import renting
from planner.money.setting import PlanContext
from planner.money.sizing import right_size, server_size, wait_warning
from planner.money.ways.ledger_of_way import Builder, OptionLedger, Unavailable, under
from planner.money.ways.on_demand import missing_price, unknown_offer_reason
from planner.money.ways.record import Look, MixLayerStyle, OptionSpec
from planner.money.ways.repairs import repair_rent_lines
from planner.money.ways.waiting_cost import waiting
from planner.scenario.durations import months_words
from planner.scenario.own import PurchaseOrder
from pricing.caching import cached

LEAD_TIME = "lead_time_months"
FOR_ONE = "are they for each of them? Then set own.capex_per to machine"


def fleet_size(setting: PlanContext) -> int:
    """How many are bought: as you say; else what work that may wait needs, else as many as are wanted at once."""
    own = setting.scenario.own
    asked = own.accelerators or sum(order.accelerators for order in own.orders)
    return asked or right_size(setting) or max(setting.demand.all.peak_accelerators, 1)


def orders_of(setting: PlanContext) -> tuple[PurchaseOrder, ...]:
    """In which orders they are bought: as you say, else in time for the work; none where all are bought at once.

    How many you want, and a sum for all of them, are taken to be for one order.
    """
    own = setting.scenario.own
    if own.orders:
        return own.orders
    at_once = own.accelerators is not None or (own.capex_usd is not None and own.capex_per != PER_MACHINE)
    return () if at_once else in_time(setting, fleet_size(setting))


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """The fleet as it was asked for, bought and run."""
    return fleet(setting, fleet_size(setting), orders_of(setting))


def fleet_builder(accelerators: int, orders: tuple[PurchaseOrder, ...] = ()) -> Builder:
    """A function that builds owning with so many accelerators, bought in these orders."""
    return partial(fleet, accelerators=accelerators, orders=orders)


def fleet(
    setting: PlanContext, accelerators: int, orders: tuple[PurchaseOrder, ...] = ()
) -> OptionLedger | Unavailable:
    """So many accelerators bought and run, with what they cannot do rented."""
    found = build_fleet(setting, accelerators, orders)
    if found is None:
        return cannot_buy_reason(setting, accelerators)
    stages = f" in {len(orders)} orders" if len(orders) > 1 else ""
    title = f"Buy {accelerators:,}{stages} and run them"
    return fleet_with_rent_ledger(setting, title, found, found.lines(lambda part: part.lines))


def cannot_buy_reason(setting: PlanContext, accelerators: int) -> Unavailable:
    """Why nothing can be bought: too little power where it would stand, or no price."""
    lacks = power_shortfall_reason(setting, accelerators)
    if lacks is not None:
        return Unavailable(lacks)
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    if chip is not None and chip.rent_only:
        return Unavailable(f"nobody sells {label}: enter what you would pay for one")
    if chip is None:
        return Unavailable(f"{label} may be several, each with a price of its own: say which, or what you would pay")
    return Unavailable(f"nobody publishes what {label} costs: enter what you would pay for one")


def fleet_with_rent_ledger(
    setting: PlanContext,
    title: str,
    found: Fleet,
    lines: tuple[Line, ...],
    *warnings: str,
    after: str = "After it is sold",
) -> OptionLedger | Unavailable:
    """A fleet of one's own, with what is rented around it."""
    unknown = unknown_offer_reason(setting, setting.offers.on_demand)
    if unknown is None and not np.any(found.stages.busy_hours > 0):
        unknown = missing_price(setting)  # all of the work would be rented
    if unknown is not None:
        return unknown
    rented, accelerators = supplemental_rent_lines(found.stages, after), found.accelerators
    return OptionLedger(
        title=title,
        what=found.machine.order_text(accelerators),
        lines=(*lines, *rented, *found.lines(partial(repair_rent_lines, setting)), *waiting_cost_lines(found.stages)),
        useful_hours=setting.demand.all.busy_hours,
        accelerators=float(accelerators),
        orders=found.orders,
        warnings=(
            *late_delivery_warnings(found),
            *site_notes(setting),
            *scaled_price_note(setting, accelerators),
            *waits(setting, accelerators),
            *warnings,
            *rent_warnings(setting, rented),
        ),
    )


def scaled_price_note(setting: PlanContext, accelerators: int) -> tuple[str, ...]:
    """What to say where your sum for day one was for another number of machines than are bought here."""
    own, asked = setting.scenario.own, fleet_asked(setting)
    usd = own.capex_usd
    if usd is None or own.capex_per == PER_MACHINE:
        return ()
    if accelerators == asked:
        machines = -(-asked // server_size(setting))
        unsaid = machines > 1 and own.capex_per is None
        return (f"your {first(usd):,.0f} USD are taken for all {machines:,} machines: {FOR_ONE}",) if unsaid else ()
    here = usd * accelerators / asked
    return (
        f"your {first(usd):,.0f} USD are for {asked:,} of them; {accelerators:,} cost {first(here):,.0f} in proportion",
    )


def waits(setting: PlanContext, accelerators: int) -> tuple[str, ...]:
    """Warnings about the queue of jobs on a fleet of one's own."""
    said = wait_warning(setting, accelerators)
    return () if said is None else (said,)


def rent_warnings(setting: PlanContext, rented: tuple[Line, ...]) -> tuple[str, ...]:
    """Warnings about what is rented beside one's own machines."""
    if not rented:
        return ()
    if any(line.part == "compute" and np.isnan(line.total_usd).any() for line in rented):
        return ("Part of the work is rented and nobody publishes a price for it: the total is too low. Enter a price",)
    return (*rent_path_warnings(setting), *forward_rent_note(setting))


def waiting_cost_lines(stages: DeliveryTimeline, held: int = 0) -> tuple[Line, ...]:
    """What it costs that jobs wait for such a fleet, with so many held above it."""
    return tuple(
        line
        for top, share in zip(stages.tops, stages.runs_alone, strict=True)
        for line in waiting(stages.setting, top + held, share)
    )


@cached(8)
def supplemental_rent_lines(stages: DeliveryTimeline, after: str = "After it is sold") -> tuple[Line, ...]:
    """All work until the fleet comes and after it is sold; between the two, what it has no room for."""
    setting = stages.setting
    layers = (
        ("Until delivery", setting.demand.all, stages.waits),
        ("Above the fleet", stages.left(), stages.owns),
        (after, setting.demand.all, stages.gone),
    )
    return tuple(
        line
        for heading, need, always in layers
        if (when := need.active_share(always)).any()
        for line in under(heading, renting(setting, need, setting.offers.on_demand, when=when))
    )


def late_delivery_warnings(found: Fleet) -> tuple[str, ...]:
    """What to say where the machines come too late to run at all."""
    if found.comes:
        return ()
    return (f"The {_too_late(found)}: they never run, all work is rented, and only the deposit is paid",)


def left_out(found: Fleet, what: str) -> Unavailable | None:
    """Why a way to pay for machines that come too late to run is no way: all of it would be renting.

    What is tried out is reckoned as it is: a break-even passes through deliveries that come too late.
    """
    if LEAD_TIME in found.setting.tried or found.comes:
        return None
    return Unavailable(f"the {_too_late(found)}: {what}, and all work would be rented")


def _too_late(found: Fleet) -> str:
    earliest, months = found.parts[0], found.setting.scenario.months
    wait = first(earliest.holding.ordered_months + earliest.sheet.used[LEAD_TIME].value)
    until = "they would be sold" if wait < months else "the plan ends"
    return f"machines come after {months_words(wait)}, when {until}"


def first(value: Num) -> float:
    """The number itself, or the first of several draws."""
    return float(np.asarray(value).flat[0])


WAY = OptionSpec(
    key="own",
    place=1,
    side="own",
    build=build,
    name="Buy",
    advice="Buy",
    doing="owning",
    start="buying",
    said="with {count} bought and run",
    paid_for="bought",
    look=Look("#0b5cad", "#7cb7ff", "solid", "triangle-up"),
    layer=MixLayerStyle("Own", hatch=""),
    inputs="own",
    asks_back=True,
    waits_for_delivery=True,
)
