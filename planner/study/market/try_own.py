"""What owning costs every try of a market study.

A fleet bought for the work is charged to the work whole: from the order to the sale, over the years of the plan. What
is there already, where it is called by the name of an accelerator, costs its electricity and its upkeep.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from planner.money.owning.inputs import say_people_and_space, say_power_price
from planner.money.owning.kept import kept_accelerator, kept_power
from planner.money.owning.place import place_of
from planner.money.setting import Setting
from planner.scenario.base import DAYS_PER_MONTH, HOURS_PER_DAY, HOURS_PER_MONTH, MONTHS_PER_YEAR
from planner.scenario.own import Kept
from planner.scenario.scenario import Scenario
from planner.speed.training.result import Range
from planner.study.market.fleets import CASES, Fleet, fleets_of
from planner.study.market.hours_needed import Doing, Task, doings
from planner.study.market.lost import Lost
from planner.study.market.tried import Try
from pricing import Catalogue

W_PER_KW = 1_000.0


@dataclass(frozen=True)
class Bought:
    """What owning costs one try."""

    doing: int  # the place of the try
    usd: Range  # of the run, in today's money over the plan; or of a month while it is owned
    wait_days: float  # until the machines come
    what: str
    too_long: bool  # the run does not end while the machines are owned
    age_days: int | None  # of the price; none where it is yours


def bought(
    catalogue: Catalogue, scenario: Scenario, tries: Sequence[Doing], *, monthly: bool, day: date
) -> tuple[Bought, ...]:
    """Buying for every try whose accelerator has a price."""
    numbers: dict[str, set[int]] = {}
    for one in tries:
        numbers.setdefault(one.accelerator, set()).add(one.at_once)
    fleets = fleets_of(catalogue, scenario, numbers, day)
    found = (
        _bought(fleet, one, place, None if monthly else scenario.months)
        for place, one in enumerate(tries)
        if (fleet := fleets[one.accelerator].get(one.at_once)) is not None
    )
    return tuple(one for one in found if math.isfinite(one.usd.typical))


def _bought(fleet: Fleet, one: Doing, place: int, months: float | None) -> Bought:
    """What a fleet costs one try: a run within so many months, or (None) each month of work that goes on."""
    busy = one.hours.typical / (one.at_once * HOURS_PER_MONTH) / (months or 1.0)
    usd = fleet.idle_usd + fleet.busy_usd * min(busy, 1.0)
    if months is None:
        usd = np.divide(usd, fleet.months, out=np.full(len(CASES), np.nan), where=fleet.months > 0)
    low, typical, high = map(float, usd)
    run_months = one.hours.typical / one.at_once / HOURS_PER_DAY / DAYS_PER_MONTH
    too_long = months is not None and run_months > months - fleet.wait_months + 1e-9
    ends = Range(min(low, typical), typical, max(high, typical))
    return Bought(place, ends, fleet.wait_months * DAYS_PER_MONTH, fleet.what, too_long, fleet.age_days)


def kept_tries(catalogue: Catalogue, task: Task, accelerators: Sequence[str], day: date) -> Iterable[Try]:
    """The work on machines that are kept. What these would fetch if they were sold is left to the plan."""
    kept = task.scenario.kept
    key = None if kept is None else kept_accelerator(catalogue, kept)
    if kept is None or key is None or (accelerators and key not in accelerators):
        return
    for one in doings(catalogue, task, (key,), (kept.accelerators,), lambda _: None):
        why = one.why_not
        if not why and one.at_once > kept.accelerators:
            why = Lost("too_few", f"it takes {one.at_once:,} at once")
        usd = None if why else _kept_usd(catalogue, task, kept, one, day)
        yield Try(
            key, kept.accelerators, "keep", None, None, one.days, usd, one.rate, one.layout, why, on_front=False,
            label=catalogue.accelerator_label(key), at_once=one.at_once, tpot_p99_ms=one.tpot_p99_ms,
        )  # fmt: skip


def _kept_usd(catalogue: Catalogue, task: Task, kept: Kept, one: Doing, day: date) -> Range:
    """What the work costs on kept machines: power of busy and idle hours, and upkeep as long as the work lasts."""
    setting = Setting(catalogue, task.scenario, day)
    put = setting.basis()
    say_power_price(put, setting)
    say_people_and_space(put, setting)
    used = {name: float(one.value) for name, one in put.used.items()}
    power = kept_power(setting, kept)
    busy_w, idle_w, kw = (0.0, 0.0, 0.0) if power is None else (power.busy_w, power.idle_w, power.peak_kw)
    busy_w = busy_w if kept.power_w_each is None else kept.power_w_each
    idle_w = min(idle_w, busy_w) if kept.idle_power_w_each is None else kept.idle_power_w_each
    upkeep = kept.running_usd_per_month
    if upkeep is None:
        people = kept.accelerators * used["fte_per_accelerator"] * used["usd_per_fte_year"] / MONTHS_PER_YEAR
        upkeep = people + (0.0 if place_of(setting).builds_room else kw * used["usd_per_kw_month"])

    def at(hours: float) -> float:
        months = 1.0 if task.monthly else hours / kept.accelerators / HOURS_PER_MONTH
        idle = max(kept.accelerators * months * HOURS_PER_MONTH - hours, 0.0)
        kwh = (hours * busy_w + idle * idle_w) / W_PER_KW
        return kwh * used["usd_per_kwh"] * used["pue"] + months * upkeep

    return Range(at(one.hours.low), at(one.hours.typical), at(one.hours.high))
