"""What was measured on a GPU beside what is assumed, as a table, as text, and as a file of constants."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from planner.evidence.measured_gpu import GpuFactor, MeasuredGpu
from planner.report import words
from planner.report.table import Table
from planner.report.text_table import text_table


def factor_rows(found: tuple[GpuFactor, ...]) -> list[dict[str, Any]]:
    """One record for each measured figure."""
    return [{**asdict(one), "ratio": one.ratio} for one in found]


def measured_text(measured: MeasuredGpu, label: str, found: tuple[GpuFactor, ...]) -> str:
    """The measured GPU, the table of its figures, and which figures were not measured."""
    device = measured.device
    head = f"{label} ({words.count(device.count, 'device')} called {device.name}), {words.day(measured.date)}"
    made = ", ".join(f"{name} {value}" for name, value in (("torch", device.torch), ("cuda", device.cuda)) if value)
    load = ", ".join(f"{name} {value}" for name, value in measured.under_load.items())
    rows = [
        {
            "what": one.what,
            "measured": one.measured,
            "assumed": one.assumed,
            "unit": one.unit,
            "ratio": "" if one.ratio is None else f"{one.ratio:.2f}",
            "at": one.shape,
            "assumed from": one.assumed_from,
        }
        for one in found
    ]
    failed = dict.fromkeys(f"- {one.what} {one.precision}: {one.note}" for one in measured.results if one.value is None)
    notes = ["A quick run shows that it works; its figures mean little."] if measured.quick else []
    parts = (
        "; ".join(part for part in (head, made, load) if part) + ".",
        text_table(Table.as_they_are(rows)) or "Nothing in it is assumed anywhere.",
        "\n".join([*notes, *failed]),
    )
    return "\n\n".join(part for part in parts if part)
