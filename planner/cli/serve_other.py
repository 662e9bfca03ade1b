"""`serve` for work that writes no tokens: pictures, films, speech, classifiers, on one or several accelerators."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date

from planner.cli.told import stamp, told
from planner.report.answer.small_work import small_sentences
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
    return told(
        wanted,
        table=lambda: Table.as_they_are(rows),
        data=lambda: {**stamp(catalogue, day), "work": rows, "without_gpu": list(small)},
        text=lambda: "\n\n".join((other_text(every, wanted.busy_share), *small)) + "\n",
    )
