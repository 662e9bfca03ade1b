"""Other work: pictures, clips or classified texts by the second; or a run of known hours."""

import math
from dataclasses import dataclass
from difflib import get_close_matches

from planner.scenario.base import SECONDS_PER_HOUR
from planner.scenario.jobs import ServingJob
from planner.scenario.task import FixedRun
from planner.speed.bands import Band
from planner.speed.hardware import MissingAcceleratorDataError, first_known
from planner.speed.serving.bands import serving_correction
from planner.speed.serving.chips import MeasuredRate, NonLlmWork, ServingAccelerator, serving_data
from planner.speed.serving.lookup import find_chip
from pricing import names
from pricing.catalogue import Catalogue
from pricing.errors import UnknownNameError

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
    carried_from: str  # empty of a rate that follows from operations
    how: str
    source: str


def non_llm_rate(catalogue: Catalogue, name: str, chip: ServingAccelerator, *, accelerators: float = 1.0) -> NonLlmRate:
    """Requests per second of that work on that chip: measured, or carried over from the nearest chip that was."""
    return scaled_rate(catalogue, serving_data().work[name], chip, accelerators=accelerators)


def scaled_rate(
    catalogue: Catalogue, work: NonLlmWork, chip: ServingAccelerator, *, accelerators: float = 1.0
) -> NonLlmRate:
    """The rate of work as measured on this accelerator, else from its operations or carried over from another one."""
    own = [entry for entry in work.measured if entry.accelerator == chip.name]
    is_of_memory = work.bound == "bandwidth" and chip.kind != "cpu"
    if not (own or (work.measured and is_of_memory)) and work.operations:
        share = serving_data().operations["processor" if chip.kind == "cpu" else work.bound]
        most = (chip.bandwidth if is_of_memory else chip.flops_16bit) / (work.operations * 1e9) * accelerators
        low, typical, high = (most * end for end in (share.low, share.value, share.high))
        return NonLlmRate(typical, low, high, False, "", "from its operations in a compiled engine, not measured",
            work.source or "")  # fmt: skip
    entry = own[0] if own else _nearest(catalogue, work, chip)
    other = find_chip(catalogue, entry.accelerator)
    low, high = _spread(other, chip)
    per_s = entry.requests_per_s * _peak_ratio(work, entry, chip, other) * accelerators
    by = _BY.get("bandwidth" if work.bound == "bandwidth" else entry.precision, "16-bit rate")
    how = f"carried over from {catalogue.accelerator_label(other.name)} by the {by}, not measured"
    return NonLlmRate(per_s, per_s * low, per_s * high, bool(own), entry.accelerator,
        "measured on this accelerator" if own else how, entry.source)  # fmt: skip


def scale_hours(
    catalogue: Catalogue, *, hours: float, measured_on: str, wanted: str, bound: str = "compute"
) -> NonLlmRate:
    """Any work measured in hours on one accelerator, carried over to another by the peak that bounds it.

    The rate is in jobs per second; `bound` is `compute` (matrix units), `fp32`, `fp64` or `bandwidth`.
    """
    source, target = find_chip(catalogue, measured_on), find_chip(catalogue, wanted)
    same = source.name == target.name
    faster = 1.0 if same else _bounding_peak(catalogue, target, bound) / _bounding_peak(catalogue, source, bound)
    per_s = faster / (hours * SECONDS_PER_HOUR)
    low, high = _spread(source, target)
    carried = f"carried over from {catalogue.accelerator_label(source.name)} by the {_BY[bound]}, not measured"
    return NonLlmRate(per_s, per_s * low, per_s * high, same, source.name, "as measured" if same else carried, "")


def _bounding_peak(catalogue: Catalogue, chip: ServingAccelerator, bound: str) -> float:
    """The peak that bounds it, in units of its own, or a refusal where the catalogue does not know it."""
    record = catalogue.accelerators[chip.name]
    peaks = {
        "compute": chip.flops_16bit,
        "bandwidth": chip.bandwidth,
        "fp32": first_known(record.fp32_tflops),
        "fp64": first_known(record.fp64_tflops),
    }
    peak = peaks[bound]
    if peak is None:
        kinds = ", ".join(name for name, value in peaks.items() if value is not None)
        raise MissingAcceleratorDataError(
            f"the catalogue has no {bound} rate of {record.label}: want one of {kinds} as the bound"
        )
    return peak


