"""`serve` for work that writes no tokens: pictures, films, speech, classifiers, on one or several accelerators."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date

from planner.cli.common import OK, versioned
from planner.cli.files import write_file
from planner.report.answer.small_work import small_sentences
from planner.report.files.csv import to_csv
from planner.report.speed.other_work import other_rows, other_text, priced
from planner.report.table import Table
from planner.scenario.serving_job import ServingJob
from planner.speed.serving import other_work, small_work
from pricing import Catalogue


def serve_other(
    wanted: argparse.Namespace, catalogue: Catalogue, jobs: Sequence[ServingJob], have: tuple[str, ...], day: date
) -> int:
    """Each accelerator with the same work, side by side."""
    every = [priced(catalogue, other_work(catalogue, job), day) for job in jobs]
    rows = other_rows(every, wanted.busy_share)
    small = small_sentences(small_work(catalogue, jobs[0], have))
    if wanted.csv:
        write_file(wanted.csv, to_csv(Table.as_they_are(rows)))
    if wanted.json:
        stamp = {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}
        sys.stdout.write(versioned({**stamp, "work": rows, "without_gpu": list(small)}) + "\n")
    else:
        sys.stdout.write("\n\n".join((other_text(every, wanted.busy_share), *small)) + "\n")
    return OK
