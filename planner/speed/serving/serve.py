"""A job to be served, worked out: does it fit, how fast, how long people wait, how many accelerators, what energy."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from planner.network.kinds import UnknownShape
from planner.network.network import Network
from planner.network.record import with_user_models
from planner.scenario.base import SECONDS_PER_HOUR
from planner.scenario.jobs import ServingJob
from planner.speed.hardware import HostedOnlyModelError, InvalidJobError
from planner.speed.match_model import find_model_record, substitution_note
from planner.speed.serving.bands import UNDER_LOAD, serving_band, serving_correction
from planner.speed.serving.case_of import (
    ServingSetup,
    default_kv_bytes,
    engine_limits,
    fit_suggestions,
    make_case,
    misfit_reason,
    stored_gb,
)
from planner.speed.serving.cases import (
    ServingCase,
    ServingConstants,
    ServingLayout,
    ServingLimits,
    ServingRates,
    ServingTraffic,
    serving_rates,
)
from planner.speed.serving.chips import ServingAccelerator, serving_data
from planner.speed.serving.layouts import best_layout, job_traffic, latency_target
from planner.speed.serving.lookup import ResolvedModel, find_chip, find_period, find_release, find_shape
from planner.speed.serving.non_llm import similar_work_names
from planner.speed.serving.promise import (
    BatchCycle,
    LatencyTarget,
    batch_cycle,
    closed_loop_latency,
    concurrent_requests,
    latency_at_rate,
    max_requests_per_s,
)
from planner.speed.serving.result import LatencyPercentiles, MemoryParts, ServingFitSuggestion, ServingResult, TimeShare
from planner.speed.serving.step import max_requests, memory_held
from pricing import names
from pricing.catalogue import Catalogue
from pricing.errors import PricingError, UnknownNameError

_CACHE_BYTES = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0}


@dataclass(frozen=True)
class ServingPlan:
    """The numbers behind a job."""

    job: ServingJob
    setup: ServingSetup
    layout: ServingLayout
    limit: ServingLimits
    traffic: ServingTraffic
    case: ServingCase
    rate: ServingRates
    adapters_bytes: float
    promise: LatencyTarget | None

    @property
    def shape(self) -> Network:
        return self.setup.shape

    @property
    def busy_replicas(self) -> int:
        """Those with a request to work on, where it is said how many there are at once."""
        replicas = int(float(self.layout.replicas))
        return replicas if self.job.batch is None else min(replicas, self.job.batch)

    @property
    def devices(self) -> int:
        """Accelerators in one replica."""
        return int(float(self.layout.group) * float(self.layout.stages))


def build_serving_plan(catalogue: Catalogue, job: ServingJob, constants: ServingConstants) -> ServingPlan:
    """The job as one case. Layouts that cannot be raise `InvalidJobError`."""
    setup = _setup(with_user_models(catalogue, job.models), job)
    if not setup.shape.causal:
        job = job.model_copy(update={"output_tokens": 1})  # it writes nothing: one step gives its answer
    layout = best_layout(setup, job, constants)
    batch = math.nan if job.batch is None else max(job.batch / float(layout.replicas), 1.0)
    traffic = job_traffic(job, batch)
    limit = engine_limits(setup.period)
    # Adapters on attention, in 16 bits: two thin matrices beside each of four square ones.
    adapters = job.lora_adapters * 2.0 * 4 * job.lora_rank * 2 * float(setup.shape.hidden * setup.shape.layers)
    case = make_case(setup, layout, limit, traffic)
    left = case.machine.memory_bytes - adapters / float(layout.group * layout.stages)
    case = replace(case, machine=replace(case.machine, memory_bytes=left))
    if constants != serving_data().values():  # levels were measured against our constants
        case = replace(case, traits=replace(case.traits, level=1.0))
    rate = serving_rates(constants, case.traits)
    return ServingPlan(job, setup, layout, limit, traffic, case, rate, adapters, latency_target(job))


def _setup(catalogue: Catalogue, job: ServingJob) -> ServingSetup:
    resolved = _find_model(catalogue, job.model)
    key = names.accelerator(catalogue, job.accelerator)
    called = key if job.mig_profile is None else f"{key} MIG {job.mig_profile}"
    chip = _cap_power(find_chip(catalogue, called, job.memory_gb), job.power_cap_w)
    software = software_day(job)
    period = find_period(job.engine, software)
    precision = job.weight_precision or resolved.checkpoint.weights or "bf16"
    kv_bytes = _CACHE_BYTES.get(job.cache_precision or "") or default_kv_bytes(period, precision, chip)
    gguf = job.engine == "local"
    return ServingSetup(
        resolved.shape, chip, job.engine, period, precision, kv_bytes, gguf, checkpoint=resolved.checkpoint,
        day=software,
    )  # fmt: skip


def software_day(job: ServingJob) -> date:
    """Return the day of the engine: that of its release, else the job's, else that of the newest fit."""
    if job.engine_release is None:
        return job.engine_on or serving_data().fit.on
    day = find_release(job.engine, job.engine_release)
    if day is None:
        known = ", ".join(serving_data().engines[job.engine].releases)
        want = f"one of: {known}" if known else "none, or a date: no release of it is on record"
        raise InvalidJobError(f"{job.engine}: {job.engine_release} is no known release; want {want}")
    return day


