"""Processes that reckon what nobody asked before, so that the server's own is free for everybody else.

Python does one thing at a time in a process. Of fifty people who ask something new at once, each would wait for all;
and whoever only turns a page waits as long. So one process for each core reckons what is quickly done, and one more
takes what takes long: nobody waits behind that, and where all want a core, the rest goes before it. Each person has one
place in the line for a process, and what nobody waits for any more leaves the line.
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

from planner.web import parcels
from planner.web.turns import TURNS, is_done


@dataclass(frozen=True)
class Job:
    """What one person asks for. Several people may wait for the same thing, each at a place of their own."""

    person: Hashable
    known_as: str
    asked: bytes
    made: Future[bytes]


class Line:
    """Jobs that wait."""

    def __init__(self) -> None:
        """Nobody waits yet."""
        self._waiting: dict[Hashable, deque[Job]] = {}  # by person, in the order of their places
        self._running: Counter[Hashable] = Counter()

    def join(self, job: Job) -> None:
        """Wait at this person's place, behind the person's other jobs."""
        self._waiting.setdefault(job.person, deque()).append(job)

    def next(self) -> Job | None:
        """The next job that is still wanted. While others wait, it is that of a person with nothing at work."""
        while self._waiting:
            person = min(self._waiting, key=self._running.__getitem__)  # the first place among equals
            jobs = self._waiting[person]
            job = jobs.popleft()
            if not jobs:
                del self._waiting[person]
            if not job.made.running() and not job.made.done() and job.made.set_running_or_notify_cancel():
                self._running[person] += 1
                return job
        return None

    def end(self, job: Job) -> None:
        """A job that was next has ended: the person's other jobs wait at a new place."""
        self._running[job.person] -= 1
        if not self._running[job.person]:
            del self._running[job.person]
        if job.person in self._waiting:
            self._waiting[job.person] = self._waiting.pop(job.person)

    def close(self) -> None:
        """Drop every job."""
        for jobs in self._waiting.values():
            for job in jobs:
                job.made.cancel()
        self._waiting.clear()


_P, _T = ParamSpec("_P"), TypeVar("_T")
FIRST: list[str] = []  # modules that a process loads before all else: who serves other facts says so there
_MOST = 8  # for what is quickly done; each takes about 50 MB
_BEHIND = 5  # of 19: how far all else goes before what takes long


class Lost(Exception):
    """Whoever had taken it on was lost, and it with him."""


class JobRunner(Protocol):
    """Makes what is asked for somewhere else."""

    def made(self, asked: bytes, known_as: str, person: str) -> bytes:
        """What was asked for, packed as the question was. By a name it is made once for all who use the name.

        Raises Lost, what making it raises, and what ends a run that nobody waits for.
        """


