"""Runs of the script take turns, in the order in which they came.

Python does one thing at a time in a process. Fifty runs that all go on a little at a time all end late; one after the
other, each waits only for those before it. Whoever waits for another process lets the next one in meanwhile.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from threading import Event, Lock, local
from time import monotonic
from typing import Generic, Protocol, TypeVar

_T = TypeVar("_T")
_LOOK_S = 0.1  # how often a run that waits looks whether anybody still waits for it
_LONGEST_S = 0.25  # of a turn; then the next one goes on beside it, so that one that takes long keeps nobody out


class Visitor(Protocol):
    """Whom a run is for."""

    def name(self) -> str:
        """One name for all that a person has open; empty where nobody knows."""

    def look(self) -> None:
        """Raises what ends the run where nobody waits for it any more."""


class Anybody:
    """A visitor who stays, and whom nobody knows: in tests, and before the server starts."""

    def name(self) -> str:
        """No name."""
        return ""

    def look(self) -> None:
        """The run goes on."""


class RunQueue:
    """Who is at work, and who waits."""

    visitor: Visitor = Anybody()

    def __init__(self, longest_s: float = _LONGEST_S) -> None:
        """Nobody is at work yet."""
        self._longest_s = longest_s
        self._lock = Lock()
        self._running = 0
        self._began_s = 0.0
        self._waiting: deque[Event] = deque()
        self._mine = local()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """A turn: it begins when those who came before are done, or wait for something else."""
        self._take(ahead=False)
        try:
            yield
        finally:
            self._release()

    @contextmanager
    def left(self) -> Iterator[None]:
        """While something else is at work for this run: it is the next one's turn, and then this one's again.

        Nothing where the thread has no turn, as in parts of a page that run by themselves.
        """
        if not getattr(self._mine, "has_turn", False):
            yield
            return
        self._release()
        try:
            yield
        finally:
            self._take(ahead=True)

    def until(self, is_there: Callable[[float], object]) -> None:
        """Wait outside the turn for something else, asked every so many seconds whether it is there.

        Raises what ends the run where its visitor has left, or has changed the question.
        """
        with self.left():
            while not is_there(_LOOK_S):
                self.visitor.look()

    def _take(self, *, ahead: bool) -> None:
        self._mine.has_turn = True
        with self._lock:
            if not self._running:
                self._begin()
                return
            mine = Event()
            (self._waiting.appendleft if ahead else self._waiting.append)(mine)
        rest_s = self._longest_s
        while not mine.wait(rest_s):
            rest_s = self._remaining_wait_s(mine)
            if rest_s <= 0.0:
                return

    def _remaining_wait_s(self, mine: Event) -> float:
        """How long to wait yet; nothing where whoever is at work took too long, and this one goes on beside."""
        with self._lock:
            if mine not in self._waiting:  # let in just now
                return 0.0
            rest_s = self._began_s + self._longest_s - monotonic()
            if self._waiting[0] is not mine:
                return max(rest_s, self._longest_s)
            if rest_s <= 0.0:
                self._waiting.popleft()
                self._begin()
            return rest_s

    def _begin(self) -> None:
        self._running += 1
        self._began_s = monotonic()

    def _release(self) -> None:
        self._mine.has_turn = False
        with self._lock:
            self._running -= 1
            if self._waiting and not self._running:
                self._waiting.popleft().set()
                self._begin()


TURNS = RunQueue()


def is_done(there: Future[_T]) -> Callable[[float], object]:
    """Whether something is there after so many seconds."""
    return lambda longest_s: wait([there], longest_s).done


class SingleFlightCache(Generic[_T]):
    """What is made once for all who ask for it by the same name. They wait for it outside their turn."""

    def __init__(self, most: int) -> None:
        """So many are kept: those of last use."""
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[str, Future[_T]] = OrderedDict()

    def of(self, name: str, make: Callable[[], _T]) -> _T:
        """What has this name; made now where it has not been."""
        with self._lock:
            kept = self._kept.pop(name, None)
            is_first = kept is None
            there = Future[_T]() if kept is None else kept
            self._kept[name] = there
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        if is_first:
            return self._made(name, there, make)
        if not there.done():
            TURNS.until(is_done(there))
        return self.of(name, make) if there.cancelled() else there.result()

    def _made(self, name: str, there: Future[_T], make: Callable[[], _T]) -> _T:
        try:
            there.set_result(make())
        finally:
            if not there.done():  # it could not be made: whoever waits tries it himself
                with self._lock:
                    if self._kept.get(name) is there:
                        del self._kept[name]
                there.cancel()
                there.set_running_or_notify_cancel()
        return there.result()