def _find_model(catalogue: Catalogue, called: str) -> ResolvedModel:
    """The model, tuned and quantised variants included; where there is none, the error says what was meant perhaps."""
    try:
        return find_shape(catalogue, called)
    except UnknownShape as refusal:
        raise _nearest(catalogue, called, refusal) from refusal


def _nearest(catalogue: Catalogue, called: str, refusal: UnknownShape) -> PricingError:
    """The refusal with what was perhaps meant: a model that writes, or work whose rate was measured."""
    near = similar_work_names(called)
    try:
        find_model_record(catalogue, called)
    except HostedOnlyModelError as error:
        return error
    except UnknownNameError as error:
        meant = tuple(dict.fromkeys((*near, *error.candidates)))[:4]
        hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
        return UnknownNameError(f"No model is called {called!r}.{hint}", meant)
    measured = f"; of other work these were measured: {', '.join(near)}" if near else ""
    return UnknownShape(f"{refusal}{measured}")


def _cap_power(chip: ServingAccelerator, power_cap_w: float | None) -> ServingAccelerator:
    """The chip held below its power: arithmetic slows down, memory does not."""
    if power_cap_w is None or chip.tdp_w is None or power_cap_w >= chip.tdp_w:
        return chip
    return replace(chip, power_share=chip.power_share * power_cap_w / chip.tdp_w, tdp_w=power_cap_w)


_ADAPTER_SLOWDOWN = 0.2  # engines lose 10 to 30 % with several adapters; no primary measurement was found
_REQUESTS_PER_ACCELERATOR = 100.0  # beyond, tokenising and sending set the pace


def serve(catalogue: Catalogue, job: ServingJob, constants: ServingConstants | None = None) -> ServingResult:
    """Return what serving that job is like. Bad layouts raise `InvalidJobError`; not fitting is a result."""
    catalogue = with_user_models(catalogue, job.models)
    worked = build_serving_plan(catalogue, job, constants or serving_data().values())
    reason = misfit_reason(worked.case)
    ways = (
        () if reason is None else fit_suggestions(catalogue, worked.setup, worked.layout, worked.limit, worked.traffic)
    )
    if reason is not None:
        return _misfit_result(worked, reason, ways)
    most = float(concurrent_requests(replace(worked.case, traffic=replace(worked.traffic, batch=math.nan))))
    batch = float(concurrent_requests(worked.case))
    full = batch_cycle(worked.case, worked.rate, batch=batch)
    pace = serving_correction(catalogue, job, worked.setup.chip.name)
    faster = pace.ratio * ((1 - _ADAPTER_SLOWDOWN) if job.lora_adapters > 1 else 1.0)
    per_replica = batch * worked.job.output_tokens / float(full.seconds) * faster
    promise = None if worked.promise is None else worked.promise.at_pace(faster)
    within = max_requests_per_s(worked.case, worked.rate, most=batch, promise=promise, cv=job.length_cv) * faster
    band = pace.narrowed(serving_band(worked.setup, worked.layout, batch=batch))
    replicas, busy = int(worked.layout.replicas), worked.busy_replicas
    output = per_replica * busy
    note = substitution_note(catalogue, job.model)  # where the name has no record of its own
    capacity = math.inf if job.accelerators is None else output / worked.job.output_tokens
    endless = (job.requests_per_s or 0.0) >= capacity
    ttft, tpot = (None, None) if endless else _latencies(worked, batch=batch, within=within, faster=faster)
    return ServingResult(
        fits=True, reason=None, ways_to_fit=(), model=worked.shape.label, accelerator=worked.setup.chip.name,
        weight_precision=worked.setup.precision, accelerators_per_replica=worked.devices, replicas=replicas,
        memory=_memory(worked, batch), most_requests_per_replica=most, batch_per_replica=batch,
        output_tokens_per_s=output, output_tokens_per_s_low=output * band.low,
        output_tokens_per_s_high=output * band.high, requests_per_s=output / worked.job.output_tokens,
        requests_per_s_within_promise=within * busy, ttft=ttft, tpot=tpot,
        accelerators_at_average=_accelerators_needed(worked, job.requests_per_s, within),
        accelerators_at_peak=_accelerators_needed(worked, job.peak_requests_per_s, within),
        cold_start_s=_cold_start_s(worked),
        output_tokens_per_accelerator_hour=SECONDS_PER_HOUR * output / (worked.devices * replicas),
        joules_per_output_token=_joules(worked, batch, per_replica),
        time_shares=_time_shares(full, apart=float(worked.layout.prompt_replicas) > 0),
        band=band, idle_replicas=replicas - busy,
        warnings=(*([] if note is None else [note]), *_warnings(worked, output, batch)),
        first_token_band=None if ttft is None else serving_data().bands.get(UNDER_LOAD), grows_without_end=endless,
    )  # fmt: skip


