"""Numbers that divide into each other: the batch that so many accelerators allow, and what is near where none does."""

from collections.abc import Iterator
from dataclasses import replace

from planner.network.network import Network
from planner.speed.hardware import Hardware
from planner.speed.training.layout import LayoutWish, legal_layouts
from planner.speed.training.plan import TrainingPlan

_FAR = 64  # accelerators more or fewer that are looked at
_MACHINE = 8


def is_legal(shape: Network, chip: Hardware, base: TrainingPlan, wish: LayoutWish) -> bool:
    """Whether any layout divides batch, accelerators and model."""
    return len(legal_layouts(shape, chip, base, wish, {})["tp"]) > 0


def batch_that_divides(shape: Network, chip: Hardware, base: TrainingPlan, wish: LayoutWish) -> int:
    """The batch of a plan that nobody asked for: as it is, else the nearest of which each accelerator has as many."""
    count, batch = int(base.accelerators), int(base.global_batch)
    if count & (count - 1) == 0 or is_legal(shape, chip, base, wish):  # powers of two divide into each other
        return batch
    near = max(round(batch / count), 1) * count
    return near if is_legal(shape, chip, replace(base, global_batch=float(near)), wish) else batch


def nearest_legal(shape: Network, chip: Hardware, base: TrainingPlan, wish: LayoutWish) -> Iterator[TrainingPlan]:
    """Plans that are legal beside one that is not: the batch below and above, then fewer and more accelerators."""
    count, batch = int(base.accelerators), int(base.global_batch)
    for near in (batch // count * count, (batch // count + 1) * count):
        plan = replace(base, global_batch=float(near))
        if near > 0 and is_legal(shape, chip, plan, wish):
            yield plan
    step = _MACHINE if count > _MACHINE and count % _MACHINE == 0 else 1
    for sign in (-step, step):
        for number in range(1, _FAR // step + 1):
            plan = replace(base, accelerators=float(count + sign * number))
            if count + sign * number > 0 and is_legal(shape, chip, plan, wish):
                yield plan
                break
