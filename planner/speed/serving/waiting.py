"""How long requests wait for a replica that works on many at once, and how many run together, as percentiles.

A replica is two queues: prompts are worked on one after the other, answers side by side in as many places as fit.

References
----------
S. Halfin, W. Whitt: Heavy-traffic limits for queues with many exponential servers, Operations Research 29(3), 1981.
A. O. Allen: Probability, Statistics, and Queueing Theory, 2nd ed. 1990, ch. 5 (general service times).
"""

import math

import numpy as np

from planner.speed.arrays import Num
from pricing.caching import cached

_NEVER_FULL = 0.999
_erf = np.vectorize(math.erf, otypes=[np.float64])


@cached(256)
def normal_quantile(share: float) -> float:
    """The standard normal variable below which `share` of its values lie."""
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if float(normal_share(middle)) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def normal_share(x: Num) -> Num:
    """The share of standard normal values below x."""
    return np.asarray(0.5 * (1 + _erf(np.asarray(x) / math.sqrt(2.0))))


def waiting_share(*, places: Num, load: Num) -> Num:
    """The share of requests that find all places taken, when `load` are there on average. [1] Many places."""
    places, load = np.asarray(places, dtype=np.float64), np.maximum(np.asarray(load, dtype=np.float64), 1e-9)
    room = (places - load) / np.sqrt(load)
    density = np.exp(-(np.minimum(room, 40.0) ** 2) / 2) / math.sqrt(2 * math.pi)
    return np.where(room <= 0, 1.0, 1 / (1 + room * normal_share(room) / np.maximum(density, 1e-300)))


def place_wait_s(*, places: Num, load: Num, service_s: Num, service_cv: Num, share: float) -> Num:
    """The wait for a free place that `share` of requests stay below. [s]"""
    spread = (1 + np.asarray(service_cv) ** 2) / 2
    free = np.maximum(np.asarray(places) - load, 1e-9)
    waits = waiting_share(places=places, load=load)
    beyond = np.maximum(np.log(np.maximum(waits, 1e-300) / (1 - share)), 0.0)
    return np.where(np.asarray(load) >= places, np.inf, beyond * service_s * spread / free)


def prompt_wait_s(*, busy_share: Num, prompt_s: Num, prompt_cv: Num, share: float) -> Num:
    """The wait behind other prompts that `share` of requests stay below. [s] One after the other, random arrivals."""
    busy = np.asarray(busy_share, dtype=np.float64)
    spread = (1 + np.asarray(prompt_cv) ** 2) / 2
    beyond = np.maximum(np.log(np.maximum(busy, 1e-300) / (1 - share)), 0.0)
    return np.where(busy >= _NEVER_FULL, np.inf, beyond * prompt_s * spread / np.maximum(1 - busy, 1e-9))


def together(*, load: Num, share: float, places: Num) -> Num:
    """How many run together at most, in `share` of the time, when `load` do on average. [count]"""
    load = np.asarray(load, dtype=np.float64)
    return np.minimum(load + normal_quantile(share) * np.sqrt(load), places)
