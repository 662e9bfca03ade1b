"""Keep: do the work on what is there already. What was paid for it is gone; what it would fetch today is not."""

from dataclasses import dataclass

import numpy as np

from planner.money.demand.stream import DemandLayer
from planner.money.formula import Num
from planner.money.inflation import agreed
from planner.money.ledger import COMPUTED, CONVENTION, NOT_PUBLISHED, YOUR_INPUT, InputSheet, Line, Origin
from planner.money.owning.inputs import add_power_price, add_staff_and_space
from planner.money.owning.lines import METER, RENT_OF_SPACE, WAGE
from planner.money.owning.place import ExistingPower, existing_power, place_of
from planner.money.renting.bill import renting
from planner.money.selling import SellableHours, hour_sale_lines
from planner.money.setting import PlanContext
from planner.money.sizing import reach
from planner.money.timeline import PLAN, Holding
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable, under
from planner.money.ways.on_demand import unknown_offer_reason
from planner.money.ways.own import rent_warnings
from planner.money.ways.record import Look, OptionSpec
from planner.money.ways.waiting_cost import waiting
from planner.scenario.amounts import count
from planner.scenario.own import ExistingHardware

_LEAST = 1e-9
_FREE = "(kept_accelerators - busy_accelerators / relative_speed)"
# What a buyer pays is for one of the plan's: of a slower one he takes more.
_IDLE = SellableHours(f"{_FREE} * relative_speed", "runs", f"{_FREE} * (power_w_each - idle_power_w_each) / 1000")


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """The machines that are there already, and what they cannot do rented."""
    kept = setting.scenario.kept
    if kept is None:
        return Unavailable("nothing is entered as being there already")
    held = Holding(setting.timeline)
    rented = supplemental_rent(setting, kept, held)
    if isinstance(rented, Unavailable):
        return rented
    put = said(setting, kept, held)
    lines = (
        forgone_sale(put),
        *existing_running_lines(put, setting, kept),
        *end_value_line(put, setting),
    )
    return ledger(setting, kept, f"Keep {kept.label}", (*lines, *rented.lines), rented.warnings)


def ledger(
    setting: PlanContext, kept: ExistingHardware, title: str, lines: tuple[Line, ...], warnings: tuple[str, ...]
) -> OptionLedger:
    """The ledger of machines that are there, with the time that jobs wait for them."""
    waits = waiting(setting, kept.accelerators * kept.relative_speed, setting.timeline.runs)
    there = count(kept.accelerators, "that is there,", "that are there, each")
    return OptionLedger(
        title=title,
        what=f"{there} worth {kept.relative_speed:g} of the plan's",
        lines=(*lines, *waits),
        useful_hours=setting.demand.all.busy_hours,
        accelerators=float(kept.accelerators),
        warnings=warnings,
    )


@dataclass(frozen=True, eq=False)
class SupplementalRent:
    """What is rented beside machines that are there, and what to know of it."""

    lines: tuple[Line, ...]
    warnings: tuple[str, ...]


def supplemental_rent(
    setting: PlanContext, kept: ExistingHardware, held: Holding, after: str = "After it is gone"
) -> SupplementalRent | Unavailable:
    """What they cannot do, while they are there; and all of the work once they are gone."""
    rest, everything = _parts(setting, kept)[1], setting.demand.all
    layers = (("What it cannot do", rest, held.owns), (after, everything, held.gone))
    wanted = [(heading, need, need.active_share(when)) for heading, need, when in layers]
    needed = [one for one in wanted if np.any(one[1].busy_hours * one[2] > _LEAST)]
    if needed and (unknown := unknown_offer_reason(setting, setting.offers.on_demand)) is not None:
        return unknown
    lines = tuple(
        line
        for heading, need, when in needed
        for line in under(heading, renting(setting, need, setting.offers.on_demand, when=when))
    )
    is_short = any(heading != after for heading, _, _ in needed)
    alone = _shortfall_note(everything, rest) if is_short else ()
    return SupplementalRent(
        lines, (*alone, *_filled(kept, existing_power(setting, kept)), *rent_warnings(setting, lines))
    )


def _parts(setting: PlanContext, kept: ExistingHardware) -> tuple[DemandLayer, DemandLayer]:
    """The work that the machines do, and the rest."""
    able, reached = kept.accelerators * kept.relative_speed, reach(setting, kept.accelerators)
    return setting.demand.upto(able, reached), setting.demand.above(able, reached)


def existing_running_lines(put: InputSheet, setting: PlanContext, kept: ExistingHardware) -> tuple[Line, ...]:
    """What the machines cost while they are there, and what their idle hours bring."""
    power = existing_power(setting, kept)
    busy = "busy_accelerators / relative_speed"
    electricity = (
        put.line("Electricity while working", "power", f"power_w_each / 1000 * {METER} * ({busy} * runs)"),
        put.line(
            "Electricity while idle",
            "idle",
            f"idle_power_w_each / 1000 * {METER} * ((kept_accelerators - {busy}) * runs)",
        ),
    )
    return (
        *agreed(setting, electricity, setting.timeline.begun_years),
        *_running(put, setting, kept, power),
        *hour_sale_lines(put, setting, _IDLE),
    )


