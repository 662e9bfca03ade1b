"""What has to be held, and how many requests fit beside the weights. In bytes of a whole replica."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.network.network import Network
from planner.speed.arrays import Num
from planner.speed.serving.cases import ByteWidths, ServingCase
from planner.speed.serving.step import cache_bytes


@dataclass(frozen=True)
class ServingMemory:
    """Bytes on one replica: all of its accelerators together."""

    weights_bytes: Num
    working_bytes: Num
    usable_bytes: Num

    @property
    def free_bytes(self) -> Num:
        """What is left for caches; negative where the weights alone do not fit."""
        return self.usable_bytes - self.weights_bytes - self.working_bytes


def weights_bytes(case: ServingCase) -> Num:
    """All weights of one replica, with copies of attention where each accelerator attends for itself. [byte]"""
    tables_kept = 1 - case.traits.local  # engines for one user leave the input table to the host
    return stored_bytes(
        case.network, case.widths, attention_copies=case.layout.attention_ranks, tables_kept=tables_kept
    )


def stored_bytes(net: Network, wide: ByteWidths, *, attention_copies: Num = 1.0, tables_kept: Num = 1.0) -> Num:
    """A sum over parts: tables, attention, experts, and what is beside them, each in its own format. [byte]"""
    attention = wide.attention * net.attention_params * attention_copies
    tables = wide.head * (net.head_params + net.embedding_params * tables_kept)
    return attention + tables + wide.other * net.other_params + wide.weight * net.routed_params


def held(case: ServingCase, *, extra_bytes: Num = 0.0) -> ServingMemory:
    """Weights, adapters (`extra_bytes`) and working space against what the devices really have."""
    devices = case.layout.group * case.layout.stages
    return ServingMemory(
        weights_bytes=weights_bytes(case) + extra_bytes,
        working_bytes=case.limits.working_bytes * devices,
        usable_bytes=case.machine.memory_bytes * case.limits.memory_share * devices,
    )


def most_requests(case: ServingCase, *, input_tokens: Num, output_tokens: Num, extra_bytes: Num = 0.0) -> Num:
    """Requests that fit at once into one replica's memory. [count] Below 1: not even one."""
    context = input_tokens + output_tokens * case.limits.reserve_share
    free = np.maximum(held(case, extra_bytes=extra_bytes).free_bytes, 0.0) * case.limits.cache_share
    return free / np.maximum(cache_bytes(case, context=context), 1.0)


def fits(case: ServingCase) -> NDArray[np.bool_]:
    """Whether weights and at least one request fit; true where nobody knows how much memory there is."""
    one = most_requests(case, input_tokens=case.traffic.input_tokens, output_tokens=case.traffic.output_tokens)
    return np.asarray((np.asarray(one) >= 1) | (np.asarray(case.machine.memory_bytes) <= 0))
