"""Processes that reckon what nobody asked before, so that the server's own is free for everybody else.

Python does one thing at a time in a process. Of fifty people who ask something new at once, each would wait for all;
and whoever only turns a page waits as long. So one process for each core reckons what is quickly done, and one more
takes what takes long: nobody waits behind that. They run behind the server where both want a core.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import context, get_context, parent_process
from multiprocessing.connection import wait
from threading import Lock, Thread
from types import ModuleType
from typing import ParamSpec, TypeVar

from planner.web import parcels

_P, _T = ParamSpec("_P"), TypeVar("_T")
FIRST: list[str] = []  # modules that a process loads before all else: who serves other facts says so there
_MOST = 8  # for what is quickly done; each takes about 50 MB
_BEHIND = 5  # of 19: how far the server's own process goes before


class Pool:
    """Some processes, new ones in place of any that were lost."""

    def __init__(self, processes: int) -> None:
        """Room for so many; they are started when they are first asked, or by `warm`."""
        self._processes = processes
        self._lock = Lock()
        self._executor = self._new()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._processes, mp_context=_Branching(), initializer=_begin)

    def warm(self) -> None:
        """Start all of them, and wait until they are there."""
        for one in [self._executor.submit(_nothing, 0.2) for _ in range(self._processes)]:
            one.result()

    def result(self, make: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
        """What the function makes, made by one of them; here, where that one was lost on the way."""
        executor = self._executor
        try:
            found: _T = parcels.unpacked(executor.submit(_do, parcels.packed((make, given, named))).result())
        except (BrokenProcessPool, CancelledError):
            self._replace(executor)
            return make(*given, **named)
        except parcels.OtherFacts:
            return make(*given, **named)
        return found

    def _replace(self, lost: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._executor is lost:
                self._executor = self._new()

    def close(self) -> None:
        """End all of them."""
        self._executor.shutdown(cancel_futures=True)


# By whether what is asked takes long; empty where nobody started any: in tests, most of all.
_pools: dict[bool, Pool] = {}


def start() -> None:
    """Start the processes. Before the server listens: they must not branch off from the middle of somebody's run."""
    get_context("forkserver").set_forkserver_preload([*FIRST, f"{__package__}.preloaded"])
    parcels.ready()
    try:
        made = {False: Pool(min(os.cpu_count() or 1, _MOST)), True: Pool(1)}
        for pool in made.values():
            pool.warm()
    except (OSError, ImportError):  # no memory that processes share, as in some containers: the server does it all
        return
    _pools.update(made)


def stop() -> None:
    """End the processes."""
    for pool in _pools.values():
        pool.close()
    _pools.clear()


def elsewhere(make: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
    """What a function makes, in another process; here, where there is none."""
    return _by(make, False)(*given, **named)


def slowly(make: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
    """The same of what takes more than a few tenths of a second."""
    return _by(make, True)(*given, **named)


def _by(make: Callable[_P, _T], is_slow: bool) -> Callable[_P, _T]:
    pool = _pools.get(is_slow)

    def made(*given: _P.args, **named: _P.kwargs) -> _T:
        return make(*given, **named) if pool is None else pool.result(make, *given, **named)

    return made


# In the process


def _do(asked: bytes) -> bytes:
    make, given, named = parcels.unpacked(asked)
    return parcels.packed(make(*given, **named))


def _nothing(seconds: float) -> None:
    """Holds a process for a moment, so that the next one has to be started."""
    wait([], seconds)


def _begin() -> None:
    """Behind the server, and gone with it however it ends."""
    os.nice(_BEHIND)
    server = parent_process()
    if server is not None:
        Thread(target=_end_with, args=(server.sentinel,), daemon=True).start()


def _end_with(server: int) -> None:
    wait([server])
    os._exit(0)


# How it is started


class _Process(context.ForkServerProcess):
    def start(self) -> None:
        with _no_script():
            super().start()


class _Branching(context.ForkServerContext):
    Process = _Process  # type: ignore[assignment]


@contextmanager
def _no_script() -> Iterator[None]:
    """Without a main module, which a new process would run once more: in the midst of a run it is the app's script."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