def forgone_sale(put: InputSheet) -> Line:
    """What selling the machines today would bring: a cost of keeping them that nobody pays."""
    how, note = "usd_today_if_sold * starts", "counted, and paid to nobody"
    return put.line("What it would fetch today", "hardware", how, note, treatment="forgone")


def end_value_line(put: InputSheet, setting: PlanContext) -> tuple[Line, ...]:
    """What the machines fetch when the plan ends."""
    line = put.line("What it is worth at the end", "resale", "-1 * usd_at_end * ends", treatment="sale")
    return agreed(setting, (line,))


def _running(
    put: InputSheet, setting: PlanContext, kept: ExistingHardware, power: ExistingPower | None
) -> tuple[Line, ...]:
    """Your sum, or people and space as they are paid for at that place."""
    if kept.running_usd_per_month is not None:
        put.add("kept_running_usd_per_month", kept.running_usd_per_month, "USD a month", YOUR_INPUT)
        return agreed(setting, (put.line("Running it", "upkeep", "kept_running_usd_per_month * runs"),))
    add_staff_and_space(put, setting)
    lines = [put.line("People", "staff", f"kept_accelerators * fte_per_accelerator * {WAGE} / 12 * runs")]
    if power is not None and not place_of(setting).builds_room:
        put.add("kept_kw", power.peak_kw, "kW", power.origin)
        lines.append(put.line("Space, by contracted power", "space", f"kept_kw * {RENT_OF_SPACE} * runs"))
    return agreed(setting, tuple(lines), setting.timeline.begun_years)


def said(setting: PlanContext, kept: ExistingHardware, held: Holding) -> InputSheet:
    """The inputs of machines that are there as long as they are held."""
    put, done, power = setting.input_sheet(), _parts(setting, kept)[0], existing_power(setting, kept)
    put.add_all(setting.timeline.flags)
    put.add("runs", held.owns, "share of each month in which it runs", PLAN)
    put.add("begun_years", setting.timeline.begun_years, "years from today to the month", PLAN)
    put.add("hours_per_month", done.hours_per_month, "hours", CONVENTION)
    put.add("busy_accelerators", done.accelerators * done.busy_share, "accelerators busy on average", COMPUTED)
    put.add("kept_accelerators", float(kept.accelerators), "accelerators", YOUR_INPUT)
    put.add("relative_speed", kept.relative_speed, "of one of the plan's", YOUR_INPUT)
    put.add("usd_today_if_sold", kept.usd_today_if_sold, "USD", YOUR_INPUT)
    put.add("usd_at_end", kept.usd_at_end, "USD", YOUR_INPUT)
    filled = (
        (float("nan"), float("nan"), NOT_PUBLISHED) if power is None else (power.busy_w, power.idle_w, power.origin)
    )
    _add_watts(put, "power_w_each", kept.power_w_each, filled[0], filled[2])
    most = np.inf if kept.power_w_each is None else kept.power_w_each
    _add_watts(put, "idle_power_w_each", kept.idle_power_w_each, np.minimum(filled[1], most), filled[2])
    add_power_price(put, setting)
    return put


def _add_watts(put: InputSheet, name: str, yours: float | None, filled: Num, said_by: Origin) -> None:
    put.add(name, filled if yours is None else yours, "W", said_by if yours is None else YOUR_INPUT)


def _filled(kept: ExistingHardware, power: ExistingPower | None) -> tuple[str, ...]:
    """What was filled in from facts, and how to say otherwise."""
    watts = "what it draws is not known" if power is None else f"{power.busy_w:,.0f} W each"
    unsaid = {
        "kept.power_w_each": (kept.power_w_each, watts),
        "kept.running_usd_per_month": (kept.running_usd_per_month, "people and space"),
    }
    names = [name for name, (yours, _) in unsaid.items() if yours is None]
    what = [words for yours, words in unsaid.values() if yours is None]
    return (f"Filled in from facts: {' and '.join(what)}. Enter {' and '.join(names)}",) if names else ()


def _shortfall_note(everything: DemandLayer, rest: DemandLayer) -> tuple[str, ...]:
    share = 1 - rest.busy_accelerator_hours / everything.busy_accelerator_hours
    return (f"It cannot do the work alone: it does {share:.0%} of the hours, the rest is rented on demand",)


WAY = OptionSpec(
    key="keep",
    place=10,
    side="keep",
    build=build,
    name="Keep what you have",
    advice="Keep what you have",
    doing="keeping what is there",
    said="with {what}",
    paid_for="on what is there",
    look=Look("#31333f", "#fafafa", "dot", "cross"),
    inputs="kept",
    when_empty="refused",
)
