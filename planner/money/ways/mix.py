"""Mix: own a base, reserve a layer above it, and give the peaks to rent on demand, to spot machines or to an API."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from planner.money.demand.stream import DemandLayer
from planner.money.fleet import DeliveryTimeline, Fleet, build_fleet
from planner.money.formula import Num
from planner.money.ledger import Line
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable, under_heading
from planner.money.price_path import forward_rent_note, rent_path_warnings
from planner.money.renting.bill import renting
from planner.money.renting.interruptions import demand_of, interruptible_work
from planner.money.renting.order_market import bridging_warning, rentable, waiting_hours
from planner.money.renting.reservation import all_along, reserving
from planner.money.setting import PlanContext
from planner.money.sizing import deferrable_capacity_share
from planner.money.ways import hosted, on_demand, spot
from planner.money.ways.own import (
    cannot_buy_reason,
    late_delivery_warnings,
    queue_wait_lines,
    repair_rent_lines,
    waiting_cost_lines,
)  # fmt: skip
from planner.money.ways.reserved import no_reservation_reason, resold_hours_lines
from planner.scenario.rent import MixInputs

NOTHING_STOPS = "none of the work may stop, so the peaks are rented on demand, not on spot machines"


@dataclass(frozen=True, eq=False)
class _MixLayer:
    lines: tuple[Line, ...] = ()
    warnings: tuple[str, ...] = ()
    after: Num = 0.0  # the share of each month in which it is not there: its work is then that of the peaks
    waiting: Num = 0.0  # hours that cannot be rented, by month


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build the mix that the scenario names."""
    mix = setting.scenario.mix
    if mix is None:
        return Unavailable("no mix is entered: say in mix how many to own and how many to reserve")
    return build_mix(setting, mix)


def build_mix(setting: PlanContext, mix: MixInputs) -> OptionLedger | Unavailable:
    """Build the three layers of a mix, each under a heading."""
    base = build_fleet(setting, mix.own_accelerators, mix.orders) if mix.own_accelerators else None
    if mix.own_accelerators and base is None:
        return cannot_buy_reason(setting, mix.own_accelerators)
    reserved = _reserved(setting, mix, base)
    if isinstance(reserved, Unavailable):
        return reserved
    peaks = _peaks(setting, mix, base, reserved.after)
    if isinstance(peaks, Unavailable):
        return peaks
    base_lines = base.lines(lambda part: (*part.lines, *repair_rent_lines(setting, part))) if base else ()
    late = late_delivery_warnings(base) if base else ()
    rents = (*rent_path_warnings(setting), *forward_rent_note(setting))
    peaks_text = next(spec.purchase_text for spec in (on_demand.WAY, spot.WAY, hosted.WAY) if spec.key == mix.peaks)
    stages = ""
    if len(mix.orders) > 1:
        stages = f" in {len(mix.orders)} orders"
    elif mix.orders and mix.orders[0].month:
        stages = f" from month {mix.orders[0].month} on"
    parts = [f"own {mix.own_accelerators:,}{stages}"] if mix.own_accelerators else []
    parts += [f"reserve {mix.reserve_accelerators:,}"] if mix.reserve_accelerators else []
    parts.append("pay for the peaks by the token" if mix.peaks == "hosted" else "rent the peaks")
    text = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return OptionLedger(
        title=(text[0].upper() + text[1:]),
        what=f"own {mix.own_accelerators:,}, reserve {mix.reserve_accelerators:,}, peaks {peaks_text}",
        lines=(
            *under_heading("Base", base_lines),
            *reserved.lines,
            *peaks.lines,
            *_waiting_cost_lines(setting, mix.reserve_accelerators, base),
        ),
        useful_hours=setting.demand.all.busy_hours - peaks.waiting,
        accelerators=float(max(mix.own_accelerators + mix.reserve_accelerators, setting.demand.all.peak_accelerators)),
        orders=mix.orders,
        warnings=tuple(
            dict.fromkeys(
                (
                    *late,
                    *reserved.warnings,
                    *peaks.warnings,
                    *bridging_warning(setting, np.asarray(peaks.waiting)),
                    *rents,
                )
            )
        ),
    )


