"""An accelerator and what joins it to others, as numbers for the speed formulas: one or arrays of many."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from planner.speed.arrays import Num
from pricing import PricingError, UnknownNameError, strict_yaml
from pricing.caching import cached
from pricing.figure import Figure, StrictModel, Text
from pricing.records import Accelerator


class InvalidJobError(PricingError):
    """A job that cannot exist. The text says what, why, and the nearest values that can."""


class MissingAcceleratorDataError(PricingError):
    """The catalogue lacks what speed cannot be had without: `lacks` says what, the text also of which accelerator."""

    def __init__(self, lacks: str, *, of: str = "") -> None:
        super().__init__(f"{of}: {lacks}" if of else lacks)
        self.lacks = lacks


class HostedOnlyModelError(UnknownNameError):
    """A model that is sold by the token and whose shape is not on record."""


DATA = Path(__file__).parent / "data"


class ReachedShare(StrictModel):
    """A share that is reached of a rate, and who reaches it."""

    low: float = Field(gt=0, description="share at the low end")
    typical: float = Field(gt=0, description="share that is usual")
    high: float = Field(gt=0, description="share at the high end")
    words: Text = Field(description="who or what reaches it, as a page says it")


@cached(8)
def read_data(name: str) -> Any:
    """Return what stands in planner/speed/data/`name`."""
    return strict_yaml.read((DATA / name).read_text(encoding="utf-8"), file=name)


GIB_PER_GB = 1.073741824
USABLE_OF_UNIFIED = 0.8  # what macOS lets its GPU hold of the memory it shares
NEVER = 9_999.0


class InterconnectRule(StrictModel):
    """Links between accelerators of a kind, where the catalogue does not say. Rates are one way, for each of them."""

    when: tuple[str, ...] = Field(description="words that all stand in its id, form factor or architecture")
    link_gb_s: float = Field(gt=0, description="the fast link within a domain, where no link figure is on record")
    nic_gb_s: float = Field(gt=0, description="the network between nodes")
    domain: int = Field(ge=1, description="the largest group that the fast link joins")
    pcie: bool = Field(default=False, description="whether they meet in their slots only")
    label_in_gib: bool = Field(description="whether memory on the label counts in 2^30 bytes")
    four_bits_since: float = Field(default=NEVER, description="year in which training in 4 bits became usual on it")
    casts: float = Field(default=1.0, gt=0, description="casts of each value that is multiplied in 8 or 4 bits")
    attention_since: float = Field(
        default=0.0, description="year in which attention kernels for training were written for it"
    )


class FullPowerPart(StrictModel):
    """The full-power part of a generation, which capped parts of the same die are compared with."""

    watts: float = Field(gt=0, description="its thermal design power")
    tflops: float = Field(gt=0, description="its dense 16-bit rate")


class Interconnect(StrictModel):
    """Facts that a data sheet of an accelerator does not state."""

    about: Text = Field(description="what this file holds and where it came from")
    rules: tuple[InterconnectRule, ...] = Field(description="the first that fits counts; the last fits all")
    full_power: dict[str, FullPowerPart] = Field(description="by generation, cards apart")
    processor_memory_gb: float = Field(gt=0, description="of a server for each processor, where nobody says")


@dataclass(frozen=True)
class Hardware:
    """Rates are dense, bytes are real, links are one way. `domain` accelerators share the fast link."""

    tflops_32: Num
    tflops_16: Num
    tflops_8: Num
    tflops_4: Num
    memory_gb: Num
    bandwidth_gb_s: Num
    link_gb_s: Num
    nic_gb_s: Num
    domain: Num
    power_share: Num
    is_gpu: Num
    launches: Num  # 1 where a host launches each kernel; 0 where a step is one program, as XLA makes it for TPUs
    four_bits_since: Num
    attention_since: Num
    casts: Num

    def peak_tflops(self, bits: Num) -> Num:
        """The dense rate at 32, 16, 8 or 4 bits."""
        return np.where(bits >= 16, self.wide_tflops(bits), np.where(bits == 8, self.tflops_8, self.tflops_4))[()]

    def wide_tflops(self, bits: Num) -> Num:
        """The rate of what is never done in fewer than 16 bits."""
        return np.where(bits > 16, self.tflops_32, self.tflops_16)[()]


def network_rule(key: str, record: Accelerator) -> InterconnectRule:
    """Return what network.yaml assumes of the links of an accelerator."""
    words = f"{key} {record.form_factor} {record.architecture or ''}"
    return next(rule for rule in _network().rules if all(word in words for word in rule.when))


def hardware(
    key: str, record: Accelerator, *, nic_gb_s: float | None = None, memory_gb: float | None = None
) -> Hardware:
    """Return what the catalogue says of an accelerator, and what network.yaml assumes where it is silent.

    A processor brings no memory: its server has `memory_gb` for each.
    """
    rule = network_rule(key, record)
    sixteen = first_known(record.bf16_dense_tflops, record.fp16_dense_tflops, record.tf32_dense_tflops)
    sixteen = sixteen or (None if record.kind == "cpu" else tflops_16bit(record))
    if sixteen is None or record.memory_bandwidth_gb_s is None:
        raise MissingAcceleratorDataError("neither the 16-bit rate nor the bandwidth may be missing", of=record.label)
    eight = first_known(record.fp8_dense_tflops, record.int8_dense_tops if record.kind == "tpu" else None) or sixteen
    pcie = rule.pcie
    link = rule.link_gb_s if pcie or record.link_gb_s is None else record.link_gb_s.newest.typical / 2
    return Hardware(
        tflops_32=first_known(record.tf32_dense_tflops, record.fp32_tflops) or sixteen / 2, tflops_16=sixteen,
        tflops_8=eight, tflops_4=first_known(record.fp4_dense_tflops) or eight,
        memory_gb=memory_gb or _memory_gb(record, rule.label_in_gib),
        bandwidth_gb_s=record.memory_bandwidth_gb_s.newest.typical, link_gb_s=link, nic_gb_s=nic_gb_s or rule.nic_gb_s,
        domain=float(rule.domain), power_share=power_share(record, sixteen),
        is_gpu=float(record.kind == "gpu" and "Gaudi" not in key), launches=float(record.kind != "tpu"),
        four_bits_since=rule.four_bits_since, attention_since=rule.attention_since, casts=rule.casts,
    )  # fmt: skip


# Where the catalogue is silent. Tensor units of one generation keep these ratios.
_TENSOR_OVER_FP32 = 2.0
_SIXTEEN_OVER_FP4 = 0.25
_UNIFIED_TFLOPS_PER_GB_S = 0.035  # Apple prints no rates; its GPUs grow with their memory's


def tflops_16bit(record: Accelerator) -> float | None:
    """Return the dense 16-bit rate: as stated, else by what units of its kind do; None where nothing tells it."""
    stated = first_known(record.bf16_dense_tflops, record.fp16_dense_tflops)
    if stated is not None:
        return stated
    bandwidth = first_known(record.memory_bandwidth_gb_s)
    if record.kind == "apple" and bandwidth is not None:
        return _UNIFIED_TFLOPS_PER_GB_S * bandwidth
    four, plain = first_known(record.fp4_dense_tflops), first_known(record.fp32_tflops)
    if four is not None:
        return four * _SIXTEEN_OVER_FP4
    return None if plain is None else plain * (1.0 if record.kind == "cpu" else _TENSOR_OVER_FP32)


# The rates of the catalogue that say in what a chip trains; a TPU computes 8 bits as integers.
_TRAINS_IN = {
    "bf16": "bf16_dense_tflops", "fp16": "fp16_dense_tflops", "fp8": "fp8_dense_tflops", "fp4": "fp4_dense_tflops",
    "tf32": "tf32_dense_tflops", "fp32": "fp32_tflops",
}  # fmt: skip
NARROW = ("fp8", "fp4")


def lacks_units(record: Accelerator, precision: str) -> str | None:
    """Why an accelerator cannot train in a precision of fewer than 16 bits; None where it can."""
    precisions = [name for name, rate in _TRAINS_IN.items() if getattr(record, rate) is not None]
    if record.kind == "tpu" and record.int8_dense_tops is not None:
        precisions.append("fp8")
    if precision not in NARROW or precision in precisions:
        return None
    if not {"bf16", "fp16"} & set(precisions):
        precisions.insert(0, "bf16")  # what every chip that trains computes in, at a rate that may be assumed
    can = f"{', '.join(precisions[:-1])} or {precisions[-1]}" if precisions[1:] else "".join(precisions)
    return f"no {precision} units are on record, so it cannot train in {precision}; choose {can}"


def processor_memory_gb(record: Accelerator, stated: float | None) -> float | None:
    """GB for one processor: as said, else as assumed where the catalogue is silent; None for what brings its own."""
    if record.kind != "cpu":
        if stated is not None:
            raise InvalidJobError(f"{record.label} has memory of its own; memory_gb is of a server's processors")
        return None
    listed = None if record.memory_gb is None else record.memory_gb.newest.typical
    return stated or listed or _network().processor_memory_gb


def slice_shares(record: Accelerator, profile: str) -> tuple[float, float]:
    """The shares of compute and of memory that one slice of a chip has; bandwidth is cut as memory is."""
    profiles = {mig.name: mig for mig in record.mig}
    if profile not in profiles or record.memory_gb is None:
        raise MissingAcceleratorDataError(
            f"{record.label} has no slice {profile!r}; there are: {', '.join(profiles) or 'none'}"
        )
    cut = profiles[profile]
    return cut.compute_share, min(cut.memory_gb / record.memory_gb.newest.typical, 1.0)


def cap_power(chip: Hardware, record: Accelerator, power_cap_w: float | None) -> Hardware:
    """A chip held below its watts: products slow down as the fitted power law has it, memory does not."""
    if power_cap_w is None:
        return chip
    watts = first_known(record.tdp_w)
    if watts is None:
        raise MissingAcceleratorDataError(
            f"its watts are not on record, so a cap of {power_cap_w:g} W says nothing", of=record.label
        )
    return replace(chip, power_share=chip.power_share * min(power_cap_w / watts, 1.0))


def hardware_family(record: Accelerator) -> str:
    """The generation a chip belongs to, data-centre parts and cards apart: what calibration shares between chips."""
    stacked = record.memory_type is None or "HBM" in record.memory_type
    return architecture_family(record.architecture or record.vendor, stacked=stacked)


def architecture_family(architecture: str, *, stacked: bool) -> str:
    """The same of an architecture whose memory is stacked on the chip or not."""
    first = architecture.split(" ", maxsplit=1)[0]
    return first if stacked else f"{first} card"


def power_share(record: Accelerator, tflops: float) -> float:
    """Watts for each unit of rate against the generation's full-power part; 1 where nothing is known."""
    full = _network().full_power.get(hardware_family(record))
    watts = first_known(record.tdp_w)
    if watts is None or full is None:
        return 1.0
    return min(1.0, watts / full.watts * full.tflops / tflops)


@cached(1)
def _network() -> Interconnect:
    return Interconnect.model_validate(read_data("network.yaml"))


def _memory_gb(record: Accelerator, label_in_gib: bool) -> float:
    if record.memory_real_gb is not None:
        return record.memory_real_gb.newest.typical
    if record.memory_gb is None:
        raise MissingAcceleratorDataError("memory is not on record", of=record.label)
    if record.kind == "apple":
        return record.memory_gb.newest.typical * USABLE_OF_UNIFIED
    return record.memory_gb.newest.typical * (GIB_PER_GB if label_in_gib else 1.0)


def first_known(*figures: Figure | None) -> float | None:
    """Return what the first of the figures that is on record typically is."""
    return next((figure.newest.typical for figure in figures if figure is not None), None)
