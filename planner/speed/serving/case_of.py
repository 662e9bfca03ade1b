"""From a model, a machine and an engine to the numbers of one case: widths, traits, limits and a layout that fits."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from planner.network.network import Network
from planner.scenario.base import ONE_MACHINE
from planner.scenario.jobs import ServingJob
from planner.speed.bands import MANY, UNLEVELED, Level, mixture_kind
from planner.speed.hardware import InvalidJobError, MissingAcceleratorDataError
from planner.speed.serving.cases import (
    ByteWidths,
    ServingCase,
    ServingLayout,
    ServingLimits,
    ServingMachine,
    ServingTraffic,
    ServingTraits,
)
from planner.speed.serving.chips import (
    WEIGHT_BYTES,
    EngineDefaults,
    ServingAccelerator,
    build_accelerator,
    serving_data,
)
from planner.speed.serving.result import ServingFitSuggestion
from planner.speed.serving.step import fits, memory_held, stored_bytes
from pricing.catalogue import Catalogue
from pricing.model import WeightFormat

_NARROW = ("fp8", "int8", "fp4", "mxfp4", "int4", "int3", "int2.5", "int5")
_FOUR_BIT = ("int4", "mxfp4", "fp4", "int3", "int5", "int2.5")
_COMPUTED_FOUR_BIT = ("fp4", "mxfp4")  # formats that chips compute in
_GGUF = {"int4": "q4_k_m", "int8": "q8_0"}  # what "4-bit" and "8-bit" mean in llama.cpp unless it says otherwise
_HALF_A_BYTE, _SCALE_BYTES = 0.5, 2.0  # int4: a weight, and the scale of a group of them
_LATENT_FP4_ATTENTION = 1.5  # published 4-bit checkpoints of latent attention keep part of it in 8 and 16 bits
_MOST_FILLED = 0.6  # of memory with weights, where a run does not say how many accelerators share it
_LATENT_GROUP = 8  # latent attention that does not fit on one accelerator is served by whole machines
GROUPS = (1, 2, 4, 8, 16)
_MOST_COPIES = 1.125  # of experts, second ones among them: DeepSeek and SGLang keep 288 of 256
SLOT_BYTES_PER_S = 70e9  # PCIe 5 with 16 lanes, one direction, and all that is slower
_MID_2025 = date(2025, 7, 1)
_GROUPED_BY_EIGHT = 8.0  # query heads for each key head that early kernels were made for


@dataclass(frozen=True)
class Checkpoint:
    """The published format of a model's weights. None: unknown."""

    weights: WeightFormat | None = None
    rest: WeightFormat | None = None  # of all but the routed experts
    scale_group: int | None = None  # weights that share a scale of 16 bits


UNSAID_CHECKPOINT = Checkpoint()


@dataclass(frozen=True)
class ServingSetup:
    """The parts of a case besides its traffic."""

    shape: Network
    chip: ServingAccelerator
    engine: str
    period: EngineDefaults
    precision: str
    kv_bytes: float
    gguf: bool = False
    compiled: bool = False  # kernels made for one model
    checkpoint: Checkpoint = UNSAID_CHECKPOINT
    day: date = _MID_2025  # of its software


def byte_widths(setup: ServingSetup) -> ByteWidths:
    """Bytes of a weight of each part, and of a cached value."""
    precision, published, local = setup.precision, setup.checkpoint, setup.engine == "local"
    weight = WEIGHT_BYTES[_GGUF.get(precision, precision) if setup.gguf else precision]
    if precision == published.weights and not local:
        weight = weight if published.scale_group is None else _HALF_A_BYTE + _SCALE_BYTES / published.scale_group
        if published.rest is not None:
            rest = WEIGHT_BYTES[published.rest]
            return ByteWidths(weight=weight, other=rest, attention=rest, head=2.0, kv=setup.kv_bytes)
    # As such formats usually are: tables stay wide, and mxfp4 narrows experts only.
    narrow = precision in _NARROW and not local
    # Engines that quantise for themselves narrow everything; others run what is published.
    kept_wide = setup.shape.label in serving_data().wide_attention.get(precision, ()) and not setup.period.small_cache
    attention = 2.0 if precision == "mxfp4" or kept_wide else weight
    if precision == "fp4" and setup.shape.latent:
        attention = _LATENT_FP4_ATTENTION
    return ByteWidths(
        weight=weight, other=weight, attention=attention, head=2.0 if narrow else weight, kv=setup.kv_bytes
    )


