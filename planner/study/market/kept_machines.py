"""The work of a market study on machines that one has: electricity and upkeep."""

from collections.abc import Iterable, Sequence
from datetime import date

from planner.money.owning.inputs import add_power_price, add_staff_and_space
from planner.money.owning.place import existing_accelerator, existing_power, place_of
from planner.money.owning.resale import existing_hardware
from planner.money.setting import PlanContext
from planner.scenario.base import HOURS_PER_MONTH, MONTHS_PER_YEAR
from planner.scenario.own import ExistingHardware
from planner.speed.training.result import Interval
from planner.study.market.candidate import MarketCandidate, Rejection
from planner.study.market.hours_needed import Task, WorkEstimate, work_estimates
from pricing import Catalogue

W_PER_KW = 1_000.0


def existing_candidates(
    catalogue: Catalogue, task: Task, accelerators: Sequence[str], day: date
) -> Iterable[MarketCandidate]:
    """Return the work on machines that are kept. What these would sell for is left to the plan."""
    kept = existing_hardware(PlanContext(catalogue, task.scenario, day))
    key = None if kept is None else existing_accelerator(catalogue, kept)
    if kept is None or key is None or (accelerators and key not in accelerators):
        return
    for estimate in work_estimates(catalogue, task, (key,), (kept.accelerators,), lambda _: None):
        rejection = estimate.why_not
        if not rejection and estimate.at_once > kept.accelerators:
            rejection = Rejection("too_few", f"it takes {estimate.at_once:,} at once")
        usd = None if rejection else _existing_usd(PlanContext(catalogue, task.scenario, day), task, kept, estimate)
        yield MarketCandidate(
            key, kept.accelerators, "keep", None, None, estimate.days, usd, estimate.rate, estimate.layout, rejection,
            on_front=False, label=catalogue.accelerator_label(key), at_once=estimate.at_once,
            tpot_p99_ms=estimate.tpot_p99_ms,
        )  # fmt: skip


def _existing_usd(context: PlanContext, task: Task, kept: ExistingHardware, estimate: WorkEstimate) -> Interval:
    """Return the cost of the work on kept machines: power of busy and idle hours, and upkeep while the work lasts."""
    inputs = context.input_sheet()
    add_power_price(inputs, context)
    add_staff_and_space(inputs, context)
    used = {name: float(value.value) for name, value in inputs.used.items()}
    power = existing_power(context, kept)
    busy_w, idle_w, kw = (0.0, 0.0, 0.0) if power is None else (power.busy_w, power.idle_w, power.peak_kw)
    busy_w = busy_w if kept.power_w_each is None else kept.power_w_each
    idle_w = min(idle_w, busy_w) if kept.idle_power_w_each is None else kept.idle_power_w_each
    upkeep = kept.running_usd_per_month
    if upkeep is None:
        people = max(kept.accelerators * used["fte_per_accelerator"], used["least_fte"])
        staff = people * used["usd_per_fte_year"] / MONTHS_PER_YEAR
        upkeep = staff + (0.0 if place_of(context).builds_room else kw * used["usd_per_kw_month"])

    def usd(hours: float) -> float:
        months = 1.0 if task.monthly else hours / kept.accelerators / HOURS_PER_MONTH
        idle = max(kept.accelerators * months * HOURS_PER_MONTH - hours, 0.0)
        kwh = (hours * busy_w + idle * idle_w) / W_PER_KW
        return kwh * used["usd_per_kwh"] * used["pue"] + months * upkeep

    return Interval(usd(estimate.hours.low), usd(estimate.hours.typical), usd(estimate.hours.high))
