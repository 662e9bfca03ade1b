"""`check training` and `check serving`: predicted speed beside published or your own measured runs."""

from __future__ import annotations

import argparse
from datetime import date

from planner.cli.runs import runs_of
from planner.cli.told import told
from planner.evidence.checked import skips, summary
from planner.evidence.factors import OwnFactors
from planner.evidence.kinds import KINDS, factors_of
from planner.report import words
from planner.report.evidence.checked import checked_line, checked_rows, checked_text, group_rows
from planner.report.evidence.own_runs_words import finding
from planner.report.table import Table
from planner.scenario.file import part_of_file
from pricing import Catalogue, load_catalogue


def run(wanted: argparse.Namespace) -> int:
    """Every run beside what is predicted of it."""
    catalogue = load_catalogue()
    checked = KINDS[wanted.kind].check(catalogue, runs_of(wanted.kind, wanted.runs))
    rows, found = checked_rows(checked), _factors(catalogue, wanted)
    said = tuple(one.model_dump(exclude_defaults=True) for one in (found.carried() if found else ()))
    flattered = "" if wanted.runs else " Most were fitted: errors on new runs are larger (docs/speed.md)."
    yours = ""
    if found is not None and found.factors:
        yours = f"\n{finding(catalogue, found)}.\n{_FOR_A_SCENARIO}\n\n{part_of_file({'measured': said})}"
    return told(
        wanted,
        table=lambda: Table.as_they_are(rows),
        data=lambda: {
            "catalogue_digest": catalogue.digest,
            "catalogue_day": catalogue.day,
            "summary": group_rows(summary(checked)),
            "skipped": words.counted(skips(checked), "reason", "runs"),
            "runs": rows,
            "measured": said,
        },
        text=lambda: f"{checked_text(checked)}\n\n{checked_line(checked)}{flattered}\n{yours}",
        aside=checked_line(checked),
        byte_order_mark=False,  # the table goes back to programs, which do not expect one
    )


_FOR_A_SCENARIO = "A scenario goes by them with these lines, or `plan`, `compare`, `cheapest` and `sweep` with --runs:"


def _factors(catalogue: Catalogue, wanted: argparse.Namespace) -> OwnFactors | None:
    """What a table of somebody's own runs says together; None for ours, which the constants were fitted to."""
    if wanted.runs is None:
        return None
    rows = runs_of(wanted.kind, wanted.runs)
    return factors_of(catalogue, wanted.kind, rows, source=wanted.runs.name, day=wanted.day or date.today())
