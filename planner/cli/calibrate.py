"""`calibrate`: the constants of the speed models, fitted again to published or your own runs."""

from __future__ import annotations

import argparse
import sys
from datetime import date

from planner.cli.common import OK, versioned
from planner.cli.files import write_file
from planner.cli.runs import runs_of
from planner.cli.terminal import tell
from planner.evidence.kinds import KINDS
from planner.report.evidence.checked import group_rows, left_out_text
from pricing import load_catalogue


def run(wanted: argparse.Namespace) -> int:
    """Constants fitted to runs, written where it is wanted, with how far off they were."""
    rows, day = runs_of(wanted.kind, wanted.runs), wanted.day or date.today()
    made = KINDS[wanted.kind].calibrate(load_catalogue(), rows, day)
    if wanted.out:
        write_file(wanted.out, made.text.encode("utf-8"))
    if wanted.json:
        sys.stdout.write(versioned({"day": day, "left_out": group_rows(made.left_out), "constants": made.text}) + "\n")
        return OK
    sys.stdout.write(f"{left_out_text(made.left_out)}\n")
    tell(f"{wanted.out.name} written." if wanted.out else "Nothing written; --out FILE writes it.")
    return OK
