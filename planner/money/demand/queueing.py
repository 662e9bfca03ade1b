"""Waiting, interruption and varying demand: how busy capacity can be, how long work takes, how much to own.

Times are in hours unless a name says otherwise, rates per hour, shares as fractions. A slot is a job's worth of
accelerators: 16 of them used by jobs of 8 are two slots.
"""

import numpy as np
from numpy.typing import NDArray

from planner.money.finance import SolveResult, root, solve_result
from planner.money.formula import Num
from pricing.caching import cached

# Gauss-Legendre points across the peak of the integral below: 14 digits for any number of slots.
_POINTS = 64
_PEAK_WIDTHS = 9.0
_TAIL = 40.0  # exp(-40) of the peak is left out
_MOST_LOG = 700.0
_LEAST_LOAD = 1e-250  # of which a million millions of slots are still a number of times

GROWS = "none: work comes in at least as fast as it is done, so the queue grows without end"
STOPS = "none: work is lost at least as fast as it is done"
NO_INTERRUPTION = "none: nothing interrupts, so no checkpoint is needed"
NEVER_CHEAPER = "never own: renting costs no more than running what is owned, even before its fixed cost"
NEVER_BUSY_ENOUGH = "never own: even capacity that is always busy costs no less than renting"


def waiting_probability(*, slots: Num, busy_share: Num) -> Num:
    """The chance that a job has to wait for a free slot. [1] Random arrivals, random lengths, nobody gives up.

    One over the chance B that an overflow without a queue loses a job is an integral over a single peak; it is taken
    at fixed points around it, which neither overflows nor loops, up to the largest clusters. 1 from full load on.

    References
    ----------
    A. K. Erlang: Solution of some problems in the theory of probabilities of significance in automatic telephone
    exchanges, 1917, formula for waiting time. D. L. Jagerman: Some properties of the Erlang loss function, Bell System
    Technical Journal 53, 1974, the integral.
    """
    slots, busy = (np.asarray(number, dtype=np.float64) for number in (slots, busy_share))
    below = np.minimum(busy, 1.0)
    inverse_loss = np.exp(np.minimum(_log_inverse_erlang_b(slots, np.maximum(slots * below, _LEAST_LOAD)), _MOST_LOG))
    return np.where(below > 0, 1.0 / ((1.0 - below) * inverse_loss + below), 0.0)[()]


def mean_wait_in_services(*, slots: Num, busy_share: Num, service_cv: Num) -> SolveResult:
    """Return how long a job waits on average, in lengths of an average job. [1]

    Erlang's wait times Allen and Cunneen's factor; times the mean length it is hours. `service_cv` is the standard
    deviation of the lengths over their mean: 1 for memoryless ones, 0 for equal ones.

    References
    ----------
    A. O. Allen: Probability, Statistics, and Queueing Theory with Computer Science Applications, 2nd ed. 1990, ch. 5,
    M/M/c, and the Allen-Cunneen approximation for G/G/c.
    """
    full = np.asarray(busy_share) >= 1
    idle_share = np.where(full, 1.0, 1.0 - np.asarray(busy_share))
    waiting = waiting_probability(slots=slots, busy_share=busy_share)
    wait = waiting / (slots * idle_share) * allen_cunneen_factor(service_cv=service_cv)
    return solve_result(wait, reasons={GROWS: full})


def allen_cunneen_factor(*, service_cv: Num) -> Num:
    """Return what the wait of memoryless job lengths is multiplied by for others, arrivals being random. [1]"""
    return (1 + service_cv**2) / 2


def achievable_busy_share(*, slots: Num, wait_in_services: Num, service_cv: Num) -> Num:
    """Return how busy the slots can be while the mean wait stays within the target, in lengths of an average job. [1]

    A break-even above it is not reached by jobs that come at random, unless the overflow goes elsewhere.
    """
    slots, target, factor = np.broadcast_arrays(slots, wait_in_services, allen_cunneen_factor(service_cv=service_cv))

    def too_long(busy_share: NDArray[np.float64]) -> NDArray[np.float64]:
        waiting = waiting_probability(slots=slots, busy_share=busy_share)
        return np.asarray(waiting * factor - target * slots * (1.0 - busy_share))

    return root(too_long, low=np.zeros(slots.shape), high=np.ones(slots.shape))


