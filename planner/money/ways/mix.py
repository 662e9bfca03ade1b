"""Mix: own a base, reserve a layer above it, and give the peaks to rent on demand, to spot machines or to an API."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import Need
from planner.money.formula import Num
from planner.money.ledger import Line
from planner.money.owning import Owned, owned
from planner.money.renting.bill import renting
from planner.money.renting.interruptions import demand_of, stoppable
from planner.money.renting.rent_levels import path_warnings
from planner.money.renting.reservation import all_along, reserving
from planner.money.setting import Setting
from planner.money.sizing import reach
from planner.money.ways import hosted, on_demand, spot
from planner.money.ways.ledger_of_way import Unavailable, WayLedger, under
from planner.money.ways.own import never_comes, not_owned
from planner.money.ways.record import Look, WayRecord
from planner.money.ways.repairs import while_repaired
from planner.money.ways.reserved import missing_reservation
from planner.money.ways.spot import missing_price, on_spot
from planner.money.ways.waiting_cost import waiting
from planner.scenario.rent import Mix

NOTHING_STOPS = "none of the work may stop, so the peaks are rented on demand, not on spot machines"


@dataclass(frozen=True, eq=False)
class _Layer:
    """What one layer adds to the mix."""

    lines: tuple[Line, ...] = ()
    warnings: tuple[str, ...] = ()
    after: Num = 0.0  # the share of each month in which it is not there: its work is then that of the peaks


def build(setting: Setting) -> WayLedger | Unavailable:
    """The mix that the scenario names."""
    mix = setting.scenario.mix
    if mix is None:
        return Unavailable("no mix is entered: say in mix how many to own and how many to reserve")
    return mixed(setting, mix)


def mixed(setting: Setting, mix: Mix) -> WayLedger | Unavailable:
    """The lines of the three layers of a mix, each under a heading."""
    work = setting.demand.upto(mix.own_accelerators, _share(setting, mix))
    base = owned(setting, work) if mix.own_accelerators else None
    if mix.own_accelerators and base is None:
        return not_owned(setting, mix.own_accelerators)
    reserved = _reserved(setting, mix, base)
    if isinstance(reserved, Unavailable):
        return reserved
    peaks = _peaks(setting, mix, base, reserved.after)
    if isinstance(peaks, Unavailable):
        return peaks
    layers = (reserved, peaks)
    return WayLedger(
        title=_title(mix),
        what=f"own {mix.own_accelerators:,}, reserve {mix.reserve_accelerators:,}, peaks {_peaks_named(mix)}",
        lines=(
            *(under("Base", (*base.lines, *while_repaired(setting, base, work))) if base else ()),
            *(line for layer in layers for line in layer.lines),
            *_waiting(setting, mix, base),
        ),
        useful_hours=setting.demand.all.busy_hours,
        accelerators=float(max(mix.own_accelerators + mix.reserve_accelerators, setting.demand.all.most_accelerators)),
        warnings=tuple(
            dict.fromkeys(
                (
                    *(never_comes(setting, base) if base else ()),
                    *(warning for layer in layers for warning in layer.warnings),
                    *path_warnings(setting),
                )
            )
        ),
    )


def _share(setting: Setting, mix: Mix) -> float:
    """How busy base and reservation together may be; base and reservation wait in one queue."""
    return reach(setting, mix.own_accelerators + mix.reserve_accelerators)


def _waiting(setting: Setting, mix: Mix, base: Owned | None) -> tuple[Line, ...]:
    """Jobs wait for base and reservation together; without a reservation, while the base is there."""
    fleet, runs = mix.own_accelerators + mix.reserve_accelerators, setting.timeline.runs
    return waiting(setting, fleet, runs if base is None or mix.reserve_accelerators else base.held.owns)


def _reserved(setting: Setting, mix: Mix, base: Owned | None) -> _Layer | Unavailable:
    """The layer above the base; while there is no base, the lowest layer of all."""
    count = mix.reserve_accelerators
    if count == 0:
        return _Layer()
    missing = missing_reservation(setting)
    if missing is not None:
        return missing
    demand, total = setting.demand, mix.own_accelerators + count
    need = demand.between(mix.own_accelerators, total, _share(setting, mix))
    if base is not None:
        need = _blended(setting, need, demand.between(0, count, reach(setting, count)), base.held.owns)
    found = reserving(setting, need, all_along(setting))
    return _Layer(under("Reserved", found.lines), found.warnings, found.after)


def _blended(setting: Setting, beside: Need, alone: Need, owns: NDArray[np.float64]) -> Need:
    """The need of a layer that differs while the base is there: as many machines, but with other work."""
    runs = setting.timeline.runs
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


def _peaks(setting: Setting, mix: Mix, base: Owned | None, after: Num) -> _Layer | Unavailable:
    """The work above base and reservation; before the base comes and after it is sold, all above the reservation.

    Once the reservation is over, `after`, all above the base.
    """
    held, runs = mix.reserve_accelerators, setting.timeline.runs
    times: list[tuple[str, int, Num | None]] = [
        ("Peaks", mix.own_accelerators, None if base is None else base.held.owns)
    ]
    if base is not None:
        times += [("Peaks until delivery", 0, base.held.waits), ("Peaks after it is sold", 0, base.held.gone)]
    if np.any(after > 0):
        over = after / np.where(runs > 0, runs, 1.0)
        whole = [(heading, own, runs if when is None else when) for heading, own, when in times]
        times = [(heading, own + held, when * (1 - over)) for heading, own, when in whole]
        times += [(f"{heading} after the term", own, when * over) for heading, own, when in whole]
    else:
        times = [(heading, own + held, when) for heading, own, when in times]
    pieces = [(heading, setting.demand.above(many, reach(setting, many)), when) for heading, many, when in times]
    made = [_piece(setting, mix, *piece) for piece in pieces]
    failed = next((one for one in made if isinstance(one, Unavailable)), None)
    if failed is not None:
        return failed
    layers = [one for one in made if isinstance(one, _Layer)]
    return _Layer(
        lines=tuple(line for layer in layers for line in layer.lines),
        warnings=tuple(warning for layer in layers for warning in layer.warnings),
    )


def _piece(setting: Setting, mix: Mix, heading: str, need: Need, when: Num | None) -> _Layer | Unavailable:
    if not need.there(1.0 if when is None else when).any():
        return _Layer()
    when = None if when is None else need.there(when)
    if mix.peaks == "hosted":
        return _by_token(setting, heading, need, when)
    if mix.peaks == "on_demand" or not stoppable(setting):
        missing = on_demand.missing_price(setting)
        if missing is not None:
            return missing
    if mix.peaks == "on_demand":
        return _Layer(under(heading, renting(setting, need, setting.taken.on_demand, when=when)))
    return _on_spot(setting, heading, need, when)


def _by_token(setting: Setting, heading: str, need: Need, when: Num | None) -> _Layer | Unavailable:
    """The tokens of these hours: their number goes with the hours of the work."""
    hours = np.asarray(need.accelerators * need.busy_share * need.hours_per_month)
    everything = setting.demand.all_hours
    share = hours / np.where(everything > 0, everything, 1.0)
    lines = hosted.tokens(setting, setting.demand.work_level * share, when)
    return lines if isinstance(lines, Unavailable) else _Layer(under(f"{heading} by the token", lines))


def _on_spot(setting: Setting, heading: str, need: Need, when: Num | None) -> _Layer | Unavailable:
    """The peaks on spot machines, as far as there is work that may stop; the rest is rented on demand."""
    works = stoppable(setting)
    if not works:
        return _Layer(under(heading, renting(setting, need, setting.taken.on_demand, when=when)), (NOTHING_STOPS,))
    missing = missing_price(setting)
    if missing is not None:
        return missing
    hours = need.accelerators * need.busy_share * need.hours_per_month
    enough = np.minimum(demand_of(setting, works).all_hours / np.maximum(hours, 1e-12), 1.0)
    part: Num = 1.0 if np.all(enough == 1.0) else enough
    going = hours * setting.timeline.runs * (1.0 if when is None else when)
    done = np.sum(going * part, axis=-1, keepdims=True) / np.maximum(np.sum(going, axis=-1, keepdims=True), 1e-12)
    spot = on_spot(setting, _share_of(need, part, _plain(done)), when)
    if isinstance(spot, Unavailable):
        return spot
    rest = _share_of(need, 1 - part, _plain(1 - done))
    beside = renting(setting, rest, setting.taken.on_demand, when=when) if np.any(rest.busy_hours > 0) else ()
    return _Layer((*under(f"{heading} on spot", spot.lines), *under(f"{heading} on demand", beside)), spot.warnings)


def _share_of(need: Need, of_hours: Num, of_data: Num) -> Need:
    """A part of the hours, and the part of the data that goes with it."""
    return replace(
        need,
        busy_share=need.busy_share * of_hours,
        storage_tb=need.storage_tb * of_data,
        egress_tb_per_month=need.egress_tb_per_month * of_data,
    )


def _plain(share: NDArray[np.float64]) -> Num:
    return float(share[0]) if share.ndim == 1 else share


def _title(mix: Mix) -> str:
    parts = [
        f"own {mix.own_accelerators:,}" if mix.own_accelerators else "",
        f"reserve {mix.reserve_accelerators:,}" if mix.reserve_accelerators else "",
        "pay for the peaks by the token" if mix.peaks == "hosted" else "rent the peaks",
    ]
    told = [part for part in parts if part]
    text = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
    return text[0].upper() + text[1:]


def _peaks_named(mix: Mix) -> str:
    return next(one.paid_for for one in (on_demand.WAY, spot.WAY, hosted.WAY) if one.key == mix.peaks)


WAY = WayRecord(
    key="mix",
    place=10,
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
