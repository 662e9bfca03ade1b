"""Memory of a training job, and the effect of one change at a time on memory and speed.

The layout stays the one that was chosen, so that what differs between two lines is the change and nothing else. Where
nothing fits, the layout is the leanest there is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

import numpy as np

from planner.scenario.jobs import TrainingJob
from planner.speed.arrays import stack_records, take_entries
from planner.speed.training.constants import TrainingCalibration, default_calibration
from planner.speed.training.fitting import USABLE_SHARE, TrainingMemory, fits, peak_memory
from planner.speed.training.layout import valid_layouts
from planner.speed.training.plan import Layout, TrainingPlan
from planner.speed.training.step import tokens_per_s
from planner.speed.training.train import MOST_DOUBLINGS, ResolvedTrainingJob, base_plan, resolve_training_job
from pricing import Catalogue

AS_IT_IS = "as it is"
# All that a search may choose: what is left out of these would silently be another layout.
_LAYOUT = (*(degree.name for degree in fields(Layout)), "shard_ranks", "selective")


@dataclass(frozen=True)
class MemorySaving:
    """One way to lay out memory. `memory` is the fullest accelerator's; the speed is what it would be if it fitted."""

    words: str
    memory: TrainingMemory
    memory_gb: float  # what the device lets a job use
    fits: bool
    tokens_per_s_per_accelerator: float
    accelerators: int


@dataclass(frozen=True)
class _MemoryChange:
    """A change to the job, a change to the layout, and whether the layout allows it."""

    words: str
    job: Mapping[str, object] = field(default_factory=dict)
    layout: Mapping[str, float] = field(default_factory=dict)
    allowed: Callable[[TrainingPlan], bool] = lambda _: True


def _has_several_ranks(plan: TrainingPlan) -> bool:
    return bool(plan.dp * plan.cp > 1)


def _has_ranks_without_pipeline(plan: TrainingPlan) -> bool:
    return _has_several_ranks(plan) and bool(plan.pp == 1)


def _zero_stage(stage: float) -> dict[str, float]:
    """The plan with a ZeRO stage over all ranks that hold the same weights."""
    return {"shard": stage, "shard_ranks": 0.0}


_WAYS = (
    _MemoryChange(AS_IT_IS),
    _MemoryChange("nothing sharded", layout=_zero_stage(0.0), allowed=_has_several_ranks),
    _MemoryChange("ZeRO 1: states sharded", layout=_zero_stage(1.0), allowed=_has_several_ranks),
    _MemoryChange("ZeRO 2: gradients too", layout=_zero_stage(2.0), allowed=_has_ranks_without_pipeline),
    _MemoryChange("ZeRO 3 (FSDP): weights too", layout=_zero_stage(3.0), allowed=_has_ranks_without_pipeline),
    _MemoryChange("activations recomputed", layout={"recompute": 1.0, "selective": 0.0}),
    _MemoryChange("one sequence at a time", layout={"micro_batch": 1.0}),
    _MemoryChange("optimizer in 8 bits", {"optimizer": "adamw_8bit"}),
    _MemoryChange("optimizer on the host", {"offload_optimizer": True}),
    _MemoryChange("LoRA: only adapters trained", {"method": "lora"}),
    _MemoryChange("QLoRA: on 4-bit weights", {"method": "qlora"}),
)


def memory_savings(
    catalogue: Catalogue, job: TrainingJob, *, calibration: TrainingCalibration | None = None
) -> tuple[MemorySaving, ...]:
    """The job as it is, then each way to save; empty where no layout is legal."""
    resolved = resolve_training_job(catalogue, job, calibration or default_calibration())
    plan = _best(resolved, base_plan(job, batch=resolved.batch))
    if plan is None:
        return ()
    tried = {way.words: _apply_change(resolved, plan, way) for way in _WAYS if way.allowed(plan)}
    same = [words for words, other in tried.items() if other == plan and words != AS_IT_IS]
    tried = {words: other for words, other in tried.items() if words not in same}
    more = None if bool(fits(peak_memory(resolved.shape, plan), resolved.chip)) else _more_accelerators(resolved)
    if more is not None:
        tried[f"{int(more.accelerators):,} accelerators"] = more
    plans = stack_records(list(tried.values()))
    memory = peak_memory(resolved.shape, plans)
    limit = float(resolved.chip.memory_gb) * USABLE_SHARE
    constants, pace = resolved.constants.constants, resolved.faster(plan)
    rate = np.asarray(
        tokens_per_s(resolved.shape, resolved.chip, plans, constants, chip_factor=resolved.factor, pace=pace)
    )
    good = fits(memory, resolved.chip)
    return tuple(
        MemorySaving(
            words, take_entries(memory, place), limit, bool(good[place]), float(rate[place]), int(plan.accelerators)
        )
        for place, (words, plan) in enumerate(tried.items())
    )


def _best(resolved: ResolvedTrainingJob, base: TrainingPlan) -> TrainingPlan | None:
    """The fastest layout that fits, else the leanest; None where none is legal."""
    candidates = resolved.search(base).found
    if candidates:
        return candidates[0].plan
    table = valid_layouts(resolved.shape, resolved.chip, base, resolved.wish, {})
    if not len(table["tp"]):
        return None
    plans = replace(base, **table)
    return take_entries(plans, int(np.argmin(peak_memory(resolved.shape, plans).total_gb)))


def _apply_change(resolved: ResolvedTrainingJob, plan: TrainingPlan, way: _MemoryChange) -> TrainingPlan:
    if way.job:
        base = base_plan(resolved.job.model_copy(update=dict(way.job)), batch=resolved.batch)
        plan = replace(base, **{name: getattr(plan, name) for name in ("accelerators", *_LAYOUT)})
    return replace(plan, **way.layout)


def _more_accelerators(resolved: ResolvedTrainingJob) -> TrainingPlan | None:
    """The fastest layout on twice, four times … as many accelerators: the first that fits."""
    job, count = resolved.job, resolved.job.accelerators
    for _ in range(MOST_DOUBLINGS):
        count *= 2
        batch = resolved.batch if job.global_batch_sequences else max(resolved.batch, count)
        base = base_plan(job.model_copy(update={"accelerators": count}), batch=batch)
        candidates = resolved.search(base).found
        if candidates:
            return candidates[0].plan
    return None
