"""Waiting: what it costs that jobs wait for a fleet, where somebody says what an hour of it costs.

Nobody is paid for it, so it moves no cash, no tax and no limit on money; but it is a cost of a small fleet, and stands
in the ledger so that a fleet on which jobs wait for days does not win by what it leaves out. How long a job waits is
the mean over the plan at typical figures, as a fleet is decided once.
"""

import numpy as np

from planner.money.formula import Num
from planner.money.inflation import agreed
from planner.money.ledger import COMPUTED, YOUR_INPUT, Line
from planner.money.setting import PlanContext
from planner.money.sizing import reach, wait_hours


def waiting(setting: PlanContext, fleet: float, there: Num) -> tuple[Line, ...]:
    """The time that jobs wait for such a fleet in the share of each month in which it is there; none where none has
    a price, nothing waits, or no job fits on it."""
    price, demand = setting.terms.usd_per_waiting_hour, setting.demand
    if price is None or not np.any(demand.waiting_hours > 0) or fleet < demand.job_accelerators:
        return ()
    wait, put = wait_hours(setting, fleet), setting.input_sheet()
    jobs = demand.deferred_hours(fleet, reach(setting, fleet)) / (
        demand.job_accelerators * demand.plain.hours_per_session
    )
    put.add("jobs_per_month", jobs, "jobs that may wait, in a whole month", COMPUTED)
    put.add("hours_waited", float(wait.value), "hours that one of them waits, on average", COMPUTED)
    put.add("usd_per_waiting_hour", price, "USD for an hour that one job waits", YOUR_INPUT)
    put.add("fleet_there", there, "share of each month in which the fleet is there", COMPUTED)
    how = "jobs_per_month * hours_waited * usd_per_waiting_hour * fleet_there"
    note = "counted, and paid to nobody" if wait.is_found else "busy all the time: the queue only grows"
    return agreed(setting, (put.line("Jobs that wait", "waiting", how, note, treatment="imputed"),))
