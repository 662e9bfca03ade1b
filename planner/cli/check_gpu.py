"""`check gpu`: what bench/measure_gpu.py measured on a machine, beside what is assumed of its accelerator."""

from __future__ import annotations

import argparse

from planner.cli.files import write_file
from planner.cli.runs import text_of
from planner.cli.told import told
from planner.evidence.measured_gpu import accelerator_of, constants_of, factors, read_measured
from planner.evidence.serving.constants_file import as_measured
from planner.report.evidence.measured_gpu_words import factor_rows, measured_text
from planner.report.forms import plain_data
from planner.report.table import Table
from pricing import load_catalogue


def run(wanted: argparse.Namespace) -> int:
    """What was measured beside what is assumed, as factors."""
    catalogue = load_catalogue()
    measured = read_measured(text_of(wanted.measured), wanted.measured.name)
    accelerator = accelerator_of(catalogue, measured, wanted.accelerator)
    found = factors(catalogue, measured, accelerator)
    if wanted.out:
        about = f"{catalogue.accelerator_label(accelerator)} as measured"
        text = as_measured(constants_of(found), about=about, on=measured.date)
        write_file(wanted.out, text.encode("utf-8"))
    device = {"accelerator": accelerator, "device": plain_data(measured.device), "date": measured.date}
    return told(
        wanted,
        table=lambda: Table.as_they_are(factor_rows(found)),
        data=lambda: {**device, "factors": plain_data(factor_rows(found))},
        text=lambda: measured_text(measured, catalogue.accelerator_label(accelerator), found) + "\n",
    )
