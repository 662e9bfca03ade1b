"""Spot: machines that are taken away when somebody pays more; only for work that may stop.

Work is lost back to the last checkpoint and starts again. With an interruption of the job every 1 / rate hours, a
checkpoint of C hours every T hours and R hours to restart, it takes (1 + C / T) / (1 - rate * (T / 2 + R)) times as
long. Disks are billed all along, also while there are no machines.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.formula import Num, first_draw
from planner.money.ledger import COMPUTED, LedgerInput, Line, Origin
from planner.money.measures import monthly_discount_factors
from planner.money.option import ChartStyle, MixLayerStyle, OptionLedger, OptionSpec, Unavailable, under_heading
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
from planner.money.renting.order_market import spot_shortfall
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN
from planner.money.ways.on_demand import seller_text, unknown_offer_reason
from planner.scenario.amounts import count

_ON_SPOT = "on_spot"
ON_DEMAND_SHARE = "on_demand_share"  # of the work
COSTS_MORE = "on demand, as spot costs more"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build the work that may stop on spot machines, the rest on demand."""
    works = interruptible_work(setting)
    if not works:
        return Unavailable(
            "providers take spot machines back, and none of the work may stop: set may_stop for work that can restart"
        )
    missing = no_spot_price_reason(setting)
    if missing is not None:
        return missing
    bill = spot_bill(setting, demand_of(setting, works).all)
    if isinstance(bill, Unavailable):
        return bill
    everything, offers, scenario = setting.demand.all, setting.offers, setting.scenario
    others = tuple(work for work in scenario.work if not work.may_stop)
    rest = renting(setting, demand_of(setting, others).all, offers.on_demand) if others else ()
    bill = replace(bill, lines=(*bill.lines, *under_heading("May not stop", rest)))
    bill = cap_at_on_demand(setting, bill, renting(setting, everything, offers.on_demand))
    offer, yours = (offers.spot, scenario.spot) if bill.is_on_spot else (offers.on_demand, scenario.rent)
    return OptionLedger(
        title="Rent spot machines",
        what=seller_text(setting, offer, yours.usd_per_accelerator_hour),
        lines=bill.lines,
        useful_hours=everything.busy_hours,
        accelerators=float(everything.peak_accelerators),
        warnings=(*bill.warnings, *rent_path_warnings(setting)),
    )


def no_spot_price_reason(setting: PlanContext) -> Unavailable | None:
    """Return why spot machines have no price here."""
    offer, yours = setting.offers.spot, setting.scenario.spot.usd_per_accelerator_hour
    if offer is not None or yours is not None:
        return unknown_offer_reason(setting, offer)
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    unpublished = f"there is no published spot price for {label}: enter a price for a spot machine"
    return Unavailable(setting.offers.lacks.get("spot", unpublished))


@dataclass(frozen=True, eq=False)
class SpotBill:
    """The lines of work on spot machines, with its part on demand, and warnings."""

    lines: tuple[Line, ...]
    warnings: tuple[str, ...]
    is_on_spot: bool = True  # in any draw; else all of it is rented on demand


def spot_bill(setting: PlanContext, need: DemandLayer, when: Num | None = None) -> SpotBill | Unavailable:
    """Build a layer of work that may stop: on spot machines, and near a deadline on demand.

    Where work is lost as fast as it is done there is a reason instead.
    """
    spot, offer = setting.scenario.spot, setting.offers.spot
    share = setting.tried.get(ON_DEMAND_SHARE, max(spot.on_demand_share, spot_shortfall(setting)["typical"]))
    urgent = replace(need, busy_share=need.busy_share * share, storage_tb=0.0, egress_tb_per_month=0.0)
    deferrable = replace(need, busy_share=need.busy_share * (1 - share))
    put = setting.input_sheet()
    add_demand_inputs(put, setting, deferrable)
    if when is not None:
        put.add("runs", when, "share of each month", PLAN)
    yours = setting.scenario.rent.model_copy(update={"usd_per_accelerator_hour": spot.usd_per_accelerator_hour})
    price = add_rent_path(put, setting, add_offer_inputs(put, setting, () if offer is None else (offer,), yours))
    rate = add_interruptions(put, setting)
    factor = stretch(put)
    if not np.any(factor.is_found):
        job = count(round(first_draw(put.used["accelerators_per_job"].value)), "accelerator")
        return Unavailable(
            f"a job of {job} is interrupted {first_draw(rate_per_hour(put)):.2g} times an hour and loses work as fast "
            "as it does it: it would never end on spot machines"
        )
    on_demand = setting.offers.on_demand
    rent = renting(setting, urgent, on_demand, when=when) if np.any(np.asarray(share) > 0) else ()
    lines = (*rent_lines(put, setting, price), *interruption_lines(put, price, rate, factor.value))
    lines = with_support(put, drop_zero_lines(put, lines), yours.support_share)
    warnings = _stretch_note(deferrable, factor.value)
    heading = "Near a deadline" if spot.on_demand_share else "Where none are there"
    return SpotBill((*lines, *under_heading(heading, rent)), warnings)


