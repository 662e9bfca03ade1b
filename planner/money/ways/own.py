"""Own: buy a fleet and run it. Until it comes, above its size and after it is sold, the work is rented on demand.

While machines are away for repair, their work is rented too; a rented machine is replaced. A wait for the fleet may
have a price. Nobody is paid for it, so it moves no cash, no tax and no limit on money; but it is a cost of a small
fleet, and stands in the ledger so that a fleet on which jobs wait for days does not win by what it leaves out. The time
that a job waits is the mean over the plan at typical figures, as a fleet is decided once.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.finance import SolveResult
from planner.money.fleet import DeliveryTimeline, Fleet, build_fleet, in_time
from planner.money.formula import Num, first_draw
from planner.money.inflation import deflate_lines
from planner.money.ledger import COMPUTED, YOUR_INPUT, Ledger, Line
from planner.money.measures import Payback, simple_payback
from planner.money.option import (
    Builder,
    ChartStyle,
    MixLayerStyle,
    OptionLedger,
    OptionSpec,
    Unavailable,
    under_heading,
)  # fmt: skip
from planner.money.owning import Ownership
from planner.money.owning.inputs import ORDER
from planner.money.owning.lines import PER_MACHINE
from planner.money.owning.machine import fleet as fleet_asked
from planner.money.owning.place import power_shortfall_reason, site_notes
from planner.money.price_path import add_forward_rent, add_rent_path, forward_rent_note, rent_path_warnings
from planner.money.renting.bill import renting
from planner.money.renting.offer_inputs import PRICE, add_demand_inputs, add_offer_inputs
from planner.money.renting.order_market import bridging_warning, rentable, waiting_hours
from planner.money.setting import PlanContext
from planner.money.sizing import (
    deferrable_capacity_share,
    peak_utilization,
    right_size,
    server_size,
    wait_hours,
    wait_in_services,
    wait_warning,
)  # fmt: skip
from planner.money.timeline import PLAN
from planner.money.ways import on_demand
from planner.money.ways.on_demand import no_price_reason, unknown_offer_reason
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.durations import months_words
from planner.scenario.own import PurchaseOrder
from pricing.caching import cached

LEAD_TIME = "lead_time_months"
REPAIR_HOURS = "repair_hours"
REPAIRS = "While they are repaired: work rented"
_REPAIR_FACT = "owned-repair-hours"
# A board that fails takes its server out of work.
_OUT = f"min(failures_per_accelerator_year * accelerators_per_server * {REPAIR_HOURS} / {HOURS_PER_YEAR:.0f}, 1)"
_ALL_IN = "running_usd_per_month"
_FOR_ONE = "are they for each of them? Then set own.capex_per to machine"
_SIZES = 4  # shown from the right one on


def fleet_size(setting: PlanContext) -> int:
    """Return how many to buy: as you say; else what deferrable work needs, else the peak."""
    own = setting.scenario.own
    yours = own.accelerators or sum(order.accelerators for order in own.orders)
    return yours or right_size(setting) or max(setting.demand.all.peak_accelerators, 1)


def purchase_schedule(setting: PlanContext) -> tuple[PurchaseOrder, ...]:
    """Return the orders: as you say, else in time for the work; none where all are bought at once.

    A number of yours, and a sum for all of them, are taken to be for one order.
    """
    own = setting.scenario.own
    if own.orders:
        return own.orders
    at_once = own.accelerators is not None or (own.capex_usd is not None and own.capex_per != PER_MACHINE)
    return () if at_once else in_time(setting, fleet_size(setting))


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build the fleet of the scenario, bought and run."""
    return build_fleet_ledger(setting, fleet_size(setting), purchase_schedule(setting))


@cached(32)  # the same function each time, so that what it built is known by it
def fleet_builder(accelerators: int, orders: tuple[PurchaseOrder, ...] = ()) -> Builder:
    """Return a function that builds owning with so many accelerators, bought in these orders."""
    return partial(build_fleet_ledger, accelerators=accelerators, orders=orders)