class WorkerPool:
    """Some processes, new ones in place of any that were lost."""

    def __init__(self, processes: int, behind: int = 0) -> None:
        """Room for so many; they are started when they are first asked, or by `warm`. Others go so far before them."""
        self._processes = processes
        self._behind = behind
        self._lock = Lock()
        self._line = Line()
        self._making: dict[str, Future[bytes]] = {}  # by name, until it is made
        self._waited_for: Counter[Future[bytes]] = Counter()  # by how many
        self._idle = processes
        self._executor = self._new()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._processes, mp_context=_ForkServerContext(), initializer=_begin, initargs=(self._behind,)
        )

    def warm(self) -> None:
        """Start all of them, and wait until they are there."""
        for one in [self._executor.submit(_nothing, 0.2) for _ in range(self._processes)]:
            one.result()

    def made(self, asked: bytes, known_as: str = "", person: str = "") -> bytes:
        """What one of them makes; who asks keeps it."""
        job = self.begin(asked, known_as, person)
        try:
            TURNS.until(is_done(job.made))
        finally:
            self.leave(job)
        return job.made.result()

    def begin(self, asked: bytes, known_as: str = "", person: str = "") -> Job:
        """Have it made when it is this person's turn, once for all who ask by the name meanwhile. Until `leave`."""
        with self._lock:
            made = self._making.get(known_as) or Future()
            if known_as:
                self._making[known_as] = made
            self._waited_for[made] += 1
            job = Job(person or object(), known_as, asked, made)
            self._line.join(job)
        self._go_on()
        return job

    def leave(self, job: Job) -> None:
        """Wait no more. What nobody waits for leaves the line; what has begun goes on."""
        with self._lock:
            self._waited_for[job.made] -= 1
            if not self._waited_for[job.made]:
                del self._waited_for[job.made]
                if job.made.cancel():
                    self._forget(job)

    def _forget(self, job: Job) -> None:
        if self._making.get(job.known_as) is job.made:
            del self._making[job.known_as]

    def _go_on(self) -> None:
        """Give what is next to processes that have nothing to do."""
        while True:
            with self._lock:
                job = self._line.next() if self._idle else None
                if job is None:
                    return
                self._idle -= 1
                executor = self._executor
            try:
                doing = executor.submit(_execute_pickled, job.asked)
            except RuntimeError as error:  # a process was lost while it had nothing to do, or all end
                doing = Future()
                doing.set_exception(error)
            doing.add_done_callback(partial(self._end, job, executor))

    def _end(self, job: Job, executor: ProcessPoolExecutor, done: Future[bytes]) -> None:
        with self._lock:
            self._line.end(job)
            self._forget(job)
            self._idle += 1
        trouble = CancelledError() if done.cancelled() else done.exception()
        if isinstance(trouble, (BrokenProcessPool, CancelledError)):
            self._replace(executor)
            trouble = Lost()
        if trouble is None:
            job.made.set_result(done.result())
        else:
            job.made.set_exception(trouble)
        self._go_on()

    def _replace(self, lost: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._executor is lost:
                self._executor = self._new()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._line.close()
        self._executor.shutdown(cancel_futures=True)


# By whether what is asked takes long; empty where nobody started any: in tests, most of all.
_makers: dict[bool, JobRunner] = {}


def branch() -> None:
    """Begin to load what all processes branch off from, if that has not begun."""
    get_context("forkserver").set_forkserver_preload([*FIRST, f"{__package__}.preloaded"])
    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; they end with the server, in order
    try:
        with _without_main_module():
            ensure_running()
    finally:
        signal.signal(signal.SIGINT, interrupted)


def start() -> dict[bool, WorkerPool]:
    """Start the processes. Before the server listens: they must not branch off from the middle of somebody's run.

    None where no process can be started, as in containers without memory that processes share: the server does it all.
    """
    branch()
    parcels.ready()
    try:
        made = {False: WorkerPool(min(os.cpu_count() or 1, _MOST)), True: WorkerPool(1, _BEHIND)}
        for pool in made.values():
            pool.warm()
    except (OSError, ImportError):
        return {}
    return made


def stop(pools: Mapping[bool, WorkerPool]) -> None:
    """End the processes."""
    use({})
    for pool in pools.values():
        pool.close()


def use(makers: Mapping[bool, JobRunner]) -> None:
    """Who makes from now on what this process asks for: what is quickly done, and what takes long (True)."""
    _makers.clear()
    _makers.update(makers)


def elsewhere(make: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
    """What a function makes, in another process; here, where there is none."""
    return _remote(make, is_slow=False)(*given, **named)


def run_in_slow_worker(make: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
    """The same of what takes more than a few tenths of a second."""
    return _remote(make, is_slow=True)(*given, **named)


def once(known_as: str, make: Callable[_P, _T], *, is_slow: bool) -> Callable[_P, _T]:
    """The same function, which is called once for all servers that ask for what it makes by this name."""
    return _remote(make, is_slow=is_slow, known_as=known_as)


def _remote(make: Callable[_P, _T], *, is_slow: bool, known_as: str = "") -> Callable[_P, _T]:
    maker = _makers.get(is_slow)

    def made(*given: _P.args, **named: _P.kwargs) -> _T:
        if maker is None:
            return make(*given, **named)
        try:
            asked = parcels.packed((make, given, named))
            found: _T = parcels.unpacked(maker.made(asked, known_as, TURNS.visitor.name()))
        except (Lost, parcels.CatalogMismatchError):
            return make(*given, **named)
        return found

    return made


# In the process


def _execute_pickled(asked: bytes) -> bytes:
    make, given, named = parcels.unpacked(asked)
    return parcels.packed(make(*given, **named))


def _nothing(seconds: float) -> None:
    """Holds a process for a moment, so that the next one has to be started."""
    wait([], seconds)


def _begin(behind: int) -> None:
    os.nice(behind)
    exit_with_parent()


def exit_with_parent() -> None:
    """From now on this process ends when the one that started it does, however that ends."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_exit_when, args=(parent.sentinel,), daemon=True).start()


def _exit_when(parent: int) -> None:
    wait([parent])
    os._exit(0)


# How it is started


class _ForkServerWorker(context.ForkServerProcess):
    def start(self) -> None:
        with _without_main_module():
            super().start()


class _ForkServerContext(context.ForkServerContext):
    Process = _ForkServerWorker  # type: ignore[assignment]


@contextmanager
def _without_main_module() -> Iterator[None]:
    """Without a main module, which a new process would run once more: in the midst of a run it is the app's script."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
