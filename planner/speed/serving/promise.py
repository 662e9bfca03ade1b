"""First tokens and further ones in time: a prompt alone, among other work and in a queue; the load a replica takes.

A prompt's pass is no graph: the host launches each of its kernels, and the pass takes the larger of that and of what
the accelerators do. Among other work it first waits for steps that run, and for prompts that came before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.speed.arrays import Num
from planner.speed.serving.cases import ServingCase, ServingRates
from planner.speed.serving.result import LatencyPercentiles
from planner.speed.serving.step import (
    ServingStepParts,
    decode_step,
    effective_bandwidth,
    layers_s,
    max_requests,
    prefill,
    weight_bytes_read,
)
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


def wait_probability(*, places: Num, load: Num) -> Num:
    """The share of requests that find all places taken, when `load` are there on average. [1] Many places."""
    places, load = np.asarray(places, dtype=np.float64), np.maximum(np.asarray(load, dtype=np.float64), 1e-9)
    room = (places - load) / np.sqrt(load)
    density = np.exp(-(np.minimum(room, 40.0) ** 2) / 2) / math.sqrt(2 * math.pi)
    return np.where(room <= 0, 1.0, 1 / (1 + room * normal_share(room) / np.maximum(density, 1e-300)))


def slot_wait_s(*, places: Num, load: Num, service_s: Num, service_cv: Num, share: float) -> Num:
    """The wait for a free place that `share` of requests stay below. [s]"""
    spread = (1 + np.asarray(service_cv) ** 2) / 2
    free = np.maximum(np.asarray(places) - load, 1e-9)
    waits = wait_probability(places=places, load=load)
    beyond = np.maximum(np.log(np.maximum(waits, 1e-300) / (1 - share)), 0.0)
    return np.where(np.asarray(load) >= places, np.inf, beyond * service_s * spread / free)


def prompt_wait_s(*, busy_share: Num, prompt_s: Num, prompt_cv: Num, share: float, arrival_cv: Num = 1.0) -> Num:
    """The wait behind other prompts that `share` of requests stay below. [s] One after the other."""
    busy = np.asarray(busy_share, dtype=np.float64)
    spread = (np.asarray(arrival_cv) ** 2 + np.asarray(prompt_cv) ** 2) / 2
    beyond = np.maximum(np.log(np.maximum(busy, 1e-300) / (1 - share)), 0.0)
    return np.where(busy >= _NEVER_FULL, np.inf, beyond * prompt_s * spread / np.maximum(1 - busy, 1e-9))


def concurrent_at_share(*, load: Num, share: float, places: Num) -> Num:
    """Return how many run together at most, in `share` of the time, when `load` do on average. [count]"""
    load = np.asarray(load, dtype=np.float64)
    return np.minimum(load + normal_quantile(share) * np.sqrt(load), places)


_PROMPT_CV = 0.5  # prompts are cut and mixed: less spread than their lengths have
_NEARLY_BUSY = 0.98


def computed_prompt_tokens(case: ServingCase) -> Num:
    """Tokens of a prompt that have to be worked on: the rest is found in the cache. [token]"""
    return case.traffic.input_tokens * case.traffic.worked_share


def launch_s(case: ServingCase, rates: ServingRates) -> Num:
    """Return what the host takes to launch the pass of a prompt, however long it is. [s]"""
    net = case.network
    plain = rates.prompt_layer_s * net.layers + rates.prompt_moe_layer_s * net.moe_layers
    return rates.first_token_s + plain + rates.prompt_latent_layer_s * net.layers * net.latent


def unloaded_first_token_s(case: ServingCase, rates: ServingRates, *, tokens: Num) -> Num:
    """One prompt on a machine with nothing else to do, up to its first token. [s]"""
    work = prefill(case, rates, prompts=1.0, tokens=tokens).total_s
    read = weight_bytes_read(case, rates, tokens=tokens) / effective_bandwidth(case, rates)
    worked = read + work + layers_s(case, rates) + rates.sequence_s
    return np.maximum(worked, launch_s(case, rates))


def prompt_blocking_s(case: ServingCase, rates: ServingRates) -> Num:
    """For how long one prompt keeps others waiting: short ones share a pass, and so its launches. [s]"""
    tokens = computed_prompt_tokens(case)
    passes = np.minimum(tokens / case.limits.step_tokens, 1.0)
    return np.maximum(prefill(case, rates, prompts=1.0, tokens=tokens).total_s, launch_s(case, rates) * passes)


def prompt_pace_s(case: ServingCase, rates: ServingRates) -> Num:
    """Return the time from one prompt to the next: of a replica, or of those that only work on prompts. [s]"""
    pools = np.asarray(case.layout.prompt_replicas)
    return prompt_blocking_s(case, rates) / np.where(pools > 0, pools, 1.0)


def one_wave_wait_s(case: ServingCase, prompt_s: Num, busy: Num, cycle_s: Num) -> Num:
    """Return the mean wait of requests that are all there at once: for prompts before, and for places. [s]

    Prompts of one pass end together, so all wait for all of it; of many passes each waits for half on average. Who
    finds no place waits until the first have their answers.
    """
    one_pass = np.minimum(case.limits.step_tokens / np.maximum(busy * computed_prompt_tokens(case), 1.0), 1.0)
    requests = np.asarray(case.traffic.requests_in_run, dtype=np.float64)
    waves = np.where(np.isfinite(requests), requests, busy) / busy
    later = np.maximum(1 - 1 / waves, (waves - 1) / 2)
    wait_s: Num = prompt_s * np.maximum(busy - 1, 0.0) * (1 + one_pass) / 2 + np.where(waves > 1, later * cycle_s, 0.0)
    return wait_s


def loaded_first_token_s(case: ServingCase, rates: ServingRates, *, batch: Num, token_s: Num) -> Num:
    """First token of a request that comes while `batch` others run, a step each `token_s`, and no prompt waits. [s]

    Where prompts are worked on apart, none waits for steps of answers.
    """
    alone = unloaded_first_token_s(case, rates, tokens=computed_prompt_tokens(case))
    steps = np.where(np.asarray(case.layout.attention_ranks) > 1, rates.spread_steps_waited, rates.steps_waited)
    steps = steps + case.limits.polled_steps / 2
    among = (np.asarray(batch) > 1) & (np.asarray(case.layout.prompt_replicas) <= 0)
    return alone + np.where(among, steps * token_s, 0.0)


def prompt_queue_wait_s(
    *, prompt: Num, requests_per_s: Num, most: Num, share: float | None = None, arrival_cv: Num = 1.0
) -> Num:
    """The wait behind other prompts: its mean, or what `share` of requests stay below. [s]

    There are never more before it than `most` of the others: in a closed loop, where each asks again when it has its
    answer, that ends a queue which would grow without end.
    """
    busy = np.minimum(requests_per_s * prompt, 1.0)
    if share is None:
        free = np.maximum(1 - np.minimum(busy, _NEARLY_BUSY), 1e-9)
        spread = (np.asarray(arrival_cv) ** 2 + _PROMPT_CV**2) / 2
        return np.asarray(np.minimum(busy * prompt * spread / free, most * prompt / 2))
    wait = prompt_wait_s(busy_share=busy, prompt_s=prompt, prompt_cv=_PROMPT_CV, share=share, arrival_cv=arrival_cv)
    return np.asarray(np.minimum(wait, most * prompt))


# An assumption, 0.86 to 1: published counts by position fall by 0.97 (EAGLE-3 in llama.cpp, pull request 24536: 0.805,
# 0.632, 0.483 of guesses, each with those before it) and by 0.86 (EAGLE-3 of Qwen3-32B in vLLM: 0.601, 0.286, 0.128).
FURTHER_GUESS = 0.92
_STRETCH = 1.15  # a stated batch may exceed what we think fits by this much: pages are handed out late


@dataclass(frozen=True)
class BatchCycle:
    """The time in which a replica answers one full batch: every answer token, and the prompts of those who follow."""

    seconds: Num
    step: ServingStepParts
    prompt: ServingStepParts
    batch: Num  # requests at once in one replica
    output_tokens: Num
    steps: Num  # fewer than tokens where drafts are right
    between_s: Num  # of prompts of others that stand between the tokens of one answer

    @property
    def decode_s(self) -> Num:
        """All steps of one answer, prompts of others left out. [s]"""
        return self.steps * self.step.total_s

    @property
    def token_s(self) -> Num:
        """Mean time between two tokens of one request, prompts of others in between. [s]"""
        return (self.decode_s + self.between_s) / self.output_tokens


def concurrent_requests(case: ServingCase, *, extra_bytes: Num = 0.0) -> Num:
    """Requests at once in one replica: as stated, or as memory and the engine allow. [count]"""
    traffic, limits = case.traffic, case.limits
    fits = max_requests(
        case, input_tokens=traffic.input_tokens, output_tokens=traffic.output_tokens, extra_bytes=extra_bytes
    )
    allowed = limits.most_requests * case.layout.attention_ranks
    stated = np.asarray(traffic.batch, dtype=np.float64)
    possible = np.minimum(np.minimum(stated, _STRETCH * fits), allowed)
    given = np.where(np.asarray(traffic.held_by_memory) > 0, possible, stated)
    batch = np.where(np.isnan(stated), np.minimum(fits, allowed), given)
    return np.maximum(np.minimum(batch, traffic.requests_in_run), 1.0)


def batch_cycle(case: ServingCase, rates: ServingRates, *, batch: Num) -> BatchCycle:
    """One cycle with `batch` requests at once in each replica, spread over its stages."""
    traffic = case.traffic
    at_once = batch / case.layout.stages
    context = traffic.input_tokens + traffic.output_tokens / 2
    drafting = traffic.draft_tokens / case.network.layers  # a draft is a layer's work: DeepSeek's and EAGLE's have one
    waiting = rates.bubble * (1 - 1 / case.layout.stages)
    step = decode_step(case, rates, batch=at_once, context=context).times((1 + drafting) * (1 + waiting))
    prompt = prefill(case, rates, prompts=at_once, tokens=traffic.input_tokens * traffic.worked_share)
    # Prompts are cut to what one step takes; where they need more steps than the answers do, those cost too.
    room = case.limits.step_tokens * case.layout.attention_ranks
    steps = at_once * (traffic.input_tokens * traffic.worked_share + traffic.output_tokens) / room
    writing = traffic.output_tokens / tokens_per_step(traffic.draft_tokens, traffic.accepted_share)
    more = np.maximum(steps - writing, 0.0) * (step.weights_s + step.layers_s)
    pools = np.asarray(case.layout.prompt_replicas)
    apart, decode_s = pools > 0, writing * step.total_s
    first = unloaded_first_token_s(case, rates, tokens=computed_prompt_tokens(case))
    # Where prompts are worked on apart, the slower of both pools sets the pace.
    split = np.maximum(decode_s + first, prompt.total_s * case.layout.stages / np.maximum(pools, 1e-9))
    seconds = np.where(apart, split, decode_s + prompt.total_s + more)
    # Who is there from the beginning has no prompts between tokens: all of them came before.
    between = np.where(apart | (np.asarray(traffic.all_at_once) > 0), 0.0, prompt.total_s + more)
    return BatchCycle(seconds, step, prompt, batch, traffic.output_tokens, writing, between)


def tokens_per_step(draft_tokens: Num, accepted_share: Num) -> Num:
    """Tokens that a step writes where so many are guessed ahead: those before the first wrong guess, and one. [1]

    A guess that rests on guesses is right less often than the one before it.
    Leviathan et al., Fast inference from transformers via speculative decoding, 2023, arXiv:2211.17192, equation 1.
    """
    written = np.ones(np.broadcast(draft_tokens, accepted_share).shape)
    right = np.asarray(accepted_share, dtype=np.float64)
    chance: Num = 1.0
    for place in range(int(np.max(draft_tokens))):
        chance = chance * right * FURTHER_GUESS**place
        written = written + np.where(np.asarray(draft_tokens) > place, chance, 0.0)
    return np.asarray(written)


def output_tokens_per_s(case: ServingCase, rates: ServingRates, *, batch: Num) -> Num:
    """Tokens written per second by all replicas together. [token/s] A short run pays for its last, emptier batch."""
    traffic, layout = case.traffic, case.layout
    full = batch_cycle(case, rates, batch=batch)
    steady = layout.replicas * batch * traffic.output_tokens / full.seconds
    endless = ~np.isfinite(np.asarray(traffic.requests_in_run, dtype=np.float64))
    requests = np.where(endless, batch, traffic.requests_in_run)
    whole = np.floor(requests / batch)
    rest = requests - whole * batch
    last = batch_cycle(case, rates, batch=np.maximum(rest, 1.0)).seconds
    seconds = whole * full.seconds + np.where(rest >= 1, last, 0.0)
    short = layout.replicas * requests * traffic.output_tokens / seconds
    return np.where(endless, steady, short)


SECONDS_PER_MINUTE = 60.0
_LOADS = 512  # levels of load that are looked at, at once
_LEAST_LOAD = 1e-3  # of a request at once
_SHARES = (None, 0.5, 0.95, 0.99)  # the mean, and what so many requests stay below
_MOST_BUSY = 0.98  # of the places: beyond, any spread in arrivals makes the queue long

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LatencyTarget:
    """Seconds that the given share of requests stays below."""

    ttft_s: float
    tpot_s: float
    percentile: float = 0.99

    def at_pace(self, faster: float) -> LatencyTarget:
        """Return what a prediction has to keep where everything really runs so many times faster than predicted."""
        return LatencyTarget(self.ttft_s * faster, self.tpot_s * faster, self.percentile)


@dataclass(frozen=True)
class LatencyCurve:
    """One replica at rising load; times for each wanted share of requests, one row each."""

    requests_per_s: Array
    ttft_s: Array
    tpot_s: Array


def latency_curve(
    case: ServingCase, rate: ServingRates, *, most: float, cv: float, shares: Sequence[float | None]
) -> LatencyCurve:
    """Latencies that these shares of requests stay below, None for their means, at rising load of one replica."""
    load = np.geomspace(_LEAST_LOAD, most * _MOST_BUSY, _LOADS)
    answer = np.asarray(batch_cycle(case, rate, batch=np.maximum(load, 1.0)).seconds)
    arriving = load / answer
    prompt, arrival_cv = prompt_pace_s(case, rate), case.traffic.arrival_cv
    many, waits = [], []
    for share in shares:
        behind = np.asarray(prompt_queue_wait_s(
            prompt=prompt, requests_per_s=arriving, most=np.inf, share=share, arrival_cv=arrival_cv
        ))  # fmt: skip
        if share is None:
            many.append(load)
            waits.append(behind)
        else:
            many.append(np.asarray(concurrent_at_share(load=load, share=share, places=most)))
            place = slot_wait_s(places=most, load=load, service_s=answer, service_cv=cv, share=share)
            waits.append(behind + place)
    batch = np.maximum(np.array(many), 1.0)
    token_s = np.asarray(batch_cycle(case, rate, batch=batch).token_s)
    first = loaded_first_token_s(case, rate, batch=batch, token_s=token_s)
    return LatencyCurve(arriving, np.asarray(first + np.array(waits)), token_s)


def max_requests_per_s(
    case: ServingCase, rate: ServingRates, *, most: float, promise: LatencyTarget | None, cv: float
) -> float:
    """Requests a second that one replica can take and keep its promise; all it can where there is none. [1/s]"""
    if promise is None:
        return most / float(np.asarray(batch_cycle(case, rate, batch=most).seconds))
    return max_rate_within_target(latency_curve(case, rate, most=most, cv=cv, shares=(promise.percentile,)), promise)


def max_rate_within_target(seen: LatencyCurve, promise: LatencyTarget) -> float:
    """The highest of these rates at which the promise holds; 0 where it never does. [1/s]"""
    within = (seen.ttft_s <= promise.ttft_s) & (seen.tpot_s <= promise.tpot_s)
    return float(np.max(np.where(within, seen.requests_per_s, 0.0)))


def latency_at_rate(
    case: ServingCase, rate: ServingRates, *, most: float, requests_per_s: float, cv: float
) -> tuple[LatencyPercentiles, LatencyPercentiles]:
    """First and further tokens at that rate of one replica: means and percentiles."""
    seen = latency_curve(case, rate, most=most, cv=cv, shares=_SHARES)
    first, token = (
        [1e3 * float(np.interp(requests_per_s, seen.requests_per_s, row)) for row in rows]
        for rows in (seen.ttft_s, seen.tpot_s)
    )
    return LatencyPercentiles(*first), LatencyPercentiles(*token)


def closed_loop_latency(
    case: ServingCase, rate: ServingRates, *, batch: float
) -> tuple[LatencyPercentiles, LatencyPercentiles]:
    """First and further tokens where so many ask again as soon as they have their answer: a closed loop.

    Or where so many ask at once: each waits for the prompts before it, half of them on average.
    """
    full, prompt = batch_cycle(case, rate, batch=batch), prompt_pace_s(case, rate)
    arriving, others = batch / full.seconds, np.maximum(batch - 1.0, 0.0)
    alone = loaded_first_token_s(case, rate, batch=batch, token_s=full.token_s)
    first = [
        alone + (prompt * others * (0.5 if share is None else share) if float(case.traffic.all_at_once) else
            prompt_queue_wait_s(prompt=prompt, requests_per_s=arriving, most=others, share=share,
                arrival_cv=case.traffic.arrival_cv))
        for share in _SHARES
    ]  # fmt: skip
    return LatencyPercentiles(*(1e3 * float(np.asarray(seconds)) for seconds in first)), LatencyPercentiles(
        *(1e3 * float(np.asarray(full.token_s)) for _ in _SHARES)
    )


def standby_replicas(*, rise_per_minute: Num, cold_start_s: Num, requests_per_s: Num) -> Num:
    """Replicas kept ready so that a rise in requests is met while the next one starts. [count]

    `rise_per_minute` is how many requests a second come on top in a minute, `requests_per_s` what one replica takes.
    """
    coming = np.asarray(rise_per_minute) * np.asarray(cold_start_s) / SECONDS_PER_MINUTE
    return np.asarray(np.ceil(coming / requests_per_s - 1e-9))
