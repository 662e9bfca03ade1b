"""Many requests at once: how many run together, what a full cycle of them takes, tokens per second."""

from dataclasses import dataclass

import numpy as np

from planner.speed.arrays import Num
from planner.speed.serving.cases import ServingCase
from planner.speed.serving.constants import ServingRates
from planner.speed.serving.memory import most_requests
from planner.speed.serving.step import Parts, decode_step, prefill

_STRETCH = 1.15  # a stated batch may exceed what we think fits by this much: pages are handed out late


@dataclass(frozen=True)
class Cycle:
    """The time in which a replica answers one full batch: every answer token, and the prompts of those who follow."""

    seconds: Num
    step: Parts
    prompt: Parts
    batch: Num  # requests at once in one replica
    output_tokens: Num
    steps: Num  # fewer than tokens where drafts are right

    @property
    def writing_s(self) -> Num:
        """All steps of one answer, prompts of others left out. [s]"""
        return self.steps * self.step.total_s

    @property
    def token_s(self) -> Num:
        """Mean time between two tokens of one request, prompts of others in between. [s]"""
        return self.seconds / self.output_tokens


def running(case: ServingCase, *, extra_bytes: Num = 0.0) -> Num:
    """Requests at once in one replica: as stated, or as memory and the engine allow. [count]"""
    traffic, limits = case.traffic, case.limits
    fits = most_requests(
        case, input_tokens=traffic.input_tokens, output_tokens=traffic.output_tokens, extra_bytes=extra_bytes
    )
    allowed = limits.most_requests * case.layout.attention_ranks
    stated = np.asarray(traffic.batch, dtype=np.float64)
    asked = np.minimum(np.minimum(stated, _STRETCH * fits), allowed)
    known = np.where(np.asarray(traffic.held_by_memory) > 0, asked, stated)
    batch = np.where(np.isnan(stated), np.minimum(fits, allowed), known)
    return np.maximum(np.minimum(batch, traffic.requests_in_run), 1.0)


def cycle(case: ServingCase, rates: ServingRates, *, batch: Num) -> Cycle:
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
    writing = traffic.output_tokens / tokens_a_step(traffic.draft_tokens, traffic.accepted_share)
    more = np.maximum(steps - writing, 0.0) * step.fixed_s
    seconds = writing * step.total_s + prompt.total_s + more
    return Cycle(seconds, step, prompt, batch, output_tokens=traffic.output_tokens, steps=writing)


def tokens_a_step(draft_tokens: Num, accepted_share: Num) -> Num:
    """Tokens that a step writes where so many are guessed ahead: those before the first wrong guess, and one. [1]

    Leviathan et al., Fast inference from transformers via speculative decoding, 2023, arXiv:2211.17192, equation 1.
    """
    return np.asarray((1 - np.asarray(accepted_share) ** (draft_tokens + 1.0)) / (1 - accepted_share))


def output_tokens_per_s(case: ServingCase, rates: ServingRates, *, batch: Num) -> Num:
    """Tokens written per second by all replicas together. [token/s] A short run pays for its last, emptier batch."""
    traffic, layout = case.traffic, case.layout
    full = cycle(case, rates, batch=batch)
    steady = layout.replicas * batch * traffic.output_tokens / full.seconds
    endless = ~np.isfinite(np.asarray(traffic.requests_in_run, dtype=np.float64))
    requests = np.where(endless, batch, traffic.requests_in_run)
    whole = np.floor(requests / batch)
    rest = requests - whole * batch
    last = cycle(case, rates, batch=np.maximum(rest, 1.0)).seconds
    seconds = whole * full.seconds + np.where(rest >= 1, last, 0.0)
    short = layout.replicas * requests * traffic.output_tokens / seconds
    return np.where(endless, steady, short)
