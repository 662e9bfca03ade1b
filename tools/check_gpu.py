"""Compare measurements of bench/measure_gpu.py with the assumptions about the accelerator. For maintainers.

    python -m tools.check_gpu my_gpu.yaml --accelerator "H100 SXM5" --out my_constants.yaml

`--out` writes the shares that were measured as constants, for `serve --constants`.
"""

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from planner.cli.common import BAD_INPUT, OK, UsageError, write_file
from planner.cli.inputs import read_text_file
from planner.evidence.constants_file import read_constants_record
from planner.report import words
from planner.report.table import Table, text_table
from planner.scenario.base import GIGA, TERA
from planner.speed.serving.case_of import SLOT_BYTES_PER_S
from planner.speed.serving.cases import NAMES, ServingConstants
from planner.speed.serving.chips import ServingAccelerator, serving_data
from planner.speed.serving.lookup import find_chip
from pricing import PricingError, load_catalogue, names, strict_yaml
from pricing.catalogue import Catalogue
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.figure import Day, StrictModel
from tools.calibration.constants_text import constants_text

MOST_RESULTS = 2_000
_LARGEST = 1e9  # of any figure in its unit: TFLOP/s, GB/s, microseconds
_SMALL_EXCHANGE = 1 << 20  # bytes below which an all-reduce is latency and nothing else

_Said = Annotated[str, Field(max_length=300)]
_Figure = Annotated[float, Field(ge=0, le=_LARGEST)]


class GpuMeasurement(StrictModel):
    """One line of the file; without a value, `note` says why."""

    what: Annotated[str, Field(min_length=1, max_length=60)]
    precision: Annotated[str, Field(max_length=10)]
    shape: Annotated[str, Field(max_length=80)]
    unit: Literal["TFLOP/s", "GB/s", "us"]
    value: _Figure | None = None
    seconds: _Figure | None = None
    repeats: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0
    note: _Said = ""


class GpuDevice(StrictModel):
    """The measured machine."""

    name: Annotated[str, Field(min_length=1, max_length=160)]
    count: Annotated[int, Field(ge=1, le=1_024)] = 1
    memory_bytes: Annotated[int, Field(ge=0, le=10**13)] = 0
    compute_capability: _Said = ""
    torch: _Said = ""
    python: _Said = ""
    cuda: _Said = ""


class GpuMeasurementFile(StrictModel):
    """The whole file."""

    format: Literal[1]
    date: Day
    quick: bool
    device: GpuDevice
    under_load: dict[str, _Said]
    results: Annotated[tuple[GpuMeasurement, ...], Field(min_length=1, max_length=MOST_RESULTS)]

    def best(self, what: str, precision: str = "", *, least: bool = False) -> GpuMeasurement | None:
        """The highest figure of a kind, or the lowest; None where none was had."""
        having = [one for one in self.results if (one.what, one.precision) == (what, precision) and one.value]
        pick: Callable[..., GpuMeasurement] = min if least else max
        return pick(having, key=lambda one: one.value) if having else None


@dataclass(frozen=True)
class AssumptionCheck:
    """One thing that is assumed, beside what was measured. Without an assumption, the figure stands alone."""

    what: str
    unit: str
    measured: float
    shape: str
    assumed: float | None
    assumed_from: str
    constant: str | None = None  # of the serving model, that it would set
    share: float | None = None  # of the peak, or the constant's own value, as measured

    @property
    def ratio(self) -> float | None:
        """Measured over assumed. [1]"""
        return None if not self.assumed else self.measured / self.assumed


def read_measured(text: str, file: str) -> GpuMeasurementFile:
    """Return the content of the file, or raise `PricingError` with the mistake and its place."""
    read = strict_yaml.read(text, file=file)
    if isinstance(read, dict) and isinstance(read.get("results"), list):
        read = {**read, "results": tuple(read["results"])}
    return read_constants_record(GpuMeasurementFile, read, file=file, writer="measure_gpu.py")


