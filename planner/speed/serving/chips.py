"""Serving hardware from the catalogue: rates by number format, real bytes, links; gaps are named."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from pydantic import Field

from planner.speed.bands import UNTOLD, Band, ErrorSpread, Level
from planner.speed.hardware import (
    USABLE_OF_UNIFIED,
    MissingAcceleratorDataError,
    first_known,
    network_rule,
    power_share,
    processor_memory_gb,
    read_data,
    tflops_16bit,
)
from planner.speed.serving.cases import NAMES, ServingConstants
from pricing.caching import cached
from pricing.figure import Day, Share, StrictModel, Text
from pricing.records import Accelerator

GB = 1e9
TFLOPS = 1e12

# Bytes of one weight as stored, scales included: blocks of 16 (NVFP4) or 32 (MXFP4) share one, GGUF files more.
WEIGHT_BYTES = {
    "fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "q8_0": 1.0625, "fp4": 0.5625, "mxfp4": 0.53125,
    "q6_k": 0.82, "int4": 0.53, "q4_0": 0.5625, "q4_k_m": 0.605, "int5": 0.65, "int3": 0.4, "int2.5": 0.34,
}  # fmt: skip
# What tables call them. The first that is found in a cell counts, so that longer names stand before what they contain.
_CALLED = {
    "nvfp4": "fp4", "mxfp4": "mxfp4", "fp4": "fp4", "mxfp8": "fp8", "q8_0": "q8_0", "q8": "q8_0", "q6": "q6_k",
    "q5": "int5", "q4_0": "q4_0", "q4_k": "q4_k_m", "q4": "q4_k_m", "q3": "int3", "q2": "int2.5", "iq4": "int4",
    "iq3": "int3", "iq2": "int2.5", "int2.5": "int2.5", "int3": "int3", "int5": "int5", "int6": "q6_k", "w4": "int4",
    "int4": "int4", "awq": "int4", "gptq": "int4", "nf4": "int4", "marlin": "int4", "4-bit": "int4", "4bit": "int4",
    "fp8": "fp8", "float8": "fp8", "e4m3": "fp8", "w8": "int8", "int8": "int8", "8-bit": "int8", "8bit": "int8",
    "smoothquant": "int8", "bf16": "bf16", "bfloat16": "bf16", "f16": "fp16", "fp16": "fp16", "float16": "fp16",
    "half": "fp16", "16": "bf16", "fp32": "fp32", "float32": "fp32", "f32": "fp32", "32": "fp32",
}  # fmt: skip
_FOUR = ("fp4", "mxfp4")

# Where the catalogue is silent; a card without a link has its slot.
_IN_FIFTH_SLOTS = ("PCIe5", "NVLink4 bridge (2-way)")  # links of the catalogue
_SLOT_GB_S = 64.0  # PCIe 4 with 16 lanes, both directions
_REAL_OVER_MARKETED = 1.06  # makers print powers of two as if they were of ten; the devices read so far hold 1.06-1.07
_LEAST_STACKED_GB_S = 1_200.0  # flat memory reached less before 2025, when makers began to say which it is


def parse_precision(called: str) -> str:
    """The kind of weights a table means; 16 bits where it says nothing that is known."""
    plain = called.strip().casefold().replace(" ", "")
    if plain in WEIGHT_BYTES:
        return plain
    return next((kind for name, kind in _CALLED.items() if name in plain), "bf16")


@dataclass(frozen=True)
class ServingAccelerator:
    """One accelerator, or one slice of it. Bytes and seconds, never giga."""

    name: str
    kind: str
    architecture: str
    flops_16bit: float
    flops_8bit: float
    flops_4bit: float
    flops_int8: float
    bandwidth: float
    memory_bytes: float
    link_bytes_per_s: float  # one direction
    tdp_w: float | None
    power_share: float  # watts for each unit of rate against the generation's full-power part
    hbm: bool
    two_way_link: bool  # a bridge between two cards; more of them talk over their slots
    slot_bytes_per_s: float
    domain: float  # accelerators that the link joins
    network_bytes_per_s: float  # of each, beyond

    @property
    def computes_in_four_bits(self) -> bool:
        """Return whether its matrix units do, faster than in 8: chips of 2025 and later."""
        return self.flops_4bit > self.flops_8bit

    def flops(self, precision: str) -> float:
        """Peak dense rate of the matmuls of such weights: the format itself if the chip computes in it. [FLOP/s]"""
        if precision in _FOUR:
            native = self.flops_4bit if precision == "fp4" else self.flops_8bit
            return native if self.computes_in_four_bits else self.flops_16bit
        if precision == "int8":
            return max(self.flops_int8, self.flops_16bit)
        return self.flops_8bit if precision == "fp8" else self.flops_16bit

    def link(self, group: float) -> float:
        """Bytes per second and direction between `group` of them."""
        return self.slot_bytes_per_s if self.two_way_link and group > 2 else self.link_bytes_per_s


def build_accelerator(
    name: str,
    record: Accelerator,
    *,
    memory_share: float = 1.0,
    compute_share: float = 1.0,
    memory_gb: float | None = None,
) -> ServingAccelerator:
    """The catalogue's record as rates. The shares are those of a slice: 1 for the whole accelerator.

    A processor's server has `memory_gb` for each.
    """
    bandwidth = first_known(record.memory_bandwidth_gb_s)
    if bandwidth is None:
        raise MissingAcceleratorDataError("the catalogue does not know its memory bandwidth", of=record.label)
    sixteen = tflops_16bit(record)
    if sixteen is None:
        raise MissingAcceleratorDataError("the catalogue knows no rate of its matrix units", of=record.label)
    eight = first_known(record.fp8_dense_tflops) or sixteen
    four = first_known(record.fp4_dense_tflops) or eight
    slot = 2 * _SLOT_GB_S if record.link in _IN_FIFTH_SLOTS else _SLOT_GB_S
    link, rule = first_known(record.link_gb_s) or slot, network_rule(name, record)
    return ServingAccelerator(
        name=name, kind=record.kind, architecture=record.architecture or "",
        flops_16bit=sixteen * TFLOPS * compute_share, flops_8bit=eight * TFLOPS * compute_share,
        flops_4bit=four * TFLOPS * compute_share,
        flops_int8=(first_known(record.int8_dense_tops) or eight) * TFLOPS * compute_share,
        bandwidth=bandwidth * GB * memory_share,
        memory_bytes=_memory_bytes(record, memory_gb) * memory_share, link_bytes_per_s=link * GB / 2,
        tdp_w=None if record.tdp_w is None else record.tdp_w.newest.typical * compute_share,
        power_share=power_share(record, sixteen), hbm=_has_stacked_memory(record, bandwidth),
        two_way_link="2-way" in (record.link or ""), slot_bytes_per_s=slot * GB / 2,
        domain=float(rule.domain), network_bytes_per_s=rule.nic_gb_s * GB,
    )  # fmt: skip


def _memory_bytes(record: Accelerator, stated_gb: float | None) -> float:
    """Real bytes; a cautious guess from the marketed size where nobody read the device; 0 where that is unknown too."""
    marketed = first_known(record.memory_gb) or 0.0
    if record.kind != "cpu" and stated_gb is not None:
        processor_memory_gb(record, stated_gb)  # refuses it
    if record.kind == "apple":
        return marketed * GB * USABLE_OF_UNIFIED
    if record.kind == "cpu":
        return (processor_memory_gb(record, stated_gb) or 0.0) * GB
    guess = marketed * (_REAL_OVER_MARKETED if record.kind == "gpu" else 1.0)
    return (first_known(record.memory_real_gb) or guess) * GB


def _has_stacked_memory(record: Accelerator, bandwidth: float) -> bool:
    if record.memory_type is not None:
        return "HBM" in record.memory_type
    return record.kind in ("gpu", "tpu", "asic") and bandwidth >= _LEAST_STACKED_GB_S


ENGINES, CONSTANTS = "serving_engines.yaml", "serving_constants.yaml"


class EngineDefaults(StrictModel):
    """The defaults of an engine from a day on."""

    scheduler: Literal["native", "hidden", "inline"]
    step_tokens: int = Field(ge=1)
    most_requests: int = Field(ge=1)
    memory_share: Share
    cache_share: Share
    reserve_share: Share
    working_gb: float = Field(
        default=1.5, ge=0, description="on each accelerator: activations, captured graphs, the runtime"
    )
    spread_experts: bool
    attends_apart: bool = Field(default=False, description="each rank can attend to requests of its own")
    old_grouped: bool
    step_ms: float = Field(default=0.0, ge=0, description="host work between two steps, whatever is in them")
    eager: bool = Field(default=False, description="every kernel is launched by itself")
    whole_window_cache: bool = Field(default=False, description="layers with a window keep a whole cache all the same")
    blackwell_fp8_flops: float | None = Field(
        default=None, gt=0, description="of 8-bit products beside experts on Blackwell with HBM, attention shared"
    )
    small_cache: bool = Field(description="keeps an 8-bit cache beside 8- and 4-bit weights unless set otherwise")


class EngineFamily(StrictModel):
    """A family of engines, under all its names."""

    names: tuple[str, ...]
    periods: dict[date, EngineDefaults] = Field(min_length=1)
    releases: dict[str, date] = Field(default={}, description="the day of a release that tables and people name")

    def on(self, day: date) -> EngineDefaults:
        """Return what holds on that day; the first period for anything older."""
        starts = [start for start in self.periods if start <= day] or [min(self.periods)]
        return self.periods[max(starts)]


class ShapeAlias(StrictModel):
    """A model whose configuration is that of another."""

    like: str
    no_window: bool = False


class PromptDataset(StrictModel):
    """The mean prompt and answer of a named data set."""

    input_tokens: int = Field(ge=1)
    output_tokens: int | None = Field(default=None, ge=1)
    beams: int = Field(default=1, ge=1)
    drafts_up_to_tpot_ms: float = Field(default=0.0, ge=0, description="promises so tight that drafts are allowed")


class FittedConstant(StrictModel):
    """One constant: its value, the range it took when each source was left out, and what it is."""

    value: float = Field(gt=0)
    low: float = Field(gt=0)
    high: float = Field(gt=0)
    means: Text


class PowerDraw(StrictModel):
    """Share of the thermal design power that an accelerator draws, from a small batch to a large one."""

    small_batch: float = Field(ge=1)
    large_batch: float = Field(ge=1)
    small_share: Share
    large_share: Share
    source: Text


class MeasuredRate(StrictModel):
    """One measured rate of work that is not a language model's."""

    accelerator: str
    requests_per_s: float = Field(gt=0, description="for each accelerator")
    precision: str
    source: Text


