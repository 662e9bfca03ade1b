"""The place of owned machines: its electricity customer, its own figures, and the power of its circuits."""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np

from planner.money.ledger import CASES, Case, Origin, end
from planner.money.owning.machine import Machine, fleet, has_single_jobs, machine, place_key, usual_place_of
from planner.money.setting import PlanContext
from planner.scenario.base import MOST_ACCELERATORS
from planner.scenario.own import ExistingHardware, OwnInputs
from pricing import Catalogue, Figure, PricingError, names
from pricing.caching import cached
from pricing.choices import Customer, Mains
from pricing.electricity import ElectricityPrice, electricity
from pricing.record import Premises

HOST_POWER = "server-power-over-tdp"
FIRM_KW = 50.0  # up to which a firm buys like a firm: 20 to 499 MWh a year
W_PER_KW = 1_000.0
LOW_VOLTAGE: Mains = 120
# Up to how many accelerators each kind of network goes: one switch, more of them in one tier, two tiers, three.
NETWORK_TIERS: tuple[tuple[int, str], ...] = (
    *((most, f"network-to-{most}") for most in (8, 16, 32, 64, 512)),
    (16_384, "network-to-16k"),
    (MOST_ACCELERATORS, "network-above-16k"),
)
TOO_LOUD = "too loud for a room with people in it"  # of any server
_WITHOUT_FABRIC = ("consumer", "desktop")  # hardware classes: no network joins their machines for one job
_LEAST_LIMIT = 0.6  # of a card's rated power, below which a power cap is not worth it
# The figures that a place may have, by the name that the formulas use.
OF_PLACE: dict[str, str] = {
    "pue": "pue",
    "usd_per_kw_month": "usd_per_kw_month",
    "fte_per_accelerator": "fte_per_accelerator",
    "install_share": "install_share",
    "maintenance_share_per_year": "maintenance_share",
    "insurance_share_per_year": "insurance_share",
    "decommissioning_share": "decommissioning_share",
}
# The figures that a machine off the shelf may have.
OF_HOST: dict[str, str] = {"deposit_share": "deposit_share", "spare_share": "spare_share"}


def place_of(setting: PlanContext) -> Premises:
    return setting.catalogue.places[place_key(setting)]


def figure_there(setting: PlanContext, name: str, otherwise: Figure | None) -> Figure | None:
    """Return a figure of the place, else of the machine where it is bought off the shelf, else the other one."""
    figure: Figure | None = None
    if name in OF_PLACE:
        place = place_of(setting)
        places = setting.catalogue.places
        is_small = usual_place_of(setting, fleet(setting)) != "colocation"
        if name == "fte_per_accelerator" and place == places["office"] and is_small:
            place = places["home"]  # nobody is hired for a desk
        figure = getattr(place, OF_PLACE[name])
    elif name in OF_HOST and (what := machine(setting)) is not None and what.host is not None:
        figure = getattr(what.host, OF_HOST[name])
    return otherwise if figure is None else figure


def site_or_fact_figure(setting: PlanContext, name: str, fact: str) -> Figure:
    """Return a figure of the place or the machine, else the fact of owning."""
    general = setting.catalogue.facts[fact].figure
    return figure_there(setting, name, general) or general


def price_of_electricity(setting: PlanContext) -> ElectricityPrice | None:
    """Return the price of a kilowatt-hour for the customer of such a place."""
    return electricity(setting.catalogue, setting.scenario.site, customer(setting))


def customer(setting: PlanContext) -> Customer:
    """Return household, firm or large site: by the place, and where that is open by the load."""
    kind = place_of(setting).electricity
    if kind != "by_load":
        return kind
    what = machine(setting)
    return "large" if what is not None and peak_kw(setting, what, fleet(setting)) > FIRM_KW else "firm"


def network_fact(setting: PlanContext, accelerators: int) -> str:
    """Return the fact with the cost of a network of this size: an ordinary switch for desks and for separate jobs."""
    what, chip = machine(setting), setting.catalogue.accelerators.get(setting.scenario.accelerator)
    is_plain = chip is not None and chip.hardware_class in _WITHOUT_FABRIC
    if is_plain or (what is not None and what.host is not None) or has_single_jobs(setting):
        return NETWORK_TIERS[0][1]
    tiers = [most for most, _ in NETWORK_TIERS]
    return NETWORK_TIERS[min(bisect_left(tiers, accelerators), len(tiers) - 1)][1]


