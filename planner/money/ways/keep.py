"""Keep: do the work on machines that are there already. Their price is sunk; their market value today is not."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.inflation import deflate_lines
from planner.money.ledger import COMPUTED, CONVENTION, NOT_PUBLISHED, YOUR_INPUT, InputSheet, Line
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable, under_heading
from planner.money.owning.inputs import add_power_price, add_staff_and_space
from planner.money.owning.lines import METER, RENT_OF_SPACE, WAGE
from planner.money.owning.machine_price import PROCESS
from planner.money.owning.place import ExistingPower, existing_power, place_of
from planner.money.owning.resale import existing_hardware, used_worth
from planner.money.renting.bill import renting
from planner.money.renting.order_market import rentable, waiting_hours
from planner.money.selling import SellableHours, hour_sale_lines
from planner.money.setting import PlanContext
from planner.money.sizing import deferrable_capacity_share
from planner.money.timeline import PLAN, Holding
from planner.money.ways.on_demand import unknown_offer_reason
from planner.money.ways.own import queue_wait_lines, rent_warnings
from planner.scenario.amounts import count
from planner.scenario.own import ExistingHardware

_LEAST = 1e-9
_FREE = "(kept_accelerators - busy_accelerators / relative_speed)"
# A buyer pays for one of the plan's: of a slower one he takes more.
_IDLE = SellableHours(f"{_FREE} * relative_speed", "runs", f"{_FREE} * (power_w_each - idle_power_w_each) / 1000")
_PEOPLE = "max(kept_accelerators * fte_per_accelerator, least_fte * min(kept_accelerators / least_from, 1))"


@dataclass(frozen=True, eq=False)
class SupplementalRent:
    """Rent beside existing machines, with its warnings."""

    lines: tuple[Line, ...]
    warnings: tuple[str, ...]
    waiting_hours: NDArray[np.float64]  # of the work that cannot be rented, by month


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build the machines that are there already, with the rest of the work rented."""
    kept = existing_hardware(setting)
    if kept is None:
        return Unavailable("nothing is entered as being there already")
    held = Holding(setting.timeline)
    rented = supplemental_rent(setting, kept, held)
    if isinstance(rented, Unavailable):
        return rented
    put = existing_inputs(setting, kept, held)
    lines = existing_running_lines(put, setting, kept)
    if not is_done_once(setting):
        lines = (forgone_sale(put), *lines, *end_value_line(put, setting))
    return existing_ledger(setting, kept, f"Keep {kept.label}", (*lines, *rented.lines), rented)


def existing_ledger(
    setting: PlanContext,
    kept: ExistingHardware,
    title: str,
    lines: tuple[Line, ...],
    rented: SupplementalRent,
    *notes: str,
) -> OptionLedger:
    """Build the ledger of existing machines, with the time that jobs wait for them."""
    waits = queue_wait_lines(setting, kept.accelerators * kept.speed, setting.timeline.runs)
    machines = count(kept.accelerators, "that is there,", "that are there, each")
    return OptionLedger(
        title=title,
        what=f"{machines} worth {kept.speed:.2g} of the plan's",
        lines=(*lines, *waits),
        useful_hours=setting.demand.all.busy_hours - rented.waiting_hours,
        accelerators=float(kept.accelerators),
        warnings=(*notes, *rented.warnings),
    )


def supplemental_rent(
    setting: PlanContext, kept: ExistingHardware, held: Holding, after: str = "After it is gone"
) -> SupplementalRent | Unavailable:
    """Rent the work that exceeds the machines while they are there; and all of it once they are gone."""
    rest, everything, offer = _split_work(setting, kept)[1], setting.demand.all, setting.offers.on_demand
    layers = (("What it cannot do", rest, held.owns), (after, everything, held.gone))
    needed = [(heading, need, when) for heading, need, share in layers
              if np.any(need.busy_hours * (when := need.active_share(share)) > _LEAST)]  # fmt: skip
    if needed and (unknown := unknown_offer_reason(setting, offer)) is not None:
        return unknown
    lines = tuple(
        line
        for heading, need, when in needed
        for line in under_heading(heading, renting(setting, rentable(setting, need), offer, when=when))
    )
    waiting = np.asarray(sum(waiting_hours(setting, need, when) for _, need, when in needed))
    notes: tuple[str, ...] = ()
    if any(heading != after for heading, _, _ in needed):
        share = 1 - rest.busy_accelerator_hours / everything.busy_accelerator_hours
        notes = (f"It cannot do the work alone: it does {share:.0%} of the hours, the rest is rented on demand",)
    filled_in = _filled_in_note(kept, existing_power(setting, kept))
    return SupplementalRent(lines, (*notes, *filled_in, *rent_warnings(setting, lines, waiting)), waiting)


def _split_work(setting: PlanContext, kept: ExistingHardware) -> tuple[DemandLayer, DemandLayer]:
    able, demand = kept.accelerators * kept.speed, setting.demand
    if is_done_once(setting) and np.all(demand.all_hours <= able * demand.plain.hours_per_month):
        able = float(demand.all.peak_accelerators)  # it takes longer, and nobody waits for it
    share = deferrable_capacity_share(setting, kept.accelerators)
    return demand.upto(able, share), demand.above(able, share)


def is_done_once(setting: PlanContext) -> bool:
    """Return whether the work is single jobs without a deadline: what is there is not kept for them."""
    works = setting.scenario.work
    jobs = [job for work in works for job in work.jobs]
    is_once = all(job.every_months is None and job.within_days is None for job in jobs)
    return is_once and all(work.jobs and work.effective_utilization == 0 for work in works)


