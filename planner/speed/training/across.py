"""One training job on many accelerators and in many numbers at once: what `train` says of each, for a whole catalogue.

Which layouts are legal and what they hold in memory does not depend on the chip, only how long they take does. So the
layouts of a number are made once, those that another beats on every chip are dropped, and the rest is weighed on all
chips in one call: chips down, layouts across.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from planner.network.network import Network
from planner.network.record import with_user_models
from planner.scenario.base import HOURS_PER_DAY
from planner.scenario.jobs import TrainingJob
from planner.speed.arrays import stack_records, take_entries
from planner.speed.bands import Band
from planner.speed.hardware import Hardware, MissingAcceleratorDataError, hardware, hardware_family, lacks_units
from planner.speed.pace import SpeedCorrection, training_correction
from planner.speed.training.constants import (
    TrainingCalibration,
    default_calibration,
    kind_pace,
    level_name,
    training_band,
    training_traits,
)
from planner.speed.training.fitting import USABLE_SHARE, peak_memory
from planner.speed.training.goodput import TeamEfficiency, compute_optimal_tokens, reliability, team_share
from planner.speed.training.layout import (
    Array,
    LayoutCandidate,
    LayoutColumns,
    divisible_batch,
    hybrid_group_size,
    layout_score,
    valid_layouts,
)
from planner.speed.training.plan import ANY_LAYOUT, TrainingPlan
from planner.speed.training.result import Interval
from planner.speed.training.step import tokens_per_s
from planner.speed.training.train import base_plan, default_batch, find_network, run_hours
from pricing import Catalogue
from pricing.caching import cached

WHOLLY_SHARDED = 3.0
_AT_ONCE = 512  # layouts weighed together: all chips of them stay in a processor's cache


@dataclass(frozen=True)
class Throughput:
    """The throughput of so many accelerators; or, without a speed, the memory they lack."""

    accelerator: str
    accelerators: int
    memory_gb: float
    least_memory_gb: float  # of the leanest layout; not-a-number where none is legal
    tokens_per_s_per_accelerator: float | None = None
    layout: LayoutCandidate | None = None
    accelerator_hours: Interval | None = None

    @property
    def days(self) -> Interval | None:
        """Return how long the run takes."""
        if self.accelerator_hours is None:
            return None
        hours, each = self.accelerator_hours, self.accelerators * HOURS_PER_DAY
        return Interval(hours.low / each, hours.typical / each, hours.high / each)


@dataclass(frozen=True, eq=False)
class _AcceleratorColumns:
    """Chips side by side, as columns that layouts stand across."""

    keys: tuple[str, ...]
    kinds: tuple[str, ...]
    families: tuple[str, ...]
    columns: Hardware  # of shape (chips, 1)
    factor: Array
    memory_gb: Array  # that a job may use
    domain: Array
    paces: tuple[SpeedCorrection, ...]  # after runs of one's own on each


def unknown_speed(catalogue: Catalogue, precision: str = "bf16") -> dict[str, str]:
    """The accelerators that cannot train in that precision or whose rates are unknown, and what of them is missing."""
    missing = {}
    for key, record in catalogue.accelerators.items():
        try:
            hardware(key, record)
        except MissingAcceleratorDataError as reason:
            missing[key] = reason.lacks
        else:
            missing |= {key: lacks} if (lacks := lacks_units(record, precision)) else {}
    return missing


def across(
    catalogue: Catalogue,
    job: TrainingJob,
    accelerators: Sequence[str],
    counts: Sequence[int],
    *,
    enough: Callable[[Sequence[Throughput]], bool] = lambda _: False,
    calibration: TrainingCalibration | None = None,
) -> Iterator[tuple[Throughput, ...]]:
    """For each number, ascending, what each of the accelerators does: the best layout, as `train` finds it.

    Numbers end where `enough` says so of the last ones. The job's own accelerator, number and layout are left aside.
    """
    fitted = calibration or default_calibration()
    usual = {name: TrainingJob.model_fields[name].default for name in _RUN_ONLY}
    asked_of = job.model_copy(update={**usual, "accelerator": "any"})
    batch, keys = default_batch(job), tuple(accelerators)
    for count in sorted(set(counts)):
        weighed = _weighed(catalogue, fitted, asked_of, keys, count, batch)
        often = reliability(
            catalogue, accelerators=float(count), params=float(weighed.shape.params), team=job.team,
            failures=job.failures,
        )  # fmt: skip
        tokens = job.tokens or float(compute_optimal_tokens(weighed.shape.active_params))
        run = _Run(count, tokens, float(often.useful_share), team_share(job.team))
        row = tuple(_reach(key, result, run) for key, result in zip(keys, weighed.chips, strict=True))
        yield row
        if enough(row):
            return


@dataclass(frozen=True)
class _LayoutResult:
    """The best layout of so many of a chip, whatever is trained for how long."""

    memory_gb: float
    least_memory_gb: float
    rate: float = 0.0
    layout: LayoutCandidate | None = None
    band: Band | None = None
    team_kept: float = 0.0  # the share of what one's own runs say that is believed to be the team's


@dataclass(frozen=True)
class _CountResults:
    shape: Network
    chips: tuple[_LayoutResult, ...]


# The best layouts on the chips of a catalogue: how many tokens there are changes them as little as money.


def _facts(catalogue: Catalogue, fitted: TrainingCalibration, *_: object) -> tuple[object, ...]:
    return catalogue.accelerators, catalogue.models, fitted


@cached(16, same=_facts, equal=lambda _, __, *question: question)
def _board(
    catalogue: Catalogue, fitted: TrainingCalibration, job: TrainingJob, keys: tuple[str, ...]
) -> tuple[_AcceleratorColumns, Network]:
    catalogue = with_user_models(catalogue, job.models)
    return _accelerator_columns(catalogue, keys, fitted, job), find_network(catalogue, job)


@cached(256, same=_facts, equal=lambda _, __, *question: question)  # numbers, of some sixteen jobs
def _weighed(
    catalogue: Catalogue, fitted: TrainingCalibration, job: TrainingJob, keys: tuple[str, ...], count: int, batch: int
) -> _CountResults:
    chips, shape = _board(catalogue, fitted, job, keys)
    widest = take_entries(chips.columns, (int(np.argmax(chips.domain)), 0))
    here = replace(base_plan(job, batch=batch), accelerators=float(count))
    if job.global_batch_sequences is None:
        here = replace(here, global_batch=float(divisible_batch(shape, widest, here, ANY_LAYOUT)))
    table = valid_layouts(shape, widest, here, ANY_LAYOUT, {})
    table = {name: column[_undominated(table)] for name, column in table.items()}
    table, domain = _with_hybrids(table, sorted({float(size) for size in chips.domain}))
    plans = replace(here, **table)
    memory_gb = np.asarray(peak_memory(shape, plans).total_gb) if len(table["tp"]) else np.zeros(0)
    layouts = _LayoutTable(plans, table, memory_gb, domain)
    best = _best(shape, chips, layouts, fitted)
    return _CountResults(shape, tuple(_one(shape, chips, at, layouts, best, fitted) for at in range(len(keys))))


_RUN_ONLY = ("accelerators", "tokens", "unique_tokens", "failures", "team")  # they set the run, not its layout


def _accelerator_columns(
    catalogue: Catalogue, keys: Sequence[str], fitted: TrainingCalibration, job: TrainingJob
) -> _AcceleratorColumns:
    records = [hardware(key, catalogue.accelerators[key], nic_gb_s=job.network_gb_s) for key in keys]
    families = [hardware_family(catalogue.accelerators[key]) for key in keys]
    kinds = tuple(catalogue.accelerators[key].kind for key in keys)
    factors = [
        fitted.chip_factor(key, family) * kind_pace(kind)
        for key, family, kind in zip(keys, families, kinds, strict=True)
    ]
    rows = stack_records(records)
    columns = Hardware(**{field.name: getattr(rows, field.name).reshape(-1, 1) for field in fields(Hardware)})
    paces = [training_correction(catalogue, job, key) for key in keys]
    return _AcceleratorColumns(
        keys=tuple(keys), kinds=kinds, families=tuple(families), columns=columns,
        factor=np.array(factors).reshape(-1, 1),
        memory_gb=np.asarray(rows.memory_gb) * USABLE_SHARE, domain=np.asarray(rows.domain), paces=tuple(paces),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _LayoutTable:
    """Legal layouts of one number as arrays, with the memory they take."""

    plans: TrainingPlan
    table: LayoutColumns
    memory_gb: Array
    domain: Array  # for chips with so many on a fast link; 0: for all


def _with_hybrids(table: LayoutColumns, domains: Sequence[float]) -> tuple[LayoutColumns, Array]:
    """Layouts with hybrid sharding within each size of fast link, and the size that each row is for."""
    whole = np.flatnonzero(table["shard"] == WHOLLY_SHARDED)
    rows, groups, sizes = [np.arange(len(table["tp"]))], [np.zeros(len(table["tp"]))], [np.zeros(len(table["tp"]))]
    sharded = {name: column[whole] for name, column in table.items()}
    for size in domains:
        group = hybrid_group_size(size, sharded)
        hybrid = (group > 1) & (group < sharded["dp"] * sharded["cp"])
        rows.append(whole[hybrid])
        groups.append(group[hybrid])
        sizes.append(np.full(int(hybrid.sum()), size))
    taken_rows = np.concatenate(rows)
    grown = {name: column[taken_rows] for name, column in table.items()}
    return grown | {"shard_ranks": np.concatenate(groups)}, np.concatenate(sizes)


def _undominated(table: LayoutColumns) -> NDArray[np.bool_]:
    """Layouts that no other beats on every chip.

    More virtual stages only shorten the bubble and keep no more in memory than fewer do, except one; and sharding the
    optimizer costs nothing where there are ranks to share it, sharding gradients beside it neither. Hybrid sharding,
    whose groups depend on the chip, is added chip by chip.
    """
    most = {pp: float(table["vpp"][table["pp"] == pp].max()) for pp in np.unique(table["pp"])}
    longest = np.array([most[pp] for pp in np.unique(table["pp"])])
    deepest = longest[np.searchsorted(np.unique(table["pp"]), table["pp"])] if len(longest) else table["vpp"]
    stages = (table["vpp"] == 1) | (table["vpp"] == deepest)
    alone = table["dp"] * table["cp"] <= 1
    least = np.where(alone, 0.0, np.where(table["pp"] > 1, 1.0, 2.0))
    return np.asarray(stages & (table["shard"] >= least) & (table["shard_ranks"] == 0))


@dataclass(frozen=True, eq=False)
class _Best:
    """For each chip the place of its fastest layout and what that reaches; 0 where none fits."""

    at: NDArray[np.intp]
    rate: Array


def _best(shape: Network, chips: _AcceleratorColumns, layouts: _LayoutTable, fitted: TrainingCalibration) -> _Best:
    many = len(chips.keys)
    at, rate, best = np.zeros(many, dtype=np.intp), np.zeros(many), np.zeros(many)
    # The leanest first: what only large chips hold is weighed on those alone, and of equals the leaner one is taken.
    order = np.argsort(layouts.memory_gb, kind="stable")
    order = order[layouts.memory_gb[order] <= chips.memory_gb.max(initial=0.0)]
    if not len(order):
        return _Best(at, rate)
    some_plan = take_entries(layouts.plans, 0)  # software, format and what is trained are the same in all
    levels = [fitted.level(level_name(shape.label, key, some_plan)) for key in chips.keys]
    paces = np.array([[pace.ratio * level] for pace, level in zip(chips.paces, levels, strict=True)])
    for rows in (order[begin : begin + _AT_ONCE] for begin in range(0, len(order), _AT_ONCE)):
        fitting = np.flatnonzero(chips.memory_gb >= layouts.memory_gb[rows].min())
        some = Hardware(**{field.name: getattr(chips.columns, field.name)[fitting] for field in fields(Hardware)})
        plans, factor = take_entries(layouts.plans, rows), chips.factor[fitting]
        rates = tokens_per_s(shape, some, plans, fitted.constants, chip_factor=factor, pace=paces[fitting])
        reached = np.asarray(rates)
        legal = layouts.memory_gb[rows] <= chips.memory_gb[fitting, None]
        legal &= layouts.table["tp"][rows] <= chips.domain[fitting, None]
        legal &= (layouts.domain[rows] == 0) | (layouts.domain[rows] == chips.domain[fitting, None])
        reached = np.where(legal, reached, 0.0)
        valued = layout_score(reached, layouts.memory_gb[rows] / (chips.memory_gb[fitting, None] / USABLE_SHARE))
        place = valued.argmax(axis=1)
        most, reaches = valued[np.arange(len(fitting)), place], reached[np.arange(len(fitting)), place]
        better = most > best[fitting]
        at[fitting[better]], rate[fitting[better]], best[fitting[better]] = (
            rows[place[better]],
            reaches[better],
            most[better],
        )
    return _Best(at, rate)


def _one(
    shape: Network, chips: _AcceleratorColumns, at: int, on: _LayoutTable, best: _Best, fitted: TrainingCalibration
) -> _LayoutResult:
    memory = on.memory_gb[on.table["tp"] <= chips.domain[at]]
    least_memory_gb = float(memory.min()) if len(memory) else float("nan")
    result = _LayoutResult(float(chips.memory_gb[at]), least_memory_gb)
    rate = float(best.rate[at])
    if rate <= 0:
        return result
    place = int(best.at[at])
    plan, pace = take_entries(on.plans, place), chips.paces[at]
    layout = LayoutCandidate(plan, rate, float(on.memory_gb[place]))
    band = training_band(
        training_traits(shape, plan, chips.families[at]), calibration=fitted, own=pace.like or "",
        kind=chips.kinds[at], level=level_name(shape.label, chips.keys[at], plan),
    )  # fmt: skip
    return replace(result, rate=rate, layout=layout, band=band, team_kept=pace.kept)


@dataclass(frozen=True)
class _Run:
    """Losses and gains of a run beside its steps."""

    accelerators: int
    tokens: float
    useful_share: float
    team: TeamEfficiency


def _reach(key: str, result: _LayoutResult, run: _Run) -> Throughput:
    throughput = Throughput(key, run.accelerators, result.memory_gb, result.least_memory_gb)
    if result.band is None:
        return throughput
    team = run.team.shrunk_by_own_runs(result.team_kept)
    hours = run_hours(run.tokens, result.rate, run.useful_share, result.band, (team.low, team.typical, team.high))
    return replace(throughput, tokens_per_s_per_accelerator=result.rate, layout=result.layout, accelerator_hours=hours)


_STEP = 8  # above so many, in whole machines


def fewest_by_deadline(catalogue: Catalogue, job: TrainingJob, deadline_days: float, most: int) -> Throughput | None:
    """The fewest found, above the job's own number, that are done by the deadline; None where up to `most` none are.

    The number is doubled until one is in time, and the gap below that halved.
    """

    def in_time(reach: Throughput) -> bool:
        return reach.days is not None and reach.days.typical <= deadline_days

    def reaches(*counts: int) -> Iterator[Throughput]:
        for row in across(catalogue, job, (job.accelerator,), counts, enough=lambda row: in_time(row[0])):
            yield row[0]

    doubled = [job.accelerators * 2**power for power in range(1, most.bit_length())]
    numbers = sorted({*(count for count in doubled if count < most), most})
    fewest = next((reach for reach in reaches(*numbers) if in_time(reach)), None)
    if fewest is None:
        return None
    low = max((count for count in (job.accelerators, *numbers) if count < fewest.accelerators), default=0)
    while True:
        step = _STEP if fewest.accelerators > _STEP else 1
        middle = (low + fewest.accelerators) // 2 // step * step
        if not low < middle < fewest.accelerators:
            return fewest
        tried = next(reaches(middle))
        low, fewest = (low, tried) if in_time(tried) else (middle, fewest)