def _latencies(
    worked: ServingPlan, *, batch: float, within: float, faster: float
) -> tuple[LatencyPercentiles | None, LatencyPercentiles | None]:
    """At the average rate that comes to each replica; at what it promises where no rate is given.

    Where only a number at once is given, of so many who ask again as soon as they have their answer.
    """
    if worked.promise is None and worked.job.requests_per_s is None:
        if worked.job.batch is None:
            return None, None
        first, token = closed_loop_latency(worked.case, worked.rate, batch=batch)
        return first.at_pace(faster), token.at_pace(faster)
    average = worked.job.requests_per_s
    replicas = max(float(worked.busy_replicas), (_accelerators_needed(worked, average, within) or 0) / worked.devices)
    arriving = within if average is None else min(average / replicas, within)
    seen = latency_at_rate(
        worked.case, worked.rate, most=batch, requests_per_s=arriving / faster, cv=worked.job.length_cv
    )
    return seen[0].at_pace(faster), seen[1].at_pace(faster)


def _accelerators_needed(worked: ServingPlan, requests_per_s: float | None, within: float) -> int | None:
    """Accelerators for so many requests a second, whole replicas; nothing where no replica keeps the promise."""
    if requests_per_s is None or within <= 0:
        return None
    return math.ceil(requests_per_s / within - 1e-9) * worked.devices


def _cold_start_s(worked: ServingPlan) -> float:
    """From wanting a replica until it answers: a machine starts, and loads its weights. [s]"""
    return worked.job.boot_s + stored_gb(worked.setup) / worked.job.load_gb_per_s


def _memory(worked: ServingPlan, batch: float) -> MemoryParts:
    memory = memory_held(worked.case)
    traffic = worked.traffic
    most = float(max_requests(worked.case, input_tokens=traffic.input_tokens, output_tokens=traffic.output_tokens))
    free = max(float(memory.free_bytes), 0.0) * float(worked.limit.cache_share)
    each = free / most if most > 0 else 0.0
    devices = worked.setup.chip.memory_bytes * worked.devices
    used = float(memory.weights_bytes) + worked.adapters_bytes + float(memory.working_bytes) + min(batch, most) * each
    return MemoryParts(
        weights_gb=float(memory.weights_bytes) / 1e9, adapters_gb=worked.adapters_bytes / 1e9,
        working_gb=float(memory.working_bytes) / 1e9, cache_gb=min(batch, most) * each / 1e9,
        unused_gb=(devices - used) / 1e9 if devices > 0 else 0.0, device_gb=devices / 1e9,
        cache_gb_per_request=each / 1e9,
    )  # fmt: skip


def _joules(worked: ServingPlan, batch: float, tokens_per_s: float) -> float | None:
    """Energy of the accelerators for one token written. [J] Nothing of the machine around them."""
    if worked.setup.chip.tdp_w is None:
        return None
    power = serving_data().power
    each = max(batch / worked.devices, 1e-9)
    span = math.log(power.large_batch / power.small_batch)
    place = min(max(math.log(each / power.small_batch) / span, 0.0), 1.0)
    share = power.small_share + (power.large_share - power.small_share) * place
    return float(worked.devices * worked.setup.chip.tdp_w * share / tokens_per_s)


def _time_shares(full: BatchCycle, *, apart: bool) -> tuple[TimeShare, ...]:
    """Return where the time of a full cycle goes, the largest first; prompts that are worked on apart run beside it."""
    step, prompt, steps = full.step, full.prompt.times(0.0 if apart else 1.0), float(full.steps)
    parts = {
        "reading weights": steps * float(step.weights_s),
        "arithmetic of answers": steps * float(step.arithmetic_s),
        "reading the cache": steps * float(step.cache_s),
        "traffic between accelerators": steps * float(step.traffic_s) + float(prompt.traffic_s),
        "launches and latency": steps * float(step.layers_s),
        "scheduling and host": steps * float(step.requests_s) + float(prompt.requests_s),
        "prompts": float(prompt.arithmetic_s),
    }
    whole, rest = float(full.seconds), "waiting for prompts" if apart else "cutting prompts into steps"
    parts[rest] = max(whole - sum(parts.values()), 0.0)
    shares = (TimeShare(name, seconds / whole) for name, seconds in parts.items())
    return tuple(sorted(shares, key=lambda part: -part.share))


