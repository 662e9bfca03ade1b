"""Worker processes calculate each new question, so that the server's own process is free for everyone else.

Python does one thing at a time in a process: of fifty people who ask something new, each would wait for all. So one
process for each core calculates. Only the first of them takes slow jobs, at a low priority: no quick job waits behind
a slow one. Each person has one place in the queue for a process, and a job that nobody waits for leaves the queue.

A process may take so much memory and no more, and one that took much is renewed. A job whose process was lost is tried
once more in a new one. Nothing is calculated in the server's own process in its place.
"""

import asyncio
import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import context, get_context
from multiprocessing.forkserver import ensure_running
from threading import Lock
from types import ModuleType

from planner.scenario.shown_money import P, T, shown_money, with_money
from planner.web import messages, worker_process
from planner.web.run_queue import RUNS

PRELOAD: list[str] = []  # modules that a process loads before all else: a server of other facts adds its own
FEWEST_PROCESSES, _MOST_PROCESSES = 2, 8  # one for slow jobs, and one that never takes any; each takes about 50 MB
_TOO_LARGE = (
    f"This needs more than the {worker_process.MOST_BYTES // 1_000_000:,} MB of memory that one calculation may take. "
    "Ask for fewer years, slower growth or fewer kinds of work."
)
_LOST = "The process that calculates this ended twice before it was done. Ask for something smaller, or try later."


class NoResultError(Exception):
    """A job has no result: its process was lost twice, or it needs too much memory. Its text says so to a visitor."""


@dataclass(frozen=True)
class WorkerJob:
    """A request of one person. Several people may wait for the same result, each at a place of their own."""

    person: Hashable
    name: str
    payload: bytes
    result: Future[bytes]
    is_slow: bool = False
    is_second_try: bool = False


class JobQueue:
    """Jobs that wait for a process."""

    def __init__(self) -> None:
        """Start with no job."""
        self._waiting: dict[Hashable, deque[WorkerJob]] = {}  # by person, in the order of their places
        self._running: Counter[Hashable] = Counter()

    def join(self, job: WorkerJob) -> None:
        """Wait at this person's place, behind the person's other jobs."""
        self._waiting.setdefault(job.person, deque()).append(job)

    def next(self) -> WorkerJob | None:
        """Return the next job that is still wanted. While others wait, it is of a person with no running job."""
        while self._waiting:
            person = min(self._waiting, key=self._running.__getitem__)  # the first place among equals
            jobs = self._waiting[person]
            job = jobs.popleft()
            if not jobs:
                del self._waiting[person]
            if not job.result.running() and not job.result.done() and job.result.set_running_or_notify_cancel():
                self._running[person] += 1
                return job
        return None

    def end(self, job: WorkerJob) -> None:
        """Note that a job has ended: the person's other jobs wait at a new place."""
        self._running[job.person] -= 1
        if not self._running[job.person]:
            del self._running[job.person]
        if job.person in self._waiting:
            self._waiting[job.person] = self._waiting.pop(job.person)

    def close(self) -> None:
        """Drop every job."""
        for jobs in self._waiting.values():
            for job in jobs:
                job.result.cancel()
        self._waiting.clear()


class Worker:
    """One process, with a new one in its place where it was lost or has taken much memory."""

    def __init__(self, *, takes_slow: bool) -> None:
        """Start when the first job comes."""
        self.takes_slow = takes_slow
        self._executor = self._new_executor()

    def _new_executor(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=_ForkServerContext(), initializer=worker_process.begin)

    def submit(self, job: WorkerJob) -> Future[tuple[bytes, bool]]:
        """Run a job; its result comes with whether the process has taken much memory by now."""
        execute = worker_process.execute_slow if job.is_slow else worker_process.execute_pickled
        try:
            return self._executor.submit(execute, job.payload)
        except BrokenProcessPool:  # lost while it was idle
            self.replace()
            return self._executor.submit(execute, job.payload)

    def replace(self) -> None:
        """Start a new process in the place of one that was lost."""
        self._executor = self._new_executor()
        self.warm()

    def renew(self) -> None:
        """End the process, and start a new one."""
        self._executor.shutdown(wait=False)
        self.replace()

    def warm(self) -> Future[None]:
        """Start the process if it has not started."""
        return self._executor.submit(worker_process.do_nothing)

    def close(self) -> None:
        """End the process."""
        self._executor.shutdown(cancel_futures=True)


