"""How long the first token takes: a prompt alone, one among other work, and one that waits for prompts before it.

A prompt's pass is no graph: the host launches each of its kernels, and the pass takes the larger of that and of what
the accelerators do. Among other work it first waits for steps that run, and for prompts that came before it.
"""

import numpy as np

from planner.speed.arrays import Num
from planner.speed.serving.cases import ServingCase
from planner.speed.serving.constants import ServingRates
from planner.speed.serving.step import layers_s, prefill, reading, streamed_bytes
from planner.speed.serving.waiting import prompt_wait_s

_PROMPT_CV = 0.5  # prompts are cut and mixed: less spread than their lengths have
_NEARLY_BUSY = 0.98


def asked_tokens(case: ServingCase) -> Num:
    """Tokens of a prompt that have to be worked on: the rest is found in the cache. [token]"""
    return case.traffic.input_tokens * case.traffic.worked_share


def launched_s(case: ServingCase, rates: ServingRates) -> Num:
    """What the host takes to launch the pass of a prompt, however long it is. [s]"""
    net = case.network
    plain = rates.prompt_layer_s * net.layers + rates.prompt_moe_layer_s * net.moe_layers
    return rates.first_token_s + plain + rates.prompt_latent_layer_s * net.layers * net.latent


def alone_s(case: ServingCase, rates: ServingRates, *, tokens: Num) -> Num:
    """One prompt on a machine with nothing else to do, up to its first token. [s]"""
    work = prefill(case, rates, prompts=1.0, tokens=tokens).total_s
    read = streamed_bytes(case, rates, tokens=tokens) / reading(case, rates)
    worked = read + work + layers_s(case, rates) + rates.sequence_s
    return np.maximum(worked, launched_s(case, rates))


def prompt_s(case: ServingCase, rates: ServingRates) -> Num:
    """For how long one prompt keeps others waiting: short ones share a pass, and so its launches. [s]"""
    tokens = asked_tokens(case)
    passes = np.minimum(tokens / case.limits.step_tokens, 1.0)
    return np.maximum(prefill(case, rates, prompts=1.0, tokens=tokens).total_s, launched_s(case, rates) * passes)


def among_others_s(case: ServingCase, rates: ServingRates, *, batch: Num, token_s: Num) -> Num:
    """First token of a request that comes while `batch` others run, a step each `token_s`, and no prompt waits. [s]"""
    alone = alone_s(case, rates, tokens=asked_tokens(case))
    steps = np.where(np.asarray(case.layout.attention_ranks) > 1, rates.spread_steps_waited, rates.steps_waited)
    steps = steps + case.limits.polled_steps / 2
    return alone + np.where(np.asarray(batch) > 1, steps * token_s, 0.0)


def behind_prompts_s(*, prompt: Num, requests_per_s: Num, most: Num, share: float | None = None) -> Num:
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
