"""Work that writes no tokens: encoders, images, video, speech. Measured rates, carried over by peak rates elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from planner.speed.cells import Row, number
from planner.speed.refused import UnknownChip
from planner.speed.serving.chips import Chip
from planner.speed.serving.known import Measured, Work, known
from planner.speed.serving.names import find_chip
from pricing import names
from pricing.catalogue import Catalogue

_MEASURED_LOW, _MEASURED_HIGH = 0.85, 1.15  # another machine with the same chip
_CARRIED_LOW, _CARRIED_HIGH = 0.6, 1.6  # another chip of the same kind, by its peaks
_FAR_LOW, _FAR_HIGH = 0.3, 2.0  # across kinds of chips: GPU to processor or back
_SERVER_SHARE = 0.88  # of the offline rate under a promise of latency: published systems that did both
_SINGLE_SHARE = 0.22  # one request at a time, of the same


@dataclass(frozen=True)
class WorkRate:
    """Requests per second of all accelerators together, and where that comes from."""

    requests_per_s: float
    low: float
    high: float
    measured: bool  # on this very chip
    carried_from: str


def work_names() -> tuple[str, ...]:
    """The kinds of work that were measured."""
    return tuple(known().work)


def rate_on(catalogue: Catalogue, name: str, chip: Chip, *, accelerators: float = 1.0) -> WorkRate:
    """Requests per second of that work on that chip: measured, or carried over from the nearest chip that was."""
    work = known().work[name]
    own = [entry for entry in work.measured if entry.accelerator == chip.name]
    entry = own[0] if own else _nearest(catalogue, work, chip)
    other = find_chip(catalogue, entry.accelerator)
    ratio = 1.0 if own else _ratio(work, entry, chip, other)
    if own:
        low, high = _MEASURED_LOW, _MEASURED_HIGH
    elif (chip.kind == "cpu") == (other.kind == "cpu"):
        low, high = _CARRIED_LOW, _CARRIED_HIGH
    else:
        low, high = _FAR_LOW, _FAR_HIGH
    per_s = entry.requests_per_s * ratio * accelerators
    return WorkRate(per_s, per_s * low, per_s * high, bool(own), entry.accelerator)


def carried_hours(
    catalogue: Catalogue, *, hours: float, measured_on: str, wanted: str, bound: str = "compute"
) -> WorkRate:
    """Any work measured in hours on one accelerator, carried over to another by the peak that bounds it.

    The rate is in jobs per second; `bound` is `compute` or `bandwidth`.
    """
    here, there = find_chip(catalogue, measured_on), find_chip(catalogue, wanted)
    faster = there.flops_16bit / here.flops_16bit if bound == "compute" else there.bandwidth / here.bandwidth
    same = here.name == there.name
    per_s = faster / (hours * 3_600)
    low, high = (_MEASURED_LOW, _MEASURED_HIGH) if same else (_CARRIED_LOW, _CARRIED_HIGH)
    return WorkRate(per_s, per_s * low, per_s * high, same, here.name)


def work_rate(catalogue: Catalogue, row: Row) -> WorkRate | None:
    """The rate of a published row's work, or nothing where its kind was never measured."""
    name = _called(row.get("model", ""))
    if name is None:
        return None
    try:
        chip = find_chip(catalogue, row.get("accelerator", ""))
        rate = rate_on(catalogue, name, chip, accelerators=number(row, "n_accelerators") or 1.0)
    except UnknownChip:
        return None
    share = {"server": _SERVER_SHARE, "single_stream": _SINGLE_SHARE}.get(row.get("mode", ""), 1.0)
    if number(row, "concurrency_or_batch") is not None:
        share = 1.0
    return WorkRate(rate.requests_per_s * share, rate.low * share, rate.high * share, rate.measured, rate.carried_from)


def _called(model: str) -> str | None:
    plain = names.plain(model)
    return next((name for name in known().work if names.plain(name) == plain), None)


def _nearest(catalogue: Catalogue, work: Work, chip: Chip) -> Measured:
    """The measured chip most like it: same kind and family first, then the one with the nearest rate."""

    def unlike(entry: Measured) -> tuple[bool, bool, float]:
        other = find_chip(catalogue, entry.accelerator)
        ratio = _ratio(work, entry, chip, other)
        return other.kind != chip.kind, other.architecture != chip.architecture, max(ratio, 1 / ratio)

    return min(work.measured, key=unlike)


def _ratio(work: Work, entry: Measured, chip: Chip, other: Chip) -> float:
    if work.bound == "bandwidth":
        return chip.bandwidth / other.bandwidth
    precision = entry.precision
    return _rate(chip, precision) / _rate(other, precision)


def _rate(chip: Chip, precision: str) -> float:
    return chip.flops_int8 if precision == "int8" else chip.flops(precision)
