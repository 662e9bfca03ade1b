"""The lines of owning, group by group, so that credit, a lease and a mix use the groups they share."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from planner.money.demand.stream import DemandLayer, in_short
from planner.money.formula import Num, formula
from planner.money.inflation import deflate_lines, inflation_per_year
from planner.money.ledger import YOUR_INPUT, InputSheet, LedgerInput, Line
from planner.money.owning.inputs import AT_LOAD, add_holding, add_owning_inputs, add_power_curve
from planner.money.owning.machine import Machine, machine
from planner.money.owning.machine import fleet as fleet_asked
from planner.money.owning.machine_price import BOUGHT_USED, add_path_beside, add_used_price
from planner.money.owning.place import place_of, power_shortfall_reason
from planner.money.owning.resale import LATER, PRICED, PRICED_PATH, become, sale_lines
from planner.money.selling import SellableHours, hour_sale_lines
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN, Holding
from planner.scenario.base import MONTHS_PER_YEAR
from pricing.caching import cached

SERVERS = "ceil(accelerators / accelerators_per_server)"
SPARES = "max(ceil(accelerators * spare_share - 0.75), 0)"  # boards on the shelf; of a few, none: a contract serves
# Of a later order: what the shelf lacks for the larger fleet.
_MORE_SPARES = (
    "(max(ceil((accelerators + accelerators_before) * spare_share - 0.75), 0)"
    " - max(ceil(accelerators_before * spare_share - 0.75), 0))"
)
_PEOPLE = "max(accelerators * fte_per_accelerator, least_fte * min(accelerators / least_from, 1))"
# Of a later order: what the larger fleet takes more.
_LARGER = "(accelerators + accelerators_before)"
_MORE_PEOPLE = (
    f"(max({_LARGER} * fte_per_accelerator, least_fte * min({_LARGER} / least_from, 1))"
    " - max(accelerators_before * fte_per_accelerator, least_fte * min(accelerators_before / least_from, 1)))"
)
PER_MACHINE = "machine"  # of your sum for day one
CARDS = "ceil(accelerators)"
_OF_CARDS = " + " + CARDS + " * tdp_w * card_power_{state}"
# What runs every month costs more or less with the years: the price at the beginning of a month, times today's.
METER = "pue * usd_per_kwh * hours_per_month * (1 + power_price_change_per_year) ** begun_years"
WAGE = "usd_per_fte_year * (1 + wage_change_per_year) ** begun_years"
RENT_OF_SPACE = "usd_per_kw_month * (1 + space_price_change_per_year) ** begun_years"
_UPKEEP = "(1 + maintenance_change_per_year) ** {since_years}"
_WORTH_PRICED = "worth_on_its_day"
_LEAST_HOST, _LEAST_USD = 0.01, 0.01  # of a server's price; of any price, so that none is divided by
_DUE = "(deposit_share * {ordered} + (1 - deposit_share) * delivered)"


_GROUPS = ("purchase_lines", "setup_lines", "operating_lines", "resale_lines", "exit_lines", "sold_hours_lines")


@dataclass(frozen=True, eq=False)
class Ownership:
    """A fleet of one's own: when it is there, what it rests on, and its lines."""

    machine: Machine
    layer: DemandLayer  # the work that it does
    holding: Holding
    sheet: InputSheet  # for lines that rest on the same inputs
    price: str  # of the machines, today and without a premium, as a formula
    paid: str  # for the machines, as a formula: what a lender or lessor advances on
    purchase_lines: tuple[Line, ...]  # the machines
    setup_lines: tuple[Line, ...]  # everything else of day one
    operating_lines: tuple[Line, ...]
    resale_lines: tuple[Line, ...]  # of the machines
    exit_lines: tuple[Line, ...]  # the room's worth, and taking down
    sold_hours_lines: tuple[Line, ...] = ()  # idle hours that others pay for

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of all groups, in the order they are shown."""
        day_one, end = (*self.purchase_lines, *self.setup_lines), (*self.exit_lines, *self.resale_lines)
        return (*day_one, *self.operating_lines, *self.sold_hours_lines, *end)


def of_order(part: Ownership, order: int) -> Ownership:
    """Return one of the orders that a stacked part stands for."""
    stack, known = part.sheet.stack, dict[int, LedgerInput]()
    assert stack is not None  # it stands for several

    def value(stacked: Num, *, is_yours: bool = False) -> Num:
        if not isinstance(stacked, np.ndarray) or stacked.ndim < stack.axes:
            return stacked
        own = stacked[order]
        return in_short(own) if is_yours or own.size == 1 else own

    def one(used: LedgerInput) -> LedgerInput:
        if id(used) not in known:
            origin = used.origin(order) if callable(used.origin) else used.origin
            known[id(used)] = used.map(partial(value, is_yours=used.is_yours), origin)
        return known[id(used)]

    held = part.holding
    holding = Holding(held.plan, *(value(each) for each in (
        held.lead_time_months, held.until_months, held.refresh_months, held.ordered_months
    )))  # fmt: skip
    layer = replace(
        part.layer,
        accelerators=value(part.layer.accelerators),
        busy_share=value(part.layer.busy_share, is_yours=True),
    )
    groups: dict[str, Any] = {name: tuple(line.of_order(one) for line in getattr(part, name)) for name in _GROUPS}
    return replace(part, layer=layer, holding=holding, sheet=part.sheet.of_order(one), **groups)


def owning(setting: PlanContext, need: DemandLayer) -> tuple[Line, ...] | None:
    """The lines of buying and running a fleet for a layer of demand; None where it has no price."""
    ownership = owned(setting, need)
    return None if ownership is None else ownership.lines


@dataclass(frozen=True, eq=False)
class FleetOrder:
    """One order of a fleet that is bought in several, or several orders along the first axis."""

    owned_before: Num  # accelerators that were ordered before
    fleet: int  # accelerators there are in the end
    layers: tuple[DemandLayer, ...] = ()  # of the fleet with this order, and without it
    priced_month: int = 0  # the month that its price is typed for; 0 where it is today's


def owned(
    setting: PlanContext,
    need: DemandLayer,
    *,
    until_months: Num | None = None,
    refreshed: bool = True,
    part: FleetOrder | None = None,
) -> Ownership | None:
    """The lines of owning by group, until the resale or another month; None where no machine has a price.

    `part` where it is one order of a larger fleet: its network and its spares are then those of the fleet. Ways that
    pay for the same fleet in other ways share its lines; what they say beside it is their own.
    """
    cycles = setting.scenario.own.refresh_years is not None or "refresh_years" in setting.tried
    build = _build if part is not None or isinstance(until_months, np.ndarray) else _build_once
    ownership = build(setting, need, until_months, refreshed and cycles, part)
    return None if ownership is None else replace(ownership, sheet=ownership.sheet.copy())


def _build(
    setting: PlanContext, need: DemandLayer, until_months: Num | None, refreshed: bool, part: FleetOrder | None
) -> Ownership | None:
    what, fleet = machine(setting), need.peak_accelerators if part is None else part.fleet
    if what is None or power_shortfall_reason(setting, fleet):
        return None
    sheet, is_later = setting.input_sheet(), part is not None and bool(np.any(np.asarray(part.owned_before) > 0))
    add_owning_inputs(sheet, setting, need, what, fleet)
    if part is not None and is_later:
        sheet.add("accelerators_before", part.owned_before, "accelerators", PLAN)
    add_power_curve(sheet, setting, *(part.layers if part is not None and is_later else (need,)))
    holding = add_holding(sheet, setting, until_months, refreshed)
    add_used_price(sheet, setting, is_whole=what.is_priced_whole)
    all_in, replaces = "capex_usd" in sheet.used, "refreshes" in sheet.used
    if part is not None and part.priced_month and not all_in:
        _add_price_day(sheet, setting, part.priced_month / MONTHS_PER_YEAR)
    today = _all_in_formula(sheet, setting, need) if all_in else _price_formula(sheet, what, later=is_later)
    price = f"{today} * {become(sheet, 'ordered_after_years')}" if _has_moved(sheet) else today
    paid = price if all_in else f"{price} * (1 + scarcity_premium_share)"
    kw = _rated_kw_formula(setting, what)
    room_kw = kw if place_of(setting).builds_room and not all_in else None
    purchase = deflate_lines(setting, _purchase_lines(sheet, paid, all_in), holding.ordered_years)
    if replaces:
        refresh = _refresh_lines(sheet, today, all_in)
        purchase = (*purchase, *deflate_lines(setting, refresh, _value(sheet, "new_price_after_years")))
    host_share = _host_share_formula(sheet, what, today, all_in=all_in)
    # Your sum for running the machines is taken to include their electricity too.
    more_kw = None if "running_usd_per_month" in sheet.used else _drawn_kw_formulas(sheet, setting, what, kw)[2]
    sellable = SellableHours("accelerators * (1 - busy_share)", "owns", more_kw, with_people=not is_later)
    return Ownership(
        what, need, holding, sheet, price, paid,
        purchase_lines=purchase,
        setup_lines=() if all_in else _setup_lines(sheet, setting, price, room_kw),
        operating_lines=_operating_lines(sheet, setting, what, price, kw),
        resale_lines=sale_lines(sheet, setting, price, host_share, holding, replaced=today if replaces else None),
        exit_lines=_exit_lines(sheet, setting, price, room_kw),
        sold_hours_lines=hour_sale_lines(sheet, setting, sellable),
    )  # fmt: skip


_build_once = cached(8)(_build)


def _all_in_formula(sheet: InputSheet, setting: PlanContext, need: DemandLayer) -> str:
    """Your sum for day one: for each machine, or for the fleet that was entered; for another fleet in proportion."""
    if setting.scenario.own.capex_per == PER_MACHINE:
        return "capex_usd * ceil(accelerators / accelerators_per_server)"
    entered = fleet_asked(setting)
    if np.all(np.asarray(need.accelerators) == entered):
        return "capex_usd"
    sheet.add("capex_accelerators", float(entered), "accelerators", YOUR_INPUT)
    return "capex_usd * accelerators / capex_accelerators"


def _value(sheet: InputSheet, name: str) -> Num:
    return sheet.used[name].value


def _has_moved(sheet: InputSheet) -> bool:
    """Return whether the order is placed on another day than that of its price."""
    if "ordered" not in sheet.used:
        return False
    return PRICED not in sheet.used or bool(np.any(_value(sheet, "ordered_after_years") != _value(sheet, PRICED)))


def _add_price_day(sheet: InputSheet, setting: PlanContext, years: float) -> None:
    """Add the day of an order's price, and in real terms what a dollar is worth on it."""
    sheet.add(PRICED, years, "years from today", YOUR_INPUT)
    add_path_beside(sheet, setting, PRICED_PATH, years)
    inflation = inflation_per_year(setting)
    if inflation != 0:
        sheet.add(_WORTH_PRICED, (1 + inflation) ** -years, "dollars of today", PLAN)


