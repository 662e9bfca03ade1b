"""Shared cache of several servers: a result that one of them asked for is there for the others.

People who ask the same are often with different servers. Each server asks the dispatcher, which has the job run by the
worker processes, once, and keeps the packed result.
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

from planner.web.run_queue import RUNS
from planner.web.workers import WorkerLostError, WorkerPool

_MOST_RESULTS = 128  # plans, as many as a server keeps
_BACKLOG = 64  # connections that are not yet accepted
_DISCONNECTED = (EOFError, OSError, AuthenticationError)


@dataclass(frozen=True)
class DispatcherAddress:
    """The path of the dispatcher's socket, and the key that it asks for."""

    path: str
    auth_key: bytes


class Dispatcher:
    """Passes jobs of servers to the worker pools and keeps the results."""

    def __init__(self) -> None:
        """Listen; nothing is answered before `open`."""
        auth_key = os.urandom(32)
        self._listener = Listener(family="AF_UNIX", backlog=_BACKLOG, authkey=auth_key)
        self.address = DispatcherAddress(str(self._listener.address), auth_key)
        self._results: OrderedDict[str, Future[bytes]] = OrderedDict()
        self._lock = Lock()
        self._is_closed = False

    def open(self, pools: Mapping[bool, WorkerPool]) -> None:
        """Answer from now on."""
        Thread(target=self._accept_loop, args=(pools,), daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        self._is_closed = True
        self._listener.close()

    def _accept_loop(self, pools: Mapping[bool, WorkerPool]) -> None:
        while not self._is_closed:
            try:
                server = self._listener.accept()
            except _DISCONNECTED:  # gone before it was accepted, or it did not know the key
                continue
            Thread(target=self._serve, args=(server, pools), daemon=True).start()

    def _serve(self, server: Connection, pools: Mapping[bool, WorkerPool]) -> None:
        """Answer one server's requests in order; it opens as many connections as it has requests at once."""
        with suppress(*_DISCONNECTED, CancelledError), server:
            while True:
                is_slow, name, person, payload = server.recv()
                result = self._cached(name)
                if result is None:
                    job = pools[is_slow].begin(payload, name, person)
                    result = job.result
                    result.add_done_callback(partial(self._keep, name))
                    try:
                        _wait_until_done(result, server)
                    finally:
                        pools[is_slow].leave(job)
                error = result.exception()
                server.send(error)
                if error is None:
                    server.send_bytes(result.result())

    def _cached(self, name: str) -> Future[bytes] | None:
        with self._lock:
            if name in self._results:
                self._results.move_to_end(name)
            return self._results.get(name)

    def _keep(self, name: str, result: Future[bytes]) -> None:
        """Keep a result, also where nobody waits for it any more."""
        if not name or result.cancelled() or result.exception() is not None:
            return
        with self._lock:
            self._results[name] = result
            while len(self._results) > _MOST_RESULTS:
                self._results.popitem(last=False)


def _wait_until_done(result: Future[bytes], server: Connection) -> None:
    """Wait for a result. Raises EOFError where the server hangs up before: its run has ended."""
    reader, writer = Pipe(duplex=False)
    result.add_done_callback(lambda _: writer.close())
    with reader:
        if reader not in wait([reader, server]):
            raise EOFError


class DispatcherClient:
    """The side of a server that asks the dispatcher."""

    def __init__(self, address: DispatcherAddress, *, is_slow: bool) -> None:
        """Ask for slow jobs, or for quick ones."""
        self._address = address
        self._is_slow = is_slow
        self._idle: list[Connection] = []

    def run(self, payload: bytes, name: str, person: str) -> bytes:
        """Return the packed result of a packed call."""
        try:
            connection = self._connection()
            connection.send((self._is_slow, name, person, payload))
            try:
                RUNS.wait_for(connection.poll)
            except BaseException:
                connection.close()  # so that the dispatcher need not go on
                raise
            error: BaseException | None = connection.recv()
            result = connection.recv_bytes() if error is None else b""
        except _DISCONNECTED:
            raise WorkerLostError from None
        self._idle.append(connection)
        if error is not None:
            raise error
        return result

    def _connection(self) -> Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return Client(self._address.path, "AF_UNIX", authkey=self._address.auth_key)
