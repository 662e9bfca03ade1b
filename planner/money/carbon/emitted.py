"""The kilograms of a way: operation and making, at one end of the ranges or with both, and the water of electricity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from planner.money.carbon.counted import Fleet, RentedHours, fleets, metered_kwh, price_of, rented_hours, unsaid
from planner.money.formula import Num
from planner.money.ledger import Case, Ledger, Origin, end
from planner.money.many_ledgers import build_ledger, option_builder
from planner.money.option import Option
from planner.money.owning.machine import Machine, stands_in
from planner.money.owning.place import watts_per_accelerator
from planner.money.renting.orders import placement_limits
from planner.money.setting import PlanContext
from planner.money.ways import WAYS
from planner.scenario.ways import Way
from pricing import Figure
from pricing.caching import cached
from pricing.electricity import WORLD, GridIntensity, grid_intensity_at, mean_grid_intensity
from pricing.orderable import sale

BY_MEMORY, SERVER, WORKSTATION, LIFE = (
    "embodied-kg-per-gb", "embodied-server-without-accelerators", "embodied-workstation", "hardware-service-life"
)  # fmt: skip
IN_SERVER = 8  # accelerators of the server whose making is known
_LONGER_IS_LESS: dict[Case, Case] = {"low": "high", "typical": "typical", "high": "low"}


class EmbodiedCarbon(NamedTuple):
    """Kilograms of CO2 equivalent of one accelerator and of what it stands in; not-a-number where nobody knows."""

    accelerator_kg: float
    beside_kg: float  # its share of a server; of a workstation, the whole one
    by_machine: bool  # whether `beside_kg` is for the machine

    def each_kg(self, accelerators: int) -> float:
        """One accelerator with its share of a machine that holds so many."""
        return self.accelerator_kg + (self.beside_kg / accelerators if self.by_machine else self.beside_kg)


def making(setting: PlanContext, what: Machine, case: Case) -> EmbodiedCarbon:
    """What making one accelerator of the plan emits, at an end of the range."""
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    if what.is_complete:  # a Mac is made whole
        return EmbodiedCarbon(_of(chip.embodied_kg if chip else None, case), 0.0, by_machine=True)
    own = None if chip is None else chip.embodied_kg
    kg = _of(own, case)
    if own is None and chip is not None and chip.memory_gb is not None and chip.kind in ("gpu", "asic"):
        kg = chip.memory_gb.newest.typical * _fact(setting, BY_MEMORY, case)
    if what.holds_cards:
        return EmbodiedCarbon(kg, _fact(setting, WORKSTATION, case), by_machine=True)
    return EmbodiedCarbon(kg, _fact(setting, SERVER, case) / IN_SERVER, by_machine=False)


def guessed(setting: PlanContext) -> str | None:
    """That making the accelerator is taken by its memory, where nobody has reckoned the part itself."""
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    if chip is None or chip.embodied_kg is not None:
        return None
    if chip.whole_machine or chip.kind not in ("gpu", "asic"):
        return f"nobody says what making {chip.label} emits"
    return f"nobody has reckoned what making {chip.label} emits: taken by its memory, with a wider range"


def life_years(setting: PlanContext, case: Case) -> float:
    """How long a machine serves; the longer, the less of its making counts for an hour."""
    return _fact(setting, LIFE, _LONGER_IS_LESS[case])


def _fact(setting: PlanContext, fact: str, case: Case) -> float:
    return _of(setting.catalogue.facts[fact].figure, case)


def _of(figure: Figure | None, case: Case) -> float:
    return float("nan") if figure is None else end(figure.newest, case)


KG_PER_T = 1_000.0
G_PER_KG, _W_PER_KW, _HOURS_PER_YEAR = 1_000.0, 1_000.0, 8_760.0
_CASES: tuple[Case, ...] = ("low", "typical", "high")
_THERE = "kept_accelerators"
_TOLD_FROM = 0.01  # of the electricity: of less, nobody wants to know from what grid it is
_KEPT_MAKING = "what is there was made before the plan: nothing of that is counted"


class Ends(NamedTuple):
    """A quantity with its range."""

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
    drawn: Mapping[GridIntensity, Num] = field(default_factory=dict)  # kWh by grid

    @property
    def minimum_kg(self) -> Num:
        """Both together; where making is not known, at least so much."""
        return np.asarray(self.operation_kg + np.nan_to_num(self.making_kg))[()]

    def at(self, row: int) -> CaseEmissions:
        """Of one draw."""
        operation, making_kg, kwh, water = (
            float(np.atleast_1d(one)[row if np.size(one) > 1 else 0])
            for one in (self.operation_kg, self.making_kg, self.kwh, self.water_l)
        )
        return CaseEmissions(operation, making_kg, kwh, water)


@dataclass(frozen=True)
class OptionEmissions:
    """What a way emits over the plan, in kg of CO2 equivalent; None where nobody knows."""

    operation_kg: Ends | None
    making_kg: Ends | None
    water_l: float | None  # of the part for which a figure is known
    kwh: float | None
    where: str  # of the grid that most of it is drawn from
    notes: tuple[str, ...]

    @property
    def total_kg(self) -> Ends | None:
        """Operation and making together."""
        if self.operation_kg is None or self.making_kg is None:
            return None
        return Ends(*(one + other for one, other in zip(self.operation_kg, self.making_kg, strict=True)))


def emitted(setting: PlanContext, option: Option) -> OptionEmissions:
    """What an option emits, with the range of its figures."""
    ledgers = _case_ledgers(setting, option)
    found = [emission(setting, option.way, ledger, case) for ledger, case in zip(ledgers, _CASES, strict=True)]
    middle = found[1]
    drawn = {grid: float(np.max(kwh)) for grid, kwh in middle.drawn.items()}
    least = _TOLD_FROM * sum(drawn.values())
    grids = sorted((one for one in drawn if drawn[one] >= least), key=lambda one: -drawn[one])
    return OptionEmissions(
        operation_kg=_ends([one.operation_kg for one in found]),
        making_kg=_ends([one.making_kg for one in found]),
        water_l=_number(middle.water_l),
        kwh=_number(middle.kwh),
        where=grids[0].where if grids else "",
        notes=_notes(setting, ledgers[1], grids),
    )


def typical(setting: PlanContext, option: Option) -> CaseEmissions:
    """What an option emits at typical figures, for each draw of its ledger."""
    return emission(setting, option.way, _case_ledgers(setting, option)[1])


def emission(setting: PlanContext, way: Way, ledger: Ledger, case: Case = "typical") -> CaseEmissions:
    """What a ledger emits at one end of the ranges."""
    what = stands_in(setting)
    unknown = there_unknown = 0.0 if unsaid(ledger) is None else np.nan
    drawn: dict[GridIntensity, Num] = {}
    rented, total_kwh = np.zeros(()), np.zeros(())
    for grid, kwh, hours in _power_draws(setting, way, ledger, what, case):
        rented, total_kwh = rented + hours, total_kwh + kwh
        if grid is None:
            there_unknown = np.nan
        else:
            drawn[grid] = drawn.get(grid, 0.0) + kwh
    made: Num = sum((_embodied_kg(setting, what, bought, case) for bought in fleets(ledger)), np.zeros(()))
    if np.any(rented != 0):
        made = made + rented * _rented_embodied_kg_per_hour(setting, what, case)
    water = [kwh * grid.water_l_per_kwh for grid, kwh in drawn.items() if grid.water_l_per_kwh is not None]
    return CaseEmissions(
        operation_kg=sum((kwh * getattr(grid, case) for grid, kwh in drawn.items()), np.zeros(())) / G_PER_KG
        + there_unknown,
        making_kg=made + unknown,
        kwh=total_kwh + unknown,
        water_l=sum(water, np.zeros(())) if water else np.nan,
        drawn=drawn,
    )


def _power_draws(
    setting: PlanContext, way: Way, ledger: Ledger, what: Machine, case: Case
) -> Iterator[tuple[GridIntensity | None, Num, Num]]:
    """Kilowatt-hours by the grid they come from, and of how many hours of rented accelerators."""
    own_kwh = metered_kwh(ledger)
    if np.any(own_kwh != 0):
        yield grid_intensity_at(setting.catalogue, setting.scenario.site), own_kwh, 0.0
    watts = {
        is_busy: watts_per_accelerator(setting.catalogue, what, case, is_busy=is_busy) for is_busy in (True, False)
    }
    pue = _pue(setting, case)
    for each in rented_hours(ledger):
        if np.any(each.hours != 0):
            yield _grid_of(setting, way, each), each.hours * watts[each.is_busy] / _W_PER_KW * pue, each.hours


def _embodied_kg(setting: PlanContext, what: Machine, bought: Fleet, case: Case) -> Num:
    """What is bought counts whole; at the low end only the part of its life that the plan uses."""
    one = making(setting, what, case)
    if what.holds_cards:
        kg = bought.cards * one.accelerator_kg + bought.servers * one.beside_kg
    elif one.by_machine:
        kg = bought.accelerators * one.accelerator_kg
    else:
        kg = bought.accelerators * one.each_kg(what.accelerators)
    used = np.minimum(bought.times, bought.years / life_years(setting, case)) if case == "low" else bought.times
    return np.asarray(kg * used)


def _rented_embodied_kg_per_hour(setting: PlanContext, what: Machine, case: Case) -> float:
    """The share of its life that an hour takes."""
    each = making(setting, what, case).each_kg(what.accelerators)
    return each / (life_years(setting, case) * _HOURS_PER_YEAR)


def _pue(setting: PlanContext, case: Case) -> float:
    """Of rented data centres: what the world's are like."""
    found = setting.catalogue.site_figure(WORLD, "pue")
    return 1.0 if found is None else end(found[1].newest, case)