def _on_its_day(sheet: InputSheet, name: str) -> str:
    """Return a price on the day that an order's own price is entered for: itself, or another moved to that day.

    The catalogue's price of a new one is that of a used one where such are bought.
    """
    if sheet.used[name].is_yours:
        return f"{name} * {_WORTH_PRICED}" if _WORTH_PRICED in sheet.used else name
    is_host = name == "usd_per_host"
    if BOUGHT_USED in sheet.used and not is_host:
        name = f"{name} * {BOUGHT_USED}"
    if PRICED in sheet.used:
        name = f"{name} * {LATER} ** {PRICED}"
    return f"{name} * {PRICED_PATH}" if PRICED_PATH in sheet.used and not is_host else name


def _price_formula(sheet: InputSheet, what: Machine, *, later: bool) -> str:
    """The formula for the price of all machines and spares; of workstations and cards, as many as are bought.

    It is today's, or that of the day an order's own price is typed for. A spare is a board with its share of a host: a
    pool on the shelf, that stands and draws nothing.
    """
    name = "usd_per_server" if what.is_priced_whole else "usd_per_accelerator"
    spares, each = _MORE_SPARES if later else SPARES, _on_its_day(sheet, name)
    if what.holds_cards and not what.is_priced_whole:
        return f"({SERVERS} * {_on_its_day(sheet, 'usd_per_host')} + ({CARDS} + {spares}) * {each})"
    return f"({SERVERS} + {spares} / accelerators_per_server) * {what.price_formula.replace(name, each)}"


