"""The side of a worker process: it runs packed calls, takes so much memory and no more, and ends with the server."""

import os
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread, get_native_id

from planner.web import messages

_SLOW_NICE = 5  # of 19: by how much slow jobs give way to all else
_MEGABYTE = 1_000_000
MOST_BYTES = 640 * _MEGABYTE  # that a process may take beyond what it starts with
_LARGE_BYTES = 96 * _MEGABYTE  # beyond its start: a process that has taken more is renewed


def execute_pickled(payload: bytes) -> tuple[bytes, bool]:
    """Return the packed result of a packed call, and whether this process has taken much memory by now."""
    function, args, named = messages.loads(payload)
    return messages.dumps(function(*args, **named)), _peak_bytes() > _start_bytes[0] + _LARGE_BYTES


def execute_slow(payload: bytes) -> tuple[bytes, bool]:
    """Do the same in a thread that gives way to all else: the process itself need not, when it takes a quick job."""
    return _slow_thread.submit(execute_pickled, payload).result()


def _give_way() -> None:
    if sys.platform == "linux":  # elsewhere it would be the whole process, for good
        now = os.getpriority(os.PRIO_PROCESS, get_native_id())
        os.setpriority(os.PRIO_PROCESS, get_native_id(), now + _SLOW_NICE)


_slow_thread = ThreadPoolExecutor(1, initializer=_give_way)


def do_nothing() -> None:
    """Take a process that was just started."""


_start_bytes = [0]


def begin() -> None:
    """Begin a process: it ends with the server, and is bounded."""
    exit_with_parent()
    _start_bytes[0] = _peak_bytes()
    _limit_memory()


def _peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1_024


def _limit_memory() -> None:
    """Let this process take so much more memory and no more. Linux alone keeps such a limit."""
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[5])  # of data and stacks
        most = pages * resource.getpagesize() + MOST_BYTES
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def exit_with_parent() -> None:
    """End this process when the one that started it ends, in whatever way."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_exit_after, args=(parent.sentinel,), daemon=True).start()


def _exit_after(parent: int) -> None:
    wait([parent])
    os._exit(0)