def no_network_reason(setting: PlanContext) -> str | None:
    """Return why no network between the machines is bought; None where one is."""
    place = place_of(setting)
    return None if place.network else f"none is bought in {place.label}"


def peak_kw(setting: PlanContext, what: Machine, accelerators: int) -> float:
    """Return their peak draw at typical figures; not-a-number where it is unknown. [kW]"""
    own, machines = setting.scenario.own, -(-accelerators // what.accelerators)
    if own.rated_w_per_server is not None:
        return machines * own.rated_w_per_server / W_PER_KW
    if what.power is not None:
        return machines * what.power.newest.typical / W_PER_KW
    tdp_w = math.nan if what.tdp is None else what.tdp.newest.typical
    if what.holds_cards:
        return (machines * _host_w(what) + accelerators * tdp_w) / W_PER_KW
    return machines * tdp_w * what.accelerators * setting.catalogue.facts[HOST_POWER].figure.newest.typical / W_PER_KW


def _host_w(what: Machine) -> float:
    return math.nan if what.host is None or what.host.max_power_w is None else what.host.max_power_w.newest.typical


def power_limit_kw(setting: PlanContext, machines: int) -> float:
    """Return your power limit, else that of the circuits; infinite where nothing limits it. [kW]

    Where all together may draw more than one machine, each stands at circuits of its own.
    """
    if setting.scenario.own.most_kw is not None:
        return setting.scenario.own.most_kw
    place = place_of(setting)
    figure = place.low_voltage_kw if mains(setting) == LOW_VOLTAGE else place.usual_voltage_kw
    each = math.inf if figure is None else figure.newest.typical
    return each if place.all_kw is None else min(each * machines, place.all_kw.newest.typical)


def mains(setting: PlanContext) -> Mains:
    """Return the voltage of the sockets at the site. [V]"""
    around = (setting.catalogue.sites[key].mains for key in setting.catalogue.around(setting.scenario.site))
    return next((voltage for voltage in around if voltage is not None), 230)


@cached(64)
def power_shortfall_reason(setting: PlanContext, accelerators: int) -> str | None:
    """Return why so many cannot run there, with alternatives; None where they can, or where their draw is unknown."""
    what = machine(setting)
    machines = 1 if what is None else -(-accelerators // what.accelerators)
    limit = power_limit_kw(setting, machines)
    if what is None or not (kw := peak_kw(setting, what, accelerators)) > limit:
        return None
    of = f" for {machines:,} machines" if machines > 1 and setting.scenario.own.place == "office" else ""
    have = f"the circuits of {place_of(setting).label} carry about {limit:g} kW{of} ({mains(setting)} V)"
    if setting.scenario.own.most_kw is not None:
        have = f"you have {limit:g} kW"
    fitting = (_fitting_count_text(setting, what, accelerators), _power_cap_text(what, accelerators, limit))
    alternatives = [text for text in fitting if text]
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    alternatives.append(f"{'or ' * bool(alternatives)}{math.ceil(kw * 10) / 10:g} kW of power")
    return f"{accelerators:,} x {label} draw up to {kw:.3g} kW and {have}: {', '.join(alternatives)} would do"


def _fitting_count_text(setting: PlanContext, what: Machine, accelerators: int) -> str | None:
    """The count that would fit, in whole machines; of cards in one workstation, in cards."""
    if what.holds_cards and accelerators <= what.accelerators and what.tdp is not None:
        fit = int((power_limit_kw(setting, 1) * W_PER_KW - _host_w(what)) // what.tdp.newest.typical)
        return f"{fit:,} of them" if fit > 0 else None

    def exceeds(machines: int) -> bool:
        return peak_kw(setting, what, machines * what.accelerators) > power_limit_kw(setting, machines)

    fit = what.accelerators * bisect_left(range(1, accelerators // what.accelerators + 1), True, key=exceeds)
    return f"{fit:,} of them" if 0 < fit < accelerators else None


def _power_cap_text(what: Machine, accelerators: int, most: float) -> str | None:
    """The power cap of each card at which all fit, where that still leaves most of their speed."""
    if not what.holds_cards or what.tdp is None:
        return None
    limit_w = (most * W_PER_KW - math.ceil(accelerators / what.accelerators) * _host_w(what)) / accelerators
    return f"cards held to {limit_w:.0f} W each" if limit_w >= _LEAST_LIMIT * what.tdp.newest.typical else None


def site_notes(setting: PlanContext) -> tuple[str, ...]:
    """Return notes on the place: a substitute price of electricity, costs that are not counted, noise."""
    price = price_of_electricity(setting) if setting.scenario.own.usd_per_kwh is None else None
    place, what = place_of(setting), machine(setting)
    notes = [f"Electricity: {price.stands_in}"] if price is not None and price.stands_in else []
    notes += [f"Not counted for {place.label}: {cost}" for cost in place.not_counted]
    if place.people_beside and what is not None:
        noise = what.host.noise if what.host is not None else TOO_LOUD if what.kind in ("server", "rack") else None
        notes += [f"Noise: {noise}"] if noise else []
        if place.all_kw is not None and (machines := -(-fleet(setting) // what.accelerators)) > 1:
            notes.append(f"{machines:,} machines, each at circuits of its own: offices often have three for four desks")
    return tuple(notes)


BUSY_SHARE, IDLE_SHARE = "power-share-training", "power-share-idle"
CARD_BUSY, CARD_IDLE = "card-power-busy", "card-power-idle"


@dataclass(frozen=True)
class ExistingPower:
    """The power of one existing accelerator with its share of the machine, and the source of the figure."""

    busy_w: float
    idle_w: float
    busy_ends_w: tuple[float, float]
    idle_ends_w: tuple[float, float]
    peak_kw: float  # of all of them
    origin: Origin


def existing_accelerator(catalogue: Catalogue, kept: ExistingHardware) -> str | None:
    """The accelerator of the kept machines: as stated, else the one that their label names, if it names one."""
    try:
        return names.accelerator(catalogue, kept.accelerator or kept.label)
    except PricingError:
        return None


def purchase_of_existing(setting: PlanContext, kept: ExistingHardware) -> PlanContext:
    """Return a plan that would buy the machines that are there, with nothing of yours but the place."""
    scenario = setting.scenario
    chip = existing_accelerator(setting.catalogue, kept) or scenario.accelerator
    own = OwnInputs(accelerators=kept.accelerators, place=scenario.own.place, spare_share=0.0)
    return replace(setting, scenario=scenario.model_copy(update={"accelerator": chip, "own": own}))


def existing_power(setting: PlanContext, kept: ExistingHardware) -> ExistingPower | None:
    """Return the power of the machines around existing accelerators; None where it is unknown."""
    purchase = purchase_of_existing(setting, kept)
    what = machine(purchase)
    if what is None:
        return None
    (busy_low, busy, busy_high), (idle_low, idle, idle_high) = (
        [watts_per_accelerator(setting.catalogue, what, case, is_busy=is_busy) for case in CASES]
        for is_busy in (True, False)
    )
    if not np.isfinite(busy + idle):
        return None
    source = Origin(what.label, "derived", note=f"filled in: {what.what}, as their power draw is unknown")
    kw = peak_kw(purchase, what, kept.accelerators)
    return ExistingPower(busy, idle, (busy_low, busy_high), (idle_low, idle_high), kw, source)


def watts_per_accelerator(catalogue: Catalogue, what: Machine, case: Case, *, is_busy: bool) -> float:
    """Return the draw of one accelerator with its share of the machine; not-a-number where it is unknown. [W]"""

    def fact(name: str) -> float:
        return figure_end(catalogue.facts[name].figure, case)

    measured = what.busy_power if is_busy else what.idle_power
    tdp_w = figure_end(what.tdp, case)
    if measured is not None and what.holds_cards:
        return figure_end(measured, case) / what.accelerators + tdp_w * fact(CARD_BUSY if is_busy else CARD_IDLE)
    if measured is not None:
        return figure_end(measured, case) / what.accelerators
    rated_w = tdp_w * fact(HOST_POWER) if what.power is None else figure_end(what.power, case) / what.accelerators
    return rated_w * fact(BUSY_SHARE if is_busy else IDLE_SHARE)


def figure_end(figure: Figure | None, case: Case) -> float:
    """Return an end of a figure; not-a-number where there is none."""
    return float("nan") if figure is None else end(figure.newest, case)
