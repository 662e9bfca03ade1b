"""What cannot be, said before anything is computed, with the nearest values that can."""

from collections.abc import Iterable

from planner.network.network import Network
from planner.scenario.amounts import count as counted
from planner.scenario.training_job import TrainingJob
from planner.speed.hardware import Hardware, InvalidJobError
from planner.speed.training.layout import stages_divide


def check_training_job(job: TrainingJob, shape: Network, chip: Hardware, *, global_batch: int) -> None:
    """Refuses ranks that the model, the batch or the number of accelerators does not allow."""
    count, layers = job.accelerators, int(shape.layers)
    heads, kv_heads, experts = int(shape.heads), int(shape.kv_heads), int(shape.experts)
    tensor = [n for n in _divisors(heads) if n <= min(kv_heads, chip.domain) and count % n == 0]
    if job.tp is not None and job.tp not in tensor:
        raise InvalidJobError(
            f"tensor parallelism of {job.tp} needs to divide {heads} heads and {counted(count, 'accelerator')}, stay "
            f"within {kv_heads} heads of keys and values and {int(chip.domain)} accelerators on one fast link; "
            f"nearest: {_nearest(job.tp, tensor)}"
        )
    left = count // (job.tp or 1)
    stages = [n for n in _divisors(left) if n <= layers and stages_divide(layers, n)]
    if job.pp is not None and job.pp not in stages:
        what = "more stages than layers" if job.pp > layers else "stages that do not divide layers and accelerators"
        raise InvalidJobError(
            f"{job.pp} pipeline stages: {what} ({layers} layers); nearest: {_nearest(job.pp, stages)}"
        )
    left //= job.pp or 1
    if job.cp is not None and left % job.cp:
        raise InvalidJobError(
            f"context parallelism of {job.cp} does not divide {left}; nearest: {_nearest(job.cp, _divisors(left))}"
        )
    left //= job.cp or 1
    if job.dp is not None and (left % job.dp or (None not in (job.tp, job.pp, job.cp) and left != job.dp)):
        raise InvalidJobError(
            f"data parallelism of {job.dp} does not go with {counted(count, 'accelerator')} and the other ranks; "
            f"nearest: {_nearest(job.dp, _divisors(left))}"
        )
    if job.ep is not None and (not experts or experts % job.ep):
        near = _nearest(job.ep, _divisors(experts)) if experts else "1: the model has no experts"
        raise InvalidJobError(f"expert parallelism of {job.ep} does not divide {experts} experts; nearest: {near}")
    _check_batch(job, left, global_batch)


def _check_batch(job: TrainingJob, replicas: int, global_batch: int) -> None:
    """Where the number of replicas is given, or follows, the batch must divide into them."""
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
            f"{_either_text(down, down + least, global_batch)}"
        )


def _either_text(down: int, up: int, wanted: int) -> str:
    return f"{down:,}" if down >= wanted else f"{down:,} or {up:,}"


def _divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def _nearest(wanted: int, legal: Iterable[int]) -> str:
    """The legal value below and the one above, in words."""
    values = sorted(set(legal))
    below = [n for n in values if n <= wanted][-1:]
    above = [n for n in values if n > wanted][:1]
    return " or ".join(f"{n:,}" for n in below + above) or "none"