def stored_gb(setup: ServingSetup) -> float:
    """Return what the weights take on a disk, or on one group of accelerators. [GB]"""
    return float(stored_bytes(setup.shape, byte_widths(setup))) / 1e9


def default_kv_bytes(period: EngineDefaults, precision: str, chip: ServingAccelerator) -> float:
    """Bytes of a cached value where nobody says: some engines keep 8 bits beside narrow weights they compute in."""
    narrow = precision == "fp8" or (precision in _COMPUTED_FOUR_BIT and chip.computes_in_four_bits)
    return 1.0 if period.small_cache and narrow else 2.0


def machine(chip: ServingAccelerator, precision: str, group: float) -> ServingMachine:
    """The chip as the numbers of a case."""
    return ServingMachine(
        flops=chip.flops(precision), flops_16bit=chip.flops_16bit, bandwidth=chip.bandwidth,
        memory_bytes=chip.memory_bytes, link_bytes_per_s=chip.link(group),
        network_bytes_per_s=chip.network_bytes_per_s, domain=chip.domain,
    )  # fmt: skip


def engine_limits(
    period: EngineDefaults, *, static: bool = False, tuned: bool = False, one_wave: bool = False
) -> ServingLimits:
    """Return the engine's limits. A static batch is one block; a tuned run has lifted the engine's defaults.

    Requests of one wave are all as long as they get at the same time.
    """
    return ServingLimits(
        step_s=0.0 if static else period.step_ms / 1e3,
        step_tokens=math.inf if static else float(max(period.step_tokens, 8_192) if tuned else period.step_tokens),
        most_requests=math.inf if static
        else float(max(period.most_requests, 4_096) if tuned else period.most_requests),
        memory_share=period.memory_share, cache_share=period.cache_share, working_bytes=period.working_gb * 1e9,
        reserve_share=1.0 if one_wave else period.reserve_share, whole_cache=float(period.whole_window_cache),
    )  # fmt: skip


def rate_traits(setup: ServingSetup, *, group: float, static: bool = False) -> ServingTraits:
    shape, chip, precision = setup.shape, setup.chip, setup.precision
    local, narrow = setup.engine == "local", precision in _FOUR_BIT
    queries = shape.heads / shape.cache_heads
    flags = {
        "hidden_scheduler": setup.period.scheduler != "inline" or static,
        "native_scheduler": setup.period.scheduler == "native",
        "grace_host": "Grace" in chip.architecture and setup.period.scheduler != "native",
        "eager": setup.period.eager,
        "slot": chip.link(group) <= SLOT_BYTES_PER_S,
        "local": local,
        "fp4_stacked": precision in _COMPUTED_FOUR_BIT and chip.hbm and chip.computes_in_four_bits,
        "cdna3": "CDNA3" in chip.architecture,
        "dequantised": not local and precision in _FOUR_BIT and chip.flops(precision) == chip.flops_16bit,
        "old_grouped": setup.period.old_grouped and queries not in (1.0, _GROUPED_BY_EIGHT) and not shape.latent,
        "local_compiled": local and setup.compiled,
        "local_four_bit": local and narrow,
        "local_stacked": local and chip.hbm,
        "local_unified_four_bit": local and narrow and chip.kind == "apple",
        "local_two_dies": local and "Ultra" in chip.name,
        **_mixture_traits(setup),
    }
    slow = setup.period.blackwell_fp8_flops if precision == "fp8" and "Blackwell" in chip.architecture else None
    years = (setup.day - _MID_2025).days / 365.25 if mixture_kind(shape) == MANY and not local else 0.0
    return ServingTraits(
        level=measured_level(setup).ratio, power_share=chip.power_share, mixture_years=min(max(years, -1.0), 1.0),
        least_flop_s=1 / slow if slow and chip.hbm else 0.0,
        **{name: float(flag) for name, flag in flags.items()},
    )  # fmt: skip


def level_name(setup: ServingSetup) -> str:
    """Return by what its level is known: engine, accelerator, model and format of the weights."""
    return " | ".join((setup.engine, setup.chip.name, setup.shape.label, setup.precision))


def measured_level(setup: ServingSetup) -> Level:
    """Return how fast published runs of that engine, chip, model and format were, over the prediction."""
    return serving_data().levels.get(level_name(setup), UNLEVELED)


def _mixture_traits(setup: ServingSetup) -> dict[str, bool]:
    shape, chip, precision = setup.shape, setup.chip, setup.precision
    mixture = bool(shape.experts > 1)
    return {
        "cdna3_experts": mixture and "CDNA3" in chip.architecture,
        "mxfp4_experts": mixture and precision == "mxfp4" and chip.computes_in_four_bits,
    }


