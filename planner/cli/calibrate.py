"""`calibrate`: the constants of the speed models, fitted again to published or your own runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from datetime import date

from planner.cli.common import OK, BadInput, versioned
from planner.cli.files import write_file
from planner.cli.runs import runs_of
from planner.cli.terminal import tell
from planner.evidence.cells import Row
from planner.evidence.checked import Group
from planner.evidence.serving.calibrate import as_yaml, calibrate
from planner.evidence.serving.observed import observe
from planner.evidence.training.bands import bands_of
from planner.evidence.training.calibration import leave_one_source_out, refit, sample_of, without_halves
from planner.evidence.training.calibration_file import constants_text, judged
from planner.report.evidence.checked import group_rows, left_out_text
from pricing import Catalogue, load_catalogue

FEWEST_SOURCES = 2  # with one, nothing can be left out
_FEW = "{kind}: runs of {sources} sources can be fitted to, want at least {fewest}: leaving one out judges the fit."


def run(wanted: argparse.Namespace) -> int:
    """Constants fitted to runs, written where it is wanted, with how far off they were."""
    rows, day = runs_of(wanted.kind, wanted.runs), wanted.day or date.today()
    text, left_out = FITS[wanted.kind](load_catalogue(), rows, day)
    if wanted.out:
        write_file(wanted.out, text.encode("utf-8"))
    if wanted.json:
        sys.stdout.write(versioned({"day": day, "left_out": group_rows(left_out), "constants": text}) + "\n")
        return OK
    sys.stdout.write(f"{left_out_text(left_out)}\n")
    tell(f"{wanted.out.name} written." if wanted.out else "Nothing written; --out FILE writes it.")
    return OK


def _training(catalogue: Catalogue, rows: Sequence[Row], day: date) -> tuple[str, list[Group]]:
    sample = sample_of(catalogue, rows)
    _enough("training", len(set(sample.source.tolist())))
    sample, errors = leave_one_source_out(catalogue, rows)
    bands = bands_of(sample, errors, without_halves(sample))
    return constants_text(refit(catalogue, rows), bands, sample, on=day), judged(sample, errors)


def _serving(catalogue: Catalogue, rows: Sequence[Row], day: date) -> tuple[str, list[Group]]:
    _enough("serving", len({one.source for one in observe(catalogue, rows)}))
    made = calibrate(catalogue, rows, on=day)
    return as_yaml(made), made.left_out


def _enough(kind: str, sources: int) -> None:
    if sources < FEWEST_SOURCES:
        raise BadInput(_FEW.format(kind=kind, sources=sources, fewest=FEWEST_SOURCES))


FITS: dict[str, Callable[[Catalogue, Sequence[Row], date], tuple[str, list[Group]]]] = {
    "training": _training,
    "serving": _serving,
}