def build_fleet_ledger(
    setting: PlanContext, accelerators: int, orders: tuple[PurchaseOrder, ...] = ()
) -> OptionLedger | Unavailable:
    """Build so many accelerators bought and run, with the rest of the work rented."""
    fleet = build_fleet(setting, accelerators, orders)
    if fleet is None:
        return cannot_buy_reason(setting, accelerators)
    if (late := too_late_reason(fleet, "too late to run")) is not None:
        return late
    stages = f" in {len(orders)} orders" if len(orders) > 1 else ""
    title = f"Buy {accelerators:,}{stages} and run them"
    return fleet_with_rent_ledger(setting, title, fleet, fleet.lines(lambda part: part.lines))


def cannot_buy_reason(setting: PlanContext, accelerators: int) -> Unavailable:
    """Return why nothing can be bought: too little power at the site, or no price."""
    reason = power_shortfall_reason(setting, accelerators)
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    if reason is None:
        if chip is None:
            reason = f"{label} may be several, each with a price of its own: say which, or what you would pay"
        elif chip.rent_only:
            reason = f"{label} is not sold: enter what you would pay for one"
        else:
            reason = f"the price of {label} is not published: enter what you would pay for one"
    return Unavailable(reason)


def fleet_with_rent_ledger(
    setting: PlanContext,
    title: str,
    fleet: Fleet,
    lines: tuple[Line, ...],
    *warnings: str,
    after: str = "After it is sold",
) -> OptionLedger | Unavailable:
    """Build the ledger of a fleet of one's own and of the rent around it."""
    unknown, stages = unknown_offer_reason(setting, setting.offers.on_demand), fleet.stages
    if unknown is None and not np.any(stages.busy_hours > 0):
        unknown = no_price_reason(setting)  # all of the work would be rented
    if unknown is not None:
        return unknown
    after = after if np.any(stages.gone) else ""  # ways whose fleet stays to the end share their rent
    rented, accelerators = supplemental_rent_lines(stages, after), fleet.accelerators
    layers = _rent_layers(stages, after)
    waiting = np.asarray(sum(waiting_hours(setting, need, when) for _, need, when in layers))
    repairs = fleet.lines(partial(repair_rent_lines, setting))
    return OptionLedger(
        title=title,
        what=fleet.machine.order_text(accelerators),
        lines=(*lines, *rented, *repairs, *waiting_cost_lines(stages)),
        useful_hours=setting.demand.all.busy_hours - waiting,
        accelerators=float(accelerators),
        orders=fleet.orders,
        warnings=()
        if setting.row_axes
        else (  # of many rows nobody reads them
            *late_delivery_warnings(fleet),
            *site_notes(setting),
            *_scaled_price_note(setting, accelerators),
            *filter(None, (wait_warning(setting, accelerators),)),
            *warnings,
            *rent_warnings(setting, rented, waiting),
        ),
    )