class WorkerPool:
    """Some processes, and the jobs that wait for one of them."""

    def __init__(self, processes: int) -> None:
        """Allow so many processes; they start when they are first needed, or by `warm`."""
        self._workers = [Worker(takes_slow=number == 0) for number in range(processes)]
        self._idle = list(self._workers)
        self._queues = {False: JobQueue(), True: JobQueue()}  # by whether the job is slow
        self._pending: dict[str, Future[bytes]] = {}  # by name, until it is done
        self._waiters: Counter[Future[bytes]] = Counter()
        self._is_closed = False
        self._lock = Lock()

    def warm(self) -> None:
        """Start all of them, and wait until they are up."""
        for future in [worker.warm() for worker in self._workers]:
            future.result()

    def run(self, payload: bytes, name: str = "", person: str = "", *, is_slow: bool = False) -> bytes:
        """Return the packed result of a packed call; the caller keeps it.

        Raises NoResultError, what the call raises, and what ends a run that nobody waits for.
        """
        job = self.begin(payload, name, person, is_slow=is_slow)
        try:
            RUNS.wait_for_future(job.result)
        finally:
            self.leave(job)
        return job.result.result()

    async def wait(self, payload: bytes, person: str, *, is_slow: bool) -> bytes:
        """Return the packed result of a packed call, beside other requests. One that is cancelled leaves the queue."""
        job = self.begin(payload, person=person, is_slow=is_slow)
        try:
            return await asyncio.wrap_future(job.result)
        finally:
            self.leave(job)

    def begin(self, payload: bytes, name: str = "", person: str = "", *, is_slow: bool = False) -> WorkerJob:
        """Run a call when it is this person's turn, once for all who ask by the name meanwhile. Wait until `leave`."""
        with self._lock:
            result = self._pending.get(name) or Future()
            if name:
                self._pending[name] = result
            self._waiters[result] += 1
            job = WorkerJob(person or object(), name, payload, result, is_slow)
            self._queues[is_slow].join(job)
        self._start_next()
        return job

    def leave(self, job: WorkerJob) -> None:
        """Wait no more. A job that nobody waits for leaves the queue; one that has begun goes on."""
        with self._lock:
            self._waiters[job.result] -= 1
            if not self._waiters[job.result]:
                del self._waiters[job.result]
                if job.result.cancel():
                    self._forget(job)

    def _forget(self, job: WorkerJob) -> None:
        if self._pending.get(job.name) is job.result:
            del self._pending[job.name]

    def _start_next(self) -> None:
        while True:
            with self._lock:
                step = self._next_step()
            if step is None:
                return
            self._submit(*step)

    def _next_step(self) -> tuple[Worker, WorkerJob] | None:
        """Return an idle process and the next job that it may take: the first process takes slow jobs first."""
        for worker in sorted(self._idle, key=lambda worker: worker.takes_slow):
            job = (self._queues[True].next() if worker.takes_slow else None) or self._queues[False].next()
            if job is not None:
                self._idle.remove(worker)
                return worker, job
        return None

    def _submit(self, worker: Worker, job: WorkerJob) -> None:
        worker.submit(job).add_done_callback(partial(self._end, worker, job))

    def _end(self, worker: Worker, job: WorkerJob, done: Future[tuple[bytes, bool]]) -> None:
        error = CancelledError() if done.cancelled() else done.exception()
        if isinstance(error, BrokenProcessPool) and not self._is_closed:
            worker.replace()
            if not job.is_second_try:
                self._submit(worker, replace(job, is_second_try=True))
                return
        elif isinstance(error, MemoryError) or (error is None and done.result()[1]):
            worker.renew()
        with self._lock:
            self._queues[job.is_slow].end(job)
            self._forget(job)
            self._idle.append(worker)
        if error is None:
            job.result.set_result(done.result()[0])
        elif isinstance(error, (BrokenProcessPool, CancelledError, MemoryError)):
            job.result.set_exception(NoResultError(_TOO_LARGE if isinstance(error, MemoryError) else _LOST))
        else:
            job.result.set_exception(error)
        self._start_next()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._is_closed = True
            for queue in self._queues.values():
                queue.close()
        for worker in self._workers:
            worker.close()


