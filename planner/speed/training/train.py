"""From a job to an answer: does it fit, how is it laid out, how fast is it, how long does it take."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from planner.network.kinds import UnknownShape
from planner.network.network import Network
from planner.network.record import build_network, with_user_models
from planner.scenario.amounts import count as counted
from planner.scenario.base import ONE_MACHINE
from planner.scenario.jobs import TrainingJob
from planner.speed.bands import Band
from planner.speed.hardware import (
    Hardware,
    InvalidJobError,
    MissingAcceleratorDataError,
    cap_power,
    hardware,
    hardware_family,
    lacks_units,
    processor_memory_gb,
    slice_shares,
)
from planner.speed.match_model import find_model_record, substitution_note
from planner.speed.pace import BITS, SpeedCorrection, training_correction
from planner.speed.training.constants import (
    UNSEEN_KINDS,
    TrainingCalibration,
    default_calibration,
    kind_pace,
    level_name,
    training_band,
    training_traits,
)
from planner.speed.training.fitting import LOSS_CHUNKS, USABLE_SHARE, WAYS, peak_memory
from planner.speed.training.goodput import (
    compute_optimal_tokens,
    data_facts,
    effective_fresh_tokens,
    reliability,
    team_share,
)
from planner.speed.training.images import no_rate_message
from planner.speed.training.layout import (
    LayoutCandidate,
    LayoutSearchResult,
    check_training_job,
    divisible_batch,
    has_valid_layout,
    nearest_valid_plans,
    search_layouts,
)
from planner.speed.training.plan import HYBRID, SELECTIVE, Layout, TrainingPlan
from planner.speed.training.result import (
    NOT_SPREAD,
    Interval,
    TrainingFitSuggestion,
    TrainingResult,
    TrainingSpeed,
    flops_per_token,
    waterfall,
)
from planner.speed.training.stated import ADAPTER_SHARE, ADAPTER_WEIGHT_BYTES, FLASH_SINCE, is_compiled
from planner.speed.training.step import step_parts
from pricing import Catalogue, names
from pricing.records import Accelerator

# Tokens of a step that pre-training of billions of parameters, and fine-tuning, are usually given.
BATCH_TOKENS, TUNING_BATCH_TOKENS = 4_194_304, 262_144
# Long runs take more: the batch that learns best, by H. Li et al., Predictable Scale: Part I, Step Law, 2025
# (https://arxiv.org/abs/2503.04715), is 0.58 D^0.571 tokens for D in all: above the usual from a trillion on.
BATCH_FACTOR, BATCH_POWER = 0.58, 0.571
QUANTISED_BYTES = 0.56
_STATE_BYTES = {"adamw": 12.0, "adamw_bf16": 4.0, "adamw_8bit": 2.0}
_ZERO = {"none": 0.0, "zero1": 1.0, "zero2": 2.0, "zero3": 3.0, "hybrid": HYBRID}
_RECOMPUTE = {"none": 0.0, "selective": SELECTIVE, "full": 1.0}
_FREE_WAYS = (
    "narrow_gradients",
    "narrow_states",
    "update_in_backward",
    "eight_bit_states",
    "activation_offload",
    "offload",
)
MOST_DOUBLINGS = 8


@dataclass(frozen=True)
class ResolvedTrainingJob:
    """A job with its names looked up."""

    job: TrainingJob
    shape: Network
    chip_key: str
    family: str  # of chips
    chip: Hardware
    factor: float
    pace: SpeedCorrection
    constants: TrainingCalibration
    batch: int
    wish: Layout[float | None]

    def level_name(self, plan: TrainingPlan) -> str:
        """Return by what the level of its setup is known."""
        return level_name(self.shape.label, self.chip_key, plan)

    def faster(self, plan: TrainingPlan) -> float:
        """Return how much faster than the constants say: by the level of its setup, and by one's own runs."""
        return self.pace.ratio * self.constants.level(self.level_name(plan))

    def search(self, base: TrainingPlan) -> LayoutSearchResult:
        """The layouts of `base` that fit, at the pace of one's own runs."""
        constants, pace = self.constants.constants, self.faster(base)
        result = search_layouts(self.shape, self.chip, base, constants, wish=self.wish, chip_factor=self.factor)
        return (
            result
            if pace == 1.0
            else replace(result, found=tuple(candidate.at_pace(pace) for candidate in result.found))
        )


