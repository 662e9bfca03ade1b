"""Where one's own machines stand: whose electricity they buy, what is another there, and what its circuits carry."""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np

from planner.money.ledger import Case, Origin, end
from planner.money.owning.machine import Machine, fleet, machine
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
_LEAST_LIMIT = 0.6  # of a card's rated power, below which it is not worth holding it down
# What a place may say, by the name that the formulas use.
OF_PLACE: dict[str, str] = {
    "pue": "pue",
    "usd_per_kw_month": "usd_per_kw_month",
    "fte_per_accelerator": "fte_per_accelerator",
    "install_share": "install_share",
    "maintenance_share_per_year": "maintenance_share",
    "insurance_share_per_year": "insurance_share",
    "decommissioning_share": "decommissioning_share",
}
# What a machine bought off the shelf may say.
OF_HOST: dict[str, str] = {
    "lead_time_months": "lead_time_month",
    "deposit_share": "deposit_share",
    "spare_share": "spare_share",
}


def place_of(setting: PlanContext) -> Premises:
    """What the machines stand in."""
    return setting.catalogue.places[setting.scenario.own.place]


def figure_there(setting: PlanContext, name: str, otherwise: Figure | None) -> Figure | None:
    """A figure of the place, else of the machine where it is bought off the shelf, else the other one."""
    found: Figure | None = None
    if name in OF_PLACE:
        found = getattr(place_of(setting), OF_PLACE[name])
    elif name in OF_HOST:
        what = machine(setting)
        found = None if what is None or what.host is None else getattr(what.host, OF_HOST[name])
    return otherwise if found is None else found


def site_or_fact_figure(setting: PlanContext, name: str, fact: str) -> Figure:
    """A figure of the place or the machine, else the fact of owning."""
    general = setting.catalogue.facts[fact].figure
    return figure_there(setting, name, general) or general


def price_of_electricity(setting: PlanContext) -> ElectricityPrice | None:
    """What a kilowatt-hour costs the customer that such a place is."""
    return electricity(setting.catalogue, setting.scenario.site, customer(setting))


def customer(setting: PlanContext) -> Customer:
    """Whether a household, a firm or a large site pays: by the place, and where that is open by the load."""
    kind = place_of(setting).electricity
    if kind != "by_load":
        return kind
    what = machine(setting)
    kw = 0.0 if what is None else peak_kw(setting, what, fleet(setting))
    return "large" if kw > FIRM_KW else "firm"


def network_fact(setting: PlanContext, accelerators: int) -> str:
    """The fact that says what a network between so many costs: machines off the shelf get an ordinary switch."""
    what = machine(setting)
    if what is not None and what.host is not None:
        return NETWORK_TIERS[0][1]
    tiers = [most for most, _ in NETWORK_TIERS]
    return NETWORK_TIERS[min(bisect_left(tiers, accelerators), len(tiers) - 1)][1]


def no_network_reason(setting: PlanContext) -> str | None:
    """Why no network between the machines is bought; None where one is."""
    place = place_of(setting)
    return None if place.network else f"none is bought in {place.label}"