def measured_accelerator(catalogue: Catalogue, measured: GpuMeasurementFile, called: str | None = None) -> str:
    """The accelerator of the catalogue that was measured: as somebody says, or as the driver calls it."""
    try:
        return names.accelerator(catalogue, called or measured.device.name)
    except (UnknownNameError, AmbiguousNameError) as error:
        if called:
            raise
        raise PricingError(f"The device calls itself {measured.device.name!r}: say --accelerator. {error}") from error


def factors(catalogue: Catalogue, measured: GpuMeasurementFile, accelerator: str) -> tuple[AssumptionCheck, ...]:
    """Everything that is assumed and was measured, what sets the pace first."""
    chip, ours = find_chip(catalogue, accelerator), serving_data().values()
    found = [*_products(measured, chip, ours), *_memory(measured, chip, ours), *_link_checks(measured, chip, ours)]
    launch = measured.best("launch", least=True)
    if launch is not None and launch.value is not None:
        found.append(AssumptionCheck("launch of a kernel", "us", launch.value, launch.shape, None, "part of layer_us"))
    if measured.device.memory_bytes and chip.memory_bytes:
        there, said = measured.device.memory_bytes / GIGA, chip.memory_bytes / GIGA
        found.append(AssumptionCheck("memory", "GB", there, "", said, "the catalogue"))
    return tuple(found)


def constants_from_measurement(
    found: Iterable[AssumptionCheck], base: ServingConstants | None = None
) -> ServingConstants:
    """The serving constants with what was measured in place of what is fitted; they hold for this accelerator."""
    said = {one.constant: one.share for one in found if one.constant is not None and one.share is not None}
    return replace(base or serving_data().values(), **said)


def _share_of_peak(
    best: GpuMeasurement | None, what: str, *, peak: float, share: float, constant: str | None = None, way: str = ""
) -> Iterable[AssumptionCheck]:
    """A rate that was measured beside the share of its peak that is assumed."""
    if best is not None and best.value is not None:
        words, reached = f"{share:.0%} of {peak:,.0f}{way}", best.value / peak
        yield AssumptionCheck(what, best.unit, best.value, best.shape, peak * share, words, constant, reached)


def _products(
    measured: GpuMeasurementFile, chip: ServingAccelerator, ours: ServingConstants
) -> Iterable[AssumptionCheck]:
    """Matrix products by precision, and attention."""
    for precision in ("bf16", "fp16", "fp8"):
        constant = "flops_share" if precision == "bf16" else None
        best, peak = measured.best("matmul", precision), chip.flops(precision) / TERA
        yield from _share_of_peak(best, f"products, {precision}", peak=peak, share=ours.flops_share, constant=constant)
    best, share = measured.best("attention", "bf16"), ours.flops_share * ours.attention_share
    for one in _share_of_peak(best, "attention", peak=chip.flops_16bit / TERA, share=share):
        yield replace(one, share=None)  # it is not the share that a constant is


def _memory(
    measured: GpuMeasurementFile, chip: ServingAccelerator, ours: ServingConstants
) -> Iterable[AssumptionCheck]:
    checks = (("memory read", "", "bandwidth_share"), ("memory copy", "", None), ("attention decode", "bf16", None))
    for what, precision, constant in checks:
        best, peak = measured.best(what, precision), chip.bandwidth / GIGA
        yield from _share_of_peak(best, what, peak=peak, share=ours.bandwidth_share, constant=constant)


def _link_checks(
    measured: GpuMeasurementFile, chip: ServingAccelerator, ours: ServingConstants
) -> Iterable[AssumptionCheck]:
    """The slot to the host, and exchanges between accelerators: long ones for their rate, short ones for their wait."""
    for what in ("host to device", "device to host"):
        best = measured.best(what)
        if best is not None and best.value is not None:
            by_slot = chip.link_bytes_per_s <= chip.slot_bytes_per_s  # of others the slot is in no formula
            slot = chip.slot_bytes_per_s / GIGA if by_slot else None
            words = "no formula uses it" if slot is None else f"its slot, {slot:,.0f} one way"
            yield AssumptionCheck(what, best.unit, best.value, best.shape, slot, words)
    long, peak = measured.best("all-reduce", "bf16"), chip.link(measured.device.count) / GIGA
    yield from _share_of_peak(
        long, "all-reduce", peak=peak, share=ours.link_share, constant="link_share", way=" one way"
    )
    short = _shortest_exchange(measured)
    if short is not None and short.seconds:
        wait, slot = 1e6 * short.seconds, chip.link(measured.device.count) <= SLOT_BYTES_PER_S
        constant = "slot_allreduce_us" if slot else "allreduce_us"
        yield AssumptionCheck(
            "all-reduce, short", "us", wait, short.shape, getattr(ours, constant), constant, constant, wait
        )