def train(catalogue: Catalogue, job: TrainingJob, *, calibration: TrainingCalibration | None = None) -> TrainingResult:
    """Return what becomes of the job. Raises `InvalidJobError` for what cannot exist."""
    catalogue = with_user_models(catalogue, job.models)
    resolved = resolve_training_job(catalogue, job, calibration or default_calibration())
    check_training_job(job, resolved.shape, resolved.chip, global_batch=resolved.batch)
    base = base_plan(job, batch=resolved.batch)
    result = resolved.search(base)
    tokens = job.tokens or float(compute_optimal_tokens(resolved.shape.active_params))
    ways = () if result.found else _ways_to_fit(resolved, base)
    best = result.found[0] if result.found else None
    better = None if best is None else _faster_subset(resolved, base, best)
    # The laws that these rest on are of training from the beginning.
    params = float(resolved.shape.active_params)
    facts = () if job.method != "full" else data_facts(params=params, tokens=tokens, unique_tokens=job.unique_tokens)
    worth = effective_fresh_tokens(unique_tokens=job.unique_tokens or tokens, tokens=tokens)
    return TrainingResult(
        fits=best is not None, model=resolved.shape.label, accelerator=resolved.chip_key, accelerators=job.accelerators,
        params=float(resolved.shape.params), active_params=params, tokens=tokens,
        fresh_tokens_worth=float(worth),
        global_batch_sequences=resolved.batch, memory_gb=float(resolved.chip.memory_gb) * USABLE_SHARE,
        least_memory_gb=best.memory_gb if best else result.least_memory_gb,
        speed=None if best is None else _speed(catalogue, resolved, best, result.found[1:], tokens), ways_to_fit=ways,
        layouts_evaluated=result.evaluated, layouts_fitting=result.fitting, excluded=result.excluded,
        warnings=tuple(_warnings(catalogue, resolved, result, better)), data_facts=facts,
        mig_profile=job.mig_profile, better=better,
    )  # fmt: skip


def resolve_training_job(
    catalogue: Catalogue, job: TrainingJob, calibration: TrainingCalibration
) -> ResolvedTrainingJob:
    """The job with its names looked up. Raises `InvalidJobError` and the catalogue's errors, as `train` does."""
    key = names.accelerator(catalogue, job.accelerator)
    record = catalogue.accelerators[key]
    shape = find_network(catalogue, job)
    family = hardware_family(record)
    factor = calibration.chip_factor(key, family) * kind_pace(record.kind)
    zero = None if job.zero is None else _ZERO[job.zero]
    wish = Layout[float | None](
        tp=job.tp, pp=job.pp, vpp=job.virtual_stages, cp=job.cp, ep=job.ep, dp=job.dp, micro_batch=job.micro_batch,
        shard=zero, recompute=None if job.recompute is None else _RECOMPUTE[job.recompute],
    )  # fmt: skip
    chip, pace, batch = _chip(key, record, job), training_correction(catalogue, job, key), default_batch(job)
    if job.global_batch_sequences is None:
        batch = divisible_batch(shape, chip, base_plan(job, batch=batch), wish)
    return ResolvedTrainingJob(job, shape, key, family, chip, factor, pace, calibration, batch, wish)


def _chip(key: str, record: Accelerator, job: TrainingJob) -> Hardware:
    try:
        memory_gb = processor_memory_gb(record, job.memory_gb)
        chip = cap_power(hardware(key, record, nic_gb_s=job.network_gb_s, memory_gb=memory_gb), record, job.power_cap_w)
        if lacks := lacks_units(record, job.precision):
            raise InvalidJobError(f"{record.label}: {lacks}")
        if job.mig_profile is None:
            return chip
        compute_share, memory_share = slice_shares(record, job.mig_profile)
    except MissingAcceleratorDataError as error:
        raise InvalidJobError(str(error)) from error
    if job.accelerators > 1:
        raise InvalidJobError("slices do not work together on one job; 1 accelerator is one slice")
    rates = ("tflops_32", "tflops_16", "tflops_8", "tflops_4")
    cut = {name: getattr(chip, name) * compute_share for name in rates}
    memory = {name: getattr(chip, name) * memory_share for name in ("memory_gb", "bandwidth_gb_s")}
    return replace(chip, **cut, **memory, domain=1.0)


def find_network(catalogue: Catalogue, job: TrainingJob) -> Network:
    """The network of the model that the job names."""
    if not job.model:
        raise InvalidJobError("no model is named; name one of the catalogue")
    catalogue = with_user_models(catalogue, job.models)
    record = catalogue.models[find_model_record(catalogue, job.model)]
    try:
        return build_network(record)
    except UnknownShape as error:
        without = no_rate_message(record.label, record.modality)
        if without is not None:
            raise InvalidJobError(without) from error
        raise InvalidJobError(str(error)) from error


def default_batch(job: TrainingJob) -> int:
    """Sequences of a step: the job's, else the usual number of tokens, in a power of two, one for each accelerator."""
    if job.global_batch_sequences is not None:
        return job.global_batch_sequences
    tokens: float = TUNING_BATCH_TOKENS
    if job.method == "full":
        tokens = max(BATCH_TOKENS, BATCH_FACTOR * (job.tokens or 0.0) ** BATCH_POWER)
    return int(2 ** max(0, round(np.log2(tokens / job.seq_len))))


