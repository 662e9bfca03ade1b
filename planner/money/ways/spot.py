"""Spot: machines that are taken away when somebody pays more; only for work that may stop.

Work is lost back to the last checkpoint and starts again. With an interruption of the job every 1 / rate hours, a
checkpoint of C hours every T hours and R hours to restart, it takes (1 + C / T) / (1 - rate * (T / 2 + R)) times as
long. Disks are billed all along, also while there are no machines.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.formula import Num
from planner.money.ledger import COMPUTED, InputSheet, LedgerInput, Line, Origin
from planner.money.measures import factors
from planner.money.price_path import add_rent_path, rent_path_warnings
from planner.money.renting.bill import drop_zero_lines, rent_lines, renting, with_support
from planner.money.renting.interruptions import (
    add_interruptions,
    demand_of,
    interruptible_work,
    interruption_lines,
    rate_per_hour,
    stretch,
)
from planner.money.renting.offer_inputs import PRICE, add_demand_inputs, add_offer_inputs
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable, under
from planner.money.ways.on_demand import seller, unknown_offer_reason
from planner.money.ways.record import Look, MixLayerStyle, OptionSpec
from planner.scenario.amounts import count

_ON_SPOT = "on_spot"
COSTS_MORE = "on demand, as spot costs more"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """The work that may stop on spot machines, the rest on demand."""
    works = interruptible_work(setting)
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
    rest = renting(setting, demand_of(setting, others).all, setting.offers.on_demand) if others else ()
    everything, taken = setting.demand.all, setting.offers
    spot = replace(spot, lines=(*spot.lines, *under("May not stop", rest)))
    spot = no_dearer(setting, spot, renting(setting, everything, taken.on_demand))
    offer, yours = (taken.spot, setting.scenario.spot) if spot.is_on_spot else (taken.on_demand, setting.scenario.rent)
    return OptionLedger(
        title="Rent spot machines",
        what=seller(setting, offer, yours.usd_per_accelerator_hour),
        lines=spot.lines,
        useful_hours=everything.busy_hours,
        accelerators=float(everything.peak_accelerators),
        warnings=(*spot.warnings, *rent_path_warnings(setting)),
    )


def missing_price(setting: PlanContext) -> Unavailable | None:
    """Why spot machines have no price here."""
    offer, yours = setting.offers.spot, setting.scenario.spot.usd_per_accelerator_hour
    if offer is None and yours is None:
        lacks = setting.offers.lacks.get("spot")
        if lacks is not None:
            return Unavailable(lacks)
        label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
        return Unavailable(f"nobody publishes a spot price for {label}: enter spot.usd_per_accelerator_hour")
    return unknown_offer_reason(setting, offer)


@dataclass(frozen=True, eq=False)
class SpotBill:
    """The lines of work on spot machines, with its part on demand, and what to know about it."""

    lines: tuple[Line, ...]
    warnings: tuple[str, ...]
    is_on_spot: bool = True  # in any draw; else all of it is rented on demand


def on_spot(setting: PlanContext, need: DemandLayer, when: Num | None = None) -> SpotBill | Unavailable:
    """A layer of work that may stop: on spot machines, and on demand what a deadline leaves no time for.

    Where work is lost as fast as it is done there is a reason instead.
    """
    spot = setting.scenario.spot
    share = setting.tried.get("on_demand_share", spot.on_demand_share)
    rushed = replace(need, busy_share=need.busy_share * share, storage_tb=0.0, egress_tb_per_month=0.0)
    calm = replace(need, busy_share=need.busy_share * (1 - share))
    basis = setting.input_sheet()
    add_demand_inputs(basis, setting, calm)
    if when is not None:
        basis.add("runs", when, "share of each month", PLAN)
    own = setting.scenario.rent.model_copy(update={"usd_per_accelerator_hour": spot.usd_per_accelerator_hour})
    offer = setting.offers.spot
    set_after = add_offer_inputs(basis, setting, () if offer is None else (offer,), own)
    price = add_rent_path(basis, setting, set_after)
    rate = add_interruptions(basis, setting)
    longer = stretch(basis)
    if not np.any(longer.is_found) and setting.case == "typical":
        return _never_finishes(basis)
    near = renting(setting, rushed, setting.offers.on_demand, when=when) if np.any(np.asarray(share) > 0) else ()
    lines = drop_zero_lines(
        basis, (*rent_lines(basis, setting, price), *interruption_lines(basis, price, rate, longer.value))
    )
    lines = (*with_support(basis, lines, own.support_share), *under("Near a deadline", near))
    return SpotBill(lines, _stretch_note(calm, longer.value) if setting.case == "typical" else ())


def no_dearer(
    setting: PlanContext, spot: SpotBill, on_demand: tuple[Line, ...], heading: str = COSTS_MORE.capitalize()
) -> SpotBill:
    """The work on spot machines, or on demand where that costs less in today's money: nobody pays more to wait.

    Of several draws each takes its own. Where nobody has a price on demand it stays on spot machines.
    """
    if any(np.isnan(line.total_usd).any() for line in on_demand if line.part == "compute"):
        return spot
    pays = _present_usd(setting, spot.lines) <= _present_usd(setting, on_demand)
    if np.all(pays):
        return spot
    why = _why_not(spot.lines, on_demand)
    instead = tuple(replace(line, note=why) for line in under(heading, on_demand))
    if not np.any(pays):
        return SpotBill(instead, (why,), is_on_spot=False)
    share = LedgerInput(_ON_SPOT, pays.astype(np.float64), "1 where spot machines cost no more, else 0", COMPUTED)
    return SpotBill((*_times(spot.lines, _ON_SPOT, share), *_times(instead, f"(1 - {_ON_SPOT})", share)), spot.warnings)


def _present_usd(setting: PlanContext, lines: tuple[Line, ...]) -> NDArray[np.float64]:
    usd = sum((line.priced_usd * factors(setting) for line in lines), np.zeros(1))
    return np.asarray(np.sum(usd, axis=-1, keepdims=True))


def _times(lines: tuple[Line, ...], factor: str, share: LedgerInput) -> tuple[Line, ...]:
    return tuple(replace(line, how=f"({line.how}) * {factor}", used=(*line.used, share)) for line in lines)


def _why_not(spot: tuple[Line, ...], on_demand: tuple[Line, ...]) -> str:
    """Both prices and who says them."""
    prices = (next(one for line in lines for one in line.used if one.name == PRICE) for lines in (spot, on_demand))
    told = [f"{float(np.asarray(one.value).flat[0]):.4g} USD an hour ({_said_by(one)})" for one in prices]
    return f"rented on demand at {told[1]}: spot machines at {told[0]} cost more with what interruptions take"


def _said_by(price: LedgerInput) -> str:
    return (price.origin if isinstance(price.origin, Origin) else price.origin(0)).source


def _never_finishes(basis: InputSheet) -> Unavailable:
    rate, job = (
        float(np.asarray(one).flat[0]) for one in (rate_per_hour(basis), basis.used["accelerators_per_job"].value)
    )
    return Unavailable(
        f"a job of {count(round(job), 'accelerator')} is interrupted {rate:.2g} times an hour and loses work as fast "
        "as it does it: it would never end on spot machines"
    )


def _stretch_note(need: DemandLayer, stretch: Num) -> tuple[str, ...]:
    """What to say where the interrupted work no longer fits into the month on as many machines."""
    if np.ndim(stretch) > 0 or np.ndim(need.busy_share) > 1:
        return ()
    busiest = float(np.max(need.busy_share)) * float(stretch)
    if busiest <= 1:
        return ()
    return (f"interrupted work takes {float(stretch):.2f} times as long: {busiest:.2f} times as many machines at once",)


WAY = OptionSpec(
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
    layer=MixLayerStyle("Spot machines", hatch="x", peaks="rent the peaks, on spot machines where work may stop"),
    inputs="spot",
    asks_back=True,
    no_dearer_than="on_demand",
    offer=lambda taken: taken.spot,
)
