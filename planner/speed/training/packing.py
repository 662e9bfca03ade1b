"""Several fine-tuning jobs on one accelerator: one after the other, side by side on one frozen base, or on slices.

Each way is the same model of a step, asked about another plan: sharing a base is one batch of all jobs, a slice is a
smaller chip. What only several cost is an assumption of its own, with a range.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from pydantic import Field

from planner.scenario.training_job import TrainingJob
from planner.speed.arrays import Num
from planner.speed.data_files import Reached, read_data
from planner.speed.refused import UnknownChip
from planner.speed.training.bands import band_for, traits_of
from planner.speed.training.constants import TrainingCalibration, house_calibration
from planner.speed.training.goodput import best_tokens, reliability, team_share
from planner.speed.training.layout import legal_layouts
from planner.speed.training.legal import check_job
from planner.speed.training.memory import USABLE_SHARE, peak_memory
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.result import Range
from planner.speed.training.step import tokens_per_s
from planner.speed.training.train import AskedTraining, base_plan, looked_up, run_hours
from pricing import Catalogue
from pricing.figure import Strict, Text

WayName = Literal["in_turn", "shared_base", "slices"]
ON_A_BASE = ("lora", "qlora")  # methods that leave the base as it is, so that several may use one
MOST_ON_A_BASE = 64
# More jobs are not taken for the last percent of speed.
ENOUGH = 0.99
_ONE = dict.fromkeys(("tp", "pp", "virtual_stages", "cp", "ep", "dp", "zero")) | {"accelerators": 1}


class Ways(Strict):
    """What several jobs reach on one accelerator, for each way to run them there."""

    about: Text = Field(description="what this file holds and where it came from")
    ways: dict[WayName, Reached] = Field(description="what they reach of the rate of one batch made of all of them")


@dataclass(frozen=True)
class PackedPace:
    """What jobs that share an accelerator reach: hours from start to end, and those of it that one run pays."""

    tokens_per_s_each: Range
    tokens_per_s_all: Range
    hours_each: Range
    accelerator_hours_per_run: Range


@dataclass(frozen=True)
class Together:
    """One way to run several of a job on one accelerator. Without a `pace` it cannot be, and `reason` says why."""

    way: WayName
    profile: str | None
    at_once: int
    needs_gb: float  # on the accelerator, or on each slice
    memory_gb: float
    pace: PackedPace | None
    assumed: str
    reason: str | None = None


@dataclass(frozen=True)
class _Best:
    """The fastest plan that fits: how many jobs it does at once, at which rate all together, in how many GB."""

    at_once: int
    tokens_per_s: float
    memory_gb: float


def together(
    catalogue: Catalogue, job: TrainingJob, *, calibration: TrainingCalibration | None = None
) -> tuple[Together, ...]:
    """Every way to do several runs of this job on one accelerator of its kind. Raises what `train` raises."""
    constants = calibration or house_calibration()
    one = job.model_copy(update=_ONE | {"mig_profile": None})
    whole = looked_up(catalogue, one, constants)
    check_job(one, whole.shape, whole.chip, global_batch=whole.batch)
    found = [_way(catalogue, "in_turn", whole, _alone(whole))]
    if job.method in ON_A_BASE:
        found.append(_way(catalogue, "shared_base", whole, _on_one_base(whole)))
    for cut in catalogue.accelerators[whole.chip_key].mig:
        if cut.count < 2:
            continue  # a single slice is no company
        try:
            asked = looked_up(catalogue, one.model_copy(update={"mig_profile": cut.name}), constants)
        except UnknownChip:
            continue
        found.append(_way(catalogue, "slices", asked, _alone(asked), profile=cut.name, slices=cut.count))
    return tuple(found)


def _alone(asked: AskedTraining) -> _Best | float:
    """One job on the whole chip or the slice; or the GB it needs at least."""
    found = asked.search(base_plan(asked.job, batch=asked.batch))
    if not found.found:
        return found.least_memory_gb
    best = found.found[0]
    return _Best(1, best.tokens_per_s_per_accelerator, best.memory_gb)


def _on_one_base(asked: AskedTraining) -> _Best | float:
    """Jobs side by side on one base, in as large a number as pays: every number with every layout, as arrays."""
    base = base_plan(asked.job, batch=asked.batch)
    table = legal_layouts(asked.shape, asked.chip, base, asked.wish, {})
    if not len(table["tp"]):
        return float("nan")
    most = min(MOST_ON_A_BASE, max(int(1 / float(base.trainable_share)), 2))
    jobs = np.repeat(np.arange(2.0, most + 1), len(table["tp"]))
    plans = _joined(replace(base, **{name: np.tile(cells, most - 1) for name, cells in table.items()}), jobs)
    memory_gb = np.asarray(peak_memory(asked.shape, plans).total_gb)
    fits = memory_gb <= asked.chip.memory_gb * USABLE_SHARE
    if not fits.any():
        return float(memory_gb.min())
    known = asked.constants.constants
    rate = tokens_per_s(asked.shape, asked.chip, plans, known, chip_factor=asked.factor, pace=asked.pace.ratio)
    rate = np.where(fits, rate, 0.0)
    good = rate >= ENOUGH * rate.max()
    fewest = jobs[good].min()
    at = int(np.argmax(np.where(jobs == fewest, rate, 0.0)))
    return _Best(int(fewest), float(rate[at]), float(memory_gb[at]))


def _joined(plan: TrainingPlan, jobs: Num) -> TrainingPlan:
    """One plan whose every micro-batch holds sequences of all the jobs, each with an adapter of its own."""
    return replace(
        plan,
        micro_batch=plan.micro_batch * jobs,
        global_batch=plan.global_batch * jobs,
        trainable_share=plan.trainable_share * jobs,
    )


def _way(
    catalogue: Catalogue,
    way: WayName,
    asked: AskedTraining,
    best: _Best | float,
    *,
    profile: str | None = None,
    slices: int = 1,
) -> Together:
    said = _ways()[way]
    loss = Range(said.low, said.typical, said.high)
    has = float(asked.chip.memory_gb) * USABLE_SHARE
    if not isinstance(best, _Best):
        where = "a slice" if profile else "the accelerator"
        reason = f"needs {best:,.1f} GB and {where} has {has:,.1f}" if np.isfinite(best) else "no layout is legal"
        return Together(way, profile, 0, best, has, None, said.words, reason)
    pace = _pace(catalogue, asked, best, loss, slices)
    return Together(way, profile, best.at_once * slices, best.memory_gb, has, pace, said.words)


@lru_cache(maxsize=1)
def _ways() -> dict[WayName, Reached]:
    return Ways.model_validate(read_data("together.yaml")).ways


def _pace(catalogue: Catalogue, asked: AskedTraining, best: _Best, loss: Range, slices: int) -> PackedPace:
    """Rates and hours with their ranges. The parts' ends are multiplied: the range is wider than that of one job."""
    job, at_once = asked.job, best.at_once * slices
    shape = asked.shape
    traits = traits_of(shape, base_plan(job, batch=asked.batch), asked.family)
    known = band_for(traits, calibration=asked.constants, own=asked.pace.like or "")
    band = known.with_ends(*(end / loss.typical for end in (known.low * loss.low, known.high * loss.high)))
    rate = best.tokens_per_s * slices * loss.typical
    every = Range(rate * band.low, rate, rate * band.high)
    often = reliability(
        catalogue, accelerators=1.0, params=float(shape.params), team=job.team,
        failures=job.failures,
    )  # fmt: skip
    team = team_share(job.team).where_measured(asked.pace.kept)
    tokens = job.tokens or float(best_tokens(shape.active_params))
    hours = run_hours(tokens, rate, float(often.useful_share), band, (team.low, team.typical, team.high))
    return PackedPace(_times(every, 1 / at_once), every, _times(hours, at_once), hours)


def _times(range_: Range, factor: float) -> Range:
    return Range(range_.low * factor, range_.typical * factor, range_.high * factor)
