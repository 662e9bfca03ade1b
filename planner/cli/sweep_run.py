"""Who reckons the blocks of a sweep: this process, one on each core, or the workers of a Dask cluster.

Each takes the same blocks and gives back their lines, which are handed on in order. A block that was lost with its
worker is reckoned again.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from datetime import date
from typing import Any

from planner.cli.common import UsageError
from planner.cli.sweep_file import code_digest
from planner.report.files.sweep import SweepColumns
from planner.scenario.grid import OF_FUTURES, OUTPUTS, SweepGrid
from planner.study.measures import MEASURES
from planner.study.sweep.sweep import Sweep
from pricing import Catalogue, PricingError
from pricing.feeds.live import current
from pricing.quotes import parse_quotes, with_quotes
from pricing.stale import as_of

_AHEAD = 2  # blocks for each worker that are asked for before the first of them is written
_RETRIES = 5
_NO_DASK = (
    "--dask needs the packages of requirements-dask.txt: `pip install -r requirements-dask.txt`; "
    "without --dask the sweep runs on this machine"
)
Span = tuple[int, int]
Rows = tuple[list[bytes], list[tuple[str, str]]]  # lines; the word and best way of each


class Lost(Exception):
    """The workers are gone; what was written stays, and the sweep can be gone on with."""


@dataclass(frozen=True, eq=False)
class SweepJob:
    """Everything a worker needs, wherever it runs."""

    grid: SweepGrid
    day: date
    quotes: tuple[str, bytes] | None
    program: str
    key: str
    prices: str  # digest of the facts that its rows rest on


def facts(job_day: date, quotes: tuple[str, bytes] | None) -> Catalogue:
    """The catalogue as of the day, with quotes over it."""
    known = as_of(current(), job_day)
    if quotes is None:
        return known
    return with_quotes(known, parse_quotes(quotes[1], name=quotes[0], catalogue=known, day=job_day))


_SWEEPS: dict[str, tuple[Sweep, SweepColumns]] = {}  # one, kept between the blocks of a worker


def cached_sweep(job: SweepJob) -> tuple[Sweep, SweepColumns]:
    """The sweep of a job, made once in each process."""
    if job.key not in _SWEEPS:
        if code_digest() != job.program:
            raise PricingError("this worker has another version of the program: install the same on all workers")
        if current().digest != job.prices:
            raise PricingError("this worker has other live prices: give all workers the same RENT_OR_BUY_DATA")
        solves = "break_even_busy_share" in job.grid.outputs
        draws = any(name in job.grid.outputs for name in OF_FUTURES)
        _SWEEPS.clear()
        others = tuple(one for one in MEASURES if one.name in job.grid.outputs and one.name not in OUTPUTS)
        sweep = Sweep(facts(job.day, job.quotes), job.grid, job.day, solves, draws, others)
        _SWEEPS[job.key] = sweep, SweepColumns(job.grid)
    return _SWEEPS[job.key]


def rows(job: SweepJob, span: Span) -> Rows:
    """The lines of the points from one number up to another."""
    sweep, columns = cached_sweep(job)
    found = sweep.block(*span)
    lines = [columns.row(number, one) for number, one in zip(range(*span), found, strict=True)]
    return lines, [(getattr(one, columns.word), one.best) for one in found]


def here(job: SweepJob, spans: Iterator[Span], workers: int) -> Iterator[tuple[Span, Rows]]:
    """The blocks on this machine, in order."""
    if workers == 1:
        yield from ((span, rows(job, span)) for span in spans)
        return
    fresh = multiprocessing.get_context("spawn")  # alike on every system
    stop = fresh.Event()
    with ProcessPoolExecutor(workers, initializer=_begin, initargs=(job, stop), mp_context=fresh) as pool:
        try:
            yield from _in_order(lambda span: _asked(pool, span), spans, lambda: _AHEAD * workers)
        except BrokenProcessPool as error:
            raise Lost("a process of the sweep was ended from outside, perhaps for want of memory") from error
        except BaseException:  # Ctrl-C, or nobody asks for more: blocks that are begun are not waited for
            stop.set()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _asked(pool: ProcessPoolExecutor, span: Span) -> Any:
    """A block given to the pool. A process that begins meanwhile is deaf to Ctrl-C, which reaches all of them: ours
    alone hears it, and tells the others to end."""
    if not hasattr(signal, "pthread_sigmask"):  # not on every system
        return pool.submit(_rows, span)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(_rows, span)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_JOB: list[SweepJob] = []


def _begin(job: SweepJob, stop: Any) -> None:
    """Begin a worker of this machine: it ends when told to, or with the process that began it, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _JOB[:] = [job]
    parent = multiprocessing.parent_process()
    for ended in (stop.wait, *([parent.join] if parent else [])):
        threading.Thread(target=_exit_when, args=(ended,), daemon=True).start()


def _exit_when(ended: Callable[[], object]) -> None:
    ended()
    os._exit(1)


def _rows(span: Span) -> Rows:
    return rows(_JOB[0], span)


def _in_order(
    ask: Callable[[Span], Any], spans: Iterator[Span], ahead: Callable[[], int]
) -> Iterator[tuple[Span, Rows]]:
    """What was asked for, in the order of asking, only so many at once."""
    waiting: deque[tuple[Span, Any]] = deque()
    for span in spans:
        waiting.append((span, ask(span)))
        while len(waiting) > ahead():
            first, future = waiting.popleft()
            yield first, future.result()
    while waiting:
        first, future = waiting.popleft()
        yield first, future.result()


def run_on_dask(job: SweepJob, spans: Iterator[Span], address: str) -> Iterator[tuple[Span, Rows]]:
    """The blocks on the workers of a cluster that is there, in order."""
    try:
        import distributed  # an extra: loaded only for those who ask for it
    except ImportError as error:
        raise UsageError(_NO_DASK) from error
    try:
        client: Any = distributed.Client(address, timeout="10s", set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(
            f"--dask {address}: no Dask scheduler answers there; want one such as tcp://host:8786"
        ) from error
    with client:

        def ask(span: Span) -> Any:
            return client.submit(rows, job, span, key=f"sweep-{job.key}-{span[0]}", retries=_RETRIES, pure=False)

        def ahead() -> int:
            threads: int = sum(client.nthreads().values())
            return _AHEAD * max(threads, 1)

        try:
            yield from _in_order(ask, spans, ahead)
        except (distributed.KilledWorker, distributed.CancelledError, OSError) as error:
            raise Lost("the cluster lost its workers, or its scheduler") from error
