"""`sweep`: the answer of thousands of scenarios, streamed to a file, gone on with where it was stopped."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from planner.cli.arguments import add_catalog_arguments, whole
from planner.cli.common import FAILED, OK, STOPPED, with_quote_file
from planner.cli.terminal import redraw_line, tell

if TYPE_CHECKING:
    from planner.cli.sweep_file import Rows
    from planner.cli.sweep_run import Span, SweepJob
    from planner.scenario.grid import SweepGrid
    from planner.study.sweep.flips import WinnerCounts
    from pricing import Catalogue


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("sweep", help="thousands of scenarios: lists and ranges over any input")
    verb.set_defaults(verb=run)
    verb.add_argument("grid", type=Path, metavar="GRID", help="a YAML file (docs/sweeps.md)")
    verb.add_argument("--csv", type=Path, metavar="FILE", required=True, help="write one row for each scenario")
    add_catalog_arguments(verb)
    where = verb.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=whole, metavar="N", help="processes on this machine; all cores if not said")
    where.add_argument("--dask", metavar="ADDRESS", help="run on a Dask cluster, such as tcp://host:8786")
    verb.add_argument("--json", action="store_true", help="print what was found, and the rows, as JSON")


def run(args: argparse.Namespace) -> int:
    """Refuse what names nothing before the engine loads."""
    from planner.cli.scenarios import load_grid

    grid = load_grid(args.grid)
    return _report(grid, args)


BLOCK, ALONE_BLOCK = 2_048, 32  # points that are written at once: told together, or reckoned one by one

_BAR, _LINE_EVERY_S, _BAR_EVERY_S = 30, 10.0, 0.2


def _report(grid: SweepGrid, args: argparse.Namespace) -> int:
    """Every row that is not there yet, then what was found over all of them."""
    from planner.cli.sweep_file import Rows, SweepManifest, code_digest, digest, noted
    from planner.cli.sweep_run import Lost, SweepJob
    from planner.report.files.sweep import SweepColumns, SweepRun, summary_text, sweep_document, sweep_json
    from planner.study.sweep.flips import WinnerCounts
    from pricing.feeds.live import current
    from pricing.stale import as_of

    shipped = current()
    before = noted(args.csv)
    day: date = args.day or grid.saved.day or (date.fromisoformat(before.day) if before else date.today())
    quotes = (args.quotes.name, args.quotes.read_bytes()) if args.quotes else None
    facts = with_quote_file(as_of(shipped, day), args.quotes, day)  # says what is odd about them, once
    grid = _with_own_runs(grid, as_of(shipped, day), args.runs, day)
    note = SweepManifest(
        grid=digest(repr((grid.saved.scenario, grid.axes, grid.outputs)).encode()),
        day=day.isoformat(),
        facts=digest(shipped.digest.encode(), quotes[1] if quotes else b""),
        program=code_digest(),
        rows=grid.count,
    )
    job = SweepJob(grid, day, quotes, note.program, digest(repr(note).encode()), shipped.digest)
    winners = WinnerCounts(grid.count)
    with Rows(args.csv, note, SweepColumns(grid)) as out:
        out.read(winners.add)
        try:
            seconds = _run(job, out, winners, args)
        except (KeyboardInterrupt, Lost, OSError) as stop:
            tell(f"{_why(stop)} after {out.done:,} of {grid.count:,}; the same command goes on.")
            return STOPPED if isinstance(stop, KeyboardInterrupt) else FAILED
    told = sweep_document(grid, winners, SweepRun(str(args.csv), day, facts.digest, out.found, seconds))
    sys.stdout.writelines(sweep_json(told, grid, args.csv) if args.json else [summary_text(told)])
    return OK


def _why(stop: BaseException) -> str:
    from planner.cli.sweep_run import Lost

    if isinstance(stop, OSError):
        return f"{stop.filename or 'file'}: {stop.strerror}: stopped"
    return f"{stop}: stopped" if isinstance(stop, Lost) else "Stopped"


def _with_own_runs(grid: SweepGrid, facts: Catalogue, paths: Sequence[Path], day: date) -> SweepGrid:
    from planner.cli.runs import with_own_runs

    scenario = with_own_runs(grid.saved.scenario, facts, paths, day)
    return replace(grid, saved=replace(grid.saved, scenario=scenario))


def _run(job: SweepJob, out: Rows, winners: WinnerCounts, args: argparse.Namespace) -> float:
    """Reckon what is not there yet. Gives back how long that took. [s]"""
    from planner.cli.sweep_run import cached_sweep, here, run_on_dask

    began = monotonic()
    if out.done < job.grid.count:
        size = BLOCK if cached_sweep(job)[0].encodings else ALONE_BLOCK
        spans = _missing_blocks(out.done, job.grid.count, size)
        workers = min(args.jobs or _available_cores(), -(-(job.grid.count - out.done) // size))
        blocks = run_on_dask(job, spans, args.dask) if args.dask else here(job, spans, workers)
        progress = Progress(out.done, job.grid.count)
        progress.show(out.done)
        for (start, stop), (lines, best) in blocks:
            there = out.done - start  # rows of this block that stood in the file already
            out.add(lines[there:], stop - out.done)
            winners.add(best[there:])
            progress.show(out.done)
    return round(monotonic() - began, 3)


def _missing_blocks(done: int, count: int, size: int) -> Iterator[Span]:
    """The blocks that are not whole yet. They begin at the same places whenever one starts, so rows come out alike."""
    return ((start, min(start + size, count)) for start in range(done - done % size, count, size))


def _available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Progress:
    """How far a sweep is, how fast it goes, how long it still takes: a bar on a terminal, else a line now and then."""

    def __init__(self, done: int, count: int) -> None:
        self._began, self._first, self._count = monotonic(), done, count
        self._bar = sys.stderr.isatty()
        self._last = self._began

    def show(self, done: int) -> None:
        """Show how far it is, if it is time to."""
        now = monotonic()
        ready = done == self._count
        if now - self._last < (_BAR_EVERY_S if self._bar else _LINE_EVERY_S) and not (ready and self._bar):
            return
        self._last = now
        rate = (done - self._first) / max(now - self._began, 1e-9)
        told = f"{done:,} of {self._count:,}"
        if rate > 0:
            told += f", {rate:,.0f} a second, {_left((self._count - done) / rate)} left"
        full = _BAR * done // self._count
        if self._bar:
            redraw_line(f"[{'#' * full}{'.' * (_BAR - full)}] {told}   " + ("\n" if ready else ""))
        else:
            tell(told)


def _left(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