def spare_boards(accelerators: float, spare_share: float) -> int:
    return int(formula(SPARES)({"accelerators": accelerators, "spare_share": spare_share}))


def _rated_kw_formula(setting: PlanContext, what: Machine) -> str:
    if what.power is not None or setting.scenario.own.rated_w_per_server is not None:
        return f"{SERVERS} * rated_w_per_server / 1000"
    if what.holds_cards:
        return f"({SERVERS} * max_w_per_host + {CARDS} * tdp_w) / 1000"
    return f"{SERVERS} * tdp_w * accelerators_per_server * server_power_over_tdp / 1000"


def _busy_idle_kw_formulas(setting: PlanContext, what: Machine, kw: str) -> tuple[str, str]:
    """The formulas for what machines draw while they work and while they wait: measured, else shares of the rating."""
    own = setting.scenario.own
    shares = (f"{kw} * busy_power_share", f"{kw} * idle_power_share")
    if own.rated_w_per_server is not None or own.power_at_load:
        return shares
    busy, idle = (
        f"({SERVERS} * {state}_w_per_server{_OF_CARDS.format(state=state) if what.holds_cards else ''}) / 1000"
        for state in ("busy", "idle")
    )
    return (
        shares[0] if what.busy_power is None or own.busy_power_share is not None else busy,
        shares[1] if what.idle_power is None or own.idle_power_share is not None else idle,
    )


