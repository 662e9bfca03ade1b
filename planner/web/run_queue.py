"""Runs of the script take turns, in the order in which they came.

Python does one thing at a time in a process. Fifty runs that all go on a little at a time all end late; one after the
other, each waits only for those before it. A run that waits for another process lets the next one in meanwhile.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from threading import Event, Lock, local
from time import monotonic
from typing import Any, Protocol

_POLL_S = 0.1  # how often a waiting run checks that its visitor is still there
_LONGEST_S = 0.25  # of a turn; then the next run starts beside it, so that one slow run does not block the others


class WaitingVisitor(Protocol):
    """The person a run is for."""

    def name(self) -> str:
        """Return one name for all that a person has open; empty where it is not known."""

    def check(self) -> None:
        """Raise what ends the run if its visitor has left or has changed the question."""


class AnonymousVisitor:
    """A visitor without a name who stays: in tests, and before the server starts."""

    def name(self) -> str:
        return ""

    def check(self) -> None:
        """Let the run go on."""


class RunQueue:
    """The run that has the turn, and those that wait."""

    visitor: WaitingVisitor = AnonymousVisitor()

    def __init__(self, longest_s: float = _LONGEST_S) -> None:
        """Start with no run."""
        self._longest_s = longest_s
        self._lock = Lock()
        self._running = 0
        self._began_s = 0.0
        self._waiting: deque[Event] = deque()
        self._thread = local()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold a turn: it begins when earlier runs have ended, or wait for something else."""
        self._take(ahead=False)
        try:
            yield
        finally:
            self._release()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Give the turn to the next run while another process works for this one, and take it back afterwards.

        Do nothing where the thread has no turn, as in parts of a page that run by themselves.
        """
        if not getattr(self._thread, "has_turn", False):
            yield
            return
        self._release()
        try:
            yield
        finally:
            self._take(ahead=True)

    def wait_for_future(self, future: Future[Any]) -> None:
        """Wait outside the turn until a future is done.

        Raises what ends the run where its visitor has left, or has changed the question.
        """
        with self.paused():
            while not wait([future], _POLL_S).done:
                self.visitor.check()

    def _take(self, *, ahead: bool) -> None:
        self._thread.has_turn = True
        with self._lock:
            if not self._running:
                self._begin()
                return
            turn = Event()
            (self._waiting.appendleft if ahead else self._waiting.append)(turn)
        rest_s = self._longest_s
        while not turn.wait(rest_s):
            rest_s = self._remaining_wait_s(turn)
            if rest_s <= 0.0:
                return

    def _remaining_wait_s(self, turn: Event) -> float:
        """Return how long to wait yet; zero where the current run took too long, and this one starts beside it."""
        with self._lock:
            if turn not in self._waiting:  # let in just now
                return 0.0
            rest_s = self._began_s + self._longest_s - monotonic()
            if self._waiting[0] is not turn:
                return max(rest_s, self._longest_s)
            if rest_s <= 0.0:
                self._waiting.popleft()
                self._begin()
            return rest_s

    def _begin(self) -> None:
        self._running += 1
        self._began_s = monotonic()

    def _release(self) -> None:
        self._thread.has_turn = False
        with self._lock:
            self._running -= 1
            if self._waiting and not self._running:
                self._waiting.popleft().set()
                self._begin()


RUNS = RunQueue()