def _grid_of(setting: PlanContext, way: Way, hours: RentedHours) -> GridIntensity | None:
    """Where rented hours are drawn: in the country of the seller whose price they cost."""
    catalogue, taken = setting.catalogue, setting.offers
    origin = price_of(hours.line).origin
    figure = (origin if isinstance(origin, Origin) else origin(0)).figure
    mine = (taken.on_demand, *taken.booked, taken.spot)
    rented = (key for key in mine if figure is not None and key and _is(setting, key, figure))
    key = next(rented, None) or WAYS[way].offer(taken) or taken.on_demand
    if key is None or key not in catalogue.offers:
        return mean_grid_intensity(catalogue, placement_limits(catalogue, setting.scenario).countries, "anywhere")
    shares = taken.shares if key == taken.on_demand else ()
    grids = [_of_offer(setting, share.offer) for share in shares] or [_of_offer(setting, key)]
    return _blended(grids, [share.accelerators for share in shares] or [1])


def _is(setting: PlanContext, key: str, figure: object) -> bool:
    offer = setting.catalogue.offers.get(key)
    return offer is not None and offer.usd_per_accelerator_hour is figure


def _of_offer(setting: PlanContext, key: str) -> GridIntensity | None:
    sold = sale(setting.catalogue, key)
    countries = (
        frozenset().union(*sold.places)
        if sold.places
        else placement_limits(setting.catalogue, setting.scenario).countries
    )
    return mean_grid_intensity(setting.catalogue, countries, sold.area)