def smallest_group(setup: ServingSetup, accelerators: float) -> float:
    """Return how many accelerators share the weights where nobody says: the fewest that keep room for caches."""
    if setup.chip.memory_bytes <= 0:
        return 1.0  # nobody knows how much it holds
    wide, net = byte_widths(setup), setup.shape
    stored = wide.weight * net.routed_params + wide.other * (net.counted_params - net.routed_params)
    usable = _MOST_FILLED * setup.chip.memory_bytes
    if net.latent and stored >= usable:
        return float(max(size for size in GROUPS if size <= min(_LATENT_GROUP, accelerators) and net.heads % size == 0))
    enough = (size for size in GROUPS if stored < size * usable)
    return float(min(next(enough, 8), accelerators))


def make_case(
    setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic, *, static: bool = False
) -> ServingCase:
    group = float(layout.group)
    return ServingCase(
        network=setup.shape, widths=byte_widths(setup), machine=machine(setup.chip, setup.precision, group),
        layout=layout, limits=limit, traits=rate_traits(setup, group=group, static=static), traffic=traffic,
    )  # fmt: skip


_NARROWER = {"fp32": "bf16", "bf16": "fp8", "fp16": "fp8", "fp8": "int4", "int8": "int4"}
_MOST_TOGETHER = 64
_LARGER_SHOWN = 3


def valid_tensor_degrees(shape: Network, *, most: int = _MOST_TOGETHER) -> tuple[int, ...]:
    """Tensor parallel degrees that divide the query heads and do not split a key head unevenly."""
    heads, keys = int(shape.heads), int(shape.cache_heads)
    sizes = (size for size in range(1, most + 1) if heads % size == 0)
    return tuple(size for size in sizes if shape.latent or keys % size == 0 or size % keys == 0)


