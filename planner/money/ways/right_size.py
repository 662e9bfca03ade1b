"""The right size: what to buy where the work may wait, and what a few sizes cost, wait and pay back."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from planner.money.finance import SolveResult
from planner.money.ledger import Ledger
from planner.money.measures import Payback, simple_payback
from planner.money.setting import PlanContext
from planner.money.sizing import busy_share, right_size, server_size, wait_in_services
from planner.money.ways import on_demand
from planner.money.ways.ledger_of_way import Builder, OptionLedger, Unavailable
from planner.money.ways.own import fleet

_STEPS = 4  # sizes shown from the right one on


def right_size_builder(accelerators: int) -> Builder:
    """The builder of a way that buys that many, with a title that says it is the right size."""
    return partial(_named, accelerators=accelerators)


def _named(setting: PlanContext, accelerators: int) -> OptionLedger | Unavailable:
    built = fleet(setting, accelerators)
    return built if isinstance(built, Unavailable) else replace(built, title=f"Buy {accelerators:,}, the right size")


@dataclass(frozen=True, eq=False)
class FleetSizeResult:
    """One size of fleet: what it costs, how long jobs wait for it and when it pays back."""

    accelerators: int
    busy_share: float  # in the busiest month; above 1 where the work does not fit
    wait_hours: SolveResult  # mean, of a job as long as a session
    day_one_usd: float
    payback: Payback  # simple, against on demand, resale left out; running costs as they are
    payback_scaled: Payback  # your one sum of running costs taken as that of the fleet asked for, and scaled with size


def sizes(setting: PlanContext) -> tuple[FleetSizeResult, ...]:
    """The right size, some larger ones and what was asked for; none where no work may wait or nothing has a price."""
    best = right_size(setting)
    rent = None if best is None else on_demand.build(setting)
    if best is None or rent is None or isinstance(rent, Unavailable):
        return ()
    own = setting.scenario.own
    asked = own.accelerators or setting.demand.all.peak_accelerators
    server = server_size(setting)
    step = -(-best // (_STEPS * server)) * server  # about a quarter of it, in whole servers
    wanted = sorted({*(size for size in range(best, best + _STEPS * step, step) if size < asked), best, asked})
    found = (_size(setting, Ledger(rent.title, rent.lines), size, asked) for size in wanted)
    return tuple(one for one in found if one is not None)


def _size(setting: PlanContext, rent: Ledger, accelerators: int, asked: int) -> FleetSizeResult | None:
    ledger = _without_resale(setting, accelerators)
    if ledger is None:
        return None
    own = setting.scenario.own
    scaled = ledger
    if own.running_usd_per_month is not None:
        running = own.running_usd_per_month * accelerators / asked
        smaller = setting.scenario.model_copy(update={"own": own.model_copy(update={"running_usd_per_month": running})})
        scaled = _without_resale(replace(setting, scenario=smaller), accelerators) or ledger
    wait = wait_in_services(setting, accelerators)
    return FleetSizeResult(
        accelerators=accelerators,
        busy_share=busy_share(setting, accelerators),
        wait_hours=SolveResult(wait.value * setting.scenario.rent.hours_per_session, wait.reason),
        day_one_usd=float(np.atleast_2d(ledger.monthly_usd)[0, 0]),
        payback=simple_payback(usd=rent.monthly_usd - ledger.monthly_usd),
        payback_scaled=simple_payback(usd=rent.monthly_usd - scaled.monthly_usd),
    )


def _without_resale(setting: PlanContext, accelerators: int) -> Ledger | None:
    built = fleet(setting, accelerators)
    if isinstance(built, Unavailable):
        return None
    return Ledger(built.title, tuple(line for line in built.lines if line.part != "resale"))