def peak_kw(setting: PlanContext, what: Machine, accelerators: int) -> float:
    """What so many draw at most, at typical figures; not-a-number where nobody says. [kW]"""
    own, machines = setting.scenario.own, -(-accelerators // what.accelerators)
    if own.rated_w_per_server is not None:
        return machines * own.rated_w_per_server / W_PER_KW
    if what.power is not None:
        return machines * what.power.newest.typical / W_PER_KW
    tdp_w = math.nan if what.tdp is None else what.tdp.newest.typical
    if what.holds_cards:
        return (machines * _host_w(what) + accelerators * tdp_w) / W_PER_KW
    over = setting.catalogue.facts[HOST_POWER].figure.newest.typical
    return machines * tdp_w * what.accelerators * over / W_PER_KW


def _host_w(what: Machine) -> float:
    return math.nan if what.host is None or what.host.max_power_w is None else what.host.max_power_w.newest.typical


def power_limit_kw(setting: PlanContext) -> float:
    """What may be drawn: your limit, else what circuits carry there; infinite where nothing limits it. [kW]"""
    if setting.scenario.own.most_kw is not None:
        return setting.scenario.own.most_kw
    place = place_of(setting)
    figure = place.low_voltage_kw if mains(setting) == LOW_VOLTAGE else place.usual_voltage_kw
    return math.inf if figure is None else figure.newest.typical


def mains(setting: PlanContext) -> Mains:
    """Of the sockets at the site."""
    around = (setting.catalogue.sites[key].mains for key in setting.catalogue.around(setting.scenario.site))
    return next((found for found in around if found is not None), 230)


@cached(64)
def power_shortfall_reason(setting: PlanContext, accelerators: int) -> str | None:
    """Why so many cannot stand there, and what would do; None where they can, or where nobody says what they draw."""
    what, most = machine(setting), power_limit_kw(setting)
    if what is None:
        return None
    kw = peak_kw(setting, what, accelerators)
    if not kw > most:
        return None
    have = f"you have {most:g} kW" if setting.scenario.own.most_kw is not None else _circuit_text(setting, most)
    would = [
        way
        for way in (_fitting_count_text(setting, what, accelerators), _power_cap_text(what, accelerators, most))
        if way
    ]
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    would.append(f"{'or ' * bool(would)}{math.ceil(kw * 10) / 10:g} kW of power")
    return f"{accelerators:,} x {label} draw up to {kw:.3g} kW and {have}: {', '.join(would)} would do"


def _circuit_text(setting: PlanContext, most: float) -> str:
    return f"the circuits of {place_of(setting).label} carry about {most:g} kW ({mains(setting)} V)"


def _fitting_count_text(setting: PlanContext, what: Machine, accelerators: int) -> str | None:
    """How many would fit, in whole machines; of cards in one workstation, how many cards."""
    most = power_limit_kw(setting)
    if what.holds_cards and accelerators <= what.accelerators and what.tdp is not None:
        fit = int((most * W_PER_KW - _host_w(what)) // what.tdp.newest.typical)
        return f"{fit:,} of them" if fit > 0 else None
    sizes = range(accelerators // what.accelerators * what.accelerators, 0, -what.accelerators)
    fit = next((size for size in sizes if peak_kw(setting, what, size) <= most), 0)
    return f"{fit:,} of them" if 0 < fit < accelerators else None


def _power_cap_text(what: Machine, accelerators: int, most: float) -> str | None:
    """What each card may draw if all are to fit, where that still leaves most of their speed."""
    if not what.holds_cards or what.tdp is None:
        return None
    machines = math.ceil(accelerators / what.accelerators)
    limit_w = (most * W_PER_KW - machines * _host_w(what)) / accelerators
    return f"cards held to {limit_w:.0f} W each" if limit_w >= _LEAST_LIMIT * what.tdp.newest.typical else None


def site_notes(setting: PlanContext) -> tuple[str, ...]:
    """What to know of the place: whose price stands in, what is not counted, what is too loud."""
    found = price_of_electricity(setting) if setting.scenario.own.usd_per_kwh is None else None
    place, what = place_of(setting), machine(setting)
    said = [f"Electricity: {found.stands_in}"] if found is not None and found.stands_in else []
    said += [f"Not counted for {place.label}: {one}" for one in place.not_counted]
    if place.people_beside and what is not None:
        noise = what.host.noise if what.host is not None else TOO_LOUD if what.kind in ("server", "rack") else None
        said += [f"Noise: {noise}"] if noise else []
    return tuple(said)


BUSY_SHARE, IDLE_SHARE = "power-share-training", "power-share-idle"
CARD_BUSY, CARD_IDLE = "card-power-busy", "card-power-idle"


@dataclass(frozen=True)
class ExistingPower:
    """What one accelerator that is there draws with its share of the machine, and whose watts these are."""

    busy_w: float
    idle_w: float
    peak_kw: float  # of all of them
    origin: Origin


def existing_accelerator(catalogue: Catalogue, kept: ExistingHardware) -> str | None:
    """The accelerator that the label of the kept machines names, if it names one."""
    try:
        return names.accelerator(catalogue, kept.label)
    except PricingError:
        return None


def existing_power(setting: PlanContext, kept: ExistingHardware) -> ExistingPower | None:
    """The watts of the machines that such accelerators stand in; None where nobody says what they draw."""
    there = _as_purchase(setting, kept)
    what = machine(there)
    if what is None:
        return None
    busy_w, idle_w = (
        watts_per_accelerator(setting.catalogue, what, setting.case, is_busy=one) for one in (True, False)
    )
    if not np.isfinite(busy_w + idle_w):
        return None
    said = Origin(what.label, "derived", note=f"filled in: {what.what}, as nobody says what they draw")
    return ExistingPower(busy_w, idle_w, peak_kw(there, what, kept.accelerators), said)


def _as_purchase(setting: PlanContext, kept: ExistingHardware) -> PlanContext:
    """A plan that would buy them, with nothing of yours but the place."""
    scenario = setting.scenario
    chip = existing_accelerator(setting.catalogue, kept) or scenario.accelerator
    own = OwnInputs(accelerators=kept.accelerators, place=scenario.own.place, spare_share=0.0)
    return replace(setting, scenario=scenario.model_copy(update={"accelerator": chip, "own": own}))


def watts_per_accelerator(catalogue: Catalogue, what: Machine, case: Case, *, is_busy: bool) -> float:
    """What one accelerator and its share of the machine draw; not-a-number where nobody says. [W]"""

    def fact(name: str) -> float:
        return _of(catalogue.facts[name].figure, case)

    measured = what.busy_power if is_busy else what.idle_power
    tdp_w = _of(what.tdp, case)
    if measured is not None and what.holds_cards:
        return _of(measured, case) / what.accelerators + tdp_w * fact(CARD_BUSY if is_busy else CARD_IDLE)
    if measured is not None:
        return _of(measured, case) / what.accelerators
    rated_w = tdp_w * fact(HOST_POWER) if what.power is None else _of(what.power, case) / what.accelerators
    return rated_w * fact(BUSY_SHARE if is_busy else IDLE_SHARE)


def _of(figure: Figure | None, case: Case) -> float:
    return float("nan") if figure is None else end(figure.newest, case)