def _scaled_price_note(setting: PlanContext, accelerators: int) -> tuple[str, ...]:
    """Return a note where your sum for day one was for another number of machines than are bought here."""
    own, wanted_size = setting.scenario.own, fleet_asked(setting)
    usd = own.capex_usd
    if usd is None or own.capex_per == PER_MACHINE:
        return ()
    sum_words = f"your {first_draw(usd):,.0f} USD are"
    if accelerators == wanted_size:
        machines = -(-wanted_size // server_size(setting))
        unsaid = machines > 1 and own.capex_per is None
        return (f"{sum_words} taken for all {machines:,} machines: {_FOR_ONE}",) if unsaid else ()
    scaled = first_draw(usd * accelerators / wanted_size)
    return (f"{sum_words} for {wanted_size:,} of them; {accelerators:,} cost {scaled:,.0f} in proportion",)


def rent_warnings(setting: PlanContext, rented: tuple[Line, ...], waiting: NDArray[np.float64]) -> tuple[str, ...]:
    """Return warnings about the rent beside one's own machines."""
    if not rented:
        return bridging_warning(setting, waiting)
    if any(line.part == "compute" and np.isnan(line.total_usd).any() for line in rented):
        return ("Part of the work is rented at a price that is not published: the total is too low. Enter a price",)
    return (*bridging_warning(setting, waiting), *rent_path_warnings(setting), *forward_rent_note(setting))


@cached(2)
def supplemental_rent_lines(stages: DeliveryTimeline, after: str = "After it is sold") -> tuple[Line, ...]:
    """Return the rent: for all work until the fleet comes and after it is sold; between the two, above its size."""
    setting = stages.setting
    return tuple(
        line
        for heading, need, when in _rent_layers(stages, after)
        for line in under_heading(
            heading, renting(setting, rentable(setting, need), setting.offers.on_demand, when=when)
        )
    )


@cached(2)
def _rent_layers(stages: DeliveryTimeline, after: str) -> tuple[tuple[str, DemandLayer, NDArray[np.float64]], ...]:
    """Return the work that is rented, and the share of each month in which it is."""
    setting = stages.setting
    layers = (
        ("Until delivery", setting.demand.all, stages.waits),
        ("Above the fleet", stages.left(), stages.owns),
        (after, setting.demand.all, stages.gone),
    )
    with_hours = ((heading, need, need.active_share(share)) for heading, need, share in layers)
    return tuple(layer for layer in with_hours if layer[2].any())


def late_delivery_warnings(fleet: Fleet) -> tuple[str, ...]:
    """Return a warning where the machines come too late to run at all."""
    if fleet.comes:
        return ()
    return (f"The {_too_late_text(fleet)}: they never run, all work is rented, and only the deposit is paid",)


def too_late_reason(fleet: Fleet, consequence: str) -> Unavailable | None:
    """Return why machines that come too late to work are no option: all of the work would be rented.

    An input that is tried out is taken as it is: a break-even passes through deliveries that come too late.
    """
    setting = fleet.setting
    hours = setting.demand.all.busy_hours
    is_over = np.any(hours > 0) and not np.any(hours * fleet.stages.owns > 0)
    if {LEAD_TIME, ORDER} & setting.tried.keys() or (fleet.comes and not is_over):
        return None
    rest = "" if fleet.comes else f": {consequence}, and all work would be rented"
    return Unavailable(f"the {_too_late_text(fleet)}{rest}")


def _too_late_text(fleet: Fleet) -> str:
    earliest, months = fleet.parts[0], fleet.setting.scenario.months
    wait = first_draw(earliest.holding.ordered_months + earliest.sheet.used[LEAD_TIME].value)
    until = "the work is done" if fleet.comes else "they would be sold" if wait < months else "the plan ends"
    return f"machines come after {months_words(wait)}, when {until}"


def repair_rent_lines(setting: PlanContext, part: Ownership) -> tuple[Line, ...]:
    """Return the cost on demand of the work of such a fleet while its machines are away for repair.

    None where nobody has a price, or your sum for running it holds everything.
    """
    own, offer, put = part.sheet.used, setting.offers.on_demand, replace(setting.input_sheet(), stack=part.sheet.stack)
    if _ALL_IN in own:
        return ()
    add_demand_inputs(put, setting, part.layer)
    set_after = add_offer_inputs(put, setting, () if offer is None else (offer,), setting.scenario.rent)
    if not np.all(np.isfinite(put.used[PRICE].value)):
        return ()
    price = add_forward_rent(put, setting, add_rent_path(put, setting, set_after))
    put.add_all(tuple(own[name] for name in ("failures_per_accelerator_year", "accelerators_per_server")))
    put.fact(REPAIR_HOURS, _REPAIR_FACT, setting.scenario.failures.repair_hours)
    put.add("runs", part.holding.owns, "share of each month in which it runs", PLAN)
    line = put.line(REPAIRS, "interruptions", f"accelerators * busy_share * hours_per_month * runs * {_OUT} * {price}")
    return (line,) if line.has_amounts else ()


def waiting_cost_lines(stages: DeliveryTimeline, reserved: int = 0) -> tuple[Line, ...]:
    """Return the cost of the time that jobs wait for such a fleet, with so many reserved above it."""
    if stages.setting.terms.usd_per_waiting_hour is None:
        return ()
    return tuple(
        line
        for top, share in zip(stages.tops, stages.runs_alone, strict=True)
        for line in queue_wait_lines(stages.setting, top + reserved, share)
    )


def queue_wait_lines(setting: PlanContext, fleet: float, active_share: Num) -> tuple[Line, ...]:
    """Return the cost of the time that jobs wait for a fleet in the share of each month in which it runs.

    None where it has no price, nothing waits, or no job fits on the fleet.
    """
    price, demand = setting.terms.usd_per_waiting_hour, setting.demand
    if price is None or not np.any(demand.waiting_hours > 0) or fleet < demand.job_accelerators:
        return ()
    wait, put = wait_hours(setting, fleet), setting.input_sheet()
    jobs = demand.deferred_hours(fleet, deferrable_capacity_share(setting, fleet)) / (
        demand.job_accelerators * demand.plain.hours_per_session
    )
    put.add("jobs_per_month", jobs, "jobs that may wait, in a whole month", COMPUTED)
    put.add("hours_waited", float(wait.value), "hours that one of them waits, on average", COMPUTED)
    put.add("usd_per_waiting_hour", price, "USD for an hour that one job waits", YOUR_INPUT)
    put.add("fleet_there", active_share, "share of each month in which the fleet is there", COMPUTED)
    how = "jobs_per_month * hours_waited * usd_per_waiting_hour * fleet_there"
    note = "counted, but not paid out" if wait.is_found else "busy all the time: the queue only grows"
    return deflate_lines(setting, (put.line("Jobs that wait", "waiting", how, note, treatment="imputed"),))


def right_size_ledger(setting: PlanContext, accelerators: int) -> OptionLedger | Unavailable:
    built = build_fleet_ledger(setting, accelerators)
    return built if isinstance(built, Unavailable) else replace(built, title=f"Buy {accelerators:,}, the right size")


@dataclass(frozen=True, eq=False)
class FleetSizeResult:
    """One size of fleet: its cost, the wait of jobs and its payback."""

    accelerators: int
    busy_share: float  # in the busiest month; above 1 where the work does not fit
    wait_hours: SolveResult  # mean, of a job as long as a session
    day_one_usd: float
    payback: Payback  # simple, against on demand, resale left out; running costs as they are
    payback_scaled: Payback  # your one sum of running costs belongs to the plan's fleet, and is scaled with size


def fleet_size_results(setting: PlanContext) -> tuple[FleetSizeResult, ...]:
    """Return the right size, some larger ones and the plan's; none where nothing may wait or has a price."""
    best = right_size(setting)
    rent = None if best is None else on_demand.build(setting)
    if best is None or rent is None or isinstance(rent, Unavailable):
        return ()
    wanted_size = setting.scenario.own.accelerators or setting.demand.all.peak_accelerators
    server = server_size(setting)
    step = -(-best // (_SIZES * server)) * server  # about a quarter of it, in whole servers
    sizes = sorted(
        {*(size for size in range(best, best + _SIZES * step, step) if size < wanted_size), best, wanted_size}
    )
    results = (_fleet_size_result(setting, Ledger(rent.title, rent.lines), size, wanted_size) for size in sizes)
    return tuple(result for result in results if result is not None)


def _fleet_size_result(
    setting: PlanContext, rent: Ledger, accelerators: int, wanted_size: int
) -> FleetSizeResult | None:
    ledger = scaled = _without_resale(setting, accelerators)
    if ledger is None or scaled is None:
        return None
    own = setting.scenario.own
    if own.running_usd_per_month is not None:
        running = own.running_usd_per_month * accelerators / wanted_size
        smaller = setting.scenario.model_copy(update={"own": own.model_copy(update={"running_usd_per_month": running})})
        scaled = _without_resale(replace(setting, scenario=smaller), accelerators) or ledger
    wait = wait_in_services(setting, accelerators)
    return FleetSizeResult(
        accelerators=accelerators,
        busy_share=peak_utilization(setting, accelerators),
        wait_hours=SolveResult(wait.value * setting.scenario.rent.hours_per_session, wait.reason),
        day_one_usd=float(np.atleast_2d(ledger.monthly_usd)[0, 0]),
        payback=simple_payback(usd=rent.monthly_usd - ledger.monthly_usd),
        payback_scaled=simple_payback(usd=rent.monthly_usd - scaled.monthly_usd),
    )


def _without_resale(setting: PlanContext, accelerators: int) -> Ledger | None:
    built = build_fleet_ledger(setting, accelerators)
    if isinstance(built, Unavailable):
        return None
    return Ledger(built.title, tuple(line for line in built.lines if line.part != "resale"))


WAY = OptionSpec(
    key="own",
    place=1,
    side="own",
    build=build,
    name="Buy",
    verdict_text="Buy",
    gerund="owning",
    start="buying",
    result_text="with {count} bought and run",
    purchase_text="bought",
    style=ChartStyle("#0b5cad", "#7cb7ff", "solid", "triangle-up"),
    layer=MixLayerStyle("Own", hatch=""),
    inputs="own",
    checks_plausibility=True,
    waits_for_delivery=True,
)