def _spread(source: ServingAccelerator, target: ServingAccelerator) -> tuple[float, float]:
    if source.name == target.name:
        return _MEASURED_LOW, _MEASURED_HIGH
    return (_CARRIED_LOW, _CARRIED_HIGH) if (source.kind == "cpu") == (target.kind == "cpu") else (_FAR_LOW, _FAR_HIGH)


def server_share(chip: ServingAccelerator) -> float:
    """Return what a service takes under a promise of latency, of what the chip does offline. [1]"""
    shares = serving_data().work_shares
    return shares.server_on_processors if chip.kind == "cpu" else shares.server


def match_non_llm_work(model: str, *, exactly: bool = False) -> str | None:
    """The measured work of that name, loosely spelled, or of one of its other names; None where there is none.

    A table of runs names its work `exactly`: another name may stand for another size.
    """
    plain = names.plain(model)
    return next((name for name, work in serving_data().work.items()
        if plain in {names.plain(it) for it in (name, *(() if exactly else work.also))}), None)  # fmt: skip


def _nearest(catalogue: Catalogue, work: NonLlmWork, chip: ServingAccelerator) -> MeasuredRate:
    """The measured chip most like it: same kind and family first, then the one with the nearest rate."""

    def unlike(entry: MeasuredRate) -> tuple[bool, bool, float]:
        other = find_chip(catalogue, entry.accelerator)
        ratio = _peak_ratio(work, entry, chip, other)
        return other.kind != chip.kind, other.architecture != chip.architecture, max(ratio, 1 / ratio)

    return min(work.measured, key=unlike)


def _peak_ratio(work: NonLlmWork, entry: MeasuredRate, chip: ServingAccelerator, other: ServingAccelerator) -> float:
    here, there = (
        it.bandwidth if work.bound == "bandwidth" else it.flops_int8 if entry.precision == "int8"
        else it.flops(entry.precision) for it in (chip, other)
    )  # fmt: skip
    return here / there


_HOST_PER_S = 100.0  # requests of one accelerator beyond which taking them in and out wants cores beside it
_BY = {
    "int8": "rate of 8-bit integers", "fp8": "8-bit rate", "compute": "16-bit matrix rate", "fp32": "32-bit rate",
    "fp64": "64-bit rate", "bandwidth": "memory bandwidth",
}  # fmt: skip


