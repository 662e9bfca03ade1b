"""`sweep`: the answer of thousands of scenarios, streamed to a file, resumed where it was stopped."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from planner.cli.common import FAILED, OK, STOPPED, add_catalog_arguments, whole, with_quote_file
from planner.cli.terminal import redraw_line, tell

if TYPE_CHECKING:
    from planner.cli.sweep_run import SweepFileWriter, SweepJob, SweepManifest
    from planner.scenario.grid import SweepGrid
    from planner.study.sweep.flips import WinnerCounts


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("sweep", help="thousands of scenarios: lists and ranges over any input")
    verb.set_defaults(verb=run)
    verb.add_argument("grid", type=Path, metavar="GRID", help="a YAML file (docs/sweeps.md)")
    verb.add_argument("--csv", type=Path, metavar="FILE", required=True, help="write one row for each scenario")
    add_catalog_arguments(verb)
    where = verb.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=whole, metavar="N", help="processes on this machine; all cores if empty")
    where.add_argument("--dask", metavar="ADDRESS", help="run on a Dask cluster, such as tcp://host:8786")
    verb.add_argument("--json", action="store_true", help="print the summary and the rows as JSON")


BLOCK, ALONE_BLOCK = 2_048, 32  # points written at once: calculated as arrays, or one by one
_BAR, _LINE_EVERY_S, _BAR_EVERY_S = 30, 10.0, 0.2


def run(args: argparse.Namespace) -> int:
    """Load the grid before the engine, write every missing row, then print the summary."""
    from planner.cli.inputs import load_grid

    grid = load_grid(args.grid)
    from planner.cli.sweep_run import SweepFileWriter, SweepWorkersLostError
    from planner.report.files.sweep import SweepColumns, SweepRun, summary_text, sweep_document, sweep_json
    from planner.study.sweep.flips import WinnerCounts

    job, note, facts_digest = _prepare(grid, args)
    grid, winners = job.grid, WinnerCounts(job.grid.count)
    with SweepFileWriter(args.csv, note, SweepColumns(grid)) as out:
        out.resume(winners.add)
        try:
            seconds = _compute_missing_rows(job, out, winners, args)
        except (KeyboardInterrupt, SweepWorkersLostError, OSError) as error:
            reason = f"{error}: stopped"
            if isinstance(error, OSError):
                reason = f"{error.filename or 'file'}: {error.strerror}: stopped"
            was_interrupted = isinstance(error, KeyboardInterrupt)
            progress = f"{out.done:,} of {grid.count:,}"
            tell(f"{'Stopped' if was_interrupted else reason} after {progress}; the same command resumes it.")
            return STOPPED if was_interrupted else FAILED
    document = sweep_document(grid, winners, SweepRun(str(args.csv), job.day, facts_digest, out.resumed, seconds))
    sys.stdout.writelines(sweep_json(document, grid, args.csv) if args.json else [summary_text(document)])
    return OK


def _prepare(grid: SweepGrid, args: argparse.Namespace) -> tuple[SweepJob, SweepManifest, str]:
    """Return the job with its day, quotes and own runs, the manifest of its file, and the digest of its facts."""
    from planner.cli.inputs import with_own_runs
    from planner.cli.sweep_run import SweepJob, SweepManifest, code_digest, digest, read_manifest
    from pricing.feeds.live import current
    from pricing.stale import as_of

    shipped, before = current(), read_manifest(args.csv)
    day: date = args.day or grid.saved.day or (date.fromisoformat(before.day) if before else date.today())
    quotes = (args.quotes.name, args.quotes.read_bytes()) if args.quotes else None
    facts = with_quote_file(as_of(shipped, day), args.quotes, day)  # warns of problems once
    scenario = with_own_runs(grid.saved.scenario, as_of(shipped, day), args.runs, day)
    grid = replace(grid, saved=replace(grid.saved, scenario=scenario))
    note = SweepManifest(
        grid=digest(repr((grid.saved.scenario, grid.axes, grid.outputs)).encode()),
        day=day.isoformat(),
        facts=digest(shipped.digest.encode(), quotes[1] if quotes else b""),
        program=code_digest(),
        rows=grid.count,
    )
    return SweepJob(grid, day, quotes, note.program, digest(repr(note).encode()), shipped.digest), note, facts.digest


def _compute_missing_rows(
    job: SweepJob, out: SweepFileWriter, winners: WinnerCounts, args: argparse.Namespace
) -> float:
    """Compute the missing rows; return how long that took. [s]

    Blocks begin at the same places whenever a sweep starts, so rows come out alike.
    """
    from planner.cli.sweep_run import cached_sweep, run_on_dask, run_on_processes

    start = monotonic()
    count = job.grid.count
    if out.done < count:
        size = BLOCK if cached_sweep(job)[0].encodings else ALONE_BLOCK
        spans = ((at, min(at + size, count)) for at in range(out.done - out.done % size, count, size))
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        workers = min(args.jobs or cores, -(-(count - out.done) // size))
        blocks = run_on_dask(job, spans, args.dask) if args.dask else run_on_processes(job, spans, workers)
        progress = SweepProgressBar(out.done, count)
        progress.show(out.done)
        for (first, last), (lines, best) in blocks:
            written = out.done - first  # rows of this block that stood in the file already
            out.add(lines[written:], last - out.done)
            winners.add(best[written:])
            progress.show(out.done)
    return round(monotonic() - start, 3)


class SweepProgressBar:
    """Progress, speed and time left of a sweep: a bar on a terminal, else a line now and then."""

    def __init__(self, done: int, count: int) -> None:
        self._began, self._first, self._count = monotonic(), done, count
        self._bar = sys.stderr.isatty()
        self._last = self._began

    def show(self, done: int) -> None:
        """Show the progress, if it is time to."""
        now = monotonic()
        ready = done == self._count
        if now - self._last < (_BAR_EVERY_S if self._bar else _LINE_EVERY_S) and not (ready and self._bar):
            return
        self._last = now
        rate = (done - self._first) / max(now - self._began, 1e-9)
        text = f"{done:,} of {self._count:,}"
        if rate > 0:
            text += f", {rate:,.0f} a second, {_format_time((self._count - done) / rate)} left"
        full = _BAR * done // self._count
        if self._bar:
            redraw_line(f"[{'#' * full}{'.' * (_BAR - full)}] {text}   " + ("\n" if ready else ""))
        else:
            tell(text)


def _format_time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