def preemption_stretch(
    *, checkpoint_interval_hours: Num, checkpoint_cost_hours: Num, restart_hours: Num, interruptions_per_hour: Num
) -> SolveResult:
    """Return how many times longer a job takes when it is interrupted and starts again from its last checkpoint. [1]

    Half an interval is lost on average, and the restart. The rate is the job's, not a node's: a job on n nodes that
    are taken one by one is interrupted n times as often. Times the spot price it is the price of useful work.
    """
    lost_share = np.asarray(interruptions_per_hour * (checkpoint_interval_hours / 2 + restart_hours))
    stops = lost_share >= 1
    overhead = 1 + np.divide(checkpoint_cost_hours, checkpoint_interval_hours)
    return solve_result(overhead / np.where(stops, 1.0, 1 - lost_share), reasons={STOPS: stops})


def best_checkpoint_interval_hours(
    *, checkpoint_cost_hours: Num, restart_hours: Num, interruptions_per_hour: Num
) -> SolveResult:
    """The interval with the least `preemption_stretch`. [hour] Where its derivative is zero, solved exactly."""
    rate = np.asarray(interruptions_per_hour, dtype=np.float64)
    calm = rate <= 0
    hours_between = 1 / np.where(calm, 1.0, rate)
    useful_hours = hours_between - restart_hours
    stops = ~calm & (useful_hours <= 0)
    square = checkpoint_cost_hours**2 + 2 * checkpoint_cost_hours * np.maximum(useful_hours, 0.0)
    return solve_result(np.sqrt(square) - checkpoint_cost_hours, reasons={NO_INTERRUPTION: calm, STOPS: stops})


def least_busy_share_to_own(
    *, own_usd_per_hour: Num, running_usd_per_busy_hour: Num, rent_usd_per_busy_hour: Num
) -> SolveResult:
    """The share of time above which owning a unit of capacity is cheaper than renting it when needed. [1]

    `own_usd_per_hour` is paid whether it is used or not. Own each unit that is busy more than this; the next one is
    less busy. The same number is where the cost lines of two ways to supply cross. For spot, rent is the price times
    `preemption_stretch`.

    References
    ----------
    Arrow, Harris, Marschak: Optimal inventory policy, Econometrica 19(3), 1951. J. Weinman: Cloudonomics, 2012, ch. 10,
    the utility premium against the ratio of peak to average.
    """
    advantage = np.asarray(rent_usd_per_busy_hour - running_usd_per_busy_hour, dtype=np.float64)
    cheaper = advantage > 0
    share = own_usd_per_hour / np.where(cheaper, advantage, 1.0)
    return solve_result(share, reasons={NEVER_CHEAPER: ~cheaper, NEVER_BUSY_ENOUGH: share >= 1})


def _log_inverse_erlang_b(slots: NDArray[np.float64], load: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of the integral over w from 0 of exp(slots * log(1 + w / load) - w), which peaks at slots - load."""
    points, weights = _gauss_legendre()
    slots, load = slots[..., None], load[..., None]
    width = np.sqrt(slots + 1)
    low = np.maximum(slots - load - _PEAK_WIDTHS * width, 0.0)
    half = (slots - load + _PEAK_WIDTHS * width + _TAIL - low) / 2
    place = low + half * (points + 1)
    peak = slots * np.log(slots / load) - (slots - load)
    area = np.sum(np.exp(slots * np.log1p(place / load) - place - peak) * weights * half, axis=-1)
    return np.asarray(peak[..., 0] + np.log(area))


@cached(1)
def _gauss_legendre() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.polynomial.legendre.leggauss(_POINTS)