@dataclass(frozen=True)
class NonLlmServing:
    """Work that writes no tokens on one kind of accelerator: how fast, how many it takes, and where that is from.

    `requests_per_s` is what one accelerator takes while it answers in time; where a promise cannot be kept, `reason`
    says why and no number of accelerators is given. With `low` the rate is at its low end and more are needed.
    """

    work: str
    label: str
    accelerator: str
    requests_per_s: float
    low: float
    high: float
    offline_requests_per_s: float
    alone_ms: float | None  # one request with nobody else there; None where nobody measured it
    measured: bool
    carried_from: str
    source: str
    how: str
    average_requests_per_s: float | None
    peak_requests_per_s: float | None
    accelerators_at_average: int | None
    accelerators_at_peak: int | None
    accelerators_at_peak_low: int | None  # where the rate is at its high end
    accelerators_at_peak_high: int | None
    joules_per_request: float | None
    reason: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Return whether it can be done as promised."""
        return self.reason is None


@dataclass(frozen=True)
class ScaledRun:
    """A run known by its hours on one accelerator, moved to another: its hours on one of those, and on all of them."""

    measured_on: str
    accelerator: str
    accelerators: int
    bound: str
    measured: bool  # on this very accelerator
    accelerator_hours: float
    low: float
    high: float
    how: str
    label: str = "One run"

    @property
    def hours(self) -> float:
        """From start to end, spread evenly over all of them. [h]"""
        return self.accelerator_hours / self.accelerators


def is_non_llm_work(model: str) -> bool:
    """Return whether a name means measured work that writes no tokens."""
    return match_non_llm_work(model) is not None


def non_llm_serving(catalogue: Catalogue, job: ServingJob) -> NonLlmServing:
    """Return what serving that work takes. `UnknownNameError` where no such work was measured."""
    name = find_non_llm_work(job.model)
    work = serving_data().work[name]
    key = names.accelerator(catalogue, job.accelerator)
    chip = find_chip(catalogue, key if job.mig_profile is None else f"{key} MIG {job.mig_profile}")
    rate = non_llm_rate(catalogue, name, chip)
    pace = serving_correction(catalogue, job, key)
    band = pace.narrowed(Band(low=rate.low / rate.requests_per_s, high=rate.high / rate.requests_per_s, rows=1))
    offline = rate.requests_per_s * pace.ratio
    served = offline * server_share(chip)
    alone_ms = None if work.alone_share is None else 1e3 / (offline * work.alone_share)
    joules = None if chip.tdp_w is None else chip.tdp_w * serving_data().power.large_share / served  # fully loaded
    reason = _too_slow(job, work.label, chip, alone_ms)
    counts = [served, served * band.high, served * band.low]
    most = job.peak_requests_per_s or job.requests_per_s  # an even stream has no other peak
    peak = [None if reason else _accelerators_needed(most, rate_at_end) for rate_at_end in counts]
    average = None if reason else _accelerators_needed(job.requests_per_s, served)
    warnings = {
        "no rate was measured on this accelerator: the range is wide": not rate.measured,
        "a processor from rates of GPUs, or the other way: expect a third to twice of it": not rate.measured
        and rate.high / rate.low > 5,
        "so many short requests that the host may set the pace": served > _HOST_PER_S and chip.kind != "cpu",
        "nobody measured how long one request takes: whether the promise holds is not checked": job.ttft_ms is not None
        and alone_ms is None,
        "slices are taken to do their share of the whole": job.mig_profile is not None,
    }
    return NonLlmServing(
        work=name, label=work.label, accelerator=chip.name, requests_per_s=served, low=served * band.low,
        high=served * band.high, offline_requests_per_s=offline, alone_ms=alone_ms, measured=rate.measured,
        carried_from=rate.carried_from, source=rate.source, how=rate.how,
        average_requests_per_s=job.requests_per_s, peak_requests_per_s=most,
        accelerators_at_average=average, accelerators_at_peak=peak[0], accelerators_at_peak_low=peak[1],
        accelerators_at_peak_high=peak[2], joules_per_request=joules, reason=reason,
        warnings=tuple(text for text, holds in warnings.items() if holds),
    )  # fmt: skip


def find_non_llm_work(called: str) -> str:
    """The measured work of that name, or `UnknownNameError` with what was perhaps meant."""
    name = match_non_llm_work(called)
    if name is not None:
        return name
    near = similar_work_names(called)
    hint = f" Did you mean {' or '.join(near)}?" if near else f" There are: {', '.join(serving_data().work)}."
    raise UnknownNameError(f"No measured work is called {called!r}.{hint}", near)


def similar_work_names(called: str) -> tuple[str, ...]:
    """Names of measured work that look like it, or hold it."""
    index = {
        names.plain(spelling): name for name, work in serving_data().work.items() for spelling in (name, *work.also)
    }
    plain = names.plain(called)
    near = get_close_matches(plain, index, n=4, cutoff=0.6)
    near += [spelling for spelling in index if plain and plain in spelling]
    return tuple(dict.fromkeys(index[spelling] for spelling in near))[:4]


def scale_run(catalogue: Catalogue, task: FixedRun, *, accelerator: str, accelerators: int) -> ScaledRun:
    """The hours of that run on the accelerators of a plan."""
    measured_on = names.accelerator(catalogue, task.measured_on)
    key = names.accelerator(catalogue, accelerator)
    rate = scale_hours(catalogue, hours=task.hours, measured_on=measured_on, wanted=key, bound=task.bound)
    return ScaledRun(
        measured_on=measured_on, accelerator=key, accelerators=accelerators, bound=task.bound,
        measured=rate.measured, accelerator_hours=1 / (rate.requests_per_s * SECONDS_PER_HOUR),
        low=1 / (rate.high * SECONDS_PER_HOUR), high=1 / (rate.low * SECONDS_PER_HOUR), how=rate.how,
    )  # fmt: skip


def _accelerators_needed(requests_per_s: float | None, each: float) -> int | None:
    return None if requests_per_s is None else max(math.ceil(requests_per_s / each - 1e-9), 1)


def _too_slow(job: ServingJob, label: str, chip: ServingAccelerator, alone_ms: float | None) -> str | None:
    """Why the promise cannot be kept: not even one request with nobody else there comes in time."""
    if job.ttft_ms is None or alone_ms is None or alone_ms <= job.ttft_ms:
        return None
    takes, promised = (f"{ms:,.0f}" if ms >= 100 else f"{ms:.3g}" for ms in (alone_ms, job.ttft_ms))
    return f"{label}: one request takes {takes} ms on {chip.name}, and {promised} ms are promised"