def job_layout(setup: ServingSetup, job: ServingJob) -> ServingLayout:
    """Return the layout of the job, with the engine's default, on as few as fit, for what it leaves open."""
    shape, ep = setup.shape, job.expert_parallel
    prompting, there = job.prefill_accelerators or 0, job.accelerators
    if prompting >= (there or math.inf) or (prompting and there is None):
        raise InvalidJobError(f"prompts: want fewer than all of {there or 'a number of'} accelerators, got {prompting}")
    if (ep or 1) > 1 and shape.experts <= 1:
        raise InvalidJobError(f"{shape.label} has no experts to spread over {ep}")
    answering = None if there is None else there - prompting
    most = 1 if job.mig_profile is not None else (answering or ONE_MACHINE) // job.pipeline_parallel
    group = job.tensor_parallel or ep or int(smallest_group(setup, max(most, 1)))
    alone = job.attention_dp
    if alone is None:
        default = setup.period.spread_experts if job.spread_experts is None else job.spread_experts
        alone = bool(default and shape.experts > 1 and ep in (None, group))
    whole = ep or (group if alone and shape.experts > 1 else 1)
    check_layout(shape, group=1 if alone else group, stages=job.pipeline_parallel, experts_over=whole)
    if group % whole:
        raise InvalidJobError(f"experts over {whole}: want a number that divides the {group} of one replica")
    devices = group * job.pipeline_parallel
    if job.mig_profile is not None and devices > 1:
        raise InvalidJobError(f"slices cannot talk to each other: a model has to fit into one {job.mig_profile}")
    if answering is not None and devices > answering:
        raise InvalidJobError(f"{devices} accelerators for one replica, and there are {answering}")
    replicas = max((answering or devices) // devices, 1)
    return ServingLayout(float(group), float(job.pipeline_parallel), float(replicas), float(group if alone else 1),
        float(whole), prompting / devices / replicas)  # fmt: skip


def spreads_evenly(shape: Network, experts_over: int) -> bool:
    """Return whether so many accelerators can hold as many experts each.

    Whole machines may keep second copies of the busiest experts, up to one in eight: 288 of 256 on 48 or 72.
    """
    experts = int(shape.experts)
    held = -(-experts // experts_over) * experts_over
    return held == experts or (experts_over % ONE_MACHINE == 0 and held <= _MOST_COPIES * experts)


def check_layout(shape: Network, *, group: int, stages: int, experts_over: int) -> None:
    """Raise `InvalidJobError` where heads, experts or layers do not divide."""
    if shape.experts > 1 and not spreads_evenly(shape, experts_over):
        fair = [size for size in range(1, int(shape.experts) + 1) if spreads_evenly(shape, size)]
        raise InvalidJobError(
            f"{shape.label}: {int(shape.experts)} experts cannot be spread evenly over {experts_over}; "
            f"nearest: {_nearest(tuple(fair), experts_over)}"
        )
    legal = valid_tensor_degrees(shape, most=max(_MOST_TOGETHER, 2 * group))
    if group not in legal:
        raise InvalidJobError(
            f"{shape.label}: {int(shape.heads)} query and {int(shape.cache_heads)} key heads cannot be shared by "
            f"{group}; nearest: {_nearest(legal, group)}"
        )
    if stages > shape.layers:
        raise InvalidJobError(f"{shape.label}: {stages} stages for {int(shape.layers)} layers; at most one each")


def _nearest(legal: tuple[int, ...], size_given: int) -> str:
    below = [size for size in legal if size < size_given]
    above = [size for size in legal if size > size_given]
    return " or ".join(str(size) for size in (*below[-1:], *above[:1]))


def misfit_reason(case: ServingCase) -> str | None:
    """Why it does not fit, in GB, or nothing if it does."""
    if bool(fits(case)):
        return None
    memory = memory_held(case)
    need = (float(memory.weights_bytes) + float(memory.working_bytes)) / 1e9
    have = float(memory.usable_bytes) / 1e9
    if float(memory.free_bytes) < 0:
        return f"weights and working space need {need:,.1f} GB, and {have:,.1f} GB can be used"
    return f"weights leave {have - need:,.1f} GB of {have:,.1f} GB, too little for the cache of one request"


def fit_suggestions(
    catalogue: Catalogue, setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic
) -> tuple[ServingFitSuggestion, ...]:
    """Return changes that make it fit, cheapest first: narrower cache or weights, more or larger accelerators."""
    devices = int(float(layout.group) * float(layout.stages))
    return (
        *_suggest_narrower_cache(setup, layout, limit, traffic, devices),
        *_suggest_narrower_weights(setup, layout, limit, traffic, devices),
        *_more_accelerators(setup, layout, limit, traffic),
        *_suggest_larger_accelerators(catalogue, setup, layout, limit, traffic, devices),
    )


def _fits(setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic) -> bool:
    return bool(fits(make_case(setup, layout, limit, traffic)))


def _suggest_narrower_cache(
    setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic, devices: int
) -> Iterator[ServingFitSuggestion]:
    if setup.kv_bytes > 1 and _fits(replace(setup, kv_bytes=1.0), layout, limit, traffic):
        yield ServingFitSuggestion("keep the cache in 8 bits", devices, setup.chip.name)


def _suggest_narrower_weights(
    setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic, devices: int
) -> Iterator[ServingFitSuggestion]:
    precision = setup.precision
    while (narrower := _NARROWER.get(precision)) is not None:
        precision = narrower
        if _fits(replace(setup, precision=precision), layout, limit, traffic):
            stored = stored_gb(replace(setup, precision=precision))
            yield ServingFitSuggestion(
                f"store weights as {precision}, about {stored:,.0f} GB", devices, setup.chip.name
            )
            return


def _more_accelerators(
    setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic
) -> Iterator[ServingFitSuggestion]:
    for size in valid_tensor_degrees(setup.shape):
        ranks = float(size) if float(layout.attention_ranks) > 1 else 1.0
        wider = replace(layout, group=float(size), attention_ranks=ranks, expert_ranks=ranks)
        if size > float(layout.group) and _fits(setup, wider, limit, traffic):
            devices = int(size * float(layout.stages))
            yield ServingFitSuggestion(f"share it between {devices} of them", devices, setup.chip.name)
            return


def _suggest_larger_accelerators(
    catalogue: Catalogue,
    setup: ServingSetup,
    layout: ServingLayout,
    limit: ServingLimits,
    traffic: ServingTraffic,
    devices: int,
) -> Iterator[ServingFitSuggestion]:
    larger = []
    for name, record in catalogue.accelerators.items():
        if record.kind != setup.chip.kind or name == setup.chip.name:
            continue
        try:
            chip = build_accelerator(name, record)
        except MissingAcceleratorDataError:
            continue
        if chip.memory_bytes > setup.chip.memory_bytes:
            larger.append((chip.memory_bytes, name, chip))
    shown = 0
    for _, name, chip in sorted(larger, key=lambda entry: entry[:2]):
        if shown < _LARGER_SHOWN and _fits(replace(setup, chip=chip), layout, limit, traffic):
            shown += 1
            yield ServingFitSuggestion(f"take {catalogue.accelerator_label(name)} instead", devices, name)