class LeftOut(StrictModel):
    """Published runs that teach nothing about speed, and why."""

    runs: tuple[str, ...] = Field(min_length=1)
    why: Text


class NonLlmWork(StrictModel):
    """A kind of work whose speed was measured, and is carried over or follows from its operations where it was not."""

    label: Text
    bound: Literal["compute", "bandwidth"]
    also: tuple[str, ...] = Field(default=(), description="other names of it, models of the catalogue among them")
    alone_share: Share | None = Field(default=None, description="of that pace, one request at a time; not measured")
    operations: float | None = Field(default=None, gt=0, description="of one request, two for each multiply-add. [1e9]")
    source: Text | None = Field(default=None, description="who counted the operations")
    measured: tuple[MeasuredRate, ...] = ()


class LatencyDerating(StrictModel):
    """The load a system takes under a latency target, as a share of its offline load."""

    server: Share
    server_on_processors: Share
    source: Text


class FitInfo(StrictModel):
    """The origin of the constants."""

    on: Day
    command: Text
    rows: int
    sources: int


class ServingData(StrictModel):
    """Everything the data file says."""

    about: Text
    engines: dict[str, EngineFamily]
    same_shape: dict[str, ShapeAlias]
    datasets: dict[str, PromptDataset]
    requests_in_run: dict[str, dict[str, int]]
    wide_attention: dict[str, tuple[str, ...]] = Field(
        default={}, description="models whose published narrow checkpoint keeps attention in 16 bits, by format"
    )
    left_out: tuple[LeftOut, ...]
    unfitted_first_tokens: tuple[LeftOut, ...] = Field(description="runs, or whole sources by their titles")
    power: PowerDraw
    fit: FitInfo
    constants: dict[str, FittedConstant]
    levels: dict[str, Level] = Field(default={}, description="by engine | accelerator | model | format of its weights")
    bands: dict[str, Band]
    spread: ErrorSpread = UNTOLD
    assumed_bands: dict[str, Band] = Field(description="where nothing was fitted: from errors on published runs")
    operations: dict[Literal["compute", "bandwidth", "processor"], FittedConstant]
    work: dict[str, NonLlmWork]
    work_shares: LatencyDerating

    def values(self) -> ServingConstants:
        """The constants as one record of numbers."""
        return ServingConstants(**{name: self.constants[name].value for name in NAMES})


@cached(1)
def serving_data() -> ServingData:
    """The data files, read once and checked."""
    return ServingData.model_validate({**read_data(CONSTANTS), **read_data(ENGINES)})


@cached(1)
def unfitted_first_tokens() -> frozenset[str]:
    """Runs, and sources, whose times to the first token teach nothing: of what no fit goes by, neither do they."""
    data = serving_data()
    return frozenset(run for group in (*data.unfitted_first_tokens, *data.left_out) for run in group.runs)
