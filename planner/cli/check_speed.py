"""`check training` and `check serving`: predicted speed beside published or your own measured runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from planner.cli.common import OK, as_json
from planner.cli.runs import runs_of
from planner.report.checked import checked_frame, checked_line, checked_rows, checked_text, group_rows
from planner.report.csv import BYTE_ORDER_MARK, to_csv
from planner.speed.checked import Checked, skips, summary
from planner.speed.serving import check_serving
from planner.speed.training import check_training
from pricing import Catalogue, load_catalogue

Check = Callable[[Catalogue, Sequence[Mapping[str, str]]], Sequence[Checked]]
CHECKS: dict[str, Check] = {"training": check_training, "serving": check_serving}


def add_training(kinds: Any) -> None:
    """`check training`."""
    _add(kinds, "training", "how fast published training runs were, and how fast we say they are")


def add_serving(kinds: Any) -> None:
    """`check serving`."""
    _add(kinds, "serving", "the same for serving")


def _add(kinds: Any, kind: str, about: str) -> None:
    verb = kinds.add_parser(kind, help=about)
    verb.set_defaults(verb=_check, kind=kind)
    verb.add_argument(
        "runs",
        type=Path,
        nargs="?",
        metavar="RUNS.csv",
        help="your runs (docs/published-runs.md); without it, ours",
    )
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write id and predictions of every run")


def _check(wanted: argparse.Namespace) -> int:
    catalogue = load_catalogue()
    checked = CHECKS[wanted.kind](catalogue, runs_of(wanted.kind, wanted.runs))
    rows = checked_rows(checked)
    if wanted.csv:  # goes back to programs, which do not expect a byte order mark
        wanted.csv.write_bytes(to_csv(checked_frame(rows)).removeprefix(BYTE_ORDER_MARK.encode()))
    if wanted.json:
        stamp = {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day}
        told = {**stamp, "summary": group_rows(summary(checked)), "skipped": skips(checked), "runs": rows}
        sys.stdout.write(as_json(told) + "\n")
        sys.stderr.write(checked_line(checked) + "\n")
        return OK
    flattered = "" if wanted.runs else f" Most were fitted: `calibrate {wanted.kind}` leaves sources out."
    sys.stdout.write(f"{checked_text(checked)}\n\n{checked_line(checked)}{flattered}\n")
    return OK
