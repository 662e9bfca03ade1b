"""Work that writes no tokens: encoders, images, video, speech. Measured rates, carried over by peak rates elsewhere."""

from dataclasses import dataclass

from planner.scenario.base import SECONDS_PER_HOUR
from planner.speed.hardware import MissingAcceleratorDataError, first
from planner.speed.serving.chips import Measured, ServingAccelerator, Work, known
from planner.speed.serving.lookup import find_chip
from pricing import names
from pricing.catalogue import Catalogue

_MEASURED_LOW, _MEASURED_HIGH = 0.85, 1.15  # another machine with the same chip
_CARRIED_LOW, _CARRIED_HIGH = 0.6, 1.6  # another chip of the same kind, by its peaks
_FAR_LOW, _FAR_HIGH = 0.3, 2.0  # across kinds of chips: GPU to processor or back


@dataclass(frozen=True)
class NonLlmRate:
    """Requests per second of all accelerators together, and where that comes from."""

    requests_per_s: float
    low: float
    high: float
    measured: bool  # on this very chip
    carried_from: str


def work_names() -> tuple[str, ...]:
    """The kinds of work that were measured."""
    return tuple(known().work)


def rate_on(catalogue: Catalogue, name: str, chip: ServingAccelerator, *, accelerators: float = 1.0) -> NonLlmRate:
    """Requests per second of that work on that chip: measured, or carried over from the nearest chip that was."""
    return scaled_rate(catalogue, known().work[name], chip, accelerators=accelerators)


def scaled_rate(catalogue: Catalogue, work: Work, chip: ServingAccelerator, *, accelerators: float = 1.0) -> NonLlmRate:
    """The rate of work that was measured on another accelerator, carried over to this one."""
    own = [entry for entry in work.measured if entry.accelerator == chip.name]
    entry = own[0] if own else _nearest(catalogue, work, chip)
    other = find_chip(catalogue, entry.accelerator)
    ratio = 1.0 if own else _peak_ratio(work, entry, chip, other)
    low, high = _spread(other, chip)
    per_s = entry.requests_per_s * ratio * accelerators
    return NonLlmRate(per_s, per_s * low, per_s * high, bool(own), entry.accelerator)


def carried_hours(
    catalogue: Catalogue, *, hours: float, measured_on: str, wanted: str, bound: str = "compute"
) -> NonLlmRate:
    """Any work measured in hours on one accelerator, carried over to another by the peak that bounds it.

    The rate is in jobs per second; `bound` is `compute` (matrix units), `fp32`, `fp64` or `bandwidth`.
    """
    here, there = find_chip(catalogue, measured_on), find_chip(catalogue, wanted)
    same = here.name == there.name
    faster = 1.0 if same else _bounding_peak(catalogue, there, bound) / _bounding_peak(catalogue, here, bound)
    per_s = faster / (hours * SECONDS_PER_HOUR)
    low, high = _spread(here, there)
    return NonLlmRate(per_s, per_s * low, per_s * high, same, here.name)


def _bounding_peak(catalogue: Catalogue, chip: ServingAccelerator, bound: str) -> float:
    """The peak that bounds it, in units of its own, or a refusal where the catalogue does not know it."""
    record = catalogue.accelerators[chip.name]
    peaks = {
        "compute": chip.flops_16bit,
        "bandwidth": chip.bandwidth,
        "fp32": first(record.fp32_tflops),
        "fp64": first(record.fp64_tflops),
    }
    peak = peaks[bound]
    if peak is None:
        kinds = ", ".join(name for name, value in peaks.items() if value is not None)
        raise MissingAcceleratorDataError(
            f"the catalogue has no {bound} rate of {record.label}: want one of {kinds} as the bound"
        )
    return peak


def _spread(here: ServingAccelerator, there: ServingAccelerator) -> tuple[float, float]:
    """How far off a rate of one chip may be on another."""
    if here.name == there.name:
        return _MEASURED_LOW, _MEASURED_HIGH
    if (here.kind == "cpu") == (there.kind == "cpu"):
        return _CARRIED_LOW, _CARRIED_HIGH
    return _FAR_LOW, _FAR_HIGH


def server_share(chip: ServingAccelerator) -> float:
    """What a service takes under a promise of latency, of what the chip does offline. [1]"""
    shares = known().work_shares
    return shares.server_on_processors if chip.kind == "cpu" else shares.server


def work_called(model: str, *, exactly: bool = False) -> str | None:
    """The measured work of that name, loosely spelled, or of one of its other names; None where there is none.

    A table of runs names its work `exactly`: another name may stand for another size.
    """
    wanted = names.plain(model)
    for name, work in known().work.items():
        if wanted in {names.plain(one) for one in (name, *(() if exactly else work.also))}:
            return name
    return None


def _nearest(catalogue: Catalogue, work: Work, chip: ServingAccelerator) -> Measured:
    """The measured chip most like it: same kind and family first, then the one with the nearest rate."""

    def unlike(entry: Measured) -> tuple[bool, bool, float]:
        other = find_chip(catalogue, entry.accelerator)
        ratio = _peak_ratio(work, entry, chip, other)
        return other.kind != chip.kind, other.architecture != chip.architecture, max(ratio, 1 / ratio)

    return min(work.measured, key=unlike)


def _peak_ratio(work: Work, entry: Measured, chip: ServingAccelerator, other: ServingAccelerator) -> float:
    if work.bound == "bandwidth":
        return chip.bandwidth / other.bandwidth
    precision = entry.precision
    return _rate(chip, precision) / _rate(other, precision)


def _rate(chip: ServingAccelerator, precision: str) -> float:
    return chip.flops_int8 if precision == "int8" else chip.flops(precision)
