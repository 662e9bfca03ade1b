"""What stacks of training software keep for each parameter, and what the peak of memory is that they print."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from planner.speed.data_files import read_data

Counts = Literal["allocated", "reserved", "device"]


@dataclass(frozen=True)
class Stack:
    """One stack of software. Bytes are for each trained parameter."""

    when: tuple[str, ...]
    gradients: float
    states: float
    counts: Counts
    source: str
    always: float = 0.0
    loss_chunks: float = 1.0
    buckets_gb: float = 0.0
    host_weights: bool = False
    logits: float = 10.0
    fused_norms: bool = False
    loads_whole: bool = False
    recompute_when_sharded: bool = False


@lru_cache(maxsize=1)
def _stacks() -> tuple[Stack, ...]:
    listed = read_data("training_stacks.yaml")["stacks"]
    return tuple(Stack(**{**each, "when": tuple(each["when"])}) for each in listed)


@lru_cache(maxsize=512)
def stack_of(framework: str, precision: str) -> Stack:
    """The first stack all of whose words stand in the framework's name and the precision of a run."""
    said = f"{framework} {precision}".lower()
    return next(stack for stack in _stacks() if all(word in said for word in stack.when))