def cap_at_on_demand(
    setting: PlanContext, bill: SpotBill, on_demand: tuple[Line, ...], heading: str = COSTS_MORE.capitalize()
) -> SpotBill:
    """Return the work on spot machines, or on demand where that costs less discounted to today.

    Of several draws each takes its own. Where nobody has a price on demand it stays on spot machines.
    """
    if any(np.isnan(line.total_usd).any() for line in on_demand if line.part == "compute"):
        return bill
    pays = _present_usd(setting, bill.lines) <= _present_usd(setting, on_demand)
    if np.all(pays):
        return bill
    spot_price, rent_price = (
        next(used for line in lines for used in line.used if used.name == PRICE) for lines in (bill.lines, on_demand)
    )
    reason = (
        f"rented on demand at {_price_text(rent_price)}: spot machines at {_price_text(spot_price)} cost more with "
        "what interruptions take"
    )
    instead = tuple(replace(line, note=reason) for line in under_heading(heading, on_demand))
    if not np.any(pays):
        return SpotBill(instead, (reason,), is_on_spot=False)
    share = LedgerInput(_ON_SPOT, pays.astype(np.float64), "1 where spot machines cost no more, else 0", COMPUTED)
    lines = tuple(
        replace(line, how=f"({line.how}) * {factor}", used=(*line.used, share))
        for lines, factor in ((bill.lines, _ON_SPOT), (instead, f"(1 - {_ON_SPOT})"))
        for line in lines
    )
    return SpotBill(lines, bill.warnings)


def _present_usd(setting: PlanContext, lines: tuple[Line, ...]) -> NDArray[np.float64]:
    usd = sum((line.priced_usd * monthly_discount_factors(setting) for line in lines), np.zeros(1))
    return np.asarray(np.sum(usd, axis=-1, keepdims=True))


def _price_text(price: LedgerInput) -> str:
    origin = price.origin if isinstance(price.origin, Origin) else price.origin(0)
    return f"{first_draw(price.value):.4g} USD an hour ({origin.source})"


def _stretch_note(need: DemandLayer, factor: Num) -> tuple[str, ...]:
    """Return a note where the interrupted work no longer fits into the month on as many machines."""
    if np.ndim(factor) > 0 or np.ndim(need.busy_share) > 1:
        return ()
    busiest = float(np.max(need.busy_share)) * float(factor)
    if busiest <= 1:
        return ()
    return (f"interrupted work takes {float(factor):.2f} times as long: {busiest:.2f} times as many machines at once",)


WAY = OptionSpec(
    key="spot",
    place=8,
    side="rent",
    build=build,
    name="Spot",
    verdict_text="Rent, on spot where work may stop",
    gerund="spot",
    result_text="on spot machines of {what}",
    purchase_text="on spot machines",
    price_name="spot price",
    style=ChartStyle("#4d7c0f", "#bef264", "dashdot", "diamond"),
    layer=MixLayerStyle("Spot machines", hatch="x", peaks="rent the peaks, on spot machines where work may stop"),
    inputs="spot",
    checks_plausibility=True,
    fallback_kind="on_demand",
    offer=lambda offers: offers.spot,
)
