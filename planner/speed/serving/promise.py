"""What a replica can promise: how many requests a second, so that first tokens and further ones come in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.speed.arrays import Num
from planner.speed.serving.cases import ServingCase
from planner.speed.serving.constants import ServingRates
from planner.speed.serving.first_token import among_others_s, behind_prompts_s, prompt_s
from planner.speed.serving.result import WaitingTimes
from planner.speed.serving.steady import cycle
from planner.speed.serving.waiting import place_wait_s, together

SECONDS_PER_MINUTE = 60.0
_LOADS = 512  # levels of load that are looked at, at once
_LEAST_LOAD = 1e-3  # of a request at once
_SHARES = (None, 0.5, 0.95, 0.99)  # the mean, and what so many requests stay below
_MOST_BUSY = 0.98  # of the places: beyond, any spread in arrivals makes the queue long

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Promise:
    """Seconds that the given share of requests stays below."""

    ttft_s: float
    tpot_s: float
    percentile: float = 0.99

    def at_pace(self, faster: float) -> Promise:
        """What a prediction has to keep where everything really runs so many times faster than predicted."""
        return Promise(self.ttft_s * faster, self.tpot_s * faster, self.percentile)


@dataclass(frozen=True)
class LoadLevels:
    """One replica at rising load; times for each share of requests that is asked about, one row each."""

    requests_per_s: Array
    ttft_s: Array
    tpot_s: Array


def levels(
    case: ServingCase, rate: ServingRates, *, most: float, cv: float, shares: Sequence[float | None]
) -> LoadLevels:
    """Latencies that these shares of requests stay below, None for their means, at rising load of one replica."""
    load = np.geomspace(_LEAST_LOAD, most * _MOST_BUSY, _LOADS)
    answer = np.asarray(cycle(case, rate, batch=np.maximum(load, 1.0)).seconds)
    arriving = load / answer
    prompt = prompt_s(case, rate)
    many, waits = [], []
    for share in shares:
        behind = np.asarray(behind_prompts_s(prompt=prompt, requests_per_s=arriving, most=np.inf, share=share))
        if share is None:
            many.append(load)
            waits.append(behind)
        else:
            many.append(np.asarray(together(load=load, share=share, places=most)))
            place = place_wait_s(places=most, load=load, service_s=answer, service_cv=cv, share=share)
            waits.append(behind + place)
    batch = np.maximum(np.array(many), 1.0)
    token_s = np.asarray(cycle(case, rate, batch=batch).token_s)
    first = among_others_s(case, rate, batch=batch, token_s=token_s)
    return LoadLevels(arriving, np.asarray(first + np.array(waits)), token_s)


def most_per_s(case: ServingCase, rate: ServingRates, *, most: float, promise: Promise | None, cv: float) -> float:
    """Requests a second that one replica can take and keep its promise; all it can where there is none. [1/s]"""
    if promise is None:
        return most / float(np.asarray(cycle(case, rate, batch=most).seconds))
    return kept_per_s(levels(case, rate, most=most, cv=cv, shares=(promise.percentile,)), promise)


def kept_per_s(seen: LoadLevels, promise: Promise) -> float:
    """The highest of these rates at which the promise holds; 0 where it never does. [1/s]"""
    kept = (seen.ttft_s <= promise.ttft_s) & (seen.tpot_s <= promise.tpot_s)
    return float(np.max(np.where(kept, seen.requests_per_s, 0.0)))


def latencies(
    case: ServingCase, rate: ServingRates, *, most: float, requests_per_s: float, cv: float
) -> tuple[WaitingTimes, WaitingTimes]:
    """First and further tokens at that rate of one replica: means and percentiles."""
    seen = levels(case, rate, most=most, cv=cv, shares=_SHARES)
    first, token = (
        [1e3 * float(np.interp(requests_per_s, seen.requests_per_s, row)) for row in rows]
        for rows in (seen.ttft_s, seen.tpot_s)
    )
    return WaitingTimes(*first), WaitingTimes(*token)


def at_once(case: ServingCase, rate: ServingRates, *, batch: float) -> tuple[WaitingTimes, WaitingTimes]:
    """First and further tokens where so many ask again as soon as they have their answer: a closed loop."""
    full = cycle(case, rate, batch=batch)
    arriving, others = batch / full.seconds, np.maximum(batch - 1.0, 0.0)
    alone = among_others_s(case, rate, batch=batch, token_s=full.token_s)
    first = [
        alone + behind_prompts_s(prompt=prompt_s(case, rate), requests_per_s=arriving, most=others, share=share)
        for share in _SHARES
    ]
    return WaitingTimes(*(1e3 * float(np.asarray(one)) for one in first)), WaitingTimes(
        *(1e3 * float(np.asarray(full.token_s)) for _ in _SHARES)
    )


def replicas_ahead(*, rise_per_minute: Num, cold_start_s: Num, requests_per_s: Num) -> Num:
    """Replicas kept ready so that a rise in requests is met while the next one starts. [count]

    `rise_per_minute` is how many requests a second come on top in a minute, `requests_per_s` what one replica takes.
    """
    coming = np.asarray(rise_per_minute) * np.asarray(cold_start_s) / SECONDS_PER_MINUTE
    return np.asarray(np.ceil(coming / requests_per_s - 1e-9))
