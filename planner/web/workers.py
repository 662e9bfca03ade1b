"""Worker processes calculate what nobody asked before, so that the server's own process is free for everyone else.

Python does one thing at a time in a process. Of fifty people who ask something new at once, each would wait for all;
and someone who only opens another page waits as long. So one process for each core takes quick jobs, and one more takes
slow jobs: no quick job waits behind a slow one, and where all want a core, slow jobs run at a lower priority. Each
person has one place in the queue for a process, and a job that nobody waits for any more leaves the queue.
"""

import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import context, get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.forkserver import ensure_running
from threading import Lock, Thread
from types import ModuleType
from typing import ParamSpec, Protocol, TypeVar

from planner.web import messages
from planner.web.run_queue import RUNS

_P, _T = ParamSpec("_P"), TypeVar("_T")
PRELOAD: list[str] = []  # modules that a process loads before all else: a server of other facts adds its own
_MOST_PROCESSES = 8  # for quick jobs; each takes about 50 MB
_SLOW_NICE = 5  # of 19: by how much the process for slow jobs gives way to all else


class WorkerLostError(Exception):
    """The process that had begun the job was lost."""


@dataclass(frozen=True)
class WorkerJob:
    """A request of one person. Several people may wait for the same result, each at a place of their own."""

    person: Hashable
    name: str
    payload: bytes
    result: Future[bytes]


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


class JobRunner(Protocol):
    """Runs packed calls somewhere else."""

    def run(self, payload: bytes, name: str, person: str) -> bytes:
        """Return the packed result of a packed call. Calls of the same name run once for all who ask meanwhile.

        Raises WorkerLostError, what the call raises, and what ends a run that nobody waits for.
        """


class WorkerPool:
    """Some processes, with new ones in place of any that were lost."""

    def __init__(self, processes: int, nice: int = 0) -> None:
        """Allow so many processes; they start when they are first needed, or by `warm`. They give way by `nice`."""
        self._processes = processes
        self._nice = nice
        self._lock = Lock()
        self._queue = JobQueue()
        self._pending: dict[str, Future[bytes]] = {}  # by name, until it is done
        self._waiters: Counter[Future[bytes]] = Counter()
        self._idle = processes
        self._executor = self._new_executor()

    def _new_executor(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._processes, mp_context=_ForkServerContext(), initializer=_begin, initargs=(self._nice,)
        )

    def warm(self) -> None:
        """Start all of them, and wait until they are up."""
        for future in [self._executor.submit(_hold, 0.2) for _ in range(self._processes)]:
            future.result()

    def run(self, payload: bytes, name: str = "", person: str = "") -> bytes:
        """Return the packed result of a packed call; the caller keeps it."""
        job = self.begin(payload, name, person)
        try:
            RUNS.wait_for_future(job.result)
        finally:
            self.leave(job)
        return job.result.result()

    def begin(self, payload: bytes, name: str = "", person: str = "") -> WorkerJob:
        """Run a call when it is this person's turn, once for all who ask by the name meanwhile. Wait until `leave`."""
        with self._lock:
            result = self._pending.get(name) or Future()
            if name:
                self._pending[name] = result
            self._waiters[result] += 1
            job = WorkerJob(person or object(), name, payload, result)
            self._queue.join(job)
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
        """Give the next jobs to idle processes."""
        while True:
            with self._lock:
                job = self._queue.next() if self._idle else None
                if job is None:
                    return
                self._idle -= 1
                executor = self._executor
            try:
                done = executor.submit(_execute_pickled, job.payload)
            except RuntimeError as error:  # a process was lost while it was idle, or all end
                done = Future()
                done.set_exception(error)
            done.add_done_callback(partial(self._end, job, executor))

    def _end(self, job: WorkerJob, executor: ProcessPoolExecutor, done: Future[bytes]) -> None:
        with self._lock:
            self._queue.end(job)
            self._forget(job)
            self._idle += 1
        error = CancelledError() if done.cancelled() else done.exception()
        if isinstance(error, (BrokenProcessPool, CancelledError)):
            self._replace(executor)
            error = WorkerLostError()
        if error is None:
            job.result.set_result(done.result())
        else:
            job.result.set_exception(error)
        self._start_next()

    def _replace(self, lost: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._executor is lost:
                self._executor = self._new_executor()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._queue.close()
        self._executor.shutdown(cancel_futures=True)


# By whether the job is slow; empty where no process was started, as in most tests.
_runners: dict[bool, JobRunner] = {}


def branch() -> None:
    """Begin to load the process that all workers branch off from, if that has not begun."""
    get_context("forkserver").set_forkserver_preload([*PRELOAD, f"{__package__}.preloaded"])
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; they end with the server, in order
    try:
        with _without_main_module():
            ensure_running()
    finally:
        signal.signal(signal.SIGINT, handler)


def start() -> dict[bool, WorkerPool]:
    """Start the processes. Before the server listens: they must not branch off from the middle of a run.

    Return no pool where no process can be started, as in containers without shared memory: the server does all itself.
    """
    branch()
    messages.ready()
    try:
        pools = {False: WorkerPool(min(os.cpu_count() or 1, _MOST_PROCESSES)), True: WorkerPool(1, _SLOW_NICE)}
        for pool in pools.values():
            pool.warm()
    except (OSError, ImportError):
        return {}
    return pools


def stop(pools: Mapping[bool, WorkerPool]) -> None:
    """End the processes."""
    use_runners({})
    for pool in pools.values():
        pool.close()


def use_runners(runners: Mapping[bool, JobRunner]) -> None:
    """Set who runs the jobs of this process from now on: quick jobs (False) and slow ones (True)."""
    _runners.clear()
    _runners.update(runners)


def run_in_worker(function: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> _T:
    """Return the result of a quick function from a worker process; from this one where there is none."""
    return _remote(function, is_slow=False)(*args, **named)


def run_in_slow_worker(function: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> _T:
    """Return the result of a function that takes more than a few tenths of a second, likewise."""
    return _remote(function, is_slow=True)(*args, **named)


def run_once(name: str, function: Callable[_P, _T], *, is_slow: bool) -> Callable[_P, _T]:
    """Return the function so that it runs once for all servers that ask for its result by this name."""
    return _remote(function, is_slow=is_slow, name=name)


def _remote(function: Callable[_P, _T], *, is_slow: bool, name: str = "") -> Callable[_P, _T]:
    runner = _runners.get(is_slow)

    def call(*args: _P.args, **named: _P.kwargs) -> _T:
        if runner is None:
            return function(*args, **named)
        try:
            payload = messages.dumps((function, args, named))
            result: _T = messages.loads(runner.run(payload, name, RUNS.visitor.name()))
        except (WorkerLostError, messages.CatalogMismatchError):
            return function(*args, **named)
        return result

    return call


# In the worker process


def _execute_pickled(payload: bytes) -> bytes:
    function, args, named = messages.loads(payload)
    return messages.dumps(function(*args, **named))


def _hold(seconds: float) -> None:
    """Hold a process for a moment, so that the next one has to be started."""
    wait([], seconds)


def _begin(nice: int) -> None:
    os.nice(nice)
    exit_with_parent()


def exit_with_parent() -> None:
    """End this process when the one that started it ends, in whatever way."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_exit_after, args=(parent.sentinel,), daemon=True).start()


def _exit_after(parent: int) -> None:
    wait([parent])
    os._exit(0)


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
