"""The desk of several servers: what one of them had made is there for the others.

People who ask the same are often with different servers. Each server asks the desk, which has it made by the processes
beside the servers, once, and keeps it as it was packed.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from threading import Lock, Thread

from planner.web.workers import Lost, Pool

_MOST_KEPT = 128  # plans, as many as a server keeps
_MOST_AT_ONCE = 64
_WAITING = 64  # connections that nobody has taken yet
_GONE = (EOFError, OSError, AuthenticationError)


@dataclass(frozen=True)
class Address:
    """Where a desk is, and the word that it lets in by."""

    path: str
    word: bytes


class Desk:
    """Takes what servers ask for to the processes that make it."""

    def __init__(self) -> None:
        """A place to ask at; nobody answers before it is open."""
        word = os.urandom(32)
        self._listener = Listener(family="AF_UNIX", backlog=_WAITING, authkey=word)
        self.address = Address(str(self._listener.address), word)
        self._at_work = ThreadPoolExecutor(_MOST_AT_ONCE)
        self._kept: OrderedDict[str, Future[bytes]] = OrderedDict()
        self._lock = Lock()
        self._is_closed = False

    def open(self, pools: Mapping[bool, Pool]) -> None:
        """Answer from now on."""
        Thread(target=self._receive, args=(pools,), daemon=True).start()

    def close(self) -> None:
        """Answer nobody any more."""
        self._is_closed = True
        self._listener.close()
        self._at_work.shutdown(wait=False, cancel_futures=True)

    def _receive(self, pools: Mapping[bool, Pool]) -> None:
        while not self._is_closed:
            try:
                server = self._listener.accept()
            except _GONE:  # gone before it was in, or it did not know the word
                continue
            Thread(target=self._serve, args=(server, pools), daemon=True).start()

    def _serve(self, server: Connection, pools: Mapping[bool, Pool]) -> None:
        """One server's questions, one after the other; it has as many connections as it asks at once."""
        with suppress(*_GONE), server:
            while True:
                is_slow, known_as, asked = server.recv()
                making = self._making(pools[is_slow], known_as, asked)
                trouble = making.exception()
                server.send(trouble)
                if trouble is None:
                    server.send_bytes(making.result())

    def _making(self, pool: Pool, known_as: str, asked: bytes) -> Future[bytes]:
        """What is being made for somebody else already, or is from now on."""
        if not known_as:
            return self._at_work.submit(pool.made, asked)
        with self._lock:
            kept = self._kept.pop(known_as, None)
            if kept is None or (kept.done() and kept.exception() is not None):
                kept = self._at_work.submit(pool.made, asked)
            self._kept[known_as] = kept
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return kept


class AtDesk:
    """How a server asks at the desk."""

    def __init__(self, address: Address, *, is_slow: bool) -> None:
        """For what takes long, or for what does not."""
        self._address = address
        self._is_slow = is_slow
        self._free: list[Connection] = []

    def made(self, asked: bytes, known_as: str) -> bytes:
        """What the desk had made. Raises Lost, and what making it raised."""
        try:
            desk = self._connected()
            desk.send((self._is_slow, known_as, asked))
            trouble: BaseException | None = desk.recv()
            found = desk.recv_bytes() if trouble is None else b""
        except _GONE:
            raise Lost from None
        self._free.append(desk)
        if trouble is not None:
            raise trouble
        return found

    def _connected(self) -> Connection:
        try:
            return self._free.pop()
        except IndexError:
            return Client(self._address.path, "AF_UNIX", authkey=self._address.word)
