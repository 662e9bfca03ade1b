"""What is there already, where it is called by the name of an accelerator: it costs its electricity and its upkeep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from planner.money.owning.inputs import say_power_price
from planner.money.setting import Setting
from planner.scenario.base import HOURS_PER_MONTH
from planner.scenario.own import Kept
from planner.speed.training.result import Range
from planner.study.market.hours_needed import Doing, Task, doings
from planner.study.market.lost import Lost
from planner.study.market.tried import Try
from pricing import Catalogue, PricingError, names

W_PER_KW = 1_000.0


def kept_tries(catalogue: Catalogue, task: Task, accelerators: Sequence[str], day: date) -> Iterable[Try]:
    """The work on what is kept. What that would fetch if it were sold is left to the plan."""
    kept = task.scenario.kept
    key = None if kept is None else _named(catalogue, kept)
    if kept is None or key is None or (accelerators and key not in accelerators):
        return
    for one in doings(catalogue, task, (key,), (kept.accelerators,), lambda _: None):
        why = one.why_not
        if not why and one.at_once > kept.accelerators:
            why = Lost("too_few", f"it takes {one.at_once:,} at once")
        usd = None if why else _usd(catalogue, task, kept, one, day)
        yield Try(
            key, kept.accelerators, "keep", None, None, one.days, usd, one.rate, one.layout, why, on_front=False,
            label=catalogue.accelerator_label(key), at_once=one.at_once, tpot_p99_ms=one.tpot_p99_ms,
        )  # fmt: skip


def _named(catalogue: Catalogue, kept: Kept) -> str | None:
    """The accelerator that its label names, if it names one."""
    try:
        return names.accelerator(catalogue, kept.label)
    except PricingError:
        return None


def _usd(catalogue: Catalogue, task: Task, kept: Kept, one: Doing, day: date) -> Range:
    """Electricity of the busy hours, of the idle ones beside them, and upkeep for as long as the work lasts."""
    setting = Setting(catalogue, task.scenario, day)
    put = setting.basis()
    say_power_price(put, setting)
    usd_per_kwh = float(put.used["usd_per_kwh"].value) * float(put.used["pue"].value)

    def at(hours: float) -> float:
        months = 1.0 if task.monthly else hours / kept.accelerators / HOURS_PER_MONTH
        idle = max(kept.accelerators * months * HOURS_PER_MONTH - hours, 0.0)
        kwh = (hours * kept.power_w_each + idle * kept.idle_power_w_each) / W_PER_KW
        return kwh * usd_per_kwh + months * kept.running_usd_per_month

    return Range(at(one.hours.low), at(one.hours.typical), at(one.hours.high))
