"""The rows of a sweep: the workers that compute blocks of them, and the file in which they are kept.

Workers are this process, one process on each core, or those of a Dask cluster. Blocks are the same for all of them and
are written in order, each on disk before the next; a block lost with its worker is computed again. Beside the file
stands a manifest of its origin: grid, day, facts and program. Rows are added only to a file of the same origin, after
its last whole line.
"""

from __future__ import annotations

import csv
import hashlib
import json
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO

import pricing
from planner.cli.common import UsageError, is_regular_file, named, write_file
from planner.report.files.sweep import LINE_END, SweepColumns
from planner.scenario.grid import OF_FUTURES, OUTPUTS, SweepGrid
from planner.study.measures import MEASURES
from planner.study.sweep.sweep import Sweep
from pricing import PricingError
from pricing.caching import cached
from pricing.feeds.live import current
from pricing.quotes import parse_quotes, with_quotes
from pricing.stale import as_of

NOTE = ".sweep.json"
_PROGRAM = (".py", ".csv", ".json", ".txt", ".yaml")
_LOCKED = "another sweep is writing {name}: wait for it, or choose another name after --csv"


@dataclass(frozen=True)
class SweepManifest:
    """The origin of a file of rows. Rows of different origins never share a file. Field names are keys of its JSON."""

    grid: str
    day: str
    facts: str  # catalogue and quotes
    program: str
    rows: int


_WORDS = {"grid": "grid", "day": "day", "facts": "prices", "program": "version of this program", "rows": "grid"}


def digest(*parts: bytes) -> str:
    """Return a digest of some bytes."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]


def code_digest() -> str:
    """Return a digest of the program: every module and every constant may change a number."""
    roots = (Path(__file__).parents[1], Path(pricing.__file__).parent)
    files = sorted(path for root in roots for path in root.rglob("*") if path.suffix in _PROGRAM and path.is_file())
    return digest(*(path.read_bytes() for path in files))


def read_manifest(out: Path) -> SweepManifest | None:
    """Return the manifest of a file; None where there is none."""
    path = _manifest_path(out)
    if not path.is_file():
        return None
    try:
        note = SweepManifest(**json.loads(path.read_text(encoding="utf-8")))
        date.fromisoformat(note.day)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path}: not the manifest of a sweep; delete it and {out.name} to start again") from error
    return note


def _manifest_path(out: Path) -> Path:
    return out.with_name(out.name + NOTE)


class SweepFileWriter:
    """A file of rows that is being written. Use with `with`: it is locked until the end of the block.

    The last row of an earlier run is calculated again: it may be cut off within a number, with a line end that an
    editor added. It stays in the file until then.
    """

    def __init__(self, out: Path, note: SweepManifest, columns: SweepColumns) -> None:
        self._out, self._note, self._columns = out, note, columns
        self._file: BinaryIO
        self._doubtful = b""  # the last row of an earlier run
        self.done = 0  # rows in it
        self.resumed = 0  # of them, those of earlier runs

    def __enter__(self) -> SweepFileWriter:
        if not is_regular_file(self._out):
            raise UsageError(f"{self._out}: resuming needs a regular file, not a pipe or device")
        before = read_manifest(self._out)
        if before is None and self._out.exists() and self._out.stat().st_size:
            raise UsageError(f"{self._out}: the file exists and is not of a sweep; choose another name")
        if before is not None and before != self._note:
            own, other = asdict(self._note), asdict(before)
            changed = " and ".join(dict.fromkeys(_WORDS[key] for key in own if own[key] != other[key]))
            raise UsageError(
                f"{self._out}: started with another {changed}; choose another name, or delete it and "
                f"{_manifest_path(self._out).name} to start again. Nothing was written"
            )
        self._file = self._out.open("r+b" if self._out.exists() else "x+b")
        _lock(self._file, self._out.name)
        if before is None:
            write_file(_manifest_path(self._out), json.dumps(asdict(self._note), indent=2).encode())
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def resume(self, on_row: Callable[[list[tuple[str, str]]], None]) -> None:
        """Read the rows of an earlier run, each with its word and best option to `on_row`; cut off a torn one."""
        head = self._columns.head
        believed = end = len(head) if self._file.readline() == head else 0
        last: tuple[str, str] | None = None
        for line in self._file if believed else ():
            cells = self._cells(line)
            if cells is None:
                break
            if last is not None:
                on_row([last])
                self.done, believed = self.done + 1, end
            last, self._doubtful = (cells[self._columns.word_at], cells[self._columns.best_at]), line
            end += len(line)
        self.resumed = self.done
        with named(self._out):
            self._file.truncate(end)
            self._file.seek(believed)
        if not believed:
            self._write([head])

    def _cells(self, line: bytes) -> list[str] | None:
        """Return the cells of a line that is the next row as a whole; None where it is not."""
        number = self.done + bool(self._doubtful)
        if not line.endswith(LINE_END) or not line.startswith(f"{number},".encode()):
            return None
        try:
            cells = next(csv.reader([line.removesuffix(LINE_END).decode("utf-8")], strict=True))
        except (UnicodeDecodeError, csv.Error):
            return None
        return cells if len(cells) == len(self._columns.names) else None

    def add(self, lines: Sequence[bytes], count: int) -> None:
        """Write the next rows; they are on disk when this returns."""
        self.resumed += bool(lines) and lines[0] == self._doubtful
        self._doubtful = b""
        self._write(lines)
        self.done += count

    def _write(self, lines: Sequence[bytes]) -> None:
        with named(self._out):
            self._file.write(b"".join(lines))
            self._file.truncate()  # a doubtful row may have been longer
            self._file.flush()
            os.fsync(self._file.fileno())


def _lock(file: BinaryIO, name: str) -> None:
    """Lock the file for one writer, on systems that can lock files."""
    try:
        import fcntl  # not on every system
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UsageError(_LOCKED.format(name=name)) from error


_AHEAD = 2  # blocks submitted for each worker before the first of them is written
_RETRIES = 5
_NO_DASK = (
    "--dask needs the packages of requirements-dask.txt: `pip install -r requirements-dask.txt`; "
    "without --dask the sweep runs on this machine"
)
Span = tuple[int, int]
Block = tuple[list[bytes], list[tuple[str, str]]]  # lines; the word and best option of each


class SweepWorkersLostError(Exception):
    """The workers are gone; the written rows stay, and the sweep can be resumed."""


@dataclass(frozen=True, eq=False)
class SweepJob:
    """Everything a worker needs, wherever it runs."""

    grid: SweepGrid
    day: date
    quotes: tuple[str, bytes] | None
    program: str
    key: str
    prices: str  # digest of the facts behind its rows


@cached(1, equal=lambda job: job.key)  # between the blocks of a worker
def cached_sweep(job: SweepJob) -> tuple[Sweep, SweepColumns]:
    """Return the sweep of a job, made once in each process."""
    shipped = current()
    if code_digest() != job.program:
        raise PricingError("this worker has another version of the program: install the same on all workers")
    if shipped.digest != job.prices:
        raise PricingError("this worker has other live prices: give all workers the same RENT_OR_BUY_DATA")
    facts = as_of(shipped, job.day)
    if job.quotes is not None:
        name, data = job.quotes
        facts = with_quotes(facts, parse_quotes(data, name=name, catalogue=facts, day=job.day))
    outputs = job.grid.outputs
    others = tuple(measure for measure in MEASURES if measure.name in outputs and measure.name not in OUTPUTS)
    draws = any(name in outputs for name in OF_FUTURES)
    return Sweep(facts, job.grid, job.day, "break_even_busy_share" in outputs, draws, others), SweepColumns(job.grid)


def compute_block(job: SweepJob, span: Span) -> Block:
    """Return the lines of the points from one number up to another."""
    sweep, columns = cached_sweep(job)
    points = sweep.block(*span)
    lines = [columns.row(number, point) for number, point in zip(range(*span), points, strict=True)]
    return lines, [(getattr(point, columns.word), point.best) for point in points]


def run_on_processes(job: SweepJob, spans: Iterator[Span], workers: int) -> Iterator[tuple[Span, Block]]:
    """Yield the blocks of this machine, in order."""
    if workers == 1:
        yield from ((span, compute_block(job, span)) for span in spans)
        return
    fresh = multiprocessing.get_context("spawn")  # alike on every system
    stop = fresh.Event()
    with ProcessPoolExecutor(workers, initializer=_init_worker, initargs=(job, stop), mp_context=fresh) as pool:
        try:
            yield from _in_order(lambda span: _submit(pool, span), spans, lambda: _AHEAD * workers)
        except BrokenProcessPool as error:
            raise SweepWorkersLostError("a sweep worker was killed, possibly out of memory") from error
        except BaseException:  # Ctrl-C, or no more blocks are wanted: blocks under way are not waited for
            stop.set()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _submit(pool: ProcessPoolExecutor, span: Span) -> Any:
    """Submit a block. A process that starts meanwhile ignores Ctrl-C, which reaches all of them: ours alone handles it,
    and tells the others to end."""
    if not hasattr(signal, "pthread_sigmask"):  # not on every system
        return pool.submit(_worker_block, span)
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(_worker_block, span)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)


_JOB: list[SweepJob] = []


def _init_worker(job: SweepJob, stop: Any) -> None:
    """Start a worker of this machine: it ends on request, or with its parent process, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _JOB[:] = [job]
    parent = multiprocessing.parent_process()
    for wait in (stop.wait, *([parent.join] if parent else [])):
        threading.Thread(target=_exit_after, args=(wait,), daemon=True).start()


