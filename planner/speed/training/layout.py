"""Every legal way to spread a job over its accelerators, weighed at once, and the best of them.

A table of layouts is grown one choice at a time, and what is illegal is dropped as soon as that is known. The rest is
arrays: memory and step time of all layouts are one call each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from planner.network.network import Network
from planner.scenario.amounts import count as counted
from planner.scenario.jobs import TrainingJob
from planner.speed.arrays import Num, take_entries
from planner.speed.hardware import Hardware, InvalidJobError
from planner.speed.training.constants import TrainingConstants
from planner.speed.training.fitting import USABLE_SHARE, peak_memory
from planner.speed.training.plan import HYBRID, SELECTIVE, Layout, TrainingPlan, stage_slots
from planner.speed.training.step import tokens_per_s

Array = NDArray[np.float64]
LayoutColumns = dict[str, Array]

TENSOR_TOO_WIDE = "tensor ranks do not divide the heads of queries, or exceed those of keys and values"
COUNT = "ranks do not multiply to the number of accelerators"
STAGES = "layers do not divide into the stages"
MOST_PLACES = 1.1  # places in the stages for each layer
BATCH = "the global batch does not divide into replicas and micro-batches"
EXPERTS = "experts do not divide into the expert ranks, or those exceed the ranks there are"
SHARDING = "ZeRO 2 and 3 are not combined with pipeline stages; a single replica has nothing to shard"
CONTEXT = "less than so many tokens of a sequence on a rank"
MEMORY = "does not fit in memory"

LEAST_TOKENS_OF_A_RANK = 1_024.0
MICRO_BATCHES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
MOST_VIRTUAL_STAGES, MOST_EXPERT_RANKS, MOST_CONTEXT_RANKS = 16, 512, 64
RUNNERS_UP = 5
# How much faster a layout must be to be worth all the memory instead of none: of about as fast ones the leaner wins.
WORTH_ALL_MEMORY = 0.01


@dataclass(frozen=True)
class LayoutCandidate:
    """One layout with what it reaches."""

    plan: TrainingPlan
    tokens_per_s_per_accelerator: float
    memory_gb: float

    def at_pace(self, pace: float) -> LayoutCandidate:
        """These layouts if each step were so many times as fast."""
        return replace(self, tokens_per_s_per_accelerator=self.tokens_per_s_per_accelerator * pace)


@dataclass(frozen=True)
class LayoutSearchResult:
    """The best layouts, how many were weighed, and why others were not taken."""

    found: tuple[LayoutCandidate, ...]
    evaluated: int
    fitting: int
    excluded: Mapping[str, int] = field(default_factory=dict)
    least_memory_gb: float = float("nan")


def search_layouts(
    shape: Network,
    chip: Hardware,
    base: TrainingPlan,
    constants: TrainingConstants,
    *,
    wish: Layout[float | None],
    chip_factor: float = 1.0,
) -> LayoutSearchResult:
    """The fastest layouts that fit. `base` says all that is not layout: batch, length, precision, year."""
    excluded: dict[str, int] = {}
    table = valid_layouts(shape, chip, base, wish, excluded)
    if not len(table["tp"]):
        return LayoutSearchResult((), 0, 0, excluded)
    plans = replace(base, **table)
    memory_gb = np.asarray(peak_memory(shape, plans).total_gb)
    fits = memory_gb <= chip.memory_gb * USABLE_SHARE
    excluded[MEMORY] = int(np.sum(~fits))
    if not fits.any():
        return LayoutSearchResult((), len(fits), 0, excluded, float(memory_gb.min()))
    rate = np.where(fits, tokens_per_s(shape, chip, plans, constants, chip_factor=chip_factor), 0.0)
    candidates = []
    for index in _best(layout_score(rate, memory_gb / float(chip.memory_gb)), table):
        plan = take_entries(plans, int(index))
        candidates.append(LayoutCandidate(plan, float(rate[index]), float(memory_gb[index])))
    return LayoutSearchResult(tuple(candidates), len(fits), int(fits.sum()), excluded, float(memory_gb.min()))


def layout_score(rate: Array, memory_share: Array) -> Array:
    """Return what layouts are chosen by: their rate, a little less the more of the memory they take."""
    return rate * (1 - WORTH_ALL_MEMORY * memory_share)


def _best(rate: Array, table: LayoutColumns) -> list[int]:
    """The best layout and the next fastest that differ in more than how they save memory."""
    chosen: list[int] = []
    seen: set[tuple[float, ...]] = set()
    most = min(len(rate), 200)
    near = np.argpartition(-rate, most - 1)[:most]
    for index in near[np.argsort(-rate[near])]:
        ways = tuple(float(table[name][index]) for name in ("tp", "pp", "cp", "ep", "micro_batch"))
        if rate[index] > 0 and ways not in seen:
            seen.add(ways)
            chosen.append(int(index))
        if len(chosen) > RUNNERS_UP:
            break
    return chosen


def valid_layouts(
    shape: Network, chip: Hardware, base: TrainingPlan, wish: Layout[float | None], excluded: dict[str, int]
) -> LayoutColumns:
    """All layouts that obey the rules; `excluded` is filled with how many broke which."""
    count, batch = float(base.accelerators), float(base.global_batch)
    layers, experts = float(shape.layers), float(shape.experts)
    table: LayoutColumns = {"tp": np.array(_given(wish.tp, _divisors(count, int(chip.domain))))}
    narrow = (float(shape.heads) % table["tp"] == 0) & (table["tp"] <= float(shape.kv_heads))
    table = _keep(table, narrow, TENSOR_TOO_WIDE, excluded)
    table = _cross_join(table, "pp", _given(wish.pp, _divisors(count, int(layers))))
    table = _keep(table, stages_divide(layers, table["pp"]), STAGES, excluded)
    table = _cross_join(table, "cp", _given(wish.cp, [2**n for n in range(MOST_CONTEXT_RANKS.bit_length())]))
    table = _keep(table, (base.seq_len / table["cp"] >= LEAST_TOKENS_OF_A_RANK) | (table["cp"] <= 1), CONTEXT, excluded)
    ranks = table["tp"] * table["pp"] * table["cp"]
    divides = count % ranks == 0 if wish.dp is None else ranks * wish.dp == count
    table = _keep(table, divides, COUNT, excluded)
    table["dp"] = count / (table["tp"] * table["pp"] * table["cp"])
    table = _cross_join(table, "micro_batch", _given(wish.micro_batch, MICRO_BATCHES))
    table = _keep(table, batch % (table["dp"] * table["micro_batch"]) == 0, BATCH, excluded)
    table = _cross_join(table, "vpp", _given(wish.vpp, range(1, min(int(layers), MOST_VIRTUAL_STAGES) + 1)))
    chunks = (table["vpp"] == 1) | (
        (table["pp"] > 1) & (_padded_stages(layers, table["pp"]) % (table["pp"] * table["vpp"]) == 0)
    )
    table = _keep(table, chunks, STAGES, excluded)
    table = _cross_join(table, "ep", _given(wish.ep, _divisors(experts, MOST_EXPERT_RANKS) if experts else (1.0,)))
    spread = table["dp"] * table["cp"] * table["tp"]
    table = _keep(table, (table["ep"] <= spread) & (spread % table["ep"] == 0), EXPERTS, excluded)
    table = _cross_join(table, "shard", _given(wish.shard, (0.0, 1.0, 2.0, 3.0, HYBRID)))
    ranks, group = table["dp"] * table["cp"], hybrid_group_size(float(chip.domain), table)
    table = _keep(table, _can_shard(table, ranks, group), SHARDING, excluded)
    return _recompute_table(_sharded(table, chip), _given(wish.recompute, (0.0, SELECTIVE, 1.0)))


def _can_shard(table: LayoutColumns, ranks: Array, group: Array) -> NDArray[np.bool_]:
    """Return where there is something to shard, no pipeline in the way, and for a hybrid several groups."""
    stage = (table["pp"] == 1) | (table["shard"] <= 1)
    hybrid = (table["shard"] != HYBRID) | ((group > 1) & (group < ranks))
    return np.asarray(np.where(ranks <= 1, table["shard"] == 0, stage & hybrid))


def hybrid_group_size(domain: float, table: LayoutColumns) -> Array:
    """Ranks that hold the same weights and share a fast link of so many: the groups of hybrid sharding."""
    whole, linked = table["dp"] * table["cp"], np.maximum(domain // table["tp"], 1)
    return np.gcd(whole.astype(np.int64), linked.astype(np.int64)).astype(np.float64)


def _sharded(table: LayoutColumns, chip: Hardware) -> LayoutColumns:
    """The ZeRO stage, and over how many ranks it spreads; 0: over all."""
    hybrid = table["shard"] == HYBRID
    return table | {
        "shard": np.where(hybrid, 3.0, table["shard"]),
        "shard_ranks": np.where(hybrid, hybrid_group_size(float(chip.domain), table), 0.0),
    }


def _recompute_table(table: LayoutColumns, levels: Sequence[float]) -> LayoutColumns:
    """Every row with every level of recompute, in the terms of a plan."""
    table = _cross_join(table, "recompute", levels)
    chosen = table["recompute"] == SELECTIVE
    return table | {"recompute": np.where(chosen, 0.0, table["recompute"]), "selective": chosen * 1.0}


def _given(fixed: float | None, choices: Sequence[float]) -> tuple[float, ...]:
    return tuple(map(float, choices)) if fixed is None else (float(fixed),)


def _divisors(number: float, most: int) -> tuple[int, ...]:
    return tuple(n for n in range(1, min(int(number), most) + 1) if int(number) % n == 0)


def _padded_stages(layers: float, pp: Num) -> Num:
    """Places in the stages: for layers, with embedding and head counted as one each where only so they divide."""
    return np.where((layers % pp > 0) & ((layers + 2) % pp == 0), layers + 2, np.ceil(layers / pp) * pp)


def stages_divide(layers: float, pp: Num) -> NDArray[np.bool_]:
    """Return whether layers divide into stages, or into a power of two of them that leaves few places empty.

    DeepSeek-V3 has 61 in 16 stages of up to four.
    """
    slots = stage_slots(layers, pp)
    return np.asarray((slots <= layers) | ((slots <= layers * MOST_PLACES) & (np.log2(pp) % 1 == 0)))


def _cross_join(table: LayoutColumns, name: str, values: Sequence[float]) -> LayoutColumns:
    rows = len(next(iter(table.values())))
    grown = {column: np.repeat(cells, len(values)) for column, cells in table.items()}
    return grown | {name: np.tile(np.array(values, dtype=np.float64), rows)}


def _keep(table: LayoutColumns, legal: NDArray[np.bool_], reason: str, excluded: dict[str, int]) -> LayoutColumns:
    """The legal rows; the others are counted under the reason."""
    excluded[reason] = excluded.get(reason, 0) + int(np.sum(~legal))
    return {column: cells[legal] for column, cells in table.items()}


_FAR = 64  # accelerators more or fewer that are looked at
_MACHINE = 8


def has_valid_layout(shape: Network, chip: Hardware, base: TrainingPlan, wish: Layout[float | None]) -> bool:
    """Return whether any layout divides batch, accelerators and model."""
    return len(valid_layouts(shape, chip, base, wish, {})["tp"]) > 0


def divisible_batch(shape: Network, chip: Hardware, base: TrainingPlan, wish: Layout[float | None]) -> int:
    """The default batch of a plan, if it divides evenly among the accelerators; else the nearest one that does."""
    count, batch = int(base.accelerators), int(base.global_batch)
    if count & (count - 1) == 0 or has_valid_layout(shape, chip, base, wish):  # powers of two divide into each other
        return batch
    near = max(round(batch / count), 1) * count
    return near if has_valid_layout(shape, chip, replace(base, global_batch=float(near)), wish) else batch


def nearest_valid_plans(
    shape: Network, chip: Hardware, base: TrainingPlan, wish: Layout[float | None]
) -> Iterator[TrainingPlan]:
    """Plans that are legal beside one that is not: the batch below and above, then fewer and more accelerators."""
    count, batch = int(base.accelerators), int(base.global_batch)
    for near in (batch // count * count, (batch // count + 1) * count):
        plan = replace(base, global_batch=float(near))
        if near > 0 and has_valid_layout(shape, chip, plan, wish):
            yield plan
    step = _MACHINE if count > _MACHINE and count % _MACHINE == 0 else 1
    for sign in (-step, step):
        for number in range(1, _FAR // step + 1):
            plan = replace(base, accelerators=float(count + sign * number))
            if count + sign * number > 0 and has_valid_layout(shape, chip, plan, wish):
                yield plan
                break


def check_training_job(job: TrainingJob, shape: Network, chip: Hardware, *, global_batch: int) -> None:
    """Refuses ranks that the model, the batch or the number of accelerators does not allow."""
    count, layers = job.accelerators, int(shape.layers)
    heads, kv_heads, experts = int(shape.heads), int(shape.kv_heads), int(shape.experts)
    tensor = [n for n in _divisors(heads, heads) if n <= min(kv_heads, chip.domain) and count % n == 0]
    if job.tp is not None and job.tp not in tensor:
        raise InvalidJobError(
            f"tensor parallelism of {job.tp} needs to divide {heads} heads and {counted(count, 'accelerator')}, stay "
            f"within {kv_heads} heads of keys and values and {int(chip.domain)} accelerators on one fast link; "
            f"nearest: {_nearest(job.tp, tensor)}"
        )
    left = count // (job.tp or 1)
    stages = [n for n in _divisors(left, left) if n <= layers and stages_divide(layers, n)]
    if job.pp is not None and job.pp not in stages:
        what = "more stages than layers" if job.pp > layers else "stages that do not divide layers and accelerators"
        raise InvalidJobError(
            f"{job.pp} pipeline stages: {what} ({layers} layers); nearest: {_nearest(job.pp, stages)}"
        )
    left //= job.pp or 1
    if job.cp is not None and left % job.cp:
        near = _nearest(job.cp, _divisors(left, left))
        raise InvalidJobError(f"context parallelism of {job.cp} does not divide {left}; nearest: {near}")
    left //= job.cp or 1
    if job.dp is not None and (left % job.dp or (None not in (job.tp, job.pp, job.cp) and left != job.dp)):
        raise InvalidJobError(
            f"data parallelism of {job.dp} does not go with {counted(count, 'accelerator')} and the other ranks; "
            f"nearest: {_nearest(job.dp, _divisors(left, left))}"
        )
    if job.ep is not None and (not experts or experts % job.ep):
        near = _nearest(job.ep, _divisors(experts, experts)) if experts else "1: the model has no experts"
        raise InvalidJobError(f"expert parallelism of {job.ep} does not divide {experts} experts; nearest: {near}")
    _check_batch(job, left, global_batch)


def _check_batch(job: TrainingJob, replicas: int, global_batch: int) -> None:
    """Return where the number of replicas is given, or follows, the batch must divide into them."""
    follows = job.tp is not None and job.pp is not None
    if job.global_batch_sequences is None or (job.dp is None and not follows):
        return
    replicas = job.dp or replicas
    least = replicas * (job.micro_batch or 1)
    if global_batch % least:
        down = max(1, global_batch // least) * least
        raise InvalidJobError(
            f"a global batch of {counted(global_batch, 'sequence')} does not divide into "
            f"{counted(replicas, 'replica')} of micro-batches of {job.micro_batch or 1}; nearest: "
            f"{f'{down:,}' if down >= global_batch else f'{down:,} or {down + least:,}'}"
        )


def _nearest(given: int, legal: Iterable[int]) -> str:
    """The legal value below and the one above, in words."""
    values = sorted(set(legal))
    below = [n for n in values if n <= given][-1:]
    above = [n for n in values if n > given][:1]
    return " or ".join(f"{n:,}" for n in below + above) or "none"
