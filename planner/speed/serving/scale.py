"""How many accelerators run hour by hour when replicas come and go with what is asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from planner.speed.arrays import Num

SECONDS_PER_MINUTE = 60.0


def replicas_ahead(*, rise_per_minute: Num, cold_start_s: Num, requests_per_s: Num) -> Num:
    """Replicas kept ready so that a rise in requests is met while the next one starts. [count]

    `rise_per_minute` is how many requests a second come on top in a minute, `requests_per_s` what one replica takes.
    """
    coming = np.asarray(rise_per_minute) * np.asarray(cold_start_s) / SECONDS_PER_MINUTE
    return np.asarray(np.ceil(coming / requests_per_s - 1e-9))


def accelerators_over_time(
    *, demand_per_s: ArrayLike, requests_per_s: Num, devices: Num, ahead: Num = 0.0, fewest: Num = 0.0
) -> Num:
    """Accelerators at each level of demand: whole replicas, those kept ready, never fewer than `fewest`. [count]"""
    demand = np.asarray(demand_per_s, dtype=np.float64)
    replicas = np.ceil(demand / requests_per_s - 1e-9) + np.where(demand > 0, ahead, 0.0)
    return np.asarray(np.maximum(replicas, fewest) * devices)


def busy_share(*, demand_per_s: ArrayLike, requests_per_s: Num, ahead: Num = 0.0, fewest: Num = 0.0) -> Num:
    """Part of the capacity that runs which is used, over levels of demand that last equally long. [1]"""
    running = accelerators_over_time(
        demand_per_s=demand_per_s, requests_per_s=requests_per_s, devices=1.0, ahead=ahead, fewest=fewest
    )
    able = np.sum(np.asarray(running) * requests_per_s, axis=-1)
    return np.asarray(np.sum(np.asarray(demand_per_s, dtype=np.float64), axis=-1) / np.maximum(able, 1e-300))