def _drawn_kw_formulas(sheet: InputSheet, setting: PlanContext, what: Machine, kw: str) -> tuple[str, str, str]:
    """The formulas for what machines draw for their work, while they wait, and more if they worked all the time.

    By your curve, what they draw above waiting for the rest of the time is for the work; so all stay what they are
    where the curve is a straight line.
    """
    busy, idle = _busy_idle_kw_formulas(setting, what, kw)
    waiting = f"{idle} * (1 - busy_share)"
    if AT_LOAD in sheet.used:
        working = f"{kw} * ({AT_LOAD} - idle_power_share * (1 - busy_share))"
        return working, waiting, f"{kw} * (busy_power_share - {AT_LOAD})"
    return f"{busy} * busy_share", waiting, f"({busy} - {idle}) * (1 - busy_share)"


def _purchase_lines(sheet: InputSheet, paid: str, all_in: bool) -> tuple[Line, ...]:
    name = "All of day one" if all_in else "Servers, with spares"
    due = _DUE.format(ordered="ordered" if "ordered" in sheet.used else "starts")
    return (sheet.line(name, "hardware", f"{paid} * {due}", treatment="capital"),)


def _refresh_lines(sheet: InputSheet, price: str, all_in: bool) -> tuple[Line, ...]:
    """The lines of a replacement: ordered in time, so that there is no gap, at the list price of that day."""
    again = f"{price} * {become(sheet, 'new_price_after_years')} * refreshes"
    new = sheet.line("New servers at a refresh", "hardware", again, treatment="capital")
    if all_in:
        return (new,)
    return (new, sheet.line("Installing them", "hardware", f"install_share * {again}", treatment="capital"))


def _setup_lines(sheet: InputSheet, setting: PlanContext, price: str, room_kw: str | None) -> tuple[Line, ...]:
    install = sheet.line("Installation", "hardware", f"{price} * install_share * delivered", treatment="capital")
    lines = [
        sheet.line(
            "Network between servers",
            "network",
            "accelerators * usd_per_accelerator_of_network * many * delivered",
            treatment="capital",
        ),
        sheet.line("Disks", "storage", "storage_tb * usd_per_tb_of_disk * delivered", treatment="capital"),
    ]
    if room_kw is not None:
        built = f"{room_kw} * usd_per_kw_of_room * delivered"
        lines.append(sheet.line("Building a room", "space", built, treatment="capital"))
    return (*deflate_lines(setting, (install,), _ordered_years(sheet)), *deflate_lines(setting, tuple(lines)))


def _ordered_years(sheet: InputSheet) -> Num:
    return _value(sheet, "ordered_after_years") if "ordered" in sheet.used else 0.0