def _blended(grids: list[GridIntensity | None], weights: list[int]) -> GridIntensity | None:
    known = [one for one in grids if one is not None]
    if len(known) < len(grids) or len(set(known)) == 1:
        return known[0] if len(known) == len(grids) else None
    low, typical, high = (float(np.average([one[at] for one in known], weights=weights)) for at in range(3))
    return GridIntensity(
        low, typical, high, "several countries", next((one.stands_in for one in known if one.stands_in), None)
    )


def _case_ledgers(setting: PlanContext, option: Option) -> tuple[Ledger, Ledger, Ledger]:
    """The ledgers of an option by case, with electricity as a line of its own where your sum for running hides it."""
    own, ledgers = setting.scenario.own, (option.low, option.ledger, option.high)
    if own.running_usd_per_month is None or not WAYS[option.way].owns:
        return ledgers
    if np.ndim(option.ledger.total_usd) > 0:
        return ledgers  # of many draws: not known
    bare = _without_running_total(setting)
    found = [build_ledger(bare.at_case(case), option_builder(option)) for case in _CASES]
    low, middle, high = (one or other for one, other in zip(found, ledgers, strict=True))
    return low, middle, high


@cached(4)
def _without_running_total(setting: PlanContext) -> PlanContext:
    own = setting.scenario.own.model_copy(update={"running_usd_per_month": None})
    return replace(setting, scenario=setting.scenario.model_copy(update={"own": own}))


def _notes(setting: PlanContext, ledger: Ledger, grids: Sequence[GridIntensity]) -> tuple[str, ...]:
    said = [unsaid(ledger), *(one.stands_in for one in grids)]
    said += [guessed(setting)] if fleets(ledger) or any(True for _ in rented_hours(ledger)) else []
    said += [_KEPT_MAKING] if any(one.name == _THERE for line in ledger.lines for one in line.used) else []
    return tuple(dict.fromkeys(one for one in said if one))


def _ends(kg: list[Num]) -> Ends | None:
    low, typical, high = (_number(one) for one in kg)
    if low is None or typical is None or high is None:
        return None
    return Ends(min(low, typical, high), typical, max(low, typical, high))


def _number(value: Num) -> float | None:
    first = float(np.asarray(value).flat[0])
    return first if np.isfinite(first) else None
