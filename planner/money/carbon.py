"""Emissions of an option: running its machines, and making them. Read off the ledger, so both count the same work.

An hour of electricity or of a rented accelerator stands in the ledger as quantity x price. At a price of one the same
formula gives the quantity: kilowatt-hours, accelerator-hours. They count at the grid of the place, and at their share
of what making the machine emitted. Decision 0036 gives the conventions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from planner.money.formula import Num, formula
from planner.money.inflation import WORTH
from planner.money.ledger import Case, Ledger, Line, Origin, Part, end
from planner.money.many_ledgers import build_ledger, option_builder
from planner.money.option import Option
from planner.money.owning.lines import CARDS, SERVERS
from planner.money.owning.machine import Machine, stands_in
from planner.money.owning.place import figure_end, watts_per_accelerator
from planner.money.price_path import CHANGE, LEVEL, PRICE_AGREED, STEP, WORTH_AGREED
from planner.money.renting.offer_inputs import PRICE
from planner.money.renting.orders import busiest_order
from planner.money.setting import PlanContext
from planner.money.ways import WAYS
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.ways import Way
from pricing.caching import cached, cached_property
from pricing.electricity import WORLD, GridIntensity, grid_intensity_at, mean_grid_intensity
from pricing.orderable import allowed_countries, sales

BY_MEMORY, SERVER, WORKSTATION, LIFE = (
    "embodied-kg-per-gb", "embodied-server-without-accelerators", "embodied-workstation", "hardware-service-life"
)  # fmt: skip
IN_SERVER = 8  # accelerators of the server whose embodied carbon is known
KG_PER_T = 1_000.0
G_PER_KG, _W_PER_KW = 1_000.0, 1_000.0
METER = "usd_per_kwh"
ALL_IN = "running_usd_per_month"
_REFRESHES, _KEPT_ACCELERATORS = "refreshes", "kept_accelerators"
_COUNTED = frozenset((METER, PRICE, ALL_IN, _REFRESHES, _KEPT_ACCELERATORS))  # inputs of the lines that emit anything
_ENDS: tuple[Case, ...] = ("low", "high")
_LONGER_IS_LESS: dict[Case, Case] = {"low": "high", "typical": "typical", "high": "low"}
_LEAST_GRID_SHARE = 0.01  # of the electricity: grids that supply less are not named
_KEPT_MAKING = "what is there was made before the plan: nothing of that is counted"
# Each price at one, and nothing that moves it: what is left of a formula is what it counts.
_AT_ONE: dict[str, Num] = {METER: 1.0, "power_price_change_per_year": 0.0, PRICE: 1.0, CHANGE: 0.0, LEVEL: 1.0,
                            STEP: 1.0, WORTH: 1.0, PRICE_AGREED: 1.0, WORTH_AGREED: 1.0}  # fmt: skip
_BUSY: frozenset[Part] = frozenset({"compute", "interruptions"})  # the rest of what is rented waits
_AFTER_THE_PLAN: Part = "commitment"


class EmbodiedCarbon(NamedTuple):
    """Kilograms of CO2 equivalent of one accelerator and of what it stands in; not-a-number where nobody knows."""

    accelerator_kg: float
    host_kg: float  # its share of a server; of a workstation, the whole one
    is_whole_machine: bool  # `host_kg` is for the machine

    def each_kg(self, accelerators: int) -> float:
        """One accelerator with its share of a machine that holds so many."""
        return self.accelerator_kg + (self.host_kg / accelerators if self.is_whole_machine else self.host_kg)


def embodied_carbon(setting: PlanContext, machine: Machine, case: Case) -> EmbodiedCarbon:
    """Return the emissions of making one accelerator of the plan, at an end of the range."""
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    figure = None if chip is None else chip.embodied_kg
    kg = figure_end(figure, case)
    if machine.is_complete:  # a Mac is made whole
        return EmbodiedCarbon(kg, 0.0, is_whole_machine=True)
    if figure is None and chip is not None and chip.memory_gb is not None and chip.kind in ("gpu", "asic"):
        kg = chip.memory_gb.newest.typical * _fact(setting, BY_MEMORY, case)
    if machine.holds_cards:
        return EmbodiedCarbon(kg, _fact(setting, WORKSTATION, case), is_whole_machine=True)
    return EmbodiedCarbon(kg, _fact(setting, SERVER, case) / IN_SERVER, is_whole_machine=False)


def embodied_estimate_note(setting: PlanContext) -> str | None:
    """Return a note where the embodied carbon of the accelerator is estimated from its memory, or not known."""
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    if chip is None or chip.embodied_kg is not None:
        return None
    if chip.whole_machine or chip.kind not in ("gpu", "asic"):
        return f"no published figure for making {chip.label}"
    return f"no published figure for making {chip.label}: estimated from its memory, with a wider range"


def life_years(setting: PlanContext, case: Case) -> float:
    """Return the service life of a machine; the longer, the less embodied carbon counts for an hour. [year]"""
    return _fact(setting, LIFE, _LONGER_IS_LESS[case])


def _fact(setting: PlanContext, fact: str, case: Case) -> float:
    return figure_end(setting.catalogue.facts[fact].figure, case)


class EmissionRange(NamedTuple):
    low: float
    typical: float
    high: float


@dataclass(frozen=True)
class CaseEmissions:
    """One case of a ledger, perhaps for many draws; not-a-number where nobody knows."""

    operation_kg: Num
    making_kg: Num
    kwh: Num
    water_l: Num  # where a figure of the place is known
    kwh_by_grid: Mapping[GridIntensity, Num] = field(default_factory=dict)

    @property
    def minimum_kg(self) -> Num:
        """Operation and making together; where making is not known, at least so much."""
        return np.asarray(self.operation_kg + np.nan_to_num(self.making_kg))[()]

    def at(self, row: int) -> CaseEmissions:
        operation, making, kwh, water = (
            float(np.atleast_1d(each)[row if np.size(each) > 1 else 0])
            for each in (self.operation_kg, self.making_kg, self.kwh, self.water_l)
        )
        return CaseEmissions(operation, making, kwh, water)


@dataclass(frozen=True, eq=False)
class OptionEmissions:
    """Emissions of an option over the plan, in kg of CO2 equivalent; None where nobody knows.

    Most readers want the typical figures: both ends are calculated on first use.
    """

    setting: PlanContext
    way: Way
    ledger: Ledger  # with electricity as a line

    @cached_property
    def typical(self) -> CaseEmissions:
        """At typical figures."""
        return ledger_emissions(self.setting, self.way, self.ledger)

    @cached_property
    def _cases(self) -> tuple[CaseEmissions, ...]:
        low, high = (ledger_emissions(self.setting, self.way, self.ledger.at_end(end), end) for end in _ENDS)
        return low, self.typical, high

    @property
    def operation_kg(self) -> EmissionRange | None:
        """Of the electricity, with the range of its figures."""
        return _emission_range([case.operation_kg for case in self._cases])

    @property
    def making_kg(self) -> EmissionRange | None:
        """Of making the hardware, with the range of its figures."""
        return _emission_range([case.making_kg for case in self._cases])

    @property
    def total_kg(self) -> EmissionRange | None:
        """Of both together."""
        operation, making = self.operation_kg, self.making_kg
        return (
            None
            if operation is None or making is None
            else EmissionRange(*map(sum, zip(operation, making, strict=True)))
        )

    @property
    def water_l(self) -> float | None:
        """Of the part for which a figure is known."""
        return finite_or_none(self.typical.water_l)

    @property
    def kwh(self) -> float | None:
        return finite_or_none(self.typical.kwh)

    @property
    def where(self) -> str:
        """Of the grid that most of it is drawn from."""
        return self._grids[0].where if self._grids else ""

    @cached_property
    def _grids(self) -> list[GridIntensity]:
        kwh_by_grid = {grid: float(np.max(kwh)) for grid, kwh in self.typical.kwh_by_grid.items()}
        least = _LEAST_GRID_SHARE * sum(kwh_by_grid.values())
        return sorted((grid for grid, kwh in kwh_by_grid.items() if kwh >= least), key=lambda grid: -kwh_by_grid[grid])

    @property
    def notes(self) -> tuple[str, ...]:
        """Each substitute and each unknown."""
        return _notes(self.setting, self.ledger, self._grids)


def option_emissions(setting: PlanContext, option: Option) -> OptionEmissions:
    ledger = _metered_ledger(setting, option)
    counted = (line for line in ledger.lines if line.part == "tokens" or not _COUNTED.isdisjoint(line.names))
    return OptionEmissions(setting, option.way, Ledger(ledger.title, tuple(counted)))


def ledger_emissions(setting: PlanContext, way: Way, ledger: Ledger, case: Case = "typical") -> CaseEmissions:
    """Return the emissions of a ledger at one end of the ranges."""
    machine = stands_in(setting)
    unknown = unknown_grid = 0.0 if missing_energy_reason(ledger) is None else np.nan
    kwh_by_grid: dict[GridIntensity, Num] = {}
    rented, total_kwh = np.zeros(()), np.zeros(())
    for grid, kwh, hours in _power_draws(setting, way, ledger, machine, case):
        rented, total_kwh = rented + hours, total_kwh + kwh
        if grid is None:
            unknown_grid = np.nan
        else:
            kwh_by_grid[grid] = kwh_by_grid.get(grid, 0.0) + kwh
    carbon, life = embodied_carbon(setting, machine, case), life_years(setting, case)
    making: Num = np.zeros(())
    for machines in purchased_machines(ledger):
        # Bought machines count whole; at the low end only the part of their life that the plan uses.
        count = machines.purchase_count
        used = np.minimum(count, machines.years / life) if case == "low" else count
        making = making + np.asarray(_embodied_kg(carbon, machine, machines) * used)
    if np.any(rented != 0):  # an hour takes its share of the machine's life
        making = making + rented * (carbon.each_kg(machine.accelerators) / (life * HOURS_PER_YEAR))
    water = [kwh * grid.water_l_per_kwh for grid, kwh in kwh_by_grid.items() if grid.water_l_per_kwh is not None]
    grams = sum((kwh * getattr(grid, case) for grid, kwh in kwh_by_grid.items()), np.zeros(()))
    return CaseEmissions(
        operation_kg=grams / G_PER_KG + unknown_grid,
        making_kg=making + unknown,
        kwh=total_kwh + unknown,
        water_l=sum(water, np.zeros(())) if water else np.nan,
        kwh_by_grid=kwh_by_grid,
    )


def _embodied_kg(carbon: EmbodiedCarbon, machine: Machine, bought: PurchasedMachines) -> Num:
    if machine.holds_cards:
        return bought.cards * carbon.accelerator_kg + bought.servers * carbon.host_kg
    each = carbon.accelerator_kg if carbon.is_whole_machine else carbon.each_kg(machine.accelerators)
    return bought.accelerators * each


def _power_draws(
    setting: PlanContext, way: Way, ledger: Ledger, machine: Machine, case: Case
) -> Iterator[tuple[GridIntensity | None, Num, Num]]:
    """Yield the grid, kilowatt-hours from it, and the hours of rented accelerators that these are for."""
    own_kwh = sum((_quantity(line) for line in ledger.lines if METER in line.names), np.zeros(()))
    if np.any(own_kwh != 0):
        yield grid_intensity_at(setting.catalogue, setting.scenario.site), own_kwh, 0.0
    watts = {busy: watts_per_accelerator(setting.catalogue, machine, case, is_busy=busy) for busy in (True, False)}
    site_pue = setting.catalogue.site_figure(WORLD, "pue")  # of rented data centres: what the world's are like
    pue = 1.0 if site_pue is None else end(site_pue[1].newest, case)
    for rent in rented_hours(ledger):
        if np.any(rent.hours != 0):
            yield _grid_of(setting, way, rent), rent.hours * watts[rent.is_busy] / _W_PER_KW * pue, rent.hours


def _grid_of(setting: PlanContext, way: Way, hours: RentedHours) -> GridIntensity | None:
    """Return the grid of rented hours: in the country of the seller whose price they cost."""
    catalogue, taken = setting.catalogue, setting.offers
    origin = next(used for used in hours.line.used if used.name == PRICE).origin
    figure = (origin if isinstance(origin, Origin) else origin(0)).figure

    def has_figure(key: str | None) -> bool:
        offer = catalogue.offers.get(key or "")
        return figure is not None and offer is not None and offer.usd_per_accelerator_hour is figure

    rented = filter(has_figure, (taken.on_demand, *taken.booked, taken.spot))
    key = next(rented, None) or WAYS[way].offer(taken) or taken.on_demand
    if key is None or key not in catalogue.offers:
        return mean_grid_intensity(catalogue, _allowed(setting), "anywhere")
    return _offer_grid(setting, key)


def _offer_grid(setting: PlanContext, key: str) -> GridIntensity | None:
    catalogue, sold = setting.catalogue, sales(setting.catalogue)[key]
    countries = frozenset().union(*sold.places) if sold.places else _allowed(setting)
    return mean_grid_intensity(catalogue, countries, sold.area)


def _allowed(setting: PlanContext) -> frozenset[str]:
    """Return the countries where the work must stay; empty: anywhere."""
    limits = busiest_order(setting).stay
    return allowed_countries(setting.catalogue, limits) if limits.areas else limits.countries


def _metered_ledger(setting: PlanContext, option: Option) -> Ledger:
    """Return the ledger of an option, with electricity as a line where your sum for running hides it."""
    if setting.scenario.own.running_usd_per_month is None or not WAYS[option.way].owns:
        return option.ledger
    if np.ndim(option.ledger.total_usd) > 0:
        return option.ledger  # of many draws: not known
    return build_ledger(_without_running_total(setting), option_builder(option)) or option.ledger


@cached(4)
def _without_running_total(setting: PlanContext) -> PlanContext:
    own = setting.scenario.own.model_copy(update={"running_usd_per_month": None})
    return replace(setting, scenario=setting.scenario.model_copy(update={"own": own}))


def _notes(setting: PlanContext, ledger: Ledger, grids: Sequence[GridIntensity]) -> tuple[str, ...]:
    notes = [missing_energy_reason(ledger), *(grid.stands_in for grid in grids)]
    if purchased_machines(ledger) or any(True for _ in rented_hours(ledger)):
        notes.append(embodied_estimate_note(setting))
    if any(_KEPT_ACCELERATORS in line.names for line in ledger.lines):
        notes.append(_KEPT_MAKING)
    return tuple(dict.fromkeys(note for note in notes if note))


def _emission_range(kg: list[Num]) -> EmissionRange | None:
    low, typical, high = map(finite_or_none, kg)
    if low is None or typical is None or high is None:
        return None
    return EmissionRange(min(low, typical, high), typical, max(low, typical, high))


def finite_or_none(value: Num) -> float | None:
    """Return one number, the first of several draws; None where it is not known."""
    first = float(np.asarray(value).flat[0])
    return first if np.isfinite(first) else None


@dataclass(frozen=True)
class RentedHours:
    """Accelerator-hours of one line of rent."""

    line: Line
    hours: Num
    is_busy: bool


@dataclass(frozen=True)
class PurchasedMachines:
    """Machines that are bought for the plan."""

    servers: Num
    accelerators: Num  # in whole servers
    cards: Num  # where cards are bought one by one
    years: Num  # of service
    purchase_count: Num  # once, and at each replacement


def rented_hours(ledger: Ledger) -> Iterator[RentedHours]:
    """Yield the hours of rented accelerators within the plan, line by line."""
    for line in ledger.lines:
        if PRICE in line.names and line.part != _AFTER_THE_PLAN:
            yield RentedHours(line, _quantity(line), line.part in _BUSY)


def purchased_machines(ledger: Ledger) -> tuple[PurchasedMachines, ...]:
    """Return the machines that are bought, order by order; none where they never come."""
    inputs_by_order: dict[int, dict[str, Num]] = {}
    refreshes: dict[int, Num] = {}
    for line in ledger.lines:
        values = {used.name: used.value for used in line.used}
        if METER in values and "accelerators_per_server" in values and np.any(np.asarray(values["owns"]) > 0):
            inputs_by_order.setdefault(line.order, {"spare_share": 0.0, **values})
        if _REFRESHES in values:
            refreshes.setdefault(line.order, values[_REFRESHES])
    return tuple(_machines(inputs, refreshes.get(order, 0.0)) for order, inputs in inputs_by_order.items())


def _machines(inputs: Mapping[str, Num], refreshes: Num) -> PurchasedMachines:
    servers = _without_months(formula(SERVERS)(inputs))
    return PurchasedMachines(
        servers=servers,
        accelerators=servers * _without_months(inputs["accelerators_per_server"]),
        cards=_without_months(formula(CARDS)(inputs)),
        years=np.sum(np.asarray(inputs["owns"]), axis=-1) / 12,
        purchase_count=1.0 + np.sum(np.atleast_1d(np.asarray(refreshes)), axis=-1),
    )


def missing_energy_reason(ledger: Ledger) -> str | None:
    """Return why the electricity cannot be known; None where the lines give it."""
    if any(ALL_IN in line.names for line in ledger.lines):
        return "your sum for running it says nothing of electricity"
    if any(line.part == "tokens" and np.any(np.nan_to_num(line.usd, nan=1.0) != 0) for line in ledger.lines):
        return "no published figure for the energy of a hosted model"
    return None


def _quantity(line: Line) -> Num:
    inputs = {used.name: _AT_ONE.get(used.name, used.value) for used in line.used}
    quantity: Num = np.sum(np.atleast_1d(np.asarray(formula(line.how)(inputs))), axis=-1)
    return quantity


def _without_months(value: Num) -> Num:
    """Return one value for each draw, without the axis of months along which it does not change."""
    array = np.asarray(value)
    return array[..., 0] if array.ndim else float(array)
