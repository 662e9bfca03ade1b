"""Time to the first token: a prompt alone, one among other work, and one that waits for prompts before it.

A prompt's pass is no graph: the host launches each of its kernels, and the pass takes the larger of that and of what
the accelerators do. Among other work it first waits for steps that run, and for prompts that came before it.
"""

import math

import numpy as np

from planner.speed.arrays import Num
from planner.speed.serving.cases import ServingCase, ServingRates
from planner.speed.serving.step import effective_bandwidth, layers_s, prefill, weight_bytes_read
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


def prompt_wait_s(*, busy_share: Num, prompt_s: Num, prompt_cv: Num, share: float) -> Num:
    """The wait behind other prompts that `share` of requests stay below. [s] One after the other, random arrivals."""
    busy = np.asarray(busy_share, dtype=np.float64)
    spread = (1 + np.asarray(prompt_cv) ** 2) / 2
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


def loaded_first_token_s(case: ServingCase, rates: ServingRates, *, batch: Num, token_s: Num) -> Num:
    """First token of a request that comes while `batch` others run, a step each `token_s`, and no prompt waits. [s]"""
    alone = unloaded_first_token_s(case, rates, tokens=computed_prompt_tokens(case))
    steps = np.where(np.asarray(case.layout.attention_ranks) > 1, rates.spread_steps_waited, rates.steps_waited)
    steps = steps + case.limits.polled_steps / 2
    return alone + np.where(np.asarray(batch) > 1, steps * token_s, 0.0)


def prompt_queue_wait_s(*, prompt: Num, requests_per_s: Num, most: Num, share: float | None = None) -> Num:
    """The wait behind other prompts: its mean, or what `share` of requests stay below. [s]

    There are never more before it than `most` of the others: in a closed loop, where each asks again when it has its
    answer, that ends a queue which would grow without end.
    """
    busy = np.minimum(requests_per_s * prompt, 1.0)
    if share is None:
        free = np.maximum(1 - np.minimum(busy, _NEARLY_BUSY), 1e-9)
        return np.asarray(np.minimum(busy * prompt * (1 + _PROMPT_CV**2) / 2 / free, most * prompt / 2))
    wait = prompt_wait_s(busy_share=busy, prompt_s=prompt, prompt_cv=_PROMPT_CV, share=share)
    return np.asarray(np.minimum(wait, most * prompt))