def _waiting_cost_lines(setting: PlanContext, reserved: int, base: Fleet | None) -> tuple[Line, ...]:
    """Return the cost of waiting for base and reservation together; without a base, for the reservation alone."""
    runs = setting.timeline.runs
    if base is None:
        return queue_wait_lines(setting, reserved, runs)
    alone = runs - base.stages.owns
    beside = queue_wait_lines(setting, reserved, alone) if reserved and np.any(alone > 0) else ()
    return (*waiting_cost_lines(base.stages, reserved), *beside)


def _reserved(setting: PlanContext, mix: MixInputs, base: Fleet | None) -> _MixLayer | Unavailable:
    """Build the layer above the base; while there is no base, the lowest layer of all."""
    count = mix.reserve_accelerators
    if count == 0:
        return _MixLayer()
    missing = no_reservation_reason(setting)
    if missing is not None:
        return missing
    alone = setting.demand.between(0, count, deferrable_capacity_share(setting, count))
    need = alone if base is None else _blended_layer(setting, base.stages, alone, count)
    bill = reserving(setting, need, all_along(setting))
    lines = (*bill.lines, *resold_hours_lines(setting, bill, with_people=base is None))
    return _MixLayer(under_heading("Reserved", lines), bill.warnings, bill.after)


def _blended_layer(setting: PlanContext, base: DeliveryTimeline, alone: DemandLayer, count: int) -> DemandLayer:
    """Return the need of a layer that differs while the base is there: as many machines, but with other work."""

    def above(top: Num) -> DemandLayer:
        return setting.demand.between(top, top + count, deferrable_capacity_share(setting, top + count))

    beside, runs = base.over(above), setting.timeline.runs
    share = np.where(runs > 0, base.owns / np.where(runs > 0, runs, 1.0), 1.0)
    if np.all(share == 1.0):
        return beside

    def blend(one: Num, other: Num) -> Num:
        return np.asarray(one * share + other * (1 - share))

    return replace(
        beside,
        busy_share=blend(beside.busy_share, alone.busy_share),
        storage_tb=blend(beside.storage_tb, alone.storage_tb),
        egress_tb_per_month=blend(beside.egress_tb_per_month, alone.egress_tb_per_month),
    )


def _peaks(setting: PlanContext, mix: MixInputs, base: Fleet | None, after: Num) -> _MixLayer | Unavailable:
    """Build the work above base and reservation; before the base comes and after it is sold, all above the reservation.

    Once the reservation is over, `after`, all above the base.
    """
    reserved, runs = mix.reserve_accelerators, setting.timeline.runs
    stages = None if base is None else base.stages
    periods: list[tuple[str, DeliveryTimeline | None, Num | None]] = [("Peaks", None, None)]
    if stages is not None:
        periods = [("Peaks", stages, stages.owns), ("Peaks until delivery", None, stages.waits),
                   ("Peaks after it is sold", None, stages.gone)]  # fmt: skip
    parts = [(name, timeline, reserved, when) for name, timeline, when in periods]
    if np.any(after > 0):
        over = after / np.where(runs > 0, runs, 1.0)
        whole = [(name, timeline, runs if when is None else when) for name, timeline, when in periods]
        parts = [(name, timeline, reserved, when * (1 - over)) for name, timeline, when in whole]
        parts += [(f"{name} after the term", timeline, 0, when * over) for name, timeline, when in whole]
    layers: list[_MixLayer] = []
    for heading, timeline, beneath, when in parts:
        need = (
            setting.demand.above(beneath, deferrable_capacity_share(setting, beneath))
            if timeline is None
            else timeline.left(beneath)
        )
        layer = _peak_layer(setting, mix, heading, need, when)
        if isinstance(layer, Unavailable):
            return layer
        layers.append(layer)
    return _MixLayer(
        lines=tuple(line for layer in layers for line in layer.lines),
        warnings=tuple(warning for layer in layers for warning in layer.warnings),
        waiting=sum(layer.waiting for layer in layers),
    )


