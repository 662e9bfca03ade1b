"""Runs a script as `tests.frozen` does, and notes what it does in files that the environment names.

OUTSIDE: every attempt to reach another machine. PLANS: which plans wait for a process, leave the line, and begin. While
the file HOLD exists, a process that has begun waits.
"""

import os
import runpy
import sys
import time
from collections.abc import Callable
from pathlib import Path

from planner.scenario.scenario import Scenario
from planner.web import messages, worker_process, workers
from planner.web.workers import JobQueue, WorkerJob
from tests import frozen

_ATTEMPTS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.sendto")
_HERE = ("localhost", "127.", "::1", "0.0.0.0", "None")


def _note(file: str, line: str) -> None:
    if file in os.environ:
        with open(os.environ[file], "a", encoding="utf-8") as out:
            out.write(f"{line}\n")


def _hook(event: str, args: tuple[object, ...]) -> None:
    if event not in _ATTEMPTS:
        return
    at = args[1] if event in ("socket.connect", "socket.sendto") else args
    if isinstance(at, tuple) and not str(at[0]).startswith(_HERE):  # a path is a socket of this machine
        _note("OUTSIDE", f"{event} {at}")


def _named(asked: bytes) -> str:
    """A plan by its number of accelerators; anything else by the function that makes it."""
    make, given, _ = messages.loads(asked)
    plans = [one for one in given if isinstance(one, Scenario)]
    return str(plans[0].work[0].accelerators) if plans else make.__name__


def _noting(word: str, what: Callable[..., None]) -> Callable[..., None]:
    def noted(self: object, job: WorkerJob) -> None:
        what(self, job)
        _note("PLANS", f"{word} {_named(job.payload)}")

    return noted


def _holding(do: Callable[[bytes], tuple[bytes, bool]]) -> Callable[[bytes], tuple[bytes, bool]]:
    def held(asked: bytes) -> tuple[bytes, bool]:
        _note("PLANS", f"begins {_named(asked)}")
        while Path(os.environ["HOLD"]).exists():
            time.sleep(0.02)
        return do(asked)

    return held


def watch_process() -> None:
    """From now on, in a process beside the server."""
    sys.addaudithook(_hook)
    if "PLANS" in os.environ:
        worker_process.execute_pickled = _holding(worker_process.execute_pickled)


def watch() -> None:
    """From now on, in this process."""
    sys.addaudithook(_hook)
    if "PLANS" in os.environ:
        JobQueue.join = _noting("waits", JobQueue.join)  # type: ignore[method-assign]
        workers.WorkerPool.leave = _noting("leaves", workers.WorkerPool.leave)  # type: ignore[method-assign]


if __name__ == "__main__":
    frozen.freeze()
    workers.PRELOAD.extend(["tests.watched_too", "tests.frozen_too"])
    watch()
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
