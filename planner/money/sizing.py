"""The size of a fleet for work that may wait, its achievable utilization, and the wait of a job.

Work that comes at random cannot keep a fleet busy all the time without a queue that grows. The wait that people accept
is a figure of the catalogue. A slot is a job's worth of accelerators. All at typical figures: a fleet is decided once.
"""

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.queueing import achievable_busy_share, mean_wait_in_services
from planner.money.demand.stream import Demand
from planner.money.demand.stream import demand as demand_of
from planner.money.finance import SolveResult
from planner.money.formula import Num
from planner.money.owning import machine
from planner.money.setting import PlanContext
from pricing.caching import cached

WAIT = "achievable-wait-in-services"
SERVICE_CV = 1.0  # lengths of jobs as random as their arrivals
_MOST_FLEET = 2**20
NEARLY = 1e-9


def deferrable_capacity_share(setting: PlanContext, fleet: Num) -> Num:
    """The share of its hours that a fleet can give to work that may wait: all, if a job fits on it, else none. [1]

    How long jobs then wait is reported (`utilization_within_wait`, `wait_in_services`), not limited.
    """
    demand = setting.demand
    if not np.any(demand.waiting_hours > 0):
        return 1.0
    return np.where(np.asarray(fleet) < demand.job_accelerators, 0.0, 1.0)[()]


