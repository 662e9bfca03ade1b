"""From what a person asks to the numbers of one case: engine, precision, layout, adapters, what is promised."""

import math
from dataclasses import dataclass, replace

from planner.network.kinds import UnknownShape
from planner.network.network import Network
from planner.network.record import with_user_models
from planner.scenario.base import ONE_MACHINE
from planner.scenario.jobs import ServingJob
from planner.speed.hardware import HostedOnlyModelError, InvalidJobError
from planner.speed.match_model import find_model_record
from planner.speed.serving.case_of import (
    ServingSetup,
    check_layout,
    default_kv_bytes,
    engine_limits,
    make_case,
    smallest_group,
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
from planner.speed.serving.lookup import ResolvedModel, find_chip, find_period, find_shape
from planner.speed.serving.non_llm import similar_work_names
from planner.speed.serving.promise import LatencyTarget
from pricing import names
from pricing.catalogue import Catalogue
from pricing.errors import PricingError, UnknownNameError

_CACHE_BYTES = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0}
USUAL_PROMISE = LatencyTarget(2.0, 0.1)
_PROMISES = {"server": USUAL_PROMISE, "interactive": LatencyTarget(0.5, 0.04)}  # usual ones, where none is given


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
        """The model's."""
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
    layout = _layout(setup, job)
    batch = math.nan if job.batch is None else max(job.batch / float(layout.replicas), 1.0)
    worked_share = 1 - job.cached_input_share
    traffic = ServingTraffic(float(job.input_tokens), float(job.output_tokens), batch, math.inf, worked_share, 1.0,
        float(job.draft_tokens), job.accepted_share)  # fmt: skip
    limit = engine_limits(setup.period)
    # Adapters on attention, in 16 bits: two thin matrices beside each of four square ones.
    adapters = job.lora_adapters * 2.0 * 4 * job.lora_rank * 2 * float(setup.shape.hidden * setup.shape.layers)
    case = make_case(setup, layout, limit, traffic)
    left = case.machine.memory_bytes - adapters / float(layout.group * layout.stages)
    case = replace(case, machine=replace(case.machine, memory_bytes=left))
    rate = serving_rates(constants, case.traits)
    return ServingPlan(job, setup, layout, limit, traffic, case, rate, adapters, _latency_target(job))


def _setup(catalogue: Catalogue, job: ServingJob) -> ServingSetup:
    resolved = _find_model(catalogue, job.model)
    key = names.accelerator(catalogue, job.accelerator)
    called = key if job.mig_profile is None else f"{key} MIG {job.mig_profile}"
    chip = _cap_power(find_chip(catalogue, called, job.memory_gb), job.power_cap_w)
    period = find_period(job.engine, job.engine_on or max(serving_data().engines[job.engine].periods))
    precision = job.weight_precision or resolved.checkpoint.weights or "bf16"
    kv_bytes = _CACHE_BYTES.get(job.cache_precision or "") or default_kv_bytes(period, precision)
    gguf = job.engine == "local"
    return ServingSetup(
        resolved.shape, chip, job.engine, period, precision, kv_bytes, gguf, checkpoint=resolved.checkpoint
    )


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


def _layout(setup: ServingSetup, job: ServingJob) -> ServingLayout:
    shape = setup.shape
    spread = setup.period.spread_experts if job.spread_experts is None else job.spread_experts
    most = 1 if job.mig_profile is not None else (job.accelerators or ONE_MACHINE) // job.pipeline_parallel
    group = job.tensor_parallel or int(smallest_group(setup, max(most, 1)))
    check_layout(shape, group=group, stages=job.pipeline_parallel, spread=spread and group > 1)
    devices = group * job.pipeline_parallel
    if job.mig_profile is not None and devices > 1:
        raise InvalidJobError(f"slices cannot talk to each other: a model has to fit into one {job.mig_profile}")
    if job.accelerators is not None and devices > job.accelerators:
        raise InvalidJobError(f"{devices} accelerators for one replica, and there are {job.accelerators}")
    replicas = max((job.accelerators or devices) // devices, 1)
    alone = spread and shape.experts > 1 and group > 1
    return ServingLayout(float(group), float(job.pipeline_parallel), float(replicas), float(group) if alone else 1.0)


def _latency_target(job: ServingJob) -> LatencyTarget | None:
    usual = _PROMISES.get(job.mode)
    if usual is None and job.ttft_ms is None and job.tpot_ms is None:
        return None
    first = job.ttft_ms / 1e3 if job.ttft_ms else (usual.ttft_s if usual else math.inf)
    token = job.tpot_ms / 1e3 if job.tpot_ms else (usual.tpot_s if usual else math.inf)
    return LatencyTarget(first, token, job.percentile)