def _operating_lines(sheet: InputSheet, setting: PlanContext, what: Machine, price: str, kw: str) -> tuple[Line, ...]:
    if "running_usd_per_month" in sheet.used:
        return deflate_lines(setting, (sheet.line("Running it, all in", "upkeep", "running_usd_per_month * owns"),))
    working, waiting, _ = _drawn_kw_formulas(sheet, setting, what, kw)
    since_years = "(begun_years - ordered_after_years)" if "ordered" in sheet.used else "begun_years"
    rises = _UPKEEP.format(since_years=since_years)
    space = sheet.line("Space, by contracted power", "space", f"{kw} * {RENT_OF_SPACE} * owns")
    if place_of(setting).builds_room:
        upkeep = f"{kw} * usd_per_kw_of_room * room_upkeep_share_per_year * {_UPKEEP} / 12 * owns"
        space = sheet.line("Upkeep of the room", "space", upkeep.format(since_years="begun_years"))
    people = _MORE_PEOPLE if "accelerators_before" in sheet.used else _PEOPLE
    set_monthly = (
        space,
        sheet.line("Electricity while working", "power", f"{working} * {METER} * owns"),
        sheet.line("Electricity while idle", "idle", f"{waiting} * {METER} * owns"),
        sheet.line("People", "staff", f"{people} * {WAGE} / 12 * owns"),
        sheet.line(
            "Maintenance and insurance",
            "upkeep",
            f"{price} * (maintenance_share_per_year + insurance_share_per_year) * {rises} / 12 * owns",
        ),
        _repair_line(sheet, setting, what, price, rises),
    )
    licences = "accelerators * usd_per_accelerator_year_of_software / 12 * owns"
    *before, repairs = deflate_lines(setting, set_monthly, setting.timeline.begun_years)
    return (*before, *deflate_lines(setting, (sheet.line("Software", "upkeep", licences),)), repairs)


def _repair_line(sheet: InputSheet, setting: PlanContext, what: Machine, price: str, rises: str) -> Line:
    """Return the cost of repairs above the support fee, which covers them, once the warranty is over."""
    if np.all(np.isfinite(sheet.used["usd_per_accelerator"].value)):
        each = _on_its_day(sheet, "usd_per_accelerator")
    else:
        fleet_of_sum = "capex_accelerators" if "capex_accelerators" in sheet.used else "accelerators"
        if setting.scenario.own.capex_per == PER_MACHINE:
            fleet_of_sum = "accelerators_per_server"
        server = _on_its_day(sheet, "usd_per_server") if what.is_priced_whole else ""
        each = f"{server} / accelerators_per_server" if what.is_priced_whole else f"capex_usd / {fleet_of_sum}"
    if _has_moved(sheet):
        each = f"{each} * {become(sheet, 'ordered_after_years')}"
    failed = f"accelerators * failures_per_accelerator_year * repair_share * {each}"
    return sheet.line(
        "Repairs beyond what support covers",
        "upkeep",
        f"max({failed} - {price} * maintenance_share_per_year, 0) * {rises} / 12 * after_warranty",
    )


def _host_share_formula(sheet: InputSheet, what: Machine, price: str, *, all_in: bool) -> str | None:
    """The formula for the host's share of the price: the rest beside the GPUs, else the usual share.

    A GPU's price that leaves next to nothing for the host is a share of the whole, not a price beside it.
    """
    usual = "host_share / (1 + host_share)"
    if what.is_complete:
        return None
    if what.holds_cards and not what.is_priced_whole and not all_in:
        return f"{SERVERS} * {_on_its_day(sheet, 'usd_per_host')} / max({price}, {_LEAST_USD})"
    if what.is_priced_whole and not all_in and np.all(np.isfinite(sheet.used["usd_per_accelerator"].value)):
        each = _on_its_day(sheet, "usd_per_accelerator")
        rest = f"1 - {each} * accelerators_per_server / max({_on_its_day(sheet, 'usd_per_server')}, {_LEAST_USD})"
        return f"where({rest} > {_LEAST_HOST}, {rest}, {usual})"
    return usual


def _exit_lines(sheet: InputSheet, setting: PlanContext, price: str, room_kw: str | None) -> tuple[Line, ...]:
    removal = sheet.line("Taking it down", "upkeep", f"{price} * decommissioning_share * sold")
    down = deflate_lines(setting, (removal,), _ordered_years(sheet))
    if room_kw is None:
        return down
    worth = f"-1 * {room_kw} * usd_per_kw_of_room * max(1 - room_age_years / room_life_years, 0) * sold"
    return (
        *down,
        *deflate_lines(setting, (sheet.line("What the room is still worth", "resale", worth, treatment="sale"),)),
    )