def utilization_within_wait(setting: PlanContext, fleet: int) -> float:
    """Return the achievable utilization within the accepted wait; 1 where nothing queues. [1]"""
    demand = setting.demand
    if not np.any(demand.waiting_hours > 0):
        return 1.0
    return _utilization_within_wait(fleet // demand.job_accelerators, accepted_wait_in_services(setting))


@cached(16)
def wait_warning(setting: PlanContext, fleet: int) -> str | None:
    """Return a warning where a fleet does all the work but keeps jobs waiting longer than is accepted."""
    busy, wait = peak_utilization(setting, fleet), wait_in_services(setting, fleet)
    if busy <= utilization_within_wait(setting, fleet) or fleet < setting.demand.job_accelerators:
        return None
    if not np.asarray(wait.is_found).all():
        return f"{fleet:,} would be busy all the time and the queue only grows: part of the work is rented"
    return (
        f"at {busy:.0%} busy a job that comes at random waits {float(wait.value):.1f} times as long as it runs; work "
        "that is planned ahead need not"
    )


def accepted_wait_in_services(setting: PlanContext) -> float:
    """Return how long a job may wait, in lengths of a job. [1]"""
    return setting.catalogue.facts[WAIT].figure.newest.typical


@cached(16)
def right_size(setting: PlanContext) -> int | None:
    """The smallest fleet, in whole servers, that does all the work within the accepted wait. [count]

    None where no work may wait: the peak is then needed. Never more than the peak.
    """
    demand = setting.usual_demand
    return _fewest(setting, demand) if np.any(demand.waiting_hours > 0) else None


def min_fleet_until(setting: PlanContext, month: int) -> int:
    """The fewest that do all the work up to a month: what is wanted at once, and what may wait within its wait."""
    demand = setting.usual_demand
    if np.any(demand.waiting_hours > 0):
        return _fewest(setting, demand, month)
    return int(np.ceil(np.max(_upto(demand.peak, month)) - NEARLY))


def _upto(by_month: NDArray[np.float64], month: int) -> NDArray[np.float64]:
    """The months of the plan up to one; one value where all are alike."""
    return by_month if by_month.shape[-1] == 1 else by_month[..., 1 : month + 1]


def deferrable_fleet_size(setting: PlanContext) -> int | None:
    """The right size if all the work could wait; None where that is no fewer than now. [count]"""
    scenario = setting.scenario
    spread = tuple(work.model_copy(update={"may_wait": True}) for work in scenario.work)
    if spread == scenario.work:
        return None
    demand = demand_of(scenario.model_copy(update={"work": spread}), starts_in=setting.day.month)
    fewest = _fewest(setting, demand)
    now = right_size(setting) or setting.usual_demand.all.peak_accelerators
    return fewest if fewest < now else None


def deferral_advice(setting: PlanContext) -> str | None:
    """Return advice where the work may not wait and fewer machines would do if it could."""
    fewest = deferrable_fleet_size(setting)
    if fewest is None:
        return None
    peak = setting.usual_demand.all.peak_accelerators
    return f"If the work could be spread over the month, {fewest:,} would do it instead of {peak:,}"


def server_size(setting: PlanContext) -> int:
    """Return the accelerators of one machine, which are bought together. [count]"""
    server = machine(setting)
    return 1 if server is None else server.accelerators


def peak_utilization(setting: PlanContext, fleet: int) -> float:
    """Return the utilization with all the work, in the busiest month; above 1 where it does not fit. [1]"""
    return _busiest_month_mean(setting, setting.usual_demand) / fleet


def completed_share(setting: PlanContext, fleet: float) -> float:
    """The share of all useful hours that a fleet does. [1]"""
    demand = setting.usual_demand
    done = np.sum(demand.done(fleet, deferrable_capacity_share(setting, fleet)) * setting.timeline.runs)
    return float(done) / max(_total_hours(setting), 1e-12)


def average_utilization(setting: PlanContext, fleet: float) -> float:
    """Return the utilization over the plan, with the part of the work that the fleet takes. [1]"""
    capacity = float(setting.timeline.runs.sum()) * setting.demand.plain.hours_per_month
    return completed_share(setting, fleet) * _total_hours(setting) / (fleet * capacity)


def _total_hours(setting: PlanContext) -> float:
    return float(np.sum(setting.usual_demand.all_hours * setting.timeline.runs))


def wait_hours(setting: PlanContext, fleet: float) -> SolveResult:
    """Return the mean wait of a deferrable job on such a fleet, over the plan. [hour]"""
    wait = mean_wait_in_services(
        slots=float(max(fleet // setting.demand.job_accelerators, 1)),
        busy_share=min(average_utilization(setting, fleet), 1.0),
        service_cv=SERVICE_CV,
    )
    return SolveResult(wait.value * setting.scenario.rent.hours_per_session, wait.reason)


def wait_in_services(setting: PlanContext, fleet: int) -> SolveResult:
    """Return the mean wait of a job on such a fleet, in lengths of a job, in the busiest month. [1]"""
    demand = setting.usual_demand
    return mean_wait_in_services(
        slots=float(max(fleet // demand.job_accelerators, 1)),
        busy_share=_busiest_month_mean(setting, demand) / fleet,
        service_cv=SERVICE_CV,
    )


def _busiest_month_mean(setting: PlanContext, demand: Demand, until: int | None = None) -> float:
    """The mean number of busy accelerators in the busiest month, perhaps of those up to one."""
    months = np.broadcast_to(demand.all_hours, setting.timeline.runs.shape)
    runs = setting.timeline.runs > 0
    return float(months[: until and until + 1][runs[: until and until + 1]].max()) / demand.plain.hours_per_month


def _fewest(setting: PlanContext, demand: Demand, until: int | None = None) -> int:
    what = machine(setting)
    step = 1 if what is not None and what.holds_cards else server_size(setting)
    busy, accepted = _busiest_month_mean(setting, demand, until), accepted_wait_in_services(setting)
    peak = np.max(demand.peak if until is None else _upto(demand.peak, until))

    def is_short(fleet: int) -> bool:
        if busy >= fleet:
            return True
        wait = mean_wait_in_services(
            slots=float(fleet // demand.job_accelerators), busy_share=busy / fleet, service_cv=SERVICE_CV
        )
        return bool(np.asarray(wait.value) > accepted)

    low = int(np.ceil(max(float(peak), demand.job_accelerators, busy) / step - NEARLY))
    if not is_short(low * step):
        return min(low * step, demand.all.peak_accelerators)
    high = low
    while is_short(high * step) and high * step < _MOST_FLEET:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_short(middle * step) else (low, middle)
    return min(high * step, demand.all.peak_accelerators)


@cached(1_024)
def _utilization_within_wait(slots: int, accepted_wait: float) -> float:
    if slots < 1:
        return 0.0
    return float(achievable_busy_share(slots=float(slots), wait_in_services=accepted_wait, service_cv=SERVICE_CV))
