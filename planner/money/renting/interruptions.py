"""Interruptions of spot machines: how often a job is stopped, what that costs it, and how much longer it takes."""

from collections.abc import Sequence

import numpy as np

from planner.money.demand.queueing import best_checkpoint_interval_hours, preemption_stretch
from planner.money.demand.stream import Demand, job_size
from planner.money.finance import SolveResult
from planner.money.formula import Num
from planner.money.ledger import COMPUTED, YOUR_INPUT, InputSheet, Line
from planner.money.price_path import column
from planner.money.renting.bill import BILLED, BUSY
from planner.money.setting import PlanContext
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.work import Work
from pricing import Catalogue

OF_MACHINE = "interruptions_per_machine_hour"
FACTS = {
    OF_MACHINE: "spot-interruptions-per-hour",
    "checkpoint_hours": "spot-checkpoint-hours",
    "restart_hours": "spot-restart-hours",
}
OF_JOB = "interruptions_per_hour"
OF_MACHINES = f"{OF_MACHINE} * ceil(accelerators_per_job / accelerators_per_machine)"
LEAST_LEFT = 0.01  # draws that lose more than 99 of 100 hours are computed as losing 99
_CALM_HOURS = HOURS_PER_YEAR  # at least a checkpoint a year, also where nothing interrupts
_CALM_RATE = 1e-6  # once in a century is never


def interruptible_work(setting: PlanContext) -> tuple[Work, ...]:
    """The work that may be interrupted."""
    return tuple(work for work in setting.scenario.work if work.may_stop)


def demand_of(setting: PlanContext, works: tuple[Work, ...]) -> Demand:
    """The demand of some of the work."""
    if works == setting.scenario.work:
        return setting.demand
    return setting.demand_of(setting.scenario.model_copy(update={"work": works}))


def add_interruptions(sheet: InputSheet, setting: PlanContext, chips: Sequence[str] = ()) -> str:
    """Say how often a job is interrupted and what that costs it; the rate as a formula. `chips`: one for each offer.

    A job on several machines stops when one of them is taken, so the rate of one machine is not the job's.
    """
    spot = setting.scenario.spot
    largest = max(map(job_size, interruptible_work(setting)), default=1)
    sheet.add("accelerators_per_job", float(largest), "accelerators", YOUR_INPUT)
    sheet.fact(OF_MACHINE, _interruptions_fact(setting.catalogue, setting.scenario.accelerator))
    if chips:
        facts = [setting.catalogue.facts[_interruptions_fact(setting.catalogue, chip)] for chip in chips]
        rates = [fact.figure.newest.typical for fact in facts]
        sheet.add(OF_MACHINE, column(rates), "count/hour", COMPUTED)
    for name in ("checkpoint_hours", "restart_hours"):
        sheet.fact(name, FACTS[name], getattr(spot, name))
    of_job = spot.interruptions_per_hour is not None or OF_JOB in setting.tried
    if of_job:
        sheet.add(OF_JOB, spot.interruptions_per_hour or 0.0, "1/hour", YOUR_INPUT)
    if spot.checkpoint_every_hours is None:
        sheet.add("checkpoint_every_hours", _best_interval(sheet), "hours", COMPUTED)
    else:
        sheet.add("checkpoint_every_hours", spot.checkpoint_every_hours, "hours", YOUR_INPUT)
    return OF_JOB if of_job else OF_MACHINES


def _interruptions_fact(catalogue: Catalogue, accelerator: str) -> str:
    """Return the fact that says how often a machine is taken: of this accelerator where it is known, else of any."""
    own = f"spot-interruptions-{accelerator.lower()}"
    return own if own in catalogue.facts else FACTS[OF_MACHINE]


def rate_per_hour(sheet: InputSheet) -> Num:
    """Return how often a job is interrupted. [1/hour]"""
    if OF_JOB in sheet.used:
        return sheet.used[OF_JOB].value
    each, job, machine = (
        sheet.used[name].value for name in (OF_MACHINE, "accelerators_per_job", "accelerators_per_machine")
    )
    rate: Num = each * np.ceil(job / machine)
    return rate


def stretch(sheet: InputSheet) -> SolveResult:
    """Return how many times longer the work takes, or why it never ends. [1]"""
    every, cost, restart = (
        sheet.used[name].value for name in ("checkpoint_every_hours", "checkpoint_hours", "restart_hours")
    )
    return preemption_stretch(
        checkpoint_interval_hours=every,
        checkpoint_cost_hours=cost,
        restart_hours=restart,
        interruptions_per_hour=rate_per_hour(sheet),
    )


def interruption_lines(sheet: InputSheet, price: str, rate: str, longer: Num) -> tuple[Line, ...]:
    """Return what the longer run costs: checkpoints written, and work done again."""
    hours = f"{BILLED} * {BUSY}"
    written = "checkpoint_hours / checkpoint_every_hours"
    left = f"max(1 - {rate} * (checkpoint_every_hours / 2 + restart_hours), {LEAST_LEFT})"
    note = f"the work takes {float(longer):.3f} times as long" if np.ndim(longer) == 0 else None
    return (
        sheet.line("Writing checkpoints", "interruptions", f"{hours} * {written} * runs * {price}", note),
        sheet.line(
            "Work done again after interruptions",
            "interruptions",
            f"{hours} * (1 + {written}) * (1 / {left} - 1) * runs * {price}",
            note,
        ),
    )


def _best_interval(sheet: InputSheet) -> Num:
    """The interval that wastes least; that of the checkpoint itself where no interval lets the work end."""
    cost, restart = (sheet.used[name].value for name in ("checkpoint_hours", "restart_hours"))
    rate = np.asarray(rate_per_hour(sheet))
    rate = np.where(rate > _CALM_RATE, rate, 0.0)
    best = best_checkpoint_interval_hours(
        checkpoint_cost_hours=cost, restart_hours=restart, interruptions_per_hour=rate
    )
    return np.minimum(np.where(best.is_found, best.value, np.where(rate > 0, cost, _CALM_HOURS)), _CALM_HOURS)[()]
