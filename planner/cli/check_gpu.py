"""`check gpu`: what bench/measure_gpu.py measured on a machine, beside what is assumed of its accelerator."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from planner.cli.common import OK, versioned
from planner.cli.files import write_file
from planner.cli.runs import text_of
from planner.report.csv import to_csv
from planner.report.measured_gpu import factor_rows, measured_text
from planner.report.training import plain_data
from planner.speed.measured_gpu import accelerator_of, constants_of, factors, read_measured
from planner.speed.serving import constants_yaml
from pricing import load_catalogue


def add_gpu(kinds: Any) -> None:
    """`check gpu`."""
    verb = kinds.add_parser("gpu", help="what measure_gpu.py measured on your machine beside what is assumed")
    verb.set_defaults(verb=_check)
    verb.add_argument("measured", type=Path, metavar="FILE.yaml", help="what python bench/measure_gpu.py --out wrote")
    verb.add_argument("--accelerator", metavar="NAME", help="which it is, where its driver's name does not say")
    verb.add_argument("--out", type=Path, metavar="FILE", help="write constants for it, for serve --constants")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write the table")


def _check(wanted: argparse.Namespace) -> int:
    catalogue = load_catalogue()
    measured = read_measured(text_of(wanted.measured), wanted.measured.name)
    accelerator = accelerator_of(catalogue, measured, wanted.accelerator)
    found = factors(catalogue, measured, accelerator)
    if wanted.out:
        about = f"{catalogue.accelerator_label(accelerator)} as measured"
        text = constants_yaml(constants_of(found), about=about, on=measured.date)
        write_file(wanted.out, text.encode("utf-8"))
    if wanted.csv:
        write_file(wanted.csv, to_csv(pd.DataFrame(factor_rows(found), dtype=object)))
    if wanted.json:
        told = {"accelerator": accelerator, "device": plain_data(measured.device), "date": measured.date}
        sys.stdout.write(versioned({**told, "factors": plain_data(factor_rows(found))}) + "\n")
    else:
        sys.stdout.write(measured_text(measured, catalogue.accelerator_label(accelerator), found) + "\n")
    return OK
