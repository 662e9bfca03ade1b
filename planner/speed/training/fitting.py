"""What makes a job fit that does not: ways in order of what they cost in speed, each on top of the ones before."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from planner.network.network import Network
from planner.speed.arrays import Num
from planner.speed.hardware import Hardware
from planner.speed.training.memory import USABLE_SHARE, Memory, peak_memory
from planner.speed.training.plan import TrainingPlan

LOSS_CHUNKS = 8.0

R = TypeVar("R", TrainingPlan, Memory)


@dataclass(frozen=True)
class MemoryWay:
    """One way to need less memory. `free` names what must not have been fixed for it to be open."""

    name: str
    words: str
    change: Callable[[TrainingPlan], TrainingPlan]
    free: str = ""


WAYS = (
    MemoryWay(
        "chunked_loss",
        "compute the loss in chunks",
        lambda plan: replace(plan, loss_chunks=_most(plan.loss_chunks, LOSS_CHUNKS)),
    ),
    MemoryWay(
        "narrow_gradients",
        "keep gradients in 16 bits",
        lambda plan: replace(plan, grad_bytes=_least(plan.grad_bytes, 2), whole_grad_bytes=plan.whole_grad_bytes * 0.0),
    ),
    MemoryWay(
        "selective",
        "recompute norms and activations",
        lambda plan: replace(plan, selective=np.where(plan.recompute > 0, plan.selective, 1.0)[()]),
        "recompute",
    ),
    MemoryWay(
        "recompute", "recompute whole layers", lambda plan: replace(plan, recompute=1.0, selective=0.0), "recompute"
    ),
    MemoryWay(
        "shard_states",
        "shard optimizer states and gradients (ZeRO 2)",
        lambda plan: replace(plan, shard=_most(plan.shard, 2)),
        "shard",
    ),
    MemoryWay(
        "shard_weights",
        "shard the weights too (ZeRO 3, FSDP)",
        lambda plan: replace(plan, shard=_most(plan.shard, 3)),
        "shard",
    ),
    MemoryWay(
        "narrow_states",
        "keep optimizer states in 16 bits",
        lambda plan: replace(plan, state_bytes=_least(plan.state_bytes, 4)),
    ),
    MemoryWay(
        "update_in_backward",
        "update weights while gradients appear",
        lambda plan: replace(plan, update_in_backward=1.0),
    ),
    MemoryWay(
        "eight_bit_states",
        "keep optimizer states in 8 bits",
        lambda plan: replace(plan, state_bytes=_least(plan.state_bytes, 2)),
    ),
    MemoryWay(
        "activation_offload", "move kept activations to the host", lambda plan: replace(plan, activation_offload=1.0)
    ),
    MemoryWay("offload", "keep optimizer states on the host", lambda plan: replace(plan, offload=1.0)),
)


@dataclass(frozen=True)
class FittedPlan:
    """The plan with the fewest changes that fits, what it needs, and how many ways were used; -1: none helps."""

    plan: TrainingPlan
    memory: Memory
    fits: NDArray[np.bool_]
    ways: NDArray[np.int64]


def fits(memory: Memory, chip: Hardware) -> NDArray[np.bool_]:
    """Whether the fullest rank stays within what the driver leaves of the chip's memory."""
    return np.asarray(memory.total_gb <= chip.memory_gb * USABLE_SHARE)


def made_to_fit(shape: Network, chip: Hardware, plan: TrainingPlan, *, free: Mapping[str, Num]) -> FittedPlan:
    """The first of the ways, one on top of the other, with which each plan fits; `free` tells which are open to it."""
    memory = peak_memory(shape, plan)
    good = fits(memory, chip)
    used = np.where(good, 0, -1)
    best, tried = plan, plan
    for number, way in enumerate(WAYS, 1):
        if good.all():
            break
        open_to = np.asarray(free.get(way.free, 1.0) if way.free else 1.0) > 0
        tried = _chosen(open_to, way.change(tried), tried)
        needs = peak_memory(shape, tried)
        now = fits(needs, chip) & ~good
        best, memory = _chosen(now, tried, best), _chosen(now, needs, memory)
        used, good = np.where(now, number, used), good | now
    return FittedPlan(best, memory, good, used)


def _chosen(where: NDArray[np.bool_], yes: R, no: R) -> R:
    """Each entry from one of two records."""
    columns = {f.name: np.where(where, getattr(yes, f.name), getattr(no, f.name))[()] for f in fields(no)}
    return type(no)(**columns)


def _least(value: Num, other: float) -> Num:
    return np.minimum(value, other)


def _most(value: Num, other: float) -> Num:
    return np.maximum(value, other)