def existing_running_lines(put: InputSheet, setting: PlanContext, kept: ExistingHardware) -> tuple[Line, ...]:
    """Return the running cost of the machines while they are there, and the income of their idle hours."""
    power = existing_power(setting, kept)
    busy = "busy_accelerators / relative_speed"
    idle = f"idle_power_w_each / 1000 * {METER} * ((kept_accelerators - {busy}) * kept_share * runs)"
    electricity = (
        put.line("Electricity while working", "power", f"power_w_each / 1000 * {METER} * ({busy} * runs)"),
        put.line("Electricity while idle", "idle", idle),
    )
    return (
        *deflate_lines(setting, electricity, setting.timeline.begun_years),
        *_upkeep_lines(put, setting, kept, power),
        *hour_sale_lines(put, setting, _IDLE),
    )


def forgone_sale(put: InputSheet) -> Line:
    """Return the price of the machines today: a cost of keeping them that nobody pays."""
    how, note = "usd_today_if_sold * starts", "counted, but not paid out"
    return put.line("What it would fetch today", "hardware", how, note, treatment="forgone")


def end_value_line(put: InputSheet, setting: PlanContext) -> tuple[Line, ...]:
    """Return the resale of the machines when the plan ends."""
    line = put.line("What it is worth at the end", "resale", "-1 * usd_at_end * ends", treatment="sale")
    return deflate_lines(setting, (line,))


def _upkeep_lines(
    put: InputSheet, setting: PlanContext, kept: ExistingHardware, power: ExistingPower | None
) -> tuple[Line, ...]:
    """Return your sum, or people and space as they are paid for at that place."""
    if kept.running_usd_per_month is not None:
        put.add("kept_running_usd_per_month", kept.running_usd_per_month, "USD a month", YOUR_INPUT)
        return deflate_lines(
            setting, (put.line("Running it", "upkeep", "kept_running_usd_per_month * kept_share * runs"),)
        )
    add_staff_and_space(put, setting)
    lines = [put.line("People", "staff", f"{_PEOPLE} * {WAGE} / 12 * kept_share * runs")]
    if power is not None and not place_of(setting).builds_room:
        put.add("kept_kw", power.peak_kw, "kW", power.origin)
        lines.append(put.line("Space, by contracted power", "space", f"kept_kw * {RENT_OF_SPACE} * kept_share * runs"))
    return deflate_lines(setting, tuple(lines), setting.timeline.begun_years)


def existing_inputs(setting: PlanContext, kept: ExistingHardware, held: Holding) -> InputSheet:
    """Return the inputs of existing machines as long as they are held."""
    put, work, power = setting.input_sheet(), _split_work(setting, kept)[0], existing_power(setting, kept)
    put.add_all(setting.timeline.flags)
    put.add("runs", held.owns, "share of each month in which it runs", PLAN)
    put.add("begun_years", setting.timeline.begun_years, "years from today to the month", PLAN)
    put.add("hours_per_month", work.hours_per_month, "hours", CONVENTION)
    put.add("busy_accelerators", work.accelerators * work.busy_share, "accelerators busy on average", COMPUTED)
    put.add("kept_accelerators", float(kept.accelerators), "accelerators", YOUR_INPUT)
    used = work.accelerators * work.busy_share / (kept.accelerators * kept.speed)
    put.add("kept_share", np.minimum(used, 1.0) if is_done_once(setting) else 1.0, "share of each month", COMPUTED)
    entered = setting.scenario.kept or kept
    put.add("relative_speed", kept.speed, "of one of the plan's",
            COMPUTED if entered.accelerator and entered.relative_speed is None else YOUR_INPUT)  # fmt: skip
    for name, years in (("usd_today_if_sold", 0.0), ("usd_at_end", setting.scenario.years)):
        worth = used_worth(setting, kept, years) if getattr(entered, name) is None else None
        ends = None if worth is None else (worth[2], worth[0]) if years else (worth[0], worth[2])  # a sale is no cost
        put.add(name, getattr(kept, name) or 0.0, "USD", YOUR_INPUT if worth is None else PROCESS, ends)
    most_w = np.inf if kept.power_w_each is None else kept.power_w_each
    for name, yours, is_busy in (
        ("power_w_each", kept.power_w_each, True), ("idle_power_w_each", kept.idle_power_w_each, False)
    ):  # fmt: skip
        if yours is not None:
            put.add(name, yours, "W", YOUR_INPUT)
        elif power is None:
            put.add(name, float("nan"), "W", NOT_PUBLISHED)
        else:
            usual, ends = (power.busy_w, power.busy_ends_w) if is_busy else (power.idle_w, power.idle_ends_w)
            usual, low, high = (each if is_busy else np.minimum(each, most_w) for each in (usual, *ends))
            put.add(name, usual, "W", power.origin, (low, high))
    add_power_price(put, setting)
    return put


def _filled_in_note(kept: ExistingHardware, power: ExistingPower | None) -> tuple[str, ...]:
    """Return the values that were filled in from facts, and the fields to enter your own."""
    watts = "what it draws is not known" if power is None else f"{power.busy_w:,.0f} W each"
    filled = {}
    if kept.power_w_each is None:
        filled["kept.power_w_each"] = watts
    if kept.running_usd_per_month is None:
        filled["kept.running_usd_per_month"] = "people and space"
    values, fields = " and ".join(filled.values()), " and ".join(filled)
    return (f"Filled in from facts: {values}. Enter {fields}",) if filled else ()


WAY = OptionSpec(
    key="keep",
    place=10,
    side="keep",
    build=build,
    name="Keep what you have",
    verdict_text="Keep what you have",
    gerund="keeping what is there",
    result_text="with {what}",
    purchase_text="on what is there",
    style=ChartStyle("#31333f", "#fafafa", "dot", "cross"),
    inputs="kept",
    is_current=True,
    when_empty="refused",
)
