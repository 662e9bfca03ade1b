"""Connection router of several servers: passes each accepted connection to the server that holds the session.

Python does one thing at a time in a process, so many people need several servers. The data of a session (uploads,
downloads) is in the memory of one of them, so a browser comes back to it: a cookie names it. The router reads only the
head of the first request: it hands the connection over whole, as an open file.
"""

import asyncio
import re
import socket
from collections.abc import Sequence
from contextlib import closing, suppress

from planner.web.headers import server_index_from

_COOKIES = re.compile(rb"^cookie:[^\r\n]*", re.IGNORECASE | re.MULTILINE)
_HEAD_ENDS = b"\r\n\r\n"
_LONGEST_HEAD = 65_536
_LONGEST_WAIT_S = 60.0  # for a client that connects and sends nothing
_RETRY_S = 0.02
_BYTE = b"\0"  # a connection cannot be handed over without any data


class HandoffSocket(socket.socket):
    """The server's end: in the place of a listening socket, for connections that the router accepted."""

    def listen(self, _backlog: int = 0, /) -> None:
        """Do nothing: connections come through the router only."""

    def accept(self) -> tuple[socket.socket, object]:
        """Return the next connection. Raises BlockingIOError where none waits, also after the router has closed."""
        _data, files, _flags, _address = socket.recv_fds(self, len(_BYTE), 1, socket.MSG_CMSG_CLOEXEC)
        if not files:
            raise ConnectionAbortedError("the router is closed")
        connection = socket.socket(fileno=files[0])
        try:
            return connection, connection.getpeername()
        except OSError:  # the client has left meanwhile
            connection.close()
            raise ConnectionAbortedError from None


def pair() -> tuple[socket.socket, HandoffSocket]:
    """Return the router's end and the server's end of a channel for connections."""
    router_end, server_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    router_end.setblocking(False)
    server = HandoffSocket(fileno=server_end.detach())
    server.setblocking(False)
    return router_end, server


class ConnectionRouter:
    """Accepts connections for some servers, as long as one of them runs."""

    def __init__(self, listener: socket.socket, servers: Sequence[socket.socket]) -> None:
        """Accept at `listener`; `servers` are the router's ends of their channels."""
        self._listener = listener
        self._servers = dict(enumerate(servers))
        self._turn = 0
        self._is_closed = asyncio.Event()

    async def run(self) -> None:
        """Route until no server is left."""
        accepting = asyncio.create_task(self._accept())
        await self._is_closed.wait()
        accepting.cancel()

    def remove(self, index: int) -> None:
        """Send no more connections to a server."""
        self._servers.pop(index, None)
        if not self._servers:
            self._is_closed.set()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        self._listener.setblocking(False)
        tasks: set[asyncio.Task[None]] = set()
        while True:
            try:
                connection, _ = await loop.sock_accept(self._listener)
            except OSError:  # gone again, or more than this process may have open
                await asyncio.sleep(_RETRY_S)
                continue
            task = loop.create_task(self._route(connection))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def _route(self, connection: socket.socket) -> None:
        with closing(connection), suppress(TimeoutError, OSError):
            async with asyncio.timeout(_LONGEST_WAIT_S):
                await self._hand_over(connection, await _head(connection))

    async def _hand_over(self, connection: socket.socket, head: bytes) -> None:
        """Hand it to the server that its cookie names; to the next in turn where there is none, or that one is lost."""
        index = int(server_index_from(b"".join(_COOKIES.findall(head))) or -1)
        while self._servers:
            if index not in self._servers:
                self._turn += 1
                index = sorted(self._servers)[self._turn % len(self._servers)]
            try:
                socket.send_fds(self._servers[index], [_BYTE], [connection.fileno()])
                return
            except BlockingIOError:  # too many wait there already
                await asyncio.sleep(_RETRY_S)
            except OSError:
                self.remove(index)


async def _head(connection: socket.socket) -> bytes:
    """Return the head of a request without taking it from the socket; as much as came, of a client that leaves."""
    while True:
        await _wait_until_readable(connection)
        head = connection.recv(_LONGEST_HEAD, socket.MSG_PEEK)
        if not head:
            raise ConnectionAbortedError
        if _HEAD_ENDS in head or len(head) == _LONGEST_HEAD:
            return head
        await asyncio.sleep(_RETRY_S)  # the rest is on its way; what is here already would wake us at once


async def _wait_until_readable(connection: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    readable = loop.create_future()
    loop.add_reader(connection, lambda: readable.done() or readable.set_result(None))
    try:
        await readable
    finally:
        loop.remove_reader(connection)