def _peak_layer(
    setting: PlanContext, mix: MixInputs, heading: str, need: DemandLayer, when: Num | None
) -> _MixLayer | Unavailable:
    if not need.active_share(1.0 if when is None else when).any():
        return _MixLayer()
    when = None if when is None else need.active_share(when)
    if mix.peaks == "hosted":  # the number of tokens goes with the hours of the work
        hours = np.asarray(need.accelerators * need.busy_share * need.hours_per_month)
        all_hours = setting.demand.all_hours
        level = setting.demand.work_level * (hours / np.where(all_hours > 0, all_hours, 1.0))
        lines = hosted.token_lines(setting, level, when)
        return lines if isinstance(lines, Unavailable) else _MixLayer(under_heading(f"{heading} by the token", lines))
    if mix.peaks == "spot" and interruptible_work(setting):
        return _spot_layer(setting, heading, need, when)
    missing = on_demand.no_price_reason(setting)
    if missing is not None and setting.offers.market_price(None) is None:
        return missing
    rent = renting(setting, rentable(setting, need), setting.offers.on_demand, when=when)
    notes = () if mix.peaks == "on_demand" else (NOTHING_STOPS,)
    waiting = waiting_hours(setting, need, 1.0 if when is None else when)
    return _MixLayer(under_heading(heading, rent), notes, waiting=waiting)


def _spot_layer(setting: PlanContext, heading: str, need: DemandLayer, when: Num | None) -> _MixLayer | Unavailable:
    """Build the peaks on spot machines, as far as there is work that may stop; the rest is rented on demand."""
    missing = spot.no_spot_price_reason(setting)
    if missing is not None:
        return missing
    hours = need.accelerators * need.busy_share * need.hours_per_month
    enough = np.minimum(demand_of(setting, interruptible_work(setting)).all_hours / np.maximum(hours, 1e-12), 1.0)
    share: Num = 1.0 if np.all(enough == 1.0) else enough
    active = hours * setting.timeline.runs * (1.0 if when is None else when)
    total = np.maximum(np.sum(active, axis=-1, keepdims=True), 1e-12)
    done = np.sum(active * share, axis=-1, keepdims=True) / total
    bill = spot.spot_bill(setting, _scaled_layer(need, share, done), when)
    if isinstance(bill, Unavailable):
        return bill
    rest, rent = _scaled_layer(need, 1 - share, 1 - done), partial(renting, setting, when=when)
    offer = setting.offers.on_demand
    beside = rent(rest, offer) if np.any(rest.busy_hours > 0) else ()
    lines = (*under_heading(f"{heading} on spot", bill.lines), *under_heading(f"{heading} on demand", beside))
    capped = spot.cap_at_on_demand(
        setting, replace(bill, lines=lines), rent(need, offer), f"{heading} {spot.COSTS_MORE}"
    )
    return _MixLayer(capped.lines, capped.warnings)


def _scaled_layer(need: DemandLayer, of_hours: Num, of_data: np.ndarray) -> DemandLayer:
    """Return a part of the hours, and the part of the data that goes with it."""
    data: Num = float(of_data[0]) if of_data.ndim == 1 else of_data
    return replace(
        need,
        busy_share=need.busy_share * of_hours,
        storage_tb=need.storage_tb * data,
        egress_tb_per_month=need.egress_tb_per_month * data,
    )


WAY = OptionSpec(
    key="mix",
    place=11,
    side="mix",
    build=build,
    name="Mix",
    verdict_text="Own a base, rent the peaks",
    gerund="the mix",
    result_text="if you {title}",
    purchase_text="as a mix",
    style=ChartStyle("#be123c", "#fda4af", "solid", "hexagram"),
    inputs="mix",
    when_empty="refused",
    waits_for_delivery=True,
)
