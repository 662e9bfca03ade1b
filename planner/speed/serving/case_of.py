"""From a model, a machine and an engine to the numbers of one case: widths, traits, limits and a layout that fits."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.network.network import Network
from planner.speed.serving.cases import (
    ServingCase,
    ServingLayout,
    ServingLimits,
    ServingMachine,
    Traffic,
    Traits,
    Widths,
)
from planner.speed.serving.chips import WEIGHT_BYTES, Chip
from planner.speed.serving.engine_data import Period
from pricing.model import WeightFormat

_NARROW = ("fp8", "int8", "fp4", "mxfp4", "int4", "int3", "int2.5", "int5")
_FOUR_BIT = ("int4", "mxfp4", "fp4", "int3", "int5", "int2.5")
_GGUF = {"int4": "q4_k_m", "int8": "q8_0"}  # what "4-bit" and "8-bit" mean in llama.cpp unless it says otherwise
_LATENT_FP4_ATTENTION = 1.5  # published 4-bit checkpoints of latent attention keep part of it in 8 and 16 bits
_MOST_FILLED = 0.6  # of memory with weights, where a run does not say how many accelerators share it
_LATENT_GROUP = 8  # latent attention is served by whole machines
_GROUPS = (1, 2, 4, 8, 16)
SLOT_BYTES_PER_S = 70e9  # PCIe 5 with 16 lanes, one direction, and all that is slower
_GROUPED_BY_EIGHT = 8.0  # query heads for each key head that early kernels were made for


@dataclass(frozen=True)
class Checkpoint:
    """How a model's weights are published. None: nobody says."""

    weights: WeightFormat | None = None
    wide_parts: tuple[str, ...] | None = None


UNSAID_CHECKPOINT = Checkpoint()


@dataclass(frozen=True)
class Setup:
    """What a case is made of, besides its traffic."""

    shape: Network
    chip: Chip
    engine: str
    period: Period
    precision: str
    kv_bytes: float
    gguf: bool = False
    compiled: bool = False  # kernels made for one model
    checkpoint: Checkpoint = UNSAID_CHECKPOINT


def widths(setup: Setup) -> Widths:
    """Bytes of a weight, of attention's weights, of the head's, of a cached value."""
    precision = setup.precision
    weight = WEIGHT_BYTES[_GGUF.get(precision, precision) if setup.gguf else precision]
    wide = _wide_parts(setup)
    attention = 2.0 if "attention" in wide else weight
    if precision == "fp4" and setup.shape.latent and setup.checkpoint.wide_parts is None:
        attention = _LATENT_FP4_ATTENTION
    head = 2.0 if "head" in wide else weight
    return Widths(weight=weight, attention=attention, head=head, kv=setup.kv_bytes)


def _wide_parts(setup: Setup) -> tuple[str, ...]:
    """Parts in 16 bits: as the checkpoint says, where it runs as it is published; else as such formats usually are."""
    local, said = setup.engine == "local", setup.checkpoint.wide_parts
    if said is not None and setup.precision == setup.checkpoint.weights and not local:
        return said
    head = ("head",) if setup.precision in _NARROW and not local else ()
    return (*head, "attention") if setup.precision == "mxfp4" else head  # mxfp4 narrows experts only


def default_kv_bytes(period: Period, precision: str) -> float:
    """Bytes of a cached value where nobody says: some engines keep 8 bits beside narrow weights."""
    return 1.0 if period.small_cache and precision in ("fp8", "fp4") else 2.0


def machine(chip: Chip, precision: str, group: float) -> ServingMachine:
    """The chip as the numbers of a case."""
    return ServingMachine(
        flops=chip.flops(precision),
        flops_16bit=chip.flops_16bit,
        bandwidth=chip.bandwidth,
        memory_bytes=chip.memory_bytes,
        link_bytes_per_s=chip.link(group),
    )


def limits(period: Period, *, static: bool = False, tuned: bool = False) -> ServingLimits:
    """What the engine allows itself. A static batch is one block; a tuned run has lifted the engine's defaults."""
    return ServingLimits(
        step_s=0.0 if static else period.step_ms / 1e3,
        step_tokens=math.inf if static else float(max(period.step_tokens, 8_192) if tuned else period.step_tokens),
        most_requests=math.inf
        if static
        else float(max(period.most_requests, 4_096) if tuned else period.most_requests),
        memory_share=period.memory_share,
        cache_share=period.cache_share,
        working_bytes=period.working_gb * 1e9,
        reserve_share=period.reserve_share,
    )


def traits(setup: Setup, *, group: float, static: bool = False) -> Traits:
    """What changes the rates."""
    shape, chip, precision = setup.shape, setup.chip, setup.precision
    local, narrow = setup.engine == "local", precision in _FOUR_BIT
    server_blackwell = chip.architecture.startswith("Blackwell") and chip.hbm
    newest = chip.hbm and chip.flops_4bit > chip.flops_8bit  # chips of 2025 and later compute in 4 bits
    queries = shape.heads / shape.cache_heads
    flags = {
        "hidden_scheduler": setup.period.scheduler != "inline" or static,
        "native_scheduler": setup.period.scheduler == "native",
        "grace_host": "Grace" in chip.architecture and setup.period.scheduler != "native",
        "eager": setup.period.eager,
        "slot": chip.link(group) <= SLOT_BYTES_PER_S,
        "local": local,
        "cdna3_layers": "CDNA3" in chip.architecture and shape.experts > 1,
        "latent_blackwell": shape.latent and server_blackwell,
        "fp4_experts": chip.flops_4bit > chip.flops_8bit and precision in ("fp4", "mxfp4") and shape.experts > 1,
        "young_experts": newest and precision in setup.period.young_experts and shape.experts > 1,
        "fp4_blackwell": precision in ("fp4", "mxfp4") and newest,
        "cdna3": "CDNA3" in chip.architecture,
        "dequantised": not local and precision in _FOUR_BIT and chip.flops(precision) == chip.flops_16bit,
        "fp8_experts": setup.period.slow_fp8_experts and precision == "fp8" and shape.experts > 1,
        "old_grouped": setup.period.old_grouped and queries not in (1.0, _GROUPED_BY_EIGHT) and not shape.latent,
        "local_compiled": local and setup.compiled,
        "local_four_bit": local and narrow,
        "local_stacked": local and chip.hbm,
        "local_unified_four_bit": local and narrow and chip.kind == "apple",
        "local_two_dies": local and "Ultra" in chip.name,
    }
    return Traits(power_share=chip.power_share, **{name: float(flag) for name, flag in flags.items()})


def smallest_group(setup: Setup, accelerators: float) -> float:
    """How many accelerators share the weights where nobody says: the fewest that keep room for caches."""
    if setup.chip.memory_bytes <= 0:
        return 1.0  # nobody knows how much it holds
    if setup.shape.latent:
        return float(min(_LATENT_GROUP, accelerators))
    stored = setup.shape.counted_params * widths(setup).weight
    enough = (size for size in _GROUPS if stored < _MOST_FILLED * size * setup.chip.memory_bytes)
    return float(min(next(enough, 8), accelerators))


def make_case(
    setup: Setup, layout: ServingLayout, limit: ServingLimits, traffic: Traffic, *, static: bool = False
) -> ServingCase:
    """All of it together."""
    return ServingCase(
        network=setup.shape,
        widths=widths(setup),
        machine=machine(setup.chip, setup.precision, float(layout.group)),
        layout=layout,
        limits=limit,
        traits=traits(setup, group=float(layout.group), static=static),
        traffic=traffic,
    )