def _warnings(worked: ServingPlan, output: float, batch: float) -> tuple[str, ...]:
    memory, chip, shape = memory_held(worked.case), worked.setup.chip, worked.shape
    each = output / worked.job.output_tokens / (worked.devices * worked.busy_replicas)
    idle = int(worked.layout.replicas) - worked.busy_replicas
    at_once, batch_given = batch * worked.busy_replicas, worked.job.batch or 0
    warnings = {
        "little memory is left beside the weights: the batch, and with it the speed, is uncertain": memory.is_tight,
        "the catalogue does not know this memory: whether it fits is not checked": chip.memory_bytes <= 0,
        "more than one machine works on each step: so fast only with a network between them": worked.devices
        > worked.setup.chip.domain,
        "so many short requests that the host may set the pace": each > _REQUESTS_PER_ACCELERATOR,
        "layers that are not attention are counted as matrix products only: a wide band": shape.is_hybrid,
        "a processor: measured runs reach a third to a whole of this, and its memory is assumed": chip.kind == "cpu",
        "adapters: a loss of a fifth is assumed, nobody published a measurement": worked.job.lora_adapters > 1,
        "more key and value copies than heads: the cache is kept several times": float(worked.layout.group)
        > shape.cache_heads * float(worked.layout.attention_ranks)
        and not shape.latent,
        "it reads each text once and writes nothing: a token written stands for a text that is done": not shape.causal,
        f"{idle:,} of {int(worked.layout.replicas):,} replicas have no request: split the model over more of them": idle
        > 0,
        f"{batch_given:,} requests at once are more than fit: {at_once:,.0f} run, and the others wait": at_once
        < 0.999 * batch_given,
        "less than one request at a time keeps the promise": worked.promise is not None and batch < 1,
    }
    return tuple(text for text, holds in warnings.items() if holds)


def _misfit_result(worked: ServingPlan, reason: str, ways: tuple[ServingFitSuggestion, ...]) -> ServingResult:
    return ServingResult(
        fits=False, reason=reason, ways_to_fit=ways, model=worked.shape.label, accelerator=worked.setup.chip.name,
        weight_precision=worked.setup.precision, accelerators_per_replica=worked.devices, replicas=0,
        memory=_memory(worked, 0.0), most_requests_per_replica=0.0, batch_per_replica=0.0, output_tokens_per_s=0.0,
        output_tokens_per_s_low=0.0, output_tokens_per_s_high=0.0, requests_per_s=0.0,
        requests_per_s_within_promise=0.0, ttft=None, tpot=None, accelerators_at_average=None,
        accelerators_at_peak=None, cold_start_s=_cold_start_s(worked), output_tokens_per_accelerator_hour=0.0,
        joules_per_output_token=None, time_shares=(), band=None, warnings=(),
    )  # fmt: skip


AS_IT_IS = "as it is"
_WIDE, _EIGHT, _FOUR = ("fp32", "bf16", "fp16"), ("fp8", "int8"), ("fp4", "mxfp4", "int4")
_HALF = 2


@dataclass(frozen=True)
class ServingVariant:
    """The service with one thing changed."""

    words: str
    result: ServingResult


def serving_variants(catalogue: Catalogue, job: ServingJob) -> tuple[ServingVariant, ...]:
    """The service as it is, then each way to need less memory, or to have more. Refused layouts are left out."""
    now = serve(catalogue, job)
    variants = [ServingVariant(AS_IT_IS, now)]
    for words, changed in _variants(job, now):
        try:
            variants.append(ServingVariant(words, serve(catalogue, job.model_copy(update=changed))))
        except InvalidJobError:
            continue  # heads that cannot be shared so: no way at all
    return tuple(variants)


def _variants(job: ServingJob, now: ServingResult) -> Iterator[tuple[str, dict[str, Any]]]:
    layout = {"tensor_parallel": now.accelerators_per_replica // job.pipeline_parallel}
    if now.weight_precision in _WIDE:
        yield "weights in 8 bits", {**layout, "weight_precision": "fp8"}
    if now.weight_precision not in _FOUR:
        yield "weights in 4 bits", {**layout, "weight_precision": "int4"}
    if job.cache_precision not in _EIGHT:
        yield "cache in 8 bits", {**layout, "cache_precision": "fp8"}
    if job.input_tokens > 1:
        shorter = {"input_tokens": job.input_tokens // _HALF, "output_tokens": max(job.output_tokens // _HALF, 1)}
        yield "prompts and answers half as long", layout | shorter
    wider = layout["tensor_parallel"] * _HALF
    if job.mig_profile is None and (job.accelerators is None or wider <= job.accelerators):
        yield "twice as many share it", {"tensor_parallel": wider}
