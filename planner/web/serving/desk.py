"""The desk of several servers: what one of them had made is there for the others.

People who ask the same are often with different servers. Each server asks the desk, which has it made by the processes
beside the servers, once, and keeps it as it was packed.
"""

import os
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import AuthenticationError, Pipe
from multiprocessing.connection import Client, Connection, Listener, wait
from threading import Lock, Thread

from planner.web.turns import TURNS
from planner.web.workers import Lost, WorkerPool

_MOST_KEPT = 128  # plans, as many as a server keeps
_WAITING = 64  # connections that nobody has taken yet
_GONE = (EOFError, OSError, AuthenticationError)


@dataclass(frozen=True)
class DispatcherAddress:
    """Where a desk is, and the word that it lets in by."""

    path: str
    word: bytes


class Dispatcher:
    """Takes what servers ask for to the processes that make it."""

    def __init__(self) -> None:
        """A place to ask at; nobody answers before it is open."""
        word = os.urandom(32)
        self._listener = Listener(family="AF_UNIX", backlog=_WAITING, authkey=word)
        self.address = DispatcherAddress(str(self._listener.address), word)
        self._kept: OrderedDict[str, Future[bytes]] = OrderedDict()
        self._lock = Lock()
        self._is_closed = False

    def open(self, pools: Mapping[bool, WorkerPool]) -> None:
        """Answer from now on."""
        Thread(target=self._accept_loop, args=(pools,), daemon=True).start()

    def close(self) -> None:
        """Answer nobody any more."""
        self._is_closed = True
        self._listener.close()

    def _accept_loop(self, pools: Mapping[bool, WorkerPool]) -> None:
        while not self._is_closed:
            try:
                server = self._listener.accept()
            except _GONE:  # gone before it was in, or it did not know the word
                continue
            Thread(target=self._serve, args=(server, pools), daemon=True).start()

    def _serve(self, server: Connection, pools: Mapping[bool, WorkerPool]) -> None:
        """One server's questions, one after the other; it has as many connections as it asks at once."""
        with suppress(*_GONE, CancelledError), server:
            while True:
                is_slow, known_as, person, asked = server.recv()
                made = self._kept_as(known_as)
                if made is None:
                    job = pools[is_slow].begin(asked, known_as, person)
                    made = job.made
                    made.add_done_callback(partial(self._keep, known_as))
                    try:
                        _until_done(made, server)
                    finally:
                        pools[is_slow].leave(job)
                trouble = made.exception()
                server.send(trouble)
                if trouble is None:
                    server.send_bytes(made.result())

    def _kept_as(self, known_as: str) -> Future[bytes] | None:
        with self._lock:
            if known_as in self._kept:
                self._kept.move_to_end(known_as)
            return self._kept.get(known_as)

    def _keep(self, known_as: str, made: Future[bytes]) -> None:
        """Keep what was made, also where nobody waits for it any more."""
        if not known_as or made.cancelled() or made.exception() is not None:
            return
        with self._lock:
            self._kept[known_as] = made
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)


def _until_done(making: Future[bytes], server: Connection) -> None:
    """Wait for what is being made. Raises EOFError where the server hangs up before: its run has ended."""
    done, say = Pipe(duplex=False)
    making.add_done_callback(lambda _: say.close())
    with done:
        if done not in wait([done, server]):
            raise EOFError


class DispatcherClient:
    """How a server asks at the desk."""

    def __init__(self, address: DispatcherAddress, *, is_slow: bool) -> None:
        """For what takes long, or for what does not."""
        self._address = address
        self._is_slow = is_slow
        self._availability: list[Connection] = []

    def made(self, asked: bytes, known_as: str, person: str) -> bytes:
        """What the desk had made."""
        try:
            desk = self._connection()
            desk.send((self._is_slow, known_as, person, asked))
            try:
                TURNS.until(desk.poll)
            except BaseException:
                desk.close()  # the desk need not go on
                raise
            trouble: BaseException | None = desk.recv()
            found = desk.recv_bytes() if trouble is None else b""
        except _GONE:
            raise Lost from None
        self._availability.append(desk)
        if trouble is not None:
            raise trouble
        return found

    def _connection(self) -> Connection:
        try:
            return self._availability.pop()
        except IndexError:
            return Client(self._address.path, "AF_UNIX", authkey=self._address.word)
