"""The door of several servers: it takes each connection, sees whose it is, and hands it to the server of that person.

Python does one thing at a time in a process, so many people want several servers. What belongs to a session (uploads,
downloads) is in the memory of one of them, so whoever has been with one comes back to it: a cookie says which. Nothing
passes through the door but the first look: a connection is handed over whole, as an open file.
"""

import asyncio
import re
import socket
from collections.abc import Sequence
from contextlib import closing, suppress

from planner.web.serving.same_server import server_index_from

_COOKIES = re.compile(rb"^cookie:[^\r\n]*", re.IGNORECASE | re.MULTILINE)
_HEAD_ENDS = b"\r\n\r\n"
_LONGEST_HEAD = 65_536
_LONGEST_WAIT_S = 60.0  # for somebody who is there and says nothing
_AGAIN_S = 0.02
_ONE = b"\0"  # a connection cannot be handed over with nothing


class HandoffSocket(socket.socket):
    """The server's end of the door: in the place of a socket that listens, for connections that were taken before."""

    def listen(self, _waiting: int = 0, /) -> None:
        """Nobody comes here but through the door."""

    def accept(self) -> tuple[socket.socket, object]:
        """The next connection. Raises BlockingIOError where none waits; what is left once the door is closed."""
        _said, files, _flags, _address = socket.recv_fds(self, len(_ONE), 1, socket.MSG_CMSG_CLOEXEC)
        if not files:
            raise ConnectionAbortedError("the door is closed")
        connection = socket.socket(fileno=files[0])
        try:
            return connection, connection.getpeername()
        except OSError:  # whoever it was has left meanwhile
            connection.close()
            raise ConnectionAbortedError from None


def pair() -> tuple[socket.socket, HandoffSocket]:
    """The door's end and the server's end of a way to hand connections over."""
    outside, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    outside.setblocking(False)
    server = HandoffSocket(fileno=inside.detach())
    server.setblocking(False)
    return outside, server


class ConnectionRouter:
    """Takes connections for some servers, as long as one of them is there."""

    def __init__(self, street: socket.socket, servers: Sequence[socket.socket]) -> None:
        """`street` listens; `servers` are the door's ends."""
        self._street = street
        self._servers = dict(enumerate(servers))
        self._turn = 0
        self._is_closed = asyncio.Event()

    async def keep(self) -> None:
        """Until no server is left."""
        taking = asyncio.create_task(self._take())
        await self._is_closed.wait()
        taking.cancel()

    def lose(self, place: int) -> None:
        """Send nobody there any more."""
        self._servers.pop(place, None)
        if not self._servers:
            self._is_closed.set()

    async def _take(self) -> None:
        loop = asyncio.get_running_loop()
        self._street.setblocking(False)
        meetings: set[asyncio.Task[None]] = set()
        while True:
            try:
                connection, _ = await loop.sock_accept(self._street)
            except OSError:  # gone again, or more than this process may have open
                await asyncio.sleep(_AGAIN_S)
                continue
            meeting = loop.create_task(self._meet(connection))
            meetings.add(meeting)
            meeting.add_done_callback(meetings.discard)

    async def _meet(self, connection: socket.socket) -> None:
        with closing(connection), suppress(TimeoutError, OSError):
            async with asyncio.timeout(_LONGEST_WAIT_S):
                await self._hand_over(connection, await _head(connection))

    async def _hand_over(self, connection: socket.socket, head: bytes) -> None:
        """Hand it to the server that it asks for; to the next in turn where it asks for none, or that one is lost."""
        place = int(server_index_from(b"".join(_COOKIES.findall(head))) or -1)
        while self._servers:
            if place not in self._servers:
                place = self._next()
            try:
                socket.send_fds(self._servers[place], [_ONE], [connection.fileno()])
                return
            except BlockingIOError:  # too many wait there already
                await asyncio.sleep(_AGAIN_S)
            except OSError:
                self.lose(place)

    def _next(self) -> int:
        self._turn += 1
        return sorted(self._servers)[self._turn % len(self._servers)]


async def _head(connection: socket.socket) -> bytes:
    """What a request says of itself, left where it is for the server; as much as came, of one who leaves."""
    while True:
        await _is_readable(connection)
        head = connection.recv(_LONGEST_HEAD, socket.MSG_PEEK)
        if not head:
            raise ConnectionAbortedError
        if _HEAD_ENDS in head or len(head) == _LONGEST_HEAD:
            return head
        await asyncio.sleep(_AGAIN_S)  # the rest is on its way; what is here already would wake us at once


async def _is_readable(connection: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    there = loop.create_future()
    loop.add_reader(connection, lambda: there.done() or there.set_result(None))
    try:
        await there
    finally:
        loop.remove_reader(connection)
