"""`compare`: several scenarios side by side, and what they say differently."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from planner.cli.common import OK, as_json
from planner.cli.files import write_file
from planner.cli.reckoned import reckoned
from planner.cli.scenarios import Opened
from planner.report.answer.side_by_side import compare_table, differing, repeated
from planner.report.files.csv import to_csv
from planner.report.text_table import text_table


def run(scenarios: Sequence[Opened], wanted: argparse.Namespace) -> int:
    """Each scenario reckoned, then told beside the others."""
    plans = [reckoned(one) for one in scenarios]
    table = compare_table(plans)
    if wanted.csv:
        write_file(wanted.csv, to_csv(table))
    if wanted.json:
        from planner.report.answer.document import comparison_data  # only programs wait for what describes it

        sys.stdout.write(as_json(comparison_data(plans)) + "\n")
        return OK
    differences = differing(plans)
    differ = "\n".join((*repeated(plans), *([text_table(differences)] if len(differences) else [])))
    sys.stdout.write(f"{text_table(table)}\n\nWhat differs\n------------\n{differ}\n")
    return OK