def _exit_after(wait: Callable[[], object]) -> None:
    wait()
    os._exit(1)


def _worker_block(span: Span) -> Block:
    return compute_block(_JOB[0], span)


def _in_order(
    submit: Callable[[Span], Any], spans: Iterator[Span], ahead: Callable[[], int]
) -> Iterator[tuple[Span, Block]]:
    """Yield the results in the order of submission, only so many submitted at once."""
    pending: deque[tuple[Span, Any]] = deque()
    for span in spans:
        pending.append((span, submit(span)))
        while len(pending) > ahead():
            first, future = pending.popleft()
            yield first, future.result()
    for first, future in pending:
        yield first, future.result()


def run_on_dask(job: SweepJob, spans: Iterator[Span], address: str) -> Iterator[tuple[Span, Block]]:
    """Yield the blocks of the workers of a running cluster, in order."""
    try:
        import distributed  # an extra: loaded only for --dask
    except ImportError as error:
        raise UsageError(_NO_DASK) from error
    try:
        client: Any = distributed.Client(address, timeout="10s", set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(
            f"--dask {address}: no Dask scheduler answers there; want one such as tcp://host:8786"
        ) from error
    with client:

        def submit(span: Span) -> Any:
            return client.submit(
                compute_block, job, span, key=f"sweep-{job.key}-{span[0]}", retries=_RETRIES, pure=False
            )

        def ahead() -> int:
            threads: int = sum(client.nthreads().values())
            return _AHEAD * max(threads, 1)

        try:
            yield from _in_order(submit, spans, ahead)
        except (distributed.KilledWorker, distributed.CancelledError, OSError) as error:
            raise SweepWorkersLostError("the cluster lost its workers, or its scheduler") from error
