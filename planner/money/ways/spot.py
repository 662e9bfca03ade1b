"""Spot: machines that are taken away when somebody pays more; only for work that may stop.

Work is lost back to the last checkpoint and starts again. With an interruption of the job every 1 / rate hours, a
checkpoint of C hours every T hours and R hours to restart, it takes (1 + C / T) / (1 - rate * (T / 2 + R)) times as
long. Disks are billed all along, also while there are no machines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.money.demand.stream import Need
from planner.money.formula import Num
from planner.money.input_sheet import Basis
from planner.money.ledger import Line
from planner.money.rent_levels import path_warnings, say_path
from planner.money.renting.bill import rent_lines, renting, that_matter, with_support
from planner.money.renting.interruptions import (
    demand_of,
    lost_lines,
    rate_per_hour,
    say_interruptions,
    stoppable,
    stretch,
)
from planner.money.renting.offer_inputs import say_need, say_offers
from planner.money.setting import Setting
from planner.money.timeline import PLAN
from planner.money.ways.ledger_of_way import Unavailable, WayLedger, under
from planner.money.ways.on_demand import not_there, seller
from planner.money.ways.record import Layer, Look, WayRecord


def build(setting: Setting) -> WayLedger | Unavailable:
    """The work that may stop on spot machines, the rest on demand."""
    works = stoppable(setting)
    if not works:
        return Unavailable(
            "none of the work may stop, and spot machines are taken away: say may_stop of work that can restart"
        )
    missing = missing_price(setting)
    if missing is not None:
        return missing
    stops = demand_of(setting, works)
    spot = on_spot(setting, stops.all)
    if isinstance(spot, Unavailable):
        return spot
    others = tuple(work for work in setting.scenario.work if not work.may_stop)
    rest = renting(setting, demand_of(setting, others).all, setting.taken.on_demand) if others else ()
    everything = setting.demand.all
    return WayLedger(
        title="Rent spot machines",
        what=seller(setting, setting.taken.spot, setting.scenario.spot.usd_per_accelerator_hour),
        lines=(*spot.lines, *under("May not stop", rest)),
        useful_hours=everything.busy_hours,
        accelerators=float(everything.most_accelerators),
        warnings=(*spot.warnings, *path_warnings(setting)),
    )


def missing_price(setting: Setting) -> Unavailable | None:
    """Why spot machines have no price here."""
    offer, yours = setting.taken.spot, setting.scenario.spot.usd_per_accelerator_hour
    if offer is None and yours is None:
        lacks = setting.taken.lacks.get("spot")
        if lacks is not None:
            return Unavailable(lacks)
        label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
        return Unavailable(f"nobody publishes a spot price for {label}: enter spot.usd_per_accelerator_hour")
    return not_there(setting, offer)


@dataclass(frozen=True, eq=False)
class OnSpot:
    """The lines of work on spot machines, with its part on demand, and what to know about it."""

    lines: tuple[Line, ...]
    warnings: tuple[str, ...]


def on_spot(setting: Setting, need: Need, when: Num | None = None) -> OnSpot | Unavailable:
    """A layer of work that may stop: on spot machines, and on demand what a deadline leaves no time for.

    Where work is lost as fast as it is done there is a reason instead.
    """
    spot = setting.scenario.spot
    share = setting.tried.get("on_demand_share", spot.on_demand_share)
    rushed = replace(need, busy_share=need.busy_share * share, storage_tb=0.0, egress_tb_per_month=0.0)
    calm = replace(need, busy_share=need.busy_share * (1 - share))
    basis = setting.basis()
    say_need(basis, setting, calm)
    if when is not None:
        basis.say("runs", when, "share of each month", PLAN)
    own = setting.scenario.rent.model_copy(update={"usd_per_accelerator_hour": spot.usd_per_accelerator_hour})
    offer = setting.taken.spot
    set_after = say_offers(basis, setting, () if offer is None else (offer,), own)
    price = say_path(basis, setting, set_after)
    rate = say_interruptions(basis, setting)
    longer = stretch(basis)
    if not np.any(longer.found) and setting.case == "typical":
        return _never_done(basis)
    near = renting(setting, rushed, setting.taken.on_demand, when=when) if np.any(np.asarray(share) > 0) else ()
    lines = that_matter(basis, (*rent_lines(basis, price), *lost_lines(basis, price, rate, longer.value)))
    lines = (*with_support(basis, lines, own.support_share), *under("Near a deadline", near))
    if setting.case != "typical":
        return OnSpot(_no_dearer(setting, need, when, lines), ())
    return OnSpot(lines, _longer(calm, longer.value))


def _no_dearer(setting: Setting, need: Need, when: Num | None, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """At an end of the range: who loses so much to interruptions that spot is dearer rents on demand.

    Where spot is dearer even at typical figures, the dear end is no cheaper than they are.
    """
    on_demand = renting(setting, need, setting.taken.on_demand, when=when)
    priced = not any(np.isnan(line.total_usd).any() for line in on_demand if line.part == "compute")
    if not priced or _total(lines) <= _total(on_demand):
        return lines
    typical = on_spot(setting.at("typical"), need, when) if setting.case == "high" else None
    return typical.lines if isinstance(typical, OnSpot) and _total(typical.lines) > _total(on_demand) else on_demand


def _total(lines: tuple[Line, ...]) -> float:
    return float(sum(line.priced_usd.sum() for line in lines))


def _never_done(basis: Basis) -> Unavailable:
    rate, job = (
        float(np.asarray(one).flat[0]) for one in (rate_per_hour(basis), basis.used["accelerators_per_job"].value)
    )
    return Unavailable(
        f"a job of {job:,.0f} accelerators is interrupted {rate:.2g} times an hour and loses work as fast as it does"
        " it: it would never end on spot machines"
    )


def _longer(need: Need, stretch: Num) -> tuple[str, ...]:
    """What to say where the interrupted work no longer fits into the month on as many machines."""
    if np.ndim(stretch) > 0 or np.ndim(need.busy_share) > 1:
        return ()
    busiest = float(np.max(need.busy_share)) * float(stretch)
    if busiest <= 1:
        return ()
    return (f"interrupted work takes {float(stretch):.2f} times as long: {busiest:.2f} times as many machines at once",)


WAY = WayRecord(
    key="spot",
    place=8,
    side="rent",
    build=build,
    name="Spot",
    advice="Rent, on spot where work may stop",
    doing="spot",
    said="on spot machines of {what}",
    paid_for="on spot machines",
    price_name="spot price",
    look=Look("#4d7c0f", "#bef264", "dashdot", "diamond"),
    layer=Layer("Spot machines", hatch="x", peaks="rent the peaks, on spot machines where work may stop"),
    inputs="spot",
    asks_back=True,
    no_dearer_than="on_demand",
    offer=lambda taken: taken.spot,
)