def base_plan(job: TrainingJob, *, batch: int) -> TrainingPlan:
    """All of a plan that is not layout. The layout's numbers are placeholders."""
    adapters = job.method in ("lora", "qlora")
    share = job.trainable_share or (ADAPTER_SHARE if adapters else 1.0)
    # Below the lowest trained layer nothing flows back; adapters sit in every layer, but their weights are few.
    backward = 1.0 if adapters else 2.0 * share
    bits = BITS[job.precision]
    plain = job.engine == "pytorch"
    fused = job.fused_attention if job.fused_attention is not None else job.software_year >= FLASH_SINCE
    return TrainingPlan(
        seq_len=float(job.seq_len), accelerators=float(job.accelerators), tp=1.0, pp=1.0, vpp=1.0, cp=1.0, ep=1.0,
        dp=1.0, micro_batch=1.0, global_batch=float(batch), recompute=0.0, shard=0.0, bits=bits, backward=backward,
        trainable_share=share, weight_bytes=QUANTISED_BYTES if job.method == "qlora" else max(2.0, bits / 8),
        fused_attention=float(fused), offload=float(job.offload_optimizer), year=job.software_year, dropless=1.0,
        eager=float(plain), compiled=is_compiled(job.compiled, eager=plain, year=job.software_year),
        ring_uneven=float(plain), launched_ahead=is_compiled(job.compiled, eager=plain, year=job.software_year),
        state_bytes=_STATE_BYTES[job.optimizer], loss_chunks=LOSS_CHUNKS,
        grad_bytes=4.0 if job.optimizer == "adamw" else 2.0,
        adapter_weight_bytes=ADAPTER_WEIGHT_BYTES if adapters else 0.0,
        wide_embedding_moments=float(job.optimizer == "adamw_8bit"),
    )  # fmt: skip


def _speed(
    catalogue: Catalogue,
    resolved: ResolvedTrainingJob,
    best: LayoutCandidate,
    others: tuple[LayoutCandidate, ...],
    tokens: float,
) -> TrainingSpeed:
    plan, job = best.plan, resolved.job
    constants, pace = resolved.constants.constants, resolved.faster(plan)
    parts = step_parts(resolved.shape, resolved.chip, plan, constants, chip_factor=resolved.factor, pace=pace)
    band = training_band(
        training_traits(resolved.shape, plan, resolved.family), calibration=resolved.constants,
        own=resolved.pace.like or "", layout_stated=job.tp is not None and job.pp is not None,
        kind=catalogue.accelerators[resolved.chip_key].kind, level=resolved.level_name(plan),
    )  # fmt: skip
    rate = best.tokens_per_s_per_accelerator
    often = reliability(
        catalogue, accelerators=float(job.accelerators), params=float(resolved.shape.params), team=job.team,
        failures=job.failures,
    )  # fmt: skip
    useful, team = float(often.useful_share), team_share(job.team).shrunk_by_own_runs(resolved.pace.kept)
    hours = run_hours(tokens, rate, useful, band, (team.low, team.typical, team.high))
    useful_flops, done_flops = flops_per_token(resolved.shape, plan)
    peak = float(resolved.chip.peak_tflops(plan.bits)) * 1e12
    return TrainingSpeed(
        layout=best, runners_up=others, memory=peak_memory(resolved.shape, plan), parts=parts,
        waterfall=waterfall(resolved.shape, resolved.chip, plan, parts), step_time_s=float(parts.total_s),
        tokens_per_s_per_accelerator=Interval(rate * band.low, rate, rate * band.high), band=band,
        mfu=rate * useful_flops / peak, hfu=rate * done_flops / peak, reliability=often, useful_share=useful,
        team=team, accelerator_hours=hours,
        days=Interval(*(each / job.accelerators / 24 for each in (hours.low, hours.typical, hours.high))),
    )  # fmt: skip


def run_hours(tokens: float, rate: float, useful: float, band: Band, team: tuple[float, float, float]) -> Interval:
    """Accelerator-hours of the run; not-a-number of a run that never ends is infinite, and says so by being that."""
    if useful <= 0:
        return Interval(float("inf"), float("inf"), float("inf"))
    typical = tokens / rate / 3600 / useful
    return Interval(typical / band.high / team[2], typical / team[1], typical / band.low / team[0])


