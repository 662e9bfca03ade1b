"""The inputs of owning: what you said, what the catalogue says, and when things happen."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from planner.money.demand.stream import DemandLayer
from planner.money.formula import Num
from planner.money.inflation import add_price_change
from planner.money.ledger import (
    COMPUTED,
    CONVENTION,
    TRIED,
    YOUR_INPUT,
    InputSheet,
    LedgerInput,
    Origin,
    ends_of,
    judged,
    origin,
)
from planner.money.owning.machine import Machine
from planner.money.owning.machine import fleet as asked_for
from planner.money.owning.machine_price import add_path_beside, add_price_path, add_residual_share, lead_time
from planner.money.owning.place import (
    HOST_POWER,
    figure_there,
    network_fact,
    no_network_reason,
    place_of,
    price_of_electricity,
    site_or_fact_figure,
)
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN, Holding
from planner.scenario.base import MONTHS_PER_YEAR, ONE_MACHINE
from planner.scenario.durations import months_words
from pricing.caching import cached

# The facts of owning, by the name the formulas use (which is the scenario's) and the id in the catalogue.
FACTS: dict[str, str] = {
    "host_share": "host-share",
    "spare_share": "owned-spare-nodes-share",
    "usd_per_tb_of_disk": "owned-storage-usd-per-tb",
    "install_share": "install-share",
    "scarcity_premium_share": "owned-scarcity-premium",
    "deposit_share": "owned-deposit-share",
    "room_upkeep_share_per_year": "owned-room-upkeep-share",
    "busy_power_share": "power-share-training",
    "idle_power_share": "power-share-idle",
    "fte_per_accelerator": "staff-fte-per-accelerator",
    "usd_per_fte_year": "staff-salary",
    "maintenance_share_per_year": "maintenance-share",
    "insurance_share_per_year": "insurance-share",
    "failures_per_accelerator_year": "owned-failures-per-accelerator-year",
    "repair_share": "owned-repair-share",
    "selling_cost_share": "owned-selling-cost-share",
    "decommissioning_share": "owned-decommissioning-share",
}
# Of these more is cheaper, so the cheap end of a range is its high one.
CHEAPER_FACTS: dict[str, str] = {"room_life_years": "owned-room-life-years", "warranty_years": "owned-warranty-years"}
ORDER = "order_month"
LEAST_FTE = "staff-least-fte"
# Yearly changes of prices, by the name the formulas use (which is the scenario's) and the id in the catalogue.
CHANGES: dict[str, str] = {
    "power_price_change_per_year": "owned-power-price-change",
    "space_price_change_per_year": "owned-space-price-change",
    "wage_change_per_year": "owned-wage-change",
    "maintenance_change_per_year": "owned-maintenance-change",
}
ROOM = "owned-room-usd-per-kw"
CARD_BUSY, CARD_IDLE = "card-power-busy", "card-power-idle"
AT_LOAD = "power_share_at_load"  # of the rated power, read off your curve at the busy share
_ONE_EACH = judged("no server with it is known; its size is as boards are built and cards fit, assumed")
_PEOPLE_ENTERED = judged("people for each accelerator are entered; none beside them")
_PEOPLE_THERE = judged("the people of the place; none beside them")
_NO_SOFTWARE = judged("licences are optional; none assumed")


def add_owning_inputs(sheet: InputSheet, setting: PlanContext, need: DemandLayer, machine: Machine, fleet: int) -> None:
    """Says every input of owning but those of time: when it comes and goes, and what is left of its price then."""
    sheet.used.update(_shared_inputs(setting))
    sheet.add("accelerators", need.accelerators, "accelerators", YOUR_INPUT)
    sheet.add("busy_share", need.busy_share, "share of hours", YOUR_INPUT)
    sheet.add("hours_per_month", need.hours_per_month, "hours", CONVENTION)
    sheet.add("storage_tb", need.storage_tb, "TB", setting.disk_origin)
    _add_machine(sheet, setting, machine, fleet)


def add_power_curve(sheet: InputSheet, setting: PlanContext, *fleets: DemandLayer) -> None:
    """Your curve of power, where there is one: what it says at the load of each month, and what it starts from.

    `fleets` are the work of the fleet that shares its load, and, of an order, also that of the fleet before it: an
    order draws what the fleet draws more with it.
    """
    points = setting.scenario.own.power_at_load
    if not points:
        return
    loads, shares = ([getattr(point, name) for point in points] for name in ("load", "power_share"))
    text = "; ".join(f"{load:g}: {share:g}" for load, share in zip(loads, shares, strict=True))
    where = replace(YOUR_INPUT, note=f"share of the rated power at each load: {text}")
    sheet.add("idle_power_share", shares[0], "1", where)
    sheet.add("busy_power_share", shares[-1], "1", where)
    first, *before = [np.interp(fleet.busy_share, loads, shares) for fleet in fleets]
    count, *fewer = [fleet.accelerators for fleet in fleets]
    for share, accelerators in zip(before, fewer, strict=True):
        first = (first * count - share * accelerators) / (count - accelerators)
    sheet.add(AT_LOAD, np.asarray(first)[()], "1", where)


@cached(64)
def _shared_inputs(setting: PlanContext) -> Mapping[str, LedgerInput]:
    """The inputs that do not depend on the fleet: said once for all ways to own one, whatever is tried out of them."""
    base, tried = setting.base_context, setting.tried
    if base is None or base is setting or asked_for(base) != asked_for(setting):  # more may have another tariff
        return _compute_shared_inputs(setting)
    inputs, flags = _shared_inputs(base), {flag.name for flag in setting.timeline.flags}
    overrides = [name for name in tried if name in inputs and name not in flags]
    return {**inputs, **{name: LedgerInput(name, tried[name], inputs[name].unit, TRIED) for name in overrides}}


def _compute_shared_inputs(setting: PlanContext) -> Mapping[str, LedgerInput]:
    sheet, own = setting.input_sheet(), setting.scenario.own
    for name, fact in FACTS.items():
        figure = site_or_fact_figure(setting, name, fact)
        sheet.figure(name, figure, figure.unit, getattr(own, name))
    add_price_path(sheet, setting)
    _add_least_fte(sheet, setting)
    for name in ("wage_change_per_year", "maintenance_change_per_year"):
        _add_price_change(sheet, setting, name)
    for name, fact in CHEAPER_FACTS.items():
        _add_fact_lower_bound(sheet, name, fact, getattr(own, name))
    for name, unit in (("capex_usd", "USD"), ("running_usd_per_month", "USD a month")):
        yours = getattr(own, name)
        if yours is not None:
            sheet.add(name, yours, unit, YOUR_INPUT)
    yours = own.usd_per_accelerator_year_of_software
    said_by = _NO_SOFTWARE if yours is None else YOUR_INPUT
    sheet.add("usd_per_accelerator_year_of_software", yours or 0.0, "USD/accelerator-year", said_by)
    sheet.fact("server_power_over_tdp", HOST_POWER)
    sheet.fact("card_power_busy", CARD_BUSY)
    sheet.fact("card_power_idle", CARD_IDLE)
    _add_site(sheet, setting)
    sheet.add_all(setting.timeline.flags)
    sheet.add("begun_years", setting.timeline.begun_years, "years from today to the month", PLAN)
    return sheet.used


def add_holding(sheet: InputSheet, setting: PlanContext, until_months: Num | None, refreshed: bool) -> Holding:
    """Says when machines come, go and are replaced, and what is left of their price when they are sold."""
    own, plan = setting.scenario.own, setting.timeline
    stop: Num = np.inf if own.resale_month is None else float(own.resale_month)
    stop = _tried(sheet, "resale_month", stop) if until_months is None else until_months
    ordered = _tried(sheet, ORDER, float(own.order_month) if setting.order_months is None else setting.order_months)
    lead = lead_time(setting)
    sheet.figure("lead_time_months", lead, lead.unit, own.lead_time_months)
    cycle: Num = np.inf if own.refresh_years is None else own.refresh_years
    holding = Holding(
        plan,
        ordered_months=ordered,
        lead_time_months=sheet.used["lead_time_months"].value,
        until_months=stop,
        refresh_months=_tried(sheet, "refresh_years", cycle) * MONTHS_PER_YEAR if refreshed else np.inf,
    )
    sheet.add_all(holding.flags(_when(sheet, holding)))
    if np.any(np.asarray(ordered) > 0):
        sheet.add("ordered", holding.ordered, "1 in the month of the order, else 0", PLAN)
        sheet.add("ordered_after_years", holding.ordered_years, "years from today", YOUR_INPUT)
        add_path_beside(sheet, setting, "ordered_path", holding.ordered_years)
    sheet.add("room_age_years", holding.months / MONTHS_PER_YEAR, "years", PLAN)
    warranty = sheet.used["warranty_years"].value
    sheet.add("after_warranty", holding.beyond(warranty * MONTHS_PER_YEAR), "share of each month", PLAN)
    last = holding.last_price_after_months
    add_residual_share(sheet, setting, "residual_share", priced_months=last, sold_months=holding.stop,
                       age_months=holding.last_age_months)  # fmt: skip
    if refreshed and not np.all(np.isinf(holding.refresh_months)):
        sheet.add("refreshes", holding.refreshes, "1 in months of replacement, else 0", PLAN)
        new, old = holding.new_price_after_months, holding.old_price_after_months
        for which, months in (("new", new), ("old", old), ("last", last)):
            sheet.add(f"{which}_price_after_years", months / MONTHS_PER_YEAR, "years from today", PLAN)
            add_path_beside(sheet, setting, f"{which}_price_path", months / MONTHS_PER_YEAR)
        add_residual_share(sheet, setting, "residual_share_at_refresh", priced_months=old, sold_months=new,
                           age_months=holding.refresh_months)  # fmt: skip
    return holding


def _when(sheet: InputSheet, holding: Holding) -> Origin | Callable[[int], Origin]:
    """The origin of the flags of a holding, or of each order of it: how long the delivery takes, and who says so."""
    wait = sheet.used["lead_time_months"]
    if np.ndim(wait.value) or not isinstance(wait.origin, Origin):
        return PLAN
    note = f"delivery after {months_words(float(wait.value))} ({wait.origin.source})"
    stop = np.asarray(holding.stop)
    if sheet.stack is not None and stop.ndim == sheet.stack.axes:
        return lambda order: replace(PLAN, note=f"{note}, sold after {float(stop[order].flat[0]):g}")
    return replace(PLAN, note=note if stop.ndim else f"{note}, sold after {float(stop):g}")


def _tried(sheet: InputSheet, name: str, value: Num) -> Num:
    return sheet.tried.get(name, value)


def _add_fact_lower_bound(sheet: InputSheet, name: str, fact: str, yours: Num | None) -> None:
    figure = sheet.catalogue.facts[fact].figure
    if yours is not None:
        sheet.add(name, yours, figure.unit, YOUR_INPUT)
    else:
        low, high = ends_of(figure.newest) or (figure.newest.typical, figure.newest.typical)
        where = origin(sheet.catalogue, figure)
        sheet.add(name, figure.newest.typical, figure.unit, where, (high, low))


def _add_machine(sheet: InputSheet, setting: PlanContext, machine: Machine, fleet: int) -> None:
    own = setting.scenario.own
    size = Origin(machine.label, "spec") if machine.is_known_product else _ONE_EACH
    size = size if own.accelerators_per_server is None else YOUR_INPUT
    sheet.add("accelerators_per_server", float(machine.accelerators), "accelerators", size)
    many = float(fleet > machine.accelerators)
    sheet.add("many", many, "1 if more than one server", COMPUTED)
    if machine.is_priced_whole:
        sheet.figure("usd_per_server", machine.price, "USD", own.usd_per_server)
    each = machine.accelerator_price if machine.is_priced_whole else machine.price or machine.accelerator_price
    if machine.estimate is None:
        sheet.figure("usd_per_accelerator", each, "USD", own.usd_per_accelerator)
    else:
        likely = Origin("what others of its kind cost", "derived", note=machine.estimate.note)
        estimate = machine.estimate
        sheet.add("usd_per_accelerator", estimate.typical, "USD", likely, (estimate.low, estimate.high))
    _add_network(sheet, setting, fleet)
    sheet.figure("rated_w_per_server", machine.power, "W", own.rated_w_per_server)
    sheet.figure("tdp_w", machine.tdp, "W")
    sheet.figure("busy_w_per_server", machine.busy_power, "W")
    sheet.figure("idle_w_per_server", machine.idle_power, "W")
    if machine.host is not None:
        sheet.figure("usd_per_host", machine.host.price_usd, "USD")
        sheet.figure("max_w_per_host", machine.host.max_power_w, "W")


def _add_network(sheet: InputSheet, setting: PlanContext, fleet: int) -> None:
    yours, none = setting.scenario.own.usd_per_accelerator_of_network, no_network_reason(setting)
    if yours is None and none is not None:
        sheet.add("usd_per_accelerator_of_network", 0.0, "USD/accelerator", judged(none))
    else:
        sheet.fact("usd_per_accelerator_of_network", network_fact(setting, fleet), yours)


def add_power_price(sheet: InputSheet, setting: PlanContext) -> None:
    """Return what a kilowatt-hour costs at the site, now and later, and how many it takes there."""
    own, site = setting.scenario.own, setting.scenario.site
    price, pue = price_of_electricity(setting), setting.catalogue.site_figure(site, "pue")
    sheet.figure("usd_per_kwh", price and price.figure, "USD/kWh", own.usd_per_kwh)
    sheet.figure("pue", figure_there(setting, "pue", pue and pue[1]), "1", own.pue)
    _add_price_change(sheet, setting, "power_price_change_per_year")


def _add_price_change(sheet: InputSheet, setting: PlanContext, name: str) -> None:
    add_price_change(sheet, setting, name, CHANGES[name], getattr(setting.scenario.own, name))


def add_staff_and_space(sheet: InputSheet, setting: PlanContext) -> None:
    """Return what people and space cost at the place, now and later."""
    own = setting.scenario.own
    for name in ("fte_per_accelerator", "usd_per_fte_year"):
        figure = site_or_fact_figure(setting, name, FACTS[name])
        sheet.figure(name, figure, figure.unit, getattr(own, name))
    _add_least_fte(sheet, setting)
    _add_price_change(sheet, setting, "wage_change_per_year")
    _add_space(sheet, setting)


def _add_least_fte(sheet: InputSheet, setting: PlanContext) -> None:
    """Add the people that even the smallest fleet takes: yours; none where you or the place say how many there are."""
    own = setting.scenario.own
    sheet.add("least_from", 1.0 if own.least_fte is not None else float(ONE_MACHINE), "accelerators", CONVENTION)
    if own.least_fte is None and own.fte_per_accelerator is not None:
        sheet.add("least_fte", 0.0, "full-time people", _PEOPLE_ENTERED)
    elif own.least_fte is None and place_of(setting).fte_per_accelerator is not None:
        sheet.add("least_fte", 0.0, "full-time people", _PEOPLE_THERE)
    else:
        sheet.fact("least_fte", LEAST_FTE, own.least_fte)


def _add_space(sheet: InputSheet, setting: PlanContext) -> None:
    space = setting.catalogue.site_figure(setting.scenario.site, "colocation_usd_per_kw_month")
    figure = figure_there(setting, "usd_per_kw_month", space and space[1])
    sheet.figure("usd_per_kw_month", figure, "USD/kW-month", setting.scenario.own.usd_per_kw_month)
    _add_price_change(sheet, setting, "space_price_change_per_year")


def _add_site(sheet: InputSheet, setting: PlanContext) -> None:
    own, catalogue, site = setting.scenario.own, setting.catalogue, setting.scenario.site
    add_power_price(sheet, setting)
    _add_space(sheet, setting)
    room = catalogue.site_figure(site, "build_usd_per_kw")
    figure = room[1] if room else catalogue.facts[ROOM].figure
    sheet.figure("usd_per_kw_of_room", figure, "USD/kW", own.usd_per_kw_of_room)
