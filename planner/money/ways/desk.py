"""Desk: one machine that is bought for a desk, a Mac, a small box or a card in a workstation, where it is enough.

It stands beside the chip that the plan names. Its inputs have names of their own, since they are of another machine.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from planner.money.inflation import deflate_lines
from planner.money.ledger import InputSheet, Line, Origin, judged
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.owning.machine import machine
from planner.money.owning.machine_price import PROCESS
from planner.money.owning.place import watts_per_accelerator
from planner.money.setting import PlanContext
from planner.scenario.own import OwnInputs
from planner.scenario.scenario import ANY_ACCELERATOR
from planner.speed.serving.cpu_sized import cpu_feasibility
from planner.speed.work_to_hours import serving_job
from pricing.caching import cached
from pricing.electricity import electricity
from pricing.market.band import Z80
from pricing.market.hardware import used_share
from pricing.records import Accelerator

_AT_DESK = ("desktop", "consumer")  # hardware classes
_MOST_TRIED, _MOST_REQUESTS_PER_S = 8, 1.0  # chips; a service of more stands in no room: assumed
_GB_PER_BILLION = 0.6  # of weights in 4 bits, with what goes beside them
_ONLY_SMALL = "a machine for a desk is for a plan that serves one model to a few and does nothing else"


class _DeskMachine(NamedTuple):
    """What is bought, its price, its draw at work, its speed, and what is left of the price: high, typical, low."""

    label: str
    usd: float
    busy_w: float
    gb_per_s: float  # of memory
    left: tuple[float, float, float]


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build a service on the cheapest machine for a desk that carries its peak at the low end of what was measured."""
    desk = _desk_machine(setting.base_context or setting)
    if isinstance(desk, Unavailable):
        return desk
    return OptionLedger(
        title=f"Buy {desk.label} for a desk",
        what=desk.label,
        lines=_bought(setting.work_sheet(), setting, desk),
        useful_hours=setting.demand.all.busy_hours,
        accelerators=1.0,
        warnings=(f"{desk.label} carries the peak by what was measured on machines of its kind: try it first",),
        is_beside=setting.written.accelerator != ANY_ACCELERATOR,
    )


def _bought(sheet: InputSheet, setting: PlanContext, desk: _DeskMachine) -> tuple[Line, ...]:
    origin = Origin(desk.label, "derived", note="its newest price and draw in the catalogue")
    price = electricity(setting.catalogue, setting.scenario.site, "household")
    high, left, low = desk.left
    sheet.add("desk_usd", desk.usd, "USD", origin)
    sheet.add(
        "desk_left_share", left, "share of the price", replace(PROCESS, note="a used one of that age"), (high, low)
    )
    sheet.add("desk_kw", desk.busy_w / 1_000, "kW", origin)
    sheet.add("desk_usd_per_kwh", 0.0 if price is None else price.figure.newest.typical, "USD/kWh",
              judged("the price of a household at the site"))  # fmt: skip
    power = sheet.line(
        "Electricity, as if always at work", "power", "desk_kw * hours_per_month * desk_usd_per_kwh * runs"
    )
    resale = sheet.line("Resale", "resale", "-1 * desk_usd * desk_left_share * ends", treatment="sale")
    bought = sheet.line("Machine", "hardware", "desk_usd * starts", treatment="capital")
    return bought, *deflate_lines(setting, (power, resale))


@cached(16)
def _desk_machine(setting: PlanContext) -> _DeskMachine | Unavailable:
    """Return the cheapest machine for a desk that carries the one small service of a plan."""
    works, chip = setting.written.work, setting.catalogue.accelerators.get(setting.scenario.accelerator)
    service = works[0].serve if len(works) == 1 else None
    if (
        service is None
        or chip is None
        or chip.kind == "cpu"
        or chip.hardware_class in _AT_DESK
        or works[0].growth_per_year > 0
    ):
        return Unavailable(_ONLY_SMALL)
    if max(service.requests_per_s, service.peak_requests_per_s or 0.0) > _MOST_REQUESTS_PER_S:
        return Unavailable(_ONLY_SMALL)
    model = setting.catalogue.models.get(service.model)
    least_gb = 0.0 if model is None else model.params_b * _GB_PER_BILLION
    several = [each for key, record in setting.catalogue.accelerators.items()
               if _is_at_desk(record, least_gb) and (each := _priced(setting, key, record)) is not None]  # fmt: skip
    fastest = dict(sorted(several, key=lambda each: -each[1].gb_per_s)[:_MOST_TRIED])
    job = serving_job(setting.scenario, service)
    checked = cpu_feasibility(setting.catalogue, job, tuple(fastest)).machines if fastest else ()
    enough = [fastest[each.accelerator] for each in checked if each.yours and each.verdict == "enough"]
    none = Unavailable("no machine for a desk that is sold carries the peak in time")
    return min(enough, key=lambda each: each.usd, default=none)


def _is_at_desk(chip: Accelerator, least_gb: float) -> bool:
    fits = chip.memory_gb is not None and chip.memory_gb.newest.typical >= least_gb
    is_desk = chip.whole_machine or chip.hardware_class == "consumer"
    return fits and is_desk and chip.hardware_class in _AT_DESK and chip.software_ended is None and not chip.rent_only


def _priced(setting: PlanContext, key: str, chip: Accelerator) -> tuple[str, _DeskMachine] | None:
    """Return a machine with one such chip, ready to run; None where its price or its draw is not known."""
    own = OwnInputs(accelerators=1, accelerators_per_server=1)
    what = machine(replace(setting, scenario=setting.scenario.model_copy(update={"accelerator": key, "own": own})))
    if what is None or what.price is None:
        return None
    host = what.host.price_usd if what.host is not None and what.holds_cards else None
    if what.holds_cards and host is None:
        return None
    usd = what.price.newest.typical + (0.0 if host is None else host.newest.typical)
    busy, speed = watts_per_accelerator(setting.catalogue, what, "typical", is_busy=True), chip.memory_bandwidth_gb_s
    years = setting.scenario.years
    high, typical, low = (float(used_share(years, chip.hardware_class, z)) for z in (Z80, 0.0, -Z80))
    fast = 0.0 if speed is None else speed.newest.typical
    desk = _DeskMachine(what.what, usd, busy, fast, (high, typical, low))
    return (key, desk) if np.isfinite(busy) else None


WAY = OptionSpec(
    key="desk",
    place=17,
    side="own",
    build=build,
    name="A machine for a desk",
    verdict_text="Buy one machine for a desk",
    gerund="a machine for a desk",
    start="buying a machine for a desk",
    result_text="with {what} at a desk",
    purchase_text="at a desk",
    style=ChartStyle("#1e3a8a", "#a5b4fc", "dashdot", "diamond-tall"),
    inputs="own",
    filled_by_service=True,
)