def _ways_to_fit(resolved: ResolvedTrainingJob, base: TrainingPlan) -> tuple[TrainingFitSuggestion, ...]:
    """Return what would make it fit: numbers that divide; savings one on top of the other, then more accelerators."""
    if not has_valid_layout(resolved.shape, resolved.chip, base, resolved.wish):
        return tuple(_divisible_suggestions(resolved, base))
    ways, plan, words = list[TrainingFitSuggestion](), base, list[str]()
    for way in WAYS:
        if way.name not in _FREE_WAYS:
            continue
        plan, words = way.change(plan), [*words, way.words]
        candidates = resolved.search(plan).found
        if candidates:
            ways.append(
                TrainingFitSuggestion(
                    "; ".join(words), resolved.job.accelerators, candidates[0].tokens_per_s_per_accelerator
                )
            )
            break
    count = resolved.job.accelerators
    for _ in range(MOST_DOUBLINGS):
        count *= 2
        batch = (
            max(base.global_batch, float(count)) if resolved.job.global_batch_sequences is None else base.global_batch
        )
        candidates = resolved.search(replace(base, accelerators=float(count), global_batch=batch)).found
        if candidates:
            ways.append(
                TrainingFitSuggestion(f"{count:,} accelerators", count, candidates[0].tokens_per_s_per_accelerator)
            )
            break
    return tuple(ways)


def _divisible_suggestions(resolved: ResolvedTrainingJob, base: TrainingPlan) -> Iterator[TrainingFitSuggestion]:
    """The nearest numbers that divide, those first that then fit."""
    for plan in nearest_valid_plans(resolved.shape, resolved.chip, base, resolved.wish):
        candidates, count = resolved.search(plan).found, int(plan.accelerators)
        if candidates:
            batch = f"a batch of {counted(int(plan.global_batch), 'sequence')}"
            words = batch if count == resolved.job.accelerators else counted(count, "accelerator")
            yield TrainingFitSuggestion(words, count, candidates[0].tokens_per_s_per_accelerator)


def _faster_subset(
    resolved: ResolvedTrainingJob, base: TrainingPlan, best: LayoutCandidate
) -> TrainingFitSuggestion | None:
    """Whole machines of so many that do not divide well, where they are done sooner than all together."""
    count = resolved.job.accelerators
    fewer = count // ONE_MACHINE * ONE_MACHINE
    if fewer in (0, count):
        return None
    plan = replace(base, accelerators=float(fewer))
    if resolved.job.global_batch_sequences is None:
        plan = replace(plan, global_batch=float(default_batch(resolved.job)))
        plan = replace(plan, global_batch=float(divisible_batch(resolved.shape, resolved.chip, plan, resolved.wish)))
    candidates = resolved.search(plan).found
    rate = best.tokens_per_s_per_accelerator * count
    if not candidates or candidates[0].tokens_per_s_per_accelerator * fewer <= rate:
        return None
    return TrainingFitSuggestion(f"{fewer:,} accelerators", fewer, candidates[0].tokens_per_s_per_accelerator)


def _warnings(
    catalogue: Catalogue,
    resolved: ResolvedTrainingJob,
    result: LayoutSearchResult,
    better: TrainingFitSuggestion | None,
) -> list[str]:
    warnings, job, chip = _substitution_warnings(catalogue, resolved), resolved.job, resolved.chip
    if result.evaluated == 0:
        warnings.append(NOT_SPREAD)
    if resolved.batch != default_batch(job):
        warnings.append(
            f"a step takes {counted(resolved.batch, 'sequence')}: the usual {default_batch(job):,} do not divide over "
            f"{counted(job.accelerators, 'accelerator')}"
        )
    if better is not None:
        rates = better.tokens_per_s_per_accelerator, result.found[0].tokens_per_s_per_accelerator
        faster = rates[0] * better.accelerators / (rates[1] * job.accelerators) - 1
        warnings.append(
            f"{job.accelerators:,} divide badly: {better.words} are {max(faster, 0.01):.0%} faster together"
        )
    if BITS[job.precision] < 16 and float(chip.peak_tflops(BITS[job.precision])) <= float(chip.tflops_16):
        warnings.append(f"{resolved.chip_key} is no faster in {job.precision} than in 16 bits")
    context = catalogue.models[find_model_record(catalogue, job.model)].context
    if context is not None and job.seq_len > context:
        warnings.append(f"sequences of {job.seq_len:,} tokens are longer than the {context:,} the model was made for")
    return warnings


def _substitution_warnings(catalogue: Catalogue, resolved: ResolvedTrainingJob) -> list[str]:
    """Return a warning for each record and memory that the answer uses in place of the requested one."""
    stands_in = substitution_note(catalogue, resolved.job.model)
    warnings = [] if stands_in is None else [stands_in]
    kind = catalogue.accelerators[resolved.chip_key].kind
    if kind in UNSEEN_KINDS and kind != "cpu":
        warnings.append("nobody has published how fast such a machine trains with its rates: the range is wide")
    if kind == "cpu":
        assumed = " are assumed" if resolved.job.memory_gb is None else ""
        gb = f"{float(resolved.chip.memory_gb):,.0f} GB of memory for each{assumed}"
        warnings.append(f"processors: nobody has published how fast they train, so the range is wide; {gb}")
    return warnings
