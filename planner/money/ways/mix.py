"""Mix: own a base, reserve a layer above it, and give the peaks to rent on demand, to spot machines or to an API."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.fleet import DeliveryTimeline, Fleet, build_fleet
from planner.money.formula import Num
from planner.money.ledger import Line
from planner.money.owning import Ownership
from planner.money.price_path import forward_rent_note, rent_path_warnings
from planner.money.renting.bill import renting
from planner.money.renting.interruptions import demand_of, interruptible_work
from planner.money.renting.reservation import all_along, reserving
from planner.money.setting import PlanContext
from planner.money.sizing import reach
from planner.money.ways import hosted, on_demand, spot
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable, under
from planner.money.ways.own import cannot_buy_reason, late_delivery_warnings, waiting_cost_lines
from planner.money.ways.record import Look, OptionSpec
from planner.money.ways.repairs import repair_rent_lines
from planner.money.ways.reserved import no_reservation_reason, sold_on
from planner.money.ways.spot import COSTS_MORE, missing_price, no_dearer, on_spot
from planner.money.ways.waiting_cost import waiting
from planner.scenario.rent import MixInputs

NOTHING_STOPS = "none of the work may stop, so the peaks are rented on demand, not on spot machines"


@dataclass(frozen=True, eq=False)
class _Layer:
    """What one layer adds to the mix."""

    lines: tuple[Line, ...] = ()
    warnings: tuple[str, ...] = ()
    after: Num = 0.0  # the share of each month in which it is not there: its work is then that of the peaks


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """The mix that the scenario names."""
    mix = setting.scenario.mix
    if mix is None:
        return Unavailable("no mix is entered: say in mix how many to own and how many to reserve")
    return mixed(setting, mix)


def mixed(setting: PlanContext, mix: MixInputs) -> OptionLedger | Unavailable:
    """The lines of the three layers of a mix, each under a heading."""
    base = build_fleet(setting, mix.own_accelerators, mix.orders) if mix.own_accelerators else None
    if mix.own_accelerators and base is None:
        return cannot_buy_reason(setting, mix.own_accelerators)
    reserved = _reserved(setting, mix, base)
    if isinstance(reserved, Unavailable):
        return reserved
    peaks = _peaks(setting, mix, base, reserved.after)
    if isinstance(peaks, Unavailable):
        return peaks
    layers = (reserved, peaks)
    return OptionLedger(
        title=_title(mix),
        what=f"own {mix.own_accelerators:,}, reserve {mix.reserve_accelerators:,}, peaks {_peaks_text(mix)}",
        lines=(
            *(under("Base", base.lines(partial(_base_lines, setting))) if base else ()),
            *(line for layer in layers for line in layer.lines),
            *_waiting(setting, mix, base),
        ),
        useful_hours=setting.demand.all.busy_hours,
        accelerators=float(max(mix.own_accelerators + mix.reserve_accelerators, setting.demand.all.peak_accelerators)),
        orders=mix.orders,
        warnings=tuple(
            dict.fromkeys(
                (
                    *(late_delivery_warnings(base) if base else ()),
                    *(warning for layer in layers for warning in layer.warnings),
                    *rent_path_warnings(setting),
                    *forward_rent_note(setting),
                )
            )
        ),
    )


def _waiting(setting: PlanContext, mix: MixInputs, base: Fleet | None) -> tuple[Line, ...]:
    """Jobs wait for base and reservation together; without a base, for the reservation alone."""
    held, runs = mix.reserve_accelerators, setting.timeline.runs
    if base is None:
        return waiting(setting, held, runs)
    alone = runs - base.stages.owns
    return (
        *waiting_cost_lines(base.stages, held),
        *(waiting(setting, held, alone) if held and np.any(alone > 0) else ()),
    )


def _reserved(setting: PlanContext, mix: MixInputs, base: Fleet | None) -> _Layer | Unavailable:
    """The layer above the base; while there is no base, the lowest layer of all."""
    count = mix.reserve_accelerators
    if count == 0:
        return _Layer()
    missing = no_reservation_reason(setting)
    if missing is not None:
        return missing
    alone = setting.demand.between(0, count, reach(setting, count))
    need = alone if base is None else _blended(setting, base.stages, alone, count)
    found = reserving(setting, need, all_along(setting))
    lines = (*found.lines, *sold_on(setting, found, with_people=base is None))
    return _Layer(under("Reserved", lines), found.warnings, found.after)


def _base_lines(setting: PlanContext, part: Ownership) -> tuple[Line, ...]:
    return (*part.lines, *repair_rent_lines(setting, part))


def _blended(setting: PlanContext, base: DeliveryTimeline, alone: DemandLayer, count: int) -> DemandLayer:
    """The need of a layer that differs while the base is there: as many machines, but with other work."""
    beside = base.over(lambda top: setting.demand.between(top, top + count, reach(setting, top + count)))
    runs, owns = setting.timeline.runs, base.owns
    share = np.where(runs > 0, owns / np.where(runs > 0, runs, 1.0), 1.0)
    if np.all(share == 1.0):
        return beside

    def of_both(one: Num, other: Num) -> Num:
        return np.asarray(one * share + other * (1 - share))

    return replace(
        beside,
        busy_share=of_both(beside.busy_share, alone.busy_share),
        storage_tb=of_both(beside.storage_tb, alone.storage_tb),
        egress_tb_per_month=of_both(beside.egress_tb_per_month, alone.egress_tb_per_month),
    )


def _above(setting: PlanContext, base: DeliveryTimeline | None, held: int) -> DemandLayer:
    """The work above a base, where there is one, and so many held above it."""
    return setting.demand.above(held, reach(setting, held)) if base is None else base.left(held)


def _peaks(setting: PlanContext, mix: MixInputs, base: Fleet | None, after: Num) -> _Layer | Unavailable:
    """The work above base and reservation; before the base comes and after it is sold, all above the reservation.

    Once the reservation is over, `after`, all above the base.
    """
    held, runs = mix.reserve_accelerators, setting.timeline.runs
    stages = None if base is None else base.stages
    times: list[tuple[str, DeliveryTimeline | None, Num | None]] = [
        ("Peaks", stages, None if stages is None else stages.owns)
    ]
    if stages is not None:
        times += [("Peaks until delivery", None, stages.waits), ("Peaks after it is sold", None, stages.gone)]
    cut: list[tuple[str, DeliveryTimeline | None, int, Num | None]] = [
        (name, there, held, when) for name, there, when in times
    ]
    if np.any(after > 0):
        over = after / np.where(runs > 0, runs, 1.0)
        whole = [(name, there, runs if when is None else when) for name, there, when in times]
        cut = [(name, there, held, when * (1 - over)) for name, there, when in whole]
        cut += [(f"{name} after the term", there, 0, when * over) for name, there, when in whole]
    pieces = [(name, _above(setting, there, many), when) for name, there, many, when in cut]
    made = [_peak_layer(setting, mix, *piece) for piece in pieces]
    failed = next((one for one in made if isinstance(one, Unavailable)), None)
    if failed is not None:
        return failed
    layers = [one for one in made if isinstance(one, _Layer)]
    return _Layer(
        lines=tuple(line for layer in layers for line in layer.lines),
        warnings=tuple(warning for layer in layers for warning in layer.warnings),
    )


def _peak_layer(
    setting: PlanContext, mix: MixInputs, heading: str, need: DemandLayer, when: Num | None
) -> _Layer | Unavailable:
    if not need.active_share(1.0 if when is None else when).any():
        return _Layer()
    when = None if when is None else need.active_share(when)
    if mix.peaks == "hosted":
        return _by_token(setting, heading, need, when)
    if mix.peaks == "on_demand" or not interruptible_work(setting):
        missing = on_demand.missing_price(setting)
        if missing is not None:
            return missing
    if mix.peaks == "on_demand":
        return _Layer(under(heading, renting(setting, need, setting.offers.on_demand, when=when)))
    return _spot_layer(setting, heading, need, when)


def _by_token(setting: PlanContext, heading: str, need: DemandLayer, when: Num | None) -> _Layer | Unavailable:
    """The tokens of these hours: their number goes with the hours of the work."""
    hours = np.asarray(need.accelerators * need.busy_share * need.hours_per_month)
    everything = setting.demand.all_hours
    share = hours / np.where(everything > 0, everything, 1.0)
    lines = hosted.tokens(setting, setting.demand.work_level * share, when)
    return lines if isinstance(lines, Unavailable) else _Layer(under(f"{heading} by the token", lines))


def _spot_layer(setting: PlanContext, heading: str, need: DemandLayer, when: Num | None) -> _Layer | Unavailable:
    """The peaks on spot machines, as far as there is work that may stop; the rest is rented on demand."""
    works = interruptible_work(setting)
    if not works:
        return _Layer(under(heading, renting(setting, need, setting.offers.on_demand, when=when)), (NOTHING_STOPS,))
    missing = missing_price(setting)
    if missing is not None:
        return missing
    hours = need.accelerators * need.busy_share * need.hours_per_month
    enough = np.minimum(demand_of(setting, works).all_hours / np.maximum(hours, 1e-12), 1.0)
    part: Num = 1.0 if np.all(enough == 1.0) else enough
    going = hours * setting.timeline.runs * (1.0 if when is None else when)
    done = np.sum(going * part, axis=-1, keepdims=True) / np.maximum(np.sum(going, axis=-1, keepdims=True), 1e-12)
    spot = on_spot(setting, _scaled_layer(need, part, _plain(done)), when)
    if isinstance(spot, Unavailable):
        return spot
    rest = _scaled_layer(need, 1 - part, _plain(1 - done))
    every = renting(setting, need, setting.offers.on_demand, when=when)
    beside = renting(setting, rest, setting.offers.on_demand, when=when) if np.any(rest.busy_hours > 0) else ()
    split = (*under(f"{heading} on spot", spot.lines), *under(f"{heading} on demand", beside))
    found = no_dearer(setting, replace(spot, lines=split), every, f"{heading} {COSTS_MORE}")
    return _Layer(found.lines, found.warnings)


def _scaled_layer(need: DemandLayer, of_hours: Num, of_data: Num) -> DemandLayer:
    """A part of the hours, and the part of the data that goes with it."""
    return replace(
        need,
        busy_share=need.busy_share * of_hours,
        storage_tb=need.storage_tb * of_data,
        egress_tb_per_month=need.egress_tb_per_month * of_data,
    )


def _plain(share: NDArray[np.float64]) -> Num:
    return float(share[0]) if share.ndim == 1 else share


def _title(mix: MixInputs) -> str:
    parts = [
        f"own {mix.own_accelerators:,}{_stages(mix)}" if mix.own_accelerators else "",
        f"reserve {mix.reserve_accelerators:,}" if mix.reserve_accelerators else "",
        "pay for the peaks by the token" if mix.peaks == "hosted" else "rent the peaks",
    ]
    told = [part for part in parts if part]
    text = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
    return text[0].upper() + text[1:]


def _stages(mix: MixInputs) -> str:
    """When the base is ordered, where that is not today."""
    if len(mix.orders) > 1:
        return f" in {len(mix.orders)} orders"
    return f" from month {mix.orders[0].month} on" if mix.orders and mix.orders[0].month else ""


def _peaks_text(mix: MixInputs) -> str:
    return next(one.paid_for for one in (on_demand.WAY, spot.WAY, hosted.WAY) if one.key == mix.peaks)


WAY = OptionSpec(
    key="mix",
    place=11,
    side="mix",
    build=build,
    name="Mix",
    advice="Own a base, rent the peaks",
    doing="the mix",
    said="if you {title}",
    paid_for="as a mix",
    look=Look("#be123c", "#fda4af", "solid", "hexagram"),
    inputs="mix",
    when_empty="refused",
    waits_for_delivery=True,
)
