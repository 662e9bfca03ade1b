"""How many accelerator-hours one piece of the plan's work takes: a request, a million tokens, a run of training."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from planner.money.setting import Setting
from planner.scenario.base import MILLION, SECONDS_PER_HOUR
from planner.scenario.task import Run, Serve, Train
from planner.scenario.work import Work
from planner.speed.serving import is_other_work

Kind = Literal["request", "million_tokens", "training", "run"]


@dataclass(frozen=True)
class Piece:
    """One piece of work, and the accelerator-hours it keeps busy."""

    kind: Kind
    model: str  # that was named; empty for work that is known by its hours
    accelerator_hours: float


def pieces(setting: Setting) -> tuple[Piece, ...]:
    """What can be counted of the plan's work; nothing where it is told in plain hours."""
    pairs = zip(setting.scenario.work, setting.written.work, strict=True)
    return tuple(one for plain, written in pairs for one in _of(plain, written))


def _of(plain: Work, written: Work) -> Iterator[Piece]:
    """The plain hours of a kind of work over the pieces that they do."""
    if written.serve is not None:
        yield from _served(plain, written.serve)
    elif written.train is not None:
        yield Piece("training", written.train.model, _run_hours(plain, written.train))
    elif written.run is not None:
        yield Piece("run", "", _run_hours(plain, written.run))


def _served(plain: Work, task: Serve) -> Iterator[Piece]:
    hours = plain.accelerators * plain.usual_busy_share / (task.requests_per_s * SECONDS_PER_HOUR)
    yield Piece("request", task.model, hours)
    if not is_other_work(task.model):
        yield Piece("million_tokens", task.model, hours / task.output_tokens * MILLION)


def _run_hours(plain: Work, task: Train | Run) -> float:
    if task.runs_per_month is not None:
        return (plain.accelerator_hours_per_month or 0.0) / task.runs_per_month
    return plain.jobs[-1].accelerators * plain.jobs[-1].hours