def _shortest_exchange(measured: GpuMeasurementFile) -> GpuMeasurement | None:
    """The quickest all-reduce of little: its shape is so many accelerators x so many bytes."""
    short = [
        one
        for one in measured.results
        if one.what == "all-reduce" and one.seconds and 0 < _bytes_in(one.shape) <= _SMALL_EXCHANGE
    ]
    return min(short, key=lambda one: one.seconds or math.inf, default=None)


def _bytes_in(shape: str) -> float:
    last = shape.rpartition("x")[2]
    return float(last) if last.isascii() and last.isdigit() else math.nan


def constants_file(constants: ServingConstants, *, about: str, on: date) -> str:
    """Return a file of constants for `serve --constants`, each with the range it has in ours."""
    fields: dict[str, dict[str, object]] = {}
    for name in NAMES:
        value, ours = getattr(constants, name), serving_data().constants[name]
        value, low, high = (f"{number:.6g}" for number in (value, min(ours.low, value), max(ours.high, value)))
        fields[name] = {"value": value, "low": low, "high": high, "means": f'"{ours.means}"'}
    head = [f"about: {json.dumps(about)}", f"fit: {{on: {on}, command: python -m tools.check_gpu}}"]
    return constants_text(head, fields)


def measured_text(measured: GpuMeasurementFile, label: str, found: Iterable[AssumptionCheck]) -> str:
    """Return the measured GPU, the table of its figures, and which figures were not measured."""
    device = measured.device
    head = f"{label} ({words.count(device.count, 'device')} called {device.name}), {words.day(measured.date)}"
    made = ", ".join(f"{name} {value}" for name, value in (("torch", device.torch), ("cuda", device.cuda)) if value)
    load = ", ".join(f"{name} {value}" for name, value in measured.under_load.items())
    rows = [
        {
            "what": one.what, "measured": one.measured, "assumed": one.assumed, "unit": one.unit,
            "ratio": "" if one.ratio is None else f"{one.ratio:.2f}", "at": one.shape, "assumed from": one.assumed_from,
        }
        for one in found
    ]  # fmt: skip
    failed = dict.fromkeys(f"- {one.what} {one.precision}: {one.note}" for one in measured.results if one.value is None)
    notes = ["A quick run shows that it works; its figures mean little."] if measured.quick else []
    parts = (
        "; ".join(part for part in (head, made, load) if part) + ".",
        text_table(Table.from_raw_rows(rows)) or "Nothing in it is assumed anywhere.",
        "\n".join([*notes, *failed]),
    )
    return "\n\n".join(part for part in parts if part)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was measured beside what is assumed, and write constants where that is wanted."""
    parser = argparse.ArgumentParser(prog="python -m tools.check_gpu", description="Measured beside assumed.")
    parser.add_argument("measured", type=Path, metavar="FILE.yaml", help="what bench/measure_gpu.py --out wrote")
    parser.add_argument("--accelerator", metavar="NAME", help="which it is, where its driver's name does not say")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write constants for it, for serve --constants")
    wanted = parser.parse_args(arguments)
    try:
        catalogue = load_catalogue()
        measured = read_measured(read_text_file(wanted.measured), wanted.measured.name)
        accelerator = measured_accelerator(catalogue, measured, wanted.accelerator)
        found = factors(catalogue, measured, accelerator)
    except (UsageError, PricingError) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    label = catalogue.accelerator_label(accelerator)
    if wanted.out:
        text = constants_file(constants_from_measurement(found), about=f"{label} as measured", on=measured.date)
        write_file(wanted.out, text.encode("utf-8"))
    print(measured_text(measured, label, found))
    return OK


if __name__ == "__main__":
    sys.exit(main())