_pool: list[WorkerPool] = []  # empty where no process was started: before the server starts, and in most tests


def branch() -> None:
    """Begin to load the process that all workers branch off from, if that has not begun."""
    get_context("forkserver").set_forkserver_preload([*PRELOAD, f"{__package__}.preloaded"])
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; they end with the server, in order
    try:
        with _without_main_module():
            ensure_running()
    finally:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def running(processes: int = 0) -> Iterator[WorkerPool]:
    """Start the processes, let them run the jobs of this process, and end them.

    Start them before the server listens: they must not branch off from the middle of a run. Raises SystemExit where
    none can be started, as in containers without shared memory.
    """
    branch()
    messages.ready()
    # one for each core, where nothing names the number
    pool = WorkerPool(processes or min(max(os.cpu_count() or 1, FEWEST_PROCESSES), _MOST_PROCESSES))
    try:
        pool.warm()
    except (OSError, ImportError, BrokenProcessPool) as error:
        raise SystemExit(f"No process can be started that calculates plans: {error}. Does /dev/shm exist?") from None
    with used(pool):
        yield pool


@contextmanager
def used(pool: WorkerPool) -> Iterator[None]:
    """Let a pool run the jobs of this process, and end it."""
    _pool[:] = [pool]
    try:
        yield
    finally:
        _pool.clear()
        pool.close()


def run_in_worker(function: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Return the result of a quick function from a worker process; from this one where none was started."""
    return remote(function, is_slow=False)(*args, **named)


def run_in_slow_worker(function: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Return the result of a function that takes more than a few tenths of a second, likewise."""
    return remote(function, is_slow=True)(*args, **named)


def remote(function: Callable[P, T], *, is_slow: bool, name: str = "") -> Callable[P, T]:
    """Return the function run by a worker process, once for all sessions that ask by the name meanwhile."""

    def call(*args: P.args, **named: P.kwargs) -> T:
        if not _pool:
            return with_money(shown_money(), function, *args, **named)
        task = (with_money, (shown_money(), function, *args), named)
        payload, person = messages.dumps(task), RUNS.visitor.name()
        try:
            packed = _pool[0].run(payload, name, person, is_slow=is_slow)
        except messages.CatalogMismatchError as error:  # live prices came meanwhile: the process is sent the facts
            payload = messages.dumps((messages.with_facts, (*messages.whole_facts(error.digest), payload), {}))
            packed = _pool[0].run(payload, name, person, is_slow=is_slow)
        result: T = messages.loads(packed)
        return result

    return call


async def run_for(person: str, function: Callable[P, T], *args: P.args, is_slow: bool = False, **named: P.kwargs) -> T:
    """Return the result of a function from a worker process, for a request that is no run of a page."""
    if not _pool:
        return function(*args, **named)
    payload = messages.dumps((function, args, named))
    try:
        packed = await _pool[0].wait(payload, person, is_slow=is_slow)
    except messages.CatalogMismatchError as error:
        payload = messages.dumps((messages.with_facts, (*messages.whole_facts(error.digest), payload), {}))
        packed = await _pool[0].wait(payload, person, is_slow=is_slow)
    result: T = messages.loads(packed)
    return result


class _ForkServerWorker(context.ForkServerProcess):
    def start(self) -> None:
        with _without_main_module():
            super().start()


class _ForkServerContext(context.ForkServerContext):
    Process = _ForkServerWorker  # type: ignore[assignment]


@contextmanager
def _without_main_module() -> Iterator[None]:
    """Hide the main module, which a new process would run once more: in the middle of a run it is the app's script."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
